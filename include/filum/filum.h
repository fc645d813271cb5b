// filum: strands with exact Coulomb friction. The whole public interface; see docs/architecture.md.
//
// Every call that can fail returns a fil_status and leaves a sentence in the context (fil_context_error).
// The library never prints, exits or aborts.
#ifndef FILUM_H
#define FILUM_H

#include "filum/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define FIL_VERSION "0.1.0"
const char *fil_version(void);

// Context
fil_context_def fil_context_def_default(void);
fil_context *fil_context_create(const fil_context_def *def); // NULL: no memory
void fil_context_destroy(fil_context *context);
const char *fil_context_error(const fil_context *context); // the sentence of the last failure, or ""
void fil_context_set_threads(fil_context *context, int threads);
int fil_context_threads(const fil_context *context);

// Contact problems: create with room for everything, fill the arrays, check, use, destroy.
// `*out` is NULL after a failure. Pointers of the views that are absent are NULL.
fil_status fil_contact_problem_create_dual(fil_context *context, int contact_count, int64_t block_count,
                                           fil_contact_problem **out);
fil_status fil_contact_problem_create_primal(fil_context *context, int contact_count, int body_count, int dof_count,
                                             int64_t matrix_values, int side_count, int64_t jacobian_values,
                                             fil_contact_problem **out);
void fil_contact_problem_destroy(fil_contact_problem *problem);

// Every rule of the format: indices in range, columns ascending, diagonal present, numbers finite, mu >= 0.
// The sentence names the array and the place.
fil_status fil_contact_problem_check(fil_context *context, const fil_contact_problem *problem);

// Forms W and q from the primal view; O(N M³ + η M) [Daviet11, 6.2]. Does nothing when they are there.
fil_status fil_contact_problem_form_dual(fil_context *context, fil_contact_problem *problem);

// One file, FCLIB's HDF5 layout, local (dual) or global (primal). Written whole or not at all.
fil_status fil_contact_problem_read(fil_context *context, const char *path, fil_contact_problem **out);
fil_status fil_contact_problem_write(fil_context *context, const char *path, const fil_contact_problem *problem);

// The problem's file copied to `path` with the solution (v, u, r) added; v may be NULL.
fil_status fil_contact_solution_write(fil_context *context, const char *path, const fil_contact_problem *problem,
                                      const double *v, const double *u, const double *r);
// The impulse stored in a file, 3 contact_count numbers; FIL_BAD_INPUT when there is none of that size.
fil_status fil_contact_solution_read(fil_context *context, const char *path, const fil_contact_problem *problem,
                                     double *r);
// The same for an impulse to begin with: a file may hold a guess instead of a solution.
fil_status fil_contact_guess_write(fil_context *context, const char *path, const fil_contact_problem *problem,
                                   const double *r);
fil_status fil_contact_guess_read(fil_context *context, const char *path, const fil_contact_problem *problem,
                                  double *r); // where there is a solution, that

// Solving. r: 3 contact_count numbers, the first guess when def->warm. u and v may be NULL; v needs the primal view.
// The problem is checked first. FIL_OK means that the solver ran: whether it reached its goal is stats->outcome.
fil_contact_def fil_contact_def_default(void);
fil_status fil_contact_solve(fil_context *context, fil_contact_problem *problem, const fil_contact_def *def, double *r,
                             double *u, double *v, fil_solve_stats *stats);

// The judge: all residuals of an impulse, u recomputed from r.
fil_status fil_contact_judge(fil_context *context, fil_contact_problem *problem, const double *r,
                             double residual[FIL_MERIT_COUNT]);
const char *fil_merit_name(fil_merit merit);     // "natural", "fclib", "fb"
const char *fil_outcome_name(fil_outcome value); // "solved", "stalled", "no solution", "cancelled"

// A reproducible hair-like problem in reduced coordinates: rods with dense symmetric positive definite blocks,
// contacts between neighbours and with a body. Over-constrained when three times the contacts exceed the dofs.
typedef struct fil_contact_family {
    int rods, dofs;          // dofs per rod
    double contacts_per_rod; // mean number of contact sides on a rod
    double mu;               // friction coefficient of every contact
    uint64_t seed;
} fil_contact_family;
fil_contact_family fil_contact_family_default(void);
fil_status fil_contact_family_generate(fil_context *context, const fil_contact_family *family,
                                       fil_contact_problem **out);

