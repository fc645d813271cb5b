// All one needs to add a contact solver, a local solver or a strand model: the tables that describe settings, and the
// vtables. Each is one file that defines one of these structs, plus one line in the list (src/contact/contact.c,
// src/contact/local/local.c, src/strand/strand.c).
#ifndef FILUM_EXTEND_H
#define FILUM_EXTEND_H

#include "filum/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef enum fil_kind { FIL_KIND_BOOL, FIL_KIND_INT, FIL_KIND_REAL, FIL_KIND_CHOICE, FIL_KIND_FILE } fil_kind;

// One setting: parsed, range-checked, documented and saved from this row alone.
// BOOL, INT and CHOICE live in an int, REAL in a double, FILE (the name of one; NULL: none) in a const char * that
// lives as long as the parameters, at `offset` of the parameter struct.
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
    fil_contact_problem *problem; // holds at least the views named by `needs`; a solver may add W, nothing else
    fil_local local;
    fil_merit merit;
    double tolerance;
    int64_t max_iterations; // 0: own budget
    fil_arena *scratch;     // gone after the solve
    bool (*progress)(void *user, const fil_progress *point);
    void *user;
    double start_seconds;            // when the solve began, of fil_timer_seconds
    struct fil_contact_scale *scale; // what the judge needs: made once, for the solver and for the last word; or NULL
} fil_contact_task;

typedef enum fil_contact_needs {
    FIL_NEEDS_DUAL = 1,
    FIL_NEEDS_PRIMAL = 2,
    FIL_NEEDS_CHOICE = 4, // nothing is made beforehand, not for the judge either: the solver chooses when it has looked
} fil_contact_needs;

// A contact solver. r holds the first guess on entry (zero when cold) and the best impulse on return; the caller
// computes all residuals afterwards. Returns FIL_OK; or FIL_NO_MEMORY, or FIL_BAD_INPUT with a sentence when the
// problem is not one it can take, with r untouched.
typedef struct fil_contact_type {
    const char *name, *doc;
    const fil_field *fields;
    int field_count;
    size_t param_size;
    unsigned needs; // views that are made when they are missing; 0: takes the problem as it is
    fil_status (*solve)(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats);
} fil_contact_type;

// The lists, in the order they are shown. `fil_*_type_find` returns NULL for an unknown name.
int fil_contact_type_count(void);
const fil_contact_type *fil_contact_type_at(int index);
const fil_contact_type *fil_contact_type_find(const char *name);
int fil_local_type_count(void);
const fil_local_type *fil_local_type_at(int index);
const fil_local_type *fil_local_type_find(const char *name);

// Strand models ------------------------------------------------------------------------------------------------------
//
// Kernels take FIL_LANES strands side by side, a pack. Number k of vertex i of the strand in lane l of an array with
// `width` numbers per vertex is at [(i width + k) FIL_LANES + l], counted from the start of the pack. Strands of a pack
// may differ in length: vertices behind the end of the shorter ones have zero stiffness and are held.
//
// Unknowns q of a vertex: x, y, z, and with dofs = 4 the angle of the material frame on the edge behind it (the last
// vertex has an idle one). A frame is what a model remembers besides q and carries along with it.
enum { FIL_LANES = 4 };

// What to do about a Hessian that is not positive definite.
typedef enum fil_hessian {
    FIL_HESSIAN_NONE,         // exact, as it is
    FIL_HESSIAN_GAUSS_NEWTON, // first derivatives of the strains only
    FIL_HESSIAN_FILTER,       // exact, negative eigenvalues of each stencil set to zero
    FIL_HESSIAN_MIXED,        // stretch filtered, the rest Gauss-Newton
    FIL_HESSIAN_STRETCH,      // stretch filtered, the rest exact
    FIL_HESSIAN_ANALYTIC,     // filtered by closed-form eigensystems [Shi23]
} fil_hessian;

