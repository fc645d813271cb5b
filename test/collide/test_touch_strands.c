// Where strands touch strands, against trying all pairs.
#include "collide/touch_strands.h"

#include "base/rng.h"
#include "collide/crossing.h"
#include "collide/segment.h"
#include "collide/segment_grid.h"
#include "math/mat3.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

// Strands with room for all arrays.
typedef struct bundle {
    int first[MOST], strand[MOST], kind[MOST];
    unsigned char held[MOST];
    double radius[MOST], arc[MOST], x0[3 * MOST], x1[3 * MOST];
    fil_touch_strands strands;
    fil_context *context;
    fil_arena *arena;
} bundle;

static void setup(bundle *self, int threads)
{
    memset(self, 0, sizeof *self);
    fil_context_def def = fil_context_def_default();
    def.threads = threads;
    self->context = fil_context_create(&def);
    self->arena = fil_arena_create(self->context);
    self->strands = (fil_touch_strands){.first = self->first,
                                        .strand = self->strand,
                                        .held = self->held,
                                        .radius = self->radius,
                                        .arc = self->arc,
                                        .x0 = self->x0,
                                        .x1 = self->x1};
}

static void teardown(bundle *self)
{
    fil_arena_destroy(self->arena);
    fil_context_destroy(self->context);
}

static void add_vertex(bundle *self, const double x0[3], const double x1[3], double radius)
{
    int v = self->strands.vertex_count++, strand = self->strands.strand_count - 1;
    ck_assert_int_lt(v, MOST);
    self->strand[v] = strand;
    self->radius[v] = radius;
    memcpy(self->x0 + 3 * (ptrdiff_t)v, x0, 3 * sizeof *x0);
    memcpy(self->x1 + 3 * (ptrdiff_t)v, x1, 3 * sizeof *x1);
    if (v > self->first[strand]) {
        const double *p = self->x0 + 3 * (ptrdiff_t)v;
        self->arc[v] = self->arc[v - 1] + hypot(hypot(p[0] - p[-3], p[1] - p[-2]), p[2] - p[-1]);
    }
    self->first[strand + 1] = v + 1;
}

static void add_strand(bundle *self)
{
    self->first[self->strands.strand_count++] = self->strands.vertex_count;
}

// Curved strands that all move at random.
static void make_random(bundle *self, uint64_t seed, int strands, double motion)
{
    fil_rng rng = fil_rng_make(seed);
    for (int i = 0; i < strands; ++i) {
        double x[3], d[3], v[3], end[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = fil_rng_uniform(&rng, -0.05, 0.05);
            d[k] = fil_rng_uniform(&rng, -0.01, 0.01);
            v[k] = fil_rng_uniform(&rng, -motion, motion);
        }
        add_strand(self);
        for (int j = 0; j < 12; ++j) {
            for (int k = 0; k < 3; ++k) {
                end[k] = x[k] + v[k] + 0.3 * fil_rng_uniform(&rng, -motion, motion);
                d[k] += fil_rng_uniform(&rng, -0.003, 0.003);
            }
            add_vertex(self, x, end, fil_rng_uniform(&rng, 1e-4, 3e-4));
            for (int k = 0; k < 3; ++k)
                x[k] += d[k];
        }
    }
}

static fil_touch_list find(bundle *self, double margin, fil_touch_pairs *pairs)
{
    fil_touch_list list;
    ck_assert_int_eq(fil_touch_strands_pairs(self->context, self->arena, &self->strands, NULL, margin, pairs), FIL_OK);
    ck_assert_int_eq(fil_touch_strands_find(self->context, self->arena, &self->strands, pairs, margin, &list), FIL_OK);
    return list;
}

static bool has_pair(const fil_touch_pairs *pairs, int a, int b)
{
    for (int64_t i = 0; i < pairs->count; ++i)
        if (pairs->a[i] == a && pairs->b[i] == b)
            return true;
    return false;
}

// Least distance of two edges at times of the step.
static double least_distance(const bundle *self, int a, int b)
{
    enum { TIMES = 20 };
    double least = INFINITY;
    for (int i = 0; i <= TIMES; ++i) {
        double x[4][3], s, t, at = (double)i / TIMES;
        const int vertex[4] = {a, a + 1, b, b + 1};
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k)
                x[c][k] = (1 - at) * self->x0[3 * vertex[c] + k] + at * self->x1[3 * vertex[c] + k];
        least = fmin(least, sqrt(fil_segment_nearest(x[0], x[1], x[2], x[3], &s, &t)));
    }
    return least;
}

