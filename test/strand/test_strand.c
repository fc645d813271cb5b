// The contract of every strand model: derivatives against differences of the energy, semi-definite Hessians, rigid
// motions, rest, lanes that do not see each other, finite numbers for any input.
#include "strands.h"

enum { MODES = 12, VERTICES = 7 };

static strands_variant variants[STRANDS_VARIANTS];

static int variant_count(void)
{
    return strands_variants(variants);
}

typedef struct situation {
    strands_curve rest, now;
    double low, high, jitter; // edges over their rest length; displacement of the vertices
    const char *name;
} situation;

static const situation situations[] = {
    {CURVE_HELIX, CURVE_HELIX, 0.9, 1.1, 0.1, "helix, moved"},
    {CURVE_HELIX, CURVE_HELIX, 0.3, 0.5, 0, "helix, compressed"},
    {CURVE_HELIX, CURVE_NEARLY_STRAIGHT, 0.9, 1.1, 0, "helix, pulled straight"},
    {CURVE_HELIX, CURVE_SHARP, 0.8, 1.2, 0, "helix, crumpled"},
    {CURVE_STRAIGHT, CURVE_STRAIGHT, 0.9, 1.1, 0.3, "straight, moved"},
    {CURVE_STRAIGHT, CURVE_NEARLY_STRAIGHT, 0.9, 1.1, 0, "straight, slightly bent"},
    {CURVE_STRAIGHT, CURVE_SHARP, 0.6, 1.4, 0, "straight, crumpled"},
    {CURVE_NEARLY_STRAIGHT, CURVE_NEARLY_STRAIGHT, 0.9, 1.1, 0, "nearly straight"},
    {CURVE_NEARLY_STRAIGHT, CURVE_WAVY, 0.7, 1.1, 0, "nearly straight, bent"},
    {CURVE_WAVY, CURVE_WAVY, 0.5, 1.5, 0.1, "wavy, moved"},
    {CURVE_SHARP, CURVE_SHARP, 0.8, 1.2, 0.1, "sharp, moved"},
};
enum { SITUATIONS = sizeof situations / sizeof *situations };

static strands *strands_in(const strands_variant *variant, fil_rng *rng, const situation *where, int vertices)
{
    strands *s = strands_make(variant, rng, where->rest, vertices, 1);
    strands_deform(s, rng, where->now, where->low, where->high);
    if (where->jitter > 0)
        strands_jitter(s, rng, where->jitter);
    return s;
}

// The energies at q + step × direction, in the chart of q: frames are carried from there.
static void energy_along(const strands *s, const double *direction, double step, double energy[FIL_LANES])
{
    double q[STRANDS_UNKNOWNS * FIL_LANES], frame[STRANDS_MAX * STRANDS_NUMBERS * FIL_LANES];
    double gradient[STRANDS_UNKNOWNS * FIL_LANES] = {0};
    int m = s->vertices * s->type->dofs;
    for (int j = 0; j < m; ++j)
        for (int l = 0; l < FIL_LANES; ++l)
            q[j * FIL_LANES + l] = s->q[j * FIL_LANES + l] + step * direction[j];
    if (s->type->frame_count > 0)
        s->type->carry(s->vertices, s->q, s->frame, q, frame);
    for (int l = 0; l < FIL_LANES; ++l)
        energy[l] = 0;
    s->type->elastic(&s->pack, q, frame, FIL_HESSIAN_NONE, energy, gradient, NULL);
}

// First and second derivative of the energy along a direction: differences of sixth order.
static void differences(const strands *s, const double *direction, double step, double first[FIL_LANES],
                        double second[FIL_LANES])
{
    static const double odd[] = {0, 45.0 / 60, -9.0 / 60, 1.0 / 60};
    static const double even[] = {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90};
    double middle[FIL_LANES];
    energy_along(s, direction, 0, middle);
    for (int l = 0; l < FIL_LANES; ++l)
        first[l] = second[l] = 0;
    for (int k = 1; k <= 3; ++k) {
        double plus[FIL_LANES], minus[FIL_LANES];
        energy_along(s, direction, k * step, plus);
        energy_along(s, direction, -k * step, minus);
        for (int l = 0; l < FIL_LANES; ++l) {
            first[l] += odd[k] * (plus[l] - minus[l]) / step;
            second[l] += even[k] * ((plus[l] - middle[l]) + (minus[l] - middle[l])) / (step * step);
        }
    }
}

