// Packs of random strands for the tests of strand models: shapes at rest, shapes now, and what a model makes of them.
#ifndef FIL_TEST_STRANDS_H
#define FIL_TEST_STRANDS_H

#include "base/rng.h"
#include "base/settings.h"
#include "filum/filum.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS_MAX = 12, STRANDS_DOFS = 4, STRANDS_BAND = 16, STRANDS_NUMBERS = 32 };
enum { STRANDS_UNKNOWNS = STRANDS_MAX * STRANDS_DOFS };

typedef enum strands_curve {
    CURVE_HELIX,
    CURVE_STRAIGHT,
    CURVE_WAVY,            // angles of 0.1 to 0.8 rad in any direction
    CURVE_NEARLY_STRAIGHT, // angles of 1e-3 to 1e-2 rad in any direction
    CURVE_SHARP,           // angles up to 150 degrees
    CURVE_COUNT,
} strands_curve;

static const char *const strands_curve_name[] = {"helix", "straight", "wavy", "nearly straight", "sharp"};

// A model with settings that change its energy.
typedef struct strands_variant {
    const fil_strand_type *type;
    char name[64], settings[64];
} strands_variant;

enum { STRANDS_VARIANTS = 64 };

// Every model of the list with default settings, and with each choice of its settings but `hessian`.
static inline int strands_variants(strands_variant list[STRANDS_VARIANTS])
{
    int count = 0;
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        const fil_strand_type *type = fil_strand_type_at(t);
        if (type->live)
            continue;
        strands_variant *plain = &list[count++];
        *plain = (strands_variant){.type = type};
        snprintf(plain->name, sizeof plain->name, "%s", type->name);
        for (int f = 0; f < type->field_count; ++f) {
            const fil_field *field = &type->fields[f];
            if (field->kind != FIL_KIND_CHOICE || strcmp(field->name, "hessian") == 0)
                continue;
            int choice = 0;
            for (const char *word = field->choices; *word; word += strcspn(word, "|"), word += *word == '|', ++choice) {
                if (choice == (int)field->def)
                    continue;
                ck_assert_int_lt(count, STRANDS_VARIANTS);
                strands_variant *variant = &list[count++];
                int size = (int)strcspn(word, "|");
                variant->type = type;
                snprintf(variant->settings, sizeof variant->settings, "%s=%.*s", field->name, size, word);
                snprintf(variant->name, sizeof variant->name, "%s:%s=%.*s", type->name, field->name, size, word);
            }
        }
    }
    return count;
}

// Four strands, as the interface wants them.
typedef struct strands {
    const strands_variant *variant;
    const fil_strand_type *type;
    fil_context *context;
    double param[16];
    int vertices, count[FIL_LANES];
    double size; // of an edge
    double rest[FIL_LANES][3 * STRANDS_MAX], axis[FIL_LANES][3 * STRANDS_MAX], rest_twist[FIL_LANES][STRANDS_MAX];
    double length[FIL_LANES][STRANDS_MAX], stretch[FIL_LANES][STRANDS_MAX], twist[FIL_LANES][STRANDS_MAX];
    double bend1[FIL_LANES][STRANDS_MAX], bend2[FIL_LANES][STRANDS_MAX];
    double constants[STRANDS_MAX * STRANDS_NUMBERS * FIL_LANES], strain[STRANDS_MAX * STRANDS_NUMBERS * FIL_LANES];
    double q[STRANDS_UNKNOWNS * FIL_LANES], frame[STRANDS_MAX * STRANDS_NUMBERS * FIL_LANES];
    fil_strand_pack pack;
} strands;

// What ->elastic adds to zero.
typedef struct strands_result {
    double energy[FIL_LANES], gradient[STRANDS_UNKNOWNS * FIL_LANES];
    double band[STRANDS_UNKNOWNS * STRANDS_BAND * FIL_LANES];
} strands_result;

static inline void strands_cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double strands_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Turns v about the unit vector `about` (Rodrigues).
static inline void strands_turn(const double *about, double angle, double *v)
{
    double c = cos(angle), s = sin(angle), across[3], along = strands_dot(about, v);
    strands_cross(about, v, across);
    for (int k = 0; k < 3; ++k)
        v[k] = c * v[k] + s * across[k] + (1 - c) * along * about[k];
}

