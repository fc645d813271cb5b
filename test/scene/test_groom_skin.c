// Hair on a mesh: where roots are, and that hairs stay outside.
#include "test.h"

#include "../failing_allocator.h"
#include "math/mat3.h"

#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846, centre[3] = {1, 2, 3};
enum { RINGS = 40, AROUND = 60 };

// A sphere of radius 0.1 around `centre`, in centimetres; its faces turn inwards when asked to.
static const char *write_sphere(bool inwards)
{
    const char *path = test_path(inwards ? "inwards.obj" : "sphere.obj");
    FILE *file = fopen(path, "w");
    ck_assert(file != NULL);
    for (int i = 0; i <= RINGS; ++i)
        for (int j = 0; j < AROUND; ++j) {
            double polar = pi * i / RINGS, around = 2 * pi * j / AROUND;
            fprintf(file, "v %.9g %.9g %.9g\n", 100 + 10 * sin(polar) * sin(around), 200 + 10 * cos(polar),
                    300 + 10 * sin(polar) * cos(around));
        }
    for (int i = 0; i < RINGS; ++i)
        for (int j = 0; j < AROUND; ++j) {
            int a = i * AROUND + j + 1, b = i * AROUND + (j + 1) % AROUND + 1;
            int second = inwards ? b : a, fourth = inwards ? a : b;
            fprintf(file, "f %d %d %d %d\n", second, second + AROUND, fourth + AROUND, fourth);
        }
    fclose(file);
    return path;
}

static fil_curves *made(fil_context *context, const char *settings, const char *path)
{
    char text[1024];
    snprintf(text, sizeof text, settings, path);
    fil_curves *curves;
    test_ok(context, fil_curves_generate(context, text, &curves));
    return curves;
}

static void from_centre(const double *x, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (x[k] - centre[k]) / 0.1;
}

TEST(groom_skin_hairs_stay_outside)
{
    fil_context *context = fil_context_create(NULL);
    double inner = cos(pi / RINGS) * cos(pi / AROUND) - 1e-6; // a face lies inside of the sphere
    for (int inwards = 0; inwards < 2; ++inwards)
        for (int fur = 0; fur < 2; ++fur) {
            fil_curves *curves = made(context,
                                      fur ? "fur:strands=300,mesh=%s,mesh_unit=0.01"
                                          : "scalp:strands=300,mesh=%s,mesh_unit=0.01,segment=0.003",
                                      write_sphere(inwards));
            const double *x = curves->position;
            for (int s = 0; s < curves->strand_count; ++s)
                for (int i = 0; i < curves->vertex_count[s]; ++i, x += 3) {
                    double at[3];
                    from_centre(x, at);
                    double size = fil_vec3_norm(at);
                    ck_assert_msg(size > inner, "strand %d, vertex %d: %g", s, i, size);
                    if (i == 0)
                        ck_assert_double_le(size, 1 + 1e-6);
                    if (i > 0) {
                        const double d[3] = {x[0] - x[-3], x[1] - x[-2], x[2] - x[-1]};
                        ck_assert_msg(fil_vec3_norm(d) > 1e-4, "strand %d, vertex %d: no length", s, i);
                    }
                }
            fil_curves_destroy(curves);
        }
    fil_context_destroy(context);
}

TEST(groom_skin_hair_grows_where_it_should)
{
    fil_context *context = fil_context_create(NULL);
    char path[512];
    snprintf(path, sizeof path, "%s", write_sphere(false));
    for (int face = 0; face < 2; ++face) {
        fil_curves *curves = made(context,
                                  face ? "scalp:strands=500,mesh=%s,mesh_unit=0.01,lowest=0"
                                       : "scalp:strands=500,mesh=%s,mesh_unit=0.01,lowest=0,face=false",
                                  path);
        int front = 0;
        for (int s = 0; s < curves->strand_count; ++s) {
            double at[3];
            from_centre(curves->position + (ptrdiff_t)3 * s * curves->vertex_count[0], at);
            ck_assert_double_gt(at[1], -1e-9);
            front += at[1] < 0.5 && at[2] > 0.5;
        }
        if (face)
            ck_assert_int_eq(front, 0);
        else
            ck_assert_int_gt(front, 30);
        fil_curves_destroy(curves);
    }
    fil_context_destroy(context);
}

