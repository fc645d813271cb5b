// One judge for all solvers. With ũ = u + mu |u_T| e and K the friction cone:
//
//   natural  |r - P_K(r - rho ũ)| / (rho |q|),  rho = 1 / mean diagonal of W       free of units
//   fclib    |r - P_K(r - ũ)| / (1 + |q|)                                         as FCLIB and Siconos measure
//   fb       max_i |F_FB(r_i, u_i)|_inf with rho = 1                               as [Daviet11, 6.2] measures
//
// Norms are Euclidean over all contacts. A non-finite impulse has an infinite residual. Sums run in a fixed order.
#include "contact/contact_merit.h"

#include "contact/contact_map.h"
#include "math/cone.h"
#include "math/mat3.h"

#include <string.h>

// Adds row k of one side to a column of Hᵀ; returns its first non-zero.
static int add_row(const fil_contact_jacobian *H, int side, int k, double *column)
{
    for (int d = 0; d < H->dof_count[side]; ++d)
        column[H->first_dof[side] + d] += H->value[H->value_start[side] + 3 * d + k];
    return H->first_dof[side];
}

// The sum of the diagonal of W from the primal view: that of |L⁻¹ hᵀ|² over the bodies of a contact. Sides on the same
// body act together.
static fil_status diagonal_sum_matrix_free(const fil_contact_operator *op, fil_arena *arena, double *sum)
{
    const fil_contact_problem *problem = op->problem;
    const fil_contact_jacobian *H = &problem->H;
    int most = 0;
    for (int body = 0; body < problem->A.body_count; ++body) {
        int dofs = problem->A.dof_start[body + 1] - problem->A.dof_start[body];
        most = dofs > most ? dofs : most;
    }
    double *column = FIL_ARENA_ARRAY(arena, double, most);
    if (!column)
        return FIL_NO_MEMORY;
    *sum = 0;
    for (int side = 0; side < H->side_start[problem->contact_count]; ++side)
        for (int k = 0; k < 3; ++k) {
            int i = op->side_contact[side], body = H->body[side];
            int dofs = problem->A.dof_start[body + 1] - problem->A.dof_start[body], first = dofs;
            bool counted = false;
            for (int other = H->side_start[i]; other < side; ++other)
                counted |= H->body[other] == body;
            if (counted)
                continue;
            memset(column, 0, (size_t)dofs * sizeof *column);
            for (int other = side; other < H->side_start[i + 1]; ++other)
                if (H->body[other] == body) {
                    int begin = add_row(H, other, k, column);
                    first = begin < first ? begin : first;
                }
            fil_system_forward(&op->system, body, first, column);
            for (int d = first; d < dofs; ++d)
                *sum += column[d] * column[d];
        }
    return FIL_OK;
}

static double diagonal_sum_strands(const fil_contact_strands *strands)
{
    double sum = 0;
    for (int64_t i = 0; i < FIL_STRANDS_LANES * (int64_t)strands->blocks; ++i)
        sum += strands->trace[i];
    return sum;
}

static double diagonal_sum_dual(const fil_block_matrix *W)
{
    double sum = 0;
    for (int i = 0; i < W->rows; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k)
            if (W->column[k] == i)
                sum += W->value[9 * k] + W->value[9 * k + 4] + W->value[9 * k + 8];
    return sum;
}

fil_status fil_contact_merit_make(const fil_contact_operator *op, fil_arena *arena, fil_contact_merit *out)
{
    int n = op->problem->contact_count;
    *out = (fil_contact_merit){.rho = 1};
    fil_arena_mark mark = fil_arena_mark_now(arena);
    double *zero = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)n), *q = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)n);
    fil_status status = zero && q ? FIL_OK : FIL_NO_MEMORY;
    double sum = 0;
    if (status == FIL_OK && op->strands)
        sum = diagonal_sum_strands(op->strands);
    else if (status == FIL_OK && op->matrix_free)
        status = diagonal_sum_matrix_free(op, arena, &sum);
    else if (status == FIL_OK)
        sum = diagonal_sum_dual(&op->problem->W);
    if (status == FIL_OK) {
        if (sum > 0 && 3.0 * n / sum < INFINITY)
            out->rho = 3.0 * n / sum;
        fil_contact_operator_apply(op, zero, q);
        double square = 0;
        for (int64_t k = 0; k < 3 * (int64_t)n; ++k)
            square += q[k] * q[k];
        out->norm_q = sqrt(square);
    }
    fil_arena_rewind(arena, mark);
    return status;
}

static double natural_norm(const fil_contact_problem *problem, double rho, const double *r, const double *u)
{
    double square = 0;
    for (int64_t i = 0; i < problem->contact_count; ++i)
        square += fil_cone_natural(problem->mu[i], rho, r + 3 * i, u + 3 * i);
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
        value = natural_norm(problem, merit->rho, r, u) / (scale > 0 ? scale : 1);
    } else if (kind == FIL_MERIT_FCLIB) {
        value = natural_norm(problem, 1, r, u) / (1 + merit->norm_q);
    } else {
        value = fischer_burmeister(problem, r, u);
    }
    return isnan(value) ? INFINITY : value;
}
