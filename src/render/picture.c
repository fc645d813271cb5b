// Pictures of strands: many hairs for each strand (picture_hair.c), rays (picture_rays.c, Embree), light that seeps
// through hair (picture_depth.c, picture_shade.c). docs/render.md tells what can be set and how it looks.
//
// The picture is drawn in tiles. All that is random comes from hashes of pixel and sample, each grid of light is summed
// by one thread, and what a ray meets does not depend on how the tree was built: the same bits on any number of
// threads.
#include "render/picture.h"

#include "base/parallel.h"
#include "render/picture_part.h"

#include <string.h>

enum { MOST_PIXELS_A_SIDE = 16384, MOST_SAMPLES = 4096, TILE = 16, BANDS = 16, FIRST_SAMPLES = 4 };
static const double least_pixels = 0.3; // radius of the thinnest hair, in pixels: thinner ones flicker
static const double farthest = 1e6;     // m; beyond it single precision cannot tell hairs apart
static const double thinnest = 1e-7;    // m
static const double most_cells = 2.5e6, cells_a_pixel = 8; // of a grid of light: a small picture shows no more

fil_picture fil_picture_default(void)
{
    return (fil_picture){.width = 960,
                         .height = 720,
                         .samples = 4,
                         .ground = true,
                         .up = {0, 1, 0},
                         .camera = {.eye = {0, 0, 1}, .up = {0, 1, 0}, .angle = 30}};
}

static fil_status bad_position(fil_context *context, const char *what, int which, int64_t at, double got)
{
    return fil_context_fail(context, FIL_BAD_INPUT, "%s[%d].position[%lld]: must be a number of at most %g m (got %g)",
                            what, which, (long long)at, farthest, got);
}

static bool is_place(double x)
{
    return fabs(x) <= farthest; // not for NaN
}

static fil_status check_hair_numbers(fil_context *context, const fil_picture_hair *hair, int h, int64_t vertices)
{
    for (int64_t i = 0; i < 3 * vertices; ++i)
        if (!is_place(hair->position[i]))
            return bad_position(context, "hairs", h, i, hair->position[i]);
    for (int64_t i = 0; hair->radius && i < vertices; ++i)
        if (!(hair->radius[i] >= thinnest && hair->radius[i] <= farthest))
            return fil_context_fail(context, FIL_BAD_INPUT, "hairs[%d].radius[%lld]: must be %g to %g m (got %g)", h,
                                    (long long)i, thinnest, farthest, hair->radius[i]);
    if (!hair->radius && !(hair->thickness >= thinnest && hair->thickness <= farthest))
        return fil_context_fail(context, FIL_BAD_INPUT, "hairs[%d].thickness: must be %g to %g m (got %g)", h, thinnest,
                                farthest, hair->thickness);
    const float *colour = hair->colour ? hair->colour : hair->tint;
    for (int64_t i = 0; i < (hair->colour ? 3 * vertices : 3); ++i)
        if (!(colour[i] >= 0 && colour[i] <= 1))
            return fil_context_fail(context, FIL_BAD_INPUT, "hairs[%d].%s[%lld]: must be 0 to 1 (got %g)", h,
                                    hair->colour ? "colour" : "tint", (long long)i, (double)colour[i]);
    return FIL_OK;
}

static fil_status check_hair(fil_context *context, const fil_picture_hair *hair, int h)
{
    if (hair->strand_count < 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "hairs[%d].strand_count: must be >= 0 (got %d)", h,
                                hair->strand_count);
    if (hair->strand_count > 0 && (!hair->vertex_count || !hair->position))
        return fil_context_fail(context, FIL_BAD_INPUT, "hairs[%d]: vertex_count and position must be given", h);
    int64_t vertices = 0;
    for (int i = 0; i < hair->strand_count; ++i) {
        if (hair->vertex_count[i] < 2)
            return fil_context_fail(context, FIL_BAD_INPUT, "hairs[%d].vertex_count[%d]: must be at least 2 (got %d)",
                                    h, i, hair->vertex_count[i]);
        vertices += hair->vertex_count[i];
    }
    if (hair->copies < 1)
        return fil_context_fail(context, FIL_BAD_INPUT, "hairs[%d].copies: must be at least 1 (got %d)", h,
                                hair->copies);
    if (!(hair->spread >= 0 && hair->spread <= farthest))
        return fil_context_fail(context, FIL_BAD_INPUT, "hairs[%d].spread: must be 0 to %g m (got %g)", h, farthest,
                                hair->spread);
    return check_hair_numbers(context, hair, h, vertices);
}

