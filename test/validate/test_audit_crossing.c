// Passes of segments through each other: known ones, ties, and random ones against sampling.
#include "test.h"

#include "base/arena.h"
#include "base/rng.h"
#include "failing_allocator.h"
#include "validate/audit_crossing.h"

#include <stdlib.h>
#include <string.h>

static fil_context *make_context(int threads)
{
    fil_context_def def = fil_context_def_default();
    def.threads = threads;
    fil_context *context = fil_context_create(&def);
    ck_assert_ptr_nonnull(context);
    return context;
}

// A segment along x at y = z = 0 that stands still, and one along z that falls along y.
static const fil_audit_segment still = {{{{-1, 0, 0}, {1, 0, 0}}, {{-1, 0, 0}, {1, 0, 0}}}};

static fil_audit_segment falling(double x, double from, double to)
{
    return (fil_audit_segment){{{{x, from, -1}, {x, from, 1}}, {{x, to, -1}, {x, to, 1}}}};
}

static fil_audit_segment random_segment(fil_rng *rng)
{
    fil_audit_segment out;
    for (int i = 0; i < 12; ++i)
        out.end[i / 6][i / 3 % 2][i % 3] = fil_rng_uniform(rng, -1, 1);
    return out;
}

TEST(audit_pair_passes_down_and_up)
{
    fil_audit_pass down[FIL_AUDIT_PASSES], up[FIL_AUDIT_PASSES], swapped[FIL_AUDIT_PASSES];
    fil_audit_segment b = falling(0.5, 1, -3), c = falling(0.5, -3, 1);
    ck_assert_int_eq(fil_audit_crossing_pair(&still, &b, down), 1);
    ck_assert_int_eq(fil_audit_crossing_pair(&still, &c, up), 1);
    ck_assert_int_eq(fil_audit_crossing_pair(&b, &still, swapped), 1);
    test_near(down->time, 0.25, 1e-14);
    test_near(up->time, 0.75, 1e-14);
    ck_assert_int_eq(down->sign, -up->sign);
    ck_assert_int_eq(down->sign, swapped->sign); // the sign does not depend on who is first
    test_near(down->at[0], 0.75, 1e-14);
    test_near(down->at[1], 0.5, 1e-14);
    test_near(down->place[0], 0.5, 1e-14);
    test_near(down->place[1], 0, 1e-14);
}

TEST(audit_pair_misses)
{
    fil_audit_pass pass[FIL_AUDIT_PASSES];
    fil_audit_segment beside = falling(1.5, 1, -1), above = falling(0, 2, 1), flat = falling(0, 0, 0);
    ck_assert_int_eq(fil_audit_crossing_pair(&still, &beside, pass), 0);
    ck_assert_int_eq(fil_audit_crossing_pair(&still, &above, pass), 0);
    // Zero all the time: nothing passes. The same segment twice, and a point: neither.
    ck_assert_int_eq(fil_audit_crossing_pair(&still, &flat, pass), 0);
    ck_assert_int_eq(fil_audit_crossing_pair(&still, &still, pass), 0);
    fil_audit_segment point = {{{{0, 1, 0}, {0, 1, 0}}, {{0, -1, 0}, {0, -1, 0}}}};
    ck_assert_int_eq(fil_audit_crossing_pair(&still, &point, pass), 0);
}

// A segment that turns while it falls goes through, back and through again: the volume has three roots.
TEST(audit_pair_three_times)
{
    fil_rng rng = fil_rng_make(3);
    int seen[FIL_AUDIT_PASSES + 1] = {0};
    for (int i = 0; i < 200000; ++i) {
        fil_audit_segment s[2];
        fil_audit_pass pass[FIL_AUDIT_PASSES];
        for (int k = 0; k < 2; ++k)
            s[k] = random_segment(&rng);
        int count = fil_audit_crossing_pair(&s[0], &s[1], pass);
        ++seen[count];
        for (int k = 1; k < count; ++k)
            ck_assert(pass[k].time > pass[k - 1].time);
    }
    for (int k = 0; k <= FIL_AUDIT_PASSES; ++k)
        ck_assert_msg(seen[k] > 0, "%d passes never", k);
}

