// Strands of one group, ready for the kernels. See strand.c, strand_shape.c, strand_pack.c.
#ifndef FIL_STRAND_STRAND_H
#define FIL_STRAND_STRAND_H

#include "base/arena.h"
#include "filum/extend.h"

extern const fil_strand_type fil_strand_der, fil_strand_lifted, fil_strand_tridiag, fil_strand_dftl, fil_strand_pbd;

extern const fil_field fil_material_fields[], fil_touch_fields[];
extern const int fil_material_field_count, fil_touch_field_count;

// The model of "der:hessian=filter"; NULL: there is none of that name.
const fil_strand_type *fil_strand_type_of(const char *text);
// "der:hessian=filter" into the model and its settings.
fil_status fil_strand_type_parse(fil_context *context, fil_arena *arena, const char *text, const fil_strand_type **type,
                                 void **param);

// The holder of a vertex beyond the end of its strand.
enum { FIL_BEYOND = 255 };

// A group, compiled. Arrays with numbers per vertex are packed: see extend.h.
typedef struct fil_strands {
    const fil_strand_type *type;
    const void *param;
    double relaxation; // s, viscosity / young
    double damping;    // 1/s

    // Where strands are.
    int strand_count, pack_count;
    int64_t vertex_count;  // as in the groom
    int64_t row_count;     // vertices of all packs, lanes counted once
    int *pack_vertices;    // [packs]
    int64_t *pack_row;     // [packs + 1] first row
    int *slot;             // [strands] pack × FIL_LANES + lane
    int *strand_of_slot;   // [packs × FIL_LANES] the strand that a lane follows: its own, or a copy to fill the pack
    int *vertices;         // [strands]
    int64_t *first_vertex; // [strands + 1] in the groom
    double *strand_length; // [strands] m, at rest

    // Constants, [rows × count].
    double *inertia;        // dofs: kg, and kg m² for angles
    double *drag;           // 1: kg/s, of the air on the whole vertex
    double *radius;         // 1: m
    double *edge_length;    // 1: m, of the edge behind, at rest
    double *edge_stiffness; // 1: N, E A of the same
    double *curvature;      // 1: 1/m, of the rest shape; 0 at both ends
    double *constants;      // type->constant_count
    double *strain;         // type->strain_count, at rest
    double *free;           // dofs: 1 free, 0 held

    // Held unknowns: the rows that have any, by packs.
    int64_t *held_start;   // [packs + 1]
    int *held_vertex;      // vertex within the pack
    unsigned char *holder; // [rows × FIL_LANES] 0 none, 1 root, 2 tip, 3 ... pins, FIL_BEYOND

    // At the start.
    double *q, *v; // dofs
    double *frame; // type->frame_count
    double *axis;  // 3: first axes of the cross-sections

    struct fil_live *live; // live models: all of this once more, as their kernels want it; NULL: it is none
} fil_strands;

// Checks the groom and compiles it. `place` ("groups[2] (beard)") begins the sentence of a failure.
fil_status fil_strands_build(fil_context *context, fil_arena *arena, const fil_group *group, const char *place,
                             fil_strands *out);

// One strand of a groom as a shape, with its masses. The arrays have room for the longest strand.
typedef struct fil_strand_maker {
    fil_strand_shape shape;
    double *rest, *rest_axis, *rest_twist, *length, *stretch, *bend1, *bend2, *twist; // what the shape points at
    double *start_axis;                                                               // [3 (n - 1)]
    double *mass;                                                                     // [n] kg
    double *rotary;  // [n] kg m², of the edge behind the vertex; the last one is idle
    double *voronoi; // [n] m
    double *radius;  // [n] m
} fil_strand_maker;

fil_status fil_strand_maker_create(fil_arena *arena, int longest, fil_strand_maker *out);
// FIL_BAD_INPUT with a sentence that begins with `place`.
fil_status fil_strand_maker_shape(fil_context *context, const fil_group *group, int strand, int64_t first,
                                  const char *place, fil_strand_maker *maker);
// First axes along a polyline [3 (n - 1)], from axis[0..2] on its first edge: parallel transport, turned by the twist
// [n] at each vertex (NULL: none).
void fil_strand_spread_axes(int vertices, const double *x, const double *twist, double *axis);
// The same without twist, in the place of the polyline [3 n]; the last place stays.
void fil_strand_replace_by_axes(int vertices, const double axis[3], double *x);

#endif
