// Impulses from one step to the next: a contact is known by its strands and by where on them it is.
//
// All is read from the problems: a side that moves a point of an edge is a run H = ± F [(1 - s) I, 0, s I] of 7 dofs,
// four dofs further from edge to edge, so first dof and s give the place; the frame F turns an impulse to world
// coordinates and into the frame of the next step. So it works with problems from files, too. Contacts with sides of
// any other form start from zero. Linear in the number of contacts.
#include "base/arena.h"
#include "math/mat3.h"

#include <string.h>

enum { VERTEX = 4, SIDE = 7 };

static const double same_place = 0.5; // edges: a contact that is farther from all of the last step is new

// What a contact is known by.
typedef struct key {
    int body[2];     // [1]: -1 for one side
    double place[2]; // in edges
} key;

// The scale of the 3×3 block of a side that begins at a column.
static double block_size(const double *value)
{
    double sum = 0;
    for (int k = 0; k < 9; ++k)
        sum += value[k] * value[k];
    return sqrt(sum / 3);
}

// False: not points on edges.
static bool key_of(const fil_contact_problem *problem, int contact, key *out)
{
    const fil_contact_jacobian *H = &problem->H;
    int first = H->side_start[contact], count = H->side_start[contact + 1] - first;
    out->body[1] = -1, out->place[1] = 0;
    if (count < 1 || count > 2)
        return false;
    for (int k = 0; k < count; ++k) {
        int side = first + k;
        if (H->dof_count[side] != SIDE)
            return false;
        const double *value = H->value + H->value_start[side];
        double near = block_size(value), far = block_size(value + (ptrdiff_t)3 * VERTEX);
        if (!(near + far > 0))
            return false;
        out->body[k] = H->body[side];
        out->place[k] = (double)H->first_dof[side] / VERTEX + far / (near + far);
    }
    return true;
}

// The frame of the first side times its sign, 3×3 by columns.
static void frame_of(const fil_contact_problem *problem, int contact, double F[9])
{
    const double *value = problem->H.value + problem->H.value_start[problem->H.side_start[contact]];
    double scale = block_size(value) + block_size(value + (ptrdiff_t)3 * VERTEX);
    for (int k = 0; k < 9; ++k)
        F[k] = (value[k] + value[3 * VERTEX + k]) / scale;
}

// Contacts of the last step by their first body.
typedef struct last_step {
    int *start; // [bodies + 1]
    int *contact;
    bool *taken; // [contacts]
} last_step;

static fil_status sort_contacts(fil_arena *arena, const fil_contact_problem *last, last_step *out)
{
    int bodies = last->A.body_count, n = last->contact_count;
    const fil_contact_jacobian *H = &last->H;
    out->start = FIL_ARENA_ARRAY(arena, int, (int64_t)bodies + 2);
    out->contact = FIL_ARENA_ARRAY(arena, int, n);
    out->taken = FIL_ARENA_ARRAY(arena, bool, n);
    if (!out->start || !out->contact || !out->taken)
        return FIL_NO_MEMORY;
    // Count into start[body + 2], sum, then let start[body + 1] run while filling: it ends where the body ends.
    int *next = out->start + 1;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < n; ++i) {
            if (H->side_start[i + 1] == H->side_start[i])
                continue;
            int body = H->body[H->side_start[i]];
            if (pass == 0)
                ++next[body + 1];
            else
                out->contact[next[body]++] = i;
        }
        for (int body = 1; body <= bodies && pass == 0; ++body)
            next[body] += next[body - 1];
    }
    return FIL_OK;
}

// The nearest contact of the last step that nobody has taken; -1: there is none.
static int find_same(const fil_contact_problem *last, const last_step *sorted, const key *wanted)
{
    int best = -1;
    double least = same_place;
    for (int at = sorted->start[wanted->body[0]]; at < sorted->start[wanted->body[0] + 1]; ++at) {
        int contact = sorted->contact[at];
        key key;
        if (sorted->taken[contact] || !key_of(last, contact, &key) || key.body[1] != wanted->body[1])
            continue;
        double off = fmax(fabs(key.place[0] - wanted->place[0]), fabs(key.place[1] - wanted->place[1]));
        if (off < least)
            least = off, best = contact;
    }
    return best;
}

static void cut_to_cone(double mu, double r[3])
{
    double most = mu * r[0], size = sqrt(r[1] * r[1] + r[2] * r[2]);
    if (!(r[0] > 0))
        r[0] = r[1] = r[2] = 0;
    else if (size > most)
        r[1] *= most / size, r[2] *= most / size;
}

fil_status fil_contact_hair_carry(fil_context *context, const fil_contact_problem *last, const double *r_last,
                                  const fil_contact_problem *next, double *r_next, int *kept)
{
    if (!last->has_primal || !next->has_primal || last->A.body_count != next->A.body_count)
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "impulses can be carried between primal problems with the same bodies only");
    fil_arena *scratch = fil_arena_create(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    last_step sorted;
    fil_status status = sort_contacts(scratch, last, &sorted);
    int found = 0;
    for (int i = 0; i < next->contact_count && status == FIL_OK; ++i) {
        double *r = r_next + 3 * (int64_t)i, F[9], world[3] = {0};
        key wanted;
        memset(r, 0, 3 * sizeof *r);
        int same = key_of(next, i, &wanted) ? find_same(last, &sorted, &wanted) : -1;
        if (same < 0)
            continue;
        ++found;
        sorted.taken[same] = true;
        frame_of(last, same, F);
        fil_mat3_add_transposed_vector(F, r_last + 3 * (int64_t)same, world);
        frame_of(next, i, F);
        fil_mat3_add_vector(F, world, r);
        cut_to_cone(next->mu[i], r);
    }
    fil_arena_destroy(scratch);
    if (kept)
        *kept = found;
    return status;
}
