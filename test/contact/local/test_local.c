// The contract of every local solver, alone and with enum as fail-safe: what it returns, that it never gives a NaN,
// take-off, agreement with the exact law, planar and unsymmetric blocks, extreme scales, and the bar of ten million
// random contacts. Hot loops count; assertions look at the counts.
#include "contact/local/local.h"

#include "base/arena.h"
#include "contacts.h"

#include <stdio.h>

typedef struct fixture {
    fil_context *context;
    fil_arena *arena;
} fixture;

static fixture fixture_make(void)
{
    fixture f = {.context = fil_context_create(NULL)};
    f.arena = fil_arena_create(f.context);
    ck_assert_ptr_nonnull(f.arena);
    return f;
}

static void fixture_end(fixture *f)
{
    fil_arena_destroy(f->arena);
    fil_context_destroy(f->context);
}

static fil_local parse(fixture *f, const char *text, double tolerance)
{
    fil_local local;
    test_ok(f->context, fil_local_parse(f->context, f->arena, text, tolerance, &local));
    return local;
}

// The k-th solver alone, or followed by enum.
static fil_local solver_at(fixture *f, int k, bool hybrid, double tolerance)
{
    char text[64];
    snprintf(text, sizeof text, "%s%s", fil_local_type_at(k)->name, hybrid ? "+enum" : "");
    return parse(f, text, tolerance);
}

static int solve_alone(const fil_local *local, const single_contact *contact, double r[3])
{
    return local->first->solve(contact->W, contact->c, contact->mu, local->tolerance, local->first_param, r);
}

TEST(local_list_has_the_promised_solvers)
{
    static const char *const names[] = {"mfb", "enum", "root", "pac", "dac", "duriez06", "duriez08", "4sides"};
    for (int k = 0; k < 8; ++k) {
        const fil_local_type *type = fil_local_type_find(names[k]);
        ck_assert_msg(type != NULL, "%s is missing", names[k]);
        ck_assert_str_eq(type->name, names[k]);
        ck_assert(type->doc && type->doc[0] && type->solve);
        bool approximate = strcmp(names[k], "duriez06") == 0 || strcmp(names[k], "4sides") == 0;
        ck_assert_msg(type->exact == !approximate, "%s", names[k]);
    }
    ck_assert_ptr_null(fil_local_type_find("mfb+enum"));
    for (int k = 0; k < fil_local_type_count(); ++k)
        ck_assert_ptr_eq(fil_local_type_find(fil_local_type_at(k)->name), fil_local_type_at(k));
}

TEST(local_parse_reads_pairs_and_settings)
{
    fixture f = fixture_make();
    fil_local local = parse(&f, "mfb:iterations=7+enum", 1e-9);
    ck_assert_ptr_eq(local.first, &fil_local_mfb);
    ck_assert_ptr_eq(local.failsafe, &fil_local_enum);
    ck_assert_int_eq(((const fil_local_newton_param *)local.first_param)->iterations, 7);
    ck_assert(local.tolerance == 1e-9);
    ck_assert_ptr_null(parse(&f, "root", 1e-9).failsafe);
    test_fails(f.context, fil_local_parse(f.context, f.arena, "enumm", 1e-9, &local), FIL_BAD_INPUT,
               "unknown local solver 'enumm': did you mean 'enum'? (see `filum info local`)");
    static const char *const bad[] = {"",
                                      "+",
                                      "mfb+",
                                      "+enum",
                                      "mfb+nonsense",
                                      "mfb:",
                                      "mfb:x=1",
                                      "mfb:iterations=0",
                                      "mfb:iterations=x",
                                      "enum:iterations=3",
                                      "mfb+enum+enum"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        fil_status status = fil_local_parse(f.context, f.arena, bad[k], 1e-9, &local);
        if (strcmp(bad[k], "mfb:") == 0 && status == FIL_OK)
            continue; // an empty list of settings may be read as none
        ck_assert_msg(status == FIL_BAD_INPUT, "'%s' is accepted", bad[k]);
        ck_assert_msg(fil_context_error(f.context)[0] != '\0', "'%s': no sentence", bad[k]);
    }
    char name[400];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    ck_assert_int_eq(fil_local_parse(f.context, f.arena, name, 1e-9, &local), FIL_BAD_INPUT);
    fixture_end(&f);
}

// What may go wrong, counted.
typedef struct tally {
    long code, not_finite, not_zero, untrue, calls;
} tally;

