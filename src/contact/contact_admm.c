// admm: consensus form of the alternating direction method of multipliers, one copy of the velocity for each side of a
// contact [Boyd11; friction as in Daviet 2020]. With p = H v the points of the strands, z their copies, r the impulse:
//
//   strands   (A + Σ ρ HᵀH) v = b + Hᵀ (ρ z + r),   p = H v
//   relax     a = α p - (α - 1) z - r / ρ                                          α = 1.7
//   contacts  r: (u, r) in Coulomb(mu) with u = Σ a + w + (m / ρ) r                 m: sides, 1 or 2
//             z = a + r / ρ
//
// The one-contact problem is isotropic and has the closed form: nothing when it opens, else -(ρ / m) times the
// velocity, its tangent part cut to mu times the normal one. A side moves one edge of a strand, so the matrix stays
// banded and is factored once. ρ_i = kappa 3 / tr W_ii; the larger kappa, the better for high accuracy.
//
// Cost per iteration: as much as a product with W. Limits: strands only (contact_strands.c); below 1e-6 the rate falls.
#include "contact/contact.h"
#include "contact/contact_strands.h"
#include "contact/contact_watch.h"

#include "base/parallel.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { LANES = FIL_STRANDS_LANES, BLOCK = FIL_STRANDS_BLOCK, block_grain = 128, judge_period = 10 };

static const double over_relaxation = 1.7;

typedef struct admm_param {
    double kappa;
} admm_param;

static const fil_field fields[] = {
    {"kappa", FIL_KIND_REAL, offsetof(admm_param, kappa), 0, 0, 1e6, "", NULL,
     "stiffness of the copies, relative to the diagonal of W; 0: 3 for tolerances down to 1e-4, 10 below"},
};

typedef struct admm {
    fil_contact_strands *strands;
    fil_strands_penalty penalty;
    double *mu, *sides;    // [blocks × 8] sides: 1 or 2
    double *w, *r;         // blocked
    double *p, *z, *force; // a value for each side
    double *impulse;       // [3 contacts] in the order of the problem
} admm;

// One contact after another: from the points p to the impulse, the copies and the forces of the next solve.
static void meet(const admm *a, int64_t place)
{
    int64_t at = place / LANES * BLOCK + place % LANES, size = BLOCK * (int64_t)a->strands->blocks;
    double rho = a->penalty.rho[place], sides = a->sides[place], arm[2][3], u[3], r[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = a->w[at + LANES * k];
        for (int side = 0; side < 2; ++side) {
            int64_t i = at + side * size + LANES * k;
            arm[side][k] =
                side < sides ? over_relaxation * a->p[i] - (over_relaxation - 1) * a->z[i] - a->r[at + LANES * k] / rho
                             : 0;
            u[k] += arm[side][k];
        }
    }
    double stiffness = rho / sides, normal = u[0] < 0 ? -stiffness * u[0] : 0;
    double slip = stiffness * sqrt(u[1] * u[1] + u[2] * u[2]), most = a->mu[place] * normal;
    double cut = slip > most ? most / slip : 1;
    r[0] = normal;
    r[1] = -stiffness * cut * u[1];
    r[2] = -stiffness * cut * u[2];
    for (int k = 0; k < 3; ++k) {
        a->r[at + LANES * k] = r[k];
        for (int side = 0; side < 2; ++side) {
            int64_t i = at + side * size + LANES * k;
            a->z[i] = side < sides ? arm[side][k] + r[k] / rho : 0;
            a->force[i] = side < sides ? rho * a->z[i] + r[k] : 0;
        }
    }
}

static void meet_all(void *data, int64_t begin, int64_t end)
{
    const admm *a = data;
    for (int64_t place = LANES * begin; place < LANES * end; ++place)
        if (a->sides[place] > 0)
            meet(a, place);
}

