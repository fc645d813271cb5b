// Transposes and points in registers: every number ends where it belongs, in both precisions, and back.
#include "math/transpose.h"

#include "test.h"

enum { STRIDE = 11 };

TEST(transpose_moves_rows_to_columns)
{
    double from[4 * STRIDE], to[4 * STRIDE] = {0};
    float from_float[8 * STRIDE], to_float[8 * STRIDE] = {0};
    for (int k = 0; k < 4 * STRIDE; ++k)
        from[k] = k;
    for (int k = 0; k < 8 * STRIDE; ++k)
        from_float[k] = (float)k;
    fil_v4_transpose(from, STRIDE, to, STRIDE - 2);
    fil_v8_transpose(from_float, STRIDE, to_float, STRIDE - 2);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            ck_assert_double_eq(to[(STRIDE - 2) * j + i], STRIDE * i + j);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            ck_assert_float_eq(to_float[(STRIDE - 2) * j + i], (float)(STRIDE * i + j));
}

TEST(points_go_to_lanes_and_back)
{
    double points[16], back[16];
    float points_float[32], back_float[32];
    for (int k = 0; k < 16; ++k)
        points[k] = k + 1;
    for (int k = 0; k < 32; ++k)
        points_float[k] = (float)(k + 1);
    fil_v4 x[3];
    fil_v8 y[3];
    fil_v4_load_points(points, x);
    fil_v8_load_points(points_float, y);
    for (int k = 0; k < 3; ++k) {
        for (int lane = 0; lane < 4; ++lane)
            ck_assert_double_eq(x[k][lane], points[4 * lane + k]);
        for (int lane = 0; lane < 8; ++lane)
            ck_assert_float_eq(y[k][lane], points_float[4 * lane + k]);
    }
    fil_v4_store_points(back, x);
    fil_v8_store_points(back_float, y);
    for (int k = 0; k < 16; ++k)
        ck_assert_double_eq(back[k], k % 4 == 3 ? 0 : points[k]);
    fil_v4 again[3];
    float rounded[16];
    fil_v4_store_float_points(rounded, x);
    fil_v4_load_float_points(rounded, again);
    for (int k = 0; k < 16; ++k)
        ck_assert_float_eq(rounded[k], k % 4 == 3 ? 0 : (float)points[k]);
    for (int k = 0; k < 3; ++k)
        for (int lane = 0; lane < 4; ++lane)
            ck_assert_double_eq(again[k][lane], points[4 * lane + k]);
    for (int k = 0; k < 32; ++k)
        ck_assert_float_eq(back_float[k], k % 4 == 3 ? 0 : points_float[k]);
}