static void check_one(const fil_local *local, const single_contact *contact, const double start[3], double slack,
                      tally *sum)
{
    double r[3] = {start[0], start[1], start[2]};
    int outcome = solve_alone(local, contact, r);
    ++sum->calls;
    sum->code += outcome < -1 || outcome > 1;
    sum->not_finite += !single_finite(r);
    sum->not_zero += outcome == -1 && (r[0] != 0 || r[1] != 0 || r[2] != 0);
    sum->untrue += outcome == 0 && local->first->exact && !(single_residual(contact, r) <= slack * local->tolerance);
}

static void assert_clean(const char *name, const tally *sum)
{
    ck_assert_msg(sum->code == 0, "%s: %ld of %ld returned something else than -1, 0, 1", name, sum->code, sum->calls);
    ck_assert_msg(sum->not_finite == 0, "%s: %ld of %ld not finite", name, sum->not_finite, sum->calls);
    ck_assert_msg(sum->not_zero == 0, "%s: %ld of %ld said -1 and left an impulse", name, sum->not_zero, sum->calls);
    ck_assert_msg(sum->untrue == 0, "%s: %ld of %ld said solved and were not", name, sum->untrue, sum->calls);
}

// The slack is for the rounding that the judge of one contact forgives.
TEST(local_every_solver_returns_what_it_says)
{
    fixture f = fixture_make();
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, false, 1e-9);
        fil_rng rng = fil_rng_make(11);
        tally sum = {0};
        for (int n = 0; n < 6000; ++n) {
            single_contact contact =
                random_contact(&rng, (contact_kind)(n % CONTACT_KINDS), contact_mus[n / CONTACT_KINDS % CONTACT_MUS]);
            double start[3] = {0, 0, 0};
            if (n % 3 == 1)
                random_vector(&rng, start);
            check_one(&local, &contact, start, 1.1, &sum);
        }
        assert_clean(local.first->name, &sum);
    }
    fixture_end(&f);
}

TEST(local_take_off_gives_zero)
{
    fixture f = fixture_make();
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, false, 1e-10), hybrid = solver_at(&f, k, true, 1e-10);
        fil_rng rng = fil_rng_make(12);
        long wrong = 0;
        for (int n = 0; n < 4000; ++n) {
            single_contact contact =
                random_contact(&rng, (contact_kind)(n % CONTACT_KINDS), contact_mus[n % CONTACT_MUS]);
            contact.c[0] = n % 10 == 0 ? 0 : fabs(contact.c[0]);
            double r[3] = {1, 2, 3}, s[3] = {3, -2, 1};
            fil_local_counts counts = {0};
            int outcome = solve_alone(&local, &contact, r);
            fil_local_solve(&hybrid, contact.W, contact.c, contact.mu, s, &counts);
            wrong += outcome != 0 || r[0] != 0 || r[1] != 0 || r[2] != 0 || s[0] != 0 || s[1] != 0 || s[2] != 0 ||
                     counts.calls != 1 || counts.failsafe != 0 || counts.failures != 0;
        }
        ck_assert_msg(wrong == 0, "%s: %ld of 4000", local.first->name, wrong);
    }
    fixture_end(&f);
}

// W r = -c and the cone decide sticking uniquely; with little coupling so do they sliding.
static single_contact mildly_coupled(fil_rng *rng)
{
    single_contact contact = {.tolerance = 1e-10};
    double g[3][3], scale[3] = {0.3, 0.3, 0.3};
    for (int k = 0; k < 3; ++k)
        random_vector(rng, g[k]);
    gram_matrix(g, scale, contact.W);
    for (int k = 0; k < 3; ++k)
        contact.W[4 * k] += 2;
    random_vector(rng, contact.c);
    contact.c[0] = -fabs(contact.c[0]);
    contact.mu = fil_rng_uniform(rng, 0.05, 0.5);
    return contact;
}

