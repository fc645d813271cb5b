// Packs a group: FIL_LANES strands side by side, the longest first, so that strands of like length share a pack and
// little is padded. Vertices beyond the end of a strand continue its last edge, have no stiffness, and are held. The
// last pack is filled with copies of its first strand, whose results nobody reads.
#include "strand/live.h"

#include "base/settings.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

static fil_status check_group(fil_context *context, const fil_group *group, const char *place)
{
    const fil_groom *groom = &group->groom;
    for (int i = 0; i < fil_material_field_count; ++i) {
        const fil_field *field = &fil_material_fields[i];
        double value;
        memcpy(&value, (const char *)&group->material + field->offset, sizeof value);
        if (!(value >= field->min && value <= field->max))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: material.%s: must be from %g to %g (got %g)", place,
                                    field->name, field->min, field->max, value);
    }
    if (groom->strand_count < 1)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: strand_count: must be at least 1 (got %d)", place,
                                groom->strand_count);
    if (!groom->vertex_count || !groom->position)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: vertex_count and position must be given", place);
    int64_t vertices = 0;
    for (int i = 0; i < groom->strand_count; ++i) {
        if (groom->vertex_count[i] < 2 || groom->vertex_count[i] > 1000000)
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: vertex_count[%d]: must be from 2 to 1000000 (got %d)",
                                    place, i, groom->vertex_count[i]);
        vertices += groom->vertex_count[i];
    }
    if (vertices > INT32_MAX / 16)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: %lld vertices are too many for one group", place,
                                (long long)vertices);
    for (int64_t i = 0; groom->velocity && i < 3 * vertices; ++i)
        if (!isfinite(groom->velocity[i]))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: velocity[%lld]: must be finite (got %g)", place,
                                    (long long)i, groom->velocity[i]);
    for (int64_t i = 0; groom->hold && i < vertices; ++i)
        if (groom->hold[i] > FIL_HOLD_PIN + group->pin_count)
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: hold[%lld]: must be from 0 to %d (got %d)", place,
                                    (long long)i, FIL_HOLD_PIN + group->pin_count, groom->hold[i]);
    return FIL_OK;
}

// Strands by descending length: a counting sort, stable.
static fil_status sort_strands(fil_arena *arena, const fil_groom *groom, int longest, int *order)
{
    int *count = FIL_ARENA_ARRAY(arena, int, (size_t)longest + 2);
    if (!count)
        return FIL_NO_MEMORY;
    for (int i = 0; i < groom->strand_count; ++i)
        ++count[longest - groom->vertex_count[i] + 1];
    for (int length = 0; length <= longest; ++length)
        count[length + 1] += count[length];
    for (int i = 0; i < groom->strand_count; ++i)
        order[count[longest - groom->vertex_count[i]]++] = i;
    return FIL_OK;
}

static int longest_strand(const fil_groom *groom)
{
    int longest = 0;
    for (int i = 0; i < groom->strand_count; ++i)
        longest = groom->vertex_count[i] > longest ? groom->vertex_count[i] : longest;
    return longest;
}

static fil_status lay_out(fil_arena *arena, const fil_groom *groom, fil_strands *out)
{
    int strands = groom->strand_count, packs = strands / FIL_LANES + (strands % FIL_LANES != 0);
    out->strand_count = strands;
    out->pack_count = packs;
    out->pack_vertices = FIL_ARENA_ARRAY(arena, int, packs);
    out->pack_row = FIL_ARENA_ARRAY(arena, int64_t, (size_t)packs + 1);
    out->slot = FIL_ARENA_ARRAY(arena, int, strands);
    out->strand_of_slot = FIL_ARENA_ARRAY(arena, int, (size_t)packs *FIL_LANES);
    out->vertices = FIL_ARENA_ARRAY(arena, int, strands);
    out->first_vertex = FIL_ARENA_ARRAY(arena, int64_t, (size_t)strands + 1);
    out->strand_length = FIL_ARENA_ARRAY(arena, double, strands);
    if (!out->pack_vertices || !out->pack_row || !out->slot || !out->strand_of_slot || !out->vertices ||
        !out->first_vertex || !out->strand_length)
        return FIL_NO_MEMORY;
    // strand_of_slot holds the sorted order first: slots are places in it.
    fil_status status = sort_strands(arena, groom, longest_strand(groom), out->strand_of_slot);
    if (status != FIL_OK)
        return status;
    for (int slot = 0; slot < packs * FIL_LANES; ++slot) {
        if (slot >= strands)
            out->strand_of_slot[slot] = out->strand_of_slot[slot - slot % FIL_LANES];
        else
            out->slot[out->strand_of_slot[slot]] = slot;
    }
    for (int i = 0; i < strands; ++i) {
        out->vertices[i] = groom->vertex_count[i];
        out->first_vertex[i + 1] = out->first_vertex[i] + groom->vertex_count[i];
    }
    for (int pack = 0; pack < packs; ++pack) {
        out->pack_vertices[pack] = groom->vertex_count[out->strand_of_slot[pack * FIL_LANES]];
        out->pack_row[pack + 1] = out->pack_row[pack] + out->pack_vertices[pack];
    }
    out->row_count = out->pack_row[packs];
    out->vertex_count = out->first_vertex[strands];
    return FIL_OK;
}

