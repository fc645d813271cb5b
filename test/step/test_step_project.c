// Strands that are solved so loosely that they would pass through each other: they are taken apart.
#include "test.h"

#include "base/arena.h"
#include "base/rng.h"
#include "validate/audit_crossing.h"
#include "world.h"

#include <math.h>
#include <string.h>

enum { SIDE = 8, STRANDS = 2 * SIDE, VERTICES = 17, ALL = STRANDS * VERTICES };
static const double radius = 2e-4, edge = 5e-3;

// Two layers of strands, one across the other, that are pulled together.
typedef struct net {
    fil_scene scene;
    fil_group group;
    fil_contacts contacts;
    int count[STRANDS];
    double x[3 * ALL], force[3 * ALL];
} net;

// pull: m/s² of each strand.
static void make_net(net *t, double tolerance, double pull)
{
    *t = (net){.scene = fil_scene_default(), .contacts = fil_contacts_default(), .group = fil_group_default()};
    double mass = t->group.material.density * 3.14159 * radius * radius * edge * (VERTICES - 1);
    for (int strand = 0; strand < STRANDS; ++strand) {
        int layer = strand / SIDE, number = strand % SIDE;
        t->count[strand] = VERTICES;
        for (int i = 0; i < VERTICES; ++i) {
            double *x = t->x + 3 * (ptrdiff_t)(strand * VERTICES + i);
            x[layer == 0 ? 0 : 2] = (i - 0.5 * (VERTICES - 1)) * edge;
            x[layer == 0 ? 2 : 0] = (number - 0.5 * SIDE + 0.3) * 1.6 * edge;
            x[1] = layer * 2 * radius;
            t->force[3 * (strand * VERTICES + i) + 1] = (layer == 0 ? 1 : -1) * pull * mass / VERTICES;
        }
    }
    t->group.material.radius = radius;
    t->group.material.young = 1e8;
    t->group.root = t->group.tip = FIL_END_PINNED;
    t->group.groom = (fil_groom){.strand_count = STRANDS, .vertex_count = t->count, .position = t->x};
    t->contacts.tolerance = tolerance;
    t->scene.groups = &t->group;
    t->scene.group_count = 1;
    t->scene.contacts = &t->contacts;
}

// How many crossings the audit sees from one place of all vertices to the next.
static int64_t count_crossings(fil_context *context, const double *from, const double *to)
{
    int first[STRANDS + 1], strand_of[ALL];
    float before[3 * ALL], after[3 * ALL];
    for (int i = 0; i <= STRANDS; ++i)
        first[i] = i * VERTICES;
    for (int i = 0; i < ALL; ++i)
        strand_of[i] = i / VERTICES;
    for (int k = 0; k < 3 * ALL; ++k)
        before[k] = (float)from[k], after[k] = (float)to[k];
    fil_audit_strands strands = {.strand_count = STRANDS,
                                 .first = first,
                                 .strand_of = strand_of,
                                 .before = before,
                                 .after = after,
                                 .nudge = 1e-9 * edge};
    fil_arena *arena = fil_arena_create(context);
    fil_audit_events events;
    test_ok(context, fil_audit_crossing_find(context, arena, &strands, &events));
    int64_t count = 0;
    for (int64_t i = 0; i < events.count;) {
        int net;
        i = fil_audit_crossing_net(&events, i, &net);
        count += abs(net);
    }
    fil_arena_destroy(arena);
    return count;
}

// Runs it; how many crossings the audit sees.
static int64_t run_net(const net *t, int threads, int steps, double *last)
{
    world w = world_make(&t->scene, threads);
    double before[3 * ALL];
    int64_t crossings = 0;
    memcpy(before, t->x, sizeof before);
    for (int i = 0; i < steps; ++i) {
        test_ok(w.context, fil_state_force(w.context, w.state, 0, t->force));
        test_ok(w.context, fil_step(w.context, w.state, 4e-3, NULL));
        fil_state_read(w.state, 0, &(fil_frame){.position = w.x});
        crossings += count_crossings(w.context, before, w.x);
        memcpy(before, w.x, sizeof before);
    }
    memcpy(last, before, sizeof before);
    world_free(&w);
    return crossings;
}

// Contacts alone, so loosely solved, let some pass.
TEST(loosely_solved_strands_do_not_pass_through_each_other)
{
    net t;
    double x[3 * ALL];
    make_net(&t, 0.3, 3000);
    ck_assert_int_eq(run_net(&t, 1, 60, x), 0);
}

