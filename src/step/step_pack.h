// What a step does to one pack, apart from the solve. See step_pack.c.
#ifndef FIL_STEP_PACK_H
#define FIL_STEP_PACK_H

#include "step/step_newton.h"

// A group in a step of h seconds.
typedef struct fil_step_job fil_step_job;
struct fil_step_job {
    fil_context *context;
    fil_state *state;
    int group;
    double gravity[3], wind[3]; // of the moment
    double h;
    double s;           // effective step of the scheme: a = 1 / s², v = (q - q̂) / s
    double share;       // of the way to the poses of the host that this step goes
    int max_iterations; // of a relaxation
    fil_scheme scheme;  // BDF2 falls back to Euler without an equal step before
    // From the prediction to the new state.
    void (*solve)(const fil_step_job *job, fil_newton *newton, fil_strand_report *report);
    bool stop; // no velocity in the end
};

fil_step_job fil_step_job_make(fil_context *context, fil_state *state, double h);
// What the scene wants at time t: gravity and wind into the job, poses and releases into the state.
void fil_step_control(fil_step_job *job, double t, double release_time);
// The same for the group of the job, which is live; the other one leaves those out.
void fil_step_control_live(fil_step_job *job, double t, double release_time);
// Predicts, solves and commits all packs of all groups and sums up how it went.
void fil_step_groups(fil_step_job *job, fil_step_stats *stats);

// Newton's method from the iterate of the pack on, with the factor of its linearisation for a start.
void fil_step_respond(const fil_step_job *job, fil_newton *newton, fil_strand_report *report);
// The change of velocity that counts as none: the tolerance, or what rounding makes of the largest coordinate.
fil_v4 fil_step_goal(const fil_newton *newton, double tolerance, double s);
// Adds the reports of a group, in the order of its strands.
void fil_step_add_reports(const fil_strands *S, const fil_strand_report *report, fil_step_stats *stats);

// Loads, q̂, q̃, the strains where no stress acts; sets the objective of the solve.
void fil_pack_predict(const fil_step_job *job, fil_newton *newton);
// The first iterate, held unknowns at their targets.
void fil_pack_guess(const fil_step_job *job, fil_newton *newton);
// The iterate goes on as the strand moved, with the lengths that its edges have; held unknowns at their targets.
void fil_pack_drift(const fil_step_job *job, fil_newton *newton);
// The iterate is the state, held unknowns at their targets.
void fil_pack_stand_still(const fil_step_job *job, fil_newton *newton);
// No velocity any more.
void fil_pack_stop(const fil_step_job *job, const fil_newton *newton);
// The iterate becomes the state, velocities with it. Lanes that are not finite are put back, at rest; returns the mask
// of those that are fine.
fil_m4 fil_pack_commit(const fil_step_job *job, const fil_newton *newton);

#endif
