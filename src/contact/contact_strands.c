// Detects that a problem comes from strands, and lays it out for fast products.
//
// Every side of a contact is a point on an edge of a strand: with the frame F of the contact (rows: normal, tangent,
// tangent; both sides share it up to the sign)
//
//   H_side = F [ a I | 0 | b I ]       three unknowns of a vertex, an angle or nothing, three of the next vertex
//
// or F [ a I ] where the point is a vertex. So a side is two numbers, and a contact one frame.
//
//   strands    packs of eight of like length, taken from 256 neighbours; factors of A interleaved; those without
//              contacts last; shorter ones are padded with rows of the identity
//   contacts   sorted by the strand of their first side, in blocks of eight; results go back to the caller's order
//   sides      sorted by half packs, then by contact
//
// The public problem stays general: this is found out when a solver starts, in one pass over H. Cost: about that of one
// factorisation of A. Limits: at most 8192 unknowns and half-bandwidth 64 per strand; other problems take the general
// road of contact_operator.c.
#include "contact/contact_strands.h"

#include "base/parallel.h"
#include "numeric/band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FIL_STRANDS_LANES, HALF = 4, WINDOW = 256, NARROWEST = 4, contact_grain = 1024, pack_grain = 4 };

// How far numbers of H may be from the form, relative to the largest of the contact: rounding.
static const double form_tolerance = 1e-13;

// What the steps of building hand to each other.
typedef struct builder {
    fil_contact_strands *S;
    const fil_contact_problem *problem;
    int *position;     // [bodies] 8 × pack + lane
    int *contact_side; // [2 × contacts, in new order] sorted side of the first and of the second side, or -1
    bool failed;       // a contact does not have the form, or a strand is not positive definite
} builder;

// The pattern alone, without looking at numbers: most problems that are not of strands end here.
static bool has_pattern(const fil_contact_problem *problem)
{
    const fil_contact_jacobian *H = &problem->H;
    const fil_body_matrix *A = &problem->A;
    for (int i = 0; i < problem->contact_count; ++i)
        if (H->side_start[i + 1] - H->side_start[i] > 2)
            return false;
    for (int side = 0; side < H->side_start[problem->contact_count]; ++side) {
        int count = H->dof_count[side];
        if (count != 3 && count != 6 && count != 7)
            return false;
    }
    for (int body = 0; body < A->body_count; ++body)
        if (A->dof_start[body + 1] - A->dof_start[body] > FIL_STRANDS_MOST_ROWS ||
            A->bandwidth[body] > FIL_STRANDS_MOST_BAND)
            return false;
    return problem->contact_count > 0;
}

typedef struct strand_key {
    int rows, bandwidth, body;
} strand_key;

static int compare_strands(const void *a, const void *b)
{
    const strand_key *x = a, *y = b;
    if (x->rows != y->rows)
        return x->rows < y->rows ? -1 : 1;
    if (x->bandwidth != y->bandwidth)
        return x->bandwidth < y->bandwidth ? -1 : 1;
    return x->body < y->body ? -1 : 1;
}

// Bodies with contacts in front, those without behind; returns how many have contacts.
static int list_bodies(const fil_contact_problem *problem, strand_key *key, int *touched)
{
    const fil_body_matrix *A = &problem->A;
    for (int side = 0; side < problem->H.side_start[problem->contact_count]; ++side)
        touched[problem->H.body[side]] = 1;
    int count = 0, busy = 0;
    for (int wanted = 1; wanted >= 0; --wanted) {
        for (int body = 0; body < A->body_count; ++body)
            if (touched[body] == wanted)
                key[count++] = (strand_key){A->dof_start[body + 1] - A->dof_start[body], A->bandwidth[body], body};
        busy = wanted ? count : busy;
    }
    return busy;
}

