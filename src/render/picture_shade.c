// Light on hair, meshes and ground.
//
// Four lights stand around the camera: a soft key light from the upper left, a fill light from the right, a rim light
// from behind, and the sky. Each comes through the hair before a point by exp(-depth) (picture_depth.c), where colours
// that a hair lets through go deeper: blond hair glows in the depth and black hair does not. A hair close by takes a
// part of the key light at once; that is a ray, and gives hairs their crispness.
//
// A hair scatters light as [Kajiya89] has it, sin(T, L), plus two highlights: one of the colour of the light, moved
// towards the root because scales on a hair are tilted, and a wider one of the colour of the hair that went through it
// and back, moved towards the tip [Marschner03]; and light that went straight through, seen against the light.
//
// Ground: the background, darkened where light is kept from it. So there is no horizon.
#include "render/picture_part.h"

static const float density = 0.62f; // of light that a layer of hair takes away, more or less with its colour

static fil_f3 grey(float value)
{
    return (fil_f3){value, value, value};
}

void fil_stage_light(fil_stage *stage)
{
    fil_f3 back = fil_f3_scale(-1, stage->view.forward), right = stage->view.right, up = stage->up;
    // The lights turn with the camera, but stay above: (right, up, towards the camera).
    static const float place[FIL_LIGHTS][3] = {{-0.62f, 0.80f, 0.62f}, {0.85f, 0.20f, 0.75f}, {0.55f, 0.75f, -0.85f}};
    static const fil_f3 colour[FIL_LIGHTS] = {
        {2.75f, 2.6f, 2.4f}, {0.50f, 0.55f, 0.64f}, {1.7f, 1.75f, 1.9f}, {0.55f, 0.6f, 0.7f}};
    static const float softness[FIL_LIGHTS] = {0.16f, 0.3f, 0.12f, 0.6f};
    for (int k = 0; k < FIL_LIGHTS; ++k) {
        fil_f3 toward = fil_f3_scale(place[k][0], right);
        toward = fil_f3_along(fil_f3_along(toward, place[k][1], up), place[k][2], back);
        stage->light[k].toward = k == FIL_LIGHT_SKY ? up : fil_f3_unit(toward, up);
        stage->light[k].colour = colour[k];
        stage->light[k].softness = softness[k];
    }
}

// A direction to somewhere on the light; `k` of `count` directions that cover it evenly, turned by the seed.
static fil_f3 toward_light(const fil_light *light, uint32_t seed, int k, int count)
{
    float turn = fil_picture_unit(seed), more = fil_picture_unit(fil_picture_hash(seed, 77));
    float r = light->softness * sqrtf(((float)k + more) / (float)count);
    float angle = 6.2831853f * (turn + 0.61803399f * (float)k);
    fil_f3 a = light->depth.axis[0], b = light->depth.axis[1];
    fil_f3 way = fil_f3_along(fil_f3_along(light->toward, r * cosf(angle), a), r * sinf(angle), b);
    return fil_f3_unit(way, light->toward);
}

// What comes through hair of this colour.
static fil_f3 through(float depth, fil_f3 colour)
{
    float k = -density * depth;
    return (fil_f3){expf(k * (1.25f - colour.x)), expf(k * (1.25f - colour.y)), expf(k * (1.25f - colour.z))};
}

// Highlight: light reflected into the cone around the tangent, which is tilted by `shift`.
static float highlight(fil_f3 tangent, fil_f3 normal, fil_f3 half, float shift, float exponent)
{
    fil_f3 tilted = fil_f3_unit(fil_f3_along(tangent, shift, normal), tangent);
    float along = fil_f3_dot(tilted, half);
    return powf(fmaxf(1 - along * along, 0), 0.5f * exponent);
}

// Light scattered by a hair from `toward` to `view`, both away from it.
static fil_f3 scatter(fil_f3 colour, fil_f3 tangent, fil_f3 toward, fil_f3 view)
{
    float tl = fil_f3_dot(tangent, toward), tv = fil_f3_dot(tangent, view);
    float sine = sqrtf(fmaxf(1 - tl * tl, 0));
    fil_f3 normal = fil_f3_unit(fil_f3_along(view, -tv, tangent), view); // of the side that is seen
    fil_f3 across = fil_f3_unit(fil_f3_along(toward, -tl, tangent), normal);
    float around = fil_f3_dot(normal, across); // 1: light from the side of the eye, -1: from behind
    fil_f3 half = fil_f3_unit(fil_f3_add(toward, view), normal);
    float white = highlight(tangent, normal, half, -0.07f, 90) * (0.55f + 0.45f * around);
    float tinted = highlight(tangent, normal, half, 0.12f, 22) * (0.5f + 0.5f * around);
    float behind = around < 0 ? around * around : 0;
    fil_f3 bright = {sqrtf(colour.x), sqrtf(colour.y), sqrtf(colour.z)};
    fil_f3 sum = fil_f3_scale(0.34f * sine * (0.75f + 0.25f * around), colour);
    sum = fil_f3_add(sum, grey(0.10f * white));
    sum = fil_f3_along(sum, 0.42f * tinted + 0.35f * behind * behind * sine, fil_f3_times(bright, colour));
    return sum;
}

