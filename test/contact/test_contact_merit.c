// The judge against a plain implementation of its definitions, at its edges, and in other units.
#include "contact/contact_merit.h"

#include "problems.h"

typedef struct judged {
    double residual[FIL_MERIT_COUNT];
} judged;

static judged judge(fil_context *context, fil_contact_problem *problem, const double *r)
{
    judged result;
    test_ok(context, fil_contact_judge(context, problem, r, result.residual));
    return result;
}

// P_K by its definition: inside, polar, or the foot of the perpendicular on the mantle.
static void project(long double mu, long double x[3])
{
    long double t = hypotl(x[1], x[2]);
    if (t <= mu * x[0])
        return;
    long double along = x[0] + mu * t;
    long double normal = along > 0 ? along / (1 + mu * mu) : 0;
    x[1] = t > 0 ? mu * normal * x[1] / t : 0;
    x[2] = t > 0 ? mu * normal * x[2] / t : 0;
    x[0] = normal;
}

// a∘a of the Jordan algebra of the second-order cone.
static void jordan_square(const long double a[3], long double out[3])
{
    out[0] += a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    out[1] += 2 * a[0] * a[1];
    out[2] += 2 * a[0] * a[2];
}

// [Daviet11, eq. 12] by the spectral decomposition of z.
static long double fischer_burmeister(long double mu, const double r[3], const long double u[3])
{
    if (mu == 0) {
        long double f = r[0] + u[0] - hypotl(r[0], u[0]);
        return fmaxl(fabsl(f), fmaxl(fabsl(r[1]), fabsl(r[2])));
    }
    long double x[3] = {mu * r[0], r[1], r[2]}, z[3] = {0, 0, 0}, most = 0;
    long double y[3] = {u[0] + mu * hypotl(u[1], u[2]), mu * u[1], mu * u[2]};
    jordan_square(x, z);
    jordan_square(y, z);
    long double t = hypotl(z[1], z[2]), low = sqrtl(fmaxl(0, z[0] - t)), high = sqrtl(z[0] + t);
    long double s[3] = {(low + high) / 2, 0, 0};
    for (int k = 1; k < 3 && t > 0; ++k)
        s[k] = (high - low) / 2 * z[k] / t;
    for (int k = 0; k < 3; ++k)
        most = fmaxl(most, fabsl(x[k] + y[k] - s[k]));
    return most;
}

// Everything from a dense W, in long double.
static judged judge_plainly(const fil_contact_problem *problem, const double *r)
{
    int n = problem->contact_count, size = 3 * n;
    double *W = problem_dense(problem);
    long double trace = 0, norm_q = 0, squares[2] = {0, 0}, fb = 0;
    for (int k = 0; k < size; ++k) {
        trace += W[k + (size_t)size * k];
        norm_q += (long double)problem->q[k] * problem->q[k];
    }
    norm_q = sqrtl(norm_q);
    long double rho[2] = {size / trace, 1};
    for (int i = 0; i < n; ++i) {
        long double u[3], mu = problem->mu[i];
        for (int k = 0; k < 3; ++k) {
            u[k] = problem->q[3 * i + k];
            for (int j = 0; j < size; ++j)
                u[k] += (long double)W[3 * i + k + (size_t)size * j] * r[j];
        }
        for (int kind = 0; kind < 2; ++kind) {
            long double x[3] = {r[3 * i] - rho[kind] * (u[0] + mu * hypotl(u[1], u[2])),
                                r[3 * i + 1] - rho[kind] * u[1], r[3 * i + 2] - rho[kind] * u[2]};
            project(mu, x);
            for (int k = 0; k < 3; ++k)
                squares[kind] += (r[3 * i + k] - x[k]) * (r[3 * i + k] - x[k]);
        }
        fb = fmaxl(fb, fischer_burmeister(mu, r + 3 * i, u));
    }
    free(W);
    return (judged){
        {(double)(sqrtl(squares[0]) / (rho[0] * norm_q)), (double)(sqrtl(squares[1]) / (1 + norm_q)), (double)fb}};
}

static void fill_random(fil_rng *rng, const fil_contact_problem *problem, double scale, double *r)
{
    for (int k = 0; k < 3 * problem->contact_count; ++k)
        r[k] = scale * fil_rng_normal(rng);
}