static fil_status check_mesh(fil_context *context, const fil_picture_mesh *mesh, int m)
{
    if (mesh->vertex_count < 0 || mesh->triangle_count < 0)
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "meshes[%d]: counts must be >= 0 (got %d vertices, %d triangles)", m,
                                mesh->vertex_count, mesh->triangle_count);
    if ((mesh->vertex_count > 0 && !mesh->position) || (mesh->triangle_count > 0 && !mesh->triangle))
        return fil_context_fail(context, FIL_BAD_INPUT, "meshes[%d]: position and triangle must be given", m);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i)
        if (!is_place(mesh->position[i]))
            return bad_position(context, "meshes", m, i, mesh->position[i]);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i)
        if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->vertex_count)
            return fil_context_fail(context, FIL_BAD_INPUT, "meshes[%d].triangle[%lld]: there is no vertex %d", m,
                                    (long long)i, mesh->triangle[i]);
    for (int k = 0; k < 3; ++k)
        if (!(mesh->colour[k] >= 0 && mesh->colour[k] <= 1))
            return fil_context_fail(context, FIL_BAD_INPUT, "meshes[%d].colour[%d]: must be 0 to 1 (got %g)", m, k,
                                    (double)mesh->colour[k]);
    return FIL_OK;
}

static fil_status check_camera(fil_context *context, const fil_picture *picture)
{
    const fil_picture_camera *camera = &picture->camera;
    double away = 0, up = 0;
    bool places = true;
    for (int k = 0; k < 3; ++k) {
        places &= is_place(camera->eye[k]) && is_place(camera->target[k]) && is_place(camera->up[k]) &&
                  is_place(picture->up[k]);
        away += fabs(camera->eye[k] - camera->target[k]);
        up += fabs(picture->up[k]);
    }
    if (!places)
        return fil_context_fail(context, FIL_BAD_INPUT, "camera: eye, target and up must be numbers of at most %g m",
                                farthest);
    if (!(away > 1e-9))
        return fil_context_fail(context, FIL_BAD_INPUT, "camera: eye and target must not be the same point");
    if (!(up > 1e-9))
        return fil_context_fail(context, FIL_BAD_INPUT, "up: must not be zero");
    for (int k = 0; k < 3 && picture->space; ++k)
        if (!is_place(picture->space->low[k]) || !is_place(picture->space->high[k]))
            return fil_context_fail(context, FIL_BAD_INPUT, "space: must be made of numbers of at most %g m", farthest);
    if (!(camera->angle >= 0.01 && camera->angle <= 170))
        return fil_context_fail(context, FIL_BAD_INPUT, "camera.angle: must be 0.01 to 170 degrees (got %g)",
                                camera->angle);
    return FIL_OK;
}

fil_status fil_picture_check(fil_context *context, const fil_picture *picture)
{
    if (picture->width < 1 || picture->height < 1 || picture->width > MOST_PIXELS_A_SIDE ||
        picture->height > MOST_PIXELS_A_SIDE)
        return fil_context_fail(context, FIL_BAD_INPUT, "picture: width and height must be 1 to %d (got %d x %d)",
                                MOST_PIXELS_A_SIDE, picture->width, picture->height);
    if (picture->samples < 1 || picture->samples > MOST_SAMPLES)
        return fil_context_fail(context, FIL_BAD_INPUT, "picture: samples must be 1 to %d (got %d)", MOST_SAMPLES,
                                picture->samples);
    if (picture->hair_count < 0 || picture->mesh_count < 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "picture: counts must be >= 0 (got %d hairs, %d meshes)",
                                picture->hair_count, picture->mesh_count);
    fil_status status = check_camera(context, picture);
    int64_t drawn = 0;
    for (int h = 0; h < picture->hair_count && status == FIL_OK; ++h) {
        status = check_hair(context, &picture->hairs[h], h);
        drawn += picture->hairs[h].strand_count;
    }
    for (int m = 0; m < picture->mesh_count && status == FIL_OK; ++m) {
        status = check_mesh(context, &picture->meshes[m], m);
        drawn += picture->meshes[m].triangle_count;
    }
    if (status == FIL_OK && drawn == 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "picture: there is nothing to draw: no strand and no triangle");
    return status;
}

// Light

typedef struct lighting {
    fil_stage *stage;
    float *spare[FIL_LIGHTS];
} lighting;

