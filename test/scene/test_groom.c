// Generators: every one keeps the same promises; some have their own.
#include "test.h"

#include "../failing_allocator.h"
#include "filum/extend.h"
#include "math/mat3.h"

#include <stdio.h>
#include <string.h>

static fil_curves *made(fil_context *context, const char *text)
{
    fil_curves *curves;
    test_ok(context, fil_curves_generate(context, text, &curves));
    return curves;
}

static double edge(const double *x)
{
    const double d[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
    return fil_vec3_norm(d);
}

TEST(groom_of_every_kind_is_sound_and_reproducible)
{
    fil_context *context = fil_context_create(NULL);
    for (int t = 0; t < fil_groom_type_count(); ++t) {
        const char *name = fil_groom_type_at(t)->name;
        fil_curves *a = made(context, name), *b = made(context, name);
        ck_assert_int_gt(a->strand_count, 0);
        int64_t total = 0;
        for (int s = 0; s < a->strand_count; ++s) {
            ck_assert_int_ge(a->vertex_count[s], 2);
            for (int i = 0; i + 1 < a->vertex_count[s]; ++i) {
                double length = edge(a->position + 3 * (total + i));
                ck_assert_msg(isfinite(length) && length > 1e-6 && length < 0.1, "%s: strand %d, edge %d: %g", name, s,
                              i, length);
            }
            total += a->vertex_count[s];
        }
        ck_assert_int_eq(total, a->vertex_total);
        ck_assert_mem_eq(a->position, b->position, (size_t)total * 3 * sizeof(double));
        fil_curves_destroy(a);
        fil_curves_destroy(b);
    }
    fil_context_destroy(context);
}

TEST(groom_styles_differ_and_seeds_do)
{
    fil_context *context = fil_context_create(NULL);
    static const char *const styles[] = {"straight", "wavy", "curly", "coily"};
    double turned_before = 0;
    for (int i = 0; i < 4; ++i) {
        char text[96];
        snprintf(text, sizeof text, "line:style=%s,length=0.1,segment=0.01,variation=0", styles[i]);
        fil_curves *curves = made(context, text);
        // The sum of the angles between edges grows with the curl.
        double turned = 0;
        for (int k = 0; k + 2 < curves->vertex_count[0]; ++k) {
            const double *x = curves->position + 3 * k;
            const double e[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]}, f[3] = {x[6] - x[3], x[7] - x[4], x[8] - x[5]};
            double cosine = fil_vec3_dot(e, f) / (fil_vec3_norm(e) * fil_vec3_norm(f));
            turned += acos(fmin(fmax(cosine, -1), 1));
        }
        if (i == 0)
            ck_assert_double_lt(turned, 1e-5);
        else
            ck_assert_double_gt(turned, turned_before + 1);
        turned_before = turned;
        fil_curves_destroy(curves);
    }
    fil_curves *a = made(context, "scalp:strands=50,seed=1"), *b = made(context, "scalp:strands=50,seed=2");
    ck_assert(memcmp(a->position, b->position, (size_t)a->vertex_total * 3 * sizeof(double)) != 0);
    fil_curves_destroy(a);
    fil_curves_destroy(b);
    fil_context_destroy(context);
}

TEST(groom_line_hangs_and_leans)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves = made(context, "line:strands=3,length=0.2,segment=0.02,variation=0,lean=90,spacing=0.05");
    ck_assert_int_eq(curves->vertex_count[0], 11);
    for (int s = 0; s < 3; ++s) {
        const double *root = curves->position + 33 * s, *tip = root + 30;
        test_near(root[0], 0.05 * (s - 1), 1e-14);
        test_near(tip[2] - root[2], 0.2, 1e-12);
        test_near(tip[1], 0, 1e-12);
    }
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(groom_coil_has_its_radius_and_pitch)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves = made(context, "coil:radius=0.01,pitch=0.004,turns=5,per_turn=10");
    for (int i = 1; i < curves->vertex_count[0]; ++i) {
        const double *x = curves->position + 3 * i;
        test_near(hypot(x[0], x[2]), 0.01, 1e-12);
        test_near(x[1], -0.0004 * (i - 1), 1e-12);
    }
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

// Roots on the skin, nothing inside the head, the face free.
TEST(groom_scalp_stays_outside_of_its_head)
{
    fil_context *context = fil_context_create(NULL);
    const double half[3] = {0.075, 0.11, 0.095};
    static const char *const texts[] = {"scalp:strands=500", "ponytail:strands=300", "hairball:strands=300,sphere=0.1"};
    for (int which = 0; which < 3; ++which) {
        fil_curves *curves = made(context, texts[which]);
        const double *x = curves->position;
        for (int s = 0; s < curves->strand_count; ++s)
            for (int i = 0; i < curves->vertex_count[s]; ++i, x += 3) {
                double size = 0;
                for (int k = 0; k < 3; ++k) {
                    double part = x[k] / (which == 2 ? 0.1 : half[k]);
                    size += part * part;
                }
                ck_assert_msg(sqrt(size) > 1 - 1e-9, "%s: strand %d, vertex %d: %g", texts[which], s, i, sqrt(size));
                if (i == 0)
                    test_near(sqrt(size), 1, 1e-9);
                if (i == 0 && which == 0)
                    ck_assert(x[1] / half[1] > 0.1 + 0.55 * x[2] / half[2]);
            }
        fil_curves_destroy(curves);
    }
    fil_context_destroy(context);
}

// Yarns of a rope keep their distance.
TEST(groom_rope_is_as_thick_as_its_yarns)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves = made(context, "rope:plies=3,yarns=4,radius=0.001,turns=5");
    int n = curves->vertex_count[0];
    for (int i = 0; i < n; i += 7)
        for (int a = 0; a < 12; ++a)
            for (int b = 0; b < a; ++b) {
                const double *x = curves->position + 3 * (a * n + i), *y = curves->position + 3 * (b * n + i);
                ck_assert_double_gt(hypot(x[0] - y[0], x[2] - y[2]), 0.002 * (1 - 1e-9));
            }
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(groom_refuses_bad_settings)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves;
    test_fails(context, fil_curves_generate(context, "sclap", &curves), FIL_BAD_INPUT,
               "unknown groom 'sclap': did you mean 'scalp'? (see `filum info groom`)");
    ck_assert_ptr_null(curves);
    test_fails(context, fil_curves_generate(context, "line:lenght=1", &curves), FIL_BAD_INPUT,
               "line: unknown setting 'lenght': did you mean 'length'?");
    test_fails(context, fil_curves_generate(context, "fur:strands=0", &curves), FIL_BAD_INPUT,
               "fur: strands: must be from 1 to 1e+07 (got 0)");
    fil_context_destroy(context);
}

static fil_status generate(fil_context *context, void *data)
{
    fil_curves *curves;
    fil_status status = fil_curves_generate(context, data, &curves);
    fil_curves_destroy(curves);
    return status;
}

TEST(groom_survives_failing_allocation)
{
    test_failing_allocation(generate, (void *)"scalp:strands=10");
}
