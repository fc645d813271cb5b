// FIL_CONTACTS_IMPULSE: local impulses in a quasi-Newton method [Jia20, Algorithms 2 and 3].
//
// An iteration moves all strands by one step of Newton's method, with the Hessian of the first and with the impulses so
// far as loads, then changes each impulse as if its contact were alone in the world: with u the velocity there,
//
//     r ← P(r - K⁻¹ u),    K = Σ over sides of n/m (I + 12 (t - ½)² (I - d dᵀ))    rods: mass m, inertia m l² / 12
//                          K = Σ over sides of n/m t² (3 I - 2 d dᵀ)                 rods that turn about a held end
//                          K = n Σ w_k² / m_k I                                      vertices, on bodies
//
// where t is the place on the edge (from its held end, if it has one), d its direction, w the weights of its vertices
// and n the contacts that push there: they all act at once and know nothing of each other, so each gets its part of the
// mass (3.2.3). P makes the impulse one of the friction cone.
//
// K is more than the strand really gives way, since neighbours and stiffness hold back what is pushed: iterations do
// not overshoot, and creep the more the stiffer strands are. Cost of an iteration: two gradients, one solve with the
// factor. Limits: no bound on the number of iterations but max_iterations. Where contacts depend on each other, as
// three on one edge do, a load that has to change hands does so by a constant amount per iteration.
//
// Differs from paper:
// - The impulse so far is projected, not the change: else friction that was once applied is never taken back.
// - K⁻¹ is used where the contact sticks. Where it slides, r_N and r_T move by their own scalars (K_NN, the largest
//   eigenvalue of K_TT): with K⁻¹ friction would not end opposite to the motion where rods give way more in one
//   direction than in another.
// - Bodies touch edges between vertices, too.
// - The first impulses are those of the part before, not zero.
// - Contacts that the impulses bring about are added; the paper detects once. The factor is then renewed where they
//   are.
// - Shares of the mass are halved when the residual grows in spite of all.
#include "step/step_contact.h"

#include "base/parallel.h"
#include "base/timer.h"
#include "contact/contact_watch.h"
#include "math/cone.h"
#include "math/mat3.h"

#include <string.h>

enum { LOOK_EVERY = 10 };

typedef struct impulses {
    fil_part *part;
    const fil_rounds *rounds;
    int *pushes;       // [vertices] how many contacts act on it
    double *mass;      // [vertices] kg
    double *edge_mass; // [vertices] of the edge behind
    double share;      // of the local impulse that is taken
} impulses;

// ---- velocities

// Lanes that have to move: those who touch, and others until they are there.
static fil_m4 lanes_at_work(const fil_part_job *self, const fil_newton *newton, const fil_strand_report *report)
{
    const fil_strands *S = newton->S;
    const int *body = self->part->scratch->body + self->part->contacts->first_strand[self->job.group];
    fil_m4 lanes = {0};
    for (int lane = 0; lane < FIL_LANES; ++lane)
        if (!report[lane].converged || body[S->strand_of_slot[newton->pack * FIL_LANES + lane]] >= 0)
            lanes[lane] = -1;
    return lanes;
}

// |Δv| / dim v of the step from q_trial to q, angles by the way of the surface.
static fil_v4 mean_change(const fil_newton *newton, double s)
{
    int dofs = newton->S->type->dofs;
    fil_v4 square = {0}, zero = {0};
    for (int i = 0; i < newton->vertices; ++i)
        for (int k = 0; k < dofs; ++k) {
            ptrdiff_t at = ((ptrdiff_t)i * dofs + k) * FIL_LANES;
            fil_v4 d = fil_v4_load(newton->q + at) - fil_v4_load(newton->q_trial + at);
            if (k == 3)
                d *= fil_v4_load(newton->radius + (ptrdiff_t)i * FIL_LANES);
            square += fil_v4_select(newton->count > i, d * d, zero);
        }
    return fil_v4_sqrt(square) / (s * dofs * newton->count);
}

