// What hairs grow on: an ellipsoid, or a mesh in its place (groom_skin.c).
//
// Roots are spread evenly over the part that bears hair. The hairline is high over the face and falls to `lowest` at
// the neck. A hair follows a direction that turns from the normal to what gravity and the comb want, in small steps,
// and every step that would enter the head is moved out of it.
#include "scene/groom.h"

#include "math/mat3.h"

static const double pi = 3.14159265358979323846;

bool fil_groom_head_has_hair(const fil_groom_head *head, const double x[3])
{
    double up = (x[1] - head->centre[1]) / head->half[1], front = (x[2] - head->centre[2]) / head->half[2];
    double above = (up - head->lowest) / (1 - head->lowest); // 0 to 1 where hair may grow
    return above >= (head->face ? 0.39 * (1 + front) : 0);
}

// Point i of n of an ellipsoid. Heights at equal steps and turns by the golden angle cover a sphere evenly; an
// ellipsoid inherits it, stretched.
static void ellipsoid_root(const fil_groom_head *head, int i, int n, fil_rng *rng, fil_groom_root *out)
{
    const double golden = 2.39996322972865332;
    double height = 1 - head->lowest, jitter = 0.5 * sqrt(height * 2 * pi / n); // part of the distance of neighbours
    double y = 1 - height * (i + 0.5 + 0.8 * fil_rng_uniform(rng, -0.5, 0.5)) / n;
    y = fmin(fmax(y, -1), 1);
    double around = golden * i + jitter * fil_rng_uniform(rng, -1, 1), ring = sqrt(1 - y * y);
    const double unit[3] = {ring * cos(around), y, ring * sin(around)};
    for (int k = 0; k < 3; ++k) {
        out->x[k] = head->half[k] * unit[k];
        out->normal[k] = unit[k] / head->half[k];
    }
    fil_vec3_normalise(out->normal);
}

static void ellipsoid_roots(const fil_groom_head *head, int count, fil_rng *rng, fil_groom_root *out)
{
    // Of the points above the lowest height about this share bears hair; what is missing takes another round.
    const double share = head->face ? 0.62 : 1;
    for (int made = 0; made < count;) {
        int points = (int)ceil((count - made) / share);
        for (int i = 0; i < points && made < count; ++i) {
            ellipsoid_root(head, i, points, rng, &out[made]);
            made += !head->face || fil_groom_head_has_hair(head, out[made].x);
        }
    }
}

// The mesh takes the place of the ellipsoid; its part above `lowest` is the head.
static fil_status put_on_mesh(fil_context *context, const fil_groom_mesh *mesh, fil_groom_head *head)
{
    fil_status status = fil_groom_skin_create(context, mesh, &head->skin);
    if (status != FIL_OK)
        return status;
    double low[3], high[3], largest = 0;
    fil_groom_skin_box(head->skin, head->lowest, low, high);
    for (int k = 0; k < 3; ++k)
        largest = fmax(largest, high[k] - low[k]);
    for (int k = 0; k < 3; ++k) {
        head->centre[k] = 0.5 * (low[k] + high[k]);
        head->half[k] = 0.5 * fmax(high[k] - low[k], 1e-3 * largest);
    }
    head->lowest = -1;
    return FIL_OK;
}

typedef struct growth {
    fil_groom_head head;
    fil_groom_root *roots;
    fil_groom_head_hair *hair;
    const void *param;
} growth;

static void grow(const void *groom, int i, fil_rng *rng, fil_groom_hair *out)
{
    const growth *self = groom;
    self->hair(self->param, &self->head, &self->roots[i], rng, out);
}

fil_status fil_groom_head_make(fil_context *context, const fil_groom_common *common, const fil_groom_head *head,
                               const fil_groom_mesh *mesh, fil_groom_head_hair *hair, const void *param,
                               fil_curves **out)
{
    *out = NULL;
    fil_rng rng = fil_rng_make((uint64_t)common->seed);
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    growth self = {.head = *head, .hair = hair, .param = param};
    self.roots = FIL_ARENA_ARRAY(arena, fil_groom_root, common->strands);
    fil_status status = self.roots ? FIL_OK : FIL_NO_MEMORY;
    if (status == FIL_OK && mesh && mesh->file)
        status = put_on_mesh(context, mesh, &self.head);
    if (status == FIL_OK && self.head.skin)
        status = fil_groom_skin_roots(context, arena, &self.head, common->strands, &rng, self.roots);
    else if (status == FIL_OK)
        ellipsoid_roots(&self.head, common->strands, &rng, self.roots);
    if (status == FIL_OK)
        status = fil_groom_style_make(context, common, &rng, grow, &self, out);
    fil_groom_skin_destroy(self.head.skin);
    fil_arena_destroy(arena);
    return status;
}

double fil_groom_head_keep_out(const fil_groom_head *head, double clear, double reach, double x[3])
{
    if (head->skin)
        return fil_groom_skin_keep_out(head->skin, clear * head->half[1], reach, x);
    double size = 0;
    for (int k = 0; k < 3; ++k)
        size += x[k] / head->half[k] * (x[k] / head->half[k]);
    size = sqrt(size);
    for (int k = 0; k < 3 && size < 1 + clear && size > 0; ++k)
        x[k] *= (1 + clear) / size;
    return 0;
}

// One step of this length from x, along t where the head allows it. Where t points straight into the head a hair goes
// away from the middle of it, as over a shoulder, and upwards if that is no way either.
static void step_outside(const fil_groom_head *head, double clear, double step, const double t[3], double x[3])
{
    double away[3] = {x[0] - head->centre[0], 0, x[2] - head->centre[2]}, moved = 0, to[3], d[3] = {0};
    if (fil_vec3_normalise(away) == 0)
        away[0] = 1;
    const double up[3] = {0, 1, 0}, *const ways[3] = {t, away, up};
    for (int way = 0; way < 3 && moved < 0.3 * step; ++way) {
        for (int k = 0; k < 3; ++k)
            to[k] = x[k] + step * ways[way][k];
        fil_groom_head_keep_out(head, clear, 2 * step, to);
        for (int k = 0; k < 3; ++k)
            d[k] = to[k] - x[k];
        moved = fil_vec3_norm(d);
    }
    // Steps along the head keep their length.
    for (int k = 0; k < 3 && moved > 0; ++k)
        x[k] += d[k] * step / moved;
    fil_groom_head_keep_out(head, 0, 2 * step, x);
}

void fil_groom_head_grow(const fil_groom_head *head, const fil_groom_root *root, const double comb[3], double length,
                         double bend, fil_groom_path *out)
{
    const double clear = 0.03;
    out->step = length / (FIL_GROOM_LINE_POINTS - 1);
    double at[3] = {root->x[0], root->x[1], root->x[2]};
    for (int i = 0; i < FIL_GROOM_LINE_POINTS; ++i) {
        for (int k = 0; k < 3; ++k)
            out->x[i][k] = at[k];
        double s = i * out->step, down = 1 - exp(-s / bend), combed = exp(-2 * s / head->half[1]), t[3];
        for (int k = 0; k < 3; ++k)
            t[k] = (1 - down) * root->normal[k] + down * (combed * comb[k] - (k == 1));
        fil_vec3_normalise(t);
        // The gap opens with the distance from the root.
        step_outside(head, fmin(clear, 0.5 * s), out->step, t, at);
    }
}
