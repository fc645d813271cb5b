// From a film and its frames to pictures.
//
// What must not change from picture to picture is settled before the first is drawn, in two rounds over the frames:
// the box around everything, which gives the ground, and the scale of the colours; then the camera, whose direction
// depends on the box (picture_camera.c).
//
// Copies of a strand are scattered around it in a disc that must be turned with the root, or they would jump from frame
// to frame. The direction chosen in frame 0 goes with the path of the root, and then by the least rotation to where the
// strand points: clamped roots turn rigidly, all others without a jump unless they are turned right round.
#include "render/shoot.h"

#include "base/arena.h"
#include "math/quat.h"
#include "render/legend.h"
#include "render/palette.h"
#include "render/picture_part.h"
#include "render/value.h"
#include "scene/body.h"

#include <stdio.h>
#include <string.h>

struct fil_shoot {
    fil_arena *arena;
    fil_shoot_def def;
    int group_count;
    int64_t vertex_total, strand_total;
    double time;                      // of the frame at hand
    float *position, *before;         // [3 vertices] of the frame at hand; of another one, for speeds
    float *stretch, *value;           // [vertices]
    double *place;                    // [3 vertices] positions as a picture takes them
    float *colour;                    // [3 vertices], or NULL: the looks
    float *normal;                    // [3 strands] at the roots
    fil_f3 *first_normal, *first_way; // [strands] in frame 0
    fil_picture_hair *hairs;
    fil_picture_mesh *meshes;
    double **corner; // [meshes][3 vertices] where they are now
    fil_picture picture;
    fil_picture_box box;
    double most; // of the scale
};

const char *fil_shoot_colour_name(fil_shoot_colour colour)
{
    static const char *const names[FIL_SHOOT_COLOURS] = {"look", "strand", "strain", "speed", "force"};
    return names[colour];
}

static bool by_value(const fil_shoot *self)
{
    return self->def.colour >= FIL_SHOOT_BY_STRAIN;
}

int64_t fil_shoot_hair_count(const fil_shoot *shoot)
{
    int64_t sum = 0;
    for (int g = 0; g < shoot->group_count; ++g)
        sum += (int64_t)shoot->hairs[g].strand_count * shoot->hairs[g].copies;
    return sum;
}

// Values

static void strain_and_force(fil_shoot *self)
{
    int64_t first = 0;
    for (int g = 0; g < self->group_count; first += self->def.groups[g++].vertex_total) {
        const fil_cache_group *group = &self->def.groups[g];
        if (self->def.colour == FIL_SHOOT_BY_STRAIN)
            fil_value_strain(group, self->position + 3 * first, self->stretch + first, self->value + first);
        else
            fil_value_force(group, self->stretch + first, self->value + first);
    }
}

// Between the frames before and after; at the ends of the film, between the frame and its only neighbour.
static fil_status speed(fil_context *context, fil_shoot *self, int frame)
{
    const fil_shoot_def *def = &self->def;
    int a = frame > 0 ? frame - 1 : 0, b = frame + 1 < def->frame_count ? frame + 1 : frame;
    double from, to;
    fil_status status = def->read(context, def->user, a, &from, self->before, NULL);
    // The frame at hand is overwritten and read once more.
    if (status == FIL_OK)
        status = def->read(context, def->user, b, &to, self->position, NULL);
    if (status == FIL_OK) {
        fil_value_speed(self->vertex_total, self->before, self->position, to - from, self->value);
        status = def->read(context, def->user, frame, &self->time, self->position, self->stretch);
    }
    return status;
}

// Reads a frame and, when strands are coloured by something, that.
static fil_status take_frame(fil_context *context, fil_shoot *self, int frame)
{
    const fil_shoot_def *def = &self->def;
    fil_status status = def->read(context, def->user, frame, &self->time, self->position, self->stretch);
    if (status == FIL_OK && def->colour == FIL_SHOOT_BY_SPEED)
        return speed(context, self, frame);
    if (status == FIL_OK && by_value(self))
        strain_and_force(self);
    return status;
}

