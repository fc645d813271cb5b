// The camera of a picture: rays through pixels, and a place from which everything is seen.
//
// The frame looks from 12 degrees above, and turned towards the broader side of what there is: something flat is seen
// from the front, something as deep as wide from 30 degrees aside. From that direction the nearest place is exact. With
// coordinates (x, y, z) in the axes of the camera, z towards the eye, a point is in the picture of an eye at (a, b, c)
// when |x - a| <= (c - z) t, t the tangent of half the angle of view: so c t + a >= max(z t + x) and
// c t - a >= max(z t - x), and the same upwards. Four maxima over all points give a, b and c.
#include "render/picture_part.h"

static const double air = 1.1, from_above = 12;
static const float part_turned = 2.0f / 3;

static int64_t vertices_of(const fil_picture_hair *hair)
{
    int64_t count = 0;
    for (int s = 0; s < hair->strand_count; ++s)
        count += hair->vertex_count[s] > 0 ? hair->vertex_count[s] : 0;
    return count;
}

// How far hairs scatter from their strand.
static double margin_of(const fil_picture_hair *hair)
{
    return hair->copies > 1 && isfinite(hair->spread) ? hair->spread : 0;
}

static void widen(fil_picture_box *box, const double *position, int64_t count, double margin)
{
    for (int64_t i = 0; i < 3 * count; ++i) {
        if (position[i] - margin < box->low[i % 3])
            box->low[i % 3] = position[i] - margin;
        if (position[i] + margin > box->high[i % 3])
            box->high[i % 3] = position[i] + margin;
    }
}

fil_picture_box fil_picture_bounds(const fil_picture *picture)
{
    fil_picture_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int h = 0; h < picture->hair_count; ++h)
        widen(&box, picture->hairs[h].position, vertices_of(&picture->hairs[h]), margin_of(&picture->hairs[h]));
    for (int m = 0; m < picture->mesh_count; ++m)
        widen(&box, picture->meshes[m].position, picture->meshes[m].vertex_count, 0);
    return box;
}

static fil_f3 up_of(const double up[3])
{
    return fil_f3_unit(fil_f3_make(up), (fil_f3){0, 1, 0});
}

static fil_f3 centre_of(const fil_picture_box *box, fil_f3 *extent)
{
    double centre[3], size[3];
    for (int k = 0; k < 3; ++k) {
        bool some = box->low[k] <= box->high[k] && isfinite(box->low[k]) && isfinite(box->high[k]);
        centre[k] = some ? 0.5 * (box->low[k] + box->high[k]) : 0;
        size[k] = some ? box->high[k] - box->low[k] : 1;
    }
    *extent = fil_f3_make(size);
    return fil_f3_make(centre);
}

// How far a box of this size reaches along a unit vector.
static float along_box(fil_f3 extent, fil_f3 way)
{
    return fabsf(extent.x * way.x) + fabsf(extent.y * way.y) + fabsf(extent.z * way.z);
}

fil_picture_aim fil_picture_aim_at(const fil_picture_box *box, const fil_picture *picture)
{
    fil_f3 up = up_of(picture->up), extent, centre = centre_of(box, &extent);
    fil_f3 x = fabsf(up.x) < 0.9f ? (fil_f3){1, 0, 0} : (fil_f3){0, 1, 0};
    fil_f3 side = fil_f3_unit(fil_f3_along(x, -fil_f3_dot(x, up), up), x), front = fil_f3_cross(side, up);
    float above = (float)(from_above * M_PI / 180);
    float around = part_turned * atan2f(along_box(extent, front), along_box(extent, side));
    fil_f3 level = fil_f3_along(fil_f3_scale(cosf(around), front), sinf(around), side);
    fil_picture_aim aim = {.back = fil_f3_along(fil_f3_scale(cosf(above), level), sinf(above), up), .up = up};
    aim.right = fil_f3_unit(fil_f3_cross(up, aim.back), side);
    aim.top = fil_f3_cross(aim.back, aim.right);
    aim.centre = centre;
    aim.angle = picture->camera.angle;
    double tangent = tan(0.5 * aim.angle * M_PI / 180) / air;
    double aspect = picture->width > 0 && picture->height > 0 ? (double)picture->width / picture->height : 1;
    aim.tangent[0] = (float)(tangent * aspect);
    aim.tangent[1] = (float)tangent;
    for (int k = 0; k < 4; ++k)
        aim.reach[k] = -INFINITY;
    aim.nearest = -INFINITY;
    return aim;
}

