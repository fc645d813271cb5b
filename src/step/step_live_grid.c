// Live strands that feel each other, cheaply: as a cloud (Petrovic 2005; Hadap & Magnenat-Thalmann 2001).
//
// Mass and momentum of the vertices are added up in cells; between cells they are interpolated. A vertex then takes on
// the velocity of the cloud around it at a rate (friction), and is pushed from where the cloud is denser than in the
// mean to where it is thinner:
//
//     v += (1 - e^(-friction h)) (v̄ - v) - h push s ∇ρ / ρ_mean            s: size of a cell
//
// Cells live in a table of fixed size, found by a hash of their place: nothing is allocated, space has no bounds, and
// two cells that share a place of the table once in a while do no harm. A counting sort puts vertices in the order of
// the table, so each cell adds up its own, always in the same order: the same bits on any number of threads. Linear
// cost.
#include "step/step_live.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { LANES = FIL_LIVE_LANES, GRAIN = 4096 };

typedef struct cloud {
    const fil_strands *S;
    fil_live_state *state;
    fil_live_grid *grid;
    float size;       // m, of a cell
    float take, push; // share of the velocity around; m/s in a step, per relative density and cell
    float mean;       // of the density, weighted by mass
} cloud;

fil_status fil_live_grid_make(fil_arena *arena, const fil_live *live, fil_live_grid *out)
{
    if (!(live->param->grid > 0))
        return FIL_OK;
    int64_t slots = live->row[live->pack_count] * LANES;
    out->cells = 1024;
    while (out->cells < 2 * slots)
        out->cells *= 2;
    out->key = FIL_ARENA_ARRAY(arena, uint32_t, slots);
    out->order = FIL_ARENA_ARRAY(arena, int, slots);
    out->start = FIL_ARENA_ARRAY(arena, int, out->cells + 1);
    out->cell = FIL_ARENA_ARRAY(arena, float, 4 * out->cells);
    return out->key && out->order && out->start && out->cell ? FIL_OK : FIL_NO_MEMORY;
}

static uint32_t hash_cell(const cloud *self, int64_t x, int64_t y, int64_t z)
{
    uint64_t h =
        (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)y * 0xC2B2AE3D27D4EB4Fu ^ (uint64_t)z * 0x165667B19E3779F9u;
    h ^= h >> 32;
    return (uint32_t)(h & (uint64_t)(self->grid->cells - 1));
}

// Number k of place `at` among the vertices of the packs.
static float number(const float *array, int64_t at, int k)
{
    return array[(at / LANES * 3 + k) * LANES + at % LANES];
}

// A vertex of a strand, not one that fills a pack.
static bool is_vertex(const cloud *self, int64_t at)
{
    const fil_live *live = self->S->live;
    return live->share[at] > 0;
}

static void find_keys(void *data, int64_t begin, int64_t end)
{
    const cloud *self = data;
    for (int64_t at = begin; at < end; ++at) {
        int64_t cell[3];
        for (int k = 0; k < 3; ++k)
            cell[k] = (int64_t)floorf(number(self->state->x, at, k) / self->size);
        self->grid->key[at] = hash_cell(self, cell[0], cell[1], cell[2]);
    }
}

static void sort_vertices(const cloud *self)
{
    fil_live_grid *grid = self->grid;
    int64_t slots = self->S->live->row[self->S->live->pack_count] * LANES;
    memset(grid->start, 0, (size_t)(grid->cells + 1) * sizeof *grid->start);
    for (int64_t at = 0; at < slots; ++at)
        grid->start[grid->key[at] + 1] += is_vertex(self, at);
    for (int64_t cell = 0; cell < grid->cells; ++cell)
        grid->start[cell + 1] += grid->start[cell];
    for (int64_t at = 0; at < slots; ++at)
        if (is_vertex(self, at))
            grid->order[grid->start[grid->key[at]]++] = (int)at;
    // Each start has moved to the next one.
    memmove(grid->start + 1, grid->start, (size_t)grid->cells * sizeof *grid->start);
    grid->start[0] = 0;
}

