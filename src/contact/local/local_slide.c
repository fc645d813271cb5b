// Sliding with the slip rate as the only unknown: u_T = -a r_T, a > 0.
//
//   r_T(a) = -(S + a I)⁻¹ d,   r_N(a) = -(c_N + w_NT · r_T) / w_NN,   solve h(a) = mu r_N / |r_T| - 1 = 0
//
// For large a, r_T tends to zero and r_N to -c_N / w_NN > 0, so h > 0; where sticking is impossible h < 0 near zero.
// A bracket therefore exists and the search cannot fail but for rounding. h is close to linear in a, so Newton needs
// three or four steps. S comes from an unsymmetric W as it is.
#include "contact/local/local_slide.h"

#include "math/mat3.h"
#include "math/polynomial.h"

bool fil_slide_make(const double W[9], const double c[3], double mu, fil_slide *slide)
{
    double w_NN = W[0];
    if (!(w_NN > 1e-14 * (W[4] + W[8])) || !(w_NN > 0))
        return false;
    double inverse = 1 / w_NN;
    double w_TN[2] = {W[1], W[2]};
    slide->w_NT[0] = W[3];
    slide->w_NT[1] = W[6];
    for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 2; ++i)
            slide->S[i + 2 * j] = W[(1 + i) + 3 * (1 + j)] - w_TN[i] * slide->w_NT[j] * inverse;
        slide->d[j] = c[1 + j] - w_TN[j] * c[0] * inverse;
    }
    slide->w_NN = w_NN;
    slide->c_N = c[0];
    slide->mu = mu;
    double size = fabs(slide->S[0]) + fabs(slide->S[3]);
    slide->scale = size > 1e-3 * w_NN ? size : w_NN;
    return true;
}

// The point nearest to r on the line r + t n that lies in the cone; false when the line misses it.
static bool enter_cone(double mu, const double n[3], double r[3])
{
    double a = mu * mu * n[0] * n[0] - n[1] * n[1] - n[2] * n[2];
    double b = 2 * (mu * mu * r[0] * n[0] - r[1] * n[1] - r[2] * n[2]);
    double c = mu * mu * r[0] * r[0] - r[1] * r[1] - r[2] * r[2];
    double p[3] = {a, b, c}, roots[2], nearest = INFINITY;
    int count = fil_polynomial_quadratic(p, roots);
    for (int k = 0; k < count; ++k)
        if (r[0] + roots[k] * n[0] >= 0 && fabs(roots[k]) < fabs(nearest))
            nearest = roots[k];
    if (!(fabs(nearest) < INFINITY))
        return false;
    for (int k = 0; k < 3; ++k)
        r[k] += nearest * n[k];
    return true;
}

// All solutions of W r = -c for a W of rank one, W = w wᵀ / w_k: the one on the side of the cone that helps most.
static bool stick_rank_one(const double W[9], const double c[3], double mu, double r[3])
{
    int k = W[4] > W[0] ? 1 : 0;
    k = W[8] > W[4 * k] ? 2 : k;
    const double *w = W + 3 * k; // its column with the largest diagonal
    double side = sqrt(w[1] * w[1] + w[2] * w[2]);
    double ratio = -c[k]; // wanted: w · r = -c_k
    double sign = ratio >= 0 ? 1 : -1;
    double reach = w[0] + sign * mu * side;
    if (!(reach * ratio > 0))
        return false;
    r[0] = ratio / reach;
    r[1] = side > 0 ? sign * mu * r[0] * w[1] / side : 0;
    r[2] = side > 0 ? sign * mu * r[0] * w[2] / side : 0;
    return true;
}

// W r = -c with pivots below `small` taken as zero, refined once: the residual is all that counts.
static int refined_solve(const double W[9], const double c[3], double small, double r[3])
{
    double y[3] = {-c[0], -c[1], -c[2]}, correction[3];
    int rank = fil_mat3_solve_pivoted(W, y, small, r);
    double rest[3] = {y[0], y[1], y[2]}, minus[3] = {-r[0], -r[1], -r[2]};
    fil_mat3_add_vector(W, minus, rest);
    fil_mat3_solve_pivoted(W, rest, small, correction);
    for (int k = 0; k < 3; ++k)
        r[k] += correction[k];
    return rank;
}

bool fil_slide_stick(const double W[9], const double c[3], double mu, double small, double r[3])
{
    int rank = refined_solve(W, c, small, r);
    double tangent = sqrt(r[1] * r[1] + r[2] * r[2]);
    if (r[0] >= 0 && tangent <= mu * r[0] * (1 + 1e-13))
        return true;
    if (rank == 3)
        return false;
    if (rank <= 1)
        return stick_rank_one(W, c, mu, r);
    // Rank two: W adj(W) = 0, so the columns of the adjugate point along the free direction.
    double N[9];
    fil_mat3_adjugate(W, N);
    const double *n = N;
    for (int k = 1; k < 3; ++k)
        if (fil_vec3_dot(N + 3 * k, N + 3 * k) > fil_vec3_dot(n, n))
            n = N + 3 * k;
    double length = fil_vec3_norm(n);
    if (!(length > 0))
        return false;
    double unit[3] = {n[0] / length, n[1] / length, n[2] / length};
    return enter_cone(mu, unit, r);
}

