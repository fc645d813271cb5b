// Grooms of scenes: places, pins, files and what is repaired in them.
#include "base/file.h"
#include "scene/film.h"
#include "scene/films.h"

#include <stdio.h>

TEST(film_places_grooms)
{
    fil_context *context = fil_context_create(NULL);
    fil_film *plain = film_of(context, "{'groups': [{'groom': 'scalp:strands=5'}]}");
    fil_film *placed = film_of(context, "{'groups': [{'groom': 'scalp:strands=5',"
                                        " 'place': {'position': [1, 2, 3], 'turn': [0, 0, 90], 'scale': 2}}]}");
    const double *x = plain->scene.groups[0].groom.position, *y = placed->scene.groups[0].groom.position;
    for (int i = 0; i < plain->scene.groups[0].groom.vertex_count[0]; ++i, x += 3, y += 3) {
        test_near(y[0], 1 - 2 * x[1], 1e-12);
        test_near(y[1], 2 + 2 * x[0], 1e-12);
        test_near(y[2], 3 + 2 * x[2], 1e-12);
    }
    fil_film_destroy(plain);
    fil_film_destroy(placed);
    fil_context_destroy(context);
}

TEST(film_pins_parts_of_strands)
{
    fil_context *context = fil_context_create(NULL);
    // 11 vertices: 0, 0.1, ... 1. The second pin is between two of them; the third overrides the first.
    fil_film *film = film_of(context, "{'groups': [{'groom': 'line:strands=2,length=0.1,segment=0.01,variation=0',"
                                      " 'pins': [{'from': 0.35, 'to': 0.75}, {'from': 0.93, 'to': 0.94},"
                                      " {'from': 0.68, 'to': 0.72}]}]}");
    static const unsigned char expected[11] = {0, 0, 0, 0, 3, 3, 3, 5, 0, 4, 0};
    const fil_groom *groom = &film->scene.groups[0].groom;
    ck_assert_int_eq(groom->vertex_count[0], 11);
    ck_assert_mem_eq(groom->hold, expected, 11);
    ck_assert_mem_eq(groom->hold + 11, expected, 11);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

// ---- files

// Generators grow hair on meshes; their files lie beside the scene, too.
TEST(film_finds_the_files_of_generators)
{
    static const char ball[] =
        "v 0 1 0\nv 1 0 0\nv 0 0 1\nv -1 0 0\nv 0 0 -1\nv 0 -1 0\nf 1 3 2\nf 1 4 3\nf 1 5 4\nf 1 2 5\n"
        "f 6 2 3\nf 6 3 4\nf 6 4 5\nf 6 5 2\n";
    fil_context *context = fil_context_create(NULL);
    test_ok(context, fil_file_write_text(context, test_path("ball.obj"), ball, sizeof ball - 1));
    fil_film *film = film_of(context, "{'groups': [{'groom': 'fur:mesh=ball.obj,strands=4'}]}");
    ck_assert_int_eq(film->scene.groups[0].groom.strand_count, 4);
    test_contains(film->text, test_path("ball.obj"));
    fil_film_destroy(film);
    fil_context_destroy(context);
}

// A strand of 5 vertices along -y with a tiny segment in the middle, one at the tip, and radii down to zero; five
// times.
static void write_groom(fil_context *context, const char *path)
{
    static const double y[] = {0, -0.01, -0.010001, -0.02, -0.03, -0.0300001};
    static const double radius[] = {5e-5, 4e-5, 4e-5, 2e-5, 1e-6, 0};
    fil_curves *curves;
    test_ok(context, fil_curves_create(context, 5, 30, true, &curves));
    for (int s = 0; s < 5; ++s) {
        curves->vertex_count[s] = 6;
        for (int i = 0; i < 6; ++i) {
            double *x = curves->position + 3 * (6 * s + i);
            x[0] = 0.01 * s, x[1] = y[i], x[2] = 0;
            curves->radius[6 * s + i] = radius[i];
        }
    }
    test_ok(context, fil_curves_write(context, path, curves, 1));
    fil_curves_destroy(curves);
}

TEST(film_repairs_grooms_from_files)
{
    fil_context *context = fil_context_create(NULL);
    write_groom(context, test_path("hair.usda"));
    fil_film *film = film_of(context, "{'groups': ["
                                      "{'groom': {'type': 'file', 'file': 'hair.usda', 'radius': 'file'}},"
                                      "{'groom': {'type': 'file', 'file': 'hair.usda', 'every': 2}},"
                                      "{'groom': {'type': 'file', 'file': 'hair.usda', 'segment': 0.006, 'unit': 'm'}},"
                                      "{'groom': {'type': 'file', 'file': 'hair.usda', 'radius': 'file'},"
                                      " 'place': {'scale': 2}}]}");
    const fil_groom *groom = &film->scene.groups[0].groom;
    const fil_film_groom_report *report = fil_film_groom_report_of(film, 0);
    ck_assert_int_eq(groom->strand_count, 5);
    ck_assert_int_eq(groom->vertex_count[4], 4);
    ck_assert_int_eq(report->segments_merged, 10);
    ck_assert_int_eq(report->radii_raised, 5);
    test_contains(report->file, "hair.usda");
    test_near(groom->position[10], -0.0300001, 1e-8); // the tip stays
    test_near(groom->radius[0], 5e-5, 1e-9);
    test_near(groom->radius[3], 5e-6, 1e-9);
    test_near(film->scene.groups[3].groom.radius[3], 1e-5, 1e-9);
    ck_assert_int_eq(film->scene.groups[1].groom.strand_count, 3);
    test_near(film->scene.groups[1].groom.position[12], 0.02, 1e-7); // the third strand
    ck_assert_ptr_null(film->scene.groups[1].groom.radius);
    ck_assert_int_eq(film->scene.groups[2].groom.vertex_count[0], 6);
    ck_assert_int_eq(fil_film_groom_report_of(film, 2)->segments_merged, 0);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

TEST(film_takes_real_grooms)
{
    static const char *const names[] = {"harolongo.data", "ratboy_mohawk.tfx", "creamystrand_hair_ball_1k.obj"};
    fil_context *context = fil_context_create(NULL);
    for (int i = 0; i < 3; ++i) {
        char scene[1024], name[64];
        fil_model *model;
        snprintf(name, sizeof name, "grooms/%s", names[i]);
        snprintf(scene, sizeof scene,
                 "{'groups': [{'groom': {'type': 'file', 'file': '%s', 'every': 50, 'radius': 'file'}}]}",
                 test_data(name));
        fil_film *film = film_of(context, scene);
        test_ok(context, fil_model_create(context, &film->scene, &model));
        fil_model_destroy(model);
        fil_film_destroy(film);
    }
    fil_context_destroy(context);
}
