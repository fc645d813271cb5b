// lifted: strands from the positions of their vertices alone, after [Shi23] ("Lifted Curls").
//
// Edges e_i = x_{i+1} - x_i with rest length l_i. Three strains, each with a quadratic energy:
//
//     stretch of edge i     s = |e_i| / l_i - 1                               1/2 EA l_i (s - s0)²
//     bend at vertex i      θ = angle from e_{i-1} to e_i, 0 when straight    1/2 EI / L_i (θ - θ0)²
//     torsion of edge i     τ = angle from the plane of (e_{i-1}, e_i) to     1/2 GJ / l_i (τ - τ0)²
//                               that of (e_i, e_{i+1}) about e_i
//
// L_i = (l_{i-1} + l_i)/2. EI is the mean of bend1 and bend2 over both edges of a vertex: the model is isotropic. With
// n_i the unit normal of e_{i-1} × e_i, t_i = e_i/|e_i|, s_i = sin θ_i, c_i = cos θ_i and, for torsion, e = e_{i-1},
// f = e_i, g = e_{i+1}:
//
//     θ_i = atan2(s_i, c_i), derivatives in angle.h
//     τ = atan2(t·(n_i × n_{i+1}), n_i·n_{i+1}),   t = t_i
//     dτ = m1 n_i·p + m2 n_{i+1}·q,   p = de - α df,  q = dg - β df,   α = e·f/|f|²,  β = g·f/|f|²
//     m1 = 1/(|e| s_i),  m2 = 1/(|g| s_{i+1})   the inverse distances of the outer vertices from the line along f
//
//     d²τ = -2 m1² (n_i·p)(u1·p) - 2 m2² (n_{i+1}·q)(u2·q)                   u1 = t × n_i,  u2 = n_{i+1} × t
//           - 2/|f| (m1 (n_i·df)(t·p) + m2 (n_{i+1}·df)(t·q))
//           - 1/|f|² ((n_i·df)(u1·df) + (n_{i+1}·df)(u2·df))
//
// Torsion fades where a vertex is nearly straight or nearly folded: the energy is multiplied by f(s_i) f(s_{i+1}),
//
//     f(s) = 1 - (1 - z)³ where z = (s / (0.1 s of the rest shape))² < 1, else 1
//
// which is smooth, and makes torsion continuous where its planes vanish. A vertex whose torsion is badly off may settle
// at a tiny angle therefore.
//
// Filters. `filter` clamps the exact Hessian of each stencil (stencil.c). `analytic` sums positive parts in closed
// form: stretch is exact; bend is clamped in the space of its two edges (angle.h); torsion is the sum of the clamps of
// the three lines above: the first with dτ² by angle.h, the second by the polar factors of its 2×2 matrix, the third is
// traceless with eigenvalues ± (τ - τ0) k sin τ / |f|². Derivatives of f are left out of `analytic` and `gauss-newton`.
//
// Differs from paper: stiffnesses are those of an elastic rod, so that the curve converges to one. Torsion does not
// fade in the paper; there its energy jumps where a coil is straight, and a line search that comes from there gets
// stuck. The paper clamps torsion as Pᵀ H⁺ P - Dᵀ H⁻ D with H the Hessian of the angle of p and q in space; its terms
// along f are of size 1/sin τ, although those of the exact Hessian are not, and coils have small τ. Our three lines
// have no such terms: for a coil of -14 degrees at τ = 0.001 the trace is 1.06 times that of the exact clamp, the
// paper's 200 times (test_strand_lifted.c).
//
// Where there is no derivative:
//   - vertex straight or folded (s below 1e-14): n is the binormal of the rest shape made orthogonal to the edge, so
//     that a coil pulled straight comes back; without one, any direction. (θ - θ0)/s in the Hessian is regular when
//     θ0 = 0; s is kept above 1e-10 there;
//   - edge shorter than 1e-9 of its rest length: no force from its direction; the stretch energy stays;
//   - torsion needs both planes: none where the rest shape has s < 1e-4 at either vertex, and none while the current
//     s is below 1e-12 at either.
//
// By design there is no twist inside an edge: a straight strand does not resist being twisted.
//
// Cost: bench/strand_newton measures it.
#include "strand/strand.h"
#include "math/mat3.h"
#include "math/trig.h"
#include "strand/stencil.h"

#include <math.h>

enum { C_STRETCH, C_LENGTH, C_INVERSE, C_BEND, C_TORSION, C_FADE, C_BINORMAL, CONSTANTS = C_BINORMAL + 3 };
enum { S_STRETCH, S_BEND, S_TORSION, STRAINS };
enum { BANDWIDTH = 11 };