static void view(const double *x, double out[2][3])
{
    memcpy(out, x, 6 * sizeof *x);
}

static bool cross(const bundle *self, int a, int b)
{
    double p0[2][3], p1[2][3], q0[2][3], q1[2][3];
    fil_crossing crossing;
    view(self->x0 + 3 * (ptrdiff_t)a, p0), view(self->x1 + 3 * (ptrdiff_t)a, p1);
    view(self->x0 + 3 * (ptrdiff_t)b, q0), view(self->x1 + 3 * (ptrdiff_t)b, q1);
    return fil_crossing_edges((const double(*)[3])p0, (const double(*)[3])p1, (const double(*)[3])q0,
                              (const double(*)[3])q1, &crossing);
}

static const fil_touch_point *point_of(const fil_touch_list *list, int a, int b)
{
    for (int i = 0; i < list->count; ++i)
        if (list->point[i].a == a && list->point[i].b == b)
            return &list->point[i];
    return NULL;
}

TEST(touch_strands_pairs_and_crossings_are_all_that_there_are)
{
    bundle *self = malloc(sizeof *self);
    int crossings = 0, near = 0;
    for (int round = 0; round < 6; ++round) {
        setup(self, 2);
        make_random(self, 11 + (uint64_t)round, 60, round % 2 == 0 ? 2e-3 : 1e-2);
        fil_touch_pairs pairs;
        const double margin = 2e-4;
        fil_touch_list list = find(self, margin, &pairs);
        for (int a = 0; a + 1 < self->strands.vertex_count; ++a)
            for (int b = a + 1; b + 1 < self->strands.vertex_count; ++b) {
                if (self->strand[a] != self->strand[a + 1] || self->strand[b] != self->strand[b + 1] ||
                    self->strand[a] == self->strand[b])
                    continue;
                double radii = self->radius[a] + self->radius[b];
                if (least_distance(self, a, b) <= radii) {
                    ++near;
                    ck_assert_msg(has_pair(&pairs, a, b), "round %d: %d and %d come near and are no pair", round, a, b);
                }
                if (!cross(self, a, b))
                    continue;
                ++crossings;
                const fil_touch_point *point = point_of(&list, a, b);
                ck_assert_msg(point && point->crossing, "round %d: %d and %d cross", round, a, b);
            }
        teardown(self);
    }
    ck_assert_int_gt(crossings, 50);
    ck_assert_int_gt(near, 100);
    free(self);
}

TEST(touch_strands_pairs_of_some_strands_are_those_of_all_that_have_one)
{
    bundle *self = malloc(sizeof *self);
    setup(self, 2);
    make_random(self, 4, 60, 1e-2);
    bool only[60];
    for (int i = 0; i < 60; ++i)
        only[i] = i % 7 == 3;
    fil_touch_pairs all, some;
    const double margin = 3e-4;
    find(self, margin, &all);
    ck_assert_int_eq(fil_touch_strands_pairs(self->context, self->arena, &self->strands, only, margin, &some), FIL_OK);
    int64_t count = 0;
    for (int64_t i = 0; i < all.count; ++i)
        if (only[self->strand[all.a[i]]] || only[self->strand[all.b[i]]]) {
            ++count;
            ck_assert(has_pair(&some, all.a[i], all.b[i]));
        }
    ck_assert_int_gt(count, 20);
    ck_assert_int_eq(some.count, count);
    teardown(self);
    free(self);
}

// A tuft of strands side by side, each of which moves its own way; some have an edge without length.
static void make_tuft(bundle *self, int strands)
{
    fil_rng rng = fil_rng_make(8);
    for (int i = 0; i < strands; ++i) {
        double x[3], way[3], end[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = fil_rng_uniform(&rng, -1e-3, 1e-3);
            way[k] = fil_rng_uniform(&rng, -1e-4, 1e-4);
        }
        add_strand(self);
        for (int j = 0; j < 12; ++j) {
            for (int k = 0; k < 3; ++k)
                end[k] = x[k] + way[k];
            add_vertex(self, x, end, 1e-4);
            x[2] += i % 5 == 2 && j == 4 ? 0 : 2e-3;
            x[0] += i % 2 == 0 ? 0 : fil_rng_uniform(&rng, -1e-4, 1e-4);
        }
    }
}

