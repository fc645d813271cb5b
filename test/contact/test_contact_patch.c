// Hard contacts solved apart: a few wrong impulses in a solved problem are found and put right.
#include "contact/contact_patch.h"

#include "base/arena.h"
#include "failing_allocator.h"

#include <string.h>

typedef struct patch_case {
    fil_contact_hair hair;
    double residual[2]; // before and after
} patch_case;

// Solves hair to 1e-7, spoils five impulses, and lets the patch repair them.
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
    fil_solve_stats stats = {0};
    fil_contact_watch watch;
    fil_contact_task task = {.context = context, .problem = problem, .tolerance = 1e-6, .scratch = arena};
    if (status == FIL_OK)
        status = fil_contact_watch_make(&task, &stats, 1000, &watch);
    if (status == FIL_OK) {
        for (int k = 0; k < 15; ++k)
            r[3 * (problem->contact_count / 2) + k] *= 2;
        fil_contact_watch_judge(&watch, r);
        self->residual[0] = watch.residual;
        status = fil_contact_patch_run(&watch, r);
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

TEST(patch_survives_failing_allocation)
{
    patch_case self = {.hair = fil_contact_hair_default()};
    self.hair.strands = 3;
    self.hair.vertices = 10;
    self.hair.contacts_per_strand = 6;
    test_failing_allocation(spoil_and_repair, &self);
}
