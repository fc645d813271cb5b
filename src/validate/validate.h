// Physical validation: strands set up as in textbooks, measured, and held against theory. See validate.c.
//
// Everything runs through the public interface of the library, as a host program would use it.
#ifndef FIL_VALIDATE_VALIDATE_H
#define FIL_VALIDATE_VALIDATE_H

#include "base/context.h"

typedef enum fil_validate_verdict {
    FIL_VERDICT_PASS,
    FIL_VERDICT_MISS,
    FIL_VERDICT_BY_DESIGN, // not judged: the model has no such mechanism
    FIL_VERDICT_COARSE,    // missed: too few segments for what happens between them, on purpose
    FIL_VERDICT_COUNT,
} fil_validate_verdict;
const char *fil_validate_verdict_name(fil_validate_verdict verdict); // "pass", "miss", "by design", "coarse"

// How a figure is held against theory.
typedef enum fil_validate_bar {
    FIL_BAR_RELATIVE, // |measured / theory - 1| <= bound
    FIL_BAR_ABSOLUTE, // |measured - theory| <= bound
    FIL_BAR_AT_LEAST, // measured >= bound
} fil_validate_bar;

// Curves of theory that rows lie on.
typedef enum fil_validate_curve {
    FIL_CURVE_NONE,
    FIL_CURVE_CANTILEVER,     // H/W against Gamma
    FIL_CURVE_BENDTWIST_SOFT, // critical Gamma against kappa L for C/B = 2/3
    FIL_CURVE_BENDTWIST_HARD, // the same for C/B = 1
    FIL_CURVE_COUNT,
} fil_validate_curve;

typedef struct fil_validate_row {
    const char *name;     // of the case
    const char *quantity; // "H/W at Gamma = 100"
    double theory, measured;
    double error; // relative, or measured - theory when the bar is absolute
    double bound;
    fil_validate_bar bar;
    fil_validate_verdict verdict;
    const char *reason; // a sentence, or "": why a miss is by design, coarse, or not to be trusted
    fil_validate_curve curve;
    double x; // place on the curve
} fil_validate_row;

typedef struct fil_validate_def {
    const char *model; // "der:hessian=filter"
    bool quick;        // a part that takes a few seconds
    // Shown every row, in order; its quantity is gone after the call. false: stop.
    bool (*row)(void *user, const fil_validate_row *row);
    // Told before each case, and asked; may be NULL.
    bool (*progress)(void *user, double fraction, const char *name);
    void *user;
} fil_validate_def;

// FIL_BAD_INPUT: there is no such model, or not with these settings. FIL_OK says that all was measured, or that a
// callback stopped it, not that it passed.
fil_status fil_validate_run(fil_context *context, const fil_validate_def *def);

int fil_validate_case_count(void);
const char *fil_validate_case_name(int index);
const char *fil_validate_case_doc(int index);

// The points of a curve, x ascending; returns how many.
int fil_validate_theory(fil_validate_curve curve, const double **x, const double **y);
double fil_validate_theory_at(fil_validate_curve curve, double x); // NaN: not among the points

#endif