// What is no pair, of strands that move as a whole: their boxes, or their distance and the relative motion say so.
static bool stay_apart(const bundle *self, int a, int b, double margin)
{
    double way[3], s, t;
    fil_segments segments = {.x = self->x0, .end = self->x1, .radius = self->radius};
    fil_segment_box box_a = fil_segment_grid_box(&segments, a), box_b = fil_segment_grid_box(&segments, b);
    for (int k = 0; k < 3; ++k)
        if (box_a.low[k] - margin > box_b.high[k] || box_b.low[k] - margin > box_a.high[k])
            return true;
    const double *x0 = self->x0, *x1 = self->x1, *p = x0 + 3 * (ptrdiff_t)a, *q = x0 + 3 * (ptrdiff_t)b;
    for (int k = 0; k < 3; ++k)
        way[k] = x1[3 * a + k] - p[k] - x1[3 * b + k] + q[k];
    return sqrt(fil_segment_nearest(p, p + 3, q, q + 3, &s, &t)) > 2e-4 + margin + fil_vec3_norm(way);
}

TEST(touch_strands_pairs_of_a_dense_tuft_are_all_there_in_order)
{
    bundle *self = malloc(sizeof *self);
    for (int threads = 1; threads <= 2; ++threads) {
        setup(self, threads);
        make_tuft(self, 90);
        fil_touch_pairs pairs;
        const double margin = 3e-4;
        find(self, margin, &pairs);
        int64_t at = 0;
        for (int a = 0; a + 1 < self->strands.vertex_count; ++a)
            for (int b = a + 1; b + 1 < self->strands.vertex_count; ++b) {
                if (self->strand[a] != self->strand[a + 1] || self->strand[b] != self->strand[b + 1] ||
                    self->strand[a] == self->strand[b] || stay_apart(self, a, b, margin))
                    continue;
                ck_assert_msg(at < pairs.count && pairs.a[at] == a && pairs.b[at] == b, "%d and %d", a, b);
                ++at;
            }
        ck_assert_int_eq(at, pairs.count);
        ck_assert_int_gt(at, 16 * self->strands.vertex_count); // more than edges get room for at first
        teardown(self);
    }
    free(self);
}

TEST(touch_strands_places_have_unit_normals_and_true_gaps)
{
    bundle *self = malloc(sizeof *self);
    setup(self, 1);
    make_random(self, 5, 80, 1e-3);
    fil_touch_pairs pairs;
    fil_touch_list list = find(self, 3e-4, &pairs);
    ck_assert_int_gt(list.count, 20);
    for (int i = 0; i < list.count; ++i) {
        const fil_touch_point *p = &list.point[i];
        double way[3], radii = (1 - p->at_a) * self->radius[p->a] + p->at_a * self->radius[p->a + 1] +
                               (1 - p->at_b) * self->radius[p->b] + p->at_b * self->radius[p->b + 1];
        for (int k = 0; k < 3; ++k)
            way[k] = (1 - p->at_a) * self->x0[3 * p->a + k] + p->at_a * self->x0[3 * p->a + 3 + k] -
                     (1 - p->at_b) * self->x0[3 * p->b + k] - p->at_b * self->x0[3 * p->b + 3 + k];
        test_near(fil_vec3_norm(p->normal), 1, 1e-12);
        test_near(p->gap, fil_vec3_dot(way, p->normal) - radii, 1e-12);
        ck_assert_int_lt(p->a, p->b);
        ck_assert(i == 0 || list.point[i - 1].a <= p->a);
        ck_assert(p->at_a >= 0 && p->at_a <= 1 && p->at_b >= 0 && p->at_b <= 1);
    }
    teardown(self);
    free(self);
}