TEST(contact_merit_follows_its_definitions)
{
    fil_context *context = fil_context_create(NULL);
    fil_rng rng = fil_rng_make(71);
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        fil_contact_problem *problem = problem_dual(context, 15, 1 + (int)seed % 3, 1, seed);
        problem->mu[3] = 0;
        problem->mu[4] = 10;
        double *r = impulse_of(problem);
        for (int n = 0; n < 20; ++n) {
            fill_random(&rng, problem, pow(10, n % 7 - 3), r);
            judged ours = judge(context, problem, r), plain = judge_plainly(problem, r);
            for (int k = 0; k < FIL_MERIT_COUNT; ++k)
                ck_assert_msg(fabs(ours.residual[k] - plain.residual[k]) <= 1e-12 * plain.residual[k],
                              "%s: %.17g, by definition %.17g", fil_merit_name(k), ours.residual[k], plain.residual[k]);
        }
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// Without W the judge uses A and H; the numbers are the same.
TEST(contact_merit_of_a_primal_problem)
{
    fil_context *context = fil_context_create(NULL);
    fil_rng rng = fil_rng_make(72);
    fil_contact_problem *primal = problem_of_bodies(context, 25, 2, 1, 4), *dual = problem_dual(context, 25, 2, 1, 4);
    double *r = impulse_of(primal);
    fill_random(&rng, primal, 1, r);
    judged a = judge(context, primal, r), b = judge(context, dual, r);
    ck_assert(!primal->has_dual);
    for (int k = 0; k < FIL_MERIT_COUNT; ++k)
        ck_assert_msg(fabs(a.residual[k] - b.residual[k]) <= 1e-12 * b.residual[k], "%s: %.17g and %.17g",
                      fil_merit_name(k), a.residual[k], b.residual[k]);
    free(r);
    fil_contact_problem_destroy(primal);
    fil_contact_problem_destroy(dual);
    fil_context_destroy(context);
}

TEST(contact_merit_of_a_contact_by_hand)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_single(context, 2, (double[]){-3, 0, 0}, 0.5);
    double zero[3] = {0}, solution[3] = {1.5, 0, 0};
    judged nothing = judge(context, problem, zero), solved = judge(context, problem, solution);
    // natural: rho = 1/2, |0 - P(1.5, 0, 0)| / (rho 3) = 1; fclib: 3 / 4; fb: |u + 0 - |u|| = 6 for u = -3.
    test_near(nothing.residual[FIL_MERIT_NATURAL], 1, 1e-15);
    test_near(nothing.residual[FIL_MERIT_FCLIB], 0.75, 1e-15);
    test_near(nothing.residual[FIL_MERIT_FB], 6, 1e-15);
    for (int k = 0; k < FIL_MERIT_COUNT; ++k)
        ck_assert(solved.residual[k] == 0);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// q = 0: there is nothing to be relative to, but no division by zero either.
TEST(contact_merit_without_free_velocity)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_single(context, 2, (double[]){0, 0, 0}, 0.5);
    double zero[3] = {0}, some[3] = {1, 0, 0};
    judged at_rest = judge(context, problem, zero), pressed = judge(context, problem, some);
    for (int k = 0; k < FIL_MERIT_COUNT; ++k) {
        ck_assert(at_rest.residual[k] == 0);
        ck_assert(pressed.residual[k] > 0.1 && isfinite(pressed.residual[k]));
    }
    fil_contact_problem_destroy(problem);
    // W = 0 as well.
    problem = problem_single(context, 0, (double[]){-1, 0, 0}, 0.5);
    judged walls = judge(context, problem, some);
    for (int k = 0; k < FIL_MERIT_COUNT; ++k)
        ck_assert(walls.residual[k] > 0 && isfinite(walls.residual[k]));
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_merit_of_no_contacts_is_zero)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_dual(context, 0, 0, &problem));
    double none = 0;
    judged nothing = judge(context, problem, &none);
    for (int k = 0; k < FIL_MERIT_COUNT; ++k)
        ck_assert(nothing.residual[k] == 0);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// One rotten number among many: infinite, in every merit, wherever it stands.
TEST(contact_merit_of_rubbish_is_infinite)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_dual(context, 10, 1, 0.5, 2);
    double *r = impulse_of(problem);
    static const double rotten[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 30; ++k)
        for (int n = 0; n < 3; ++n) {
            r[k] = rotten[n];
            judged bad = judge(context, problem, r);
            for (int m = 0; m < FIL_MERIT_COUNT; ++m)
                ck_assert_msg(bad.residual[m] == INFINITY, "%s: %g at %d gives %g", fil_merit_name(m), rotten[n], k,
                              bad.residual[m]);
            r[k] = 0;
        }
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Kilograms and metres or grams and millimetres: u -> s u, r -> t r, W -> s/t W. natural must not notice.
TEST(contact_merit_natural_is_free_of_units)
{
    fil_context *context = fil_context_create(NULL);
    fil_rng rng = fil_rng_make(73);
    static const double factors[] = {1e-9, 1e-3, 1e3, 1e9};
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
            fil_contact_problem *problem = problem_dual(context, 12, 2, 1, 5);
            double *r = impulse_of(problem), s = factors[a], t = factors[b];
            fill_random(&rng, problem, 1, r);
            judged before = judge(context, problem, r);
            for (int64_t k = 0; k < 9 * problem->W.start[12]; ++k)
                problem->W.value[k] *= s / t;
            for (int k = 0; k < 36; ++k) {
                problem->q[k] *= s;
                r[k] *= t;
            }
            judged after = judge(context, problem, r);
            test_near(after.residual[FIL_MERIT_NATURAL], before.residual[FIL_MERIT_NATURAL], 1e-12);
            // The others do depend on units; that is why natural is the default.
            ck_assert(fabs(after.residual[FIL_MERIT_FB] - before.residual[FIL_MERIT_FB]) >
                      1e-6 * before.residual[FIL_MERIT_FB]);
            free(r);
            fil_contact_problem_destroy(problem);
        }
    fil_context_destroy(context);
}

// The same in the primal view: masses, lengths and times in other units.
TEST(contact_merit_natural_of_a_body_in_other_units)
{
    fil_context *context = fil_context_create(NULL);
    fil_rng rng = fil_rng_make(74);
    fil_contact_problem *problem = problem_of_bodies(context, 12, 2, 1, 5);
    double *r = impulse_of(problem);
    fill_random(&rng, problem, 1, r);
    judged before = judge(context, problem, r);
    const double mass = 1000, speed = 1e3; // grams, millimetres
    for (int64_t k = 0; k < problem->A.value_start[problem->A.body_count]; ++k)
        problem->A.value[k] *= mass;
    for (int k = 0; k < problem->A.dof_start[problem->A.body_count]; ++k)
        problem->b[k] *= mass * speed;
    for (int k = 0; k < 36; ++k) {
        problem->w[k] *= speed;
        r[k] *= mass * speed;
    }
    judged after = judge(context, problem, r);
    test_near(after.residual[FIL_MERIT_NATURAL], before.residual[FIL_MERIT_NATURAL], 1e-12);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
