// Which blocks W has, and where each pair of sides puts its own. See contact_pattern.c.
#ifndef FIL_CONTACT_PATTERN_H
#define FIL_CONTACT_PATTERN_H

#include "contact/contact_operator.h"

typedef struct fil_pattern {
    const fil_contact_problem *problem;
    const fil_contact_operator *op; // the sides of each body
    int64_t *pair_start;            // [sides + 1] a side has a pair with each side of its body
    int *place; // [pairs] block of the row, or, when the block has a first already, ~(number among the late ones)
    int *entry; // [pairs] of each row: the columns, then, from the end, the blocks of the late ones
    int *column_count;   // [n]
    int64_t *late_start; // [n + 1]
} fil_pattern;

// Fills start of W and all places.
fil_status fil_pattern_make(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                            const fil_contact_operator *op, int64_t *start, fil_pattern *out);
// The columns of W: [start[n]].
void fil_pattern_columns(fil_context *context, const fil_pattern *pattern, const int64_t *start, int *column);

// The block of row i that its late pair number k belongs to.
static inline int fil_pattern_late_block(const fil_pattern *pattern, int64_t i, int64_t k)
{
    return pattern->entry[pattern->pair_start[pattern->problem->H.side_start[i + 1]] - 1 - k];
}

#endif
