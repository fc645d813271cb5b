// Live strands in a host with a clock: 2,000 hairs on a head that shakes, 60 steps a second, each within its time.
// Build it against an installed filum:
//
//     cc realtime.c $(pkg-config --cflags --libs filum) -lm -o realtime
//     ./realtime [SECONDS]
#include <filum/filum.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wait_until(double when)
{
    double left = when - seconds_now();
    if (left > 0)
        nanosleep(&(struct timespec){.tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - floor(left)))}, NULL);
}

// Hair as it lies on the head, and the head as a sphere.
static fil_status make(fil_context *context, fil_model **model, fil_state **state)
{
    fil_curves *hair;
    fil_status status = fil_curves_generate(context, "scalp:strands=2000,length=0.15,segment=0.01,style=wavy", &hair);
    if (status)
        return status;
    fil_scene scene = fil_scene_default();
    fil_group group = fil_group_default();
    fil_contacts contacts = fil_contacts_default();
    fil_obstacle head = fil_obstacle_default();
    group.model = "tridiag:hangs=true,global=0.05";
    group.groom =
        (fil_groom){.strand_count = hair->strand_count, .vertex_count = hair->vertex_count, .position = hair->position};
    head.shape = FIL_OBSTACLE_SPHERE;
    head.size[0] = 0.07;
    scene.groups = &group;
    scene.group_count = 1;
    scene.contacts = &contacts;
    scene.obstacles = &head;
    scene.obstacle_count = 1;
    status = fil_model_create(context, &scene, model);
    if (!status)
        status = fil_state_create(context, *model, state);
    fil_curves_destroy(hair);
    return status;
}

int main(int count, char **words)
{
    const double h = 1.0 / 60, duration = count > 1 ? atof(words[1]) : 3;
    fil_context *context = fil_context_create(NULL);
    fil_model *model = NULL;
    fil_state *state = NULL;
    fil_status status = make(context, &model, &state);
    int steps = (int)(duration / h), late = 0;
    double worst = 0, sum = 0, begin = seconds_now();
    for (int i = 1; i <= steps && !status; ++i) {
        double turn = 0.6 * sin(6 * i * h), start = seconds_now();
        fil_pose pose = {.rotation = {cos(turn / 2), 0, sin(turn / 2), 0}};
        status = fil_state_pose(context, state, 0, FIL_HOLD_ROOT, -1, &pose);
        if (!status)
            status = fil_step(context, state, h, NULL); // allocates nothing, takes no lock
        double took = seconds_now() - start;
        worst = took > worst ? took : worst;
        sum += took;
        late += took > h;
        wait_until(begin + i * h);
    }
    if (status)
        fprintf(stderr, "%s\n", fil_context_error(context));
    else
        printf("%d steps of %d strands: %.2f ms in the mean, %.2f ms the worst, %d late\n", steps,
               fil_model_strand_count(model, 0), 1e3 * sum / steps, 1e3 * worst, late);
    fil_state_destroy(state);
    fil_model_destroy(model);
    fil_context_destroy(context);
    return status ? 1 : 0;
}
