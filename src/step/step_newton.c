// Newton's method on a pack of four strands [Jia20, section 2.2.1].
//
// A step of any scheme is a minimum of
//
//     ½ a |q - q̃|²_M + ½ b |q - q̂|²_D + E(q) - load·(q - q̂),     a = 1 / s², b = 1 / s, D = drag + damping M
//
// and a static equilibrium is one with a = b = 0. Held unknowns keep their values: their rows and columns of the
// Hessian are those of the identity, their gradient is zero. Lanes never mix: a strand meets the same numbers in any
// company.
//
// Differs from paper: Algorithm 1 prints its backtracking test the wrong way round.
#include "step/step_newton.h"

#include "numeric/band.h"

#include <string.h>

void fil_newton_start(const fil_strands *S, const fil_group_scratch *scratch, int pack, fil_newton *out)
{
    const fil_strand_type *type = S->type;
    ptrdiff_t row = S->pack_row[pack] * FIL_LANES;
    *out = (fil_newton){
        .S = S,
        .pack = pack,
        .vertices = S->pack_vertices[pack],
        .size = S->pack_vertices[pack] * type->dofs,
        .kernel = {.vertices = S->pack_vertices[pack],
                   .constants = S->constants + row * type->constant_count,
                   .strain = S->strain + row * type->strain_count,
                   .stiffening = 1,
                   .param = S->param},
        .inertia = S->inertia + row * type->dofs,
        .drag = S->drag + row,
        .is_free = S->free + row * type->dofs,
        .radius = S->radius + row,
        .q_hat = scratch->q_hat + row * type->dofs,
        .q_tilde = scratch->q_tilde + row * type->dofs,
        .load = scratch->load + row * type->dofs,
        .q = scratch->q[0] + row * type->dofs,
        .q_trial = scratch->q[1] + row * type->dofs,
        .frame = scratch->frame[0] + row * type->frame_count,
        .frame_trial = scratch->frame[1] + row * type->frame_count,
        .gradient = scratch->gradient + row * type->dofs,
        .direction = scratch->direction + row * type->dofs,
        .band = scratch->band[0] + row * type->dofs * (type->bandwidth + 1),
        .band_safe = scratch->band[1] + row * type->dofs * (type->bandwidth + 1),
    };
    out->hessian = type->hessian(S->param, &out->adaptive);
}

// Weight of (q - q̂)² for vertex i: drag and damping. Angles are damped, but not by air.
static inline fil_v4 damping_weight(const fil_newton *newton, int i, bool angle, fil_v4 inertia)
{
    fil_v4 drag = angle ? fil_v4_all(0) : fil_v4_load(newton->drag + (ptrdiff_t)i * FIL_LANES);
    return newton->b * (drag + newton->S->damping * inertia);
}

// All but the elastic part.
static fil_v4 inertial(const fil_newton *newton, const double *q, double *band)
{
    int dofs = newton->S->type->dofs, stride = (newton->S->type->bandwidth + 1) * FIL_LANES;
    fil_v4 energy = {0};
    for (int i = 0; i < newton->vertices; ++i)
        for (int k = 0; k < dofs; ++k) {
            ptrdiff_t j = (ptrdiff_t)i * dofs + k, at = j * FIL_LANES;
            fil_v4 inertia = fil_v4_load(newton->inertia + at), load = fil_v4_load(newton->load + at);
            fil_v4 here = fil_v4_load(q + at), from_hat = here - fil_v4_load(newton->q_hat + at);
            fil_v4 from_tilde = here - fil_v4_load(newton->q_tilde + at);
            fil_v4 a = newton->a * inertia, b = damping_weight(newton, i, k == 3, inertia);
            fil_v4_store(newton->gradient + at, a * from_tilde + b * from_hat - load);
            energy += 0.5 * (a * from_tilde * from_tilde + b * from_hat * from_hat) - load * from_hat;
            if (band)
                fil_v4_store(band + j * stride, a + b);
        }
    return energy;
}

