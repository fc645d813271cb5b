// A step with contacts. See step_contact.c for its course, step_meet.c for who touches whom, step_law.c for what they
// obey, step_problem.c for the contact problem and what its impulses do to strands, step_project.c and step_rigid.c for
// what is left.
#ifndef FIL_STEP_CONTACT_H
#define FIL_STEP_CONTACT_H

#include "collide/touch_strands.h"
#include "step/step_pack.h"

// The contacts of a part of a step, sorted by the number of the first edge, and their impulses.
typedef struct fil_meets {
    int count, room;
    fil_touch_point *point; // [count]
    double *frame;          // [9 count] rows: normal, along the first strand, across; longer for levers; by columns
    double *mu;             // [count]
    double *bias;           // [3 count] velocity besides that of the strands: gaps, bodies, bounce
    double *pull;           // [count] N s of adhesion
    double *r;              // [3 count]
    double *force;          // [count] N, of the part before; 0: not known
    bool *wedged;           // [count] between things that cannot move
    int kept;               // how many began with an impulse of the part before
} fil_meets;

// One part of a step, from the state on.
typedef struct fil_part {
    fil_step_job job;
    const fil_model_contacts *contacts;
    fil_contact_scratch *scratch;
    fil_touch_strands strands; // with x0, x1, held of the part
    fil_touch_pairs pairs;     // of edges that may meet
    fil_meets meets;
    fil_touch_list waiting; // places that are not near enough yet
    double margin;          // m, how far was searched
    double from, to;        // s, when it begins and ends
    bool last_try;          // it will be taken as it is
    double residual;        // natural, of all contacts with the velocities of the strands
    fil_touch_list passing; // what passed through each other at the last look
    double *apart; // [3 vertices] where those end that were moved apart from others; NULL: none. step_project.c
    bool *moved;   // [strands] which these are
    bool rigid;    // they were frozen: their velocities are those of their ways. step_rigid.c
    double step;   // s, the whole step
    fil_step_stats *stats;
} fil_part;

// Where a strand is among the packs.
typedef struct fil_home {
    const fil_strands *S;
    fil_newton *newton; // of its pack
    int group, lane;
    ptrdiff_t row; // of the pack, × FIL_LANES
} fil_home;

static inline fil_home fil_part_home(const fil_part *part, int strand)
{
    int group = part->contacts->group[strand];
    const fil_strands *S = &part->job.state->model->groups[group];
    int slot = S->slot[strand - part->contacts->first_strand[group]], pack = slot / FIL_LANES;
    return (fil_home){.S = S,
                      .newton = &part->job.state->scratch[group].newton[pack],
                      .group = group,
                      .lane = slot % FIL_LANES,
                      .row = S->pack_row[pack] * FIL_LANES};
}

// What a phase of a part does to one pack.
typedef struct fil_part_job fil_part_job;
typedef void fil_part_body(const fil_part_job *self, fil_newton *newton, fil_strand_report *report);
struct fil_part_job {
    fil_step_job job;
    fil_part *part;
    fil_part_body *body;
};

// What rounds of impulses and responses hand to each other.
typedef struct fil_rounds {
    fil_contact_problem *problem; // NULL: to be built
    double *said, *u;             // [3 contacts] velocities: of the linearisation, of the strands
    double *miss;                 // [contacts] squares: how far each is from the law
    int room;                     // of these
    fil_solve_stats solve;
    double law;      // the residual of the law, with the velocities of the strands
    double residual; // the same, and of balance where strands are led
    bool still;      // ended because nothing moved any more, as the scene asked
} fil_rounds;

// How often a part searches once more.
enum { FIL_LOOKS = 8 };

// One step of h seconds in which strands touch.
fil_status fil_step_together(fil_context *context, fil_state *state, double h, fil_step_stats *stats);

// step_contact.c, for the methods. All packs, in parallel.
void fil_part_for_packs(fil_part *part, fil_phase phase, fil_part_body *body);
bool fil_part_strands_converged(const fil_part *part);
// Contacts on the way to the iterate.
fil_status fil_part_find(fil_part *part);
// Contacts that the iterate asks for besides the ones there are: from those who wait, and when all else is good by a
// new search.
fil_status fil_part_find_more(fil_part *part, bool search, int *added);

// step_rounds.c. The problem around the iterate; its impulses; what the law says of them and of the velocities of the
// iterate.
fil_status fil_rounds_build(fil_part *part, fil_rounds *self);
fil_status fil_rounds_solve(fil_part *part, double tolerance, fil_rounds *self);
void fil_rounds_judge(fil_part *part, fil_rounds *self);
void fil_rounds_forget(fil_rounds *self);
// m/s, what the residual is relative to.
double fil_rounds_speed(const fil_rounds *self);
// How strands that pass through each other are taken apart: they and those that nearly do are moved; they alone; they
// are frozen.
typedef enum fil_apart_way { FIL_APART_ALL, FIL_APART_CROSSINGS, FIL_APART_FROZEN, FIL_APART_WAYS } fil_apart_way;
// wanted: the residual above which it is not done. *done: nothing passes any more.
fil_status fil_rounds_take_apart(fil_part *part, fil_rounds *self, fil_apart_way way, double wanted, bool *done);

