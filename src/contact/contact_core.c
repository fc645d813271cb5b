// After some sweeps nearly all contacts are solved and a few are not: strands that lie along each other, or that others
// squeeze. More sweeps over all would visit the rest in vain. These few, with their near neighbours, are the core. It
// falls into clusters that are hardly coupled; each is a problem of its own:
//
//   u_C = W_CC r_C + q_C,     q_C = u_C(now) - W_CC r_C(now)
//
// and when all are solved, sweeps over all take what they changed to the others. In a cluster again only a few contacts
// may be hard, so `auto`, which solves it, goes on like this (contact_auto.c) until Newton's method takes the last
// dozens.
//
// Near: |W_ij|^2 > strong^2 |W_ii| |W_jj|, and pressing. A contact that is not may open or close in the sweeps.
//
// Cost: one pass over W to choose, a copy of the blocks of the core.
#include "contact/contact_core.h"

#include "base/arena.h"
#include "contact/contact.h"
#include "contact/contact_block.h"
#include "math/mat3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_hard = 0.05; // of all contacts
static const double most_core = 0.5;  // of all contacts, with neighbours: else nothing is won
static const double left = 0.3;       // of the tolerance: what the other contacts and the core may have left in the end
static const double strong = 0.2;     // coupling

typedef struct core {
    fil_contact_watch *watch;
    fil_arena *arena;
    bool *marked;        // [contacts] of the whole: it is in the core, and not in a cluster yet
    int *number;         // [contacts] of the whole: the number in the cluster at hand, or -1
    int *contact, count; // [count] the contacts of the cluster at hand, in ascending order
    int size;            // contacts of the core
    fil_contact_problem problem;
} core;

// ---- choosing

// The contacts with the largest residuals, until what the others have is good enough.
static fil_status mark_hard(core *self, const double *r)
{
    const fil_contact_watch *watch = self->watch;
    int n = watch->task->problem->contact_count;
    const fil_hard_contact *list = fil_contact_watch_hardest(watch, self->arena, r);
    if (!list)
        return FIL_NO_MEMORY;
    double rest = 0, enough = left * watch->task->tolerance * watch->merit.rho * watch->merit.norm_q;
    for (int i = 0; i < n; ++i)
        rest += list[i].square;
    for (int k = 0; k < most_hard * n && rest > enough * enough; ++k) {
        rest -= list[k].square;
        self->contact[self->count++] = list[k].contact;
        self->marked[list[k].contact] = true;
    }
    return FIL_OK;
}

// The square of the Frobenius norm.
static double size_of(const double block[9])
{
    double sum = 0;
    for (int k = 0; k < 9; ++k)
        sum += block[k] * block[k];
    return sum;
}

static double size_of_diagonal(const fil_block_matrix *W, int i)
{
    return size_of(W->value + 9 * fil_block_find(W, i, i));
}

// Whether block k of row i, whose diagonal block is as large as `own`, couples contacts strongly.
static bool is_strong(const fil_block_matrix *W, double own, int64_t k)
{
    const double least = strong * strong * strong * strong;
    double size = size_of(W->value + 9 * k);
    return size * size > least * own * size_of_diagonal(W, W->column[k]);
}

static void mark_neighbours(core *self, const double *r)
{
    const fil_block_matrix *W = &self->watch->task->problem->W;
    self->size = self->count;
    for (int c = 0; c < self->count; ++c) {
        int i = self->contact[c];
        double own = size_of_diagonal(W, i);
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            int j = W->column[k];
            if (self->marked[j] || !(r[3 * (ptrdiff_t)j] > 0) || !is_strong(W, own, k))
                continue;
            self->marked[j] = true;
            ++self->size;
        }
    }
}

static fil_status mark(core *self, const double *r)
{
    int n = self->watch->task->problem->contact_count;
    self->marked = FIL_ARENA_ARRAY(self->arena, bool, n);
    self->number = FIL_ARENA_RAW(self->arena, int, n);
    self->contact = FIL_ARENA_RAW(self->arena, int, n);
    if (!self->marked || !self->number || !self->contact || mark_hard(self, r) != FIL_OK)
        return FIL_NO_MEMORY;
    mark_neighbours(self, r);
    for (int i = 0; i < n; ++i)
        self->number[i] = -1;
    return FIL_OK;
}

static int compare_contacts(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// The cluster of a contact: all that strong couplings lead to.
static void gather(core *self, int first)
{
    const fil_block_matrix *W = &self->watch->task->problem->W;
    self->count = 0;
    self->contact[self->count++] = first;
    self->marked[first] = false;
    for (int c = 0; c < self->count; ++c) {
        int i = self->contact[c];
        double own = size_of_diagonal(W, i);
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            int j = W->column[k];
            if (!self->marked[j] || !is_strong(W, own, k))
                continue;
            self->marked[j] = false;
            self->contact[self->count++] = j;
        }
    }
    qsort(self->contact, (size_t)self->count, sizeof *self->contact, compare_contacts);
    for (int c = 0; c < self->count; ++c)
        self->number[self->contact[c]] = c;
}

static void forget(core *self)
{
    for (int c = 0; c < self->count; ++c)
        self->number[self->contact[c]] = -1;
}

// ---- solving

static int64_t count_blocks(const core *self)
{
    const fil_block_matrix *W = &self->watch->task->problem->W;
    int64_t blocks = 0;
    for (int c = 0; c < self->count; ++c)
        for (int64_t k = W->start[self->contact[c]]; k < W->start[self->contact[c] + 1]; ++k)
            blocks += self->number[W->column[k]] >= 0;
    return blocks;
}

