// A reproducible family of hair-like contact problems: locks of super-helices, one time step, in reduced coordinates.
//
// A rod is clamped at s = 0 and bends by the curvatures (twist, bend, bend) of its elements [Bertails et al. 2006]:
//
//   J(s) = dx(s)/dk,   column i of element Q:  ∫_{Q, s' < s} n_i(s') × (x(s) - x(s')) ds' = a_i × x(s) - c_i
//   A = ∫ Jᵀ J ds + (h² K + h D),   b = ∫ Jᵀ (free velocity) ds,   H = contact frame × (J(s_a), -J(s_b))
//
// so a contact moves the elements before it and near contacts on one rod are strongly coupled. The rods stand on a
// hexagonal grid, in locks of similar shape; neighbours touch, some touch the world. Closed contacts carry a load from
// before the step, b = ... - Hᵀ load, which alone would keep everything at rest; gravity, the motion of the locks,
// their compression and the motion of each rod disturb it. Open contacts have a gap, w_N > 0. Rest (v = 0) obeys all
// limits, so a solution exists. Over-constrained when 3 contacts exceed the dofs.
//
// Units: the length and the mass of a rod, velocities of the order of one; so is W. Only + - × / and sqrt are used: a
// seed gives the same bits on every machine and on any number of threads. Linear in size.
#include "base/arena.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "math/mat3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES_PER_ELEMENT = 4, LOCK_WIDTH = 5 };

// Chosen so that about a third of the contacts each stick, slide and take off at the solution (default family).
static const double world_share = 0.06, closed_share = 0.65; // of the contacts
static const double stiffness = 3e-5;                        // (h² E I + h D) / (mass of a rod × its length³)
static const double waviness = 6, own_shape = 0.3;           // curvature at rest; the part that is not its lock's
static const double load = 0.5, mean_gap = 0.02;             // largest load of a closed contact; gap of an open one / h
static const double gravity = 0.03, lock_motion = 0.02;      // free velocities: common, of a lock,
static const double compression = 0.01, rod_motion = 0.01;   // towards the middle of the lock, of a rod

// A straight piece of a rod with a constant frame.
typedef struct piece {
    double start[3], frame[3][3]; // tangent, two normals
} piece;

typedef struct rod {
    uint64_t seed;
    double place[2], lock[2]; // on the grid, and of the middle of its lock
    double lock_velocity[3];
    uint64_t lock_seed;
} rod;

typedef struct contact {
    int a, b; // b < 0: the world
    double s_a, s_b;
    double normal[3]; // from b to a, not yet square to the rods
    double gap, load[3];
} contact;

typedef struct family_work {
    const fil_contact_family *def;
    fil_contact_problem *problem;
    int elements, pieces, columns;
    rod *rods;         // [rods]
    piece *piece;      // [rods * pieces]
    double *moment;    // [rods * dofs * 6]: a_i and c_i of the whole element
    double *J;         // [rods * dofs * 3]: room for one shape per rod
    contact *contacts; // [contact_count], ascending by (a, s_a)
    int contact_count;
} family_work;

static double uniform(fil_rng *rng)
{
    return fil_rng_uniform(rng, -1, 1);
}