TEST(local_exact_solvers_agree_with_enum)
{
    fixture f = fixture_make();
    fil_local reference = parse(&f, "enum", 1e-12);
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, false, 1e-12);
        if (!local.first->exact)
            continue;
        fil_rng rng = fil_rng_make(13);
        long solved = 0, apart = 0;
        for (int n = 0; n < 4000; ++n) {
            single_contact contact = mildly_coupled(&rng);
            double r[3] = {0, 0, 0}, s[3] = {0, 0, 0};
            ck_assert_int_eq(solve_alone(&reference, &contact, s), 0);
            if (solve_alone(&local, &contact, r) != 0)
                continue;
            ++solved;
            double difference[3] = {r[0] - s[0], r[1] - s[1], r[2] - s[2]};
            apart += !(single_norm(difference) <= 1e-9 * single_norm(s));
        }
        ck_assert_msg(apart == 0, "%s differs from enum in %ld of 4000", local.first->name, apart);
        // A solver that gives up on easy contacts is of no use, least of all alone.
        ck_assert_msg(solved >= 3900, "%s solved only %ld of 4000", local.first->name, solved);
    }
    fixture_end(&f);
}

// The law that a hybrid must satisfy whatever its first solver is.
static long count_failures(const fil_local *local, fil_rng *rng, contact_kind kind, double mu, double skew, long count,
                           long *not_finite)
{
    long failures = 0;
    fil_local_counts counts = {0};
    for (long n = 0; n < count; ++n) {
        single_contact contact = random_contact(rng, kind, mu);
        double size = contact.W[0] + contact.W[4] + contact.W[8];
        for (int k = 0; skew > 0 && k < 9; ++k)
            contact.W[k] += fil_rng_uniform(rng, -skew, skew) * size;
        double r[3] = {0, 0, 0};
        fil_local_solve(local, contact.W, contact.c, contact.mu, r, &counts);
        *not_finite += !single_finite(r);
        failures += !(single_residual(&contact, r) <= contact.tolerance);
    }
    ck_assert_int_eq(counts.calls, count);
    return failures;
}

// 176,000 contacts: every hybrid, every kind, every mu.
TEST(local_hybrids_solve_random_contacts)
{
    fixture f = fixture_make();
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, true, 1e-10);
        fil_rng rng = fil_rng_make(14);
        long failures = 0, not_finite = 0;
        for (int kind = 0; kind < CONTACT_KINDS; ++kind)
            for (int m = 0; m < CONTACT_MUS; ++m)
                failures += count_failures(&local, &rng, (contact_kind)kind, contact_mus[m], 0, 1100, &not_finite);
        ck_assert_msg(not_finite == 0, "%s+enum: %ld not finite", local.first->name, not_finite);
        ck_assert_msg(failures == 0, "%s+enum: %ld of 22000 failed", local.first->name, failures);
    }
    fixture_end(&f);
}

// W of real problems is unsymmetric by up to 1e-3. Existence is not proven there, hence the moderate mu.
TEST(local_hybrids_solve_unsymmetric_contacts)
{
    fixture f = fixture_make();
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, true, 1e-10);
        fil_rng rng = fil_rng_make(15);
        long not_finite = 0;
        long failures = count_failures(&local, &rng, CONTACT_WELL_SCALED, 0.3, 1e-3, 5000, &not_finite) +
                        count_failures(&local, &rng, CONTACT_WELL_SCALED, 0, 1e-3, 2000, &not_finite);
        ck_assert_msg(failures == 0 && not_finite == 0, "%s+enum: %ld of 7000 failed, %ld not finite",
                      local.first->name, failures, not_finite);
    }
    fixture_end(&f);
}

// The answer must use W as it is: symmetrising it changes u by 1e-3 and fails at 1e-10.
TEST(local_unsymmetric_is_not_symmetrised)
{
    fixture f = fixture_make();
    single_contact contact = {.W = {2, 0.3, 0.1, 0.31, 1.5, 0.2, 0.09, 0.21, 1}, .c = {-1, 0.1, 0.05}, .mu = 0.5};
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, true, 1e-12);
        double r[3] = {0, 0, 0};
        fil_local_counts counts = {0};
        fil_local_solve(&local, contact.W, contact.c, contact.mu, r, &counts);
        ck_assert_msg(single_residual(&contact, r) <= 1e-11, "%s+enum", local.first->name);
        ck_assert(r[0] > 0);
    }
    fixture_end(&f);
}