static const double steps[] = {1e-2, 1e-3, 1e-4, 1e-5};
enum { STEPS = sizeof steps / sizeof *steps };

// The step that suits depends on how near a singularity is: the best of four counts.
static void check_gradient(const strands *s, const char *where)
{
    static strands_result exact;
    int m = s->vertices * s->type->dofs;
    double best[FIL_LANES] = {INFINITY, INFINITY, INFINITY, INFINITY};
    strands_evaluate(s, FIL_HESSIAN_NONE, &exact);
    for (int t = 0; t < STEPS; ++t) {
        double error[FIL_LANES] = {0}, norm[FIL_LANES] = {0};
        for (int j = 0; j < m; ++j) {
            double direction[STRANDS_UNKNOWNS] = {0}, first[FIL_LANES], second[FIL_LANES];
            direction[j] = 1;
            differences(s, direction, steps[t], first, second);
            for (int l = 0; l < FIL_LANES; ++l) {
                double g = exact.gradient[j * FIL_LANES + l];
                error[l] += (g - first[l]) * (g - first[l]);
                norm[l] += g * g;
            }
        }
        for (int l = 0; l < FIL_LANES; ++l)
            best[l] = fmin(best[l], sqrt(error[l] / fmax(norm[l], 1e-20)));
    }
    for (int l = 0; l < FIL_LANES; ++l)
        ck_assert_msg(best[l] <= 1e-7, "%s, %s, lane %d of %d vertices: the gradient is off by %.2g", s->variant->name,
                      where, l, s->count[l], best[l]);
}

TEST(strand_gradient_is_the_derivative_of_the_energy)
{
    fil_rng rng = fil_rng_make(1);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int k = 0; k < SITUATIONS; ++k)
            for (int repeat = 0; repeat < (test_long() ? 30 : 3); ++repeat) {
                strands *s = strands_in(&variants[t], &rng, &situations[k], VERTICES);
                check_gradient(s, situations[k].name);
                strands_free(s);
            }
}

// All entries by second differences of the energy, H(i, j) from the directions i + j and i - j. Differences of the
// gradient would not do for models with frames: there the gradient belongs to the chart of the point where it is taken.
static void check_hessian(const strands *s, const char *where)
{
    static strands_result exact;
    static double H[FIL_LANES][STRANDS_UNKNOWNS * STRANDS_UNKNOWNS];
    int m = s->vertices * s->type->dofs;
    double best[FIL_LANES] = {INFINITY, INFINITY, INFINITY, INFINITY};
    strands_evaluate(s, FIL_HESSIAN_NONE, &exact);
    for (int l = 0; l < FIL_LANES; ++l)
        strands_dense(s, &exact, l, H[l]);
    for (int t = 0; t < STEPS; ++t) {
        double error[FIL_LANES] = {0}, norm[FIL_LANES] = {0};
        for (int i = 0; i < m; ++i)
            for (int j = 0; j <= i; ++j) {
                double direction[STRANDS_UNKNOWNS] = {0}, first[FIL_LANES], sum[FIL_LANES], difference[FIL_LANES] = {0};
                direction[i] += 1;
                direction[j] += 1;
                differences(s, direction, steps[t], first, sum);
                if (j < i) {
                    direction[j] = -1;
                    differences(s, direction, steps[t], first, difference);
                }
                for (int l = 0; l < FIL_LANES; ++l) {
                    double h = H[l][i * m + j], e = h - 0.25 * (sum[l] - difference[l]);
                    error[l] += e * e;
                    norm[l] += h * h;
                }
            }
        for (int l = 0; l < FIL_LANES; ++l)
            best[l] = fmin(best[l], sqrt(error[l] / norm[l]));
    }
    for (int l = 0; l < FIL_LANES; ++l)
        ck_assert_msg(best[l] <= 1e-5, "%s, %s, lane %d of %d vertices: the Hessian is off by %.2g", s->variant->name,
                      where, l, s->count[l], best[l]);
}

TEST(strand_hessian_is_the_second_derivative_of_the_energy)
{
    fil_rng rng = fil_rng_make(2);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int k = 0; k < SITUATIONS; ++k)
            for (int repeat = 0; repeat < (test_long() ? 10 : 1); ++repeat) {
                strands *s = strands_in(&variants[t], &rng, &situations[k], VERTICES - 1);
                check_hessian(s, situations[k].name);
                strands_free(s);
            }
}

