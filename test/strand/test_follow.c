// Hairs that follow guides.
#include "test.h"

#include "../failing_allocator.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// Strands on a part of a sphere, every `skip`th of 400: a little curled, of different lengths.
static fil_curves *head(fil_context *context, int skip)
{
    fil_curves *out;
    int count = (400 + skip - 1) / skip, n = 9;
    test_ok(context, fil_curves_create(context, count, (int64_t)count * n, false, &out));
    for (int s = 0; s < count; ++s) {
        int i = s * skip;
        double turn = 2.399963 * i, low = 0.2 + 0.7 * sqrt(i / 400.0), out_x = sin(low) * cos(turn);
        double out_z = sin(low) * sin(turn), out_y = cos(low), length = 0.1 + 0.02 * sin(i);
        out->vertex_count[s] = n;
        for (int k = 0; k < n; ++k) {
            double far = 0.1 + length * k / (n - 1), curl = 0.01 * k / (n - 1);
            double *x = out->position + 3 * (s * n + k);
            x[0] = far * out_x + curl * sin(1.0 * k);
            x[1] = far * out_y - curl * k;
            x[2] = far * out_z + curl * cos(1.0 * k) - curl;
        }
    }
    return out;
}

static double farthest(const double *a, const double *b, int64_t vertices)
{
    double most = 0;
    for (int64_t i = 0; i < vertices; ++i)
        most = fmax(most, hypot(hypot(a[3 * i] - b[3 * i], a[3 * i + 1] - b[3 * i + 1]), a[3 * i + 2] - b[3 * i + 2]));
    return most;
}

TEST(follow_leaves_hairs_where_they_are)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *guides = head(context, 10), *hairs = head(context, 1);
    fil_follow *follow;
    test_ok(context, fil_follow_create(context, guides, hairs, &follow));
    double *x = calloc(3 * (size_t)hairs->vertex_total, sizeof *x);
    fil_follow_apply(context, follow, guides->position, x);
    ck_assert_double_lt(farthest(x, hairs->position, hairs->vertex_total), 1e-7);
    free(x);
    fil_follow_destroy(follow);
    fil_curves_destroy(guides);
    fil_curves_destroy(hairs);
    fil_context_destroy(context);
}

// A head that turns and goes takes all hairs along, those on its top as well.
TEST(follow_goes_along_with_a_rigid_motion)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *guides = head(context, 10), *hairs = head(context, 1);
    fil_follow *follow;
    test_ok(context, fil_follow_create(context, guides, hairs, &follow));
    double *x = calloc(3 * (size_t)hairs->vertex_total, sizeof *x), *goal = calloc(3 * (size_t)hairs->vertex_total, 8);
    double q[4];
    fil_quat_from_turn((const double[3]){0.5, 2, -1}, q);
    for (int64_t i = 0; i < hairs->vertex_total; ++i) {
        fil_quat_rotate(q, hairs->position + 3 * i, goal + 3 * i);
        goal[3 * i] += 1;
    }
    for (int64_t i = 0; i < guides->vertex_total; ++i) {
        double turned[3];
        fil_quat_rotate(q, guides->position + 3 * i, turned);
        memcpy(guides->position + 3 * i, turned, sizeof turned);
        guides->position[3 * i] += 1;
    }
    fil_follow_apply(context, follow, guides->position, x);
    ck_assert_msg(farthest(x, goal, hairs->vertex_total) < 1e-6, "%g m", farthest(x, goal, hairs->vertex_total));
    free(x), free(goal);
    fil_follow_destroy(follow);
    fil_curves_destroy(guides);
    fil_curves_destroy(hairs);
    fil_context_destroy(context);
}

// A hair that is a guide does what the guide does, nearly: its two neighbours have a say of 1e-6.
TEST(follow_of_a_guide_is_the_guide)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *guides = head(context, 10);
    fil_follow *follow;
    test_ok(context, fil_follow_create(context, guides, guides, &follow));
    double *x = calloc(3 * (size_t)guides->vertex_total, sizeof *x);
    for (int64_t i = 0; i < guides->vertex_total; ++i)
        guides->position[3 * i] += 0.02 * sin(0.3 * (double)i);
    for (int threads = 1; threads <= 4; threads *= 2) {
        fil_context_set_threads(context, threads);
        fil_follow_apply(context, follow, guides->position, x);
        ck_assert_double_lt(farthest(x, guides->position, guides->vertex_total), 1e-6);
    }
    free(x);
    fil_follow_destroy(follow);
    fil_curves_destroy(guides);
    fil_context_destroy(context);
}

TEST(follow_takes_one_guide)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *guides = head(context, 400), *hairs = head(context, 1);
    fil_follow *follow;
    test_ok(context, fil_follow_create(context, guides, hairs, &follow));
    double *x = calloc(3 * (size_t)hairs->vertex_total, sizeof *x);
    fil_follow_apply(context, follow, guides->position, x);
    ck_assert_double_lt(farthest(x, hairs->position, hairs->vertex_total), 1e-7);
    guides->strand_count = 0;
    fil_follow *none;
    test_fails(context, fil_follow_create(context, guides, hairs, &none), FIL_BAD_INPUT,
               "follow: there must be guides (got 0 strands)");
    free(x);
    fil_follow_destroy(follow);
    fil_curves_destroy(guides);
    fil_curves_destroy(hairs);
    fil_context_destroy(context);
}

static fil_status create_and_apply(fil_context *context, void *data)
{
    fil_curves *const *curves = data;
    fil_follow *follow;
    fil_status status = fil_follow_create(context, curves[0], curves[1], &follow);
    if (status == FIL_OK) {
        double x[3 * 9 * 10];
        fil_follow_apply(context, follow, curves[0]->position, x);
    }
    fil_follow_destroy(follow);
    return status;
}

TEST(follow_survives_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves[2] = {head(context, 80), head(context, 40)};
    test_failing_allocation(create_and_apply, curves);
    fil_curves_destroy(curves[0]);
    fil_curves_destroy(curves[1]);
    fil_context_destroy(context);
}
