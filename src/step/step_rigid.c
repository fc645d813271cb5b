// Holds on to strands that would pass through each other whatever is done about it: they go along with their roots for
// a part of a step, as if they were frozen (rigid impact zones: Provot 1997, Bridson 2002).
//
// Two strands that nothing moves but one rigid motion keep their distance, and nothing passed at the start. So the
// strands of all crossings are frozen, and those that cross them then, and so on, until nothing crosses. In the end
// that would be all strands, and no film; in a head of 7,905 that shakes it is a handful now and then. A frozen strand
// has the velocity of its root: what it had besides is lost, as in an inelastic impact. How far it ends from where it
// was solved counts in the residual like what is moved apart (step_project.c), and the caller forgets it where that is
// too much.
//
// Strands whose roots are held by paths move with them. Those that the host holds follow their held vertices; loose
// ones go on as they go in the mean.
#include "step/step_contact.h"

#include "base/timer.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <string.h>

enum { MOST_TURNS = 20 };
static const double few = 20, few_of_strands = 0.05; // more that are frozen are no film

// The change of a path in the part.
static fil_pose motion_of_path(const fil_path *path, double from, double to)
{
    fil_pose start = fil_path_at(path, from), end = fil_path_at(path, to), out;
    double turned[3];
    fil_quat_times_inverse(end.rotation, start.rotation, out.rotation);
    fil_quat_rotate(out.rotation, start.position, turned);
    for (int k = 0; k < 3; ++k)
        out.position[k] = end.position[k] - turned[k];
    return out;
}

// The least turn that takes one edge to another.
static void turn_between(const double e[3], const double f[3], double q[4])
{
    double across[3];
    fil_vec3_cross(e, f, across);
    q[0] = fil_vec3_norm(e) * fil_vec3_norm(f) + fil_vec3_dot(e, f);
    memcpy(q + 1, across, sizeof across);
    if (!(fil_quat_norm(q) > 1e-12))
        q[0] = 1, q[1] = q[2] = q[3] = 0;
    fil_quat_normalise(q);
}

// What the first vertices of a strand do, or, when it is loose, all of them in the mean.
static fil_pose motion_of_vertices(const fil_part *part, int strand)
{
    int first = part->strands.first[strand], end = part->strands.first[strand + 1];
    const double *x0 = part->strands.x0 + 3 * (ptrdiff_t)first, *x1 = part->strands.x1 + 3 * (ptrdiff_t)first;
    fil_pose out = fil_pose_default();
    if (!part->strands.held[first]) {
        for (int i = 0; i < 3 * (end - first); ++i)
            out.position[i % 3] += (x1[i] - x0[i]) / (end - first);
        return out;
    }
    double turned[3];
    if (part->strands.held[first + 1])
        turn_between((const double[3]){x0[3] - x0[0], x0[4] - x0[1], x0[5] - x0[2]},
                     (const double[3]){x1[3] - x1[0], x1[4] - x1[1], x1[5] - x1[2]}, out.rotation);
    fil_quat_rotate(out.rotation, x0, turned);
    for (int k = 0; k < 3; ++k)
        out.position[k] = x1[k] - turned[k];
    return out;
}

static void freeze(fil_part *part, int strand)
{
    const fil_model *model = part->job.state->model;
    const fil_path *path = &model->control.groups[part->contacts->group[strand]].paths[FIL_HOLD_ROOT];
    bool follows = part->strands.held[part->strands.first[strand]] && path->track.key_count > 0;
    fil_pose motion = follows ? motion_of_path(path, part->from, part->to) : motion_of_vertices(part, strand);
    for (int i = part->strands.first[strand]; i < part->strands.first[strand + 1]; ++i) {
        double *x = part->scratch->x1 + 3 * (ptrdiff_t)i;
        if (part->strands.held[i])
            continue;
        fil_quat_rotate(motion.rotation, part->strands.x0 + 3 * (ptrdiff_t)i, x);
        for (int k = 0; k < 3; ++k)
            x[k] += motion.position[k];
    }
}

// Freezes the strands of all crossings; returns how many were not frozen before.
static int freeze_crossing(fil_part *part)
{
    int count = 0;
    for (int i = 0; i < part->passing.count; ++i) {
        const int edges[2] = {part->passing.point[i].a, part->passing.point[i].b};
        for (int side = 0; side < 2; ++side) {
            int strand = part->strands.strand[edges[side]];
            if (part->moved[strand])
                continue;
            part->moved[strand] = true;
            freeze(part, strand);
            ++count;
        }
    }
    return count;
}

fil_status fil_rigid_hold(fil_part *part, bool *done)
{
    const double most = fmax(few, few_of_strands * part->strands.strand_count);
    const fil_touch_list crossings = part->passing;
    fil_status status = FIL_OK;
    int frozen = 0;
    *done = false;
    part->moved = FIL_ARENA_ARRAY(part->scratch->arena, bool, part->strands.strand_count);
    if (!part->moved)
        return FIL_NO_MEMORY;
    for (int turn = 0; turn < MOST_TURNS && status == FIL_OK && !*done; ++turn) {
        int more = freeze_crossing(part);
        frozen += more;
        if (more == 0 || frozen > most)
            break;
        status = fil_look_again(part);
        *done = part->passing.count == 0;
    }
    part->rigid = *done;
    part->passing = crossings;
    part->stats->crossings = crossings.count;
    if (status == FIL_OK && *done)
        status = fil_project_keep(part);
    fil_meet_follow(part);
    return status;
}
