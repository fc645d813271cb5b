// needs: jansson
// Scenes become films: values, defaults, units, places, pins, files, overrides; the same bits as by hand.
#include "base/file.h"
#include "failing_allocator.h"
#include "scene/film.h"
#include "scene/groom.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Quotes in C are hard to read: ' stands for " in the scenes of this file.
static fil_status parse(fil_context *context, const char *scene, const char *const *sets, int count, fil_film **out)
{
    char *text = strdup(scene);
    for (char *c = text; *c; ++c)
        *c = *c == '\'' ? '"' : *c;
    fil_status status = fil_film_parse(context, "s.json", test_folder(), text, strlen(text), sets, count, out);
    free(text);
    return status;
}

static fil_film *film_of(fil_context *context, const char *scene)
{
    fil_film *film;
    test_ok(context, parse(context, scene, NULL, 0, &film));
    return film;
}

static fil_film *film_with(fil_context *context, const char *scene, const char *set)
{
    fil_film *film;
    test_ok(context, parse(context, scene, &set, 1, &film));
    return film;
}

static uint64_t fingerprint_of(fil_context *context, const fil_scene *scene)
{
    fil_model *model;
    test_ok(context, fil_model_create(context, scene, &model));
    uint64_t fingerprint = fil_model_fingerprint(model);
    fil_model_destroy(model);
    return fingerprint;
}

static const char everything[] =
    "{'$schema': 'scene.schema.json', 'title': 'Curls that swing', 'unit': 'm',"
    " 'time': {'duration': 3, 'fps': 25, 'step': 0.004, 'settle': true},"
    " 'gravity': [0, -9, 1],"
    " 'wind': {'blend': 'linear', 'keys': [{'time': 0}, {'time': 1.5, 'value': [3, 0, 0]}]},"
    " 'motion': {'scheme': 'bdf2', 'tolerance': 1e-7},"
    " 'paths': {'swing': {'pivot': [0, 1, 0], 'blend': 'spline',"
    "   'keys': [{'time': 0}, {'time': 0.5, 'position': [0.1, 0, 0], 'turn': [0, 90, 0]}]}},"
    " 'groups': [{'name': 'curls', 'model': {'type': 'lifted', 'hessian': 'filter'}, 'material': {'young': 3e9},"
    "   'groom': {'type': 'line', 'strands': 3, 'length': 0.1, 'segment': 0.01},"
    "   'root': {'hold': 'pinned', 'path': 'swing', 'release': 1.5}, 'tip': 'clamped',"
    "   'pins': [{'from': 0.45, 'to': 0.55, 'path': {'keys': [{'time': 0}]}, 'release': 1}],"
    "   'look': {'colour': 'auburn', 'hairs': 40, 'spread': 0.002, 'thickness': 0.001}},"
    "  {'groom': 'coil:turns=2,per_turn=8'}],"
    " 'bodies': [{'name': 'head', 'shape': {'type': 'ellipsoid', 'height': 0.11}, 'path': 'swing',"
    "   'colour': [0.7, 0.5, 0.4]}],"
    " 'picture': {'width': 320, 'height': 240, 'samples': 4, 'ground': false, 'angle': 40,"
    "   'camera': {'eye': [0, 0.1, 1], 'target': {'keys': [{'time': 0, 'value': [0, 1, 2]}]}}}}";

