// Plain data of filum: what a host program fills in and reads. SI units everywhere.
//
// First contact problems, then strands.
//
// The one problem that strand models and contact solvers share (docs/notation.md):
//
//     A v = b + Hᵀ r,   u = H v + w,   (u_i, r_i) in Coulomb(mu_i)          the primal view
//     u = W r + q,      W = H A⁻¹ Hᵀ,  q = w + H A⁻¹ b                      the dual view
//
// Per contact: the normal first, then two tangents. Every 3×3 block is stored by columns.
#ifndef FILUM_TYPES_H
#define FILUM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the outside world did to us. Bugs of the caller are asserted; numerics are reported in stats.
typedef enum fil_status {
    FIL_OK = 0,
    FIL_BAD_INPUT,   // a file or a setting is wrong: the text names the file and the place
    FIL_NO_MEMORY,   // the machine has no memory left
    FIL_IO_FAILED,   // the machine could not write or read: disk full, permission
    FIL_UNAVAILABLE, // this build was made without that part
} fil_status;

typedef struct fil_context fil_context; // error text, threads, memory: one per host thread
typedef struct fil_arena fil_arena;     // memory released in one call

// How a library call obtains memory and runs in parallel. Zeroed callbacks mean malloc and free.
typedef struct fil_context_def {
    int threads; // 0: all that OpenMP offers
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *memory);
    void *user;
} fil_context_def;

// A square matrix of 3×3 blocks in compressed rows. Columns ascend within a row and the diagonal is present.
typedef struct fil_block_matrix {
    int rows;       // block rows
    bool half;      // only blocks with column >= row are stored; the others are their transposes
    int64_t *start; // [rows + 1]
    int *column;    // [start[rows]]
    double *value;  // [9 * start[rows] + 4]: by columns; the tail lets vectors read past the last block
} fil_block_matrix;

// Symmetric positive definite blocks, one per body, each a band; a dense block is a band as wide as itself.
typedef struct fil_body_matrix {
    int body_count;
    int *dof_start;       // [body_count + 1]
    int *bandwidth;       // [body_count] half-bandwidth, 0 (diagonal) to dofs - 1 (dense)
    int64_t *value_start; // [body_count + 1]
    double *value;        // A(j + k, j) at value[value_start[body] + j * (bandwidth + 1) + k], 0 <= k <= bandwidth
} fil_body_matrix;

// H by sides: the bodies that a contact touches (two; one against the world). A side moves a run of dofs of its body.
typedef struct fil_contact_jacobian {
    int *side_start;      // [contact_count + 1]
    int *body;            // [sides]
    int *first_dof;       // [sides] within the body
    int *dof_count;       // [sides]
    int64_t *value_start; // [sides + 1]
    double *value;        // 3 × dof_count per side, by columns
} fil_contact_jacobian;

// One contact problem in whichever views are present. Made by fil_contact_problem_create_*; owns its arrays.
typedef struct fil_contact_problem {
    int contact_count;
    int file_dim; // 3, or 2: a planar problem lifted to three dimensions with an idle second tangent
    double *mu;   // [contact_count] friction coefficients, >= 0

    bool has_primal;
    fil_body_matrix A;
    fil_contact_jacobian H;
    double *b; // [dofs]
    double *w; // [3 contact_count]

    bool has_dual;
    fil_block_matrix W;
    double *q; // [3 contact_count]

    char title[128]; // what the file says it is, or empty
    fil_arena *arena;
} fil_contact_problem;

// The residuals that a tolerance may mean; all are computed by contact_merit.c and by nothing else.
typedef enum fil_merit {
    FIL_MERIT_NATURAL, // |r - P_K(r - rho (u + mu |u_T| e))| / (rho |q|), rho = 1 / mean diagonal of W
    FIL_MERIT_FCLIB,   // the same with rho = 1, divided by 1 + |q|
    FIL_MERIT_FB,      // infinity norm of the Fischer-Burmeister function of [Daviet11], rho = 1
    FIL_MERIT_COUNT,
} fil_merit;

