// What contacts obey: frames, friction, gaps, bounce, adhesion.
//
// Friction that differs along and across a strand makes an ellipse of the circle that friction is in. The directions of
// two strands add: with M = Σ mu_along² t tᵀ + mu_across² (I - t tᵀ), halved, the principal axes of M in the tangent
// plane are the frame and the roots of its eigenvalues the coefficients mu_1, mu_2. Tangents of length mu_k / mu, mu =
// sqrt(mu_1 mu_2), make it the law of a circle again: the law of Coulomb with the greatest dissipation.
#include "step/step_contact.h"

#include "base/parallel.h"
#include "math/mat3.h"

#include <string.h>

enum { CONTACT_GRAIN = 256 };

static const double fastest_ease = 0.1; // m/s, out of a body

static const fil_touch *touch_of(const fil_part *part, int edge)
{
    return &part->contacts->touch[part->contacts->group[part->strands.strand[edge]]];
}

const fil_touch_rule *fil_law_rule(const fil_part *part, const fil_touch_point *point)
{
    const fil_model *model = part->job.state->model;
    const int *group = part->contacts->group, *strand = part->strands.strand;
    if (part->contacts->rule_count == 0)
        return NULL;
    return fil_model_rule(model, group[strand[point->a]],
                          point->b < 0 ? model->group_count - 1 - point->b : group[strand[point->b]]);
}

static void direction_of(const fil_part *part, int edge, double out[3])
{
    const double *x = part->strands.x0 + 3 * (ptrdiff_t)edge;
    for (int k = 0; k < 3; ++k)
        out[k] = x[k + 3] - x[k];
}

// Takes the part along n away and makes it a unit vector; false: nothing is left.
static bool make_square(const double n[3], double t[3])
{
    double along = fil_vec3_dot(t, n), size = fil_vec3_norm(t);
    for (int k = 0; k < 3; ++k)
        t[k] -= along * n[k];
    return fil_vec3_normalise(t) > 1e-6 * size;
}

// A unit vector square to n, along the edge where that is possible.
static void tangent_along(const fil_part *part, int edge, const double n[3], double t[3])
{
    direction_of(part, edge, t);
    if (make_square(n, t))
        return;
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    for (int k = 0; k < 3; ++k)
        t[k] = k == least;
    make_square(n, t);
}

static void set_frame(const double n[3], const double t[3], const double length[2], double F[9])
{
    double across[3];
    fil_vec3_cross(n, t, across);
    for (int k = 0; k < 3; ++k) {
        F[3 * k] = n[k];
        F[3 * k + 1] = length[0] * t[k];
        F[3 * k + 2] = length[1] * across[k];
    }
}

// Frame and coefficient from those along (mu) and across (mu × across) the strands.
static void set_ellipse(const fil_part *part, const fil_touch_point *point, double mu, const double across[2],
                        double F[9], double *out)
{
    double t[3], other[3], M[3] = {0}; // M: along t t, t o, o o
    tangent_along(part, point->a, point->normal, t);
    fil_vec3_cross(point->normal, t, other);
    int sides = point->b < 0 ? 1 : 2;
    for (int side = 0; side < sides; ++side) {
        double d[3], low = across[side] * mu, c, s;
        tangent_along(part, side == 0 ? point->a : point->b, point->normal, d);
        c = fil_vec3_dot(d, t), s = fil_vec3_dot(d, other);
        double extra = (mu * mu - low * low) / sides;
        M[0] += low * low / sides + extra * c * c;
        M[1] += extra * c * s;
        M[2] += low * low / sides + extra * s * s;
    }
    double angle = 0.5 * atan2(2 * M[1], M[0] - M[2]), c = cos(angle), s = sin(angle);
    double half = 0.5 * (M[0] + M[2]), off = hypot(0.5 * (M[0] - M[2]), M[1]);
    double mu1 = sqrt(half + off), mu2 = sqrt(fmax(half - off, 0)), mean = sqrt(mu1 * mu2), turned[3];
    for (int k = 0; k < 3; ++k)
        turned[k] = c * t[k] + s * other[k];
    set_frame(point->normal, turned, (double[]){mean > 0 ? mu1 / mean : 1, mean > 0 ? mu2 / mean : 1}, F);
    *out = mean;
}

static void set_friction(const fil_part *part, const fil_touch_point *point, double F[9], double *mu)
{
    const fil_model_contacts *contacts = part->contacts;
    const fil_touch *a = touch_of(part, point->a), *b = a;
    const fil_touch_rule *rule = fil_law_rule(part, point);
    if (point->b >= 0) {
        b = touch_of(part, point->b);
        *mu = a == b ? a->friction : sqrt(a->friction * b->friction);
    } else {
        double own = contacts->obstacles[-1 - point->b].friction;
        *mu = own < 0 ? a->friction_body : own;
    }
    if (rule && rule->friction >= 0)
        *mu = rule->friction;
    if (a->across == 1 && b->across == 1) {
        double t[3];
        tangent_along(part, point->a, point->normal, t);
        set_frame(point->normal, t, (double[]){1, 1}, F);
    } else {
        set_ellipse(part, point, *mu, (double[]){a->across, b->across}, F, mu);
    }
}

static void add_speed(const fil_part *part, int edge, double at, double sign, double out[3])
{
    int strand = part->strands.strand[edge];
    fil_home home = fil_part_home(part, strand);
    ptrdiff_t dofs = home.S->type->dofs, row = home.row + (ptrdiff_t)(edge - part->strands.first[strand]) * FIL_LANES;
    const double *v = part->job.state->groups[home.group].v + row * dofs + home.lane;
    for (int k = 0; k < 3; ++k)
        out[k] += sign * ((1 - at) * v[k * FIL_LANES] + at * v[(dofs + k) * FIL_LANES]);
}