static void set_colours(fil_shoot *self)
{
    for (int64_t i = 0; i < self->vertex_total; ++i) {
        double part = (double)self->value[i] / self->most;
        if (self->def.colour == FIL_SHOOT_BY_FORCE)
            fil_palette_sides(part, self->colour + 3 * i);
        else
            fil_palette_amount(part, self->colour + 3 * i);
    }
}

// The same in all frames.
static void colour_strands(fil_shoot *self)
{
    float *colour = self->colour;
    unsigned strand = 0;
    for (int g = 0; g < self->group_count; ++g)
        for (int s = 0; s < self->def.groups[g].strand_count; ++s, ++strand)
            for (int j = 0; j < self->def.groups[g].shape.vertex_count[s]; ++j, colour += 3)
                fil_palette_one_of_many(strand, colour);
}

// Poses

static fil_f3 turned(const double rotation[4], fil_f3 v)
{
    double from[3] = {(double)v.x, (double)v.y, (double)v.z}, to[3];
    fil_quat_rotate(rotation, from, to);
    return fil_f3_make(to);
}

// v carried by the least rotation from one unit vector to another.
static fil_f3 carried(fil_f3 v, fil_f3 from, fil_f3 to)
{
    fil_f3 axis = fil_f3_cross(from, to);
    double rotation[4] = {1 + (double)fil_f3_dot(from, to), (double)axis.x, (double)axis.y, (double)axis.z};
    if (!(fil_quat_norm(rotation) > 1e-4)) // right round: any way is as good
        return v;
    fil_quat_normalise(rotation);
    return turned(rotation, v);
}

static fil_f3 way_of_root(const float *p)
{
    return fil_f3_unit((fil_f3){p[3] - p[0], p[4] - p[1], p[5] - p[2]}, (fil_f3){0, -1, 0});
}

static void start_normals(fil_shoot *self)
{
    int64_t vertex = 0, strand = 0;
    for (int g = 0; g < self->group_count; ++g)
        for (int s = 0; s < self->def.groups[g].strand_count; ++s, ++strand) {
            fil_f3 way = self->first_way[strand] = way_of_root(self->position + 3 * vertex);
            fil_f3 a = fil_f3_across(way), b = fil_f3_cross(way, a);
            float angle = 6.2831853f * fil_picture_unit(fil_picture_hash((uint32_t)strand, 3));
            self->first_normal[strand] = fil_f3_along(fil_f3_scale(cosf(angle), a), sinf(angle), b);
            vertex += self->def.groups[g].shape.vertex_count[s];
        }
}

static void turn_normals(fil_shoot *self)
{
    int64_t vertex = 0, strand = 0;
    for (int g = 0; g < self->group_count; ++g) {
        fil_pose pose = fil_path_at(&self->def.film->scene.groups[g].root_path, self->time);
        for (int s = 0; s < self->def.groups[g].strand_count; ++s, ++strand) {
            fil_f3 way = turned(pose.rotation, self->first_way[strand]);
            fil_f3 normal = turned(pose.rotation, self->first_normal[strand]);
            normal = carried(normal, way, way_of_root(self->position + 3 * vertex));
            memcpy(self->normal + 3 * strand, &normal, sizeof normal);
            vertex += self->def.groups[g].shape.vertex_count[s];
        }
    }
}

static void pose_bodies(fil_shoot *self)
{
    for (int b = 0; b < self->picture.mesh_count; ++b)
        fil_body_at(&self->def.film->bodies[b], self->time, self->corner[b]);
}

// Everything but the camera and the colours, so that a picture can be measured.
static void set_scene(fil_shoot *self)
{
    for (int64_t i = 0; i < 3 * self->vertex_total; ++i)
        self->place[i] = (double)self->position[i];
    pose_bodies(self);
}

