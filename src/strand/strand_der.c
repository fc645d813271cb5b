// `der`: discrete elastic rods [Jia20, chapter 2; Bergou et al. 2008, 2010], four strands per vector.
//
// Unknowns: vertices x_i and, on each edge, the angle θ from a reference frame d to the material frame m1, m2. With
// e, f the edges before and behind a vertex, te, tf their directions, χ = 1 + te·tf, l its Voronoi length:
//
//     κb = 2 te × tf / χ                                       curvature binormal (2.4)
//     stretch  ½ (E A / l_e) (|e| - l_e)²                      (2.1)
//     bend     ½ Σ_c k_c (κ_c - κ̄_c)²,  κ_c = κb·m_c           c: both axes on both edges (2.5, 2.6), k_c = B_c / (2 l)
//              ½ (B / l) (|κb| - κ̄)²                           isotropic form (2.3)
//     twist    ½ (C / l) (m - m̄)²,  m = θf - θe + reference twist
//
// Reference frames are carried through time by parallel transport along each edge's own motion, so a Hessian is banded:
// the energy at q is a function of q in the chart of the frames at hand, and so are its derivatives. With M = Σ a_c
// m_c, a_c = k_c (κ_c - κ̄_c), K = M·κb, t̃ = (te + tf) / χ, all second derivatives of the curvatures collapse into one
// expression in M; see add_second_derivatives.
//
// Differs from paper: (2.6) prints the weight 1 / (2 l), twice the rod's energy when l is the Voronoi length of (2.2);
// (2.7) uses space-parallel frames, whose Hessian is dense.
//
// Cost: one sine, cosine, arc tangent and about a thousand vector operations per vertex for gradient and Hessian.
// Limits: the energy grows without bound as two edges fold onto each other; a fold within 1e-5 rad of that is not seen.
#include "base/context.h"
#include "math/mat3.h"
#include "math/trig.h"
#include "strand/strand_der_stencil.h"

// Of a vertex: the edge behind it, and the bend and twist at it.
enum { C_STRETCH, C_BEND, C_TWIST = C_BEND + 4, CONSTANTS };
enum { S_LENGTH, S_BEND, S_TWIST = S_BEND + 4, STRAINS };
enum { F_AXIS, F_TWIST = 3, FRAME };
enum { COMPONENTS = 4 };
enum { ADAPTIVE, NONE, GAUSS_NEWTON, FILTER, MIXED };
enum { ANISOTROPIC, ISOTROPIC };

static const double least_length = 1e-30, least_chi = 1e-10, least_curvature = 1e-9;

typedef struct der_param {
    int hessian, bend;
} der_param;

static const fil_field fields[] = {
    {"hessian", FIL_KIND_CHOICE, offsetof(der_param, hessian), ADAPTIVE, 0, 0, "",
     "adaptive|none|gauss-newton|filter|gauss-newton+stretch",
     "second derivatives: exact and repaired where indefinite; exact; first derivatives of the strains only; exact "
     "with "
     "negative eigenvalues of each stencil set to zero; Gauss-Newton with filtered stretch"},
    {"bend", FIL_KIND_CHOICE, offsetof(der_param, bend), ANISOTROPIC, 0, 0, "", "anisotropic|isotropic",
     "curvature measured in the material frames of both edges, or its magnitude alone (no preferred direction)"},
};

// One edge of four strands.
typedef struct edge {
    fil_w3 t;            // direction
    fil_v4 length, over; // |e| and 1 / |e|
    fil_w3 m1, m2;       // material frame
} edge;

// The bend and twist at a vertex between two edges.
typedef struct joint {
    fil_v4 chi, two_over_chi;
    fil_w3 kb, tilde;
    fil_v4 k[COMPONENTS], kappa[COMPONENTS], moment[COMPONENTS]; // moment: a_c
    fil_w3 m[COMPONENTS];                                        // axes on e, e, f, f; three fixed ones when isotropic
    fil_w3 Me, Mf, M; // Σ a_c m_c over the axes that turn with e, with f, and over all
    fil_v4 twist_k, torque;
} joint;

static inline edge edge_between(const double *q, const double *next)
{
    edge e;
    fil_w3 d = fil_w3_subtract(fil_w3_load(next), fil_w3_load(q));
    e.length = fil_v4_sqrt(fil_w3_dot(d, d));
    e.over = 1.0 / fil_v4_max(e.length, fil_v4_all(least_length));
    e.t = fil_w3_scale(e.over, d);
    return e;
}