// The methods, from the prediction to the iterate that is judged. step_linear.c, step_adonis.c, step_impulse.c.
fil_status fil_linear_meet(fil_part *part, fil_rounds *rounds);
fil_status fil_adonis_meet(fil_part *part, fil_rounds *rounds);
fil_status fil_impulse_meet(fil_part *part, fil_rounds *rounds);
// A pack at its first guess, linearised there.
fil_part_body fil_linear_start;

// To rest, contacts included.
fil_status fil_step_settle(fil_context *context, fil_state *state, int max_iterations, fil_step_stats *stats);

// step_meet.c. Where strands are at the start; where they are now on their way to the end.
void fil_meet_start(fil_part *part);
void fil_meet_follow(fil_part *part);
// Which strands with held roots pressed against something in the part before.
void fil_meet_recall_pressed(fil_part *part);
// How freely a place can move: 0 where all vertices of its edges are held, about 1 for edges that are free.
double fil_meet_freedom(const fil_part *part, const fil_touch_point *point);
// What velocities of a place are multiplied by: more than 1 beside held vertices.
double fil_meet_lever(const fil_part *part, const fil_touch_point *point);
// Fills pairs, meets, with first guesses of the impulses, and waiting.
fil_status fil_meet_find(fil_part *part);
// Adds places, sorted by their first edges, that have no impulses yet.
fil_status fil_meet_add(fil_part *part, const fil_touch_list *more);
// All places on the way to the iterate: of the strands in `only`, with the pairs that have one of them; NULL: of all.
fil_status fil_meet_detect(fil_part *part, const bool *only, fil_touch_pairs *pairs, fil_touch_list *out, int *inside);
// The gap that a place has at the iterate, along its normal; the sum of its radii.
double fil_meet_end_gap(const fil_part *part, const fil_touch_point *point);
double fil_meet_radii(const fil_part *part, const fil_touch_point *point);
// Whether that gap is so small that the place is a contact.
bool fil_meet_ends_near(const fil_part *part, const fil_touch_point *point);
// Keeps the impulses for the next part.
void fil_meet_remember(fil_part *part);

// step_look.c. By how many radii those who wait may overlap at the iterate.
double fil_look_woken(const fil_part *part);
// Makes contacts of those that overlap by more, and of what ends near them; *added: how many.
fil_status fil_look_wake(fil_part *part, int *added);
// Searches for all that may meet the strands that end far from where they were expected: more pairs; near: their
// places.
fil_status fil_look_for_strays(fil_part *part, fil_touch_list *near);
// Who passes through each other on the way to the iterate, of these pairs.
fil_status fil_look_at_pairs(const fil_part *part, const fil_touch_pairs *pairs, fil_touch_list *out);
// Searches once more, on the way to the iterate: who passes through each other (part->passing), who overlaps and is not
// known (part->waiting).
fil_status fil_look_again(fil_part *part);
// Makes contacts of what passes; adds to *added how many.
fil_status fil_look_add(fil_part *part, int *added);

// step_project.c. Where strands that pass through each other or nearly do shall end instead; *done: nothing passes
// then.
fil_status fil_project_apart(fil_part *part, bool crossings_only, bool *done);
// Keeps where `moved` strands shall end, x1, for the commit, and reports how far that is from the iterate.
fil_status fil_project_keep(fil_part *part);
// They end where they are.
void fil_project_forget(fil_part *part);
// Like fil_pack_commit, with strands where they shall end, and the velocities that they have.
fil_m4 fil_project_commit(const fil_part_job *self, fil_newton *newton);

// step_rigid.c. Freezes strands that pass through each other; *done: nothing passes then.
fil_status fil_rigid_hold(fil_part *part, bool *done);

// step_law.c. Frames, friction, velocities besides those of the strands and pulls of all contacts.
fil_status fil_law_describe(fil_part *part);
// The exception for the things of a contact; NULL: none.
const fil_touch_rule *fil_law_rule(const fil_part *part, const fil_touch_point *point);

// step_problem.c. The contact problem around the iterate of the strands.
fil_status fil_problem_build(fil_part *part, fil_contact_problem **out);
// Forces on contacts as loads of the strands: nothing; all impulses.
void fil_problem_let_go(fil_part *part);
void fil_problem_push(fil_part *part);
// Corrects the problem by what the linearisation missed: the velocities u [3 contacts] that strands respond with, where
// it said `said`.
void fil_problem_correct(fil_contact_problem *problem, const double *said, const double *u);
// The velocities of the contacts with the strands where they are, u [3 contacts].
void fil_problem_velocities(const fil_part *part, double *u);

#endif
