// Second derivatives of an energy by two or three successive edges of a strand, four strands at once. See stencil.c.
//
// Symmetric 3×3 matrices are stored as xx xy xz yy yz zz, general ones by rows.
#ifndef FIL_STRAND_STENCIL_H
#define FIL_STRAND_STENCIL_H

#include "strand/angle.h"

// Of the edges e, f and g; with two edges, of e and f.
typedef struct fil_stencil {
    fil_v4 ee[6], ff[6], gg[6], ef[9], fg[9], eg[9];
} fil_stencil;

// Where row r, column c of a symmetric 3×3 matrix is.
static const int fil_stencil_place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

// Removes the negative part as seen by the vertices.
void fil_stencil_clamp(int edges, fil_stencil *blocks);

// A += s a aᵀ, symmetric
static inline void fil_stencil_add_square(fil_v4 *A, fil_v4 s, fil_w3 a)
{
    fil_w3 b = fil_w3_scale(s, a);
    A[0] += b.x * a.x;
    A[1] += b.x * a.y;
    A[2] += b.x * a.z;
    A[3] += b.y * a.y;
    A[4] += b.y * a.z;
    A[5] += b.z * a.z;
}

// A += a bᵀ + b aᵀ, symmetric
static inline void fil_stencil_add_symmetric(fil_v4 *A, fil_w3 a, fil_w3 b)
{
    A[0] += 2.0 * a.x * b.x;
    A[1] += a.x * b.y + a.y * b.x;
    A[2] += a.x * b.z + a.z * b.x;
    A[3] += 2.0 * a.y * b.y;
    A[4] += a.y * b.z + a.z * b.y;
    A[5] += 2.0 * a.z * b.z;
}

// A += s (I - a aᵀ), symmetric
static inline void fil_stencil_add_projection(fil_v4 *A, fil_v4 s, fil_w3 a)
{
    A[0] += s;
    A[3] += s;
    A[5] += s;
    fil_stencil_add_square(A, -s, a);
}

// A += a bᵀ, general
static inline void fil_stencil_add_product(fil_v4 *A, fil_w3 a, fil_w3 b)
{
    A[0] += a.x * b.x;
    A[1] += a.x * b.y;
    A[2] += a.x * b.z;
    A[3] += a.y * b.x;
    A[4] += a.y * b.y;
    A[5] += a.y * b.z;
    A[6] += a.z * b.x;
    A[7] += a.z * b.y;
    A[8] += a.z * b.z;
}

static inline void fil_stencil_add(int count, fil_v4 *sum, const fil_v4 *blocks)
{
    for (int k = 0; k < count; ++k)
        sum[k] += blocks[k];
}

// Blocks of two edges from the coefficients of angle.h: (t, r) and (u, s) are the directions of the plane at either, n
// is the one out of it.
static inline void fil_stencil_from_plane(const fil_angle_plane *c, const fil_angle_normal *d, fil_w3 t, fil_w3 r,
                                          fil_w3 u, fil_w3 s, fil_w3 n, fil_v4 *ee, fil_v4 *ef, fil_v4 *ff)
{
    fil_v4 zero = fil_v4_all(0);
    for (int k = 0; k < 6; ++k)
        ee[k] = ff[k] = zero;
    for (int k = 0; k < 9; ++k)
        ef[k] = zero;
    fil_stencil_add_symmetric(ee, t, fil_w3_add_scaled(fil_w3_scale(0.5 * c->ee_tt, t), c->ee_tr, r));
    fil_stencil_add_square(ee, c->ee_rr, r);
    fil_stencil_add_square(ee, d->ee, n);
    fil_stencil_add_symmetric(ff, u, fil_w3_add_scaled(fil_w3_scale(0.5 * c->ff_tt, u), c->ff_tr, s));
    fil_stencil_add_square(ff, c->ff_rr, s);
    fil_stencil_add_square(ff, d->ff, n);
    fil_stencil_add_product(ef, t, fil_w3_add_scaled(fil_w3_scale(c->ef_tt, u), c->ef_tr, s));
    fil_stencil_add_product(ef, r, fil_w3_add_scaled(fil_w3_scale(c->ef_rt, u), c->ef_rr, s));
    fil_stencil_add_product(ef, fil_w3_scale(d->ef, n), n);
}

// All blocks += a bᵀ + b aᵀ; a and b have a part for each of the three edges.
static inline void fil_stencil_add_pair(fil_stencil *K, const fil_w3 a[3], const fil_w3 b[3])
{
    fil_stencil_add_symmetric(K->ee, a[0], b[0]);
    fil_stencil_add_symmetric(K->ff, a[1], b[1]);
    fil_stencil_add_symmetric(K->gg, a[2], b[2]);
    fil_stencil_add_product(K->ef, a[0], b[1]);
    fil_stencil_add_product(K->ef, b[0], a[1]);
    fil_stencil_add_product(K->fg, a[1], b[2]);
    fil_stencil_add_product(K->fg, b[1], a[2]);
    fil_stencil_add_product(K->eg, a[0], b[2]);
    fil_stencil_add_product(K->eg, b[0], a[2]);
}

#endif
