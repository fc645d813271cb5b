// The audit of whole folders: what was put there is found, with its place; what is held does not count.
#include "test.h"

#include "base/rng.h"
#include "failing_allocator.h"
#include "io/cache.h"
#include "scene/films.h"
#include "validate/audit.h"

#include <stdio.h>
#include <string.h>

enum { STRANDS = 3, COUNT = 5, VERTICES = STRANDS * COUNT, FRAMES = 3 };

// Three strands of 4 segments, 0.01 m apart and 0.1 m above the ground, at the side of a ball of 5 cm at zero.
static const char scene[] =
    "{'groups': [{'name': 'hair', 'groom': 'line:strands=3,length=0.2,segment=0.05', 'root': {'hold': 'clamped'},"
    " 'tip': {'hold': 'free'}}], 'bodies': [{'name': 'ball', 'shape': 'sphere:radius=0.05'}]}";

enum { WAYS = 3 };
typedef struct rig {
    double way[WAYS][3 * VERTICES]; // to the last frame
    int ways;
    fil_context *context;
    fil_film *film;
    fil_cache *cache;
    double position[FRAMES][3 * VERTICES], stretch[FRAMES][VERTICES];
} rig;

static void begin(rig *self, const char *text)
{
    memset(self, 0, sizeof *self);
    self->context = fil_context_create(NULL);
    self->film = film_of(self->context, text);
    for (int f = 0; f < FRAMES; ++f)
        for (int v = 0; v < VERTICES; ++v) {
            self->position[f][3 * v] = 0.01 * (v / COUNT) + 0.2;
            self->position[f][3 * v + 1] = -0.05 * (v % COUNT) + 0.1;
        }
}

static fil_status put(rig *self)
{
    int counts[STRANDS] = {COUNT, COUNT, COUNT};
    double numbers[VERTICES];
    for (int i = 0; i < VERTICES; ++i)
        numbers[i] = i % COUNT == COUNT - 1 ? 0 : 0.05;
    fil_cache_group group = {"hair", STRANDS, VERTICES, {counts, numbers, numbers, numbers, numbers}};
    fil_cache_writer *writer = NULL;
    const char *folder = test_path("out");
    fil_status status = fil_cache_write_open(self->context, folder, &writer);
    if (status == FIL_OK)
        status = fil_cache_write_start(writer, 7, 10, &group, 1, self->film->text);
    for (int f = 0; f < FRAMES && status == FIL_OK; ++f)
        status = fil_cache_write_frame(writer, f, 0.1 * f, self->position[f], self->stretch[f]);
    for (int k = 0; k < self->ways && status == FIL_OK; ++k)
        status = fil_cache_write_between(writer, FRAMES - 1, k + 1, 0.1, self->way[k], self->stretch[0]);
    fil_cache_write_close(writer);
    return status;
}

static fil_audit_def all(void)
{
    return (fil_audit_def){.last = FRAMES - 1, .checks = ~0u, .depth = 1e-4, .stretch = 0.05};
}

// The report of the folder; the findings in it are copies.
static fil_audit_report report_of(rig *self, const fil_audit_def *def)
{
    fil_audit *audit;
    fil_audit_report report;
    test_ok(self->context, put(self));
    test_ok(self->context, fil_cache_open(self->context, test_path("out"), &self->cache));
    test_ok(self->context, fil_audit_create(self->context, self->cache, self->film, &audit));
    test_ok(self->context, fil_audit_run(self->context, audit, def, &report));
    fil_audit_destroy(audit);
    return report;
}

static void end(rig *self)
{
    fil_cache_close(self->cache);
    fil_film_destroy(self->film);
    fil_context_destroy(self->context);
}

TEST(audit_finds_nothing)
{
    rig rig;
    begin(&rig, scene);
    fil_audit_def def = all();
    fil_audit_report report = report_of(&rig, &def);
    ck_assert_int_eq(report.frames, FRAMES);
    for (int k = 0; k < FIL_AUDIT_KINDS; ++k)
        ck_assert_int_eq(report.found[k], 0);
    ck_assert_int_eq(report.passes, 0);
    end(&rig);
}