static const double REST_STRAIGHT = 1e-4; // sine below which the rest shape has no plane for torsion
static const double NOW_STRAIGHT = 1e-12; // ... and the current shape
static const double FADE = 0.1;           // of the rest sine: where torsion begins to fade
static const double SHARP = 1e-10;        // least sine in the Hessian of the bend energy
static const double NO_DIRECTION = 1e-14; // sine below which e × f is noise
static const double NO_EDGE = 1e-9;       // of the rest length
static const double REFINE_NORMAL = 1e-6; // sine below which the normal is made orthogonal once more
static const double NO_BINORMAL = 1e-10;  // sine below which the rest shape is straight

typedef struct lifted_param {
    int hessian;
} lifted_param;

enum { ADAPTIVE, ANALYTIC, FILTER, GAUSS_NEWTON, NONE };

static const fil_field fields[] = {
    {"hessian", FIL_KIND_CHOICE, offsetof(lifted_param, hessian), ADAPTIVE, ADAPTIVE, NONE, "",
     "adaptive|analytic|filter|gauss-newton|none",
     "second derivatives: exact and filtered where indefinite; without negative parts in closed form; exact with "
     "negative eigenvalues of each stencil set to zero; first derivatives of the strains only; exact"},
};

static fil_hessian hessian_of(const void *param, bool *adaptive)
{
    static const fil_hessian of_choice[] = {FIL_HESSIAN_NONE, FIL_HESSIAN_ANALYTIC, FIL_HESSIAN_FILTER,
                                            FIL_HESSIAN_GAUSS_NEWTON, FIL_HESSIAN_NONE};
    int choice = ((const lifted_param *)param)->hessian;
    *adaptive = choice == ADAPTIVE;
    return of_choice[choice];
}

// The rest shape -----------------------------------------------------------------------------------------------------

// A vector of length 1, or zero when it is no longer than `least`; returns the length it had.
static double normalise(double least, double a[3])
{
    double length = sqrt(fil_vec3_dot(a, a));
    for (int k = 0; k < 3; ++k)
        a[k] = length > least ? a[k] / length : 0;
    return length;
}

// What the edges i - 1 and i make of vertex i.
typedef struct rest_joint {
    double before[3], after[3], normal[3], sine, angle;
} rest_joint;

static rest_joint rest_joint_at(const double *x, int i)
{
    rest_joint joint;
    const double *here = x + 3 * (size_t)i;
    for (int k = 0; k < 3; ++k) {
        joint.before[k] = here[k] - here[k - 3];
        joint.after[k] = here[k + 3] - here[k];
    }
    normalise(0, joint.before);
    normalise(0, joint.after);
    fil_vec3_cross(joint.before, joint.after, joint.normal);
    joint.sine = normalise(NO_BINORMAL, joint.normal);
    joint.angle = atan2(joint.sine, fil_vec3_dot(joint.before, joint.after));
    if (joint.angle <= NO_BINORMAL) // straight but for rounding
        joint.angle = 0;
    return joint;
}

static fil_status build(fil_context *context, const fil_strand_shape *shape, const void *param, double *constants,
                        double *strain)
{
    (void)param;
    int n = shape->vertices;
    for (int i = 0; i + 1 < n; ++i)
        if (!(shape->length[i] > 0 && isfinite(shape->length[i])))
            return fil_context_fail(context, FIL_BAD_INPUT, "length[%d]: must be a finite number > 0 (got %g)", i,
                                    shape->length[i]);
    rest_joint next = n > 2 ? rest_joint_at(shape->rest, 1) : (rest_joint){.sine = 0};
    for (int i = 0; i < n; ++i) {
        double c[CONSTANTS] = {0}, s[STRAINS] = {0};
        if (i + 1 < n) {
            c[C_STRETCH] = shape->stretch[i];
            c[C_LENGTH] = shape->length[i];
            c[C_INVERSE] = 1 / shape->length[i];
        }
        if (i > 0 && i + 1 < n) {
            rest_joint here = next;
            double both = shape->bend1[i - 1] + shape->bend2[i - 1] + shape->bend1[i] + shape->bend2[i];
            c[C_BEND] = 0.5 * both / (shape->length[i - 1] + shape->length[i]);
            s[S_BEND] = here.angle;
            if (here.sine >= REST_STRAIGHT)
                c[C_FADE] = 1 / (FADE * here.sine * FADE * here.sine);
            for (int k = 0; k < 3; ++k)
                c[C_BINORMAL + k] = here.normal[k];
            if (i + 2 < n)
                next = rest_joint_at(shape->rest, i + 1);
            if (i + 2 < n && here.sine >= REST_STRAIGHT && next.sine >= REST_STRAIGHT) {
                double turn[3];
                fil_vec3_cross(here.normal, next.normal, turn);
                c[C_TORSION] = shape->twist[i] / shape->length[i];
                s[S_TORSION] = atan2(fil_vec3_dot(turn, here.after), fil_vec3_dot(here.normal, next.normal));
            }
        }
        for (int k = 0; k < CONSTANTS; ++k)
            constants[(i * CONSTANTS + k) * FIL_LANES] = c[k];
        for (int k = 0; k < STRAINS; ++k)
            strain[(i * STRAINS + k) * FIL_LANES] = s[k];
    }
    return FIL_OK;
}