// Sharper, for models without frames: differences of the gradient.
TEST(strand_hessian_is_the_derivative_of_the_gradient)
{
    static const double odd[] = {0, 45.0 / 60, -9.0 / 60, 1.0 / 60};
    static strands_result exact, moved;
    static double H[STRANDS_UNKNOWNS * STRANDS_UNKNOWNS];
    fil_rng rng = fil_rng_make(3);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int k = 0; k < SITUATIONS && variants[t].type->frame_count == 0; ++k) {
            strands *s = strands_in(&variants[t], &rng, &situations[k], VERTICES);
            int m = s->vertices * s->type->dofs;
            strands_evaluate(s, FIL_HESSIAN_NONE, &exact);
            double best = INFINITY;
            strands_dense(s, &exact, 0, H);
            for (int t2 = 0; t2 < STEPS; ++t2) {
                double error = 0, norm = 0;
                for (int j = 0; j < m; ++j) {
                    double column[STRANDS_UNKNOWNS] = {0}, *place = &s->q[j * FIL_LANES], before = *place;
                    for (int i = -3; i <= 3; ++i) {
                        if (i == 0)
                            continue;
                        *place = before + i * steps[t2];
                        memset(&moved, 0, sizeof moved);
                        s->type->elastic(&s->pack, s->q, s->frame, FIL_HESSIAN_NONE, moved.energy, moved.gradient,
                                         NULL);
                        for (int r = 0; r < m; ++r)
                            column[r] += (i < 0 ? -odd[-i] : odd[i]) * moved.gradient[r * FIL_LANES] / steps[t2];
                    }
                    *place = before;
                    for (int r = 0; r < m; ++r) {
                        error += (column[r] - H[j * m + r]) * (column[r] - H[j * m + r]);
                        norm += H[j * m + r] * H[j * m + r];
                    }
                }
                best = fmin(best, sqrt(error / norm));
            }
            ck_assert_msg(best <= 1e-7, "%s, %s: the Hessian is off by %.2g", s->variant->name, situations[k].name,
                          best);
            strands_free(s);
        }
}

TEST(strand_filtered_hessians_are_semidefinite)
{
    static strands_result result;
    static double H[STRANDS_UNKNOWNS * STRANDS_UNKNOWNS];
    fil_rng rng = fil_rng_make(4);
    for (int t = 0, end = variant_count(); t < end; ++t) {
        const fil_strand_type *type = variants[t].type;
        strands_mode modes[MODES];
        int count = strands_modes(type, modes, MODES);
        for (int k = 0; k < SITUATIONS; ++k)
            for (int repeat = 0; repeat < (test_long() ? 20 : 4); ++repeat) {
                strands *s = strands_in(&variants[t], &rng, &situations[k], VERTICES);
                for (int i = 0; i < count; ++i) {
                    if (modes[i].hessian == FIL_HESSIAN_NONE)
                        continue;
                    strands_settings(s, modes[i].settings);
                    strands_evaluate(s, modes[i].hessian, &result);
                    for (int l = 0; l < FIL_LANES; ++l) {
                        double least = strands_least_eigenvalue(strands_dense(s, &result, l, H), H);
                        ck_assert_msg(least >= -1e-9, "%s:%s, %s: eigenvalue %.2g", variants[t].name, modes[i].settings,
                                      situations[k].name, least);
                    }
                }
                strands_free(s);
            }
    }
}

// All modes agree on energy and gradient, with and without a band.
TEST(strand_hessian_changes_nothing_else)
{
    static strands_result one, other;
    fil_rng rng = fil_rng_make(5);
    for (int t = 0, end = variant_count(); t < end; ++t) {
        const fil_strand_type *type = variants[t].type;
        strands_mode modes[MODES];
        int count = strands_modes(type, modes, MODES);
        strands *s = strands_in(&variants[t], &rng, &situations[0], VERTICES);
        memset(&one, 0, sizeof one);
        type->elastic(&s->pack, s->q, s->frame, type->safe, one.energy, one.gradient, NULL);
        for (int i = 0; i < count; ++i) {
            strands_settings(s, modes[i].settings);
            strands_evaluate(s, modes[i].hessian, &other);
            ck_assert_mem_eq(one.energy, other.energy, sizeof one.energy);
            ck_assert_mem_eq(one.gradient, other.gradient, sizeof one.gradient);
        }
        strands_free(s);
    }
}

