// Pictures: hair where it should be, shadows, the same bits on any number of threads, hostile input, PNG files.
// needs: png
#include "render/picture.h"

#include "failing_allocator.h"

#include <limits.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 64, HEIGHT = 48, STRANDS = 30, VERTICES = 12 };

typedef struct scene {
    double position[STRANDS * VERTICES * 3], floor[9];
    int count[STRANDS], triangle[3];
    fil_picture_hair hair;
    fil_picture_mesh mesh;
    fil_picture picture;
    unsigned char pixels[WIDTH * HEIGHT * 3];
} scene;

// A wavy curtain of dark hair, 0.2 m wide, that hangs in the middle of the picture.
static scene *make_scene(void)
{
    scene *s = calloc(1, sizeof *s);
    for (int i = 0; i < STRANDS; ++i) {
        s->count[i] = VERTICES;
        for (int j = 0; j < VERTICES; ++j) {
            double *p = s->position + 3 * (i * VERTICES + j), t = (double)j / (VERTICES - 1);
            p[0] = -0.1 + 0.2 * i / (STRANDS - 1), p[1] = 0.3 - 0.2 * t, p[2] = 0.004 * sin(9 * t + i);
        }
    }
    s->hair = (fil_picture_hair){.strand_count = STRANDS,
                                 .vertex_count = s->count,
                                 .position = s->position,
                                 .thickness = 2e-4,
                                 .tint = {0.05f, 0.03f, 0.02f},
                                 .copies = 8,
                                 .spread = 0.004};
    s->picture = fil_picture_default();
    s->picture.width = WIDTH;
    s->picture.height = HEIGHT;
    s->picture.hairs = &s->hair;
    s->picture.hair_count = 1;
    fil_picture_frame(&s->picture);
    return s;
}

static fil_context *make_context(int threads)
{
    fil_context_def def = fil_context_def_default();
    def.threads = threads;
    return fil_context_create(&def);
}

// Renders, or skips the test where there is no Embree.
static void render(fil_context *context, scene *s)
{
    fil_status status = fil_picture_render(context, &s->picture, s->pixels);
    if (status == FIL_UNAVAILABLE) {
        test_contains(fil_context_error(context), "libembree-dev");
        test_skip("built without Embree");
    }
    test_ok(context, status);
}

static int brightness(const scene *s, int x, int y)
{
    const unsigned char *p = s->pixels + 3 * (y * WIDTH + x);
    return p[0] + p[1] + p[2];
}

TEST(picture_shows_hair_where_it_is)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    s->picture.ground = false;
    render(context, s);
    // The frame shows all of it: dark in the middle, background on all sides.
    int middle = 0, dark_border = 0, dark = 0;
    for (int x = WIDTH / 2 - 8; x < WIDTH / 2 + 8; ++x)
        middle += brightness(s, x, HEIGHT / 2);
    ck_assert_int_lt(2 * middle / 16, brightness(s, 1, HEIGHT / 2));
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x) {
            bool is_dark = brightness(s, x, y) < 220;
            dark += is_dark;
            dark_border += is_dark && (x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1);
        }
    ck_assert_int_eq(dark_border, 0);
    ck_assert_int_gt(dark, WIDTH * HEIGHT / 4);
    free(s);
    fil_context_destroy(context);
}

// The ground is the background where nothing stands in the light, and darker under the hair.
TEST(picture_has_a_shadow_on_the_ground)
{
    fil_context *context = make_context(2);
    scene *bare = make_scene(), *s = make_scene();
    for (int i = 0; i < STRANDS * VERTICES; ++i)
        bare->position[3 * i + 2] = s->position[3 * i + 2] *= 20; // thick enough to keep the light off
    fil_picture_frame(&s->picture);
    bare->picture.camera = s->picture.camera;
    bare->picture.ground = false;
    render(context, s);
    render(context, bare);
    int darker = 0, brighter = 0;
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x) {
            darker += brightness(s, x, y) < brightness(bare, x, y) - 30;
            brighter += brightness(s, x, y) > brightness(bare, x, y);
        }
    ck_assert_int_gt(darker, 20);
    ck_assert_int_eq(brighter, 0);
    ck_assert_int_eq(brightness(s, 0, 0), brightness(bare, 0, 0));
    free(s);
    free(bare);
    fil_context_destroy(context);
}

