// The audit: reads the frames of a run and counts what must not be there. It knows nothing of how they were made, and
// shares no code with the detection that it checks (src/collide).
//
// Strands that passed through each other are told from those that were only near by a sum: every pass of two segments
// has a sign, and what two strands add up to between two frames is the same for every way from one to the other,
// unless a free end goes around. A strand that goes through and comes back adds up to nothing.
#include "validate/audit.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "validate/audit_crossing.h"
#include "validate/audit_inside.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRAIN = 512 };

struct fil_audit {
    fil_arena *arena, *scratch; // for as long as the audit, for one frame
    fil_cache *cache;
    const fil_film *film;
    fil_audit_strands strands;
    int *first, *strand_of;
    unsigned char *holder;    // [vertices] 0: free, 1: held by the root ..., as in fil_groom
    unsigned char *held;      // [vertices] now
    float *position, *before; // [3 vertices]
    float *stretch;           // [vertices]
    double *depth;            // [2 vertices] of the vertices, of the middles of the segments behind them
    fil_audit_solid **solids; // [bodies] NULL: left out
    const char **left_out;    // [bodies]
    double time;
    int frame;
    const fil_audit_def *def;
    fil_audit_report *report;
};

static bool is_checked(const fil_audit *self, fil_audit_kind kind)
{
    return (self->def->checks >> kind & 1u) != 0;
}

static void add(fil_audit *self, fil_audit_kind kind, int64_t count, const fil_audit_finding *finding)
{
    fil_audit_report *report = self->report;
    if (report->kept[kind] < FIL_AUDIT_KEPT) {
        fil_audit_finding *kept = &report->finding[kind][report->kept[kind]++];
        *kept = *finding;
        kept->frame = self->frame;
    }
    report->found[kind] += count;
}

static fil_audit_finding finding_at(const fil_audit *self, int vertex, double value)
{
    int strand = self->strand_of[vertex];
    fil_audit_finding finding = {.strand = {strand}, .segment = {vertex - self->first[strand]}, .value = value};
    for (int k = 0; k < 3; ++k)
        finding.place[k] = (double)self->position[3 * (int64_t)vertex + k];
    return finding;
}

static bool has_segment(const fil_audit *self, int vertex)
{
    return vertex + 1 < self->first[self->strand_of[vertex] + 1];
}

// Numbers

static void check_numbers(fil_audit *self)
{
    int vertices = self->first[self->strands.strand_count];
    for (int v = 0; v < vertices; ++v) {
        const float *x = self->position + 3 * (int64_t)v;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]) || !isfinite(self->stretch[v])) {
            fil_audit_finding finding = finding_at(self, v, 0);
            add(self, FIL_AUDIT_NOT_FINITE, 1, &finding);
        }
    }
}

static void check_stretch(fil_audit *self)
{
    int vertices = self->first[self->strands.strand_count];
    for (int v = 0; v < vertices; ++v) {
        double stretch = (double)self->stretch[v];
        if (!has_segment(self, v) || !isfinite(stretch))
            continue;
        if (fabs(stretch) > fabs(self->report->worst_stretch))
            self->report->worst_stretch = stretch;
        if (fabs(stretch) > self->def->stretch) {
            fil_audit_finding finding = finding_at(self, v, stretch);
            add(self, FIL_AUDIT_STRETCH, 1, &finding);
        }
    }
}

// Crossings

// The event that tells of a pair of strands: the first that goes the way that they went on balance.
static const fil_audit_event *witness(const fil_audit_events *events, int64_t begin, int net)
{
    const fil_audit_event *event = &events->event[begin];
    while ((event->pass.sign > 0) != (net > 0))
        ++event;
    return event;
}

