// The compiled scene and the state. See model.c, state.c.
#ifndef FIL_STEP_MODEL_H
#define FIL_STEP_MODEL_H

#include "collide/solid.h"
#include "control/control.h"
#include "strand/live.h"

typedef struct fil_model_obstacle {
    fil_solid *solid;
    fil_pose place;
    fil_path path;
    double friction, restitution;
} fil_model_obstacle;

// How things touch; strands and vertices of all groups are numbered one after another, in the order of the grooms. See
// model_contacts.c.
typedef struct fil_model_contacts {
    bool on; // nothing below is there otherwise
    fil_contacts settings;
    fil_touch *touch; // [groups]
    int obstacle_count;
    fil_model_obstacle *obstacles;
    int rule_count;
    fil_touch_rule *rules;

    int *first_strand;         // [groups + 1]
    int *group;                // [strands]
    double *mass;              // [strands] kg
    fil_touch_strands strands; // without what changes: held, x0, x1
    double thickest;           // m, the largest radius of them
} fil_model_contacts;

struct fil_model {
    fil_arena *arena;
    int group_count;
    fil_strands *groups;
    fil_control control;
    fil_model_contacts contacts;
    fil_motion motion;
    uint64_t things;      // of all above but how contacts are solved: a state of other things is refused
    uint64_t fingerprint; // of everything above
};

// Checks the numbers that the rows of a table describe. `place` ("motion.") begins the sentence of a failure.
fil_status fil_model_check_fields(fil_context *context, const fil_field *fields, int count, const char *place,
                                  const void *param);
// The place of an obstacle, carried along its path.
fil_pose fil_model_obstacle_pose(const fil_model_obstacle *obstacle, double time);
// How many strands of a group are solved for: all, or none of a live one.
static inline int fil_model_solved(const fil_model *model, int group)
{
    return model->groups[group].live ? 0 : model->groups[group].strand_count;
}
// The last rule for two things: groups by their number, obstacles behind them. NULL: there is none.
const fil_touch_rule *fil_model_rule(const fil_model *model, int first, int second);
fil_status fil_model_contacts_build(fil_context *context, const fil_scene *scene, fil_model *model);
// Of what touches; of how contacts are solved.
uint64_t fil_model_contacts_hash(const fil_model *model, uint64_t hash);
uint64_t fil_model_contacts_hash_settings(const fil_model *model, uint64_t hash);

extern const fil_field fil_motion_fields[], fil_contacts_fields[];
extern const int fil_motion_field_count, fil_contacts_field_count;

// What a group of live strands remembers between steps, as in fil_live_pack; all inside fil_state.memory. x and v may
// be older than those on a device: fil_live_fetch.
typedef struct fil_live_state {
    float *x, *v; // [rows × 3]
    float *push;  // [rows × 3]
    int *pushed;  // [1] 1: the host pushes
} fil_live_state;

// What one group remembers between steps; packed arrays, all inside fil_state.memory.
typedef struct fil_group_state {
    fil_live_state live;         // live groups have this and `pose` alone
    double *q, *v;               // [rows × dofs]
    double *q_before, *v_before; // one step earlier, for FIL_SCHEME_BDF2
    double *frame;               // [rows × frame_count]
    double *force;               // [rows × 3] of the host
    fil_pose *pose;              // [holds × strands] of what holds them: root, tip, pins
} fil_group_state;

// How one strand fared in a step.
typedef struct fil_strand_report {
    int iterations, factorisations, backtracks, repairs;
    bool converged, failed;
    bool led;           // with contacts: goes where the linearisation says, since its own response went far from there
    double change;      // m/s
    double moved;       // m/s: with contacts, by which it was moved apart from others, away from balance
    double mean_change; // m/s: of all its velocities, their norm over their number [Jia20, eq. 4.3]
} fil_strand_report;

// A mesh that live strands feel, in a step.
typedef struct fil_live_mesh {
    fil_solid_surface *surface;
    fil_solid_motion motion;
    double friction;
} fil_live_mesh;

// The cloud of a group of live strands; see step_live_grid.c. Vertices are numbered as they lie in packs.
typedef struct fil_live_grid {
    int64_t cells; // a power of two; 0: strands do not feel each other
    uint32_t *key; // [rows × FIL_LIVE_LANES] the cell of a vertex
    int *order;    // vertices in the order of the cells
    int *start;    // [cells + 1] in the order
    float *cell;   // [4 cells] momentum, mass
} fil_live_grid;