// Packs of like length, from windows of neighbours: contacts are between neighbours, so their data stay together.
static fil_status form_packs(builder *build, fil_arena *arena, fil_arena *scratch)
{
    fil_contact_strands *S = build->S;
    int bodies = build->problem->A.body_count;
    S->packs = (bodies + LANES - 1) / LANES;
    S->body = FIL_ARENA_ARRAY(arena, int, LANES *(int64_t)S->packs);
    S->rows = FIL_ARENA_ARRAY(arena, int, S->packs);
    S->bandwidth = FIL_ARENA_ARRAY(arena, int, S->packs);
    S->factor_start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)S->packs + 1);
    strand_key *key = FIL_ARENA_ARRAY(scratch, strand_key, bodies);
    build->position = FIL_ARENA_ARRAY(scratch, int, bodies);
    if (!S->body || !S->rows || !S->bandwidth || !S->factor_start || !key || !build->position)
        return FIL_NO_MEMORY;
    int busy = list_bodies(build->problem, key, build->position);
    S->busy_packs = (busy + LANES - 1) / LANES;
    for (int k = 0; k < busy; k += WINDOW)
        qsort(key + k, (size_t)(busy - k < WINDOW ? busy - k : WINDOW), sizeof *key, compare_strands);
    for (int p = 0; p < LANES * S->packs; ++p) {
        int pack = p / LANES;
        S->body[p] = p < bodies ? key[p].body : -1;
        if (p >= bodies)
            continue;
        build->position[key[p].body] = p;
        S->rows[pack] = key[p].rows > S->rows[pack] ? key[p].rows : S->rows[pack];
        S->bandwidth[pack] = key[p].bandwidth > S->bandwidth[pack] ? key[p].bandwidth : S->bandwidth[pack];
    }
    for (int pack = 0; pack < S->packs; ++pack) {
        S->most_rows = S->rows[pack] > S->most_rows ? S->rows[pack] : S->most_rows;
        // The diagonal of W wants entries of A⁻¹ between neighbouring vertices, so those must lie in the band.
        S->bandwidth[pack] = S->bandwidth[pack] < NARROWEST ? NARROWEST : S->bandwidth[pack];
        S->factor_start[pack + 1] = S->factor_start[pack] + LANES * (int64_t)S->rows[pack] * (S->bandwidth[pack] + 1);
    }
    return FIL_OK;
}

// Sorts contacts by the strand of their first side; those without sides come last. slot[i] for all.
static fil_status order_contacts(builder *build, fil_arena *arena, fil_arena *scratch, int *order)
{
    fil_contact_strands *S = build->S;
    const fil_contact_jacobian *H = &build->problem->H;
    int n = build->problem->contact_count, keys = LANES * S->packs + 1;
    S->slot = FIL_ARENA_ARRAY(arena, int, n);
    int *next = FIL_ARENA_ARRAY(scratch, int, (int64_t)keys + 1);
    if (!S->slot || !next)
        return FIL_NO_MEMORY;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < n; ++i) {
            bool held = H->side_start[i + 1] == H->side_start[i];
            int key = held ? keys - 1 : build->position[H->body[H->side_start[i]]];
            if (pass == 0) {
                ++next[key + 1];
                continue;
            }
            int place = next[key]++;
            order[place] = i;
            S->slot[i] = place / LANES * FIL_STRANDS_BLOCK + place % LANES;
        }
        for (int key = 0; pass == 0 && key < keys; ++key)
            next[key + 1] += next[key];
    }
    return FIL_OK;
}

// Sorts sides by half packs. Sides are met in the new order of contacts.
static fil_status order_sides(builder *build, fil_arena *arena, fil_arena *scratch, const int *order)
{
    fil_contact_strands *S = build->S;
    const fil_contact_jacobian *H = &build->problem->H;
    int n = build->problem->contact_count, halves = 2 * S->packs;
    S->side_start = FIL_ARENA_ARRAY(arena, int, (int64_t)halves + 2);
    S->side = FIL_ARENA_ARRAY(arena, fil_strands_side, H->side_start[n]);
    build->contact_side = FIL_ARENA_ARRAY(scratch, int, 2 * (int64_t)n);
    if (!S->side_start || !S->side || !build->contact_side)
        return FIL_NO_MEMORY;
    // Counted one place ahead, so that filling leaves each start where it belongs.
    int *next = S->side_start + 1;
    for (int side = 0; side < H->side_start[n]; ++side)
        ++next[build->position[H->body[side]] / HALF + 1];
    for (int half = 0; half < halves; ++half)
        next[half + 1] += next[half];
    for (int place = 0; place < n; ++place) {
        int i = order[place], first = H->side_start[i];
        for (int k = 0; k < H->side_start[i + 1] - first; ++k) {
            int position = build->position[H->body[first + k]];
            int to = next[position / HALF]++;
            build->contact_side[2 * (int64_t)i + k] = to;
            S->side[to] = (fil_strands_side){.target = 4 * (place + k * LANES * S->blocks),
                                             .row = H->first_dof[first + k],
                                             .lane = (short)(position % LANES),
                                             .apart = (short)(H->dof_count[first + k] - 3)};
        }
    }
    return FIL_OK;
}

