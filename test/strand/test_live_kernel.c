// The kernels of live strands against what they solve.
#include "test.h"

#include "base/rng.h"
#include "collide/solid_part.h"
#include "strand/live.h"

// clang-format off: each needs the one before
#include "strand/live_kernel.h"
#include "strand/strand_tridiag_kernel.h"
#include "strand/live_step_kernel.h"
// clang-format on

enum { N = 12, L = FIL_LIVE_LANES };

// Eight random strands, of N vertices or less, roots held.
typedef struct bundle {
    fil_live_pack pack;
    fil_live_now now;
    float p[3 * N * L], x[3 * N * L], v[3 * N * L], bend[3 * N * L], gain[3 * N * L], work[5 * N * L], force[4 * N * L];
    float weight[N * L], length[N * L], inverse[N * L], drag[N * L], give[2 * N * L];
    int count[L]; // vertices
} bundle;

static void bundle_make(uint64_t seed, double noise, double give, bundle *out)
{
    fil_rng rng = fil_rng_make(seed);
    *out = (bundle){.now = {.h = 0.01F, .damping = 5, .stiffness = 1, .curved = 1, .form = FIL_LIVE_XPBD}};
    for (int lane = 0; lane < L; ++lane) {
        int n = out->count[lane] = lane == 0 ? N : 2 + fil_rng_below(&rng, N - 1);
        for (int i = 0; i < N; ++i) {
            bool edge = i + 1 < n;
            double length = fil_rng_uniform(&rng, 0.8, 1.2);
            out->weight[i * L + lane] = i > 0 && i < n ? (float)fil_rng_uniform(&rng, 0.5, 2) : 0;
            out->length[i * L + lane] = edge ? (float)length : 0;
            out->inverse[i * L + lane] = edge ? (float)(1 / length) : 0;
            out->drag[i * L + lane] = (float)(20 * i % 7 + lane);
            for (int k = 0; k < 2; ++k)
                out->give[(2 * i + k) * L + lane] = (float)(give * fil_rng_uniform(&rng, 0.5, 2));
            for (int k = 0; k < 3; ++k) {
                double at = k == 0 ? (i < n ? i : n - 1) : 0;
                out->p[(3 * i + k) * L + lane] = (float)(at + fil_rng_uniform(&rng, -noise, noise));
                out->bend[(3 * i + k) * L + lane] = (float)fil_rng_uniform(&rng, -0.1, 0.1);
            }
        }
    }
    memcpy(out->x, out->p, sizeof out->x);
    out->pack = (fil_live_pack){.n = N,
                                .x = out->x,
                                .v = out->v,
                                .p = out->p,
                                .bend = out->bend,
                                .gain = out->gain,
                                .work = out->work,
                                .force = out->force,
                                .weight = out->weight,
                                .length = out->length,
                                .inverse = out->inverse,
                                .drag = out->drag,
                                .give = out->give};
}

// The largest |C + give λ| of the bends.
static double worst_bend(const bundle *b)
{
    double worst = 0;
    for (int i = 1; i + 1 < N; ++i) {
        live_trio T = live_begin_bends(&b->pack, i);
        live_go_on(&b->pack, &T, i);
        three C = plus3(live_bend_of(&b->now, &T, load3(b->bend, i)), live_give(&b->pack, &b->now, i),
                        live_force_of(&b->pack, i));
        for (int lane = 0; lane < L; ++lane)
            if (i + 1 < b->count[lane])
                worst = fmax(worst, hypot(hypot((double)C.x[lane], (double)C.y[lane]), (double)C.z[lane]));
    }
    return worst;
}

// With the k that are there.
static void sweep_bends(const bundle *b)
{
    live_trio T = live_begin_bends(&b->pack, 1);
    for (int i = 1; i + 1 < N; ++i) {
        live_go_on(&b->pack, &T, i);
        live_straighten(&b->pack, &b->now, &T, i, load3(b->bend, i));
    }
    live_end_bends(&b->pack, &T);
}

