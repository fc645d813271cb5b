// How much memory whole steps with contacts take: 10,000 strands × 32 vertices, about 100,000 contacts.
//
//     step_memory [--strands 10000] [--repeats 3]
//
// Hair on a ball that it touches, as thick as it takes for ten contacts a strand; repeats are steps of 1 ms from rest
// with the solver `auto`, to 1e-3. Two threads. Measured is the peak of resident memory of the process, all included:
// groom, model, state, and all that steps in trouble took when they were halved. Where `auto` has to form W, as it may
// for smaller tolerances, that comes on top: 76 bytes for each block.
//
// Bar: at most 4 GB, with at least 100,000 contacts in a step. Exit 1 when it is missed.
#include "bench.h"

static const double bar_bytes = 4e9, step = 1e-3, ball = 0.1;
static const int bar_contacts = 100000;

static void make_state(fil_context *context, int strands, fil_model **model, fil_state **state)
{
    char text[160];
    fil_curves *curves = NULL;
    snprintf(text, sizeof text,
             "scalp:strands=%d,length=0.155,segment=0.005,style=wavy,face=false,lowest=0,width=%g,height=%g,depth=%g",
             strands, ball, ball, ball);
    bench_need(context, fil_curves_generate(context, text, &curves));
    fil_scene scene = fil_scene_default();
    fil_group group = fil_group_default();
    fil_contacts contacts = fil_contacts_default();
    fil_obstacle sphere = fil_obstacle_default();
    sphere.shape = FIL_OBSTACLE_SPHERE;
    sphere.size[0] = ball;
    contacts.tolerance = 1e-3;
    group.groom = (fil_groom){
        .strand_count = curves->strand_count, .vertex_count = curves->vertex_count, .position = curves->position};
    group.touch.radius = 4e-5;
    scene.groups = &group;
    scene.group_count = 1;
    scene.contacts = &contacts;
    scene.obstacles = &sphere;
    scene.obstacle_count = 1;
    bench_need(context, fil_model_create(context, &scene, model));
    bench_need(context, fil_state_create(context, *model, state));
    printf("%d strands × %d vertices\n", curves->strand_count, curves->vertex_count[0]);
    fil_curves_destroy(curves);
}

int main(int argc, char **argv)
{
    int strands = 10000, steps = 3, most = 0, retries = 0;
    bench_options(argc, argv, &strands, &steps);
    if (steps < 1 || strands < 1) {
        fprintf(stderr, "usage: step_memory [--strands 10000] [--repeats 3]\n");
        return 2;
    }
    fil_context *context = bench_context(2);
    fil_model *model;
    fil_state *state;
    make_state(context, strands, &model, &state);
    printf("before the first step: %.0f MB\n", 1e-6 * bench_status_bytes("VmHWM:"));
    printf("%5s %9s %9s %6s %8s %9s %9s %9s\n", "step", "contacts", "closed", "parts", "retries", "residual", "seconds",
           "peak MB");
    for (int i = 1; i <= steps; ++i) {
        fil_step_stats stats;
        double start = fil_timer_seconds();
        bench_need(context, fil_step(context, state, step, &stats));
        most = stats.contacts > most ? stats.contacts : most;
        retries += stats.retries;
        printf("%5d %9d %9d %6d %8d %9.1e %9.1f %9.0f\n", i, stats.contacts, stats.closed, stats.parts, stats.retries,
               stats.contact_residual, fil_timer_seconds() - start, 1e-6 * bench_status_bytes("VmHWM:"));
        fflush(stdout);
    }
    double peak = bench_status_bytes("VmHWM:");
    bool met = peak <= bar_bytes && most >= bar_contacts;
    printf("peak %.2f GB, %.1f kB per contact, %d parts tried again; bar: at most %.0f GB, at least %d contacts: %s\n",
           1e-9 * peak, 1e-3 * peak / most, retries, 1e-9 * bar_bytes, bar_contacts, met ? "met" : "MISSED");
    fil_state_destroy(state);
    fil_model_destroy(model);
    fil_context_destroy(context);
    return met ? 0 : 1;
}
