// The list of local solvers, and the hybrid of [Daviet11, 6.1] that a sweep calls for each contact.
#include "contact/local/local.h"

#include "base/arena.h"
#include "base/settings.h"
#include "math/cone.h"
#include "math/mat3.h"

#include <stdio.h>
#include <string.h>

static const fil_local_type *const list[] = {
    &fil_local_mfb, &fil_local_enum,     &fil_local_root,     &fil_local_pac,
    &fil_local_dac, &fil_local_duriez06, &fil_local_duriez08, &fil_local_4sides,
};
enum { LIST_SIZE = sizeof list / sizeof *list };

int fil_local_type_count(void)
{
    return LIST_SIZE;
}

const fil_local_type *fil_local_type_at(int index)
{
    return list[index];
}

const fil_local_type *fil_local_type_find(const char *name)
{
    for (int i = 0; i < LIST_SIZE; ++i)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

double fil_local_residual(const double W[9], const double c[3], double mu, const double r[3])
{
    double rho = fil_local_rho(W), u[3] = {c[0], c[1], c[2]};
    fil_mat3_add_vector(W, r, u);
    // W r is not known better than to the rounding of its terms: forgiven where it is small, added where the impulse is
    // far beyond rho |c|. Such an impulse lies along a direction in which W nearly vanishes, its residual is a matter
    // of luck, and a smaller solution is better.
    const double forgiven = 1e-14, epsilon = 2.3e-16, most = 1e-11;
    double scale = rho * fil_vec3_norm(c), size = fil_vec3_norm(r);
    double excess = sqrt(fil_cone_natural(mu, rho, r, u));
    excess += forgiven * size <= most * scale ? -forgiven * size : epsilon * size;
    if (!(excess > 0))
        return isnan(excess) ? INFINITY : 0;
    return scale > 0 ? excess / scale : excess;
}

static fil_status parse_one(fil_context *context, fil_arena *arena, const char *text, size_t length,
                            const fil_local_type **type, const void **param)
{
    char copy[256];
    if (length >= sizeof copy)
        return fil_context_fail(context, FIL_BAD_INPUT, "local solver: the name is too long");
    memcpy(copy, text, length);
    copy[length] = '\0';
    fil_settings_owner owners[LIST_SIZE];
    for (int i = 0; i < LIST_SIZE; ++i)
        owners[i] = (fil_settings_owner){list[i]->name, list[i]->fields, list[i]->field_count, list[i]->param_size};
    int index;
    void *memory = NULL;
    fil_status status =
        fil_settings_choose(context, arena, "local solver", "local", owners, LIST_SIZE, copy, &index, &memory);
    *type = status == FIL_OK ? list[index] : NULL;
    *param = memory;
    return status;
}

fil_status fil_local_parse(fil_context *context, fil_arena *arena, const char *text, double tolerance, fil_local *out)
{
    *out = (fil_local){.tolerance = tolerance};
    size_t length = strcspn(text, "+");
    fil_status status = parse_one(context, arena, text, length, &out->first, &out->first_param);
    if (status != FIL_OK || text[length] == '\0')
        return status;
    const char *second = text + length + 1;
    return parse_one(context, arena, second, strlen(second), &out->failsafe, &out->failsafe_param);
}

void fil_local_solve(const fil_local *local, const double W[9], const double c[3], double mu, double r[3],
                     fil_local_counts *counts)
{
    ++counts->calls;
    // Take-off is decided by one sign, and no solver may do worse.
    if (c[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
        return;
    }
    int outcome = local->first->solve(W, c, mu, local->tolerance, local->first_param, r);
    // A solver of another law may be content where the exact law is not met.
    if (outcome == 0 && local->failsafe && !local->first->exact &&
        !(fil_local_residual(W, c, mu, r) <= local->tolerance))
        outcome = 1;
    if (outcome == 0)
        return;
    if (local->failsafe) {
        ++counts->failsafe;
        double second[3] = {0, 0, 0};
        int second_outcome = local->failsafe->solve(W, c, mu, local->tolerance, local->failsafe_param, second);
        if (second_outcome == 0 ||
            (second_outcome > 0 && fil_local_residual(W, c, mu, second) < fil_local_residual(W, c, mu, r))) {
            r[0] = second[0];
            r[1] = second[1];
            r[2] = second[2];
            outcome = second_outcome;
        }
    }
    if (outcome == 0)
        return;
    ++counts->failures;
    // Neither reached the tolerance: keep what is closer to a solution than no impulse at all [Daviet11, 6.2].
    const double zero[3] = {0, 0, 0};
    double residual = fil_local_residual(W, c, mu, r);
    if (!(residual < fil_local_residual(W, c, mu, zero)))
        r[0] = r[1] = r[2] = 0;
}
