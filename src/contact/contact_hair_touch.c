// Touches of strands by geometry: the nearest points of pairs of edges of different strands, and of edges and the flat
// body below. The closest are taken until there are as many as asked for.
//
// Three searches of one grid: the first counts gaps in bins, of one strand in many when there are many, and so finds
// the gap up to which to look; the second counts touches per strand, the third writes them down, and the farthest are
// dropped until the number is right. Each strand writes its own, so threads do not matter.
// Edges at the clamp are left out: both vertices of an edge must be free. A pair of edges whose nearest points are at
// the far end of either is left out, too, because the next edge has the same; so is one whose normal leans along either
// edge, because the nearest points of the strands are elsewhere; and so are strands that pass through each other, which
// contacts would have kept apart: neighbouring edges there have opposite normals that lock for no reason.
//
// A pile of hair at rest presses on what is nearest: about two thirds of the touches are closed, whatever their number,
// and the gaps of the others count from there. So a family has the same mix of states for few and for many contacts.
#include "contact/contact_hair.h"

#include "base/parallel.h"
#include "collide/segment.h"
#include "collide/segment_grid.h"

#include <math.h>
#include <string.h>

enum { BINS = 4096, GRAIN = 64, FIRST_EDGE = 2 };

static const double body_share = 0.065, closed_share = 0.65; // of the contacts
static const double edge_margin = 1e-6;   // of an edge: places stay inside, so that a side moves both vertices
static const double least_distance = 0.5; // of two axes, over the sum of the radii
static const double most_lean = 0.2;      // of the normal along an edge: sine

// Touches of one kind, strand by strand.
typedef struct kind {
    double least, most; // m, gaps of the first and the last bin
    int64_t bins[BINS];
    int last_bin; // the bin of the last touch that is wanted ...
    int64_t left; // ... and how many of it
    double shut;  // m, the gap below which touches are closed
} kind;

typedef struct finder {
    const fil_contact_hair *def;
    const double *x, *radius;
    double ground; // m, height of the body
    double widest; // m, the sum of two radii at most
    double margin; // m, how far from an edge to look
    int stride;    // of the strands whose gaps are counted in bins
    fil_segment_grid grid;
    kind pairs, body;
    int64_t *start; // [strands + 1] into found
    fil_contact_hair_touch *found;
} finder;

static int bin_of(const kind *kind, double gap)
{
    double at = BINS * (gap - kind->least) / (kind->most - kind->least);
    return at < 0 ? 0 : at < BINS ? (int)at : BINS;
}

static bool wanted(const kind *kind, double gap)
{
    return bin_of(kind, gap) <= kind->last_bin;
}

// What a search does with a touch.
typedef struct search {
    const finder *finder;
    void (*take)(struct search *, const kind *, const fil_contact_hair_touch *);
    int edge;              // whose neighbours are visited
    int64_t (*bins)[BINS]; // [2] pairs, body
    int64_t count;
} search;

static void count_in_bin(search *self, const kind *kind, const fil_contact_hair_touch *touch)
{
    int bin = bin_of(kind, touch->gap);
    if (bin < BINS)
        ++self->bins[kind == &self->finder->body][bin];
}

static void count_wanted(search *self, const kind *kind, const fil_contact_hair_touch *touch)
{
    self->count += wanted(kind, touch->gap);
}

static void write_wanted(search *self, const kind *kind, const fil_contact_hair_touch *touch)
{
    if (wanted(kind, touch->gap))
        self->finder->found[self->count++] = *touch;
}

static double inside(double place)
{
    return place < edge_margin ? edge_margin : place > 1 - edge_margin ? 1 - edge_margin : place;
}

// Whether the line between the places s on edge p and t on edge q is nearly square to both.
static bool is_square(const double *p, double s, const double *q, double t, double square)
{
    double line[3], along[2] = {0}, length[2] = {0};
    for (int k = 0; k < 3; ++k) {
        double a = p[3 + k] - p[k], b = q[3 + k] - q[k];
        line[k] = p[k] + s * a - q[k] - t * b;
        along[0] += a * line[k], along[1] += b * line[k];
        length[0] += a * a, length[1] += b * b;
    }
    double most = most_lean * most_lean * square;
    return along[0] * along[0] <= most * length[0] && along[1] * along[1] <= most * length[1];
}

