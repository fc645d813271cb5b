// A reproducible family of contact problems from real strands: one step of clumps of hair on a flat body.
//
//   A = M + h² K,   b = M v + h (gravity - gradient of the elastic energy),   w_N = gap / h
//
// K is the Gauss-Newton Hessian with filtered stretch of `der`, positive semi-definite, so A is positive definite with
// half-bandwidth 10. The unknowns of a strand are x y z θ of its vertices, without those that the clamp at the root
// holds and without the idle angle behind the tip: a body has 4 vertices - 8 dofs and begins with an angle. A side of a
// contact is a point of an edge, H = ± F [(1 - s) I, 0, s I]: a run of 7 dofs; F has the normal and two tangents as
// rows. All gaps are w_N >= 0 and rest (v = 0) obeys all limits, so a solution exists.
//
// The groom and its motion: contact_hair_groom.c; who touches whom: contact_hair_touch.c. Nothing depends on the number
// of threads. Linear in size: clumps are compiled in batches, so that besides the problem only positions and touches
// are in memory.
#include "contact/contact_hair.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "math/mat3.h"
#include "strand/strand.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// Held are the first two vertices and the angle between them.
enum { DOFS = 4, HELD = 7, BANDWIDTH = 10, SIDE = 7, BATCH = 64, LEAST_VERTICES = 4 };

static const double gravity = 9.81;
static const double load_speed = 0.3;  // m/s: the impulse of a load, over the mass of an edge
static const double load_depth = 1e-5; // m: how far closed contacts overlap until they carry half of it

typedef struct hair_work {
    const fil_contact_hair *def;
    fil_contact_problem *problem;
    double *x, *radius; // [3 vertices of all strands], [strands]
    fil_contact_hair_touch *touch;
    int touch_count;
} hair_work;

// A clump, compiled, and room to assemble it in.
typedef struct clump {
    int first;     // strand
    double weight; // m/s², what elasticity does not carry of gravity
    fil_strands strands;
    double *gradient, *band; // of one pack
} clump;

typedef struct batch {
    const hair_work *work;
    clump clumps[BATCH];
} batch;

fil_contact_hair fil_contact_hair_default(void)
{
    return (fil_contact_hair){.strands = 200,
                              .vertices = 40,
                              .contacts_per_strand = 25,
                              .shape = FIL_HAIR_WAVY,
                              .step = 2e-3,
                              .mu = 0.3,
                              .seed = 1};
}

const char *fil_contact_hair_shape_name(fil_contact_hair_shape shape)
{
    static const char *const names[FIL_HAIR_SHAPES] = {"straight", "wavy", "curly", "parallel"};
    return names[shape];
}

static fil_status check_hair(fil_context *context, const fil_contact_hair *def)
{
    const int most_strands = 10000000, most_vertices = 100000;
    const double most_contacts = 1e5;
    if (def->strands < 1 || def->strands > most_strands)
        return fil_context_fail(context, FIL_BAD_INPUT, "strands: must be from 1 to %d (got %d)", most_strands,
                                def->strands);
    if (def->vertices < LEAST_VERTICES || def->vertices > most_vertices)
        return fil_context_fail(context, FIL_BAD_INPUT, "vertices: must be from %d to %d (got %d)", LEAST_VERTICES,
                                most_vertices, def->vertices);
    if (!(def->contacts_per_strand >= 0) || def->contacts_per_strand > most_contacts)
        return fil_context_fail(context, FIL_BAD_INPUT, "contacts_per_strand: must be from 0 to %g (got %g)",
                                most_contacts, def->contacts_per_strand);
    if ((int)def->shape < 0 || def->shape >= FIL_HAIR_SHAPES)
        return fil_context_fail(context, FIL_BAD_INPUT, "shape: must be from 0 to %d (got %d)", FIL_HAIR_SHAPES - 1,
                                (int)def->shape);
    if (!(def->step >= 1e-6 && def->step <= 1))
        return fil_context_fail(context, FIL_BAD_INPUT, "step: must be from 1e-06 to 1 (got %g)", def->step);
    if (!(def->mu >= 0) || !isfinite(def->mu))
        return fil_context_fail(context, FIL_BAD_INPUT, "mu: must be a finite number >= 0 (got %g)", def->mu);
    if (def->index < 0 || def->index > 1000000)
        return fil_context_fail(context, FIL_BAD_INPUT, "index: must be from 0 to 1000000 (got %d)", def->index);
    if ((double)def->strands * def->vertices > 1e8 || def->strands * def->contacts_per_strand > 5e8)
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "strands: %d strands of %d vertices with %g contact sides are too many", def->strands,
                                def->vertices, def->contacts_per_strand);
    return FIL_OK;
}

