// needs: jansson
// Contacts of scenes: keys reach what the step reads, names become numbers, obstacles are where bodies are drawn.
#include "base/file.h"
#include "failing_allocator.h"
#include "math/quat.h"
#include "scene/body.h"
#include "scene/films.h"

#include <stdio.h>

static const char everything[] =
    "{'contact': {'method': 'linear', 'tolerance': 1e-4, 'max_iterations': 7, 'skin': 0.25, 'ease': 0.5,"
    "   'halvings': 3, 'stretch': 0.2, 'solver': 'gs:relaxation=1.3', 'local': 'enum', 'rules': ["
    "   {'between': ['hair', 'floor'], 'friction': 0.7}, {'between': 'beard', 'apart': true},"
    "   {'between': ['beard', 'hair'], 'apart': true, 'friction': 0}, {'between': ['hair', 'hair']},"
    "   {'between': ['hair'], 'friction': 1}]},"
    " 'groups': [{'name': 'hair', 'touch': {'friction': 0.4, 'friction_body': 0.5, 'across': 2, 'adhesion': 1e-6,"
    "   'restitution': 0.1, 'radius': 1e-3}}, {'name': 'beard'}],"
    " 'bodies': [{'name': 'ghost', 'solid': false}, {'name': 'head', 'friction': 0, 'restitution': 0.6},"
    "   {'name': 'floor', 'shape': 'plane'}]}";