static void update(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    fil_m4 active = lanes_at_work(self, newton, report);
    for (int lane = 0; lane < FIL_LANES; ++lane)
        report[lane].mean_change = 0;
    if (!fil_m4_any(active))
        return;
    fil_newton_search found;
    fil_v4 change, goal = fil_step_goal(newton, self->job.state->model->motion.tolerance, self->job.s);
    fil_newton_evaluate(newton, false, false, &newton->energy);
    fil_v4 slope = fil_newton_direction(newton, active, &change);
    fil_newton_line_search(newton, active, active, slope, false, &found);
    fil_newton_accept(newton);
    newton->energy = found.energy;
    change /= self->job.s;
    fil_v4 mean = mean_change(newton, self->job.s);
    for (int lane = 0; lane < FIL_LANES; ++lane) {
        if (!active[lane])
            continue;
        report[lane].mean_change = mean[lane];
        ++report[lane].iterations;
        report[lane].backtracks += found.backtracks[lane];
        report[lane].change = change[lane];
        report[lane].converged = change[lane] <= goal[lane];
    }
    fil_newton_straighten(newton, active & (found.length > 0));
}

// [Jia20, eq. 4.3]
static double mean_of_strands(const fil_part *part)
{
    const fil_model *model = part->job.state->model;
    double sum = 0;
    for (int g = 0; g < model->group_count; ++g)
        for (int slot = 0; slot < fil_model_solved(model, g); ++slot)
            sum += part->job.state->scratch[g].report[slot].mean_change;
    return sum / part->strands.strand_count;
}

// ---- masses

static void read_masses(void *data, int64_t begin, int64_t end)
{
    const impulses *self = data;
    const fil_part *part = self->part;
    for (int64_t strand = begin; strand < end; ++strand) {
        int group = part->contacts->group[strand], first = part->strands.first[strand];
        int last = part->strands.first[strand + 1] - 1;
        const fil_strands *S = &part->job.state->model->groups[group];
        int slot = S->slot[strand - part->contacts->first_strand[group]], dofs = S->type->dofs;
        const double *inertia = S->inertia + S->pack_row[slot / FIL_LANES] * FIL_LANES * dofs + slot % FIL_LANES;
        const double *arc = part->strands.arc;
        for (int i = first; i <= last; ++i) {
            self->mass[i] = inertia[(ptrdiff_t)(i - first) * dofs * FIL_LANES];
            self->edge_mass[i] = 0;
        }
        // The mass of a vertex is half of that of its edges: each gets back what its length says.
        for (int i = first; i < last; ++i) {
            double length = arc[i + 1] - arc[i];
            double before = i > first ? arc[i + 1] - arc[i - 1] : length;
            double behind = i + 1 < last ? arc[i + 2] - arc[i] : length;
            self->edge_mass[i] = length * (self->mass[i] / before + self->mass[i + 1] / behind);
        }
    }
}

// Counts the contacts that act on each vertex: they carry an impulse, or are about to.
static void count_pushes(const impulses *self)
{
    const fil_part *part = self->part;
    memset(self->pushes, 0, (size_t)part->strands.vertex_count * sizeof *self->pushes);
    for (ptrdiff_t i = 0; i < part->meets.count; ++i) {
        const fil_touch_point *point = &part->meets.point[i];
        if (part->meets.r[3 * i] <= 0 && self->rounds->u[3 * i] >= 0)
            continue;
        for (int k = 0; k < 2; ++k) {
            ++self->pushes[point->a + k];
            if (point->b >= 0)
                ++self->pushes[point->b + k];
        }
    }
}

// ---- impulses

