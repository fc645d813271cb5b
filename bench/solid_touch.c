// What it costs to find where strands touch a body: 2,000 strands × 20 vertices around a head of 10 cm.
//
//     solid_touch [--strands 2000] [--repeats 9]
//
// The head is a sphere, then a mesh of the same size with 51,200 triangles. Strands stand away from it, or lie on it;
// they fall by half a millimetre in the step, with noise. Two threads; the minimum is what the code costs, the median
// what one sees on a busy machine.
#include "strand_touch.h"

#include "base/arena.h"
#include "base/rng.h"
#include "collide/solid.h"
#include "math/mat3.h"

enum { VERTICES = 20, RINGS = 160, MOST_REPEATS = 100 };
static const double head = 0.1, edge = 0.005, pi = 3.14159265358979323846;

// Rings around y; the poles are written once for each spoke.
static void make_head(fil_mesh *mesh)
{
    const int spokes = RINGS;
    int *corner = mesh->triangle;
    for (int i = 0; i <= RINGS; ++i)
        for (int k = 0; k < spokes; ++k) {
            double *x = mesh->position + 3 * (i * spokes + k), ring = i % RINGS ? head * sin(pi * i / RINGS) : 0;
            x[0] = ring * sin(2 * pi * k / spokes);
            x[1] = head * cos(pi * i / RINGS);
            x[2] = ring * cos(2 * pi * k / spokes);
            int a = i * spokes + k, b = i * spokes + (k + 1) % spokes;
            const int two[6] = {a, a + spokes, b + spokes, a, b + spokes, b};
            for (int c = 0; c < 6 && i < RINGS; ++c)
                *corner++ = two[c];
        }
}

// `up`: how steeply strands leave the head.
static bench_strands make_strands(int strands, double up)
{
    bench_strands made = bench_strands_make(strands, VERTICES, 5e-5);
    fil_rng rng = fil_rng_make(1);
    for (int s = 0; s < strands; ++s) {
        double out[3], along[3];
        for (int k = 0; k < 3; ++k) {
            out[k] = fil_rng_normal(&rng);
            along[k] = fil_rng_normal(&rng);
        }
        fil_vec3_normalise(out);
        // A great circle away from the root, and up from it.
        double lift = fil_vec3_dot(out, along);
        for (int k = 0; k < 3; ++k)
            along[k] -= lift * out[k];
        fil_vec3_normalise(along);
        for (int i = 0; i < VERTICES; ++i) {
            int v = s * VERTICES + i;
            double length = edge * i, angle = length * (1 - up) / head, r = head + 1.5e-4 + up * length;
            made.held[v] = i < 2;
            made.arc[v] = length;
            for (int k = 0; k < 3; ++k) {
                double x = r * (cos(angle) * out[k] + sin(angle) * along[k]);
                made.x0[3 * v + k] = x;
                made.x1[3 * v + k] = x + 2e-4 * fil_rng_uniform(&rng, -1, 1) - (k == 1 ? 5e-4 : 0);
            }
        }
    }
    return made;
}

static void measure(fil_context *context, const fil_solid *solid, const char *name, const fil_touch_strands *strands,
                    const char *how, int repeats)
{
    const fil_pose still = {.rotation = {1, 0, 0, 0}};
    const fil_solid_motion body = {.solid = solid, .from = still, .to = still};
    double seconds[MOST_REPEATS];
    fil_touch_list list = {0};
    int inside = 0, on_edges = 0;
    for (int i = 0; i < repeats; ++i) {
        fil_arena *arena = fil_arena_borrow(context);
        double start = fil_timer_seconds();
        bench_need(context, fil_solid_touch(context, arena, strands, &body, 1, 5e-5, NULL, &list, &inside));
        seconds[i] = fil_timer_seconds() - start;
        on_edges = 0;
        for (int k = 0; k < list.count; ++k)
            on_edges += list.point[k].at_a > 0 && list.point[k].at_a < 1;
        fil_arena_give_back(arena);
    }
    double median = bench_median(seconds, repeats);
    printf("%-8s %-8s %9d %9d %9d %9d %10.2f %10.2f\n", name, how, strands->vertex_count, list.count, on_edges, inside,
           1e3 * seconds[0], 1e3 * median);
}

int main(int argc, char **argv)
{
    int strands = 2000, repeats = 9;
    bench_options(argc, argv, &strands, &repeats);
    if (repeats < 1 || repeats > MOST_REPEATS || strands < 1) {
        fprintf(stderr, "usage: solid_touch [--strands N] [--repeats 1..%d]\n", MOST_REPEATS);
        return 2;
    }
    fil_context *context = bench_context(2);
    fil_arena *arena = fil_arena_create(context);
    fil_mesh *mesh;
    bench_need(context, fil_mesh_create(context, (RINGS + 1) * RINGS, 2 * RINGS * RINGS, &mesh));
    make_head(mesh);
    fil_obstacle sphere = fil_obstacle_default(), ball = fil_obstacle_default();
    sphere.shape = FIL_OBSTACLE_SPHERE;
    sphere.size[0] = head;
    ball.shape = FIL_OBSTACLE_MESH;
    ball.mesh = mesh;
    fil_solid *solid[2];
    bench_need(context, fil_solid_create(context, arena, &sphere, "sphere", &solid[0]));
    double start = fil_timer_seconds();
    bench_need(context, fil_solid_create(context, arena, &ball, "mesh", &solid[1]));
    printf("the mesh is ready after %.0f ms\n", 1e3 * (fil_timer_seconds() - start));
    printf("%-8s %-8s %9s %9s %9s %9s %10s %10s\n", "body", "strands", "vertices", "places", "on edges", "inside",
           "least ms", "median ms");
    for (int lie = 0; lie < 2; ++lie) {
        bench_strands made = make_strands(strands, lie ? 0.001 : 0.5);
        for (int k = 0; k < 2; ++k)
            measure(context, solid[k], k ? "mesh" : "sphere", &made.all, lie ? "lie" : "stand", repeats);
        bench_strands_free(&made);
    }
    fil_mesh_destroy(mesh);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
    return 0;
}
