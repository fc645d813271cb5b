// The rig under the eyes of the audit, step by step: what passed through what, and how deep inside the obstacle.
#include "validate/audit_crossing.h"
#include "validate/audit_inside.h"
#include "validate/validate_rig.h"

#include <math.h>

struct fil_rig_audit {
    fil_audit_strands strands;
    float *before, *after;
    fil_audit_solid *solid; // NULL: no obstacle
    fil_arena *arena;       // of one look
    fil_arena_mark start;
};

// A billionth of a segment, as the audit of folders does it.
static double nudge_of(const fil_rig *rig)
{
    const double *x = rig->start;
    return 1e-9 * sqrt((x[3] - x[0]) * (x[3] - x[0]) + (x[4] - x[1]) * (x[4] - x[1]) + (x[5] - x[2]) * (x[5] - x[2]));
}

static void keep_frame(const fil_rig *rig, float *out)
{
    for (int k = 0; k < 3 * rig->vertices; ++k)
        out[k] = (float)rig->position[k];
}

static fil_status prepare(fil_rig *rig, fil_rig_audit *audit)
{
    int *first = FIL_ARENA_ARRAY(rig->arena, int, rig->strands + 1);
    int *strand_of = FIL_ARENA_ARRAY(rig->arena, int, rig->vertices);
    audit->before = FIL_ARENA_ARRAY(rig->arena, float, 3 * (int64_t)rig->vertices);
    audit->after = FIL_ARENA_ARRAY(rig->arena, float, 3 * (int64_t)rig->vertices);
    audit->arena = fil_arena_create(rig->task->context);
    if (!first || !strand_of || !audit->before || !audit->after || !audit->arena)
        return FIL_NO_MEMORY;
    audit->start = fil_arena_mark_now(audit->arena);
    for (int i = 0; i < rig->vertices; ++i) {
        strand_of[i] = i / rig->vertex_count[0];
        first[strand_of[i] + 1] = i + 1;
    }
    audit->strands = (fil_audit_strands){.strand_count = rig->strands,
                                         .first = first,
                                         .strand_of = strand_of,
                                         .before = audit->before,
                                         .after = audit->after,
                                         .nudge = nudge_of(rig)};
    keep_frame(rig, audit->before);
    const char *left_out;
    return rig->scene.obstacle_count == 0
               ? FIL_OK
               : fil_audit_inside_create(rig->task->context, rig->arena, &rig->obstacle, 0, &left_out, &audit->solid);
}

void fil_rig_audit_begin(fil_rig *rig)
{
    if (!fil_validate_going(rig->task))
        return;
    rig->audit = FIL_ARENA_ARRAY(rig->arena, fil_rig_audit, 1);
    rig->task->status = rig->audit ? prepare(rig, rig->audit) : FIL_NO_MEMORY;
}

void fil_rig_audit_end(fil_rig *rig)
{
    if (rig->audit)
        fil_arena_destroy(rig->audit->arena);
}

void fil_rig_audit_look(fil_rig *rig)
{
    fil_rig_audit *audit = rig->audit;
    fil_audit_events events = {0};
    if (!audit || !fil_validate_going(rig->task))
        return;
    keep_frame(rig, audit->after);
    fil_arena_rewind(audit->arena, audit->start);
    rig->task->status = fil_audit_crossing_find(rig->task->context, audit->arena, &audit->strands, &events);
    rig->crossings += events.count;
    keep_frame(rig, audit->before);
    for (int i = 0; audit->solid && i < rig->vertices; ++i)
        rig->deepest = fmax(rig->deepest, fil_audit_inside_depth(audit->solid, rig->position + (ptrdiff_t)3 * i));
}
