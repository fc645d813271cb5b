// Tracks: a value over time from keys (t_i, y_i), each number by itself.
//
//     linear   y_i + (y_i+1 - y_i) s,                              s = (t - t_i) / (t_i+1 - t_i)
//     smooth   the quintic with slopes m_i and no acceleration at the keys: C²; m_i = 2 a b / (a + b) of the slopes a,
//     b
//              of the lines on both sides, 0 when they differ in sign and at both ends [Fritsch, Butland 1984]. A
//              quintic is monotone for slopes of up to 2.1 times that of the line, and these have 2 at most: it never
//              passes its keys
//     spline   the cubic C² spline with no slope at both ends: m_i-1 / h_i-1 + 2 (1 / h_i-1 + 1 / h_i) m_i + m_i+1 /
//     h_i =
//              3 (d_i-1 / h_i-1 + d_i / h_i). What a key does to the slopes falls by half or more from key to key, so
//              the system is solved in a window around t: no memory, and the cost does not grow with the track
#include "control/track.h"

#include <math.h>
#include <string.h>

enum { WINDOW = 54 }; // keys on each side: 2⁻⁵⁴ is below rounding

static double line_slope(const fil_track *track, int width, int i, int k)
{
    const double *y = track->value + (ptrdiff_t)i * width + k;
    return (y[width] - y[0]) / (track->time[i + 1] - track->time[i]);
}

static double smooth_slope(const fil_track *track, int width, int i, int k)
{
    if (i == 0 || i == track->key_count - 1)
        return 0;
    double a = line_slope(track, width, i - 1, k), b = line_slope(track, width, i, k);
    return a * b > 0 ? 2 * a * b / (a + b) : 0;
}

// Slopes at keys i and i + 1.
static void spline_slopes(const fil_track *track, int width, int i, int k, double m[2])
{
    int first = i > WINDOW ? i - WINDOW : 0;
    int last = i + 1 + WINDOW < track->key_count - 1 ? i + 1 + WINDOW : track->key_count - 1;
    // Gauss elimination downwards: m_j = rest_j - above_j m_j+1, and no slope at both ends of the window.
    double above[2 * WINDOW + 2] = {0}, rest[2 * WINDOW + 2] = {0};
    for (int j = first + 1; j < last; ++j) {
        double left = 1 / (track->time[j] - track->time[j - 1]), right = 1 / (track->time[j + 1] - track->time[j]);
        double load = 3 * (line_slope(track, width, j - 1, k) * left + line_slope(track, width, j, k) * right);
        double pivot = 2 * (left + right) - left * above[j - first - 1];
        above[j - first] = right / pivot;
        rest[j - first] = (load - left * rest[j - first - 1]) / pivot;
    }
    m[0] = m[1] = 0;
    double slope = 0;
    for (int j = last - 1; j > first && j >= i; --j) {
        slope = rest[j - first] - above[j - first] * slope;
        if (j == i + 1)
            m[1] = slope;
    }
    if (i > first)
        m[0] = slope;
}

// Between keys i and i + 1.
static double blend(const fil_track *track, int width, int i, int k, double t)
{
    double h = track->time[i + 1] - track->time[i], s = (t - track->time[i]) / h, m[2];
    double y0 = track->value[(ptrdiff_t)i * width + k], rise = track->value[(ptrdiff_t)(i + 1) * width + k] - y0;
    if (track->blend == FIL_BLEND_LINEAR)
        return y0 + rise * s;
    if (track->blend == FIL_BLEND_SPLINE) {
        spline_slopes(track, width, i, k, m);
        return y0 + s * (h * m[0] + s * (3 * rise - h * (2 * m[0] + m[1]) + s * (h * (m[0] + m[1]) - 2 * rise)));
    }
    m[0] = smooth_slope(track, width, i, k);
    m[1] = smooth_slope(track, width, i + 1, k);
    double cube = s * s * s;
    return y0 + rise * cube * (10 + s * (6 * s - 15)) + h * m[0] * (s + cube * (-6 + s * (8 - 3 * s))) +
           h * m[1] * cube * (-4 + s * (7 - 3 * s));
}

void fil_track_at(const fil_track *track, int width, double t, double *out)
{
    int last = track->key_count - 1;
    FIL_ASSERT(last >= 0);
    if (!(t > track->time[0]) || t >= track->time[last]) {
        int key = t > track->time[0] ? last : 0;
        memcpy(out, track->value + (ptrdiff_t)key * width, (size_t)width * sizeof *out);
        return;
    }
    int low = 0, high = last; // time[low] <= t < time[high]
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (track->time[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    for (int k = 0; k < width; ++k)
        out[k] = blend(track, width, low, k, t);
}

fil_status fil_track_check(fil_context *context, const fil_track *track, int width, const char *place)
{
    if (track->key_count < 0 || (track->key_count > 0 && (!track->time || !track->value)))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: time and value must be given for %d keys", place,
                                track->key_count);
    if (track->blend < FIL_BLEND_SMOOTH || track->blend > FIL_BLEND_LINEAR)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: blend: there is no %d", place, (int)track->blend);
    for (int i = 0; i < track->key_count; ++i) {
        if (!isfinite(track->time[i]))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: time[%d]: must be finite (got %g)", place, i,
                                    track->time[i]);
        if (i > 0 && !(track->time[i] > track->time[i - 1]))
            return fil_context_fail(context, FIL_BAD_INPUT,
                                    "%s: time[%d]: must be later than the one before, %g s (got %g)", place, i,
                                    track->time[i - 1], track->time[i]);
        for (int k = 0; k < width; ++k)
            if (!isfinite(track->value[(ptrdiff_t)i * width + k]))
                return fil_context_fail(context, FIL_BAD_INPUT, "%s: value[%d][%d]: must be finite (got %g)", place, i,
                                        k, track->value[(ptrdiff_t)i * width + k]);
    }
    return FIL_OK;
}

fil_status fil_track_copy(fil_arena *arena, const fil_track *track, int width, fil_track *out)
{
    *out = *track;
    size_t keys = (size_t)track->key_count;
    double *time = FIL_ARENA_ARRAY(arena, double, keys + 1);
    double *value = FIL_ARENA_ARRAY(arena, double, keys *(size_t)width + 1);
    if (!time || !value)
        return FIL_NO_MEMORY;
    if (keys > 0) {
        memcpy(time, track->time, keys * sizeof *time);
        memcpy(value, track->value, keys * (size_t)width * sizeof *value);
    }
    out->time = time;
    out->value = value;
    return FIL_OK;
}