static fil_status make_room(fil_arena *arena, fil_strands *out)
{
    const fil_strand_type *type = out->type;
    struct {
        double **array;
        int width;
    } rooms[] = {{&out->inertia, type->dofs},
                 {&out->drag, 1},
                 {&out->radius, 1},
                 {&out->edge_length, 1},
                 {&out->edge_stiffness, 1},
                 {&out->curvature, 1},
                 {&out->constants, type->constant_count},
                 {&out->strain, type->strain_count},
                 {&out->free, type->dofs},
                 {&out->q, type->dofs},
                 {&out->v, type->dofs},
                 {&out->frame, type->frame_count},
                 {&out->axis, 3}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; ++i) {
        *rooms[i].array = FIL_ARENA_ARRAY(arena, double, (size_t)out->row_count *FIL_LANES *(size_t)rooms[i].width);
        if (!*rooms[i].array)
            return FIL_NO_MEMORY;
    }
    out->holder = FIL_ARENA_ARRAY(arena, unsigned char, (size_t)out->row_count *FIL_LANES);
    return out->holder ? FIL_OK : FIL_NO_MEMORY;
}

// Which pose holds vertex i of a strand with n vertices; 0: none.
static int holder_of(const fil_group *group, int64_t first, int i, int n)
{
    int at_root = (int)group->root, at_tip = (int)group->tip; // how many vertices an end holds
    if (i < at_root)
        return 1;
    if (n - 1 - i < at_tip)
        return 2;
    return group->groom.hold ? group->groom.hold[first + i] : 0;
}

