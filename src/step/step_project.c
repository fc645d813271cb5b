// Takes apart what passes through each other at the iterate, or nearly does, by moving vertices by hardly anything.
//
// The residual is one of all contacts together: among 200,000 a single one may be wrong by a radius, which is 10 µm for
// hair, and strands are on the wrong side for ever. To solve all so well that no single one is wrong costs many times
// the step; to move two edges by a tenth of a radius costs nothing and bends nothing. So, on positions, one place after
// the other (Müller 2006):
//
//     gap_i(x) >= floor_i,   x_j += w_j λ n_i,   λ = (floor_i - gap_i) / Σ w²
//
// for all that crosses, all contacts and all places that wait to become some, until none is below its floor and nothing
// crosses. Edges keep their lengths. The floor of a contact keeps centre lines half of their radii apart; what is less
// than four tenths below it stays there, for it would be below again soon: a step is as wrong as that.
//
// Velocities stay as they were solved, so nothing is pushed by it. What was moved counts in the residual as what is
// missing to balance, at the speed that it has in a whole step, however often that was halved; the caller forgets it
// where that is more than it allows. It is done at the commit.
//
// Cost: one look at every place, then linear in the places of the strands that move, some ten times.
#include "step/step_contact.h"

#include "base/parallel.h"
#include "base/timer.h"
#include "collide/segment.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { PLACE_GRAIN = 1024, MOST_TURNS = 20, MOST_SWEEPS = 300, MOST_LOOKS = 30 };

static const double deepest = 0.5;        // radii: centre lines are moved half of them apart
static const double slack = 0.4;          // radii: what is less below its floor stays there
static const double stretch = 1e-4;       // of the length of an edge: as good as nothing
static const double most_stretch = 1e-3;  // the same, of what is taken
static const double least_freedom = 0.25; // what hardly moves is moved only where it crosses
// Places that are no contacts: more of them, or deeper ones, are no errors, but contacts that are not known yet.
static const double few = 20, few_of_strands = 0.125;
static const double far_off = 2; // radii

// Strands, each once.
typedef struct strand_set {
    int *strand, count;
    bool *has; // [strands]
} strand_set;

typedef struct apart {
    fil_part *part;
    bool crossings_only;
    fil_arena_mark mark;      // of all below
    fil_touch_pairs pairs;    // before anything was moved
    int places;               // contacts, then those that wait
    double *floor;            // [places] m, the least gap
    bool *low;                // [places] below it
    int *start, *place;       // [strands + 1], [2 places] the places of each strand
    fil_touch_list crossings; // found so far
    int room;                 // for them
    double *length;           // [vertices] of the edges of the iterate
    strand_set now, next;     // those whose places are to be looked at in this sweep, and in the next one
    int64_t looks;            // at places, so far
} apart;

// ---- floors

static const fil_touch_point *place_of(const apart *self, int64_t i)
{
    const fil_part *part = self->part;
    return i < part->meets.count ? &part->meets.point[i] : &part->waiting.point[i - part->meets.count];
}

// What began inside a body is left to the law, which eases it out.
static double floor_of(const fil_part *part, const fil_touch_point *point)
{
    double lowest = -deepest * fil_meet_radii(part, point);
    return point->b < 0 ? fmin(lowest, point->gap) : lowest;
}

// What hardly moves, or is wedged, is left alone. Where only crossings are taken apart, the rest shall not come nearer
// than it is.
static double floor_of_contact(const apart *self, int64_t i, double gap)
{
    const fil_part *part = self->part;
    const fil_touch_point *point = &part->meets.point[i];
    if (part->meets.wedged[i] || fil_meet_freedom(part, point) < least_freedom)
        return -INFINITY;
    double floor = floor_of(part, point);
    return self->crossings_only ? fmin(floor, gap) : floor;
}

// Those that wait are no contacts yet because they do not overlap, and shall do so no more than they may without
// becoming some. Where they slid along each other their normal, which is that of the start, may say that they do though
// they are apart; and where it says that they lie deep in each other, it is not the way out.
static double floor_of_waiting(const apart *self, const fil_touch_point *point, double gap, double radii)
{
    const fil_part *part = self->part;
    double woken = fil_look_woken(part), s, t;
    if (gap >= -woken * radii || point->b < 0)
        return -woken * radii;
    if (gap < -far_off * radii)
        return -INFINITY;
    const double *a = part->strands.x1 + 3 * (ptrdiff_t)point->a, *b = part->strands.x1 + 3 * (ptrdiff_t)point->b;
    double square = fil_segment_nearest(a, a + 3, b, b + 3, &s, &t), near = (1 - woken) * radii;
    return square < near * near ? -woken * radii : -INFINITY;
}