// A planar contact lifted to three dimensions: nothing couples to the second tangent and nothing pulls it.
TEST(local_planar_contacts_stay_planar)
{
    fixture f = fixture_make();
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, true, 1e-10);
        fil_rng rng = fil_rng_make(16);
        long out_of_plane = 0, failures = 0;
        for (int n = 0; n < 3000; ++n) {
            single_contact contact = random_contact(&rng, CONTACT_WELL_SCALED, contact_mus[n % CONTACT_MUS]);
            contact.W[2] = contact.W[5] = contact.W[6] = contact.W[7] = contact.c[2] = 0;
            contact.W[8] = n % 2 ? 0.5 * (contact.W[0] + contact.W[4]) : 0;
            double r[3] = {0, 0, 0};
            fil_local_counts counts = {0};
            fil_local_solve(&local, contact.W, contact.c, contact.mu, r, &counts);
            out_of_plane += r[2] != 0;
            failures += !(single_residual(&contact, r) <= 1e-10);
        }
        ck_assert_msg(out_of_plane == 0, "%s+enum: %ld of 3000 leave the plane", local.first->name, out_of_plane);
        ck_assert_msg(failures == 0, "%s+enum: %ld of 3000 failed", local.first->name, failures);
    }
    fixture_end(&f);
}

TEST(local_frictionless_is_the_scalar_law)
{
    fixture f = fixture_make();
    single_contact contact = {.W = {2, 0.3, 0.1, 0.3, 1.5, 0.2, 0.1, 0.2, 1}, .c = {-3, 5, -7}, .mu = 0};
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, true, 1e-12);
        double r[3] = {0, 0, 0};
        fil_local_counts counts = {0};
        fil_local_solve(&local, contact.W, contact.c, 0, r, &counts);
        test_near(r[0], 1.5, 1e-11);
        test_near(r[1], 0, 1e-11);
        test_near(r[2], 0, 1e-11);
    }
    fixture_end(&f);
}

// Nothing to do, nothing that can be done, and rubbish from W: an honest code and a finite impulse.
TEST(local_degenerate_contacts)
{
    fixture f = fixture_make();
    static const single_contact cases[] = {
        {.W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mu = 0.3},                            // c = 0
        {.W = {0}, .c = {1, 1, 0}, .mu = 0.3},                                    // takes off from a wall
        {.W = {0}, .c = {-1, 1, 0}, .mu = 0.3},                                   // two walls collide: no solution
        {.W = {0, 0, 0, 0, 1, 0, 0, 0, 1}, .c = {-1, 1, 0}, .mu = 0.3},           // the normal moves nothing
        {.W = {1, 0, 0, 0, 0, 0, 0, 0, 0}, .c = {-1, 1, 0}, .mu = 0.3},           // the tangents move nothing
        {.W = {-1, 0, 0, 0, 1, 0, 0, 0, 1}, .c = {-1, 1, 0}, .mu = 0.3},          // not positive
        {.W = {1, 0, 0, 0, -1, 0, 0, 0, -1}, .c = {-1, 1, 0}, .mu = 0.3},         // tangents not positive
        {.W = {1, 9, 0, 9, 1, 0, 0, 0, 1}, .c = {-1, 1, 0}, .mu = 2},             // indefinite
        {.W = {1, 1, 1, 1, 1, 1, 1, 1, 1}, .c = {-1, 1, 0}, .mu = 10},            // rank one, c out of its range
        {.W = {1e300, 0, 0, 0, 1e300, 0, 0, 0, 1e300}, .c = {-1, 1, 0}, .mu = 1}, // too large to square
        {.W = {1e-300, 0, 0, 0, 1e-300, 0, 0, 0, 1e-300}, .c = {-1, 1, 0}, .mu = 1},
        {.W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .c = {-1e300, 1e300, 0}, .mu = 1},
        {.W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .c = {-1e-300, 1e-300, 0}, .mu = 1},
        {.W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .c = {-1, 1, 1}, .mu = 1e9},
        {.W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .c = {-1, 1, 1}, .mu = 1e-9},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    for (int k = 0; k < fil_local_type_count(); ++k)
        for (int n = 0; n < CASES; ++n) {
            fil_local local = solver_at(&f, k, false, 1e-10), hybrid = solver_at(&f, k, true, 1e-10);
            double r[3] = {0, 0, 0}, s[3] = {0, 0, 0};
            fil_local_counts counts = {0};
            int outcome = solve_alone(&local, &cases[n], r);
            fil_local_solve(&hybrid, cases[n].W, cases[n].c, cases[n].mu, s, &counts);
            ck_assert_msg(outcome >= -1 && outcome <= 1, "%s: case %d returns %d", local.first->name, n, outcome);
            ck_assert_msg(single_finite(r) && single_finite(s), "%s: case %d is not finite", local.first->name, n);
        }
    // Two of them have no solution: nobody may claim one, and the hybrid leaves no impulse.
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, false, 1e-10), hybrid = solver_at(&f, k, true, 1e-10);
        double r[3] = {0, 0, 0}, s[3] = {0, 0, 0};
        fil_local_counts counts = {0};
        ck_assert_msg(solve_alone(&local, &cases[2], r) != 0, "%s claims to part two walls", local.first->name);
        fil_local_solve(&hybrid, cases[2].W, cases[2].c, cases[2].mu, s, &counts);
        ck_assert_int_eq(counts.failures, 1);
        ck_assert(s[0] == 0 && s[1] == 0 && s[2] == 0);
        fil_local_solve(&hybrid, cases[0].W, cases[0].c, cases[0].mu, s, &counts);
        ck_assert(s[0] == 0 && s[1] == 0 && s[2] == 0);
    }
    fixture_end(&f);
}

