// Where a few contacts hold most of the residual, they and all others on their strands become a problem of their own,
// small enough for sweeps and Newton on W; the impulses of the rest are kept:
//
//   u_P = W_PP r_P + q_P,     q_P = u_P(now) - W_PP r_P(now)
//
// Its solution may be far from where the others led, and the neighbours have to follow: the residual may rise. But
// iterations that had stalled go on from there. Nothing but the W of the patch is formed, so it also helps where the
// whole would be too large.
#include "contact/contact_patch.h"

#include "base/arena.h"
#include "contact/contact.h"
#include "math/mat3.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_HARD = 100, MOST_CONTACTS = 3000, MOST_ITERATIONS = 3000 };

static const double hard_share = 0.95; // of the square of the residual

typedef struct patch {
    fil_contact_watch *watch;
    fil_arena *arena;
    int *contact, count; // [count] in ascending order
    int *body;           // [bodies] of the whole: the number in the patch, or -1
    int *whole, bodies;  // [bodies] of the patch: the number in the whole
    fil_contact_problem *problem;
} patch;

// Marks the bodies of the contacts that hold nearly all of the residual.
static fil_status mark_hard_bodies(patch *self, const double *r, bool *hard)
{
    const fil_contact_problem *problem = self->watch->task->problem;
    const fil_contact_jacobian *H = &problem->H;
    int n = problem->contact_count;
    const fil_hard_contact *list = fil_contact_watch_hardest(self->watch, self->arena, r);
    if (!list)
        return FIL_NO_MEMORY;
    double total = 0, sum = 0;
    for (int i = 0; i < n; ++i)
        total += list[i].square;
    for (int k = 0; k < n && k < MOST_HARD && sum < hard_share * total; ++k) {
        sum += list[k].square;
        for (int side = H->side_start[list[k].contact]; side < H->side_start[list[k].contact + 1]; ++side)
            hard[H->body[side]] = true;
    }
    return FIL_OK;
}

// How many sides of a contact are on marked bodies.
static int marked_sides(const fil_contact_jacobian *H, int contact, const bool *hard)
{
    int count = 0;
    for (int side = H->side_start[contact]; side < H->side_start[contact + 1]; ++side)
        count += hard[H->body[side]];
    return count;
}

// The contacts on marked bodies; when there are too many, those with all sides there.
static fil_status choose_contacts(patch *self, const double *r)
{
    const fil_contact_problem *problem = self->watch->task->problem;
    const fil_contact_jacobian *H = &problem->H;
    bool *hard = FIL_ARENA_ARRAY(self->arena, bool, problem->A.body_count);
    self->contact = FIL_ARENA_RAW(self->arena, int, problem->contact_count);
    if (!hard || !self->contact)
        return FIL_NO_MEMORY;
    fil_status status = mark_hard_bodies(self, r, hard);
    for (int strict = 0; strict < 2 && status == FIL_OK && (strict == 0 || self->count > MOST_CONTACTS); ++strict) {
        self->count = 0;
        for (int i = 0; i < problem->contact_count; ++i) {
            int marked = marked_sides(H, i, hard), sides = H->side_start[i + 1] - H->side_start[i];
            if (marked > 0 && (!strict || marked == sides))
                self->contact[self->count++] = i;
        }
    }
    return status;
}

static fil_status number_bodies(patch *self)
{
    const fil_contact_problem *problem = self->watch->task->problem;
    const fil_contact_jacobian *H = &problem->H;
    self->body = FIL_ARENA_RAW(self->arena, int, problem->A.body_count);
    self->whole = FIL_ARENA_RAW(self->arena, int, problem->A.body_count);
    if (!self->body || !self->whole)
        return FIL_NO_MEMORY;
    for (int body = 0; body < problem->A.body_count; ++body)
        self->body[body] = -1;
    for (int k = 0; k < self->count; ++k)
        for (int side = H->side_start[self->contact[k]]; side < H->side_start[self->contact[k] + 1]; ++side)
            if (self->body[H->body[side]] < 0) {
                self->whole[self->bodies] = H->body[side];
                self->body[H->body[side]] = self->bodies++;
            }
    return FIL_OK;
}

// Creates the problem of the patch and copies A.
static fil_status copy_bodies(patch *self)
{
    const fil_contact_problem *from = self->watch->task->problem;
    int sides = 0, dofs = 0;
    int64_t values = 0, jacobian = 0;
    for (int k = 0; k < self->count; ++k)
        for (int side = from->H.side_start[self->contact[k]]; side < from->H.side_start[self->contact[k] + 1]; ++side) {
            ++sides;
            jacobian += 3 * (int64_t)from->H.dof_count[side];
        }
    for (int body = 0; body < self->bodies; ++body) {
        dofs += from->A.dof_start[self->whole[body] + 1] - from->A.dof_start[self->whole[body]];
        values += from->A.value_start[self->whole[body] + 1] - from->A.value_start[self->whole[body]];
    }
    fil_status status = fil_contact_problem_create_primal(self->watch->task->context, self->count, self->bodies, dofs,
                                                          values, sides, jacobian, &self->problem);
    if (status != FIL_OK)
        return status;
    fil_body_matrix *A = &self->problem->A;
    for (int body = 0; body < self->bodies; ++body) {
        int whole = self->whole[body];
        int64_t count = from->A.value_start[whole + 1] - from->A.value_start[whole];
        A->bandwidth[body] = from->A.bandwidth[whole];
        A->dof_start[body + 1] = A->dof_start[body] + from->A.dof_start[whole + 1] - from->A.dof_start[whole];
        A->value_start[body + 1] = A->value_start[body] + count;
        memcpy(A->value + A->value_start[body], from->A.value + from->A.value_start[whole],
               (size_t)count * sizeof *A->value);
    }
    return FIL_OK;
}

