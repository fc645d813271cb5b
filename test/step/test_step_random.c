// A thousand random scenes: no NaN, no crash, and what is reported as converged is.
#include "test.h"

#include "scenes.h"
#include "step/step_pack.h"

#include <stdio.h>

typedef struct tally {
    int strands, unconverged, failed, most_iterations;
    int missed; // strands that claim to have converged and have not
} tally;

// Strands that claim to have converged although one more Newton iteration would change a velocity by a thousand times
// the tolerance. The scratch of the step still holds its objective.
static int count_missed(fil_state *state, double s)
{
    const fil_strands *S = &state->model->groups[0];
    fil_group_scratch *scratch = &state->scratch[0];
    int missed = 0;
    for (int pack = 0; pack < S->pack_count; ++pack) {
        fil_newton newton;
        fil_v4 energy, change;
        int negative[FIL_LANES];
        fil_newton_start(S, scratch, pack, &newton);
        ptrdiff_t row = S->pack_row[pack] * FIL_LANES;
        if (S->relaxation > 0)
            newton.kernel.strain = scratch->strain + row * S->type->strain_count;
        newton.kernel.stiffening = 1 + S->relaxation / state->head->h_before;
        newton.a = 1 / (s * s);
        newton.b = 1 / s;
        newton.q = state->groups[0].q + row * S->type->dofs;
        newton.frame = state->groups[0].frame + row * S->type->frame_count;
        fil_newton_evaluate(&newton, false, true, &energy);
        fil_newton_factor(&newton, fil_v4_all(0), negative);
        fil_newton_direction(&newton, (fil_m4){-1, -1, -1, -1}, &change);
        for (int lane = 0; lane < FIL_LANES && pack * FIL_LANES + lane < S->strand_count; ++lane)
            missed += scratch->report[pack * FIL_LANES + lane].converged &&
                      !(change[lane] / s <= 1e3 * state->model->motion.tolerance);
    }
    return missed;
}

static double effective_step(const fil_motion *motion, double h, bool first)
{
    if (motion->scheme == FIL_SCHEME_THETA)
        return motion->theta * h;
    return motion->scheme == FIL_SCHEME_BDF2 && !first ? 2 * h / 3 : h;
}

static void run_scene(uint64_t seed, const char *model_name, tally *sum)
{
    random_scene made;
    random_scene_make(seed, model_name, &made);
    fil_context *context = fil_context_create(NULL);
    fil_model *model;
    fil_state *state;
    test_ok(context, fil_model_create(context, &made.scene, &model));
    test_ok(context, fil_state_create(context, model, &state));
    fil_rng rng = fil_rng_make(seed + 1000000);
    fil_pose pose = fil_pose_default();
    for (int i = 0; i < 10; ++i) {
        fil_step_stats stats;
        random_scene_shake(&made, &rng, &pose);
        test_ok(context, fil_state_pose(context, state, 0, FIL_HOLD_ROOT, -1, &pose));
        test_ok(context, fil_step(context, state, made.h, &stats));
        ck_assert_int_eq(stats.strands, SCENE_STRANDS);
        int64_t numbers = model->groups[0].row_count * model->groups[0].type->dofs * FIL_LANES;
        for (int64_t k = 0; k < numbers; ++k)
            ck_assert_msg(isfinite(state->groups[0].q[k]) && isfinite(state->groups[0].v[k]), "seed %lld step %d",
                          (long long)seed, i);
        sum->missed += count_missed(state, effective_step(&made.scene.motion, made.h, i == 0));
        sum->strands += stats.strands;
        sum->unconverged += stats.unconverged;
        sum->failed += stats.failed;
        if (stats.most_iterations > sum->most_iterations)
            sum->most_iterations = stats.most_iterations;
    }
    fil_state_destroy(state);
    fil_model_destroy(model);
    fil_context_destroy(context);
}

static void run_scenes(int first, int count, int missed_allowed)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        if (fil_strand_type_at(t)->live)
            continue; // test_step_live.c
        tally sum = {0};
        for (int seed = first; seed < first + count; ++seed)
            run_scene((uint64_t)seed, fil_strand_type_at(t)->name, &sum);
        printf(
            "%s: %d scenes, %d strand steps: %d unconverged, %d failed, %d wrongly converged; at most %d iterations\n",
            fil_strand_type_at(t)->name, count, sum.strands, sum.unconverged, sum.failed, sum.missed,
            sum.most_iterations);
        // Hostile as they are, nearly all converge; and who says so has.
        ck_assert_int_le(sum.unconverged + sum.failed, sum.strands / 50);
        ck_assert_int_le(sum.missed, missed_allowed);
    }
}

TEST(step_survives_a_thousand_random_scenes)
{
    run_scenes(0, 1000, 0);
}

TEST_LONG(step_survives_many_more_random_scenes)
{
    // A known flaw (docs/step.md): of 600,000 strand steps 6 of der and 10 of lifted.
    run_scenes(1000, 10000, 10);
}
