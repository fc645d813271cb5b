// One Gauss-Seidel sweep over all contacts. See contact_sweep.c.
#ifndef FIL_CONTACT_SWEEP_H
#define FIL_CONTACT_SWEEP_H

#include "contact/local/local.h"

typedef struct fil_sweep {
    const fil_context *context;
    const fil_contact_problem *problem;
    const fil_local *local;
    int64_t *diagonal; // [n] where W_ii lies
    double relaxation; // 1: plain
    bool copy_only;    // leave the local solves out: what the memory traffic alone costs
    bool fetch;        // W is larger than the caches: ask for rows ahead of time
    fil_local_counts counts;

    // Freezing: a contact that was quiet for `quiet_needed` visits sleeps until the next full sweep.
    bool freeze;
    double quiet_change; // a change below this is quiet
    int full_period, quiet_needed;
    int64_t number; // sweeps so far
    unsigned char *quiet;

    // Coloured order: chunks of consecutive contacts; those of one colour share no block of W.
    bool coloured;
    int chunk_size, colour_count;
    int *colour_start, *chunk_of; // [colours + 1], [chunks]
    fil_local_counts *chunk_counts;
} fil_sweep;

fil_status fil_sweep_make(const fil_contact_task *task, bool coloured, fil_sweep *out);
void fil_sweep_run(fil_sweep *sweep, double *r);
// Impulses were changed from outside: no contact sleeps any longer.
void fil_sweep_wake(fil_sweep *sweep);

#endif
