// Contact problems from strands: sizes and rules, A against the forces of `der`, H against moving strands, same bits on
// any number of threads, sequences, files, failing memory.
#include "base/arena.h"
#include "base/rng.h"
#include "contact/contact_hair.h"
#include "failing_allocator.h"
#include "strand/strand.h"

#include <stdlib.h>
#include <string.h>

enum { HELD = 7 };

static fil_contact_problem *generate(fil_context *context, fil_contact_hair hair)
{
    fil_contact_problem *problem;
    test_ok(context, fil_contact_hair_generate(context, &hair, &problem));
    test_ok(context, fil_contact_problem_check(context, problem));
    return problem;
}

static fil_contact_hair small_hair(fil_contact_hair_shape shape)
{
    fil_contact_hair hair = fil_contact_hair_default();
    hair.strands = 30;
    hair.vertices = 12;
    hair.contacts_per_strand = 8;
    hair.shape = shape;
    return hair;
}

// Bit for bit, but for the sign of zero, which a file does not keep.
static bool same(const double *a, const double *b, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && (a[i] != 0 || b[i] != 0))
            return false;
    return true;
}

static bool same_problem(const fil_contact_problem *a, const fil_contact_problem *b)
{
    int n = a->contact_count, sides = a->H.side_start[n], dofs = a->A.dof_start[a->A.body_count];
    return n == b->contact_count && sides == b->H.side_start[n] &&
           memcmp(a->H.body, b->H.body, (size_t)sides * sizeof(int)) == 0 &&
           memcmp(a->H.first_dof, b->H.first_dof, (size_t)sides * sizeof(int)) == 0 &&
           same(a->H.value, b->H.value, a->H.value_start[sides]) &&
           same(a->A.value, b->A.value, a->A.value_start[a->A.body_count]) && same(a->b, b->b, dofs) &&
           same(a->w, b->w, 3 * (int64_t)n) && same(a->mu, b->mu, n);
}

