// Contact problems: creation in both views, every rule of the check with its sentence, memory that runs out.
#include "failing_allocator.h"

#include <stdint.h>
#include <string.h>

// Two contacts, each touching the other: W = [D B; Bᵀ D], all 4 blocks stored.
static fil_contact_problem *two_contacts(fil_context *context)
{
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_dual(context, 2, 4, &problem));
    memcpy(problem->W.start, (int64_t[]){0, 2, 4}, sizeof(int64_t[3]));
    memcpy(problem->W.column, (int[]){0, 1, 0, 1}, sizeof(int[4]));
    for (int block = 0; block < 4; ++block)
        for (int k = 0; k < 3; ++k)
            problem->W.value[9 * block + 4 * k] = block == 0 || block == 3 ? 2 : 0.5;
    problem->mu[0] = problem->mu[1] = 0.3;
    problem->q[0] = problem->q[3] = -1;
    return problem;
}

// A body of 2 dofs (dense), one of 3 (diagonal); contact 0 between them, contact 1 of the second against the world.
static fil_contact_problem *two_bodies(fil_context *context)
{
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_primal(context, 2, 2, 5, 4 + 3, 3, 3 * (2 + 3 + 2), &problem));
    fil_body_matrix *A = &problem->A;
    memcpy(A->dof_start, (int[]){0, 2, 5}, sizeof(int[3]));
    memcpy(A->bandwidth, (int[]){1, 0}, sizeof(int[2]));
    memcpy(A->value_start, (int64_t[]){0, 4, 7}, sizeof(int64_t[3]));
    memcpy(A->value, (double[]){2, 1, 2, 0, 3, 3, 3}, sizeof(double[7]));
    fil_contact_jacobian *H = &problem->H;
    memcpy(H->side_start, (int[]){0, 2, 3}, sizeof(int[3]));
    memcpy(H->body, (int[]){0, 1, 1}, sizeof(int[3]));
    memcpy(H->first_dof, (int[]){0, 0, 1}, sizeof(int[3]));
    memcpy(H->dof_count, (int[]){2, 3, 2}, sizeof(int[3]));
    memcpy(H->value_start, (int64_t[]){0, 6, 15, 21}, sizeof(int64_t[4]));
    for (int i = 0; i < 21; ++i)
        H->value[i] = 0.1 * i;
    return problem;
}

TEST(contact_problem_dual_is_zero_and_sized)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_dual(context, 3, 5, &problem));
    ck_assert(problem->has_dual && !problem->has_primal);
    ck_assert_int_eq(problem->contact_count, 3);
    ck_assert_int_eq(problem->file_dim, 3);
    ck_assert_int_eq(problem->W.rows, 3);
    ck_assert(!problem->W.half);
    ck_assert_str_eq(problem->title, "");
    ck_assert_ptr_null(problem->b);
    ck_assert_ptr_null(problem->A.value);
    for (int i = 0; i < 9 * 5 + 4; ++i)
        ck_assert(problem->W.value[i] == 0);
    fil_contact_problem_destroy(problem);
    fil_contact_problem_destroy(NULL);
    fil_context_destroy(context);
}

TEST(contact_problem_accepts_good_ones)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = two_contacts(context);
    test_ok(context, fil_contact_problem_check(context, problem));
    // The upper half alone.
    problem->W.half = true;
    memcpy(problem->W.start, (int64_t[]){0, 2, 3}, sizeof(int64_t[3]));
    memcpy(problem->W.column, (int[]){0, 1, 1}, sizeof(int[3]));
    test_ok(context, fil_contact_problem_check(context, problem));
    fil_contact_problem_destroy(problem);

    problem = two_bodies(context);
    ck_assert(problem->has_primal && !problem->has_dual);
    ck_assert_ptr_null(problem->q);
    test_ok(context, fil_contact_problem_check(context, problem));
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_problem_may_be_empty)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_dual(context, 0, 0, &problem));
    test_ok(context, fil_contact_problem_check(context, problem));
    fil_contact_problem_destroy(problem);
    test_ok(context, fil_contact_problem_create_primal(context, 0, 0, 0, 0, 0, 0, &problem));
    test_ok(context, fil_contact_problem_check(context, problem));
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Breaks one number of a good problem, expects the sentence, repairs it.
#define BROKEN(place, value, sentence)                                                                                 \
    do {                                                                                                               \
        __typeof__(place) good = (place);                                                                              \
        (place) = (value);                                                                                             \
        test_fails(context, fil_contact_problem_check(context, problem), FIL_BAD_INPUT, sentence);                     \
        (place) = good;                                                                                                \
        test_ok(context, fil_contact_problem_check(context, problem));                                                 \
    } while (0)