static void place_strands(void *data, int64_t begin, int64_t end)
{
    const hair_work *self = data;
    for (int64_t i = begin; i < end; ++i) {
        fil_contact_hair_strand strand = fil_contact_hair_groom_strand(self->def, (int)i);
        fil_contact_hair_groom_place(self->def, &strand, self->x + 3 * i * self->def->vertices);
        self->radius[i] = strand.radius;
    }
}

// ---- A and b

// The strands of a clump as a group that the strand models take.
static fil_status compile_clump(fil_context *context, fil_arena *arena, const hair_work *self, clump *clump)
{
    const fil_contact_hair *def = self->def;
    int left = def->strands - clump->first, count = left < FIL_HAIR_CLUMP ? left : FIL_HAIR_CLUMP, n = def->vertices;
    int *vertices = FIL_ARENA_ARRAY(arena, int, count);
    double *rest = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)count * n);
    double *velocity = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)count * n);
    double *radius = FIL_ARENA_ARRAY(arena, double, (int64_t)count *n);
    clump->gradient = FIL_ARENA_ARRAY(arena, double, (int64_t)n *DOFS *FIL_LANES);
    clump->band = FIL_ARENA_ARRAY(arena, double, (int64_t)n *DOFS *(BANDWIDTH + 1) * FIL_LANES);
    if (!vertices || !rest || !velocity || !radius || !clump->gradient || !clump->band)
        return FIL_NO_MEMORY;
    const double *x = self->x + 3 * (int64_t)clump->first * n;
    for (int i = 0; i < count; ++i) {
        fil_contact_hair_strand strand = fil_contact_hair_groom_strand(def, clump->first + i);
        vertices[i] = n;
        clump->weight = gravity * strand.activity;
        fil_contact_hair_groom_rest(def, &strand, x + 3 * (int64_t)i * n, rest + 3 * (int64_t)i * n);
        fil_contact_hair_groom_velocity(def, &strand, velocity + 3 * (int64_t)i * n);
        for (int k = 0; k < n; ++k)
            radius[(int64_t)i * n + k] = strand.radius;
    }
    fil_group group = fil_group_default();
    group.material.density = FIL_HAIR_DENSITY;
    group.material.young = fil_contact_hair_groom_young(def, clump->first / FIL_HAIR_CLUMP);
    group.groom = (fil_groom){.strand_count = count,
                              .vertex_count = vertices,
                              .position = x,
                              .rest = rest,
                              .velocity = velocity,
                              .radius = radius};
    return fil_strands_build(context, arena, &group, "hair", &clump->strands);
}

// A and b of one strand from its lane of a pack.
static void take_lane(const hair_work *self, const clump *clump, int pack, int lane)
{
    const fil_strands *S = &clump->strands;
    int strand = clump->first + S->strand_of_slot[pack * FIL_LANES + lane];
    fil_body_matrix *A = &self->problem->A;
    int dofs = A->dof_start[strand + 1] - A->dof_start[strand], bandwidth = A->bandwidth[strand];
    double h = self->def->step, *value = A->value + A->value_start[strand];
    double *b = self->problem->b + A->dof_start[strand];
    int64_t first = S->pack_row[pack] * DOFS + HELD;
    for (int j = 0; j < dofs; ++j) {
        const double *column = clump->band + (int64_t)(HELD + j) * (BANDWIDTH + 1) * FIL_LANES + lane;
        double inertia = S->inertia[(first + j) * FIL_LANES + lane];
        for (int k = 0; k <= bandwidth && j + k < dofs; ++k)
            value[(int64_t)j * (bandwidth + 1) + k] = h * h * column[k * FIL_LANES];
        value[(int64_t)j * (bandwidth + 1)] += inertia;
        double force = -clump->gradient[(HELD + j) * FIL_LANES + lane];
        if ((HELD + j) % DOFS == 2)
            force -= clump->weight * inertia;
        b[j] = inertia * S->v[(first + j) * FIL_LANES + lane] + h * force;
    }
}

static void assemble_clumps(void *data, int64_t begin, int64_t end)
{
    batch *batch = data;
    int n = batch->work->def->vertices;
    for (int64_t i = begin; i < end; ++i) {
        clump *clump = &batch->clumps[i];
        const fil_strands *S = &clump->strands;
        const fil_strand_type *type = S->type;
        for (int pack = 0; pack < S->pack_count; ++pack) {
            int64_t row = S->pack_row[pack] * FIL_LANES;
            fil_strand_pack kernel = {.vertices = n,
                                      .constants = S->constants + row * type->constant_count,
                                      .strain = S->strain + row * type->strain_count,
                                      .stiffening = 1,
                                      .param = S->param};
            double energy[FIL_LANES] = {0};
            memset(clump->gradient, 0, (size_t)n * DOFS * FIL_LANES * sizeof(double));
            memset(clump->band, 0, (size_t)n * DOFS * (BANDWIDTH + 1) * FIL_LANES * sizeof(double));
            type->elastic(&kernel, S->q + row * DOFS, S->frame + row * type->frame_count, FIL_HESSIAN_MIXED, energy,
                          clump->gradient, clump->band);
            for (int lane = 0; lane < FIL_LANES && pack * FIL_LANES + lane < S->strand_count; ++lane)
                take_lane(batch->work, clump, pack, lane);
        }
    }
}

