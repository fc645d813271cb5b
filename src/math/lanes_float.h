// The same names as math/lanes_double.h, for floats. Without a guard, too.
#undef REAL
#undef VECTOR
#undef QUAD
#undef WIDTH
#undef V
#undef NAME
#define REAL float
#define VECTOR fil_v8
#define QUAD fil_q4
#define WIDTH 8
#define V(name) fil_v8_##name
#define NAME(name) name##_float
