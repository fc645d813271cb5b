// From strands to the hairs that are drawn.
//
// A strand becomes a guide: its vertices, smoothed by a Catmull-Rom spline where it turns sharply, each with a frame
// that is carried along without twist (parallel transport: reflect the frame in the plane between two points, then in
// the plane between the two tangents; the double reflection of Wang, Jüttler, Zheng and Liu 2008). A hair is the guide
// moved to a random place in a disc of radius `spread` of that frame. It draws closer to the guide towards the tip,
// waves a little, ends a little earlier and gets thin. All of it comes from hashes of strand and copy.
#include "base/parallel.h"
#include "render/picture_part.h"

enum { LEAST_PIECES = 5, STRANDS_AT_ONCE = 16 };
static const float turn_allowed = 1.45f; // rad within a piece; each is a cubic
static const int64_t most_points = 200000000;

typedef struct guide_point {
    fil_f3 at, normal, side;
    float radius;
} guide_point;

// One strand on its way to being drawn.
typedef struct strand {
    const fil_picture_hair *hair;
    int64_t vertex; // first, in the arrays of the hair
    int vertices, pieces;
    int own, index;              // of the strand in its hair, and in the picture
    int64_t guide, point, drawn; // first of each
} strand;

typedef struct growth {
    strand *strands;
    int64_t strand_count;
    guide_point *guide;
    float least;
    fil_drawn *out;
} growth;

static fil_f3 vertex_at(const strand *s, int i)
{
    return fil_f3_make(s->hair->position + 3 * (s->vertex + i));
}

static int guide_length(const strand *s)
{
    return s->pieces + 1;
}

// How sharply the strand turns at a vertex, in radians.
static float turn_at(const strand *s, int i)
{
    if (i == 0 || i == s->vertices - 1)
        return 0;
    fil_f3 at = vertex_at(s, i), zero = {0, 0, 0};
    fil_f3 before = fil_f3_unit(fil_f3_sub(at, vertex_at(s, i - 1)), zero);
    fil_f3 after = fil_f3_unit(fil_f3_sub(vertex_at(s, i + 1), at), zero);
    float cosine = fil_f3_dot(before, after);
    return acosf(cosine < -1 ? -1 : cosine > 1 ? 1 : cosine);
}

// The share of pieces that the strand needs between vertices i and i + 1: more where it turns, a few everywhere.
static float share_at(const strand *s, int i)
{
    float turn = 0.5f * (turn_at(s, i) + turn_at(s, i + 1)) / turn_allowed;
    float least = (float)LEAST_PIECES / (float)(s->vertices - 1);
    return turn > least ? turn : least;
}

static float shares_of(const strand *s)
{
    float sum = 0;
    for (int i = 0; i + 1 < s->vertices; ++i)
        sum += share_at(s, i);
    return sum;
}

static fil_f3 spline(const strand *s, int i, float t)
{
    int last = s->vertices - 1;
    fil_f3 b = vertex_at(s, i), c = vertex_at(s, i + 1);
    // Beyond the ends the strand goes on straight.
    fil_f3 a = i > 0 ? vertex_at(s, i - 1) : fil_f3_sub(fil_f3_scale(2, b), c);
    fil_f3 d = i + 2 <= last ? vertex_at(s, i + 2) : fil_f3_sub(fil_f3_scale(2, c), b);
    float t2 = t * t, t3 = t2 * t;
    fil_f3 sum = fil_f3_scale(0.5f * (-t3 + 2 * t2 - t), a);
    sum = fil_f3_along(sum, 0.5f * (3 * t3 - 5 * t2 + 2), b);
    sum = fil_f3_along(sum, 0.5f * (-3 * t3 + 4 * t2 + t), c);
    return fil_f3_along(sum, 0.5f * (t3 - t2), d);
}

static float radius_at(const strand *s, int i)
{
    return (float)(s->hair->radius ? s->hair->radius[s->vertex + i] : s->hair->thickness);
}

// Strands differ a little in brightness, unless the caller has given colours.
static fil_f3 colour_at(const strand *s, int i)
{
    const float *c = s->hair->colour ? s->hair->colour + 3 * (s->vertex + i) : s->hair->tint;
    float tone = 1;
    if (!s->hair->colour)
        tone = 0.88f + 0.24f * fil_picture_unit(fil_picture_hash((uint32_t)s->index, 17));
    return (fil_f3){tone * c[0], tone * c[1], tone * c[2]};
}

static fil_f3 reflect(fil_f3 v, fil_f3 mirror)
{
    float square = fil_f3_dot(mirror, mirror);
    return square > 1e-30f ? fil_f3_along(v, -2 * fil_f3_dot(mirror, v) / square, mirror) : v;
}