// The current shape --------------------------------------------------------------------------------------------------

static inline fil_v4 constant_at(const fil_strand_pack *pack, int vertex, int which)
{
    return fil_v4_load(pack->constants + (vertex * CONSTANTS + which) * FIL_LANES);
}

static inline fil_v4 strain_at(const fil_strand_pack *pack, int vertex, int which)
{
    return fil_v4_load(pack->strain + (vertex * STRAINS + which) * FIL_LANES);
}

typedef struct edge {
    fil_w3 tangent;         // zero where the edge has collapsed
    fil_v4 length, inverse; // 1/length, zero where the edge has collapsed
} edge;

static inline edge edge_at(const fil_strand_pack *pack, const double *q, int i)
{
    edge e;
    fil_w3 d = fil_w3_subtract(fil_w3_load(q + 3 * FIL_LANES * (i + 1)), fil_w3_load(q + 3 * FIL_LANES * i));
    e.length = fil_v4_sqrt(fil_w3_dot(d, d));
    // Behind the end of a strand the inverse rest length is zero: such an edge has collapsed, wherever it is.
    fil_m4 there = e.length * constant_at(pack, i, C_INVERSE) > NO_EDGE;
    e.inverse = fil_v4_select(there, 1.0 / fil_v4_select(there, e.length, fil_v4_all(1)), fil_v4_all(0));
    e.tangent = fil_w3_scale(e.inverse, d);
    return e;
}

typedef struct joint {
    fil_w3 normal; // of length 1, orthogonal to both edges
    fil_v4 sine, cosine, angle;
} joint;

static inline fil_w3 unit(fil_w3 a, fil_v4 length)
{
    return fil_w3_scale(1.0 / length, a);
}

// The normal at a vertex that is nearly straight or nearly folded: c / s if it can be trusted, else the binormal of the
// rest shape, else anything, made orthogonal to the edge.
static fil_w3 normal_of_straight(fil_w3 tangent, fil_w3 c, fil_v4 s, fil_w3 binormal)
{
    fil_v4 zero = fil_v4_all(0), one = fil_v4_all(1), least = fil_v4_all(1e-3);
    fil_w3 guess = fil_w3_select(s > NO_DIRECTION, unit(c, fil_v4_max(s, fil_v4_all(NO_DIRECTION))), binormal);
    guess = fil_w3_add_scaled(guess, -fil_w3_dot(guess, tangent), tangent);
    fil_v4 length = fil_v4_sqrt(fil_w3_dot(guess, guess));
    // The coordinate axis that is the least along the edge.
    fil_v4 x = fil_v4_abs(tangent.x), y = fil_v4_abs(tangent.y), z = fil_v4_abs(tangent.z);
    fil_m4 take_x = (x <= y) & (x <= z), take_y = ~take_x & (y <= z);
    fil_w3 axis = {fil_v4_select(take_x, one, zero), fil_v4_select(take_y, one, zero),
                   fil_v4_select(take_x | take_y, zero, one)};
    axis = fil_w3_add_scaled(axis, -fil_w3_dot(axis, tangent), tangent);
    guess = fil_w3_select(length > least, guess, axis);
    return unit(guess, fil_v4_sqrt(fil_w3_dot(guess, guess)));
}

// Vertex i, between the edges e and f.
static inline joint joint_at(const fil_strand_pack *pack, int i, const edge *e, const edge *f)
{
    joint v;
    fil_w3 c = fil_w3_cross(e->tangent, f->tangent);
    v.sine = fil_v4_sqrt(fil_w3_dot(c, c));
    v.cosine = fil_w3_dot(e->tangent, f->tangent) + 0.0; // not -0 for collapsed edges: their angle is to be 0, not π
    v.angle = fil_trig_atan2(v.sine, v.cosine);
    fil_m4 doubtful = v.sine < REFINE_NORMAL;
    v.normal = unit(c, fil_v4_max(v.sine, fil_v4_all(REFINE_NORMAL)));
    if (fil_m4_any(doubtful)) {
        const double *binormal = pack->constants + (i * CONSTANTS + C_BINORMAL) * FIL_LANES;
        v.normal = fil_w3_select(doubtful, normal_of_straight(e->tangent, c, v.sine, fil_w3_load(binormal)), v.normal);
    }
    return v;
}

