// Packing: where strands go, what is padding, who is held.
#include "test.h"

#include "strand/strand.h"

#include <math.h>

enum { STRANDS = 6 };

typedef struct packed {
    fil_context *context;
    fil_arena *arena;
    fil_group group;
    int counts[STRANDS];
    double x[3 * 64];
    unsigned char hold[64];
    fil_strands strands;
} packed;

// Straight strands along x, strand s at y = s, 3 to 10 vertices.
static void pack_make(packed *p)
{
    static const int counts[STRANDS] = {3, 10, 5, 10, 4, 7};
    *p = (packed){.group = fil_group_default()};
    double *x = p->x;
    for (int s = 0; s < STRANDS; ++s) {
        p->counts[s] = counts[s];
        for (int i = 0; i < counts[s]; ++i, x += 3)
            x[0] = 0.01 * i, x[1] = s;
    }
    p->group.groom = (fil_groom){.strand_count = STRANDS, .vertex_count = p->counts, .position = p->x};
    p->context = fil_context_create(NULL);
    p->arena = fil_arena_create(p->context);
}

static void pack_build(packed *p)
{
    test_ok(p->context, fil_strands_build(p->context, p->arena, &p->group, "group", &p->strands));
}

static void pack_free(packed *p)
{
    fil_arena_destroy(p->arena);
    fil_context_destroy(p->context);
}

TEST(pack_sorts_strands_by_length_and_keeps_equal_ones_in_order)
{
    packed p;
    pack_make(&p);
    pack_build(&p);
    const fil_strands *S = &p.strands;
    ck_assert_int_eq(S->pack_count, 2);
    ck_assert_int_eq(S->pack_vertices[0], 10);
    ck_assert_int_eq(S->pack_vertices[1], 4);
    ck_assert_int_eq(S->row_count, 14);
    // The two places left over follow the first strand of their pack.
    static const int order[8] = {1, 3, 5, 2, 4, 0, 4, 4};
    for (int slot = 0; slot < 8; ++slot)
        ck_assert_int_eq(S->strand_of_slot[slot], order[slot]);
    for (int s = 0; s < STRANDS; ++s)
        ck_assert_int_eq(S->strand_of_slot[S->slot[s]], s);
    pack_free(&p);
}

TEST(pack_continues_short_strands_with_held_massless_places)
{
    packed p;
    pack_make(&p);
    pack_build(&p);
    const fil_strands *S = &p.strands;
    int lane = 3, n = 5; // strand 2
    for (int i = 0; i < 10; ++i) {
        ck_assert_double_eq_tol(S->q[(i * 4) * FIL_LANES + lane], 0.01 * i, 1e-15);
        ck_assert_double_eq(S->q[(i * 4 + 1) * FIL_LANES + lane], 2);
        ck_assert_int_eq(S->holder[i * FIL_LANES + lane], i >= n ? FIL_BEYOND : i < 2 ? 1 : 0);
        if (i >= n - 1)
            ck_assert_double_eq(S->constants[i * S->type->constant_count * FIL_LANES + lane], 0);
    }
    pack_free(&p);
}

TEST(pack_holds_ends_and_whatever_the_groom_says)
{
    packed p;
    pack_make(&p);
    p.group.root = FIL_END_PINNED;
    p.group.tip = FIL_END_CLAMPED;
    p.hold[3 + 4] = 1; // vertex 4 of strand 1
    p.group.groom.hold = p.hold;
    pack_build(&p);
    const fil_strands *S = &p.strands;
    static const int holders[10] = {1, 0, 0, 0, 1, 0, 0, 0, 2, 2};
    for (int i = 0; i < 10; ++i) {
        ck_assert_int_eq(S->holder[i * FIL_LANES], holders[i]);
        ck_assert_double_eq(S->free[(i * 4) * FIL_LANES], holders[i] == 0);
        // An angle is held when both vertices of its edge follow the same pose; the one behind the last edge is idle.
        ck_assert_double_eq(S->free[(i * 4 + 3) * FIL_LANES], i < 8);
    }
    pack_free(&p);
}

TEST(pack_carries_the_mass_and_length_of_the_strands)
{
    packed p;
    pack_make(&p);
    pack_build(&p);
    const fil_strands *S = &p.strands;
    const fil_material *m = &p.group.material;
    for (int s = 0; s < STRANDS; ++s) {
        double mass = 0, length = 0.01 * (p.counts[s] - 1);
        int slot = S->slot[s];
        for (int i = 0; i < p.counts[s]; ++i)
            mass += S->inertia[(S->pack_row[slot / FIL_LANES] + i) * 4 * FIL_LANES + slot % FIL_LANES];
        test_near(mass / (m->density * 3.14159265358979 * m->radius * m->radius * length), 1, 1e-12);
        test_near(S->strand_length[s], length, 1e-15);
    }
    pack_free(&p);
}
