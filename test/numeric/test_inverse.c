// Parts of the inverse of a band against whole solves.
#include "numeric/inverse.h"

#include "base/rng.h"
#include "numeric/system.h"
#include "test.h"

#include <stdlib.h>

enum { MOST_DOFS = 60 };

typedef struct setting {
    fil_context *context;
    fil_arena *arena;
    fil_body_matrix A;
    int dof_start[2], bandwidth;
    int64_t value_start[2];
    double value[MOST_DOFS * MOST_DOFS];
    fil_system system;
    fil_inverse inverse;
} setting;

static void set_up(setting *s, int dofs, int bandwidth)
{
    fil_rng rng = fil_rng_make((uint64_t)(100 * dofs + bandwidth));
    s->context = fil_context_create(NULL);
    s->arena = fil_arena_create(s->context);
    s->dof_start[0] = 0;
    s->dof_start[1] = dofs;
    s->bandwidth = bandwidth;
    s->value_start[0] = 0;
    s->value_start[1] = (int64_t)dofs * (bandwidth + 1);
    for (int j = 0; j < dofs; ++j)
        for (int k = 0; k <= bandwidth; ++k)
            s->value[j * (bandwidth + 1) + k] =
                k == 0 ? bandwidth + fil_rng_uniform(&rng, 0.1, 2) : fil_rng_uniform(&rng, -1, 1);
    s->A = (fil_body_matrix){.body_count = 1,
                             .dof_start = s->dof_start,
                             .bandwidth = &s->bandwidth,
                             .value_start = s->value_start,
                             .value = s->value};
    test_ok(s->context, fil_system_factor(s->context, s->arena, &s->A, &s->system));
    double *work = FIL_ARENA_ARRAY(s->arena, double, fil_inverse_size(dofs, bandwidth));
    ck_assert_ptr_nonnull(work);
    // Nothing may depend on what was in the memory before.
    for (int64_t k = 0; k < fil_inverse_size(dofs, bandwidth); ++k)
        work[k] = NAN;
    s->inverse = fil_inverse_make(dofs, bandwidth, s->system.factor, work);
}

static void tear_down(setting *s)
{
    fil_arena_destroy(s->arena);
    fil_context_destroy(s->context);
}

// Rows of A⁻¹ Hᵀ for H on dofs first .. first + count - 1, from `lowest` to as far as promised.
static void check_rows(const setting *s, int first, int count, int lowest)
{
    fil_rng rng = fil_rng_make((uint64_t)(first + 100 * count));
    double h[3 * MOST_DOFS], Y[4 * MOST_DOFS], x[3][MOST_DOFS] = {{0}};
    int dofs = s->dof_start[1], top = first + s->bandwidth < dofs ? first + s->bandwidth : dofs - 1;
    for (int k = 0; k < 3 * count; ++k)
        h[k] = fil_rng_normal(&rng);
    for (int k = 0; k < 4 * dofs; ++k)
        Y[k] = NAN;
    fil_inverse_rows(&s->inverse, first, count, h, lowest, Y);
    for (int row = 0; row < 3; ++row) {
        for (int d = 0; d < count; ++d)
            x[row][first + d] = h[3 * d + row];
        fil_system_forward(&s->system, 0, 0, x[row]);
        fil_system_backward(&s->system, 0, x[row]);
    }
    double worst = 0;
    int written = 0;
    for (int j = 0; j < dofs; ++j)
        for (int row = 0; row < 4; ++row) {
            bool wanted = j >= lowest && j <= top;
            double error = fabs(Y[4 * j + row] - (row < 3 ? x[row][j] : 0));
            worst = wanted && !(error <= worst) ? error : worst;
            written += !wanted && !isnan(Y[4 * j + row]);
        }
    ck_assert_msg(worst <= 1e-13, "%d dofs, bandwidth %d: error %.3g", dofs, s->bandwidth, worst);
    ck_assert_msg(written == 0, "%d numbers were not asked for", written);
}

TEST(inverse_equals_whole_solves)
{
    static const int size[][2] = {{1, 0},   {7, 0},   {2, 1},   {9, 2},   {30, 3},  {31, 4},  {20, 7}, {40, 9},
                                  {33, 10}, {60, 10}, {11, 10}, {48, 11}, {12, 11}, {50, 12}, {10, 9}};
    for (size_t k = 0; k < sizeof size / sizeof *size; ++k) {
        static setting s;
        int dofs = size[k][0], bandwidth = size[k][1];
        set_up(&s, dofs, bandwidth);
        for (int first = 0; first < dofs; ++first)
            for (int count = 1; count <= bandwidth + 1 && first + count <= dofs; ++count) {
                check_rows(&s, first, count, 0);
                check_rows(&s, first, count, first / 2);
                check_rows(&s, first, count, first);
            }
        tear_down(&s);
    }
}
