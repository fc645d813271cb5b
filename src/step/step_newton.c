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

#include "math/trig.h"
#include "numeric/band.h"

#include <string.h>

static const double least_pivot = 1e-14; // relative to the diagonal

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
        .is_free = scratch->free + row * type->dofs,
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
        .band_trial = scratch->band[1] + row * type->dofs * (type->bandwidth + 1),
        .band_exact = scratch->band[2] + row * type->dofs * (type->bandwidth + 1),
    };
    out->hessian = type->hessian(S->param, &out->adaptive);
    for (int lane = 0; lane < FIL_LANES; ++lane)
        out->count[lane] = S->vertices[S->strand_of_slot[pack * FIL_LANES + lane]];
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
            if (newton->push)
                load += fil_v4_load(newton->push + at);
            fil_v4 a = newton->a * inertia, b = damping_weight(newton, i, k == 3, inertia);
            fil_v4_store(newton->gradient + at, a * from_tilde + b * from_hat - load);
            // Held unknowns have no say: their energy is a constant, and that of padding depends on the neighbours.
            fil_v4 part = 0.5 * (a * from_tilde * from_tilde + b * from_hat * from_hat) - load * from_hat;
            energy += part * fil_v4_load(newton->is_free + at);
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

void fil_newton_take(double *into, const double *from, fil_m4 lanes, ptrdiff_t count)
{
    for (ptrdiff_t k = 0; k < count; k += FIL_LANES)
        fil_v4_store(into + k, fil_v4_select(lanes, fil_v4_load(from + k), fil_v4_load(into + k)));
}

static fil_m4 lanes_above_zero(const int count[FIL_LANES])
{
    return (fil_m4){-(count[0] > 0), -(count[1] > 0), -(count[2] > 0), -(count[3] > 0)};
}

static size_t band_size(const fil_newton *newton)
{
    return (size_t)newton->size * (size_t)(newton->S->type->bandwidth + 1) * FIL_LANES;
}

// Tries the Hessian in band_exact plus multiples of the inertia, ten times more at each attempt, from `first` on. Lanes
// that become positive definite are taken; returns the others.
static fil_m4 shift_until_definite(fil_newton *newton, fil_v4 shift, fil_m4 bad, double first, int attempts)
{
    double more = first;
    for (int i = 0; i < attempts && fil_m4_any(bad); ++i, more *= 10) {
        int negative[FIL_LANES];
        memcpy(newton->band_trial, newton->band_exact, band_size(newton) * sizeof(double));
        shift_diagonal(newton, shift + more, newton->band_trial);
        fil_band_factor(newton->size, newton->S->type->bandwidth, least_pivot, newton->band_trial, negative);
        fil_m4 cured = bad & ~lanes_above_zero(negative);
        fil_newton_take(newton->band, newton->band_trial, cured, (ptrdiff_t)band_size(newton));
        bad &= ~cured;
    }
    return bad;
}

// Lanes of `bad` have an indefinite Hessian. Near a saddle the way out is long, and a Hessian without its second
// derivatives would take it in tiny steps: a little more inertia keeps what the Hessian knows. Compressed edges make it
// far more indefinite than that; their stretch is filtered. What is still not cured, or was cured and led nowhere in
// the iteration before, gets the safe Hessian.
static void repair(fil_newton *newton, fil_v4 shift, fil_m4 bad)
{
    const fil_strand_type *type = newton->S->type;
    // Hessians come with gradients. Those of the other lanes must not change by a bit, so they go where the direction
    // will be.
    double *gradient = newton->gradient;
    newton->gradient = newton->direction;
    fil_m4 rough = bad & newton->rough;
    newton->repaired = bad;
    bad &= ~rough;
    if (newton->a > 0 && fil_m4_any(bad)) {
        evaluate(newton, newton->q, newton->frame, newton->hessian, newton->band_exact);
        bad = shift_until_definite(newton, shift, bad, 1e-3 * newton->a, 3);
    }
    if (newton->a > 0 && fil_m4_any(bad)) {
        evaluate(newton, newton->q, newton->frame, FIL_HESSIAN_STRETCH, newton->band_exact);
        bad = shift_until_definite(newton, shift, bad, 1e-3 * newton->a, 7);
    }
    bad |= rough;
    if (fil_m4_any(bad)) {
        int ignored[FIL_LANES];
        evaluate(newton, newton->q, newton->frame, type->safe, newton->band_trial);
        shift_diagonal(newton, shift, newton->band_trial);
        fil_band_factor(newton->size, type->bandwidth, least_pivot, newton->band_trial, ignored);
        fil_newton_take(newton->band, newton->band_trial, bad, (ptrdiff_t)band_size(newton));
    }
    newton->gradient = gradient;
}

