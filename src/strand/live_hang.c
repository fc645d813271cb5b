// Grooms that show strands as they hang: forces in their bends that carry the weight, or they would drop at the start.
//
// With the letters of live_kernel.h, f the force of a bend and T the tension of the edge behind a vertex, along t,
//
//     m_v g + b_v f_v+1 - (a_v + b_v) f_v + b_v-1 f_v-1 + T_v t_v - T_v-1 t_v-1 = 0
//
// gives f_v-1, square to its edge, and T_v-1 when those behind are known: from the tip to the root. The kernels carry f
// along with the frames of the edges. For small turns that is a rest shape which sags to the groom, and it is right for
// all forms, also those that know no stiffness. Strands that are held anywhere but at their roots are left alone: how
// much each side carries is not known. Nor are there such forces in curls, which would have to resist twist: the weight
// of a curly group is carried as a whole, by a gravity against it that turns with the roots.
#include "strand/live.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

// One strand, root to tip.
typedef struct hanging {
    double *x, *axis, *f; // [3 n], [3 n] first axes of edges, [3 n]
} hanging;

static int64_t row_of(const fil_strands *S, int strand)
{
    return S->pack_row[S->slot[strand] / FIL_LANES];
}

// Number k of vertex i.
static double number(const fil_strands *S, const double *array, int width, int strand, int i, int k)
{
    return array[((row_of(S, strand) + i) * width + k) * FIL_LANES + S->slot[strand] % FIL_LANES];
}

// Whether nothing but the root is held.
static bool hangs_from_root(const fil_strands *S, int strand)
{
    int lane = S->slot[strand] % FIL_LANES;
    bool held = true;
    for (int i = 0; i < S->vertices[strand]; ++i) {
        bool here = S->holder[(row_of(S, strand) + i) * FIL_LANES + lane] != 0;
        if (here && !held)
            return false;
        held = here;
    }
    return S->holder[row_of(S, strand) * FIL_LANES + lane] != 0;
}

// What is left of a vertex for the bend and the tension before it: the weight, and what bends and the edge behind do.
static void gather(const fil_strands *S, int strand, int v, const double gravity[3], const hanging *self,
                   const double tension[3], double out[3])
{
    int n = S->vertices[strand];
    double a = 1 / number(S, S->edge_length, 1, strand, v - 1, 0);
    double b = v + 1 < n ? 1 / number(S, S->edge_length, 1, strand, v, 0) : 0;
    float weight = S->live->weight[fil_live_at(S, S->live, strand, v, 1, 0)];
    double mass = weight > 0 ? 1 / (double)weight : 0; // in those of fil_live
    for (int k = 0; k < 3; ++k) {
        out[k] = mass * gravity[k] + tension[k];
        out[k] += v + 2 < n ? b * self->f[3 * (v + 1) + k] : 0;
        out[k] -= v + 1 < n ? (a + b) * self->f[3 * v + k] : 0;
    }
}

static void find_forces(const fil_strands *S, int strand, const double gravity[3], const hanging *self)
{
    double tension[3] = {0};
    for (int v = S->vertices[strand] - 1; v >= 2; --v) {
        double left[3], t[3], length = number(S, S->edge_length, 1, strand, v - 1, 0);
        gather(S, strand, v, gravity, self, tension, left);
        for (int k = 0; k < 3; ++k)
            t[k] = self->x[3 * v + k] - self->x[3 * (v - 1) + k];
        fil_vec3_normalise(t);
        double along = fil_vec3_dot(left, t);
        for (int k = 0; k < 3; ++k) {
            self->f[3 * (v - 1) + k] = length * (along * t[k] - left[k]);
            tension[k] = along * t[k];
        }
    }
}

// f along the edge before and its axes.
static void set_lift(const fil_strands *S, int strand, const hanging *self, fil_live *live)
{
    for (int i = 1; i + 1 < S->vertices[strand]; ++i) {
        double t[3], across[3];
        const double *f = self->f + 3 * (ptrdiff_t)i, *d = self->axis + 3 * (ptrdiff_t)(i - 1);
        for (int k = 0; k < 3; ++k)
            t[k] = self->x[3 * i + k] - self->x[3 * (i - 1) + k];
        fil_vec3_normalise(t);
        fil_vec3_cross(t, d, across);
        const double own[3] = {fil_vec3_dot(f, t), fil_vec3_dot(f, d), fil_vec3_dot(f, across)};
        for (int k = 0; k < 3; ++k)
            live->lift[fil_live_at(S, live, strand, i, 3, k)] = (float)own[k];
    }
}

static void hang_all(const fil_strands *S, const double gravity[3], const hanging *self, fil_live *live)
{
    for (int strand = 0; strand < S->strand_count; ++strand) {
        if (!hangs_from_root(S, strand))
            continue;
        int n = S->vertices[strand];
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k)
                self->x[3 * i + k] = number(S, S->q, 3, strand, i, k);
        for (int k = 0; k < 3; ++k)
            self->axis[k] = number(S, S->axis, 3, strand, 0, k);
        fil_strand_spread_axes(n, self->x, NULL, self->axis);
        find_forces(S, strand, gravity, self);
        set_lift(S, strand, self, live);
    }
}

fil_status fil_live_hang(fil_arena *arena, const fil_strands *S, const double gravity[3])
{
    fil_live *live = S->live;
    for (int k = 0; k < 3; ++k)
        live->carried[k] = (float)gravity[k];
    if (live->curly)
        return FIL_OK;
    live->lift = FIL_ARENA_ARRAY(arena, float, (size_t)live->row[live->pack_count] * 3 * FIL_LIVE_LANES);
    if (!live->lift)
        return FIL_NO_MEMORY;
    fil_arena_mark mark = fil_arena_mark_now(arena);
    size_t numbers = 3 * (size_t)live->longest;
    hanging self = {.x = FIL_ARENA_ARRAY(arena, double, numbers),
                    .axis = FIL_ARENA_ARRAY(arena, double, numbers),
                    .f = FIL_ARENA_ARRAY(arena, double, numbers)};
    if (self.x && self.axis && self.f)
        hang_all(S, gravity, &self, live);
    bool made = self.x && self.axis && self.f;
    fil_arena_rewind(arena, mark);
    return made ? FIL_OK : FIL_NO_MEMORY;
}