// A reproducible problem from real `der` strands: A = M + h² K in bands, clumps of hair that lie on a flat body,
// contacts found by geometry. One step of a sequence: consecutive ones are like each other, and contacts come and go.
typedef enum fil_contact_hair_shape {
    FIL_HAIR_STRAIGHT, // nearly parallel, with drift
    FIL_HAIR_WAVY,     // helices of 0.4 to 1.2 mm radius, 2 to 4 cm a turn
    FIL_HAIR_CURLY,    // ... of 2 to 3 mm, 2 to 3 cm a turn
    FIL_HAIR_PARALLEL, // dense bundles that touch all along
    FIL_HAIR_SHAPES,
} fil_contact_hair_shape;
typedef struct fil_contact_hair {
    int strands, vertices;      // vertices of a strand, 5 mm apart; the first two are held
    double contacts_per_strand; // mean number of contact sides on a strand; fewer when they are too far apart
    fil_contact_hair_shape shape;
    double step; // s, h
    double mu;   // friction coefficient of every contact
    uint64_t seed;
    int index; // which step of the sequence, from 0
} fil_contact_hair;
fil_contact_hair fil_contact_hair_default(void);
const char *fil_contact_hair_shape_name(fil_contact_hair_shape shape); // "straight", "wavy", "curly", "parallel"
fil_status fil_contact_hair_generate(fil_context *context, const fil_contact_hair *hair, fil_contact_problem **out);
// A first guess for `next` [3 contacts] from the impulses of the step before: contacts of the same strands at nearly
// the same place keep theirs, turned into the new frame and cut to the cone; others start from zero. Both problems in
// the primal view, with the same bodies. `kept` (may be NULL): how many there were.
fil_status fil_contact_hair_carry(fil_context *context, const fil_contact_problem *last, const double *r_last,
                                  const fil_contact_problem *next, double *r_next, int *kept);

// Strands: fill a scene, compile it, create a state, step. examples/embed.c shows all of it.
fil_material fil_material_default(void);
fil_group fil_group_default(void);
fil_motion fil_motion_default(void);
fil_touch fil_touch_default(void);
fil_contacts fil_contacts_default(void);
fil_obstacle fil_obstacle_default(void);
fil_scene fil_scene_default(void);
fil_pose fil_pose_default(void); // no motion

// Where the strands of a group are to start, [3 vertices], so that none is inside an obstacle at time 0 or overlaps
// another: those are moved. For grooms that others made; strands that start like that are eased apart otherwise.
fil_status fil_scene_clear(fil_context *context, const fil_scene *scene, int group, double *position,
                           fil_clearing *report);
// Copies all it needs from the scene. The sentence of a failure names group, array and place.
fil_status fil_model_create(fil_context *context, const fil_scene *scene, fil_model **out);
void fil_model_destroy(fil_model *model); // after its states
int fil_model_group_count(const fil_model *model);
int fil_model_strand_count(const fil_model *model, int group);
int fil_model_vertex_count(const fil_model *model, int group);
void fil_model_shape(const fil_model *model, int group, const fil_shape *out);
// Tells models apart: two that differ in anything a step depends on have different fingerprints.
uint64_t fil_model_fingerprint(const fil_model *model);

// The value of a track with `width` numbers at time t; the pose of a path.
void fil_track_at(const fil_track *track, int width, double t, double *out);
fil_pose fil_path_at(const fil_path *path, double t);
const char *fil_phase_name(fil_phase phase); // "control", "predict", "solve", "detect", "build", "contact", "commit"
const char *fil_trouble_name(fil_trouble trouble); // "contact", "strand", "stretch", "crossing"

fil_status fil_state_create(fil_context *context, const fil_model *model, fil_state **out);
void fil_state_destroy(fil_state *state);

// Where what holds a strand (FIL_HOLD_ROOT, FIL_HOLD_TIP, FIL_HOLD_PIN + i; all strands: -1) shall be at the end of the
// next step. FIL_BAD_INPUT: no such group, strand or pin, it follows a track, or not a finite pose.
fil_status fil_state_pose(fil_context *context, fil_state *state, int group, int hold, int strand,
                          const fil_pose *pose);
