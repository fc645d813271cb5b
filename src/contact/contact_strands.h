// Contact problems of strands: the form that makes products fast. See contact_strands.c.
//
// A blocked vector holds three numbers per contact, eight contacts side by side: component k of the contact at `slot`
// is at [slot + 8 k]. Places without a contact hold zeros. The place of a contact counts them in the same order.
//
// A side vector holds four numbers for each side, x y z of the world and one that does not matter (zero in forces):
// that of the first side of a contact at [4 place], that of the second [4 places] behind.
#ifndef FIL_CONTACT_STRANDS_H
#define FIL_CONTACT_STRANDS_H

#include "base/arena.h"

enum {
    FIL_STRANDS_LANES = 8,                     // strands of a pack, contacts of a block
    FIL_STRANDS_BLOCK = 3 * FIL_STRANDS_LANES, // numbers of a block
    FIL_STRANDS_MOST_ROWS = 8192,              // unknowns of one strand: a pack is solved on the stack, 0.5 MB at most
    FIL_STRANDS_MOST_BAND = 64,
};

// A side: weights[0] times the three unknowns at `row` plus weights[1] times those `apart` rows behind, seen in the
// frame of the contact.
typedef struct fil_strands_side {
    int target; // where it is in a side vector
    int row;
    short lane, apart; // lane: 0 to 7
} fil_strands_side;

// What exists in both precisions.
// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define FIL_STRANDS_NUMBERS(real)                                                                                      \
    struct {                                                                                                           \
        real *frame;         /* [blocks × 9 × 8] by columns, as in H */                                              \
        real *weight;        /* [sides × 2] */                                                                        \
        real *factor;        /* [factor_start[packs]] by packs; doubles: two halves of four lanes one after another */ \
        real *force, *point; /* memory for products: a side vector without second sides, a side vector */              \
    }
// NOLINTEND(bugprone-macro-parentheses)

typedef struct fil_contact_strands {
    const fil_context *context;
    const fil_contact_problem *problem;
    int blocks, packs;
    int busy_packs;         // those with contacts come first
    int *slot;              // [contacts] where a contact lies in a blocked vector
    int *body;              // [packs × 8] which body is in which lane; -1: none
    int *rows, *bandwidth;  // [packs]
    int most_rows;          // of any pack
    int64_t *factor_start;  // [packs + 1]
    int *side_start;        // [2 packs + 1] sides of each half of a pack
    fil_strands_side *side; // in the order of halves, then of contacts
    FIL_STRANDS_NUMBERS(double) numbers;
    FIL_STRANDS_NUMBERS(float) numbers_float; // empty until fil_contact_strands_add_float
    double *q;                                // blocked: the velocity without impulses
    double *trace; // [blocks × 8] of the diagonal blocks of W, place of a contact as in a blocked vector
} fil_contact_strands;

// *out is NULL when the primal view of the problem does not have this form, or A is not positive definite.
fil_status fil_contact_strands_make(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                                    fil_contact_strands **out);
// Floats besides the doubles, in other units: u / velocity = (W r + q) / velocity as a function of r / impulse, so that
// numbers are near 1. Changes nothing else.
fil_status fil_contact_strands_add_float(fil_contact_strands *strands, fil_arena *arena, double impulse,
                                         double velocity);

// Frames and weights in floats alone, for fil_contact_strands_product_sides.
fil_status fil_contact_strands_add_float_sides(fil_contact_strands *strands, fil_arena *arena);

// Where a contact is in arrays with one number per contact, like trace.
static inline int fil_contact_strands_place(const fil_contact_strands *strands, int contact)
{
    int slot = strands->slot[contact];
    return slot / FIL_STRANDS_BLOCK * FIL_STRANDS_LANES + slot % FIL_STRANDS_BLOCK;
}

// From the order of the problem, three numbers per contact, to a blocked vector and back.
void fil_contact_strands_block(const fil_contact_strands *strands, const double *x, double *blocked);
void fil_contact_strands_unblock(const fil_contact_strands *strands, const double *blocked, double *x);

// u = W r + q, all blocked vectors; u may be r. See contact_strands_product.c.
void fil_contact_strands_product(const fil_contact_strands *strands, const double *r, const double *q, double *u);
void fil_contact_strands_product_float(const fil_contact_strands *strands, const float *r, const float *q, float *u);
// v = A⁻¹ (b + Hᵀ r) in the order of the problem, r blocked.
void fil_contact_strands_product_velocity(const fil_contact_strands *strands, const double *r, double *v);
// u = H v + w, blocked, with the v of the call before.
void fil_contact_strands_product_points(const fil_contact_strands *strands, const double *w, double *u);
// What the sides read when each gives a force of its own, with factors in the layout of `numbers_float.factor`: points
// = weights × K⁻¹ Σ weights × force, both side vectors.
void fil_contact_strands_product_sides(const fil_contact_strands *strands, const float *factor, const float *force,
                                       float *point);
// Factors of K = A + Σ rho HᵀH over all sides, rho [blocks × 8], for forces in units of `impulse` and points in units
// of `velocity`. See contact_strands_penalty.c.
fil_status fil_contact_strands_penalty(const fil_contact_strands *strands, fil_arena *arena, const double *rho,
                                       double impulse, double velocity, float **factor);
// Parts of the above. A of the strands of half a pack, before it is factored:
void fil_contact_strands_load(const fil_contact_strands *strands, int64_t half, double *A);
// Factors of one pack from doubles to floats; unit: impulse over velocity.
void fil_contact_strands_round(const fil_contact_strands *strands, int64_t pack, double unit, const double *from,
                               float *to);
// Fills trace. See contact_strands_diagonal.c.
fil_status fil_contact_strands_diagonal(fil_contact_strands *strands, fil_arena *arena);

#endif