// Sampling: the sign of the volume at many moments, and where the lines are nearest when it changes.
static double volume_at(const fil_audit_segment s[2], double t, double at[2])
{
    double p[2][2][3], d[3], u[2][3], n[3], w[3];
    for (int i = 0; i < 2; ++i)
        for (int e = 0; e < 2; ++e)
            for (int k = 0; k < 3; ++k)
                p[i][e][k] = s[i].end[0][e][k] + t * (s[i].end[1][e][k] - s[i].end[0][e][k]);
    for (int k = 0; k < 3; ++k) {
        u[0][k] = p[0][1][k] - p[0][0][k];
        u[1][k] = p[1][1][k] - p[1][0][k];
        d[k] = p[1][0][k] - p[0][0][k];
    }
    for (int k = 0; k < 3; ++k)
        n[k] = u[0][(k + 1) % 3] * u[1][(k + 2) % 3] - u[0][(k + 2) % 3] * u[1][(k + 1) % 3];
    for (int i = 0; i < 2; ++i) {
        const double *other = u[1 - i];
        for (int k = 0; k < 3; ++k)
            w[k] = d[(k + 1) % 3] * other[(k + 2) % 3] - d[(k + 2) % 3] * other[(k + 1) % 3];
        at[i] = (w[0] * n[0] + w[1] * n[1] + w[2] * n[2]) / (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    return -(d[0] * n[0] + d[1] * n[1] + d[2] * n[2]);
}

TEST(audit_pair_agrees_with_sampling)
{
    enum { SAMPLES = 4000 };
    fil_rng rng = fil_rng_make(11);
    int judged = 0, passed = 0;
    for (int i = 0; i < 2000; ++i) {
        fil_audit_segment s[2];
        fil_audit_pass pass[FIL_AUDIT_PASSES];
        for (int k = 0; k < 2; ++k)
            s[k] = random_segment(&rng);
        double at[2], last = volume_at(s, 0, at), scale = 0;
        int net = 0, sum = 0;
        bool doubtful = false;
        for (int k = 1; k <= SAMPLES; ++k) {
            double now = volume_at(s, (double)k / SAMPLES, at);
            scale = fmax(scale, fabs(now));
            if ((last < 0) != (now < 0)) {
                bool inside = at[0] > 0 && at[0] < 1 && at[1] > 0 && at[1] < 1;
                for (int m = 0; m < 2; ++m)
                    doubtful = doubtful || fabs(at[m]) < 0.05 || fabs(at[m] - 1) < 0.05;
                net += inside ? (now < 0 ? -1 : 1) : 0;
            }
            last = now;
        }
        int count = fil_audit_crossing_pair(&s[0], &s[1], pass);
        for (int k = 0; k < count; ++k) {
            sum += pass[k].sign;
            ck_assert(fabs(volume_at(s, pass[k].time, at)) < 1e-12 * (1 + scale));
            test_near(at[0], pass[k].at[0], 1e-6);
            test_near(at[1], pass[k].at[1], 1e-6);
        }
        if (doubtful)
            continue;
        ck_assert_msg(net == sum, "pair %d: %d by sampling, %d found", i, net, sum);
        ++judged;
        passed += sum != 0;
    }
    ck_assert_int_gt(judged, 1000);
    ck_assert_int_gt(passed, 50);
}

// Strands

enum { MOST = 64 };

typedef struct scene {
    fil_audit_strands strands;
    int first[MOST + 1], strand_of[1024];
    float before[3 * 1024], after[3 * 1024];
} scene;

static void begin(scene *self)
{
    memset(self, 0, sizeof *self);
    self->strands = (fil_audit_strands){0, self->first, self->strand_of, self->before, self->after, 1e-9};
}

// A strand with these vertices; they move by `motion`.
static void add(scene *self, int count, const double *x, const double motion[3])
{
    int strand = self->strands.strand_count++, first = self->first[strand];
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            self->before[3 * (first + i) + k] = (float)x[3 * i + k];
            self->after[3 * (first + i) + k] = (float)(x[3 * i + k] + motion[k]);
            self->strand_of[first + i] = strand;
        }
    self->first[strand + 1] = first + count;
}

// Events, and the sum over all pairs of strands of their net number.
static int count(const scene *self, int *net)
{
    fil_context *context = make_context(1);
    fil_arena *arena = fil_arena_create(context);
    fil_audit_events events;
    test_ok(context, fil_audit_crossing_find(context, arena, &self->strands, &events));
    *net = 0;
    for (int64_t i = 0; i < events.count;) {
        int one;
        i = fil_audit_crossing_net(&events, i, &one);
        *net += one < 0 ? -one : one;
    }
    int result = (int)events.count;
    fil_arena_destroy(arena);
    fil_context_destroy(context);
    return result;
}

static const double nothing[3] = {0}, down[3] = {0, -2, 0};
static const double bar[3][3] = {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}};