TEST(strand_rest_is_at_rest)
{
    static strands_result result;
    fil_rng rng = fil_rng_make(6);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int curve = 0; curve < CURVE_COUNT; ++curve)
            for (int repeat = 0; repeat < 10; ++repeat) {
                const fil_strand_type *type = variants[t].type;
                strands *s = strands_make(&variants[t], &rng, curve, VERTICES, 1);
                strands_evaluate(s, type->safe, &result);
                // A nearly straight vertex magnifies rounding by the inverse of its angle.
                double largest = 0, allowed = curve == CURVE_NEARLY_STRAIGHT ? 1e-9 : 1e-12;
                for (int k = 0; k < s->vertices * type->dofs * FIL_LANES; ++k)
                    largest = fmax(largest, fabs(result.gradient[k]));
                ck_assert_msg(largest < allowed, "%s, %s: gradient %.2g at rest", variants[t].name,
                              strands_curve_name[curve], largest);
                for (int l = 0; l < FIL_LANES; ++l)
                    ck_assert_msg(result.energy[l] < allowed * allowed, "%s, %s: energy %.2g at rest", variants[t].name,
                                  strands_curve_name[curve], result.energy[l]);
                strands_free(s);
            }
}

TEST(strand_strain_at_rest_is_the_rest_strain)
{
    fil_rng rng = fil_rng_make(7);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int curve = 0; curve < CURVE_COUNT; ++curve) {
            const fil_strand_type *type = variants[t].type;
            strands *s = strands_make(&variants[t], &rng, curve, VERTICES, 1);
            double strain[STRANDS_MAX * STRANDS_NUMBERS * FIL_LANES];
            type->strain(&s->pack, s->q, s->frame, strain);
            for (int i = 0; i < s->vertices; ++i)
                for (int k = 0; k < type->strain_count; ++k)
                    for (int l = 0; l < FIL_LANES; ++l) {
                        int at = (i * type->strain_count + k) * FIL_LANES + l;
                        if (i + 1 < s->count[l]) // the last vertex has no strain
                            ck_assert_msg(fabs(strain[at] - s->strain[at]) < 1e-11,
                                          "%s, %s, lane %d: strain %d of vertex %d of %d is %.17g, at rest %.17g",
                                          variants[t].name, strands_curve_name[curve], l, k, i, s->count[l], strain[at],
                                          s->strain[at]);
                    }
            strands_free(s);
        }
}

// What viscosity asks: no stress at the current strains.
TEST(strand_current_strains_carry_no_stress)
{
    static strands_result before, after;
    fil_rng rng = fil_rng_make(8);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int k = 0; k < SITUATIONS; ++k) {
            const fil_strand_type *type = variants[t].type;
            strands *s = strands_in(&variants[t], &rng, &situations[k], VERTICES);
            double strain[STRANDS_MAX * STRANDS_NUMBERS * FIL_LANES];
            strands_evaluate(s, type->safe, &before);
            type->strain(&s->pack, s->q, s->frame, strain);
            s->pack.strain = strain;
            strands_evaluate(s, type->safe, &after);
            double largest = 0, scale = 0;
            for (int j = 0; j < s->vertices * type->dofs * FIL_LANES; ++j) {
                largest = fmax(largest, fabs(after.gradient[j]));
                scale = fmax(scale, fabs(before.gradient[j]));
            }
            ck_assert_msg(largest <= 1e-10 * scale, "%s, %s: gradient %.2g, before %.2g", variants[t].name,
                          situations[k].name, largest, scale);
            strands_free(s);
        }
}

TEST(strand_stiffening_is_a_factor)
{
    static strands_result one, two;
    fil_rng rng = fil_rng_make(9);
    for (int t = 0, end = variant_count(); t < end; ++t) {
        const fil_strand_type *type = variants[t].type;
        strands *s = strands_in(&variants[t], &rng, &situations[0], VERTICES);
        int m = s->vertices * type->dofs;
        strands_evaluate(s, FIL_HESSIAN_NONE, &one);
        s->pack.stiffening = 2;
        strands_evaluate(s, FIL_HESSIAN_NONE, &two);
        int wrong = 0;
        for (int l = 0; l < FIL_LANES; ++l)
            wrong += two.energy[l] != 2 * one.energy[l];
        for (int k = 0; k < m * FIL_LANES; ++k)
            wrong += two.gradient[k] != 2 * one.gradient[k];
        for (int k = 0; k < m * (type->bandwidth + 1) * FIL_LANES; ++k)
            wrong += two.band[k] != 2 * one.band[k];
        ck_assert_msg(wrong == 0, "%s: %d numbers are not doubled", variants[t].name, wrong);
        strands_free(s);
    }
}

