// Sine, cosine and arc tangent of four numbers at once. See trig.c.
#ifndef FIL_MATH_TRIG_H
#define FIL_MATH_TRIG_H

#include "math/simd.h"

// For any finite angle; error below 2 units in the last place for |angle| up to 1e5.
void fil_trig_sincos(fil_v4 angle, fil_v4 *sine, fil_v4 *cosine);
// In [-pi, pi]; atan2(0, 0) = 0 and signed zeros as in C. Error below 3 units in the last place.
fil_v4 fil_trig_atan2(fil_v4 y, fil_v4 x);
// The angle that differs from `angle` by whole turns and is nearest to `near`.
fil_v4 fil_trig_unwrap(fil_v4 angle, fil_v4 near);

#endif
