// A rod on the test bench, through the public interface, and the reporting of what it shows.
#include "validate/validate_rig.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

bool fil_validate_going(const fil_validate_task *task)
{
    return task->status == FIL_OK && !task->stopped;
}

const char *fil_validate_no_twist(const fil_validate_task *task)
{
    return task->has_twist ? NULL
                           : "The model has no material frames: no twist inside a segment, one bending stiffness, and "
                             "a clamp does not hold the turn about its edge.";
}

static bool within(const fil_validate_row *row)
{
    // Not a number is never within.
    return row->bar == FIL_BAR_AT_LEAST ? row->measured >= row->bound : fabs(row->error) <= row->bound;
}

static void show(fil_validate_task *task, fil_validate_row *row, fil_validate_verdict excuse, const char *reason,
                 const char *quantity, va_list arguments)
{
    if (!fil_validate_going(task))
        return;
    char text[160];
    vsnprintf(text, sizeof text, quantity, arguments);
    row->name = task->name;
    row->quantity = text;
    row->error = row->measured - row->theory;
    if (row->bar == FIL_BAR_RELATIVE)
        row->error /= row->theory;
    row->reason = "";
    if (task->unsettled)
        row->reason = "A solve did not converge.";
    row->verdict = within(row) && !task->unsettled ? FIL_VERDICT_PASS : FIL_VERDICT_MISS;
    // A figure that comes out right without the mechanism behind it is luck.
    if (reason && (row->verdict == FIL_VERDICT_MISS || excuse == FIL_VERDICT_BY_DESIGN)) {
        row->verdict = excuse;
        row->reason = reason;
    }
    task->unsettled = false;
    if (!task->def->row(task->def->user, row))
        task->stopped = true;
}

void fil_validate_report(fil_validate_task *task, fil_validate_row *row, fil_validate_verdict excuse,
                         const char *reason, const char *quantity, ...)
{
    va_list arguments;
    va_start(arguments, quantity);
    show(task, row, excuse, reason, quantity, arguments);
    va_end(arguments);
}

void fil_validate_report_relative(fil_validate_task *task, double theory, double measured, const char *quantity, ...)
{
    fil_validate_row row = {.theory = theory, .measured = measured, .bound = 0.01, .bar = FIL_BAR_RELATIVE};
    va_list arguments;
    va_start(arguments, quantity);
    show(task, &row, FIL_VERDICT_MISS, NULL, quantity, arguments);
    va_end(arguments);
}

void fil_validate_report_zero(fil_validate_task *task, double measured, double bound, const char *quantity, ...)
{
    fil_validate_row row = {.measured = fabs(measured), .bound = bound, .bar = FIL_BAR_ABSOLUTE};
    va_list arguments;
    va_start(arguments, quantity);
    show(task, &row, FIL_VERDICT_MISS, NULL, quantity, arguments);
    va_end(arguments);
}

void fil_validate_report_at_least(fil_validate_task *task, double measured, double bound, const char *quantity, ...)
{
    fil_validate_row row = {.theory = NAN, .measured = measured, .bound = bound, .bar = FIL_BAR_AT_LEAST};
    va_list arguments;
    va_start(arguments, quantity);
    show(task, &row, FIL_VERDICT_MISS, NULL, quantity, arguments);
    va_end(arguments);
}

bool fil_rig_begin(fil_validate_task *task, int vertices, fil_rig *rig)
{
    return fil_rig_begin_strands(task, 1, vertices, rig);
}

bool fil_rig_begin_strands(fil_validate_task *task, int strands, int vertices, fil_rig *rig)
{
    *rig = (fil_rig){.task = task,
                     .strands = strands,
                     .vertices = strands * vertices,
                     .scene = fil_scene_default(),
                     .group = fil_group_default(),
                     .contacts = fil_contacts_default(),
                     .obstacle = fil_obstacle_default()};
    if (!fil_validate_going(task))
        return false;
    rig->arena = fil_arena_create(task->context);
    double **arrays[] = {&rig->start,    &rig->rest,     &rig->strain, &rig->start_velocity,
                         &rig->position, &rig->velocity, &rig->mass,   &rig->force};
    rig->vertex_count = rig->arena ? FIL_ARENA_ARRAY(rig->arena, int, (size_t)strands) : NULL;
    bool good = rig->vertex_count != NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && good; ++i) {
        *arrays[i] = FIL_ARENA_ARRAY(rig->arena, double, (size_t)rig->vertices * 3);
        good = *arrays[i] != NULL;
    }
    if (!good) {
        task->status = FIL_NO_MEMORY;
        return false;
    }
    for (int i = 0; i < strands; ++i)
        rig->vertex_count[i] = vertices;
    for (int k = 0; k < 3; ++k)
        rig->scene.gravity[k] = 0;
    rig->scene.motion.tolerance = 1e-10;
    rig->group.model = task->def->model;
    rig->group.groom.strand_count = strands;
    rig->group.groom.vertex_count = rig->vertex_count;
    rig->group.groom.position = rig->start;
    return true;
}

void fil_rig_rod(fil_rig *rig, double radius, double bend, double poisson, double stretch_scale)
{
    fil_material *material = &rig->group.material;
    material->radius = radius;
    material->young = bend / (0.25 * pi * radius * radius * radius * radius);
    material->density = 1 / (pi * radius * radius);
    material->poisson = poisson;
    material->stretch_scale = stretch_scale;
}

// Half of each edge's mass at each of its ends, as the library does it.
static void fill_mass(fil_rig *rig)
{
    const fil_material *material = &rig->group.material;
    double line = material->density * pi * material->radius * material->radius * material->aspect;
    const double *x = rig->group.groom.rest ? rig->group.groom.rest : rig->start;
    for (int i = 0; i + 1 < rig->vertices; ++i) {
        if ((i + 1) % rig->vertex_count[0] == 0)
            continue; // not an edge: the next strand begins
        const double *a = x + (ptrdiff_t)3 * i, *b = a + 3;
        double half =
            0.5 * line *
            sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
        rig->mass[i] += half, rig->mass[i + 1] += half;
    }
}