static inline void turn_frame(edge *e, fil_v4 angle, const double *frame)
{
    fil_v4 s, c;
    fil_trig_sincos(angle, &s, &c);
    fil_w3 d1 = fil_w3_load(frame + F_AXIS * FIL_LANES);
    fil_w3 d2 = fil_w3_cross(e->t, d1);
    e->m1 = fil_w3_add_scaled(fil_w3_scale(c, d1), s, d2);
    e->m2 = fil_w3_add_scaled(fil_w3_scale(c, d2), -s, d1);
}

// Edge i of a pack with its material frame.
static inline edge edge_at(const double *q, const double *frame, int i)
{
    const double *vertex = q + (ptrdiff_t)i * DOFS * FIL_LANES;
    edge e = edge_between(vertex, vertex + DOFS * FIL_LANES);
    turn_frame(&e, fil_v4_load(vertex + 3 * FIL_LANES), frame + (ptrdiff_t)i * FRAME * FIL_LANES);
    return e;
}

static inline void bend_of(joint *j, const edge *e, const edge *f)
{
    j->chi = fil_v4_max(1.0 + fil_w3_dot(e->t, f->t), fil_v4_all(least_chi));
    j->two_over_chi = 2.0 / j->chi;
    j->kb = fil_w3_scale(j->two_over_chi, fil_w3_cross(e->t, f->t));
    j->tilde = fil_w3_scale(0.5 * j->two_over_chi, fil_w3_add(e->t, f->t));
}

static inline void curvatures(joint *j, const edge *e, const edge *f)
{
    j->m[0] = e->m1, j->m[1] = e->m2, j->m[2] = f->m1, j->m[3] = f->m2;
    for (int c = 0; c < COMPONENTS; ++c)
        j->kappa[c] = fil_w3_dot(j->kb, j->m[c]);
}

static inline fil_v4 twist_at(const double *q, const double *frame, int i)
{
    const double *vertex = q + ((ptrdiff_t)i * DOFS + 3) * FIL_LANES;
    return fil_v4_load(vertex) - fil_v4_load(vertex - DOFS * FIL_LANES) +
           fil_v4_load(frame + ((ptrdiff_t)i * FRAME + F_TWIST) * FIL_LANES);
}

// Moments of the anisotropic form; returns the energy.
static inline fil_v4 anisotropic_moments(joint *j, const double *constants, const double *strain, double stiffening)
{
    fil_v4 energy = {0};
    for (int c = 0; c < COMPONENTS; ++c) {
        fil_v4 difference = j->kappa[c] - fil_v4_load(strain + (S_BEND + c) * FIL_LANES);
        j->k[c] = stiffening * fil_v4_load(constants + (C_BEND + c) * FIL_LANES);
        j->moment[c] = j->k[c] * difference;
        energy += 0.5 * j->moment[c] * difference;
    }
    j->Me = fil_w3_add_scaled(fil_w3_scale(j->moment[0], j->m[0]), j->moment[1], j->m[1]);
    j->Mf = fil_w3_add_scaled(fil_w3_scale(j->moment[2], j->m[2]), j->moment[3], j->m[3]);
    j->M = fil_w3_add(j->Me, j->Mf);
    return energy;
}

// A unit vector across t: the coordinate axis of its smallest component, made orthogonal.
static inline fil_w3 any_normal(fil_w3 t)
{
    fil_v4 x = fil_v4_abs(t.x), y = fil_v4_abs(t.y), z = fil_v4_abs(t.z);
    fil_v4 zero = {0}, one = fil_v4_all(1);
    fil_m4 first = (x <= y) & (x <= z), second = ~first & (y <= z);
    fil_w3 axis = {fil_v4_select(first, one, zero), fil_v4_select(second, one, zero),
                   fil_v4_select(first | second, zero, one)};
    fil_w3 n = fil_w3_cross(t, axis);
    fil_v4 length = fil_v4_max(fil_v4_sqrt(fil_w3_dot(n, n)), fil_v4_all(least_length));
    return fil_w3_scale(1.0 / length, n);
}