// K = (across) (I - d dᵀ) + (along) d dᵀ of an edge, in the world.
static void add_edge(const impulses *self, int edge, double at, bool rod, double K[9])
{
    const fil_touch_strands *strands = &self->part->strands;
    bool held[2] = {strands->held[edge] != 0, strands->held[edge + 1] != 0};
    if (held[0] && held[1])
        return;
    const int *n = self->pushes + edge;
    double crowd = n[0] > n[1] ? n[0] : n[1], along = 0, across, d[3];
    if (rod && (held[0] || held[1])) {
        double arm = held[0] ? at : 1 - at;
        along = crowd * arm * arm / self->edge_mass[edge];
        across = 3 * along;
    } else if (rod) {
        along = crowd / self->edge_mass[edge];
        across = along * (1 + 12 * (at - 0.5) * (at - 0.5));
    } else {
        double weight[2] = {1 - at, at};
        for (int k = 0; k < 2; ++k)
            along += held[k] ? 0 : crowd * weight[k] * weight[k] / self->mass[edge + k];
        across = along;
    }
    const double *x = strands->x0 + 3 * (ptrdiff_t)edge;
    for (int k = 0; k < 3; ++k)
        d[k] = x[k + 3] - x[k];
    fil_vec3_normalise(d);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            K[3 * j + i] += (i == j ? across : 0) - (across - along) * d[i] * d[j];
}

