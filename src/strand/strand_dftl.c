// dftl: positions, with the lengths of edges kept by following the leader, and velocities corrected for it (Müller
// 2012). The maths: strand_dftl_kernel.h and live_kernel.h. Cost: one sweep over a strand a round, besides the bends.
// Limits: the correction damps.
#include "strand/live.h"

// clang-format off: each needs the one before
#include "strand/live_kernel.h"
#include "strand/strand_dftl_kernel.h"
#include "strand/live_step_kernel.h"
#include "strand/live_type.h"
// clang-format on

static const fil_field fields[] = {
    FIL_LIVE_DEVICE_FIELDS,
    FIL_LIVE_FORM_FIELD(FIL_LIVE_DIRECT),
    FIL_LIVE_ROUND_FIELDS(1, 1),
    FIL_LIVE_LOCAL_FIELD,
    FIL_LIVE_SHAPE_FIELDS,
    FIL_LIVE_HANGS_FIELD,
    FIL_LIVE_GRID_FIELDS,
    {"correction", FIL_KIND_REAL, offsetof(fil_live_param, correction), 0.9, 0, 1, "", NULL,
     "how much of the correction of the next vertex a velocity feels; less is livelier and less true"},
    FIL_LIVE_STEP_FIELDS,
};

const fil_strand_type fil_strand_dftl = {
    .name = "dftl",
    .doc = "live: edges that keep their lengths by following the leader; never stretches, swings less (Müller 2012)",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(fil_live_param),
    .dofs = 3,
    .constant_count = FIL_LIVE_CONSTANTS,
    .build = fil_live_build_strand,
    .live = &live,
};
