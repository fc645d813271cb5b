// The symbolic part of W: contacts i and j have a block when a side of i and a side of j lie on one body.
//
// The sides of a body are sorted by contact, so a row of W is the union of the lists of its contact's sides, found by
// one merge. On the way each pair of sides learns where its block lies: filling W then needs no search. Where contacts
// share two bodies, a block is the sum of several pairs. The first writes into W; the others are late: they write
// aside and are added in the end, so that bodies can be worked on at the same time and sums have one order.
//
// One pass over all pairs, two whole numbers of memory for each.
#include "contact/contact_pattern.h"

#include "base/parallel.h"

#include <string.h>

typedef struct pattern_job {
    const fil_pattern *pattern;
    int *list;   // contacts of each body's sides, ascending, each list closed by INT32_MAX
    int *cursor; // [sides] where the merge stands in the list of the side's body
    const int64_t *start;
    int *column;
} pattern_job;

// The lists of body b begin at body_start[b] + b: one place more for each closing mark.
static void fill_lists(void *data, int64_t begin, int64_t end)
{
    const pattern_job *job = data;
    const fil_contact_operator *op = job->pattern->op;
    for (int64_t body = begin; body < end; ++body) {
        int *list = job->list + body;
        for (int m = op->body_start[body]; m < op->body_start[body + 1]; ++m)
            list[m] = op->side_contact[op->body_side[m]];
        list[op->body_start[body + 1]] = INT32_MAX;
    }
}

static void merge_row(const pattern_job *job, int64_t i)
{
    const fil_pattern *pattern = job->pattern;
    const fil_contact_jacobian *H = &pattern->problem->H;
    int first = H->side_start[i], last = H->side_start[i + 1], columns = 0, late = 0;
    int *entry = pattern->entry + pattern->pair_start[first], *end = pattern->entry + pattern->pair_start[last];
    int *cursor = job->cursor;
    for (int s = first; s < last; ++s)
        cursor[s] = pattern->op->body_start[H->body[s]] + H->body[s];
    for (;;) {
        int nearest = INT32_MAX;
        for (int s = first; s < last; ++s)
            nearest = job->list[cursor[s]] < nearest ? job->list[cursor[s]] : nearest;
        if (nearest == INT32_MAX)
            break;
        bool taken = false;
        for (int s = first; s < last; ++s) {
            int *place = pattern->place + pattern->pair_start[s] - pattern->op->body_start[H->body[s]] - H->body[s];
            for (; job->list[cursor[s]] == nearest; taken = true) {
                if (taken)
                    *(end - 1 - late) = columns;
                place[cursor[s]++] = taken ? ~late++ : columns;
            }
        }
        entry[columns++] = nearest;
    }
    pattern->column_count[i] = columns;
    pattern->late_start[i + 1] = late;
}

static void merge_rows(void *data, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i)
        merge_row(data, i);
}

fil_status fil_pattern_make(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                            const fil_contact_operator *op, int64_t *start, fil_pattern *out)
{
    int n = problem->contact_count, sides = problem->H.side_start[n], bodies = problem->A.body_count;
    *out = (fil_pattern){
        .problem = problem,
        .op = op,
        .pair_start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)sides + 1),
        .column_count = FIL_ARENA_ARRAY(arena, int, n),
        .late_start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)n + 1),
    };
    pattern_job job = {.pattern = out,
                       .list = FIL_ARENA_ARRAY(arena, int, (int64_t)sides + bodies),
                       .cursor = FIL_ARENA_ARRAY(arena, int, sides)};
    if (!out->pair_start || !out->column_count || !out->late_start || !job.list || !job.cursor)
        return FIL_NO_MEMORY;
    for (int s = 0; s < sides; ++s) {
        int body = problem->H.body[s];
        out->pair_start[s + 1] = out->pair_start[s] + op->body_start[body + 1] - op->body_start[body];
    }
    out->place = FIL_ARENA_RAW(arena, int, out->pair_start[sides]);
    out->entry = FIL_ARENA_RAW(arena, int, out->pair_start[sides]);
    if (!out->place || !out->entry)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, bodies, 256, fill_lists, &job);
    fil_parallel_for(context, n, 128, merge_rows, &job);
    for (int i = 0; i < n; ++i) {
        // A contact without sides still has its diagonal.
        start[i + 1] = start[i] + (out->column_count[i] > 0 ? out->column_count[i] : 1);
        out->late_start[i + 1] += out->late_start[i];
    }
    return FIL_OK;
}

static void copy_columns(void *data, int64_t begin, int64_t end)
{
    const pattern_job *job = data;
    const fil_pattern *pattern = job->pattern;
    for (int64_t i = begin; i < end; ++i) {
        int *column = job->column + job->start[i], count = pattern->column_count[i];
        *column = (int)i;
        memcpy(column, pattern->entry + pattern->pair_start[pattern->problem->H.side_start[i]],
               (size_t)count * sizeof *column);
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): rows are written through the job
void fil_pattern_columns(fil_context *context, const fil_pattern *pattern, const int64_t *start, int *column)
{
    pattern_job job = {.pattern = pattern, .start = start, .column = column};
    fil_parallel_for(context, pattern->problem->contact_count, 256, copy_columns, &job);
}
