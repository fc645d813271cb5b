// Some contacts of a problem as a problem of their own, while the impulses of the others stay. See contact_cut.c.
#ifndef FIL_CONTACT_CUT_H
#define FIL_CONTACT_CUT_H

#include "contact/contact_watch.h"

typedef struct fil_contact_cut {
    fil_contact_watch *watch;    // over the whole
    fil_arena *arena;            // what it takes is left there
    int *contact, count;         // [contacts of the whole] room for all; the first `count` are in the cut, ascending
    int *number;                 // [contacts of the whole] the number in the cut, or -1
    fil_contact_problem problem; // dual, with the sides of its contacts
    double *r;                   // [3 count] their impulses
} fil_contact_cut;

// Room for a list of contacts, empty.
fil_status fil_contact_cut_make(fil_contact_watch *watch, fil_arena *arena, fil_contact_cut *out);
// Makes the problem of the contacts on the list around r, [3 contacts of the whole], which was judged last.
fil_status fil_contact_cut_out(fil_contact_cut *cut, const double *r);
// Solves it to `residual`, on the scale of the residual of the whole, and puts the impulses into r. def: what else is
// asked for. *work: the block visits that it took are added.
fil_status fil_contact_cut_solve(fil_contact_cut *cut, double residual, fil_contact_def def, double *r, double *work);
// Takes the contacts off the list.
void fil_contact_cut_forget(fil_contact_cut *cut);
// Counts block visits as the sweeps over the whole that would have been as much work.
void fil_contact_cut_count(const fil_contact_cut *cut, double work);

#endif