static double square_sum(const double *block)
{
    double sum = 0;
    for (int m = 0; m < 9; ++m)
        sum += block[m] * block[m];
    return sum;
}

// F from the largest block of a contact; false when its rows are not orthogonal and of length 1.
static bool read_frame(const double *block, double F[9])
{
    double weight = sqrt(square_sum(block) / 3);
    for (int m = 0; m < 9; ++m)
        F[m] = weight > 0 ? block[m] / weight : m % 4 == 0;
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) {
            double dot = F[a] * F[b] + F[a + 3] * F[b + 3] + F[a + 6] * F[b + 6];
            if (!(fabs(dot - (a == b)) <= 8 * form_tolerance))
                return false;
        }
    return true;
}

// The weight with which a block of H is F; false when it is something else.
static bool read_weight(const double F[9], const double *block, double size, double *weight)
{
    double dot = 0;
    for (int m = 0; m < 9; ++m)
        dot += F[m] * block[m];
    *weight = dot / 3;
    for (int m = 0; m < 9; ++m)
        if (!(fabs(block[m] - *weight * F[m]) <= form_tolerance * size))
            return false;
    return true;
}

// Frame and weights of one contact; false when it does not have the form.
static bool read_contact(const builder *build, int64_t i)
{
    fil_contact_strands *S = build->S;
    const fil_contact_jacobian *H = &build->problem->H;
    static const double nothing[9] = {0};
    const double *block[2][2] = {{nothing, nothing}, {nothing, nothing}}, *largest = nothing;
    int first = H->side_start[i], sides = H->side_start[i + 1] - first;
    for (int k = 0; k < sides; ++k) {
        const double *h = H->value + H->value_start[first + k];
        int count = H->dof_count[first + k];
        if (count == 7 && (h[9] != 0 || h[10] != 0 || h[11] != 0))
            return false;
        block[k][0] = h;
        block[k][1] = count > 3 ? h + 3 * (count - 3) : nothing;
        for (int m = 0; m < 2; ++m)
            largest = square_sum(block[k][m]) > square_sum(largest) ? block[k][m] : largest;
    }
    double F[9], size = sqrt(square_sum(largest));
    if (!read_frame(largest, F))
        return false;
    double *frame =
        S->numbers.frame + 3 * (int64_t)(S->slot[i] - S->slot[i] % FIL_STRANDS_BLOCK) + S->slot[i] % FIL_STRANDS_BLOCK;
    for (int m = 0; m < 9; ++m)
        frame[LANES * m] = F[m];
    for (int k = 0; k < sides; ++k)
        for (int m = 0; m < 2; ++m)
            if (!read_weight(F, block[k][m], size, &S->numbers.weight[2 * (int64_t)build->contact_side[2 * i + k] + m]))
                return false;
    return true;
}

static void read_contacts(void *data, int64_t begin, int64_t end)
{
    builder *build = data;
    for (int64_t i = begin; i < end; ++i)
        if (!read_contact(build, i))
            __atomic_store_n(&build->failed, true, __ATOMIC_RELAXED);
}

// One strand into its lane of half a pack; rows behind its end belong to the identity. Strands without a body too.
static void load_strand(const fil_body_matrix *A, int body, int rows, int bandwidth, double *lane)
{
    int dofs = body < 0 ? 0 : A->dof_start[body + 1] - A->dof_start[body], own = body < 0 ? 0 : A->bandwidth[body];
    const double *value = body < 0 ? NULL : A->value + A->value_start[body];
    if (dofs == rows && own == bandwidth) { // as they are
        for (int64_t k = 0; k < rows * (int64_t)(bandwidth + 1); ++k)
            lane[HALF * k] = value[k];
        return;
    }
    for (int64_t j = 0; j < rows; ++j)
        for (int64_t k = 0; k <= bandwidth; ++k) {
            double *entry = lane + HALF * ((bandwidth + 1) * j + k);
            if (j >= dofs)
                *entry = k == 0;
            else
                *entry = k <= own && j + k < dofs ? value[j * (own + 1) + k] : 0;
        }
}

void fil_contact_strands_load(const fil_contact_strands *strands, int64_t half, double *A)
{
    for (int lane = 0; lane < HALF; ++lane)
        load_strand(&strands->problem->A, strands->body[HALF * half + lane], strands->rows[half / 2],
                    strands->bandwidth[half / 2], A + lane);
}