// Moments of the isotropic form: |κb| along the binormal n, and what its turning adds, in the two directions across n:
// ∇²|κb| = ∇²(κb·n) + (1 / |κb|) Σ_across ∇κ_c ∇κ_cᵀ. A straight joint takes any binormal: that breaks the tie.
static inline fil_v4 isotropic_moments(joint *j, const edge *e, const double *constants, const double *strain,
                                       double stiffening, bool positive)
{
    fil_v4 natural = fil_v4_load(strain + S_BEND * FIL_LANES);
    fil_v4 k = stiffening * fil_v4_load(constants + C_BEND * FIL_LANES);
    fil_v4 kappa = fil_v4_sqrt(fil_w3_dot(j->kb, j->kb));
    fil_v4 above = fil_v4_max(kappa, fil_v4_all(least_curvature));
    fil_w3 n = fil_w3_select(kappa > least_curvature, fil_w3_scale(1.0 / above, j->kb), any_normal(e->t));
    fil_v4 across = k * (1.0 - natural / above);
    if (positive)
        across = fil_v4_max(across, fil_v4_all(0));
    fil_v4 size = fil_v4_max(fil_v4_sqrt(fil_w3_dot(j->tilde, j->tilde)), fil_v4_all(least_length));
    fil_w3 t = fil_w3_scale(1.0 / size, j->tilde);
    j->m[0] = n, j->m[1] = t, j->m[2] = fil_w3_cross(t, n), j->m[3] = t;
    j->k[0] = k, j->k[1] = across, j->k[2] = across, j->k[3] = fil_v4_all(0);
    for (int c = 0; c < COMPONENTS; ++c)
        j->kappa[c] = fil_w3_dot(j->kb, j->m[c]);
    j->Me = j->Mf = (fil_w3){{0}, {0}, {0}};
    // κb itself rather than |κb| n: exact also where n is any direction.
    j->M = fil_w3_scale(k, fil_w3_add_scaled(j->kb, -natural, n));
    return 0.5 * k * (kappa - natural) * (kappa - natural);
}

static inline fil_v4 twist_moment(joint *j, fil_v4 twist, const double *constants, const double *strain,
                                  double stiffening)
{
    fil_v4 difference = twist - fil_v4_load(strain + S_TWIST * FIL_LANES);
    j->twist_k = stiffening * fil_v4_load(constants + C_TWIST * FIL_LANES);
    j->torque = j->twist_k * difference;
    return 0.5 * j->torque * difference;
}

static inline void add_vector(double *place, fil_w3 a)
{
    fil_w3_store(place, fil_w3_add(fil_w3_load(place), a));
}

// A force along an edge: minus at its start, plus at its end.
static inline void add_edge_gradient(double *gradient, fil_w3 g)
{
    fil_w3_store(gradient, fil_w3_subtract(fil_w3_load(gradient), g));
    add_vector(gradient + DOFS * FIL_LANES, g);
}

// Derivative of Σ a_c κ_c, and of the twist. `gradient` points at the vertex before.
static inline void add_joint_gradient(const joint *j, const edge *e, const edge *f, bool isotropic, double *gradient)
{
    fil_v4 K = fil_w3_dot(j->M, j->kb);
    fil_w3 by_e = fil_w3_add_scaled(fil_w3_scale(j->two_over_chi, fil_w3_cross(f->t, j->M)), -K, j->tilde);
    fil_w3 by_f = fil_w3_add_scaled(fil_w3_scale(j->two_over_chi, fil_w3_cross(j->M, e->t)), -K, j->tilde);
    fil_v4 half = 0.5 * j->torque;
    add_edge_gradient(gradient, fil_w3_scale(e->over, fil_w3_add_scaled(by_e, half, j->kb)));
    add_edge_gradient(gradient + DOFS * FIL_LANES, fil_w3_scale(f->over, fil_w3_add_scaled(by_f, half, j->kb)));
    fil_v4 by_te = -j->torque, by_tf = j->torque;
    if (!isotropic) {
        by_te += j->moment[0] * j->kappa[1] - j->moment[1] * j->kappa[0];
        by_tf += j->moment[2] * j->kappa[3] - j->moment[3] * j->kappa[2];
    }
    add_number(gradient + 3 * FIL_LANES, by_te);
    add_number(gradient + (DOFS + 3) * FIL_LANES, by_tf);
}

// H += a bᵀ, the lower half of a symmetric matrix.
static inline void add_half(fil_v4 H[6], fil_w3 a, fil_w3 b)
{
    H[0] += a.x * b.x, H[1] += a.y * b.x, H[2] += a.z * b.x;
    H[3] += a.y * b.y, H[4] += a.z * b.y, H[5] += a.z * b.z;
}