// Rows and columns of held unknowns become those of the identity.
static void hold(const fil_newton *newton, double *band)
{
    const fil_strands *S = newton->S;
    int dofs = S->type->dofs, width = S->type->bandwidth + 1;
    for (int64_t h = S->held_start[newton->pack]; h < S->held_start[newton->pack + 1]; ++h)
        for (int k = 0; k < dofs; ++k) {
            int j = S->held_vertex[h] * dofs + k;
            fil_v4 is_free = fil_v4_load(newton->is_free + (ptrdiff_t)j * FIL_LANES);
            double *g = newton->gradient + (ptrdiff_t)j * FIL_LANES;
            fil_v4_store(g, fil_v4_load(g) * is_free);
            if (!band)
                continue;
            double *column = band + (ptrdiff_t)j * width * FIL_LANES;
            fil_v4_store(column, fil_v4_select(is_free > 0, fil_v4_load(column), fil_v4_all(1)));
            for (int d = 1; d < width; ++d) {
                double *below = column + (ptrdiff_t)d * FIL_LANES;
                fil_v4_store(below, fil_v4_load(below) * is_free);
                if (d > j)
                    continue;
                double *left = band + ((ptrdiff_t)(j - d) * width + d) * FIL_LANES;
                fil_v4_store(left, fil_v4_load(left) * is_free);
            }
        }
}

static fil_v4 evaluate(fil_newton *newton, const double *q, const double *frame, fil_hessian hessian, double *band)
{
    const fil_strand_type *type = newton->S->type;
    if (band)
        memset(band, 0, (size_t)newton->size * (size_t)(type->bandwidth + 1) * FIL_LANES * sizeof(double));
    double elastic[FIL_LANES] = {0};
    fil_v4 energy = inertial(newton, q, band);
    type->elastic(&newton->kernel, q, frame, hessian, elastic, newton->gradient, band);
    hold(newton, band);
    return energy + fil_v4_load(elastic);
}

void fil_newton_evaluate(fil_newton *newton, bool trial, bool with_hessian, fil_v4 *energy)
{
    *energy = evaluate(newton, trial ? newton->q_trial : newton->q, trial ? newton->frame_trial : newton->frame,
                       newton->hessian, with_hessian ? newton->band : NULL);
}

static void shift_diagonal(const fil_newton *newton, fil_v4 shift, double *band)
{
    ptrdiff_t stride = (ptrdiff_t)(newton->S->type->bandwidth + 1) * FIL_LANES;
    for (int j = 0; j < newton->size; ++j) {
        ptrdiff_t at = (ptrdiff_t)j * FIL_LANES;
        double *diagonal = band + j * stride;
        fil_v4 more = shift * fil_v4_load(newton->inertia + at) * fil_v4_load(newton->is_free + at);
        fil_v4_store(diagonal, fil_v4_load(diagonal) + more);
    }
}

void fil_newton_factor(fil_newton *newton, fil_v4 shift, int negative[FIL_LANES])
{
    const fil_strand_type *type = newton->S->type;
    const double small = 1e-14;
    if (fil_m4_any(shift != 0))
        shift_diagonal(newton, shift, newton->band);
    fil_band_factor(newton->size, type->bandwidth, small, newton->band, negative);
    ++newton->factorisations;
    newton->repaired = (fil_m4){0};
    if (!newton->adaptive || !(negative[0] | negative[1] | negative[2] | negative[3]))
        return;
    // The gradient is evaluated along: it comes out the same.
    newton->repaired = (fil_m4){-(negative[0] > 0), -(negative[1] > 0), -(negative[2] > 0), -(negative[3] > 0)};
    int ignored[FIL_LANES];
    evaluate(newton, newton->q, newton->frame, type->safe, newton->band_safe);
    if (fil_m4_any(shift != 0))
        shift_diagonal(newton, shift, newton->band_safe);
    fil_band_factor(newton->size, type->bandwidth, small, newton->band_safe, ignored);
    size_t count = (size_t)newton->size * (size_t)(type->bandwidth + 1);
    for (size_t j = 0; j < count; ++j) {
        double *at = newton->band + j * FIL_LANES;
        fil_v4 safe = fil_v4_load(newton->band_safe + j * FIL_LANES);
        fil_v4_store(at, fil_v4_select(newton->repaired, safe, fil_v4_load(at)));
    }
}