// Two strands that cross at a vertex of one: both its edges are equally near, and there is one place.
TEST(touch_strands_find_a_shared_place_once)
{
    bundle *self = malloc(sizeof *self);
    setup(self, 1);
    add_strand(self);
    for (int i = -2; i <= 2; ++i)
        add_vertex(self, (double[]){0.01 * i, 0, 0}, (double[]){0.01 * i, 0, 0}, 1e-4);
    add_strand(self);
    for (int i = -2; i <= 2; ++i) {
        double z = 0.01 * i + 0.005;
        add_vertex(self, (double[]){0, 2.1e-4, z}, (double[]){0, 2.1e-4, z}, 1e-4);
    }
    fil_touch_pairs pairs;
    fil_touch_list list = find(self, 1e-4, &pairs);
    ck_assert_int_eq(pairs.count, 2);
    ck_assert_int_eq(list.count, 1);
    test_near(list.point[0].gap, 1e-5, 1e-12);
    teardown(self);
    free(self);
}

// Parallel strands touch in the middle of what lies side by side, wherever rounding sees them cross.
// A strand across a straight one, just before a joint and moving towards it: nothing stands in its way.
TEST(touch_strands_have_no_place_in_front_of_a_joint)
{
    bundle *self = malloc(sizeof *self);
    for (int before = 0; before < 2; ++before) {
        setup(self, 1);
        add_strand(self);
        for (int i = 0; i < 4; ++i)
            add_vertex(self, (double[]){0.01 * i, 0, 0}, (double[]){0.01 * i, 0, 0}, 1e-3);
        add_strand(self);
        for (int i = 0; i < 2; ++i) {
            double x = before ? 0.0195 : 0.0205, z = 0.02 * i - 0.01, way = before ? 0.003 : -0.003;
            add_vertex(self, (double[]){x, 0.002, z}, (double[]){x + way, 0.0019, z}, 1e-3);
        }
        fil_touch_pairs pairs;
        fil_touch_list list = find(self, 1e-3, &pairs);
        ck_assert_int_eq(pairs.count, 2); // or more edges would not be near at all
        ck_assert_int_eq(list.count, 1);
        test_near(fabs(list.point[0].normal[1]), 1, 1e-12);
        teardown(self);
    }
    free(self);
}

TEST(touch_strands_take_the_middle_of_parallel_edges)
{
    bundle *self = malloc(sizeof *self);
    setup(self, 1);
    for (int s = 0; s < 2; ++s) {
        add_strand(self);
        for (int i = 0; i < 4; ++i) {
            double x[3] = {0.01 * i, 2.05e-4 * s + (i == 2 ? 1e-9 : 0), 0.0};
            add_vertex(self, x, x, 1e-4);
        }
    }
    fil_touch_pairs pairs;
    fil_touch_list list = find(self, 1e-4, &pairs);
    int middle = 0;
    for (int i = 0; i < list.count; ++i)
        middle += fabs(list.point[i].at_a - 0.5) < 1e-6 && fabs(list.point[i].at_b - 0.5) < 1e-6;
    ck_assert_int_eq(middle, 3);
    teardown(self);
    free(self);
}

// The turns of a tight coil touch; its neighbouring edges do not.
TEST(touch_strands_of_one_strand_are_those_of_its_loops)
{
    bundle *self = malloc(sizeof *self);
    setup(self, 1);
    const double radius = 1e-3, wire = 1e-4, turn = 2.1e-4;
    add_strand(self);
    for (int i = 0; i < 200; ++i) {
        double angle = 0.25 * i;
        double x[3] = {radius * cos(angle), turn * angle / (2 * 3.14159265358979), radius * sin(angle)};
        add_vertex(self, x, x, wire);
    }
    fil_touch_pairs pairs;
    fil_touch_list list = find(self, 5e-5, &pairs);
    ck_assert_int_gt(list.count, 100);
    for (int i = 0; i < list.count; ++i) {
        int apart = list.point[i].b - list.point[i].a;
        ck_assert_msg(apart > 20 && apart < 30, "edges %d apart", apart); // a turn has 25
    }
    teardown(self);
    free(self);
}