static inline void strands_random_unit(fil_rng *rng, double *v)
{
    for (int k = 0; k < 3; ++k)
        v[k] = fil_rng_normal(rng);
    double length = sqrt(strands_dot(v, v));
    for (int k = 0; k < 3; ++k)
        v[k] /= length;
}

// A polyline with these edges.
static inline void strands_draw(fil_rng *rng, strands_curve curve, int n, const double *length, double *x)
{
    double t[3], other[3], b[3];
    strands_random_unit(rng, t);
    strands_random_unit(rng, other);
    strands_cross(t, other, b);
    double size = sqrt(strands_dot(b, b));
    for (int k = 0; k < 3; ++k) {
        b[k] /= size;
        x[k] = length[0] * fil_rng_normal(rng);
    }
    double hand = fil_rng_uniform(rng, -1, 1) < 0 ? -1 : 1;
    for (int i = 1; i < n; ++i) {
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = x[3 * (i - 1) + k] + length[i - 1] * t[k];
        double angle = 0, torsion = 0;
        if (curve == CURVE_HELIX) {
            angle = 0.7;
            torsion = 0.25 * hand;
        } else if (curve == CURVE_WAVY) {
            angle = fil_rng_uniform(rng, 0.1, 0.8);
            torsion = fil_rng_uniform(rng, -1, 1);
        } else if (curve == CURVE_NEARLY_STRAIGHT) {
            angle = fil_rng_uniform(rng, 1e-3, 1e-2);
            torsion = fil_rng_uniform(rng, -1, 1);
        } else if (curve == CURVE_SHARP) {
            angle = fil_rng_uniform(rng, 0.5, 2.6);
            torsion = fil_rng_uniform(rng, -2.5, 2.5);
        }
        strands_turn(t, torsion, b);
        strands_turn(b, angle, t);
    }
}

// First axes on the edges: carried along the curve without twist, then turned by twist[i] at vertex i.
static inline void strands_axes(fil_rng *rng, int n, const double *x, const double *twist, double *axis)
{
    double before[3] = {0, 0, 0}, a[3] = {0, 0, 0};
    for (int i = 0; i + 1 < n; ++i) {
        double t[3];
        for (int k = 0; k < 3; ++k)
            t[k] = x[3 * (i + 1) + k] - x[3 * i + k];
        double size = sqrt(strands_dot(t, t));
        for (int k = 0; k < 3; ++k)
            t[k] /= size;
        if (i == 0) {
            double other[3];
            strands_random_unit(rng, other);
            strands_cross(t, other, a);
        } else {
            double about[3];
            strands_cross(before, t, about);
            double sine = sqrt(strands_dot(about, about)), angle = atan2(sine, strands_dot(before, t));
            for (int k = 0; k < 3; ++k)
                about[k] = sine > 0 ? about[k] / sine : 0;
            if (sine > 0)
                strands_turn(about, angle, a);
            strands_turn(t, twist[i], a);
        }
        // Orthogonal to the last digit.
        double along = strands_dot(a, t);
        for (int k = 0; k < 3; ++k)
            a[k] -= along * t[k];
        size = sqrt(strands_dot(a, a));
        for (int k = 0; k < 3; ++k) {
            a[k] /= size;
            axis[3 * i + k] = a[k];
            before[k] = t[k];
        }
    }
}

// Puts lane l at the positions x, with all angles zero and these first axes.
static inline void strands_place(strands *s, int l, const double *x, const double *axis)
{
    int dofs = s->type->dofs;
    for (int i = 0; i < s->count[l]; ++i) {
        for (int k = 0; k < dofs; ++k)
            s->q[(i * dofs + k) * FIL_LANES + l] = 0;
        for (int k = 0; k < 3; ++k)
            s->q[(i * dofs + k) * FIL_LANES + l] = x[3 * i + k];
    }
    if (s->type->frame_count > 0)
        s->type->start(s->count[l], x, axis, s->frame + l);
}

// Those of the variant, then these.
static inline void strands_settings(strands *s, const char *settings)
{
    const fil_strand_type *type = s->type;
    fil_settings_defaults(type->fields, type->field_count, s->param);
    test_ok(s->context, fil_settings_parse(s->context, NULL, type->name, type->fields, type->field_count,
                                           s->variant->settings, s->param));
    test_ok(s->context, fil_settings_parse(s->context, NULL, s->type->name, s->type->fields, s->type->field_count,
                                           settings, s->param));
}