// The Hessian at the iterate into `hessian`, its factor into newton->band; lanes where it is not positive definite get
// the safe one.
static void definite_hessian(fil_newton *newton, double *hessian)
{
    int negative[FIL_LANES];
    const fil_strand_type *type = newton->S->type;
    size_t size = band_size(newton);
    evaluate(newton, newton->q, newton->frame, newton->hessian, hessian);
    memcpy(newton->band, hessian, size * sizeof *hessian);
    fil_band_factor(newton->size, type->bandwidth, least_pivot, newton->band, negative);
    fil_m4 bad = lanes_above_zero(negative);
    if (!fil_m4_any(bad))
        return;
    evaluate(newton, newton->q, newton->frame, type->safe, newton->band_trial);
    fil_newton_take(hessian, newton->band_trial, bad, (ptrdiff_t)size);
    fil_band_factor(newton->size, type->bandwidth, least_pivot, newton->band_trial, negative);
    fil_newton_take(newton->band, newton->band_trial, bad, (ptrdiff_t)size);
}

void fil_newton_linearise(fil_newton *newton, double s, double *A, double *b)
{
    int width = newton->S->type->bandwidth + 1;
    definite_hessian(newton, A);
    double *v = newton->direction;
    for (ptrdiff_t j = 0; j < newton->size; ++j) {
        ptrdiff_t at = j * FIL_LANES;
        fil_v4 is_free = fil_v4_load(newton->is_free + at);
        fil_v4_store(v + at, (fil_v4_load(newton->q + at) - fil_v4_load(newton->q_hat + at)) / s);
        for (int d = 0; d < width; ++d) {
            double *entry = A + (j * width + d) * FIL_LANES;
            fil_v4 scaled = s * s * fil_v4_load(entry);
            fil_v4_store(entry, d == 0 ? fil_v4_select(is_free > 0, scaled, fil_v4_all(1)) : scaled);
        }
    }
    fil_band_multiply(newton->size, width - 1, A, v, b);
    for (ptrdiff_t at = 0; at < (ptrdiff_t)newton->size * FIL_LANES; at += FIL_LANES) {
        fil_v4 force = fil_v4_load(newton->gradient + at) + fil_v4_load(newton->push + at);
        fil_v4_store(b + at, fil_v4_load(b + at) - s * force * fil_v4_load(newton->is_free + at));
    }
}