// By how many radii a place may be below its floor.
static double slack_of(const apart *self, int64_t i)
{
    return i < self->part->meets.count ? slack : fmin(slack, fil_look_woken(self->part) / 3);
}

static void set_floors(void *data, int64_t begin, int64_t end)
{
    const apart *self = data;
    const fil_part *part = self->part;
    for (int64_t i = begin; i < end; ++i) {
        const fil_touch_point *point = place_of(self, i);
        double gap = fil_meet_end_gap(part, point), radii = fil_meet_radii(part, point);
        self->floor[i] =
            i < part->meets.count ? floor_of_contact(self, i, gap) : floor_of_waiting(self, point, gap, radii);
        self->low[i] = self->floor[i] - gap > slack_of(self, i) * radii;
    }
}

// ---- moving

static void add_strand(strand_set *set, int strand)
{
    if (!set->has[strand])
        set->strand[set->count++] = strand;
    set->has[strand] = true;
}

static void shift(apart *self, int edge, double at, double way, const double normal[3])
{
    fil_part *part = self->part;
    const double weight[2] = {1 - at, at};
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3 && !part->strands.held[edge + i]; ++k)
            part->scratch->x1[3 * (ptrdiff_t)(edge + i) + k] += weight[i] * way * normal[k];
    part->moved[part->strands.strand[edge]] = true;
    add_strand(&self->next, part->strands.strand[edge]);
}

// Moves a place to its floor where it is more than `off` radii below it.
static void lift(apart *self, const fil_touch_point *point, double floor, double off)
{
    const fil_part *part = self->part;
    double freedom = fil_meet_freedom(part, point), missing = floor - fil_meet_end_gap(part, point);
    if (!(missing > off * fil_meet_radii(part, point)) || !(freedom > 0))
        return;
    double way = missing / freedom;
    shift(self, point->a, point->at_a, way, point->normal);
    if (point->b >= 0)
        shift(self, point->b, point->at_b, -way, point->normal);
}

static double length_of(const double *x, int edge, double e[3])
{
    const double *a = x + 3 * (ptrdiff_t)edge;
    for (int k = 0; k < 3; ++k)
        e[k] = a[k + 3] - a[k];
    return fil_vec3_norm(e);
}

// Gives an edge its length back; false: it had it.
static bool keep_length(const apart *self, int edge)
{
    const fil_part *part = self->part;
    double *x = part->scratch->x1 + 3 * (ptrdiff_t)edge, e[3], length = length_of(part->strands.x1, edge, e);
    double weight[2] = {!part->strands.held[edge], !part->strands.held[edge + 1]}, off = length - self->length[edge];
    if (!(fabs(off) > stretch * self->length[edge]) || weight[0] + weight[1] == 0)
        return false;
    double way = off / (length * (weight[0] + weight[1]));
    for (int k = 0; k < 3; ++k) {
        x[k] += weight[0] * way * e[k];
        x[k + 3] -= weight[1] * way * e[k];
    }
    return true;
}

// From the root on and back. A strand that it changes is looked at again.
static void keep_lengths(apart *self, int strand)
{
    const int first = self->part->strands.first[strand], end = self->part->strands.first[strand + 1] - 1;
    bool changed = false;
    for (int edge = first; edge < end; ++edge)
        changed |= keep_length(self, edge);
    for (int edge = end - 1; changed && edge >= first; --edge)
        keep_length(self, edge);
    if (changed)
        add_strand(&self->next, strand);
}

static bool have_lengths(const apart *self)
{
    const fil_part *part = self->part;
    for (int i = 0; i + 1 < part->strands.vertex_count; ++i) {
        int strand = part->strands.strand[i];
        double e[3];
        if (part->moved[strand] && strand == part->strands.strand[i + 1] &&
            fabs(length_of(part->strands.x1, i, e) - self->length[i]) > most_stretch * self->length[i])
            return false;
    }
    return true;
}

