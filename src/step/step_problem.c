// The contact problem of a part of a step, and what its impulses do to strands.
//
//     A v = b + Hᵀ r,   u = H v + w,   (u_i, r_i) in Coulomb(mu_i)
//
// One body for each strand that touches something, with all its unknowns; rows of held unknowns are those of the
// identity. A side of a contact is a point of an edge, H = ± F [(1 - t) I, 0, t I] with the weights of held vertices
// left out: what those do is known and part of w. Adhesion is a pull along the normal that acts besides the impulse, so
// that friction grows with it: the impulse of the cone is r + pull [Daviet11, 7.4 names it as missing].
#include "step/step_contact.h"

#include "base/parallel.h"
#include "contact/contact.h"

#include <string.h>

enum { CONTACT_GRAIN = 256 };

// One side of a contact: an edge of a strand.
typedef struct side {
    int strand;
    int vertex;       // within the strand
    double weight[2]; // of its two vertices, with the sign of the side
} side;

static int side_count(const fil_touch_point *point)
{
    return point->b < 0 ? 1 : 2;
}

static side side_of(const fil_part *part, const fil_touch_point *point, int which)
{
    int edge = which == 0 ? point->a : point->b, strand = part->strands.strand[edge];
    double at = which == 0 ? point->at_a : point->at_b, sign = which == 0 ? 1 : -1;
    return (side){
        .strand = strand, .vertex = edge - part->strands.first[strand], .weight = {sign * (1 - at), sign * at}};
}

static bool is_held(const fil_part *part, const side *side, int k)
{
    return part->strands.held[part->strands.first[side->strand] + side->vertex + k] != 0;
}

static bool moves(const fil_part *part, const side *side)
{
    return !is_held(part, side, 0) || !is_held(part, side, 1);
}

// The velocity of the point of a side, of its held vertices or of all.
static void add_velocity(const fil_part *part, const side *side, bool held_only, double v[3])
{
    fil_home home = fil_part_home(part, side->strand);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3 && (!held_only || is_held(part, side, i)); ++k) {
            ptrdiff_t at = ((ptrdiff_t)(side->vertex + i) * home.S->type->dofs + k) * FIL_LANES + home.lane;
            v[k] += side->weight[i] * (home.newton->q[at] - home.newton->q_hat[at]) / part->job.s;
        }
}

// ---- A and b

typedef struct matrix_job {
    const fil_part *part;
    fil_contact_problem *problem;
    int group;
} matrix_job;

static void take_lane(const matrix_job *job, const fil_newton *newton, int lane, int body)
{
    const fil_body_matrix *A = &job->problem->A;
    int dofs = A->dof_start[body + 1] - A->dof_start[body], width = A->bandwidth[body] + 1;
    int own = newton->S->type->bandwidth + 1; // wider for strands that are shorter than it
    double *value = A->value + A->value_start[body], *b = job->problem->b + A->dof_start[body];
    for (int j = 0; j < dofs; ++j) {
        b[j] = newton->q_trial[(ptrdiff_t)j * FIL_LANES + lane];
        for (int d = 0; d < width; ++d)
            value[j * width + d] = j + d < dofs ? newton->band_exact[((ptrdiff_t)j * own + d) * FIL_LANES + lane] : 0;
    }
}

static void linearise_packs(void *data, int64_t begin, int64_t end)
{
    const matrix_job *job = data;
    const fil_part *part = job->part;
    const fil_strands *S = &part->job.state->model->groups[job->group];
    const fil_group_scratch *scratch = &part->job.state->scratch[job->group];
    const int *body = part->scratch->body + part->contacts->first_strand[job->group];
    for (int64_t pack = begin; pack < end; ++pack) {
        fil_newton *newton = &scratch->newton[pack];
        bool linearised = false;
        for (int lane = 0; lane < FIL_LANES && pack * FIL_LANES + lane < S->strand_count; ++lane) {
            int strand = S->strand_of_slot[pack * FIL_LANES + lane];
            if (body[strand] < 0)
                continue;
            if (!linearised)
                fil_newton_linearise(newton, part->job.s, newton->band_exact, newton->q_trial);
            linearised = true;
            take_lane(job, newton, lane, body[strand]);
        }
    }
}

// ---- H and w

// How far the scheme takes the point of a side before the new velocity has a say.
static void add_offset(const fil_part *part, const side *side, double offset[3])
{
    fil_home home = fil_part_home(part, side->strand);
    int dofs = home.S->type->dofs;
    const double *q_hat = home.newton->q_hat + home.lane;
    const double *q = part->job.state->groups[home.group].q + home.row * dofs + home.lane;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) {
            ptrdiff_t at = ((ptrdiff_t)(side->vertex + i) * dofs + k) * FIL_LANES;
            offset[k] += side->weight[i] * (q_hat[at] - q[at]);
        }
}