// It falls exactly onto the middle vertex of the bar, or with its own middle vertex onto it: once, not twice, not
// never.
TEST(audit_strands_ties_count_once)
{
    const double across[3][3] = {{0, 1, -1}, {0, 1, 0}, {0, 1, 1}}, edge[2][3] = {{0, 1, -1}, {0, 1, 1}};
    for (int k = 0; k < 2; ++k) {
        scene scene;
        int net;
        begin(&scene);
        add(&scene, 3, bar[0], nothing);
        add(&scene, k ? 2 : 3, k ? edge[0] : across[0], down);
        ck_assert_int_eq(count(&scene, &net), 1);
        ck_assert_int_eq(net, 1);
    }
}

// A narrow fold dips over the bar, one leg in front of it and one behind: no event. One that dips with both legs
// through it, and through only with the corner and back, are nothing on balance.
TEST(audit_strands_corner_dips)
{
    const double astride[3][3] = {{0.3, 2, -0.5}, {0.3, 1.1, 0}, {0.3, 2, 0.5}};
    const double flat[3][3] = {{0.3, 2, -0.01}, {0.35, 1, 0.02}, {0.4, 2, -0.01}};
    scene scene;
    int net;
    begin(&scene);
    add(&scene, 3, bar[0], nothing);
    add(&scene, 3, astride[0], (const double[3]){0, -1, 0}); // it stops above the bar
    ck_assert_int_eq(count(&scene, &net), 0);
    begin(&scene);
    add(&scene, 3, bar[0], nothing);
    add(&scene, 3, flat[0], (const double[3]){0, -1.9, 0});
    ck_assert_int_eq(count(&scene, &net), 2); // its legs go through on their way down
    ck_assert_int_eq(net, 0);
}

// A hairpin whose two legs pass the bar: two events of opposite sign, nothing on balance.
TEST(audit_strands_hairpin_is_nothing)
{
    const double pin[4][3] = {{-0.5, 1, -1}, {-0.5, 1, 1}, {0.5, 1, 1}, {0.5, 1, -1}};
    scene scene;
    int net;
    begin(&scene);
    add(&scene, 3, bar[0], nothing);
    add(&scene, 4, pin[0], down);
    ck_assert_int_eq(count(&scene, &net), 2);
    ck_assert_int_eq(net, 0);
}

// The free end goes around the bar: down beside it, below it, with no event at all.
TEST(audit_strands_end_goes_around)
{
    const double strand[2][3] = {{0, 1, -1}, {0, 1, -0.1}}, to[2][3] = {{0, 1, -1}, {0, -0.5, -0.2}};
    scene scene;
    int net;
    begin(&scene);
    add(&scene, 3, bar[0], nothing);
    add(&scene, 2, strand[0], nothing);
    for (int i = 0; i < 6; ++i)
        scene.after[9 + i] = (float)to[i / 3][i % 3];
    ck_assert_int_eq(count(&scene, &net), 0);
    // From there it swings to the other side, below the bar.
    memcpy(scene.before, scene.after, sizeof scene.before);
    const double on[2][3] = {{0, -0.5, -1}, {0, -0.5, 0.5}};
    for (int i = 0; i < 6; ++i)
        scene.after[9 + i] = (float)on[i / 3][i % 3];
    ck_assert_int_eq(count(&scene, &net), 0);
}

