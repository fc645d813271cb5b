// Which contacts may be visited at the same time. See contact_schedule.c.
#ifndef FIL_CONTACT_SCHEDULE_H
#define FIL_CONTACT_SCHEDULE_H

#include "base/arena.h"
#include "filum/types.h"

// Rounds come one after the other; the tasks of a round share no block of W. A task visits its contacts in order.
typedef struct fil_contact_schedule {
    int rounds, tasks;
    int grain;        // tasks that a thread takes at once
    int *round_start; // [rounds + 1] tasks
    int *task_start;  // [tasks + 1] contacts
    int *contact;     // [contacts]
} fil_contact_schedule;

// Short tasks, by the colours of W. FIL_NO_MEMORY.
fil_status fil_contact_schedule_by_colours(const fil_contact_problem *problem, fil_arena *arena,
                                           fil_contact_schedule *out);
// Long tasks, by the bodies that contacts touch: few rounds. *made: false, and nothing else, for problems without
// bodies or too small to be worth it. FIL_NO_MEMORY.
fil_status fil_contact_schedule_by_bodies(const fil_contact_problem *problem, fil_arena *arena, bool *made,
                                          fil_contact_schedule *out);

#endif
