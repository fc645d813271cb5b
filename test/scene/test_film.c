// needs: jansson
// Scenes become films: values, defaults, units, text; the same bits as by hand; memory that runs out.
#include "failing_allocator.h"
#include "scene/films.h"

#include <jansson.h>
#include <stdio.h>

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

TEST(film_text_gives_the_same_film_from_anywhere)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves;
    test_ok(context, fil_curves_generate(context, "line:strands=3", &curves));
    test_ok(context, fil_curves_write(context, test_path("hair.data"), curves, 1));
    fil_curves_destroy(curves);
    fil_film *film, *again, *third;
    static const char *const sets[] = {"groups.0.material.young=1.1e9", "groups.1.name=second"};
    test_ok(context,
            film_parse(context,
                       "{'unit': 'cm', 'groups': [{'groom': {'type': 'file', 'file': 'hair.data', 'unit': 'm'}},"
                       " {'groom': 'line:strands=3,length=12.3', 'root': 'pinned'}]}",
                       sets, 2, &film));
    test_ok(context, fil_film_parse(context, "again", "/", film->text, strlen(film->text), NULL, 0, &again));
    ck_assert_str_eq(film->text, again->text);
    ck_assert_str_eq(again->scene.groups[1].name, "second");
    ck_assert_int_eq(fingerprint_of(context, &film->scene), fingerprint_of(context, &again->scene));
    // As few digits as do.
    test_contains(film->text, "\"young\": 1100000000.0");
    test_ok(context,
            film_parse(context, "{'groups': [{}], 'gravity': [0.1, 0.30000000000000004, 0]}", NULL, 0, &third));
    test_contains(third->text, "0.30000000000000004");
    fil_film_destroy(film);
    fil_film_destroy(again);
    fil_film_destroy(third);
    fil_context_destroy(context);
}

// ---- memory

static fil_status read_everything(fil_context *context, void *data)
{
    (void)data;
    static const char *const sets[] = {"time.fps=10"};
    fil_film *film;
    fil_status status = film_parse(context, everything, sets, 1, &film);
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
        fil_status status = film_parse(context, everything, NULL, 0, &film);
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
    ck_assert_int_eq(film_parse(context, scene, NULL, 0, &film), FIL_BAD_INPUT);
    ck_assert_uint_eq(most_in_use, (1 << 16) + 128 * strlen(scene));
    free(scene);
    fil_film_destroy(whole);
    fil_context_destroy(context);
}