// r_T at a, and its derivative dr_T/da = -(S + a I)⁻¹ r_T when `rate` is given.
static bool tangent_impulse(const fil_slide *slide, double a, double t[2], double rate[2])
{
    double m00 = slide->S[0] + a, m11 = slide->S[3] + a, m10 = slide->S[1], m01 = slide->S[2];
    double det = m00 * m11 - m01 * m10;
    if (!(fabs(det) > 0))
        return false;
    double inverse = 1 / det;
    t[0] = -(m11 * slide->d[0] - m01 * slide->d[1]) * inverse;
    t[1] = -(m00 * slide->d[1] - m10 * slide->d[0]) * inverse;
    if (rate) {
        rate[0] = -(m11 * t[0] - m01 * t[1]) * inverse;
        rate[1] = -(m00 * t[1] - m10 * t[0]) * inverse;
    }
    return true;
}

bool fil_slide_impulse(const fil_slide *slide, double a, double r[3])
{
    double t[2];
    if (!tangent_impulse(slide, a, t, NULL))
        return false;
    double normal = -(slide->c_N + slide->w_NT[0] * t[0] + slide->w_NT[1] * t[1]) / slide->w_NN;
    double size = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (!(normal >= 0) || !(normal < INFINITY) || !(size < INFINITY))
        return false;
    // The direction of r_T is the accurate part; its length follows from the cone.
    double length = size > 0 ? slide->mu * normal / size : 0;
    if (length > 0.5 && length < 2) {
        t[0] *= length;
        t[1] *= length;
        normal = -(slide->c_N + slide->w_NT[0] * t[0] + slide->w_NT[1] * t[1]) / slide->w_NN;
    }
    r[0] = normal;
    r[1] = t[0];
    r[2] = t[1];
    return true;
}

// h(a) and h'(a), h = mu r_N / |r_T| - 1.
static bool cone_gap(const fil_slide *slide, double a, double *h, double *slope)
{
    double t[2], rate[2];
    if (!tangent_impulse(slide, a, t, rate))
        return false;
    double size2 = t[0] * t[0] + t[1] * t[1];
    if (!(size2 > 0) || !(size2 < INFINITY))
        return false;
    double scale = slide->mu / slide->w_NN, size = sqrt(size2);
    double normal = -(slide->c_N + slide->w_NT[0] * t[0] + slide->w_NT[1] * t[1]) * scale;
    double normal_rate = -(slide->w_NT[0] * rate[0] + slide->w_NT[1] * rate[1]) * scale;
    double size_rate = (t[0] * rate[0] + t[1] * rate[1]) / size;
    *h = normal / size - 1;
    *slope = (normal_rate - normal * size_rate / size) / size;
    return true;
}

double fil_slide_polish(const fil_slide *slide, double a)
{
    double h, slope;
    if (!cone_gap(slide, a, &h, &slope))
        return a;
    for (int step = 0; step < 4; ++step) {
        double next = a - h / slope, next_h, next_slope;
        if (!(next > 0) || !cone_gap(slide, next, &next_h, &next_slope) || !(fabs(next_h) < fabs(h)))
            break;
        a = next;
        h = next_h;
        slope = next_slope;
    }
    return a;
}

bool fil_slide_follow(const fil_slide *slide, double guess, double r[3])
{
    // Newton squares the error: once a step is this small, the next would change the last digit only.
    const int most_steps = 6;
    const double last_step = 1e-6;
    double a = guess;
    for (int step = 0; step < most_steps; ++step) {
        double h, slope;
        if (!(a > 0) || !cone_gap(slide, a, &h, &slope))
            return false;
        double next = a - h / slope, change = fabs(next - a);
        a = next;
        if (change <= last_step * a)
            return fil_slide_impulse(slide, a, r);
    }
    return false;
}

bool fil_slide_search(const fil_slide *slide, double guess, double r[3])
{
    const int most_steps = 200;
    const double rounding = 4e-16;
    double low = 0, high = INFINITY;
    double a = guess > 0 && guess < INFINITY ? guess : slide->scale * 1e-3;
    // Without a tangential load any slip rate gives r_T = 0.
    bool loaded = slide->d[0] != 0 || slide->d[1] != 0;
    for (int step = 0; loaded && step < most_steps; ++step) {
        double h, slope, newton = -1;
        if (cone_gap(slide, a, &h, &slope)) {
            newton = a - h / slope;
            if (fabs(h) <= rounding || fabs(newton - a) <= rounding * a)
                break;
        } else {
            h = -1; // S + a I is singular: the root lies above
        }
        if (h > 0)
            high = a;
        else
            low = a;
        if (newton > low && newton < high)
            a = newton;
        else if (high == INFINITY)
            a = 4 * a;
        else if (low > 0)
            a = low * high > 0 && high > 4 * low ? sqrt(low) * sqrt(high) : 0.5 * (low + high);
        else
            a = 1e-2 * high;
        if ((high < INFINITY && high - low <= rounding * high) || a <= 1e-40 * slide->scale)
            break;
    }
    return fil_slide_impulse(slide, a, r);
}
