// The validation suite: every model passes it, it sees wrong physics, its theory is right, and callers can stop it.
#include "validate/validate.h"

#include "failing_allocator.h"
#include "filum/extend.h"
#include "validate/validate_rig.h"

#include <stdio.h>
#include <string.h>

// What the callbacks saw, and when they stop the run.
typedef struct watcher {
    int rows, misses, by_design, coarse;
    int most_rows;       // < 0: any number
    const char *stop_at; // a case that is not wanted, or NULL
    char missed[160];    // case and quantity of the first miss
    int ribbon_misses;
} watcher;

static bool watch_row(void *user, const fil_validate_row *row)
{
    watcher *self = user;
    ++self->rows;
    self->coarse += row->verdict == FIL_VERDICT_COARSE;
    self->by_design += row->verdict == FIL_VERDICT_BY_DESIGN;
    if (row->verdict == FIL_VERDICT_MISS && self->misses++ == 0)
        snprintf(self->missed, sizeof self->missed, "%s: %s: %g instead of %g. %s", row->name, row->quantity,
                 row->measured, row->theory, row->reason);
    if (strcmp(row->name, "ribbon") == 0)
        self->ribbon_misses += row->verdict == FIL_VERDICT_MISS;
    return self->most_rows < 0 || self->rows < self->most_rows;
}

static bool watch_progress(void *user, double fraction, const char *name)
{
    const watcher *self = user;
    ck_assert(fraction >= 0 && fraction < 1);
    return !self->stop_at || strcmp(name, self->stop_at) != 0;
}

static fil_status run(fil_context *context, const char *model, bool quick, watcher *self)
{
    fil_validate_def def = {.model = model, .quick = quick, .row = watch_row, .progress = watch_progress, .user = self};
    return fil_validate_run(context, &def);
}

// One rod at a time: more threads would wait for each other.
static fil_context *one_thread(void)
{
    fil_context_def def = fil_context_def_default();
    def.threads = 1;
    return fil_context_create(&def);
}

static void pass_with(const char *model, bool quick)
{
    fil_context *context = one_thread();
    watcher self = {.most_rows = -1};
    test_ok(context, run(context, model, quick, &self));
    ck_assert_msg(self.misses == 0, "%s: %d misses: %s", model, self.misses, self.missed);
    ck_assert_int_ge(self.rows, quick ? 100 : 130);
    fil_context_destroy(context);
}

TEST(validate_every_model_passes_the_quick_set)
{
    for (int i = 0; i < fil_strand_type_count(); ++i)
        if (!fil_strand_type_at(i)->live)
            pass_with(fil_strand_type_at(i)->name, true);
}

TEST_LONG(validate_every_model_passes)
{
    for (int i = 0; i < fil_strand_type_count(); ++i)
        if (!fil_strand_type_at(i)->live)
            pass_with(fil_strand_type_at(i)->name, false);
}

TEST_LONG(validate_other_hessians_pass)
{
    pass_with("der:hessian=filter", false);
    pass_with("der:hessian=none", false);
    pass_with("der:hessian=gauss-newton+stretch", false);
    pass_with("lifted:hessian=filter", false);
    pass_with("lifted:hessian=none", false);
}

TEST_LONG(validate_large_pile_stays_at_rest)
{
    fil_context *context = one_thread();
    watcher self = {.most_rows = -1};
    fil_validate_def def = {.model = "der", .row = watch_row, .user = &self};
    fil_validate_task task = {.context = context, .def = &def, .has_twist = true, .name = "pile"};
    fil_validate_pile_of(&task, 200, 3, 10);
    test_ok(context, task.status);
    ck_assert_int_eq(self.rows, 3);
    ck_assert_msg(self.misses == 0, "%s", self.missed);
    fil_context_destroy(context);
}

// The reference model has every mechanism.
TEST(validate_excuses_der_from_nothing)
{
    fil_context *context = one_thread();
    watcher self = {.most_rows = -1};
    test_ok(context, run(context, "der", true, &self));
    ck_assert_int_eq(self.by_design, 0);
    ck_assert_int_eq(self.coarse, 1);
    fil_context_destroy(context);
}

// A ribbon whose two bending stiffnesses are one does not buckle sideways.
TEST(validate_sees_wrong_physics)
{
    fil_context *context = one_thread();
    watcher self = {.most_rows = -1, .stop_at = "ring"};
    test_ok(context, run(context, "der:bend=isotropic", true, &self));
    ck_assert_int_eq(self.ribbon_misses, 2);
    fil_context_destroy(context);
}

