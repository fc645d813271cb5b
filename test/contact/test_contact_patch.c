// Hard contacts solved apart, as a patch or as a core: a few wrong impulses in a solved problem are found and put
// right.
#include "contact/contact_core.h"
#include "contact/contact_patch.h"
#include "contact/local/local.h"

#include "base/arena.h"
#include "failing_allocator.h"

#include <string.h>

typedef struct patch_case {
    fil_contact_hair hair;
    bool core;          // by the core instead of the patch
    bool found;         // ... and they were few
    double residual[2]; // before and after
} patch_case;

// Solves hair to 1e-7, spoils five impulses, and lets the patch, or the core, repair them.
static fil_status spoil_and_repair(fil_context *context, void *data)
{
    patch_case *self = data;
    fil_contact_problem *problem = NULL;
    fil_status status = fil_contact_hair_generate(context, &self->hair, &problem);
    if (status != FIL_OK)
        return status;
    fil_arena *arena = fil_arena_create(context);
    double *r = arena ? FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)problem->contact_count) : NULL;
    fil_contact_def def = fil_contact_def_default();
    def.tolerance = 1e-7;
    status = r ? fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL) : FIL_NO_MEMORY;
    if (status == FIL_OK && self->core)
        status = fil_contact_problem_form_dual(context, problem);
    fil_solve_stats stats = {0};
    fil_contact_watch watch;
    fil_contact_task task = {.context = context, .problem = problem, .tolerance = 1e-6, .scratch = arena};
    if (status == FIL_OK)
        status = fil_local_parse(context, arena, def.local, 1e-10, &task.local);
    if (status == FIL_OK)
        status = fil_contact_watch_make(&task, &stats, 1000, &watch);
    if (status == FIL_OK) {
        for (int k = 0; k < 15; ++k)
            r[3 * (problem->contact_count / 2) + k] *= 2;
        fil_contact_watch_judge(&watch, r);
        const fil_contact_patch_plan plan = {.left = 0.3 * task.tolerance, .most = 1};
        self->residual[0] = watch.residual;
        status = self->core ? fil_contact_core_run(&watch, r, &self->found)
                            : fil_contact_patch_run(&watch, &plan, r, &self->found);
        self->residual[1] = watch.residual;
    }
    fil_arena_destroy(arena);
    fil_contact_problem_destroy(problem);
    return status;
}

TEST(patch_repairs_spoilt_impulses)
{
    for (int shape = 0; shape < FIL_HAIR_SHAPES; ++shape) {
        patch_case self = {.hair = fil_contact_hair_default()};
        self.hair.strands = 2; // both are marked, so the patch is the whole
        self.hair.shape = (fil_contact_hair_shape)shape;
        fil_context *context = fil_context_create(NULL);
        ck_assert_int_eq(spoil_and_repair(context, &self), FIL_OK);
        ck_assert_double_gt(self.residual[0], 1e-4);
        ck_assert_double_le(self.residual[1], 1e-6);
        fil_context_destroy(context);
    }
}

TEST(core_repairs_spoilt_impulses)
{
    for (int shape = 0; shape < FIL_HAIR_SHAPES; ++shape) {
        patch_case self = {.hair = fil_contact_hair_default(), .core = true};
        self.hair.strands = 50;
        self.hair.shape = (fil_contact_hair_shape)shape;
        fil_context *context = fil_context_create(NULL);
        ck_assert_int_eq(spoil_and_repair(context, &self), FIL_OK);
        ck_assert(self.found);
        ck_assert_msg(self.residual[1] < 0.5 * self.residual[0], "%s: from %g to %g",
                      fil_contact_hair_shape_name(self.hair.shape), self.residual[0], self.residual[1]);
        fil_context_destroy(context);
    }
}

// Of two strands with six contacts each, all are near each other.
TEST(core_that_is_most_of_all_is_left_alone)
{
    patch_case self = {.hair = fil_contact_hair_default(), .core = true};
    self.hair.strands = 2;
    self.hair.contacts_per_strand = 6;
    fil_context *context = fil_context_create(NULL);
    ck_assert_int_eq(spoil_and_repair(context, &self), FIL_OK);
    ck_assert(!self.found);
    ck_assert_double_eq(self.residual[1], self.residual[0]);
    fil_context_destroy(context);
}

TEST(core_survives_failing_allocation)
{
    patch_case self = {.hair = fil_contact_hair_default(), .core = true};
    self.hair.strands = 20;
    self.hair.vertices = 10;
    self.hair.contacts_per_strand = 4;
    test_failing_allocation(spoil_and_repair, &self);
}

TEST(patch_survives_failing_allocation)
{
    patch_case self = {.hair = fil_contact_hair_default()};
    self.hair.strands = 3;
    self.hair.vertices = 10;
    self.hair.contacts_per_strand = 6;
    test_failing_allocation(spoil_and_repair, &self);
}
