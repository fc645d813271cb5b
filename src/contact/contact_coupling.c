// The blocks H_t A⁻¹ H_sᵀ of all pairs of sides on one body, in one of two ways.
//
//   narrow (a band, sides that move few dofs):  Y = A⁻¹ H_tᵀ towards the first dof only (numeric/inverse.c),
//                                               block = (H_s Y)ᵀ over the dofs of s, which begin no later than those of
//                                               t
//   wide (dense bodies, sides that move many):  Z = L⁻¹ Hᵀ for each side, block = Z_tᵀ Z_s over the dofs that both have
//
// The three rows of a side run side by side in one vector. Cost per side of M dofs, half-bandwidth B and m dofs of its
// own, in vector multiply-adds: narrow M B / 2 and 3 m per pair, wide M B and 3 M / 2 per pair.
#include "contact/contact_coupling.h"

#include <string.h>

static int body_dofs(const fil_contact_problem *problem, int body)
{
    return problem->A.dof_start[body + 1] - problem->A.dof_start[body];
}

fil_status fil_coupling_sort(fil_arena *arena, const fil_contact_problem *problem, const int *body_start,
                             const int *body_side, int **by_dof)
{
    const fil_contact_jacobian *H = &problem->H;
    int bodies = problem->A.body_count, sides = body_start[bodies], dofs = 0;
    for (int body = 0; body < bodies; ++body)
        dofs = body_dofs(problem, body) > dofs ? body_dofs(problem, body) : dofs;
    int *next = FIL_ARENA_ARRAY(arena, int, (int64_t)dofs + 1), *body_next = FIL_ARENA_ARRAY(arena, int, bodies);
    int *sorted = FIL_ARENA_ARRAY(arena, int, sides);
    *by_dof = FIL_ARENA_ARRAY(arena, int, sides);
    if (!next || !body_next || !sorted || !*by_dof)
        return FIL_NO_MEMORY;
    // Two counting sorts that keep the order of equals: by dof over all bodies, then by body.
    for (int s = 0; s < sides; ++s)
        ++next[H->first_dof[s] + 1];
    for (int d = 0; d < dofs; ++d)
        next[d + 1] += next[d];
    for (int k = 0; k < sides; ++k)
        sorted[next[H->first_dof[body_side[k]]]++] = body_side[k];
    memcpy(body_next, body_start, (size_t)bodies * sizeof *body_next);
    for (int k = 0; k < sides; ++k)
        (*by_dof)[body_next[H->body[sorted[k]]]++] = sorted[k];
    return FIL_OK;
}

// The inverse of a band serves sides that are no longer than the band is wide; it pays when the band is a small part.
static bool is_narrow(const fil_contact_problem *problem, int body, const int *side, int count)
{
    int bandwidth = problem->A.bandwidth[body];
    if (3 * (int64_t)bandwidth > body_dofs(problem, body))
        return false;
    for (int k = 0; k < count; ++k)
        if (problem->H.dof_count[side[k]] > bandwidth + 1)
            return false;
    return true;
}

int64_t fil_coupling_size(const fil_contact_problem *problem, int body, const int *side, int count)
{
    int64_t dofs = body_dofs(problem, body);
    if (is_narrow(problem, body, side, count))
        return 4 * dofs + fil_inverse_size((int)dofs, problem->A.bandwidth[body]);
    return 4 * dofs * count;
}

fil_coupling fil_coupling_make(const fil_contact_problem *problem, const fil_system *system, int body, const int *side,
                               int count, double *work)
{
    fil_coupling coupling = {
        .H = &problem->H,
        .dofs = body_dofs(problem, body),
        .bandwidth = problem->A.bandwidth[body],
        .lowest = count > 0 ? problem->H.first_dof[side[0]] : 0,
        .L = system->factor + problem->A.value_start[body],
        .side = side,
        .narrow = is_narrow(problem, body, side, count),
        .rows = work,
    };
    if (coupling.narrow)
        coupling.inverse =
            fil_inverse_make(coupling.dofs, coupling.bandwidth, coupling.L, work + 4 * (int64_t)coupling.dofs);
    return coupling;
}

// Z = L⁻¹ Hᵀ, from the first dof of the side on.
static void solve_side(const fil_coupling *coupling, int side, double *Z)
{
    const fil_contact_jacobian *H = coupling->H;
    int dofs = coupling->dofs, bandwidth = coupling->bandwidth, first = H->first_dof[side];
    const double *h = H->value + H->value_start[side];
    for (int j = first; j < dofs; ++j, h += 3) {
        bool own = j - first < H->dof_count[side];
        fil_v4_store(Z + 4 * (int64_t)j, own ? (fil_v4){h[0], h[1], h[2], 0} : fil_v4_all(0));
    }
    for (int j = first; j < dofs; ++j) {
        const double *column = coupling->L + (int64_t)j * (bandwidth + 1);
        double *target = Z + 4 * (int64_t)j;
        fil_v4 z = fil_v4_load(target) / column[0];
        fil_v4_store(target, z);
        int length = dofs - 1 - j < bandwidth ? dofs - 1 - j : bandwidth;
        for (int k = 1; k <= length; ++k)
            fil_v4_store(target + 4 * k, fil_v4_fma(fil_v4_all(-column[k]), z, fil_v4_load(target + 4 * k)));
    }
}

// block = Σ_d a_d b_dᵀ: a in rows of four numbers, b in rows of `stride`.
static inline void add_up(int count, const double *a, const double *b, int stride, double *block)
{
    fil_v4 x = fil_v4_all(0), y = x, z = x;
    for (int d = 0; d < count; ++d, a += 4, b += stride) {
        fil_v4 row = fil_v4_load(a);
        x = fil_v4_fma(row, fil_v4_all(b[0]), x);
        y = fil_v4_fma(row, fil_v4_all(b[1]), y);
        z = fil_v4_fma(row, fil_v4_all(b[2]), z);
    }
    fil_v4_store(block, x);
    fil_v4_store(block + 4, y);
    fil_v4_store(block + 8, z);
}

void fil_coupling_column(const fil_coupling *coupling, int t, double *block)
{
    const fil_contact_jacobian *H = coupling->H;
    int side = coupling->side[t], first = H->first_dof[side];
    double *rows = coupling->rows;
    if (coupling->narrow) {
        fil_inverse_rows(&coupling->inverse, first, H->dof_count[side], H->value + H->value_start[side],
                         coupling->lowest, rows);
        for (int s = 0; s <= t; ++s) {
            int other = coupling->side[s];
            add_up(H->dof_count[other], rows + 4 * (int64_t)H->first_dof[other], H->value + H->value_start[other], 3,
                   block + 12 * (int64_t)s);
        }
        return;
    }
    int64_t size = 4 * (int64_t)coupling->dofs, from = 4 * (int64_t)first;
    solve_side(coupling, side, rows + size * t);
    for (int s = 0; s <= t; ++s)
        add_up(coupling->dofs - first, rows + size * t + from, rows + size * s + from, 4, block + 12 * (int64_t)s);
}