TEST(film_reads_everything)
{
    fil_context *context = fil_context_create(NULL);
    fil_film *film = film_of(context, everything);
    const fil_scene *scene = &film->scene;
    ck_assert_str_eq(film->title, "Curls that swing");
    ck_assert_double_eq(film->timing.duration, 3);
    ck_assert_double_eq(film->timing.fps, 25);
    ck_assert_double_eq(film->timing.step, 0.004);
    ck_assert_int_eq(film->timing.settle, 1);
    ck_assert_double_eq(scene->gravity[1], -9);
    ck_assert_int_eq(scene->gravity_track.key_count, 0);
    ck_assert_int_eq(scene->wind_track.key_count, 2);
    ck_assert_int_eq(scene->wind_track.blend, FIL_BLEND_LINEAR);
    ck_assert_double_eq(scene->wind_track.time[1], 1.5);
    ck_assert_double_eq(scene->wind_track.value[3], 3);
    ck_assert_int_eq(scene->motion.scheme, FIL_SCHEME_BDF2);
    ck_assert_double_eq(scene->motion.tolerance, 1e-7);

    ck_assert_int_eq(scene->group_count, 2);
    const fil_group *group = &scene->groups[0];
    ck_assert_str_eq(group->name, "curls");
    ck_assert_str_eq(group->model, "lifted:hessian=filter");
    ck_assert_double_eq(group->material.young, 3e9);
    ck_assert_double_eq(group->material.density, fil_material_default().density);
    ck_assert_int_eq(group->groom.strand_count, 3);
    ck_assert_int_eq(group->groom.vertex_count[0], 11);
    ck_assert_int_eq(group->root, FIL_END_PINNED);
    ck_assert_int_eq(group->tip, FIL_END_CLAMPED);
    const fil_path *path = &group->root_path;
    ck_assert_int_eq(path->track.key_count, 2);
    ck_assert_int_eq(path->track.blend, FIL_BLEND_SPLINE);
    ck_assert_double_eq(path->pivot[1], 1);
    ck_assert_double_eq(path->release, 1.5);
    ck_assert_double_eq(path->track.value[6], 0.1);
    test_near(path->track.value[10], 3.14159265358979323846 / 2, 1e-15);
    ck_assert_int_eq(group->tip_path.track.key_count, 0);
    ck_assert_int_eq(group->pin_count, 1);
    ck_assert_double_eq(group->pins[0].release, 1);
    ck_assert_int_eq(group->pins[0].track.key_count, 1);
    ck_assert_str_eq(scene->groups[1].model, "der");
    ck_assert_int_eq(scene->groups[1].groom.vertex_count[0], 18);

    ck_assert_double_eq(film->looks[0].colour[0], 0.26);
    ck_assert_int_eq(film->looks[0].hairs, 40);
    ck_assert_double_eq(film->looks[0].spread, 0.002);
    ck_assert_double_eq(film->looks[0].thickness, 0.001);
    ck_assert_int_eq(film->looks[1].hairs, 1);

    ck_assert_int_eq(film->body_count, 1);
    ck_assert_str_eq(film->bodies[0].name, "head");
    ck_assert_int_eq(film->bodies[0].path.track.key_count, 2);
    ck_assert_double_eq(film->bodies[0].colour[2], 0.4);

    ck_assert_int_eq(film->shot.width, 320);
    ck_assert_int_eq(film->shot.height, 240);
    ck_assert_int_eq(film->shot.samples, 4);
    ck_assert_int_eq(film->shot.ground, 0);
    ck_assert_int_eq(film->shot.framed, 0);
    ck_assert_double_eq(film->shot.angle, 40);
    ck_assert_double_eq(film->shot.eye[2], 1);
    ck_assert_int_eq(film->shot.target_track.key_count, 1);
    ck_assert_double_eq(film->shot.target_track.value[2], 2);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

TEST(film_has_a_default_for_everything_but_groups)
{
    fil_context *context = fil_context_create(NULL);
    // In centimetres too: defaults are metres.
    static const char *const scenes[] = {"{'groups': [{}]}", "{'unit': 'cm', 'groups': [{}], 'bodies': [{}]}"};
    for (int i = 0; i < 2; ++i) {
        fil_film *film = film_of(context, scenes[i]);
        fil_scene expected = fil_scene_default();
        fil_group group = fil_group_default();
        fil_timing timing = fil_timing_default();
        const fil_group *made = &film->scene.groups[0];
        ck_assert_double_eq(film->timing.duration, timing.duration);
        ck_assert_double_eq(film->timing.fps, timing.fps);
        ck_assert_double_eq(film->timing.step, timing.step);
        ck_assert_int_eq(film->timing.settle, timing.settle);
        ck_assert_mem_eq(film->scene.gravity, expected.gravity, sizeof expected.gravity);
        ck_assert_mem_eq(film->scene.wind, expected.wind, sizeof expected.wind);
        ck_assert_double_eq(film->scene.motion.tolerance, expected.motion.tolerance);
        ck_assert_mem_eq(&made->material, &group.material, sizeof group.material);
        ck_assert_str_eq(made->name, group.name);
        ck_assert_str_eq(made->model, group.model);
        ck_assert_int_eq(made->root, group.root);
        ck_assert_int_eq(made->tip, group.tip);
        ck_assert_int_eq(made->groom.strand_count, 1);
        ck_assert_int_eq(made->groom.vertex_count[0], 41);
        ck_assert_ptr_null(made->groom.hold);
        ck_assert_ptr_null(made->groom.radius);
        ck_assert_int_eq(film->shot.framed, 1);
        ck_assert_int_eq(film->shot.width, 960);
        ck_assert_double_eq(film->looks[0].spread, 0.004);
        fil_film_destroy(film);
    }
    fil_context_destroy(context);
}

TEST(film_takes_lengths_in_its_unit)
{
    fil_context *context = fil_context_create(NULL);
    fil_film *metres = film_of(
        context,
        "{'gravity': [0, -9.81, 0], 'wind': {'keys': [{'time': 0, 'value': [2, 0, 0]}]},"
        " 'paths': {'p': {'pivot': [1, 0, 0], 'keys': [{'time': 0, 'position': [0.5, 0, 0], 'turn': [1, 2, 3]}]}},"
        " 'groups': [{'material': {'young': 1e9, 'radius': 1e-4}, 'groom': 'rope:length=0.25,turns=40',"
        " 'place': {'position': [0, 1, 0]}, 'root': {'path': 'p'}}]}");
    fil_film *inches = film_of(
        context,
        "{'unit': 0.5, 'gravity': [0, -19.62, 0], 'wind': {'keys': [{'time': 0, 'value': [4, 0, 0]}]},"
        " 'paths': {'p': {'pivot': [2, 0, 0], 'keys': [{'time': 0, 'position': [1, 0, 0], 'turn': [1, 2, 3]}]}},"
        " 'groups': [{'material': {'young': 1e9, 'radius': 2e-4}, 'groom': {'type': 'rope', 'length': 0.5, 'turns': "
        "20},"
        " 'place': {'position': [0, 2, 0]}, 'root': {'path': 'p'}}]}");
    // Halves are exact: the same bits.
    ck_assert_int_eq(fingerprint_of(context, &metres->scene), fingerprint_of(context, &inches->scene));
    ck_assert_mem_eq(metres->scene.groups[0].root_path.track.value, inches->scene.groups[0].root_path.track.value,
                     6 * sizeof(double));
    fil_film_destroy(metres);
    fil_film_destroy(inches);
    fil_context_destroy(context);
}

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

// ---- the same by hand

static void step_both(fil_context *context, const fil_scene *scene, const fil_timing *timing, void **bytes,
                      size_t *size)
{
    fil_model *model;
    fil_state *state;
    double h;
    fil_timing_steps(timing, &h);
    test_ok(context, fil_model_create(context, scene, &model));
    test_ok(context, fil_state_create(context, model, &state));
    for (int i = 0; i < 50; ++i)
        test_ok(context, fil_step(context, state, h, NULL));
    *size = fil_state_size(state);
    *bytes = malloc(*size);
    fil_state_save(state, *bytes);
    fil_state_destroy(state);
    fil_model_destroy(model);
}

TEST(film_gives_the_same_bits_as_the_calls)
{
    fil_context *context = fil_context_create(NULL);
    fil_film *film =
        film_of(context,
                "{'time': {'step': 0.003}, 'gravity': [0, -9, 0], 'motion': {'tolerance': 1e-7},"
                " 'wind': {'keys': [{'time': 0}, {'time': 0.1, 'value': [1, 0, 0]}]},"
                " 'groups': [{'name': 'curls', 'model': 'der:bend=isotropic', 'material': {'young': 1e9, 'drag': 1e-4},"
                "   'groom': 'line:strands=2,style=wavy,length=0.05',"
                "   'root': {'hold': 'clamped', 'release': 0.1, 'path': {'pivot': [0, 0.1, 0], 'blend': 'linear',"
                "     'keys': [{'time': 0}, {'time': 0.2, 'position': [0.05, 0, 0], 'turn': [0, 0, 45]}]}}}]}");

    fil_curves *curves;
    test_ok(context, fil_curves_generate(context, "line:strands=2,style=wavy,length=0.05", &curves));
    const double wind_time[] = {0, 0.1}, wind[] = {0, 0, 0, 1, 0, 0}, path_time[] = {0, 0.2};
    const double path[12] = {[6] = 0.05, [11] = 45 * 3.14159265358979323846 / 180};
    fil_group group = fil_group_default();
    group.name = "curls";
    group.model = "der:bend=isotropic";
    group.material.young = 1e9;
    group.material.drag = 1e-4;
    group.root_path = (fil_path){.track = {2, path_time, path, FIL_BLEND_LINEAR}, .pivot = {0, 0.1, 0}, .release = 0.1};
    group.groom = (fil_groom){
        .strand_count = curves->strand_count, .vertex_count = curves->vertex_count, .position = curves->position};
    fil_scene scene = fil_scene_default();
    scene.gravity[1] = -9;
    scene.wind_track = (fil_track){2, wind_time, wind, FIL_BLEND_SMOOTH};
    scene.motion.tolerance = 1e-7;
    scene.groups = &group;
    scene.group_count = 1;
    fil_timing timing = fil_timing_default();
    timing.step = 0.003;

    ck_assert_int_eq(fingerprint_of(context, &film->scene), fingerprint_of(context, &scene));
    void *first, *second;
    size_t first_size, second_size;
    step_both(context, &film->scene, &film->timing, &first, &first_size);
    step_both(context, &scene, &timing, &second, &second_size);
    ck_assert_int_eq(first_size, second_size);
    ck_assert_mem_eq(first, second, first_size);
    free(first);
    free(second);
    fil_curves_destroy(curves);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

// ---- overrides

TEST(film_takes_overrides)
{
    static const char scene[] = "{'groups': [{'name': 'a'}, {'name': '0'}, {'name': 'c', 'look': {'hairs': 3}}],"
                                " 'gravity': [0, -9.81, 0]}";
    fil_context *context = fil_context_create(NULL);
    fil_film *film = film_with(context, scene, "groups.2.look.hairs=7");
    ck_assert_int_eq(film->looks[2].hairs, 7);
    fil_film_destroy(film);
    // By name, which comes before the number.
    film = film_with(context, scene, "groups.0.material.young=5e8");
    ck_assert_double_eq(film->scene.groups[1].material.young, 5e8);
    fil_film_destroy(film);
    film = film_with(context, scene, "groups.c.look.colour=black");
    ck_assert_double_eq(film->looks[2].colour[0], 0.02);
    fil_film_destroy(film);
    film = film_with(context, scene, "groups.c.look.colour=[1, 0, 0.5]");
    ck_assert_double_eq(film->looks[2].colour[2], 0.5);
    fil_film_destroy(film);
    film = film_with(context, scene, "gravity.1=-1");
    ck_assert_double_eq(film->scene.gravity[1], -1);
    fil_film_destroy(film);
    // What is missing on the way is made; a value may hold '='.
    film = film_with(context, scene, "picture.camera.eye=[0, 1, 2]");
    ck_assert_double_eq(film->shot.eye[2], 2);
    fil_film_destroy(film);
    film = film_with(context, scene, "groups.a.groom=line:strands=4");
    ck_assert_int_eq(film->scene.groups[0].groom.strand_count, 4);
    fil_film_destroy(film);
    film = film_with(context, scene, "groups.a.groom.strands=4");
    ck_assert_int_eq(film->scene.groups[0].groom.strand_count, 4);
    fil_film_destroy(film);
    // Texts that stand for objects are opened.
    film = film_with(context, "{'groups': [{'groom': 'line:strands=2,length=0.1'}]}", "groups.0.groom.strands=3");
    ck_assert_int_eq(film->scene.groups[0].groom.strand_count, 3);
    ck_assert_int_eq(film->scene.groups[0].groom.vertex_count[0], 21);
    fil_film_destroy(film);
    film = film_with(context, "{'groups': [{'tip': 'pinned'}]}", "groups.0.tip.release=2");
    ck_assert_int_eq(film->scene.groups[0].tip, FIL_END_PINNED);
    ck_assert_double_eq(film->scene.groups[0].tip_path.release, 2);
    fil_film_destroy(film);
    // One after another.
    static const char *const sets[] = {"title=one", "title=two", "time={\"fps\": 10}", "time.duration=1"};
    test_ok(context, parse(context, scene, sets, 4, &film));
    ck_assert_str_eq(film->title, "two");
    ck_assert_int_eq(fil_timing_frames(&film->timing), 10);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

TEST(film_text_gives_the_same_film_from_anywhere)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves;
    test_ok(context, fil_curves_generate(context, "line:strands=3", &curves));
    test_ok(context, fil_curves_write(context, test_path("hair.data"), curves, 1));
    fil_curves_destroy(curves);
    fil_film *film, *again, *third;
    static const char *const sets[] = {"groups.0.material.young=1.1e9", "groups.1.name=second"};
    test_ok(context, parse(context,
                           "{'unit': 'cm', 'groups': [{'groom': {'type': 'file', 'file': 'hair.data', 'unit': 'm'}},"
                           " {'groom': 'line:strands=3,length=12.3', 'root': 'pinned'}]}",
                           sets, 2, &film));
    test_ok(context, fil_film_parse(context, "again", "/", film->text, strlen(film->text), NULL, 0, &again));
    ck_assert_str_eq(film->text, again->text);
    ck_assert_str_eq(again->scene.groups[1].name, "second");
    ck_assert_int_eq(fingerprint_of(context, &film->scene), fingerprint_of(context, &again->scene));
    // As few digits as do.
    test_contains(film->text, "\"young\": 1100000000.0");
    test_ok(context, parse(context, "{'groups': [{}], 'gravity': [0.1, 0.30000000000000004, 0]}", NULL, 0, &third));
    test_contains(third->text, "0.30000000000000004");
    fil_film_destroy(film);
    fil_film_destroy(again);
    fil_film_destroy(third);
    fil_context_destroy(context);
}

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

// ---- grooms from files

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

// ---- bodies

static double volume_of(const fil_mesh *mesh)
{
    double volume = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const double *a = mesh->position + 3 * mesh->triangle[3 * t],
                     *b = mesh->position + 3 * mesh->triangle[3 * t + 1],
                     *c = mesh->position + 3 * mesh->triangle[3 * t + 2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    return volume;
}

// The volume by Gauss' theorem wants all triangles, none twice, and all seen from outside against the clock.
TEST(film_makes_bodies)
{
    const double pi = 3.14159265358979323846;
    const struct {
        const char *shape;
        double volume;
    } cases[] = {
        {"'sphere:radius=0.2'", 4 * pi / 3 * 0.008},
        {"{'type': 'ellipsoid', 'width': 0.1, 'height': 0.2, 'depth': 0.3}", 4 * pi / 3 * 0.006},
        {"{'type': 'box', 'width': 0.1, 'height': 0.2, 'depth': 0.3}", 8 * 0.006},
        {"{'type': 'cylinder', 'radius': 0.1, 'length': 0.5}", pi * 0.01 * 0.5},
        {"{'type': 'capsule', 'radius': 0.1, 'length': 0.5}", pi * 0.01 * 0.5 + 4 * pi / 3 * 0.001},
        {"{'type': 'mesh', 'file': 'tetrahedron.obj', 'unit': 'cm'}", 1e-6 / 6},
    };
    static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fil_context *context = fil_context_create(NULL);
    test_ok(context, fil_file_write_text(context, test_path("tetrahedron.obj"), tetrahedron, sizeof tetrahedron - 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char scene[300];
        snprintf(scene, sizeof scene,
                 "{'groups': [{}], 'bodies': [{'shape': %s}, {'shape': %s, 'place': {'scale': 2}}]}", cases[i].shape,
                 cases[i].shape);
        fil_film *film = film_of(context, scene);
        double volume = volume_of(film->bodies[0].mesh) / cases[i].volume;
        ck_assert_msg(volume > 0.99 && volume < 1.0001, "%s: %g of the volume", cases[i].shape, volume);
        test_near(volume_of(film->bodies[1].mesh) / cases[i].volume, 8 * volume, 1e-9);
        fil_film_destroy(film);
    }
    fil_context_destroy(context);
}

// ---- time

TEST(film_timing_divides_frames_evenly)
{
    fil_timing timing = fil_timing_default();
    double h;
    ck_assert_int_eq(fil_timing_frames(&timing), 60);
    ck_assert_int_eq(fil_timing_steps(&timing, &h), 17);
    test_near(h * 17 * 30, 1, 1e-15);
    timing.step = 1.0 / 30 / 4; // exactly four, but for rounding
    ck_assert_int_eq(fil_timing_steps(&timing, &h), 4);
    timing.step = 1;
    ck_assert_int_eq(fil_timing_steps(&timing, &h), 1);
    timing.fps = 24;
    timing.duration = 1.99; // 47.76 frames
    ck_assert_int_eq(fil_timing_frames(&timing), 48);
    timing.duration = 0;
    ck_assert_int_eq(fil_timing_frames(&timing), 0);
    timing.duration = INFINITY;
    ck_assert_int_eq(fil_timing_frames(&timing), 2147483647);
    timing.duration = NAN;
    ck_assert_int_eq(fil_timing_frames(&timing), 0);
}

// ---- memory

static fil_status read_everything(fil_context *context, void *data)
{
    (void)data;
    static const char *const sets[] = {"time.fps=10"};
    fil_film *film;
    fil_status status = parse(context, everything, sets, 1, &film);
    fil_film_destroy(film);
    return status;
}

TEST(film_survives_failing_allocation)
{
    test_failing_allocation(read_everything, NULL);
}

// jansson has memory of its own; `left` bytes of it.
static size_t left, most_in_use, in_use;
static void *limited_allocate(size_t size)
{
    size_t *memory = size <= left - (in_use < left ? in_use : left) ? malloc(size + 16) : NULL;
    if (!memory)
        return NULL;
    *memory = size;
    in_use += size;
    most_in_use = in_use > most_in_use ? in_use : most_in_use;
    return memory + 2;
}
static void limited_release(void *memory)
{
    if (memory) {
        in_use -= ((size_t *)memory)[-2];
        free((size_t *)memory - 2);
    }
}

TEST(film_survives_a_json_library_without_memory)
{
    fil_context *context = fil_context_create(NULL);
    fil_film *whole = film_of(context, everything);
    json_set_alloc_funcs(limited_allocate, limited_release);
    int refused = 0;
    for (left = 0; left < 1000000; left = left * 3 / 2 + 1) {
        fil_film *film;
        fil_status status = parse(context, everything, NULL, 0, &film);
        ck_assert_msg(status == FIL_OK || status == FIL_NO_MEMORY, "%s", fil_context_error(context));
        refused += status != FIL_OK;
        if (status == FIL_OK)
            ck_assert_str_eq(film->text, whole->text);
        fil_film_destroy(film);
        ck_assert_uint_eq(in_use, 0);
    }
    ck_assert_int_gt(refused, 10);
    // What is asked for beforehand is the most that is ever in use, even for the smallest objects.
    enum { PINS = 20000 };
    char *scene = malloc(3 * PINS + 100), *at = scene + sprintf(scene, "{'groups': [{'pins': [{}");
    for (int i = 1; i < PINS; ++i)
        at += sprintf(at, ",{}");
    sprintf(at, "]}]}");
    most_in_use = 0;
    left = SIZE_MAX;
    fil_film *film;
    ck_assert_int_eq(parse(context, scene, NULL, 0, &film), FIL_BAD_INPUT);
    ck_assert_uint_eq(most_in_use, (1 << 16) + 128 * strlen(scene));
    free(scene);
    fil_film_destroy(whole);
    fil_context_destroy(context);
}
