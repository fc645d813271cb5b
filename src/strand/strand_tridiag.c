// tridiag: positions, with the lengths of all edges of a strand solved for at once [Han13]. The maths:
// strand_tridiag_kernel.h and live_kernel.h. Cost: two sweeps over a strand a round, besides the bends.
#include "strand/live.h"

// clang-format off: each needs the one before
#include "strand/live_kernel.h"
#include "strand/strand_tridiag_kernel.h"
#include "strand/live_step_kernel.h"
#include "strand/live_type.h"
// clang-format on

static const fil_field fields[] = {
    FIL_LIVE_DEVICE_FIELDS,
    FIL_LIVE_FORM_FIELD(FIL_LIVE_DIRECT),
    FIL_LIVE_ROUND_FIELDS(2, 1),
    FIL_LIVE_LOCAL_FIELD,
    FIL_LIVE_SHAPE_FIELDS,
    FIL_LIVE_HANGS_FIELD,
    FIL_LIVE_GRID_FIELDS,
    {"equal_masses", FIL_KIND_BOOL, offsetof(fil_live_param, equal_masses), 1, 0, 1, "", NULL,
     "all vertices weigh the same, as in the paper; false: what the material says"},
    FIL_LIVE_STEP_FIELDS,
};

const fil_strand_type fil_strand_tridiag = {
    .name = "tridiag",
    .doc = "live: edges that keep their lengths, all at once by a tridiagonal solve; for games and grooming [Han13]",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(fil_live_param),
    .dofs = 3,
    .constant_count = FIL_LIVE_CONSTANTS,
    .build = fil_live_build_strand,
    .live = &live,
};