// F K Fᵀ
static void into_frame(const double F[9], const double K[9], double out[9])
{
    double transposed[9], half[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            transposed[3 * i + j] = F[3 * j + i];
    fil_mat3_multiply(F, K, half);
    fil_mat3_multiply(half, transposed, out);
}

// The contact slides or opens: normal and tangents by themselves. K by columns, in the frame of the contact.
static void slide(const double K[9], double share, double mu, const double u[3], double r[3])
{
    double middle = 0.5 * (K[4] + K[8]), off = hypot(0.5 * (K[4] - K[8]), K[5]), most = middle + off;
    r[0] -= share * u[0] / K[0];
    if (!(r[0] > 0)) {
        r[0] = r[1] = r[2] = 0;
        return;
    }
    r[1] -= share * u[1] / most;
    r[2] -= share * u[2] / most;
    double size = hypot(r[1], r[2]), scale = size > mu * r[0] ? mu * r[0] / size : 1;
    r[1] *= scale;
    r[2] *= scale;
}

static void push_contacts(void *data, int64_t begin, int64_t end)
{
    const impulses *self = data;
    const fil_meets *meets = &self->part->meets;
    for (int64_t i = begin; i < end; ++i) {
        const fil_touch_point *point = &meets->point[i];
        const double *u = self->rounds->u + 3 * i;
        double world[9] = {0}, K[9], *r = meets->r + 3 * i, mu = meets->mu[i], change[3];
        if (r[0] <= 0 && u[0] >= 0)
            continue;
        add_edge(self, point->a, point->at_a, point->b >= 0, world);
        if (point->b >= 0)
            add_edge(self, point->b, point->at_b, true, world);
        into_frame(meets->frame + 9 * i, world, K);
        if (!(K[0] > 0))
            continue;
        fil_mat3_solve_pivoted(K, u, 1e-12, change);
        double stuck[3];
        for (int k = 0; k < 3; ++k)
            stuck[k] = r[k] - self->share * change[k];
        if (stuck[0] > 0 && hypot(stuck[1], stuck[2]) <= mu * stuck[0])
            memcpy(r, stuck, sizeof stuck);
        else
            slide(K, self->share, mu, u, r);
    }
}

static void push(impulses *self)
{
    double start = fil_timer_seconds();
    count_pushes(self);
    fil_parallel_for(self->part->job.context, self->part->meets.count, 256, push_contacts, self);
    self->part->stats->seconds[FIL_PHASE_CONTACT] += fil_timer_seconds() - start;
}

// ---- the whole

// What the residual is measured by, the same as for the other methods.
static fil_status measure(fil_part *part, fil_rounds *rounds)
{
    if (part->meets.count == 0)
        return FIL_OK;
    fil_status status = fil_rounds_build(part, rounds);
    double start = fil_timer_seconds();
    fil_arena *arena = fil_arena_borrow(part->job.context);
    if (status == FIL_OK && !arena)
        status = FIL_NO_MEMORY;
    fil_contact_scale scale;
    if (status == FIL_OK)
        status = fil_contact_watch_scale(part->job.context, arena, rounds->problem, &scale);
    if (status == FIL_OK) {
        rounds->solve.rho = scale.merit.rho;
        rounds->solve.free_speed = scale.merit.norm_q;
    }
    fil_arena_give_back(arena);
    fil_rounds_forget(rounds);
    part->stats->seconds[FIL_PHASE_BUILD] += fil_timer_seconds() - start;
    return status;
}

// Contacts that the iterate asks for. Iterations that wake nobody leave no memory behind; what a search found serves
// the next one.
static fil_status find_more(impulses *self, fil_rounds *rounds, bool search, int *added)
{
    fil_arena *arena = self->part->scratch->arena;
    fil_arena_mark mark = fil_arena_mark_now(arena);
    fil_status status = fil_part_find_more(self->part, search, added);
    if (status == FIL_OK && *added == 0 && !search)
        fil_arena_rewind(arena, mark);
    if (status != FIL_OK || *added == 0)
        return status;
    self->share = 1;
    return measure(self->part, rounds);
}

static void damp(impulses *self, double before)
{
    const double grown = 2, least = 1.0 / 64;
    if (self->rounds->residual > grown * before && self->share > least)
        self->share *= 0.5;
}

static fil_status iterate(impulses *self, fil_rounds *rounds)
{
    fil_part *part = self->part;
    const fil_contacts *settings = &part->contacts->settings;
    double before = INFINITY;
    int looks = 0;
    for (int i = 1; i <= settings->max_iterations; ++i) {
        fil_problem_push(part);
        fil_part_for_packs(part, FIL_PHASE_SOLVE, update);
        fil_rounds_judge(part, rounds);
        ++part->stats->contact_iterations;
        rounds->still = i > 1 && mean_of_strands(part) < settings->still;
        bool good = rounds->still || (rounds->residual <= settings->tolerance && fil_part_strands_converged(part));
        bool last = good || i == settings->max_iterations;
        int added = 0;
        if (last || i % LOOK_EVERY == 0) {
            fil_status status = find_more(self, rounds, last && looks++ < FIL_LOOKS, &added);
            if (status != FIL_OK)
                return status;
        }
        if (last && added == 0)
            return FIL_OK;
        rounds->still = false;
        if (added > 0)
            fil_rounds_judge(part, rounds);
        damp(self, before);
        before = added > 0 ? INFINITY : rounds->residual;
        // Where the law holds already, strands get the time to respond to impulses that stay as they are.
        if (i < settings->max_iterations && !(rounds->residual <= settings->tolerance))
            push(self);
    }
    return FIL_OK;
}

fil_status fil_impulse_meet(fil_part *part, fil_rounds *rounds)
{
    int vertices = part->strands.vertex_count;
    fil_arena *arena = part->scratch->arena;
    impulses self = {.part = part,
                     .rounds = rounds,
                     .pushes = FIL_ARENA_RAW(arena, int, vertices),
                     .mass = FIL_ARENA_RAW(arena, double, vertices),
                     .edge_mass = FIL_ARENA_RAW(arena, double, vertices),
                     .share = 1};
    if (!self.pushes || !self.mass || !self.edge_mass)
        return FIL_NO_MEMORY;
    fil_parallel_for(part->job.context, part->strands.strand_count, 64, read_masses, &self);
    for (int i = 0; i < part->strands.strand_count; ++i)
        part->scratch->body[i] = -1;
    fil_problem_let_go(part);
    fil_part_for_packs(part, FIL_PHASE_SOLVE, fil_linear_start);
    fil_part_for_packs(part, FIL_PHASE_SOLVE, update);
    fil_status status = fil_part_find(part);
    if (status == FIL_OK)
        status = measure(part, rounds);
    return status == FIL_OK ? iterate(&self, rounds) : status;
}
