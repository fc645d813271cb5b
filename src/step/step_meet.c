// Who touches whom in a part of a step, and impulses to begin with.
//
// Impulses are carried from part to part by what touches (strand and strand, strand and body) and by where on the
// strands: a contact is the same as one of the part before when it is on the same two things within half an edge.
#include "step/step_contact.h"

#include "base/parallel.h"
#include "math/cone.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRAND_GRAIN = 64, PLACE_GRAIN = 256 };

static const double same_place = 0.5; // edges: what is farther from all of the part before is new

// ---- where strands are

static void read_starts(void *data, int64_t begin, int64_t end)
{
    fil_part *part = data;
    for (int64_t strand = begin; strand < end; ++strand) {
        int first = part->strands.first[strand], n = part->strands.first[strand + 1] - first;
        fil_home home = fil_part_home(part, (int)strand);
        int dofs = home.S->type->dofs;
        ptrdiff_t start = home.row * dofs + home.lane;
        const double *q = part->job.state->groups[home.group].q + start;
        const double *is_free = part->job.state->scratch[home.group].free + start;
        for (int i = 0; i < n; ++i) {
            part->scratch->held[first + i] = is_free[(ptrdiff_t)i * dofs * FIL_LANES] == 0;
            for (int k = 0; k < 3; ++k)
                part->scratch->x0[3 * (first + i) + k] = q[((ptrdiff_t)i * dofs + k) * FIL_LANES];
        }
    }
}

static void read_iterates(void *data, int64_t begin, int64_t end)
{
    fil_part *part = data;
    for (int64_t strand = begin; strand < end; ++strand) {
        int first = part->strands.first[strand], n = part->strands.first[strand + 1] - first;
        fil_home home = fil_part_home(part, (int)strand);
        const double *q = home.newton->q + home.lane;
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k)
                part->scratch->x1[3 * (first + i) + k] = q[((ptrdiff_t)i * home.S->type->dofs + k) * FIL_LANES];
    }
}

void fil_meet_start(fil_part *part)
{
    fil_parallel_for(part->job.context, part->strands.strand_count, STRAND_GRAIN, read_starts, part);
    for (int i = 0; i < part->contacts->obstacle_count; ++i) {
        const fil_model_obstacle *obstacle = &part->contacts->obstacles[i];
        part->scratch->bodies[i] = (fil_solid_motion){.solid = obstacle->solid,
                                                      .from = fil_model_obstacle_pose(obstacle, part->from),
                                                      .to = fil_model_obstacle_pose(obstacle, part->to),
                                                      .time_from = part->from,
                                                      .time_to = part->to};
    }
}

void fil_meet_follow(fil_part *part)
{
    fil_parallel_for(part->job.context, part->strands.strand_count, STRAND_GRAIN, read_iterates, part);
}

// ---- places

// The square of the part of an edge point that is free to move.
static double free_part(const fil_part *part, int edge, double at)
{
    double first = part->strands.held[edge] ? 0 : 1 - at, second = part->strands.held[edge + 1] ? 0 : at;
    return first * first + second * second;
}

double fil_meet_freedom(const fil_part *part, const fil_touch_point *point)
{
    return free_part(part, point->a, point->at_a) + (point->b < 0 ? 0 : free_part(part, point->b, point->at_b));
}

// Places beside held vertices are short levers: the least motion there is a large one of the free vertex. Velocities
// are told as that vertex has them, and impulses as it feels them, which leaves Coulomb's law as it is: it does not
// change when u is multiplied by a number and r divided by it.
double fil_meet_lever(const fil_part *part, const fil_touch_point *point)
{
    const double least = 0.25;
    double freedom = fil_meet_freedom(part, point);
    return freedom < least ? sqrt(least / freedom) : 1;
}

// What lies on a held vertex goes where that goes.
static bool is_stiff(const fil_part *part, const fil_touch_point *point)
{
    const double least = 1e-5;
    return fil_meet_freedom(part, point) < least;
}

static bool are_apart(const fil_part *part, const fil_touch_point *point)
{
    const fil_touch_rule *rule = point->b < 0 ? fil_law_rule(part, point) : NULL;
    return rule && rule->apart;
}

