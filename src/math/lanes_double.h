// Names for code that is written once and compiled for both precisions: a file of kernels is included after this header
// and again after math/lanes_float.h. Therefore without a guard.
#undef REAL
#undef VECTOR
#undef WIDTH
#undef V
#undef NAME
#define REAL double
#define VECTOR fil_v4
#define WIDTH 4
#define V(name) fil_v4_##name
#define NAME(name) name
