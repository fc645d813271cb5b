// One iteration of contact_apg.c, written once for both precisions: included there after math/lanes_double.h and after
// math/lanes_float.h. All vectors are blocked (contact_strands.h).
#include "contact/contact_cone_kernel.h"

typedef struct NAME(iterate) {
    apg *apg;
    REAL *r[3], *u[3]; // the last, the one before, the trial
    REAL *d, *mu, *q;  // d and mu: [blocks × 8]
    REAL beta, step, rho;
} NAME(iterate);

// The extrapolated point y of the contacts at `at` with its velocity, and the slope there with the De Saxcé term at r.
static inline void NAME(extrapolate)(const NAME(iterate) * it, int64_t at, VECTOR mu, VECTOR y[3], VECTOR u[3],
                                     VECTOR slope[3])
{
    VECTOR r[3], before[3], now[3];
    NAME(load_three)(it->r[0] + at, r);
    NAME(load_three)(it->r[1] + at, before);
    for (int k = 0; k < 3; ++k)
        y[k] = r[k] + it->beta * (r[k] - before[k]);
    NAME(load_three)(it->u[0] + at, now);
    NAME(load_three)(it->u[1] + at, before);
    for (int k = 0; k < 3; ++k)
        slope[k] = u[k] = now[k] + it->beta * (now[k] - before[k]);
    slope[0] += mu * V(sqrt)(now[1] * now[1] + now[2] * now[2]);
}

// trial = P_K(y - t d slope)
static void NAME(try_step)(void *data, int64_t begin, int64_t end)
{
    const NAME(iterate) *it = data;
    for (int64_t place = LANES * begin; place < LANES * end; place += WIDTH) {
        int64_t at = place / LANES * BLOCK + place % LANES;
        VECTOR mu = V(load)(it->mu + place), step = it->step * V(load)(it->d + place), y[3], u[3], slope[3];
        NAME(extrapolate)(it, at, mu, y, u, slope);
        for (int k = 0; k < 3; ++k)
            y[k] -= step * slope[k];
        NAME(project)(mu, y);
        for (int k = 0; k < 3; ++k)
            V(store)(it->r[2] + at + LANES * k, y[k]);
    }
}

// The sums over a range of blocks that tell what the trial is worth.
static void NAME(weigh_trial)(void *data, int64_t begin, int64_t end)
{
    const NAME(iterate) *it = data;
    VECTOR curvature = V(all)(0), length = curvature, climb = curvature, natural = curvature;
    for (int64_t place = LANES * begin; place < LANES * end; place += WIDTH) {
        int64_t at = place / LANES * BLOCK + place % LANES;
        VECTOR mu = V(load)(it->mu + place), y[3], u[3], slope[3], r[3], z[3], speed[3];
        NAME(extrapolate)(it, at, mu, y, u, slope);
        NAME(load_three)(it->r[0] + at, r);
        NAME(load_three)(it->r[2] + at, z);
        NAME(load_three)(it->u[2] + at, speed);
        for (int k = 0; k < 3; ++k) {
            y[k] = z[k] - y[k];
            u[k] = speed[k] - u[k];
            r[k] = z[k] - r[k];
        }
        curvature += NAME(dot)(y, u);
        length += NAME(dot)(y, y) / V(load)(it->d + place);
        climb += NAME(dot)(slope, r);
        natural += NAME(natural_square)(mu, it->rho, z, speed);
    }
    it->apg->partial[begin / block_grain] = (apg_sums){.curvature = NAME(add_lanes)(curvature),
                                                       .length = NAME(add_lanes)(length),
                                                       .climb = NAME(add_lanes)(climb),
                                                       .natural = NAME(add_lanes)(natural)};
}

