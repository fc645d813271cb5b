// Kernels with a bandwidth that the compiler knows: inlined into their callers, loops unrolled in full.
#ifndef FIL_NUMERIC_UNROLL_H
#define FIL_NUMERIC_UNROLL_H

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#endif
