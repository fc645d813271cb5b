// Moving edges and faces that meet: known cases, random ones against sampling in time, and degenerate ones.
#include "base/rng.h"
#include "collide/crossing.h"
#include "math/mat3.h"
#include "test.h"

#include <string.h>

// Four moving points: two edges (0 1 and 2 3), or a vertex (0) and a triangle (1 2 3).
typedef struct quad {
    double from[4][3], to[4][3];
} quad;

static bool cross_edges(const quad *q, fil_crossing *out)
{
    double p0[2][3], p1[2][3], q0[2][3], q1[2][3];
    memcpy(p0, q->from, sizeof p0);
    memcpy(p1, q->to, sizeof p1);
    memcpy(q0, q->from + 2, sizeof q0);
    memcpy(q1, q->to + 2, sizeof q1);
    return fil_crossing_edges((const double(*)[3])p0, (const double(*)[3])p1, (const double(*)[3])q0,
                              (const double(*)[3])q1, out);
}

static bool cross_face(const quad *q, fil_crossing *out)
{
    return fil_crossing_face(q->from[0], q->to[0], (const double(*)[3])(q->from + 1), (const double(*)[3])(q->to + 1),
                             out);
}

static bool cross(const quad *q, bool face, fil_crossing *out)
{
    return face ? cross_face(q, out) : cross_edges(q, out);
}

static void place(const quad *q, double t, double x[4][3])
{
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            x[i][k] = q->from[i][k] + t * (q->to[i][k] - q->from[i][k]);
}

static double volume_at(const quad *q, double t)
{
    double x[4][3], e[3][3], c[3];
    place(q, t, x);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            e[i][k] = x[i + 1][k] - x[0][k];
    fil_vec3_cross(e[0], e[1], c);
    return fil_vec3_dot(c, e[2]);
}

// Where the common point would be: solves a x + b y + c z = d by determinants.
static void solve(const double a[3], const double b[3], const double c[3], const double d[3], double out[3])
{
    double bc[3], ca[3], ab[3];
    fil_vec3_cross(b, c, bc);
    fil_vec3_cross(c, a, ca);
    fil_vec3_cross(a, b, ab);
    double det = fil_vec3_dot(a, bc);
    out[0] = fil_vec3_dot(d, bc) / det;
    out[1] = fil_vec3_dot(d, ca) / det;
    out[2] = fil_vec3_dot(d, ab) / det;
}

// Clearly a common point at a time when the four points are in a plane: by `inside` from all borders.
static bool common_point(const quad *q, bool face, double t, double inside)
{
    double x[4][3], u[3], v[3], d[3], n[3], at[3];
    place(q, t, x);
    for (int k = 0; k < 3; ++k) {
        u[k] = face ? x[2][k] - x[1][k] : x[1][k] - x[0][k];
        v[k] = face ? x[3][k] - x[1][k] : x[2][k] - x[3][k];
        d[k] = face ? x[0][k] - x[1][k] : x[2][k] - x[0][k];
    }
    fil_vec3_cross(u, v, n);
    if (fil_vec3_norm(n) < 1e-6 * fil_vec3_norm(u) * fil_vec3_norm(v))
        return false;
    solve(u, v, n, d, at);
    double most = face ? 1 - at[1] : 1;
    return at[0] > inside && at[1] > inside && at[0] < most - inside && at[1] < 1 - inside;
}

// The first sure meeting: samples of the volume, a change of sign is halved down. 2: none was seen.
static double sampled_meeting(const quad *q, bool face, int samples)
{
    double before = volume_at(q, 0);
    for (int i = 1; i <= samples; ++i) {
        double low = (i - 1.0) / samples, high = (double)i / samples, now = volume_at(q, high);
        if ((before < 0) != (now < 0)) {
            for (int halving = 0; halving < 50; ++halving) {
                double middle = 0.5 * (low + high);
                if ((volume_at(q, middle) < 0) == (before < 0))
                    low = middle;
                else
                    high = middle;
            }
            if (common_point(q, face, low, 1e-9))
                return low;
        }
        before = now;
    }
    return 2;
}

