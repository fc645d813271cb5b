// Vectors of 3 and 3×3 matrices stored by columns: M(row, col) = M[row + 3 col].
#ifndef FIL_MATH_MAT3_H
#define FIL_MATH_MAT3_H

#include <math.h>
#include <stdbool.h>

static inline double fil_vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double fil_vec3_norm(const double a[3])
{
    return sqrt(fil_vec3_dot(a, a));
}

static inline void fil_vec3_cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// Makes a a unit vector and returns how long it was; 0: it stays as it is.
static inline double fil_vec3_normalise(double a[3])
{
    double length = fil_vec3_norm(a);
    for (int k = 0; k < 3 && length > 0; ++k)
        a[k] /= length;
    return length;
}

// y = M x
static inline void fil_mat3_multiply_vector(const double M[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i)
        y[i] = M[i] * x[0] + M[i + 3] * x[1] + M[i + 6] * x[2];
}

// y += M x
static inline void fil_mat3_add_vector(const double M[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i)
        y[i] += M[i] * x[0] + M[i + 3] * x[1] + M[i + 6] * x[2];
}

// y += Mᵀ x
static inline void fil_mat3_add_transposed_vector(const double M[9], const double x[3], double y[3])
{
    for (int j = 0; j < 3; ++j)
        y[j] += M[3 * j] * x[0] + M[3 * j + 1] * x[1] + M[3 * j + 2] * x[2];
}

// C = A B
static inline void fil_mat3_multiply(const double A[9], const double B[9], double C[9])
{
    for (int j = 0; j < 3; ++j)
        fil_mat3_multiply_vector(A, B + 3 * j, C + 3 * j);
}

// N = adj(M), so that M N = det(M) I; returns det(M).
static inline double fil_mat3_adjugate(const double M[9], double N[9])
{
    N[0] = M[4] * M[8] - M[7] * M[5];
    N[1] = M[7] * M[2] - M[1] * M[8];
    N[2] = M[1] * M[5] - M[4] * M[2];
    N[3] = M[6] * M[5] - M[3] * M[8];
    N[4] = M[0] * M[8] - M[6] * M[2];
    N[5] = M[3] * M[2] - M[0] * M[5];
    N[6] = M[3] * M[7] - M[6] * M[4];
    N[7] = M[6] * M[1] - M[0] * M[7];
    N[8] = M[0] * M[4] - M[3] * M[1];
    return M[0] * N[0] + M[3] * N[1] + M[6] * N[2];
}

// Solves M x = y by elimination with complete pivoting; directions whose pivot is below `small` times the largest entry
// get zero (a least-effort solution of a singular system). Returns the number of pivots used.
int fil_mat3_solve_pivoted(const double M[9], const double y[3], double small, double x[3]);

// In place inverse with partial pivoting; false when a pivot is not above `small` times the largest entry.
bool fil_mat3_invert(double M[9], double small);

#endif