typedef enum fil_outcome {
    FIL_SOLVED,      // the tolerance is met
    FIL_STALLED,     // the budget is spent: the best impulse found is returned
    FIL_NO_SOLUTION, // proven: no impulse can keep the bodies apart; the least-residual impulse is returned
    FIL_CANCELLED,   // the progress callback asked to stop: the best impulse found is returned
} fil_outcome;

// One point of a solve, shown to the host while it runs.
typedef struct fil_progress {
    const char *phase;  // which method is at work
    int64_t iterations; // sweeps and Newton steps so far
    double seconds;     // since the solve began
    double residual;    // of the chosen merit, at the current iterate
    double best;        // the smallest so far
} fil_progress;

// What to solve and how well. Start from fil_contact_def_default().
typedef struct fil_contact_def {
    const char *solver; // a key of `filum info contact`, settings behind a colon: "gs:relaxation=1.3,order=coloured"
    const char *local;  // a key of `filum info local`, or two joined by '+': first choice and fail-safe
    fil_merit merit;
    double tolerance;
    int64_t max_iterations;                                  // 0: the solver's own budget
    bool warm;                                               // start from the r that is passed in
    bool (*progress)(void *user, const fil_progress *point); // may be NULL; false cancels
    void *user;
} fil_contact_def;

typedef struct fil_solve_stats {
    fil_outcome outcome;
    const char *finished_by; // the method that produced the returned impulse
    int64_t iterations;      // sweeps + Newton steps
    int64_t sweeps;
    int64_t newton_steps;
    int64_t factorisations;
    int64_t local_calls;    // one-contact problems solved
    int64_t failsafe_calls; // ... by the second solver of a hybrid
    int64_t local_failures; // ... by neither
    double residual[FIL_MERIT_COUNT];
    double rho, free_speed; // what the natural residual is measured by: 1 / mean diagonal of W, |q|
    double seconds_setup;   // assembly of W included when it was not given; auto looks first and forms it in the solve
    double seconds_solve;
} fil_solve_stats;

// Strands ------------------------------------------------------------------------------------------------------------

typedef struct fil_mesh fil_mesh;

// What a strand is made of. Start from fil_material_default(): human hair.
typedef struct fil_material {
    double young;                                  // Pa, Young's modulus E
    double poisson;                                // Poisson's ratio: the shear modulus is E / (2 (1 + poisson))
    double density;                                // kg/m³
    double radius;                                 // m, half-width along the first axis of the cross-section
    double aspect;                                 // second half-width over first; 1: a round strand
    double viscosity;                              // Pa s, Kelvin-Voigt: stress = E strain + viscosity × strain rate
    double drag;                                   // kg/(m s): air drag per metre of strand, force = -drag (v - wind)
    double damping;                                // 1/s: force = -damping × mass × v
    double stretch_scale, bend_scale, twist_scale; // factors on the three stiffnesses, for art direction
} fil_material;

// How one end of every strand of a group is held. Held ends follow their pose (fil_state_pose).
typedef enum fil_end {
    FIL_END_FREE,
    FIL_END_PINNED,  // the last vertex
    FIL_END_CLAMPED, // the last two vertices, and the rotation about the edge between them
} fil_end;

// How a value goes from key to key. All are continuous.
typedef enum fil_blend {
    FIL_BLEND_SMOOTH, // without jumps in acceleration and without going past the keys: for keys set by hand
    FIL_BLEND_SPLINE, // cubic spline without jumps in acceleration, still at both ends: for dense keys of a recorded
                      // motion
    FIL_BLEND_LINEAR, // straight, with corners
} fil_blend;

// A value over time, given by keys; constant before the first and behind the last. Zeroed: there is none.
typedef struct fil_track {
    int key_count;
    const double *time;  // [keys] s, ascending
    const double *value; // [keys × how many numbers the value has]
    fil_blend blend;
} fil_track;