static void add_up(void *data, int64_t begin, int64_t end)
{
    const cloud *self = data;
    const fil_live_grid *grid = self->grid;
    for (int64_t cell = begin; cell < end; ++cell) {
        float sum[4] = {0};
        for (int i = grid->start[cell]; i < grid->start[cell + 1]; ++i) {
            int64_t at = grid->order[i];
            float mass = self->S->live->share[at];
            sum[3] += mass;
            for (int k = 0; k < 3; ++k)
                sum[k] += mass * number(self->state->v, at, k);
        }
        memcpy(grid->cell + 4 * cell, sum, sizeof sum);
    }
}

// Mass, momentum and the gradient of the mass at a place, from the eight cells around it.
static void look_up(const cloud *self, const float x[3], float sum[4], float gradient[3])
{
    int64_t first[3];
    float part[3];
    for (int k = 0; k < 3; ++k) {
        float place = x[k] / self->size - 0.5F;
        first[k] = (int64_t)floorf(place);
        part[k] = place - floorf(place);
    }
    memset(sum, 0, 4 * sizeof *sum);
    memset(gradient, 0, 3 * sizeof *gradient);
    for (int corner = 0; corner < 8; ++corner) {
        float weight[3], slope[3];
        for (int k = 0; k < 3; ++k) {
            bool high = corner >> k & 1;
            weight[k] = high ? part[k] : 1 - part[k];
            slope[k] = high ? 1 : -1;
        }
        const float *cell =
            self->grid->cell + 4 * (ptrdiff_t)hash_cell(self, first[0] + (corner & 1), first[1] + (corner >> 1 & 1),
                                                        first[2] + (corner >> 2));
        for (int k = 0; k < 4; ++k)
            sum[k] += weight[0] * weight[1] * weight[2] * cell[k];
        for (int k = 0; k < 3; ++k)
            gradient[k] += slope[k] * weight[(k + 1) % 3] * weight[(k + 2) % 3] * cell[3];
    }
}

static void feel(void *data, int64_t begin, int64_t end)
{
    const cloud *self = data;
    const float *weight = self->S->live->weight;
    for (int64_t at = begin; at < end; ++at) {
        float x[3], sum[4], gradient[3];
        if (!is_vertex(self, at) || weight[at] == 0)
            continue;
        for (int k = 0; k < 3; ++k)
            x[k] = number(self->state->x, at, k);
        look_up(self, x, sum, gradient);
        for (int k = 0; k < 3 && sum[3] > 0; ++k) {
            float *v = &self->state->v[(at / LANES * 3 + k) * LANES + at % LANES];
            *v += self->take * (sum[k] / sum[3] - *v) - self->push * gradient[k] / self->mean;
        }
    }
}

// The density that a vertex has around it, in the mean.
static float mean_density(const fil_live_grid *grid)
{
    double square = 0, sum = 0;
    for (int64_t cell = 0; cell < grid->cells; ++cell) {
        double mass = (double)grid->cell[4 * cell + 3];
        square += mass * mass;
        sum += mass;
    }
    return sum > 0 ? (float)(square / sum) : 1;
}

void fil_live_grid_mix(const fil_context *context, const fil_strands *S, double h, fil_live_grid *grid,
                       fil_live_state *state)
{
    const fil_live_param *param = S->live->param;
    if (!(param->grid > 0))
        return;
    cloud self = {.S = S,
                  .state = state,
                  .grid = grid,
                  .size = (float)param->grid,
                  .take = (float)(1 - exp(-param->grid_friction * h)),
                  .push = (float)(param->grid_push * h)};
    int64_t slots = S->live->row[S->live->pack_count] * LANES;
    fil_parallel_for(context, slots, GRAIN, find_keys, &self);
    sort_vertices(&self);
    fil_parallel_for(context, grid->cells, GRAIN, add_up, &self);
    self.mean = mean_density(grid);
    fil_parallel_for(context, slots, GRAIN, feel, &self);
}