// The tangent of a Catmull-Rom cubic.
static fil_f3 tangent_at(const float (*p)[4], float u)
{
    float a = -1.5f * u * u + 2 * u - 0.5f, b = 4.5f * u * u - 5 * u, c = -4.5f * u * u + 4 * u + 0.5f,
          d = 1.5f * u * u - u, way[3];
    for (int k = 0; k < 3; ++k)
        way[k] = a * p[0][k] + b * p[1][k] + c * p[2][k] + d * p[3][k];
    return fil_f3_unit((fil_f3){way[0], way[1], way[2]}, (fil_f3){0, 1, 0});
}

static fil_f3 shade_hair(const fil_stage *stage, const fil_hit *hit, fil_f3 at, fil_f3 view, uint32_t seed)
{
    const fil_drawn *drawn = &stage->drawn;
    const struct fil_drawn_hair *hair = &drawn->hair[drawn->hair_of[hit->segment]];
    unsigned point = drawn->segment[hit->segment];
    fil_f3 tangent = tangent_at((const float(*)[4])(drawn->point + point), hit->u);
    const fil_f3 *guide = drawn->colour + hair->guide + (point - hair->first);
    fil_f3 colour = fil_f3_scale(hair->tone, fil_f3_mix(guide[0], guide[1], hit->u));
    float radius = drawn->point[point + 1][3], near = 2e-3f * stage->size;

    fil_f3 sum = {0, 0, 0};
    for (int k = 0; k < FIL_LIGHT_SKY; ++k) {
        const fil_light *light = &stage->light[k];
        fil_f3 part = through(fil_depth_at(&light->depth, at), colour);
        if (part.x < 0.004f && part.y < 0.004f && part.z < 0.004f)
            continue;
        fil_f3 way = toward_light(light, fil_picture_hash(seed, (uint32_t)k), 0, 1);
        if (k != FIL_LIGHT_FILL && stage->picture->mesh_count > 0 && fil_rays_mesh_between(stage->rays, at, way, near))
            continue;
        if (k == FIL_LIGHT_KEY && fil_rays_hair_between(stage->rays, at, way, 3 * radius, 30 * radius))
            part = fil_f3_scale(0.45f, part);
        fil_f3 scattered = fil_f3_times(scatter(colour, tangent, light->toward, view), light->colour);
        sum = fil_f3_add(sum, fil_f3_times(part, scattered));
    }
    // The sky is everywhere above; half of it comes in from the side that is seen.
    const fil_light *sky = &stage->light[FIL_LIGHT_SKY];
    float deep = fminf(fil_depth_at(&sky->depth, at), 2 * fil_depth_at(&stage->light[FIL_LIGHT_FILL].depth, at) + 0.5f);
    fil_f3 ambient = fil_f3_times(fil_f3_times(through(deep, colour), sky->colour), colour);
    return fil_f3_along(sum, 0.42f, ambient);
}

// The smooth normal at a point of a mesh, on the side that is seen.
static fil_f3 mesh_normal(const fil_stage *stage, const fil_hit *hit, fil_f3 view)
{
    const fil_f3 *corner = stage->corner[hit->mesh] + 3 * (size_t)hit->segment;
    fil_f3 sum = fil_f3_scale(1 - hit->u - hit->v, corner[0]);
    sum = fil_f3_along(fil_f3_along(sum, hit->u, corner[1]), hit->v, corner[2]);
    fil_f3 normal = fil_f3_unit(sum, view);
    // Embree's normal tells the side; the smooth one may look away a little at the rim.
    return fil_f3_dot(hit->normal, view) * fil_f3_dot(hit->normal, normal) < 0 ? fil_f3_scale(-1, normal) : normal;
}

static fil_f3 shade_mesh(const fil_stage *stage, const fil_hit *hit, fil_f3 at, fil_f3 view, uint32_t seed)
{
    enum { RAYS = 2 };
    const float *c = stage->picture->meshes[hit->mesh].colour;
    fil_f3 colour = {c[0], c[1], c[2]}, sum = {0, 0, 0};
    fil_f3 normal = mesh_normal(stage, hit, view);
    for (int k = 0; k < FIL_LIGHTS; ++k) {
        const fil_light *light = &stage->light[k];
        float depth = density * fil_depth_at(&light->depth, at), lit = 0;
        if (k == FIL_LIGHT_SKY) {
            lit = 0.56f + 0.44f * fil_f3_dot(normal, stage->up); // a little comes back from below
        } else {
            for (int i = 0; i < RAYS; ++i) {
                fil_f3 way = toward_light(light, fil_picture_hash(seed, (uint32_t)k), i, RAYS);
                float facing = fil_f3_dot(normal, way);
                if (facing > 0 && !fil_rays_mesh_between(stage->rays, at, way, 1e-4f * stage->size))
                    lit += 0.42f * facing / RAYS;
            }
        }
        sum = fil_f3_along(sum, lit * expf(-depth), light->colour);
    }
    return fil_f3_times(colour, sum);
}

