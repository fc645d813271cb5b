// Compiles a group of live strands: packs of eight, in floats, from the packs of four of fil_strands.
#include "strand/live.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

static void direction(const double *x, double t[3])
{
    for (int k = 0; k < 3; ++k)
        t[k] = x[k + 3] - x[k];
    fil_vec3_normalise(t);
}

// k = t1 - t0 at each inner vertex, along t0 and the two axes of a frame that does not twist; and how much bends and
// edges give: l̄ / EI, l / EA.
// NOLINTBEGIN(readability-non-const-parameter): as the vtable has it
fil_status fil_live_build_strand(fil_context *context, const fil_strand_shape *shape, const void *param,
                                 double *constants, double *strain)
// NOLINTEND(readability-non-const-parameter)
{
    (void)context;
    (void)param;
    (void)strain;
    int n = shape->vertices;
    double d[3], t0[3], t1[3], across[3];
    for (int k = 0; k < 3; ++k)
        d[k] = shape->rest_axis[k];
    direction(shape->rest, t0);
    for (int i = 0; i < n; ++i) {
        double *out = constants + (ptrdiff_t)i * FIL_LIVE_CONSTANTS * FIL_LANES;
        if (i + 1 < n)
            out[(FIL_LIVE_GIVE + 1) * FIL_LANES] = shape->length[i] / shape->stretch[i];
        if (i == 0 || i + 1 == n)
            continue;
        double stiffness = 0.25 * (shape->bend1[i - 1] + shape->bend2[i - 1] + shape->bend1[i] + shape->bend2[i]);
        out[FIL_LIVE_GIVE * FIL_LANES] = 0.5 * (shape->length[i - 1] + shape->length[i]) / fmax(stiffness, 1e-30);
        direction(shape->rest + 3 * (ptrdiff_t)i, t1);
        fil_vec3_cross(t0, d, across);
        const double k[3] = {t1[0] - t0[0], t1[1] - t0[1], t1[2] - t0[2]};
        out[FIL_LIVE_BEND * FIL_LANES] = fil_vec3_dot(k, t0);
        out[(FIL_LIVE_BEND + 1) * FIL_LANES] = fil_vec3_dot(k, d);
        out[(FIL_LIVE_BEND + 2) * FIL_LANES] = fil_vec3_dot(k, across);
        double chi = 1 + fil_vec3_dot(t0, t1), along = chi > 1e-12 ? fil_vec3_dot(t1, d) / chi : 0;
        for (int j = 0; j < 3; ++j)
            d[j] -= along * (t0[j] + t1[j]);
        along = fil_vec3_dot(d, t1);
        for (int j = 0; j < 3; ++j) {
            d[j] -= along * t1[j];
            t0[j] = t1[j];
        }
        fil_vec3_normalise(d);
    }
    return FIL_OK;
}

static fil_status lay_out(fil_arena *arena, const fil_strands *S, fil_live *out)
{
    const int share = FIL_LIVE_LANES / FIL_LANES; // packs of fil_strands in one
    out->pack_count = (S->pack_count + share - 1) / share;
    out->vertices = FIL_ARENA_ARRAY(arena, int, out->pack_count);
    out->row = FIL_ARENA_ARRAY(arena, int64_t, (size_t)out->pack_count + 1);
    if (!out->vertices || !out->row)
        return FIL_NO_MEMORY;
    for (int pack = 0; pack < out->pack_count; ++pack) {
        out->vertices[pack] = S->pack_vertices[share * pack];
        out->row[pack + 1] = out->row[pack] + out->vertices[pack];
    }
    out->longest = out->pack_count > 0 ? out->vertices[0] : 0;
    return FIL_OK;
}

static fil_status make_room(fil_arena *arena, fil_live *out)
{
    const bool elastic = out->param->form != FIL_LIVE_PBD;
    struct {
        float **array;
        int width;
    } rooms[] = {
        {&out->share, 1},  {&out->weight, 1}, {&out->length, 1}, {&out->inverse, 1},   {&out->drag, 1},
        {&out->radius, 1}, {&out->along, 1},  {&out->rest, 3},   {&out->rest_bend, 3}, {&out->give, elastic ? 2 : 0}};
    size_t rows = (size_t)out->row[out->pack_count] * FIL_LIVE_LANES;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; ++i) {
        if (rooms[i].width > 0)
            *rooms[i].array = FIL_ARENA_ARRAY(arena, float, rows *(size_t)rooms[i].width);
        if (rooms[i].width > 0 && !*rooms[i].array)
            return FIL_NO_MEMORY;
    }
    out->axis = FIL_ARENA_ARRAY(arena, float, (size_t)out->pack_count * 3 * FIL_LIVE_LANES);
    return out->axis ? FIL_OK : FIL_NO_MEMORY;
}

// Which strand a lane follows: its own, or a copy of the first of the pack to fill it.
static int slot_of(const fil_strands *S, int slot)
{
    return slot < S->pack_count * FIL_LANES ? slot : slot - slot % FIL_LIVE_LANES;
}