static void set_camera(fil_shoot *self)
{
    const fil_shot *shot = &self->def.film->shot;
    fil_picture_camera *camera = &self->picture.camera;
    if (shot->framed)
        return;
    memcpy(camera->eye, shot->eye, sizeof camera->eye);
    memcpy(camera->target, shot->target, sizeof camera->target);
    if (shot->eye_track.key_count > 0)
        fil_track_at(&shot->eye_track, 3, self->time, camera->eye);
    if (shot->target_track.key_count > 0)
        fil_track_at(&shot->target_track, 3, self->time, camera->target);
}

// Before the first picture

static void join(fil_picture_box *box, const fil_picture_box *other)
{
    for (int k = 0; k < 3; ++k) {
        box->low[k] = other->low[k] < box->low[k] ? other->low[k] : box->low[k];
        box->high[k] = other->high[k] > box->high[k] ? other->high[k] : box->high[k];
    }
}

// How much of the film is known: box and scale.
static fil_status measure(fil_context *context, fil_shoot *self)
{
    static const double least[FIL_SHOOT_COLOURS] = {
        [FIL_SHOOT_BY_STRAIN] = 1e-6, [FIL_SHOOT_BY_SPEED] = 1e-6, [FIL_SHOOT_BY_FORCE] = 1e-9};
    const fil_shoot_def *def = &self->def;
    fil_value_scale *scale = FIL_ARENA_ARRAY(self->arena, fil_value_scale, 1);
    fil_status status = scale ? FIL_OK : FIL_NO_MEMORY;
    for (int f = def->first; f <= def->last && status == FIL_OK; f += def->every) {
        status = take_frame(context, self, f);
        if (status != FIL_OK)
            break;
        set_scene(self);
        fil_picture_box box = fil_picture_bounds(&self->picture);
        if (f == def->first)
            self->box = box;
        else
            join(&self->box, &box);
        if (by_value(self))
            fil_value_scale_add(scale, self->value, self->vertex_total);
    }
    if (status == FIL_OK)
        self->most = fil_value_scale_end(scale, least[def->colour] > 0 ? least[def->colour] : 1);
    return status;
}

static fil_status find_camera(fil_context *context, fil_shoot *self)
{
    const fil_shoot_def *def = &self->def;
    fil_picture_aim aim = fil_picture_aim_at(&self->box, &self->picture);
    for (int f = def->first; f <= def->last; f += def->every) {
        fil_status status = def->read(context, def->user, f, &self->time, self->position, NULL);
        if (status != FIL_OK)
            return status;
        set_scene(self);
        fil_picture_aim_add(&aim, &self->picture);
    }
    fil_picture_aim_end(&aim, &self->picture.camera);
    return FIL_OK;
}

