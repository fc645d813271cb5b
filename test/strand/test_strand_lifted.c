// What is special about lifted: closed-form eigensystems against numerical ones, strands without a plane, torsion near
// half a turn, the way back of a coil that was pulled straight.
#include "math/simd.h"
#include "strand/angle.h"
#include "strands.h"

static strands_variant lifted(void)
{
    return (strands_variant){.type = fil_strand_type_find("lifted"), .name = "lifted"};
}

// A = Σ λ v vᵀ by Jacobi rotations: A holds the eigenvalues on its diagonal, V the vectors as columns.
static void eigensystem(int m, double *A, double *V)
{
    for (int i = 0; i < m * m; ++i)
        V[i] = i % (m + 1) == 0;
    for (int sweep = 0; sweep < 60; ++sweep)
        for (int p = 0; p < m; ++p)
            for (int r = p + 1; r < m; ++r) {
                if (fabs(A[p * m + r]) <= 1e-18 * (fabs(A[p * m + p]) + fabs(A[r * m + r])))
                    continue;
                double ratio = (A[r * m + r] - A[p * m + p]) / (2 * A[p * m + r]);
                double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < m; ++k) {
                    double x = A[k * m + p], y = A[k * m + r], v = V[k * m + p], w = V[k * m + r];
                    A[k * m + p] = c * x - s * y;
                    A[k * m + r] = s * x + c * y;
                    V[k * m + p] = c * v - s * w;
                    V[k * m + r] = s * v + c * w;
                }
                for (int k = 0; k < m; ++k) {
                    double x = A[p * m + k], y = A[r * m + k];
                    A[p * m + k] = c * x - s * y;
                    A[r * m + k] = s * x + c * y;
                }
            }
}

// The part of A with eigenvalues of this sign.
static void part(int m, const double *A, int sign, double *out)
{
    double work[144], V[144];
    memcpy(work, A, sizeof(double) * (size_t)(m * m));
    eigensystem(m, work, V);
    for (int i = 0; i < m * m; ++i) {
        out[i] = 0;
        for (int k = 0; k < m; ++k)
            if (sign * work[k * m + k] > 0)
                out[i] += work[k * m + k] * V[i / m * m + k] * V[i % m * m + k];
    }
}

static double norm_of(int count, const double *A)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += A[i] * A[i];
    return sqrt(sum);
}

static double distance(int count, const double *A, const double *B)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += (A[i] - B[i]) * (A[i] - B[i]);
    return sqrt(sum);
}

static void plane_matrix(const fil_angle_plane *p, double *A)
{
    double full[16] = {
        p->ee_tt[0], p->ee_tr[0], p->ef_tt[0], p->ef_tr[0], //
        p->ee_tr[0], p->ee_rr[0], p->ef_rt[0], p->ef_rr[0], //
        p->ef_tt[0], p->ef_rt[0], p->ff_tt[0], p->ff_tr[0], //
        p->ef_tr[0], p->ef_rr[0], p->ff_tr[0], p->ff_rr[0], //
    };
    memcpy(A, full, sizeof full);
}

TEST(lifted_plane_is_filtered_exactly)
{
    fil_rng rng = fil_rng_make(1);
    double worst = 0;
    for (int k = 0; k < 20000; ++k) {
        // Also equal lengths, zero angles, and lengths far from each other.
        double a = pow(10, fil_rng_uniform(&rng, -2, 2)), b = k % 3 == 0 ? a : pow(10, fil_rng_uniform(&rng, -2, 2));
        double w = fil_rng_uniform(&rng, -6, 6), h = fil_rng_uniform(&rng, 0.1, 10);
        if (k % 5 == 0)
            w *= pow(10, fil_rng_uniform(&rng, -16, 0));
        if (k % 50 == 0)
            w = 0;
        double exact[16], clamped[16], ours[16];
        fil_v4 va = fil_v4_all(a), vb = fil_v4_all(b), vw = fil_v4_all(w), vh = fil_v4_all(h);
        fil_angle_plane e = fil_angle_plane_exact(vh, vh * vw, 1 / va, 1 / vb);
        fil_angle_plane p = fil_angle_plane_positive(vh, vw, va, vb, 1 / va, 1 / vb);
        plane_matrix(&e, exact);
        plane_matrix(&p, ours);
        part(4, exact, 1, clamped);
        worst = fmax(worst, distance(16, clamped, ours) / norm_of(16, exact));
    }
    ck_assert_msg(worst < 1e-12, "off by %.2g", worst);
}

