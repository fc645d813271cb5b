// One Gauss-Seidel sweep over all contacts. See contact_sweep.c.
#ifndef FIL_CONTACT_SWEEP_H
#define FIL_CONTACT_SWEEP_H

#include "contact/contact_schedule.h"
#include "contact/local/local.h"

typedef struct fil_sweep {
    const fil_context *context;
    const fil_contact_problem *problem;
    const fil_local *local;
    fil_block_matrix W; // of the problem, or a copy with its rows in the order of the schedule
    int64_t *diagonal;  // [rows] where W_ii lies
    double relaxation;  // 1: plain
    bool copy_only;     // leave the local solves out: what the memory traffic alone costs
    bool fetch;         // W is larger than the caches: ask for rows ahead of time
    fil_local_counts counts;

    // Freezing: a contact that was quiet for `quiet_needed` visits sleeps until the next full sweep.
    bool freeze;
    double quiet_change; // a change below this is quiet
    int full_period, quiet_needed;
    int64_t number; // sweeps so far
    unsigned char *quiet;

    bool scheduled, copied;
    fil_contact_schedule schedule;
    fil_local_counts *task_counts; // [tasks]
} fil_sweep;

// One after the other; by the colours of W; by bodies where that is worth it, or else one after the other.
typedef enum fil_sweep_order { FIL_SWEEP_NATURAL, FIL_SWEEP_COLOURED, FIL_SWEEP_BODIES } fil_sweep_order;

fil_status fil_sweep_make(const fil_contact_task *task, fil_sweep_order order, fil_sweep *out);
void fil_sweep_run(fil_sweep *sweep, double *r);
// Impulses were changed from outside: no contact sleeps any longer.
void fil_sweep_wake(fil_sweep *sweep);

#endif