static fil_status assemble(fil_context *context, fil_arena *scratch, const hair_work *self)
{
    batch *batch = FIL_ARENA_ARRAY(scratch, struct batch, 1);
    if (!batch)
        return FIL_NO_MEMORY;
    batch->work = self;
    int strand = 0;
    while (strand < self->def->strands) {
        fil_arena_mark mark = fil_arena_mark_now(scratch);
        int count = 0;
        for (; count < BATCH && strand < self->def->strands; ++count, strand += FIL_HAIR_CLUMP) {
            batch->clumps[count].first = strand;
            fil_status status = compile_clump(context, scratch, self, &batch->clumps[count]);
            if (status != FIL_OK)
                return status;
        }
        fil_parallel_for(context, count, 1, assemble_clumps, batch);
        fil_arena_rewind(scratch, mark);
    }
    return FIL_OK;
}

// ---- H and w

// Creates the problem and lays out its arrays.
static fil_status lay_out(fil_context *context, hair_work *self)
{
    int strands = self->def->strands, n = self->touch_count, sides = 0;
    int dofs = DOFS * self->def->vertices - HELD - 1, bandwidth = dofs - 1 < BANDWIDTH ? dofs - 1 : BANDWIDTH;
    int64_t block = (int64_t)dofs * (bandwidth + 1);
    for (int i = 0; i < n; ++i)
        sides += self->touch[i].b < 0 ? 1 : 2;
    fil_status status = fil_contact_problem_create_primal(context, n, strands, strands * dofs, strands * block, sides,
                                                          (int64_t)sides * 3 * SIDE, &self->problem);
    if (status != FIL_OK)
        return status;
    fil_body_matrix *A = &self->problem->A;
    for (int i = 0; i < strands; ++i) {
        A->dof_start[i + 1] = A->dof_start[i] + dofs;
        A->bandwidth[i] = bandwidth;
        A->value_start[i + 1] = A->value_start[i] + block;
    }
    fil_contact_jacobian *H = &self->problem->H;
    for (int i = 0; i < n; ++i)
        H->side_start[i + 1] = H->side_start[i] + (self->touch[i].b < 0 ? 1 : 2);
    for (int side = 0; side < sides; ++side)
        H->value_start[side + 1] = H->value_start[side] + (int64_t)3 * SIDE;
    return FIL_OK;
}

static void point_of(const double *x, int edge, double at, double out[3])
{
    const double *p = x + 3 * (int64_t)edge;
    for (int k = 0; k < 3; ++k)
        out[k] = (1 - at) * p[k] + at * p[3 + k];
}

// Takes away the part of v along the unit vector n and makes v a unit vector; `spare` replaces a v along n.
static void make_square(const double n[3], const double spare[3], double v[3])
{
    for (int trial = 0; trial < 2; ++trial) {
        double along = fil_vec3_dot(v, n), before = fil_vec3_norm(v);
        for (int k = 0; k < 3; ++k)
            v[k] -= along * n[k];
        if (fil_vec3_normalise(v) > 1e-6 * before)
            return;
        memcpy(v, spare, 3 * sizeof *v);
    }
}

// Rows: the normal towards edge a, a tangent along the edge, a tangent across.
static void frame_of(const hair_work *self, const fil_contact_hair_touch *touch, double F[3][3])
{
    double a[3], b[3], t[3];
    const double *p = self->x + 3 * (int64_t)touch->a;
    point_of(self->x, touch->a, touch->at_a, a);
    for (int k = 0; k < 3; ++k)
        t[k] = p[3 + k] - p[k];
    memcpy(F[0], (double[]){0, 0, 1}, sizeof F[0]);
    if (touch->b >= 0) {
        point_of(self->x, touch->b, touch->at_b, b);
        for (int k = 0; k < 3; ++k)
            F[0][k] = a[k] - b[k];
        if (fil_vec3_normalise(F[0]) < 1e-9) {
            // They cross in one point: any direction across the edge is a normal.
            fil_vec3_normalise(t);
            memcpy(F[0], (double[]){0, 0, 1}, sizeof F[0]);
            make_square(t, (double[]){0, 1, 0}, F[0]);
        }
    }
    memcpy(F[1], t, sizeof F[1]);
    make_square(F[0], (double[]){F[0][1], F[0][2], -F[0][0]}, F[1]);
    fil_vec3_cross(F[0], F[1], F[2]);
}

