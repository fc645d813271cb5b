// Live strands in a step. See step_live.c.
#ifndef FIL_STEP_LIVE_H
#define FIL_STEP_LIVE_H

#include "step/model.h"

// The strand of a slot; slots that fill a pack go along with the first of it.
static inline int fil_live_strand_of(const fil_strands *strands, int slot)
{
    int known = strands->pack_count * FIL_LANES;
    return strands->strand_of_slot[slot < known ? slot : slot - slot % FIL_LIVE_LANES];
}

// FIL_UNAVAILABLE: the device that the group asks for is not there. *out is to be released also after a failure.
fil_status fil_live_make_scratch(fil_context *context, fil_arena *arena, const fil_model *model, int group,
                                 fil_live_scratch *out);
void fil_live_release_scratch(const fil_live_scratch *scratch);
// As the groom says.
void fil_live_start(const fil_strands *strands, fil_live_state *state);
// Forces of the host in N, [3 vertices]; NULL: none.
void fil_live_push(fil_state *state, int group, const double *force);
// Before somebody looks at x and v of a group, live or not: as they are now. Behind somebody who has changed them, or
// what the host pushes with, of any group: they are as they are here.
void fil_live_fetch(const fil_state *state, int group);
void fil_live_renew(const fil_state *state);
// A rigid motion of all strands, velocities included.
void fil_live_move(const fil_strands *strands, const fil_pose *motion, fil_live_state *state);
// As the groom says, carried by the poses of the roots [strands], at rest.
void fil_live_reset(const fil_strands *strands, const fil_pose *pose, fil_live_state *state);
// Vectors of the vertices in the order of the groom, from [rows × 3].
void fil_live_read(const fil_strands *strands, const float *array, double *out);
// All but the elastic energy, which they do not have.
void fil_live_measure(const fil_strands *strands, const fil_live_state *state, const double gravity[3],
                      fil_measure *out);

// To rest: steps whose velocities are taken away, at most so many, until nothing moves.
fil_status fil_live_settle(fil_context *context, fil_state *state, int max_iterations, fil_step_stats *stats);
// All live groups from `begin` on, h seconds. Fails only when a device does.
fil_status fil_step_live(fil_context *context, fil_state *state, double begin, double h, fil_step_stats *stats);

// step_live_hold.c. Where the roots of a pack are, and where its held vertices shall be after a share of the way to the
// poses of the host: pose and goal as in fil_live_pack.
void fil_live_hold(const fil_state *state, int group, double share, int pack, float *pose, float *goal);

// step_live_mesh.c. Moves the vertices of a pack out of a mesh; lanes: bits.
void fil_live_leave_mesh(const fil_live_mesh *mesh, const fil_live_pack *pack, unsigned lanes);

// step_live_grid.c. What strands do to each other's velocities in h seconds.
fil_status fil_live_grid_make(fil_arena *arena, const fil_live *live, fil_live_grid *out);
void fil_live_grid_mix(const fil_context *context, const fil_strands *strands, double h, fil_live_grid *grid,
                       fil_live_state *state);

#endif