// A counting sort of the places by their strands.
static void list_places(apart *self)
{
    const int *strand = self->part->strands.strand;
    int *next = self->start + 1; // where the next one of a strand goes, counted one ahead
    for (int i = 0; i < self->places; ++i) {
        const fil_touch_point *point = place_of(self, i);
        ++next[strand[point->a] + 1];
        if (point->b >= 0)
            ++next[strand[point->b] + 1];
    }
    for (int s = 1; s <= self->part->strands.strand_count; ++s)
        next[s] += next[s - 1];
    for (int i = 0; i < self->places; ++i) {
        const fil_touch_point *point = place_of(self, i);
        self->place[next[strand[point->a]]++] = i;
        if (point->b >= 0)
            self->place[next[strand[point->b]]++] = i;
    }
}

static void lift_place(apart *self, int i)
{
    lift(self, place_of(self, i), self->floor[i], slack_of(self, i));
}

static void lift_crossings(apart *self)
{
    for (int i = 0; i < self->crossings.count; ++i)
        lift(self, &self->crossings.point[i], floor_of(self->part, &self->crossings.point[i]), slack);
}

// One place after the other, time and again: those of the strands that moved last.
static void sweep(apart *self)
{
    for (int turn = 0; turn < MOST_SWEEPS && self->looks < MOST_LOOKS * (int64_t)self->places; ++turn) {
        strand_set moved = self->next;
        self->next = self->now;
        self->now = moved;
        for (int k = 0; k < self->now.count; ++k)
            keep_lengths(self, self->now.strand[k]);
        lift_crossings(self);
        for (int k = 0; k < self->now.count; ++k) {
            int strand = self->now.strand[k];
            self->now.has[strand] = false;
            for (int i = self->start[strand]; i < self->start[strand + 1]; ++i)
                lift_place(self, self->place[i]);
            self->looks += self->start[strand + 1] - self->start[strand];
        }
        self->now.count = 0;
        if (self->next.count == 0)
            return;
    }
}

// ---- crossings

// Who passes through each other, of the pairs with a strand that was moved. It may have been moved to others that were
// not near it.
static fil_status find_crossings(const apart *self, fil_touch_list *out)
{
    fil_part *part = self->part;
    const int *strand = part->strands.strand;
    fil_arena *arena = part->scratch->arena;
    fil_touch_list near;
    int64_t count = 0;
    fil_status status = fil_look_for_strays(part, &near);
    if (status != FIL_OK)
        return status;
    for (int64_t i = 0; i < part->pairs.count; ++i)
        count += part->moved[strand[part->pairs.a[i]]] || part->moved[strand[part->pairs.b[i]]];
    fil_touch_pairs pairs = {.a = FIL_ARENA_RAW(arena, int, count), .b = FIL_ARENA_RAW(arena, int, count)};
    if (!pairs.a || !pairs.b)
        return FIL_NO_MEMORY;
    for (int64_t i = 0; i < part->pairs.count; ++i)
        if (part->moved[strand[part->pairs.a[i]]] || part->moved[strand[part->pairs.b[i]]]) {
            pairs.a[pairs.count] = part->pairs.a[i];
            pairs.b[pairs.count++] = part->pairs.b[i];
        }
    return fil_look_at_pairs(part, &pairs, out);
}

// Their strands are looked at again, also where nothing had to be moved.
static fil_status add_crossings(apart *self, const fil_touch_list *more)
{
    const fil_part *part = self->part;
    fil_touch_list *all = &self->crossings;
    if (all->count + more->count > self->room) {
        int room = 2 * (all->count + more->count);
        fil_touch_point *point = FIL_ARENA_RAW(part->scratch->arena, fil_touch_point, room);
        if (!point)
            return FIL_NO_MEMORY;
        if (all->count > 0)
            memcpy(point, all->point, (size_t)all->count * sizeof *point);
        all->point = point;
        self->room = room;
    }
    for (int i = 0; i < more->count; ++i) {
        all->point[all->count++] = more->point[i];
        part->moved[part->strands.strand[more->point[i].a]] = true;
        part->moved[part->strands.strand[more->point[i].b]] = true;
    }
    return FIL_OK;
}