// Calls ->build for lane l.
static inline fil_status strands_build(strands *s, int l)
{
    fil_strand_shape shape = {
        .vertices = s->count[l],
        .rest = s->rest[l],
        .rest_axis = s->axis[l],
        .rest_twist = s->rest_twist[l],
        .length = s->length[l],
        .stretch = s->stretch[l],
        .bend1 = s->bend1[l],
        .bend2 = s->bend2[l],
        .twist = s->twist[l],
    };
    return s->type->build(s->context, &shape, s->param, s->constants + l, s->strain + l);
}

// Strands of this kind, at rest. Lane 0 has `vertices` vertices, the others 2 to `vertices`;
// places behind the end are somewhere.
static inline strands *strands_make(const strands_variant *variant, fil_rng *rng, strands_curve curve, int vertices,
                                    double size)
{
    const fil_strand_type *type = variant->type;
    strands *s = calloc(1, sizeof *s);
    ck_assert(s && vertices <= STRANDS_MAX && type->dofs <= STRANDS_DOFS && type->bandwidth < STRANDS_BAND);
    ck_assert(type->constant_count <= STRANDS_NUMBERS && type->strain_count <= STRANDS_NUMBERS);
    ck_assert(type->frame_count <= STRANDS_NUMBERS && type->param_size <= sizeof s->param);
    s->variant = variant;
    s->type = type;
    s->context = fil_context_create(NULL);
    s->vertices = vertices;
    s->size = size;
    strands_settings(s, "");
    for (int k = 0; k < vertices * type->dofs * FIL_LANES; ++k)
        s->q[k] = size * fil_rng_normal(rng);
    for (int l = 0; l < FIL_LANES; ++l) {
        int n = s->count[l] = l == 0 ? vertices : 2 + fil_rng_below(rng, vertices - 1);
        for (int i = 0; i < n; ++i) {
            s->length[l][i] = size * fil_rng_uniform(rng, 0.7, 1.4);
            s->stretch[l][i] = size * fil_rng_uniform(rng, 1, 2);
            s->bend1[l][i] = size * size * size * fil_rng_uniform(rng, 0.3, 0.9);
            s->bend2[l][i] = size * size * size * fil_rng_uniform(rng, 0.3, 0.9);
            s->twist[l][i] = size * size * size * fil_rng_uniform(rng, 0.3, 0.9);
            s->rest_twist[l][i] = fil_rng_uniform(rng, -0.4, 0.4);
        }
        strands_draw(rng, curve, n, s->length[l], s->rest[l]);
        strands_axes(rng, n, s->rest[l], s->rest_twist[l], s->axis[l]);
        test_ok(s->context, strands_build(s, l));
        strands_place(s, l, s->rest[l], s->axis[l]);
    }
    s->pack = (fil_strand_pack){
        .vertices = vertices, .constants = s->constants, .strain = s->strain, .stiffening = 1, .param = s->param};
    return s;
}

static inline void strands_free(strands *s)
{
    fil_context_destroy(s->context);
    free(s);
}

// Bends the strands to another curve with edges between `low` and `high` of their rest length.
static inline void strands_deform(strands *s, fil_rng *rng, strands_curve curve, double low, double high)
{
    int dofs = s->type->dofs;
    for (int l = 0; l < FIL_LANES; ++l) {
        int n = s->count[l];
        double length[STRANDS_MAX], x[3 * STRANDS_MAX], twist[STRANDS_MAX], axis[3 * STRANDS_MAX];
        for (int i = 0; i < n; ++i) {
            length[i] = s->length[l][i] * fil_rng_uniform(rng, low, high);
            twist[i] = fil_rng_uniform(rng, -0.4, 0.4);
        }
        strands_draw(rng, curve, n, length, x);
        strands_axes(rng, n, x, twist, axis);
        strands_place(s, l, x, axis);
        if (dofs == 4)
            for (int i = 0; i < n; ++i)
                s->q[(i * dofs + 3) * FIL_LANES + l] = fil_rng_uniform(rng, -0.5, 0.5);
    }
}

// Moves every vertex by up to `size` edges in each direction; frames are carried along.
static inline void strands_jitter(strands *s, fil_rng *rng, double size)
{
    double before[STRANDS_UNKNOWNS * FIL_LANES], frame[STRANDS_MAX * STRANDS_NUMBERS * FIL_LANES];
    memcpy(before, s->q, sizeof before);
    memcpy(frame, s->frame, sizeof frame);
    for (int k = 0; k < s->vertices * s->type->dofs * FIL_LANES; ++k)
        s->q[k] += s->size * size * fil_rng_uniform(rng, -1, 1);
    if (s->type->frame_count > 0)
        s->type->carry(s->vertices, before, frame, s->q, s->frame);
}

