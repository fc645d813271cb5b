// admm as a part of other solvers. See contact_admm.c.
#ifndef FIL_CONTACT_ADMM_H
#define FIL_CONTACT_ADMM_H

#include "contact/contact_watch.h"

typedef struct fil_admm_plan {
    double kappa;     // stiffness of the copies, relative to the diagonal of W; 0: by the tolerance
    double slip;      // how far the slip of the De Saxcé term goes towards the true one in an iteration, 0 to 1
    bool floats;      // begin in floats
    int64_t patience; // iterations without a residual that is a quarter smaller until slips follow more slowly
} fil_admm_plan;

// Iterates from r until the watch says stop or slower slips do not help either; the last impulse is in r. The memory of
// the task is left as it was.
fil_status fil_admm_run(fil_contact_watch *watch, fil_contact_strands *strands, const fil_admm_plan *plan, double *r);

#endif
