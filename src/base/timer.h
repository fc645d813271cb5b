// Wall-clock seconds since an arbitrary moment, monotonic.
#ifndef FIL_BASE_TIMER_H
#define FIL_BASE_TIMER_H
double fil_timer_seconds(void);
#endif
