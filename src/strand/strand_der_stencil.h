// Second derivatives of `der` at one vertex: a stencil in edges and angles, its clamp, and where it goes in the band.
// Part of strand_der.c.
#ifndef FIL_STRAND_DER_STENCIL_H
#define FIL_STRAND_DER_STENCIL_H

#include "math/semidefinite.h"
#include "math/simd.h"
#include "strand/strand.h"

enum { DOFS = 4, BANDWIDTH = 10 };

// Second derivatives of a joint by edges and angles; ee and ff hold 6 numbers (00 10 20 11 21 22), ef holds 9 by rows.
typedef struct stencil {
    fil_v4 ee[6], ff[6], ef[9];
    fil_w3 e_te, e_tf, f_te, f_tf; // mixed with the angles
    fil_v4 te_te, te_tf, tf_tf;
} stencil;

static inline void add_number(double *place, fil_v4 a)
{
    fil_v4_store(place, fil_v4_load(place) + a);
}

static inline fil_v4 half_at(const fil_v4 H[6], int row, int column)
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    return H[place[row][column]];
}

static inline fil_v4 component(const fil_w3 *a, int k)
{
    return k == 0 ? a->x : k == 1 ? a->y : a->z;
}

// The exact clamp of the 11 × 11 stencil. Translations are no part of it; an orthonormal basis of the rest is
// u = (x2 - x0) / √2 and w = (x0 - 2 x1 + x2) / √6, with e = p u - r w, f = p u + r w.
static void clamp_stencil(stencil *S)
{
    enum { N = 8 };
    const double p = 0.70710678118654752, r = 1.2247448713915890, a = p, b = 0.40824829046386302;
    fil_v4 A[N * N];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            fil_v4 ee = half_at(S->ee, i, k), ff = half_at(S->ff, i, k), ef = S->ef[3 * i + k], fe = S->ef[3 * k + i];
            A[N * i + k] = p * p * (ee + ff + ef + fe);
            A[N * (3 + i) + 3 + k] = r * r * (ee + ff - ef - fe);
            A[N * i + 3 + k] = A[N * (3 + k) + i] = p * r * (ff - ee + ef - fe);
        }
        fil_v4 e_te = component(&S->e_te, i), f_te = component(&S->f_te, i);
        fil_v4 e_tf = component(&S->e_tf, i), f_tf = component(&S->f_tf, i);
        A[N * i + 6] = A[N * 6 + i] = p * (e_te + f_te);
        A[N * i + 7] = A[N * 7 + i] = p * (e_tf + f_tf);
        A[N * (3 + i) + 6] = A[N * 6 + 3 + i] = r * (f_te - e_te);
        A[N * (3 + i) + 7] = A[N * 7 + 3 + i] = r * (f_tf - e_tf);
    }
    A[N * 6 + 6] = S->te_te, A[N * 7 + 7] = S->tf_tf, A[N * 6 + 7] = A[N * 7 + 6] = S->te_tf;
    fil_semidefinite_clamp(N, A);
    static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 0, 0, 1, 1, 2};
    for (int h = 0; h < 6; ++h) {
        int i = row[h], k = column[h];
        fil_v4 uu = a * a * A[N * i + k], ww = b * b * A[N * (3 + i) + 3 + k];
        fil_v4 cross = a * b * (A[N * i + 3 + k] + A[N * k + 3 + i]);
        S->ee[h] = uu + ww - cross;
        S->ff[h] = uu + ww + cross;
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            S->ef[3 * i + k] =
                a * a * A[N * i + k] - b * b * A[N * (3 + i) + 3 + k] + a * b * (A[N * i + 3 + k] - A[N * (3 + i) + k]);
    for (int t = 0; t < 2; ++t) {
        const fil_v4 *row_of = A + (ptrdiff_t)N * (6 + t);
        fil_w3 u = {a * row_of[0], a * row_of[1], a * row_of[2]}, w = {b * row_of[3], b * row_of[4], b * row_of[5]};
        *(t == 0 ? &S->e_te : &S->e_tf) = fil_w3_subtract(u, w);
        *(t == 0 ? &S->f_te : &S->f_tf) = fil_w3_add(u, w);
    }
    S->te_te = A[N * 6 + 6], S->tf_tf = A[N * 7 + 7], S->te_tf = A[N * 6 + 7];
}