// The eigenvalues in the words of the notes on [Shi23].
TEST(lifted_eigenvalues_are_those_of_the_paper)
{
    fil_rng rng = fil_rng_make(2);
    double worst = 0;
    for (int k = 0; k < 2000; ++k) {
        double a = fil_rng_uniform(&rng, 0.3, 3), b = fil_rng_uniform(&rng, 0.3, 3);
        double g = fil_rng_uniform(&rng, -3, 3), h = fil_rng_uniform(&rng, 0.1, 3), A[16], V[16];
        fil_angle_plane e = fil_angle_plane_exact(fil_v4_all(h), fil_v4_all(g), fil_v4_all(1 / a), fil_v4_all(1 / b));
        plane_matrix(&e, A);
        eigensystem(4, A, V);
        double S = h / (a * a) + h / (b * b), D = h / (a * a) - h / (b * b), w = g / h;
        double rho = sqrt(1 + 4 * w * w * D * D / (S * S));
        double low = S * sqrt(2 * (2 * w * w + 1 - rho)), high = S * sqrt(2 * (2 * w * w + 1 + rho));
        double expected[] = {(S * (1 - rho) - low) / 4, (S * (1 - rho) + low) / 4, (S * (1 + rho) - high) / 4,
                             (S * (1 + rho) + high) / 4};
        for (int i = 0; i < 4; ++i) {
            double nearest = INFINITY;
            for (int j = 0; j < 4; ++j)
                nearest = fmin(nearest, fabs(expected[i] - A[5 * j]));
            worst = fmax(worst, nearest / expected[3]);
        }
        // Out of the plane.
        double theta = fil_rng_uniform(&rng, 0.05, 3.1);
        fil_angle_normal n = fil_angle_normal_exact(fil_v4_all(g / sin(theta)), fil_v4_all(cos(theta)),
                                                    fil_v4_all(1 / a), fil_v4_all(1 / b));
        double N[4] = {n.ee[0], n.ef[0], n.ef[0], n.ff[0]};
        eigensystem(2, N, V);
        double beta = (b / a - a / b) * cos(theta), alpha = (-beta + sqrt(beta * beta + 4)) / 2;
        double one = g * (1 / tan(theta) / (b * b) - alpha / (a * b * sin(theta)));
        double two = g * (1 / tan(theta) / (b * b) + 1 / (alpha * a * b * sin(theta)));
        worst = fmax(worst, fabs(fmin(one, two) - fmin(N[0], N[3])) / fmax(fabs(one), fabs(two)));
        worst = fmax(worst, fabs(fmax(one, two) - fmax(N[0], N[3])) / fmax(fabs(one), fabs(two)));
    }
    ck_assert_msg(worst < 1e-12, "off by %.2g", worst);
}

TEST(lifted_normal_is_filtered_exactly)
{
    fil_rng rng = fil_rng_make(3);
    double worst = 0;
    for (int k = 0; k < 20000; ++k) {
        double a = pow(10, fil_rng_uniform(&rng, -2, 2)), b = k % 3 == 0 ? a : pow(10, fil_rng_uniform(&rng, -2, 2));
        double theta = k % 7 == 0 ? pow(10, fil_rng_uniform(&rng, -6, 0)) : fil_rng_uniform(&rng, 0.01, 3.1);
        double w = fil_rng_uniform(&rng, -6, 6), h = fil_rng_uniform(&rng, 0.1, 10);
        fil_v4 va = fil_v4_all(a), vb = fil_v4_all(b), vh = fil_v4_all(h), vG = fil_v4_all(w / sin(theta));
        fil_v4 cosine = fil_v4_all(cos(theta)), sine = fil_v4_all(sin(theta));
        fil_angle_normal e = fil_angle_normal_exact(vh * vG, cosine, 1 / va, 1 / vb);
        fil_angle_normal p = fil_angle_normal_positive(vh, vG, cosine, sine, va, vb, 1 / va, 1 / vb);
        double exact[4] = {e.ee[0], e.ef[0], e.ef[0], e.ff[0]}, ours[4] = {p.ee[0], p.ef[0], p.ef[0], p.ff[0]};
        double clamped[4];
        part(2, exact, 1, clamped);
        worst = fmax(worst, distance(4, clamped, ours) / norm_of(4, exact));
    }
    ck_assert_msg(worst < 1e-12, "off by %.2g", worst);
}

// Strands with one energy only, in some other shape.
enum { STRETCH = 1, BEND = 2, TORSION = 4 };