// Pulled so hard that nothing can be solved: what would still pass is frozen. Steps are not halved, so ways are
// straight.
TEST(strands_that_cannot_be_solved_are_held)
{
    for (double pull = 1e4; pull < 2e6; pull *= 4) {
        net t;
        double x[3 * ALL];
        make_net(&t, 1e-3, pull);
        t.contacts.halvings = 0;
        t.contacts.max_iterations = 2;
        int64_t crossings = run_net(&t, 1, 5, x);
        ck_assert_msg(crossings == 0, "pulled by %g m/s²: %d", pull, (int)crossings);
        for (int i = 0; i < 3 * ALL; ++i)
            ck_assert(isfinite(x[i]));
    }
}

// A tangle that is pulled together harder than anything can be solved. Steps that say that nothing crossed are right,
// also where strands were moved to others that were far from them.
TEST(steps_that_say_that_nothing_crossed_are_right)
{
    int quiet = 0, rough = 0;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        net t;
        make_net(&t, 1e-3, 0);
        fil_rng rng = fil_rng_make(seed);
        for (int strand = 0; strand < STRANDS; ++strand) {
            double turn = fil_rng_uniform(&rng, 0, 3.14159), lean = fil_rng_uniform(&rng, -0.3, 0.3), middle[3];
            for (int k = 0; k < 3; ++k)
                middle[k] = fil_rng_uniform(&rng, -0.01, 0.01);
            for (int i = 0; i < VERTICES; ++i) {
                double *x = t.x + 3 * (ptrdiff_t)(strand * VERTICES + i), along = (i - 0.5 * (VERTICES - 1)) * edge;
                x[0] = middle[0] + along * cos(turn);
                x[1] = middle[1] + along * lean;
                x[2] = middle[2] + along * sin(turn);
                for (int k = 0; k < 3; ++k)
                    t.force[3 * (strand * VERTICES + i) + k] = -1e-4 * pow(4, (double)(seed % 2)) * x[k] / 0.01;
            }
        }
        t.group.root = t.group.tip = FIL_END_FREE;
        t.contacts.halvings = 0;
        t.contacts.max_iterations = 1 + (int)(seed % 3);
        world w = world_make(&t.scene, 2);
        double before[3 * ALL];
        memcpy(before, t.x, sizeof before);
        for (int i = 0, told = 0; i < 3 && told == 0; ++i) {
            fil_step_stats stats;
            test_ok(w.context, fil_state_force(w.context, w.state, 0, t.force));
            test_ok(w.context, fil_step(w.context, w.state, 4e-3, &stats));
            fil_state_read(w.state, 0, &(fil_frame){.position = w.x});
            int64_t crossings = count_crossings(w.context, before, w.x);
            ck_assert_msg(crossings == 0 || stats.crossings > 0, "seed %d, step %d: %d", (int)seed, i, (int)crossings);
            told = stats.crossings;
            quiet += told == 0;
            rough += stats.rough_parts && told == 0;
            memcpy(before, w.x, sizeof before);
        }
        world_free(&w);
    }
    ck_assert_int_gt(quiet, 10);
    ck_assert_int_gt(rough, 10);
}

static void count_part(void *user)
{
    ++*(int *)user;
}

TEST(parts_of_a_step_are_seen)
{
    net t;
    make_net(&t, 1e-3, 1e5);
    t.contacts.max_iterations = 2;
    world w = world_make(&t.scene, 1);
    int seen = 0, parts = 0, steps = 5;
    fil_state_watch_parts(w.state, count_part, &seen);
    for (int i = 0; i < steps; ++i) {
        fil_step_stats stats;
        test_ok(w.context, fil_state_force(w.context, w.state, 0, t.force));
        test_ok(w.context, fil_step(w.context, w.state, 4e-3, &stats));
        parts += stats.parts;
    }
    ck_assert_int_gt(parts, steps);
    ck_assert_int_eq(seen, parts - steps);
    world_free(&w);
}

TEST(strands_are_taken_apart_with_the_same_bits_on_any_number_of_threads)
{
    net t;
    double one[3 * ALL], many[3 * ALL];
    make_net(&t, 0.3, 3000);
    run_net(&t, 1, 8, one);
    for (int threads = 2; threads <= 4; ++threads) {
        run_net(&t, threads, 8, many);
        ck_assert_mem_eq(one, many, sizeof one);
    }
}
