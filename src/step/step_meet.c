// Who touches whom in a part of a step, and impulses to begin with.
//
// Impulses are carried from part to part by what touches (strand and strand, strand and body) and by where on the
// strands: a contact is the same as one of the part before when it is on the same two things within half an edge.
#include "step/step_contact.h"

#include "base/parallel.h"
#include "math/cone.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <stdlib.h>
#include <string.h>

enum { STRAND_GRAIN = 64 };

static const double same_place = 0.5; // edges: what is farther from all of the part before is new
static const double deep_part = 0.5;  // radii: overlaps at the end that are worth another search

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

// Contacts beside held vertices would be levers: nothing can be done about them there.
static bool is_stiff(const fil_part *part, const fil_touch_point *point)
{
    const double least = 0.01;
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

// All places on the way to the iterate: of the strands in `only`, with the pairs that have one of them; NULL: of all.
static fil_status detect(fil_part *part, const bool *only, fil_touch_pairs *pairs, fil_touch_list *out, int *inside)
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

static double end_gap(const fil_part *part, const fil_touch_point *point)
{
    double way[3] = {-point->carried[0], -point->carried[1], -point->carried[2]};
    add_motion(part, point->a, point->at_a, 1, way);
    if (point->b >= 0)
        add_motion(part, point->b, point->at_b, -1, way);
    return point->gap + fil_vec3_dot(way, point->normal);
}

static fil_status make_room(fil_part *part, int count, fil_meets *out)
{
    fil_arena *arena = part->scratch->arena;
    *out = (fil_meets){.count = count,
                       .point = FIL_ARENA_RAW(arena, fil_touch_point, count),
                       .frame = FIL_ARENA_RAW(arena, double, 9 * (int64_t)count),
                       .mu = FIL_ARENA_RAW(arena, double, count),
                       .bias = FIL_ARENA_RAW(arena, double, 3 * (int64_t)count),
                       .pull = FIL_ARENA_RAW(arena, double, count),
                       .r = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)count),
                       .force = FIL_ARENA_ARRAY(arena, double, count),
                       .hard = FIL_ARENA_ARRAY(arena, bool, count)};
    bool made = out->point && out->frame && out->mu && out->bias && out->pull && out->r && out->force && out->hard;
    return made ? FIL_OK : FIL_NO_MEMORY;
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

