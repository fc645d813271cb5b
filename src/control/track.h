// Values and poses over time. See track.c.
#ifndef FIL_CONTROL_TRACK_H
#define FIL_CONTROL_TRACK_H

#include "base/arena.h"

// Times that ascend, finite numbers. `place` ("groups[2]: root_path") begins the sentence of a failure.
fil_status fil_track_check(fil_context *context, const fil_track *track, int width, const char *place);
// The same track with arrays of its own.
fil_status fil_track_copy(fil_arena *arena, const fil_track *track, int width, fil_track *out);

#endif
