// One iteration of contact_admm.c, written once for both precisions: included there after math/lanes_double.h and after
// math/lanes_float.h. Vectors are blocked, `force` and `point` are side vectors (contact_strands.h).
#include "contact/contact_cone_kernel.h"

typedef struct NAME(iterate) {
    const admm *admm;
    REAL *mu, *rho;      // [blocks × 8]
    REAL *second, *mean; // [blocks × 8] 1 where a contact has a second side, else 0; 1 over the number of sides
    REAL *slip;          // [blocks × 8]
    REAL *f, *force, *point, *q;
    float *asked, *answer; // side vectors: what the strands are asked, and what they say
    REAL natural_rho;
    fil_units unit;
} NAME(iterate);

// What one vector of contacts has at hand: F, and world vectors of both sides.
typedef struct NAME(meeting) {
    VECTOR frame[9], point[2][3], force[2][3], arm[2][3], f[3];
} NAME(meeting);

// y = F x
static inline void NAME(to_contact)(const VECTOR F[9], const VECTOR x[3], VECTOR y[3])
{
    for (int row = 0; row < 3; ++row)
        y[row] = V(fma)(F[row + 6], x[2], V(fma)(F[row + 3], x[1], F[row] * x[0]));
}

// y = Fᵀ x
static inline void NAME(to_world)(const VECTOR F[9], const VECTOR x[3], VECTOR y[3])
{
    for (int k = 0; k < 3; ++k)
        y[k] = V(fma)(F[3 * k + 2], x[2], V(fma)(F[3 * k + 1], x[1], F[3 * k] * x[0]));
}

// The points at the place i of a side vector. In floats the strands answer with them; in doubles with how they changed,
// because they were asked how far a change of forces would move them.
static inline void NAME(take_answer)(const NAME(iterate) * it, int64_t i, VECTOR point[3])
{
    V(load_points)(it->point + i, point);
#if IN_DOUBLES
    VECTOR change[3];
    V(load_float_points)(it->answer + i, change);
    for (int k = 0; k < 3; ++k)
        point[k] += change[k];
    V(store_points)(it->point + i, point);
#endif
}

static inline void NAME(ask)(const NAME(iterate) * it, int64_t i, const VECTOR before[3], const VECTOR force[3])
{
    V(store_points)(it->force + i, force);
#if IN_DOUBLES
    VECTOR change[3];
    for (int k = 0; k < 3; ++k)
        change[k] = force[k] - before[k];
    V(store_float_points)(it->asked + i, change);
#else
    (void)before;
#endif
}

// arm = ρ a = α ρ p - (α - 1) force - (2 - α) f for both sides.
static inline void NAME(reach)(const NAME(iterate) * it, int64_t place, int64_t at, NAME(meeting) * m)
{
    const fil_contact_strands *S = it->admm->strands;
    const REAL alpha = (REAL)over_relaxation, *frame = S->NAME(numbers).frame + 3 * (at - at % BLOCK) + at % BLOCK;
    VECTOR rho = V(load)(it->rho + place), share = V(load)(it->second + place);
    for (int k = 0; k < 9; ++k)
        m->frame[k] = V(load)(frame + LANES * k);
    for (int k = 0; k < 3; ++k)
        m->f[k] = V(load)(it->f + at + LANES * k);
    for (int side = 0; side < 2; ++side) {
        int64_t i = 4 * (place + side * (int64_t)LANES * S->blocks);
        NAME(take_answer)(it, i, m->point[side]);
        V(load_points)(it->force + i, m->force[side]);
        for (int k = 0; k < 3; ++k) {
            VECTOR arm = alpha * rho * m->point[side][k] - (alpha - 1) * m->force[side][k] - (2 - alpha) * m->f[k];
            m->arm[side][k] = side == 0 ? arm : share * arm;
        }
    }
}

// The slip that the De Saxcé term stands for follows the true one slowly.
static inline VECTOR NAME(follow_slip)(const NAME(iterate) * it, int64_t place, const VECTOR u[3])
{
    VECTOR slip = V(load)(it->slip + place), now = V(sqrt)(u[1] * u[1] + u[2] * u[2]);
    slip += (REAL)it->admm->slip * (now - slip);
    V(store)(it->slip + place, slip);
    return slip;
}