// Results are added to what is there.
TEST(strand_elastic_adds)
{
    static strands_result once, twice;
    fil_rng rng = fil_rng_make(10);
    for (int t = 0, end = variant_count(); t < end; ++t) {
        const fil_strand_type *type = variants[t].type;
        strands *s = strands_in(&variants[t], &rng, &situations[0], VERTICES);
        int m = s->vertices * type->dofs;
        strands_evaluate(s, type->safe, &once);
        twice = once;
        type->elastic(&s->pack, s->q, s->frame, type->safe, twice.energy, twice.gradient, twice.band);
        double scale = 0, worst = 0;
        for (int l = 0; l < FIL_LANES; ++l)
            test_near(twice.energy[l], 2 * once.energy[l], 1e-13);
        for (int k = 0; k < m * FIL_LANES; ++k)
            test_near(twice.gradient[k], 2 * once.gradient[k], 1e-13);
        for (int k = 0; k < m * (type->bandwidth + 1) * FIL_LANES; ++k) {
            scale = fmax(scale, fabs(once.band[k]));
            worst = fmax(worst, fabs(twice.band[k] - 2 * once.band[k]));
        }
        ck_assert_msg(worst <= 1e-13 * scale, "%s: the band is off by %.2g of %.2g", variants[t].name, worst, scale);
        // And nothing beyond the pack is touched.
        for (int k = m * FIL_LANES; k < STRANDS_UNKNOWNS * FIL_LANES; ++k)
            ck_assert(twice.gradient[k] == 0);
        strands_free(s);
    }
}

// Sum of forces, sum of torques: a rigid motion costs nothing. An angle on an edge turns about that edge.
static void check_balance(const strands *s, const strands_result *r, const char *where)
{
    int dofs = s->type->dofs;
    for (int l = 0; l < FIL_LANES; ++l) {
        double force[3] = {0}, torque[3] = {0}, size = 0, reach = 0;
        for (int i = 0; i < s->count[l]; ++i) {
            double x[4] = {0}, g[4] = {0}, c[3];
            for (int k = 0; k < dofs; ++k) {
                x[k] = s->q[(i * dofs + k) * FIL_LANES + l];
                g[k] = r->gradient[(i * dofs + k) * FIL_LANES + l];
            }
            strands_cross(x, g, c);
            if (dofs == 4 && i + 1 < s->count[l]) {
                double t[3];
                for (int k = 0; k < 3; ++k)
                    t[k] = s->q[((i + 1) * dofs + k) * FIL_LANES + l] - x[k];
                double length = sqrt(strands_dot(t, t));
                for (int k = 0; k < 3; ++k)
                    c[k] += g[3] * t[k] / length;
            }
            for (int k = 0; k < 3; ++k) {
                force[k] += g[k];
                torque[k] += c[k];
            }
            size = fmax(size, sqrt(strands_dot(g, g)) + fabs(g[3]));
            reach = fmax(reach, 1 + sqrt(strands_dot(x, x)));
        }
        ck_assert_msg(sqrt(strands_dot(force, force)) <= 1e-12 * size, "%s, %s: the forces sum to %.2g of %.2g",
                      s->variant->name, where, sqrt(strands_dot(force, force)), size);
        ck_assert_msg(sqrt(strands_dot(torque, torque)) <= 1e-10 * size * reach,
                      "%s, %s: the torques sum to %.2g of %.2g", s->variant->name, where,
                      sqrt(strands_dot(torque, torque)), size * reach);
    }
}