static void aim_at_points(fil_picture_aim *aim, const double *position, int64_t count, float margin)
{
    for (int64_t i = 0; i < count; ++i, position += 3) {
        fil_f3 p = fil_f3_sub(fil_f3_make(position), aim->centre);
        float across[2] = {fil_f3_dot(p, aim->right), fil_f3_dot(p, aim->top)}, z = fil_f3_dot(p, aim->back) + margin;
        for (int k = 0; k < 2; ++k) {
            float deep = z * aim->tangent[k] + margin;
            aim->reach[2 * k] = fmaxf(aim->reach[2 * k], deep + across[k]);
            aim->reach[2 * k + 1] = fmaxf(aim->reach[2 * k + 1], deep - across[k]);
        }
        aim->nearest = fmaxf(aim->nearest, z);
    }
}

void fil_picture_aim_add(fil_picture_aim *aim, const fil_picture *picture)
{
    for (int h = 0; h < picture->hair_count; ++h) {
        const fil_picture_hair *hair = &picture->hairs[h];
        aim_at_points(aim, hair->position, vertices_of(hair), (float)margin_of(hair));
    }
    for (int m = 0; m < picture->mesh_count; ++m)
        aim_at_points(aim, picture->meshes[m].position, picture->meshes[m].vertex_count, 0);
}

void fil_picture_aim_end(const fil_picture_aim *aim, fil_picture_camera *camera)
{
    const float *reach = aim->reach;
    float aside = 0.5f * (reach[0] - reach[1]), higher = 0.5f * (reach[2] - reach[3]);
    float wide = 0.5f * (reach[0] + reach[1]) / aim->tangent[0], high = 0.5f * (reach[2] + reach[3]) / aim->tangent[1];
    float distance = fmaxf(wide, high);
    if (!(distance > aim->nearest + 1e-6f) || !isfinite(distance)) { // a single point, or no number
        distance = isfinite(aim->nearest) ? aim->nearest + 1 : 1;
        aside = isfinite(aside) ? aside : 0;
        higher = isfinite(higher) ? higher : 0;
    }
    fil_f3 target = fil_f3_along(fil_f3_along(aim->centre, aside, aim->right), higher, aim->top);
    for (int k = 0; k < 3; ++k) {
        camera->target[k] = (double)(&target.x)[k];
        camera->eye[k] = camera->target[k] + (double)distance * (double)(&aim->back.x)[k];
        camera->up[k] = (double)(&aim->up.x)[k];
    }
    camera->angle = aim->angle;
}

void fil_picture_frame(fil_picture *picture)
{
    fil_picture_box box = fil_picture_bounds(picture);
    fil_picture_aim aim = fil_picture_aim_at(&box, picture);
    fil_picture_aim_add(&aim, picture);
    fil_picture_aim_end(&aim, &picture->camera);
}

fil_view fil_view_make(const fil_picture *picture)
{
    const fil_picture_camera *camera = &picture->camera;
    double way[3] = {camera->target[0] - camera->eye[0], camera->target[1] - camera->eye[1],
                     camera->target[2] - camera->eye[2]};
    fil_view view = {.eye = fil_f3_make(camera->eye), .width = picture->width, .height = picture->height};
    view.forward = fil_f3_unit(fil_f3_make(way), (fil_f3){0, 0, -1});
    fil_f3 side = fil_f3_cross(view.forward, up_of(camera->up));
    view.right = fil_f3_unit(side, fil_f3_across(view.forward)); // straight down there is no side: any will do
    view.up = fil_f3_cross(view.right, view.forward);
    view.tangent = (float)tan(0.5 * camera->angle * M_PI / 180);
    view.aspect = (float)picture->width / (float)picture->height;
    return view;
}

fil_f3 fil_view_ray(const fil_view *view, float x, float y)
{
    float across = (2 * x / (float)view->width - 1) * view->tangent * view->aspect;
    float upward = (1 - 2 * y / (float)view->height) * view->tangent;
    fil_f3 way = fil_f3_along(fil_f3_along(view->forward, across, view->right), upward, view->up);
    return fil_f3_unit(way, view->forward);
}
