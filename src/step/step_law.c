// What contacts obey: frames, friction, gaps, bounce, adhesion.
//
// Friction that differs along and across a strand makes an ellipse of the circle that friction is in. The directions of
// two strands add: with M = Σ mu_along² t tᵀ + mu_across² (I - t tᵀ), halved, the principal axes of M in the tangent
// plane are the frame and the roots of its eigenvalues the coefficients mu_1, mu_2. Tangents of length mu_k / mu, mu =
// sqrt(mu_1 mu_2), make it the law of a circle again: the law of Coulomb with the greatest dissipation.
#include "step/step_contact.h"

#include "base/parallel.h"
#include "math/mat3.h"

#include <stdlib.h>

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

// The force that a place had in the part before, as an acceleration of the lighter strand as a whole.
static double pressing(const fil_part *part, int contact)
{
    const fil_touch_point *point = &part->meets.point[contact];
    const int *strand = part->strands.strand;
    double mass = part->contacts->mass[strand[point->a]];
    if (point->b >= 0)
        mass = fmin(mass, part->contacts->mass[strand[point->b]]);
    return part->meets.force[contact] / mass;
}

// What is left of a demand to go apart where a force pushed already: less, the harder it did. Between things that
// cannot be moved nothing goes apart, and what is asked for again and again would only strain them: it ends at `most`.
static double patience(double pressed, double most)
{
    return fmax(0, 1 - pressed / most);
}

// Whether one of the edges of a place that can move begins or ends at a held vertex.
static bool is_rooted(const fil_part *part, const fil_touch_point *point)
{
    const unsigned char *held = part->strands.held;
    bool a = held[point->a] != held[point->a + 1], b = point->b >= 0 && held[point->b] != held[point->b + 1];
    return a || b;
}

// How fast something that overlaps may come nearer where it lies between two things that cannot move: no motion could
// take it out, and the least error of either would ask for impulses without end. So it stays, and gives way where it is
// pressed much harder than hair can be. Edges that begin at a held vertex hardly move anyway: a little error of their
// velocities is a large one of their impulses, and they give way always.
static double speed_of_wedge(const fil_part *part, int contact, double deepest)
{
    const double give = 0.05, hard = 1000; // radii, m/s²
    const fil_touch_point *point = &part->meets.point[contact];
    double radii = fil_meet_radii(part, point);
    if (point->b >= 0 && point->gap < -deepest * radii)
        return 0;
    double share = is_rooted(part, point) ? 1 : fmin(1, fmax(0, pressing(part, contact) / hard - 1));
    return share * give * radii / part->job.s;
}

// How fast a gap may close: negative where it shall open. What is inside a body shall come out gently, and so do
// strands that overlap by more than a fifth of their radii, in a fifth of the time: solvers leave errors of a tenth of
// the radii and more in one step of fast motion, and what is not taken back adds up. Where centre lines meet, nothing
// tells the sides apart any more, so what is nearly there goes back soon, however hard it is pressed. None of it is
// asked for sooner in a step that was halved: that would be more speed the more trouble there is. Strands that overlap
// less (grooms are full of them) are only kept from coming nearer. Nothing is moved out near held vertices, or of a
// body where one end of the edge is held: they lie between others that are held.
static double speed_of_gap(const fil_part *part, int contact)
{
    const double deep = 0.2, deepest = 0.8; // of the radii
    const double usual = 100, most = 1e4;   // m/s²
    const double soon = 0.004;              // s
    const double least_freedom = 0.25;
    const fil_touch_point *point = &part->meets.point[contact];
    double s = part->job.s, ease = part->contacts->settings.ease, pressed = pressing(part, contact);
    if (point->gap >= 0)
        return point->gap / s;
    if (part->meets.wedged[contact])
        return speed_of_wedge(part, contact, deepest);
    if (point->b < 0) {
        bool held = part->strands.held[point->a] || part->strands.held[point->a + 1];
        return held ? 0 : patience(pressed, usual) * fmax(point->gap / fmax(s, ease), -fastest_ease);
    }
    if (fil_meet_freedom(part, point) < least_freedom)
        return 0;
    double radii = fil_meet_radii(part, point);
    double eased = patience(pressed, usual) * fmin(0, point->gap + deep * radii) / fmax(s, 0.2 * ease);
    double saved = patience(pressed, most) * fmin(0, point->gap + deepest * radii) / fmax(s, soon);
    return fmin(eased, saved);
}

