// Orders of contacts for sweeps on several threads. They depend on the problem alone, so that a sweep gives the same
// bits on any number of threads.
//
// By colours: consecutive contacts form chunks, which are coloured greedily so that no two of one colour share a block
// of W; a colour is a round. Chunks keep the rows of W in streaming order; single contacts of one colour would jump
// through memory.
//
// By bodies: neighbours in the graph of bodies that touch (breadth first) form parts with about as many contacts each.
// Contacts inside the parts are the first round, a task for each part. Contacts between two parts are a task each;
// tasks are put into rounds, the largest first, so that no part is in two of a round. A sweep then waits a dozen times
// where colours wait fifty.
#include "contact/contact_schedule.h"

#include <string.h>

// ---- by colours

enum { CHUNK = 16 };

static int chunk_end(const fil_block_matrix *W, int chunk)
{
    int end = (chunk + 1) * CHUNK;
    return end < W->rows ? end : W->rows;
}

// Chunks are coloured in order; each takes the lowest colour that no neighbour has. Returns how many colours there are.
static int colour_chunks(const fil_block_matrix *W, int chunks, int *colour, int *seen)
{
    int colours = 0;
    for (int c = 0; c < chunks; ++c)
        colour[c] = -1;
    for (int c = 0; c < chunks; ++c) {
        for (int64_t k = W->start[c * CHUNK]; k < W->start[chunk_end(W, c)]; ++k) {
            int other = colour[W->column[k] / CHUNK];
            if (other >= 0)
                seen[other] = c + 1;
        }
        int lowest = 0;
        while (seen[lowest] == c + 1)
            ++lowest;
        colour[c] = lowest;
        colours = lowest >= colours ? lowest + 1 : colours;
    }
    return colours;
}

// A counting sort: start[key + 1] becomes where the items of the key end, order[] the items by their keys.
static void sort_by_key(const int *key, int count, int keys, int *start, int *next, int *order)
{
    memset(start, 0, ((size_t)keys + 1) * sizeof *start);
    for (int i = 0; i < count; ++i)
        ++start[key[i] + 1];
    for (int k = 0; k < keys; ++k)
        start[k + 1] += start[k];
    memcpy(next, start, (size_t)keys * sizeof *next);
    for (int i = 0; i < count; ++i)
        order[next[key[i]]++] = i;
}

fil_status fil_contact_schedule_by_colours(const fil_contact_problem *problem, fil_arena *arena,
                                           fil_contact_schedule *out)
{
    const fil_block_matrix *W = &problem->W;
    int chunks = (W->rows + CHUNK - 1) / CHUNK;
    int *colour = FIL_ARENA_RAW(arena, int, chunks), *seen = FIL_ARENA_ARRAY(arena, int, (int64_t)chunks + 1);
    int *order = FIL_ARENA_RAW(arena, int, chunks);
    *out = (fil_contact_schedule){.tasks = chunks,
                                  .grain = 4,
                                  .round_start = FIL_ARENA_RAW(arena, int, (int64_t)chunks + 1),
                                  .task_start = FIL_ARENA_ARRAY(arena, int, (int64_t)chunks + 1),
                                  .contact = FIL_ARENA_RAW(arena, int, W->rows)};
    if (!colour || !seen || !order || !out->round_start || !out->task_start || !out->contact)
        return FIL_NO_MEMORY;
    out->rounds = colour_chunks(W, chunks, colour, seen);
    sort_by_key(colour, chunks, out->rounds, out->round_start, seen, order);
    for (int task = 0, at = 0; task < chunks; ++task) {
        for (int i = order[task] * CHUNK; i < chunk_end(W, order[task]); ++i)
            out->contact[at++] = i;
        out->task_start[task + 1] = at;
    }
    return FIL_OK;
}

// ---- by bodies

enum { PARTS = 8, PAIRS = PARTS * PARTS, FEWEST_CONTACTS = 2000 };

// The contacts of each body.
typedef struct touching {
    int *start; // [bodies + 1]
    int *contact;
} touching;

static fil_status list_contacts(const fil_contact_problem *problem, fil_arena *arena, touching *out)
{
    const fil_contact_jacobian *H = &problem->H;
    int sides = H->side_start[problem->contact_count], bodies = problem->A.body_count;
    int *next = FIL_ARENA_RAW(arena, int, (int64_t)bodies + 1);
    out->start = FIL_ARENA_RAW(arena, int, (int64_t)bodies + 1);
    out->contact = FIL_ARENA_RAW(arena, int, sides);
    if (!next || !out->start || !out->contact)
        return FIL_NO_MEMORY;
    sort_by_key(H->body, sides, bodies, out->start, next, out->contact);
    // From sides to their contacts: sides come in the order of contacts.
    int *contact_of = FIL_ARENA_RAW(arena, int, sides);
    if (!contact_of)
        return FIL_NO_MEMORY;
    for (int i = 0; i < problem->contact_count; ++i)
        for (int side = H->side_start[i]; side < H->side_start[i + 1]; ++side)
            contact_of[side] = i;
    for (int k = 0; k < sides; ++k)
        out->contact[k] = contact_of[out->contact[k]];
    return FIL_OK;
}

