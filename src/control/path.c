// Paths: P(t) x = R(t) (x - pivot) + pivot + d(t), with d and the turn of R from a track. The pose is P(t) P(0)⁻¹, the
// change since time 0, so that whatever follows a path starts where it is. R is the rotation about the vector `turn` by
// its length: a turn about one axis stays one, over any angle.
#include "base/context.h"
#include "math/quat.h"

fil_pose fil_path_at(const fil_path *path, double t)
{
    fil_pose pose = {.rotation = {1, 0, 0, 0}};
    if (path->track.key_count == 0)
        return pose;
    double start[6], now[6], from[4], to[4], centre[3], turned[3];
    fil_track_at(&path->track, 6, 0, start);
    fil_track_at(&path->track, 6, t, now);
    fil_quat_from_turn(start + 3, from);
    fil_quat_from_turn(now + 3, to);
    fil_quat_times_inverse(to, from, pose.rotation);
    for (int k = 0; k < 3; ++k)
        centre[k] = path->pivot[k] + start[k];
    fil_quat_rotate(pose.rotation, centre, turned);
    for (int k = 0; k < 3; ++k)
        pose.position[k] = path->pivot[k] + now[k] - turned[k];
    return pose;
}
