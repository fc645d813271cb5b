// Real roots of polynomials in closed form. See polynomial.c.
#ifndef FIL_MATH_POLYNOMIAL_H
#define FIL_MATH_POLYNOMIAL_H

// p[0] x² + p[1] x + p[2] = 0; the number of real roots (0 to 2), ascending. Degenerate leading coefficients are fine.
int fil_polynomial_quadratic(const double p[3], double roots[2]);
// p[0] x³ + ... = 0: 0 to 3 real roots, ascending.
int fil_polynomial_cubic(const double p[4], double roots[3]);
// p[0] x⁴ + ... = 0: 0 to 4 real roots, ascending, each polished by Newton on the polynomial itself.
int fil_polynomial_quartic(const double p[5], double roots[4]);

#endif
