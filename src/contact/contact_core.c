// After some sweeps nearly all contacts are solved and a few are not: strands that lie along each other, or that others
// squeeze. More sweeps over all would visit the rest in vain. These few, with their near neighbours, are the core. It
// falls into clusters that are hardly coupled; each is a problem of its own (contact_cut.c). When all are solved,
// sweeps over all take what they changed to the others. In a cluster again only a few contacts may be hard, so `auto`,
// which solves it, goes on like this (contact_auto.c) until Newton's method takes the last dozens.
//
// Near: |W_ij|^2 > strong^2 |W_ii| |W_jj|, and pressing. A contact that is not may open or close in the sweeps.
//
// Cost: one pass over W to choose, a copy of the blocks of the core.
#include "contact/contact_core.h"

#include "base/arena.h"
#include "contact/contact.h"
#include "contact/contact_block.h"
#include "contact/contact_cut.h"

#include <math.h>
#include <stdlib.h>

static const double most_hard = 0.05; // of all contacts
static const double most_core = 0.5;  // of all contacts, with neighbours: else nothing is won
static const double left = 0.3;       // of the tolerance: what the other contacts and the core may have left in the end
static const double strong = 0.2;     // coupling

typedef struct core {
    fil_contact_watch *watch;
    fil_arena *arena;
    bool *marked;        // [contacts] of the whole: it is in the core, and not in a cluster yet
    int size;            // contacts of the core
    fil_contact_cut cut; // the core while it is chosen; then the cluster at hand
} core;

// ---- choosing

// The contacts with the largest residuals, until what the others have is good enough.
static fil_status mark_hard(core *self, const double *r)
{
    const fil_contact_watch *watch = self->watch;
    int n = watch->task->problem->contact_count;
    const fil_hard_contact *list = fil_contact_watch_hardest(watch, self->arena, r);
    if (!list)
        return FIL_NO_MEMORY;
    double rest = 0, enough = left * watch->task->tolerance * watch->merit.rho * watch->merit.norm_q;
    for (int i = 0; i < n; ++i)
        rest += list[i].square;
    for (int k = 0; k < most_hard * n && rest > enough * enough; ++k) {
        rest -= list[k].square;
        self->cut.contact[self->cut.count++] = list[k].contact;
        self->marked[list[k].contact] = true;
    }
    return FIL_OK;
}

// The square of the Frobenius norm.
static double size_of(const double block[9])
{
    double sum = 0;
    for (int k = 0; k < 9; ++k)
        sum += block[k] * block[k];
    return sum;
}

static double size_of_diagonal(const fil_block_matrix *W, int i)
{
    return size_of(W->value + 9 * fil_block_find(W, i, i));
}

// Whether block k of row i, whose diagonal block is as large as `own`, couples contacts strongly.
static bool is_strong(const fil_block_matrix *W, double own, int64_t k)
{
    const double least = strong * strong * strong * strong;
    double size = size_of(W->value + 9 * k);
    return size * size > least * own * size_of_diagonal(W, W->column[k]);
}

static void mark_neighbours(core *self, const double *r)
{
    const fil_block_matrix *W = &self->watch->task->problem->W;
    self->size = self->cut.count;
    for (int c = 0; c < self->cut.count; ++c) {
        int i = self->cut.contact[c];
        double own = size_of_diagonal(W, i);
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            int j = W->column[k];
            if (self->marked[j] || !(r[3 * (ptrdiff_t)j] > 0) || !is_strong(W, own, k))
                continue;
            self->marked[j] = true;
            ++self->size;
        }
    }
}

static fil_status mark(core *self, const double *r)
{
    int n = self->watch->task->problem->contact_count;
    self->marked = FIL_ARENA_ARRAY(self->arena, bool, n);
    if (!self->marked || fil_contact_cut_make(self->watch, self->arena, &self->cut) != FIL_OK ||
        mark_hard(self, r) != FIL_OK)
        return FIL_NO_MEMORY;
    mark_neighbours(self, r);
    return FIL_OK;
}

static int compare_contacts(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// The cluster of a contact: all that strong couplings lead to.
static void gather(core *self, int first)
{
    const fil_block_matrix *W = &self->watch->task->problem->W;
    self->cut.count = 0;
    self->cut.contact[self->cut.count++] = first;
    self->marked[first] = false;
    for (int c = 0; c < self->cut.count; ++c) {
        int i = self->cut.contact[c];
        double own = size_of_diagonal(W, i);
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            int j = W->column[k];
            if (!self->marked[j] || !is_strong(W, own, k))
                continue;
            self->marked[j] = false;
            self->cut.contact[self->cut.count++] = j;
        }
    }
    qsort(self->cut.contact, (size_t)self->cut.count, sizeof *self->cut.contact, compare_contacts);
}

// ---- solving

// The cluster at hand, to its share of what may be left. *work: block visits.
static fil_status solve(core *self, double *r, double *work)
{
    fil_contact_def def = fil_contact_def_default();
    def.solver = "auto:largest_newton=300"; // a thousand contacts would take seconds
    def.max_iterations = 1000;
    double share = sqrt((double)self->cut.count / self->size);
    fil_status status = fil_contact_cut_out(&self->cut, r);
    if (status == FIL_OK)
        status = fil_contact_cut_solve(&self->cut, left * share * self->watch->task->tolerance, def, r, work);
    return status;
}

static fil_status solve_clusters(core *self, double *r)
{
    const fil_block_matrix *W = &self->watch->task->problem->W;
    fil_status status = FIL_OK;
    double work = 0;
    for (int i = 0; i < W->rows && status == FIL_OK; ++i) {
        if (!self->marked[i])
            continue;
        fil_arena_mark mark = fil_arena_mark_now(self->arena);
        gather(self, i);
        status = solve(self, r, &work);
        fil_contact_cut_forget(&self->cut);
        fil_arena_rewind(self->arena, mark);
    }
    fil_contact_cut_count(&self->cut, work);
    return status;
}

fil_status fil_contact_core_run(fil_contact_watch *watch, double *r, bool *found)
{
    *found = false;
    watch->phase = "core";
    if (fil_contact_watch_judge(watch, r))
        return FIL_OK;
    core self = {.watch = watch, .arena = fil_arena_borrow(watch->task->context)};
    fil_status status = self.arena ? mark(&self, r) : FIL_NO_MEMORY;
    *found = status == FIL_OK && self.size <= most_core * watch->task->problem->contact_count;
    if (*found)
        status = solve_clusters(&self, r);
    fil_arena_give_back(self.arena);
    if (status == FIL_OK && *found)
        fil_contact_watch_judge(watch, r);
    return status;
}
