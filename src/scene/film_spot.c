// Where something of a scene stands: x becomes R (scale x) + position, R the rotation of the vector `turn` (Rodrigues).
#include "scene/film_spot.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

static void rotation_of(const double turn[3], double R[9])
{
    double angle = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    double c = cos(angle), s = sin(angle), a[3] = {0, 0, 0};
    for (int k = 0; k < 3 && angle > 0; ++k)
        a[k] = turn[k] / angle;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            R[3 * i + j] = (i == j ? c : 0) + (1 - c) * a[i] * a[j];
    R[1] -= s * a[2], R[3] += s * a[2];
    R[2] += s * a[1], R[6] -= s * a[1];
    R[5] -= s * a[0], R[7] += s * a[0];
}

void fil_film_spot_apply(const fil_film_spot *spot, int64_t count, double *position)
{
    double R[9];
    bool turned = spot->turn[0] != 0 || spot->turn[1] != 0 || spot->turn[2] != 0;
    rotation_of(spot->turn, R);
    for (int64_t i = 0; i < count; ++i) {
        double *x = position + 3 * i;
        double y[3] = {spot->scale * x[0], spot->scale * x[1], spot->scale * x[2]};
        for (int k = 0; k < 3; ++k)
            x[k] = (turned ? R[3 * k] * y[0] + R[3 * k + 1] * y[1] + R[3 * k + 2] * y[2] : y[k]) + spot->position[k];
    }
}

fil_pose fil_film_spot_pose(const fil_film_spot *spot)
{
    fil_pose pose;
    memcpy(pose.position, spot->position, sizeof pose.position);
    fil_quat_from_turn(spot->turn, pose.rotation);
    return pose;
}