// One strand as build sees it: without load, with the stiffness of its edges.
typedef struct fil_strand_shape {
    int vertices;
    const double *rest;          // [3 n] positions without load
    const double *rest_axis;     // [3 (n - 1)] first axis of the cross-section on each edge
    const double *rest_twist;    // [n] rad, natural twist between the edges at a vertex
    const double *length;        // [n - 1] m, of the edges at rest
    const double *stretch;       // [n - 1] N, E A
    const double *bend1, *bend2; // [n - 1] N m², E I about the first and the second axis
    const double *twist;         // [n - 1] N m², G J
} fil_strand_shape;

// What a kernel is given besides q and the frame.
typedef struct fil_strand_pack {
    int vertices;            // n, of the longest strand
    const double *constants; // [n × constant_count]
    const double *strain;    // [n × strain_count] the strains at which no stress acts: at rest, or what viscosity asks
    double stiffening;       // factor on all stiffnesses: 1, or more with viscosity
    const void *param;       // the settings of the model
} fil_strand_pack;

// A live model moves positions instead of having an energy: of the functions below it has `build` alone. Such models
// are made of src/strand/live.h.
typedef struct fil_live_type fil_live_type;

typedef struct fil_strand_type {
    const char *name, *doc;
    const fil_field *fields;
    int field_count;
    size_t param_size;
    int dofs;      // per vertex, 3 or 4
    int bandwidth; // of the Hessian: largest distance of two unknowns that share a term
    int constant_count, strain_count, frame_count;
    fil_hessian safe; // what repairs an indefinite Hessian in adaptive mode

    // Which Hessian the settings ask for; *adaptive: exact while it is positive definite, `safe` where it is not.
    fil_hessian (*hessian)(const void *param, bool *adaptive);
    // Constants and strains at rest of one strand; numbers of a vertex are FIL_LANES apart. FIL_BAD_INPUT with a
    // sentence when the model cannot take such a strand.
    fil_status (*build)(fil_context *context, const fil_strand_shape *shape, const void *param, double *constants,
                        double *strain);
    // The frame of one strand at positions x [3 n] when its cross-sections have first axes `axis` [3 (n - 1)].
    // NULL when frame_count is 0, as are the next three.
    void (*start)(int vertices, const double *x, const double *axis, double *frame);
    // The first axes at q, [3 n], FIL_LANES apart: the inverse of start.
    void (*axes)(int vertices, const double *q, const double *frame, double *axis);
    // frame1 at q1, from frame0 at q0.
    void (*carry)(int vertices, const double *q0, const double *frame0, const double *q1, double *frame1);
    // frame1 belongs to q1 and came there on a way of many parts; replaces it by the frame carried straight from frame0
    // at q0, and turns the angles in q1 so that cross-sections and strains stay. On a detour frames turn about their
    // edges, and what the angles do about it is no motion.
    void (*straighten)(int vertices, const double *q0, const double *frame0, double *q1, double *frame1);
    // The strains at q.
    void (*strain)(const fil_strand_pack *pack, const double *q, const double *frame, double *strain);
    // Adds energy [FIL_LANES], gradient [n × dofs] and, unless band is NULL, the Hessian [n × dofs × (bandwidth + 1)],
    // stored as in src/numeric/band.h.
    void (*elastic)(const fil_strand_pack *pack, const double *q, const double *frame, fil_hessian hessian,
                    double *energy, double *gradient, double *band);
    const fil_live_type *live; // NULL: it has an energy
} fil_strand_type;

int fil_strand_type_count(void);
const fil_strand_type *fil_strand_type_at(int index);
const fil_strand_type *fil_strand_type_find(const char *name);

// Grooms -------------------------------------------------------------------------------------------------------------

// A generator of strands. Same settings, same bits.
typedef struct fil_groom_type {
    const char *name, *doc;
    const fil_field *fields;
    int field_count;
    size_t param_size;
    fil_status (*make)(fil_context *context, const void *param, fil_curves **out);
} fil_groom_type;

int fil_groom_type_count(void);
const fil_groom_type *fil_groom_type_at(int index);
const fil_groom_type *fil_groom_type_find(const char *name);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