static strands *only(unsigned energies, fil_rng *rng, const strands_variant *variant, int vertices)
{
    strands *s = strands_make(variant, rng, CURVE_WAVY, vertices, 1);
    for (int l = 0; l < FIL_LANES; ++l) {
        for (int i = 0; i < s->count[l]; ++i) {
            s->stretch[l][i] *= energies & STRETCH ? 1 : 0;
            s->bend1[l][i] *= energies & BEND ? 1 : 0;
            s->bend2[l][i] *= energies & BEND ? 1 : 0;
            s->twist[l][i] *= energies & TORSION ? 1 : 0;
        }
        test_ok(s->context, strands_build(s, l));
    }
    strands_deform(s, rng, CURVE_SHARP, 0.5, 1.5);
    return s;
}

static void hessian_of(const strands *s, fil_hessian hessian, double *H)
{
    static strands_result result;
    strands_evaluate(s, hessian, &result);
    strands_dense(s, &result, 0, H);
}

// One stencil: `filter` is the clamp of the whole matrix of its vertices.
TEST(lifted_filter_is_the_clamp_of_a_stencil)
{
    strands_variant variant = lifted();
    fil_rng rng = fil_rng_make(4);
    static const unsigned energy_of[] = {0, 0, STRETCH, BEND, TORSION};
    for (int n = 2; n <= 4; ++n)
        for (int k = 0; k < 200; ++k) {
            strands *s = only(energy_of[n], &rng, &variant, n);
            int m = 3 * n;
            double exact[144], clamped[144], ours[144];
            hessian_of(s, FIL_HESSIAN_NONE, exact);
            hessian_of(s, FIL_HESSIAN_FILTER, ours);
            part(m, exact, 1, clamped);
            ck_assert_msg(distance(m * m, clamped, ours) <= 1e-11 * norm_of(m * m, exact), "%d vertices: off by %.2g",
                          n, distance(m * m, clamped, ours) / norm_of(m * m, exact));
            strands_free(s);
        }
}

// `analytic` is the same clamp, of the two edges instead of the three vertices: K = [H00, -H02; -H20, H22].
TEST(lifted_analytic_bend_is_the_clamp_of_two_edges)
{
    strands_variant variant = lifted();
    fil_rng rng = fil_rng_make(5);
    for (int k = 0; k < 200; ++k) {
        strands *s = only(BEND, &rng, &variant, 3);
        double exact[81], ours[81], K[2][36], clamped[36];
        hessian_of(s, FIL_HESSIAN_NONE, exact);
        hessian_of(s, FIL_HESSIAN_ANALYTIC, ours);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) {
                int at = 9 * (i < 3 ? i : i + 3) + (j < 3 ? j : j + 3);
                K[0][6 * i + j] = (i < 3) == (j < 3) ? exact[at] : -exact[at];
                K[1][6 * i + j] = (i < 3) == (j < 3) ? ours[at] : -ours[at];
            }
        part(6, K[0], 1, clamped);
        ck_assert_msg(distance(36, clamped, K[1]) <= 1e-11 * norm_of(36, K[0]), "off by %.2g",
                      distance(36, clamped, K[1]) / norm_of(36, K[0]));
        strands_free(s);
    }
}

