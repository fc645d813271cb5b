// Friction cones of several contacts side by side, written once for both precisions: included by the kernels of apg and
// admm. Vectors are blocked (contact_strands.h).

static inline void NAME(project)(VECTOR mu, VECTOR x[3])
{
    VECTOR tangent = V(sqrt)(x[1] * x[1] + x[2] * x[2]), along = x[0] + mu * tangent, zero = V(all)(0);
    VECTOR normal = V(select)(along <= 0, zero, along / (1 + mu * mu));
    VECTOR scale = mu * normal / V(max)(tangent, V(all)((REAL)least_tangent));
    scale = V(select)((tangent <= mu * x[0]) & (along > 0), V(all)(1), scale);
    x[0] = V(select)((tangent <= mu * x[0]) & (along > 0), x[0], normal);
    x[1] *= scale;
    x[2] *= scale;
}

static inline void NAME(load_three)(const REAL *p, VECTOR x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = V(load)(p + LANES * k);
}

static inline VECTOR NAME(dot)(const VECTOR a[3], const VECTOR b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double NAME(add_lanes)(VECTOR x)
{
    double sum = 0;
    for (int lane = 0; lane < WIDTH; ++lane)
        sum += (double)x[lane];
    return sum;
}

// |r - P_K(r - rho ũ)|² with ũ = u + mu |u_T| e, the natural map.
static inline VECTOR NAME(natural_square)(VECTOR mu, REAL rho, const VECTOR r[3], const VECTOR u[3])
{
    VECTOR x[3] = {r[0] - rho * u[0], r[1] - rho * u[1], r[2] - rho * u[2]};
    x[0] -= rho * mu * V(sqrt)(u[1] * u[1] + u[2] * u[2]);
    NAME(project)(mu, x);
    for (int k = 0; k < 3; ++k)
        x[k] = r[k] - x[k];
    return NAME(dot)(x, x);
}
