// All one needs to add a contact solver or a local solver: the tables that describe settings, and the vtables.
// A new solver is one file that defines one of these structs, plus one line in the list (src/contact/contact.c,
// src/contact/local/local.c).
#ifndef FILUM_EXTEND_H
#define FILUM_EXTEND_H

#include "filum/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef enum fil_kind { FIL_KIND_BOOL, FIL_KIND_INT, FIL_KIND_REAL, FIL_KIND_CHOICE } fil_kind;

// One setting: parsed, range-checked, documented and saved from this row alone.
// BOOL, INT and CHOICE live in an int, REAL in a double, at `offset` of the parameter struct.
typedef struct fil_field {
    const char *name;
    fil_kind kind;
    size_t offset;
    double def, min, max;
    const char *unit;    // "" when it has none
    const char *choices; // CHOICE only: "natural|coloured"; the value is the index
    const char *doc;
} fil_field;

// One contact: u = W r + c, (u, r) in Coulomb(mu). No memory, no state; r holds the first guess on entry.
// Returns 0 solved, 1 best effort, -1 the problem has no solution (r is then zero).
typedef struct fil_local_type {
    const char *name, *doc;
    const fil_field *fields;
    int field_count;
    size_t param_size;
    bool exact; // solves the exact Coulomb law, not an approximation of it
    int (*solve)(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3]);
} fil_local_type;

// First choice, fail-safe, zero: what a sweep calls for each contact.
typedef struct fil_local {
    const fil_local_type *first, *failsafe; // failsafe may be NULL
    const void *first_param, *failsafe_param;
    double tolerance; // natural map of the single contact, relative
} fil_local;

// What a solver is given besides the problem and its own settings.
typedef struct fil_contact_task {
    fil_context *context;
    const fil_contact_problem *problem; // holds at least the views named by `needs`
    fil_local local;
    fil_merit merit;
    double tolerance;
    int64_t max_iterations; // 0: own budget
    fil_arena *scratch;     // gone after the solve
    bool (*progress)(void *user, const fil_progress *point);
    void *user;
    double start_seconds; // when the solve began, of fil_timer_seconds
} fil_contact_task;

typedef enum fil_contact_needs { FIL_NEEDS_DUAL = 1, FIL_NEEDS_PRIMAL = 2 } fil_contact_needs;

// A contact solver. r holds the first guess on entry (zero when cold) and the best impulse on return; the caller
// computes all residuals afterwards. Returns FIL_OK; or FIL_NO_MEMORY, or FIL_BAD_INPUT with a sentence when the
// problem is not one it can take, with r untouched.
typedef struct fil_contact_type {
    const char *name, *doc;
    const fil_field *fields;
    int field_count;
    size_t param_size;
    unsigned needs;
    fil_status (*solve)(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats);
} fil_contact_type;

// The lists, in the order they are shown. `fil_*_type_find` returns NULL for an unknown name.
int fil_contact_type_count(void);
const fil_contact_type *fil_contact_type_at(int index);
const fil_contact_type *fil_contact_type_find(const char *name);
int fil_local_type_count(void);
const fil_local_type *fil_local_type_at(int index);
const fil_local_type *fil_local_type_find(const char *name);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