static inline void strands_evaluate(const strands *s, fil_hessian hessian, strands_result *result)
{
    memset(result, 0, sizeof *result);
    s->type->elastic(&s->pack, s->q, s->frame, hessian, result->energy, result->gradient, result->band);
}

// The Hessian of one lane as a full matrix, m × m; returns m, the unknowns of the pack.
static inline int strands_dense(const strands *s, const strands_result *result, int l, double *H)
{
    int m = s->vertices * s->type->dofs, width = s->type->bandwidth + 1;
    memset(H, 0, sizeof(double) * (size_t)m * (size_t)m);
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < width && j + k < m; ++k)
            H[j * m + j + k] = H[(j + k) * m + j] = result->band[(j * width + k) * FIL_LANES + l];
    return m;
}

// Eigenvalues of a symmetric matrix by Jacobi rotations; A is destroyed and has them on its diagonal.
static inline void strands_eigenvalues(int m, double *A)
{
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0, all = 0;
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < m; ++j) {
                all += A[i * m + j] * A[i * m + j];
                off += i == j ? 0 : A[i * m + j] * A[i * m + j];
            }
        if (off <= 1e-30 * all)
            return;
        for (int p = 0; p < m; ++p)
            for (int r = p + 1; r < m; ++r) {
                if (A[p * m + r] == 0)
                    continue;
                double ratio = (A[r * m + r] - A[p * m + p]) / (2 * A[p * m + r]);
                double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < m; ++k) {
                    double x = A[k * m + p], y = A[k * m + r];
                    A[k * m + p] = c * x - s * y;
                    A[k * m + r] = s * x + c * y;
                }
                for (int k = 0; k < m; ++k) {
                    double x = A[p * m + k], y = A[r * m + k];
                    A[p * m + k] = c * x - s * y;
                    A[r * m + k] = s * x + c * y;
                }
            }
    }
}

// The smallest eigenvalue over the largest size of one; A is destroyed.
static inline double strands_least_eigenvalue(int m, double *A)
{
    strands_eigenvalues(m, A);
    double least = 0, largest = 0;
    for (int i = 0; i < m; ++i) {
        least = fmin(least, A[i * m + i]);
        largest = fmax(largest, fabs(A[i * m + i]));
    }
    return largest > 0 ? least / largest : 0;
}

static inline bool strands_finite(const double *a, int count)
{
    for (int k = 0; k < count; ++k)
        if (!isfinite(a[k]))
            return false;
    return true;
}

static inline bool strands_result_finite(const strands *s, const strands_result *r)
{
    int m = s->vertices * s->type->dofs;
    return strands_finite(r->energy, FIL_LANES) && strands_finite(r->gradient, m * FIL_LANES) &&
           strands_finite(r->band, m * (s->type->bandwidth + 1) * FIL_LANES);
}

// Each Hessian that the settings of a model offer, and the one that adaptive mode falls back to. settings[i]: text for
// strands_settings. Returns how many.
typedef struct strands_mode {
    char settings[64];
    fil_hessian hessian;
} strands_mode;

static inline int strands_modes(const fil_strand_type *type, strands_mode *modes, int most)
{
    int count = 0;
    double param[16];
    modes[count++] = (strands_mode){"", type->safe};
    for (int f = 0; f < type->field_count; ++f) {
        if (strcmp(type->fields[f].name, "hessian") != 0)
            continue;
        for (const char *word = type->fields[f].choices; *word; word += strcspn(word, "|"), word += *word == '|') {
            ck_assert_int_lt(count, most);
            strands_mode *mode = &modes[count++];
            bool adaptive;
            snprintf(mode->settings, sizeof mode->settings, "hessian=%.*s", (int)strcspn(word, "|"), word);
            fil_context *context = fil_context_create(NULL);
            fil_settings_defaults(type->fields, type->field_count, param);
            test_ok(context, fil_settings_parse(context, NULL, type->name, type->fields, type->field_count,
                                                mode->settings, param));
            fil_context_destroy(context);
            mode->hessian = type->hessian(param, &adaptive);
            ck_assert(!adaptive || mode->hessian == FIL_HESSIAN_NONE);
        }
    }
    return count;
}

#endif
