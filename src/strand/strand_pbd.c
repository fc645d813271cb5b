// pbd: position-based dynamics, edge by edge, plain or with the stiffness of the material (XPBD). The maths:
// strand_pbd_kernel.h and live_kernel.h. Cost: one sweep over a strand a round, besides the bends. Limits: stretches
// unless there are many rounds.
#include "strand/live.h"

// clang-format off: each needs the one before
#include "strand/live_kernel.h"
#include "strand/strand_pbd_kernel.h"
#include "strand/live_step_kernel.h"
#include "strand/live_type.h"
// clang-format on

static const fil_field fields[] = {
    FIL_LIVE_DEVICE_FIELDS,
    FIL_LIVE_FORM_FIELD(FIL_LIVE_PBD),
    FIL_LIVE_ROUND_FIELDS(20, 1),
    FIL_LIVE_LOCAL_FIELD,
    FIL_LIVE_SHAPE_FIELDS,
    FIL_LIVE_HANGS_FIELD,
    FIL_LIVE_GRID_FIELDS,
    {"equal_masses", FIL_KIND_BOOL, offsetof(fil_live_param, equal_masses), 0, 0, 1, "", NULL,
     "all vertices weigh the same; false: what the material says"},
    FIL_LIVE_STEP_FIELDS,
};

const fil_strand_type fil_strand_pbd = {
    .name = "pbd",
    .doc = "live: edge by edge, as most games do it; stretches unless there are many rounds (Müller 2006, XPBD)",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(fil_live_param),
    .dofs = 3,
    .constant_count = FIL_LIVE_CONSTANTS,
    .build = fil_live_build_strand,
    .live = &live,
};