// Both lists are sorted by their first edges; strands come before bodies.
static fil_status merge(fil_part *part, const fil_touch_list *strands, const fil_touch_list *bodies,
                        fil_touch_list *out)
{
    out->point = FIL_ARENA_RAW(part->scratch->arena, fil_touch_point, strands->count + bodies->count);
    out->count = 0;
    if (!out->point)
        return FIL_NO_MEMORY;
    for (int i = 0, j = 0; i < strands->count || j < bodies->count;) {
        bool strand = i < strands->count && (j == bodies->count || strands->point[i].a <= bodies->point[j].a);
        const fil_touch_point *point = strand ? &strands->point[i++] : &bodies->point[j++];
        if (!is_stiff(part, point) && !are_apart(part, point))
            out->point[out->count++] = *point;
    }
    return FIL_OK;
}

// How near places are looked for. Impulses change the ends of the motion by accelerations of this order.
static double margin_of(const fil_part *part)
{
    const double acceleration = 10, radii = 2; // m/s²
    return 2 * fmax(radii, part->contacts->settings.skin) * part->contacts->thickest +
           acceleration * part->job.h * part->job.h;
}

fil_status fil_meet_detect(fil_part *part, const bool *only, fil_touch_pairs *pairs, fil_touch_list *out, int *inside)
{
    fil_context *context = part->job.context;
    fil_arena *arena = part->scratch->arena;
    fil_touch_list strands, bodies = {0};
    fil_status status = fil_touch_strands_pairs(context, arena, &part->strands, only, part->margin, pairs);
    if (status == FIL_OK)
        status = fil_touch_strands_find(context, arena, &part->strands, pairs, part->margin, &strands);
    if (status == FIL_OK && part->contacts->obstacle_count > 0)
        status = fil_solid_touch(context, arena, &part->strands, part->scratch->bodies, part->contacts->obstacle_count,
                                 part->margin, only, &bodies, inside);
    return status == FIL_OK ? merge(part, &strands, &bodies, out) : status;
}

// ---- contacts

// How far a point of an edge goes from x0 to x1.
static void add_motion(const fil_part *part, int edge, double at, double sign, double out[3])
{
    const double *x0 = part->strands.x0 + 3 * (ptrdiff_t)edge, *x1 = part->strands.x1 + 3 * (ptrdiff_t)edge;
    for (int k = 0; k < 3; ++k)
        out[k] += sign * ((1 - at) * (x1[k] - x0[k]) + at * (x1[k + 3] - x0[k + 3]));
}

double fil_meet_end_gap(const fil_part *part, const fil_touch_point *point)
{
    double way[3] = {-point->carried[0], -point->carried[1], -point->carried[2]};
    add_motion(part, point->a, point->at_a, 1, way);
    if (point->b >= 0)
        add_motion(part, point->b, point->at_b, -1, way);
    return point->gap + fil_vec3_dot(way, point->normal);
}

double fil_meet_radii(const fil_part *part, const fil_touch_point *point)
{
    return part->strands.radius[point->a] + (point->b < 0 ? 0 : part->strands.radius[point->b]);
}

bool fil_meet_ends_near(const fil_part *part, const fil_touch_point *point)
{
    double gap = fil_meet_lever(part, point) * fil_meet_end_gap(part, point);
    return gap <= part->contacts->settings.skin * fil_meet_radii(part, point);
}

// Some room is left: contacts are added a few at a time.
static fil_status make_room(fil_part *part, int count, fil_meets *out)
{
    fil_arena *arena = part->scratch->arena;
    int room = count + count / 8 + 64;
    *out = (fil_meets){.count = count,
                       .room = room,
                       .point = FIL_ARENA_RAW(arena, fil_touch_point, room),
                       .frame = FIL_ARENA_RAW(arena, double, 9 * (int64_t)room),
                       .mu = FIL_ARENA_RAW(arena, double, room),
                       .bias = FIL_ARENA_RAW(arena, double, 3 * (int64_t)room),
                       .pull = FIL_ARENA_RAW(arena, double, room),
                       .r = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)room),
                       .force = FIL_ARENA_ARRAY(arena, double, room),
                       .wedged = FIL_ARENA_RAW(arena, bool, room)};
    bool made = out->point && out->frame && out->mu && out->bias && out->pull && out->r && out->force && out->wedged;
    return made ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status grow(fil_part *part, int count)
{
    fil_meets old = part->meets;
    fil_status status = make_room(part, count, &part->meets);
    if (status != FIL_OK)
        return status;
    part->meets.count = old.count;
    part->meets.kept = old.kept;
    memcpy(part->meets.point, old.point, (size_t)old.count * sizeof *old.point);
    memcpy(part->meets.r, old.r, 3 * (size_t)old.count * sizeof *old.r);
    memcpy(part->meets.force, old.force, (size_t)old.count * sizeof *old.force);
    return FIL_OK;
}