fil_v4 fil_newton_direction(fil_newton *newton, fil_m4 active, fil_v4 *change)
{
    const fil_strand_type *type = newton->S->type;
    memcpy(newton->direction, newton->gradient, (size_t)newton->size * FIL_LANES * sizeof(double));
    fil_band_solve(newton->size, type->bandwidth, newton->band, newton->direction);
    fil_v4 slope = {0}, most = {0}, zero = {0};
    for (int i = 0; i < newton->vertices; ++i) {
        fil_v4 radius = fil_v4_load(newton->radius + (ptrdiff_t)i * FIL_LANES), moved = {0};
        for (int k = 0; k < type->dofs; ++k) {
            ptrdiff_t at = ((ptrdiff_t)i * type->dofs + k) * FIL_LANES;
            fil_v4 d = fil_v4_select(active, -fil_v4_load(newton->direction + at), zero);
            fil_v4_store(newton->direction + at, d);
            slope += d * fil_v4_load(newton->gradient + at);
            moved += k < 3 ? d * d : d * d * radius * radius;
        }
        // Not a number must not look small.
        most = fil_v4_select(moved <= most, most, moved);
    }
    *change = fil_v4_sqrt(most);
    // A lane that lost its numbers stays where it is: zero times infinity would spread.
    fil_m4 finite = fil_v4_finite(*change);
    for (int j = 0; !fil_m4_all(finite) && j < newton->size; ++j) {
        double *d = newton->direction + (ptrdiff_t)j * FIL_LANES;
        fil_v4_store(d, fil_v4_select(finite, fil_v4_load(d), zero));
    }
    return slope;
}

void fil_newton_try(fil_newton *newton, fil_v4 length)
{
    const fil_strand_type *type = newton->S->type;
    for (int j = 0; j < newton->size; ++j) {
        ptrdiff_t at = (ptrdiff_t)j * FIL_LANES;
        fil_v4_store(newton->q_trial + at, fil_v4_load(newton->q + at) + length * fil_v4_load(newton->direction + at));
    }
    if (type->carry)
        type->carry(newton->vertices, newton->q, newton->frame, newton->q_trial, newton->frame_trial);
}

void fil_newton_accept(fil_newton *newton)
{
    double *q = newton->q, *frame = newton->frame;
    newton->q = newton->q_trial, newton->frame = newton->frame_trial;
    newton->q_trial = q, newton->frame_trial = frame;
}

void fil_newton_line_search(fil_newton *newton, fil_m4 active, fil_v4 slope, bool with_hessian, fil_newton_search *out)
{
    const double armijo = 1e-4, rounding = 1e-12;
    enum { MOST = 40 };
    fil_v4 zero = {0}, before = newton->energy;
    *out = (fil_newton_search){.length = fil_v4_select(active, fil_v4_all(1), zero)};
    for (int round = 0;; ++round) {
        fil_newton_try(newton, out->length);
        fil_newton_evaluate(newton, true, with_hessian, &out->energy);
        fil_v4 slack = rounding * (fil_v4_abs(before) + fil_v4_abs(out->energy));
        fil_m4 low = out->energy <= before + armijo * out->length * slope + slack;
        fil_m4 bad = ~low & (out->length > 0);
        if (!fil_m4_any(bad))
            return;
        for (int lane = 0; lane < FIL_LANES; ++lane)
            out->backtracks[lane] += bad[lane] != 0;
        out->length = fil_v4_select(bad, round < MOST ? 0.5 * out->length : zero, out->length);
    }
}