// How things that are held move. Zeroed: they stay where they are, or follow fil_state_pose.
typedef struct fil_path {
    fil_track track; // 6 numbers a key: displacement (m), and turn about the pivot as a rotation vector (rad: its
                     // direction is the axis, its length the angle, more than a full turn if you like). What counts is
                     // the change since time 0
    double pivot[3];
    double release; // s, when they are let go; 0: never
} fil_path;

// A rigid motion away from the start: a held vertex that started at x is taken to rotation x + position.
typedef struct fil_pose {
    double position[3];
    double rotation[4]; // quaternion w x y z; need not be normalised
} fil_pose;

// What a vertex can be held by.
enum { FIL_HOLD_ROOT = 0, FIL_HOLD_TIP = 1, FIL_HOLD_PIN = 2, FIL_PINS_MAX = 200 };

// Strands as the host brings them: polylines one after another. NULL arrays take the value named. Nothing is kept: the
// model copies what it needs.
typedef struct fil_groom {
    int strand_count;
    const int *vertex_count;      // [strands] each at least 2
    const double *position;       // [3 vertices] where they start
    const double *rest;           // [3 vertices] their shape without load; NULL: as they start
    const double *natural_strain; // [3 vertices] natural curvature about the first and the second axis of the
                                  // cross-section (1/m) and natural twist (rad/m), read at inner vertices; `rest` then
                                  // gives lengths only. NULL: what `rest` shows, without twist
    const double *normal;         // [3 strands] first axis of the cross-section at the root; NULL: any
    const double *velocity;       // [3 vertices] NULL: at rest
    const double *radius;         // [vertices] NULL: the material's
    const double *density;        // [vertices] NULL: the material's
    const unsigned char *hold;    // [vertices] 0 free, 1 goes with the root, 2 with the tip, 3 with the first pin, 4
                                  // with the second ..., besides the ends; NULL: the ends alone
} fil_groom;

// How the strands of a group touch strands and bodies. Start from fil_touch_default().
typedef struct fil_touch {
    double friction;      // Coulomb's coefficient of strand on strand; of two groups: the geometric mean
    double friction_body; // ... on bodies that name none of their own
    double across;        // friction across the strand over friction along it: the scales of hair
    double adhesion;      // N: pull of every closed contact; of two groups: the geometric mean
    double restitution;   // 0: no bounce, 1: as fast as it came; of two groups: the smaller
    double radius;        // m, at which strands touch; 0: their own
} fil_touch;

// Strands of one kind. Start from fil_group_default().
typedef struct fil_group {
    const char *name;  // for messages
    const char *model; // a key of `filum info strand`, settings behind a colon: "der:hessian=filter"
    fil_material material;
    fil_end root, tip; // first vertex, last vertex
    fil_path root_path, tip_path;
    const fil_path *pins; // [pin_count] of vertices with hold 3, 4 ...
    int pin_count;
    fil_touch touch; // read when the scene has contacts
    fil_groom groom;
} fil_group;

typedef enum fil_obstacle_shape {
    FIL_OBSTACLE_PLANE,    // all below y = 0
    FIL_OBSTACLE_SPHERE,   // size[0]: radius
    FIL_OBSTACLE_CAPSULE,  // along y; size[0]: radius, size[1]: between the middles of the round ends
    FIL_OBSTACLE_CYLINDER, // along y; size[0]: radius, size[1]: length
    FIL_OBSTACLE_BOX,      // size: half widths along x, y, z
    FIL_OBSTACLE_MESH,     // closed: with an inside that strands are kept out of; open: a surface with two sides
    FIL_OBSTACLE_SHAPES,
} fil_obstacle_shape;