// The filter that the paper has for torsion, as a matrix of four vertices: Pᵀ H⁺ P - Dᵀ H⁻ D. Without filter, with H
// for both parts, it is the exact Hessian.
static void paper_torsion(const double *x, double g, double h, bool filter, double *out)
{
    double e[3], f[3], r[3], p[3], q[3], n[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = x[k] - x[3 + k];
        f[k] = x[6 + k] - x[3 + k];
        r[k] = x[9 + k] - x[6 + k];
    }
    double ff = strands_dot(f, f), alpha = strands_dot(e, f) / ff, beta = strands_dot(r, f) / ff;
    for (int k = 0; k < 3; ++k) {
        p[k] = e[k] - alpha * f[k];
        q[k] = r[k] - beta * f[k];
    }
    // The unsigned angle of p and q: the sign of its derivative goes to g.
    double a = sqrt(strands_dot(p, p)), b = sqrt(strands_dot(q, q));
    strands_cross(p, q, n);
    double sine = sqrt(strands_dot(n, n)) / (a * b), cosine = strands_dot(p, q) / (a * b), along[3];
    for (int k = 0; k < 3; ++k)
        along[k] = n[k] / (a * b * sine);
    double side = strands_dot(along, f) < 0 ? -1 : 1;
    g *= side;
    double H[36] = {0}, t1[3], t2[3];
    strands_cross(along, p, t1);
    strands_cross(along, q, t2);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double n2 = along[i] * along[j];
            H[6 * i + j] = h * t1[i] * t1[j] / pow(a, 4) + g * (t1[i] * p[j] + p[i] * t1[j]) / pow(a, 4) +
                           g * cosine / sine / (a * a) * n2;
            H[6 * (i + 3) + j + 3] = h * t2[i] * t2[j] / pow(b, 4) - g * (t2[i] * q[j] + q[i] * t2[j]) / pow(b, 4) +
                                     g * cosine / sine / (b * b) * n2;
            H[6 * i + j + 3] = -h * t1[i] * t2[j] / (a * a * b * b) - g / (a * b * sine) * n2;
            H[6 * (j + 3) + i] = H[6 * i + j + 3];
        }
    double plus[36], minus[36], P[72] = {0}, D[72] = {0};
    part(6, H, 1, plus);
    part(6, H, -1, minus);
    if (!filter) {
        memcpy(plus, H, sizeof plus);
        memcpy(minus, H, sizeof minus);
    }
    for (int i = 0; i < 3; ++i)
        for (int v = 0; v < 4; ++v) {
            static const double de[4] = {1, -1, 0, 0}, df[4] = {0, -1, 1, 0}, dr[4] = {0, 0, -1, 1};
            P[12 * i + 3 * v + i] = de[v] - alpha * df[v];
            P[12 * (i + 3) + 3 * v + i] = dr[v] - beta * df[v];
            for (int k = 0; k < 3; ++k) {
                D[12 * i + 3 * v + k] = f[i] * (de[v] * f[k] + df[v] * (e[k] - 2 * alpha * f[k])) / ff;
                D[12 * (i + 3) + 3 * v + k] = f[i] * (dr[v] * f[k] + df[v] * (r[k] - 2 * beta * f[k])) / ff;
            }
        }
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j) {
            out[12 * i + j] = 0;
            for (int k = 0; k < 6; ++k)
                for (int c = 0; c < 6; ++c)
                    out[12 * i + j] += P[12 * k + i] * plus[6 * k + c] * P[12 * c + j] -
                                       D[12 * k + i] * minus[6 * k + c] * D[12 * c + j];
        }
}

// Four vertices with torsion tau.
static void bent(double tau, double *x)
{
    double t[3] = {1, 0, 0}, b[3] = {0, 0, 1};
    for (int k = 0; k < 3; ++k)
        x[k] = 0;
    for (int i = 1; i < 4; ++i) {
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = x[3 * (i - 1) + k] + t[k];
        if (i == 2)
            strands_turn(t, tau, b);
        strands_turn(b, 1.2, t);
    }
}

static double trace(int m, const double *A)
{
    double sum = 0;
    for (int i = 0; i < m; ++i)
        sum += A[i * (m + 1)];
    return sum;
}

// How stiff the filters are for a coil whose torsion is tau instead of -14 degrees. FILUM_SHOW=1 shows it.
TEST(lifted_torsion_is_not_stiff_where_it_is_small)
{
    strands_variant variant = lifted();
    fil_rng rng = fil_rng_make(6);
    double tau0 = -14 * M_PI / 180;
    for (double tau = 1; tau > 1e-7; tau *= 0.1)
        for (int sign = -1; sign <= 1; sign += 2) {
            strands *s = strands_make(&variant, &rng, CURVE_HELIX, 4, 1);
            double exact[144], clamp[144], ours[144], paper[144], none[144] = {0};
            for (int i = 0; i < 3; ++i) {
                s->length[0][i] = s->twist[0][i] = 1;
                s->stretch[0][i] = s->bend1[0][i] = s->bend2[0][i] = 0;
            }
            bent(tau0, s->rest[0]);
            test_ok(s->context, strands_build(s, 0));
            double x[12];
            bent(sign * tau, x);
            strands_place(s, 0, x, s->axis[0]);
            hessian_of(s, FIL_HESSIAN_NONE, exact);
            hessian_of(s, FIL_HESSIAN_FILTER, clamp);
            hessian_of(s, FIL_HESSIAN_ANALYTIC, ours);
            paper_torsion(x, sign * tau - tau0, 1, false, paper);
            if (tau > 1e-3)
                ck_assert_double_lt(distance(144, paper, exact), 1e-9 * norm_of(144, exact));
            paper_torsion(x, sign * tau - tau0, 1, true, paper);
            if (getenv("FILUM_SHOW"))
                printf("tau %9.2g: trace of clamp %.3g, analytic %.3g, paper %.3g\n", sign * tau, trace(12, clamp),
                       trace(12, ours), trace(12, paper));
            // Neither loses anything of the exact Hessian: the difference is semi-definite.
            for (int i = 0; i < 144; ++i)
                none[i] = ours[i] - exact[i];
            ck_assert(strands_least_eigenvalue(12, none) > -1e-10);
            ck_assert_double_lt(trace(12, ours), 1.5 * trace(12, clamp));
            if (tau < 1e-3)
                ck_assert_double_gt(trace(12, paper), 100 * trace(12, clamp));
            strands_free(s);
        }
}