// The tip of the first strand swings around and through the second between frames 1 and 2.
TEST(audit_finds_a_crossing)
{
    rig rig;
    begin(&rig, scene);
    for (int f = 0; f < FRAMES; ++f) {
        double *tip = rig.position[f] + 3 * (COUNT - 1);
        tip[0] = 0.23;
        tip[2] = f == 2 ? -0.02 : 0.02;
    }
    fil_audit_def def = all();
    fil_audit_report report = report_of(&rig, &def);
    ck_assert_int_eq(report.found[FIL_AUDIT_CROSSING], 2); // the second strand and the third
    ck_assert_int_eq(report.passes, 2);
    const fil_audit_finding *finding = &report.finding[FIL_AUDIT_CROSSING][0];
    ck_assert(finding->frame == 2 && finding->strand[0] == 0 && finding->strand[1] == 1);
    ck_assert(finding->segment[0] == 3 && finding->segment[1] == 3);
    test_near(finding->place[0], 0.21, 1e-6);
    def.first = def.last = 2; // no frame before it
    end(&rig);
    begin(&rig, scene);
    report = report_of(&rig, &def);
    ck_assert_int_eq(report.frames, 1);
    ck_assert_int_eq(report.found[FIL_AUDIT_CROSSING], 0);
    end(&rig);
}

// The same, but the tip goes around the ends of the others; and the places in between tell.
TEST(audit_follows_ways_between_frames)
{
    rig rig;
    begin(&rig, scene);
    static const double y[WAYS] = {-0.2, -0.2, -0.1}, z[WAYS] = {0.02, -0.02, -0.02};
    for (int f = 0; f < FRAMES; ++f) {
        double *tip = rig.position[f] + 3 * (COUNT - 1);
        tip[0] = 0.23;
        tip[2] = f == 2 ? -0.02 : 0.02;
    }
    rig.ways = WAYS;
    for (int k = 0; k < WAYS; ++k) {
        memcpy(rig.way[k], rig.position[0], sizeof rig.way[k]);
        rig.way[k][3 * (COUNT - 2) + 1] = y[k] + 0.05; // the last edge goes below the others
        rig.way[k][3 * (COUNT - 1) + 1] = y[k];
        rig.way[k][3 * (COUNT - 1) + 2] = z[k];
    }
    fil_audit_def def = all();
    fil_audit_report report = report_of(&rig, &def);
    ck_assert_int_eq(report.frames, FRAMES);
    ck_assert_int_eq(report.found[FIL_AUDIT_CROSSING], 0);
    end(&rig);
}