static fil_status make_room(core *self, int64_t blocks)
{
    fil_arena *arena = self->arena;
    int64_t count = self->count;
    self->problem = (fil_contact_problem){
        .contact_count = self->count,
        .file_dim = self->watch->task->problem->file_dim,
        .mu = FIL_ARENA_RAW(arena, double, count),
        .has_dual = true,
        .W = {.rows = self->count,
              .start = FIL_ARENA_ARRAY(arena, int64_t, count + 1),
              .column = FIL_ARENA_RAW(arena, int, blocks),
              .value = FIL_ARENA_ARRAY(arena, double, 9 * blocks + 4)},
        .q = FIL_ARENA_RAW(arena, double, 3 * count),
    };
    const fil_contact_problem *made = &self->problem;
    return made->mu && made->W.start && made->W.column && made->W.value && made->q ? FIL_OK : FIL_NO_MEMORY;
}

// W_CC, q_C and the impulses so far.
static void cut_out(core *self, const double *r, double *own)
{
    const fil_contact_problem *whole = self->watch->task->problem;
    fil_contact_problem *problem = &self->problem;
    int64_t to = 0;
    for (ptrdiff_t c = 0; c < self->count; ++c) {
        ptrdiff_t i = self->contact[c];
        double pushed[3] = {0};
        for (int64_t k = whole->W.start[i]; k < whole->W.start[i + 1]; ++k) {
            int j = whole->W.column[k];
            if (self->number[j] < 0)
                continue;
            problem->W.column[to] = self->number[j];
            memcpy(problem->W.value + 9 * to++, whole->W.value + 9 * k, 9 * sizeof(double));
            fil_mat3_add_vector(whole->W.value + 9 * k, r + 3 * (ptrdiff_t)j, pushed);
        }
        problem->W.start[c + 1] = to;
        problem->mu[c] = whole->mu[i];
        for (int k = 0; k < 3; ++k) {
            problem->q[3 * c + k] = self->watch->u[3 * i + k] - pushed[k];
            own[3 * c + k] = r[3 * i + k];
        }
    }
}

// The share of the cluster in what may be left, on the scale of its own residual.
static double tolerance_of_cluster(const core *self)
{
    const fil_contact_watch *watch = self->watch;
    double square = 0;
    for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)self->count; ++k)
        square += self->problem.q[k] * self->problem.q[k];
    double share = sqrt((double)self->count / self->size);
    double tolerance = left * share * watch->task->tolerance * watch->merit.norm_q / sqrt(square);
    return fmin(fmax(tolerance, 1e-12), 1e-3);
}

static bool still_wanted(void *user, const fil_progress *point)
{
    const fil_contact_watch *watch = user;
    fil_progress whole = *point;
    whole.phase = watch->phase;
    whole.iterations = watch->stats->iterations;
    whole.residual = watch->residual;
    whole.best = watch->least;
    return !watch->task->progress || watch->task->progress(watch->task->user, &whole);
}

// The cluster at hand. *work: block visits.
static fil_status solve(core *self, double *r, double *work)
{
    fil_contact_watch *watch = self->watch;
    int64_t blocks = count_blocks(self);
    double *own = FIL_ARENA_RAW(self->arena, double, 3 * (int64_t)self->count);
    if (!own || make_room(self, blocks) != FIL_OK)
        return FIL_NO_MEMORY;
    cut_out(self, r, own);
    fil_contact_def def = fil_contact_def_default();
    def.solver = "auto:largest_newton=300"; // a thousand contacts would take seconds
    def.tolerance = tolerance_of_cluster(self);
    def.max_iterations = 1000;
    def.warm = true;
    def.progress = still_wanted;
    def.user = watch;
    fil_solve_stats stats;
    fil_status status = fil_contact_solve(watch->task->context, &self->problem, &def, own, NULL, NULL, &stats);
    if (status != FIL_OK)
        return status;
    for (ptrdiff_t c = 0; c < self->count; ++c)
        memcpy(r + 3 * (ptrdiff_t)self->contact[c], own + 3 * c, 3 * sizeof *own);
    *work += (double)stats.iterations * (double)blocks;
    return FIL_OK;
}

static fil_status solve_clusters(core *self, double *r)
{
    const fil_block_matrix *W = &self->watch->task->problem->W;
    fil_status status = FIL_OK;
    double work = 0;
    for (int i = 0; i < W->rows && status == FIL_OK; ++i) {
        if (!self->marked[i])
            continue;
        fil_arena_mark mark = fil_arena_mark_now(self->arena);
        gather(self, i);
        status = solve(self, r, &work);
        forget(self);
        fil_arena_rewind(self->arena, mark);
    }
    // Counted as the sweeps over all that would have been as much work.
    fil_contact_watch_count(self->watch, 1 + (int64_t)(work / (double)W->start[W->rows]), 0);
    return status;
}

fil_status fil_contact_core_run(fil_contact_watch *watch, double *r, bool *found)
{
    *found = false;
    watch->phase = "core";
    if (fil_contact_watch_judge(watch, r))
        return FIL_OK;
    core self = {.watch = watch, .arena = fil_arena_borrow(watch->task->context)};
    fil_status status = self.arena ? mark(&self, r) : FIL_NO_MEMORY;
    *found = status == FIL_OK && self.size <= most_core * watch->task->problem->contact_count;
    if (*found)
        status = solve_clusters(&self, r);
    fil_arena_give_back(self.arena);
    if (status == FIL_OK && *found)
        fil_contact_watch_judge(watch, r);
    return status;
}