// A soft gradient, brightest behind the lower middle of the picture.
static fil_f3 background(const fil_stage *stage, float x, float y)
{
    float u = x / (float)stage->view.width - 0.5f, v = y / (float)stage->view.height - 0.6f;
    float away = u * u + 0.9f * v * v;
    fil_f3 middle = {0.50f, 0.52f, 0.55f}, corner = {0.13f, 0.145f, 0.17f};
    return fil_f3_mix(middle, corner, fminf(1.9f * away, 1));
}

// Whether the way to every place on the light is clear of the ball around everything.
static bool is_clear(const fil_stage *stage, const fil_light *light, fil_f3 at)
{
    fil_f3 way = fil_f3_sub(stage->centre, at);
    float along = fil_f3_dot(way, light->toward), square = fil_f3_dot(way, way) - along * along;
    float reach = 0.5f * stage->size + light->softness * (fabsf(along) + stage->size);
    return square > reach * reach;
}

// How much of a light reaches a point of the ground. The grid looks along the middle of the light: a ray to another
// place on it passes the hair, which is `height` away, further aside.
static float comes_from(const fil_stage *stage, const fil_light *light, fil_f3 at, float height, uint32_t seed)
{
    enum { ENOUGH = 8, MOST = 5 }; // rays of a pixel; of a sample
    if (is_clear(stage, light, at))
        return 1;
    int share = ENOUGH / stage->picture->samples, rays = share < 1 ? 1 : share < MOST ? share : MOST;
    float sum = 0;
    for (int i = 0; i < rays; ++i) {
        fil_f3 way = toward_light(light, seed, i, rays);
        if (stage->picture->mesh_count > 0 && fil_rays_mesh_between(stage->rays, at, way, 1e-4f * stage->size))
            continue;
        fil_f3 aside = fil_f3_scale(height, fil_f3_sub(way, light->toward));
        sum += expf(-density * fil_depth_at(&light->depth, fil_f3_add(at, aside)));
    }
    return sum / (float)rays;
}

static float lit_ground(const fil_stage *stage, fil_f3 at, uint32_t seed)
{
    float key = comes_from(stage, &stage->light[FIL_LIGHT_KEY], at, 0.35f * stage->size, seed);
    float sky = comes_from(stage, &stage->light[FIL_LIGHT_SKY], at, 0.2f * stage->size, seed + 1);
    return 0.12f + 0.5f * key + 0.38f * sky;
}

static fil_f3 shade_behind(const fil_stage *stage, fil_f3 way, float x, float y, uint32_t seed)
{
    fil_f3 light = background(stage, x, y);
    float fall = fil_f3_dot(way, stage->up), height = fil_f3_dot(stage->view.eye, stage->up) - stage->ground;
    if (!stage->picture->ground || height <= 0 || fall >= -1e-4f)
        return light;
    float distance = height / -fall;
    if (distance > 100 * stage->size + 10 * height) // far away single precision has nothing to say
        return light;
    return fil_f3_scale(lit_ground(stage, fil_f3_along(stage->view.eye, distance, way), seed), light);
}

fil_f3 fil_stage_look(const fil_stage *stage, float x, float y, uint32_t seed, fil_struck *met)
{
    fil_f3 way = fil_view_ray(&stage->view, x, y), back = fil_f3_scale(-1, way);
    fil_hit hit = fil_rays_first(stage->rays, stage->view.eye, way);
    *met = hit.kind;
    if (hit.kind == FIL_STRUCK_NOTHING)
        return shade_behind(stage, way, x, y, seed);
    fil_f3 at = fil_f3_along(stage->view.eye, hit.distance, way);
    return hit.kind == FIL_STRUCK_HAIR ? shade_hair(stage, &hit, at, back, seed)
                                       : shade_mesh(stage, &hit, at, back, seed);
}

// Film: a straight part, then a shoulder that never quite reaches white. x (x + a) / (x (x + b) + c), steep enough to
// keep blacks black.
static float film(float x)
{
    return x * (x + 0.06f) / (x * (0.93f * x + 0.50f) + 0.12f);
}

void fil_stage_encode(fil_f3 light, float dither, unsigned char pixel[3])
{
    const float *in = &light.x;
    for (int k = 0; k < 3; ++k) {
        float x = film(in[k] > 0 ? in[k] : 0);
        x = x < 1 ? x : 1;
        float coded = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
        pixel[k] = (unsigned char)fminf(255 * coded + dither, 255);
    }
}
