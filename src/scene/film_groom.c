// Grooms of a scene: from a generator or a file, repaired, placed and pinned.
//
// Files hold what no rod can be made of: radii of zero at the tips (no stiffness), and segments a thousand times
// shorter than their neighbours (a thousand times stiffer). Such radii are raised, such segments become part of their
// neighbours. And strands start inside the bodies that they grow on, and in each other: they are moved apart. How many
// is kept for those who want to know.
#include "scene/film_groom.h"

#include "io/curves.h"
#include "scene/film_spot.h"
#include "scene/groom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RADIUS_MATERIAL, RADIUS_FILE };

typedef struct file_param {
    const char *file;
    double unit, segment;
    int every, radius, clear;
} file_param;

static const fil_field file_fields[] = {
    {"file", FIL_KIND_FILE, offsetof(file_param, file), 0, 0, 0, "", NULL,
     ".hair, .tfx, .data, .obj, .ply or .usda; a relative name starts at the folder of the scene"},
    {"segment", FIL_KIND_REAL, offsetof(file_param, segment), 0, 0, 1e3, "m", NULL,
     "new vertices at this distance; 0: those of the file"},
    {"every", FIL_KIND_INT, offsetof(file_param, every), 1, 1, 1e9, "", NULL, "10 takes each tenth strand"},
    {"radius", FIL_KIND_CHOICE, offsetof(file_param, radius), RADIUS_MATERIAL, 0, 1, "", "material|file",
     "whose: the material's, or what the file says; there, radii below a tenth of a strand's largest are raised to it"},
    {"clear", FIL_KIND_BOOL, offsetof(file_param, clear), 1, 0, 1, "", NULL,
     "what starts inside solid bodies or other strands is moved out; false: it is eased out in the first moments"},
};
static const int file_field_count = sizeof file_fields / sizeof *file_fields;
static const fil_film_key file_keys[] = {
    {.name = "unit",
     .form = FIL_FILM_UNIT,
     .offset = offsetof(file_param, unit),
     .doc =
         "what one unit of the file is: m, cm, mm, in or a number of metres; absent: what the file says, or a guess"},
};
const fil_film_object fil_film_groom_file = {.name = "file",
                                             .doc = "strands from a file",
                                             .fields = file_fields,
                                             .field_count = &file_field_count,
                                             .keys = file_keys,
                                             .key_count = 1,
                                             .size = sizeof(file_param),
                                             .required = "file"};

// ---- files

// Each `every`-th strand, moved to the front.
static void thin_out(fil_curves *curves, int every)
{
    int64_t from = 0, to = 0;
    int kept = 0;
    for (int s = 0; s < curves->strand_count; ++s) {
        int count = curves->vertex_count[s];
        if (s % every == 0) {
            memmove(curves->position + 3 * to, curves->position + 3 * from, 3 * (size_t)count * sizeof(double));
            if (curves->radius)
                memmove(curves->radius + to, curves->radius + from, (size_t)count * sizeof(double));
            curves->vertex_count[kept++] = count;
            to += count;
        }
        from += count;
    }
    curves->strand_count = kept;
    curves->vertex_total = to;
}

// Leaves out inner vertices that are too near to the one before or, at the end, to the tip; moves the rest to `to`. How
// many stay.
static int merge_strand(fil_curves *curves, int64_t from, int count, int64_t to)
{
    double *x = curves->position, *radius = curves->radius;
    double least = 0.01 * fil_curves_length(x + 3 * from, count) / (count - 1);
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const double *here = x + 3 * (from + i);
        bool near = kept > 0 && fil_curves_distance(here, x + 3 * (to + kept - 1)) < least;
        if (near && i < count - 1)
            continue;
        // The tip stays: it takes the places of those that are too near, but never that of the root.
        for (; near && kept > 1; near = fil_curves_distance(here, x + 3 * (to + kept - 1)) < least)
            --kept;
        memmove(x + 3 * (to + kept), here, 3 * sizeof *x);
        if (radius)
            radius[to + kept] = radius[from + i];
        ++kept;
    }
    return kept;
}

static void merge_segments(fil_curves *curves, fil_film_groom_report *report)
{
    int64_t from = 0, to = 0;
    for (int s = 0; s < curves->strand_count; ++s) {
        int count = curves->vertex_count[s], kept = merge_strand(curves, from, count, to);
        curves->vertex_count[s] = kept;
        report->segments_merged += count - kept;
        from += count;
        to += kept;
    }
    curves->vertex_total = to;
}

int64_t fil_film_groom_raise_radii(fil_curves *curves, double otherwise)
{
    int64_t raised = 0;
    double *radius = curves->radius;
    for (int s = 0; s < curves->strand_count; radius += curves->vertex_count[s++]) {
        double largest = 0;
        for (int i = 0; i < curves->vertex_count[s]; ++i)
            largest = fmax(largest, radius[i]);
        double least = largest > 0 ? 0.1 * largest : otherwise;
        for (int i = 0; i < curves->vertex_count[s]; ++i)
            if (radius[i] < least) {
                radius[i] = least;
                ++raised;
            }
    }
    return raised;
}