void fil_newton_factor(fil_newton *newton, fil_v4 shift, int negative[FIL_LANES])
{
    if (fil_m4_any(shift != 0))
        shift_diagonal(newton, shift, newton->band);
    fil_band_factor(newton->size, newton->S->type->bandwidth, least_pivot, newton->band, negative);
    newton->repaired = (fil_m4){0};
    fil_m4 bad = lanes_above_zero(negative);
    if (newton->adaptive && fil_m4_any(bad))
        repair(newton, shift, bad);
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

// rotation vector w applied to a: cos φ a + sin φ / φ w × a + (1 - cos φ) / φ² (w·a) w, φ = |w|
static inline fil_w3 rotated(fil_w3 w, fil_v4 sine, fil_v4 cosine, fil_v4 over_angle, fil_w3 a)
{
    fil_w3 n = fil_w3_scale(over_angle, w);
    fil_w3 sum = fil_w3_add_scaled(fil_w3_scale(cosine, a), sine, fil_w3_cross(n, a));
    return fil_w3_add_scaled(sum, (1.0 - cosine) * fil_w3_dot(n, a), n);
}

// Moves edges the way stiff strands move. An edge e with direction t that is told to change by d, its frame by the
// angle δ, turns by the vector w = t × d / |e| + δ t and grows by the part of d along itself:
//
//     e' = (1 + t·d / |e|) exp[w] e
//
// A turn does not stretch, and a rigid turn of the whole strand stays one: neither bends nor twists. Angles count from
// frames that are carried without twist, so they take the twist part of exp[w] = swing × twist about t,
// 2 atan2(sin(φ/2) w·t / φ, cos(φ/2)). Vertices follow by summation from the root.
static void turn_edges(const fil_newton *newton, fil_v4 length, fil_m4 lanes)
{
    int dofs = newton->S->type->dofs;
    ptrdiff_t width = (ptrdiff_t)dofs * FIL_LANES;
    const fil_v4 least = fil_v4_all(1e-300);
    fil_w3 x = fil_w3_load(newton->q_trial);
    for (int i = 0; i < newton->vertices - 1; ++i) {
        const double *q = newton->q + i * width, *d = newton->direction + i * width;
        double *out = newton->q_trial + i * width;
        fil_w3 e = fil_w3_subtract(fil_w3_load(q + width), fil_w3_load(q));
        fil_w3 change = fil_w3_scale(length, fil_w3_subtract(fil_w3_load(d + width), fil_w3_load(d)));
        fil_v4 size = fil_v4_max(fil_w3_dot(e, e), least), angle = {0}, sine, cosine;
        if (dofs > 3)
            angle = length * fil_v4_load(d + 3 * FIL_LANES) / fil_v4_sqrt(size);
        fil_w3 w = fil_w3_add_scaled(fil_w3_scale(1.0 / size, fil_w3_cross(e, change)), angle, e);
        fil_v4 phi = fil_v4_sqrt(fil_w3_dot(w, w)), over = 1.0 / fil_v4_max(phi, least);
        fil_trig_sincos(0.5 * phi, &sine, &cosine);
        fil_v4 grown = 1.0 + fil_w3_dot(e, change) / size;
        x = fil_w3_add_scaled(x, grown, rotated(w, 2.0 * sine * cosine, 1.0 - 2.0 * sine * sine, over, e));
        fil_m4 real = lanes & (newton->count > i + 1.0);
        fil_w3_store(out + width, fil_w3_select(real, x, fil_w3_load(out + width)));
        if (dofs > 3) {
            fil_v4 along = fil_w3_dot(w, e) / fil_v4_sqrt(size) * over;
            fil_v4 twist = 2.0 * fil_trig_atan2(sine * along, cosine);
            // Held angles keep their values: their direction is zero, and so is their part of the turn.
            twist = fil_v4_select(fil_v4_load(newton->is_free + i * width + 3 * FIL_LANES) > 0, twist, fil_v4_all(0));
            fil_v4 turned = fil_v4_load(q + 3 * FIL_LANES) + twist, straight = fil_v4_load(out + 3 * FIL_LANES);
            fil_v4_store(out + 3 * FIL_LANES, fil_v4_select(lanes, turned, straight));
        }
    }
}

// Shifts vertices first..last of a lane by a correction that runs linearly from `from` to `to`.
static void shift_run(const fil_newton *newton, int lane, int first, int last, const double from[3], const double to[3])
{
    int dofs = newton->S->type->dofs;
    for (int i = first; i <= last; ++i)
        for (int k = 0; k < 3; ++k) {
            double part = last > first ? (double)(i - first) / (last - first) : 1;
            newton->q_trial[((ptrdiff_t)i * dofs + k) * FIL_LANES + lane] += (1 - part) * from[k] + part * to[k];
        }
}

// Takes held vertices back to their places, their neighbours with them; a strand that nothing holds keeps the centre of
// mass of the straight step.
static void anchor_lane(const fil_newton *newton, fil_v4 length, int lane)
{
    int dofs = newton->S->type->dofs, before = -1, n = (int)newton->count[lane];
    double error[3] = {0}, last[3] = {0}, mean[3] = {0}, mass = 0;
    for (int i = 0; i < n; ++i) {
        ptrdiff_t at = (ptrdiff_t)i * dofs * FIL_LANES + lane;
        for (int k = 0; k < 3; ++k) {
            ptrdiff_t place = at + (ptrdiff_t)k * FIL_LANES;
            error[k] = newton->q[place] + length[lane] * newton->direction[place] - newton->q_trial[place];
            mean[k] += newton->inertia[place] * error[k];
        }
        mass += newton->inertia[at];
        if (newton->is_free[at] != 0)
            continue;
        shift_run(newton, lane, before + 1, i, before < 0 ? error : last, error);
        memcpy(last, error, sizeof last);
        before = i;
    }
    for (int k = 0; k < 3 && before < 0; ++k)
        last[k] = mean[k] / mass;
    shift_run(newton, lane, before + 1, n - 1, last, last);
}

void fil_newton_try(fil_newton *newton, fil_v4 length, fil_m4 turning)
{
    const fil_strand_type *type = newton->S->type;
    for (int j = 0; j < newton->size; ++j) {
        ptrdiff_t at = (ptrdiff_t)j * FIL_LANES;
        fil_v4_store(newton->q_trial + at, fil_v4_load(newton->q + at) + length * fil_v4_load(newton->direction + at));
    }
    if (fil_m4_any(turning)) {
        turn_edges(newton, length, turning);
        for (int lane = 0; lane < FIL_LANES; ++lane)
            if (turning[lane])
                anchor_lane(newton, length, lane);
    }
    if (!type->carry)
        return;
    type->carry(newton->vertices, newton->q, newton->frame, newton->q_trial, newton->frame_trial);
    // Lanes that do not move keep their frames to the last bit, however long the others go on.
    fil_m4 still = length == 0;
    if (fil_m4_any(still))
        fil_newton_take(newton->frame_trial, newton->frame, still,
                        (ptrdiff_t)newton->vertices * type->frame_count * FIL_LANES);
}

void fil_newton_accept(fil_newton *newton)
{
    double *q = newton->q, *frame = newton->frame;
    newton->q = newton->q_trial, newton->frame = newton->frame_trial;
    newton->q_trial = q, newton->frame_trial = frame;
}

// Inertia of the angles after they were turned from `old` to `new`: what it adds to the gradient and to the energy.
static fil_v4 turned_inertia(const fil_newton *newton, int i, fil_v4 old, fil_v4 new, fil_v4 *energy)
{
    ptrdiff_t at = ((ptrdiff_t)i * newton->S->type->dofs + 3) * FIL_LANES;
    fil_v4 inertia = fil_v4_load(newton->inertia + at), middle = 0.5 * (old + new), turn = new - old;
    inertia *= fil_v4_load(newton->is_free + at);
    fil_v4 a = newton->a * inertia, b = damping_weight(newton, i, true, inertia);
    // ½ a ((new - q̃)² - (old - q̃)²) = a (new - old) (middle - q̃)
    *energy +=
        turn * (a * (middle - fil_v4_load(newton->q_tilde + at)) + b * (middle - fil_v4_load(newton->q_hat + at)));
    return (a + b) * turn;
}

void fil_newton_straighten(fil_newton *newton, fil_m4 lanes)
{
    const fil_strand_type *type = newton->S->type;
    if (!type->straighten)
        return;
    ptrdiff_t size = (ptrdiff_t)newton->size * FIL_LANES;
    ptrdiff_t frame_size = (ptrdiff_t)newton->vertices * type->frame_count * FIL_LANES;
    double *q = newton->q_trial, *frame = newton->frame_trial; // free until the next try
    memcpy(q, newton->q, (size_t)size * sizeof *q);
    memcpy(frame, newton->frame, (size_t)frame_size * sizeof *frame);
    type->straighten(newton->vertices, newton->q_state, newton->frame_state, q, frame);
    for (int i = 0; i < newton->vertices; ++i) {
        ptrdiff_t at = ((ptrdiff_t)i * type->dofs + 3) * FIL_LANES;
        fil_v4 old = fil_v4_load(newton->q + at), new = fil_v4_select(lanes, fil_v4_load(q + at), old);
        fil_v4 more = turned_inertia(newton, i, old, new, &newton->energy);
        fil_v4_store(newton->gradient + at, fil_v4_load(newton->gradient + at) + more);
        fil_v4_store(newton->q + at, new);
    }
    fil_newton_take(newton->frame, frame, lanes, frame_size);
}

static fil_v4 slope_at_trial(const fil_newton *newton)
{
    fil_v4 sum = {0};
    for (ptrdiff_t k = 0; k < (ptrdiff_t)newton->size * FIL_LANES; k += FIL_LANES)
        sum += fil_v4_load(newton->gradient + k) * fil_v4_load(newton->direction + k);
    return sum;
}

// Lanes whose trial is good enough: the objective has fallen as Armijo asks. Close to the end its changes drown in the
// rounding of stiff terms, and the slope, which is known better, decides (the approximate Wolfe condition).
static fil_m4 low_enough(const fil_newton *newton, fil_v4 before, fil_v4 slope, const fil_newton_search *trial)
{
    const double armijo = 1e-4, rounding = 1e-12, drowned = 1e-8, flatter = 0.9;
    fil_v4 size = fil_v4_abs(before) + fil_v4_abs(trial->energy);
    fil_m4 low = trial->energy <= before + armijo * trial->length * slope + rounding * size;
    if (fil_m4_all(low))
        return low;
    fil_m4 level = trial->energy <= before + drowned * size;
    if (!fil_m4_any(level & ~low))
        return low;
    return low | (level & (fil_v4_abs(slope_at_trial(newton)) <= flatter * fil_v4_abs(slope)));
}

void fil_newton_line_search(fil_newton *newton, fil_m4 active, fil_m4 searching, fil_v4 slope, bool with_hessian,
                            fil_newton_search *out)
{
    enum { MOST = 40 };
    fil_v4 zero = {0}, before = newton->energy;
    fil_m4 turning = newton->turning & searching;
    *out = (fil_newton_search){.length = fil_v4_select(active, fil_v4_all(1), zero)};
    for (int round = 0;; ++round) {
        fil_newton_try(newton, out->length, turning);
        fil_newton_evaluate(newton, true, with_hessian, &out->energy);
        fil_m4 bad = searching & ~low_enough(newton, before, slope, out) & (out->length > 0);
        if (!fil_m4_any(bad)) {
            newton->turning = turning;
            newton->rough = newton->repaired & (out->length < 0.2);
            return;
        }
        for (int lane = 0; lane < FIL_LANES; ++lane)
            out->backtracks[lane] += bad[lane] != 0;
        // First the same length along a path that turns edges, then half of it.
        fil_m4 shorten = bad & turning;
        out->length = fil_v4_select(shorten, round < MOST ? 0.5 * out->length : zero, out->length);
        turning |= bad;
    }
}
