// Who touches at the iterate besides those who are known to.
//
// Places that were found but are not near enough wait, and wake when they would overlap. When all else is good, one
// more search tells who passes through each other on the way to the iterate; strands that end far from where they were
// expected are searched for anew.
#include "step/step_contact.h"

#include "base/hash.h"
#include "math/mat3.h"

#include <stdlib.h>
#include <string.h>

static const double deep_part = 0.5; // radii: overlaps at the end that are worth another search

// Overlaps at the end that places which were left out may have: as exact as all else, and nothing to see.
static double woken_part(const fil_part *part)
{
    const double factor = 100, most = 0.3; // radii
    return fmin(factor * part->contacts->settings.tolerance, most);
}

// Where one wakes its neighbours soon would, too: then all wake that end within the skin.
fil_status fil_look_wake(fil_part *part, int *added)
{
    fil_touch_list *waiting = &part->waiting;
    fil_touch_list more = {0};
    const double enough = -woken_part(part), skin = part->contacts->settings.skin;
    bool wakes = false;
    for (int i = 0; i < waiting->count && !wakes; ++i)
        wakes = fil_meet_end_gap(part, &waiting->point[i]) < enough * fil_meet_radii(part, &waiting->point[i]);
    *added = 0;
    if (!wakes)
        return FIL_OK;
    more.point = FIL_ARENA_RAW(part->scratch->arena, fil_touch_point, waiting->count);
    if (!more.point)
        return FIL_NO_MEMORY;
    int left = 0;
    for (int i = 0; i < waiting->count; ++i) {
        if (fil_meet_end_gap(part, &waiting->point[i]) < skin * fil_meet_radii(part, &waiting->point[i]))
            more.point[more.count++] = waiting->point[i];
        else
            waiting->point[left++] = waiting->point[i];
    }
    waiting->count = left;
    *added = more.count;
    return fil_meet_add(part, &more);
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
    fil_status status = fil_meet_detect(part, stray, &more, out, NULL);
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
        bool deep = fil_meet_end_gap(part, point) < -deep_part * fil_meet_radii(part, point);
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

static void note_passing(fil_part *part, const fil_touch_list *crossings)
{
    part->passing = 0;
    for (int i = 0; i < crossings->count; ++i) {
        int edges[2] = {crossings->point[i].a, crossings->point[i].b};
        part->passing = fil_hash_bytes(part->passing, edges, sizeof edges);
    }
}

fil_status fil_look_again(fil_part *part, int *added)
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
    note_passing(part, &crossings);
    *added = choose(part, &crossings, true, &more) + choose(part, &near, false, &more);
    if (*added == 0)
        return FIL_OK;
    qsort(more.point, (size_t)more.count, sizeof *more.point, compare_points);
    return fil_meet_add(part, &more);
}

int fil_look_list_hard(fil_part *part, const double *u, int *contact, int *count, double *speed)
{
    const double meeting = 0.95, slight = 0.003; // radii: where centre lines meet; what is as good as nothing
    const fil_meets *meets = &part->meets;
    int passing = 0;
    *count = 0;
    *speed = INFINITY;
    for (ptrdiff_t i = 0; i < meets->count; ++i) {
        const fil_touch_point *point = &meets->point[i];
        double radii = fil_meet_radii(part, point), enough = slight * radii / part->job.s;
        double end = point->gap + part->job.s * (u[3 * i] - meets->bias[3 * i]);
        bool passes = point->crossing && end < -meeting * radii && u[3 * i] < -enough;
        passing += passes;
        meets->hard[i] |= passes;
        if (!meets->hard[i])
            continue;
        contact[(*count)++] = (int)i;
        *speed = fmin(*speed, enough);
    }
    return passing;
}