TEST(picture_shows_a_mesh_in_its_colour)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    double corners[9] = {-0.2, 0, 0, 0.2, 0, 0, 0, 0.4, 0};
    int triangle[3] = {0, 1, 2};
    s->mesh = (fil_picture_mesh){3, 1, corners, triangle, {0.6f, 0.05f, 0.05f}};
    s->picture.hair_count = 0;
    s->picture.meshes = &s->mesh;
    s->picture.mesh_count = 1;
    fil_picture_frame(&s->picture);
    render(context, s);
    const unsigned char *middle = s->pixels + 3 * (WIDTH * HEIGHT / 2 + WIDTH / 2);
    ck_assert_int_gt(middle[0], 2 * middle[1]);
    free(s);
    fil_context_destroy(context);
}

TEST(picture_has_the_same_bits_on_any_number_of_threads)
{
    scene *one = make_scene(), *more = make_scene();
    fil_context *context = make_context(1);
    one->hair.copies = more->hair.copies = 100;
    render(context, one);
    fil_context_destroy(context);
    for (int threads = 2; threads <= 4; threads *= 2) {
        context = make_context(threads);
        render(context, more);
        ck_assert_mem_eq(one->pixels, more->pixels, sizeof one->pixels);
        fil_context_destroy(context);
    }
    free(one);
    free(more);
}

static fil_status render_work(fil_context *context, void *data)
{
    scene *s = data;
    return fil_picture_render(context, &s->picture, s->pixels);
}

TEST(picture_survives_failing_allocation)
{
    fil_context *context = make_context(1);
    scene *s = make_scene();
    s->picture.width = s->picture.height = 4;
    s->picture.samples = 1;
    render(context, s);
    fil_context_destroy(context);
    test_failing_allocation(render_work, s);
    free(s);
}

static bool stop_half_way(void *user, double fraction)
{
    double *last = user;
    ck_assert(fraction >= *last && fraction <= 1);
    *last = fraction;
    return fraction < 0.5;
}

TEST(picture_can_be_cancelled)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    double last = 0;
    s->picture.progress = stop_half_way;
    s->picture.user = &last;
    render(context, s);
    ck_assert(last >= 0.5 && last < 1);
    ck_assert_int_gt(brightness(s, 0, 0), 0);
    ck_assert_int_eq(brightness(s, 0, HEIGHT - 1), 0);
    free(s);
    fil_context_destroy(context);
}

#define bad(sentence) test_fails(context, fil_picture_render(context, &s->picture, s->pixels), FIL_BAD_INPUT, sentence)

TEST(picture_tells_what_is_wrong)
{
    fil_context *context = make_context(1);
    scene *s = make_scene();
    fil_picture good = s->picture;
    fil_picture_hair hair = s->hair;
    s->picture.width = 0;
    bad("picture: width and height must be 1 to 16384 (got 0 x 48)");
    s->picture.width = INT_MAX;
    bad("picture: width and height must be 1 to 16384 (got 2147483647 x 48)");
    s->picture = good, s->picture.samples = 0;
    bad("picture: samples must be 1 to 4096 (got 0)");
    s->picture = good, s->picture.hair_count = 0;
    bad("picture: there is nothing to draw: no strand and no triangle");
    s->picture = good, s->picture.camera.angle = NAN;
    bad("camera.angle: must be 0.01 to 170 degrees (got nan)");
    s->picture = good, memcpy(s->picture.camera.eye, good.camera.target, sizeof good.camera.eye);
    bad("camera: eye and target must not be the same point");
    s->picture = good, s->picture.up[0] = s->picture.up[1] = s->picture.up[2] = 0;
    bad("up: must not be zero");
    s->picture = good, s->hair.strand_count = 0;
    bad("picture: there is nothing to draw: no strand and no triangle");
    s->hair = hair, s->hair.copies = 0;
    bad("hairs[0].copies: must be at least 1 (got 0)");
    s->hair = hair, s->hair.copies = INT_MAX;
    bad("hairs: more than 200 million points to draw: use fewer copies");
    s->hair = hair, s->hair.spread = -1;
    bad("hairs[0].spread: must be 0 to 1e+06 m (got -1)");
    s->hair = hair, s->hair.thickness = 0;
    bad("hairs[0].thickness: must be 1e-07 to 1e+06 m (got 0)");
    s->hair = hair, s->count[3] = 1;
    bad("hairs[0].vertex_count[3]: must be at least 2 (got 1)");
    s->count[3] = VERTICES, s->position[7] = NAN;
    bad("hairs[0].position[7]: must be a number of at most 1e+06 m (got nan)");
    fil_picture_frame(&s->picture); // must not mind either
    free(s);
    fil_context_destroy(context);
}

