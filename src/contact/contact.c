// The list of contact solvers, and the one entry through which all of them run: parse, prepare, solve, judge.
#include "contact/contact.h"

#include "base/settings.h"
#include "base/timer.h"
#include "contact/contact_sweep.h"
#include "contact/contact_watch.h"

#include <math.h>
#include <string.h>

static const fil_contact_type *const list[] = {
    &fil_contact_auto,   &fil_contact_gs,  &fil_contact_anderson, &fil_contact_proximal,
    &fil_contact_newton, &fil_contact_sor, &fil_contact_apg,      &fil_contact_admm,
};
enum { LIST_SIZE = sizeof list / sizeof *list };

int fil_contact_type_count(void)
{
    return LIST_SIZE;
}

const fil_contact_type *fil_contact_type_at(int index)
{
    return list[index];
}

const fil_contact_type *fil_contact_type_find(const char *name)
{
    for (int i = 0; i < LIST_SIZE; ++i)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

const char *fil_merit_name(fil_merit merit)
{
    static const char *const names[FIL_MERIT_COUNT] = {"natural", "fclib", "fb"};
    return names[merit];
}

const char *fil_outcome_name(fil_outcome value)
{
    static const char *const names[] = {"solved", "stalled", "no solution", "cancelled"};
    return names[value];
}

fil_contact_def fil_contact_def_default(void)
{
    return (fil_contact_def){
        .solver = "auto", .local = "root+enum", .merit = FIL_MERIT_NATURAL, .tolerance = 1e-8, .max_iterations = 0};
}

// "gs:relaxation=1.3" into the solver and its parameters.
static fil_status parse_solver(fil_context *context, fil_arena *arena, const char *text, const fil_contact_type **type,
                               void **param)
{
    fil_settings_owner owners[LIST_SIZE];
    for (int i = 0; i < LIST_SIZE; ++i)
        owners[i] = (fil_settings_owner){list[i]->name, list[i]->fields, list[i]->field_count, list[i]->param_size};
    int index;
    fil_status status =
        fil_settings_choose(context, arena, "contact solver", "contact", owners, LIST_SIZE, text, &index, param);
    *type = status == FIL_OK ? list[index] : NULL;
    return status;
}

static fil_status check_def(fil_context *context, const fil_contact_def *def)
{
    if (!def->solver || !def->local)
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "solver and local: must be names (start from fil_contact_def_default)");
    if ((int)def->merit < 0 || def->merit >= FIL_MERIT_COUNT)
        return fil_context_fail(context, FIL_BAD_INPUT, "merit: must be natural, fclib or fb (got %d)",
                                (int)def->merit);
    if (!(def->tolerance > 0) || !(def->tolerance < INFINITY))
        return fil_context_fail(context, FIL_BAD_INPUT, "tolerance: must be above 0 (got %g)", def->tolerance);
    if (def->max_iterations < 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "max_iterations: must not be negative (got %lld)",
                                (long long)def->max_iterations);
    return FIL_OK;
}

// Parses everything that the names stand for. given: a local solver instead of the one that is named, or NULL.
static fil_status parse_def(fil_context *context, fil_arena *arena, const fil_contact_def *def, const fil_local *given,
                            const fil_contact_type **type, void **param, fil_local *local)
{
    double local_tolerance = fmin(1e-10, 1e-2 * def->tolerance);
    fil_status status = check_def(context, def);
    if (status == FIL_OK)
        status = parse_solver(context, arena, def->solver, type, param);
    if (status != FIL_OK || !given)
        return status == FIL_OK ? fil_local_parse(context, arena, def->local, local_tolerance, local) : status;
    *local = *given;
    local->tolerance = local_tolerance;
    return FIL_OK;
}

fil_status fil_contact_check_def(fil_context *context, const fil_contact_def *def)
{
    const fil_contact_type *type;
    void *param;
    fil_local local;
    fil_arena *scratch = fil_arena_borrow(context);
    fil_status status = scratch ? parse_def(context, scratch, def, NULL, &type, &param, &local) : FIL_NO_MEMORY;
    fil_arena_give_back(scratch);
    return status;
}