TEST(contact_problem_check_of_the_dual_view)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = two_contacts(context);
    BROKEN(problem->mu[1], -0.5, "mu[1]: must be a finite number >= 0 (got -0.5)");
    BROKEN(problem->mu[0], NAN, "mu[0]: must be a finite number >= 0 (got nan)");
    BROKEN(problem->mu[0], INFINITY, "mu[0]: must be a finite number >= 0 (got inf)");
    BROKEN(problem->W.rows, 3, "W: has 3 block rows for 2 contacts");
    BROKEN(problem->W.start[0], 1, "W.start[0]: must be 0 (got 1)");
    BROKEN(problem->W.start[1], -1, "W.start[1]: must not fall");
    BROKEN(problem->W.start[2], 1, "W.start[2]: must not fall");
    BROKEN(problem->W.start[2], 3, "W: row 1: the diagonal block is missing");
    BROKEN(problem->W.column[1], 2, "W: row 0: columns must ascend and lie below 2 (got 2)");
    BROKEN(problem->W.column[1], 0, "W: row 0: columns must ascend and lie below 2 (got 0)");
    BROKEN(problem->W.column[0], -1, "W: row 0: columns must ascend and lie below 2 (got -1)");
    BROKEN(problem->W.half, true, "W: row 1: columns must ascend and lie below 2 (got 0)");
    BROKEN(problem->W.value[35], NAN, "W[35]: must be a finite number (got nan)");
    BROKEN(problem->q[5], -INFINITY, "q[5]: must be a finite number (got -inf)");
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_problem_check_of_the_primal_view)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = two_bodies(context);
    fil_body_matrix *A = &problem->A;
    fil_contact_jacobian *H = &problem->H;
    BROKEN(problem->mu[1], -1, "mu[1]: must be a finite number >= 0 (got -1)");
    BROKEN(A->dof_start[0], 1, "A: the first body must start at 0");
    BROKEN(A->value_start[0], 1, "A: the first body must start at 0");
    BROKEN(A->dof_start[1], 0, "A: body 0: 0 dofs with half-bandwidth 1 (allowed: 0 to dofs - 1)");
    BROKEN(A->bandwidth[0], 2, "A: body 0: 2 dofs with half-bandwidth 2 (allowed: 0 to dofs - 1)");
    BROKEN(A->bandwidth[1], -1, "A: body 1: 3 dofs with half-bandwidth -1 (allowed: 0 to dofs - 1)");
    BROKEN(A->value_start[1], 3, "A: body 0: holds 3 numbers, needs 4");
    BROKEN(A->value_start[2], 8, "A: body 1: holds 4 numbers, needs 3");
    BROKEN(A->value[6], NAN, "A[6]: must be a finite number (got nan)");
    BROKEN(problem->b[4], INFINITY, "b[4]: must be a finite number (got inf)");
    BROKEN(H->side_start[0], 1, "H: the first side must start at 0");
    BROKEN(H->value_start[0], 3, "H: the first side must start at 0");
    BROKEN(H->side_start[1], 4, "H.side_start[2]: must not fall");
    BROKEN(H->body[2], 2, "H: side 2: body 2 of 2 does not exist");
    BROKEN(H->body[2], -1, "H: side 2: body -1 of 2 does not exist");
    BROKEN(H->first_dof[2], 2, "H: side 2: dofs 2 to 4 of a body with 3");
    BROKEN(H->first_dof[2], -1, "H: side 2: dofs -1 to 1 of a body with 3");
    BROKEN(H->dof_count[0], 3, "H: side 0: dofs 0 to 3 of a body with 2");
    BROKEN(H->dof_count[1], INT32_MAX, "H: side 1: dofs 0 to 2147483647 of a body with 3");
    BROKEN(H->value_start[2], 14, "H: side 1: holds 8 numbers, needs 9");
    BROKEN(H->value[20], NAN, "H[20]: must be a finite number (got nan)");
    BROKEN(problem->w[0], NAN, "w[0]: must be a finite number (got nan)");
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

static fil_status create_dual(fil_context *context, void *data)
{
    (void)data;
    fil_contact_problem *problem = (void *)&problem;
    fil_status status = fil_contact_problem_create_dual(context, 1000, 20000, &problem);
    ck_assert((status == FIL_OK) == (problem != NULL));
    fil_contact_problem_destroy(problem);
    return status;
}

static fil_status create_primal(fil_context *context, void *data)
{
    (void)data;
    fil_contact_problem *problem = (void *)&problem;
    fil_status status = fil_contact_problem_create_primal(context, 10000, 5000, 50000, 500000, 20000, 600000, &problem);
    ck_assert((status == FIL_OK) == (problem != NULL));
    fil_contact_problem_destroy(problem);
    return status;
}

TEST(contact_problem_survives_failing_allocation)
{
    ck_assert_int_gt(test_failing_allocation(create_dual, NULL), 3);
    ck_assert_int_gt(test_failing_allocation(create_primal, NULL), 5);
}

// More than any machine has: a sentence, no problem.
TEST(contact_problem_refuses_absurd_sizes)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = (void *)&problem;
    ck_assert_int_eq(fil_contact_problem_create_dual(context, 1, INT64_C(1) << 55, &problem), FIL_NO_MEMORY);
    ck_assert_ptr_null(problem);
    test_contains(fil_context_error(context), "out of memory");
    fil_context_destroy(context);
}