// Where both ends of an edge have a plane.
static inline fil_m4 torsion_exists(const joint *v, const joint *w)
{
    return (v->sine > NOW_STRAIGHT) & (w->sine > NOW_STRAIGHT);
}

// τ of the edge with this tangent between the joints v and w, nearest to `rest`.
static inline fil_v4 torsion_of(fil_w3 tangent, const joint *v, const joint *w, fil_v4 rest, fil_v4 *sine,
                                fil_v4 *cosine)
{
    *sine = fil_w3_dot(tangent, fil_w3_cross(v->normal, w->normal));
    *cosine = fil_w3_dot(v->normal, w->normal);
    return fil_trig_unwrap(fil_trig_atan2(*sine, *cosine), rest);
}

static void strain_of(const fil_strand_pack *pack, const double *q, const double *frame, double *strain)
{
    (void)frame;
    int n = pack->vertices;
    edge e = {.inverse = fil_v4_all(0)}, f;
    joint v = {.sine = fil_v4_all(0)}, w;
    for (int k = 0; k < n * STRAINS * FIL_LANES; ++k)
        strain[k] = 0;
    for (int j = 0; j + 1 < n; ++j, e = f, v = w) {
        f = edge_at(pack, q, j);
        w = v;
        fil_v4_store(strain + (j * STRAINS + S_STRETCH) * FIL_LANES,
                     fil_v4_select(constant_at(pack, j, C_INVERSE) > fil_v4_all(0),
                                   f.length * constant_at(pack, j, C_INVERSE) - 1.0, fil_v4_all(0)));
        if (j < 1)
            continue;
        w = joint_at(pack, j, &e, &f);
        fil_v4_store(strain + (j * STRAINS + S_BEND) * FIL_LANES, w.angle);
        if (j < 2)
            continue;
        // Where torsion does not act, the value without stress.
        fil_v4 sine, cosine, rest = strain_at(pack, j - 1, S_TORSION);
        fil_v4 tau = torsion_of(e.tangent, &v, &w, rest, &sine, &cosine);
        fil_m4 acts = torsion_exists(&v, &w) & (constant_at(pack, j - 1, C_TORSION) > fil_v4_all(0));
        fil_v4_store(strain + ((j - 1) * STRAINS + S_TORSION) * FIL_LANES, fil_v4_select(acts, tau, rest));
    }
}

// Energies -----------------------------------------------------------------------------------------------------------

// Derivatives by edge i: by itself, with edge i + 1 and with edge i + 2.
typedef struct row {
    fil_w3 gradient;
    fil_v4 same[6], next[9], after[9];
} row;

static inline fil_v4 stretch(const edge *e, fil_v4 stiffness, fil_v4 length, fil_v4 inverse, fil_v4 rest,
                             fil_hessian hessian, bool second, row *e_row)
{
    fil_v4 zero = fil_v4_all(0);
    fil_v4 strain = e->length * inverse - 1.0 - rest;
    fil_v4 force = stiffness * strain;
    e_row->gradient = fil_w3_add_scaled(e_row->gradient, force, e->tangent);
    if (second) {
        fil_v4 across = force * e->inverse;
        if (hessian == FIL_HESSIAN_GAUSS_NEWTON)
            across = zero;
        else if (hessian != FIL_HESSIAN_NONE)
            across = fil_v4_max(across, zero);
        fil_stencil_add_square(e_row->same, stiffness * inverse - across, e->tangent);
        e_row->same[0] += across;
        e_row->same[3] += across;
        e_row->same[5] += across;
    }
    return 0.5 * stiffness * length * strain * strain;
}

// s a + c b
static inline fil_w3 mix(fil_v4 s, fil_w3 a, fil_v4 c, fil_w3 b)
{
    return fil_w3_add_scaled(fil_w3_scale(s, a), c, b);
}

static inline bool only_first_derivatives(fil_hessian hessian)
{
    return hessian == FIL_HESSIAN_GAUSS_NEWTON || hessian == FIL_HESSIAN_MIXED;
}

