// Paths: rigid motions away from time 0.
#include "test.h"

#include "filum/filum.h"
#include "math/quat.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static void carry(const fil_path *path, double t, const double x[3], double out[3])
{
    fil_pose pose = fil_path_at(path, t);
    fil_quat_rotate(pose.rotation, x, out);
    for (int k = 0; k < 3; ++k)
        out[k] += pose.position[k];
}

TEST(nothing_moves_without_keys_and_at_time_0)
{
    const double time[2] = {-1, 1}, value[12] = {1, 2, 3, 0.4, 0.5, 0.6, -1, 0, 2, 1, 1, 0}, x[3] = {0.3, -1, 2};
    fil_path path = {.pivot = {1, 0, 0}}, moving = path;
    moving.track = (fil_track){.key_count = 2, .time = time, .value = value};
    double y[3];
    carry(&path, 3, x, y);
    ck_assert_mem_eq(x, y, sizeof y);
    carry(&moving, 0, x, y);
    for (int k = 0; k < 3; ++k)
        test_near(y[k], x[k], 1e-15);
}

TEST(turns_go_about_the_pivot)
{
    const double time[2] = {0, 2}, value[12] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1.5 * pi}, x[3] = {2, 0, 0};
    fil_path path = {.track = {.key_count = 2, .time = time, .value = value, .blend = FIL_BLEND_LINEAR},
                     .pivot = {1, 0, 0}};
    double y[3];
    carry(&path, 2.0 / 3, x, y);
    const double quarter[3] = {1, 1, 1.0 / 3}, end[3] = {1, -1, 1};
    for (int k = 0; k < 3; ++k)
        test_near(y[k], quarter[k], 1e-15);
    carry(&path, 5, x, y);
    for (int k = 0; k < 3; ++k)
        test_near(y[k], end[k], 1e-15);
}

// What began displaced and turned goes on as if it had been there from the start.
TEST(only_the_change_since_time_0_counts)
{
    const double time[2] = {0, 1}, value[12] = {1, 2, 3, 0.1, -0.4, 0.5, -2, 0, 1, 1, 0.2, -0.7},
                 x[3] = {0.3, 0.2, 0.1};
    fil_path path = {.track = {.key_count = 2, .time = time, .value = value}, .pivot = {0.5, -0.5, 0}};
    double start[4], end[4], local[3], placed[3], expected[3], y[3];
    fil_quat_from_turn(value + 3, start);
    fil_quat_from_turn(value + 9, end);
    for (int k = 0; k < 3; ++k)
        local[k] = x[k] - path.pivot[k];
    fil_quat_rotate(start, local, placed);
    fil_quat_rotate(end, local, expected);
    for (int k = 0; k < 3; ++k)
        placed[k] += path.pivot[k] + value[k];
    carry(&path, 1, placed, y);
    for (int k = 0; k < 3; ++k)
        test_near(y[k], expected[k] + path.pivot[k] + value[6 + k], 1e-15);
}
