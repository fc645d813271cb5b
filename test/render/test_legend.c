// The legend: it is where it should be, tells numbers, and stays inside the picture.
#include "render/legend.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 200, HEIGHT = 120, GUARD = 64 };

static void red(double t, float colour[3])
{
    colour[0] = (float)t;
    colour[1] = colour[2] = 0;
}

static unsigned char *draw(int width, int height, const char *title, double high)
{
    size_t size = 3 * (size_t)width * (size_t)height;
    unsigned char *pixels = malloc(size + 2 * GUARD);
    memset(pixels, 100, size + 2 * GUARD);
    fil_legend legend = {.title = title, .high = high, .colour = red};
    fil_legend_draw(&legend, width, height, pixels + GUARD);
    for (int i = 0; i < GUARD; ++i)
        ck_assert(pixels[i] == 100 && pixels[GUARD + (int)size + i] == 100);
    return pixels;
}

TEST(legend_is_in_the_lower_left)
{
    unsigned char *pixels = draw(WIDTH, HEIGHT, "speed, m/s", 1.5);
    int touched = 0, reddest = 0;
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x) {
            const unsigned char *p = pixels + GUARD + 3 * (y * WIDTH + x);
            bool changed = p[0] != 100 || p[1] != 100 || p[2] != 100;
            ck_assert(!changed || y > HEIGHT / 2);
            touched += changed;
            reddest = p[0] > 240 && p[1] == 0 ? x : reddest;
        }
    ck_assert_int_gt(touched, 1000);
    ck_assert_int_gt(reddest, 120); // the bar ends bright
    free(pixels);
}

TEST(legend_shows_its_numbers)
{
    unsigned char *one = draw(WIDTH, HEIGHT, "speed, m/s", 1.5), *two = draw(WIDTH, HEIGHT, "speed, m/s", 2.5);
    unsigned char *other = draw(WIDTH, HEIGHT, "force, N", 1.5);
    ck_assert(memcmp(one, two, WIDTH * HEIGHT * 3) != 0);
    ck_assert(memcmp(one, other, WIDTH * HEIGHT * 3) != 0);
    free(one);
    free(two);
    free(other);
}

TEST(legend_stays_inside_any_picture)
{
    static const int sizes[][2] = {{1, 1}, {16, 16}, {30, 400}, {400, 20}, {1280, 720}};
    for (int i = 0; i < 5; ++i)
        free(draw(sizes[i][0], sizes[i][1], "axial force, uN: + tension", 1e-300));
}