TEST(picture_refuses_triangles_of_no_vertex)
{
    fil_context *context = make_context(1);
    scene *s = make_scene();
    s->triangle[1] = 3;
    s->mesh = (fil_picture_mesh){3, 1, s->floor, s->triangle, {0.5f, 0.5f, 0.5f}};
    s->picture.meshes = &s->mesh;
    s->picture.mesh_count = 1;
    bad("meshes[0].triangle[1]: there is no vertex 3");
    free(s);
    fil_context_destroy(context);
}

// Degenerate but legal: points that coincide, strands of two points, a camera that looks straight down.
TEST(picture_draws_degenerate_strands)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    for (int i = 0; i < 3 * VERTICES; ++i)
        s->position[i] = 0.1;
    s->count[1] = 2;
    for (int k = 0; k < 3; ++k)
        s->picture.camera.eye[k] = s->picture.camera.target[k] + (k == 1);
    render(context, s);
    s->hair.strand_count = 1; // nothing but one point
    fil_picture_frame(&s->picture);
    render(context, s);
    free(s);
    fil_context_destroy(context);
}

// PNG

static fil_status write_work(fil_context *context, void *data)
{
    unsigned char pixels[5 * 4 * 3] = {0};
    return fil_picture_write_png(context, data, 5, 4, pixels);
}

TEST(picture_png_can_be_read_back)
{
    fil_context *context = make_context(1);
    unsigned char pixels[5 * 4 * 3], back[5 * 4 * 3];
    for (int i = 0; i < 5 * 4 * 3; ++i)
        pixels[i] = (unsigned char)(i * 37);
    const char *path = test_path("a.png");
    fil_status status = fil_picture_write_png(context, path, 5, 4, pixels);
    if (status == FIL_UNAVAILABLE)
        test_skip("built without libpng");
    test_ok(context, status);
    png_image image = {.version = PNG_IMAGE_VERSION};
    ck_assert(png_image_begin_read_from_file(&image, path));
    ck_assert_int_eq(image.width, 5);
    ck_assert_int_eq(image.height, 4);
    image.format = PNG_FORMAT_RGB;
    ck_assert(png_image_finish_read(&image, NULL, back, 0, NULL));
    ck_assert_mem_eq(pixels, back, sizeof back);
    fil_context_destroy(context);
}

TEST(picture_png_is_whole_or_not_there)
{
    fil_context *context = make_context(1);
    unsigned char pixel[3] = {0};
    const char *path = test_path("none/a.png");
    fil_status status = fil_picture_write_png(context, path, 1, 1, pixel);
    if (status == FIL_UNAVAILABLE)
        test_skip("built without libpng");
    ck_assert_int_eq(status, FIL_IO_FAILED);
    test_contains(fil_context_error(context), "cannot write");
    ck_assert_int_eq(fil_picture_write_png(context, test_path("b.png"), 0, 1, pixel), FIL_BAD_INPUT);
    ck_assert(access(test_path("b.png"), F_OK) != 0);
    // A disk that is full: the device takes nothing.
    if (access("/dev/full", W_OK) == 0)
        ck_assert_int_eq(fil_picture_write_png(context, "/dev/full", 1, 1, pixel), FIL_IO_FAILED);
    fil_context_destroy(context);
    char name[4096];
    snprintf(name, sizeof name, "%s", test_path("c.png"));
    test_failing_allocation(write_work, name);
    ck_assert(access(name, F_OK) == 0);
}