// The row of vertex i of a slot in the packs of fil_strands; beyond the end of a pack: -1.
static int64_t row_of(const fil_strands *S, int slot, int i)
{
    int pack = slot / FIL_LANES;
    return i < S->pack_vertices[pack] ? S->pack_row[pack] + i : -1;
}

static int vertices_of(const fil_strands *S, int slot)
{
    return S->vertices[S->strand_of_slot[slot]];
}

// Of all vertices of a strand.
static double mass_of(const fil_strands *S, int slot)
{
    double sum = 0;
    for (int i = 0; i < vertices_of(S, slot); ++i)
        sum += S->inertia[row_of(S, slot, i) * S->type->dofs * FIL_LANES + slot % FIL_LANES];
    return sum;
}

// The mean mass of a vertex, or rather the power of two below it: a strand then gets the same bits in any group.
static double usual_mass(const fil_strands *S)
{
    double sum = 0;
    for (int slot = 0; slot < S->strand_count; ++slot)
        sum += mass_of(S, slot);
    int exponent;
    frexp(sum / (double)S->vertex_count, &exponent);
    return ldexp(1, exponent - 1);
}

void fil_live_weigh(const fil_live *live, const fil_strands *S, const double *is_free, float *weight)
{
    for (int slot = 0; slot < live->pack_count * FIL_LIVE_LANES; ++slot) {
        int from = slot_of(S, slot), pack = slot / FIL_LIVE_LANES, lane = slot % FIL_LIVE_LANES;
        double equal = mass_of(S, from) / vertices_of(S, from);
        for (int i = 0; i < live->vertices[pack]; ++i) {
            int64_t at = row_of(S, from, i) * S->type->dofs * FIL_LANES + from % FIL_LANES;
            bool moves = i < vertices_of(S, from) && is_free[at] != 0;
            double mass = moves && !live->param->equal_masses ? S->inertia[at] : equal;
            weight[(live->row[pack] + i) * FIL_LIVE_LANES + lane] = moves ? (float)((double)live->mass / mass) : 0;
        }
    }
}

static void fill_vertex(const fil_strands *S, const fil_group *group, int from, int i, double along, int64_t at,
                        fil_live *out)
{
    // Behind the end of a strand vertices stay where its last one starts.
    int n = vertices_of(S, from), own = i < n ? i : n - 1;
    int64_t row = row_of(S, from, own) * FIL_LANES + from % FIL_LANES, width = S->type->dofs;
    int64_t first = row_of(S, from, own) * FIL_LANES;
    const double *q = S->q + first * width + from % FIL_LANES;
    const double *constants = S->constants + first * FIL_LIVE_CONSTANTS + from % FIL_LANES;
    bool edge = i + 1 < n, inner = i > 0 && edge;
    double inertia = S->inertia[first * width + from % FIL_LANES], touch = group->touch.radius;
    out->length[at] = edge ? (float)S->edge_length[row] : 0;
    out->inverse[at] = edge ? (float)(1 / S->edge_length[row]) : 0;
    out->drag[at] = (float)(S->drag[row] / inertia);
    out->share[at] = i < n ? (float)(inertia / (double)out->mass) : 0;
    out->radius[at] = (float)(touch > 0 ? touch : S->radius[row]);
    out->along[at] = (float)along;
    for (int k = 0; k < 3; ++k) {
        int64_t place = at / FIL_LIVE_LANES * 3 * FIL_LIVE_LANES + k * FIL_LIVE_LANES + at % FIL_LIVE_LANES;
        out->rest[place] = (float)q[(ptrdiff_t)k * FIL_LANES];
        out->rest_bend[place] = inner ? (float)constants[(ptrdiff_t)(FIL_LIVE_BEND + k) * FIL_LANES] : 0;
        out->curved = out->curved || fabsf(out->rest_bend[place]) > 1e-6F;
    }
    for (int k = 0; out->give && k < 2; ++k)
        out->give[at / FIL_LIVE_LANES * 2 * FIL_LIVE_LANES + k * FIL_LIVE_LANES + at % FIL_LIVE_LANES] =
            (k == 0 ? inner : edge) ? (float)(out->mass * constants[(ptrdiff_t)(FIL_LIVE_GIVE + k) * FIL_LANES]) : 0;
}

// Whether tangents of the rest shape of a strand differ by more than 60°.
static bool is_curly(const fil_strands *S, int strand)
{
    const double most = 1; // of |t_i - t_j|
    int slot = S->slot[strand], n = S->vertices[strand];
    int64_t row = S->pack_row[slot / FIL_LANES];
    double low[3] = {0}, high[3] = {0}, t[3] = {0}, square = 0;
    // Tangents relative to the first, in frames that do not twist: the sum of the bends as if these did not turn would
    // be wrong for long curls, but is right as long as it is little.
    for (int i = 1; i + 1 < n; ++i)
        for (int k = 0; k < 3; ++k) {
            t[k] += S->constants[((row + i) * FIL_LIVE_CONSTANTS + FIL_LIVE_BEND + k) * FIL_LANES + slot % FIL_LANES];
            low[k] = fmin(low[k], t[k]);
            high[k] = fmax(high[k], t[k]);
        }
    for (int k = 0; k < 3; ++k)
        square += (high[k] - low[k]) * (high[k] - low[k]);
    return square > most * most;
}

