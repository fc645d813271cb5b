// Relaxation: an upright rod under loads so small that its energy is rounding.
#include "filum/extend.h"
#include "filum/filum.h"
#include "test.h"

enum { VERTICES = 101 };

// The weight compresses the rod by parts in 1e9: the energy of a step is rounding long before the step is.
TEST(relax_ends_where_the_energy_is_rounding)
{
    fil_context *context = fil_context_create(NULL);
    for (int type = 0; type < fil_strand_type_count(); ++type) {
        if (fil_strand_type_at(type)->live)
            continue; // test_step_live.c
        double x[3 * VERTICES] = {0}, force[3 * VERTICES] = {0};
        const int vertices = VERTICES;
        for (int i = 0; i < VERTICES; ++i)
            x[3 * i + 1] = 0.01 * i;
        fil_group group = fil_group_default();
        group.model = fil_strand_type_at(type)->name;
        group.groom = (fil_groom){.strand_count = 1, .vertex_count = &vertices, .position = x};
        group.material.young = 1e12;
        group.material.radius = 1e-3;
        group.material.stretch_scale = 100;
        fil_scene scene = fil_scene_default();
        scene.gravity[1] = 0;
        scene.groups = &group;
        scene.group_count = 1;
        fil_model *model;
        fil_state *state;
        test_ok(context, fil_model_create(context, &scene, &model));
        test_ok(context, fil_state_create(context, model, &state));
        for (int load = 1; load <= 20; ++load) {
            fil_step_stats stats;
            int modes;
            for (int i = 0; i < VERTICES; ++i)
                force[3 * i + 1] = -0.003 * load;
            test_ok(context, fil_state_force(context, state, 0, force));
            test_ok(context, fil_relax(context, state, 100, &stats));
            ck_assert_int_eq(stats.unconverged + stats.failed, 0);
            test_ok(context, fil_state_unstable_modes(context, state, 0, &modes));
            ck_assert_int_eq(modes, 0);
        }
        fil_state_destroy(state);
        fil_model_destroy(model);
    }
    fil_context_destroy(context);
}