static inline fil_v4 bend(const edge *e, const edge *f, const joint *v, fil_v4 stiffness, fil_v4 rest,
                          fil_hessian hessian, bool second, row *e_row, row *f_row)
{
    fil_v4 zero = fil_v4_all(0), w = v->angle - rest, force = stiffness * w;
    fil_w3 t = fil_w3_cross(v->normal, e->tangent), u = fil_w3_cross(v->normal, f->tangent);
    e_row->gradient = fil_w3_add_scaled(e_row->gradient, -force * e->inverse, t);
    f_row->gradient = fil_w3_add_scaled(f_row->gradient, force * f->inverse, u);
    fil_v4 energy = 0.5 * force * w;
    if (!second)
        return energy;

    // w / sine, with its limit where the vertex is straight.
    fil_v4 sharp = fil_v4_all(SHARP), sine = fil_v4_max(v->sine, sharp);
    fil_v4 angle = fil_v4_select((v->sine < sharp) & (v->cosine > zero), sharp, v->angle);
    fil_v4 G = (angle - rest) / sine;
    fil_angle_plane plane;
    fil_angle_normal normal = {zero, zero, zero};
    if (only_first_derivatives(hessian)) {
        plane = fil_angle_plane_exact(stiffness, zero, e->inverse, f->inverse);
    } else if (hessian == FIL_HESSIAN_ANALYTIC) {
        plane = fil_angle_plane_positive(stiffness, w, e->length, f->length, e->inverse, f->inverse);
        normal = fil_angle_normal_positive(stiffness, G, v->cosine, sine, e->length, f->length, e->inverse, f->inverse);
    } else {
        plane = fil_angle_plane_exact(stiffness, force, e->inverse, f->inverse);
        normal = fil_angle_normal_exact(stiffness * G, v->cosine, e->inverse, f->inverse);
    }
    fil_stencil K;
    fil_stencil_from_plane(&plane, &normal, t, e->tangent, u, f->tangent, v->normal, K.ee, K.ef, K.ff);
    if (hessian == FIL_HESSIAN_FILTER)
        fil_stencil_clamp(2, &K);
    fil_stencil_add(6, e_row->same, K.ee);
    fil_stencil_add(9, e_row->next, K.ef);
    fil_stencil_add(6, f_row->same, K.ff);
    return energy;
}

// The weight of torsion by the angle at a vertex, 1 - (1 - z)³ with z = (sine / (FADE rest sine))² where z < 1, else 1.
typedef struct fade {
    fil_v4 weight, slope, limit, second; // itself, first derivative, that over the sine, second derivative
} fade;

static inline fade fade_of(const joint *v, fil_v4 narrow)
{
    fil_v4 rest = 1.0 - fil_v4_min(v->sine * v->sine * narrow, fil_v4_all(1)), square = 6.0 * rest * rest * narrow;
    fil_v4 both = narrow * v->sine * v->cosine;
    return (fade){
        .weight = 1.0 - rest * rest * rest,
        .slope = square * v->sine * v->cosine,
        .limit = square * v->cosine,
        .second = square * (v->cosine * v->cosine - v->sine * v->sine) - 24.0 * rest * both * both,
    };
}

// What the torsion of f depends on.
typedef struct torsion_shape {
    fil_v4 full, k, w, sine, cosine; // stiffness, the same with its weights, τ - τ0, of τ
    fil_v4 m1, m2, d1, d2;           // inverse distances from the line along f, distances
    fil_v4 alpha, beta, inverse;
    fil_w3 tangent, n1, n2;
    fade fade1, fade2;
} torsion_shape;