// Places in the band: column j, k below the diagonal.
static inline double *place(double *band, int column, int k)
{
    return band + ((ptrdiff_t)column * (BANDWIDTH + 1) + k) * FIL_LANES;
}

static inline void add_diagonal_block(double *band, int vertex, const fil_v4 H[6])
{
    double *c0 = place(band, DOFS * vertex, 0), *c1 = place(band, DOFS * vertex + 1, 0);
    double *c2 = place(band, DOFS * vertex + 2, 0);
    add_number(c0, H[0]), add_number(c0 + FIL_LANES, H[1]), add_number(c0 + 2 * FIL_LANES, H[2]);
    add_number(c1, H[3]), add_number(c1 + FIL_LANES, H[4]), add_number(c2, H[5]);
}

// Rows of the vertex `apart` further, columns of `vertex`: the block H by rows.
static inline void add_lower_block(double *band, int vertex, int apart, const fil_v4 H[9])
{
    for (int column = 0; column < 3; ++column)
        for (int row = 0; row < 3; ++row)
            add_number(place(band, DOFS * vertex + column, DOFS * apart + row - column), H[3 * row + column]);
}

// The row of an angle that comes `apart` vertices behind `vertex`, columns of that vertex.
static inline void add_angle_row(double *band, int vertex, int apart, fil_w3 h)
{
    add_number(place(band, DOFS * vertex, DOFS * apart + 3), h.x);
    add_number(place(band, DOFS * vertex + 1, DOFS * apart + 2), h.y);
    add_number(place(band, DOFS * vertex + 2, DOFS * apart + 1), h.z);
}

// The column of the angle at `vertex`, rows of the vertex `apart` further.
static inline void add_angle_column(double *band, int vertex, int apart, fil_w3 h)
{
    double *c = place(band, DOFS * vertex + 3, DOFS * apart - 3);
    add_number(c, h.x), add_number(c + FIL_LANES, h.y), add_number(c + 2 * FIL_LANES, h.z);
}

// From edges to vertices: e = x1 - x0, f = x2 - x1; `vertex` is x0.
static inline void add_stencil(double *band, int vertex, const stencil *S)
{
    fil_v4 middle[6], lower01[9], lower12[9], lower02[9];
    static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 0, 0, 1, 1, 2};
    for (int h = 0; h < 6; ++h)
        middle[h] = S->ee[h] + S->ff[h] - S->ef[3 * row[h] + column[h]] - S->ef[3 * column[h] + row[h]];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            fil_v4 fe = S->ef[3 * k + i]; // row f_i, column e_k
            lower01[3 * i + k] = fe - half_at(S->ee, i, k);
            lower12[3 * i + k] = fe - half_at(S->ff, i, k);
            lower02[3 * i + k] = -fe;
        }
    // Row x2, column x1 holds f_i against e_k - f_k.
    add_diagonal_block(band, vertex, S->ee);
    add_diagonal_block(band, vertex + 1, middle);
    add_diagonal_block(band, vertex + 2, S->ff);
    add_lower_block(band, vertex, 1, lower01);
    add_lower_block(band, vertex + 1, 1, lower12);
    add_lower_block(band, vertex, 2, lower02);
    fil_w3 zero = {{0}, {0}, {0}};
    add_angle_row(band, vertex, 0, fil_w3_subtract(zero, S->e_te));
    add_angle_column(band, vertex, 1, fil_w3_subtract(S->e_te, S->f_te));
    add_angle_column(band, vertex, 2, S->f_te);
    add_angle_row(band, vertex, 1, fil_w3_subtract(zero, S->e_tf));
    add_angle_row(band, vertex + 1, 0, fil_w3_subtract(S->e_tf, S->f_tf));
    add_angle_column(band, vertex + 1, 1, S->f_tf);
    add_number(place(band, DOFS * vertex + 3, 0), S->te_te);
    add_number(place(band, DOFS * (vertex + 1) + 3, 0), S->tf_tf);
    add_number(place(band, DOFS * vertex + 3, DOFS), S->te_tf);
}

// Edge alone: the stretch of the last one.
static inline void add_edge_hessian(double *band, int vertex, const fil_v4 H[6])
{
    fil_v4 lower[9];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            lower[3 * i + k] = -half_at(H, i, k);
    add_diagonal_block(band, vertex, H);
    add_diagonal_block(band, vertex + 1, H);
    add_lower_block(band, vertex, 1, lower);
}

#endif