TEST(strand_rigid_motion_changes_nothing)
{
    static strands_result before, after;
    fil_rng rng = fil_rng_make(11);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int k = 0; k < SITUATIONS; ++k) {
            const fil_strand_type *type = variants[t].type;
            int dofs = type->dofs;
            strands *s = strands_make(&variants[t], &rng, situations[k].rest, VERTICES, 1);
            double about[3], shift[3], angle = fil_rng_uniform(&rng, 0.5, 2.5);
            double axis[FIL_LANES][3 * STRANDS_MAX], x[FIL_LANES][3 * STRANDS_MAX];
            strands_random_unit(&rng, about);
            strands_random_unit(&rng, shift);
            for (int l = 0; l < FIL_LANES; ++l) {
                double length[STRANDS_MAX], twist[STRANDS_MAX];
                for (int i = 0; i < s->count[l]; ++i) {
                    length[i] = s->length[l][i] * fil_rng_uniform(&rng, situations[k].low, situations[k].high);
                    twist[i] = fil_rng_uniform(&rng, -0.4, 0.4);
                }
                strands_draw(&rng, situations[k].now, s->count[l], length, x[l]);
                strands_axes(&rng, s->count[l], x[l], twist, axis[l]);
                strands_place(s, l, x[l], axis[l]);
            }
            strands_evaluate(s, type->safe, &before);
            // Exactly straight strands of a curved model have no derivative; there are none here.
            check_balance(s, &before, situations[k].name);
            for (int l = 0; l < FIL_LANES; ++l) {
                for (int i = 0; i < s->count[l]; ++i) {
                    strands_turn(about, angle, x[l] + 3 * i);
                    strands_turn(about, angle, axis[l] + 3 * i);
                    for (int c = 0; c < 3; ++c)
                        x[l][3 * i + c] += shift[c];
                }
                strands_place(s, l, x[l], axis[l]);
            }
            strands_evaluate(s, type->safe, &after);
            for (int l = 0; l < FIL_LANES; ++l) {
                double scale = 0, worst = 0;
                for (int i = 0; i < s->count[l]; ++i) {
                    double g[4] = {0}, h[4] = {0};
                    for (int c = 0; c < dofs; ++c) {
                        g[c] = before.gradient[(i * dofs + c) * FIL_LANES + l];
                        h[c] = after.gradient[(i * dofs + c) * FIL_LANES + l];
                    }
                    strands_turn(about, angle, g);
                    for (int c = 0; c < dofs; ++c) {
                        scale = fmax(scale, fabs(g[c]));
                        worst = fmax(worst, fabs(g[c] - h[c]));
                    }
                }
                ck_assert_msg(fabs(before.energy[l] - after.energy[l]) <= 1e-11 * before.energy[l] + 1e-20,
                              "%s, %s: energy %.17g becomes %.17g", variants[t].name, situations[k].name,
                              before.energy[l], after.energy[l]);
                ck_assert_msg(worst <= 1e-9 * scale, "%s, %s: the gradient changes by %.2g of %.2g", variants[t].name,
                              situations[k].name, worst, scale);
            }
            strands_free(s);
        }
}

// The result of a lane.
static int lanes_that_differ(const strands *s, const strands_result *a, int la, const strands_result *b, int lb)
{
    int m = s->vertices * s->type->dofs, width = s->type->bandwidth + 1, differ = 0;
    differ += memcmp(&a->energy[la], &b->energy[lb], sizeof(double)) != 0;
    for (int k = 0; k < m; ++k)
        differ += memcmp(&a->gradient[k * FIL_LANES + la], &b->gradient[k * FIL_LANES + lb], sizeof(double)) != 0;
    for (int k = 0; k < m * width; ++k)
        differ += memcmp(&a->band[k * FIL_LANES + la], &b->band[k * FIL_LANES + lb], sizeof(double)) != 0;
    return differ;
}

static void swap_lanes(double *a, int count, int one, int other)
{
    for (int k = 0; k < count; ++k) {
        double x = a[k * FIL_LANES + one];
        a[k * FIL_LANES + one] = a[k * FIL_LANES + other];
        a[k * FIL_LANES + other] = x;
    }
}

// A strand gives the same bits in any lane, whatever is beside it: even numbers that are not finite.
TEST(strand_lanes_do_not_see_each_other)
{
    static strands_result alone, moved;
    fil_rng rng = fil_rng_make(12);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int k = 0; k < SITUATIONS; ++k) {
            const fil_strand_type *type = variants[t].type;
            strands_mode modes[MODES];
            int count = strands_modes(type, modes, MODES), n = VERTICES;
            strands *s = strands_in(&variants[t], &rng, &situations[k], n);
            strands *other = strands_in(&variants[t], &rng, &situations[(k + 1) % SITUATIONS], n);
            for (int i = 0; i < count; ++i) {
                strands_settings(s, modes[i].settings);
                strands_evaluate(s, modes[i].hessian, &alone);
                // Lane 0 goes to lane 2; the others are taken from elsewhere.
                strands *mixed = malloc(sizeof *mixed);
                *mixed = *s;
                mixed->pack.constants = mixed->constants;
                mixed->pack.strain = mixed->strain;
                mixed->pack.param = mixed->param;
                swap_lanes(mixed->constants, n * type->constant_count, 0, 2);
                swap_lanes(mixed->strain, n * type->strain_count, 0, 2);
                swap_lanes(mixed->q, n * type->dofs, 0, 2);
                swap_lanes(mixed->frame, n * type->frame_count, 0, 2);
                for (int j = 0; j < n * type->constant_count; ++j)
                    mixed->constants[j * FIL_LANES] = other->constants[j * FIL_LANES];
                for (int j = 0; j < n * type->strain_count; ++j)
                    mixed->strain[j * FIL_LANES] = other->strain[j * FIL_LANES];
                for (int j = 0; j < n * type->dofs; ++j) {
                    mixed->q[j * FIL_LANES] = other->q[j * FIL_LANES];
                    mixed->q[j * FIL_LANES + 1] = NAN;
                }
                for (int j = 0; j < n * type->frame_count; ++j)
                    mixed->frame[j * FIL_LANES] = other->frame[j * FIL_LANES];
                strands_evaluate(mixed, modes[i].hessian, &moved);
                int differ = lanes_that_differ(s, &alone, 0, &moved, 2) + lanes_that_differ(s, &alone, 3, &moved, 3);
                ck_assert_msg(differ == 0, "%s:%s, %s: %d numbers differ", variants[t].name, modes[i].settings,
                              situations[k].name, differ);
                free(mixed);
            }
            strands_free(s);
            strands_free(other);
        }
}