// The Hessian in the coordinates p, df, q of the opening comment, then in edges.
static inline void torsion_hessian(const torsion_shape *shape, fil_hessian hessian, fil_stencil *K)
{
    const torsion_shape s = *shape;
    fil_v4 zero = fil_v4_all(0), force = s.k * s.w;
    fil_w3 u1 = fil_w3_cross(s.tangent, s.n1), u2 = fil_w3_cross(s.n2, s.tangent);
    fil_angle_plane plane;
    fil_angle_normal along = {zero, zero, zero};
    fil_v4 x = zero, y = zero; // (n1·df)(t·p) and (n2·df)(t·q)
    fil_v4 ff[6] = {zero, zero, zero, zero, zero, zero};
    if (only_first_derivatives(hessian)) {
        plane = fil_angle_plane_exact(s.k, zero, s.m1, s.m2);
    } else {
        x = -force * s.inverse * s.m1;
        y = -force * s.inverse * s.m2;
        fil_v4 own = -0.5 * force * s.inverse * s.inverse;
        if (hessian == FIL_HESSIAN_ANALYTIC) {
            plane = fil_angle_plane_positive(s.k, s.w, s.d1, s.d2, s.m1, s.m2);
            // Half the matrix plus half its modulus. The modulus of the mixed term is made of the square roots of W Wᵀ
            // and Wᵀ W, W = [m1 n1, m2 n2]; sqrt(A) = (A + sqrt(det A) I) / sqrt(tr A + 2 sqrt(det A)).
            fil_v4 m11 = s.m1 * s.m1, m22 = s.m2 * s.m2, m12 = s.m1 * s.m2, det = m12 * fil_v4_abs(s.sine);
            fil_v4 norm = fil_v4_sqrt(fil_v4_max(m11 + m22 + 2.0 * det, fil_v4_all(1e-200)));
            fil_v4 size = 0.5 * fil_v4_abs(force) * s.inverse, scale = size / norm;
            along = (fil_angle_normal){scale * (m11 + det), scale * m12 * s.cosine, scale * (m22 + det)};
            fil_stencil_add_square(ff, scale * m11, s.n1);
            fil_stencil_add_square(ff, scale * m22, s.n2);
            fil_stencil_add_projection(ff, scale * det + size * s.inverse * fil_v4_abs(s.sine), s.tangent);
            x *= 0.5;
            y *= 0.5;
            own *= 0.5;
        } else {
            plane = fil_angle_plane_exact(s.k, force, s.m1, s.m2);
        }
        fil_stencil_add_symmetric(ff, fil_w3_scale(own, s.n1), u1);
        fil_stencil_add_symmetric(ff, fil_w3_scale(own, s.n2), u2);
    }
    fil_w3 t1 = fil_w3_scale(fil_v4_all(-1), s.n1);
    fil_stencil_from_plane(&plane, &along, t1, u1, s.n2, u2, s.tangent, K->ee, K->eg, K->gg);

    // p = de - α df, q = dg - β df.
    fil_v4 aa = s.alpha * s.alpha, ab = s.alpha * s.beta, bb = s.beta * s.beta;
    fil_stencil_add_symmetric(ff, mix(-s.alpha * x, s.n1, -s.beta * y, s.n2), s.tangent);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            int at = fil_stencil_place[r][c];
            K->ef[3 * r + c] = -s.alpha * K->ee[at] - s.beta * K->eg[3 * r + c];
            K->fg[3 * r + c] = -s.alpha * K->eg[3 * r + c] - s.beta * K->gg[at];
            if (c >= r)
                K->ff[at] = ff[at] + aa * K->ee[at] + ab * (K->eg[3 * r + c] + K->eg[3 * c + r]) + bb * K->gg[at];
        }
    fil_stencil_add_product(K->ef, fil_w3_scale(x, s.tangent), s.n1);
    fil_stencil_add_product(K->fg, fil_w3_scale(y, s.n2), s.tangent);
}