// r of (s W, s t c) is t r of (W, c): the units do not matter, to the last digits.
TEST(local_scales_do_not_matter)
{
    fixture f = fixture_make();
    static const double powers[] = {0x1p-40, 0x1p-20, 0x1p20, 0x1p40}; // 1e±12 and 1e±6, exact in binary
    for (int k = 0; k < fil_local_type_count(); ++k) {
        fil_local local = solver_at(&f, k, true, 1e-12);
        fil_rng rng = fil_rng_make(17);
        long differ = 0, cases = 0;
        for (int n = 0; n < 300; ++n) {
            single_contact contact = mildly_coupled(&rng);
            double r[3] = {0, 0, 0};
            fil_local_counts counts = {0};
            fil_local_solve(&local, contact.W, contact.c, contact.mu, r, &counts);
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b) {
                    double W[9], c[3], s[3] = {0, 0, 0}, change = 0;
                    memcpy(W, contact.W, sizeof W);
                    memcpy(c, contact.c, sizeof c);
                    multiply_all(W, 9, powers[a]);
                    multiply_all(c, 3, powers[b]);
                    fil_local_solve(&local, W, c, contact.mu, s, &counts);
                    for (int i = 0; i < 3; ++i)
                        change += fabs(s[i] * powers[a] / powers[b] - r[i]);
                    ++cases;
                    differ += !(change <= 1e-10 * single_norm(r));
                }
        }
        ck_assert_msg(differ == 0, "%s+enum: %ld of %ld depend on units", local.first->name, differ, cases);
    }
    fixture_end(&f);
}

// Slip is not along the sticking impulse here, nor along an axis: an approximate law must miss the exact one.
TEST(local_approximate_laws_are_told_apart)
{
    fixture f = fixture_make();
    const single_contact contact = {.W = {1, 0.3, -0.2, 0.3, 2, 0.4, -0.2, 0.4, 0.5}, .c = {-1, 2, 1}, .mu = 0.3};
    static const char *const names[] = {"4sides", "duriez06"};
    for (int k = 0; k < 2; ++k) {
        fil_local alone = parse(&f, names[k], 1e-10);
        double r[3] = {0, 0, 0}, s[3] = {0, 0, 0};
        ck_assert_msg(solve_alone(&alone, &contact, r) == 0, "%s does not solve its own law", names[k]);
        ck_assert_msg(single_residual(&contact, r) > 1e-3, "%s satisfies the exact law", names[k]);
        char text[32];
        snprintf(text, sizeof text, "%s+enum", names[k]);
        fil_local hybrid = parse(&f, text, 1e-10);
        fil_local_counts counts = {0};
        fil_local_solve(&hybrid, contact.W, contact.c, contact.mu, s, &counts);
        ck_assert_int_eq(counts.failsafe, 1);
        ck_assert_int_eq(counts.failures, 0);
        ck_assert_msg(single_residual(&contact, s) <= 1e-10, "%s does not", text);
    }
    // 4sides: the pyramid lets friction reach beyond the disk when both components slip.
    fil_local pyramid = parse(&f, "4sides", 1e-10);
    double r[3] = {0, 0, 0};
    const single_contact diagonal = {.W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .c = {-1, 5, 5}, .mu = 0.3};
    ck_assert_int_eq(solve_alone(&pyramid, &diagonal, r), 0);
    test_near(hypot(r[1], r[2]), sqrt(2) * 0.3, 1e-9);
    fixture_end(&f);
}