static fil_status check_crossings(fil_context *context, fil_audit *self)
{
    fil_audit_events events;
    fil_status status = fil_audit_crossing_find(context, self->scratch, &self->strands, &events);
    if (status != FIL_OK)
        return status;
    self->report->passes += events.count;
    for (int64_t begin = 0, end; begin < events.count; begin = end) {
        int net;
        end = fil_audit_crossing_net(&events, begin, &net);
        if (net == 0)
            continue;
        const fil_audit_event *event = witness(&events, begin, net);
        fil_audit_finding finding = {.value = abs(net)};
        for (int i = 0; i < 2; ++i) {
            finding.strand[i] = event->strand[i];
            finding.segment[i] = event->vertex[i] - self->first[event->strand[i]];
        }
        memcpy(finding.place, event->pass.place, sizeof finding.place);
        add(self, FIL_AUDIT_CROSSING, abs(net), &finding);
    }
    return FIL_OK;
}

// Inside bodies

static void set_held(fil_audit *self)
{
    int vertex = 0;
    for (int g = 0; g < self->film->scene.group_count; ++g) {
        const fil_group *group = &self->film->scene.groups[g];
        int end = vertex + (int)fil_cache_group_at(self->cache, g)->vertex_total;
        for (; vertex < end; ++vertex) {
            int holder = self->holder[vertex];
            const fil_path *path = holder > FIL_HOLD_PIN ? &group->pins[holder - FIL_HOLD_PIN - 1]
                                   : holder == 2         ? &group->tip_path
                                                         : &group->root_path;
            self->held[vertex] = holder > 0 && !(path->release > 0 && self->time > path->release);
        }
    }
}

typedef struct depth_job {
    const fil_audit *audit;
    const fil_audit_solid *solid;
    fil_pose back; // from the world to where the body started
} depth_job;

static double depth_at(const depth_job *job, const double place[3])
{
    double moved[3];
    fil_audit_inside_move(&job->back, place, moved);
    return fil_audit_inside_depth(job->solid, moved);
}

// A segment that is held at one end is partly where it is told to be: its middle is not looked at.
static void find_depths(void *data, int64_t begin, int64_t end)
{
    const depth_job *job = data;
    const fil_audit *self = job->audit;
    for (int64_t v = begin; v < end; ++v) {
        const float *x = self->position + 3 * v;
        double place[3] = {(double)x[0], (double)x[1], (double)x[2]}, middle[3];
        self->depth[2 * v] = self->held[v] ? 0 : depth_at(job, place);
        self->depth[2 * v + 1] = 0;
        if (!has_segment(self, (int)v) || self->held[v] || self->held[v + 1])
            continue;
        for (int k = 0; k < 3; ++k)
            middle[k] = 0.5 * (place[k] + (double)x[3 + k]);
        self->depth[2 * v + 1] = depth_at(job, middle);
    }
}

static void check_body(fil_context *context, fil_audit *self, int body)
{
    int vertices = self->first[self->strands.strand_count];
    fil_pose pose = fil_path_at(&self->film->scene.obstacles[body].path, self->time);
    depth_job job = {.audit = self, .solid = self->solids[body], .back = fil_audit_inside_inverse(&pose)};
    fil_parallel_for(context, vertices, GRAIN, find_depths, &job);
    for (int i = 0; i < 2 * vertices; ++i) {
        double depth = self->depth[i];
        if (depth > self->report->deepest)
            self->report->deepest = depth;
        if (depth > self->def->depth) {
            fil_audit_finding finding = finding_at(self, i / 2, depth);
            finding.middle = i % 2 == 1;
            finding.body = body;
            for (int k = 0; k < 3 && finding.middle; ++k)
                finding.place[k] = 0.5 * (finding.place[k] + (double)self->position[3 * (int64_t)(i / 2 + 1) + k]);
            add(self, FIL_AUDIT_INSIDE, 1, &finding);
        }
    }
}

static fil_status make_solid(fil_context *context, fil_audit *self, fil_arena *arena, int body)
{
    return fil_audit_inside_create(context, arena, &self->film->scene.obstacles[body], self->time,
                                   &self->left_out[body], &self->solids[body]);
}

// Bodies that change their shape are made anew for every frame.
static fil_status check_inside(fil_context *context, fil_audit *self)
{
    const fil_scene *scene = &self->film->scene;
    fil_status status = FIL_OK;
    set_held(self);
    for (int b = 0; b < scene->obstacle_count && status == FIL_OK; ++b) {
        if (scene->obstacles[b].pose_count > 0)
            status = make_solid(context, self, self->scratch, b);
        if (status == FIL_OK && self->solids[b])
            check_body(context, self, b);
    }
    return status;
}