// Places behind the end of a strand do not matter, and get nothing.
TEST(strand_places_behind_the_end_are_idle)
{
    static strands_result one, other;
    fil_rng rng = fil_rng_make(13);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int repeat = 0; repeat < 20; ++repeat) {
            const fil_strand_type *type = variants[t].type;
            strands_mode modes[MODES];
            int count = strands_modes(type, modes, MODES), dofs = type->dofs, width = type->bandwidth + 1;
            strands *s = strands_in(&variants[t], &rng, &situations[repeat % SITUATIONS], VERTICES);
            for (int i = 0; i < count; ++i) {
                strands_settings(s, modes[i].settings);
                strands_evaluate(s, modes[i].hessian, &one);
                // All in one place; at the last vertex; far away; in line.
                for (int kind = 0; kind < 4; ++kind) {
                    for (int l = 0; l < FIL_LANES; ++l)
                        for (int v = s->count[l]; v < s->vertices; ++v)
                            for (int k = 0; k < dofs; ++k) {
                                double last = s->q[((s->count[l] - 1) * dofs + k) * FIL_LANES + l];
                                double place[] = {0, last, 1e30 * fil_rng_normal(&rng), last + v};
                                s->q[(v * dofs + k) * FIL_LANES + l] = place[kind];
                            }
                    strands_evaluate(s, modes[i].hessian, &other);
                    for (int l = 0; l < FIL_LANES; ++l) {
                        int end = s->count[l] * dofs, bad = one.energy[l] != other.energy[l];
                        for (int j = 0; j < s->vertices * dofs; ++j) {
                            double a = one.gradient[j * FIL_LANES + l], b = other.gradient[j * FIL_LANES + l];
                            bad += j < end ? a != b : b != 0;
                            for (int k = 0; k < width; ++k) {
                                a = one.band[(j * width + k) * FIL_LANES + l];
                                b = other.band[(j * width + k) * FIL_LANES + l];
                                bad += j + k < end ? a != b : b != 0;
                            }
                        }
                        ck_assert_msg(bad == 0, "%s:%s, lane %d of %d vertices, kind %d: %d numbers", variants[t].name,
                                      modes[i].settings, l, s->count[l], kind, bad);
                    }
                }
            }
            strands_free(s);
        }
}

// Positions without a direction, a plane or a sensible size.
static void put_degenerate(strands *s, fil_rng *rng, int kind)
{
    int dofs = s->type->dofs;
    double any[3];
    strands_random_unit(rng, any);
    for (int l = 0; l < FIL_LANES; ++l)
        for (int i = 0; i < s->count[l]; ++i)
            for (int k = 0; k < 3; ++k) {
                double *x = &s->q[(i * dofs + k) * FIL_LANES + l], axis = k == l % 3 ? 1 : 0;
                const double choices[] = {
                    0,                                           // all in one place
                    axis * s->size * i,                          // straight along an axis
                    any[k] * s->size * i,                        // straight in any direction
                    axis * s->size * (i % 2),                    // folded
                    any[k] * s->size * (i % 2),                  // folded in any direction
                    axis * s->size * (i / 2),                    // pairs in one place
                    *x * 1e8,                                    // blown up
                    *x * 1e-8,                                   // shrunk
                    any[k] * s->size * i + 1e-8 * s->size * *x,  // nearly straight
                    any[k] * s->size * i + 1e-12 * s->size * *x, // more so
                    any[k] * s->size * (i % 2) + 1e-8 * *x,      // nearly folded
                    any[k] * s->size * (i % 2) + 1e-12 * *x,     // more so
                    (i == 2 ? 1e-13 : 1) * any[k] * s->size * i, // two nearly in one place
                };
                ck_assert_int_lt(kind, (int)(sizeof choices / sizeof *choices));
                *x = choices[kind];
            }
}
enum { DEGENERATE = 13 };