// All residuals of r, the velocities that the caller wants. `known` may be NULL.
static fil_status judge(fil_context *context, fil_arena *scratch, const fil_contact_scale *known,
                        fil_contact_problem *problem, const double *r, double *u, double *v, fil_solve_stats *stats)
{
    fil_contact_scale scale;
    fil_status status = FIL_OK;
    if (known)
        scale = *known;
    else
        status = fil_contact_watch_scale(context, scratch, problem, &scale);
    double *velocity = u ? u : FIL_ARENA_ARRAY(scratch, double, 3 * (int64_t)problem->contact_count);
    if (status == FIL_OK && !velocity)
        status = FIL_NO_MEMORY;
    if (status != FIL_OK)
        return status;
    fil_contact_operator_apply(&scale.op, r, velocity);
    stats->rho = scale.merit.rho;
    stats->free_speed = scale.merit.norm_q;
    for (int kind = 0; kind < FIL_MERIT_COUNT; ++kind)
        stats->residual[kind] = fil_contact_merit_of(&scale.merit, (fil_merit)kind, problem, r, velocity);
    if (v && problem->has_primal) {
        if (!scale.op.matrix_free)
            status = fil_contact_operator_make(context, scratch, problem, true, &scale.op);
        if (status == FIL_OK)
            fil_contact_operator_velocity(&scale.op, r, v);
    }
    return status;
}

fil_status fil_contact_judge(fil_context *context, fil_contact_problem *problem, const double *r,
                             double residual[FIL_MERIT_COUNT])
{
    fil_arena *scratch = fil_arena_borrow(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    fil_solve_stats stats = {0};
    fil_status status = judge(context, scratch, NULL, problem, r, NULL, NULL, &stats);
    memcpy(residual, stats.residual, sizeof stats.residual);
    fil_arena_give_back(scratch);
    return status;
}

// Both halves of a W of which one is stored: sweeps and factorisations walk along whole rows.
static fil_status expand_half(fil_arena *arena, const fil_block_matrix *half, fil_block_matrix *full)
{
    int n = half->rows;
    int64_t blocks = 2 * half->start[n] - n;
    *full = (fil_block_matrix){.rows = n,
                               .start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)n + 2),
                               .column = FIL_ARENA_ARRAY(arena, int, blocks),
                               .value = FIL_ARENA_ARRAY(arena, double, 9 * blocks + 4)};
    if (!full->start || !full->column || !full->value)
        return FIL_NO_MEMORY;
    // Counted one place ahead, so that filling leaves each start where it belongs. Rows are met in order: each row
    // receives first its transposed blocks, ascending, then its own.
    int64_t *next = full->start + 1;
    for (int i = 0; i < n; ++i)
        for (int64_t k = half->start[i]; k < half->start[i + 1]; ++k) {
            ++full->start[i + 2];
            if (half->column[k] != i)
                ++full->start[half->column[k] + 2];
        }
    for (int i = 0; i <= n; ++i)
        full->start[i + 1] += full->start[i];
    for (int i = 0; i < n; ++i)
        for (int64_t k = half->start[i]; k < half->start[i + 1]; ++k) {
            int j = half->column[k];
            const double *from = half->value + 9 * k;
            full->column[next[i]] = j;
            memcpy(full->value + 9 * next[i]++, from, 9 * sizeof *from);
            if (j == i)
                continue;
            full->column[next[j]] = i;
            double *to = full->value + 9 * next[j]++;
            for (int m = 0; m < 9; ++m)
                to[m] = from[m / 3 + 3 * (m % 3)];
        }
    return FIL_OK;
}

