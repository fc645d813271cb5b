// What the files of a picture share: small vectors, hairs as they are drawn, light, rays. See picture.c.
#ifndef FIL_RENDER_PICTURE_PART_H
#define FIL_RENDER_PICTURE_PART_H

#include "base/arena.h"
#include "render/picture.h"

#include <math.h>
#include <stdint.h>

// Vectors: single precision is what the rays are traced in.

static inline fil_f3 fil_f3_make(const double v[3])
{
    return (fil_f3){(float)v[0], (float)v[1], (float)v[2]};
}

static inline fil_f3 fil_f3_add(fil_f3 a, fil_f3 b)
{
    return (fil_f3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline fil_f3 fil_f3_sub(fil_f3 a, fil_f3 b)
{
    return (fil_f3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline fil_f3 fil_f3_scale(float s, fil_f3 a)
{
    return (fil_f3){s * a.x, s * a.y, s * a.z};
}

static inline fil_f3 fil_f3_times(fil_f3 a, fil_f3 b)
{
    return (fil_f3){a.x * b.x, a.y * b.y, a.z * b.z};
}

// a + s b
static inline fil_f3 fil_f3_along(fil_f3 a, float s, fil_f3 b)
{
    return (fil_f3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float fil_f3_dot(fil_f3 a, fil_f3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline fil_f3 fil_f3_cross(fil_f3 a, fil_f3 b)
{
    return (fil_f3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline fil_f3 fil_f3_mix(fil_f3 a, fil_f3 b, float t)
{
    return fil_f3_along(a, t, fil_f3_sub(b, a));
}

// Of unit length; `instead` when there is no direction.
static inline fil_f3 fil_f3_unit(fil_f3 a, fil_f3 instead)
{
    float length = sqrtf(fil_f3_dot(a, a));
    return length > 1e-20f ? fil_f3_scale(1 / length, a) : instead;
}

// A unit vector perpendicular to the unit vector a.
static inline fil_f3 fil_f3_across(fil_f3 a)
{
    fil_f3 axis = fabsf(a.x) < 0.6f ? (fil_f3){1, 0, 0} : (fil_f3){0, 1, 0};
    return fil_f3_unit(fil_f3_along(axis, -fil_f3_dot(axis, a), a), (fil_f3){0, 0, 1});
}

// Random numbers by name instead of by order: the same on any number of threads.
static inline uint32_t fil_picture_hash(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ x >> 31) >> 16);
}

// In [0, 1).
static inline float fil_picture_unit(uint32_t hash)
{
    return (float)(hash >> 8) * (1.0f / 16777216);
}

// What is drawn.

// Hairs as the rays see them; all copies of all strands, one after another.
typedef struct fil_drawn {
    fil_picture_box box;
    int64_t point_count, segment_count, hair_count, guide_count;
    float (*point)[4];     // [points + 1] x, y, z, radius for the rays; a cubic each four, its middle is drawn
    unsigned int *segment; // [segments] first point of each
    unsigned int *hair_of; // [segments]
    struct fil_drawn_hair {
        unsigned int first; // point: count + 2 of them, the first and the last only give a slope
        unsigned int guide; // where the guide of the strand begins
        int count;
        float tone; // brightness, varies from hair to hair
        float thin; // radius for the rays / radius for the light
    } * hair;
    fil_f3 *colour; // [guide points]
} fil_drawn;

// Checks everything that a caller may have got wrong.
fil_status fil_picture_check(fil_context *context, const fil_picture *picture);
// `least`: no hair is drawn thinner (m), or pixels would miss it and flicker.
fil_status fil_picture_grow(fil_context *context, fil_arena *arena, const fil_picture *picture, double least,
                            fil_drawn *out);

// The normals at the corners of its triangles, 3 each, of unit length.
fil_status fil_picture_mesh_normals(fil_arena *arena, const fil_picture_mesh *mesh, fil_f3 **out);

// A camera ready to make rays.
typedef struct fil_view {
    fil_f3 eye, right, up, forward;
    float tangent, aspect;
    int width, height;
} fil_view;
fil_view fil_view_make(const fil_picture *picture);
fil_f3 fil_view_ray(const fil_view *view, float x, float y); // in pixels from the top left; of unit length

// How much hair lies between a point and a light: the optical depth on a grid that looks along the light.
typedef struct fil_depth {
    fil_f3 axis[3]; // axis[2] is the way of the light
    float low[3];   // along the axes
    float cell;
    int count[3];
    float *value;
} fil_depth;
// `cells`: how many, about.
fil_status fil_depth_prepare(fil_arena *arena, const fil_drawn *drawn, fil_f3 toward, double cells, fil_depth *out);
// Adds all hairs; `spare` holds as many cells.
void fil_depth_fill(fil_depth *depth, const fil_drawn *drawn, float *spare);
int64_t fil_depth_cells(const fil_depth *depth);
float fil_depth_at(const fil_depth *depth, fil_f3 point);

// Rays.
typedef struct fil_rays fil_rays;
typedef enum fil_struck { FIL_STRUCK_NOTHING, FIL_STRUCK_HAIR, FIL_STRUCK_MESH } fil_struck;
typedef struct fil_hit {
    fil_struck kind;
    int mesh;
    unsigned int segment; // or triangle
    float distance, u, v;
    fil_f3 normal; // meshes: of the triangle, not of unit length
} fil_hit;
// Embree keeps its own memory; what it is given comes from the arena. The arena must live as long as the rays.
fil_status fil_rays_create(fil_context *context, fil_arena *arena, const fil_picture *picture, const fil_drawn *drawn,
                           fil_rays **out);
void fil_rays_destroy(fil_rays *rays); // NULL is fine
fil_hit fil_rays_first(const fil_rays *rays, fil_f3 origin, fil_f3 way);
bool fil_rays_mesh_between(const fil_rays *rays, fil_f3 origin, fil_f3 way, float from);
bool fil_rays_hair_between(const fil_rays *rays, fil_f3 origin, fil_f3 way, float from, float to);

// Light.
enum { FIL_LIGHT_KEY, FIL_LIGHT_FILL, FIL_LIGHT_RIM, FIL_LIGHT_SKY, FIL_LIGHTS };
typedef struct fil_light {
    fil_f3 toward, colour;
    float softness; // tangent of half the angle it fills
    fil_depth depth;
} fil_light;

typedef struct fil_stage {
    const fil_picture *picture;
    fil_view view;
    fil_drawn drawn;
    fil_rays *rays;
    fil_f3 **corner; // [meshes][3 triangles] normals
    fil_light light[FIL_LIGHTS];
    fil_f3 up, centre;
    float ground; // height along up
    float size;   // diagonal of everything
} fil_stage;
void fil_stage_light(fil_stage *stage);
// Linear light that reaches the eye through pixel position (x, y), and where it comes from; `seed` names the sample.
fil_f3 fil_stage_look(const fil_stage *stage, float x, float y, uint32_t seed, fil_struck *met);
// Tone curve and sRGB. `dither` in [0, 1) rounds up more or less, so that soft gradients do not show bands.
void fil_stage_encode(fil_f3 light, float dither, unsigned char pixel[3]);

#endif