// Something solid that strands touch. It moves as it is told and feels nothing. Start from fil_obstacle_default().
typedef struct fil_obstacle {
    const char *name; // for messages
    fil_obstacle_shape shape;
    double size[3];       // m
    const fil_mesh *mesh; // FIL_OBSTACLE_MESH
    // A mesh that changes its shape: its vertices over time, straight from one to the next; they stay at the first
    // before and at the last behind. 0: it is rigid.
    int pose_count;
    const double *pose_time;     // [poses] s, ascending
    const double *pose_position; // [poses × 3 vertices] m
    fil_pose place;              // where it stands at the start
    fil_path path;               // how it moves from there
    double friction;             // Coulomb's coefficient; negative: what the strands say
    double restitution;          // 0: no bounce, 1: as fast as it came; the larger of it and the strands'
} fil_obstacle;

// An exception for two groups, or a group and an obstacle. Things are numbered: groups first, then obstacles.
typedef struct fil_touch_rule {
    int first, second; // the same twice: strands of one group among themselves
    int apart;         // 1: they do not feel each other
    double friction;   // instead of what they say; negative: as they say
} fil_touch_rule;

// How a step finds the impulses of its contacts.
typedef enum fil_contacts_method {
    FIL_CONTACTS_LINEAR,  // strands are linearised once [Daviet11]
    FIL_CONTACTS_ADONIS,  // ... and again where that was not good enough, until all equations hold (Kaufman 2014)
    FIL_CONTACTS_IMPULSE, // local impulses in a quasi-Newton method [Jia20, Algorithms 2 and 3]
} fil_contacts_method;

// How things that touch are kept apart. Start from fil_contacts_default().
typedef struct fil_contacts {
    fil_contacts_method method;
    const char *solver, *local; // as in fil_contact_def; not used by FIL_CONTACTS_IMPULSE
    double tolerance;           // natural residual of every solve
    double still; // m/s: FIL_CONTACTS_IMPULSE also ends when an iteration changes velocities by no more, in the mean
    int max_iterations; // linearisations of a step, or iterations of FIL_CONTACTS_IMPULSE
    double skin;        // contacts are closed below this gap, in radii
    double ease;        // s: what is inside a body is moved out in about this time
    int halvings;       // how often a step in trouble may be halved; 0: steps keep their size
    double stretch;     // edges stretched by more than this part are trouble
} fil_contacts;

typedef enum fil_scheme {
    FIL_SCHEME_EULER, // backward Euler: first order, damps what the step does not resolve
    FIL_SCHEME_THETA, // 0.5: trapezoidal, second order, keeps energy; 1: backward Euler
    FIL_SCHEME_BDF2,  // second order, little damping; the first step is backward Euler
} fil_scheme;

typedef enum fil_method {
    FIL_METHOD_NEWTON, // with backtracking line search [Jia20, Algorithm 1]
    FIL_METHOD_QUASI,  // the same with the first factor of the step kept as long as it serves
    FIL_METHOD_FIXED,  // max_iterations Newton steps, no line search [Shi23]
} fil_method;

// How strands are carried through time. Start from fil_motion_default().
typedef struct fil_motion {
    fil_scheme scheme;
    double theta; // of FIL_SCHEME_THETA
    fil_method method;
    int max_iterations;
    double tolerance; // m/s: an iteration that changes no velocity by more is the last
} fil_motion;

// Everything a simulation is made of. Start from fil_scene_default().
typedef struct fil_scene {
    double gravity[3];       // m/s²
    double wind[3];          // m/s, of the air
    fil_track gravity_track; // 3 numbers a key, instead of `gravity`
    fil_track wind_track;    // ... of `wind`
    fil_motion motion;
    const fil_group *groups;
    int group_count;
    const fil_contacts *contacts; // NULL: nothing touches
    const fil_obstacle *obstacles;
    int obstacle_count;
    const fil_touch_rule *rules;
    int rule_count;
} fil_scene;

// What fil_scene_clear did.
typedef struct fil_clearing {
    int64_t vertices; // that were moved
    double farthest;  // m
    int inside;       // places that are still in obstacles: between two that overlap, for example
    int overlaps;     // of strands that are still there
} fil_clearing;