// The impulse of the part before that each place had, or -1. It goes to the nearest of those who ask for it: an open
// place beside a closed one would take it away otherwise.
static fil_status match_tracked(fil_part *part, const fil_touch_list *found, int **known)
{
    fil_arena *arena = part->scratch->arena;
    int tracked = part->job.state->head->tracked;
    int *owner = FIL_ARENA_RAW(arena, int, tracked);
    double *least = FIL_ARENA_RAW(arena, double, tracked);
    *known = FIL_ARENA_RAW(arena, int, found->count);
    if (!owner || !least || !*known)
        return FIL_NO_MEMORY;
    for (int i = 0; i < tracked; ++i)
        owner[i] = -1;
    for (int i = 0; i < found->count; ++i) {
        double off;
        int old = find_tracked(part, &found->point[i], &off);
        (*known)[i] = -1;
        if (old < 0 || (owner[old] >= 0 && least[old] <= off))
            continue;
        if (owner[old] >= 0)
            (*known)[owner[old]] = -1;
        owner[old] = i;
        least[old] = off;
        (*known)[i] = old;
    }
    return FIL_OK;
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

static double radii_of(const fil_part *part, const fil_touch_point *point)
{
    return part->strands.radius[point->a] + (point->b < 0 ? 0 : part->strands.radius[point->b]);
}

int fil_meet_list_hard(fil_part *part, const double *u, int *contact, int *count, double *speed)
{
    const double slight = 0.003; // radii
    const fil_meets *meets = &part->meets;
    int passing = 0;
    *count = 0;
    *speed = INFINITY;
    for (ptrdiff_t i = 0; i < meets->count; ++i) {
        const fil_touch_point *point = &meets->point[i];
        double radii = radii_of(part, point), enough = slight * radii / part->job.s;
        double end = point->gap + part->job.s * (u[3 * i] - meets->bias[3 * i]);
        bool passes = point->crossing && end < -deep_part * radii && u[3 * i] < -enough;
        passing += passes;
        meets->hard[i] |= passes;
        if (!meets->hard[i])
            continue;
        contact[(*count)++] = (int)i;
        *speed = fmin(*speed, enough);
    }
    return passing;
}

// Divides what was found into contacts and those who wait. known: the number of the impulse of the part before, or -1.
static fil_status divide(fil_part *part, const fil_touch_list *found, int **known)
{
    fil_arena *arena = part->scratch->arena;
    part->waiting = (fil_touch_list){.point = FIL_ARENA_RAW(arena, fil_touch_point, found->count)};
    if (!part->waiting.point || match_tracked(part, found, known) != FIL_OK)
        return FIL_NO_MEMORY;
    int count = 0;
    for (int i = 0; i < found->count; ++i) {
        const fil_touch_point *point = &found->point[i];
        int old = (*known)[i];
        if (old < 0 && !point->crossing &&
            end_gap(part, point) > part->contacts->settings.skin * radii_of(part, point)) {
            part->waiting.point[part->waiting.count++] = *point;
            continue;
        }
        (*known)[count] = old;
        found->point[count++] = *point;
    }
    fil_status status = make_room(part, count, &part->meets);
    if (status == FIL_OK)
        memcpy(part->meets.point, found->point, (size_t)count * sizeof *found->point);
    return status;
}

static double size_of_force(const fil_tracked *old)
{
    double force[3] = {old->force[0], old->force[1], old->force[2]};
    return fil_vec3_norm(force);
}

fil_status fil_meet_find(fil_part *part)
{
    fil_touch_list list;
    int inside = 0, *known;
    memcpy(part->scratch->x1_found, part->strands.x1, 3 * (size_t)part->strands.vertex_count * sizeof(double));
    part->margin = margin_of(part);
    fil_status status = detect(part, NULL, &part->pairs, &list, &inside);
    if (status == FIL_OK)
        status = divide(part, &list, &known);
    if (status != FIL_OK)
        return status;
    part->stats->inside = inside > part->stats->inside ? inside : part->stats->inside;
    for (int i = 0; i < part->meets.count; ++i)
        part->meets.force[i] = known[i] < 0 ? 0 : size_of_force(&part->job.state->tracked[known[i]]);
    status = fil_law_describe(part);
    if (status != FIL_OK)
        return status;
    for (int i = 0; i < part->meets.count; ++i) {
        if (known[i] < 0)
            continue;
        recall_impulse(part, &part->job.state->tracked[known[i]], i);
        ++part->meets.kept;
    }
    return FIL_OK;
}

// Adds places; both lists are sorted by their first edges.
static fil_status add(fil_part *part, const fil_touch_list *more)
{
    fil_meets old = part->meets;
    fil_status status = make_room(part, old.count + more->count, &part->meets);
    if (status != FIL_OK)
        return status;
    part->meets.kept = old.kept;
    for (int i = 0, j = 0, to = 0; to < part->meets.count; ++to) {
        bool from_old = i < old.count && (j == more->count || old.point[i].a <= more->point[j].a);
        part->meets.point[to] = from_old ? old.point[i] : more->point[j];
        if (from_old) {
            memcpy(part->meets.r + 3 * (ptrdiff_t)to, old.r + 3 * (ptrdiff_t)i, 3 * sizeof(double));
            part->meets.hard[to] = old.hard[i];
            part->meets.force[to] = old.force[i];
        }
        *(from_old ? &i : &j) += 1;
    }
    return fil_law_describe(part);
}

// Overlaps at the end that places which were left out may have: as exact as all else, and nothing to see.
static double woken_part(const fil_part *part)
{
    const double factor = 100, most = 0.3; // radii
    return fmin(factor * part->contacts->settings.tolerance, most);
}

// Where one wakes its neighbours soon would, too: then all wake that end within the skin.
fil_status fil_meet_wake(fil_part *part, int *added)
{
    fil_touch_list *waiting = &part->waiting;
    fil_touch_list more = {0};
    const double enough = -woken_part(part), skin = part->contacts->settings.skin;
    bool wakes = false;
    for (int i = 0; i < waiting->count && !wakes; ++i)
        wakes = end_gap(part, &waiting->point[i]) < enough * radii_of(part, &waiting->point[i]);
    *added = 0;
    if (!wakes)
        return FIL_OK;
    more.point = FIL_ARENA_RAW(part->scratch->arena, fil_touch_point, waiting->count);
    if (!more.point)
        return FIL_NO_MEMORY;
    int left = 0;
    for (int i = 0; i < waiting->count; ++i) {
        if (end_gap(part, &waiting->point[i]) < skin * radii_of(part, &waiting->point[i]))
            more.point[more.count++] = waiting->point[i];
        else
            waiting->point[left++] = waiting->point[i];
    }
    waiting->count = left;
    *added = more.count;
    return add(part, &more);
}

// Where the first contact of an edge is, or would be.
static int first_of_edge(const fil_meets *meets, int edge)
{
    int low = 0, high = meets->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (meets->point[middle].a < edge)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Where a contact of the same two edges is; -1: there is none.
static int find_same(const fil_meets *meets, const fil_touch_point *point)
{
    for (int i = first_of_edge(meets, point->a); i < meets->count && meets->point[i].a == point->a; ++i)
        if (meets->point[i].b == point->b)
            return i;
    return -1;
}

// The contact that a crossing of the same two edges takes the place of: its normal did not keep them apart. Edges that
// would cross in another way once they are kept from crossing in this one need both contacts. -1: there is none.
static int find_worse(const fil_meets *meets, const fil_touch_point *point)
{
    const double same_way = 0.7; // cosine
    for (int i = first_of_edge(meets, point->a); i < meets->count && meets->point[i].a == point->a; ++i) {
        const fil_touch_point *old = &meets->point[i];
        if (old->b == point->b && (!old->crossing || fil_vec3_dot(old->normal, point->normal) > same_way))
            return i;
    }
    return -1;
}

// Marks the strands that end farther from where they were expected than half of what was searched: others may be near
// them than those that were found. They are expected where they are now from here on. Returns how many there are.
static int mark_strays(const fil_part *part, bool *stray)
{
    double most = 0.25 * part->margin * part->margin;
    int count = 0;
    for (int s = 0; s < part->strands.strand_count; ++s) {
        ptrdiff_t first = 3 * (ptrdiff_t)part->strands.first[s], end = 3 * (ptrdiff_t)part->strands.first[s + 1];
        double *found = part->scratch->x1_found;
        const double *x1 = part->strands.x1;
        stray[s] = false;
        for (ptrdiff_t i = first; i < end && !stray[s]; i += 3) {
            double d[3] = {x1[i] - found[i], x1[i + 1] - found[i + 1], x1[i + 2] - found[i + 2]};
            stray[s] = !(fil_vec3_dot(d, d) <= most);
        }
        count += stray[s];
        if (stray[s])
            memcpy(found + first, x1 + first, (size_t)(end - first) * sizeof *found);
    }
    return count;
}

// Searches for all that may meet strands that went astray; what they pass through comes with the rest later.
static fil_status search_for_strays(fil_part *part, const bool *stray, fil_touch_list *out)
{
    fil_touch_pairs old = part->pairs, more;
    fil_status status = detect(part, stray, &more, out, NULL);
    if (status != FIL_OK)
        return status;
    fil_touch_pairs all = {.a = FIL_ARENA_RAW(part->scratch->arena, int, old.count + more.count),
                           .b = FIL_ARENA_RAW(part->scratch->arena, int, old.count + more.count)};
    if (!all.a || !all.b)
        return FIL_NO_MEMORY;
    for (int64_t i = 0; i < old.count; ++i) {
        if (stray[part->strands.strand[old.a[i]]] || stray[part->strands.strand[old.b[i]]])
            continue;
        all.a[all.count] = old.a[i];
        all.b[all.count++] = old.b[i];
    }
    memcpy(all.a + all.count, more.a, (size_t)more.count * sizeof(int));
    memcpy(all.b + all.count, more.b, (size_t)more.count * sizeof(int));
    all.count += more.count;
    part->pairs = all;
    return FIL_OK;
}

static int compare_points(const void *a, const void *b)
{
    const fil_touch_point *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? 1 : -1; // strands before bodies
    return x->at_a < y->at_a ? -1 : x->at_a > y->at_a;
}

// Of the places of a list, those that pass through each other and those that overlap and are not known: the former
// replace what is known of their edges, what is new goes to `more`.
static int choose(fil_part *part, const fil_touch_list *list, bool crossing, fil_touch_list *more)
{
    int added = 0;
    for (int i = 0; i < list->count; ++i) {
        const fil_touch_point *point = &list->point[i];
        bool deep = end_gap(part, point) < -deep_part * radii_of(part, point);
        if (point->crossing != crossing || !(crossing || deep))
            continue;
        int same = crossing ? find_worse(&part->meets, point) : find_same(&part->meets, point);
        if (same >= 0 && !crossing)
            continue;
        ++added;
        if (same >= 0)
            part->meets.point[same] = *point;
        else
            more->point[more->count++] = *point;
    }
    return added;
}

fil_status fil_meet_look_again(fil_part *part, int *added)
{
    fil_context *context = part->job.context;
    fil_arena *arena = part->scratch->arena;
    bool *stray = FIL_ARENA_RAW(arena, bool, part->strands.strand_count);
    fil_touch_list near = {0}, crossings, more = {0};
    *added = 0;
    part->stats->crossings = 0;
    if (!stray)
        return FIL_NO_MEMORY;
    fil_status status = FIL_OK;
    if (mark_strays(part, stray) > 0)
        status = search_for_strays(part, stray, &near);
    if (status == FIL_OK)
        status = fil_touch_strands_crossings(context, arena, &part->strands, &part->pairs, &crossings);
    if (status == FIL_OK)
        more.point = FIL_ARENA_RAW(arena, fil_touch_point, near.count + crossings.count);
    if (status == FIL_OK && !more.point)
        status = FIL_NO_MEMORY;
    if (status != FIL_OK)
        return status;
    part->stats->crossings = crossings.count;
    *added = choose(part, &crossings, true, &more) + choose(part, &near, false, &more);
    if (*added == 0)
        return FIL_OK;
    qsort(more.point, (size_t)more.count, sizeof *more.point, compare_points);
    return add(part, &more);
}
