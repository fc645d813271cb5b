// Many contacts of a step are near but open: they have no impulse, nothing feels them, and yet each sweep visits their
// rows, and all rows have their columns. The others are a problem of their own (contact_cut.c), with a quarter of the
// blocks where half of the contacts are open:
//
//     press      contacts with an impulse, or that part so slowly that they may soon have one
//     solve      these alone
//     judge      all; contacts that now approach are added, and again
//
// The judge looks at all contacts: whoever was left out wrongly is found.
//
// Cost: a pass over W for each round, and the solve of a smaller problem.
#include "contact/contact_press.h"

#include "base/arena.h"
#include "contact/contact_cut.h"

#include <math.h>

enum { FEWEST = 4000, MOST_ROUNDS = 4 }; // contacts: below, W is in the caches and its sweeps are cheap

static const double worthwhile = 0.8; // of the contacts: with more there is nothing to gain
static const double left = 0.7;       // of the tolerance: what the contacts that press may have left
static const double slowly = 0.1;     // of the mean speed: who parts more slowly may soon press

// First guesses come from hosts: whatever is not zero is an impulse.
static bool has_impulse(const double r[3])
{
    return r[0] != 0 || r[1] != 0 || r[2] != 0;
}

// All that press or are about to, in ascending order; also who did before. Returns whether there are new ones.
static bool choose(fil_contact_cut *cut, bool *pressing, const double *r, double slow)
{
    int n = cut->watch->task->problem->contact_count, before = cut->count;
    fil_contact_cut_forget(cut);
    for (int i = 0; i < n; ++i) {
        ptrdiff_t at = 3 * (ptrdiff_t)i;
        pressing[i] = pressing[i] || has_impulse(r + at) || cut->watch->u[at] < slow;
        if (pressing[i])
            cut->contact[cut->count++] = i;
    }
    return cut->count > before;
}

static int64_t iterations_left(const fil_contact_watch *watch)
{
    const int64_t usual = 300, left_over = watch->budget - watch->stats->iterations;
    return left_over < 1 ? 1 : left_over < usual ? left_over : usual;
}

static fil_status solve(fil_contact_cut *cut, double residual, double *r)
{
    fil_contact_def def = fil_contact_def_default();
    def.solver = "auto:largest_newton=300"; // thousands of contacts would take seconds
    def.max_iterations = iterations_left(cut->watch);
    double work = 0;
    fil_arena_mark mark = fil_arena_mark_now(cut->arena);
    fil_status status = fil_contact_cut_out(cut, r);
    if (status == FIL_OK)
        status = fil_contact_cut_solve(cut, residual, def, r, &work);
    fil_arena_rewind(cut->arena, mark);
    if (status == FIL_OK)
        fil_contact_cut_count(cut, work);
    return status;
}

static fil_status run_rounds(fil_contact_cut *cut, bool *pressing, double *r)
{
    fil_contact_watch *watch = cut->watch;
    const int n = watch->task->problem->contact_count;
    const double slow = slowly * watch->merit.norm_q / sqrt(3.0 * n);
    double residual = left * watch->task->tolerance;
    for (int round = 0; round < MOST_ROUNDS && !watch->stop; ++round) {
        bool more = choose(cut, pressing, r, round == 0 ? slow : 0);
        if (cut->count > worthwhile * n)
            return FIL_OK;
        // What is left is what those have left that press: they did not arrive, or their sum was too much.
        if (!more)
            residual *= 0.5 * left * watch->task->tolerance / watch->residual;
        fil_status status = solve(cut, residual, r);
        if (status != FIL_OK)
            return status;
        watch->phase = "pressing";
        fil_contact_watch_judge(watch, r);
    }
    return FIL_OK;
}

fil_status fil_contact_press_run(fil_contact_watch *watch, double *r)
{
    const int n = watch->task->problem->contact_count;
    if (n < FEWEST)
        return FIL_OK;
    fil_arena *arena = fil_arena_borrow(watch->task->context);
    bool *pressing = arena ? FIL_ARENA_ARRAY(arena, bool, n) : NULL;
    fil_contact_cut cut;
    fil_status status = pressing ? fil_contact_cut_make(watch, arena, &cut) : FIL_NO_MEMORY;
    if (status == FIL_OK)
        status = run_rounds(&cut, pressing, r);
    fil_arena_give_back(arena);
    return status;
}
