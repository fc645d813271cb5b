// How fast local impulses converge on one contact [Jia20, figure 4-8].
//
//     convergence [--csv FILE] [--svg FILE]
//
// A strand falls across one that is held at both ends. Two steps of that fall are looked at: the one in which they
// first touch, and the one before which they store the most elastic energy. Each is made again and again from the same
// positions and velocities, without impulses to begin with, and with 1, 2, 3 ... iterations at most; what an iteration
// changed is the difference of two of these.
#include "contact/contact_map.h"
#include "contact/contact_watch.h"
#include "filum/filum.h"
#include "render/plot.h"
#include "step/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS = 2, VERTICES = 16, ITERATIONS = 50, STEPS = 150, SIZE = 3 * VERTICES };
static const double h = 1e-3;

typedef enum moment { TOUCH, BENT, MOMENTS } moment;
static const char *const moment_names[MOMENTS] = {"touch", "bent"};

typedef struct pair_of_strands {
    double position[STRANDS][SIZE], velocity[STRANDS][SIZE];
} pair_of_strands;

// One contact: u = Σ over sides of F (w0 v_i + w1 v_i+1) + w, as the problem of the step has it.
typedef struct one_contact {
    bool known;
    int vertex[STRANDS];
    double weight[STRANDS][2], frame[9], w[3], mu;
    double rho, free_speed; // what its residual is measured by
    fil_context *context;
} one_contact;

// After so many iterations.
typedef struct iterate {
    double velocity[STRANDS][SIZE], r[3], fb, natural;
} iterate;

typedef struct curves {
    double iteration[ITERATIONS], velocity[ITERATIONS], impulse[ITERATIONS], fb[ITERATIONS], natural[ITERATIONS];
    int time; // steps since the start
} curves;

static void need(fil_context *context, fil_status status)
{
    if (status == FIL_OK)
        return;
    fprintf(stderr, "convergence: %s\n", fil_context_error(context));
    exit(3);
}

static void complain(const char *what, const char *which)
{
    fprintf(stderr, "convergence: %s: %s\n", which, what);
    exit(2);
}

// ---- the scene

static void lay_out(pair_of_strands *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < VERTICES; ++i) {
        out->position[0][3 * i] = 0.01 * (i - 7.5);
        out->position[1][3 * i + 1] = 0.0013;
        out->position[1][3 * i + 2] = 0.01 * (i - 7.5);
    }
}

typedef struct scene {
    fil_scene scene;
    fil_group groups[STRANDS];
    fil_contacts contacts;
    int vertices;
    pair_of_strands rest;
} scene;

static void make_scene(const pair_of_strands *start, int most, double tolerance, scene *out)
{
    *out = (scene){.scene = fil_scene_default(), .contacts = fil_contacts_default(), .vertices = VERTICES};
    lay_out(&out->rest);
    for (int s = 0; s < STRANDS; ++s) {
        fil_group *group = &out->groups[s];
        *group = fil_group_default();
        group->material.radius = 5e-4;
        group->material.young = 1e8;
        group->root = FIL_END_PINNED;
        group->tip = s == 0 ? FIL_END_PINNED : FIL_END_FREE;
        group->groom = (fil_groom){.strand_count = 1,
                                   .vertex_count = &out->vertices,
                                   .position = start->position[s],
                                   .velocity = start->velocity[s],
                                   .rest = out->rest.position[s]};
    }
    out->contacts.method = FIL_CONTACTS_IMPULSE;
    out->contacts.max_iterations = most;
    out->contacts.tolerance = tolerance;
    out->contacts.halvings = 0;
    out->scene.groups = out->groups;
    out->scene.group_count = STRANDS;
    out->scene.contacts = &out->contacts;
}

static void read_pair(const fil_state *state, pair_of_strands *out)
{
    for (int s = 0; s < STRANDS; ++s)
        fil_state_read(state, s, &(fil_frame){.position = out->position[s], .velocity = out->velocity[s]});
}

static double elastic_energy(const fil_state *state)
{
    double sum = 0;
    for (int s = 0; s < STRANDS; ++s) {
        fil_measure measure;
        fil_state_measure(state, s, &measure);
        sum += measure.elastic;
    }
    return sum;
}