// Sees every contact problem of later steps before it is solved: when, and the first guess [3 contacts]. NULL: nobody
// looks. The problem is gone after the call; fil_contact_problem_write keeps it.
typedef void fil_problem_watch(void *user, double time, const fil_contact_problem *problem, const double *guess);
void fil_state_watch(fil_state *state, fil_problem_watch *watch, void *user);
// Is called after each part of a step that is divided (fil_step_stats.parts), but the last: the state may be read.
// NULL: nobody looks.
typedef void fil_part_watch(void *user);
void fil_state_watch_parts(fil_state *state, fil_part_watch *watch, void *user);
// Forces on the vertices of a group in N, [3 vertices], from now on; NULL: none.
fil_status fil_state_force(fil_context *context, fil_state *state, int group, const double *force);

// Cuts, for live models: all strands of a group, with their velocities and what holds them, by a rigid motion at once;
// or back to the groom, at rest, where their roots are held now. FIL_BAD_INPUT: no such group, not a live one, not a
// finite pose.
fil_status fil_state_teleport(fil_context *context, fil_state *state, int group, const fil_pose *motion);
fil_status fil_state_reset(fil_context *context, fil_state *state, int group);

// One step of h seconds. Takes no lock, and allocates nothing without contacts; with them, memory is asked for while
// they become more, and FIL_NO_MEMORY leaves the state as it was. FIL_BAD_INPUT: h is not a positive finite number. How
// well it went is in `stats` (may be NULL); the state is finite in any case. Live strands on a device of OpenCL: when
// that fails, in a step or when a state is read, steps fail with its sentence until a state is loaded, and what is read
// of these strands may be NaN.
fil_status fil_step(fil_context *context, fil_state *state, double h, fil_step_stats *stats);
// Carries every strand to a stable equilibrium under its loads, held ends at their poses, and to rest. Strands that
// need more than max_iterations are counted in stats->unconverged. With contacts: to where contacts and elasticity
// carry all of them; if that takes more, all are counted.
fil_status fil_relax(fil_context *context, fil_state *state, int max_iterations, fil_step_stats *stats);

double fil_state_time(const fil_state *state); // s, the sum of all steps
void fil_state_read(const fil_state *state, int group, const fil_frame *out);
void fil_state_measure(const fil_state *state, int group, fil_measure *out);
// How many independent small motions of the strands of a group would lower the energy: 0 means a stable equilibrium.
// [strands]; held ends stay. FIL_BAD_INPUT: no such group.
fil_status fil_state_unstable_modes(fil_context *context, fil_state *state, int group, int *modes);

// All that a later step depends on, as bytes: loading them gives the same bits ever after.
size_t fil_state_size(const fil_state *state);
void fil_state_save(const fil_state *state, void *bytes);
// FIL_BAD_INPUT, and the state as before: the bytes are damaged or belong to another model. Only how contacts are
// solved (fil_contacts) may differ: methods can be compared from one state on.
fil_status fil_state_load(fil_context *context, fil_state *state, const void *bytes, size_t size);

// Curves: grooms in files. `*out` is NULL after a failure, here and below.
fil_status fil_curves_create(fil_context *context, int strand_count, int64_t vertex_total, bool with_radius,
                             fil_curves **out);
void fil_curves_destroy(fil_curves *curves);
// By the ending and the first bytes of the file: .hair, .tfx, .data, .obj, .ply, .usda. unit: metres per unit of the
// file; 0: what the file says, or a guess. Places that are not finite or repeat the one before are dropped, and so are
// strands with fewer than two places; `report` (may be NULL) counts them.
fil_status fil_curves_read(fil_context *context, const char *path, double unit, fil_curves **out,
                           fil_curves_report *report);
