// The solve of band.c, written once for both precisions: included there after math/lanes_double.h and after
// math/lanes_float.h. The unknowns in reach stay in registers; each triangle is run over once.

// One step of either substitution: x is known, the next B unknowns (in reach) lose its share and move up by one. L(i)
// is `step` numbers after L(i - 1); `last`: the unknown that comes into reach. Returns x.
INLINE VECTOR NAME(substitute)(int B, VECTOR *reach, const REAL *L, int64_t step, VECTOR last)
{
    VECTOR x = reach[0];
    reach[B] = last;
    UNROLL
    for (int i = 1; i <= B; ++i)
        reach[i - 1] = V(fma)(-x, V(load)(L + step * i), reach[i]);
    return x;
}

// L y = x, x <- y / D
INLINE void NAME(solve_lower)(int B, int64_t n, const REAL *factor, REAL *x)
{
    VECTOR reach[RING];
    UNROLL
    for (int i = 0; i < B; ++i)
        reach[i] = i < n ? V(load)(x + WIDTH * i) : V(all)(0);
    for (int64_t j = 0; j < n; ++j) {
        const REAL *column = factor + WIDTH * (B + 1) * j;
        VECTOR last = j + B < n ? V(load)(x + WIDTH * (j + B)) : V(all)(0);
        VECTOR y = NAME(substitute)(B, reach, column, WIDTH, last);
        V(store)(x + WIDTH * j, y * V(load)(column));
    }
}

// Lᵀ x = x, from the last row up.
INLINE void NAME(solve_upper)(int B, int64_t n, const REAL *factor, REAL *x)
{
    VECTOR reach[RING];
    UNROLL
    for (int i = 0; i < B; ++i)
        reach[i] = i < n ? V(load)(x + WIDTH * (n - 1 - i)) : V(all)(0);
    int64_t j = n - 1;
    for (; j >= B; --j) {
        const REAL *column = factor + WIDTH * (B + 1) * j;
        VECTOR last = V(load)(x + WIDTH * (j - B));
        V(store)(x + WIDTH * j, NAME(substitute)(B, reach, column, -WIDTH * B, last));
    }
    for (; j >= 0; --j) {
        const REAL *column = factor + WIDTH * (B + 1) * j;
        for (int i = 1; i <= j; ++i)
            reach[i] = V(fma)(-reach[0], V(load)(column - WIDTH * B * i), reach[i]);
        V(store)(x + WIDTH * j, reach[0]);
        for (int i = 0; i < j; ++i)
            reach[i] = reach[i + 1];
    }
}

static void NAME(solve_10)(int n, const REAL *factor, REAL *x)
{
    NAME(solve_lower)(10, n, factor, x);
    NAME(solve_upper)(10, n, factor, x);
}

static void NAME(solve_11)(int n, const REAL *factor, REAL *x)
{
    NAME(solve_lower)(11, n, factor, x);
    NAME(solve_upper)(11, n, factor, x);
}

static void NAME(solve_any)(int64_t n, int64_t B, const REAL *factor, REAL *x)
{
    for (int64_t j = 0; j < n; ++j) {
        const REAL *column = factor + WIDTH * (B + 1) * j;
        VECTOR y = V(load)(x + WIDTH * j);
        for (int64_t i = 1; i <= smaller(B, n - 1 - j); ++i) {
            REAL *target = x + WIDTH * (j + i);
            V(store)(target, V(fma)(-y, V(load)(column + WIDTH * i), V(load)(target)));
        }
        V(store)(x + WIDTH * j, y * V(load)(column));
    }
    for (int64_t j = n - 1; j >= 0; --j) {
        const REAL *column = factor + WIDTH * (B + 1) * j;
        VECTOR sum = V(load)(x + WIDTH * j);
        for (int64_t i = smaller(B, n - 1 - j); i >= 1; --i)
            sum = V(fma)(-V(load)(column + WIDTH * i), V(load)(x + WIDTH * (j + i)), sum);
        V(store)(x + WIDTH * j, sum);
    }
}

void NAME(fil_band_solve)(int n, int bandwidth, const REAL *factor, REAL *x)
{
    switch (bandwidth) {
    case 10:
        NAME(solve_10)(n, factor, x);
        break;
    case 11:
        NAME(solve_11)(n, factor, x);
        break;
    default:
        NAME(solve_any)(n, bandwidth, factor, x);
    }
}
