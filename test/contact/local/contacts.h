// Random single contacts for the tests of local solvers: reproducible, of known kind, with a known solution or at least
// known to have one.
#ifndef FIL_TEST_CONTACT_LOCAL_CONTACTS_H
#define FIL_TEST_CONTACT_LOCAL_CONTACTS_H

#include "base/rng.h"
#include "test.h"

#include <string.h>

// Where a solution is known it is in r; elsewhere r is zero and W is positive definite and well-conditioned, for which
// a solution exists whatever c and mu are.
typedef struct single_contact {
    double W[9], c[3], mu;
    double r[3];
    double tolerance; // relative residual that a solver must reach
} single_contact;

typedef enum contact_kind {
    CONTACT_WELL_SCALED,     // W positive definite, eigenvalues within a factor of about 100
    CONTACT_SCALED,          // the same times 10^[-12, 12], c times another such power
    CONTACT_NEARLY_SINGULAR, // smallest eigenvalue 1e-6 to 1e-13 of the largest, solution constructed
    CONTACT_SINGULAR,        // rank one or two, solution constructed
    CONTACT_KINDS,
} contact_kind;

__attribute__((unused)) static const char *const contact_kind_names[CONTACT_KINDS] = {"well scaled", "scaled",
                                                                                      "nearly singular", "singular"};
__attribute__((unused)) static const double contact_mus[] = {0, 0.01, 0.3, 1, 10};
enum { CONTACT_MUS = sizeof contact_mus / sizeof *contact_mus };

__attribute__((unused)) static void random_vector(fil_rng *rng, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = fil_rng_normal(rng);
}

// sum of scale_k g_k g_kᵀ, exactly symmetric
__attribute__((unused)) static void gram_matrix(double g[3][3], const double scale[3], double W[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k)
                sum += scale[k] * g[k][i] * g[k][j];
            W[i + 3 * j] = W[j + 3 * i] = sum;
        }
}

// A random orthonormal basis by Gram-Schmidt.
__attribute__((unused)) static void random_basis(fil_rng *rng, double g[3][3])
{
    for (int k = 0; k < 3; ++k) {
        double length;
        do {
            random_vector(rng, g[k]);
            for (int m = 0; m < k; ++m) {
                double along = g[k][0] * g[m][0] + g[k][1] * g[m][1] + g[k][2] * g[m][2];
                for (int i = 0; i < 3; ++i)
                    g[k][i] -= along * g[m][i];
            }
            length = sqrt(g[k][0] * g[k][0] + g[k][1] * g[k][1] + g[k][2] * g[k][2]);
        } while (length < 0.1);
        for (int i = 0; i < 3; ++i)
            g[k][i] /= length;
    }
}

// A pair in Coulomb(mu): sticking or sliding, in equal parts.
__attribute__((unused)) static void random_solution(fil_rng *rng, double mu, double r[3], double u[3])
{
    double angle = fil_rng_uniform(rng, 0, 6.283185307179586);
    bool slides = fil_rng_below(rng, 2);
    r[0] = exp(fil_rng_normal(rng));
    double friction = mu * r[0] * (slides ? 1 : fil_rng_uniform(rng, 0, 0.999));
    double slip = slides ? exp(fil_rng_normal(rng)) : 0;
    r[1] = friction * cos(angle);
    r[2] = friction * sin(angle);
    // Without friction the slip points anywhere, and there is always one.
    if (mu == 0)
        slip = fil_rng_normal(rng);
    u[0] = 0;
    u[1] = -slip * cos(angle);
    u[2] = -slip * sin(angle);
}

__attribute__((unused)) static void set_velocity(single_contact *contact, const double u[3])
{
    for (int i = 0; i < 3; ++i) {
        long double sum = u[i];
        for (int j = 0; j < 3; ++j)
            sum -= (long double)contact->W[i + 3 * j] * contact->r[j];
        contact->c[i] = (double)sum;
    }
}

__attribute__((unused)) static void multiply_all(double *x, int count, double factor)
{
    for (int k = 0; k < count; ++k)
        x[k] *= factor;
}