static void check_ends_stay(const bundle *b)
{
    for (int i = 0; i < N; ++i)
        for (int lane = 0; lane < L; ++lane)
            for (int k = 0; k < 3 && b->weight[i * L + lane] == 0; ++k)
                ck_assert_float_eq(b->p[(3 * i + k) * L + lane], b->x[(3 * i + k) * L + lane]);
}

TEST(live_direct_bends_all_hold)
{
    for (uint64_t seed = 0; seed < 20; ++seed)
        for (int stiff = 0; stiff < 2; ++stiff) {
            bundle b;
            bundle_make(seed, 0.3, stiff ? 0 : 1e-3, &b);
            b.now.form = FIL_LIVE_DIRECT;
            double before = worst_bend(&b);
            live_factor_bends(&b.pack, &b.now);
            live_straighten_all(&b.pack, &b.now);
            ck_assert_msg(worst_bend(&b) < 1e-3 * before, "seed %d: %g of %g", (int)seed, worst_bend(&b), before);
            check_ends_stay(&b);
        }
}

TEST(live_sweeps_come_to_where_the_direct_solve_is)
{
    for (uint64_t seed = 0; seed < 20; ++seed) {
        bundle direct, sweeps;
        bundle_make(seed, 0.3, 1e-3, &direct);
        bundle_make(seed, 0.3, 1e-3, &sweeps);
        direct.now.form = FIL_LIVE_DIRECT;
        live_factor_bends(&direct.pack, &direct.now);
        live_straighten_all(&direct.pack, &direct.now);
        live_set_gains(&sweeps.pack, &sweeps.now);
        for (int sweep = 0; sweep < 2000; ++sweep)
            sweep_bends(&sweeps);
        for (int i = 0; i < 3 * N * L; ++i)
            ck_assert_msg(fabsf(direct.p[i] - sweeps.p[i]) < 2e-3F, "seed %d: %g", (int)seed,
                          (double)(direct.p[i] - sweeps.p[i]));
    }
}

// One step of Newton's method: what is left is of second order.
TEST(tridiag_lengths_converge_quadratically)
{
    for (uint64_t seed = 0; seed < 20; ++seed) {
        bundle b;
        bundle_make(seed, 0.05, 0, &b);
        const mask every = all(1) > all(0);
        double error[8];
        for (int i = 0; i < 8; ++i) {
            lanes off = live_stretch(&b.pack);
            error[i] = 0;
            for (int lane = 0; lane < L; ++lane)
                error[i] = fmax(error[i], (double)off[lane]);
            tridiag_solve(&b.pack, every);
        }
        ck_assert_msg(error[7] < 1e-5, "seed %d: %g %g %g %g", (int)seed, error[4], error[5], error[6], error[7]);
        for (int i = 1; i < 7; ++i)
            ck_assert(error[i] > 0.01 || error[i + 1] < fmax(20 * error[i] * error[i], 1e-5));
        check_ends_stay(&b);
    }
}

// The same distances and ways out as in detection.
TEST(live_shapes_are_those_of_detection)
{
    fil_rng rng = fil_rng_make(1);
    for (int kind = FIL_OBSTACLE_PLANE; kind < FIL_OBSTACLE_MESH; ++kind)
        for (int i = 0; i < 2000; ++i) {
            const fil_solid solid = {.shape = (fil_obstacle_shape)kind, .size = {0.3, 0.5, 0.4}};
            const fil_live_shape shape = {.kind = kind, .size = {0.3F, 0.5F, 0.4F}};
            double x[3], normal[3];
            for (int k = 0; k < 3; ++k)
                x[k] = (double)(float)fil_rng_uniform(&rng, -1, 1);
            three n, y = {all((float)x[0]), all((float)x[1]), all((float)x[2])};
            lanes distance = live_distance(&shape, y, &n);
            double known = fil_solid_shape_distance(&solid, x, normal);
            ck_assert_double_lt(fabs(known - (double)distance[3]), 1e-6);
            double same = normal[0] * (double)n.x[3] + normal[1] * (double)n.y[3] + normal[2] * (double)n.z[3];
            // At edges of the inside either of two ways is right.
            ck_assert_msg(same > 0.9999 || known < 0, "shape %d at %g %g %g: %g", kind, x[0], x[1], x[2], same);
        }
}
