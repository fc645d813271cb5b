// Moving edges, or a moving vertex and a moving triangle, that meet.
//
// When they meet, their four points lie in a plane: with two edges u and v of the four points and the way w from one to
// the other, all linear in time, the volume u × v · w is a cubic that vanishes. In the form of Bernstein the cubic lies
// in the hull of its coefficients. Coefficients of one sign: they never meet, which is how most pairs end. Otherwise
// they do not meet before the hull reaches zero, and from there the rest of the cubic is looked at: these steps run up
// to a root from the left, quadratically if it is simple. At the root either the two are at one place, or a plane
// between them tells how long they stay apart (approach.c), and the search goes on behind.
//
// Every step is safe by itself, rounding included: zero is a band as wide as the rounding of the cubic, and planes must
// keep things apart by more than the rounding of their places. So nothing is missed, also where the cubic vanishes for
// a while or for ever: then the planes do all the work. What comes nearer than 1e-11 of the size of all, or takes too
// many steps to tell, is said to meet.
#include "collide/crossing.h"

#include "collide/approach.h"
#include "math/mat3.h"

static const double NEAR = 1e-11, ROUNDING = 1e-14;
enum { LOOKS = 200, CLIPS = 40 };

typedef struct cubic {
    double b[4]; // coefficients of Bernstein on 0 to 1
    double noise;
} cubic;

static double volume(const double u[3], const double v[3], const double w[3])
{
    double across[3];
    fil_vec3_cross(u, v, across);
    return fil_vec3_dot(across, w);
}

// Of u × v · w, each at the start and at the end.
static cubic make_cubic(double u[2][3], double v[2][3], double w[2][3])
{
    cubic out = {{0}, ROUNDING};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 2; ++k) {
                int ends = i + j + k;
                out.b[ends] += volume(u[i], v[j], w[k]) / (ends == 1 || ends == 2 ? 3 : 1);
            }
    out.noise *= fmax(fil_vec3_norm(u[0]), fil_vec3_norm(u[1])) * fmax(fil_vec3_norm(v[0]), fil_vec3_norm(v[1]));
    out.noise *= fmax(fil_vec3_norm(w[0]), fil_vec3_norm(w[1]));
    return out;
}

// Where the hull of the coefficients, the first on the side of `sign`, comes to the band around zero; 2: nowhere.
static double hull_reaches_zero(const double b[4], double sign, double noise)
{
    double first = 2;
    for (int i = 0; i < 3; ++i)
        for (int j = i + 1; j < 4; ++j) {
            double above = sign * b[i] - noise, below = sign * b[j] - noise;
            if (above > 0 && below <= 0)
                first = fmin(first, (i + (j - i) * above / (above - below)) / 3);
        }
    return first;
}

// The coefficients of the part from `time` on, `width` long, by de Casteljau's rule: first cut on the left, then on the
// right.
static void cut(const cubic *self, double time, double width, double b[4])
{
    for (int k = 0; k < 4; ++k)
        b[k] = self->b[k];
    for (int round = 3; round > 0; --round)
        for (int k = 0; k < round; ++k)
            b[k] += time * (b[k + 1] - b[k]);
    double part = time < 1 ? width / (1 - time) : 1;
    for (int round = 1; round < 4; ++round)
        for (int k = 3; k >= round; --k)
            b[k] = b[k - 1] + part * (b[k] - b[k - 1]);
}

// No root is in [time, the result); 2: there is none at all. The part that is looked at becomes shorter near a root, so
// that its hull becomes tight, and longer where there is none.
static double next_root(const cubic *self, double time)
{
    double width = 1 - time;
    for (int clip = 0; clip < CLIPS; ++clip) {
        double b[4];
        cut(self, time, width, b);
        double sign = b[0] < 0 ? -1 : 1;
        if (sign * b[0] <= self->noise)
            break;
        double first = hull_reaches_zero(b, sign, self->noise);
        if (first > 1 && time + width >= 1)
            return 2;
        time += width * (first > 1 ? 1 : first);
        width = fmin(width * (first > 1 ? 4 : 0.1), 1 - time);
    }
    return time < 1 ? time : 1;
}

// Relative to one of the points and with the largest coordinate 1, so that neither where they are nor their size
// matters.
static void normalise(fil_approach_thing *p, fil_approach_thing *q)
{
    const double origin[3] = {q->from[0][0], q->from[0][1], q->from[0][2]};
    fil_approach_thing *things[2] = {p, q};
    double size = 0;
    for (int i = 0; i < 2; ++i)
        for (int c = 0; c < things[i]->corners; ++c)
            for (int k = 0; k < 3; ++k) {
                double *from = &things[i]->from[c][k], *to = &things[i]->to[c][k];
                *from -= origin[k];
                *to -= origin[k];
                size = fmax(size, fmax(fabs(*from), fabs(*to)));
            }
    for (int i = 0; i < 2 && size > 0; ++i)
        for (int c = 0; c < things[i]->corners; ++c)
            for (int k = 0; k < 3; ++k) {
                things[i]->from[c][k] /= size;
                things[i]->to[c][k] /= size;
            }
}

