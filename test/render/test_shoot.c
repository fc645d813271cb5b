// Films are shot: one camera, ground and scale for all frames, copies that go with their roots, the same bits on any
// number of threads, and whatever a source of frames may do wrong.
#include "render/shoot.h"

#include "failing_allocator.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 48, HEIGHT = 36, STRANDS = 6, VERTICES = 8, TOTAL = STRANDS * VERTICES, FRAMES = 5 };

// Strands that hang down and move to the right by 15 cm a frame, 0.1 s apart, with a ball that goes with them.
typedef struct scene {
    int count[STRANDS], triangle[3 * 4];
    double radius[TOTAL], length[TOTAL], stiffness[TOTAL], curvature[TOTAL], corner[3 * 4], time[2], value[12];
    fil_cache_group strands;
    fil_group group;
    fil_look look;
    fil_mesh mesh;
    fil_body body;
    fil_film film;
    fil_shoot_def def;
    int bad_frame;      // cannot be read
    bool cancel, still; // asked to stop; strands do not move
    unsigned char pixels[WIDTH * HEIGHT * 3];
} scene;

static fil_status read_frame(fil_context *context, void *user, int frame, double *time, float *position, float *stretch)
{
    const scene *s = user;
    ck_assert(frame >= 0 && frame < FRAMES);
    if (frame == s->bad_frame)
        return fil_context_fail(context, FIL_BAD_INPUT, "frame %d is damaged", frame);
    *time = 0.1 * frame;
    for (int i = 0; i < TOTAL; ++i) {
        position[3 * i] = (float)(0.02 * (i / VERTICES) + (s->still ? 0 : 0.15 * frame));
        position[3 * i + 1] = (float)(-0.02 * (i % VERTICES));
        position[3 * i + 2] = 0;
        if (stretch)
            stretch[i] = (float)(i % VERTICES < VERTICES / 2 ? 0.01 : -0.01);
    }
    return FIL_OK;
}

static bool go_on(void *user, double fraction)
{
    ck_assert(fraction >= 0 && fraction <= 1);
    return !((scene *)user)->cancel;
}

static scene *make_scene(void)
{
    static const double corner[12] = {0, 0.03, 0, 0.1, 0.03, 0, 0.05, 0.08, 0, 0.05, 0.04, 0.05};
    static const int triangle[12] = {0, 1, 2, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    scene *s = calloc(1, sizeof *s);
    for (int i = 0; i < STRANDS; ++i)
        s->count[i] = VERTICES;
    for (int i = 0; i < TOTAL; ++i)
        s->radius[i] = 1e-3, s->stiffness[i] = 100, s->length[i] = (i + 1) % VERTICES ? 0.02 : 0;
    memcpy(s->corner, corner, sizeof corner);
    memcpy(s->triangle, triangle, sizeof triangle);
    s->strands = (fil_cache_group){.name = "strands", .strand_count = STRANDS, .vertex_total = TOTAL};
    s->strands.shape = (fil_shape){s->count, s->radius, s->length, s->stiffness, s->curvature};
    s->group = fil_group_default();
    s->time[1] = 0.4;
    s->value[6] = 0.6; // 0.6 m in 0.4 s
    s->group.root_path.track = (fil_track){2, s->time, s->value, FIL_BLEND_LINEAR};
    s->look = (fil_look){.colour = {0.5, 0.1, 0.1}, .hairs = 3, .spread = 0.003};
    s->mesh = (fil_mesh){.vertex_count = 4, .triangle_count = 4, .position = s->corner, .triangle = s->triangle};
    s->body = (fil_body){.name = "body", .mesh = &s->mesh, .path = s->group.root_path, .colour = {0.1, 0.1, 0.6}};
    s->film = (fil_film){.scene = fil_scene_default(), .looks = &s->look, .bodies = &s->body, .body_count = 1};
    s->film.scene.groups = &s->group;
    s->film.scene.group_count = 1;
    s->film.shot = (fil_shot){.width = WIDTH, .height = HEIGHT, .samples = 2, .ground = 1, .framed = 1, .angle = 30};
    s->def = (fil_shoot_def){.film = &s->film,
                             .groups = &s->strands,
                             .last = FRAMES - 1,
                             .every = 1,
                             .frame_count = FRAMES,
                             .read = read_frame,
                             .progress = go_on,
                             .user = s};
    s->bad_frame = -1;
    return s;
}

static fil_context *make_context(int threads)
{
    fil_context_def def = fil_context_def_default();
    def.threads = threads;
    return fil_context_create(&def);
}

// Draws one frame of the film, or skips the test where there is no Embree.
static void draw(fil_context *context, scene *s, int frame)
{
    fil_shoot *shoot;
    test_ok(context, fil_shoot_create(context, &s->def, &shoot));
    fil_status status = fil_shoot_draw(context, shoot, frame, s->pixels);
    fil_shoot_destroy(shoot);
    if (status == FIL_UNAVAILABLE)
        test_skip("built without Embree");
    test_ok(context, status);
}

// The leftmost and the rightmost column with a pixel that is more red (hair) or blue (body) than grey.
static void columns(const scene *s, int channel, int *left, int *right)
{
    *left = WIDTH, *right = -1;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        const unsigned char *p = s->pixels + 3 * i;
        if (p[channel] > p[1] + 50 && p[channel] > p[2 - channel] + 50) {
            *left = i % WIDTH < *left ? i % WIDTH : *left;
            *right = i % WIDTH > *right ? i % WIDTH : *right;
        }
    }
}

