// One Newton step for F(r, W r + q) = 0, F one of the maps of contact_map.c at every contact:
//
//   [A + B (W + lambda diag(1/rho_i))] dr = -F,    A = dF/dr, B = dF/du block-diagonal,  rho_i = 3 / tr W_ii
//
// lambda is the proximal term (contact_proximal.c). Everything is in the units of the problem: rho makes F an impulse,
// so the rows are near 1 whatever the units. Contacts that take off have A = I and B = 0: their step is -F_i, and they
// leave the matrix. The pattern of what is left is analysed again only when the set of such contacts changes.
#include "contact/contact_linearise.h"

#include "contact/contact_block.h"
#include "contact/local/local.h"

#include <string.h>

fil_status fil_linearisation_make(fil_contact_watch *watch, fil_arena *arena, fil_linearisation *out)
{
    const fil_contact_problem *problem = watch->task->problem;
    const fil_block_matrix *W = &problem->W;
    int64_t n = W->rows, blocks = W->start[n];
    if (n > FIL_LINEARISATION_LARGEST)
        return fil_context_fail(watch->task->context, FIL_BAD_INPUT,
                                "Newton methods factor a matrix and take at most %d contacts (got %d): use auto or gs",
                                FIL_LINEARISATION_LARGEST, W->rows);
    *out = (fil_linearisation){
        .problem = problem,
        .op = &watch->op,
        .rho = FIL_ARENA_ARRAY(arena, double, n),
        .u = FIL_ARENA_ARRAY(arena, double, 3 * n),
        .F = FIL_ARENA_ARRAY(arena, double, 3 * n),
        .A = FIL_ARENA_ARRAY(arena, double, 9 * n),
        .B = FIL_ARENA_ARRAY(arena, double, 9 * n),
        .active = FIL_ARENA_ARRAY(arena, int, n),
        .position = FIL_ARENA_ARRAY(arena, int, n),
        .analysed_active = FIL_ARENA_ARRAY(arena, int, n),
        .start = FIL_ARENA_ARRAY(arena, int64_t, n + 1),
        .column = FIL_ARENA_ARRAY(arena, int, blocks),
        .value = FIL_ARENA_ARRAY(arena, double, 9 * blocks + 4),
        .rhs = FIL_ARENA_ARRAY(arena, double, 3 * n),
    };
    bool complete = out->rho && out->u && out->F && out->A && out->B && out->active && out->position &&
                    out->analysed_active && out->start && out->column && out->value && out->rhs;
    if (!complete)
        return FIL_NO_MEMORY;
    for (int i = 0; i < n; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k)
            if (W->column[k] == i)
                out->rho[i] = fil_local_rho(W->value + 9 * k);
    return fil_block_lu_make(arena, (int)n, &out->lu);
}

double fil_linearisation_evaluate(fil_linearisation *lin, fil_map map, const double *r, bool jacobian)
{
    const fil_contact_problem *problem = lin->problem;
    fil_contact_operator_apply(lin->op, r, lin->u);
    double square = 0;
    for (int64_t i = 0; i < problem->contact_count; ++i) {
        double *F = lin->F + 3 * i;
        fil_contact_map(map, problem->mu[i], lin->rho[i], r + 3 * i, lin->u + 3 * i, F,
                        jacobian ? lin->A + 9 * i : NULL, jacobian ? lin->B + 9 * i : NULL);
        square += fil_vec3_dot(F, F);
    }
    lin->square = square;
    return square;
}

static bool is_zero(const double M[9])
{
    for (int k = 0; k < 9; ++k)
        if (M[k] != 0)
            return false;
    return true;
}

// Splits the contacts; true when the active ones are those of the last analysis.
static bool choose_active(fil_linearisation *lin)
{
    int count = 0;
    for (int i = 0; i < lin->problem->contact_count; ++i) {
        bool eliminated = is_zero(lin->B + 9 * (int64_t)i);
        lin->position[i] = eliminated ? -1 : count;
        if (!eliminated)
            lin->active[count++] = i;
    }
    lin->active_count = count;
    return lin->analysed && count == lin->analysed_count &&
           memcmp(lin->active, lin->analysed_active, (size_t)count * sizeof *lin->active) == 0;
}

// Rows of the active contacts: value = B_i W_ij (+ A_i + lambda/rho_i B_i on the diagonal), rhs = -F_i - B_i W_ij dr_j
// of the eliminated.
static void assemble(fil_linearisation *lin, double lambda, const double *dr)
{
    const fil_block_matrix *W = &lin->problem->W;
    int64_t count = 0;
    for (int row = 0; row < lin->active_count; ++row) {
        int i = lin->active[row];
        const double *A = lin->A + 9 * (int64_t)i, *B = lin->B + 9 * (int64_t)i;
        double extra[3] = {0, 0, 0};
        lin->start[row] = count;
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            int j = W->column[k];
            if (lin->position[j] < 0) {
                fil_mat3_add_vector(W->value + 9 * k, dr + 3 * (int64_t)j, extra);
                continue;
            }
            double *target = lin->value + 9 * count;
            fil_mat3_multiply(B, W->value + 9 * k, target);
            if (j == i)
                for (int m = 0; m < 9; ++m)
                    target[m] += A[m] + lambda / lin->rho[i] * B[m];
            lin->column[count++] = lin->position[j];
        }
        double *rhs = lin->rhs + 3 * (int64_t)row, known[3];
        fil_mat3_multiply_vector(B, extra, known);
        for (int m = 0; m < 3; ++m)
            rhs[m] = -lin->F[3 * (int64_t)i + m] - known[m];
    }
    lin->start[lin->active_count] = count;
}

// Chooses the active contacts, fills the matrix, and finds its ordering and fill when they are new.
static fil_status prepare(fil_linearisation *lin, double lambda, double *dr)
{
    bool same = choose_active(lin);
    for (int64_t i = 0; i < lin->problem->contact_count; ++i)
        for (int m = 0; m < 3; ++m)
            dr[3 * i + m] = lin->position[i] < 0 ? -lin->F[3 * i + m] : 0;
    assemble(lin, lambda, dr);
    if (same)
        return FIL_OK;
    fil_status status = fil_block_lu_analyse(&lin->lu, lin->active_count, lin->start, lin->column);
    lin->analysed = status == FIL_OK;
    lin->analysed_count = lin->active_count;
    memcpy(lin->analysed_active, lin->active, (size_t)lin->active_count * sizeof *lin->active);
    return status;
}

double fil_linearisation_work(fil_linearisation *lin, double *dr)
{
    return prepare(lin, 1, dr) == FIL_OK ? fil_block_lu_work(&lin->lu) : INFINITY;
}

int fil_linearisation_step(fil_linearisation *lin, double lambda, double *dr)
{
    if (prepare(lin, lambda, dr) != FIL_OK)
        return -1;
    if (!fil_block_lu_factor(&lin->lu, lin->start, lin->column, lin->value))
        return 1;
    fil_block_lu_solve(&lin->lu, lin->rhs);
    for (int row = 0; row < lin->active_count; ++row)
        for (int m = 0; m < 3; ++m) {
            double step = lin->rhs[3 * (int64_t)row + m];
            if (!(fabs(step) < INFINITY))
                return 1;
            dr[3 * (int64_t)lin->active[row] + m] = step;
        }
    return 0;
}
