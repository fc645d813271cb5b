// Live strands: models that move positions instead of solving equations of motion, for games and grooming. See
// live_build.c, live_kernel.h; src/step/step_live.c steps them.
#ifndef FIL_STRAND_LIVE_H
#define FIL_STRAND_LIVE_H

#include "strand/live_lanes.h"
#include "strand/strand.h"

#include "strand/live_types.h"

enum { FIL_LIVE_LANES = STRIDE };

typedef enum fil_live_device { FIL_LIVE_CPU, FIL_LIVE_OPENCL } fil_live_device;
typedef enum fil_live_layout { FIL_LIVE_BY_STRAND, FIL_LIVE_PACKED } fil_live_layout;

// The settings of all live models; each shows those that it reads.
typedef struct fil_live_param {
    int device, layout, form;
    int rounds, bends;
    double stiffness;
    double local, global, global_reach;
    int hangs;
    double correction;
    int equal_masses;
    double grid, grid_friction, grid_push; // m, 1/s, m/s²
    double substep;                        // s
    double fastest;                        // m/s
} fil_live_param;

// What makes a model live.
struct fil_live_type {
    // A pack through a step: all but meshes and the new state.
    void (*solve)(const fil_live_pack *pack, const fil_live_now *now, const fil_live_shape *shapes);
    // Lengths once more where a mesh has changed them, up to `leads` times. Returns these lanes, as bits.
    unsigned (*lead)(const fil_live_pack *pack, const fil_live_now *now, const fil_live_shape *shapes);
    int leads;
    // The new state. Returns the lanes that are finite, as bits.
    unsigned (*finish)(const fil_live_pack *pack, const fil_live_now *now);
};

// Rows that describe the settings; tables of models are made of them.
#define FIL_LIVE_DEVICE_FIELDS                                                                                         \
    {"device", FIL_KIND_CHOICE, offsetof(fil_live_param, device), FIL_LIVE_CPU, 0, 1,                                  \
     "",       "cpu|opencl",    "where strands are moved"},                                                            \
    {                                                                                                                  \
        "layout", FIL_KIND_CHOICE, offsetof(fil_live_param, layout), FIL_LIVE_PACKED, 0, 1, "", "strand|packed",       \
            "of arrays with the device opencl: the numbers of a strand together, as in [Han13]; those of eight "       \
            "strands side by side"                                                                                     \
    }
#define FIL_LIVE_FORM_FIELD(form_by_default)                                                                           \
    {                                                                                                                  \
        "form", FIL_KIND_CHOICE, offsetof(fil_live_param, form), form_by_default, 0, 2, "", "pbd|xpbd|direct",         \
            "of bends: each sweep takes back `stiffness` of what is missing, so that they are the stiffer the more "   \
            "sweeps there are; they have the stiffness of the material, by sweeps; the same, all bends of a strand "   \
            "at once (curls, which turn by more than 60 degrees: by `local`, 0.5 at least)"                            \
    }
#define FIL_LIVE_ROUND_FIELDS(round_count, bend_count)                                                                 \
    {"rounds",                                                                                                         \
     FIL_KIND_INT,                                                                                                     \
     offsetof(fil_live_param, rounds),                                                                                 \
     round_count,                                                                                                      \
     1,                                                                                                                \
     1000,                                                                                                             \
     "",                                                                                                               \
     NULL,                                                                                                             \
     "of bends, shape, lengths and bodies in a step"},                                                                 \
        {"bends",                                                                                                      \
         FIL_KIND_INT,                                                                                                 \
         offsetof(fil_live_param, bends),                                                                              \
         bend_count,                                                                                                   \
         0,                                                                                                            \
         1000,                                                                                                         \
         "",                                                                                                           \
         NULL,                                                                                                         \
         "sweeps over all bends in a round; 0: a rope"},                                                               \
    {                                                                                                                  \
        "stiffness", FIL_KIND_REAL, offsetof(fil_live_param, stiffness), 0.5, 0, 1, "", NULL,                          \
            "of bends with the form pbd: the part that a sweep takes back"                                             \
    }
#define FIL_LIVE_LOCAL_FIELD                                                                                           \
    {                                                                                                                  \
        "local", FIL_KIND_REAL, offsetof(fil_live_param, local), 0, 0, 1, "", NULL,                                    \
            "the part of the way to where the rest shape has a vertex, seen from the edge before, that a round goes; " \
            "for styles and curls"                                                                                     \
    }
#define FIL_LIVE_HANGS_FIELD                                                                                           \
    {                                                                                                                  \
        "hangs", FIL_KIND_BOOL, offsetof(fil_live_param, hangs), 0, 0, 1, "", NULL,                                    \
            "the groom shows strands as they hang: they do not drop at the start"                                      \
    }