static void touch_edge(void *data, int other)
{
    search *self = data;
    const finder *finder = self->finder;
    int edge = self->edge, vertices = finder->def->vertices;
    if (other / vertices == edge / vertices)
        return;
    const double *p = finder->x + 3 * (int64_t)edge, *q = finder->x + 3 * (int64_t)other;
    double s, t, square = fil_segment_nearest(p, p + 3, q, q + 3, &s, &t);
    if ((s >= 1 && edge % vertices < vertices - 2) || (t >= 1 && other % vertices < vertices - 2))
        return;
    double distance = sqrt(square), radii = finder->radius[edge / vertices] + finder->radius[other / vertices];
    if (distance < least_distance * radii || !is_square(p, s, q, t, square))
        return;
    self->take(self, &finder->pairs, &(fil_contact_hair_touch){edge, other, inside(s), inside(t), distance - radii});
}

static void touch_body(search *self, int edge)
{
    const finder *finder = self->finder;
    const double *p = finder->x + 3 * (int64_t)edge;
    double gap = 0.5 * (p[2] + p[5]) - finder->ground - finder->radius[edge / finder->def->vertices];
    self->take(self, &finder->body, &(fil_contact_hair_touch){edge, -1, 0.5, 0, gap});
}

// The touches of each edge of a strand: with later edges, with the body, or with both.
static void search_strand(search *self, int strand, bool edges, bool body)
{
    int vertices = self->finder->def->vertices;
    for (int i = FIRST_EDGE; i < vertices - 1; ++i) {
        self->edge = strand * vertices + i;
        if (edges)
            fil_segment_grid_near(&self->finder->grid, self->edge, self->finder->margin, FIL_SEGMENT_GRID_GREATER,
                                  touch_edge, self);
        if (body)
            touch_body(self, self->edge);
    }
}

static void fill_bins(void *data, int64_t begin, int64_t end)
{
    finder *self = data;
    int64_t bins[2][BINS] = {{0}};
    search search = {.finder = self, .take = count_in_bin, .bins = bins};
    // The body is no effort: all strands.
    for (int64_t strand = begin; strand < end; ++strand)
        search_strand(&search, (int)strand, strand % self->stride == 0, true);
    // Whole numbers have the same sum in any order.
    for (int bin = 0; bin < BINS; ++bin) {
        __atomic_fetch_add(&self->pairs.bins[bin], bins[0][bin], __ATOMIC_RELAXED);
        __atomic_fetch_add(&self->body.bins[bin], bins[1][bin], __ATOMIC_RELAXED);
    }
}

static void count_strands(void *data, int64_t begin, int64_t end)
{
    finder *self = data;
    for (int64_t strand = begin; strand < end; ++strand) {
        search search = {.finder = self, .take = count_wanted};
        search_strand(&search, (int)strand, true, true);
        self->start[strand + 1] = search.count;
    }
}

static void write_strands(void *data, int64_t begin, int64_t end)
{
    finder *self = data;
    for (int64_t strand = begin; strand < end; ++strand) {
        search search = {.finder = self, .take = write_wanted, .count = self->start[strand]};
        search_strand(&search, (int)strand, true, true);
    }
}

// The bin in which the count is reached, and the gap at which the closed ones end.
static void choose_bin(kind *kind, int64_t count)
{
    int64_t sum = 0;
    kind->last_bin = -1, kind->left = 0;
    for (int bin = 0; bin < BINS && sum < count; ++bin) {
        if ((double)sum <= closed_share * (double)count)
            kind->shut = kind->least + (bin + 0.5) * (kind->most - kind->least) / BINS;
        kind->last_bin = bin;
        kind->left = kind->bins[bin] < count - sum ? kind->bins[bin] : count - sum;
        sum += kind->left;
    }
}

static fil_status list_edges(fil_arena *arena, const fil_contact_hair *def, int **edge, int *count)
{
    int per_strand = def->vertices - 1 - FIRST_EDGE;
    *edge = FIL_ARENA_ARRAY(arena, int, (int64_t)def->strands *per_strand);
    *count = 0;
    for (int strand = 0; strand < def->strands && *edge; ++strand)
        for (int i = FIRST_EDGE; i < def->vertices - 1; ++i)
            (*edge)[(*count)++] = strand * def->vertices + i;
    return *edge ? FIL_OK : FIL_NO_MEMORY;
}