TEST(touch_strands_leave_out_held_edges_and_kinds_that_are_apart)
{
    bundle *self = malloc(sizeof *self);
    setup(self, 1);
    make_random(self, 9, 80, 1e-3);
    fil_touch_pairs all, some;
    find(self, 3e-4, &all);
    const bool apart[4] = {false, true, true, false};
    for (int i = 0; i < self->strands.strand_count; ++i)
        self->kind[i] = i % 2;
    self->strands.kind = self->kind;
    self->strands.apart = apart;
    self->strands.kinds = 2;
    for (int v = 0; v < self->strands.vertex_count; ++v)
        self->held[v] = self->strand[v] % 3 == 0;
    find(self, 3e-4, &some);
    ck_assert_int_gt(some.count, 0);
    int64_t expected = 0;
    for (int64_t i = 0; i < all.count; ++i) {
        int a = self->strand[all.a[i]], b = self->strand[all.b[i]];
        expected += a % 2 == b % 2 && (a % 3 != 0 || b % 3 != 0);
    }
    ck_assert_int_eq(some.count, expected);
    teardown(self);
    free(self);
}

TEST(touch_strands_are_the_same_on_any_number_of_threads)
{
    bundle *one = malloc(sizeof *one), *many = malloc(sizeof *many);
    setup(one, 1);
    make_random(one, 3, 300, 4e-3);
    fil_touch_pairs pairs, same_pairs;
    fil_touch_list list = find(one, 5e-4, &pairs);
    for (int threads = 2; threads <= 8; threads *= 2) {
        setup(many, threads);
        make_random(many, 3, 300, 4e-3);
        fil_touch_list same = find(many, 5e-4, &same_pairs);
        ck_assert_int_eq(same.count, list.count);
        ck_assert_int_eq(same_pairs.count, pairs.count);
        for (int i = 0; i < list.count; ++i) {
            ck_assert_int_eq(list.point[i].a, same.point[i].a);
            ck_assert_int_eq(list.point[i].b, same.point[i].b);
            ck_assert(memcmp(list.point[i].normal, same.point[i].normal, sizeof same.point[i].normal) == 0);
            ck_assert(memcmp(&list.point[i].gap, &same.point[i].gap, sizeof(double)) == 0);
        }
        teardown(many);
    }
    teardown(one);
    free(one);
    free(many);
}

// Many strands in one place: more pairs than the usual room.
TEST(touch_strands_take_crowds)
{
    bundle *self = malloc(sizeof *self);
    setup(self, 2);
    for (int s = 0; s < 150; ++s) {
        add_strand(self);
        for (int i = 0; i < 2; ++i) {
            double x[3] = {0.01 * i, 1e-6 * s, 1e-6 * (s % 7)};
            add_vertex(self, x, x, 1e-4);
        }
    }
    fil_touch_pairs pairs;
    find(self, 1e-4, &pairs);
    ck_assert_int_eq(pairs.count, 150 * 149 / 2);
    for (int64_t i = 1; i < pairs.count; ++i)
        ck_assert(pairs.a[i - 1] < pairs.a[i] || (pairs.a[i - 1] == pairs.a[i] && pairs.b[i - 1] < pairs.b[i]));
    teardown(self);
    free(self);
}

TEST(touch_strands_are_not_held_on_the_wrong_side)
{
    // A bent strand, and another that passes through its second edge beside the bend: at the end it is near the first
    // edge, too, on the far side.
    const double radius = 0.01, bent[3][3] = {{-1, 0, 0}, {0, 0, 0}, {0.866, 0.5, 0}};
    const double start[2][3] = {{0.02, 0.06, -1}, {0.02, 0.06, 1}}, end[2][3] = {{0.02, -0.03, -1}, {0.02, -0.03, 1}};
    bundle *self = malloc(sizeof *self);
    fil_touch_pairs pairs;
    setup(self, 1);
    add_strand(self);
    for (int i = 0; i < 3; ++i)
        add_vertex(self, bent[i], bent[i], radius);
    add_strand(self);
    for (int i = 0; i < 2; ++i)
        add_vertex(self, start[i], end[i], radius);
    fil_touch_list list = find(self, 0.05, &pairs);
    ck_assert_int_gt(list.count, 0);
    bool crossing = false;
    for (int i = 0; i < list.count; ++i) {
        crossing = crossing || list.point[i].crossing;
        ck_assert_msg(list.point[i].normal[1] < 0, "place %d pushes the first strand up", i);
    }
    ck_assert(crossing);
    teardown(self);
    free(self);
}
