// How much hair lies between a point and a light.
//
// Rays through hair hit one of a hundred thousand obstacles or none: their shadows are grain. Light really seeps
// through many hairs, so we ask how many. Each light gets a grid of cubes whose third axis is the way of the light. A
// hair of radius r and length l adds the area of its shadow over that of a cell, 2 r l / cell², to the cell it runs
// through (less where it runs along the light). The sum along the third axis is the optical depth; exp(-depth) of the
// light comes through. In graphics this is a deep opacity map, with all of its layers kept.
//
// Memory: 4 bytes a cell for each light. One thread fills one grid, so that sums have one order.
#include "render/picture_part.h"

#include <string.h>

enum { BORDER = 3, ENOUGH_HAIRS = 25000, MOST_ALONG_AN_AXIS = 1024 };

int64_t fil_depth_cells(const fil_depth *depth)
{
    return (int64_t)depth->count[0] * depth->count[1] * depth->count[2];
}

fil_status fil_depth_prepare(fil_arena *arena, const fil_drawn *drawn, fil_f3 toward, double cells, fil_depth *out)
{
    *out = (fil_depth){.axis[2] = fil_f3_scale(-1, toward)};
    out->axis[0] = fil_f3_across(out->axis[2]);
    out->axis[1] = fil_f3_cross(out->axis[2], out->axis[0]);
    double low[3], extent[3], longest = 1e-6;
    for (int k = 0; k < 3; ++k) {
        float min = INFINITY, max = -INFINITY;
        for (int corner = 0; corner < 8; ++corner) {
            double p[3];
            for (int c = 0; c < 3; ++c)
                p[c] = corner >> c & 1 ? drawn->box.high[c] : drawn->box.low[c];
            float x = fil_f3_dot(fil_f3_make(p), out->axis[k]);
            min = x < min ? x : min;
            max = x > max ? x : max;
        }
        low[k] = (double)min;
        extent[k] = (double)max - (double)min;
        longest = extent[k] > longest ? extent[k] : longest;
    }
    double volume = 1;
    for (int k = 0; k < 3; ++k)
        volume *= extent[k] > 0.02 * longest ? extent[k] : 0.02 * longest;
    out->cell = (float)cbrt(volume / cells);
    for (int k = 0; k < 3; ++k) {
        int count = (int)(extent[k] / (double)out->cell) + 1 + 2 * BORDER;
        out->count[k] = count < MOST_ALONG_AN_AXIS ? count : MOST_ALONG_AN_AXIS;
        out->low[k] = (float)low[k] - BORDER * out->cell;
    }
    out->value = FIL_ARENA_ARRAY(arena, float, fil_depth_cells(out));
    return out->value ? FIL_OK : FIL_NO_MEMORY;
}

// Point in units of cells.
static void to_cells(const fil_depth *depth, fil_f3 point, float out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (fil_f3_dot(point, depth->axis[k]) - depth->low[k]) / depth->cell;
}

static void add_segment(fil_depth *depth, const float *a, const float *b, float weight)
{
    fil_f3 from = {a[0], a[1], a[2]}, step = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    float length = sqrtf(fil_f3_dot(step, step)), along = fil_f3_dot(step, depth->axis[2]);
    float seen = sqrtf(fmaxf(length * length - along * along, 0)); // its length as the light sees it
    int pieces = (int)(length / depth->cell) + 1;
    if (pieces > MOST_ALONG_AN_AXIS)
        pieces = MOST_ALONG_AN_AXIS;
    float part = weight * (a[3] + b[3]) * seen / (depth->cell * depth->cell * (float)pieces);
    for (int i = 0; i < pieces; ++i) {
        float at[3];
        to_cells(depth, fil_f3_along(from, ((float)i + 0.5f) / (float)pieces, step), at);
        int64_t cell = 0;
        bool inside = true;
        for (int k = 2; k >= 0; --k) {
            inside &= at[k] >= 0 && at[k] < (float)depth->count[k];
            cell = cell * depth->count[k] + (inside ? (int)at[k] : 0);
        }
        if (inside)
            depth->value[cell] += part;
    }
}

// Weights 1 2 1 along one axis: cells share their grain with their neighbours.
static void smooth(const fil_depth *depth, int axis, const float *from, float *to)
{
    int64_t stride = 1, cells = fil_depth_cells(depth);
    for (int k = 0; k < axis; ++k)
        stride *= depth->count[k];
    // The border is empty, so that what lies beyond either end is 0 too.
    for (int64_t i = 0; i < cells; ++i) {
        float before = i >= stride ? from[i - stride] : 0, after = i + stride < cells ? from[i + stride] : 0;
        to[i] = 0.25f * before + 0.5f * from[i] + 0.25f * after;
    }
}

void fil_depth_fill(fil_depth *depth, const fil_drawn *drawn, float *spare)
{
    // Of very many hairs a part tells the same.
    int64_t every = drawn->hair_count / ENOUGH_HAIRS + 1;
    for (int64_t h = 0; h < drawn->hair_count; h += every) {
        const struct fil_drawn_hair *hair = &drawn->hair[h];
        float(*p)[4] = drawn->point + hair->first;
        for (int j = 1; j < hair->count; ++j)
            add_segment(depth, p[j], p[j + 1], (float)every * hair->thin);
    }
    smooth(depth, 0, depth->value, spare);
    smooth(depth, 1, spare, depth->value);
    smooth(depth, 2, depth->value, spare);
    // The sum up to the middle of each cell.
    int64_t layer = (int64_t)depth->count[0] * depth->count[1];
    for (int k = 0; k < depth->count[2]; ++k)
        for (int64_t i = 0; i < layer; ++i) {
            int64_t cell = k * layer + i;
            float before = k ? depth->value[cell - layer] + 0.5f * spare[cell - layer] : 0;
            depth->value[cell] = before + 0.5f * spare[cell];
        }
}

float fil_depth_at(const fil_depth *depth, fil_f3 point)
{
    float at[3];
    int cell[3];
    to_cells(depth, point, at);
    for (int k = 0; k < 3; ++k) {
        at[k] -= 0.5f;
        float last = (float)(depth->count[k] - 1);
        // Beside the grid there is no hair; behind it lies all of it.
        if (k < 2 && !(at[k] >= 0 && at[k] < last))
            return 0;
        at[k] = at[k] > 0 ? at[k] : 0;
        at[k] = at[k] < last - 0.001f ? at[k] : last - 0.001f;
        cell[k] = (int)at[k];
        at[k] -= (float)cell[k];
    }
    int64_t row = depth->count[0], layer = row * depth->count[1];
    const float *v = depth->value + cell[2] * layer + cell[1] * row + cell[0];
    float sum = 0;
    for (int z = 0; z < 2; ++z, v += layer) {
        float low = v[0] + at[0] * (v[1] - v[0]), high = v[row] + at[0] * (v[row + 1] - v[row]);
        sum += (z ? at[2] : 1 - at[2]) * (low + at[1] * (high - low));
    }
    return sum;
}