// Where strands are before the two steps.
static void find_moments(fil_context *context, pair_of_strands out[MOMENTS], int time[MOMENTS])
{
    pair_of_strands start, now;
    scene made;
    fil_model *model;
    fil_state *state;
    lay_out(&start);
    make_scene(&start, 3000, 1e-8, &made);
    need(context, fil_model_create(context, &made.scene, &model));
    need(context, fil_state_create(context, model, &state));
    bool touched = false;
    double most = 0;
    for (int i = 0; i < STEPS; ++i) {
        fil_step_stats stats;
        double energy = elastic_energy(state);
        read_pair(state, &now);
        need(context, fil_step(context, state, h, &stats));
        if (stats.closed > 0 && !touched)
            out[TOUCH] = now, time[TOUCH] = i;
        touched = touched || stats.closed > 0;
        if (stats.closed > 0 && energy > most)
            out[BENT] = now, time[BENT] = i, most = energy;
    }
    fil_state_destroy(state);
    fil_model_destroy(model);
    if (!touched)
        complain("strands do not touch", "the scene");
}

// ---- one step

// Takes the contact out of the problem of a step: F and the weights of the vertices.
static void look(void *user, double time, const fil_contact_problem *problem, const double *guess)
{
    (void)time, (void)guess;
    one_contact *out = user;
    const fil_contact_jacobian *H = &problem->H;
    if (problem->contact_count != 1 || H->side_start[1] != STRANDS)
        complain("must have one contact of two strands", "the step");
    for (int side = 0; side < STRANDS; ++side) {
        int dofs = H->dof_count[side] - 3, strand = H->body[side];
        const double *value = H->value + H->value_start[side];
        double sign = side == 0 ? 1 : -1;
        out->vertex[strand] = H->first_dof[side] / dofs;
        for (int m = 0; side == 0 && m < 9; ++m)
            out->frame[m] = value[m] + value[3 * dofs + m];
        // F has orthonormal rows: its first row times that of w F is w.
        for (int k = 0; k < 2; ++k) {
            const double *block = value + 3 * dofs * k;
            out->weight[strand][k] = block[0] * out->frame[0] + block[3] * out->frame[3] + block[6] * out->frame[6];
        }
        if (fabs(sign * (out->weight[strand][0] + out->weight[strand][1]) - 1) > 1e-9)
            complain("touches a held vertex", "the contact");
    }
    memcpy(out->w, problem->w, sizeof out->w);
    out->mu = problem->mu[0];
    fil_arena *arena = fil_arena_borrow(out->context);
    fil_contact_scale scale;
    need(out->context, arena ? fil_contact_watch_scale(out->context, arena, problem, &scale) : FIL_NO_MEMORY);
    out->rho = scale.merit.rho;
    out->free_speed = scale.merit.norm_q;
    out->known = true;
    fil_arena_give_back(arena);
}

// The law at the contact, with the velocities and the force of the state.
static void judge(const fil_state *state, const one_contact *contact, iterate *out)
{
    const double *F = contact->frame;
    double u[3] = {contact->w[0], contact->w[1], contact->w[2]}, map[3];
    for (int s = 0; s < STRANDS; ++s)
        for (int k = 0; k < 2; ++k) {
            const double *v = out->velocity[s] + 3 * (ptrdiff_t)(contact->vertex[s] + k);
            for (int row = 0; row < 3; ++row)
                u[row] += contact->weight[s][k] * (F[row] * v[0] + F[row + 3] * v[1] + F[row + 6] * v[2]);
        }
    for (int row = 0; row < 3; ++row) {
        out->r[row] = 0;
        for (int k = 0; k < 3 && state->head->tracked > 0; ++k)
            out->r[row] += h * F[row + 3 * k] * (double)state->tracked[0].force[k];
    }
    fil_contact_map(FIL_MAP_FB, contact->mu, contact->rho, out->r, u, map, NULL, NULL);
    out->fb = sqrt(map[0] * map[0] + map[1] * map[1] + map[2] * map[2]) / (contact->rho * contact->free_speed);
}

static void step_once(fil_context *context, const pair_of_strands *start, int iterations, iterate *out)
{
    scene made;
    fil_model *model;
    fil_state *state;
    fil_step_stats stats;
    pair_of_strands end;
    one_contact contact = {.context = context};
    make_scene(start, iterations, 1e-14, &made);
    need(context, fil_model_create(context, &made.scene, &model));
    need(context, fil_state_create(context, model, &state));
    fil_state_watch(state, look, &contact);
    need(context, fil_step(context, state, h, &stats));
    if (!contact.known)
        complain("has no contact", "the step");
    read_pair(state, &end);
    memcpy(out->velocity, end.velocity, sizeof out->velocity);
    judge(state, &contact, out);
    out->natural = stats.contact_residual;
    fil_state_destroy(state);
    fil_model_destroy(model);
}

// ---- curves

