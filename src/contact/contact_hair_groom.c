// The strands of the family: clumps of about 25 on a hexagonal grid that lie along x, several clumps side by side and
// on top of each other, above a flat body. All strands of a clump follow one helix; each has a place of its own in the
// clump, waves of its own that let it meet its neighbours, and a lean of its own. Layers of clumps lean to
// one side and the other, so that they cross.
//
// Motion: velocities swing slowly, v(t) = a cos ωt + b sin ωt, with parts of the clump and of the strand, zero at the
// root. Strands get only a part of the way that their velocities ask for, because contacts hold them back; what
// presses them together changes velocities alone. Some clumps move much, many hardly: in these, contacts stick. So
// consecutive steps are problems like each other, and contacts come and go. Nothing is stored: a strand at a step is a
// function of the seed.
#include "contact/contact_hair.h"

#include "base/rng.h"
#include "math/mat3.h"
#include "math/trig.h"

enum { CLUMP_ROWS = 5, LAYERS = 4 };

static const double beat = 25;                           // rad/s: velocities change by 5 % in 2 ms
static const double way_left = 0.02;                     // of a motion, what contacts leave of it
static const double clump_speed = 0.1, own_speed = 0.03; // m/s
static const double squeeze = 0.03, weight = 0.05;       // m/s: towards the middle of the clump, and down
static const double bent = 0.1;                          // of the own waves of a strand, what is strain
static const double calm_share = 0.5, calm = 1e-3;       // of the clumps hardly move: how many, how little

// What sets the shapes apart. Lengths in m.
typedef struct style {
    double spacing, jitter; // of strands in a clump; part of the spacing
    double curl[2];         // radius of the helix
    double turn[2];         // length of a turn
    double lean, own_lean;  // of layers of clumps, every other one the other way; of strands
    double wander;          // size of the own waves
} style;

static const style *style_of(const fil_contact_hair *def)
{
    static const style styles[] = {
        [FIL_HAIR_STRAIGHT] = {1.5e-4, 0.1, {0, 1e-4}, {0.05, 0.1}, 0.02, 2e-4, 3e-5},
        [FIL_HAIR_WAVY] = {1.5e-4, 0.1, {4e-4, 1.2e-3}, {0.02, 0.04}, 0.02, 2e-4, 3e-5},
        [FIL_HAIR_CURLY] = {1.5e-4, 0.1, {2e-3, 3e-3}, {0.02, 0.03}, 0.02, 2e-4, 3e-5},
        [FIL_HAIR_PARALLEL] = {1.1e-4, 0.05, {0, 1e-5}, {0.1, 0.2}, 0, 2e-5, 3e-6},
    };
    return &styles[def->shape];
}

static double uniform(fil_rng *rng, const double range[2])
{
    return fil_rng_uniform(rng, range[0], range[1]);
}

static double either_way(fil_rng *rng, double size)
{
    return fil_rng_uniform(rng, -size, size);
}

// Stream `number` of one kind; the kinds share no numbers.
static fil_rng stream(const fil_contact_hair *def, uint64_t kind, int number)
{
    fil_rng seed = fil_rng_make(def->seed ^ (kind << 60));
    return fil_rng_make(fil_rng_bits(&seed) + (uint64_t)number);
}

static fil_rng clump_stream(const fil_contact_hair *def, int clump)
{
    return stream(def, 1, clump);
}

double fil_contact_hair_groom_spacing(const fil_contact_hair *def)
{
    return style_of(def)->spacing;
}

double fil_contact_hair_groom_young(const fil_contact_hair *def, int clump)
{
    fil_rng rng = stream(def, 2, clump);
    return fil_rng_uniform(&rng, 1e9, 4e9);
}

// Clumps touch, and helices of neighbours reach into each other.
static double clump_distance(const style *style)
{
    return CLUMP_ROWS * style->spacing + 0.5 * (style->curl[0] + style->curl[1]);
}

double fil_contact_hair_groom_ground(const fil_contact_hair *def)
{
    const style *style = style_of(def);
    return -0.5 * CLUMP_ROWS * style->spacing - 0.5 * (style->curl[0] + style->curl[1]);
}

// The sum of two velocities: `speed` times numbers of mean 0.
static void add_motion(fil_rng *rng, double speed, fil_contact_hair_strand *out)
{
    for (int phase = 0; phase < 2; ++phase)
        for (int k = 0; k < 3; ++k) {
            out->sway[phase][k] += either_way(rng, 1.7 * speed);
            out->swing[phase][k] += either_way(rng, 1.7 * speed);
        }
}

