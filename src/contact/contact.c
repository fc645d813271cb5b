// The list of contact solvers, and the one entry through which all of them run: parse, prepare, solve, judge.
#include "contact/contact.h"

#include "base/settings.h"
#include "base/timer.h"
#include "contact/contact_sweep.h"
#include "contact/contact_watch.h"

#include <math.h>
#include <string.h>

static const fil_contact_type *const list[] = {
    &fil_contact_auto,     &fil_contact_gs,     &fil_contact_anderson,
    &fil_contact_proximal, &fil_contact_newton, &fil_contact_sor,
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
    char name[256];
    size_t length = strcspn(text, ":");
    if (length >= sizeof name)
        return fil_context_fail(context, FIL_BAD_INPUT, "contact solver: the name is too long");
    memcpy(name, text, length);
    name[length] = '\0';
    *type = fil_contact_type_find(name);
    if (!*type) {
        const char *names[LIST_SIZE];
        for (int i = 0; i < LIST_SIZE; ++i)
            names[i] = list[i]->name;
        const char *nearest = fil_settings_nearest(name, names, LIST_SIZE);
        return fil_context_fail(context, FIL_BAD_INPUT, "unknown contact solver '%s'%s%s%s (see `filum info contact`)",
                                name, nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    *param = fil_arena_allocate(arena, 1, (*type)->param_size + 1);
    if (!*param)
        return FIL_NO_MEMORY;
    fil_settings_defaults((*type)->fields, (*type)->field_count, *param);
    return text[length]
               ? fil_settings_parse(context, name, (*type)->fields, (*type)->field_count, text + length + 1, *param)
               : FIL_OK;
}

static fil_status check_def(fil_context *context, const fil_contact_def *def)
{
    if (!(def->tolerance > 0) || !(def->tolerance < INFINITY))
        return fil_context_fail(context, FIL_BAD_INPUT, "tolerance: must be above 0 (got %g)", def->tolerance);
    if (def->max_iterations < 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "max_iterations: must not be negative (got %lld)",
                                (long long)def->max_iterations);
    return FIL_OK;
}

// All residuals of r, the velocities that the caller wants.
static fil_status judge(fil_context *context, fil_arena *scratch, fil_contact_problem *problem, const double *r,
                        double *u, double *v, double residual[FIL_MERIT_COUNT])
{
    fil_contact_operator op;
    fil_contact_merit merit;
    fil_status status = fil_contact_operator_make(context, scratch, problem, false, &op);
    if (status == FIL_OK)
        status = fil_contact_merit_make(&op, scratch, &merit);
    double *velocity = u ? u : FIL_ARENA_ARRAY(scratch, double, 3 * (int64_t)problem->contact_count);
    if (status == FIL_OK && !velocity)
        status = FIL_NO_MEMORY;
    if (status != FIL_OK)
        return status;
    fil_contact_operator_apply(&op, r, velocity);
    for (int kind = 0; kind < FIL_MERIT_COUNT; ++kind)
        residual[kind] = fil_contact_merit_of(&merit, (fil_merit)kind, problem, r, velocity);
    if (v && problem->has_primal) {
        status = fil_contact_operator_make(context, scratch, problem, true, &op);
        if (status == FIL_OK)
            fil_contact_operator_velocity(&op, r, v);
    }
    return status;
}

fil_status fil_contact_judge(fil_context *context, fil_contact_problem *problem, const double *r,
                             double residual[FIL_MERIT_COUNT])
{
    fil_arena *scratch = fil_arena_create(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    fil_status status = judge(context, scratch, problem, r, NULL, NULL, residual);
    fil_arena_destroy(scratch);
    return status;
}

static fil_status solve(fil_context *context, fil_arena *scratch, fil_contact_problem *problem,
                        const fil_contact_def *def, double *r, double *u, double *v, fil_solve_stats *stats)
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
    double local_tolerance = fmin(1e-10, 1e-2 * def->tolerance);
    fil_status status = check_def(context, def);
    if (status == FIL_OK)
        status = parse_solver(context, scratch, def->solver, &type, &param);
    if (status == FIL_OK)
        status = fil_local_parse(context, scratch, def->local, local_tolerance, &task.local);

    // Prepare the view that the solver asks for.
    if (status == FIL_OK && (type->needs & FIL_NEEDS_DUAL))
        status = fil_contact_problem_form_dual(context, problem);
    if (status != FIL_OK)
        return status;
    if (!def->warm)
        memset(r, 0, 3 * (size_t)problem->contact_count * sizeof *r);
    task.start_seconds = fil_timer_seconds();
    stats->seconds_setup = task.start_seconds - start;

    stats->finished_by = type->name;
    status = type->solve(&task, param, r, stats);
    stats->seconds_solve = fil_timer_seconds() - task.start_seconds;
    return status == FIL_OK ? judge(context, scratch, problem, r, u, v, stats->residual) : status;
}

fil_status fil_contact_solve(fil_context *context, fil_contact_problem *problem, const fil_contact_def *def, double *r,
                             double *u, double *v, fil_solve_stats *stats)
{
    fil_solve_stats own;
    stats = stats ? stats : &own;
    *stats = (fil_solve_stats){.outcome = FIL_SOLVED, .finished_by = ""};
    fil_arena *scratch = fil_arena_create(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    fil_status status = solve(context, scratch, problem, def, r, u, v, stats);
    fil_arena_destroy(scratch);
    return status;
}