static void fill_side(const hair_work *self, int side, double sign, int edge, double at, double F[3][3])
{
    fil_contact_jacobian *H = &self->problem->H;
    int n = self->def->vertices;
    H->body[side] = edge / n;
    H->first_dof[side] = DOFS * (edge % n) - HELD;
    H->dof_count[side] = SIDE;
    double *value = H->value + H->value_start[side];
    for (int k = 0; k < 3; ++k)
        for (int row = 0; row < 3; ++row) {
            value[3 * k + row] = sign * (1 - at) * F[row][k];
            value[3 * (DOFS + k) + row] = sign * at * F[row][k];
        }
}

static void fill_contacts(void *data, int64_t begin, int64_t end)
{
    const hair_work *self = data;
    fil_contact_problem *problem = self->problem;
    for (int64_t i = begin; i < end; ++i) {
        const fil_contact_hair_touch *touch = &self->touch[i];
        double F[3][3];
        int side = problem->H.side_start[i];
        frame_of(self, touch, F);
        fill_side(self, side, 1, touch->a, touch->at_a, F);
        if (touch->b >= 0)
            fill_side(self, side + 1, -1, touch->b, touch->at_b, F);
        problem->w[3 * i] = touch->gap > 0 ? touch->gap / self->def->step : 0;
        problem->mu[i] = self->def->mu;
    }
}

// What a closed contact carried before the step: the same number for all contacts of two strands, so that it stays
// when they wander along.
static void load_of(const hair_work *self, const fil_contact_hair_touch *touch, double load[3])
{
    int n = self->def->vertices, a = touch->a / n, b = touch->b < 0 ? -1 : touch->b / n;
    fil_rng first = fil_rng_make(self->def->seed + (uint64_t)a);
    fil_rng rng = fil_rng_make(fil_rng_bits(&first) + (uint64_t)b);
    double depth = touch->gap < 0 ? -touch->gap : 0, radius = self->radius[a];
    double mass = 3.14159265358979323846 * radius * radius * FIL_HAIR_SEGMENT * FIL_HAIR_DENSITY;
    load[0] = load_speed * mass * depth / (depth + load_depth) * fil_rng_uniform(&rng, 0, 1);
    for (int k = 1; k < 3; ++k)
        load[k] = 0.6 * self->def->mu * load[0] * fil_rng_uniform(&rng, -1, 1);
}

// b -= Hᵀ load: without any motion the loads would keep everything at rest.
static void add_loads(const hair_work *self)
{
    const fil_contact_problem *problem = self->problem;
    const fil_contact_jacobian *H = &problem->H;
    for (int i = 0; i < self->touch_count; ++i) {
        double load[3];
        load_of(self, &self->touch[i], load);
        for (int side = H->side_start[i]; side < H->side_start[i + 1]; ++side) {
            double *b = problem->b + problem->A.dof_start[H->body[side]] + H->first_dof[side];
            for (int d = 0; d < SIDE; ++d)
                b[d] -= fil_vec3_dot(H->value + H->value_start[side] + 3 * d, load);
        }
    }
}

static fil_status generate(fil_context *context, fil_arena *scratch, hair_work *self)
{
    const fil_contact_hair *def = self->def;
    self->x = FIL_ARENA_ARRAY(scratch, double, 3 * (int64_t)def->strands * def->vertices);
    self->radius = FIL_ARENA_ARRAY(scratch, double, def->strands);
    if (!self->x || !self->radius)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, def->strands, 64, place_strands, self);
    fil_status status =
        fil_contact_hair_touch_find(context, scratch, def, self->x, self->radius, &self->touch, &self->touch_count);
    if (status == FIL_OK)
        status = lay_out(context, self);
    if (status != FIL_OK)
        return status;
    fil_parallel_for(context, self->touch_count, 256, fill_contacts, self);
    snprintf(self->problem->title, sizeof self->problem->title,
             "hair: %d %s strands of %d vertices, %g contact sides each, h %g, mu %g, seed %llu, step %d", def->strands,
             fil_contact_hair_shape_name(def->shape), def->vertices, def->contacts_per_strand, def->step, def->mu,
             (unsigned long long)def->seed, def->index);
    status = assemble(context, scratch, self);
    if (status == FIL_OK)
        add_loads(self);
    return status;
}

fil_status fil_contact_hair_generate(fil_context *context, const fil_contact_hair *hair, fil_contact_problem **out)
{
    *out = NULL;
    fil_status status = check_hair(context, hair);
    if (status != FIL_OK)
        return status;
    fil_arena *scratch = fil_arena_create(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    hair_work self = {.def = hair};
    status = generate(context, scratch, &self);
    fil_arena_destroy(scratch);
    if (status != FIL_OK)
        fil_contact_problem_destroy(self.problem);
    else
        *out = self.problem;
    return status;
}