// H += a bᵀ + b aᵀ
static inline void add_both(fil_v4 H[6], fil_w3 a, fil_w3 b)
{
    add_half(H, a, b);
    add_half(H, b, a);
}

static inline void add_outer(fil_v4 H[9], fil_w3 a, fil_w3 b)
{
    H[0] += a.x * b.x, H[1] += a.x * b.y, H[2] += a.x * b.z;
    H[3] += a.y * b.x, H[4] += a.y * b.y, H[5] += a.y * b.z;
    H[6] += a.z * b.x, H[7] += a.z * b.y, H[8] += a.z * b.z;
}

// H += [a]×
static inline void add_cross(fil_v4 H[9], fil_w3 a)
{
    H[1] -= a.z, H[2] += a.y, H[3] += a.z, H[5] -= a.x, H[6] -= a.y, H[7] += a.x;
}

// Σ k ∇strain ∇strainᵀ, and the gradients of the curvatures for later.
static inline void gauss_newton(const joint *j, const edge *e, const edge *f, bool isotropic, stencil *S,
                                fil_w3 by_e[COMPONENTS], fil_w3 by_f[COMPONENTS])
{
    *S = (stencil){0};
    for (int c = 0; c < COMPONENTS; ++c) {
        fil_w3 m = fil_w3_scale(j->two_over_chi, j->m[c]);
        by_e[c] = fil_w3_scale(e->over, fil_w3_add_scaled(fil_w3_cross(f->t, m), -j->kappa[c], j->tilde));
        by_f[c] = fil_w3_scale(f->over, fil_w3_add_scaled(fil_w3_cross(m, e->t), -j->kappa[c], j->tilde));
        fil_w3 ke = fil_w3_scale(j->k[c], by_e[c]), kf = fil_w3_scale(j->k[c], by_f[c]);
        add_half(S->ee, ke, by_e[c]);
        add_half(S->ff, kf, by_f[c]);
        add_outer(S->ef, ke, by_f[c]);
        if (isotropic)
            continue;
        // dκ/dθ of the edge's own angle: m1 turns into m2, m2 into -m1.
        fil_v4 by_angle = c % 2 == 0 ? j->kappa[c + 1] : -j->kappa[c - 1];
        fil_w3 *e_angle = c < 2 ? &S->e_te : &S->e_tf, *f_angle = c < 2 ? &S->f_te : &S->f_tf;
        *e_angle = fil_w3_add_scaled(*e_angle, by_angle, ke);
        *f_angle = fil_w3_add_scaled(*f_angle, by_angle, kf);
        *(c < 2 ? &S->te_te : &S->tf_tf) += j->k[c] * by_angle * by_angle;
    }
    fil_w3 te = fil_w3_scale(0.5 * e->over, j->kb), tf = fil_w3_scale(0.5 * f->over, j->kb);
    fil_w3 ke = fil_w3_scale(j->twist_k, te), kf = fil_w3_scale(j->twist_k, tf);
    add_half(S->ee, ke, te);
    add_half(S->ff, kf, tf);
    add_outer(S->ef, ke, tf);
    S->e_te = fil_w3_subtract(S->e_te, ke), S->e_tf = fil_w3_add(S->e_tf, ke);
    S->f_te = fil_w3_subtract(S->f_te, kf), S->f_tf = fil_w3_add(S->f_tf, kf);
    S->te_te += j->twist_k, S->tf_tf += j->twist_k, S->te_tf -= j->twist_k;
}