#define FIL_LIVE_SHAPE_FIELDS                                                                                          \
    {"global",                                                                                                         \
     FIL_KIND_REAL,                                                                                                    \
     offsetof(fil_live_param, global),                                                                                 \
     0,                                                                                                                \
     0,                                                                                                                \
     1,                                                                                                                \
     "",                                                                                                               \
     NULL,                                                                                                             \
     "the part of the way to the rest shape, carried by the root, that a round goes"},                                 \
    {                                                                                                                  \
        "global_reach", FIL_KIND_REAL, offsetof(fil_live_param, global_reach), 1, 1e-3, 1e3, "", NULL,                 \
            "of the length of a strand, from the root: where `global` has faded away"                                  \
    }
#define FIL_LIVE_GRID_FIELDS                                                                                           \
    {"grid",                                                                                                           \
     FIL_KIND_REAL,                                                                                                    \
     offsetof(fil_live_param, grid),                                                                                   \
     0,                                                                                                                \
     0,                                                                                                                \
     1e3,                                                                                                              \
     "m",                                                                                                              \
     NULL,                                                                                                             \
     "strands feel each other as a cloud, in cells of this size; 0: they do not"},                                     \
        {"grid_friction",                                                                                              \
         FIL_KIND_REAL,                                                                                                \
         offsetof(fil_live_param, grid_friction),                                                                      \
         10,                                                                                                           \
         0,                                                                                                            \
         1e6,                                                                                                          \
         "1/s",                                                                                                        \
         NULL,                                                                                                         \
         "the rate at which they take on the velocity of the cloud"},                                                  \
    {                                                                                                                  \
        "grid_push", FIL_KIND_REAL, offsetof(fil_live_param, grid_push), 1, 0, 1e6, "m/s²", NULL,                      \
            "how hard they are pushed to where the cloud is thinner"                                                   \
    }
#define FIL_LIVE_STEP_FIELDS                                                                                           \
    {"substep", FIL_KIND_REAL, offsetof(fil_live_param, substep),                                                      \
     1.0 / 60,  1e-6,          1e3,                                                                                    \
     "s",       NULL,          "longer steps are divided into parts of this length at most"},                          \
    {                                                                                                                  \
        "fastest", FIL_KIND_REAL, offsetof(fil_live_param, fastest), 20, 1e-3, 1e9, "m/s", NULL,                       \
            "of roots: what goes faster is a cut in the film, and takes its strands along as they are"                 \
    }

// Strands of a group side by side, FIL_LIVE_LANES at a time: in the order of the slots of fil_strands. Numbers of a
// vertex lie as in extend.h.
typedef struct fil_live {
    const fil_live_type *type;
    const fil_live_param *param;
    int pack_count, longest; // longest: vertices of the first pack
    int *vertices;           // [packs]
    int64_t *row;            // [packs + 1]
    int64_t *held_start;     // [packs + 1]
    int *held;               // vertices that are held in a strand of the pack, packs one after another
    unsigned char *holder;   // [held × FIL_LIVE_LANES] by what, as in fil_strands; 0: not in this strand
    bool curved;             // the rest shape has bends
    bool curly;              // ... that turn strands by more than 60°
    // [rows × count] as in fil_live_pack.
    float *share; // 1: mass of a vertex, in those that weights refer to; 0 where there is none
    float *weight, *length, *inverse, *drag, *radius, *along; // 1
    float *give;                                              // 2; NULL: the form is not elastic
    float *rest, *rest_bend;                                  // 3
    float *lift;      // 3; NULL: strands do not hang as in the groom, or are curls
    float carried[3]; // m/s², gravity at time 0
    float *axis;      // [packs × 3]
    float mass;       // kg: what weights refer to
} fil_live;

// Numbers of a vertex that fil_live_build_strand leaves in fil_strands.constants.
enum { FIL_LIVE_BEND = 0, FIL_LIVE_GIVE = 3, FIL_LIVE_CONSTANTS = 5 };
fil_status fil_live_build_strand(fil_context *context, const fil_strand_shape *shape, const void *param,
                                 double *constants, double *strain);
// Forces with which strands hang as the groom shows them. live_hang.c
fil_status fil_live_hang(fil_arena *arena, const fil_strands *strands, const double gravity[3]);
// From the packed doubles of a group.
fil_status fil_live_build(fil_arena *arena, const fil_group *group, fil_strands *strands);
// What the settings say of a step of h seconds; the rest is zero.
fil_live_now fil_live_tell(const fil_live *live, double h);
// Weights from what is free, [rows × dofs] of fil_strands.
void fil_live_weigh(const fil_live *live, const fil_strands *strands, const double *is_free, float *weight);

// Where number k of vertex i of a strand is in an array of that width.
static inline int64_t fil_live_at(const fil_strands *strands, const fil_live *live, int strand, int i, int width, int k)
{
    int slot = strands->slot[strand];
    return ((live->row[slot / FIL_LIVE_LANES] + i) * width + k) * FIL_LIVE_LANES + slot % FIL_LIVE_LANES;
}

#endif