TEST(strand_numbers_are_finite)
{
    static strands_result result;
    fil_rng rng = fil_rng_make(14);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int curve = 0; curve < CURVE_COUNT; ++curve)
            for (int kind = 0; kind < DEGENERATE; ++kind)
                for (int power = -8; power <= 8; power += 8) {
                    const fil_strand_type *type = variants[t].type;
                    strands_mode modes[MODES];
                    int count = strands_modes(type, modes, MODES);
                    strands *s = strands_make(&variants[t], &rng, curve, VERTICES, pow(10, power));
                    double before[STRANDS_UNKNOWNS * FIL_LANES], frame[STRANDS_MAX * STRANDS_NUMBERS * FIL_LANES];
                    double strain[STRANDS_MAX * STRANDS_NUMBERS * FIL_LANES];
                    memcpy(before, s->q, sizeof before);
                    memcpy(frame, s->frame, sizeof frame);
                    put_degenerate(s, &rng, kind);
                    if (type->frame_count > 0) {
                        type->carry(s->vertices, before, frame, s->q, s->frame);
                        ck_assert_msg(strands_finite(s->frame, s->vertices * type->frame_count * FIL_LANES),
                                      "%s, %s, kind %d, size 1e%d: the frame is not finite", variants[t].name,
                                      strands_curve_name[curve], kind, power);
                    }
                    type->strain(&s->pack, s->q, s->frame, strain);
                    ck_assert_msg(strands_finite(strain, s->vertices * type->strain_count * FIL_LANES),
                                  "%s, %s, kind %d, size 1e%d: a strain is not finite", variants[t].name,
                                  strands_curve_name[curve], kind, power);
                    for (int i = 0; i < count; ++i) {
                        strands_settings(s, modes[i].settings);
                        strands_evaluate(s, modes[i].hessian, &result);
                        ck_assert_msg(strands_result_finite(s, &result), "%s:%s, %s, kind %d, size 1e%d: not finite",
                                      variants[t].name, modes[i].settings, strands_curve_name[curve], kind, power);
                    }
                    strands_free(s);
                }
}

// The frame is made of the axes and gives them back.
TEST(strand_axes_invert_start)
{
    fil_rng rng = fil_rng_make(15);
    for (int t = 0, end = variant_count(); t < end; ++t)
        for (int curve = 0; curve < CURVE_COUNT; ++curve) {
            const fil_strand_type *type = variants[t].type;
            if (type->frame_count == 0) {
                ck_assert(!type->start && !type->axes && !type->carry);
                continue;
            }
            strands *s = strands_make(&variants[t], &rng, curve, VERTICES, 1);
            double axis[3 * STRANDS_MAX * FIL_LANES];
            type->axes(s->vertices, s->q, s->frame, axis);
            for (int l = 0; l < FIL_LANES; ++l)
                for (int k = 0; k < 3 * (s->count[l] - 1); ++k)
                    test_near(axis[k * FIL_LANES + l], s->axis[l][k], 1e-12);
            strands_free(s);
        }
}

TEST(strand_list_is_complete)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        const fil_strand_type *type = fil_strand_type_at(t);
        ck_assert_ptr_eq(fil_strand_type_find(type->name), type);
        ck_assert(type->doc && type->doc[0]);
        if (type->live) {
            ck_assert(type->build && !type->elastic && type->dofs == 3);
            continue;
        }
        ck_assert(type->hessian && type->build && type->strain && type->elastic);
        ck_assert(type->dofs == 3 || type->dofs == 4);
        ck_assert(type->safe != FIL_HESSIAN_NONE);
        // The default settings are understood.
        double param[16];
        bool adaptive = true;
        fil_settings_defaults(type->fields, type->field_count, param);
        fil_hessian hessian = type->hessian(param, &adaptive);
        ck_assert(!adaptive || hessian == FIL_HESSIAN_NONE);
    }
    ck_assert_int_ge(fil_strand_type_count(), 1);
    ck_assert_ptr_null(fil_strand_type_find("rope"));
}