// Σ stress ∇²strain. The terms with Me and Mf come from the frames, which turn with their edges.
//     ∇²(κb·M): ee (2K t̃t̃ᵀ - s t̃ᵀ - t̃ sᵀ - K/χ (I - te teᵀ)) / |e|²,          s = 2/χ tf × M
//               ef (2K t̃t̃ᵀ - s t̃ᵀ - t̃ zᵀ - K/χ (I + te tfᵀ) - 2/χ [M]×) / |e||f|, z = 2/χ M × te
//     ∇²m:      ee -(κb (te + t̃)ᵀ + (te + t̃) κbᵀ) / 4|e|²,  ef (2/χ [te]× - κb t̃ᵀ) / 2|e||f|
static inline void add_second_derivatives(const joint *j, const edge *e, const edge *f, bool isotropic,
                                          const fil_w3 by_e[COMPONENTS], const fil_w3 by_f[COMPONENTS], stencil *S)
{
    fil_v4 K = fil_w3_dot(j->M, j->kb), diagonal = 0.5 * K * j->two_over_chi;
    fil_w3 M = fil_w3_scale(j->two_over_chi, j->M);
    // ee and ff share their shape: a symmetrised product with t̃, one with κb, and the projection.
    fil_v4 ee = e->over * e->over, ff = f->over * f->over, ef = e->over * f->over;
    fil_w3 s = fil_w3_cross(f->t, M), z = fil_w3_cross(M, e->t);
    fil_w3 Kt = fil_w3_scale(K, j->tilde), kb = fil_w3_scale(fil_v4_all(0.5), j->kb);
    fil_v4 half = 0.5 * j->torque;
    fil_w3 turn_e = fil_w3_add_scaled(j->Me, -half, fil_w3_add(e->t, j->tilde));
    fil_w3 turn_f = fil_w3_add_scaled(j->Mf, -half, fil_w3_add(f->t, j->tilde));
    add_both(S->ee, fil_w3_scale(ee, fil_w3_subtract(Kt, s)), j->tilde);
    add_both(S->ff, fil_w3_scale(ff, fil_w3_subtract(Kt, z)), j->tilde);
    add_both(S->ee, fil_w3_scale(ee, turn_e), kb);
    add_both(S->ff, fil_w3_scale(ff, turn_f), kb);
    add_half(S->ee, fil_w3_scale(ee * diagonal, e->t), e->t);
    add_half(S->ff, fil_w3_scale(ff * diagonal, f->t), f->t);
    S->ee[0] -= ee * diagonal, S->ee[3] -= ee * diagonal, S->ee[5] -= ee * diagonal;
    S->ff[0] -= ff * diagonal, S->ff[3] -= ff * diagonal, S->ff[5] -= ff * diagonal;

    fil_w3 left = fil_w3_subtract(fil_w3_scale(fil_v4_all(2), Kt), s);
    left = fil_w3_add_scaled(left, -half, j->kb);
    add_outer(S->ef, fil_w3_scale(ef, left), j->tilde);
    add_outer(S->ef, fil_w3_scale(-ef, j->tilde), z);
    add_outer(S->ef, fil_w3_scale(-ef * diagonal, e->t), f->t);
    add_cross(S->ef,
              fil_w3_scale(ef, fil_w3_add_scaled(fil_w3_scale(fil_v4_all(-1), M), half * j->two_over_chi, e->t)));
    S->ef[0] -= ef * diagonal, S->ef[4] -= ef * diagonal, S->ef[8] -= ef * diagonal;

    if (isotropic)
        return;
    const fil_v4 *a = j->moment;
    S->e_te = fil_w3_add_scaled(fil_w3_add_scaled(S->e_te, a[0], by_e[1]), -a[1], by_e[0]);
    S->f_te = fil_w3_add_scaled(fil_w3_add_scaled(S->f_te, a[0], by_f[1]), -a[1], by_f[0]);
    S->e_tf = fil_w3_add_scaled(fil_w3_add_scaled(S->e_tf, a[2], by_e[3]), -a[3], by_e[2]);
    S->f_tf = fil_w3_add_scaled(fil_w3_add_scaled(S->f_tf, a[2], by_f[3]), -a[3], by_f[2]);
    S->te_te -= fil_w3_dot(j->Me, j->kb);
    S->tf_tf -= fil_w3_dot(j->Mf, j->kb);
}

// Stretch of an edge with tension `force`: k t tᵀ + (force / |e|) (I - t tᵀ), the second part never below `least`.
static inline void add_stretch_hessian(const edge *e, fil_v4 k, fil_v4 across, fil_v4 H[6])
{
    add_half(H, fil_w3_scale(k - across, e->t), e->t);
    H[0] += across, H[3] += across, H[5] += across;
}