static fil_status read_file(fil_film_reader *reader, const fil_film_group *group, fil_curves **out,
                            fil_film_groom_report *report)
{
    const file_param *param = group->groom.param;
    fil_curves *curves, *even = NULL;
    report->file = param->file;
    *out = NULL;
    fil_status status = fil_curves_read(reader->context, param->file, param->unit, &curves, &report->read);
    if (status != FIL_OK)
        return status;
    thin_out(curves, param->every);
    if (param->segment > 0) {
        status = fil_curves_resample(reader->context, curves, param->segment, &even);
        fil_curves_destroy(curves);
        curves = even;
    }
    if (status != FIL_OK)
        return status;
    if (param->radius == RADIUS_MATERIAL)
        curves->radius = NULL;
    merge_segments(curves, report);
    if (curves->radius)
        report->radii_raised = fil_film_groom_raise_radii(curves, group->material.radius / group->place.scale);
    *out = curves;
    return FIL_OK;
}

// ---- pins

// The vertices of one strand that pin `number` holds: all within, at least the nearest to its middle.
static void pin_strand(const fil_film_pin *pin, unsigned char number, const double *x, int count, unsigned char *hold)
{
    double length = fil_curves_length(x, count), passed = 0, middle = 0.5 * (pin->from + pin->to), best = HUGE_VAL;
    int nearest = 0;
    bool any = false;
    for (int i = 0; i < count; ++i) {
        passed += i > 0 ? fil_curves_distance(x + 3 * (ptrdiff_t)i, x + 3 * (ptrdiff_t)(i - 1)) : 0;
        double part = i == count - 1 ? 1 : passed / length;
        if (part >= pin->from && part <= pin->to) {
            hold[i] = number;
            any = true;
        }
        if (fabs(part - middle) < best) {
            best = fabs(part - middle);
            nearest = i;
        }
    }
    if (!any)
        hold[nearest] = number;
}

static fil_status pin_all(fil_film_reader *reader, const fil_film_group *group, const fil_curves *curves,
                          const unsigned char **out)
{
    unsigned char *hold = FIL_ARENA_ARRAY(reader->arena, unsigned char, curves->vertex_total);
    *out = hold;
    if (!hold)
        return FIL_NO_MEMORY;
    const double *x = curves->position;
    for (int s = 0; s < curves->strand_count; ++s) {
        int count = curves->vertex_count[s];
        for (int i = 0; i < group->pins.count; ++i)
            pin_strand((const fil_film_pin *)group->pins.items + i, (unsigned char)(FIL_HOLD_PIN + 1 + i), x, count,
                       hold);
        x += 3 * (ptrdiff_t)count;
        hold += count;
    }
    return FIL_OK;
}

// ---- all of it

static void *copy(fil_arena *arena, const void *from, size_t count, size_t size)
{
    void *to = fil_arena_allocate(arena, count, size);
    return to ? memcpy(to, from, count * size) : NULL;
}

static fil_status keep(fil_film_reader *reader, const fil_film_group *group, const fil_curves *curves, fil_groom *out)
{
    size_t vertices = (size_t)curves->vertex_total;
    double *position = copy(reader->arena, curves->position, 3 * vertices, sizeof(double)), *radius = NULL;
    out->strand_count = curves->strand_count;
    out->vertex_count = copy(reader->arena, curves->vertex_count, (size_t)curves->strand_count, sizeof(int));
    out->position = position;
    if (!position || !out->vertex_count)
        return FIL_NO_MEMORY;
    fil_film_spot_apply(&group->place, curves->vertex_total, position);
    if (curves->radius) {
        out->radius = radius = copy(reader->arena, curves->radius, vertices, sizeof(double));
        if (!radius)
            return FIL_NO_MEMORY;
        for (size_t i = 0; i < vertices; ++i)
            radius[i] *= group->place.scale;
    }
    return group->pins.count > 0 ? pin_all(reader, group, curves, &out->hold) : FIL_OK;
}

fil_status fil_film_groom_make(fil_film_reader *reader, const fil_film_place *place, const fil_film_group *group,
                               fil_groom *out, fil_film_groom_report *report)
{
    fil_film_place inner = fil_film_place_key(place, "groom");
    bool from_file = group->groom.index == fil_groom_type_count();
    fil_curves *curves = NULL;
    fil_status status = from_file
                            ? read_file(reader, group, &curves, report)
                            : fil_groom_type_at(group->groom.index)->make(reader->context, group->groom.param, &curves);
    if (status != FIL_OK)
        return fil_film_place_blame(reader, &inner, status);
    reader->vertex_total += curves->vertex_total;
    if (reader->vertex_total > FIL_GROOM_VERTICES_MAX)
        status =
            fil_film_place_fail(reader, &inner, "the scene must have at most %lld vertices in all (got %lld so far)",
                                (long long)FIL_GROOM_VERTICES_MAX, (long long)reader->vertex_total);
    else
        status = keep(reader, group, curves, out);
    fil_curves_destroy(curves);
    return status;
}

fil_status fil_film_groom_clear_all(fil_film_reader *reader, const fil_film_root *root, const fil_scene *scene,
                                    fil_group *groups, fil_film_groom_report *reports)
{
    const fil_film_group *from = root->groups.items;
    fil_status status = FIL_OK;
    for (int g = 0; g < scene->group_count && status == FIL_OK; ++g) {
        const file_param *param = from[g].groom.param;
        if (from[g].groom.index != fil_groom_type_count() || !param->clear)
            continue;
        int64_t vertices = 0;
        for (int s = 0; s < groups[g].groom.strand_count; ++s)
            vertices += groups[g].groom.vertex_count[s];
        double *position = FIL_ARENA_ARRAY(reader->arena, double, 3 * vertices);
        status = position ? fil_scene_clear(reader->context, scene, g, position, &reports[g].clearing) : FIL_NO_MEMORY;
        groups[g].groom.position = position;
    }
    return status;
}