// Impulses that are not finite say nothing: those begin at zero.
static void copy_guess(int contacts, const double *r, double *impulse)
{
    for (int64_t at = 0; at < 3 * (int64_t)contacts; at += 3) {
        bool finite = isfinite(r[at]) && isfinite(r[at + 1]) && isfinite(r[at + 2]);
        for (int k = 0; k < 3; ++k)
            impulse[at + k] = finite ? r[at + k] : 0;
    }
}

static fil_status solve(fil_context *context, fil_arena *scratch, fil_contact_problem *problem,
                        const fil_contact_def *def, const fil_local *local, double *r, double *u, double *v,
                        fil_solve_stats *stats)
{
    // Parse everything before any work is done.
    double start = fil_timer_seconds();
    const fil_contact_type *type = NULL;
    void *param = NULL;
    fil_contact_task task = {.context = context,
                             .problem = problem,
                             .merit = def->merit,
                             .tolerance = def->tolerance,
                             .max_iterations = def->max_iterations,
                             .scratch = scratch,
                             .progress = def->progress,
                             .user = def->user};
    fil_status status = parse_def(context, scratch, def, local, &type, &param, &task.local);
    if (status == FIL_OK && !local) // a part is as good as the whole, which was looked at
        status = fil_contact_problem_check(context, problem);

    // Prepare the view that the solver asks for.
    if (status == FIL_OK && (type->needs & FIL_NEEDS_DUAL))
        status = fil_contact_problem_form_dual(context, problem);
    fil_contact_problem whole = *problem;
    if (status == FIL_OK && problem->has_dual && problem->W.half) {
        status = expand_half(scratch, &problem->W, &whole.W);
        task.problem = &whole;
    }
    // Without W the judge factors A: once, for the solver and for the last word.
    fil_contact_scale scale = {0};
    task.scale = &scale;
    if (status == FIL_OK && !problem->has_dual && !(type->needs & FIL_NEEDS_CHOICE))
        status = fil_contact_watch_scale(context, scratch, problem, &scale);
    // The solver works on a copy: r changes only when everything went well.
    size_t count = 3 * (size_t)problem->contact_count;
    double *impulse = status == FIL_OK ? FIL_ARENA_ARRAY(scratch, double, count + 1) : NULL;
    if (!impulse)
        return status == FIL_OK ? FIL_NO_MEMORY : status;
    if (def->warm)
        copy_guess(problem->contact_count, r, impulse);
    task.start_seconds = fil_timer_seconds();
    stats->seconds_setup = task.start_seconds - start;

    stats->finished_by = type->name;
    status = type->solve(&task, param, impulse, stats);
    stats->seconds_solve = fil_timer_seconds() - task.start_seconds;
    if (status == FIL_OK)
        status = judge(context, scratch, scale.op.matrix_free ? &scale : NULL, problem, impulse, u, v, stats);
    if (status == FIL_OK)
        memcpy(r, impulse, count * sizeof *r);
    return status;
}

static fil_status solve_in_scratch(fil_context *context, fil_contact_problem *problem, const fil_contact_def *def,
                                   const fil_local *local, double *r, double *u, double *v, fil_solve_stats *stats)
{
    *stats = (fil_solve_stats){.outcome = FIL_SOLVED, .finished_by = ""};
    fil_arena *scratch = fil_arena_borrow(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    fil_status status = solve(context, scratch, problem, def, local, r, u, v, stats);
    fil_arena_give_back(scratch);
    return status;
}

fil_status fil_contact_solve(fil_context *context, fil_contact_problem *problem, const fil_contact_def *def, double *r,
                             double *u, double *v, fil_solve_stats *stats)
{
    fil_solve_stats own;
    return solve_in_scratch(context, problem, def, NULL, r, u, v, stats ? stats : &own);
}

fil_status fil_contact_solve_part(fil_context *context, fil_contact_problem *problem, const fil_contact_def *def,
                                  const fil_local *local, double *r, fil_solve_stats *stats)
{
    return solve_in_scratch(context, problem, def, local, r, NULL, NULL, stats);
}