// What the derivatives of the weights add: 1/2 k w² d²(f1 f2) + k w (dτ d(f1 f2) + d(f1 f2) dτ).
static void fade_derivatives(const torsion_shape *s, const edge *e, const edge *f, const edge *g, const joint *v,
                             const joint *w, bool exact, row *e_row, row *f_row, row *g_row, fil_stencil *K)
{
    fil_v4 zero = fil_v4_all(0), half = 0.5 * s->full * s->w * s->w;
    fil_v4 p1 = s->fade1.slope * s->fade2.weight, p2 = s->fade1.weight * s->fade2.slope;
    fil_w3 none = {zero, zero, zero};
    // Derivatives of both angles, of the weight, of τ.
    fil_w3 t1 = fil_w3_cross(v->normal, e->tangent), u1 = fil_w3_cross(v->normal, f->tangent);
    fil_w3 t2 = fil_w3_cross(w->normal, f->tangent), u2 = fil_w3_cross(w->normal, g->tangent);
    fil_w3 angle1[3] = {fil_w3_scale(-e->inverse, t1), fil_w3_scale(f->inverse, u1), none};
    fil_w3 angle2[3] = {none, fil_w3_scale(-f->inverse, t2), fil_w3_scale(g->inverse, u2)};
    fil_w3 weight[3], torsion[3] = {fil_w3_scale(s->m1, s->n1), none, fil_w3_scale(s->m2, s->n2)};
    torsion[1] = mix(-s->alpha, torsion[0], -s->beta, torsion[2]);
    for (int k = 0; k < 3; ++k)
        weight[k] = mix(p1, angle1[k], p2, angle2[k]);
    e_row->gradient = fil_w3_add_scaled(e_row->gradient, half, weight[0]);
    f_row->gradient = fil_w3_add_scaled(f_row->gradient, half, weight[1]);
    g_row->gradient = fil_w3_add_scaled(g_row->gradient, half, weight[2]);
    if (!exact)
        return;
    for (int k = 0; k < 3; ++k) {
        torsion[k] = fil_w3_scale(s->full * s->w, torsion[k]);
        angle2[k] = fil_w3_scale(half * s->fade1.slope * s->fade2.slope, angle2[k]);
    }
    fil_stencil_add_pair(K, torsion, weight);
    fil_stencil_add_pair(K, angle1, angle2);
    for (int which = 0; which < 2; ++which) {
        const fade *own = which == 0 ? &s->fade1 : &s->fade2;
        const edge *first = which == 0 ? e : f, *second = which == 0 ? f : g;
        const joint *at = which == 0 ? v : w;
        fil_v4 scale = half * (which == 0 ? s->fade2.weight : s->fade1.weight), one[6], mixed[9], two[6];
        fil_angle_plane plane =
            fil_angle_plane_exact(scale * own->second, scale * own->slope, first->inverse, second->inverse);
        fil_angle_normal normal =
            fil_angle_normal_exact(scale * own->limit, at->cosine, first->inverse, second->inverse);
        fil_stencil_from_plane(&plane, &normal, which == 0 ? t1 : t2, first->tangent, which == 0 ? u1 : u2,
                               second->tangent, at->normal, one, mixed, two);
        fil_stencil_add(6, which == 0 ? K->ee : K->ff, one);
        fil_stencil_add(9, which == 0 ? K->ef : K->fg, mixed);
        fil_stencil_add(6, which == 0 ? K->ff : K->gg, two);
    }
}

// Torsion of f between the joints v (of e and f) and w (of f and g).
static inline fil_v4 torsion(const edge *e, const edge *f, const edge *g, const joint *v, const joint *w,
                             fil_v4 stiffness, fil_v4 rest, fil_v4 narrow1, fil_v4 narrow2, fil_hessian hessian,
                             bool second, row *e_row, row *f_row, row *g_row)
{
    fil_v4 zero = fil_v4_all(0), one = fil_v4_all(1), least = fil_v4_all(NOW_STRAIGHT);
    torsion_shape s = {.tangent = f->tangent, .n1 = v->normal, .n2 = w->normal, .inverse = f->inverse};
    s.fade1 = fade_of(v, narrow1);
    s.fade2 = fade_of(w, narrow2);
    s.full = fil_v4_select(torsion_exists(v, w), stiffness, zero);
    s.k = s.full * s.fade1.weight * s.fade2.weight;
    s.w = torsion_of(f->tangent, v, w, rest, &s.sine, &s.cosine) - rest;
    fil_v4 sine1 = fil_v4_max(v->sine, least), sine2 = fil_v4_max(w->sine, least);
    s.m1 = e->inverse / sine1;
    s.m2 = g->inverse / sine2;
    s.d1 = e->length * sine1;
    s.d2 = g->length * sine2;
    s.alpha = e->length * v->cosine * f->inverse;
    s.beta = g->length * w->cosine * f->inverse;
    fil_v4 force = s.k * s.w;
    fil_w3 by_e = fil_w3_scale(force * s.m1, s.n1), by_g = fil_w3_scale(force * s.m2, s.n2);
    e_row->gradient = fil_w3_add(e_row->gradient, by_e);
    g_row->gradient = fil_w3_add(g_row->gradient, by_g);
    f_row->gradient = fil_w3_subtract(f_row->gradient, mix(s.alpha, by_e, s.beta, by_g));
    fil_stencil K;
    if (second)
        torsion_hessian(&s, hessian, &K);
    bool exact = second && !only_first_derivatives(hessian) && hessian != FIL_HESSIAN_ANALYTIC;
    if (fil_m4_any((s.full > zero) & ((s.fade1.weight < one) | (s.fade2.weight < one))))
        fade_derivatives(&s, e, f, g, v, w, exact, e_row, f_row, g_row, &K);
    if (second) {
        if (hessian == FIL_HESSIAN_FILTER)
            fil_stencil_clamp(3, &K);
        fil_stencil_add(6, e_row->same, K.ee);
        fil_stencil_add(9, e_row->next, K.ef);
        fil_stencil_add(9, e_row->after, K.eg);
        fil_stencil_add(6, f_row->same, K.ff);
        fil_stencil_add(9, f_row->next, K.fg);
        fil_stencil_add(6, g_row->same, K.gg);
    }
    return 0.5 * force * s.w;
}