TEST(validate_refuses_unknown_models)
{
    fil_context *context = one_thread();
    watcher self = {.most_rows = -1};
    test_fails(context, run(context, "dre", true, &self), FIL_BAD_INPUT,
               "unknown strand model 'dre': did you mean 'der'? (see `filum info strand`)");
    ck_assert_int_eq(run(context, "der:hessian=guess", true, &self), FIL_BAD_INPUT);
    ck_assert_int_eq(run(context, "", true, &self), FIL_BAD_INPUT);
    ck_assert_int_eq(self.rows, 0);
    fil_context_destroy(context);
}

TEST(validate_stops_when_asked)
{
    fil_context *context = one_thread();
    watcher after_two = {.most_rows = 2}, before_all = {.most_rows = -1, .stop_at = "cantilever"};
    test_ok(context, run(context, "der", true, &after_two));
    ck_assert_int_eq(after_two.rows, 2);
    test_ok(context, run(context, "der", true, &before_all));
    ck_assert_int_eq(before_all.rows, 0);
    fil_context_destroy(context);
}

static fil_status first_row(fil_context *context, void *data)
{
    (void)data;
    watcher self = {.most_rows = 1};
    return run(context, "der", true, &self);
}

TEST(validate_survives_failing_allocation)
{
    test_failing_allocation(first_row, NULL);
}

// The heavy elastica by shooting: θ' at the tip for a curvature at the clamp, and the tip itself.
static double shoot(double gamma, double curvature, double *drop, double *reach)
{
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    double angle = 0, rate = curvature;
    *drop = *reach = 0;
    for (int i = 0; i < STEPS; ++i) {
        // Runge-Kutta of order four; the tip by the trapezoidal rule and its end correction.
        double s = i * h, k[4][2], before = angle, rate_before = rate;
        for (int j = 0; j < 4; ++j) {
            double part = j == 0 ? 0 : j == 3 ? h : 0.5 * h;
            double a = angle + (j ? part * k[j - 1][0] : 0), r = rate + (j ? part * k[j - 1][1] : 0);
            k[j][0] = r;
            k[j][1] = -gamma * (1 - s - part) * cos(a);
        }
        angle += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
        rate += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
        *drop += 0.5 * h * (sin(before) + sin(angle)) + h * h / 12 * (cos(before) * rate_before - cos(angle) * rate);
        *reach += 0.5 * h * (cos(before) + cos(angle)) - h * h / 12 * (sin(before) * rate_before - sin(angle) * rate);
    }
    return rate;
}

TEST(validate_elastica_table_is_right)
{
    const double *gamma, *ratio;
    int count = fil_validate_theory(FIL_CURVE_CANTILEVER, &gamma, &ratio);
    for (int i = 0; i < count && gamma[i] <= 100; ++i) {
        double low = 0, high = gamma[i], drop, reach;
        for (int round = 0; round < 80; ++round) {
            double middle = 0.5 * (low + high);
            if (shoot(gamma[i], middle, &drop, &reach) > 0)
                high = middle;
            else
                low = middle;
        }
        shoot(gamma[i], low, &drop, &reach);
        test_near(drop / reach / ratio[i], 1.0, 1e-8);
    }
}

TEST(validate_theory_is_ordered)
{
    for (int curve = FIL_CURVE_NONE; curve < FIL_CURVE_COUNT; ++curve) {
        const double *x, *y;
        int count = fil_validate_theory((fil_validate_curve)curve, &x, &y);
        ck_assert_int_eq(count > 0, curve != FIL_CURVE_NONE);
        for (int i = 1; i < count; ++i)
            ck_assert(x[i] > x[i - 1] && y[i] > y[i - 1]);
        if (count > 0)
            ck_assert_double_eq(fil_validate_theory_at((fil_validate_curve)curve, x[count - 1]), y[count - 1]);
    }
    ck_assert(isnan(fil_validate_theory_at(FIL_CURVE_CANTILEVER, 0.12345)));
}

TEST(validate_names_are_there)
{
    ck_assert_str_eq(fil_validate_verdict_name(FIL_VERDICT_BY_DESIGN), "by design");
    for (int i = 0; i < fil_validate_case_count(); ++i)
        ck_assert(*fil_validate_case_name(i) && *fil_validate_case_doc(i));
}