TEST(contact_hair_has_the_size_asked_for)
{
    fil_context *context = fil_context_create(NULL);
    for (int shape = 0; shape < FIL_HAIR_SHAPES; ++shape) {
        fil_contact_hair hair = {60, 20, 20, shape, 2e-3, 0.4, 7, 0};
        fil_contact_problem *problem = generate(context, hair);
        int n = problem->contact_count, sides = problem->H.side_start[n], closed = 0;
        ck_assert_int_eq(problem->A.body_count, 60);
        ck_assert_int_eq(problem->A.dof_start[60], 60 * (4 * 20 - 8));
        ck_assert_int_eq(sides, 1200);
        for (int i = 0; i < 60; ++i)
            ck_assert_int_eq(problem->A.bandwidth[i], 10);
        for (int i = 0; i < n; ++i) {
            int first = problem->H.side_start[i], count = problem->H.side_start[i + 1] - first;
            ck_assert(count == 1 || problem->H.body[first] < problem->H.body[first + 1]);
            ck_assert(problem->mu[i] == 0.4 && problem->w[3 * i] >= 0);
            closed += problem->w[3 * i] == 0;
        }
        ck_assert_int_eq(2 * n - sides, (int)(1200 * 0.065 / 1.935 + 0.5));
        ck_assert(closed > 0.6 * n && closed < 0.7 * n);
        test_contains(problem->title, fil_contact_hair_shape_name(shape));
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

TEST(contact_hair_seed_decides_every_bit)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_hair hair = fil_contact_hair_default();
    hair.strands = 2100; // enough to be sampled
    hair.vertices = 6;
    hair.contacts_per_strand = 4;
    fil_context_set_threads(context, 1);
    fil_contact_problem *one = generate(context, hair);
    ck_assert_int_eq(one->H.side_start[one->contact_count], 4 * 2100);
    fil_context_set_threads(context, 4);
    fil_contact_problem *two = generate(context, hair);
    hair.seed = 2;
    fil_contact_problem *other = generate(context, hair);
    ck_assert(same_problem(one, two));
    ck_assert(!same_problem(one, other));
    fil_contact_problem_destroy(one);
    fil_contact_problem_destroy(two);
    fil_contact_problem_destroy(other);
    fil_context_destroy(context);
}

// One strand alone as the strand models see it.
typedef struct lone_strand {
    fil_arena *arena;
    fil_strands S;
    int vertices;
    double *x, *v;
} lone_strand;

static lone_strand build_strand(fil_context *context, const fil_contact_hair *hair, int strand)
{
    int n = hair->vertices;
    lone_strand out = {.arena = fil_arena_create(context), .vertices = n};
    fil_contact_hair_strand curve = fil_contact_hair_groom_strand(hair, strand);
    double *rest = FIL_ARENA_ARRAY(out.arena, double, 3 * n);
    out.x = FIL_ARENA_ARRAY(out.arena, double, 3 * n);
    out.v = FIL_ARENA_ARRAY(out.arena, double, 3 * n);
    fil_contact_hair_groom_place(hair, &curve, out.x);
    fil_contact_hair_groom_rest(hair, &curve, out.x, rest);
    fil_contact_hair_groom_velocity(hair, &curve, out.v);
    fil_group group = fil_group_default();
    group.material.young = fil_contact_hair_groom_young(hair, strand / FIL_HAIR_CLUMP);
    group.material.density = 1300;
    group.material.radius = curve.radius;
    group.groom = (fil_groom){.strand_count = 1, .vertex_count = &n, .position = out.x, .rest = rest};
    test_ok(context, fil_strands_build(context, out.arena, &group, "strand", &out.S));
    return out;
}

static void gradient_at(const lone_strand *strand, const double *q, double *gradient)
{
    const fil_strands *S = &strand->S;
    double energy[FIL_LANES] = {0};
    fil_strand_pack pack = {strand->vertices, S->constants, S->strain, 1, S->param};
    double *frame = calloc((size_t)(S->type->frame_count * strand->vertices * FIL_LANES), sizeof *frame);
    S->type->carry(strand->vertices, S->q, S->frame, q, frame);
    memset(gradient, 0, (size_t)(4 * strand->vertices * FIL_LANES) * sizeof *gradient);
    S->type->elastic(&pack, q, frame, FIL_HESSIAN_NONE, energy, gradient, NULL);
    free(frame);
}

// (A - M) / h² times a direction is the change of the elastic gradient: strands are nearly at rest, so what
// Gauss-Newton leaves out is small.
TEST(contact_hair_A_is_mass_and_stiffness)
{
    fil_context *context = fil_context_create(NULL);
    for (int shape = 0; shape < FIL_HAIR_SHAPES; ++shape) {
        fil_contact_hair hair = small_hair(shape);
        fil_contact_problem *problem = generate(context, hair);
        const fil_body_matrix *A = &problem->A;
        int strand = 26, size = 4 * hair.vertices, dofs = A->dof_start[1];
        lone_strand one = build_strand(context, &hair, strand);
        double *q = calloc((size_t)size * FIL_LANES, sizeof *q), *up = calloc((size_t)size * FIL_LANES, sizeof *up);
        double *down = calloc((size_t)size * FIL_LANES, sizeof *down);
        for (int j = 0; j < dofs; ++j) {
            bool angle = (HELD + j) % 4 == 3;
            double step = angle ? 1e-5 : 1e-9, largest = 0;
            for (int way = 0; way < 2; ++way) {
                memcpy(q, one.S.q, (size_t)size * FIL_LANES * sizeof *q);
                q[(HELD + j) * FIL_LANES] += way ? -step : step;
                gradient_at(&one, q, way ? down : up);
            }
            double change[128], mine[128];
            for (int i = 0; i < dofs; ++i) {
                int low = i < j ? i : j, k = abs(i - j);
                double value = k > 10 ? 0 : A->value[A->value_start[strand] + (int64_t)low * 11 + k];
                mine[i] = (value - (k == 0 ? one.S.inertia[(HELD + j) * FIL_LANES] : 0)) / (hair.step * hair.step);
                change[i] = (up[(HELD + i) * FIL_LANES] - down[(HELD + i) * FIL_LANES]) / (2 * step);
                largest = fmax(largest, fabs(mine[i]));
            }
            for (int i = 0; i < dofs; ++i)
                ck_assert_msg(fabs(mine[i] - change[i]) <= 2e-3 * largest, "%s, %d %d: %g, not %g",
                              fil_contact_hair_shape_name(shape), i, j, mine[i], change[i]);
        }
        free(q);
        free(up);
        free(down);
        fil_arena_destroy(one.arena);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// Without contacts there are no loads: b is momentum and the impulse of weight and elasticity.
TEST(contact_hair_b_is_momentum_and_forces)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_hair hair = small_hair(FIL_HAIR_WAVY);
    hair.contacts_per_strand = 0;
    fil_contact_problem *problem = generate(context, hair);
    ck_assert_int_eq(problem->contact_count, 0);
    int strand = 3;
    lone_strand one = build_strand(context, &hair, strand);
    double activity = fil_contact_hair_groom_strand(&hair, strand).activity;
    double *gradient = calloc((size_t)hair.vertices * 4 * FIL_LANES, sizeof *gradient);
    gradient_at(&one, one.S.q, gradient);
    const double *b = problem->b + problem->A.dof_start[strand];
    for (int j = 0; j < problem->A.dof_start[1]; ++j) {
        int vertex = (HELD + j) / 4, k = (HELD + j) % 4;
        double mass = one.S.inertia[(HELD + j) * FIL_LANES];
        double force = -gradient[(HELD + j) * FIL_LANES] - (k == 2 ? 9.81 * activity * mass : 0);
        double momentum = k < 3 ? mass * one.v[3 * vertex + k] : 0;
        double expected = momentum + hair.step * force;
        ck_assert(fabs(b[j] - expected) <= 1e-12 * (fabs(momentum) + hair.step * fabs(force)) + 1e-25);
    }
    free(gradient);
    fil_arena_destroy(one.arena);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Where a side is, and its point when the vertices are at x [3 vertices of all strands].
static void point_at(const fil_contact_hair *hair, const fil_contact_problem *problem, int side, const double *x,
                     double out[3])
{
    const double *H = problem->H.value + problem->H.value_start[side];
    double near = hypot(hypot(H[0], H[1]), H[2]), far = hypot(hypot(H[12], H[13]), H[14]);
    int vertex = (problem->H.first_dof[side] + HELD) / 4;
    const double *p = x + 3 * ((ptrdiff_t)problem->H.body[side] * hair->vertices + vertex);
    test_near(near + far, 1, 1e-12);
    for (int k = 0; k < 3; ++k)
        out[k] = near * p[k] + far * p[3 + k];
}

// Moving the strands by a velocity changes the way between the points of a contact as u = H v says; normal, points and
// gap belong together.
TEST(contact_hair_H_is_the_relative_velocity)
{
    fil_context *context = fil_context_create(NULL);
    for (int shape = 0; shape < FIL_HAIR_SHAPES; ++shape) {
        fil_contact_hair hair = small_hair(shape);
        fil_contact_problem *problem = generate(context, hair);
        const fil_contact_jacobian *H = &problem->H;
        int vertices = hair.strands * hair.vertices, dofs = problem->A.dof_start[1];
        double *x = calloc((size_t)vertices * 3, sizeof *x), *v = calloc((size_t)vertices * 4, sizeof *v);
        double *moved = calloc((size_t)vertices * 3, sizeof *moved);
        for (int i = 0; i < hair.strands; ++i) {
            fil_contact_hair_strand strand = fil_contact_hair_groom_strand(&hair, i);
            fil_contact_hair_groom_place(&hair, &strand, x + (ptrdiff_t)3 * i * hair.vertices);
        }
        fil_rng rng = fil_rng_make(3);
        for (int i = 0; i < 4 * vertices; ++i)
            v[i] = fil_rng_uniform(&rng, -1, 1);
        for (int i = 0; i < 3 * vertices; ++i)
            moved[i] = x[i] + 1e-3 * v[i / 3 * 4 + i % 3];
        for (int i = 0; i < problem->contact_count; ++i) {
            int first = H->side_start[i], count = H->side_start[i + 1] - first;
            double u[3] = {0}, way[2][3] = {{0}}, F[9];
            for (int side = first; side < first + count; ++side) {
                double before[3], after[3];
                const double *value = H->value + H->value_start[side];
                // The body's dofs begin behind the held ones.
                const double *speed = v + (ptrdiff_t)4 * H->body[side] * hair.vertices + HELD + H->first_dof[side];
                ck_assert(H->first_dof[side] >= 1 && H->first_dof[side] + 7 <= dofs);
                for (int d = 0; d < 7; ++d)
                    for (int row = 0; row < 3; ++row)
                        u[row] += value[3 * d + row] * speed[d];
                point_at(&hair, problem, side, x, before);
                point_at(&hair, problem, side, moved, after);
                for (int k = 0; k < 3; ++k) {
                    way[0][k] += (side == first ? 1 : -1) * before[k];
                    way[1][k] += (side == first ? 1 : -1) * after[k];
                }
            }
            for (int k = 0; k < 9; ++k)
                F[k] = H->value[H->value_start[first] + k] + H->value[H->value_start[first] + 12 + k];
            for (int row = 0; row < 3; ++row) {
                double change = 0, along = 0;
                for (int k = 0; k < 3; ++k) {
                    change += F[3 * k + row] * (way[1][k] - way[0][k]) / 1e-3;
                    along += F[3 * k + row] * way[0][k];
                }
                test_near(u[row], change, 1e-9);
                ck_assert(count == 1 || row > 0 || along >= 0);
                ck_assert(count == 1 || row == 0 || fabs(along) < 1e-12);
            }
        }
        free(x);
        free(v);
        free(moved);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// A file keeps bodies, bands and sides.
TEST(contact_hair_survives_a_file)
{
    fil_context *context = fil_context_create(NULL);
    for (int shape = 0; shape < FIL_HAIR_SHAPES; ++shape) {
        fil_contact_problem *problem = generate(context, small_hair(shape)), *read;
        test_ok(context, fil_contact_problem_write(context, test_path("hair.hdf5"), problem));
        test_ok(context, fil_contact_problem_read(context, test_path("hair.hdf5"), &read));
        ck_assert_int_eq(read->A.body_count, problem->A.body_count);
        for (int i = 0; i < read->A.body_count; ++i)
            ck_assert_int_eq(read->A.bandwidth[i], 10);
        ck_assert(same_problem(problem, read));
        fil_contact_problem_destroy(problem);
        fil_contact_problem_destroy(read);
    }
    fil_context_destroy(context);
}

// Neighbours stick, slide and take off: no state is rare at the solution.
TEST(contact_hair_is_solved_and_mixes_the_states)
{
    fil_context *context = fil_context_create(NULL);
    for (int shape = FIL_HAIR_STRAIGHT; shape <= FIL_HAIR_CURLY; ++shape) {
        fil_contact_hair hair = fil_contact_hair_default();
        hair.strands = 100;
        hair.vertices = 20;
        hair.contacts_per_strand = 8;
        hair.shape = shape;
        fil_contact_problem *problem = generate(context, hair);
        int n = problem->contact_count, open = 0, slide = 0;
        double *r = calloc(3 * (size_t)n, sizeof *r), mean = 0;
        fil_contact_def def = fil_contact_def_default();
        def.tolerance = 1e-6;
        fil_solve_stats stats;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_int_eq(stats.outcome, FIL_SOLVED);
        for (int i = 0; i < n; ++i)
            mean += r[3 * i] / n;
        for (int i = 0; i < n; ++i) {
            bool off = r[3 * i] <= 1e-6 * mean;
            open += off;
            slide += !off && hypot(r[3 * i + 1], r[3 * i + 2]) > (1 - 1e-6) * hair.mu * r[3 * i];
        }
        int stick = n - open - slide;
        ck_assert_msg(open > n / 8 && slide > n / 8 && stick > n / 8, "%s: %d take off, %d slide, %d stick",
                      fil_contact_hair_shape_name(shape), open, slide, stick);
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// From step to step most contacts stay and some go; the impulse of the same problem is kept as it is.
TEST(contact_hair_carries_impulses)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_hair hair = fil_contact_hair_default();
    hair.strands = 100;
    fil_contact_problem *step[2];
    for (hair.index = 0; hair.index < 2; ++hair.index)
        step[hair.index] = generate(context, hair);
    ck_assert(!same_problem(step[0], step[1]));
    int n = step[0]->contact_count, kept;
    double *r = calloc(3 * (size_t)n, sizeof *r), *next = calloc(3 * (size_t)n, sizeof *next);
    ck_assert_int_eq(step[1]->contact_count, n);
    for (int i = 0; i < n; ++i) {
        r[3 * i] = 1 + i;
        r[3 * i + 1] = 0.2 * r[3 * i];
        r[3 * i + 2] = -0.1 * r[3 * i];
    }
    test_ok(context, fil_contact_hair_carry(context, step[0], r, step[0], next, &kept));
    ck_assert_int_eq(kept, n);
    for (int i = 0; i < 3 * n; ++i)
        test_near(next[i], r[i], 1e-12);
    test_ok(context, fil_contact_hair_carry(context, step[0], r, step[1], next, &kept));
    ck_assert_msg(kept > 0.7 * n && kept < n, "%d of %d kept", kept, n);
    int zero = 0;
    for (int i = 0; i < n; ++i) {
        ck_assert(hypot(next[3 * i + 1], next[3 * i + 2]) <= (1 + 1e-12) * hair.mu * next[3 * i]);
        zero += next[3 * i] == 0;
    }
    ck_assert(zero >= n - kept && zero < n / 3);
    hair.strands = 50;
    fil_contact_problem *other = generate(context, hair);
    test_fails(context, fil_contact_hair_carry(context, step[0], r, other, next, NULL), FIL_BAD_INPUT,
               "impulses can be carried between primal problems with the same bodies only");
    free(r);
    free(next);
    for (int k = 0; k < 2; ++k)
        fil_contact_problem_destroy(step[k]);
    fil_contact_problem_destroy(other);
    fil_context_destroy(context);
}

TEST(contact_hair_accepts_every_small_size)
{
    fil_context *context = fil_context_create(NULL);
    for (int strands = 1; strands <= 27; strands += strands < 6 ? 1 : 7)
        for (int vertices = 4; vertices <= 7; ++vertices)
            for (int contacts = 0; contacts <= 6; contacts += 3)
                for (int shape = 0; shape < FIL_HAIR_SHAPES; ++shape) {
                    fil_contact_hair hair = {strands, vertices, contacts, shape, 4e-3, 0.3, 1, 3};
                    fil_contact_problem *problem = generate(context, hair);
                    ck_assert_int_le(problem->H.side_start[problem->contact_count], strands * contacts);
                    test_ok(context, fil_contact_problem_form_dual(context, problem));
                    fil_contact_problem_destroy(problem);
                }
    fil_context_destroy(context);
}

// More contacts than there are dofs, in bundles that touch all along.
TEST(contact_hair_fills_parallel_bundles)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_hair hair = {100, 40, 60, FIL_HAIR_PARALLEL, 2e-3, 1, 1, 0};
    fil_contact_problem *problem = generate(context, hair);
    ck_assert_int_eq(problem->H.side_start[problem->contact_count], 6000);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

static void refuses(fil_context *context, fil_contact_hair hair, const char *sentence)
{
    fil_contact_problem *problem;
    test_fails(context, fil_contact_hair_generate(context, &hair, &problem), FIL_BAD_INPUT, sentence);
    ck_assert_ptr_null(problem);
}

TEST(contact_hair_refuses_nonsense)
{
    fil_context *context = fil_context_create(NULL);
    const fil_contact_hair good = fil_contact_hair_default();
    fil_contact_hair bad = good;
    bad.strands = 0;
    refuses(context, bad, "strands: must be from 1 to 10000000 (got 0)");
    bad = good, bad.vertices = 2;
    refuses(context, bad, "vertices: must be from 4 to 100000 (got 2)");
    bad = good, bad.contacts_per_strand = NAN;
    refuses(context, bad, "contacts_per_strand: must be from 0 to 100000 (got nan)");
    bad = good, bad.shape = FIL_HAIR_SHAPES;
    refuses(context, bad, "shape: must be from 0 to 3 (got 4)");
    bad = good, bad.step = 0;
    refuses(context, bad, "step: must be from 1e-06 to 1 (got 0)");
    bad = good, bad.mu = -1;
    refuses(context, bad, "mu: must be a finite number >= 0 (got -1)");
    bad = good, bad.index = -1;
    refuses(context, bad, "index: must be from 0 to 1000000 (got -1)");
    bad = good, bad.strands = 10000000, bad.vertices = 100000;
    refuses(context, bad, "strands: 10000000 strands of 100000 vertices with 25 contact sides are too many");
    fil_context_destroy(context);
}

static fil_status carry_and_destroy(fil_context *context, void *data)
{
    fil_contact_hair hair = *(fil_contact_hair *)data;
    fil_contact_problem *one, *two = NULL;
    double r[3 * 200] = {0}, next[3 * 200];
    fil_status status = fil_contact_hair_generate(context, &hair, &one);
    hair.index = 1;
    if (status == FIL_OK)
        status = fil_contact_hair_generate(context, &hair, &two);
    if (status == FIL_OK)
        status = fil_contact_hair_carry(context, one, r, two, next, NULL);
    fil_contact_problem_destroy(one);
    fil_contact_problem_destroy(two);
    return status;
}

TEST(contact_hair_survives_failing_allocation)
{
    fil_contact_hair hair = small_hair(FIL_HAIR_CURLY);
    test_failing_allocation(carry_and_destroy, &hair);
}
