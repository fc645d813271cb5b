// Rods as the authors of [Shi23] computed them: `der` with two curvatures per vertex, κ1 and κ2, the components of κb
// along the mean of the axes of both edges. `der` itself takes the axes of each edge, four curvatures per vertex. The
// energies agree to second order; Gauss-Newton, which lives on the number of strains, does not.
//
// Gradient and the two Gauss-Newton Hessians only, a lane at a time: slow and plain.
#ifndef FIL_EXPERIMENT_MEAN_AXES_H
#define FIL_EXPERIMENT_MEAN_AXES_H

#include "math/mat3.h"
#include "strand/strand.h"

#include <math.h>

// How strand_der.c lays out a vertex.
enum { MEAN_DOFS = 4, MEAN_BANDWIDTH = 10, MEAN_NUMBERS = 6, MEAN_FRAME = 4, MEAN_STENCIL = 11 };
enum { MEAN_STRETCH, MEAN_BEND, MEAN_TWIST = 5 }; // constants; strains begin with the length

typedef struct mean_edge {
    double t[3], m1[3], m2[3], length;
} mean_edge;

static inline mean_edge mean_edge_at(const double *q, const double *frame, int i, int lane)
{
    mean_edge e;
    const double *x = q + (ptrdiff_t)i * MEAN_DOFS * FIL_LANES + lane;
    const double *axis = frame + (ptrdiff_t)i * MEAN_FRAME * FIL_LANES + lane;
    double d1[3], d2[3], angle = x[3 * FIL_LANES];
    for (int k = 0; k < 3; ++k) {
        e.t[k] = x[(ptrdiff_t)(MEAN_DOFS + k) * FIL_LANES] - x[(ptrdiff_t)k * FIL_LANES];
        d1[k] = axis[(ptrdiff_t)k * FIL_LANES];
    }
    e.length = fil_vec3_norm(e.t);
    for (int k = 0; k < 3; ++k)
        e.t[k] /= e.length;
    fil_vec3_cross(e.t, d1, d2);
    for (int k = 0; k < 3; ++k) {
        e.m1[k] = cos(angle) * d1[k] + sin(angle) * d2[k];
        e.m2[k] = cos(angle) * d2[k] - sin(angle) * d1[k];
    }
    return e;
}

// What a strain at a vertex adds: its derivatives by the edges and angles before and behind, in the order of unknowns.
typedef struct mean_strain {
    double by[MEAN_STENCIL], stress, stiffness;
} mean_strain;

static inline void mean_fill(const double by_e[3], const double by_f[3], double by_angle_e, double by_angle_f,
                             mean_strain *out)
{
    for (int k = 0; k < 3; ++k) {
        out->by[k] = -by_e[k];
        out->by[MEAN_DOFS + k] = by_e[k] - by_f[k];
        out->by[2 * MEAN_DOFS + k] = by_f[k];
    }
    out->by[3] = by_angle_e;
    out->by[MEAN_DOFS + 3] = by_angle_f;
}

// Adds a strain of the stencil that begins at `vertex`.
static inline void mean_add(const mean_strain *s, int vertex, int lane, double *gradient, double *band)
{
    for (int column = 0; column < MEAN_STENCIL; ++column) {
        ptrdiff_t j = (ptrdiff_t)vertex * MEAN_DOFS + column;
        gradient[j * FIL_LANES + lane] += s->stress * s->by[column];
        for (int row = column; row < MEAN_STENCIL && band; ++row)
            band[(j * (MEAN_BANDWIDTH + 1) + row - column) * FIL_LANES + lane] +=
                s->stiffness * s->by[row] * s->by[column];
    }
}