// No two roots are near, and no part of the mesh is left out.
TEST(groom_skin_roots_are_spread_evenly)
{
    fil_context *context = fil_context_create(NULL);
    enum { STRANDS = 1000 };
    fil_curves *curves = made(context, "fur:strands=1000,mesh=%s,mesh_unit=0.01", write_sphere(false));
    double spacing = sqrt(4 * pi / STRANDS), nearest = HUGE_VAL;
    int octants[8] = {0}, n = curves->vertex_count[0];
    for (int s = 0; s < STRANDS; ++s) {
        double a[3], b[3];
        from_centre(curves->position + (ptrdiff_t)3 * s * n, a);
        ++octants[(a[0] > 0) + 2 * (a[1] > 0) + 4 * (a[2] > 0)];
        for (int t = 0; t < s; ++t) {
            from_centre(curves->position + (ptrdiff_t)3 * t * n, b);
            const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
            nearest = fmin(nearest, fil_vec3_norm(d));
        }
    }
    ck_assert_double_gt(nearest, 0.5 * spacing);
    for (int i = 0; i < 8; ++i)
        ck_assert_msg(abs(octants[i] - STRANDS / 8) < 20, "octant %d has %d roots", i, octants[i]);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(groom_skin_is_reproducible)
{
    fil_context *context = fil_context_create(NULL);
    char path[512];
    snprintf(path, sizeof path, "%s", write_sphere(false));
    fil_curves *a = made(context, "scalp:strands=100,mesh=%s,mesh_unit=0.01,style=curly", path);
    fil_curves *b = made(context, "scalp:strands=100,mesh=%s,mesh_unit=0.01,style=curly", path);
    fil_curves *c = made(context, "scalp:strands=100,mesh=%s,mesh_unit=0.01,style=curly,seed=2", path);
    size_t size = (size_t)a->vertex_total * 3 * sizeof(double);
    ck_assert_mem_eq(a->position, b->position, size);
    ck_assert(memcmp(a->position, c->position, size) != 0);
    fil_curves_destroy(a);
    fil_curves_destroy(b);
    fil_curves_destroy(c);
    fil_context_destroy(context);
}

static void refuses(const char *settings, const char *text, const char *sentence)
{
    fil_context *context = fil_context_create(NULL);
    char name[512], line[1024];
    snprintf(name, sizeof name, "%s", test_path("mesh.obj"));
    FILE *file = fopen(name, "w");
    ck_assert(file != NULL);
    fputs(text, file);
    fclose(file);
    snprintf(line, sizeof line, settings, name);
    fil_curves *curves;
    ck_assert_int_eq(fil_curves_generate(context, line, &curves), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), sentence);
    ck_assert(curves == NULL);
    fil_context_destroy(context);
}

TEST(groom_skin_refuses_what_bears_no_hair)
{
    const char *point = "v 1 1 1\nf 1 1 1\n",
               *steep = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 9 0\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    refuses("scalp:mesh=none.obj", "", "none.obj: cannot open");
    refuses("scalp:mesh=", "", "scalp: mesh: must be the name of a file (got nothing)");
    refuses("fur:mesh=%s,mesh_unit=0", steep, "fur: mesh_unit: must be from 1e-09 to 1e+09 (got 0)");
    refuses("fur:mesh=%s", "v 1 1 1\nf 1 2 3\n", "mesh.obj: line 2: the index 2 is out of range (1 vertices)");
    refuses("fur:mesh=%s", point, "mesh.obj: hair has no place: too little of the mesh lies above `lowest`");
    refuses("scalp:mesh=%s,lowest=0.99,strands=100", steep, "above `lowest` and outside of the face");
}

static fil_status generate(fil_context *context, void *data)
{
    fil_curves *curves;
    fil_status status = fil_curves_generate(context, data, &curves);
    fil_curves_destroy(curves);
    return status;
}

TEST(groom_skin_survives_failing_allocation)
{
    char text[1024];
    snprintf(text, sizeof text, "scalp:strands=5,mesh=%s,mesh_unit=0.01", write_sphere(false));
    test_failing_allocation(generate, text);
}