TEST(film_contact_reads_everything)
{
    fil_context *context = fil_context_create(NULL);
    // The fifth rule says again what the fourth says.
    fil_film *film;
    ck_assert_int_eq(film_parse(context, everything, NULL, 0, &film), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "s.json: contact.rules[4].between: rules[3] is about the same two");
    film = film_with(context, everything, "contact.rules.4.between=[\"head\", \"hair\"]");
    const fil_contacts *contacts = film->scene.contacts;
    ck_assert_int_eq(contacts->method, FIL_CONTACTS_LINEAR);
    ck_assert_double_eq(contacts->tolerance, 1e-4);
    ck_assert_int_eq(contacts->max_iterations, 7);
    ck_assert_double_eq(contacts->skin, 0.25);
    ck_assert_double_eq(contacts->ease, 0.5);
    ck_assert_int_eq(contacts->halvings, 3);
    ck_assert_double_eq(contacts->stretch, 0.2);
    ck_assert_str_eq(contacts->solver, "gs:relaxation=1.3");
    ck_assert_str_eq(contacts->local, "enum");

    const fil_touch expected = {0.4, 0.5, 2, 1e-6, 0.1, 1e-3}, usual = fil_touch_default();
    ck_assert_mem_eq(&film->scene.groups[0].touch, &expected, sizeof expected);
    ck_assert_mem_eq(&film->scene.groups[1].touch, &usual, sizeof usual);

    // Groups 0 and 1, obstacles 2 and 3: the ghost is none.
    ck_assert_int_eq(film->scene.obstacle_count, 2);
    ck_assert_str_eq(film->scene.obstacles[0].name, "head");
    ck_assert_double_eq(film->scene.obstacles[0].friction, 0);
    ck_assert_double_eq(film->scene.obstacles[0].restitution, 0.6);
    ck_assert_str_eq(film->scene.obstacles[1].name, "floor");
    ck_assert_double_lt(film->scene.obstacles[1].friction, 0);
    ck_assert_double_eq(film->scene.obstacles[1].restitution, 0);
    static const fil_touch_rule rules[] = {{0, 3, 0, 0.7}, {1, 1, 1, -1}, {1, 0, 1, 0}, {0, 0, 0, -1}, {2, 0, 0, 1}};
    ck_assert_int_eq(film->scene.rule_count, 5);
    for (int i = 0; i < 5; ++i) {
        ck_assert_int_eq(film->scene.rules[i].first, rules[i].first);
        ck_assert_int_eq(film->scene.rules[i].second, rules[i].second);
        ck_assert_int_eq(film->scene.rules[i].apart, rules[i].apart);
        ck_assert_double_eq(film->scene.rules[i].friction, rules[i].friction);
    }
    // The text gives the same film again.
    fil_film *again;
    test_ok(context, fil_film_parse(context, "again", "/", film->text, strlen(film->text), NULL, 0, &again));
    ck_assert_str_eq(again->text, film->text);
    fil_film_destroy(again);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

TEST(film_contact_has_the_defaults_of_the_library)
{
    fil_context *context = fil_context_create(NULL);
    fil_film *film = film_of(context, "{'unit': 'cm', 'groups': [{}], 'bodies': [{}], 'contact': {}}");
    fil_contacts expected = fil_contacts_default();
    const fil_contacts *made = film->scene.contacts;
    ck_assert_int_eq(made->method, expected.method);
    ck_assert_str_eq(made->solver, expected.solver);
    ck_assert_str_eq(made->local, expected.local);
    ck_assert_double_eq(made->tolerance, expected.tolerance);
    ck_assert_int_eq(made->max_iterations, expected.max_iterations);
    ck_assert_double_eq(made->skin, expected.skin);
    ck_assert_double_eq(made->ease, expected.ease);
    ck_assert_int_eq(made->halvings, expected.halvings);
    ck_assert_double_eq(made->stretch, expected.stretch);
    ck_assert_int_eq(film->scene.rule_count, 0);
    ck_assert_int_eq(film->scene.obstacles[0].shape, FIL_OBSTACLE_SPHERE);
    ck_assert_double_eq(film->scene.obstacles[0].size[0], 0.1);
    ck_assert_double_eq(film->scene.obstacles[0].friction, fil_obstacle_default().friction);
    fil_film_destroy(film);
    // Without the key nothing touches; what could be touched is there.
    film = film_of(context, "{'groups': [{}], 'bodies': [{}]}");
    ck_assert_ptr_null(film->scene.contacts);
    ck_assert_int_eq(film->scene.obstacle_count, 1);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

TEST(film_contact_takes_lengths_in_the_unit_of_the_scene)
{
    fil_context *context = fil_context_create(NULL);
    fil_film *film = film_of(context, "{'unit': 'cm', 'groups': [{'touch': {'radius': 0.1}}], 'contact': {'ease': 20},"
                                      " 'bodies': [{'shape': 'capsule:radius=3,length=8', 'place': {'scale': 2}},"
                                      "  {'shape': {'type': 'box', 'width': 1, 'height': 2, 'depth': 3}}]}");
    test_near(film->scene.groups[0].touch.radius, 1e-3, 1e-15);
    test_near(film->scene.contacts->ease, 20, 1e-15);
    const fil_obstacle *capsule = &film->scene.obstacles[0], *box = &film->scene.obstacles[1];
    ck_assert_int_eq(capsule->shape, FIL_OBSTACLE_CAPSULE);
    test_near(capsule->size[0], 0.06, 1e-15);
    test_near(capsule->size[1], 0.16, 1e-15);
    ck_assert_int_eq(box->shape, FIL_OBSTACLE_BOX);
    for (int k = 0; k < 3; ++k)
        test_near(box->size[k], 0.01 * (k + 1), 1e-15);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

TEST(film_contact_takes_overrides)
{
    static const char scene[] = "{'groups': [{'name': 'hair'}], 'bodies': [{'name': 'head'}]}";
    static const char *const sets[] = {
        "contact.tolerance=1e-4",           "groups.hair.touch.friction=0.5",          "bodies.head.friction=0.4",
        "contact.solver=gs:relaxation=1.2", "contact.rules=[{\"between\": \"hair\"}]", "contact.rules.0.apart=true"};
    fil_context *context = fil_context_create(NULL);
    fil_film *film;
    test_ok(context, film_parse(context, scene, sets, 6, &film));
    ck_assert_double_eq(film->scene.contacts->tolerance, 1e-4);
    ck_assert_str_eq(film->scene.contacts->solver, "gs:relaxation=1.2");
    ck_assert_double_eq(film->scene.groups[0].touch.friction, 0.5);
    ck_assert_double_eq(film->scene.obstacles[0].friction, 0.4);
    ck_assert_int_eq(film->scene.rules[0].apart, 1);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

// ---- where obstacles are

// How far a point in the frame of an obstacle lies from its surface, the rim of cylinders aside.
static double depth_of(const fil_obstacle *obstacle, const double p[3])
{
    const double *size = obstacle->size;
    switch (obstacle->shape) {
    case FIL_OBSTACLE_PLANE:
        return fabs(p[1]);
    case FIL_OBSTACLE_SPHERE:
        return fabs(fil_vec3_norm(p) - size[0]);
    case FIL_OBSTACLE_CAPSULE: {
        double half = 0.5 * size[1], y = p[1] > half ? p[1] - half : p[1] < -half ? p[1] + half : 0;
        return fabs(hypot(hypot(p[0], p[2]), y) - size[0]);
    }
    case FIL_OBSTACLE_CYLINDER:
        return fmin(fabs(hypot(p[0], p[2]) - size[0]), fabs(fabs(p[1]) - 0.5 * size[1]));
    default: {
        double out = INFINITY;
        for (int k = 0; k < 3; ++k)
            out = fmin(out, fabs(fabs(p[k]) - size[k]));
        return out;
    }
    }
}

// Every vertex that is drawn at a time lies on the obstacle of that time.
static void check_analytic(const fil_obstacle *obstacle, const fil_body *body, double time)
{
    double drawn[3 * 5000];
    fil_body_at(body, time, drawn);
    fil_pose moved = fil_path_at(&obstacle->path, time);
    double back[4] = {moved.rotation[0], -moved.rotation[1], -moved.rotation[2], -moved.rotation[3]};
    const double *place = obstacle->place.rotation, home[4] = {place[0], -place[1], -place[2], -place[3]};
    for (int i = 0; i < body->mesh->vertex_count; ++i) {
        double x[3], y[3], p[3];
        for (int k = 0; k < 3; ++k)
            x[k] = drawn[3 * i + k] - moved.position[k];
        fil_quat_rotate(back, x, y);
        for (int k = 0; k < 3; ++k)
            y[k] -= obstacle->place.position[k];
        fil_quat_rotate(home, y, p);
        ck_assert_msg(depth_of(obstacle, p) < 1e-12, "%s: vertex %d is %g m off", obstacle->name, i,
                      depth_of(obstacle, p));
    }
}

TEST(film_contact_obstacles_are_where_bodies_are_drawn)
{
    static const char *const shapes[] = {
        "'sphere:radius=0.2'", "'capsule:radius=0.1,length=0.3'", "'cylinder:radius=0.1,length=0.5'",
        "{'type': 'box', 'width': 0.1, 'height': 0.2, 'depth': 0.3}", "'plane:extent=2'"};
    fil_context *context = fil_context_create(NULL);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        char scene[600];
        snprintf(scene, sizeof scene,
                 "{'groups': [{}], 'bodies': [{'name': %s, 'shape': %s, 'place': {'scale': 1.5, 'turn': [20, 50, -70],"
                 "  'position': [0.1, -0.2, 0.3]}, 'path': {'pivot': [1, 2, 3], 'keys': [{'time': -1, 'turn': [9, 8, "
                 "7]},"
                 "  {'time': 1, 'position': [0.5, 0.25, 0], 'turn': [0, 90, 30]}]}}]}",
                 "'b'", shapes[i]);
        fil_film *film = film_of(context, scene);
        ck_assert_int_ne(film->scene.obstacles[0].shape, FIL_OBSTACLE_MESH);
        for (double time = 0; time <= 1; time += 0.25)
            check_analytic(&film->scene.obstacles[0], &film->bodies[0], time);
        fil_film_destroy(film);
    }
    fil_context_destroy(context);
}

// ---- bodies that change their shape

static void write_triangle(fil_context *context, const char *name, double height)
{
    char text[200];
    int length = snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 %g 0\nf 1 2 3\n", height);
    test_ok(context, fil_file_write_text(context, test_path(name), text, (size_t)length));
}

// As a step sees it: the mesh in its frame, straight from pose to pose, placed, moved.
static void check_mesh(const fil_obstacle *obstacle, const fil_body *body, double time, const double *shape)
{
    double drawn[9], placed[3], expected[3];
    fil_body_at(body, time, drawn);
    fil_pose moved = fil_path_at(&obstacle->path, time);
    for (int i = 0; i < 3; ++i) {
        fil_quat_rotate(obstacle->place.rotation, shape + 3 * i, placed);
        for (int k = 0; k < 3; ++k)
            placed[k] += obstacle->place.position[k];
        fil_quat_rotate(moved.rotation, placed, expected);
        for (int k = 0; k < 3; ++k)
            test_near(drawn[3 * i + k], expected[k] + moved.position[k], 1e-14);
    }
}

TEST(film_contact_reads_bodies_that_change_their_shape)
{
    static const char scene[] =
        "{'unit': 'cm', 'groups': [{}], 'bodies': [{'shape': {'type': 'mesh', 'file': 't.obj', 'frames': 't.##.obj',"
        "  'first': 9, 'last': 11, 'fps': 10, 'unit': 'cm'}, 'place': {'scale': 2, 'turn': [90, 0, 0], 'position':"
        "  [0, 0, 1]}, 'path': {'keys': [{'time': 0}, {'time': 1, 'turn': [0, 40, 0], 'position': [3, 0, 0]}]}}]}";
    fil_context *context = fil_context_create(NULL);
    write_triangle(context, "t.obj", 1);
    write_triangle(context, "t.09.obj", 1);
    write_triangle(context, "t.10.obj", 2);
    write_triangle(context, "t.11.obj", 4);
    fil_film *film = film_of(context, scene);
    const fil_obstacle *obstacle = &film->scene.obstacles[0];
    ck_assert_int_eq(obstacle->shape, FIL_OBSTACLE_MESH);
    ck_assert_int_eq(obstacle->pose_count, 3);
    test_near(obstacle->pose_time[2], 0.2, 1e-15);
    // The corner that moves, turned from y to z: 1 cm + 2 × its height.
    for (int i = 0; i < 3; ++i)
        test_near(obstacle->pose_position[9 * i + 8], 0.01 + 0.02 * (1 << i), 1e-15);
    double half[9];
    for (int k = 0; k < 9; ++k)
        half[k] = 0.5 * (obstacle->pose_position[9 + k] + obstacle->pose_position[18 + k]);
    check_mesh(obstacle, &film->bodies[0], 0, obstacle->pose_position);
    check_mesh(obstacle, &film->bodies[0], -1, obstacle->pose_position);
    check_mesh(obstacle, &film->bodies[0], 0.1, obstacle->pose_position + 9);
    check_mesh(obstacle, &film->bodies[0], 0.15, half);
    check_mesh(obstacle, &film->bodies[0], 0.9, obstacle->pose_position + 18);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

TEST(film_contact_shares_the_triangles_of_meshes)
{
    fil_context *context = fil_context_create(NULL);
    write_triangle(context, "t.obj", 1);
    fil_film *film = film_of(context, "{'groups': [{}], 'bodies': [{'shape': 'ellipsoid:width=0.3'},"
                                      " {'shape': 'mesh:file=t.obj', 'place': {'turn': [0, 90, 0], 'scale': 3}}]}");
    for (int i = 0; i < 2; ++i) {
        ck_assert_int_eq(film->scene.obstacles[i].shape, FIL_OBSTACLE_MESH);
        ck_assert_ptr_eq(film->scene.obstacles[i].mesh, film->bodies[i].mesh);
    }
    check_mesh(&film->scene.obstacles[1], &film->bodies[1], 0.5, film->scene.obstacles[1].mesh->position);
    fil_film_destroy(film);
    fil_context_destroy(context);
}

TEST(film_contact_refuses_frames_that_do_not_fit)
{
    static const struct {
        const char *settings, *sentence;
    } cases[] = {
        {"'frames': 'f.#.obj', 'last': 3", "/f.3.obj: cannot open: No such file or directory"},
        {"'frames': 'f.#.obj', 'last': 2", "/f.2.obj: must have 3 vertices, as "},
        {"'frames': 'f.1.obj'", "bodies[0].shape.frames: must be the name of files with # for each digit"},
        {"'frames': 'f#/f.1.obj'", "bodies[0].shape.frames: must be the name of files with # for each digit"},
        {"'frames': 'f.#.obj', 'first': 3, 'last': 2", "bodies[0].shape: 'first' must not be above 'last' (got 3 and"},
        {"'frames': 'f.%s%n%d.#.obj'", "/f.%s%n%d.1.obj: cannot open: No such file or directory"},
    };
    fil_context *context = fil_context_create(NULL);
    static const char four[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
    write_triangle(context, "f.obj", 1);
    write_triangle(context, "f.1.obj", 1);
    test_ok(context, fil_file_write_text(context, test_path("f.2.obj"), four, sizeof four - 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char scene[300];
        fil_film *film;
        snprintf(scene, sizeof scene, "{'groups': [{}], 'bodies': [{'shape': {'type': 'mesh', 'file': 'f.obj', %s}}]}",
                 cases[i].settings);
        ck_assert_int_eq(film_parse(context, scene, NULL, 0, &film), FIL_BAD_INPUT);
        test_contains(fil_context_error(context), "s.json: bodies[0].shape");
        test_contains(fil_context_error(context), cases[i].sentence);
    }
    fil_context_destroy(context);
}

static fil_status read_all_that_touches(fil_context *context, void *data)
{
    (void)data;
    fil_film *film;
    fil_status status = film_parse(
        context,
        "{'contact': {'rules': [{'between': ['a', 'b']}]}, 'groups': [{'name': 'a', 'groom': 'line:segment=0.1'}],"
        " 'bodies': [{'name': 'b', 'shape': {'type': 'mesh', 'file': 't.obj', 'frames': 't.#.obj', 'last': 2}},"
        "  {'shape': 'plane'}]}",
        NULL, 0, &film);
    fil_film_destroy(film);
    return status;
}

TEST(film_contact_survives_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    write_triangle(context, "t.obj", 1);
    write_triangle(context, "t.1.obj", 1);
    write_triangle(context, "t.2.obj", 2);
    fil_context_destroy(context);
    test_failing_allocation(read_all_that_touches, NULL);
}