// Merges from the back: what does not move stays where it is.
fil_status fil_meet_add(fil_part *part, const fil_touch_list *more)
{
    fil_meets *meets = &part->meets;
    if (meets->count + more->count > meets->room && grow(part, meets->count + more->count) != FIL_OK)
        return FIL_NO_MEMORY;
    for (ptrdiff_t i = meets->count - 1, j = more->count - 1; j >= 0;) {
        ptrdiff_t to = i + j + 1;
        bool new = i < 0 || meets->point[i].a <= more->point[j].a;
        meets->point[to] = new ? more->point[j] : meets->point[i];
        for (int k = 0; k < 3; ++k)
            meets->r[3 * to + k] = new ? 0 : meets->r[3 * i + k];
        meets->force[to] = new ? 0 : meets->force[i];
        *(new ? &j : &i) -= 1;
    }
    meets->count += more->count;
    return fil_law_describe(part);
}

// ---- impulses from the part before

// The first of the known impulses whose edge is not before `edge`.
static int first_tracked(const fil_state *state, int edge)
{
    int low = 0, high = state->head->tracked;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (state->tracked[middle].a < edge)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Places on a strand, in edges.
static double place_off(int edge0, double at0, int edge1, double at1)
{
    return fabs((edge0 - edge1) + (at0 - at1));
}

static bool same_partner(const fil_part *part, int b0, int b1)
{
    if (b0 < 0 || b1 < 0)
        return b0 == b1;
    return part->strands.strand[b0] == part->strands.strand[b1];
}

// The nearest known impulse, and how far it is; -1: none.
static int find_tracked(const fil_part *part, const fil_touch_point *point, double *off_least)
{
    const fil_state *state = part->job.state;
    int strand = part->strands.strand[point->a], best = -1;
    *off_least = same_place;
    for (int i = first_tracked(state, part->strands.first[strand]);
         i < state->head->tracked && state->tracked[i].a < part->strands.first[strand + 1]; ++i) {
        const fil_tracked *old = &state->tracked[i];
        if (!same_partner(part, point->b, old->b))
            continue;
        double off = place_off(point->a, point->at_a, old->a, old->at_a);
        if (point->b >= 0)
            off = fmax(off, place_off(point->b, point->at_b, old->b, old->at_b));
        if (off < *off_least)
            *off_least = off, best = i;
    }
    return best;
}

// What is known of a place.
typedef struct known {
    int old;    // the nearest impulse of the part before, or -1
    bool waits; // not near enough at the end
    double off; // edges to that impulse
} known;

typedef struct known_job {
    const fil_part *part;
    const fil_touch_list *found;
    known *known;
} known_job;

static void find_known(void *data, int64_t begin, int64_t end)
{
    const known_job *job = data;
    const fil_part *part = job->part;
    for (int64_t i = begin; i < end; ++i) {
        const fil_touch_point *point = &job->found->point[i];
        known *out = &job->known[i];
        out->old = find_tracked(part, point, &out->off);
        out->waits = !point->crossing && !fil_meet_ends_near(part, point);
    }
}

// An impulse goes to the nearest of those who ask for it: an open place beside a closed one would take it away
// otherwise.
static fil_status match_tracked(fil_part *part, const fil_touch_list *found, known **out)
{
    fil_arena *arena = part->scratch->arena;
    int tracked = part->job.state->head->tracked;
    int *owner = FIL_ARENA_RAW(arena, int, tracked);
    known *all = FIL_ARENA_RAW(arena, known, found->count);
    *out = all;
    if (!owner || !all)
        return FIL_NO_MEMORY;
    known_job job = {part, found, all};
    fil_parallel_for(part->job.context, found->count, PLACE_GRAIN, find_known, &job);
    for (int i = 0; i < tracked; ++i)
        owner[i] = -1;
    for (int i = 0; i < found->count; ++i) {
        int old = all[i].old;
        if (old < 0)
            continue;
        bool taken = owner[old] >= 0 && all[owner[old]].off <= all[i].off;
        if (owner[old] >= 0)
            all[taken ? i : owner[old]].old = -1;
        if (!taken)
            owner[old] = i;
    }
    return FIL_OK;
}

static double size_of_force(const fil_tracked *old)
{
    double force[3] = {old->force[0], old->force[1], old->force[2]};
    return fil_vec3_norm(force);
}

// The impulse that a contact had in the part before, in the frame of now.
static void recall_impulse(const fil_part *part, const fil_tracked *old, int contact)
{
    const double *F = part->meets.frame + 9 * (ptrdiff_t)contact;
    double *r = part->meets.r + 3 * (ptrdiff_t)contact;
    for (int row = 0; row < 3; ++row) {
        double square = 0, sum = 0;
        for (int k = 0; k < 3; ++k) {
            square += F[row + 3 * k] * F[row + 3 * k];
            sum += F[row + 3 * k] * (double)old->force[k];
        }
        r[row] = part->job.s * sum / square;
    }
    fil_cone_project(part->meets.mu[contact], r);
}

void fil_meet_remember(fil_part *part)
{
    fil_state *state = part->job.state;
    const fil_meets *meets = &part->meets;
    int count = 0;
    for (int i = 0; i < meets->count && count < state->tracked_room; ++i) {
        const double *F = meets->frame + 9 * (ptrdiff_t)i, *r = meets->r + 3 * (ptrdiff_t)i;
        const fil_touch_point *point = &meets->point[i];
        if (!(r[0] > 0))
            continue;
        fil_tracked *out = &state->tracked[count++];
        *out = (fil_tracked){.a = point->a, .b = point->b, .at_a = (float)point->at_a, .at_b = (float)point->at_b};
        for (int k = 0; k < 3; ++k)
            out->force[k] = (float)((F[3 * k] * r[0] + F[3 * k + 1] * r[1] + F[3 * k + 2] * r[2]) / part->job.s);
    }
    state->head->tracked = count;
}

void fil_meet_recall_pressed(fil_part *part)
{
    const fil_state *state = part->job.state;
    int *pressed = part->scratch->pressed;
    for (int i = 0; i < part->strands.strand_count; ++i)
        pressed[i] = -1;
    for (int i = 0; i < state->head->tracked; ++i) {
        const fil_tracked *old = &state->tracked[i];
        pressed[part->strands.strand[old->a]] = 0;
        if (old->b >= 0)
            pressed[part->strands.strand[old->b]] = 0;
    }
    for (int i = 0; i < part->strands.strand_count; ++i)
        if (!part->strands.held[part->strands.first[i]])
            pressed[i] = -1;
}

// ---- the whole

// Divides what was found into contacts and those who wait. known: of the contacts.
static fil_status divide(fil_part *part, const fil_touch_list *found, known **known_of)
{
    fil_arena *arena = part->scratch->arena;
    part->waiting = (fil_touch_list){.point = FIL_ARENA_RAW(arena, fil_touch_point, found->count)};
    if (!part->waiting.point || match_tracked(part, found, known_of) != FIL_OK)
        return FIL_NO_MEMORY;
    int count = 0;
    for (int i = 0; i < found->count; ++i) {
        known one = (*known_of)[i];
        if (one.old < 0 && one.waits) {
            part->waiting.point[part->waiting.count++] = found->point[i];
            continue;
        }
        (*known_of)[count] = one;
        found->point[count++] = found->point[i];
    }
    fil_status status = make_room(part, count, &part->meets);
    if (status == FIL_OK)
        memcpy(part->meets.point, found->point, (size_t)count * sizeof *found->point);
    return status;
}

fil_status fil_meet_find(fil_part *part)
{
    fil_touch_list list;
    int inside = 0;
    known *known_of;
    memcpy(part->scratch->x1_found, part->strands.x1, 3 * (size_t)part->strands.vertex_count * sizeof(double));
    part->margin = margin_of(part);
    fil_status status = fil_meet_detect(part, NULL, &part->pairs, &list, &inside);
    if (status == FIL_OK)
        status = divide(part, &list, &known_of);
    if (status != FIL_OK)
        return status;
    part->stats->inside = inside > part->stats->inside ? inside : part->stats->inside;
    for (int i = 0; i < part->meets.count; ++i)
        part->meets.force[i] = known_of[i].old < 0 ? 0 : size_of_force(&part->job.state->tracked[known_of[i].old]);
    status = fil_law_describe(part);
    if (status != FIL_OK)
        return status;
    for (int i = 0; i < part->meets.count; ++i) {
        if (known_of[i].old < 0)
            continue;
        recall_impulse(part, &part->job.state->tracked[known_of[i].old], i);
        ++part->meets.kept;
    }
    return FIL_OK;
}