// Energy and gradient of an edge's stretch; its Hessian into H.
static inline fil_v4 stretch(const fil_strand_pack *pack, const edge *e, int i, fil_hessian hessian, double *gradient,
                             fil_v4 H[6])
{
    const double *constants = pack->constants + (ptrdiff_t)i * CONSTANTS * FIL_LANES;
    const double *strain = pack->strain + (ptrdiff_t)i * STRAINS * FIL_LANES;
    fil_v4 k = pack->stiffening * fil_v4_load(constants + C_STRETCH * FIL_LANES);
    fil_v4 longer = e->length - fil_v4_load(strain + S_LENGTH * FIL_LANES);
    fil_v4 force = k * longer, zero = {0};
    add_edge_gradient(gradient + (ptrdiff_t)i * DOFS * FIL_LANES, fil_w3_scale(force, e->t));
    fil_v4 across = force * e->over;
    if (hessian == FIL_HESSIAN_GAUSS_NEWTON)
        across = zero;
    else if (hessian != FIL_HESSIAN_NONE)
        across = fil_v4_max(across, zero);
    for (int h = 0; h < 6; ++h)
        H[h] = zero;
    add_stretch_hessian(e, k, across, H);
    return 0.5 * force * longer;
}

static void elastic(const fil_strand_pack *pack, const double *q, const double *frame, fil_hessian hessian,
                    double *energy, double *gradient, double *band)
{
    const der_param *param = pack->param;
    bool isotropic = param->bend == ISOTROPIC;
    bool second = hessian != FIL_HESSIAN_GAUSS_NEWTON && hessian != FIL_HESSIAN_MIXED;
    int n = pack->vertices;
    fil_v4 H[6];
    edge e = edge_at(q, frame, 0);
    fil_v4 sum = fil_v4_load(energy) + stretch(pack, &e, 0, hessian, gradient, H);
    for (int i = 1; i < n - 1; ++i) {
        const double *constants = pack->constants + (ptrdiff_t)i * CONSTANTS * FIL_LANES;
        const double *strain = pack->strain + (ptrdiff_t)i * STRAINS * FIL_LANES;
        edge f = edge_at(q, frame, i);
        joint j;
        bend_of(&j, &e, &f);
        if (isotropic) {
            sum += isotropic_moments(&j, &e, constants, strain, pack->stiffening, !second);
        } else {
            curvatures(&j, &e, &f);
            sum += anisotropic_moments(&j, constants, strain, pack->stiffening);
        }
        sum += twist_moment(&j, twist_at(q, frame, i), constants, strain, pack->stiffening);
        add_joint_gradient(&j, &e, &f, isotropic, gradient + (ptrdiff_t)(i - 1) * DOFS * FIL_LANES);
        if (band) {
            stencil S;
            fil_w3 by_e[COMPONENTS], by_f[COMPONENTS];
            gauss_newton(&j, &e, &f, isotropic, &S, by_e, by_f);
            if (second)
                add_second_derivatives(&j, &e, &f, isotropic, by_e, by_f, &S);
            if (hessian == FIL_HESSIAN_FILTER)
                clamp_stencil(&S);
            for (int h = 0; h < 6; ++h)
                S.ee[h] += H[h];
            add_stencil(band, i - 1, &S);
        }
        sum += stretch(pack, &f, i, hessian, gradient, H);
        e = f;
    }
    if (band)
        add_edge_hessian(band, n - 2, H);
    fil_v4_store(energy, sum);
}

static void strain(const fil_strand_pack *pack, const double *q, const double *frame, double *strain)
{
    const der_param *param = pack->param;
    edge e = {0};
    for (int i = 0; i < pack->vertices - 1; ++i) {
        double *s = strain + (ptrdiff_t)i * STRAINS * FIL_LANES;
        edge f = edge_at(q, frame, i);
        fil_v4_store(s + S_LENGTH * FIL_LANES, f.length);
        if (i > 0) {
            joint j;
            bend_of(&j, &e, &f);
            curvatures(&j, &e, &f);
            if (param->bend == ISOTROPIC)
                j.kappa[0] = fil_v4_sqrt(fil_w3_dot(j.kb, j.kb));
            for (int c = 0; c < COMPONENTS; ++c)
                fil_v4_store(s + (S_BEND + c) * FIL_LANES, j.kappa[c]);
            fil_v4_store(s + S_TWIST * FIL_LANES, twist_at(q, frame, i));
        }
        e = f;
    }
}

// Parallel transport of a vector across t0 to one across t1, without trigonometry.
static inline fil_w3 transport(fil_w3 d, fil_w3 t0, fil_w3 t1)
{
    fil_v4 chi = fil_v4_max(1.0 + fil_w3_dot(t0, t1), fil_v4_all(least_chi));
    return fil_w3_add_scaled(d, -fil_w3_dot(t1, d) / chi, fil_w3_add(t0, t1));
}

