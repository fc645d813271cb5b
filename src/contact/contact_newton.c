// newton: Newton's method on all contacts at once, the global solvers of [Daviet11, 7.1].
//
//   mfb  modified Fischer-Burmeister function, pure steps; down the gradient where the Newton step does not descend
//   [A.2] pac  Alart-Curnier function, pure steps dac  Alart-Curnier function, steps halved until |F|² falls
//   [Bertails-Descoubes et al. 2011]
//
// Fast and quadratic with few contacts; often stops or cycles where contacts over-constrain the bodies, as the paper
// found. `proximal` is what these become when they are made robust. The matrix A + B W is factored by block_lu.c.
#include "contact/contact.h"
#include "contact/contact_linearise.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { FUNCTION_MFB, FUNCTION_PAC, FUNCTION_DAC };

typedef struct newton_param {
    int function, iterations;
} newton_param;

static const fil_field fields[] = {
    {"function", FIL_KIND_CHOICE, offsetof(newton_param, function), FUNCTION_MFB, 0, 2, "", "mfb|pac|dac",
     "Fischer-Burmeister, pure Alart-Curnier, damped Alart-Curnier"},
    {"iterations", FIL_KIND_INT, offsetof(newton_param, iterations), 200, 1, 1000000, "", NULL,
     "steps before giving up"},
};

// dr = -Jᵀ F, J = A + B W: down the gradient of ½|F|².
static void gradient_step(const fil_linearisation *lin, double *dr)
{
    const fil_block_matrix *W = &lin->problem->W;
    memset(dr, 0, 3 * (size_t)W->rows * sizeof *dr);
    for (int64_t i = 0; i < W->rows; ++i) {
        double minus[3] = {-lin->F[3 * i], -lin->F[3 * i + 1], -lin->F[3 * i + 2]}, back[3] = {0, 0, 0};
        fil_mat3_add_transposed_vector(lin->A + 9 * i, minus, dr + 3 * i);
        fil_mat3_add_transposed_vector(lin->B + 9 * i, minus, back);
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k)
            fil_mat3_add_transposed_vector(W->value + 9 * k, back, dr + 3 * (int64_t)W->column[k]);
    }
}

static double dot(const double *a, const double *b, int64_t size)
{
    double sum = 0;
    for (int64_t k = 0; k < size; ++k)
        sum += a[k] * b[k];
    return sum;
}

typedef struct newton_state {
    fil_contact_watch watch;
    fil_linearisation lin;
    double *dr, *down, *trial;
    int64_t size;
} newton_state;

// The Newton step, or the gradient where that is singular or hardly descends. False: no memory.
static bool choose_step(newton_state *state, bool check_descent)
{
    const double least_descent = 1e-3;
    int outcome = fil_linearisation_step(&state->lin, 0, state->dr);
    ++state->watch.stats->factorisations;
    if (outcome < 0)
        return false;
    if (outcome == 0 && !check_descent)
        return true;
    gradient_step(&state->lin, state->down);
    double descent = dot(state->dr, state->down, state->size);
    double lengths = sqrt(dot(state->dr, state->dr, state->size) * dot(state->down, state->down, state->size));
    if (outcome != 0 || descent < least_descent * lengths)
        memcpy(state->dr, state->down, (size_t)state->size * sizeof *state->dr);
    return true;
}

// Moves r by the step, halved until |F|² falls when `damped`.
static void take_step(newton_state *state, fil_map map, bool damped, double *r)
{
    double before = state->lin.square, length = 1;
    for (int halving = 0;; ++halving) {
        for (int64_t k = 0; k < state->size; ++k)
            state->trial[k] = r[k] + length * state->dr[k];
        double square = fil_linearisation_evaluate(&state->lin, map, state->trial, true);
        if (!damped || square < (1 - 1e-4 * length) * before || halving == 12)
            break;
        length *= 0.5;
    }
    memcpy(r, state->trial, (size_t)state->size * sizeof *r);
}

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const newton_param *setting = param;
    newton_state state = {.size = 3 * (int64_t)task->problem->contact_count};
    fil_status status = fil_contact_watch_make(task, stats, setting->iterations, &state.watch);
    if (status == FIL_OK)
        status = fil_linearisation_make(&state.watch, task->scratch, &state.lin);
    state.dr = FIL_ARENA_ARRAY(task->scratch, double, state.size);
    state.down = FIL_ARENA_ARRAY(task->scratch, double, state.size);
    state.trial = FIL_ARENA_ARRAY(task->scratch, double, state.size);
    if (status == FIL_OK && !(state.dr && state.down && state.trial))
        status = FIL_NO_MEMORY;
    if (status != FIL_OK)
        return status;
    fil_map map = setting->function == FUNCTION_MFB ? FIL_MAP_FB : FIL_MAP_AC;
    bool damped = setting->function == FUNCTION_DAC;
    state.watch.phase = "newton";
    fil_linearisation_evaluate(&state.lin, map, r, true);
    while (!fil_contact_watch_judge(&state.watch, r) && state.lin.square < INFINITY) {
        if (!choose_step(&state, setting->function != FUNCTION_PAC))
            return FIL_NO_MEMORY;
        take_step(&state, map, damped, r);
        if (fil_contact_watch_count(&state.watch, 0, 1)) {
            fil_contact_watch_judge(&state.watch, r);
            break;
        }
    }
    fil_contact_watch_finish(&state.watch, r);
    return FIL_OK;
}

const fil_contact_type fil_contact_newton = {
    .name = "newton",
    .doc = "Newton on all contacts at once: mfb [Daviet11], pac and dac [Bertails-Descoubes et al. 2011]",
    .fields = fields,
    .field_count = 2,
    .param_size = sizeof(newton_param),
    .needs = FIL_NEEDS_DUAL,
    .solve = solve,
};