TEST(shoot_keeps_all_frames_in_the_picture)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    int left[2], right[2], body_left[2], body_right[2];
    for (int k = 0; k < 2; ++k) {
        draw(context, s, k ? FRAMES - 1 : 0);
        columns(s, 0, &left[k], &right[k]);
        columns(s, 2, &body_left[k], &body_right[k]);
    }
    // In the first frame at the left, in the last at the right; all of the width is used, nothing is cut off.
    ck_assert_int_ge(left[0], 1);
    ck_assert_int_le(left[0], 6);
    ck_assert_int_le(right[1], WIDTH - 2);
    ck_assert_int_ge(right[1], WIDTH - 7);
    ck_assert_int_lt(right[0], left[1]);
    ck_assert_int_lt(body_right[0], body_left[1]); // the body goes with its path
    // A single frame fills the picture by itself.
    s->def.first = s->def.last = 2;
    draw(context, s, 2);
    columns(s, 0, &left[0], &right[0]);
    ck_assert_int_gt(right[0] - left[0], right[1] - left[1]);
    free(s);
    fil_context_destroy(context);
}

// A body that does not move but becomes wider and wider.
TEST(shoot_draws_the_shape_of_the_moment)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    static const double time[2] = {0, 0.4};
    double pose[24];
    for (int i = 0; i < 24; ++i)
        pose[i] = s->corner[i % 12] * (i >= 12 && i % 3 == 0 ? 5 : 1);
    s->still = true;
    s->value[6] = 0;
    s->body.pose_count = 2;
    s->body.pose_time = time;
    s->body.pose_position = pose;
    int width[3];
    for (int k = 0; k < 3; ++k) {
        int left, right;
        draw(context, s, 2 * k);
        columns(s, 2, &left, &right);
        width[k] = right - left + 1;
    }
    // 1, 3 and 5 times as wide.
    ck_assert_int_ge(width[0], 3);
    ck_assert(abs(width[1] - 3 * width[0]) <= 5 && abs(width[2] - 5 * width[0]) <= 8);
    ck_assert_int_gt(width[2] - width[1], width[0]);
    free(s);
    fil_context_destroy(context);
}

TEST(shoot_takes_the_camera_of_the_film)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    static const double time[2] = {0, 0.4}, eye[6] = {0.05, 0, 1, 0.65, 0, 1}, target[6] = {0.05, 0, 0, 0.65, 0, 0};
    s->film.shot.framed = 0;
    s->film.shot.eye_track = (fil_track){2, time, eye, FIL_BLEND_LINEAR};
    s->film.shot.target_track = (fil_track){2, time, target, FIL_BLEND_LINEAR};
    int left[2], right[2];
    for (int k = 0; k < 2; ++k) {
        draw(context, s, k ? FRAMES - 1 : 0);
        columns(s, 0, &left[k], &right[k]);
    }
    // The camera goes with the strands: they stay where they are in the picture.
    ck_assert_int_lt(left[0], WIDTH);
    ck_assert(abs(left[0] - left[1]) <= 1 && abs(right[0] - right[1]) <= 1);
    free(s);
    fil_context_destroy(context);
}