static fil_status make(const fil_contact_task *task, const fil_contact_strands *strands, double kappa, const double *r,
                       admm *a)
{
    const fil_contact_problem *problem = task->problem;
    int n = problem->contact_count;
    int64_t places = LANES * (int64_t)strands->blocks, size = BLOCK * (int64_t)strands->blocks;
    fil_status status = fil_contact_strands_penalty_make(strands, task->scratch, &a->penalty);
    if (status != FIL_OK)
        return status;
    double **vectors[] = {&a->mu, &a->sides, &a->w, &a->r, &a->p, &a->z, &a->force, &a->impulse};
    const int64_t sizes[] = {places, places, size, size, 2 * size, 2 * size, 2 * size, 3 * (int64_t)n};
    for (int k = 0; k < 8; ++k) {
        *vectors[k] = FIL_ARENA_ARRAY(task->scratch, double, sizes[k]);
        if (!*vectors[k])
            return FIL_NO_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        int place = fil_contact_strands_place(strands, i);
        a->mu[place] = problem->mu[i];
        a->sides[place] = problem->H.side_start[i + 1] - problem->H.side_start[i];
        a->penalty.rho[place] = strands->trace[place] > 0 ? kappa * 3 / strands->trace[place] : 0;
    }
    fil_contact_strands_block(strands, problem->w, a->w);
    fil_contact_strands_block(strands, r, a->r);
    fil_contact_strands_penalty_factor(&a->penalty);
    return FIL_OK;
}

// The copies start at the points that the impulses give: ρ z + r with z = H A⁻¹ (b + Hᵀ r).
static fil_status start_copies(admm *a, fil_arena *arena)
{
    const fil_contact_strands *S = a->strands;
    int64_t size = BLOCK * (int64_t)S->blocks;
    double *v = FIL_ARENA_ARRAY(arena, double, S->problem->A.dof_start[S->problem->A.body_count]);
    if (!v)
        return FIL_NO_MEMORY;
    fil_contact_strands_product_velocity(S, a->r, v);
    fil_contact_strands_penalty_start(&a->penalty, a->z);
    for (int64_t place = 0; place < LANES * (int64_t)S->blocks; ++place)
        for (int side = 0; side < a->sides[place]; ++side)
            for (int k = 0; k < 3; ++k) {
                int64_t at = place / LANES * BLOCK + place % LANES + LANES * k;
                a->force[at + side * size] = a->penalty.rho[place] * a->z[at + side * size] + a->r[at];
            }
    return FIL_OK;
}

static void iterate(const fil_contact_task *task, admm *a, fil_contact_watch *watch)
{
    while (!watch->stop) {
        fil_contact_strands_penalty_points(&a->penalty, a->force, a->p);
        fil_parallel_for(task->context, a->strands->blocks, block_grain, meet_all, a);
        bool spent = fil_contact_watch_count(watch, 1, 0);
        if (!spent && watch->stats->iterations % judge_period != 0)
            continue;
        fil_contact_strands_unblock(a->strands, a->r, a->impulse);
        fil_contact_watch_judge(watch, a->impulse);
    }
}

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const int64_t default_budget = 20000;
    const admm_param *setting = param;
    fil_contact_watch watch;
    admm a = {0};
    fil_status status = fil_contact_watch_make(task, stats, default_budget, &watch);
    if (status != FIL_OK)
        return status;
    watch.phase = "admm";
    if (!fil_contact_watch_judge(&watch, r)) {
        status = fil_contact_strands_make(task->context, task->scratch, task->problem, &a.strands);
        if (status != FIL_OK)
            return status;
        if (!a.strands)
            return fil_context_fail(task->context, FIL_BAD_INPUT,
                                    "admm: takes problems of strands only (see `filum info contact`)");
        double kappa = setting->kappa > 0 ? setting->kappa : task->tolerance >= 1e-4 ? 3 : 10;
        status = make(task, a.strands, kappa, r, &a);
        if (status == FIL_OK)
            status = start_copies(&a, task->scratch);
        if (status != FIL_OK)
            return status;
        iterate(task, &a, &watch);
    }
    fil_contact_watch_finish(&watch, r);
    return FIL_OK;
}

const fil_contact_type fil_contact_admm = {
    .name = "admm",
    .doc = "Alternating directions with a copy of the velocity for each side: for many contacts of strands, to 1e-6",
    .fields = fields,
    .field_count = 1,
    .param_size = sizeof(admm_param),
    .needs = 0,
    .solve = solve,
};