__attribute__((unused)) static void random_well_scaled(fil_rng *rng, single_contact *contact)
{
    double g[3][3], scale[3];
    random_basis(rng, g);
    for (int k = 0; k < 3; ++k)
        scale[k] = pow(10, fil_rng_uniform(rng, -2, 0));
    gram_matrix(g, scale, contact->W);
    random_vector(rng, contact->c);
    // Take-off is one comparison: spend the cases on the other two.
    contact->c[0] = -fabs(contact->c[0]);
    contact->tolerance = 1e-10;
}

__attribute__((unused)) static single_contact random_contact(fil_rng *rng, contact_kind kind, double mu)
{
    single_contact contact = {.mu = mu, .tolerance = 1e-10};
    double g[3][3], scale[3], u[3];
    if (kind == CONTACT_WELL_SCALED || kind == CONTACT_SCALED) {
        random_well_scaled(rng, &contact);
        if (kind == CONTACT_SCALED) {
            multiply_all(contact.W, 9, pow(10, fil_rng_uniform(rng, -12, 12)));
            multiply_all(contact.c, 3, pow(10, fil_rng_uniform(rng, -12, 12)));
        }
        return contact;
    }
    random_basis(rng, g);
    bool nearly = kind == CONTACT_NEARLY_SINGULAR;
    scale[0] = 1;
    scale[1] = fil_rng_below(rng, 2) ? pow(10, fil_rng_uniform(rng, -2, 0))
                                     : (nearly ? pow(10, fil_rng_uniform(rng, -13, -6)) : 0);
    scale[2] = nearly ? pow(10, fil_rng_uniform(rng, -13, -6)) : 0;
    gram_matrix(g, scale, contact.W);
    random_solution(rng, mu, contact.r, u);
    set_velocity(&contact, u);
    contact.tolerance = nearly ? 1e-7 : 1e-10;
    return contact;
}

// |r - P_K(r - rho (u + mu |u_T| e))| in long double, written independently of src/.
__attribute__((unused)) static double single_natural(const single_contact *contact, const double r[3], double *rho_out)
{
    long double u[3], x[3], square = 0, mu = contact->mu;
    long double trace = (long double)contact->W[0] + contact->W[4] + contact->W[8], rho = trace > 0 ? 3 / trace : 1;
    for (int i = 0; i < 3; ++i) {
        u[i] = contact->c[i];
        for (int j = 0; j < 3; ++j)
            u[i] += (long double)contact->W[i + 3 * j] * r[j];
    }
    x[0] = r[0] - rho * (u[0] + mu * hypotl(u[1], u[2]));
    x[1] = r[1] - rho * u[1];
    x[2] = r[2] - rho * u[2];
    long double tangent = hypotl(x[1], x[2]), size = mu * mu + 1, along = (x[0] + mu * tangent) / size;
    long double p[3] = {x[0], x[1], x[2]};
    if (tangent > mu * x[0]) {
        p[0] = along > 0 ? along : 0;
        p[1] = along > 0 && tangent > 0 ? mu * along * x[1] / tangent : 0;
        p[2] = along > 0 && tangent > 0 ? mu * along * x[2] / tangent : 0;
    }
    for (int i = 0; i < 3; ++i)
        square += (r[i] - p[i]) * (r[i] - p[i]);
    *rho_out = (double)rho;
    return (double)sqrtl(square);
}

__attribute__((unused)) static double single_norm(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// The residual relative to rho |c|. The constructed solution itself is only known up to the rounding of c = u - W r:
// that much is forgiven.
__attribute__((unused)) static double single_residual(const single_contact *contact, const double r[3])
{
    double rho, natural = single_natural(contact, r, &rho);
    double forgiven = 1e-15 * single_norm(contact->r);
    double scale = rho * single_norm(contact->c);
    if (!(natural > forgiven))
        return isnan(natural) ? INFINITY : 0;
    return scale > 0 ? (natural - forgiven) / scale : natural;
}

__attribute__((unused)) static bool single_finite(const double r[3])
{
    return isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]);
}

#endif