// How many touches of each kind there shall be: sides on a strand × strands, each pair with two.
static void share_out(const fil_contact_hair *def, int64_t *pairs, int64_t *body)
{
    int64_t sides = (int64_t)(def->strands * def->contacts_per_strand + 0.5);
    *body = def->strands == 1 ? sides : (int64_t)((double)sides * body_share / (2 - body_share) + 0.5);
    *body += (sides - *body) % 2;
    *pairs = (sides - *body) / 2;
}

// The bins of what was found, and only as many as are wanted of it; gaps count from where touches close. Returns how
// many there are.
static int thin_out(finder *self, int64_t found, int64_t pairs, int64_t body)
{
    memset(self->pairs.bins, 0, sizeof self->pairs.bins);
    memset(self->body.bins, 0, sizeof self->body.bins);
    for (int64_t i = 0; i < found; ++i) {
        kind *kind = self->found[i].b < 0 ? &self->body : &self->pairs;
        ++kind->bins[bin_of(kind, self->found[i].gap)];
    }
    choose_bin(&self->pairs, pairs);
    choose_bin(&self->body, body);
    int64_t kept = 0;
    for (int64_t i = 0; i < found; ++i) {
        kind *kind = self->found[i].b < 0 ? &self->body : &self->pairs;
        int bin = bin_of(kind, self->found[i].gap);
        if (bin > kind->last_bin || (bin == kind->last_bin && --kind->left < 0))
            continue;
        self->found[kept] = self->found[i];
        self->found[kept++].gap -= kind->shut;
    }
    return (int)kept;
}

// Looks at every stride-th strand to learn how far to look, then counts. Returns how many touches there are.
static int64_t count_touches(fil_context *context, finder *self, int stride, int64_t pairs, int64_t body)
{
    int strands = self->def->strands;
    double share = stride > 1 ? 1.3 / stride : 1; // a sample may be wrong: look somewhat farther
    self->stride = stride;
    fil_parallel_for(context, strands, GRAIN, fill_bins, self);
    choose_bin(&self->pairs, (int64_t)(share * (double)pairs + 0.5));
    choose_bin(&self->body, body);
    self->margin = self->pairs.least + (self->pairs.last_bin + 1) * (self->pairs.most - self->pairs.least) / BINS;
    self->margin += self->widest;
    fil_parallel_for(context, strands, GRAIN, count_strands, self);
    for (int strand = 0; strand < strands; ++strand)
        self->start[strand + 1] += self->start[strand];
    return self->start[strands];
}

static fil_status find(fil_context *context, fil_arena *arena, finder *self, int *count)
{
    int64_t pairs, body;
    double margin = self->margin;
    share_out(self->def, &pairs, &body);
    int64_t found = count_touches(context, self, self->def->strands < 2000 ? 1 : 16, pairs, body);
    if (found < pairs + body && self->stride > 1) {
        self->margin = margin;
        memset(self->pairs.bins, 0, sizeof self->pairs.bins);
        memset(self->body.bins, 0, sizeof self->body.bins);
        found = count_touches(context, self, 1, pairs, body);
    }
    self->found = FIL_ARENA_ARRAY(arena, fil_contact_hair_touch, found);
    if (!self->found)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, self->def->strands, GRAIN, write_strands, self);
    *count = thin_out(self, found, pairs, body);
    return FIL_OK;
}

fil_status fil_contact_hair_touch_find(fil_context *context, fil_arena *arena, const fil_contact_hair *def,
                                       const double *x, const double *radius, fil_contact_hair_touch **out, int *count)
{
    finder *self = FIL_ARENA_ARRAY(arena, finder, 1);
    if (!self)
        return FIL_NO_MEMORY;
    *self = (finder){.def = def, .x = x, .radius = radius, .ground = fil_contact_hair_groom_ground(def)};
    double thickest = 0;
    for (int i = 0; i < def->strands; ++i)
        thickest = radius[i] > thickest ? radius[i] : thickest;
    self->widest = 2 * thickest;
    self->pairs.least = -self->widest, self->pairs.most = 2 * fil_contact_hair_groom_spacing(def);
    self->body.least = -0.01, self->body.most = 0.01;
    self->margin = self->pairs.most + self->widest;
    self->start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)def->strands + 1);
    int *edge, edges;
    fil_status status = self->start ? list_edges(arena, def, &edge, &edges) : FIL_NO_MEMORY;
    if (status == FIL_OK)
        status = fil_segment_grid_create(arena, &(fil_segments){.x = x}, edge, edges, self->margin, &self->grid);
    if (status == FIL_OK)
        status = find(context, arena, self, count);
    *out = self->found;
    return status;
}
