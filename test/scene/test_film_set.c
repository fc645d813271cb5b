// Overrides of scenes.
#include "scene/films.h"

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
    test_ok(context, film_parse(context, scene, sets, 4, &film));
    ck_assert_str_eq(film->title, "two");
    ck_assert_int_eq(fil_timing_frames(&film->timing), 10);
    fil_film_destroy(film);
    fil_context_destroy(context);
}