static void copy_contacts(const patch *self)
{
    const fil_contact_problem *from = self->watch->task->problem;
    fil_contact_jacobian *H = &self->problem->H;
    int to = 0;
    for (int k = 0; k < self->count; ++k) {
        int contact = self->contact[k];
        self->problem->mu[k] = from->mu[contact];
        for (int side = from->H.side_start[contact]; side < from->H.side_start[contact + 1]; ++side, ++to) {
            int64_t count = 3 * (int64_t)from->H.dof_count[side];
            H->body[to] = self->body[from->H.body[side]];
            H->first_dof[to] = from->H.first_dof[side];
            H->dof_count[to] = from->H.dof_count[side];
            H->value_start[to + 1] = H->value_start[to] + count;
            memcpy(H->value + H->value_start[to], from->H.value + from->H.value_start[side],
                   (size_t)count * sizeof *H->value);
        }
        H->side_start[k + 1] = to;
    }
}

// q_P = u_P - W_PP r_P; |q_P|
static double find_rest(const patch *self, const double *r)
{
    fil_contact_problem *problem = self->problem;
    double square = 0;
    for (int64_t i = 0; i < self->count; ++i) {
        double x[3] = {0};
        for (int64_t k = problem->W.start[i]; k < problem->W.start[i + 1]; ++k)
            fil_mat3_add_vector(problem->W.value + 9 * k, r + 3 * (ptrdiff_t)problem->W.column[k], x);
        for (int k = 0; k < 3; ++k) {
            problem->q[3 * i + k] = self->watch->u[3 * (ptrdiff_t)self->contact[i] + k] - x[k];
            square += problem->q[3 * i + k] * problem->q[3 * i + k];
        }
    }
    return sqrt(square);
}

static bool still_wanted(void *user, const fil_progress *point)
{
    const fil_contact_watch *watch = user;
    fil_progress whole = *point;
    whole.phase = watch->phase;
    whole.iterations += watch->stats->iterations;
    whole.residual = watch->residual;
    whole.best = watch->least;
    return !watch->task->progress || watch->task->progress(watch->task->user, &whole);
}

// Solves the patch and puts its impulses into r.
static fil_status solve_patch(patch *self, double left, double *r)
{
    fil_contact_watch *watch = self->watch;
    double *own = FIL_ARENA_RAW(self->arena, double, 3 * (int64_t)self->count);
    if (!own)
        return FIL_NO_MEMORY;
    for (int64_t i = 0; i < self->count; ++i)
        memcpy(own + 3 * i, r + 3 * (ptrdiff_t)self->contact[i], 3 * sizeof *own);
    double rest = find_rest(self, own), share = watch->merit.norm_q / rest;
    fil_contact_def def = fil_contact_def_default();
    def.tolerance = fmin(fmax(left * share, 1e-12), 1e-2);
    def.max_iterations = MOST_ITERATIONS;
    def.warm = true;
    def.progress = still_wanted;
    def.user = watch;
    self->problem->has_primal = false;            // the road through W
    self->problem->H = (fil_contact_jacobian){0}; // sweeps in the order of contacts: there are few
    fil_solve_stats stats;
    fil_status status =
        fil_contact_solve_part(watch->task->context, self->problem, &def, &watch->task->local, own, &stats);
    if (status != FIL_OK)
        return status;
    // Counted as the sweeps over all contacts that would be as much work.
    fil_contact_watch_count(watch, 1 + stats.iterations * self->count / watch->task->problem->contact_count, 0);
    for (int64_t i = 0; i < self->count; ++i)
        memcpy(r + 3 * (ptrdiff_t)self->contact[i], own + 3 * i, 3 * sizeof *own);
    return FIL_OK;
}

// From the list of contacts on.
static fil_status run(patch *self, double left, double *r)
{
    fil_contact_watch *watch = self->watch;
    fil_status status = number_bodies(self);
    if (status == FIL_OK)
        status = copy_bodies(self);
    if (status == FIL_OK) {
        copy_contacts(self);
        status = fil_contact_problem_form_dual(watch->task->context, self->problem);
    }
    if (status == FIL_OK)
        status = solve_patch(self, left, r);
    fil_contact_problem_destroy(self->problem);
    return status;
}

fil_status fil_contact_patch_run(fil_contact_watch *watch, const fil_contact_patch_plan *plan, double *r, bool *done)
{
    watch->phase = "patch";
    *done = false;
    if (fil_contact_watch_judge(watch, r))
        return FIL_OK;
    patch self = {.watch = watch, .arena = fil_arena_borrow(watch->task->context)};
    fil_status status = self.arena ? choose_contacts(&self, r) : FIL_NO_MEMORY;
    *done = status == FIL_OK && self.count <= plan->most * watch->task->problem->contact_count;
    if (*done)
        status = run(&self, plan->left, r);
    fil_arena_give_back(self.arena);
    if (status == FIL_OK && *done)
        fil_contact_watch_judge(watch, r);
    return status;
}