// The frames

// What was read last lies before what comes.
static void go_on(fil_audit *self)
{
    float *last = self->before;
    self->before = self->position;
    self->position = last;
    self->strands.before = self->before;
    self->strands.after = self->position;
}

// Ways to a frame that were kept: crossings on the way there are those of the frame.
static fil_status follow_ways(fil_context *context, fil_audit *self)
{
    bool there = is_checked(self, FIL_AUDIT_CROSSING) && self->frame > self->def->first;
    fil_status status = FIL_OK;
    for (int k = 1; there && status == FIL_OK; ++k) {
        // Into the place that the next one takes when there is none.
        status = fil_cache_read_between(context, self->cache, self->frame, k, self->before, &there);
        if (status == FIL_OK && there) {
            go_on(self);
            fil_arena_mark mark = fil_arena_mark_now(self->scratch);
            status = check_crossings(context, self);
            fil_arena_rewind(self->scratch, mark);
        }
    }
    return status;
}

static fil_status check_frame(fil_context *context, fil_audit *self)
{
    fil_status status = follow_ways(context, self);
    if (status != FIL_OK)
        return status;
    go_on(self);
    status = fil_cache_read(context, self->cache, self->frame, &self->time, self->position, self->stretch);
    if (status != FIL_OK)
        return status;
    check_numbers(self);
    if (is_checked(self, FIL_AUDIT_STRETCH))
        check_stretch(self);
    if (is_checked(self, FIL_AUDIT_INSIDE))
        status = check_inside(context, self);
    if (status == FIL_OK && is_checked(self, FIL_AUDIT_CROSSING) && self->frame > self->def->first)
        status = check_crossings(context, self);
    return status;
}

fil_status fil_audit_run(fil_context *context, fil_audit *audit, const fil_audit_def *def, fil_audit_report *out)
{
    *out = (fil_audit_report){.body_count = audit->film->scene.obstacle_count, .bodies_left_out = audit->left_out};
    audit->def = def;
    audit->report = out;
    fil_status status = FIL_OK;
    for (audit->frame = def->first; audit->frame <= def->last && status == FIL_OK; ++audit->frame) {
        double part = (double)(audit->frame - def->first) / (def->last - def->first + 1);
        if (def->progress && !def->progress(def->user, part, audit->frame)) {
            out->stopped = true;
            break;
        }
        fil_arena_mark mark = fil_arena_mark_now(audit->scratch);
        status = check_frame(context, audit);
        fil_arena_rewind(audit->scratch, mark);
        out->frames += status == FIL_OK;
    }
    return status;
}

// Before the first

// What holds vertex i of a strand with n of them that begins at `first` in its group; 0: nothing.
static int holder_of(const fil_group *group, int64_t first, int i, int n)
{
    static const int held[] = {[FIL_END_FREE] = 0, [FIL_END_PINNED] = 1, [FIL_END_CLAMPED] = 2};
    if (i < held[group->root])
        return FIL_HOLD_ROOT + 1;
    if (n - 1 - i < held[group->tip])
        return FIL_HOLD_TIP + 1;
    return group->groom.hold ? group->groom.hold[first + i] : 0;
}

static bool fits(const fil_cache_group *cached, const fil_group *group)
{
    if (cached->strand_count != group->groom.strand_count)
        return false;
    return memcmp(cached->shape.vertex_count, group->groom.vertex_count,
                  (size_t)cached->strand_count * sizeof *group->groom.vertex_count) == 0;
}

