// Functions F(r, u) that vanish exactly for (u, r) in Coulomb(mu), with their Jacobians. See contact_map.c.
#ifndef FIL_CONTACT_MAP_H
#define FIL_CONTACT_MAP_H

typedef enum fil_map { FIL_MAP_AC, FIL_MAP_JM, FIL_MAP_NM, FIL_MAP_FB } fil_map;

// F, A = dF/dr, B = dF/du, blocks by columns; rho > 0 turns a velocity into an impulse. A and B may be NULL together.
void fil_contact_map(fil_map map, double mu, double rho, const double r[3], const double u[3], double F[3], double A[9],
                     double B[9]);

#endif