// One strand: its end passes through its beginning. Neighbours never count.
TEST(audit_strands_itself)
{
    double loop[5][3] = {{-1, 0, 0}, {1, 0, 0}, {1, 1, 1}, {0, 1, 1}, {0, 1, -1}};
    scene scene;
    int net;
    begin(&scene);
    add(&scene, 5, loop[0], nothing);
    ck_assert_int_eq(count(&scene, &net), 0);
    for (int i = 3; i < 5; ++i)
        scene.after[3 * i + 1] = -1;
    ck_assert_int_eq(count(&scene, &net), 1);
    ck_assert_int_eq(net, 1);
}

// Strands in one plane that pass over each other: nobody can say who is above, so all of one strand is.
TEST(audit_strands_in_a_plane)
{
    const double upright[3][3] = {{2, 0.5, 0}, {2, 0, 0}, {2, -0.5, 0}};
    scene scene;
    int net;
    begin(&scene);
    add(&scene, 3, bar[0], nothing);
    add(&scene, 3, upright[0], (const double[3]){-2, 0, 0});
    ck_assert_int_eq(count(&scene, &net), 0);
}

// A comb of bars far from zero, and strands that fall through all of it; some places are not numbers.
static void fill_comb(scene *self, double offset)
{
    begin(self);
    self->strands.nudge = 1e-9;
    for (int i = 0; i < 20; ++i) {
        double x[4][3] = {0};
        for (int k = 0; k < 4; ++k) {
            x[k][0] = offset + k;
            x[k][1] = offset;
            x[k][2] = offset + i;
        }
        add(self, 4, x[0], nothing);
    }
    for (int i = 0; i < 10; ++i) {
        double x[10][3] = {0};
        for (int k = 0; k < 10; ++k) {
            x[k][0] = offset + 0.25 + 0.25 * i;
            x[k][1] = offset + 0.5;
            x[k][2] = offset - 0.5 + 2.25 * k;
        }
        add(self, 10, x[0], (const double[3]){0, -1, 0});
    }
}

TEST(audit_strands_far_from_zero)
{
    static const double offsets[] = {0, 1000, 1e5, -3e4};
    for (int i = 0; i < 4; ++i) {
        scene *scene = malloc(sizeof *scene);
        int net;
        fill_comb(scene, offsets[i]);
        ck_assert_int_eq(count(scene, &net), 200);
        ck_assert_int_eq(net, 200);
        free(scene);
    }
}

TEST(audit_strands_not_finite)
{
    scene *scene = malloc(sizeof *scene);
    int net;
    fill_comb(scene, 0);
    scene->after[0] = NAN;
    scene->before[3 * scene->first[25] + 1] = INFINITY;
    scene->after[3 * scene->first[25] + 5] = -3.4e38f;
    ck_assert_int_gt(count(scene, &net), 150);
    free(scene);
}

// The same bits for any number of threads.
TEST(audit_strands_same_on_all_threads)
{
    scene *scene = malloc(sizeof *scene);
    fill_comb(scene, 0);
    fil_rng rng = fil_rng_make(5);
    int vertices = scene->first[scene->strands.strand_count];
    for (int i = 0; i < 3 * vertices; ++i)
        scene->after[i] += (float)fil_rng_uniform(&rng, -2, 2);
    fil_context *one = make_context(1);
    fil_arena *arena = fil_arena_create(one);
    fil_audit_events expected, got;
    test_ok(one, fil_audit_crossing_find(one, arena, &scene->strands, &expected));
    ck_assert_int_gt(expected.count, 150);
    for (int threads = 2; threads <= 8; ++threads) {
        fil_context *context = make_context(threads);
        test_ok(context, fil_audit_crossing_find(context, arena, &scene->strands, &got));
        ck_assert_int_eq(got.count, expected.count);
        for (int64_t i = 0; i < got.count; ++i) {
            const fil_audit_event *a = &got.event[i], *b = &expected.event[i];
            ck_assert(memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0 && a->pass.sign == b->pass.sign);
            ck_assert(a->pass.time == b->pass.time && a->pass.at[0] == b->pass.at[0] && a->pass.at[1] == b->pass.at[1]);
        }
        fil_context_destroy(context);
    }
    fil_arena_destroy(arena);
    fil_context_destroy(one);
    free(scene);
}