// By the ending of the path. Written whole or not at all. unit: metres per unit of the file; 0: 1.
fil_status fil_curves_write(fil_context *context, const char *path, const fil_curves *curves, double unit);
// The same strands with segments of nearly equal length, as close to `segment` (m) as whole numbers allow.
fil_status fil_curves_resample(fil_context *context, const fil_curves *curves, double segment, fil_curves **out);
void fil_curves_measure(const fil_curves *curves, fil_curves_info *out);
// From a generator of `filum info groom`, settings behind a colon: "scalp:strands=2000,style=curly,seed=3".
fil_status fil_curves_generate(fil_context *context, const char *text, fil_curves **out);

// Hairs that follow guides: a few strands are simulated, and all others go where those around them go. Both as they are
// when nothing has moved; the curves are not needed any more afterwards.
fil_status fil_follow_create(fil_context *context, const fil_curves *guides, const fil_curves *hairs, fil_follow **out);
void fil_follow_destroy(fil_follow *follow);
// Where hairs are, [3 vertices], when the guides are at `guide`, [3 vertices].
void fil_follow_apply(const fil_context *context, fil_follow *follow, const double *guide, double *hair);

// Meshes: triangles from a Wavefront OBJ file; polygons are cut into triangles. unit: metres per unit of the file;
// 0: 1.
fil_status fil_mesh_create(fil_context *context, int vertex_count, int triangle_count, fil_mesh **out);
void fil_mesh_destroy(fil_mesh *mesh);
fil_status fil_mesh_read(fil_context *context, const char *path, double unit, fil_mesh **out);

// Films: docs/scene.md describes the file. `sets` override parts of it: "groups.0.material.young=4e9"; NULL: none. The
// sentence of a failure names the file and the key.
fil_status fil_film_read(fil_context *context, const char *path, const char *const *sets, int set_count,
                         fil_film **out);
// The same from a text; relative names of files are taken from `folder`. `name` begins the sentence of a failure.
fil_status fil_film_parse(fil_context *context, const char *name, const char *folder, const char *text, size_t length,
                          const char *const *sets, int set_count, fil_film **out);
void fil_film_destroy(fil_film *film);
fil_timing fil_timing_default(void);
// How many frames follow the one at 0 s; how many steps of *h seconds each takes.
int fil_timing_frames(const fil_timing *timing);
int fil_timing_steps(const fil_timing *timing, double *h);

// A film in the making: compiles the scene, settles it when asked to, and stands at frame 0. The film must outlive it.
fil_status fil_simulation_create(fil_context *context, const fil_film *film, fil_simulation **out);
void fil_simulation_destroy(fil_simulation *simulation);
// One step towards the next frame; *arrived (may be NULL): the frame is complete. Loading an earlier state
// (fil_simulation_load, bytes of fil_state_save at a frame) goes on from there, bit for bit.
fil_status fil_simulation_step(fil_context *context, fil_simulation *simulation, fil_step_stats *stats, bool *arrived);
fil_status fil_simulation_load(fil_context *context, fil_simulation *simulation, int frame, const void *bytes,
                               size_t size);
int fil_simulation_frame(const fil_simulation *simulation); // the last complete one
const fil_model *fil_simulation_model(const fil_simulation *simulation);
fil_state *fil_simulation_state(const fil_simulation *simulation);

// Frames on disk, for reading. Frames run from 0 to fil_cache_frame_count - 1; each is checked against its checksum
// when it is read, and has positions [3 vertices] and, unless NULL, stretches [vertices] of all groups one after
// another.
fil_status fil_cache_open(fil_context *context, const char *folder, fil_cache **out);
void fil_cache_close(fil_cache *cache);
int fil_cache_frame_count(const fil_cache *cache);
double fil_cache_fps(const fil_cache *cache); // frames per second
int fil_cache_group_count(const fil_cache *cache);
const fil_cache_group *fil_cache_group_at(const fil_cache *cache, int group);
int64_t fil_cache_vertex_total(const fil_cache *cache); // of all groups
const char *fil_cache_scene(const fil_cache *cache);    // the text of the film
fil_status fil_cache_read(fil_context *context, fil_cache *cache, int frame, double *time, float *position,
                          float *stretch);
// Where strands were on their way from the frame before, if `filum run --parts` kept that: k from 1 on. *there: false
// behind the last.
fil_status fil_cache_read_between(fil_context *context, fil_cache *cache, int frame, int k, float *position,
                                  bool *there);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
