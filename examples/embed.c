// filum in a host program: a hundred curls on a head that nods. Build it against an installed filum:
//
//     cc embed.c $(pkg-config --cflags --libs filum) -lm -o embed
#include <filum/filum.h>

#include <math.h>
#include <stdio.h>

enum { STRANDS = 100, VERTICES = 30, FRAMES = 48 };

static int vertex_count[STRANDS];
static double position[STRANDS][VERTICES][3];

int main(void)
{
    // The groom: one helix per strand, 15 cm long, hanging from a line.
    for (int s = 0; s < STRANDS; ++s) {
        vertex_count[s] = VERTICES;
        for (int i = 0; i < VERTICES; ++i) {
            double u = (double)i / (VERTICES - 1), angle = s + 20 * u;
            position[s][i][0] = 0.001 * s + 0.006 * (cos(angle) - cos(s));
            position[s][i][1] = -0.15 * u;
            position[s][i][2] = 0.006 * (sin(angle) - sin(s));
        }
    }
    fil_group hair = fil_group_default(); // human hair, modelled as `der`, clamped at the root
    hair.groom = (fil_groom){.strand_count = STRANDS, .vertex_count = vertex_count, .position = &position[0][0][0]};
    fil_scene scene = fil_scene_default(); // earth's gravity, y is up
    scene.groups = &hair;
    scene.group_count = 1;

    fil_context *context = fil_context_create(NULL);
    fil_model *model = NULL;
    fil_state *state = NULL;
    if (fil_model_create(context, &scene, &model) || fil_state_create(context, model, &state)) {
        fprintf(stderr, "%s\n", fil_context_error(context));
        return 1;
    }
    for (int frame = 1; frame <= FRAMES; ++frame) {
        double nod = 0.5 * sin(6.283 * frame / 24.0);
        fil_pose head = {.rotation = {cos(nod / 2), sin(nod / 2), 0, 0}};
        fil_step_stats stats;
        fil_state_pose(context, state, 0, FIL_HOLD_ROOT, -1, &head);
        fil_step(context, state, 1.0 / 24, &stats);
        if (stats.unconverged || stats.failed)
            printf("frame %d: %d strands did not converge\n", frame, stats.unconverged + stats.failed);
    }
    fil_state_read(state, 0, &(fil_frame){.position = &position[0][0][0]});
    const double *tip = position[0][VERTICES - 1];
    printf("after %.1f s the tip of the first strand is at %.3f %.3f %.3f\n", fil_state_time(state), tip[0], tip[1],
           tip[2]);

    fil_state_destroy(state);
    fil_model_destroy(model);
    fil_context_destroy(context);
    return 0;
}
