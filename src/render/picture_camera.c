// The camera of a picture: rays through pixels, and a place from which everything is seen.
//
// The frame looks from the front, 12 degrees from above. Its distance is the least one at which all eight corners of
// the bounding box fall inside the picture with some air around: for a corner with coordinates (x, y, z) in the axes of
// the camera, z towards the eye, the distance is z + max(|x| / aspect, |y|) / tan(angle / 2).
#include "render/picture_part.h"

static const double air = 1.04, frame_angle = 30, from_above = 12;

fil_picture_box fil_picture_bounds(const fil_picture *picture)
{
    fil_picture_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int part = 0; part < picture->hair_count + picture->mesh_count; ++part) {
        const double *position;
        int64_t count = 0;
        double margin = 0;
        if (part < picture->hair_count) {
            const fil_picture_hair *hair = &picture->hairs[part];
            position = hair->position;
            for (int s = 0; s < hair->strand_count; ++s)
                count += hair->vertex_count[s] > 0 ? hair->vertex_count[s] : 0;
            margin = hair->copies > 1 && isfinite(hair->spread) ? hair->spread : 0;
        } else {
            position = picture->meshes[part - picture->hair_count].position;
            count = picture->meshes[part - picture->hair_count].vertex_count;
        }
        for (int64_t i = 0; i < 3 * count; ++i) {
            if (position[i] - margin < box.low[i % 3])
                box.low[i % 3] = position[i] - margin;
            if (position[i] + margin > box.high[i % 3])
                box.high[i % 3] = position[i] + margin;
        }
    }
    return box;
}

static fil_f3 up_of(const double up[3])
{
    return fil_f3_unit(fil_f3_make(up), (fil_f3){0, 1, 0});
}

void fil_picture_frame(fil_picture *picture)
{
    fil_f3 up = up_of(picture->up);
    fil_f3 x = fabsf(up.x) < 0.9f ? (fil_f3){1, 0, 0} : (fil_f3){0, 1, 0};
    fil_f3 right = fil_f3_unit(fil_f3_along(x, -fil_f3_dot(x, up), up), x), front = fil_f3_cross(right, up);
    float above = (float)(from_above * M_PI / 180);
    fil_f3 back = fil_f3_add(fil_f3_scale(cosf(above), front), fil_f3_scale(sinf(above), up));
    fil_f3 top = fil_f3_cross(back, right);

    fil_picture_box box = fil_picture_bounds(picture);
    double centre[3], half[3];
    for (int k = 0; k < 3; ++k) {
        bool some = box.low[k] <= box.high[k] && isfinite(box.low[k]) && isfinite(box.high[k]);
        centre[k] = some ? 0.5 * (box.low[k] + box.high[k]) : 0;
        half[k] = some ? 0.5 * (box.high[k] - box.low[k]) : 1;
    }
    double tangent = tan(0.5 * frame_angle * M_PI / 180), distance = 0;
    double aspect = picture->width > 0 && picture->height > 0 ? (double)picture->width / picture->height : 1;
    for (int corner = 0; corner < 8; ++corner) {
        fil_f3 p = {(float)(corner & 1 ? half[0] : -half[0]), (float)(corner & 2 ? half[1] : -half[1]),
                    (float)(corner & 4 ? half[2] : -half[2])};
        double wide = fabs((double)fil_f3_dot(p, right)) / aspect, high = fabs((double)fil_f3_dot(p, top));
        double needed = (double)fil_f3_dot(p, back) + air * (wide > high ? wide : high) / tangent;
        if (needed > distance)
            distance = needed;
    }
    if (!(distance > 1e-6)) // a single point
        distance = 1;
    const float *away = &back.x;
    picture->camera.angle = frame_angle;
    for (int k = 0; k < 3; ++k) {
        picture->camera.target[k] = centre[k];
        picture->camera.eye[k] = centre[k] + distance * (double)away[k];
        picture->camera.up[k] = (double)(&up.x)[k];
    }
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
