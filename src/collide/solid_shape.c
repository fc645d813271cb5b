// Plane, sphere, capsule, cylinder, box: signed distances with their gradients, which are unit vectors.
//
// All are convex, and so is the signed distance: along an edge it has one lowest place, where its slope changes sign.
// The plane through the nearest point of the surface keeps body and edge apart, and tells how long it will do so while
// the ends of the edge go straight (as in approach.c).
#include "collide/solid_part.h"
#include "math/mat3.h"

enum { HALVINGS = 60, LOOKS = 128 };

// `way` from the nearest point of a core to x; the surface is `radius` from the core.
static double round_distance(const double way[3], double radius, double normal[3])
{
    double length = fil_vec3_norm(way);
    for (int k = 0; k < 3; ++k)
        normal[k] = length > 0 ? way[k] / length : (k == 0);
    return length - radius;
}

// Sides at right angles: `beyond` is how far x is past each of them, `axis` the unit vectors out of them. Inside the
// nearest side counts, outside all that x is past.
static double cornered_distance(const double *beyond, double axis[3][3], int count, double normal[3])
{
    double most = -HUGE_VAL, square = 0;
    int side = 0;
    for (int i = 0; i < count; ++i) {
        if (beyond[i] > most) {
            most = beyond[i];
            side = i;
        }
        square += beyond[i] > 0 ? beyond[i] * beyond[i] : 0;
    }
    double distance = most > 0 ? sqrt(square) : most;
    for (int k = 0; k < 3; ++k) {
        normal[k] = most > 0 ? 0 : axis[side][k];
        for (int i = 0; i < count && most > 0; ++i)
            normal[k] += beyond[i] > 0 ? beyond[i] / distance * axis[i][k] : 0;
    }
    return distance;
}

static double cylinder_distance(const double size[3], const double x[3], double normal[3])
{
    double across = sqrt(x[0] * x[0] + x[2] * x[2]);
    const double beyond[2] = {across - size[0], fabs(x[1]) - 0.5 * size[1]};
    double axis[3][3] = {{across > 0 ? x[0] / across : 1, 0, across > 0 ? x[2] / across : 0},
                         {0, x[1] < 0 ? -1 : 1, 0}};
    return cornered_distance(beyond, axis, 2, normal);
}

static double box_distance(const double size[3], const double x[3], double normal[3])
{
    double beyond[3], axis[3][3] = {{0}};
    for (int k = 0; k < 3; ++k) {
        beyond[k] = fabs(x[k]) - size[k];
        axis[k][k] = x[k] < 0 ? -1 : 1;
    }
    return cornered_distance(beyond, axis, 3, normal);
}

double fil_solid_shape_distance(const fil_solid *solid, const double x[3], double normal[3])
{
    const double *size = solid->size;
    switch (solid->shape) {
    case FIL_OBSTACLE_PLANE:
        normal[0] = normal[2] = 0;
        normal[1] = 1;
        return x[1];
    case FIL_OBSTACLE_CAPSULE: {
        double half = 0.5 * size[1], core = x[1] < -half ? -half : x[1] > half ? half : x[1];
        return round_distance((const double[3]){x[0], x[1] - core, x[2]}, size[0], normal);
    }
    case FIL_OBSTACLE_CYLINDER:
        return cylinder_distance(size, x, normal);
    case FIL_OBSTACLE_BOX:
        return box_distance(size, x, normal);
    default:
        return round_distance(x, size[0], normal);
    }
}

// An edge, or a vertex as an edge without length, at one time.
typedef struct moment {
    double x[2][3];
    double at, distance;
    double normal[3], point[3];
    double reach; // for which it was found
} moment;

static double distance_at(const fil_solid *solid, moment *self, double at)
{
    double x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = self->x[0][k] + at * (self->x[1][k] - self->x[0][k]);
    self->at = at;
    self->distance = fil_solid_shape_distance(solid, x, self->normal);
    for (int k = 0; k < 3; ++k)
        self->point[k] = x[k] - self->distance * self->normal[k];
    return fil_vec3_dot(self->normal, self->x[1]) - fil_vec3_dot(self->normal, self->x[0]);
}

static moment look(const fil_solid *solid, const fil_approach_thing *thing, double time)
{
    moment self = {0};
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            int c = end < thing->corners ? end : 0;
            self.x[end][k] = (1 - time) * thing->from[c][k] + time * thing->to[c][k];
        }
    // The slope of a convex function ascends. In turns the place where a straight slope would vanish, and the middle:
    // the one is quick where the surface is smooth, the other never slow.
    double low = 0, high = 1, below = distance_at(solid, &self, 0);
    if (below >= 0 || thing->corners == 1)
        return self;
    double above = distance_at(solid, &self, 1), small = 1e-9 * (above - below);
    if (above <= 0)
        return self;
    for (int i = 0; i < HALVINGS; ++i) {
        double at = i % 2 ? 0.5 * (low + high) : low + (high - low) * below / (below - above);
        double slope = distance_at(solid, &self, at);
        if (fabs(slope) <= small)
            break;
        if (slope < 0) {
            low = at;
            below = slope;
        } else {
            high = at;
            above = slope;
        }
    }
    return self;
}

// The first time within reach. While the nearest place of an edge leaves, another may come: it is looked at again.
static bool approach(const fil_solid *solid, const fil_approach_thing *thing, double reach, moment *out)
{
    double time = 0, way = fil_approach_way(thing);
    for (int i = 0; i < LOOKS && time <= 1; ++i) {
        *out = look(solid, thing, time);
        out->reach = reach;
        if (out->distance <= 1.001 * reach) {
            if (thing->corners == 1 || fil_solid_closes(thing, out->at, out->normal, out->point, reach))
                return true;
            time += fil_solid_pause(way, reach);
            continue;
        }
        double from[2], to[2], level = fil_vec3_dot(out->normal, out->point);
        for (int c = 0; c < thing->corners; ++c) {
            from[c] = fil_vec3_dot(out->normal, thing->from[c]) - level;
            to[c] = fil_vec3_dot(out->normal, thing->to[c]) - level;
        }
        double apart = fil_approach_fall(from, to, thing->corners, time, reach);
        if (apart > 1)
            return false;
        if (apart <= time)
            return true;
        time = apart;
    }
    return time <= 1;
}

// An end that is about as near, and comes, speaks for the edge.
static bool end_speaks(const fil_solid *solid, const fil_approach_thing *thing, const moment *found, int end,
                       const fil_solid_reach *reach)
{
    double unused[3], distance = fil_solid_shape_distance(solid, found->x[end], unused);
    return distance <= fmin(found->distance + reach->clear, found->reach) &&
           fil_solid_closes(thing, end, found->normal, found->point, reach->near);
}

bool fil_solid_shape_ask(const fil_solid *solid, const fil_approach_thing *thing, const fil_solid_reach *reach,
                         fil_solid_place *out)
{
    moment found = {0};
    if (!approach(solid, thing, reach->near, &found))
        return false;
    if (thing->corners == 2 && (found.at <= 0 || found.at >= 1 || end_speaks(solid, thing, &found, 0, reach) ||
                                end_speaks(solid, thing, &found, 1, reach)))
        return false;
    double unused[3];
    *out = (fil_solid_place){.at = found.at};
    out->inside = thing->corners == 1 && fil_solid_shape_distance(solid, thing->from[0], unused) < 0;
    for (int k = 0; k < 3; ++k) {
        out->normal[k] = found.normal[k];
        out->from[k] = out->to[k] = found.point[k];
    }
    return true;
}
