// The Newton loop of one contact: the step, the gradient where there is none, the best iterate.
#include "contact/local/local.h"

#include "contacts.h"

// With W = 0 the matrix J = A of a pressed contact is singular, and the step must be -Aᵀ F.
TEST(local_newton_goes_down_the_gradient_when_singular)
{
    const fil_local_newton_param once = {.iterations = 1};
    const double W[9] = {0};
    fil_rng rng = fil_rng_make(111);
    long wrong = 0, moved = 0;
    for (int n = 0; n < 3000; ++n) {
        double c[3], start[3], r[3], F[3], A[9], B[9], step[3] = {0, 0, 0}, after[3], G[3];
        random_vector(&rng, c);
        random_vector(&rng, start);
        c[0] = -fabs(c[0]);
        start[0] = 0.2 * fabs(start[0]) + 0.1;
        fil_contact_map(FIL_MAP_AC, 0.3, fil_local_rho(W), start, c, F, A, B);
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                step[j] -= A[i + 3 * j] * F[i];
        for (int k = 0; k < 3; ++k)
            after[k] = start[k] + step[k];
        fil_contact_map(FIL_MAP_AC, 0.3, fil_local_rho(W), after, c, G, NULL, NULL);
        if (!(single_norm(G) < single_norm(F) * (1 - 1e-9)) || single_norm(step) < 1e-6)
            continue; // the best iterate stays where it was
        ++moved;
        memcpy(r, start, sizeof r);
        fil_local_newton(FIL_MAP_AC, false, W, c, 0.3, 1e-10, &once, r);
        for (int k = 0; k < 3; ++k)
            wrong += !(fabs(r[k] - after[k]) <= 1e-12);
    }
    ck_assert_msg(moved > 300, "only %ld cases move: the test is weak", moved);
    ck_assert_int_eq(wrong, 0);
}

// More iterations never make it worse, and the damped one never needs luck.
TEST(local_newton_keeps_the_best_iterate)
{
    fil_rng rng = fil_rng_make(112);
    long worse = 0;
    for (int n = 0; n < 3000; ++n) {
        single_contact contact = random_contact(&rng, CONTACT_WELL_SCALED, contact_mus[n % CONTACT_MUS]);
        fil_map map = (fil_map)(n % 4);
        double last = INFINITY, rho = fil_local_rho(contact.W);
        for (int iterations = 1; iterations <= 12; ++iterations) {
            fil_local_newton_param param = {.iterations = iterations};
            double r[3] = {0, 0, 0}, u[3], F[3];
            fil_local_newton(map, n % 8 < 4, contact.W, contact.c, contact.mu, 1e-13, &param, r);
            for (int i = 0; i < 3; ++i)
                u[i] = contact.c[i] + contact.W[i] * r[0] + contact.W[i + 3] * r[1] + contact.W[i + 6] * r[2];
            fil_contact_map(map, contact.mu, rho, r, u, F, NULL, NULL);
            worse += !(single_norm(F) <= last * (1 + 1e-9) + 1e-12);
            last = single_norm(F);
        }
    }
    ck_assert_int_eq(worse, 0);
}