// Mean 0, variance 1, bounded: a sum of uniform numbers, because log and cos differ between machines.
static double bell(fil_rng *rng)
{
    return uniform(rng) + uniform(rng) + uniform(rng);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_scaled(double a[3], double factor, const double b[3])
{
    for (int k = 0; k < 3; ++k)
        a[k] += factor * b[k];
}

// v without its part along the unit vector n, of length one; `spare` replaces a v that is parallel to n.
static void make_square(double v[3], const double n[3], const double spare[3])
{
    add_scaled(v, -dot(v, n), n);
    if (dot(v, v) < 1e-12) {
        memcpy(v, spare, 3 * sizeof *v);
        add_scaled(v, -dot(v, n), n);
    }
    double scale = 1 / sqrt(dot(v, v));
    for (int k = 0; k < 3; ++k)
        v[k] *= scale;
}

// Turns the frame by a small rotation vector and makes it orthonormal again.
static void turn(double frame[3][3], const double rotation[3])
{
    double turned[3];
    for (int i = 0; i < 2; ++i) {
        fil_vec3_cross(rotation, frame[i], turned);
        add_scaled(frame[i], 1, turned);
    }
    double length = sqrt(dot(frame[0], frame[0]));
    for (int k = 0; k < 3; ++k)
        frame[0][k] /= length;
    make_square(frame[1], frame[0], frame[2]);
    fil_vec3_cross(frame[0], frame[1], frame[2]);
}

// The part of ∫ n_i and ∫ n_i × x that a length of one piece adds.
static void add_moment(const piece *piece, int direction, double length, double moment[6])
{
    double middle[3], arm[3];
    memcpy(middle, piece->start, sizeof middle);
    add_scaled(middle, 0.5 * length, piece->frame[0]);
    fil_vec3_cross(piece->frame[direction], middle, arm);
    add_scaled(moment, length, piece->frame[direction]);
    add_scaled(moment + 3, length, arm);
}

// J at arc length s of rod i: 3 × dofs by columns; the tangent there. Returns the number of dofs that move.
static int shape(const family_work *self, int i, double s, double *J, double tangent[3])
{
    int dofs = self->def->dofs, last = (int)(s * self->pieces);
    last = last < self->pieces ? last : self->pieces - 1;
    const piece *pieces = self->piece + (int64_t)i * self->pieces;
    double rest = s - (double)last / self->pieces, length = 1.0 / self->pieces, x[3];
    memcpy(x, pieces[last].start, sizeof x);
    add_scaled(x, rest, pieces[last].frame[0]);
    memcpy(tangent, pieces[last].frame[0], 3 * sizeof *tangent);
    int element = last / PIECES_PER_ELEMENT;
    int count = 3 * (element + 1) < dofs ? 3 * (element + 1) : dofs;
    for (int d = 0; d < count; ++d) {
        double moment[6] = {0};
        if (d / 3 < element) {
            memcpy(moment, self->moment + 6 * ((int64_t)i * dofs + d), sizeof moment);
        } else {
            for (int p = element * PIECES_PER_ELEMENT; p < last; ++p)
                add_moment(&pieces[p], d % 3, length, moment);
            add_moment(&pieces[last], d % 3, rest, moment);
        }
        fil_vec3_cross(moment, x, J + 3 * d);
        add_scaled(J + 3 * d, -1, moment + 3);
    }
    return count;
}

// The curve of a rod at rest: pieces with frames, moments of the elements.
static void make_curve(const family_work *self, int i, fil_rng *rng)
{
    double length = 1.0 / self->pieces, x[3] = {0};
    double frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    // The lock's own stream of numbers gives all its rods one shape, up to a part of their own.
    fil_rng lock = fil_rng_make(self->rods[i].lock_seed);
    const double spread[3] = {1, 0.2, 0.2};
    double rotation[3];
    for (int k = 0; k < 3; ++k)
        rotation[k] = spread[k] * (uniform(&lock) + own_shape * uniform(rng));
    turn(frame, rotation);
    for (int p = 0; p < self->pieces; ++p) {
        memset(rotation, 0, sizeof rotation);
        for (int k = 0; k < 3; ++k)
            add_scaled(rotation, length * waviness * (uniform(&lock) + own_shape * uniform(rng)), frame[k]);
        turn(frame, rotation);
        piece *piece = self->piece + (int64_t)i * self->pieces + p;
        memcpy(piece->start, x, sizeof x);
        memcpy(piece->frame, frame, sizeof frame);
        add_scaled(x, length, frame[0]);
    }
    double *moment = self->moment + 6 * (int64_t)i * self->def->dofs;
    for (int d = 0; d < self->def->dofs; ++d)
        for (int p = 0; p < PIECES_PER_ELEMENT; ++p)
            add_moment(self->piece + (int64_t)i * self->pieces + d / 3 * PIECES_PER_ELEMENT + p, d % 3, length,
                       moment + 6 * (int64_t)d);
}

// The velocity that the rod would like to have at s: gravity, its lock, compression of the lock, its own motion.
typedef struct wish {
    double base[3], slope[3];
} wish;

static wish make_wish(const rod *rod, fil_rng *rng)
{
    wish wish = {.base = {0, 0, -gravity}};
    add_scaled(wish.base, 1, rod->lock_velocity);
    for (int k = 0; k < 2; ++k)
        wish.base[1 + k] -= compression * (rod->place[k] - rod->lock[k]);
    for (int k = 0; k < 3; ++k) {
        wish.base[k] += rod_motion * bell(rng);
        wish.slope[k] = rod_motion * bell(rng);
    }
    return wish;
}

// A and b of one rod by the midpoint rule over its pieces.
static void assemble_rod(const family_work *self, int i, const wish *wish, double thickness)
{
    int dofs = self->def->dofs;
    double *J = self->J + 3 * (int64_t)i * dofs;
    fil_body_matrix *matrix = &self->problem->A;
    double *A = matrix->value + matrix->value_start[i], *b = self->problem->b + matrix->dof_start[i];
    double length = 1.0 / self->pieces, tangent[3];
    for (int p = 0; p < self->pieces; ++p) {
        double s = (p + 0.5) * length, velocity[3];
        int count = shape(self, i, s, J, tangent);
        memcpy(velocity, wish->base, sizeof velocity);
        add_scaled(velocity, s - 0.5, wish->slope);
        for (int j = 0; j < count; ++j) {
            const double *column = J + 3 * j;
            double scaled[3] = {length * column[0], length * column[1], length * column[2]};
            for (int k = j; k < count; ++k)
                A[(int64_t)j * dofs + k - j] += dot(scaled, J + 3 * k);
            b[j] += dot(scaled, velocity);
        }
    }
    // Twist is softer than bending: shear modulus below Young's.
    for (int j = 0; j < dofs; ++j)
        A[(int64_t)j * dofs] += thickness * stiffness / self->elements * (j % 3 == 0 ? 0.7 : 1);
}

static void make_rods(void *data, int64_t begin, int64_t end)
{
    const family_work *self = data;
    for (int64_t i = begin; i < end; ++i) {
        fil_rng rng = fil_rng_make(self->rods[i].seed);
        make_curve(self, (int)i, &rng);
        wish wish = make_wish(&self->rods[i], &rng);
        assemble_rod(self, (int)i, &wish, fil_rng_uniform(&rng, 0.5, 2));
    }
}

// Places on a hexagonal grid, in square locks that move together.
static void place_rods(const family_work *self, fil_rng *rng)
{
    const double row_height = 0.8660254037844386;
    uint64_t lock_seed = fil_rng_bits(rng);
    for (int i = 0; i < self->def->rods; ++i) {
        rod *rod = &self->rods[i];
        int row = i / self->columns, column = i % self->columns;
        int lock_row = row / LOCK_WIDTH, lock_column = column / LOCK_WIDTH;
        rod->seed = fil_rng_bits(rng);
        rod->place[0] = column + 0.5 * (row % 2);
        rod->place[1] = row_height * row;
        rod->lock[0] = lock_column * LOCK_WIDTH + 0.5 * (LOCK_WIDTH - 0.5);
        rod->lock[1] = row_height * (lock_row * LOCK_WIDTH + 0.5 * (LOCK_WIDTH - 1));
        fil_rng lock = fil_rng_make(lock_seed + (uint64_t)lock_row * 0x10001 + (uint64_t)lock_column);
        rod->lock_seed = fil_rng_bits(&lock);
        for (int k = 0; k < 3; ++k)
            rod->lock_velocity[k] = lock_motion * bell(&lock);
    }
}

// A neighbour of rod i on the grid, drawn from those that exist; -1 when it stands alone.
static int draw_neighbour(const family_work *self, int i, fil_rng *rng)
{
    static const int row_step[6] = {0, 0, 1, 1, -1, -1}, column_step[6] = {-1, 1, -1, 0, -1, 0};
    int row = i / self->columns, column = i % self->columns, first = fil_rng_below(rng, 6);
    for (int k = 0; k < 6; ++k) {
        int way = (first + k) % 6;
        int other_row = row + row_step[way];
        int other_column = column + column_step[way] + (row_step[way] != 0 && row % 2);
        int64_t other = (int64_t)other_row * self->columns + other_column;
        if (other_row >= 0 && other_column >= 0 && other_column < self->columns && other < self->def->rods)
            return (int)other;
    }
    return -1;
}

static contact draw_contact(const family_work *self, int a, bool world, fil_rng *rng)
{
    contact contact = {.a = a, .b = world ? -1 : draw_neighbour(self, a, rng)};
    // The root does not move: contacts there would be all but rigid.
    contact.s_a = fil_rng_uniform(rng, 0.2, 1);
    double other = contact.s_a + 0.02 * uniform(rng);
    contact.s_b = other < 1 ? other : 1;
    if (contact.b >= 0) {
        for (int k = 0; k < 2; ++k)
            contact.normal[1 + k] = self->rods[a].place[k] - self->rods[contact.b].place[k];
    } else {
        contact.normal[2] = 1; // the world lies below
    }
    for (int k = 0; k < 3; ++k)
        contact.normal[k] += 0.3 * uniform(rng);
    bool closed = fil_rng_uniform(rng, 0, 1) < closed_share;
    double size = fil_rng_uniform(rng, 0, 1), friction = 0.8 * self->def->mu * fil_rng_uniform(rng, 0, 1);
    if (closed) {
        contact.load[0] = load * size;
        contact.load[1] = contact.load[0] * friction * uniform(rng);
        contact.load[2] = contact.load[0] * friction * uniform(rng);
    } else {
        contact.gap = 3 * mean_gap * size * size;
    }
    return contact;
}

static int compare_contacts(const void *left, const void *right)
{
    double a = ((const contact *)left)->s_a, b = ((const contact *)right)->s_a;
    return (a > b) - (a < b);
}

// Rods have few or many contacts: each draws its share, in proportion to a random weight.
static void draw_contacts(const family_work *self, int world_count, double *weight, fil_rng *rng)
{
    int rods = self->def->rods, n = self->contact_count;
    for (int i = 0; i < rods; ++i)
        weight[i + 1] = weight[i] + fil_rng_uniform(rng, 0.3, 1.7);
    int drawn = 0;
    for (int i = 0; i < rods; ++i) {
        int first = drawn, end = i + 1 < rods ? (int)(n * (weight[i + 1] / weight[rods])) : n;
        for (; drawn < end; ++drawn) {
            // Spread the contacts with the world evenly over all.
            bool world = (drawn + (int64_t)1) * world_count / n > (int64_t)drawn * world_count / n;
            self->contacts[drawn] = draw_contact(self, i, world, rng);
        }
        if (drawn > first)
            qsort(self->contacts + first, (size_t)(drawn - first), sizeof *self->contacts, compare_contacts);
    }
}

static int moving_dofs(const family_work *self, double s)
{
    int last = (int)(s * self->pieces);
    last = last < self->pieces ? last : self->pieces - 1;
    int count = 3 * (last / PIECES_PER_ELEMENT + 1);
    return count < self->def->dofs ? count : self->def->dofs;
}

// Creates the problem and lays out its arrays.
static fil_status lay_out(fil_context *context, family_work *self)
{
    const fil_contact_family *def = self->def;
    int n = self->contact_count, sides = 0;
    int64_t values = 0, block = (int64_t)def->dofs * def->dofs;
    for (int i = 0; i < n; ++i) {
        const contact *contact = &self->contacts[i];
        sides += contact->b < 0 ? 1 : 2;
        values += 3 * moving_dofs(self, contact->s_a) + (contact->b < 0 ? 0 : 3 * moving_dofs(self, contact->s_b));
    }
    fil_status status = fil_contact_problem_create_primal(context, n, def->rods, def->rods * def->dofs,
                                                          def->rods * block, sides, values, &self->problem);
    if (status != FIL_OK)
        return status;
    fil_body_matrix *A = &self->problem->A;
    for (int i = 0; i < def->rods; ++i) {
        A->dof_start[i + 1] = A->dof_start[i] + def->dofs;
        A->bandwidth[i] = def->dofs - 1;
        A->value_start[i + 1] = A->value_start[i] + block;
    }
    fil_contact_jacobian *H = &self->problem->H;
    for (int i = 0, side = 0; i < n; ++i) {
        const contact *contact = &self->contacts[i];
        for (int k = 0; k < (contact->b < 0 ? 1 : 2); ++k, ++side) {
            H->body[side] = k == 0 ? contact->a : contact->b;
            H->dof_count[side] = moving_dofs(self, k == 0 ? contact->s_a : contact->s_b);
            H->value_start[side + 1] = H->value_start[side] + 3 * (int64_t)H->dof_count[side];
        }
        H->side_start[i + 1] = side;
    }
    return FIL_OK;
}

// H of one contact: both shapes are written in place, then turned into the frame of the contact.
static void make_jacobians(void *data, int64_t begin, int64_t end)
{
    const family_work *self = data;
    const fil_contact_jacobian *H = &self->problem->H;
    for (int64_t i = begin; i < end; ++i) {
        const contact *contact = &self->contacts[i];
        double tangent[2][3] = {{0}}, frame[3][3];
        int first = H->side_start[i], count = H->side_start[i + 1] - first;
        for (int k = 0; k < count; ++k)
            shape(self, H->body[first + k], k == 0 ? contact->s_a : contact->s_b, H->value + H->value_start[first + k],
                  tangent[k]);
        // Tangents: along the rods and across them.
        memcpy(frame[0], contact->normal, sizeof frame[0]);
        memcpy(frame[1], tangent[0], sizeof frame[1]);
        add_scaled(frame[1], 1, tangent[1]);
        make_square(frame[0], tangent[0], (double[]){0, 1, 0.5});
        make_square(frame[1], frame[0], (double[]){1, 0.3, 0});
        fil_vec3_cross(frame[0], frame[1], frame[2]);
        for (int k = 0; k < count; ++k)
            for (int64_t at = H->value_start[first + k]; at < H->value_start[first + k + 1]; at += 3) {
                double column[3], sign = k == 0 ? 1 : -1;
                for (int row = 0; row < 3; ++row)
                    column[row] = sign * dot(frame[row], H->value + at);
                memcpy(H->value + at, column, sizeof column);
            }
        self->problem->w[3 * i] = contact->gap;
        self->problem->mu[i] = self->def->mu;
    }
}

// b -= Hᵀ load
static void add_load(const family_work *self)
{
    const fil_contact_jacobian *H = &self->problem->H;
    for (int i = 0; i < self->contact_count; ++i)
        for (int side = H->side_start[i]; side < H->side_start[i + 1]; ++side) {
            double *b = self->problem->b + self->problem->A.dof_start[H->body[side]];
            for (int d = 0; d < H->dof_count[side]; ++d)
                b[d] -= dot(H->value + H->value_start[side] + 3 * d, self->contacts[i].load);
        }
}

fil_contact_family fil_contact_family_default(void)
{
    return (fil_contact_family){.rods = 200, .dofs = 16, .contacts_per_rod = 25, .mu = 0.3, .seed = 1};
}

static fil_status check_family(fil_context *context, const fil_contact_family *def)
{
    const int most_rods = 10000000, most_dofs = 3000;
    const double most_contacts = 1e5;
    if (def->rods < 1 || def->rods > most_rods)
        return fil_context_fail(context, FIL_BAD_INPUT, "rods: must be from 1 to %d (got %d)", most_rods, def->rods);
    if (def->dofs < 1 || def->dofs > most_dofs)
        return fil_context_fail(context, FIL_BAD_INPUT, "dofs: must be from 1 to %d (got %d)", most_dofs, def->dofs);
    if (!(def->contacts_per_rod >= 0) || def->contacts_per_rod > most_contacts)
        return fil_context_fail(context, FIL_BAD_INPUT, "contacts_per_rod: must be from 0 to %g (got %g)",
                                most_contacts, def->contacts_per_rod);
    if (!(def->mu >= 0) || !isfinite(def->mu))
        return fil_context_fail(context, FIL_BAD_INPUT, "mu: must be a finite number >= 0 (got %g)", def->mu);
    if ((double)def->rods * def->dofs > 1e9 || def->rods * def->contacts_per_rod > 1e9)
        return fil_context_fail(context, FIL_BAD_INPUT, "rods: %d rods with %d dofs and %g contact sides are too many",
                                def->rods, def->dofs, def->contacts_per_rod);
    return FIL_OK;
}

// Draws everything that needs the one stream of random numbers, then computes in parallel.
static fil_status generate(fil_context *context, fil_arena *scratch, family_work *self)
{
    const fil_contact_family *def = self->def;
    int sides = (int)(def->rods * def->contacts_per_rod + 0.5);
    int world = def->rods == 1 ? sides : (int)(sides * world_share / (2 - world_share) + 0.5);
    world += (sides - world) % 2; // a contact between two rods has two sides
    self->contact_count = world + (sides - world) / 2;
    self->elements = (def->dofs + 2) / 3;
    self->pieces = self->elements * PIECES_PER_ELEMENT;
    self->columns = (int)ceil(sqrt(def->rods));
    int64_t rods = def->rods;
    self->rods = FIL_ARENA_ARRAY(scratch, rod, rods);
    self->piece = FIL_ARENA_ARRAY(scratch, piece, rods * self->pieces);
    self->moment = FIL_ARENA_ARRAY(scratch, double, rods * def->dofs * 6);
    self->J = FIL_ARENA_ARRAY(scratch, double, rods * def->dofs * 3);
    self->contacts = FIL_ARENA_ARRAY(scratch, contact, self->contact_count);
    double *weight = FIL_ARENA_ARRAY(scratch, double, rods + 1);
    if (!self->rods || !self->piece || !self->moment || !self->J || !self->contacts || !weight)
        return FIL_NO_MEMORY;

    fil_rng rng = fil_rng_make(def->seed);
    place_rods(self, &rng);
    draw_contacts(self, world, weight, &rng);
    fil_status status = lay_out(context, self);
    if (status != FIL_OK)
        return status;
    fil_parallel_for(context, rods, 16, make_rods, self);
    fil_parallel_for(context, self->contact_count, 64, make_jacobians, self);
    add_load(self);
    snprintf(self->problem->title, sizeof self->problem->title,
             "hair-like: %d rods of %d dofs, %g contact sides per rod, mu %g, seed %llu", def->rods, def->dofs,
             def->contacts_per_rod, def->mu, (unsigned long long)def->seed);
    return FIL_OK;
}

fil_status fil_contact_family_generate(fil_context *context, const fil_contact_family *family,
                                       fil_contact_problem **out)
{
    *out = NULL;
    fil_status status = check_family(context, family);
    if (status != FIL_OK)
        return status;
    fil_arena *scratch = fil_arena_create(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    family_work self = {.def = family};
    status = generate(context, scratch, &self);
    *out = self.problem;
    fil_arena_destroy(scratch);
    return status;
}