// What the crossing says about its place and normal is so.
static void check_meeting(const quad *q, bool face, const fil_crossing *found, double size, double doubt)
{
    double x[4][3], gap = 0;
    place(q, found->time, x);
    for (int k = 0; k < 3; ++k) {
        double first, second, s = found->at[0], t = found->at[1];
        if (face) {
            first = x[0][k];
            second = (1 - s - t) * x[1][k] + s * x[2][k] + t * x[3][k];
        } else {
            first = (1 - s) * x[0][k] + s * x[1][k];
            second = (1 - t) * x[2][k] + t * x[3][k];
        }
        gap = fmax(gap, fabs(first - second));
    }
    ck_assert_double_le(gap, doubt * size);
    ck_assert(found->time >= 0 && found->time <= 1 && found->at[0] >= 0 && found->at[1] >= 0);
    ck_assert(found->at[0] + (face ? found->at[1] : 0) <= 1 + 1e-12 && found->at[1] <= 1);
    test_near(fil_vec3_norm(found->normal), 1, 1e-12);
}

typedef struct tally {
    int sure, found;
} tally;

static void check_quad(const quad *q, bool face, int samples, double size, tally *tally)
{
    fil_crossing found;
    bool meets = cross(q, face, &found);
    double sure = sampled_meeting(q, face, samples);
    tally->found += meets;
    tally->sure += sure <= 1;
    if (sure <= 1)
        ck_assert_msg(meets && found.time <= sure + 1e-7, "missed: sampled at %.17g, found %d at %.17g", sure, meets,
                      meets ? found.time : 2);
    if (meets)
        check_meeting(q, face, &found, size, 1e-9);
}

static quad random_quad(fil_rng *rng, double motion)
{
    quad q;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            q.from[i][k] = fil_rng_uniform(rng, -1, 1);
            q.to[i][k] = q.from[i][k] + motion * fil_rng_uniform(rng, -1, 1);
        }
    return q;
}

TEST(crossing_of_a_million_random_pairs)
{
    fil_rng rng = fil_rng_make(1);
    int count = test_long() ? 10000000 : 1000000;
    tally edges = {0}, faces = {0};
    const double motion[] = {0.1, 1, 3, 30};
    for (int i = 0; i < count; ++i) {
        double move = motion[i % 4];
        quad q = random_quad(&rng, move);
        check_quad(&q, i & 4, 24, 1 + move, i & 4 ? &faces : &edges);
    }
    // Each meeting was checked. Sampling misses some that pass twice between two samples, but not many.
    ck_assert_int_gt(edges.sure, count / 60);
    ck_assert_int_gt(faces.sure, count / 60);
    ck_assert_msg(edges.found <= 1.1 * edges.sure, "%d found, %d sure", edges.found, edges.sure);
    ck_assert_msg(faces.found <= 1.1 * faces.sure, "%d found, %d sure", faces.found, faces.sure);
}

TEST(crossing_does_not_depend_on_size_and_place)
{
    fil_rng rng = fil_rng_make(2);
    const double scales[] = {1e-6, 1e6, 1}, offsets[] = {0, 0, 1e3};
    for (int i = 0; i < 60000; ++i) {
        quad q = random_quad(&rng, 2);
        double scale = scales[i % 3], offset = offsets[i % 3];
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k) {
                q.from[c][k] = q.from[c][k] * scale + offset;
                q.to[c][k] = q.to[c][k] * scale + offset;
            }
        tally tally = {0};
        check_quad(&q, i & 8, 24, offset > 0 ? 1e3 : 3 * scale, &tally);
    }
}

// Things that meet by construction: a place on each comes to the same point at a time. Borders, ends and times 0 and 1
// included, parallel and flat ones too.
TEST(crossing_of_what_was_made_to_meet)
{
    fil_rng rng = fil_rng_make(3);
    for (int i = 0; i < 300000; ++i) {
        bool face = i & 1;
        quad q = random_quad(&rng, 2);
        const double exact[] = {0, 1, 0.5};
        double time = i % 3 == 0 ? exact[fil_rng_below(&rng, 3)] : fil_rng_uniform(&rng, 0, 1);
        double s = i % 5 == 0 ? fil_rng_below(&rng, 2) : fil_rng_uniform(&rng, 0, 1);
        double t = i % 7 == 0 ? fil_rng_below(&rng, 2) : fil_rng_uniform(&rng, 0, 1);
        if (i % 11 == 0) // parallel edges, or a triangle without area, at that time
            for (int k = 0; k < 3; ++k) {
                q.from[3][k] = q.from[2][k] + 0.7 * (q.from[1][k] - q.from[0][k]);
                q.to[3][k] = q.to[2][k] + 0.7 * (q.to[1][k] - q.to[0][k]);
            }
        if (i % 13 == 0) // all in one plane all the time
            for (int c = 0; c < 4; ++c)
                q.from[c][2] = q.to[c][2] = 0;
        t = face ? t * (1 - s) : t;
        const double weight[4] = {face ? 1 : 1 - s, face ? -(1 - s - t) : s, face ? -s : -(1 - t), -t};
        double x[4][3];
        place(&q, time, x);
        for (int k = 0; k < 3; ++k) {
            double apart = 0;
            for (int c = 0; c < 4; ++c)
                apart += weight[c] * x[c][k];
            for (int c = 0; c < (face ? 1 : 2); ++c) {
                q.from[c][k] -= apart;
                q.to[c][k] -= apart;
            }
        }
        fil_crossing found;
        ck_assert_msg(cross(&q, face, &found), "case %d: missed at time %g, %g, %g", i, time, s, t);
        ck_assert_double_le(found.time, time + 1e-7);
        check_meeting(&q, face, &found, 5, i % 11 == 0 || i % 13 == 0 ? 1e-3 : 1e-9);
    }
}

