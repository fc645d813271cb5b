// How long a film is and in which steps. See timing.c.
#ifndef FIL_SCENE_TIMING_H
#define FIL_SCENE_TIMING_H

#include "filum/extend.h"

extern const fil_field fil_timing_fields[];
extern const int fil_timing_field_count;

enum { FIL_TIMING_FRAMES_MAX = 10000000 };

#endif