// What a frame looks like depends on the film alone, not on what was drawn before or on how many threads.
TEST(shoot_has_the_same_bits_on_any_number_of_threads)
{
    scene *one = make_scene(), *more = make_scene();
    for (int colour = 0; colour < FIL_SHOOT_COLOURS; ++colour) {
        one->def.colour = more->def.colour = (fil_shoot_colour)colour;
        fil_context *context = make_context(1);
        draw(context, one, 3);
        fil_context_destroy(context);
        for (int threads = 2; threads <= 4; threads *= 2) {
            context = make_context(threads);
            fil_shoot *shoot;
            test_ok(context, fil_shoot_create(context, &more->def, &shoot));
            for (int frame = 2; frame <= 3; ++frame)
                test_ok(context, fil_shoot_draw(context, shoot, frame, more->pixels));
            fil_shoot_destroy(shoot);
            ck_assert_mem_eq(one->pixels, more->pixels, sizeof one->pixels);
            fil_context_destroy(context);
        }
    }
    free(one);
    free(more);
}

TEST(shoot_colours_by_value)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    s->film.body_count = 0;
    s->film.shot.ground = 0;
    s->def.first = s->def.last = 2;
    // Tension above is red, compression below is blue.
    s->def.colour = FIL_SHOOT_BY_FORCE;
    draw(context, s, 2);
    int red[2] = {0}, blue[2] = {0};
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        const unsigned char *p = s->pixels + 3 * i;
        red[i / WIDTH * 2 / HEIGHT] += p[0] > p[2] + 50;
        blue[i / WIDTH * 2 / HEIGHT] += p[2] > p[0] + 50;
    }
    ck_assert_int_gt(red[0], 10);
    ck_assert_int_eq(red[1], 0);
    ck_assert_int_gt(blue[1], 10);
    free(s);
    fil_context_destroy(context);
}

// Roots that turn about themselves carry their copies along: after a full turn in steps of 90 degrees the picture is
// the same as before, and in between it is not.
TEST(shoot_turns_copies_with_their_roots)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    unsigned char first[sizeof s->pixels];
    s->still = true;
    s->film.body_count = 0;
    s->value[6] = 0;
    s->value[10] = 2 * M_PI; // about y, along the strands
    draw(context, s, 0);
    memcpy(first, s->pixels, sizeof first);
    draw(context, s, 2);
    ck_assert(memcmp(first, s->pixels, sizeof first) != 0);
    draw(context, s, FRAMES - 1);
    int apart = 0;
    for (size_t i = 0; i < sizeof first; ++i)
        apart += abs(first[i] - s->pixels[i]) > 20;
    ck_assert_int_lt(apart, 30); // rounding moves a hair by a part of a pixel
    free(s);
    fil_context_destroy(context);
}

TEST(shoot_stops_when_told)
{
    fil_context *context = make_context(2);
    scene *s = make_scene();
    s->cancel = true;
    draw(context, s, 0);
    ck_assert_int_eq(s->pixels[0], 0);
    free(s);
    fil_context_destroy(context);
}

TEST(shoot_passes_on_what_goes_wrong)
{
    fil_context *context = make_context(1);
    scene *s = make_scene();
    fil_shoot *shoot;
    for (s->bad_frame = 0; s->bad_frame < FRAMES; ++s->bad_frame) {
        char sentence[64];
        snprintf(sentence, sizeof sentence, "frame %d is damaged", s->bad_frame);
        test_fails(context, fil_shoot_create(context, &s->def, &shoot), FIL_BAD_INPUT, sentence);
        ck_assert_ptr_null(shoot);
    }
    // Frames that are not drawn may be damaged; speed needs the neighbours.
    s->bad_frame = 3;
    s->def.first = 1, s->def.last = 2;
    test_ok(context, fil_shoot_create(context, &s->def, &shoot));
    fil_shoot_destroy(shoot);
    s->def.colour = FIL_SHOOT_BY_SPEED;
    ck_assert_int_eq(fil_shoot_create(context, &s->def, &shoot), FIL_BAD_INPUT);
    fil_shoot_destroy(NULL);
    free(s);
    fil_context_destroy(context);
}

static fil_status shoot_work(fil_context *context, void *data)
{
    scene *s = data;
    fil_shoot *shoot;
    fil_status status = fil_shoot_create(context, &s->def, &shoot);
    if (status == FIL_OK)
        status = fil_shoot_draw(context, shoot, 1, s->pixels);
    fil_shoot_destroy(shoot);
    return status;
}

TEST(shoot_survives_failing_allocation)
{
    scene *s = make_scene();
    fil_context *context = make_context(1);
    s->film.shot.width = s->film.shot.height = 4;
    s->film.shot.samples = 1;
    s->def.colour = FIL_SHOOT_BY_SPEED;
    draw(context, s, 1);
    test_failing_allocation(shoot_work, s);
    free(s);
    fil_context_destroy(context);
}