TEST(crossing_knows_the_first_time_place_and_side)
{
    // An edge along x falls on one along z at height 0, which it passes at half time.
    quad q = {{{-1, 1, 0}, {3, 1, 0}, {0, 0, -1}, {0, 0, 2}}, {{-1, -1, 0}, {3, -1, 0}, {0, 0, -1}, {0, 0, 2}}};
    fil_crossing found;
    ck_assert(cross_edges(&q, &found));
    test_near(found.time, 0.5, 1e-10);
    test_near(found.at[0], 0.25, 1e-9);
    test_near(found.at[1], 1.0 / 3, 1e-9);
    test_near(found.normal[1], 1, 1e-12);
    // From below the normal is down; a vertex on a triangle likewise.
    for (int c = 0; c < 2; ++c)
        q.from[c][1] = -1, q.to[c][1] = 1;
    ck_assert(cross_edges(&q, &found));
    test_near(found.normal[1], -1, 1e-12);
    quad f = {{{0.2, -1, 0.3}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0.2, 3, 0.3}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}}};
    ck_assert(cross_face(&f, &found));
    test_near(found.time, 0.25, 1e-10);
    test_near(found.at[0], 0.2, 1e-9);
    test_near(found.at[1], 0.3, 1e-9);
    test_near(found.normal[1], -1, 1e-12);
    // Beside the triangle, and short of it.
    f.from[0][0] = f.to[0][0] = 0.8;
    ck_assert(!cross_face(&f, &found));
    f.from[0][0] = f.to[0][0] = 0.2;
    f.to[0][1] = -1e-6;
    ck_assert(!cross_face(&f, &found));
}

TEST(crossing_in_a_plane_and_without_motion)
{
    fil_crossing found;
    // Both along x in one line: one catches up with the other at half time.
    quad line = {{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {{2, 0, 0}, {3, 0, 0}, {2, 0, 0}, {3, 0, 0}}};
    ck_assert(cross_edges(&line, &found));
    test_near(found.time, 0.5, 1e-9);
    test_near(found.normal[0], -1, 1e-9);
    // Side by side, sliding past each other, never nearer than 1e-6.
    quad beside = {{{0, 1e-6, 0}, {1, 1e-6, 0}, {-5, 0, 0}, {-4, 0, 0}},
                   {{0, 1e-6, 0}, {1, 1e-6, 0}, {5, 0, 0}, {6, 0, 0}}};
    ck_assert(!cross_edges(&beside, &found));
    // In a plane: an end comes to the other edge.
    quad plane = {{{0.5, 2, 0}, {0.5, 1, 0}, {0, 0, 0}, {1, 0, 0}}, {{0.5, 1, 0}, {0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}}};
    ck_assert(cross_edges(&plane, &found));
    test_near(found.time, 0.5, 1e-9);
    test_near(found.normal[1], 1, 1e-9);
    // Nothing moves: apart stays apart, together is together from the start.
    quad still = {{{0, 1, 0}, {1, 1, 0}, {0, 0, -1}, {0, 0, 1}}, {{0, 1, 0}, {1, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
    ck_assert(!cross_edges(&still, &found));
    for (int c = 0; c < 2; ++c)
        still.from[c][1] = still.to[c][1] = 0;
    ck_assert(cross_edges(&still, &found));
    ck_assert_double_eq(found.time, 0);
    quad point = {0};
    ck_assert(cross_edges(&point, &found) && cross_face(&point, &found));
    test_near(fil_vec3_norm(found.normal), 1, 1e-12);
}
