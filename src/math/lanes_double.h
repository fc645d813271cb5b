// Names for code that is written once and compiled for both precisions: a file of kernels is included after this header
// and again after math/lanes_float.h. Therefore without a guard.
#undef REAL
#undef VECTOR
#undef QUAD
#undef WIDTH
#undef V
#undef NAME
#define REAL double
#define VECTOR fil_v4
#define QUAD fil_v4 // four numbers, however wide a vector is
#define WIDTH 4
#define V(name) fil_v4_##name
#define NAME(name) name