// Moves x1; *done: nothing that was moved crosses any more.
static fil_status move_apart(apart *self, bool *done)
{
    fil_status status = FIL_OK;
    list_places(self);
    lift_crossings(self);
    for (int i = 0; i < self->places; ++i)
        if (self->low[i])
            lift_place(self, i);
    *done = self->next.count + self->crossings.count == 0;
    for (int turn = 0; turn < MOST_TURNS && !*done && status == FIL_OK; ++turn) {
        fil_touch_list more;
        sweep(self);
        status = find_crossings(self, &more);
        if (status == FIL_OK)
            status = add_crossings(self, &more);
        *done = status == FIL_OK && more.count == 0;
        if (!*done)
            lift_crossings(self);
    }
    *done = *done && (have_lengths(self) || self->part->last_try);
    return status;
}

// ---- what was moved

static fil_strand_report *report_of(const fil_part *part, int strand)
{
    fil_home home = fil_part_home(part, strand);
    return &part->job.state->scratch[home.group].report[home.newton->pack * FIL_LANES + home.lane];
}

// How far a strand was moved, at the most.
static double way_of(const fil_part *part, int strand)
{
    fil_home home = fil_part_home(part, strand);
    int first = part->strands.first[strand], n = part->strands.first[strand + 1] - first, dofs = home.S->type->dofs;
    double most = 0;
    for (int i = 0; i < n; ++i) {
        const double *from = home.newton->q + (ptrdiff_t)i * dofs * FIL_LANES + home.lane;
        double square = 0;
        for (int k = 0; k < 3; ++k) {
            double way = part->strands.x1[3 * (ptrdiff_t)(first + i) + k] - from[k * FIL_LANES];
            square += way * way;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

fil_status fil_project_keep(fil_part *part)
{
    int64_t count = 3 * (int64_t)part->strands.vertex_count;
    part->apart = FIL_ARENA_RAW(part->scratch->arena, double, count);
    if (!part->apart)
        return FIL_NO_MEMORY;
    memcpy(part->apart, part->strands.x1, (size_t)count * sizeof *part->apart);
    for (int strand = 0; strand < part->strands.strand_count; ++strand)
        if (part->moved[strand])
            report_of(part, strand)->moved = way_of(part, strand) * part->job.h / (part->step * part->job.s);
    return FIL_OK;
}

void fil_project_forget(fil_part *part)
{
    for (int strand = 0; strand < part->strands.strand_count && part->apart; ++strand)
        if (part->moved[strand])
            report_of(part, strand)->moved = 0;
    part->apart = NULL;
    part->rigid = false;
}

static fil_m4 moved_lanes(const fil_part_job *self, const fil_newton *newton)
{
    const fil_strands *S = newton->S;
    const bool *moved = self->part->moved + self->part->contacts->first_strand[self->job.group];
    fil_m4 lanes = {0};
    for (int lane = 0; lane < FIL_LANES && newton->pack * FIL_LANES + lane < S->strand_count; ++lane)
        lanes[lane] = moved[S->strand_of_slot[newton->pack * FIL_LANES + lane]] ? -1 : 0;
    return lanes;
}

// The direction that leads from the iterate to where strands were moved.
static void aim(const fil_part_job *self, const fil_newton *newton)
{
    const fil_part *part = self->part;
    const fil_strands *S = newton->S;
    int dofs = S->type->dofs;
    memset(newton->direction, 0, (size_t)newton->size * FIL_LANES * sizeof *newton->direction);
    for (int lane = 0; lane < FIL_LANES && newton->pack * FIL_LANES + lane < S->strand_count; ++lane) {
        int strand = part->contacts->first_strand[self->job.group] + S->strand_of_slot[newton->pack * FIL_LANES + lane];
        int first = part->strands.first[strand], n = part->strands.first[strand + 1] - first;
        for (int i = 0; i < n && part->moved[strand]; ++i)
            for (int k = 0; k < 3; ++k) {
                ptrdiff_t at = ((ptrdiff_t)i * dofs + k) * FIL_LANES + lane;
                newton->direction[at] = part->apart[3 * (ptrdiff_t)(first + i) + k] - newton->q[at];
            }
    }
}

fil_m4 fil_project_commit(const fil_part_job *self, fil_newton *newton)
{
    const fil_strands *S = newton->S;
    if (!self->part->apart)
        return fil_pack_commit(&self->job, newton);
    fil_m4 lanes = moved_lanes(self, newton);
    if (!fil_m4_any(lanes))
        return fil_pack_commit(&self->job, newton);
    // What the linearisation said is read no more.
    ptrdiff_t start = S->pack_row[newton->pack] * FIL_LANES * S->type->dofs, size = (ptrdiff_t)newton->size * FIL_LANES;
    double *solved = self->job.state->scratch[self->job.group].q_said + start;
    double *v = self->job.state->groups[self->job.group].v + start;
    memcpy(solved, newton->q, (size_t)size * sizeof *solved);
    aim(self, newton);
    fil_newton_try(newton, fil_v4_select(lanes, fil_v4_all(1), fil_v4_all(0)), (fil_m4){0});
    fil_newton_accept(newton);
    fil_newton_straighten(newton, lanes);
    fil_m4 fine = fil_pack_commit(&self->job, newton);
    for (ptrdiff_t k = 0; k < size && !self->part->rigid; k += FIL_LANES) {
        fil_m4 free = lanes & fine & (fil_v4_load(newton->is_free + k) > 0);
        fil_v4 velocity = (fil_v4_load(solved + k) - fil_v4_load(newton->q_hat + k)) / self->job.s;
        fil_v4_store(v + k, fil_v4_select(free, velocity, fil_v4_load(v + k)));
    }
    return fine;
}

// ---- the whole

static fil_status make_room(apart *self)
{
    fil_part *part = self->part;
    fil_arena *arena = part->scratch->arena;
    int strands = part->strands.strand_count;
    part->moved = FIL_ARENA_ARRAY(arena, bool, strands);
    self->mark = fil_arena_mark_now(arena);
    self->pairs = part->pairs;
    self->floor = FIL_ARENA_RAW(arena, double, self->places);
    self->low = FIL_ARENA_RAW(arena, bool, self->places);
    self->start = FIL_ARENA_ARRAY(arena, int, (int64_t)strands + 2);
    self->place = FIL_ARENA_RAW(arena, int, 2 * (int64_t)self->places);
    self->length = FIL_ARENA_RAW(arena, double, part->strands.vertex_count);
    self->now =
        (strand_set){.strand = FIL_ARENA_RAW(arena, int, strands), .has = FIL_ARENA_ARRAY(arena, bool, strands)};
    self->next =
        (strand_set){.strand = FIL_ARENA_RAW(arena, int, strands), .has = FIL_ARENA_ARRAY(arena, bool, strands)};
    bool made = self->floor && self->low && self->start && self->place && self->length && part->moved;
    made = made && self->now.strand && self->now.has && self->next.strand && self->next.has;
    return made ? FIL_OK : FIL_NO_MEMORY;
}

// Whether what crosses and what is low and no contact is so little that these are errors.
static bool are_errors(const apart *self)
{
    const fil_part *part = self->part;
    int count = self->crossings.count;
    for (int i = part->meets.count; i < self->places; ++i) {
        const fil_touch_point *point = place_of(self, i);
        count += self->low[i];
        if (self->low[i] && fil_meet_end_gap(part, point) < -far_off * fil_meet_radii(part, point))
            return false;
    }
    return count <= fmax(few, few_of_strands * part->strands.strand_count);
}

fil_status fil_project_apart(fil_part *part, bool crossings_only, bool *done)
{
    double start = fil_timer_seconds();
    apart self = {.part = part, .crossings_only = crossings_only, .places = part->meets.count + part->waiting.count};
    fil_status status = make_room(&self);
    if (status == FIL_OK)
        status = add_crossings(&self, &part->passing);
    *done = false;
    if (status != FIL_OK)
        return status;
    for (int i = 0; i + 1 < part->strands.vertex_count; ++i)
        self.length[i] = length_of(part->strands.x1, i, (double[3]){0});
    fil_parallel_for(part->job.context, self.places, PLACE_GRAIN, set_floors, &self);
    if (are_errors(&self) || part->last_try)
        status = move_apart(&self, done);
    if (part->pairs.a == self.pairs.a) // otherwise there are new ones
        fil_arena_rewind(part->scratch->arena, self.mark);
    part->stats->seconds[FIL_PHASE_DETECT] += fil_timer_seconds() - start;
    if (status == FIL_OK && *done)
        status = fil_project_keep(part);
    fil_meet_follow(part);
    return status;
}