static void fill_side(const fil_part *part, fil_contact_problem *problem, int at, const side *side, const double F[9])
{
    fil_contact_jacobian *H = &problem->H;
    const fil_strands *S = &part->job.state->model->groups[part->contacts->group[side->strand]];
    int dofs = S->type->dofs;
    H->body[at] = part->scratch->body[side->strand];
    H->first_dof[at] = dofs * side->vertex;
    H->dof_count[at] = dofs + 3;
    double *value = H->value + H->value_start[at];
    memset(value, 0, 3 * (size_t)(dofs + 3) * sizeof *value);
    for (int i = 0; i < 2; ++i) {
        double weight = is_held(part, side, i) ? 0 : side->weight[i];
        for (int m = 0; m < 9; ++m)
            value[3 * dofs * i + m] = weight * F[m];
    }
}

typedef struct contact_job {
    const fil_part *part;
    fil_contact_problem *problem;
} contact_job;

static void fill_contacts(void *data, int64_t begin, int64_t end)
{
    const contact_job *job = data;
    const fil_part *part = job->part;
    fil_contact_problem *problem = job->problem;
    for (int64_t i = begin; i < end; ++i) {
        const double *F = part->meets.frame + 9 * i;
        double known[3] = {0}, offset[3] = {0}, *w = problem->w + 3 * i;
        int at = problem->H.side_start[i];
        for (int k = 0; k < side_count(&part->meets.point[i]); ++k) {
            side side = side_of(part, &part->meets.point[i], k);
            add_velocity(part, &side, true, known);
            add_offset(part, &side, offset);
            if (moves(part, &side))
                fill_side(part, problem, at++, &side, F);
        }
        problem->mu[i] = part->meets.mu[i];
        for (int row = 0; row < 3; ++row)
            w[row] = part->meets.bias[3 * i + row] + F[row] * known[0] + F[row + 3] * known[1] + F[row + 6] * known[2];
        w[0] += (F[0] * offset[0] + F[3] * offset[1] + F[6] * offset[2]) / part->job.s;
    }
}

// ---- the whole

// Numbers the strands that touch something and can move.
static int number_bodies(fil_part *part, int64_t *values, int *dofs, int *sides, int64_t *side_values)
{
    int *body = part->scratch->body, bodies = 0;
    for (int i = 0; i < part->strands.strand_count; ++i)
        body[i] = -1;
    *values = *side_values = *dofs = *sides = 0;
    for (int i = 0; i < part->meets.count; ++i)
        for (int k = 0; k < side_count(&part->meets.point[i]); ++k) {
            side side = side_of(part, &part->meets.point[i], k);
            if (!moves(part, &side))
                continue;
            int width = part->job.state->model->groups[part->contacts->group[side.strand]].type->dofs;
            body[side.strand] = 0;
            *sides += 1;
            *side_values += (int64_t)3 * (width + 3);
        }
    for (int i = 0; i < part->strands.strand_count; ++i) {
        if (body[i] < 0)
            continue;
        const fil_strand_type *type = part->job.state->model->groups[part->contacts->group[i]].type;
        int own = type->dofs * (part->strands.first[i + 1] - part->strands.first[i]);
        body[i] = bodies++;
        *dofs += own;
        *values += (int64_t)own * ((type->bandwidth < own - 1 ? type->bandwidth : own - 1) + 1);
    }
    return bodies;
}

static void lay_out(const fil_part *part, fil_contact_problem *problem)
{
    fil_body_matrix *A = &problem->A;
    fil_contact_jacobian *H = &problem->H;
    for (int i = 0; i < part->strands.strand_count; ++i) {
        int body = part->scratch->body[i];
        if (body < 0)
            continue;
        const fil_strand_type *type = part->job.state->model->groups[part->contacts->group[i]].type;
        int own = type->dofs * (part->strands.first[i + 1] - part->strands.first[i]);
        A->dof_start[body + 1] = A->dof_start[body] + own;
        A->bandwidth[body] = type->bandwidth < own - 1 ? type->bandwidth : own - 1;
        A->value_start[body + 1] = A->value_start[body] + (int64_t)own * (A->bandwidth[body] + 1);
    }
    int at = 0;
    for (int i = 0; i < part->meets.count; ++i) {
        for (int k = 0; k < side_count(&part->meets.point[i]); ++k) {
            side side = side_of(part, &part->meets.point[i], k);
            if (!moves(part, &side))
                continue;
            int width = part->job.state->model->groups[part->contacts->group[side.strand]].type->dofs;
            H->value_start[at + 1] = H->value_start[at] + (int64_t)3 * (width + 3);
            ++at;
        }
        H->side_start[i + 1] = at;
    }
}

