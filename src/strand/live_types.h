// What live kernels are given. Compiled by C and, as text, by OpenCL: no include guard, no includes.

// How bends are taken back: each by a part of what is missing; by what the material says, one by one; all at once.
typedef enum fil_live_form { FIL_LIVE_PBD, FIL_LIVE_XPBD, FIL_LIVE_DIRECT } fil_live_form;

// What is done of a step: all of it; all but the new state; the new state. Between the two the host takes vertices out
// of bodies that devices do not know.
typedef enum fil_live_share { FIL_LIVE_WHOLE, FIL_LIVE_MOVE, FIL_LIVE_FINISH } fil_live_share;

// What a step is told; the same for all packs of a group.
typedef struct fil_live_now {
    float h;
    float gravity[3], wind[3];
    float damping;        // 1/s
    float stiffness;      // of bends: the part that a sweep takes back
    float to_edge;        // the part of the way to where the edge before says that a vertex is, in a round
    float to_shape;       // the part of the way to the rest shape that a round goes, at the root
    float to_shape_reach; // of the length of a strand: where that has faded away
    float correction;     // dftl: how much of the correction of the next vertex a velocity feels
    float jump;           // m: roots that go farther in a step take their strands along
    int rounds, bends;    // rounds of a step, sweeps over the bends in each
    int form;             // fil_live_form
    int curved;           // 1: the rest shape has bends
    int hangs;            // 1: bends carry the weight of the groom; 2: the frames of the roots do
    float carried[3];     // m/s², gravity of the groom
    int pushed;           // 1: the host pushes
    int shapes;           // how many bodies there are
    int share;            // fil_live_share; on devices alone
} fil_live_now;

// A body at the end of the step, x = R y + t, and where it came from.
typedef struct fil_live_shape {
    int kind;                // fil_obstacle_shape
    float size[3], friction; // m
    float to[12], from[12];  // R by rows, then t
} fil_live_shape;

// The numbers of one pack: [n] for each vertex, or for each edge with the vertex before it.
typedef struct fil_live_pack {
    int n, held_count;
    GLOBAL float *x, *v, *p; // [3 n] at the start, velocities, on the way
    GLOBAL float *force;     // [4 n] elastic: of bends (3) and edges (1), as accelerations
    GLOBAL float *bend;      // [3 n] k
    GLOBAL float *gain;      // [3 n] what a bend gives way, inverted; of the form direct: the factor of B
    GLOBAL float *work;      // [5 n] for the lengths
    GLOBAL const float *weight;
    GLOBAL const float *length;    // [n] m; 0 behind the end of a strand
    GLOBAL const float *inverse;   // [n] 1 / length; 0 there, too
    GLOBAL const float *drag;      // [n] 1/s
    GLOBAL const float *radius;    // [n] m, at which bodies are touched
    GLOBAL const float *give;      // [2 n] elastic: of bends, of edges; × h²
    GLOBAL const float *rest;      // [3 n] at time 0
    GLOBAL const float *rest_bend; // [3 n] k along the edge before and its two axes
    GLOBAL const float *lift;      // [3 n] f of the groom along the edge before and its two axes; m² /s²
    GLOBAL const float *axis;      // [3] first axis of the first edge at time 0
    GLOBAL const float *along;     // [n] from the root along the strand, over its length
    GLOBAL const float *push;      // [3 n] m/s², of the host
    GLOBAL const float *pose;      // [12] of the root: R by rows, then t
    GLOBAL const float *goal;      // [3 held_count] where held vertices shall be
    GLOBAL const int *held;        // [held_count] which these are in one strand at least
} fil_live_pack;