// All contacts of a range of blocks.
static void NAME(meet_all)(void *data, int64_t begin, int64_t end)
{
    const NAME(iterate) *it = data;
    const int64_t second = 4 * LANES * (int64_t)it->admm->strands->blocks;
    VECTOR sum = V(all)(0);
    for (int64_t place = LANES * begin; place < LANES * end; place += WIDTH) {
        int64_t at = place / LANES * BLOCK + place % LANES;
        VECTOR mu = V(load)(it->mu + place), rho = V(load)(it->rho + place), mean = V(load)(it->mean + place);
        VECTOR share = V(load)(it->second + place), arms[3], points[3], c[3], u[3], r[3], f[3];
        NAME(meeting) m;
        NAME(reach)(it, place, at, &m);
        for (int k = 0; k < 3; ++k) {
            arms[k] = m.arm[0][k] + m.arm[1][k];
            points[k] = m.point[0][k] + m.point[1][k];
        }
        NAME(to_contact)(m.frame, arms, c);
        NAME(to_contact)(m.frame, points, u);
        for (int k = 0; k < 3; ++k) {
            VECTOR q = V(load)(it->q + at + LANES * k);
            c[k] = mean * (c[k] + rho * q);
            u[k] += q;
        }
        r[0] = -c[0] - mean * rho * mu * NAME(follow_slip)(it, place, u);
        r[1] = -c[1];
        r[2] = -c[2];
        NAME(project)(mu, r);
        NAME(to_world)(m.frame, r, f);
        sum += NAME(natural_square)(mu, it->natural_rho, r, u);
        for (int k = 0; k < 3; ++k) {
            V(store)(it->f + at + LANES * k, f[k]);
            m.arm[0][k] += 2 * f[k];
            m.arm[1][k] += 2 * share * f[k];
        }
        NAME(ask)(it, 4 * place, m.force[0], m.arm[0]);
        NAME(ask)(it, 4 * place + second, m.force[1], m.arm[1]);
    }
    it->admm->partial[begin / block_grain] = NAME(add_lanes)(sum);
}

// force = ρ z + f with the copies at the points that the impulses give: z = H A⁻¹ Hᵀ r; slips as they are there. Then
// these are also the points that such forces give.
static fil_status NAME(start)(const NAME(iterate) * it, fil_units unit)
{
    const admm *a = it->admm;
    const fil_contact_strands *S = a->strands;
    fil_arena *arena = a->arena;
    fil_arena_mark mark = fil_arena_mark_now(arena);
    int64_t size = BLOCK * (int64_t)S->blocks, places = LANES * (int64_t)S->blocks;
    double *u = FIL_ARENA_ARRAY(arena, double, size);
    if (!u)
        return FIL_NO_MEMORY;
    memset(it->asked, 0, 8 * (size_t)places * sizeof *it->asked);
    fil_contact_strands_block(S, a->r, u);
    fil_contact_strands_product(S, u, S->q, u); // leaves forces and points of the sides
    for (int64_t place = 0; place < places; ++place) {
        int64_t at = place / LANES * BLOCK + place % LANES;
        it->slip[place] = (REAL)(hypot(u[at + LANES], u[at + 2 * (int64_t)LANES]) / unit.velocity);
        for (int k = 0; k < 3; ++k) {
            int64_t i = 4 * place + k;
            double f = S->numbers.force[i] / unit.impulse, rho = a->rho[place] / unit.impulse;
            it->f[at + LANES * k] = (REAL)f;
            it->force[i] = (REAL)(rho * S->numbers.point[i] + f);
            it->force[4 * places + i] = it->second[place] * (REAL)(rho * S->numbers.point[4 * places + i] + f);
            it->point[i] = (REAL)(S->numbers.point[i] / unit.velocity);
            it->point[4 * places + i] = (REAL)(S->numbers.point[4 * places + i] / unit.velocity);
        }
    }
    fil_arena_rewind(arena, mark);
    return FIL_OK;
}