typedef struct fil_model fil_model; // a compiled scene: constant, may be shared by states
typedef struct fil_state fil_state; // all that changes: what a checkpoint holds, and memory to step in

// Where results go; NULL: not wanted. In the order of the groom.
typedef struct fil_frame {
    double *position; // [3 vertices]
    double *velocity; // [3 vertices]
    double *normal;   // [3 vertices] first axis of the cross-section on the edge behind the vertex (the last repeats)
    double *stretch;  // [vertices] |e| / rest length - 1 of the edge behind the vertex (the last repeats)
} fil_frame;

// What does not change: the strands of a group without load, for those who draw or measure them. NULL: not wanted. In
// the order of the groom.
typedef struct fil_shape {
    int *vertex_count; // [strands]
    double *radius;    // [vertices] m
    double *length;    // [vertices] m, of the edge behind the vertex at rest (the last: 0)
    double *stiffness; // [vertices] N, E A of the same edge: axial force = stiffness × stretch
    double *curvature; // [vertices] 1/m, of the rest shape at the vertex (the ends: 0)
} fil_shape;

// The parts of a step, for those who want to know where time goes.
typedef enum fil_phase {
    FIL_PHASE_CONTROL, // paths, gravity and wind of the moment
    FIL_PHASE_PREDICT, // where strands would go without forces between vertices
    FIL_PHASE_SOLVE,   // Newton's method
    FIL_PHASE_DETECT,  // who touches whom
    FIL_PHASE_BUILD,   // the contact problem
    FIL_PHASE_CONTACT, // its solution
    FIL_PHASE_COMMIT,  // checks, velocities, sums
    FIL_PHASES,
} fil_phase;

// Why a part of a step was given up, or taken with a bad conscience.
typedef enum fil_trouble {
    FIL_TROUBLE_CONTACT,  // impulses missed their tolerance, and did not end still
    FIL_TROUBLE_STRAND,   // strands did not converge, or their numbers were not finite
    FIL_TROUBLE_STRETCH,  // an edge was stretched beyond the limit
    FIL_TROUBLE_CROSSING, // edges passed through each other
    FIL_TROUBLES,
} fil_trouble;

typedef struct fil_step_stats {
    int strands;
    int unconverged;        // strands that spent their iterations above the tolerance; their last iterate is kept
    int failed;             // strands whose numbers were not finite: left where they were, at rest
    int64_t iterations;     // Newton iterations, summed over strands
    int most_iterations;    // of one strand
    int64_t factorisations; // summed over strands
    int64_t backtracks;     // shortened steps
    int64_t repairs;        // Hessians that were not positive definite and were filtered
    double worst_change;    // m/s: the largest change of a velocity in a last iteration
    // Contacts. What is said of parts: of the parts that the step was halved into; without contacts there is one.
    int parts;                  // how many there were
    int retries;                // parts that were given up and tried again with half the time
    int rough_parts;            // parts in trouble that could not be halved any more: taken as they were
    unsigned trouble;           // bits 1 << fil_trouble of all that was met
    int contacts;               // of the last part
    int closed;                 // ... that carry an impulse
    int kept;                   // ... that were there in the part before
    int linearisations;         // contact problems built, of all parts
    int64_t contact_iterations; // of their solver
    double contact_residual;    // natural, with the velocities that were taken; the worst of the parts
    int crossings;              // pairs of edges that passed through each other in spite of all
    int inside;                 // free vertices inside bodies at the start
    double seconds[FIL_PHASES];
} fil_step_stats;

// Sums over a group, from the state alone.
typedef struct fil_measure {
    double kinetic, elastic, gravity; // J; gravity: -m g·x
    double mass;                      // kg, held vertices included
    double momentum[3];               // kg m/s
    double angular_momentum[3];       // kg m²/s, about the origin
    double stretch;                   // largest | |e| / rest length - 1 | of an edge
} fil_measure;