static void fill_light(void *data, int64_t begin, int64_t end)
{
    lighting *job = data;
    for (int64_t k = begin; k < end; ++k)
        fil_depth_fill(&job->stage->light[k].depth, &job->stage->drawn, job->spare[k]);
}

static fil_status set_lights(fil_context *context, fil_arena *arena, fil_stage *stage)
{
    lighting job = {.stage = stage};
    double pixels = (double)stage->picture->width * stage->picture->height;
    double cells = cells_a_pixel * pixels < most_cells ? cells_a_pixel * pixels : most_cells;
    fil_stage_light(stage);
    for (int k = 0; k < FIL_LIGHTS; ++k) {
        fil_light *light = &stage->light[k];
        fil_status status = fil_depth_prepare(arena, &stage->drawn, light->toward, cells, &light->depth);
        job.spare[k] = status == FIL_OK ? FIL_ARENA_ARRAY(arena, float, fil_depth_cells(&light->depth)) : NULL;
        if (!job.spare[k])
            return FIL_NO_MEMORY;
    }
    fil_parallel_for(context, FIL_LIGHTS, 1, fill_light, &job);
    return FIL_OK;
}

// Everything that stays the same while pixels are drawn.
static fil_status set_stage(fil_context *context, fil_arena *arena, fil_stage *stage)
{
    const fil_picture *picture = stage->picture;
    stage->view = fil_view_make(picture);
    stage->up = fil_f3_unit(fil_f3_make(picture->up), (fil_f3){0, 1, 0});
    fil_f3 way = fil_f3_sub(fil_f3_make(picture->camera.target), stage->view.eye);
    double pixel = (double)(2 * stage->view.tangent * sqrtf(fil_f3_dot(way, way))) / picture->height;
    fil_status status = fil_picture_grow(context, arena, picture, least_pixels * pixel, &stage->drawn);
    if (status != FIL_OK)
        return status;

    const fil_picture_box *box = picture->space ? picture->space : &stage->drawn.box;
    double square = 0;
    stage->ground = INFINITY;
    for (int k = 0; k < 3; ++k)
        square += (box->high[k] - box->low[k]) * (box->high[k] - box->low[k]);
    stage->size = (float)sqrt(square) + 1e-6f;
    stage->centre = fil_f3_mix(fil_f3_make(box->low), fil_f3_make(box->high), 0.5f);
    for (int corner = 0; corner < 8; ++corner) {
        double p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = corner >> k & 1 ? box->high[k] : box->low[k];
        float height = fil_f3_dot(fil_f3_make(p), stage->up);
        stage->ground = height < stage->ground ? height : stage->ground;
    }
    stage->corner = FIL_ARENA_ARRAY(arena, fil_f3 *, picture->mesh_count + 1);
    status = stage->corner ? FIL_OK : FIL_NO_MEMORY;
    for (int m = 0; m < picture->mesh_count && status == FIL_OK; ++m)
        status = fil_picture_mesh_normals(arena, &picture->meshes[m], &stage->corner[m]);
    if (status == FIL_OK)
        status = fil_rays_create(context, arena, picture, &stage->drawn, &stage->rays);
    return status == FIL_OK ? set_lights(context, arena, stage) : status;
}

// Pixels

typedef struct drawing {
    const fil_stage *stage;
    unsigned char *pixels;
    int top, bottom; // of the band that is being drawn
} drawing;

// Position in [-1, 1] with the weights of a tent: pixels overlap a little, which softens stairs.
static float tent(float u)
{
    return u < 0.5f ? sqrtf(2 * u) - 1 : 1 - sqrtf(2 - 2 * u);
}

// A pixel in the making.
typedef struct pixel {
    uint32_t seed;
    float u, v; // of the last sample
    int samples;
    fil_f3 sum, least, most;
} pixel;

// More samples until there are `samples`; returns what they met, one bit for each kind.
static unsigned take_samples(const fil_stage *stage, pixel *self, int x, int y, int samples)
{
    unsigned met = 0;
    for (; self->samples < samples; ++self->samples) {
        // Steps of the plastic number fill the square evenly, however many there are [Roberts18].
        self->u += 0.7548777f, self->v += 0.5698403f;
        self->u -= floorf(self->u), self->v -= floorf(self->v);
        float at_x = (float)x + 0.5f + 0.85f * tent(self->u), at_y = (float)y + 0.5f + 0.85f * tent(self->v);
        uint32_t seed = fil_picture_hash(self->seed, 100 + (uint32_t)self->samples);
        fil_struck struck;
        fil_f3 light = fil_stage_look(stage, at_x, at_y, seed, &struck);
        met |= 1u << struck;
        // A single spark must not outshine its pixel.
        float brightest = fmaxf(light.x, fmaxf(light.y, light.z));
        light = fil_f3_scale(brightest > 2 ? 2 / brightest : 1, light);
        self->sum = fil_f3_add(self->sum, light);
        self->least =
            (fil_f3){fminf(self->least.x, light.x), fminf(self->least.y, light.y), fminf(self->least.z, light.z)};
        self->most = (fil_f3){fmaxf(self->most.x, light.x), fmaxf(self->most.y, light.y), fmaxf(self->most.z, light.z)};
    }
    return met;
}