// The judge of one contact against the long double version.
TEST(local_residual_is_the_natural_map)
{
    fil_rng rng = fil_rng_make(18);
    long apart = 0;
    for (int n = 0; n < 5000; ++n) {
        single_contact contact =
            random_contact(&rng, n % 2 ? CONTACT_SCALED : CONTACT_WELL_SCALED, contact_mus[n % CONTACT_MUS]);
        double r[3], rho, size;
        random_vector(&rng, r);
        size = single_norm(contact.c) / (contact.W[0] + contact.W[4] + contact.W[8]);
        multiply_all(r, 3, size);
        double expected = single_natural(&contact, r, &rho) / (rho * single_norm(contact.c));
        apart += !(fabs(fil_local_residual(contact.W, contact.c, contact.mu, r) - expected) <= 1e-13 * (1 + expected));
    }
    ck_assert_int_eq(apart, 0);
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {-1, 0, 0}, bad[3] = {NAN, 0, 0}, zero[3] = {0};
    ck_assert(fil_local_residual(W, c, 0.3, bad) == INFINITY);
    ck_assert(fil_local_residual(W, zero, 0.3, zero) == 0);
}

// Contacts that once defeated a hybrid. All have a solution of the size of c; the first solvers found an impulse of
// 1e10 to 1e18 along a direction in which W vanishes, and took it for exact.
static const single_contact hard_cases[] = {
    {{0x1.85687bb783d68p-5, -0x1.61384a61fc14ep-3, -0x1.38c2a63cafeb3p-5, -0x1.61384a61fc14ep-3, 0x1.bf94b532b1862p-1,
      -0x1.ba4572bbd73dap-3, -0x1.38c2a63cafeb3p-5, -0x1.ba4572bbd73dap-3, 0x1.12af16f538c5dp-1},
     {-0x1.e43289848d6c2p-5, 0x1.f1429dfeaafcbp-2, -0x1.2f79521ebb365p-1},
     0.3,
     {1.15465, -0.0980124, 0.332238},
     1e-7},
    {{0x1.1482fe62d5f3dp-4, -0x1.ce6e8b1b92ee8p-3, -0x1.7944ad540728fp-4, -0x1.ce6e8b1b92ee8p-3, 0x1.bbe8c0cf8fe0bp-1,
      -0x1.00fb3a548f8e2p-9, -0x1.7944ad540728fp-4, -0x1.00fb3a548f8e2p-9, 0x1.f8a2f4cacdbe6p-1},
     {-0x1.9cdf08bf7fa0cp-7, -0x1.9dd382caafa67p-1, 0x1.126fe6a4a9e72p-1},
     0.3,
     {0.68514, 0.185311, -0.0889222},
     1e-7},
    {{0x1.dd10543dac526p-2, -0x1.c0b055a725143p-2, -0x1.e84505681ff09p-3, -0x1.c0b055a725143p-2, 0x1.a600640931ba2p-2,
      0x1.cb3a67c26fd2cp-3, -0x1.e84505681ff09p-3, 0x1.cb3a67c26fd2cp-3, 0x1.f3bd44f2f97cp-4},
     {-0x1.5949ec0cfbed6p-1, 0x1.44c06531d724dp-1, 0x1.616638c5febf9p-2},
     0.01,
     {1.43561, -0.0055384, -0.0131773},
     1e-7},
    {{0x1.aa0f4631142b6p-6, -0x1.77c41c4308005p-4, 0x1.3bffaa6a5ff9ep-5, -0x1.77c41c4308005p-4, 0x1.bdd88f941a82p-2,
      0x1.6dcdc8f920abap-3, 0x1.3bffaa6a5ff9ep-5, 0x1.6dcdc8f920abap-3, 0x1.e305341b05ep-1},
     {-0x1.defebe7e553f6p-8, 0x1.221e6fc36742fp-5, 0x1.ecd1f7d04bb53p-2},
     0.3,
     {1.09053, 0.0982397, -0.312061},
     1e-10},
    {{0x1.bb436defde3ecp-6, 0x1.447cf9e9dd7a3p-4, -0x1.ea4bdbc1b6219p-7, 0x1.447cf9e9dd7a3p-4, 0x1.fca52565d316fp-1,
      0x1.70f0ca31ac62ap-7, -0x1.ea4bdbc1b6219p-7, 0x1.70f0ca31ac62ap-7, 0x1.91acf48287ea4p-7},
     {-0x1.500307483efeap-1, -0x1.989dc8856a0f9p+3, -0x1.3353d3069c55fp+1},
     10,
     {2.29244, 11.2715, 19.962},
     1e-10},
    {{0x1.0e3bfb3b6b3ecp-2, -0x1.b43107ca2f98fp-2, 0x1.a1844ec25ba02p-4, -0x1.b43107ca2f98fp-2, 0x1.728180f477707p-1,
      0x1.b4237a772158p-7, 0x1.a1844ec25ba02p-4, 0x1.b4237a772158p-7, 0x1.d4fe137ecdeecp-1},
     {-0x1.d5d7d6af11655p-4, 0x1.4ccee9761301ep-3, -0x1.3f60fb9c07626p-3},
     0.3,
     {0.512049, 0.0747876, 0.11218},
     1e-10},
    {{0x1.a0e3886c08b6dp-1, -0x1.939a1c6703358p-3, -0x1.5755fcd71c8cap-2, -0x1.939a1c6703358p-3, 0x1.86bd18cd39017p-5,
      0x1.4c64b043be264p-4, -0x1.5755fcd71c8cap-2, 0x1.4c64b043be264p-4, 0x1.1ac2981ccbb55p-3},
     {-0x1.ac9575e6c08bcp-1, 0x1.c0e887231cb68p-2, 0x1.2bea2f8fdf2d8p-3},
     10,
     {5.07782, -38.8656, 32.6785},
     1e-7},
    {{0x1.4ab62bea17c22p-2, -0x1.bbdf4fd6a20f3p-4, -0x1.343489c398ebfp-2, -0x1.bbdf4fd6a20f3p-4, 0x1.533341a15dad8p-2,
      0x1.91bd845ca4d89p-2, -0x1.343489c398ebfp-2, 0x1.91bd845ca4d89p-2, 0x1.22fa7efb1bbfap-1},
     {-0x1.29b92a70a94a8p+0, 0x1.24361c73ef34bp+1, 0x1.7a123d93c99e4p+1},
     10,
     {2.8264, -8.68719, 2.29663},
     1e-7},
};

