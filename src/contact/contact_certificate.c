// When no impulse can keep the bodies apart.
//
// Coulomb's law needs u_N >= 0 at every contact, whatever friction does. Suppose there are y >= 0, one number per
// normal, with Wᵀ y = 0 (those impulses move nothing: the bodies are wedged between walls that close in) and q_N · y <
// 0. Then u_N · y = q_N · y + r · Wᵀ y < 0 for every r: no impulse satisfies u_N >= 0, and the problem has no solution.
// (Farkas' lemma: without such a y, some velocity with u_N >= 0 exists.)
//
// y is found by projected Gauss-Seidel on the frictionless problem 0 <= y ⊥ W_NN y + q_N >= 0. Where it has no solution
// the iterates run away along such a y; their growth over the second half of the sweeps is the candidate, and it is
// then tested against all rows of W. A candidate that passes is a proof up to rounding; no candidate proves nothing.
#include "contact/contact_certificate.h"

#include <math.h>

// The normal-normal entries of W, one in nine numbers: packed, a sweep costs a third of a pass over W.
typedef struct normals {
    int n;
    const int64_t *start;
    const int *column;
    double *value, *diagonal;
} normals;

static void pack(const fil_contact_problem *problem, normals *out)
{
    const fil_block_matrix *W = &problem->W;
    for (int i = 0; i < out->n; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            out->value[k] = W->value[9 * k];
            if (W->column[k] == i)
                out->diagonal[i] = out->value[k];
        }
}

static void sweep(const normals *W, const fil_contact_problem *problem, double *y)
{
    for (int i = 0; i < W->n; ++i) {
        double u = problem->q[3 * (int64_t)i];
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k)
            u += W->value[k] * y[W->column[k]];
        double next = W->diagonal[i] > 0 ? y[i] - u / W->diagonal[i] : u < 0 ? y[i] + 1 : 0;
        y[i] = next > 0 ? next : 0;
    }
}

// y >= 0, q_N · y clearly negative, and Wᵀ y zero to rounding against the size of the terms that cancel.
static bool proves(const fil_contact_problem *problem, const double *y, double *moved, double *terms)
{
    const double clear = 1e-9, rounding = 1e-10;
    const fil_block_matrix *W = &problem->W;
    double pressed = 0, weight = 0, most = 0;
    for (int i = 0; i < W->rows; ++i) {
        pressed += y[i] * problem->q[3 * (int64_t)i];
        weight += y[i] * fabs(problem->q[3 * (int64_t)i]);
        most = y[i] > most ? y[i] : most;
    }
    if (!(most > 0) || !(pressed < -clear * weight))
        return false;
    for (int i = 0; i < W->rows; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k)
            for (int c = 0; c < 3; ++c) {
                double term = y[i] * W->value[9 * k + 3 * c]; // row N of block (i, j)
                moved[3 * (int64_t)W->column[k] + c] += term;
                terms[3 * (int64_t)W->column[k] + c] += fabs(term);
            }
    double left = 0, total = 0;
    for (int64_t k = 0; k < 3 * (int64_t)W->rows; ++k) {
        left = fabs(moved[k]) > left ? fabs(moved[k]) : left;
        total = terms[k] > total ? terms[k] : total;
    }
    return left <= rounding * total || total == 0;
}

fil_certificate fil_contact_certificate_search(const fil_contact_problem *problem, fil_arena *scratch)
{
    const int half = 200;
    int n = problem->contact_count;
    fil_arena_mark mark = fil_arena_mark_now(scratch);
    normals W = {.n = n,
                 .start = problem->W.start,
                 .column = problem->W.column,
                 .value = FIL_ARENA_ARRAY(scratch, double, problem->W.start[n]),
                 .diagonal = FIL_ARENA_ARRAY(scratch, double, n)};
    double *y = FIL_ARENA_ARRAY(scratch, double, n), *growth = FIL_ARENA_ARRAY(scratch, double, n);
    double *moved = FIL_ARENA_ARRAY(scratch, double, 3 * (int64_t)n);
    double *terms = FIL_ARENA_ARRAY(scratch, double, 3 * (int64_t)n);
    fil_certificate found = FIL_CERTIFICATE_NO_MEMORY;
    if (W.value && W.diagonal && y && growth && moved && terms) {
        pack(problem, &W);
        for (int k = 0; k < half; ++k)
            sweep(&W, problem, y);
        for (int i = 0; i < n; ++i)
            growth[i] = -y[i];
        for (int k = 0; k < half; ++k)
            sweep(&W, problem, y);
        for (int i = 0; i < n; ++i)
            growth[i] = growth[i] + y[i] > 0 ? growth[i] + y[i] : 0;
        found = proves(problem, growth, moved, terms) ? FIL_CERTIFICATE_FOUND : FIL_CERTIFICATE_NONE;
    }
    fil_arena_rewind(scratch, mark);
    return found;
}