// Velocities besides those of the strands. The normal one is about places: the gap and the way of the body. What
// bounces leaves as fast as its restitution says.
static void set_bias(const fil_part *part, int contact, const double F[9], double bias[3])
{
    const fil_model_contacts *contacts = part->contacts;
    const fil_touch_point *point = &part->meets.point[contact];
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
        bias[0] = bias[0] * h / s + speed_of_gap(part, contact);
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

// Velocities and impulses of short levers as the free vertex has them.
static void lengthen(fil_meets *meets, int64_t contact, double lever)
{
    for (int k = 0; k < 9; ++k)
        meets->frame[9 * contact + k] *= lever;
    for (int k = 0; k < 3; ++k)
        meets->bias[3 * contact + k] *= lever;
    meets->pull[contact] /= lever;
}

static void describe(void *data, int64_t begin, int64_t end)
{
    fil_part *part = data;
    fil_meets *meets = &part->meets;
    for (int64_t i = begin; i < end; ++i) {
        set_friction(part, &meets->point[i], meets->frame + 9 * i, &meets->mu[i]);
        set_bias(part, (int)i, meets->frame + 9 * i, meets->bias + 3 * i);
        meets->pull[i] = pull_of(part, &meets->point[i]);
        lengthen(meets, i, fil_meet_lever(part, &meets->point[i]));
    }
}

// ---- wedges

// Something that cannot be moved pushes an edge: a body, or an edge between held vertices.
typedef struct stop {
    int edge;
    double push[3]; // where to
} stop;

static int compare_stops(const void *a, const void *b)
{
    const stop *x = a, *y = b;
    if (x->edge != y->edge)
        return x->edge < y->edge ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (x->push[k] != y->push[k])
            return x->push[k] < y->push[k] ? -1 : 1;
    return 0;
}

static bool is_fixed(const fil_part *part, int edge)
{
    return edge < 0 || (part->strands.held[edge] && part->strands.held[edge + 1]);
}

// A contact as one of its edges feels it.
static stop side_of(const fil_touch_point *point, int side)
{
    stop out = {.edge = side == 0 ? point->a : point->b};
    for (int k = 0; k < 3; ++k)
        out.push[k] = side == 0 ? point->normal[k] : -point->normal[k];
    return out;
}

// The stops that are near, in ascending order.
static int list_stops(const fil_part *part, stop *out)
{
    const double near = 0.1; // radii
    int count = 0;
    for (int i = 0; i < part->meets.count; ++i) {
        const fil_touch_point *point = &part->meets.point[i];
        bool fixed_a = is_fixed(part, point->a), fixed_b = is_fixed(part, point->b);
        if (fixed_a != fixed_b && point->gap <= near * part->strands.radius[point->a])
            out[count++] = side_of(point, fixed_a ? 1 : 0);
    }
    qsort(out, (size_t)count, sizeof *out, compare_stops);
    return count;
}

// Whether something stands in the way of an edge that is pushed, at the edge or at its neighbours.
static bool is_stopped(const fil_part *part, const stop *list, int count, const stop *edge)
{
    const double against = -0.5; // cosine
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list[middle].edge < edge->edge - 1)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && list[low].edge <= edge->edge + 1; ++low)
        if (part->strands.strand[list[low].edge] == part->strands.strand[edge->edge] &&
            fil_vec3_dot(list[low].push, edge->push) < against)
            return true;
    return false;
}

// Marks the edges between two things that cannot be moved: no motion could take them out.
static fil_status mark_wedged(fil_part *part)
{
    stop *list = FIL_ARENA_RAW(part->scratch->arena, stop, part->meets.count);
    if (!list)
        return FIL_NO_MEMORY;
    int count = list_stops(part, list);
    for (ptrdiff_t i = 0; i < part->meets.count; ++i) {
        const fil_touch_point *point = &part->meets.point[i];
        bool fixed_a = is_fixed(part, point->a), fixed_b = is_fixed(part, point->b);
        part->meets.wedged[i] = false;
        if (point->gap >= 0 || fixed_a == fixed_b)
            continue;
        stop edge = side_of(point, fixed_a ? 1 : 0);
        part->meets.wedged[i] = is_stopped(part, list, count, &edge);
    }
    return FIL_OK;
}

fil_status fil_law_describe(fil_part *part)
{
    fil_status status = mark_wedged(part);
    if (status == FIL_OK)
        fil_parallel_for(part->job.context, part->meets.count, CONTACT_GRAIN, describe, part);
    return status;
}