// The pull of adhesion, which acts whatever the impulse is.
static void add_pull(const fil_part *part, fil_contact_problem *problem)
{
    const fil_contact_jacobian *H = &problem->H;
    for (int i = 0; i < part->meets.count; ++i)
        for (int side = H->side_start[i]; part->meets.pull[i] > 0 && side < H->side_start[i + 1]; ++side) {
            double *b = problem->b + problem->A.dof_start[H->body[side]] + H->first_dof[side];
            for (int k = 0; k < H->dof_count[side]; ++k)
                b[k] -= part->meets.pull[i] * H->value[H->value_start[side] + 3 * k];
        }
}

fil_status fil_problem_build(fil_part *part, fil_contact_problem **out)
{
    int64_t values, side_values;
    int dofs, sides, bodies = number_bodies(part, &values, &dofs, &sides, &side_values);
    fil_status status = fil_contact_problem_create_raw(part->job.context, part->meets.count, bodies, dofs, values,
                                                       sides, side_values, out);
    if (status != FIL_OK)
        return status;
    lay_out(part, *out);
    const fil_model *model = part->job.state->model;
    for (int g = 0; g < model->group_count; ++g) {
        matrix_job job = {part, *out, g};
        if (model->groups[g].live)
            continue;
        fil_parallel_for(part->job.context, model->groups[g].pack_count, 1, linearise_packs, &job);
    }
    contact_job job = {part, *out};
    fil_parallel_for(part->job.context, part->meets.count, CONTACT_GRAIN, fill_contacts, &job);
    add_pull(part, *out);
    return FIL_OK;
}

// ---- impulses

void fil_problem_let_go(fil_part *part)
{
    const fil_model *model = part->job.state->model;
    for (int g = 0; g < model->group_count; ++g) {
        const fil_strands *S = &model->groups[g];
        if (!S->live)
            memset(part->job.state->scratch[g].push, 0,
                   (size_t)S->row_count * FIL_LANES * (size_t)S->type->dofs * sizeof(double));
    }
}

// On the first of the two things; the other feels the opposite.
static void add_force(fil_part *part, const fil_touch_point *point, const double force[3])
{
    for (int which = 0; which < side_count(point); ++which) {
        side side = side_of(part, point, which);
        fil_home home = fil_part_home(part, side.strand);
        int dofs = home.S->type->dofs;
        double *push = part->job.state->scratch[home.group].push + home.row * dofs + home.lane;
        for (int m = 0; m < 2; ++m)
            for (int k = 0; k < 3 && !is_held(part, &side, m); ++k)
                push[((ptrdiff_t)(side.vertex + m) * dofs + k) * FIL_LANES] += side.weight[m] * force[k];
    }
}

void fil_problem_push(fil_part *part)
{
    fil_problem_let_go(part);
    for (int i = 0; i < part->meets.count; ++i) {
        const double *F = part->meets.frame + 9 * (ptrdiff_t)i, *r = part->meets.r + 3 * (ptrdiff_t)i;
        double normal = r[0] - part->meets.pull[i], force[3];
        for (int k = 0; k < 3; ++k)
            force[k] = (F[3 * k] * normal + F[3 * k + 1] * r[1] + F[3 * k + 2] * r[2]) / part->job.s;
        if (normal != 0)
            add_force(part, &part->meets.point[i], force);
    }
}

typedef struct velocity_job {
    const fil_part *part;
    double *u;
} velocity_job;

static void find_velocities(void *data, int64_t begin, int64_t end)
{
    const velocity_job *job = data;
    const fil_part *part = job->part;
    for (int64_t i = begin; i < end; ++i) {
        const double *F = part->meets.frame + 9 * i;
        double v[3] = {0}, offset[3] = {0}, *u = job->u + 3 * i;
        for (int which = 0; which < side_count(&part->meets.point[i]); ++which) {
            side side = side_of(part, &part->meets.point[i], which);
            add_velocity(part, &side, false, v);
            add_offset(part, &side, offset);
        }
        for (int row = 0; row < 3; ++row)
            u[row] = part->meets.bias[3 * i + row] + F[row] * v[0] + F[row + 3] * v[1] + F[row + 6] * v[2];
        u[0] += (F[0] * offset[0] + F[3] * offset[1] + F[6] * offset[2]) / part->job.s;
    }
}

void fil_problem_velocities(const fil_part *part, double *u)
{
    velocity_job job = {.part = part};
    job.u = u;
    fil_parallel_for(part->job.context, part->meets.count, CONTACT_GRAIN, find_velocities, &job);
}

void fil_problem_correct(fil_contact_problem *problem, const double *said, const double *u)
{
    for (int64_t k = 0; k < 3 * (int64_t)problem->contact_count; ++k) {
        problem->w[k] += u[k] - said[k];
        if (problem->has_dual)
            problem->q[k] += u[k] - said[k];
    }
}
