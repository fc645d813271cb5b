// Frames of a results' folder for other programs. See cache_curves.c and cache_usda.c.
#ifndef FIL_IO_CACHE_CURVES_H
#define FIL_IO_CACHE_CURVES_H

#include "filum/filum.h"

// All groups of one frame as one groom.
fil_status fil_cache_curves_read(fil_context *context, fil_cache *cache, int frame, fil_curves **out);

// After each frame; false: stop.
typedef bool fil_cache_usda_progress(void *user, double fraction);
// The whole film as one OpenUSD file with time samples, whole or not at all. unit: metres per unit of the file; 0: 1.
// FIL_IO_FAILED when `progress` (may be NULL) stops it.
fil_status fil_cache_usda_write(fil_context *context, fil_cache *cache, const char *path, double unit,
                                fil_cache_usda_progress *progress, void *user);

#endif