typedef struct fil_live_opencl fil_live_opencl;

// Memory of a step of live strands. Packs are stepped in blocks, one pack of a block after the other in the same
// memory; there is a gap between blocks. Those of a device have a block each, and only what the host tells the device:
// pose, goal, weight, shapes.
typedef struct fil_live_scratch {
    fil_live_opencl *device; // NULL: strands are moved here
    int blocks;
    int *first;             // [blocks + 1] packs
    float *p, *bend, *gain; // [blocks × longest × 3]; p of a device with meshes: [rows × 3]
    float *force;           // [blocks × longest × 4]
    float *work;            // [blocks × longest × 5]
    float *pose;            // [blocks × 12]
    float *goal;            // [blocks × longest × 3]; for a device: [held × 3]
    float *weight;          // [rows] after releases; NULL: the group knows none
    fil_live_shape *shapes; // [obstacles]
    fil_live_mesh *meshes;  // [mesh_count]
    int mesh_count;
    fil_live_grid grid;
    float *before;       // [rows × 3] for settling
    unsigned char *fine; // [packs] bits: strands with finite numbers
} fil_live_scratch;

// Memory of a step, nothing of which outlives it.
typedef struct fil_group_scratch {
    double *q_hat, *q_tilde, *load; // [rows × dofs]: the step is min ½ |q - q̃|²_M / s² + E(q) - load·q, v = (q - q̂) / s
    double *strain;                 // [rows × strain_count] where no stress acts, viscosity included
    double *q[2], *frame[2];      // iterate and trial
    double *gradient, *direction; // [rows × dofs]
    double *band[3];              // [rows × dofs × (bandwidth + 1)]; the second and third serve repairs
    fil_strand_report *report;    // [packs × FIL_LANES]
    double *seconds;              // [packs × FIL_PHASES] of a thread
    const double *free;           // [rows × dofs] 1 free, 0 held: the model's, or `free_now`
    double *free_now;             // the same after releases; NULL: the group knows none
    bool *released;               // [holds]
    struct fil_newton *newton;    // [packs] with contacts: strands wait for each other
    double *push;                 // [rows × dofs] with contacts: N, of their impulses
    double *q_said, *frame_said;  // with contacts: where the linearisation says that strands end
    fil_live_scratch live;        // live groups have this, `free`, `free_now` and `released` alone
} fil_group_scratch;

// An impulse to begin the next part with.
typedef struct fil_tracked {
    int a, b; // as in fil_touch_point
    float at_a, at_b;
    float force[3]; // N, on a
} fil_tracked;

// Memory of a step with contacts.
typedef struct fil_contact_scratch {
    fil_arena *arena;     // of a part
    fil_arena_mark start; // of the same
    unsigned char *held;  // [vertices]
    double *x0, *x1;      // [3 vertices]
    double *x1_found;     // [3 vertices] x1 when contacts were looked for
    int *body;            // [strands] which body of the contact problem it is; -1: it touches nothing
    int *pressed;         // [strands] 0: its root is held, and it pressed against something in the part before; else -1
    fil_solid_motion *bodies; // [obstacles]
    unsigned char *saved;     // the memory of the state at the start of a step
} fil_contact_scratch;

typedef struct fil_memory_head {
    double time, h_before; // h_before: 0 when there is no earlier step
    int halved, calm;      // how often steps are halved at present; parts without trouble since that changed
    int grown;             // 1: that was a step back to longer parts, and is on trial
    int waits;             // how often in a row that was too soon
    int tracked;           // how many impulses are known
} fil_memory_head;

struct fil_state {
    fil_arena *arena;
    const fil_model *model;
    unsigned char *memory; // all that a later step depends on: head, then the arrays of the groups
    size_t memory_size;
    fil_memory_head *head;
    fil_group_state *groups;
    fil_tracked *tracked; // [tracked_room]
    int tracked_room;
    fil_group_scratch *scratch;
    fil_contact_scratch contact;
    fil_problem_watch *watch;
    void *watch_user;
    fil_part_watch *part_watch;
    void *part_watch_user;
};

// Where a vertex of a strand is.
void fil_state_place(const fil_strands *S, const fil_group_state *state, int strand, int i, double out[3]);

#endif
