// enum: the quartic has spurious roots, and the smallest positive one is not always the right one.
#include "contact/local/local_slide.h"

#include "contacts.h"
#include "math/polynomial.h"

static int solve(const single_contact *contact, double r[3])
{
    return fil_local_enum.solve(contact->W, contact->c, contact->mu, 1e-10, NULL, r);
}

// With the formulas of the errata: roots a > 0 of the squared equation with r_N < 0 are not solutions.
static int spurious_roots(const single_contact *contact)
{
    fil_slide slide;
    if (!fil_slide_make(contact->W, contact->c, contact->mu, &slide))
        return 0;
    const double *S = slide.S, *d = slide.d;
    double y0[2] = {S[3] * d[0] - S[2] * d[1], S[0] * d[1] - S[1] * d[0]};
    double n2 = slide.c_N, n1 = slide.c_N * (S[0] + S[3]) - slide.w_NT[0] * d[0] - slide.w_NT[1] * d[1];
    double n0 = slide.c_N * (S[0] * S[3] - S[1] * S[2]) - slide.w_NT[0] * y0[0] - slide.w_NT[1] * y0[1];
    double k = slide.w_NN * slide.w_NN / (slide.mu * slide.mu), roots[4];
    double p[5] = {n2 * n2, 2 * n2 * n1, n1 * n1 + 2 * n2 * n0 - k * (d[0] * d[0] + d[1] * d[1]),
                   2 * (n1 * n0 - k * (d[0] * y0[0] + d[1] * y0[1])), n0 * n0 - k * (y0[0] * y0[0] + y0[1] * y0[1])};
    int count = fil_polynomial_quartic(p, roots), spurious = 0;
    for (int m = 0; m < count; ++m) {
        double r[3];
        spurious += roots[m] > 0 && !fil_slide_impulse(&slide, roots[m], r);
    }
    return spurious;
}

TEST(local_enum_drops_spurious_roots)
{
    fil_rng rng = fil_rng_make(91);
    long with_spurious = 0, wrong = 0;
    for (int n = 0; n < 20000; ++n) {
        single_contact contact = random_contact(&rng, CONTACT_WELL_SCALED, 10);
        double r[3] = {0, 0, 0};
        with_spurious += spurious_roots(&contact) > 0;
        wrong += solve(&contact, r) != 0 || !(single_residual(&contact, r) <= 1e-10) || !(r[0] >= 0);
    }
    ck_assert_msg(with_spurious > 200, "only %ld cases have spurious roots: the test is weak", with_spurious);
    ck_assert_int_eq(wrong, 0);
}

// The first guess does not matter: enum starts from nothing.
TEST(local_enum_ignores_the_first_guess)
{
    fil_rng rng = fil_rng_make(92);
    for (int n = 0; n < 2000; ++n) {
        single_contact contact = random_contact(&rng, (contact_kind)(n % CONTACT_KINDS), contact_mus[n % CONTACT_MUS]);
        double r[3] = {0, 0, 0}, s[3];
        random_vector(&rng, s);
        ck_assert_int_eq(solve(&contact, r), solve(&contact, s));
        ck_assert(memcmp(r, s, sizeof r) == 0);
    }
}

// Each case by hand, W = I.
TEST(local_enum_by_hand)
{
    static const struct {
        double c[3], mu, r[3];
    } cases[] = {
        {{0.5, 1, 1}, 0.3, {0, 0, 0}}, {{-1, 0.2, -0.1}, 0.3, {1, -0.2, 0.1}}, {{-1, 3, -4}, 0.3, {1, -0.18, 0.24}},
        {{-1, 3, -4}, 0, {1, 0, 0}},   {{-1, 0.3, 0}, 0.3, {1, -0.3, 0}}, // between sticking and sliding
        {{-1, 0, 0}, 0.3, {1, 0, 0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        single_contact contact = {.W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mu = cases[k].mu};
        memcpy(contact.c, cases[k].c, sizeof contact.c);
        double r[3];
        ck_assert_int_eq(solve(&contact, r), 0);
        for (int i = 0; i < 3; ++i)
            ck_assert_msg(fabs(r[i] - cases[k].r[i]) <= 1e-14, "case %zu: r[%d] = %.17g", k, i, r[i]);
    }
}