static void fill(const fil_strands *S, const fil_group *group, fil_live *out)
{
    for (int slot = 0; slot < out->pack_count * FIL_LIVE_LANES; ++slot) {
        int from = slot_of(S, slot), pack = slot / FIL_LIVE_LANES, lane = slot % FIL_LIVE_LANES;
        double arc = 0, whole = S->strand_length[S->strand_of_slot[from]];
        for (int i = 0; i < out->vertices[pack]; ++i) {
            int64_t at = (out->row[pack] + i) * FIL_LIVE_LANES + lane;
            fill_vertex(S, group, from, i, arc / whole, at, out);
            if (slot >= S->strand_count)
                out->share[at] = 0;
            if (i + 1 < vertices_of(S, from))
                arc += S->edge_length[row_of(S, from, i) * FIL_LANES + from % FIL_LANES];
        }
        for (int k = 0; k < 3; ++k)
            out->axis[((ptrdiff_t)pack * 3 + k) * FIL_LIVE_LANES + lane] =
                (float)S->axis[(row_of(S, from, 0) * 3 + k) * FIL_LANES + from % FIL_LANES];
    }
}

// Who holds vertex i of the strands of a pack. Returns whether anything does in one of them.
static bool find_holders(const fil_strands *S, int pack, int i, unsigned char holder[FIL_LIVE_LANES])
{
    bool any = false;
    for (int lane = 0; lane < FIL_LIVE_LANES; ++lane) {
        int from = slot_of(S, pack * FIL_LIVE_LANES + lane);
        holder[lane] = i < vertices_of(S, from) ? S->holder[row_of(S, from, i) * FIL_LANES + from % FIL_LANES] : 0;
        any = any || holder[lane] != 0;
    }
    return any;
}

// Vertices that are held in any strand of a pack.
static fil_status list_held(fil_arena *arena, const fil_strands *S, fil_live *out)
{
    unsigned char holder[FIL_LIVE_LANES];
    out->held_start = FIL_ARENA_ARRAY(arena, int64_t, (size_t)out->pack_count + 1);
    if (!out->held_start)
        return FIL_NO_MEMORY;
    for (int pass = 0; pass < 2; ++pass) {
        int64_t count = 0;
        for (int pack = 0; pack < out->pack_count; ++pack) {
            for (int i = 0; i < out->vertices[pack]; ++i) {
                bool any = find_holders(S, pack, i, holder);
                if (any && pass == 1) {
                    out->held[count] = i;
                    memcpy(out->holder + count * FIL_LIVE_LANES, holder, sizeof holder);
                }
                count += any;
            }
            out->held_start[pack + 1] = count;
        }
        if (pass == 0) {
            out->held = FIL_ARENA_ARRAY(arena, int, (size_t)count + 1);
            out->holder = FIL_ARENA_ARRAY(arena, unsigned char, ((size_t)count + 1) * FIL_LIVE_LANES);
            if (!out->held || !out->holder)
                return FIL_NO_MEMORY;
        }
    }
    return FIL_OK;
}

fil_status fil_live_build(fil_arena *arena, const fil_group *group, fil_strands *S)
{
    fil_live *out = FIL_ARENA_ARRAY(arena, fil_live, 1);
    if (!out)
        return FIL_NO_MEMORY;
    *out = (fil_live){.type = S->type->live, .param = S->param, .mass = (float)usual_mass(S)};
    fil_status status = lay_out(arena, S, out);
    if (status == FIL_OK)
        status = make_room(arena, out);
    if (status == FIL_OK)
        status = list_held(arena, S, out);
    if (status != FIL_OK)
        return status;
    fill(S, group, out);
    for (int strand = 0; strand < S->strand_count; ++strand)
        out->curly = out->curly || is_curly(S, strand);
    fil_live_weigh(out, S, S->free, out->weight);
    S->live = out;
    return FIL_OK;
}

fil_live_now fil_live_tell(const fil_live *live, double h)
{
    const fil_live_param *param = live->param;
    fil_live_now now = {.h = (float)h,
                        .stiffness = (float)param->stiffness,
                        .to_edge = (float)param->local,
                        .to_shape = (float)param->global,
                        .to_shape_reach = (float)param->global_reach,
                        .correction = (float)param->correction,
                        .jump = (float)(param->fastest * h),
                        .rounds = param->rounds,
                        .bends = param->bends,
                        .form = param->form,
                        .curved = live->curved,
                        .hangs = !param->hangs ? 0
                                 : live->lift  ? 1
                                               : 2,
                        .carried = {live->carried[0], live->carried[1], live->carried[2]}};
    if (param->form == FIL_LIVE_DIRECT && live->curly) {
        now.bends = 0;
        now.to_edge = now.to_edge < 0.5F ? 0.5F : now.to_edge;
    }
    return now;
}