// A strand of four vertices in lane 0 with torsion tau0 at rest and torsion only.
static strands *torsion_only(const strands_variant *variant, double tau0)
{
    fil_rng rng = fil_rng_make(7);
    strands *s = only(TORSION, &rng, variant, 4);
    for (int i = 0; i < 3; ++i)
        s->length[0][i] = s->twist[0][i] = 1;
    bent(tau0, s->rest[0]);
    test_ok(s->context, strands_build(s, 0));
    return s;
}

static double torsion_strain(strands *s, double tau, strands_result *result)
{
    double x[12], strain[4 * 3 * FIL_LANES];
    bent(tau, x);
    strands_place(s, 0, x, s->axis[0]);
    strands_evaluate(s, FIL_HESSIAN_ANALYTIC, result);
    s->type->strain(&s->pack, s->q, s->frame, strain);
    return strain[(1 * 3 + 2) * FIL_LANES];
}

TEST(lifted_torsion_takes_the_shorter_way_round)
{
    static strands_result result;
    strands_variant variant = lifted();
    strands *s = torsion_only(&variant, 3);
    test_near(s->strain[(1 * 3 + 2) * FIL_LANES], 3, 1e-14); // right-handed is positive
    for (double tau = -3.1; tau < 3.2; tau += 0.1) {
        double expected = tau < 3 - M_PI ? tau + 2 * M_PI : tau;
        test_near(torsion_strain(s, tau, &result), expected, 1e-13);
        test_near(result.energy[0], 0.5 * (expected - 3) * (expected - 3), 1e-13);
    }
    // Rest values may count turns: viscosity leaves them there.
    s->strain[(1 * 3 + 2) * FIL_LANES] = 3 + 6 * M_PI;
    test_near(torsion_strain(s, 2.5, &result), 2.5 + 6 * M_PI, 1e-13);
    test_near(result.energy[0], 0.125, 1e-12);
    strands_free(s);
}

// A rest shape without planes has no torsion; a current shape without them feels none.
TEST(lifted_torsion_needs_planes)
{
    static strands_result result;
    strands_variant variant = lifted();
    fil_rng rng = fil_rng_make(8);
    double angles[] = {1e-5, 9e-5, 1.1e-4, 1e-2};
    for (int k = 0; k < 4; ++k) {
        strands *s = torsion_only(&variant, 0.5);
        // The last edge nearly straight on.
        double *x = s->rest[0], u[3], t[3] = {0.3, -0.5, 0.8};
        for (int c = 0; c < 3; ++c)
            u[c] = x[6 + c] - x[3 + c];
        double b[3];
        strands_cross(u, t, b);
        double size = sqrt(strands_dot(b, b));
        for (int c = 0; c < 3; ++c)
            b[c] /= size;
        strands_turn(b, angles[k], u);
        for (int c = 0; c < 3; ++c)
            x[9 + c] = x[6 + c] + u[c];
        test_ok(s->context, strands_build(s, 0));
        strands_deform(s, &rng, CURVE_WAVY, 1, 1);
        strands_evaluate(s, FIL_HESSIAN_ANALYTIC, &result);
        ck_assert(angles[k] < 1e-4 ? result.energy[0] == 0 : result.energy[0] > 0);
        strands_free(s);
    }
    strands *s = torsion_only(&variant, 0.5);
    strands_deform(s, &rng, CURVE_STRAIGHT, 1, 1);
    strands_evaluate(s, FIL_HESSIAN_ANALYTIC, &result);
    ck_assert(result.energy[0] == 0 && norm_of(12 * FIL_LANES, result.gradient) == 0);
    strands_free(s);
}