static fil_status NAME(make_iterate)(const admm *a, fil_units unit, NAME(iterate) * it)
{
    const fil_contact_problem *problem = a->watch->task->problem;
    const fil_contact_strands *S = a->strands;
    fil_arena *arena = a->arena;
    int64_t size = BLOCK * (int64_t)S->blocks, places = LANES * (int64_t)S->blocks;
    *it =
        (NAME(iterate)){.admm = a, .unit = unit, .natural_rho = (REAL)(a->estimate.rho * unit.velocity / unit.impulse)};
    REAL **arrays[] = {&it->mu, &it->rho, &it->second, &it->mean, &it->slip, &it->f, &it->q, &it->force, &it->point};
    const int64_t sizes[] = {places, places, places, places, places, size, size, 8 * places, 8 * places};
    for (int k = 0; k < 9; ++k) {
        *arrays[k] = FIL_ARENA_ARRAY(arena, REAL, sizes[k]);
        if (!*arrays[k])
            return FIL_NO_MEMORY;
    }
    for (int64_t place = 0; place < places; ++place)
        it->rho[place] = (REAL)(a->rho[place] * unit.velocity / unit.impulse);
    for (int i = 0; i < problem->contact_count; ++i) {
        int place = fil_contact_strands_place(S, i);
        bool two = problem->H.side_start[i + 1] - problem->H.side_start[i] > 1;
        it->mu[place] = (REAL)problem->mu[i];
        it->second[place] = two ? 1 : 0;
        it->mean[place] = (REAL)(two ? 0.5 : 1);
    }
    for (int64_t k = 0; k < size; ++k)
        it->q[k] = (REAL)(S->q[k] / unit.velocity);
#if IN_DOUBLES
    it->asked = FIL_ARENA_ARRAY(arena, float, 8 * places);
    it->answer = FIL_ARENA_ARRAY(arena, float, 8 * places);
    if (!it->asked || !it->answer)
        return FIL_NO_MEMORY;
#else
    it->asked = it->force;
    it->answer = it->point;
#endif
    return NAME(start)(it, unit);
}

// r = F f, in the order of the problem.
static void NAME(unload_range)(void *data, int64_t begin, int64_t end)
{
    const NAME(iterate) *it = data;
    const admm *a = it->admm;
    const fil_contact_strands *S = a->strands;
    for (int64_t i = begin; i < end; ++i) {
        int64_t slot = S->slot[i];
        const double *frame = S->numbers.frame + 3 * (slot - slot % BLOCK) + slot % BLOCK;
        for (int row = 0; row < 3; ++row) {
            double sum = 0;
            for (int k = 0; k < 3; ++k)
                sum += frame[LANES * (ptrdiff_t)(row + 3 * k)] * (double)it->f[slot + LANES * k];
            a->r[3 * i + row] = it->unit.impulse * sum;
        }
    }
}

static void NAME(unload)(NAME(iterate) * it)
{
    const fil_contact_task *task = it->admm->watch->task;
    fil_parallel_for(task->context, task->problem->contact_count, contact_grain, NAME(unload_range), it);
}

// Iterates from a->r until the watch says stop, there is nothing to be hoped for or this precision no longer serves;
// leaves the last impulse there.
static fil_status NAME(run)(admm *a, fil_units unit)
{
    NAME(iterate) it;
    fil_status status = NAME(make_iterate)(a, unit, &it);
    if (status != FIL_OK)
        return status;
    double scale = a->estimate.scale / unit.impulse, first = INFINITY;
    bool serves = true, changed = false;
    while (status == FIL_OK && serves && !a->watch->stop && keep_going(a)) {
        fil_contact_strands_product_sides(a->strands, a->factor, it.asked, it.answer);
        fil_parallel_for(a->watch->task->context, a->strands->blocks, block_grain, NAME(meet_all), &it);
        fil_contact_watch_count(a->watch, 1, 0);
        fil_estimate_set(&a->estimate, a->watch, sqrt(add_partial_sums(a)) / scale);
        changed = true;
        if (fil_estimate_due(&a->estimate, a->watch)) {
            NAME(unload)(&it);
            judge(a);
            changed = false;
        }
        serves = isfinite(a->estimate.value) && (IN_DOUBLES || fil_estimate_floats_serve(&a->estimate, a->watch));
        // Changes are small against those at the start: what rounding has left of these would show.
        first = first < INFINITY ? first : a->estimate.value;
        if (IN_DOUBLES && a->estimate.value < start_anew * first) {
            NAME(unload)(&it);
            status = NAME(start)(&it, unit);
            first = INFINITY;
        }
    }
    if (changed)
        NAME(unload)(&it);
    return status;
}
