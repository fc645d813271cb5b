// What the cases share: reporting rows, and a rig, which is one rod in the units of theory: length 1, mass 1 and,
// unless said otherwise, bending stiffness 1; or some equal rods that touch. See validate_rig.c.
//
// The first failure of the library is kept in the task and makes every later call do nothing, so that a case reads as
// an experiment.
#ifndef FIL_VALIDATE_RIG_H
#define FIL_VALIDATE_RIG_H

#include "base/arena.h"
#include "validate/validate.h"

typedef struct fil_validate_task {
    fil_context *context;
    const fil_validate_def *def;
    const char *name;  // of the case at work
    bool has_twist;    // the model has material frames
    bool unsettled;    // a solve since the last row did not converge
    bool stopped;      // by a callback
    fil_status status; // the first failure
} fil_validate_task;

// Is there any point in going on?
bool fil_validate_going(const fil_validate_task *task);

// Fills in name, error and verdict and shows the row. With a reason (not NULL), FIL_VERDICT_COARSE stands in for a miss
// and FIL_VERDICT_BY_DESIGN for any verdict.
void fil_validate_report(fil_validate_task *task, fil_validate_row *row, fil_validate_verdict excuse,
                         const char *reason, const char *quantity, ...) __attribute__((format(printf, 5, 6)));
// The bar most figures are held against.
void fil_validate_report_relative(fil_validate_task *task, double theory, double measured, const char *quantity, ...)
    __attribute__((format(printf, 4, 5)));
// The size of a figure that theory says is 0.
void fil_validate_report_zero(fil_validate_task *task, double measured, double bound, const char *quantity, ...)
    __attribute__((format(printf, 4, 5)));
void fil_validate_report_at_least(fil_validate_task *task, double measured, double bound, const char *quantity, ...)
    __attribute__((format(printf, 4, 5)));
// The reason why a model without material frames misses what twist does; NULL when it has them.
const char *fil_validate_no_twist(const fil_validate_task *task);

typedef struct fil_rig_audit fil_rig_audit;

typedef struct fil_rig {
    fil_validate_task *task;
    fil_arena *arena;
    // Filled in between begin and finish. The arrays are zero at first; groom.position is set, the others are
    // [3 vertices] to fill and point groom.rest etc. at.
    fil_scene scene;       // no gravity
    fil_group group;       // clamped root, free tip
    fil_contacts contacts; // for fil_rig_touch
    fil_obstacle obstacle; // for fil_rig_touch_obstacle
    double *start, *rest, *strain, *start_velocity;

    fil_model *model;
    fil_state *state;
    int strands;
    int vertices; // of all strands
    int *vertex_count;
    double *position, *velocity; // as fil_rig_read found them
    double *mass;                // of the vertices
    double *force;               // for fil_rig_weigh
    fil_step_stats stats;        // of the last step
    fil_rig_audit *audit;
    int64_t crossings; // what the audit saw: segments that passed through each other,
    double deepest;    // and vertices inside the obstacle
    void *saved;
} fil_rig;

// false: no memory, do not go on. End with fil_rig_end in any case.
bool fil_rig_begin(fil_validate_task *task, int vertices, fil_rig *rig);
// The same with some strands of so many vertices each.
bool fil_rig_begin_strands(fil_validate_task *task, int strands, int vertices, fil_rig *rig);
// A round rod: radius, bending stiffness, Poisson's ratio; 1 kg/m. stretch_scale makes it as good as inextensible.
void fil_rig_rod(fil_rig *rig, double radius, double bend, double poisson, double stretch_scale);
// Strands touch each other from now on; and the obstacle, too.
void fil_rig_touch(fil_rig *rig);
void fil_rig_touch_obstacle(fil_rig *rig);
void fil_rig_finish(fil_rig *rig);
void fil_rig_end(fil_rig *rig);

// validate_rig_audit.c. From now on every step is looked at by the audit of saved frames.
void fil_rig_audit_begin(fil_rig *rig);
void fil_rig_audit_end(fil_rig *rig);
void fil_rig_audit_look(fil_rig *rig);

// From now on each vertex weighs its mass times this vector, and `tip` pulls at the last one (NULL: nothing).
void fil_rig_weigh(fil_rig *rig, const double weight[3], const double *tip);
void fil_rig_relax(fil_rig *rig);
void fil_rig_step(fil_rig *rig, double h);
void fil_rig_read(fil_rig *rig);
void fil_rig_save(fil_rig *rig);
void fil_rig_restore(fil_rig *rig);
// The largest |x_axis| of a vertex.
double fil_rig_extent(const fil_rig *rig, int axis);

// The velocity of the centre of all mass; the largest speed of a vertex.
void fil_rig_drift(const fil_rig *rig, double velocity[3]);
double fil_rig_fastest(const fil_rig *rig);

// The load at which a planar shape (z = 0) becomes unstable: `apply` sets it; steps of `stride` up to `most` follow the
// shape, then bisection. NaN: stable all the way.
double fil_rig_critical(fil_rig *rig, void (*apply)(fil_rig *rig, double load), double stride, double most);

// Cases, one function each.
void fil_validate_cantilever(fil_validate_task *task);
void fil_validate_tip_load(fil_validate_task *task);
void fil_validate_catenary(fil_validate_task *task);
void fil_validate_helix(fil_validate_task *task);
void fil_validate_column(fil_validate_task *task);
void fil_validate_ribbon(fil_validate_task *task);
void fil_validate_ring(fil_validate_task *task);
void fil_validate_bend_twist(fil_validate_task *task);
void fil_validate_beam_modes(fil_validate_task *task);
void fil_validate_chain_modes(fil_validate_task *task);
void fil_validate_pendulum(fil_validate_task *task);
void fil_validate_time_order(fil_validate_task *task);
void fil_validate_balance(fil_validate_task *task);
void fil_validate_incline(fil_validate_task *task);
void fil_validate_capstan(fil_validate_task *task);
void fil_validate_stick_slip(fil_validate_task *task);
void fil_validate_on_tube(fil_validate_task *task);
void fil_validate_on_strand(fil_validate_task *task);
void fil_validate_collision(fil_validate_task *task);
void fil_validate_bounce(fil_validate_task *task);
void fil_validate_adhesion(fil_validate_task *task);
void fil_validate_pile(fil_validate_task *task);
// Of any size: settles for some seconds and is watched for some more. For tests that have the time.
void fil_validate_pile_of(fil_validate_task *task, int strands, double settle, double watch);

#endif