// Breadth first from the first body that is left, until all have a part; a part is full when it has its share of sides.
static void divide_bodies(const fil_contact_problem *problem, const touching *touching, int *queue, int *part)
{
    const fil_contact_jacobian *H = &problem->H;
    int bodies = problem->A.body_count, sides = touching->start[bodies], queued = 0;
    int64_t given = 0;
    for (int b = 0; b < bodies; ++b)
        part[b] = -1;
    for (int b = 0, head = 0; b < bodies; ++b) {
        if (part[b] >= 0)
            continue;
        part[b] = 0;
        queue[queued++] = b;
        for (; head < queued; ++head) {
            int body = queue[head];
            part[body] = (int)(given * PARTS / (sides + 1));
            given += touching->start[body + 1] - touching->start[body];
            for (int k = touching->start[body]; k < touching->start[body + 1]; ++k)
                for (int side = H->side_start[touching->contact[k]]; side < H->side_start[touching->contact[k] + 1];
                     ++side)
                    if (part[H->body[side]] < 0) {
                        part[H->body[side]] = 0;
                        queue[queued++] = H->body[side];
                    }
        }
    }
}

// A contact belongs to the parts of its two bodies: lower × PARTS + higher.
static int pair_of(const fil_contact_problem *problem, const int *part, int contact)
{
    const fil_contact_jacobian *H = &problem->H;
    int first = H->side_start[contact], last = H->side_start[contact + 1] - 1;
    int p = last >= first ? part[H->body[first]] : 0, q = last >= first ? part[H->body[last]] : 0;
    return p < q ? p * PARTS + q : q * PARTS + p;
}

// The round of each pair of parts that has contacts: 0 for a part with itself, then the first in which both are free.
// Returns how many rounds there are.
static int choose_rounds(const int *size, int *round)
{
    bool busy[PAIRS + 1][PARTS] = {0};
    int rounds = 1;
    for (int pair = 0; pair < PAIRS; ++pair)
        round[pair] = pair / PARTS == pair % PARTS ? 0 : -1;
    for (;;) {
        int largest = -1;
        for (int pair = 0; pair < PAIRS; ++pair)
            if (round[pair] < 0 && size[pair] > 0 && (largest < 0 || size[pair] > size[largest]))
                largest = pair;
        if (largest < 0)
            return rounds;
        int p = largest / PARTS, q = largest % PARTS, free = 1;
        while (busy[free][p] || busy[free][q])
            ++free;
        busy[free][p] = busy[free][q] = true;
        round[largest] = free;
        rounds = free >= rounds ? free + 1 : rounds;
    }
}

// Pairs of parts are tasks, in the order of their rounds.
static void put_in_order(const int *pair, int count, const int *size, fil_contact_schedule *out)
{
    int round[PAIRS], task_of[PAIRS], next[PAIRS];
    out->rounds = choose_rounds(size, round);
    for (int r = 0; r < out->rounds; ++r) {
        for (int p = 0; p < PAIRS; ++p) {
            if (round[p] != r || size[p] == 0)
                continue;
            task_of[p] = out->tasks++;
            out->task_start[task_of[p] + 1] = out->task_start[task_of[p]] + size[p];
            next[p] = out->task_start[task_of[p]];
        }
        out->round_start[r + 1] = out->tasks;
    }
    for (int i = 0; i < count; ++i)
        out->contact[next[pair[i]]++] = i;
}

fil_status fil_contact_schedule_by_bodies(const fil_contact_problem *problem, fil_arena *arena, bool *made,
                                          fil_contact_schedule *out)
{
    int count = problem->contact_count, bodies = problem->A.body_count, size[PAIRS] = {0};
    *made = false;
    if (!problem->H.side_start || count < FEWEST_CONTACTS)
        return FIL_OK;
    for (int i = 0; i < count; ++i)
        if (problem->H.side_start[i + 1] - problem->H.side_start[i] > 2)
            return FIL_OK;
    touching touching;
    int *queue = FIL_ARENA_RAW(arena, int, bodies), *part = FIL_ARENA_RAW(arena, int, bodies);
    int *pair = FIL_ARENA_RAW(arena, int, count);
    *out = (fil_contact_schedule){.grain = 1,
                                  .round_start = FIL_ARENA_ARRAY(arena, int, PAIRS + 1),
                                  .task_start = FIL_ARENA_ARRAY(arena, int, PAIRS + 1),
                                  .contact = FIL_ARENA_RAW(arena, int, count)};
    if (!queue || !part || !pair || !out->round_start || !out->task_start || !out->contact ||
        list_contacts(problem, arena, &touching) != FIL_OK)
        return FIL_NO_MEMORY;
    divide_bodies(problem, &touching, queue, part);
    for (int i = 0; i < count; ++i)
        ++size[pair[i] = pair_of(problem, part, i)];
    put_in_order(pair, count, size, out);
    *made = true;
    return FIL_OK;
}