// From full strength to nothing while a vertex straightens, without a jump.
TEST(lifted_torsion_fades)
{
    static strands_result result;
    strands_variant variant = lifted();
    strands *s = torsion_only(&variant, 0.5);
    double full = 0.5 * 0.2 * 0.2, rest_sine = sin(1.2), before = -1;
    for (double angle = 1e-6; angle < 1.2; angle *= 1.01) {
        double x[12], axis[3], u[3], z = pow(sin(angle) / (0.1 * rest_sine), 2);
        bent(0.7, x);
        // The last edge turns in its plane.
        double f[3], g[3];
        for (int k = 0; k < 3; ++k) {
            f[k] = x[6 + k] - x[3 + k];
            g[k] = x[9 + k] - x[6 + k];
        }
        strands_cross(f, g, axis);
        double size = sqrt(strands_dot(axis, axis));
        for (int k = 0; k < 3; ++k) {
            axis[k] /= size;
            u[k] = f[k];
        }
        strands_turn(axis, angle, u);
        for (int k = 0; k < 3; ++k)
            x[9 + k] = x[6 + k] + u[k];
        strands_place(s, 0, x, s->axis[0]);
        strands_evaluate(s, FIL_HESSIAN_ANALYTIC, &result);
        double weight = z < 1 ? 1 - pow(1 - z, 3) : 1;
        ck_assert_msg(fabs(result.energy[0] - weight * full) < 1e-9 * full, "angle %g: energy %.17g, expected %.17g",
                      angle, result.energy[0], weight * full);
        ck_assert(result.energy[0] >= before - 1e-9 * full);
        before = result.energy[0];
    }
    strands_free(s);
}

TEST(lifted_refuses_edges_without_length)
{
    strands_variant variant = lifted();
    fil_rng rng = fil_rng_make(9);
    strands *s = strands_make(&variant, &rng, CURVE_WAVY, 5, 1);
    s->length[0][2] = 0;
    test_fails(s->context, strands_build(s, 0), FIL_BAD_INPUT, "length[2]: must be a finite number > 0 (got 0)");
    s->length[0][2] = NAN;
    ck_assert_int_eq(strands_build(s, 0), FIL_BAD_INPUT);
    strands_free(s);
}

// At the straight rest shape the Hessian is that of a rod, the same in all directions across: a cubic's worth of
// d²x/ds², for any direction of the strand.
TEST(lifted_straight_strand_is_isotropic)
{
    static double H[STRANDS_UNKNOWNS * STRANDS_UNKNOWNS];
    strands_variant variant = lifted();
    fil_rng rng = fil_rng_make(10);
    static const fil_hessian exact_here[] = {FIL_HESSIAN_NONE, FIL_HESSIAN_FILTER, FIL_HESSIAN_ANALYTIC};
    for (int k = 0; k < 60; ++k) {
        strands *s = only(BEND, &rng, &variant, 6);
        double t[3];
        strands_random_unit(&rng, t);
        for (int i = 0; i < 6; ++i)
            for (int c = 0; c < 3; ++c) {
                s->rest[0][3 * i + c] = i * (k % 4 == 3 ? c == k / 4 % 3 : t[c]);
                s->length[0][i] = s->bend1[0][i] = s->bend2[0][i] = 1;
            }
        if (k % 4 == 3)
            for (int c = 0; c < 3; ++c)
                t[c] = c == k / 4 % 3;
        test_ok(s->context, strands_build(s, 0));
        strands_place(s, 0, s->rest[0], s->axis[0]);
        hessian_of(s, exact_here[k % 3], H);
        double worst = 0;
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) {
                // Second differences at the four inner vertices.
                double expected = 0;
                for (int v = 1; v < 5; ++v)
                    expected += (abs(i - v) > 1 ? 0 : i == v ? -2 : 1) * (abs(j - v) > 1 ? 0 : j == v ? -2 : 1);
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c)
                        worst =
                            fmax(worst, fabs(H[18 * (3 * i + r) + 3 * j + c] - expected * ((r == c) - t[r] * t[c])));
            }
        ck_assert_msg(worst < 1e-10, "off by %.2g", worst);
        strands_free(s);
    }
}

