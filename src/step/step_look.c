// Who touches at the iterate besides those who are known to.
//
// Places that were found but are not near enough wait, and wake when they would overlap. When all else is good, one
// more search tells who passes through each other on the way to the iterate; strands that end far from where they were
// expected are searched for anew.
#include "step/step_contact.h"

#include "base/timer.h"
#include "math/mat3.h"

#include <stdlib.h>
#include <string.h>

static const double deep_part = 0.5; // radii: overlaps at the end that are worth another search

// Overlaps at the end that places which were left out may have: as exact as all else, and nothing to see.
double fil_look_woken(const fil_part *part)
{
    const double factor = 100, most = 0.3; // radii
    return fmin(factor * part->contacts->settings.tolerance, most);
}

static bool one_wakes(const fil_part *part)
{
    const double enough = -fil_look_woken(part);
    for (int i = 0; i < part->waiting.count; ++i) {
        const fil_touch_point *point = &part->waiting.point[i];
        if (fil_meet_end_gap(part, point) < enough * fil_meet_radii(part, point))
            return true;
    }
    return false;
}

// Where one wakes its neighbours soon would, too: then all wake that end within the skin.
static fil_status wake(fil_part *part, int *added)
{
    fil_touch_list *waiting = &part->waiting;
    fil_touch_list more = {.point = FIL_ARENA_RAW(part->scratch->arena, fil_touch_point, waiting->count)};
    if (!more.point)
        return FIL_NO_MEMORY;
    int left = 0;
    for (int i = 0; i < waiting->count; ++i) {
        if (fil_meet_ends_near(part, &waiting->point[i]))
            more.point[more.count++] = waiting->point[i];
        else
            waiting->point[left++] = waiting->point[i];
    }
    waiting->count = left;
    *added = more.count;
    return fil_meet_add(part, &more);
}

fil_status fil_look_wake(fil_part *part, int *added)
{
    double start = fil_timer_seconds();
    *added = 0;
    fil_status status = one_wakes(part) ? wake(part, added) : FIL_OK;
    part->stats->seconds[FIL_PHASE_DETECT] += fil_timer_seconds() - start;
    return status;
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

// Of the places of a list those that overlap at the end, deeply, and are not known: they wait.
static fil_status let_wait(fil_part *part, const fil_touch_list *list)
{
    fil_touch_list all = {.point =
                              FIL_ARENA_RAW(part->scratch->arena, fil_touch_point, part->waiting.count + list->count)};
    if (!all.point)
        return FIL_NO_MEMORY;
    for (int i = 0; i < list->count; ++i) {
        const fil_touch_point *point = &list->point[i];
        bool deep = fil_meet_end_gap(part, point) < -deep_part * fil_meet_radii(part, point);
        if (deep && !point->crossing && find_same(&part->meets, point) < 0)
            all.point[all.count++] = *point;
    }
    if (all.count == 0)
        return FIL_OK;
    memcpy(all.point + all.count, part->waiting.point, (size_t)part->waiting.count * sizeof *all.point);
    all.count += part->waiting.count;
    qsort(all.point, (size_t)all.count, sizeof *all.point, compare_points);
    part->waiting = all;
    return FIL_OK;
}

fil_status fil_look_for_strays(fil_part *part, fil_touch_list *near)
{
    bool *stray = FIL_ARENA_RAW(part->scratch->arena, bool, part->strands.strand_count);
    *near = (fil_touch_list){0};
    if (!stray)
        return FIL_NO_MEMORY;
    return mark_strays(part, stray) > 0 ? search_for_strays(part, stray, near) : FIL_OK;
}

// What ends so close that rounding in a file would tell the wrong side counts as passing, unless it is beside held
// vertices and can hardly move.
fil_status fil_look_at_pairs(const fil_part *part, const fil_touch_pairs *pairs, fil_touch_list *out)
{
    const double clearance = 0.01, least_freedom = 0.25;
    fil_status status =
        fil_touch_strands_crossings(part->job.context, part->scratch->arena, &part->strands, pairs, clearance, out);
    int kept = 0;
    for (int i = 0; status == FIL_OK && i < out->count; ++i)
        if (out->point[i].crossing || fil_meet_freedom(part, &out->point[i]) >= least_freedom)
            out->point[kept++] = out->point[i];
    out->count = kept;
    return status;
}

fil_status fil_look_again(fil_part *part)
{
    double start = fil_timer_seconds();
    fil_touch_list near;
    part->passing = (fil_touch_list){0};
    fil_status status = fil_look_for_strays(part, &near);
    if (status == FIL_OK)
        status = let_wait(part, &near);
    if (status == FIL_OK)
        status = fil_look_at_pairs(part, &part->pairs, &part->passing);
    part->stats->crossings = part->passing.count;
    part->stats->seconds[FIL_PHASE_DETECT] += fil_timer_seconds() - start;
    return status;
}

fil_status fil_look_add(fil_part *part, int *added)
{
    double start = fil_timer_seconds();
    fil_touch_list more = {.point = FIL_ARENA_RAW(part->scratch->arena, fil_touch_point, part->passing.count)};
    if (!more.point)
        return FIL_NO_MEMORY;
    for (int i = 0; i < part->passing.count; ++i) {
        const fil_touch_point *point = &part->passing.point[i];
        int worse = find_worse(&part->meets, point);
        if (worse >= 0)
            part->meets.point[worse] = *point;
        else
            more.point[more.count++] = *point;
    }
    *added += part->passing.count;
    qsort(more.point, (size_t)more.count, sizeof *more.point, compare_points);
    fil_status status = part->passing.count > 0 ? fil_meet_add(part, &more) : FIL_OK;
    part->stats->seconds[FIL_PHASE_DETECT] += fil_timer_seconds() - start;
    return status;
}