static inline fil_w3 orthonormal(fil_w3 d, fil_w3 t)
{
    d = fil_w3_add_scaled(d, -fil_w3_dot(d, t), t);
    fil_v4 length = fil_v4_max(fil_v4_sqrt(fil_w3_dot(d, d)), fil_v4_all(least_length));
    return fil_w3_scale(1.0 / length, d);
}

// The angle about tf from d0, taken from te to tf, to d1.
static inline fil_v4 twist_between(fil_w3 d0, fil_w3 te, fil_w3 d1, fil_w3 tf)
{
    fil_w3 d = transport(d0, te, tf);
    return fil_trig_atan2(fil_w3_dot(fil_w3_cross(d, d1), tf), fil_w3_dot(d, d1));
}

static void carry(int vertices, const double *q0, const double *frame0, const double *q1, double *frame1)
{
    fil_w3 before = {{0}, {0}, {0}}, t_before = before;
    for (int i = 0; i < vertices - 1; ++i) {
        ptrdiff_t v = (ptrdiff_t)i * DOFS * FIL_LANES, at = (ptrdiff_t)i * FRAME * FIL_LANES;
        edge old = edge_between(q0 + v, q0 + v + DOFS * FIL_LANES);
        edge new = edge_between(q1 + v, q1 + v + DOFS * FIL_LANES);
        fil_w3 d = orthonormal(transport(fil_w3_load(frame0 + at), old.t, new.t), new.t);
        fil_w3_store(frame1 + at, d);
        fil_v4 twist = fil_v4_load(frame0 + at + F_TWIST * FIL_LANES);
        if (i > 0)
            twist = fil_trig_unwrap(twist_between(before, t_before, d, new.t), twist);
        fil_v4_store(frame1 + at + F_TWIST * FIL_LANES, twist);
        before = d, t_before = new.t;
    }
}

static void straighten(int vertices, const double *q0, const double *frame0, double *q1, double *frame1)
{
    fil_w3 before = {{0}, {0}, {0}}, t_before = before;
    fil_v4 turn_before = {0};
    for (int i = 0; i < vertices - 1; ++i) {
        ptrdiff_t v = (ptrdiff_t)i * DOFS * FIL_LANES, at = (ptrdiff_t)i * FRAME * FIL_LANES;
        edge old = edge_between(q0 + v, q0 + v + DOFS * FIL_LANES);
        edge new = edge_between(q1 + v, q1 + v + DOFS * FIL_LANES);
        fil_w3 d = orthonormal(transport(fil_w3_load(frame0 + at), old.t, new.t), new.t),
               was = fil_w3_load(frame1 + at);
        fil_v4 turn = fil_trig_atan2(fil_w3_dot(fil_w3_cross(d, was), new.t), fil_w3_dot(d, was));
        // Whole turns that the way went through are no motion either: the nearest angle is the one.
        double *angle = q1 + v + 3 * FIL_LANES;
        fil_v4 theta = fil_trig_unwrap(fil_v4_load(angle) + turn, fil_v4_load(q0 + v + 3 * FIL_LANES));
        turn = theta - fil_v4_load(angle);
        fil_v4_store(angle, theta);
        fil_w3_store(frame1 + at, d);
        if (i > 0) {
            // The twist of the material stays: what its angles gained, the reference twist loses.
            double *place = frame1 + at + F_TWIST * FIL_LANES;
            fil_v4 near = fil_v4_load(place) - (turn - turn_before);
            fil_v4_store(place, fil_trig_unwrap(twist_between(before, t_before, d, new.t), near));
        }
        before = d, t_before = new.t, turn_before = turn;
    }
}

static void axes(int vertices, const double *q, const double *frame, double *axis)
{
    for (int i = 0; i < vertices; ++i) {
        edge e = edge_at(q, frame, i < vertices - 1 ? i : i - 1);
        fil_w3_store(axis + (ptrdiff_t)i * 3 * FIL_LANES, e.m1);
    }
}

// The two functions below meet one strand at a time: its numbers in lane 0, the others copies.
static fil_w3 spread(const double a[3])
{
    return (fil_w3){fil_v4_all(a[0]), fil_v4_all(a[1]), fil_v4_all(a[2])};
}