static void factor_packs(void *data, int64_t begin, int64_t end)
{
    builder *build = data;
    const fil_contact_strands *S = build->S;
    for (int64_t half = 2 * begin; half < 2 * end; ++half) {
        int64_t pack = half / 2;
        int rows = S->rows[pack], bandwidth = S->bandwidth[pack], negative[HALF];
        double *factor = S->numbers.factor + S->factor_start[pack] + half % 2 * HALF * (int64_t)rows * (bandwidth + 1);
        fil_contact_strands_load(S, half, factor);
        fil_band_factor(rows, bandwidth, 0, factor, negative);
        for (int lane = 0; lane < HALF; ++lane)
            if (negative[lane] != 0)
                __atomic_store_n(&build->failed, true, __ATOMIC_RELAXED);
    }
}

// q = w + H A⁻¹ b
static fil_status find_free_velocity(fil_contact_strands *S, fil_arena *arena, fil_arena *scratch)
{
    const fil_contact_problem *problem = S->problem;
    int64_t size = FIL_STRANDS_BLOCK * (int64_t)S->blocks;
    S->q = FIL_ARENA_ARRAY(arena, double, size);
    double *w = FIL_ARENA_ARRAY(scratch, double, size);
    double *v = FIL_ARENA_ARRAY(scratch, double, problem->A.dof_start[problem->A.body_count]);
    if (!S->q || !w || !v)
        return FIL_NO_MEMORY;
    // S->q is still zero: the impulse of a free motion.
    fil_contact_strands_product_velocity(S, S->q, v);
    fil_contact_strands_block(S, problem->w, w);
    fil_contact_strands_product_points(S, w, S->q);
    return FIL_OK;
}

static fil_status build_form(builder *build, fil_arena *arena, fil_arena *scratch)
{
    fil_contact_strands *S = build->S;
    const fil_contact_problem *problem = build->problem;
    S->blocks = (problem->contact_count + LANES - 1) / LANES;
    int64_t size = FIL_STRANDS_BLOCK * (int64_t)S->blocks, places = LANES * (int64_t)S->blocks;
    int *order = FIL_ARENA_ARRAY(scratch, int, problem->contact_count);
    fil_status status = order ? form_packs(build, arena, scratch) : FIL_NO_MEMORY;
    if (status == FIL_OK)
        status = order_contacts(build, arena, scratch, order);
    if (status == FIL_OK)
        status = order_sides(build, arena, scratch, order);
    if (status != FIL_OK)
        return status;
    S->numbers.frame = FIL_ARENA_ARRAY(arena, double, 3 * size);
    S->numbers.weight = FIL_ARENA_ARRAY(arena, double, 2 * (int64_t)problem->H.side_start[problem->contact_count]);
    S->numbers.force = FIL_ARENA_ARRAY(arena, double, 4 * places);
    S->numbers.point = FIL_ARENA_ARRAY(arena, double, 8 * places);
    if (!S->numbers.frame || !S->numbers.weight || !S->numbers.force || !S->numbers.point)
        return FIL_NO_MEMORY;
    fil_parallel_for(build->S->context, problem->contact_count, contact_grain, read_contacts, build);
    if (build->failed)
        return FIL_OK;
    S->numbers.factor = FIL_ARENA_RAW(arena, double, S->factor_start[S->packs]);
    if (!S->numbers.factor)
        return FIL_NO_MEMORY;
    fil_parallel_for(S->context, S->packs, pack_grain, factor_packs, build);
    return FIL_OK;
}