static fil_f3 root_normal(const strand *s, const guide_point *guide)
{
    fil_f3 tangent = fil_f3_unit(fil_f3_sub(guide[1].at, guide[0].at), (fil_f3){0, 1, 0});
    if (s->hair->normal) {
        const float *n = s->hair->normal + 3 * (int64_t)s->own;
        return (fil_f3){n[0], n[1], n[2]};
    }
    // Turned at random, so that the scatter of neighbours does not repeat.
    float angle = 6.2831853f * fil_picture_unit(fil_picture_hash((uint32_t)s->index, 3));
    fil_f3 a = fil_f3_across(tangent), b = fil_f3_cross(tangent, a);
    return fil_f3_add(fil_f3_scale(cosf(angle), a), fil_f3_scale(sinf(angle), b));
}

static void make_frames(guide_point *guide, int count, fil_f3 root)
{
    fil_f3 tangent = {0, 1, 0};
    for (int i = 0; i < count; ++i) {
        fil_f3 before = guide[i > 0 ? i - 1 : 0].at, after = guide[i + 1 < count ? i + 1 : i].at;
        fil_f3 next = fil_f3_unit(fil_f3_sub(after, before), tangent), normal;
        if (i == 0) {
            normal = root;
        } else {
            fil_f3 step = fil_f3_sub(guide[i].at, guide[i - 1].at);
            fil_f3 carried = reflect(tangent, step);
            normal = reflect(reflect(guide[i - 1].normal, step), fil_f3_sub(next, carried));
        }
        tangent = next;
        normal = fil_f3_unit(fil_f3_along(normal, -fil_f3_dot(normal, tangent), tangent), fil_f3_across(tangent));
        guide[i].normal = normal;
        guide[i].side = fil_f3_cross(tangent, normal);
    }
}

static void make_guide(const growth *job, const strand *s)
{
    guide_point *guide = job->guide + s->guide;
    fil_f3 *colour = job->out->colour + s->guide;
    int count = guide_length(s), i = 0;
    float step = shares_of(s) / (float)s->pieces, begin = 0, share = share_at(s, 0);
    for (int j = 0; j < count; ++j) {
        float wanted = step * (float)j;
        for (; i + 2 < s->vertices && begin + share < wanted; share = share_at(s, ++i))
            begin += share;
        float t = j + 1 < count ? fminf((wanted - begin) / share, 1) : 1;
        if (j + 1 == count)
            i = s->vertices - 2;
        guide[j].at = spline(s, i, t);
        guide[j].radius = radius_at(s, i) + t * (radius_at(s, i + 1) - radius_at(s, i));
        colour[j] = fil_f3_mix(colour_at(s, i), colour_at(s, i + 1), t);
    }
    make_frames(guide, count, root_normal(s, guide));
}

// What makes one hair differ from its guide.
typedef struct character {
    float x, y;   // place in the disc, m
    float gather; // how much of it is gone at the tip
    float wave, frequency, phase;
    float keep; // part of the length
} character;

static character character_of(const strand *s, int copy)
{
    uint32_t seed = fil_picture_hash((uint32_t)s->index * 2654435761u + 11, (uint32_t)copy);
    float r[7];
    for (int k = 0; k < 7; ++k)
        r[k] = fil_picture_unit(fil_picture_hash(seed, (uint32_t)k));
    float spread = (float)s->hair->spread, away = spread * powf(r[0], 0.7f), angle = 6.2831853f * r[1];
    if (copy == 0)
        return (character){.keep = 1};
    return (character){.x = away * cosf(angle),
                       .y = away * sinf(angle),
                       .gather = 0.05f + 0.6f * r[2],
                       .wave = 0.14f * spread * r[3],
                       .frequency = 6.2831853f * (1 + 2.5f * r[4]),
                       .phase = 6.2831853f * r[5],
                       .keep = 1 - 0.16f * r[6] * r[6]};
}