// [Jia20, eq. 4.3] of the vertices.
static double velocity_change(const iterate *a, const iterate *b)
{
    double mean = 0;
    for (int s = 0; s < STRANDS; ++s) {
        double square = 0;
        for (int k = 0; k < SIZE; ++k)
            square += (a->velocity[s][k] - b->velocity[s][k]) * (a->velocity[s][k] - b->velocity[s][k]);
        mean += sqrt(square) / SIZE / STRANDS;
    }
    return mean;
}

static void measure(fil_context *context, const pair_of_strands *start, curves *out)
{
    iterate before, now;
    step_once(context, start, 1, &before);
    for (int i = 0; i < ITERATIONS; ++i, before = now) {
        step_once(context, start, i + 2, &now);
        double d[3] = {now.r[0] - before.r[0], now.r[1] - before.r[1], now.r[2] - before.r[2]};
        out->iteration[i] = i + 1;
        out->velocity[i] = velocity_change(&now, &before);
        out->impulse[i] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        out->fb[i] = now.fb;
        out->natural[i] = now.natural;
    }
}

static void write_csv(const char *path, const curves all[MOMENTS])
{
    FILE *file = fopen(path, "w");
    if (!file)
        complain("cannot be written", path);
    fprintf(file, "moment,time_s,iteration,velocity_change_m_s,impulse_change_N_s,fischer_burmeister,natural\n");
    for (int m = 0; m < MOMENTS; ++m)
        for (int i = 0; i < ITERATIONS; ++i)
            fprintf(file, "%s,%g,%d,%.6e,%.6e,%.6e,%.6e\n", moment_names[m], h * all[m].time, i + 1, all[m].velocity[i],
                    all[m].impulse[i], all[m].fb[i], all[m].natural[i]);
    if (fclose(file) != 0)
        complain("cannot be written", path);
}

// Changes relative to the first, so that all of them fit one axis.
static fil_status draw(fil_context *context, const char *path, const curves all[MOMENTS])
{
    static double relative[MOMENTS][2][ITERATIONS];
    fil_plot_series series[MOMENTS][3];
    fil_plot_panel panels[MOMENTS];
    for (int m = 0; m < MOMENTS; ++m) {
        for (int i = 0; i < ITERATIONS; ++i) {
            relative[m][0][i] = all[m].velocity[i] / all[m].velocity[0];
            relative[m][1][i] = all[m].impulse[i] / all[m].impulse[0];
        }
        const double *y[3] = {relative[m][0], relative[m][1], all[m].fb};
        const char *const names[3] = {"change of velocity", "change of impulse", "Fischer-Burmeister"};
        for (int k = 0; k < 3; ++k)
            series[m][k] = (fil_plot_series){.name = names[k], .x = all[m].iteration, .y = y[k], .count = ITERATIONS};
        panels[m] = (fil_plot_panel){.title = m == TOUCH ? "first touch" : "greatest bending",
                                     .x = {.label = "iterations"},
                                     .y = {.label = "relative to the first", .log = true, .min = 1e-7, .max = 10},
                                     .series = series[m]};
    }
    fil_plot plot = {.title = "Local impulses on one contact",
                     .width = 900,
                     .height = 420,
                     .panels = panels,
                     .panel_count = MOMENTS,
                     .series_count = 3};
    return fil_plot_write(context, &plot, path);
}

int main(int argc, char **argv)
{
    static curves all[MOMENTS];
    pair_of_strands start[MOMENTS];
    int time[MOMENTS];
    const char *csv = NULL, *svg = NULL;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--csv") != 0 && strcmp(argv[i], "--svg") != 0)
            complain("no such option", argv[i]);
        if (i + 1 == argc)
            complain("needs a value", argv[i]);
        *(argv[i][2] == 'c' ? &csv : &svg) = argv[i + 1];
    }
    fil_context_def def = fil_context_def_default();
    def.threads = 1;
    fil_context *context = fil_context_create(&def);
    if (!context)
        complain("no memory", "start");
    find_moments(context, start, time);
    printf("%-6s %8s %9s %14s %14s %12s %12s\n", "moment", "time s", "iteration", "velocity m/s", "impulse N s", "FB",
           "natural");
    for (int m = 0; m < MOMENTS; ++m) {
        measure(context, &start[m], &all[m]);
        all[m].time = time[m];
        for (int i = 0; i < ITERATIONS; i += i < 9 ? 1 : 10)
            printf("%-6s %8.3f %9d %14.3e %14.3e %12.3e %12.3e\n", moment_names[m], h * time[m], i + 1,
                   all[m].velocity[i], all[m].impulse[i], all[m].fb[i], all[m].natural[i]);
    }
    if (csv)
        write_csv(csv, all);
    if (svg)
        need(context, draw(context, svg, all));
    fil_context_destroy(context);
    return 0;
}