fil_status fil_contact_strands_make(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                                    fil_contact_strands **out)
{
    *out = NULL;
    if (!problem->has_primal || !has_pattern(problem))
        return FIL_OK;
    fil_arena *scratch = fil_arena_borrow(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    fil_arena_mark mark = fil_arena_mark_now(arena);
    fil_contact_strands *S = FIL_ARENA_ARRAY(arena, fil_contact_strands, 1);
    fil_status status = S ? FIL_OK : FIL_NO_MEMORY;
    if (S) {
        *S = (fil_contact_strands){.context = context, .problem = problem};
        builder build = {.S = S, .problem = problem};
        status = build_form(&build, arena, scratch);
        bool found = status == FIL_OK && !build.failed;
        if (found)
            status = find_free_velocity(S, arena, scratch);
        if (found && status == FIL_OK)
            status = fil_contact_strands_diagonal(S, arena);
        if (found && status == FIL_OK)
            *out = S;
        else
            fil_arena_rewind(arena, mark);
    }
    fil_arena_give_back(scratch);
    return status;
}

typedef struct convert_job {
    fil_contact_strands *S;
    double unit; // impulse over velocity
} convert_job;

// Eight lanes of floats from two times four of doubles.
void fil_contact_strands_round(const fil_contact_strands *strands, int64_t pack, double unit, const double *from,
                               float *to)
{
    int64_t width = strands->bandwidth[pack] + 1, entries = strands->rows[pack] * width;
    for (int64_t k = 0; k < entries; ++k) {
        double scale = k % width == 0 ? unit : 1; // of 1 / D; L has none
        for (int lane = 0; lane < LANES; ++lane)
            to[LANES * k + lane] = (float)(scale * from[HALF * (k + lane / HALF * entries) + lane % HALF]);
    }
}

static void convert_packs(void *data, int64_t begin, int64_t end)
{
    const convert_job *job = data;
    const fil_contact_strands *S = job->S;
    for (int64_t pack = begin; pack < end; ++pack)
        fil_contact_strands_round(S, pack, job->unit, S->numbers.factor + S->factor_start[pack],
                                  S->numbers_float.factor + S->factor_start[pack]);
}

fil_status fil_contact_strands_add_float_sides(fil_contact_strands *strands, fil_arena *arena)
{
    fil_contact_strands *S = strands;
    int64_t size = FIL_STRANDS_BLOCK * (int64_t)S->blocks, weights = 2 * (int64_t)S->side_start[2 * S->packs];
    S->numbers_float.frame = FIL_ARENA_ARRAY(arena, float, 3 * size);
    S->numbers_float.weight = FIL_ARENA_ARRAY(arena, float, weights);
    if (!S->numbers_float.frame || !S->numbers_float.weight)
        return FIL_NO_MEMORY;
    for (int64_t k = 0; k < 3 * size; ++k)
        S->numbers_float.frame[k] = (float)S->numbers.frame[k];
    for (int64_t k = 0; k < weights; ++k)
        S->numbers_float.weight[k] = (float)S->numbers.weight[k];
    return FIL_OK;
}

fil_status fil_contact_strands_add_float(fil_contact_strands *strands, fil_arena *arena, double impulse,
                                         double velocity)
{
    fil_contact_strands *S = strands;
    int64_t places = LANES * (int64_t)S->blocks;
    S->numbers_float.factor = FIL_ARENA_RAW(arena, float, S->factor_start[S->packs]);
    S->numbers_float.force = FIL_ARENA_ARRAY(arena, float, 4 * places);
    S->numbers_float.point = FIL_ARENA_ARRAY(arena, float, 8 * places);
    if (!S->numbers_float.factor || !S->numbers_float.force || !S->numbers_float.point)
        return FIL_NO_MEMORY;
    convert_job job = {.S = S, .unit = impulse / velocity};
    fil_parallel_for(S->context, S->busy_packs, pack_grain, convert_packs, &job);
    return fil_contact_strands_add_float_sides(S, arena);
}

typedef struct block_job {
    const int *slot;
    const double *from;
    double *to;
} block_job;

static void block_range(void *data, int64_t begin, int64_t end)
{
    const block_job *job = data;
    for (int64_t i = begin; i < end; ++i)
        for (int k = 0; k < 3; ++k)
            job->to[job->slot[i] + LANES * k] = job->from[3 * i + k];
}

static void unblock_range(void *data, int64_t begin, int64_t end)
{
    const block_job *job = data;
    for (int64_t i = begin; i < end; ++i)
        for (int k = 0; k < 3; ++k)
            job->to[3 * i + k] = job->from[job->slot[i] + LANES * k];
}

// NOLINTNEXTLINE(readability-non-const-parameter): written through the job
void fil_contact_strands_block(const fil_contact_strands *strands, const double *x, double *blocked)
{
    block_job job = {.slot = strands->slot, .from = x, .to = blocked};
    fil_parallel_for(strands->context, strands->problem->contact_count, contact_grain, block_range, &job);
}

// NOLINTNEXTLINE(readability-non-const-parameter): written through the job
void fil_contact_strands_unblock(const fil_contact_strands *strands, const double *blocked, double *x)
{
    block_job job = {.slot = strands->slot, .from = blocked, .to = x};
    fil_parallel_for(strands->context, strands->problem->contact_count, contact_grain, unblock_range, &job);
}
