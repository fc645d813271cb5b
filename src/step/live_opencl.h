// A group of live strands on a device of OpenCL. See live_opencl.c.
#ifndef FIL_STEP_LIVE_OPENCL_H
#define FIL_STEP_LIVE_OPENCL_H

#include "step/model.h"

// What the host says for a step; arrays lie as in fil_live_pack, packs one after another.
typedef struct fil_live_order {
    const fil_live_now *now;      // with its share
    const fil_live_shape *shapes; // [now->shapes]
    const float *weight;          // [rows] NULL: as before
    const float *pose;            // [packs × 12]
    const float *goal;            // [held × 3]
} fil_live_order;

// With room for so many bodies; shared: steps are done in two shares. *out is to be destroyed also after a failure.
// FIL_UNAVAILABLE: no OpenCL in this build, or no device.
fil_status fil_live_opencl_create(fil_context *context, fil_arena *arena, const fil_strands *strands, int shapes,
                                  bool shared, fil_live_opencl **out);
void fil_live_opencl_destroy(fil_live_opencl *self); // NULL is fine

// One step there, or a share of one; the host's copy is older from then on. Counts strands whose numbers were not
// finite. FIL_UNAVAILABLE, FIL_NO_MEMORY: the device failed, and will fail until it is given a new state.
fil_status fil_live_opencl_step(fil_context *context, fil_live_opencl *self, const fil_live_state *state,
                                const fil_live_order *order, int *failed);
// Between two shares: where vertices are on their way, [rows × 3], from the device and back to it. With them comes
// where they started, since roots may have jumped.
fil_status fil_live_opencl_take_places(fil_context *context, fil_live_opencl *self, const fil_live_state *state,
                                       float *place);
fil_status fil_live_opencl_give_places(fil_context *context, fil_live_opencl *self, const float *place);
// Makes the copy of the host as new as the device's. What cannot be had any more becomes NaN, and all later steps fail.
// context: NULL where nobody can be told.
fil_status fil_live_opencl_fetch(fil_context *context, fil_live_opencl *self, const fil_live_state *state);
// The host has other positions and velocities; other forces to push with; a whole new state, also for a device that
// failed.
void fil_live_opencl_renew(fil_live_opencl *self);
void fil_live_opencl_renew_push(fil_live_opencl *self);
void fil_live_opencl_reset(fil_live_opencl *self);

// For tests: takes every device that is created later for a GPU, where each work item is a strand.
void fil_live_opencl_pretend_gpu(bool yes);

#endif