// Strands one after another, over all groups; their mean segment.
static void number_vertices(fil_audit *self)
{
    int strand = 0, vertex = 0, segments = 0;
    double length = 0;
    for (int g = 0; g < self->film->scene.group_count; ++g) {
        const fil_cache_group *cached = fil_cache_group_at(self->cache, g);
        const fil_group *group = &self->film->scene.groups[g];
        int64_t begin = vertex;
        for (int s = 0; s < cached->strand_count; ++s, ++strand) {
            int count = cached->shape.vertex_count[s];
            for (int i = 0; i < count; ++i, ++vertex) {
                self->strand_of[vertex] = strand;
                self->holder[vertex] = (unsigned char)holder_of(group, vertex - i - begin, i, count);
                length += cached->shape.length[vertex - begin];
            }
            self->first[strand + 1] = vertex;
            segments += count - 1;
        }
    }
    self->strands = (fil_audit_strands){.strand_count = strand, .first = self->first, .strand_of = self->strand_of};
    self->strands.nudge = segments > 0 && isfinite(length) ? 1e-9 * length / segments : 0;
}

static fil_status check_film(fil_context *context, const fil_audit *self, int64_t *strands)
{
    int groups = fil_cache_group_count(self->cache);
    if (groups != self->film->scene.group_count)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: has %d groups, strands.fil has %d", self->film->name,
                                self->film->scene.group_count, groups);
    for (int g = 0; g < groups; ++g) {
        const fil_cache_group *cached = fil_cache_group_at(self->cache, g);
        if (!fits(cached, &self->film->scene.groups[g]))
            return fil_context_fail(context, FIL_BAD_INPUT,
                                    "%s: groups[%d]: its groom has other strands than strands.fil: did a file change?",
                                    self->film->name, g);
        *strands += cached->strand_count;
    }
    if (fil_cache_vertex_total(self->cache) > INT_MAX / 8)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: has more than %d vertices", self->film->name, INT_MAX / 8);
    return FIL_OK;
}

static fil_status allocate(fil_audit *self, int64_t strands)
{
    int64_t vertices = fil_cache_vertex_total(self->cache);
    int bodies = self->film->scene.obstacle_count;
    self->first = FIL_ARENA_ARRAY(self->arena, int, strands + 1);
    self->strand_of = FIL_ARENA_ARRAY(self->arena, int, vertices);
    self->holder = FIL_ARENA_ARRAY(self->arena, unsigned char, vertices);
    self->held = FIL_ARENA_ARRAY(self->arena, unsigned char, vertices);
    self->position = FIL_ARENA_ARRAY(self->arena, float, 3 * vertices);
    self->before = FIL_ARENA_ARRAY(self->arena, float, 3 * vertices);
    self->stretch = FIL_ARENA_ARRAY(self->arena, float, vertices);
    self->depth = FIL_ARENA_ARRAY(self->arena, double, 2 * vertices);
    self->solids = FIL_ARENA_ARRAY(self->arena, fil_audit_solid *, bodies);
    self->left_out = FIL_ARENA_ARRAY(self->arena, const char *, bodies);
    bool good = self->first && self->strand_of && self->holder && self->held && self->position && self->before &&
                self->stretch && self->depth && self->solids && self->left_out;
    return good ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status prepare(fil_context *context, fil_audit *self)
{
    int64_t strands = 0;
    fil_status status = check_film(context, self, &strands);
    if (status == FIL_OK)
        status = allocate(self, strands);
    if (status == FIL_OK)
        number_vertices(self);
    for (int b = 0; b < self->film->scene.obstacle_count && status == FIL_OK; ++b)
        if (self->film->scene.obstacles[b].pose_count == 0)
            status = make_solid(context, self, self->arena, b);
    return status;
}

fil_status fil_audit_create(fil_context *context, fil_cache *cache, const fil_film *film, fil_audit **out)
{
    *out = NULL;
    fil_arena *arena = fil_arena_create(context);
    fil_audit *self = arena ? FIL_ARENA_ARRAY(arena, fil_audit, 1) : NULL;
    if (!self) {
        fil_arena_destroy(arena);
        return FIL_NO_MEMORY;
    }
    *self = (fil_audit){.arena = arena, .scratch = fil_arena_create(context), .cache = cache, .film = film};
    fil_status status = self->scratch ? prepare(context, self) : FIL_NO_MEMORY;
    if (status == FIL_OK)
        *out = self;
    else
        fil_audit_destroy(self);
    return status;
}

void fil_audit_destroy(fil_audit *audit)
{
    if (!audit)
        return;
    fil_arena_destroy(audit->scratch);
    fil_arena_destroy(audit->arena);
}