// The scale in a unit that gives short numbers.
static double unit_of(fil_shoot_colour colour, double most, const char **unit)
{
    static const struct {
        fil_shoot_colour colour;
        double from, factor;
        const char *name;
    } units[] = {{FIL_SHOOT_BY_STRAIN, 1e-4, 1e2, "%"}, {FIL_SHOOT_BY_STRAIN, 0, 1e6, "ppm"},
                 {FIL_SHOOT_BY_SPEED, 0.1, 1, "m/s"},   {FIL_SHOOT_BY_SPEED, 1e-4, 1e3, "mm/s"},
                 {FIL_SHOOT_BY_SPEED, 0, 1e6, "um/s"},  {FIL_SHOOT_BY_FORCE, 0.1, 1, "N"},
                 {FIL_SHOOT_BY_FORCE, 1e-4, 1e3, "mN"}, {FIL_SHOOT_BY_FORCE, 1e-7, 1e6, "uN"},
                 {FIL_SHOOT_BY_FORCE, 0, 1e9, "nN"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (units[i].colour == colour && most >= units[i].from) {
            *unit = units[i].name;
            return units[i].factor;
        }
    *unit = "";
    return 1;
}

static void both_sides(double part, float colour[3])
{
    fil_palette_sides(2 * part - 1, colour);
}

static void draw_legend(const fil_shoot *self, unsigned char *pixels)
{
    bool force = self->def.colour == FIL_SHOOT_BY_FORCE;
    const char *unit;
    double most = self->most * unit_of(self->def.colour, self->most, &unit);
    char title[64];
    if (force)
        snprintf(title, sizeof title, "axial force, %s: + tension", unit);
    else
        snprintf(title, sizeof title, "%s, %s", fil_shoot_colour_name(self->def.colour), unit);
    fil_legend legend = {
        .title = title, .low = force ? -most : 0, .high = most, .colour = force ? both_sides : fil_palette_amount};
    fil_legend_draw(&legend, self->picture.width, self->picture.height, pixels);
}

// Memory

static fil_status allocate(fil_shoot *self)
{
    fil_arena *arena = self->arena;
    const fil_film *film = self->def.film;
    self->position = FIL_ARENA_ARRAY(arena, float, 3 * self->vertex_total);
    self->before = FIL_ARENA_ARRAY(arena, float, self->def.colour == FIL_SHOOT_BY_SPEED ? 3 * self->vertex_total : 1);
    self->stretch = FIL_ARENA_ARRAY(arena, float, self->vertex_total);
    self->value = FIL_ARENA_ARRAY(arena, float, self->vertex_total);
    self->place = FIL_ARENA_ARRAY(arena, double, 3 * self->vertex_total);
    self->normal = FIL_ARENA_ARRAY(arena, float, 3 * self->strand_total);
    self->first_normal = FIL_ARENA_ARRAY(arena, fil_f3, self->strand_total);
    self->first_way = FIL_ARENA_ARRAY(arena, fil_f3, self->strand_total);
    self->hairs = FIL_ARENA_ARRAY(arena, fil_picture_hair, self->group_count);
    self->meshes = FIL_ARENA_ARRAY(arena, fil_picture_mesh, film->body_count);
    self->corner = FIL_ARENA_ARRAY(arena, double *, film->body_count);
    bool good = self->position && self->before && self->stretch && self->value && self->place && self->normal &&
                self->first_normal && self->first_way && self->hairs && self->meshes && self->corner;
    for (int b = 0; b < film->body_count && good; ++b) {
        self->corner[b] = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)film->bodies[b].mesh->vertex_count);
        good = self->corner[b] != NULL;
    }
    if (good && self->def.colour != FIL_SHOOT_BY_LOOK) {
        self->colour = FIL_ARENA_ARRAY(arena, float, 3 * self->vertex_total);
        good = self->colour != NULL;
    }
    return good ? FIL_OK : FIL_NO_MEMORY;
}

static void set_hairs(fil_shoot *self)
{
    int64_t vertex = 0, strand = 0;
    for (int g = 0; g < self->group_count; ++g) {
        const fil_cache_group *group = &self->def.groups[g];
        const fil_look *look = &self->def.film->looks[g];
        fil_picture_hair *hair = &self->hairs[g];
        *hair = (fil_picture_hair){.strand_count = group->strand_count,
                                   .vertex_count = group->shape.vertex_count,
                                   .position = self->place + 3 * vertex,
                                   .radius = look->thickness > 0 ? NULL : group->shape.radius,
                                   .thickness = look->thickness,
                                   .colour = self->colour ? self->colour + 3 * vertex : NULL,
                                   .copies = look->hairs,
                                   .spread = look->spread,
                                   .normal = self->normal + 3 * strand};
        for (int k = 0; k < 3; ++k)
            hair->tint[k] = (float)look->colour[k];
        vertex += group->vertex_total;
        strand += group->strand_count;
    }
}