// A helix bent to another helix has the energy of a rod: 1/2 EI (κ - κ0)² + 1/2 GJ (τ - τ0)² per length, up to
// O(length of an edge) from the missing ends.
static double helix_energy(const strands_variant *variant, int n, double length)
{
    enum { MOST = 400 };
    static double rest[3 * MOST], x[3 * MOST], edge[MOST], one[MOST], zero[MOST], constants[MOST * 16 * FIL_LANES],
        strain[MOST * 3 * FIL_LANES], q[MOST * 3 * FIL_LANES], gradient[MOST * 3 * FIL_LANES];
    const double kappa[2] = {2, 3}, tau[2] = {0.5, 1.5};
    double energy[FIL_LANES] = {0}, param[4];
    for (int which = 0; which < 2; ++which)
        for (int i = 0; i < n; ++i) {
            double square = kappa[which] * kappa[which] + tau[which] * tau[which], turn = sqrt(square);
            double s = length * i / (n - 1), radius = kappa[which] / square, pitch = tau[which] / square;
            double *place = (which ? x : rest) + 3 * i;
            place[0] = radius * cos(turn * s);
            place[1] = radius * sin(turn * s);
            place[2] = pitch * turn * s;
        }
    for (int i = 0; i < n; ++i) {
        double d = 0;
        for (int k = 0; k < 3 && i + 1 < n; ++k)
            d += (rest[3 * i + 3 + k] - rest[3 * i + k]) * (rest[3 * i + 3 + k] - rest[3 * i + k]);
        edge[i] = sqrt(d);
        one[i] = 1;
        zero[i] = 0;
    }
    fil_strand_shape shape = {.vertices = n,
                              .rest = rest,
                              .rest_twist = zero,
                              .length = edge,
                              .stretch = zero,
                              .bend1 = one,
                              .bend2 = one,
                              .twist = one};
    ck_assert(variant->type->constant_count <= 16 && variant->type->strain_count == 3);
    fil_settings_defaults(variant->type->fields, variant->type->field_count, param);
    for (int l = 0; l < FIL_LANES; ++l) {
        ck_assert_int_eq(variant->type->build(NULL, &shape, param, constants + l, strain + l), FIL_OK);
        for (int k = 0; k < 3 * n; ++k)
            q[k * FIL_LANES + l] = x[k];
    }
    fil_strand_pack pack = {n, constants, strain, 1, param};
    variant->type->elastic(&pack, q, NULL, FIL_HESSIAN_ANALYTIC, energy, gradient, NULL);
    return energy[0];
}

TEST(lifted_converges_to_a_rod)
{
    strands_variant variant = lifted();
    double length = 3, rod = 0.5 * (1 + 1) * length, coarse = helix_energy(&variant, 50, length);
    double middle = helix_energy(&variant, 100, length), fine = helix_energy(&variant, 200, length);
    ck_assert_double_lt(fabs(fine - rod), 0.02 * rod);
    test_near((coarse - rod) / (middle - rod), 2, 0.1);
    test_near((middle - rod) / (fine - rod), 2, 0.1);
}

// Three vertices in line whose rest shape is bent: the forces bend them about the binormal of the rest shape.
TEST(lifted_straight_vertex_bends_as_at_rest)
{
    static strands_result r;
    strands_variant variant = lifted();
    fil_rng rng = fil_rng_make(12);
    for (int k = 0; k < 100; ++k) {
        strands *s = only(BEND, &rng, &variant, 3);
        double x[9], t[3], e[3], f[3], binormal[3], normal[3];
        for (int c = 0; c < 3; ++c) {
            e[c] = s->rest[0][3 + c] - s->rest[0][c];
            f[c] = s->rest[0][6 + c] - s->rest[0][3 + c];
        }
        strands_cross(e, f, binormal);
        strands_random_unit(&rng, t);
        // Whole numbers are straight to the last digit.
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < 3; ++i)
                x[3 * i + c] = i * round(8 * t[c]);
        strands_place(s, 0, x, s->axis[0]);
        strands_evaluate(s, FIL_HESSIAN_ANALYTIC, &r);
        for (int c = 0; c < 3; ++c) {
            double step = 1e-3 / norm_of(9 * FIL_LANES, r.gradient);
            for (int i = 0; i < 3; ++i)
                x[3 * i + c] -= step * r.gradient[(3 * i + c) * FIL_LANES];
            t[c] = x[6 + c] - x[c];
            e[c] = x[3 + c] - x[c];
            f[c] = x[6 + c] - x[3 + c];
        }
        strands_cross(e, f, normal);
        double along = strands_dot(binormal, t) / strands_dot(t, t);
        for (int c = 0; c < 3; ++c)
            binormal[c] -= along * t[c];
        double cosine =
            strands_dot(normal, binormal) / sqrt(strands_dot(normal, normal) * strands_dot(binormal, binormal));
        ck_assert_msg(cosine > 0.999, "the cosine is %g", cosine);
        strands_free(s);
    }
}