// How fast a gap may close: negative where it shall open. What is inside a body shall come out gently, and so do
// strands that overlap by more than half their radii: where centre lines meet, nothing tells the sides apart any more.
// Strands that overlap less (grooms are full of them) are only kept from coming nearer: to demand more of many at once
// may be more than any motion can do. For the same reason nothing is moved out near held vertices, or of a body where
// one end of the edge is held: they lie between others that are held.
static double speed_of_gap(const fil_part *part, const fil_touch_point *point)
{
    const double deep = 0.5; // of the radii
    const double least_freedom = 0.25;
    double s = part->job.s, slow = fmax(s, part->contacts->settings.ease);
    if (point->gap >= 0)
        return point->gap / s;
    if (point->b < 0) {
        bool held = part->strands.held[point->a] || part->strands.held[point->a + 1];
        return held ? 0 : fmax(point->gap / slow, -fastest_ease);
    }
    if (fil_meet_freedom(part, point) < least_freedom)
        return 0;
    double radii = part->strands.radius[point->a] + part->strands.radius[point->b];
    return fmin(0, point->gap + deep * radii) / slow;
}

// Velocities besides those of the strands. The normal one is about places: the gap and the way of the body. What
// bounces leaves as fast as its restitution says.
static void set_bias(const fil_part *part, const fil_touch_point *point, const double F[9], bool stays, double bias[3])
{
    const fil_model_contacts *contacts = part->contacts;
    const fil_touch *a = touch_of(part, point->a);
    double h = part->job.h, s = part->job.s, body[3], bounce;
    for (int k = 0; k < 3; ++k)
        body[k] = point->carried[k] / h;
    for (int row = 0; row < 3; ++row)
        bias[row] = -(F[row] * body[0] + F[row + 3] * body[1] + F[row + 6] * body[2]);
    if (point->b >= 0) {
        const fil_touch *b = touch_of(part, point->b);
        bounce = fmin(a->restitution, b->restitution);
    } else {
        bounce = fmax(a->restitution, contacts->obstacles[-1 - point->b].restitution);
    }
    double speed[3] = {-body[0], -body[1], -body[2]};
    if (bounce > 0) {
        add_speed(part, point->a, point->at_a, 1, speed);
        if (point->b >= 0)
            add_speed(part, point->b, point->at_b, -1, speed);
    }
    double approach = -fil_vec3_dot(speed, point->normal);
    if (bounce > 0 && approach > 0 && point->gap - h * approach <= 0)
        bias[0] -= bounce * approach;
    else
        bias[0] = bias[0] * h / s + (stays ? 0 : speed_of_gap(part, point));
}

static double pull_of(const fil_part *part, const fil_touch_point *point)
{
    const fil_model_contacts *contacts = part->contacts;
    const fil_touch *a = touch_of(part, point->a), *b = a;
    if (point->b >= 0)
        b = touch_of(part, point->b);
    double adhesion = a == b ? a->adhesion : sqrt(a->adhesion * b->adhesion);
    double radius = part->strands.radius[point->a];
    return adhesion > 0 && point->gap <= contacts->settings.skin * radius ? adhesion * part->job.s : 0;
}

static void describe(void *data, int64_t begin, int64_t end)
{
    fil_part *part = data;
    fil_meets *meets = &part->meets;
    for (int64_t i = begin; i < end; ++i) {
        set_friction(part, &meets->point[i], meets->frame + 9 * i, &meets->mu[i]);
        bool stays = meets->stays[i] && meets->point[i].gap < 0;
        set_bias(part, &meets->point[i], meets->frame + 9 * i, stays, meets->bias + 3 * i);
        meets->pull[i] = pull_of(part, &meets->point[i]);
    }
}

void fil_law_describe(fil_part *part)
{
    fil_parallel_for(part->job.context, part->meets.count, CONTACT_GRAIN, describe, part);
}

// ---- what cannot be asked for

// What would give the strands of a contact, or the lighter of them, an acceleration of 1000 m/s² as a whole.
static double hard_push(const fil_part *part, const fil_touch_point *point)
{
    const double acceleration = 1000;
    const int *strand = part->strands.strand;
    double mass = part->contacts->mass[strand[point->a]];
    if (point->b >= 0)
        mass = fmin(mass, part->contacts->mass[strand[point->b]]);
    return acceleration * mass * part->job.s;
}

int fil_law_give_in(fil_part *part, fil_contact_problem *problem)
{
    fil_meets *meets = &part->meets;
    int count = 0;
    for (ptrdiff_t i = 0; i < meets->count; ++i) {
        const fil_touch_point *point = &meets->point[i];
        if (!(meets->r[3 * i] > hard_push(part, point)))
            continue;
        double speed = point->gap < 0 && !meets->stays[i] ? speed_of_gap(part, point) : 0;
        if (!(speed < 0))
            continue;
        meets->stays[i] = true;
        meets->bias[3 * i] -= speed;
        problem->w[3 * i] -= speed;
        if (problem->has_dual)
            problem->q[3 * i] -= speed;
        ++count;
    }
    // Those that pressed against them did so in vain.
    for (ptrdiff_t i = 0; i < meets->count && count > 0; ++i)
        if (meets->r[3 * i] > hard_push(part, &meets->point[i]))
            memset(meets->r + 3 * i, 0, 3 * sizeof *meets->r);
    return count;
}