static void set_picture(fil_shoot *self)
{
    const fil_film *film = self->def.film;
    const fil_shot *shot = &film->shot;
    fil_picture *picture = &self->picture;
    *picture = fil_picture_default();
    picture->width = shot->width;
    picture->height = shot->height;
    picture->samples = shot->samples;
    picture->ground = shot->ground != 0;
    picture->camera.angle = shot->angle;
    picture->space = &self->box;
    picture->hairs = self->hairs;
    picture->hair_count = self->group_count;
    picture->meshes = self->meshes;
    picture->mesh_count = film->body_count;
    picture->progress = self->def.progress;
    picture->user = self->def.user;
    // Up is where things do not fall to.
    double gravity[3], square = 0;
    memcpy(gravity, film->scene.gravity, sizeof gravity);
    if (film->scene.gravity_track.key_count > 0)
        fil_track_at(&film->scene.gravity_track, 3, 0, gravity);
    for (int k = 0; k < 3; ++k)
        square += gravity[k] * gravity[k];
    for (int k = 0; k < 3 && square > 1e-12; ++k)
        picture->up[k] = -gravity[k] / sqrt(square);
    memcpy(picture->camera.up, picture->up, sizeof picture->up);
    for (int b = 0; b < film->body_count; ++b) {
        const fil_body *body = &film->bodies[b];
        self->meshes[b] = (fil_picture_mesh){.vertex_count = body->mesh->vertex_count,
                                             .triangle_count = body->mesh->triangle_count,
                                             .position = self->corner[b],
                                             .triangle = body->mesh->triangle};
        for (int k = 0; k < 3; ++k)
            self->meshes[b].colour[k] = (float)body->colour[k];
    }
}

// What is settled before the first picture.
static fil_status prepare(fil_context *context, fil_shoot *self)
{
    fil_status status = allocate(self);
    if (status != FIL_OK)
        return status;
    set_hairs(self);
    set_picture(self);
    if (self->def.colour == FIL_SHOOT_BY_STRAND)
        colour_strands(self);
    status = self->def.read(context, self->def.user, 0, &self->time, self->position, NULL);
    if (status != FIL_OK)
        return status;
    start_normals(self);
    status = measure(context, self);
    return status == FIL_OK && self->def.film->shot.framed ? find_camera(context, self) : status;
}

fil_status fil_shoot_create(fil_context *context, const fil_shoot_def *def, fil_shoot **out)
{
    *out = NULL;
    FIL_ASSERT(def->first >= 0 && def->first <= def->last && def->last < def->frame_count && def->every > 0);
    fil_arena *arena = fil_arena_create(context);
    fil_shoot *self = arena ? FIL_ARENA_ARRAY(arena, fil_shoot, 1) : NULL;
    if (!self) {
        fil_arena_destroy(arena);
        return FIL_NO_MEMORY;
    }
    self->arena = arena;
    self->def = *def;
    self->group_count = def->film->scene.group_count;
    for (int g = 0; g < self->group_count; ++g) {
        self->vertex_total += def->groups[g].vertex_total;
        self->strand_total += def->groups[g].strand_count;
    }
    fil_status status = prepare(context, self);
    if (status == FIL_OK)
        *out = self;
    else
        fil_shoot_destroy(self);
    return status;
}

void fil_shoot_destroy(fil_shoot *shoot)
{
    if (shoot)
        fil_arena_destroy(shoot->arena);
}

fil_status fil_shoot_draw(fil_context *context, fil_shoot *shoot, int frame, unsigned char *pixels)
{
    fil_status status = take_frame(context, shoot, frame);
    if (status != FIL_OK)
        return status;
    set_scene(shoot);
    turn_normals(shoot);
    set_camera(shoot);
    if (by_value(shoot))
        set_colours(shoot);
    status = fil_picture_render(context, &shoot->picture, pixels);
    if (status == FIL_OK && by_value(shoot))
        draw_legend(shoot, pixels);
    return status;
}