// Bend and twist at a vertex between the edges e and f.
static inline double mean_joint(const mean_edge *e, const mean_edge *f, const double *constants, const double *strain,
                                double twist, int vertex, int lane, double *gradient, double *band)
{
    double kb[3], tilde[3], chi = fmax(1 + fil_vec3_dot(e->t, f->t), 1e-10), energy = 0;
    mean_strain s;
    fil_vec3_cross(e->t, f->t, kb);
    for (int k = 0; k < 3; ++k) {
        kb[k] *= 2 / chi;
        tilde[k] = (e->t[k] + f->t[k]) / chi;
    }
    for (int axis = 0; axis < 2; ++axis) {
        const double *me = axis == 0 ? e->m1 : e->m2, *mf = axis == 0 ? f->m1 : f->m2;
        double m[3], by_e[3], by_f[3], sign = axis == 0 ? 1 : -1;
        for (int k = 0; k < 3; ++k)
            m[k] = 0.5 * (me[k] + mf[k]);
        double kappa = fil_vec3_dot(kb, m);
        double rest = 0.5 * (strain[(MEAN_BEND + axis) * FIL_LANES] + strain[(MEAN_BEND + axis + 2) * FIL_LANES]);
        s.stiffness = constants[(MEAN_BEND + axis) * FIL_LANES] + constants[(MEAN_BEND + axis + 2) * FIL_LANES];
        s.stress = s.stiffness * (kappa - rest);
        fil_vec3_cross(f->t, m, by_e);
        fil_vec3_cross(m, e->t, by_f);
        for (int k = 0; k < 3; ++k) {
            by_e[k] = (2 / chi * by_e[k] - kappa * tilde[k]) / e->length;
            by_f[k] = (2 / chi * by_f[k] - kappa * tilde[k]) / f->length;
        }
        // m1 turns into m2, m2 into -m1; half of the mean axis belongs to each edge.
        mean_fill(by_e, by_f, 0.5 * sign * fil_vec3_dot(kb, axis == 0 ? e->m2 : e->m1),
                  0.5 * sign * fil_vec3_dot(kb, axis == 0 ? f->m2 : f->m1), &s);
        mean_add(&s, vertex - 1, lane, gradient, band);
        energy += 0.5 * s.stress * (kappa - rest);
    }
    double by_e[3], by_f[3], difference = twist - strain[MEAN_TWIST * FIL_LANES];
    for (int k = 0; k < 3; ++k) {
        by_e[k] = 0.5 * kb[k] / e->length;
        by_f[k] = 0.5 * kb[k] / f->length;
    }
    s.stiffness = constants[MEAN_TWIST * FIL_LANES];
    s.stress = s.stiffness * difference;
    mean_fill(by_e, by_f, -1, 1, &s);
    mean_add(&s, vertex - 1, lane, gradient, band);
    return energy + 0.5 * s.stress * difference;
}

static inline double mean_stretch(const mean_edge *e, const double *constants, const double *strain, int vertex,
                                  int lane, bool filtered, double *gradient, double *band)
{
    double k = constants[MEAN_STRETCH], longer = e->length - strain[0], force = k * longer;
    double across = filtered ? fmax(force / e->length, 0) : 0;
    ptrdiff_t j = (ptrdiff_t)vertex * MEAN_DOFS, width = MEAN_BANDWIDTH + 1;
    for (int a = 0; a < 3; ++a) {
        gradient[(j + a) * FIL_LANES + lane] -= force * e->t[a];
        gradient[(j + MEAN_DOFS + a) * FIL_LANES + lane] += force * e->t[a];
        for (int b = 0; b < 3 && band; ++b) {
            double H = (k - across) * e->t[a] * e->t[b] + (a == b ? across : 0);
            band[((j + b) * width + MEAN_DOFS + a - b) * FIL_LANES + lane] -= H;
            if (a < b)
                continue;
            band[((j + b) * width + a - b) * FIL_LANES + lane] += H;
            band[((j + MEAN_DOFS + b) * width + a - b) * FIL_LANES + lane] += H;
        }
    }
    return 0.5 * force * longer;
}

static inline void mean_elastic(const fil_strand_pack *pack, const double *q, const double *frame, fil_hessian hessian,
                                double *energy, double *gradient, double *band)
{
    for (int lane = 0; lane < FIL_LANES; ++lane) {
        mean_edge e = {.length = 1};
        for (int i = 0; i + 1 < pack->vertices; ++i) {
            const double *constants = pack->constants + (ptrdiff_t)i * MEAN_NUMBERS * FIL_LANES + lane;
            const double *strain = pack->strain + (ptrdiff_t)i * MEAN_NUMBERS * FIL_LANES + lane;
            const double *angle = q + ((ptrdiff_t)i * MEAN_DOFS + 3) * FIL_LANES + lane;
            mean_edge f = mean_edge_at(q, frame, i, lane);
            energy[lane] += mean_stretch(&f, constants, strain, i, lane, hessian == FIL_HESSIAN_MIXED, gradient, band);
            if (i > 0) {
                double twist = angle[0] - angle[-MEAN_DOFS * FIL_LANES] +
                               frame[((ptrdiff_t)i * MEAN_FRAME + 3) * FIL_LANES + lane];
                energy[lane] += mean_joint(&e, &f, constants, strain, twist, i, lane, gradient, band);
            }
            e = f;
        }
    }
}

// Lets a group of `der` with a Gauss-Newton Hessian compute with mean axes. False: it is not such a group.
static inline bool mean_axes(fil_strands *S)
{
    static fil_strand_type type;
    bool adaptive;
    fil_hessian hessian = S->type->hessian(S->param, &adaptive);
    if (S->type != &fil_strand_der || (hessian != FIL_HESSIAN_GAUSS_NEWTON && hessian != FIL_HESSIAN_MIXED))
        return false;
    type = fil_strand_der;
    type.elastic = mean_elastic;
    S->type = &type;
    return true;
}

#endif