fil_contact_hair_strand fil_contact_hair_groom_strand(const fil_contact_hair *def, int strand)
{
    const style *style = style_of(def);
    const double pi = 3.14159265358979323846, row_height = 0.8660254037844386;
    int clump = strand / FIL_HAIR_CLUMP, member = strand % FIL_HAIR_CLUMP;
    int row = member / CLUMP_ROWS, column = member % CLUMP_ROWS, pile = clump / LAYERS;
    fil_rng common = clump_stream(def, clump), own = stream(def, 3, strand);
    fil_contact_hair_strand out = {.radius = fil_rng_uniform(&own, 35e-6, 50e-6)};
    double offset[2] = {(column + 0.5 * (row % 2) - 0.5 * (CLUMP_ROWS - 0.5)) * style->spacing,
                        row_height * (row - 0.5 * (CLUMP_ROWS - 1)) * style->spacing};

    // Of the clump.
    const double place[2] = {pile + 0.5 * (clump % 2), row_height * (clump % LAYERS)};
    for (int k = 0; k < 2; ++k)
        out.root[1 + k] = place[k] * clump_distance(style);
    out.slope[0] = clump % 2 ? style->lean : -style->lean;
    out.root[0] = either_way(&common, 0.5 * FIL_HAIR_SEGMENT);
    out.curl = uniform(&common, style->curl);
    out.turn = 2 * pi / uniform(&common, style->turn);
    out.phase = either_way(&common, pi);
    out.activity = fil_rng_uniform(&common, 0, 1) < calm_share ? calm : 1;
    add_motion(&common, clump_speed * out.activity, &out);

    // Of the strand.
    for (int k = 0; k < 2; ++k) {
        out.root[1 + k] += offset[k] + either_way(&own, style->jitter * style->spacing);
        out.slope[k] += either_way(&own, style->own_lean);
        out.wander[k] = either_way(&own, style->wander);
        out.press[1 + k] = -squeeze * out.activity * offset[k] / style->spacing;
    }
    out.root[0] += either_way(&own, 0.1 * FIL_HAIR_SEGMENT);
    out.press[2] -= weight * out.activity;
    out.rate = 2 * pi / fil_rng_uniform(&own, 0.03, 0.08);
    out.start = either_way(&own, pi);
    add_motion(&own, own_speed * out.activity, &out);
    return out;
}

// How far from root to tip, 0 to 1; the held vertices stay.
static double reach_of(const fil_contact_hair *def, int vertex)
{
    return vertex < 2 ? 0 : (vertex - 1.0) / (def->vertices - 2.0);
}

// How much of the two parts of a motion: of velocities, and of the way they have gone.
static void beat_at(const fil_contact_hair *def, double speed[2], double way[2])
{
    fil_v4 sine, cosine;
    fil_trig_sincos(fil_v4_all(beat * def->step * def->index), &sine, &cosine);
    speed[0] = cosine[0], speed[1] = sine[0];
    way[0] = way_left * sine[0] / beat, way[1] = way_left * (1 - cosine[0]) / beat;
}

// The motion of a vertex: the parts of the whole and of the tip, by how much of each.
static double moved(const fil_contact_hair_strand *strand, const double part[2], double reach, int k)
{
    double sum = 0;
    for (int phase = 0; phase < 2; ++phase)
        sum += part[phase] * reach * (strand->sway[phase][k] + (reach - 0.5) * strand->swing[phase][k]);
    return sum;
}

// The curve at a vertex, with a part of its own waves.
static void curve_at(const fil_contact_hair_strand *strand, int vertex, double waves, double x[3])
{
    // Along the axis a helix goes slower than along its length.
    double across = strand->curl * strand->turn, along = FIL_HAIR_SEGMENT * vertex / sqrt(1 + across * across);
    fil_v4 sine, cosine;
    fil_trig_sincos((fil_v4){strand->phase + along * strand->turn, strand->start + along * strand->rate, 0, 0}, &sine,
                    &cosine);
    x[0] = strand->root[0] + along;
    x[1] = strand->root[1] + strand->curl * cosine[0];
    x[2] = strand->root[2] + strand->curl * sine[0];
    for (int k = 0; k < 2; ++k)
        x[1 + k] += along * strand->slope[k] + waves * strand->wander[k] * (k == 0 ? cosine[1] : sine[1]);
}

void fil_contact_hair_groom_place(const fil_contact_hair *def, const fil_contact_hair_strand *strand, double *x)
{
    double speed[2], way[2];
    beat_at(def, speed, way);
    for (int i = 0; i < def->vertices; ++i, x += 3) {
        curve_at(strand, i, 1, x);
        for (int k = 0; k < 3; ++k)
            x[k] += moved(strand, way, reach_of(def, i), k);
    }
}

void fil_contact_hair_groom_rest(const fil_contact_hair *def, const fil_contact_hair_strand *strand, const double *x,
                                 double *rest)
{
    double here[3], next[3], waves = 1 - bent * strand->activity;
    curve_at(strand, 0, waves, rest);
    curve_at(strand, 0, waves, here);
    for (int i = 1; i < def->vertices; ++i, x += 3, rest += 3) {
        curve_at(strand, i, waves, next);
        double edge[3], free[3];
        for (int k = 0; k < 3; ++k)
            edge[k] = x[3 + k] - x[k], free[k] = next[k] - here[k];
        double scale = fil_vec3_norm(edge) / fil_vec3_norm(free);
        for (int k = 0; k < 3; ++k)
            rest[3 + k] = rest[k] + scale * free[k], here[k] = next[k];
    }
}

void fil_contact_hair_groom_velocity(const fil_contact_hair *def, const fil_contact_hair_strand *strand, double *v)
{
    double speed[2], way[2];
    beat_at(def, speed, way);
    for (int i = 0; i < def->vertices; ++i, v += 3)
        for (int k = 0; k < 3; ++k)
            v[k] = moved(strand, speed, reach_of(def, i), k) + (i < 2 ? 0 : strand->press[k]);
}
