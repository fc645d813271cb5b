// The list of cases and the runner. A case is one function in validate_statics.c, validate_stability.c, ...; every
// model runs the same ones.
#include "validate/validate.h"

#include "filum/extend.h"
#include "strand/strand.h"
#include "validate/validate_rig.h"

#include <string.h>

typedef struct validate_case {
    const char *name, *doc;
    double share; // of the time of all, roughly
    void (*run)(fil_validate_task *task);
} validate_case;

static const validate_case list[] = {
    {"cantilever", "a heavy rod clamped horizontally: tip drop over reach, and its convergence", 2,
     fil_validate_cantilever},
    {"tip load", "a weightless cantilever with a weight at its tip", 1, fil_validate_tip_load},
    {"catenary", "a chain between two pins: its sag", 1, fil_validate_catenary},
    {"helix", "a helix keeps its shape, and finds it from natural curvature and twist", 1, fil_validate_helix},
    {"column", "an upright rod buckles under its own weight", 1, fil_validate_column},
    {"ribbon", "a horizontal ribbon on edge buckles sideways", 1, fil_validate_ribbon},
    {"ring", "Michell's instability of a twisted ring", 1, fil_validate_ring},
    {"bend-twist", "a hanging curl leaves its plane", 6, fil_validate_bend_twist},
    {"beam modes", "frequencies of a cantilever, from its motion", 3, fil_validate_beam_modes},
    {"chain modes", "frequencies of a hanging chain, from its motion", 3, fil_validate_chain_modes},
    {"pendulum", "its period grows with the amplitude", 1, fil_validate_pendulum},
    {"time order", "errors of the schemes fall with the step as they should", 1, fil_validate_time_order},
    {"balance", "momentum and energy of a free rod", 1, fil_validate_balance},
    {"contact: incline", "a rod on an inclined plane sticks, or slides as fast as friction lets it", 1,
     fil_validate_incline},
    {"contact: capstan", "a rope drawn over a cylinder: the ratio of its tensions", 2, fil_validate_capstan},
    {"contact: stick-slip", "a strip pushed on a plane: when its tip slips", 10, fil_validate_stick_slip},
    {"contact: on a tube", "a bow astride an inclined tube sticks or slides", 1, fil_validate_on_tube},
    {"contact: on a strand", "the same astride an inclined strand", 1, fil_validate_on_strand},
    {"contact: collision", "momentum and energy of strands that fly into each other", 1, fil_validate_collision},
    {"contact: bounce", "a strand dropped on a plane: how high it comes", 1, fil_validate_bounce},
    {"contact: adhesion", "a strand below a plane, pulled up by its contacts", 1, fil_validate_adhesion},
    {"contact: pile", "strands dropped on the ground come to rest", 5, fil_validate_pile},
};
enum { CASES = sizeof list / sizeof *list };

const char *fil_validate_verdict_name(fil_validate_verdict verdict)
{
    static const char *const names[FIL_VERDICT_COUNT] = {"pass", "miss", "by design", "coarse"};
    return names[verdict];
}

int fil_validate_case_count(void)
{
    return CASES;
}

const char *fil_validate_case_name(int index)
{
    return list[index].name;
}

const char *fil_validate_case_doc(int index)
{
    return list[index].doc;
}

// A rod of one edge: says what is wrong with the name or the settings before any work is done.
static fil_status try_model(fil_validate_task *task)
{
    fil_rig rig;
    if (fil_rig_begin(task, 2, &rig))
        rig.start[3] = 1;
    fil_rig_finish(&rig);
    fil_rig_end(&rig);
    return task->status;
}

fil_status fil_validate_run(fil_context *context, const fil_validate_def *def)
{
    const fil_strand_type *type = fil_strand_type_of(def->model);
    // Material frames are the fourth unknown of a vertex.
    fil_validate_task task = {.context = context, .def = def, .has_twist = type && type->dofs > 3};
    if (type && type->live)
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "%s: moves positions and has no energy: there is no theory to hold it against",
                                type->name);
    double all = 0, done = 0;
    for (int i = 0; i < CASES; ++i)
        all += list[i].share;
    try_model(&task);
    for (int i = 0; i < CASES && fil_validate_going(&task); ++i) {
        task.name = list[i].name;
        if (def->progress && !def->progress(def->user, done / all, task.name))
            break;
        list[i].run(&task);
        done += list[i].share;
    }
    return task.status;
}
