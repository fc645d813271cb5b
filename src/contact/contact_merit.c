// One judge for all solvers. With ũ = u + mu |u_T| e and K the friction cone:
//
//   natural  |r - P_K(r - rho ũ)| / (rho |q|),  rho = 1 / mean diagonal of W       free of units
//   fclib    |r - P_K(r - ũ)| / (1 + |q|)                                         as FCLIB and Siconos measure
//   fb       max_i |F_FB(r_i, u_i)|_inf with rho = 1                               as [Daviet11, 6.2] measures
//
// Norms are Euclidean over all contacts. A non-finite impulse has an infinite residual. Sums run in a fixed order.
#include "contact/contact_merit.h"

#include "base/parallel.h"
#include "contact/contact_map.h"
#include "math/cone.h"
#include "math/mat3.h"

enum { GRAIN = 4096 };

// q: the velocity without impulses.
static fil_status find_free_velocity(const fil_contact_operator *op, fil_arena *arena, const double **q)
{
    const int64_t size = 3 * (int64_t)op->problem->contact_count;
    *q = op->problem->q;
    if (!op->matrix_free)
        return FIL_OK;
    double *zero = FIL_ARENA_ARRAY(arena, double, size), *u = FIL_ARENA_RAW(arena, double, size);
    if (!zero || !u)
        return FIL_NO_MEMORY;
    fil_contact_operator_apply(op, zero, u);
    *q = u;
    return FIL_OK;
}

fil_status fil_contact_merit_make(const fil_contact_operator *op, fil_arena *arena, fil_contact_merit *out)
{
    int n = op->problem->contact_count;
    *out =
        (fil_contact_merit){.rho = 1, .context = op->context, .partial = FIL_ARENA_ARRAY(arena, double, n / GRAIN + 1)};
    if (!out->partial)
        return FIL_NO_MEMORY;
    fil_arena_mark mark = fil_arena_mark_now(arena);
    double *trace = FIL_ARENA_RAW(arena, double, n), sum = 0, square = 0;
    fil_status status = trace ? fil_contact_operator_diagonal(op, arena, trace) : FIL_NO_MEMORY;
    const double *q = NULL;
    if (status == FIL_OK)
        status = find_free_velocity(op, arena, &q);
    if (status == FIL_OK) {
        for (int i = 0; i < n; ++i)
            sum += trace[i];
        if (sum > 0 && 3.0 * n / sum < INFINITY)
            out->rho = 3.0 * n / sum;
        for (int64_t k = 0; k < 3 * (int64_t)n; ++k)
            square += q[k] * q[k];
        out->norm_q = sqrt(square);
    }
    fil_arena_rewind(arena, mark);
    return status;
}

typedef struct natural_job {
    const fil_contact_problem *problem;
    double rho;
    const double *r, *u;
    double *partial;
} natural_job;

static void add_natural(void *data, int64_t begin, int64_t end)
{
    const natural_job *job = data;
    double square = 0;
    for (int64_t i = begin; i < end; ++i)
        square += fil_cone_natural(job->problem->mu[i], job->rho, job->r + 3 * i, job->u + 3 * i);
    job->partial[begin / GRAIN] = square;
}

static double natural_norm(const fil_contact_merit *merit, const fil_contact_problem *problem, double rho,
                           const double *r, const double *u)
{
    natural_job job = {.problem = problem, .rho = rho, .r = r, .u = u, .partial = merit->partial};
    fil_parallel_for(merit->context, problem->contact_count, GRAIN, add_natural, &job);
    double square = 0;
    for (int range = 0; range * (int64_t)GRAIN < problem->contact_count; ++range)
        square += merit->partial[range];
    return sqrt(square);
}

static double fischer_burmeister(const fil_contact_problem *problem, const double *r, const double *u)
{
    double most = 0;
    for (int64_t i = 0; i < problem->contact_count; ++i) {
        double F[3];
        fil_contact_map(FIL_MAP_FB, problem->mu[i], 1, r + 3 * i, u + 3 * i, F, NULL, NULL);
        for (int k = 0; k < 3; ++k) {
            double size = fabs(F[k]);
            if (!(size <= most)) // a NaN counts as infinite
                most = size < INFINITY ? size : INFINITY;
        }
    }
    return most;
}

double fil_contact_merit_of(const fil_contact_merit *merit, fil_merit kind, const fil_contact_problem *problem,
                            const double *r, const double *u)
{
    double value = 0;
    if (kind == FIL_MERIT_NATURAL) {
        double scale = merit->rho * merit->norm_q;
        value = natural_norm(merit, problem, merit->rho, r, u) / (scale > 0 ? scale : 1);
    } else if (kind == FIL_MERIT_FCLIB) {
        value = natural_norm(merit, problem, 1, r, u) / (1 + merit->norm_q);
    } else {
        value = fischer_burmeister(problem, r, u);
    }
    return isnan(value) ? INFINITY : value;
}