// |κ| = 2 tan(φ/2) / l̄ of the rest shape, φ the angle between the edges.
static double curvature_at(const fil_strand_maker *maker, int i)
{
    const double *x = maker->rest + 3 * i;
    const double e[3] = {x[0] - x[-3], x[1] - x[-2], x[2] - x[-1]}, f[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
    double across[3];
    fil_vec3_cross(e, f, across);
    double along = fil_vec3_norm(e) * fil_vec3_norm(f) + fil_vec3_dot(e, f);
    return along > 0 ? 2 * fil_vec3_norm(across) / (along * maker->voronoi[i]) : 0;
}

// Unknowns of one strand: where it starts, masses, what is held.
static void place_strand(const fil_group *group, int strand, const fil_strand_maker *maker, int rows, int lane,
                         int64_t row, fil_strands *out)
{
    const fil_groom *groom = &group->groom;
    int64_t first = out->first_vertex[strand];
    int n = maker->shape.vertices, dofs = out->type->dofs;
    for (int i = 0; i < rows; ++i) {
        int64_t at = ((row + i) * dofs) * FIL_LANES + lane;
        bool beyond = i >= n;
        const double *x = groom->position + 3 * (first + (beyond ? n - 1 : i));
        int holder = beyond ? FIL_BEYOND : holder_of(group, first, i, n);
        out->holder[(row + i) * FIL_LANES + lane] = (unsigned char)holder;
        for (int k = 0; k < 3; ++k) {
            double along = beyond ? (i - n + 1) * (x[k] - x[k - 3]) : 0;
            out->q[at + (ptrdiff_t)k * FIL_LANES] = x[k] + along;
            out->v[at + (ptrdiff_t)k * FIL_LANES] =
                groom->velocity && !beyond ? groom->velocity[3 * (first + i) + k] : 0;
            out->inertia[at + (ptrdiff_t)k * FIL_LANES] = beyond ? 1 : maker->mass[i];
            out->free[at + (ptrdiff_t)k * FIL_LANES] = holder == 0;
        }
        if (dofs > 3) {
            // An angle is held with both vertices of its edge; the idle one behind the last edge always.
            bool held = i >= n - 1 || (holder != 0 && holder_of(group, first, i + 1, n) == holder);
            out->inertia[at + 3 * FIL_LANES] = beyond ? 1 : maker->rotary[i];
            out->free[at + 3 * FIL_LANES] = !held;
        }
        for (int k = 0; k < 3; ++k)
            out->axis[((row + i) * 3 + k) * FIL_LANES + lane] = maker->start_axis[3 * (i < n - 1 ? i : n - 2) + k];
        out->edge_length[(row + i) * FIL_LANES + lane] = maker->length[i < n - 1 ? i : n - 2];
        out->edge_stiffness[(row + i) * FIL_LANES + lane] = maker->stretch[i < n - 1 ? i : n - 2];
        out->curvature[(row + i) * FIL_LANES + lane] = i > 0 && i < n - 1 ? curvature_at(maker, i) : 0;
        out->radius[(row + i) * FIL_LANES + lane] = maker->radius[beyond ? n - 1 : i];
        out->drag[(row + i) * FIL_LANES + lane] = beyond ? 0 : group->material.drag * maker->voronoi[i];
    }
}

static fil_status fill(fil_context *context, fil_arena *arena, const fil_group *group, const char *place,
                       fil_strands *out)
{
    const fil_strand_type *type = out->type;
    fil_strand_maker maker;
    fil_arena_mark mark = fil_arena_mark_now(arena);
    fil_status status = fil_strand_maker_create(arena, longest_strand(&group->groom), &maker);
    for (int slot = 0; slot < out->pack_count * FIL_LANES && status == FIL_OK; ++slot) {
        int pack = slot / FIL_LANES, lane = slot % FIL_LANES, strand = out->strand_of_slot[slot];
        int64_t row = out->pack_row[pack];
        status = fil_strand_maker_shape(context, group, strand, out->first_vertex[strand], place, &maker);
        if (status != FIL_OK)
            break;
        place_strand(group, strand, &maker, out->pack_vertices[pack], lane, row, out);
        out->strand_length[strand] = 0;
        for (int i = 0; i < maker.shape.vertices - 1; ++i)
            out->strand_length[strand] += maker.length[i];
        if (type->start)
            type->start(maker.shape.vertices, group->groom.position + 3 * out->first_vertex[strand], maker.start_axis,
                        out->frame + row * type->frame_count * FIL_LANES + lane);
        status = type->build(context, &maker.shape, out->param,
                             out->constants + row * type->constant_count * FIL_LANES + lane,
                             out->strain + row * type->strain_count * FIL_LANES + lane);
    }
    fil_arena_rewind(arena, mark);
    return status;
}

// Rows with a held unknown in any lane.
static fil_status list_held(fil_arena *arena, fil_strands *out)
{
    out->held_start = FIL_ARENA_ARRAY(arena, int64_t, (size_t)out->pack_count + 1);
    if (!out->held_start)
        return FIL_NO_MEMORY;
    int dofs = out->type->dofs;
    for (int pass = 0; pass < 2; ++pass) {
        int64_t count = 0;
        for (int pack = 0; pack < out->pack_count; ++pack) {
            for (int i = 0; i < out->pack_vertices[pack]; ++i) {
                const double *is_free = out->free + (out->pack_row[pack] + i) * dofs * FIL_LANES;
                bool any = false;
                for (int k = 0; k < dofs * FIL_LANES; ++k)
                    any = any || is_free[k] == 0;
                if (any && pass == 1)
                    out->held_vertex[count] = i;
                count += any;
            }
            out->held_start[pack + 1] = count;
        }
        if (pass == 0) {
            out->held_vertex = FIL_ARENA_ARRAY(arena, int, (size_t)count + 1);
            if (!out->held_vertex)
                return FIL_NO_MEMORY;
        }
    }
    return FIL_OK;
}

fil_status fil_strands_build(fil_context *context, fil_arena *arena, const fil_group *group, const char *place,
                             fil_strands *out)
{
    *out = (fil_strands){0};
    fil_status status = check_group(context, group, place);
    void *param = NULL;
    if (status == FIL_OK)
        status = fil_strand_type_parse(context, arena, group->model, &out->type, &param);
    if (status != FIL_OK)
        return status;
    out->param = param;
    out->damping = group->material.damping;
    out->relaxation = group->material.viscosity / group->material.young;
    status = lay_out(arena, &group->groom, out);
    if (status == FIL_OK)
        status = make_room(arena, out);
    if (status == FIL_OK)
        status = fill(context, arena, group, place, out);
    if (status == FIL_OK)
        status = list_held(arena, out);
    if (status == FIL_OK && out->type->live)
        status = fil_live_build(arena, group, out);
    return status;
}