static inline void add_to(double *sum, fil_v4 a)
{
    fil_v4_store(sum, fil_v4_load(sum) + a);
}

// Vertex i moves edge i - 1 (p) forwards and edge i (o) backwards.
static void write_gradient(const row *p, const row *o, int i, double *gradient)
{
    double *place = gradient + 3 * FIL_LANES * i;
    add_to(place, p->gradient.x - o->gradient.x);
    add_to(place + FIL_LANES, p->gradient.y - o->gradient.y);
    add_to(place + 2 * FIL_LANES, p->gradient.z - o->gradient.z);
}

// The columns of vertex i: rows of vertices i to i + 3.
static void write_band(const row *p, const row *o, int i, double *band)
{
    for (int c = 0; c < 3; ++c) {
        double *column = band + (3 * i + c) * (BANDWIDTH + 1) * FIL_LANES;
        for (int r = 0; r < 3; ++r) {
            int at = fil_stencil_place[r][c], turned = 3 * c + r;
            double *place = column + (r - c) * FIL_LANES;
            if (r >= c)
                add_to(place, p->same[at] - p->next[3 * r + c] - p->next[turned] + o->same[at]);
            add_to(place + 3 * FIL_LANES, p->next[turned] - o->same[at] - p->after[turned] + o->next[turned]);
            add_to(place + 6 * FIL_LANES, p->after[turned] - o->next[turned] + o->after[turned]);
            add_to(place + 9 * FIL_LANES, -o->after[turned]);
        }
    }
}

static void clear(row *r)
{
    fil_v4 zero = fil_v4_all(0);
    r->gradient = (fil_w3){zero, zero, zero};
    for (int k = 0; k < 6; ++k)
        r->same[k] = zero;
    for (int k = 0; k < 9; ++k)
        r->next[k] = r->after[k] = zero;
}

static void elastic(const fil_strand_pack *pack, const double *q, const double *frame, fil_hessian hessian,
                    double *energy, double *gradient, double *band)
{
    (void)frame;
    int n = pack->vertices;
    bool second = band != NULL;
    fil_v4 sum = fil_v4_all(0);
    row rows[4]; // of edge j at j mod 4
    edge edges[4];
    joint joints[2]; // of vertex j at j mod 2
    for (int k = 0; k < 4; ++k)
        clear(&rows[k]);
    // Edge j, the vertex before it, the torsion of the edge before it; then all that edge j - 2 shares is known.
    for (int j = 0; j < n + 2; ++j) {
        row *e_row = &rows[(j + 2) % 4], *f_row = &rows[(j + 3) % 4], *g_row = &rows[j % 4];
        clear(g_row);
        if (j + 1 < n) {
            edge *e = &edges[(j + 2) % 4], *f = &edges[(j + 3) % 4], *g = &edges[j % 4];
            joint *v = &joints[(j + 1) % 2], *w = &joints[j % 2];
            *g = edge_at(pack, q, j);
            sum += stretch(g, pack->stiffening * constant_at(pack, j, C_STRETCH), constant_at(pack, j, C_LENGTH),
                           constant_at(pack, j, C_INVERSE), strain_at(pack, j, S_STRETCH), hessian, second, g_row);
            if (j > 0) {
                *w = joint_at(pack, j, f, g);
                sum += bend(f, g, w, pack->stiffening * constant_at(pack, j, C_BEND), strain_at(pack, j, S_BEND),
                            hessian, second, f_row, g_row);
            }
            if (j > 1)
                sum += torsion(e, f, g, v, w, pack->stiffening * constant_at(pack, j - 1, C_TORSION),
                               strain_at(pack, j - 1, S_TORSION), constant_at(pack, j - 1, C_FADE),
                               constant_at(pack, j, C_FADE), hessian, second, e_row, f_row, g_row);
        }
        if (j > 1) {
            const row *p = &rows[(j + 1) % 4];
            write_gradient(p, e_row, j - 2, gradient);
            if (second)
                write_band(p, e_row, j - 2, band);
        }
    }
    add_to(energy, sum);
}

const fil_strand_type fil_strand_lifted = {
    .name = "lifted",
    .doc = "positions only, bend and torsion as angles; for curls, robust under any deformation",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(lifted_param),
    .dofs = 3,
    .bandwidth = BANDWIDTH,
    .constant_count = CONSTANTS,
    .strain_count = STRAINS,
    .frame_count = 0,
    .safe = FIL_HESSIAN_FILTER,
    .hessian = hessian_of,
    .build = build,
    .strain = strain_of,
    .elastic = elastic,
};