TEST(local_hybrids_solve_hard_cases)
{
    fixture f = fixture_make();
    for (int k = 0; k < fil_local_type_count(); ++k)
        for (size_t n = 0; n < sizeof hard_cases / sizeof *hard_cases; ++n) {
            fil_local local = solver_at(&f, k, true, 1e-10);
            double r[3] = {0, 0, 0};
            fil_local_counts counts = {0};
            fil_local_solve(&local, hard_cases[n].W, hard_cases[n].c, hard_cases[n].mu, r, &counts);
            double residual = single_residual(&hard_cases[n], r);
            ck_assert_msg(residual <= hard_cases[n].tolerance, "%s+enum: case %zu: residual %.3g, r = %g %g %g",
                          local.first->name, n, residual, r[0], r[1], r[2]);
        }
    fixture_end(&f);
}

// The bar: ten million contacts per hybrid, at most one failure in a million.
static void bar(const char *text)
{
    const long each = 500000, total = each * CONTACT_KINDS * CONTACT_MUS;
    fixture f = fixture_make();
    fil_local local = parse(&f, text, 1e-10);
    long failures = 0, not_finite = 0;
    for (int kind = 0; kind < CONTACT_KINDS; ++kind) {
        long of_kind = 0;
        for (int m = 0; m < CONTACT_MUS; ++m) {
            fil_rng rng = fil_rng_make(1000 + 10 * (uint64_t)kind + (uint64_t)m);
            of_kind += count_failures(&local, &rng, (contact_kind)kind, contact_mus[m], 0, each, &not_finite);
        }
        printf("# %s: %s: %ld of %ld failed\n", text, contact_kind_names[kind], of_kind, each * CONTACT_MUS);
        failures += of_kind;
    }
    printf("# %s: %ld of %ld contacts failed, %ld not finite\n", text, failures, total, not_finite);
    fflush(stdout);
    ck_assert_int_eq(not_finite, 0);
    ck_assert_msg(failures <= total / 1000000, "%s: %ld of %ld failed", text, failures, total);
    fixture_end(&f);
}

TEST_LONG(local_bar_of_ten_million_contacts_mfb)
{
    bar("mfb+enum");
}

TEST_LONG(local_bar_of_ten_million_contacts_root)
{
    bar("root+enum");
}