static void difference(const fil_approach_thing *a, int i, const fil_approach_thing *b, int j, double out[2][3])
{
    for (int k = 0; k < 3; ++k) {
        out[0][k] = b->from[j][k] - a->from[i][k];
        out[1][k] = b->to[j][k] - a->to[i][k];
    }
}

// How fast the place of p that meets moves away from that of q.
static void relative_motion(const fil_approach_thing *p, const fil_approach_thing *q, const fil_approach *meeting,
                            double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = 0;
        for (int c = 0; c < p->corners; ++c)
            out[k] += meeting->weight_p[c] * (p->to[c][k] - p->from[c][k]);
        for (int c = 0; c < q->corners; ++c)
            out[k] -= meeting->weight_q[c] * (q->to[c][k] - q->from[c][k]);
    }
}

// Across both at that time, on the side of `came`. When they came along their common plane, or both are parallel, the
// way they came is the only one that keeps them apart.
static void choose_normal(double u[2][3], double v[2][3], double time, const double came[3], double normal[3])
{
    double a[3], b[3], across[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = (1 - time) * u[0][k] + time * u[1][k];
        b[k] = (1 - time) * v[0][k] + time * v[1][k];
    }
    fil_vec3_cross(a, b, across);
    bool parallel = fil_vec3_normalise(across) <= 1e-9 * fil_vec3_norm(a) * fil_vec3_norm(b);
    double along = fil_vec3_dot(across, came), length = fil_vec3_norm(came);
    bool use_across = !parallel && (fabs(along) > 1e-3 * length || length == 0);
    for (int k = 0; k < 3; ++k)
        normal[k] = use_across ? (along < 0 ? -across[k] : across[k]) : length > 0 ? came[k] / length : (k == 0);
}

// u and v are taken from q for a triangle, from each for edges.
static bool meet(fil_approach_thing *p, fil_approach_thing *q, fil_crossing *out)
{
    double u[2][3], v[2][3], w[2][3], came[3] = {0}, time = 0;
    normalise(p, q);
    if (p->corners == 2)
        difference(p, 0, p, 1, u);
    else
        difference(q, 0, q, 2, u);
    difference(q, 0, q, 1, v);
    difference(q, 0, p, 0, w);
    const cubic cubic = make_cubic(u, v, w);
    fil_approach at;
    for (int look = 0; look < LOOKS; ++look) {
        time = next_root(&cubic, time);
        if (time > 1)
            return false;
        double apart = fil_approach_look(p, q, time, 0.5 * NEAR, &at);
        if (apart <= time || at.distance <= NEAR)
            break;
        if (apart > 1)
            return false;
        for (int k = 0; k < 3; ++k)
            came[k] = at.normal[k];
        time = apart;
    }
    if (fil_vec3_dot(came, came) == 0) {
        relative_motion(p, q, &at, came);
        for (int k = 0; k < 3; ++k)
            came[k] = -came[k];
    }
    *out = (fil_crossing){.time = at.time};
    out->at[0] = p->corners == 2 ? at.weight_p[1] : at.weight_q[1];
    out->at[1] = p->corners == 2 ? at.weight_q[1] : at.weight_q[2];
    choose_normal(u, v, at.time, came, out->normal);
    return true;
}

static fil_approach_thing make_thing(int corners, const double (*from)[3], const double (*to)[3])
{
    fil_approach_thing out = {.corners = corners};
    for (int c = 0; c < corners; ++c)
        for (int k = 0; k < 3; ++k) {
            out.from[c][k] = from[c][k];
            out.to[c][k] = to[c][k];
        }
    return out;
}

bool fil_crossing_edges(const double p0[2][3], const double p1[2][3], const double q0[2][3], const double q1[2][3],
                        fil_crossing *out)
{
    fil_approach_thing p = make_thing(2, p0, p1), q = make_thing(2, q0, q1);
    return meet(&p, &q, out);
}

bool fil_crossing_face(const double p0[3], const double p1[3], const double q0[3][3], const double q1[3][3],
                       fil_crossing *out)
{
    fil_approach_thing p = make_thing(1, (const double(*)[3])p0, (const double(*)[3])p1), q = make_thing(3, q0, q1);
    return meet(&p, &q, out);
}
