// The sliding case of one contact as an equation in one unknown, shared by enum and root. See local_slide.c.
#ifndef FIL_CONTACT_LOCAL_SLIDE_H
#define FIL_CONTACT_LOCAL_SLIDE_H

#include "contact/local/local.h"

typedef struct fil_slide {
    double S[4];          // W_TT - w_TN w_NTᵀ / w_NN, by columns
    double d[2];          // c_T - w_TN c_N / w_NN
    double w_NT[2];       // row: what a tangential impulse does to u_N
    double w_NN, c_N, mu; // c_N < 0
    double scale;         // the size of S, or of w_NN when S vanishes
} fil_slide;

// False when w_NN is not positive: the normal impulse has no effect.
bool fil_slide_make(const double W[9], const double c[3], double mu, fil_slide *slide);
// A solution of W r = -c in the cone. Pivots of W below `small` (relative) count as zero: the cone is then searched
// along the free directions. False when there is none.
bool fil_slide_stick(const double W[9], const double c[3], double mu, double small, double r[3]);
// r_T = -(S + a I)⁻¹ d and r_N from u_N = 0; false when r_N < 0 or not finite.
bool fil_slide_impulse(const fil_slide *slide, double a, double r[3]);
// A few Newton steps on mu r_N / |r_T| = 1 from a; returns the improved a, or a itself.
double fil_slide_polish(const fil_slide *slide, double a);
// The root by a few plain Newton steps from a good guess; false when they do not settle on a positive one.
bool fil_slide_follow(const fil_slide *slide, double guess, double r[3]);
// The root by Newton kept in a bracket, from `guess` when it is positive; the impulse in r. Always ends.
bool fil_slide_search(const fil_slide *slide, double guess, double r[3]);

#endif