static bool samples_agree(const pixel *self)
{
    fil_f3 apart = fil_f3_sub(self->most, self->least);
    return fmaxf(apart.x, fmaxf(apart.y, apart.z)) <= 0.004f + 0.015f * self->most.y;
}

// Where a tile holds nothing but background, or nothing but body, pixels whose first samples agree need no more.
static void draw_tile(const drawing *job, int left, int top, int right, int bottom)
{
    const fil_stage *stage = job->stage;
    int samples = stage->picture->samples, first = samples < FIRST_SAMPLES ? samples : FIRST_SAMPLES;
    pixel tile[TILE * TILE];
    unsigned met = 0;
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
            pixel *self = &tile[(y - top) * TILE + x - left];
            uint32_t seed = fil_picture_hash((uint32_t)x, (uint32_t)y);
            *self = (pixel){.seed = seed,
                            .u = fil_picture_unit(seed),
                            .v = fil_picture_unit(fil_picture_hash(seed, 1)),
                            .least = {INFINITY, INFINITY, INFINITY}};
            met |= take_samples(stage, self, x, y, first);
        }
    bool calm = met == 1u << FIL_STRUCK_NOTHING || met == 1u << FIL_STRUCK_MESH;
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
            pixel *self = &tile[(y - top) * TILE + x - left];
            if (!calm || !samples_agree(self))
                take_samples(stage, self, x, y, samples);
            fil_stage_encode(fil_f3_scale(1 / (float)self->samples, self->sum),
                             fil_picture_unit(fil_picture_hash(self->seed, 2)),
                             job->pixels + 3 * ((size_t)y * (size_t)stage->view.width + (size_t)x));
        }
}

static void draw_tiles(void *data, int64_t begin, int64_t end)
{
    const drawing *job = data;
    int width = job->stage->view.width, across = (width + TILE - 1) / TILE;
    for (int64_t tile = begin; tile < end; ++tile) {
        int left = (int)(tile % across) * TILE, top = job->top + (int)(tile / across) * TILE;
        int right = left + TILE < width ? left + TILE : width;
        draw_tile(job, left, top, right, top + TILE < job->bottom ? top + TILE : job->bottom);
    }
}

// In bands, so that the host hears of progress on its own thread.
static void draw_bands(const fil_context *context, drawing *job)
{
    const fil_picture *picture = job->stage->picture;
    int across = (picture->width + TILE - 1) / TILE, down = (picture->height + TILE - 1) / TILE;
    int rows = (down + BANDS - 1) / BANDS;
    for (int row = 0; row < down; row += rows) {
        if (picture->progress && !picture->progress(picture->user, (double)row / down))
            return;
        int end = row + rows < down ? row + rows : down;
        job->top = row * TILE;
        job->bottom = end * TILE < picture->height ? end * TILE : picture->height;
        fil_parallel_for(context, (int64_t)across * (end - row), 1, draw_tiles, job);
    }
    if (picture->progress)
        picture->progress(picture->user, 1);
}

fil_status fil_picture_render(fil_context *context, const fil_picture *picture, unsigned char *pixels)
{
    fil_status status = fil_picture_check(context, picture);
    if (status != FIL_OK)
        return status;
    fil_arena *arena = fil_arena_create(context);
    fil_stage *stage = arena ? FIL_ARENA_ARRAY(arena, fil_stage, 1) : NULL;
    if (!stage) {
        fil_arena_destroy(arena);
        return FIL_NO_MEMORY;
    }
    stage->picture = picture;
    status = set_stage(context, arena, stage);
    if (status == FIL_OK) {
        memset(pixels, 0, 3 * (size_t)picture->width * (size_t)picture->height);
        draw_bands(context, &(drawing){.stage = stage, .pixels = pixels});
    }
    fil_rays_destroy(stage->rays);
    fil_arena_destroy(arena);
    return status;
}