void fil_rig_touch(fil_rig *rig)
{
    rig->scene.contacts = &rig->contacts;
}

void fil_rig_touch_obstacle(fil_rig *rig)
{
    fil_rig_touch(rig);
    rig->scene.obstacles = &rig->obstacle;
    rig->scene.obstacle_count = 1;
}

void fil_rig_finish(fil_rig *rig)
{
    fil_validate_task *task = rig->task;
    if (!fil_validate_going(task))
        return;
    fill_mass(rig);
    rig->scene.groups = &rig->group;
    rig->scene.group_count = 1;
    task->status = fil_model_create(task->context, &rig->scene, &rig->model);
    if (task->status == FIL_OK)
        task->status = fil_state_create(task->context, rig->model, &rig->state);
    if (task->status != FIL_OK)
        return;
    rig->saved = fil_arena_allocate(rig->arena, fil_state_size(rig->state), 1);
    if (!rig->saved)
        task->status = FIL_NO_MEMORY;
    fil_rig_save(rig);
    fil_rig_read(rig);
}

void fil_rig_end(fil_rig *rig)
{
    fil_rig_audit_end(rig);
    fil_state_destroy(rig->state);
    fil_model_destroy(rig->model);
    fil_arena_destroy(rig->arena);
}

void fil_rig_weigh(fil_rig *rig, const double weight[3], const double *tip)
{
    if (!fil_validate_going(rig->task))
        return;
    for (int i = 0; i < rig->vertices; ++i)
        for (int k = 0; k < 3; ++k)
            rig->force[3 * i + k] = rig->mass[i] * weight[k] + (tip && i + 1 == rig->vertices ? tip[k] : 0);
    rig->task->status = fil_state_force(rig->task->context, rig->state, 0, rig->force);
}

static void note(fil_rig *rig, const fil_step_stats *stats)
{
    if (stats->unconverged > 0 || stats->failed > 0 || stats->rough_parts > 0)
        rig->task->unsettled = true;
}

void fil_rig_relax(fil_rig *rig)
{
    fil_step_stats stats = {0};
    if (!fil_validate_going(rig->task))
        return;
    rig->task->status = fil_relax(rig->task->context, rig->state, 2000, &stats);
    note(rig, &stats);
    fil_rig_read(rig);
}

void fil_rig_step(fil_rig *rig, double h)
{
    if (!fil_validate_going(rig->task))
        return;
    rig->task->status = fil_step(rig->task->context, rig->state, h, &rig->stats);
    note(rig, &rig->stats);
    fil_rig_read(rig);
    fil_rig_audit_look(rig);
}

void fil_rig_read(fil_rig *rig)
{
    if (fil_validate_going(rig->task))
        fil_state_read(rig->state, 0, &(fil_frame){.position = rig->position, .velocity = rig->velocity});
}

void fil_rig_save(fil_rig *rig)
{
    if (fil_validate_going(rig->task))
        fil_state_save(rig->state, rig->saved);
}

void fil_rig_restore(fil_rig *rig)
{
    if (fil_validate_going(rig->task))
        rig->task->status = fil_state_load(rig->task->context, rig->state, rig->saved, fil_state_size(rig->state));
    fil_rig_read(rig);
}

double fil_rig_extent(const fil_rig *rig, int axis)
{
    double most = 0;
    for (int i = 0; i < rig->vertices; ++i)
        most = fmax(most, fabs(rig->position[3 * i + axis]));
    return most;
}

void fil_rig_drift(const fil_rig *rig, double velocity[3])
{
    double mass = 0;
    velocity[0] = velocity[1] = velocity[2] = 0;
    for (int i = 0; i < rig->vertices; ++i) {
        mass += rig->mass[i];
        for (int k = 0; k < 3; ++k)
            velocity[k] += rig->mass[i] * rig->velocity[3 * i + k];
    }
    for (int k = 0; k < 3; ++k)
        velocity[k] /= mass;
}

double fil_rig_fastest(const fil_rig *rig)
{
    double most = 0;
    for (int i = 0; i < rig->vertices; ++i) {
        const double *v = rig->velocity + (ptrdiff_t)3 * i;
        most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return most;
}

// Sets the load and tells whether the shape is stable there; keeps the state if so. Rounding may take a shape off its
// plane once the plane is unstable: that counts, too.
static bool stable_at(fil_rig *rig, void (*apply)(fil_rig *rig, double load), double load)
{
    int modes = 0;
    bool unsettled = rig->task->unsettled;
    apply(rig, load);
    fil_rig_relax(rig);
    if (fil_validate_going(rig->task))
        rig->task->status = fil_state_unstable_modes(rig->task->context, rig->state, 0, &modes);
    if (modes == 0 && fil_rig_extent(rig, 2) < 1e-6) {
        fil_rig_save(rig);
        return true;
    }
    // Where a shape goes that is not stable does not matter.
    rig->task->unsettled = unsettled;
    return false;
}

double fil_rig_critical(fil_rig *rig, void (*apply)(fil_rig *rig, double load), double stride, double most)
{
    double low = 0, high = stride;
    while (stable_at(rig, apply, high)) {
        low = high;
        high += stride;
        if (high > most || !fil_validate_going(rig->task))
            return NAN;
    }
    while (high - low > 1e-5 * high && fil_validate_going(rig->task)) {
        double middle = 0.5 * (low + high);
        fil_rig_restore(rig);
        if (stable_at(rig, apply, middle))
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}