// Newton with backtracking on the dense Hessian of lane 0, the first vertex and its first edge held; returns
// iterations.
static int relax(strands *s, fil_hessian hessian, int most, double *energy)
{
    static strands_result r;
    static double H[STRANDS_UNKNOWNS * STRANDS_UNKNOWNS];
    int m = 3 * s->vertices, iteration = 0;
    for (; iteration < most; ++iteration) {
        strands_evaluate(s, hessian, &r);
        strands_dense(s, &r, 0, H);
        double step[STRANDS_UNKNOWNS], size = 0, slope = 0, largest = 0;
        for (int i = 0; i < m; ++i)
            largest = fmax(largest, H[i * m + i]);
        // A little mass, so that it is definite.
        for (int i = 0; i < m; ++i) {
            H[i * m + i] += 1e-3 + 1e-12 * largest;
            step[i] = i < 6 ? 0 : -r.gradient[i * FIL_LANES];
        }
        for (int i = 6; i < m; ++i) { // Gauss without pivots
            ck_assert(H[i * m + i] > 0);
            for (int j = i + 1; j < m; ++j) {
                double factor = H[j * m + i] / H[i * m + i];
                for (int k = i; k < m; ++k)
                    H[j * m + k] -= factor * H[i * m + k];
                step[j] -= factor * step[i];
            }
        }
        for (int i = m - 1; i >= 6; --i) {
            for (int k = i + 1; k < m; ++k)
                step[i] -= H[i * m + k] * step[k];
            step[i] /= H[i * m + i];
        }
        for (int i = 0; i < m; ++i) {
            size = fmax(size, fabs(step[i]));
            slope += step[i] * r.gradient[i * FIL_LANES];
        }
        *energy = r.energy[0];
        if (size < 1e-9)
            break;
        double start = r.energy[0], factor = 1, before[STRANDS_UNKNOWNS];
        for (int i = 0; i < m; ++i)
            before[i] = s->q[i * FIL_LANES];
        for (int tries = 0; tries < 40; ++tries, factor *= 0.5) {
            for (int i = 0; i < m; ++i)
                s->q[i * FIL_LANES] = before[i] + factor * step[i];
            strands_evaluate(s, hessian, &r);
            if (r.energy[0] <= start + 1e-4 * factor * slope)
                break;
        }
    }
    return iteration;
}

// A coil of five vertices per turn as in the paper, pulled straight: the binormals of the rest shape show the way back,
// and torsion that fades where planes vanish does not stand in it.
TEST(lifted_straightened_coil_comes_back)
{
    strands_variant variant = lifted();
    fil_rng rng = fil_rng_make(11);
    static const fil_hessian safe[] = {FIL_HESSIAN_ANALYTIC, FIL_HESSIAN_FILTER};
    static const char *const name[] = {"analytic", "filter"};
    for (int which = 0; which < 2; ++which)
        for (int direction = 0; direction < 4; ++direction) {
            strands *s = strands_make(&variant, &rng, CURVE_HELIX, 12, 1);
            double x[36], energy, start, any[3], length = sqrt(pow(sin(0.2 * M_PI), 2) + 0.01);
            strands_random_unit(&rng, any);
            for (int i = 0; i < 12; ++i) {
                double phi = 0.4 * M_PI * i;
                double rest[3] = {-0.5 * cos(phi), 0.1 * i, 0.5 * sin(phi)};
                for (int k = 0; k < 3; ++k) {
                    s->rest[0][3 * i + k] = rest[k];
                    x[3 * i + k] = length * i * (direction == 3 ? any[k] : k == direction);
                }
            }
            for (int i = 0; i < 11; ++i) {
                double d[3];
                for (int k = 0; k < 3; ++k)
                    d[k] = s->rest[0][3 * i + 3 + k] - s->rest[0][3 * i + k];
                s->length[0][i] = sqrt(strands_dot(d, d));
                s->stretch[0][i] = 1000;
                s->bend1[0][i] = s->bend2[0][i] = s->twist[0][i] = 1;
            }
            test_ok(s->context, strands_build(s, 0));
            strands_place(s, 0, x, s->axis[0]);
            relax(s, safe[which], 0, &energy);
            relax(s, safe[which], 1, &start);
            int iterations = relax(s, safe[which], 2000, &energy);
            if (getenv("FILUM_SHOW"))
                printf("%s, direction %d: energy %.3g to %.3g in %d iterations\n", name[which], direction, start,
                       energy, iterations);
            ck_assert_msg(energy < 1e-8 * start, "%s, direction %d: energy %.3g to %.3g in %d iterations", name[which],
                          direction, start, energy, iterations);
            strands_free(s);
        }
}