static void make_hair(const growth *job, const strand *s, int copy)
{
    const guide_point *guide = job->guide + s->guide;
    int count = guide_length(s);
    int64_t hair = s->drawn + copy, first = s->point + (int64_t)copy * (count + 2), segment = first - 3 * hair;
    character own = character_of(s, copy);
    struct fil_drawn_hair *record = &job->out->hair[hair];
    *record = (struct fil_drawn_hair){.first = (unsigned)first, .guide = (unsigned)s->guide, .count = count};
    record->tone = copy ? 0.86f + 0.28f * fil_picture_unit(fil_picture_hash((uint32_t)hair, 5)) : 1;
    record->thin = 1;
    for (int j = 0; j < count; ++j) {
        float t = (float)j / (float)(count - 1), at = own.keep * (float)j;
        int i = (int)at < count - 2 ? (int)at : count - 2;
        const guide_point *a = &guide[i], *b = &guide[i + 1];
        at -= (float)i;
        float close = 1 - own.gather * t * t, wave = own.wave * t;
        float x = own.x * close + wave * sinf(own.frequency * t + own.phase);
        float y = own.y * close + wave * cosf(own.frequency * t + 1.7f * own.phase);
        fil_f3 p = fil_f3_mix(a->at, b->at, at);
        p = fil_f3_along(p, x, fil_f3_mix(a->normal, b->normal, at));
        p = fil_f3_along(p, y, fil_f3_mix(a->side, b->side, at));
        // A hair thins out over the last part; a strand drawn alone keeps its radius.
        float given = a->radius + at * (b->radius - a->radius);
        float taper = s->hair->copies > 1 && t > 0.6f ? 1 - 0.65f * (t - 0.6f) / 0.4f : 1;
        float radius = given > job->least ? given : job->least;
        if (j == 0)
            record->thin = given / radius;
        float *out = job->out->point[first + 1 + j];
        out[0] = p.x, out[1] = p.y, out[2] = p.z, out[3] = radius * taper;
        if (j + 1 < count) {
            job->out->segment[segment + j] = (unsigned)(first + j);
            job->out->hair_of[segment + j] = (unsigned)hair;
        }
    }
    // A cubic takes its slope from the neighbours: beyond both ends the hair goes on straight.
    float(*p)[4] = job->out->point + first;
    for (int k = 0; k < 4; ++k) {
        p[0][k] = k < 3 ? 2 * p[1][k] - p[2][k] : p[1][k];
        p[count + 1][k] = k < 3 ? 2 * p[count][k] - p[count - 1][k] : p[count][k];
    }
}

static void grow_range(void *data, int64_t begin, int64_t end)
{
    const growth *job = data;
    for (int64_t k = begin; k < end; ++k) {
        const strand *s = &job->strands[k];
        make_guide(job, s);
        for (int copy = 0; copy < s->hair->copies; ++copy)
            make_hair(job, s, copy);
    }
}

// Where each strand begins; false when it is too much to draw.
static bool lay_out(const fil_picture *picture, strand *strands, fil_drawn *out)
{
    int64_t k = 0;
    for (int h = 0; h < picture->hair_count; ++h) {
        const fil_picture_hair *hair = &picture->hairs[h];
        int64_t vertex = 0;
        for (int i = 0; i < hair->strand_count; ++i, ++k) {
            strand *s = &strands[k];
            *s = (strand){.hair = hair, .vertex = vertex, .vertices = hair->vertex_count[i], .own = i, .index = (int)k};
            s->pieces = (int)ceilf(shares_of(s));
            s->guide = out->guide_count;
            s->point = out->point_count;
            s->drawn = out->hair_count;
            vertex += s->vertices;
            out->guide_count += guide_length(s);
            out->point_count += (int64_t)(guide_length(s) + 2) * hair->copies;
            out->hair_count += hair->copies;
            if (out->point_count > most_points)
                return false;
        }
    }
    out->segment_count = out->point_count - 3 * out->hair_count;
    return true;
}

fil_status fil_picture_grow(fil_context *context, fil_arena *arena, const fil_picture *picture, double least,
                            fil_drawn *out)
{
    *out = (fil_drawn){.box = fil_picture_bounds(picture)};
    growth job = {.least = (float)least, .out = out};
    for (int h = 0; h < picture->hair_count; ++h)
        job.strand_count += picture->hairs[h].strand_count;
    job.strands = FIL_ARENA_ARRAY(arena, strand, job.strand_count);
    if (!job.strands)
        return FIL_NO_MEMORY;
    if (!lay_out(picture, job.strands, out))
        return fil_context_fail(context, FIL_BAD_INPUT, "hairs: more than %d million points to draw: use fewer copies",
                                (int)(most_points / 1000000));
    job.guide = FIL_ARENA_ARRAY(arena, guide_point, out->guide_count);
    out->colour = FIL_ARENA_ARRAY(arena, fil_f3, out->guide_count);
    out->hair = FIL_ARENA_ARRAY(arena, struct fil_drawn_hair, out->hair_count);
    // Embree reads 16 bytes at a time, past the end too.
    out->point = fil_arena_allocate(arena, (size_t)out->point_count + 1, sizeof *out->point);
    out->segment = FIL_ARENA_ARRAY(arena, unsigned int, out->segment_count + 4);
    out->hair_of = FIL_ARENA_ARRAY(arena, unsigned int, out->segment_count + 4);
    if (!job.guide || !out->colour || !out->hair || !out->point || !out->segment || !out->hair_of)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, job.strand_count, STRANDS_AT_ONCE, grow_range, &job);
    return FIL_OK;
}