// Every pair of segments, one by one, without the tree.
TEST(audit_strands_tree_misses_nothing)
{
    scene *scene = malloc(sizeof *scene);
    fill_comb(scene, 0);
    scene->strands.nudge = 0;
    fil_rng rng = fil_rng_make(9);
    int vertices = scene->first[scene->strands.strand_count], expected = 0, net;
    for (int i = 0; i < 3 * vertices; ++i) {
        scene->before[i] += (float)fil_rng_uniform(&rng, -1, 1);
        scene->after[i] += (float)fil_rng_uniform(&rng, -1, 1);
    }
    for (int a = 0; a + 1 < vertices; ++a)
        for (int b = a + 1; b + 1 < vertices; ++b) {
            bool same = scene->strand_of[a] == scene->strand_of[b];
            if (scene->strand_of[a] != scene->strand_of[a + 1] || scene->strand_of[b] != scene->strand_of[b + 1] ||
                (same && b - a < 2))
                continue;
            fil_audit_segment s[2];
            fil_audit_pass pass[FIL_AUDIT_PASSES];
            for (int i = 0; i < 24; ++i) {
                const float *frame = i % 2 ? scene->after : scene->before;
                int vertex = (i / 12 ? b : a) + i / 6 % 2, k = i / 2 % 3;
                s[i / 12].end[i % 2][i / 6 % 2][k] = (double)frame[3 * vertex + k];
            }
            expected += fil_audit_crossing_pair(&s[0], &s[1], pass);
        }
    ck_assert_int_eq(count(scene, &net), expected);
    ck_assert_int_gt(expected, 100);
    free(scene);
}

// Two strands across each other, held at ends that are far away; what is between wanders at random.
static void wander(fil_rng *rng, float out[48])
{
    for (int i = 0; i < 16; ++i)
        for (int k = 0; k < 3; ++k) {
            double along = k == (i < 8 ? 0 : 2) ? 3 * (i % 8 - 3.5) : 0;
            bool end = i % 8 == 0 || i % 8 == 7;
            out[3 * i + k] = (float)(along + (end ? 0 : fil_rng_uniform(rng, -2, 2)));
        }
}

static int net_between(const float before[48], const float after[48])
{
    static const int first[] = {0, 8, 16}, strand_of[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    fil_context *context = make_context(1);
    fil_arena *arena = fil_arena_create(context);
    fil_audit_strands strands = {2, first, strand_of, before, after, 1e-9};
    fil_audit_events events;
    test_ok(context, fil_audit_crossing_find(context, arena, &strands, &events));
    int result = 0;
    for (int64_t i = 0; i < events.count;) {
        int net;
        bool both = events.event[i].strand[0] != events.event[i].strand[1];
        i = fil_audit_crossing_net(&events, i, &net);
        result += both ? net : 0;
    }
    fil_arena_destroy(arena);
    fil_context_destroy(context);
    return result;
}

// However strands get from one frame to the next, the net number is the same: straight, or by way of somewhere else.
TEST(audit_strands_net_does_not_depend_on_the_way)
{
    fil_rng rng = fil_rng_make(21);
    int passed = 0;
    for (int round = 0; round < 500; ++round) {
        float from[48], by[48], to[48];
        wander(&rng, from);
        wander(&rng, by);
        wander(&rng, to);
        int net = net_between(from, to);
        ck_assert_int_eq(net, net_between(from, by) + net_between(by, to));
        passed += net != 0;
    }
    ck_assert_int_gt(passed, 100);
}

static fil_status work(fil_context *context, void *data)
{
    fil_arena *arena = fil_arena_create(context);
    fil_audit_events events;
    fil_status status = arena ? fil_audit_crossing_find(context, arena, data, &events) : FIL_NO_MEMORY;
    fil_arena_destroy(arena);
    return status;
}

TEST(audit_strands_survive_failing_allocation)
{
    scene *scene = malloc(sizeof *scene);
    fill_comb(scene, 0);
    test_failing_allocation(work, &scene->strands);
    free(scene);
}