// Curves -------------------------------------------------------------------------------------------------------------

// Strands from a file or a generator, in metres. Owns its arrays.
typedef struct fil_curves {
    int strand_count;
    int64_t vertex_total;
    int *vertex_count; // [strands] each at least 2
    double *position;  // [3 vertices]
    double *radius;    // [vertices] m, or NULL: the file says nothing
    fil_arena *arena;
} fil_curves;

// What a reader met and did. Nothing of this is fatal.
typedef struct fil_curves_report {
    char format[16];     // "hair", "tfx", "data", "obj", "ply", "usda"
    double unit;         // metres per unit of the file, as used
    bool unit_guessed;   // neither the file nor the caller said
    int strands_in_file; // what the file claims
    int64_t vertices_in_file;
    int strands_dropped;                           // fewer than two places left
    int64_t vertices_not_finite, vertices_doubled; // dropped
} fil_curves_report;

// Sums over curves.
typedef struct fil_curves_info {
    double length[3];       // least, mean, most, m
    double segment[3];      // the same of single segments
    int vertices[2];        // least, most of a strand
    double low[3], high[3]; // bounding box
} fil_curves_info;

typedef struct fil_follow fil_follow; // hairs that follow guides

// Triangles of a body. Owns its arrays.
struct fil_mesh {
    int vertex_count, triangle_count;
    double *position; // [3 vertices] m
    int *triangle;    // [3 triangles]
    fil_arena *arena;
};

// Films --------------------------------------------------------------------------------------------------------------

// How long, and in which steps.
typedef struct fil_timing {
    double duration; // s, of the film
    double fps;      // frames per second; there is one at 0 s, too
    double step;     // s, at most: a frame takes a whole number of equal steps
    int settle;      // 1: strands come to rest under their loads before the first frame
} fil_timing;

// How the strands of a group are shown.
typedef struct fil_look {
    double colour[3]; // 0 to 1, linear
    int hairs;        // drawn for each strand, scattered around it
    double spread;    // m, how far they scatter
    double thickness; // m, radius of a drawn hair; 0: the strand's own
} fil_look;

// Something solid to look at. What strands feel of it is an obstacle of the scene.
typedef struct fil_body {
    const char *name;
    const fil_mesh *mesh; // where it stands at the start
    // A mesh that changes its shape, as in fil_obstacle. 0: it is rigid.
    int pose_count;
    const double *pose_time;     // [poses] s
    const double *pose_position; // [poses × 3 vertices] m
    fil_path path;
    double colour[3]; // 0 to 1, linear
} fil_body;

// How the film is shot.
typedef struct fil_shot {
    int width, height;                 // pixels
    int samples;                       // rays per pixel
    int ground;                        // 1: a floor below everything
    int framed;                        // 1: the camera finds its place by itself; eye and target are not used
    double eye[3], target[3];          // m
    fil_track eye_track, target_track; // 3 numbers a key, instead of them
    double angle;                      // degrees, vertical field of view
} fil_shot;

// A scene as a file tells it: what is simulated, for how long, and how it is shown. Owns everything in it.
typedef struct fil_film {
    const char *name; // of its file, for messages
    const char *title;
    fil_scene scene;
    fil_timing timing;
    const fil_look *looks; // [scene.group_count]
    const fil_body *bodies;
    int body_count;
    fil_shot shot;
    const char *text; // the scene as JSON with all overrides in it and full names of files: reading it again gives the
                      // same film from anywhere
    fil_arena *arena;
} fil_film;

typedef struct fil_simulation fil_simulation; // a film in the making

// Frames on disk: the folder that `filum run` writes and docs/io/cache.md describes.
typedef struct fil_cache fil_cache;

// Strands in a cache, as they were without load.
typedef struct fil_cache_group {
    const char *name;
    int strand_count;
    int64_t vertex_total;
    fil_shape shape; // all arrays are there
} fil_cache_group;

#ifdef __cplusplus
}
#endif
#endif