static fil_status NAME(make_iterate)(apg *a, fil_units unit, NAME(iterate) * it)
{
    fil_arena *arena = a->task->scratch;
    int64_t size = BLOCK * (int64_t)a->blocks, places = LANES * (int64_t)a->blocks;
    *it = (NAME(iterate)){.apg = a, .rho = (REAL)(a->estimate.rho * unit.velocity / unit.impulse)};
    for (int k = 0; k < 3; ++k) {
        it->r[k] = FIL_ARENA_ARRAY(arena, REAL, size);
        it->u[k] = FIL_ARENA_ARRAY(arena, REAL, size);
    }
    it->d = FIL_ARENA_ARRAY(arena, REAL, places);
    it->mu = FIL_ARENA_ARRAY(arena, REAL, places);
    it->q = FIL_ARENA_ARRAY(arena, REAL, size);
    if (!it->r[0] || !it->r[1] || !it->r[2] || !it->u[0] || !it->u[1] || !it->u[2] || !it->d || !it->mu || !it->q)
        return FIL_NO_MEMORY;
    for (int64_t k = 0; k < places; ++k) {
        it->d[k] = (REAL)(a->d[k] * unit.velocity / unit.impulse);
        it->mu[k] = (REAL)a->mu[k];
    }
    for (int64_t k = 0; a->strands && k < size; ++k)
        it->q[k] = (REAL)(a->strands->q[k] / unit.velocity);
    // The point before the first is the first.
    for (int64_t i = 0; i < a->task->problem->contact_count; ++i)
        for (int k = 0; k < 3; ++k)
            it->r[0][a->slot[i] + LANES * k] = it->r[1][a->slot[i] + LANES * k] =
                (REAL)(a->r[3 * i + k] / unit.impulse);
    NAME(multiply)(a, it->q, it->r[0], it->u[0]);
    memcpy(it->u[1], it->u[0], (size_t)size * sizeof(REAL));
    return FIL_OK;
}

// The trial becomes the last point.
static void NAME(accept)(NAME(iterate) * it)
{
    REAL *r = it->r[1], *u = it->u[1];
    it->r[1] = it->r[0];
    it->u[1] = it->u[0];
    it->r[0] = it->r[2];
    it->u[0] = it->u[2];
    it->r[2] = r;
    it->u[2] = u;
}

static void NAME(unload)(const NAME(iterate) * it, fil_units unit)
{
    const apg *a = it->apg;
    for (int64_t i = 0; i < a->task->problem->contact_count; ++i)
        for (int k = 0; k < 3; ++k)
            a->r[3 * i + k] = unit.impulse * (double)it->r[0][a->slot[i] + LANES * k];
}

// Iterates from a->r until the watch says stop or this precision no longer serves; leaves the last point there.
static fil_status NAME(run)(apg *a, fil_units unit)
{
    NAME(iterate) it;
    fil_status status = NAME(make_iterate)(a, unit, &it);
    if (status != FIL_OK)
        return status;
    double momentum = 1, scale = a->estimate.scale / unit.impulse;
    bool serves = true;
    while (serves && !a->watch.stop) {
        it.step = (REAL)a->step;
        fil_parallel_for(a->task->context, a->blocks, block_grain, NAME(try_step), &it);
        NAME(multiply)(a, it.q, it.r[2], it.u[2]);
        fil_parallel_for(a->task->context, a->blocks, block_grain, NAME(weigh_trial), &it);
        fil_contact_watch_count(&a->watch, 1, 0);
        apg_sums sums = add_partial_sums(a);
        if (choose_step(a, &sums)) {
            NAME(accept)(&it);
            it.beta = (REAL)next_beta(&momentum, sums.climb > 0);
            fil_estimate_set(&a->estimate, &a->watch, sqrt(sums.natural) / scale);
        }
        bool due = a->broken || fil_estimate_due(&a->estimate, &a->watch);
        if (due) {
            NAME(unload)(&it, unit);
            fil_estimate_judge(&a->estimate, &a->watch, a->r);
        }
        serves = !a->broken && (WIDTH < LANES || floats_serve(a, due));
    }
    NAME(unload)(&it, unit);
    return FIL_OK;
}