// All of the strands inside the ball: what is held is not counted, nor are the middles beside it.
TEST(audit_counts_what_is_free_inside)
{
    const struct {
        const char *holds;
        int free; // places of a strand, vertices and middles
    } cases[] = {{"'root': {'hold': 'clamped'}", 5},
                 {"'root': {'hold': 'pinned'}", 7},
                 {"'root': {'hold': 'free'}", 9},
                 {"'root': {'hold': 'pinned'}, 'tip': {'hold': 'clamped'}", 3},
                 {"'root': {'hold': 'free'}, 'pins': [{'from': 0.5, 'to': 0.5}]", 6},
                 {"'root': {'hold': 'free'}, 'pins': [{'from': 0.5, 'to': 0.5, 'release': 0.05}]", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        rig rig;
        char text[500];
        snprintf(text, sizeof text,
                 "{'groups': [{'name': 'hair', 'groom': 'line:strands=3,length=0.2,segment=0.05', %s}],"
                 " 'bodies': [{'name': 'ball', 'shape': 'sphere:radius=0.05'}]}",
                 cases[i].holds);
        begin(&rig, text);
        for (int f = 0; f < FRAMES; ++f)
            for (int v = 0; v < 3 * VERTICES; ++v)
                rig.position[f][v] = 0.01 + 1e-4 * v;
        fil_audit_def def = all();
        def.checks = 1u << FIL_AUDIT_INSIDE;
        fil_audit_report report = report_of(&rig, &def);
        bool released = strstr(cases[i].holds, "release") != NULL; // in two of the three frames
        ck_assert_int_eq(report.found[FIL_AUDIT_INSIDE],
                         STRANDS * (cases[i].free + (released ? 2 * 9 : 2 * cases[i].free)));
        ck_assert(report.deepest > 0.02 && report.deepest < 0.04);
        end(&rig);
    }
}

// The ball comes to the strands, and turns about a pivot far away.
TEST(audit_follows_bodies)
{
    static const char moving[] =
        "{'groups': [{'name': 'hair', 'groom': 'line:strands=3,length=0.2,segment=0.05', 'root': {'hold': 'clamped'}}],"
        " 'paths': {'way': {'pivot': [0.1, 0, 0],"
        "  'keys': [{'time': 0}, {'time': 0.2, 'turn': [0, 180, 0]}]}},"
        " 'bodies': [{'name': 'ball', 'shape': 'sphere:radius=0.05', 'path': 'way'}]}";
    rig rig;
    begin(&rig, moving);
    fil_audit_def def = all();
    fil_audit_report report = report_of(&rig, &def);
    ck_assert_int_eq(report.finding[FIL_AUDIT_INSIDE][0].frame, 2);
    ck_assert_int_gt(report.found[FIL_AUDIT_INSIDE], 3);
    test_near(report.deepest, 0.05, 0.001); // a vertex lies in the middle of it
    end(&rig);
}

TEST(audit_finds_stretch_and_bad_numbers)
{
    rig rig;
    begin(&rig, scene);
    rig.stretch[1][2] = -0.25;
    rig.stretch[2][7] = 0.125;
    rig.stretch[2][4] = 0.5; // the last vertex of a strand has no segment
    rig.position[2][3 * 14] = NAN;
    fil_audit_def def = all();
    fil_audit_report report = report_of(&rig, &def);
    ck_assert_int_eq(report.found[FIL_AUDIT_STRETCH], 2);
    test_near(report.worst_stretch, -0.25, 1e-9);
    const fil_audit_finding *finding = report.finding[FIL_AUDIT_STRETCH];
    ck_assert(finding[0].frame == 1 && finding[0].strand[0] == 0 && finding[0].segment[0] == 2);
    ck_assert(finding[1].frame == 2 && finding[1].strand[0] == 1 && finding[1].segment[0] == 2);
    ck_assert_int_eq(report.found[FIL_AUDIT_NOT_FINITE], 1);
    ck_assert_int_eq(report.finding[FIL_AUDIT_NOT_FINITE][0].strand[0], 2);
    end(&rig);
}

static bool stop(void *user, double part, int frame)
{
    (void)user;
    (void)part;
    return frame < 1;
}

TEST(audit_can_be_stopped)
{
    rig rig;
    begin(&rig, scene);
    fil_audit_def def = all();
    def.progress = stop;
    fil_audit_report report = report_of(&rig, &def);
    ck_assert(report.stopped);
    ck_assert_int_eq(report.frames, 1);
    end(&rig);
}

TEST(audit_refuses_another_scene)
{
    rig rig;
    fil_audit *audit;
    begin(&rig, scene);
    test_ok(rig.context, put(&rig));
    test_ok(rig.context, fil_cache_open(rig.context, test_path("out"), &rig.cache));
    fil_film *other = film_of(rig.context, "{'groups': [{'groom': 'line:strands=2'}]}");
    ck_assert_int_eq(fil_audit_create(rig.context, rig.cache, other, &audit), FIL_BAD_INPUT);
    test_contains(fil_context_error(rig.context), "its groom has other strands than strands.fil");
    fil_film_destroy(other);
    other = film_of(rig.context, "{'groups': [{}, {}]}");
    ck_assert_int_eq(fil_audit_create(rig.context, rig.cache, other, &audit), FIL_BAD_INPUT);
    test_contains(fil_context_error(rig.context), "has 2 groups, strands.fil has 1");
    fil_film_destroy(other);
    end(&rig);
}

static fil_status work(fil_context *context, void *data)
{
    rig *rig = data;
    fil_cache *cache;
    fil_audit *audit = NULL;
    fil_audit_report report;
    fil_audit_def def = all();
    fil_status status = fil_cache_open(context, test_path("out"), &cache);
    if (status == FIL_OK)
        status = fil_audit_create(context, cache, rig->film, &audit);
    if (status == FIL_OK)
        status = fil_audit_run(context, audit, &def, &report);
    fil_audit_destroy(audit);
    fil_cache_close(cache);
    return status;
}

TEST(audit_survives_failing_allocation)
{
    rig rig;
    begin(&rig, scene);
    test_ok(rig.context, put(&rig));
    test_failing_allocation(work, &rig);
    end(&rig);
}