static fil_w3 direction(const double *x)
{
    fil_w3 d = fil_w3_subtract(spread(x + 3), spread(x));
    return fil_w3_scale(1.0 / fil_v4_max(fil_v4_sqrt(fil_w3_dot(d, d)), fil_v4_all(least_length)), d);
}

static void start(int vertices, const double *x, const double *axis, double *frame)
{
    fil_w3 before = {{0}, {0}, {0}}, t_before = before;
    for (int i = 0; i < vertices - 1; ++i) {
        double *out = frame + (ptrdiff_t)i * FRAME * FIL_LANES;
        fil_w3 t = direction(x + (ptrdiff_t)3 * i), d = orthonormal(spread(axis + (ptrdiff_t)3 * i), t);
        out[0] = d.x[0], out[FIL_LANES] = d.y[0], out[2 * FIL_LANES] = d.z[0];
        out[F_TWIST * FIL_LANES] = i > 0 ? twist_between(before, t_before, d, t)[0] : 0;
        before = d, t_before = t;
    }
}

static fil_status build(fil_context *context, const fil_strand_shape *shape, const void *param, double *constants,
                        double *strain)
{
    (void)context;
    const der_param *settings = param;
    edge e = {0};
    for (int i = 0; i < shape->vertices - 1; ++i) {
        double *c = constants + (ptrdiff_t)i * CONSTANTS * FIL_LANES, *s = strain + (ptrdiff_t)i * STRAINS * FIL_LANES;
        edge f = {.t = direction(shape->rest + (ptrdiff_t)3 * i)};
        f.m1 = orthonormal(spread(shape->rest_axis + (ptrdiff_t)3 * i), f.t);
        f.m2 = fil_w3_cross(f.t, f.m1);
        c[C_STRETCH * FIL_LANES] = shape->stretch[i] / shape->length[i];
        s[S_LENGTH * FIL_LANES] = shape->length[i];
        if (i > 0) {
            joint j;
            bend_of(&j, &e, &f);
            curvatures(&j, &e, &f);
            double voronoi = 0.5 * (shape->length[i - 1] + shape->length[i]);
            const double B[COMPONENTS] = {shape->bend1[i - 1], shape->bend2[i - 1], shape->bend1[i], shape->bend2[i]};
            double sum = 0;
            for (int k = 0; k < COMPONENTS; ++k) {
                c[(C_BEND + k) * FIL_LANES] = 0.5 * B[k] / voronoi;
                s[(S_BEND + k) * FIL_LANES] = j.kappa[k][0];
                sum += 0.25 * B[k] / voronoi;
            }
            if (settings->bend == ISOTROPIC) {
                c[C_BEND * FIL_LANES] = sum;
                s[S_BEND * FIL_LANES] = sqrt(fil_w3_dot(j.kb, j.kb)[0]);
            }
            c[C_TWIST * FIL_LANES] = 0.5 * (shape->twist[i - 1] + shape->twist[i]) / voronoi;
            s[S_TWIST * FIL_LANES] = shape->rest_twist[i];
        }
        e = f;
    }
    return FIL_OK;
}

static fil_hessian chosen_hessian(const void *param, bool *adaptive)
{
    static const fil_hessian modes[] = {FIL_HESSIAN_NONE, FIL_HESSIAN_NONE, FIL_HESSIAN_GAUSS_NEWTON,
                                        FIL_HESSIAN_FILTER, FIL_HESSIAN_MIXED};
    const der_param *settings = param;
    *adaptive = settings->hessian == ADAPTIVE;
    return modes[settings->hessian];
}

const fil_strand_type fil_strand_der = {
    .name = "der",
    .doc = "Discrete elastic rods: stretch, bend and twist with material frames; anisotropic cross-sections, natural "
           "curvature and twist [Jia20, chapter 2; Bergou et al. 2008, 2010]. The physical reference.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(der_param),
    .dofs = DOFS,
    .bandwidth = BANDWIDTH,
    .constant_count = CONSTANTS,
    .strain_count = STRAINS,
    .frame_count = FRAME,
    .safe = FIL_HESSIAN_MIXED,
    .hessian = chosen_hessian,
    .build = build,
    .start = start,
    .axes = axes,
    .carry = carry,
    .straighten = straighten,
    .strain = strain,
    .elastic = elastic,
};
