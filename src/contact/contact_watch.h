// The watch over one solve: judges iterates, keeps the best, reports progress, says when to stop. See contact_watch.c.
#ifndef FIL_CONTACT_WATCH_H
#define FIL_CONTACT_WATCH_H

#include "contact/contact_merit.h"
#include "filum/extend.h"

// What a judge needs: the product and its scale. All zero until it is made.
typedef struct fil_contact_scale {
    fil_contact_operator op;
    fil_contact_merit merit;
} fil_contact_scale;

typedef struct fil_contact_watch {
    const fil_contact_task *task;
    fil_contact_operator op;
    fil_contact_merit merit;
    fil_solve_stats *stats;
    double *u;       // [3n] velocity of the impulse judged last
    double *best;    // [3n] the impulse with the smallest residual so far
    double residual; // of the impulse judged last
    double least;    // of the best
    double natural;  // scaled residual of the impulse judged last: the measure of progress, whatever the chosen merit
    int64_t budget;  // iterations allowed in all
    double sweep_work, newton_work, work_left; // a second budget in units of the solver's choice; none by default
    const char *phase;
    bool stop; // solved, cancelled or out of budget
} fil_contact_watch;

fil_status fil_contact_watch_scale(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                                   fil_contact_scale *out);
fil_status fil_contact_watch_make(const fil_contact_task *task, fil_solve_stats *stats, int64_t default_budget,
                                  fil_contact_watch *out);
// The form of strands: of the judge where it has it, else made here; NULL when the problem is of another kind.
fil_status fil_contact_watch_strands(const fil_contact_watch *watch, fil_contact_strands **out);
// Computes u and the residual of r, keeps r if it is the best, tells the host. True when the solve is to end.
bool fil_contact_watch_judge(fil_contact_watch *watch, const double *r);
// The contacts by their share of the residual of r, which was judged last, the largest first: [contacts], in `arena`;
// NULL: no memory.
typedef struct fil_hard_contact {
    double square; // of its natural residual
    int contact;
} fil_hard_contact;
fil_hard_contact *fil_contact_watch_hardest(const fil_contact_watch *watch, fil_arena *arena, const double *r);
// Counts iterations and work; true when a budget is spent.
bool fil_contact_watch_count(fil_contact_watch *watch, int64_t sweeps, int64_t newton_steps);
// Leaves the best impulse in r and the outcome in the stats.
void fil_contact_watch_finish(fil_contact_watch *watch, double *r);

#endif
