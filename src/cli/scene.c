// filum check: reads a scene, compiles it, and tells what it holds. And --set, for all commands that take a scene.
#include "cli/scene.h"

#include "base/settings.h"
#include "io/curves.h"
#include "scene/film.h"
#include "step/model.h"

#include <math.h>

static void remark_repairs(const fil_film *film)
{
    for (int g = 0; g < film->scene.group_count; ++g) {
        const fil_film_groom_report *report = fil_film_groom_report_of(film, g);
        const fil_curves_report *read = &report->read;
        if (read->unit_guessed)
            fil_report_remark("groups[%d]: %s: one unit is taken to be %g m (`unit` tells)", g, report->file,
                              read->unit);
        if (read->strands_dropped || read->vertices_doubled || read->vertices_not_finite)
            fil_report_remark("groups[%d]: %s: dropped %d strands, %lld repeated and %lld not finite vertices", g,
                              report->file, read->strands_dropped, (long long)read->vertices_doubled,
                              (long long)read->vertices_not_finite);
        if (report->segments_merged)
            fil_report_remark("groups[%d]: %s: merged %lld short segments", g, report->file,
                              (long long)report->segments_merged);
        if (report->radii_raised)
            fil_report_remark("groups[%d]: %s: raised %lld small radii", g, report->file,
                              (long long)report->radii_raised);
        const fil_clearing *clearing = &report->clearing;
        if (clearing->vertices)
            fil_report_remark("groups[%d]: %s: moved %lld vertices out of bodies and other strands, by up to %.3g mm",
                              g, report->file, (long long)clearing->vertices, 1e3 * clearing->farthest);
        if (clearing->inside || clearing->overlaps)
            fil_report_remark("groups[%d]: %s: %d places in bodies and %d overlaps are left, and will be eased apart",
                              g, report->file, clearing->inside, clearing->overlaps);
    }
}

fil_status fil_scene_load(const fil_arguments *arguments, fil_context *context, const char *path, fil_film **out)
{
    *out = NULL;
    if (fil_curves_check_ending(context, path) == FIL_OK)
        return fil_context_fail(
            context, FIL_BAD_INPUT,
            "%s: is a groom, not a scene: name it in one, \"groom\": {\"type\": \"file\", \"file\": "
            "\"%s\"}",
            path, path);
    int count;
    const char *const *sets = fil_arguments_list(arguments, "set", &count);
    fil_status status = fil_film_read(context, path, sets, count, out);
    if (status == FIL_OK)
        remark_repairs(*out);
    return status;
}

// What a film comes to.
typedef struct sums {
    int frames, steps; // steps per frame
    double h;          // s
    int64_t strands, vertices;
    double bytes; // of the results
} sums;

static int64_t vertices_of(const fil_groom *groom)
{
    int64_t total = 0;
    for (int s = 0; s < groom->strand_count; ++s)
        total += groom->vertex_count[s];
    return total;
}

// m, to tell at a glance whether the unit is right.
static double mean_length(const fil_groom *groom)
{
    double total = 0;
    const double *at = groom->position;
    for (int s = 0; s < groom->strand_count; ++s, at += 3)
        for (int i = 1; i < groom->vertex_count[s]; ++i, at += 3)
            total += hypot(hypot(at[3] - at[0], at[4] - at[1]), at[5] - at[2]);
    return total / groom->strand_count;
}

static sums sum_up(const fil_film *film)
{
    enum { BYTES_PER_VERTEX = 14 }; // of a frame on disk
    sums all = {.frames = fil_timing_frames(&film->timing)};
    all.steps = fil_timing_steps(&film->timing, &all.h);
    for (int g = 0; g < film->scene.group_count; ++g) {
        all.strands += film->scene.groups[g].groom.strand_count;
        all.vertices += vertices_of(&film->scene.groups[g].groom);
    }
    all.bytes = (double)BYTES_PER_VERTEX * (double)all.vertices * (all.frames + 1);
    return all;
}

static json_t *group_json(const fil_film *film, int index)
{
    const fil_group *group = &film->scene.groups[index];
    const fil_film_groom_report *report = fil_film_groom_report_of(film, index);
    json_t *object = json_pack("{s:s, s:s, s:i, s:I, s:f, s:i}", "name", group->name, "model", group->model, "strands",
                               group->groom.strand_count, "vertices", (json_int_t)vertices_of(&group->groom), "length",
                               mean_length(&group->groom), "pins", group->pin_count);
    if (!object || !report->file)
        return object;
    const fil_curves_report *read = &report->read;
    json_t *file = json_pack(
        "{s:o, s:f, s:b, s:i, s:I, s:I, s:I, s:I, s:I}", "name", fil_report_json_text(report->file), "unit", read->unit,
        "unit_guessed", (int)read->unit_guessed, "strands_dropped", read->strands_dropped, "vertices_doubled",
        (json_int_t)read->vertices_doubled, "vertices_not_finite", (json_int_t)read->vertices_not_finite,
        "segments_merged", (json_int_t)report->segments_merged, "radii_raised", (json_int_t)report->radii_raised,
        "vertices_moved_out", (json_int_t)report->clearing.vertices);
    if (json_object_set_new(object, "file", file) == 0)
        return object;
    json_decref(object);
    return NULL;
}

// null: strands pass through everything.
static json_t *contact_json(const fil_scene *scene)
{
    const fil_contacts *contacts = scene->contacts;
    if (!contacts)
        return json_null();
    char method[32];
    fil_settings_choice_word(fil_contacts_fields[0].choices, (int)contacts->method, method, sizeof method);
    return json_pack("{s:s, s:s, s:s, s:f, s:i, s:i}", "method", method, "solver", contacts->solver, "local",
                     contacts->local, "tolerance", contacts->tolerance, "obstacles", scene->obstacle_count, "rules",
                     scene->rule_count);
}

static fil_cli_exit show_json(const fil_film *film, const char *path)
{
    sums all = sum_up(film);
    json_t *groups = json_array();
    int failed = groups == NULL;
    for (int g = 0; g < film->scene.group_count && !failed; ++g)
        failed = json_array_append_new(groups, group_json(film, g));
    json_t *object = failed ? NULL
                            : json_pack("{s:o, s:s, s:O, s:i, s:o, s:i, s:i, s:f, s:I, s:I, s:I}", "scene",
                                        fil_report_json_text(path), "title", film->title, "groups", groups, "bodies",
                                        film->body_count, "contact", contact_json(&film->scene), "frames", all.frames,
                                        "steps_per_frame", all.steps, "step", all.h, "strands", (json_int_t)all.strands,
                                        "vertices", (json_int_t)all.vertices, "bytes", (json_int_t)all.bytes);
    json_decref(groups);
    return fil_report_json(object) ? FIL_EXIT_OK : fil_report_no_memory();
}

static void describe_size(double bytes, char *out, size_t room)
{
    static const char *const names[] = {"bytes", "kB", "MB", "GB", "TB"};
    int name = 0;
    for (; bytes >= 1000 && name < 4; ++name)
        bytes /= 1000;
    snprintf(out, room, "%.3g %s", bytes, names[name]);
}

static void show_contact(const fil_film *film)
{
    const fil_scene *scene = &film->scene;
    const fil_contacts *contacts = scene->contacts;
    if (film->body_count > 0)
        printf("  bodies     %d, of them %d solid%s\n", film->body_count, scene->obstacle_count,
               contacts ? "" : ", but without `contact` strands feel nothing");
    if (!contacts)
        return;
    char method[32];
    fil_settings_choice_word(fil_contacts_fields[0].choices, (int)contacts->method, method, sizeof method);
    printf("  contact    %s, solver %s, tolerance %g, %d rule%s\n", method, contacts->solver, contacts->tolerance,
           scene->rule_count, scene->rule_count == 1 ? "" : "s");
}

static void show(const fil_film *film, const char *path)
{
    sums all = sum_up(film);
    char size[32];
    describe_size(all.bytes, size, sizeof size);
    printf("%s%s%s%s%s: good\n", fil_report_bold(), path, fil_report_plain(), *film->title ? ": " : "", film->title);
    for (int g = 0; g < film->scene.group_count; ++g) {
        const fil_group *group = &film->scene.groups[g];
        int strands = group->groom.strand_count;
        printf("  groups[%d]  %s%s%d strand%s, %lld vertices, model %s, %s%.3g m long\n", g, group->name,
               *group->name ? ": " : "", strands, strands == 1 ? "" : "s", (long long)vertices_of(&group->groom),
               group->model, strands == 1 ? "" : "on average ", mean_length(&group->groom));
    }
    show_contact(film);
    printf("  time       %g s: %d frames after the first, %d steps of %.4g s each\n", film->timing.duration, all.frames,
           all.steps, all.h);
    printf("  results    about %s (`filum run`)\n", size);
}

static fil_cli_exit check_run(const fil_arguments *arguments)
{
    const char *path = arguments->operands[0];
    fil_context *context = fil_context_create(NULL);
    if (!context)
        return fil_report_no_memory();
    fil_film *film;
    fil_model *model = NULL;
    fil_status status = fil_scene_load(arguments, context, path, &film);
    if (status == FIL_OK)
        status = fil_film_compile(context, film, &model);
    fil_cli_exit code = FIL_EXIT_OK;
    if (status != FIL_OK)
        code = fil_report_failure(context, status);
    else if (fil_arguments_given(arguments, "json"))
        code = show_json(film, path);
    else
        show(film, path);
    fil_model_destroy(model);
    fil_film_destroy(film);
    fil_context_destroy(context);
    return code;
}

static const fil_option options[] = {FIL_SCENE_SET_OPTION};
static const fil_example examples[] = {
    {"filum check scene.json", "Is everything in order, and how large will it be?"},
    {"filum check scene.json --set groups.0.groom.strands=5000", "The same with more strands"},
};
const fil_command fil_command_check = {
    .name = "check",
    .operands = "SCENE",
    .least = 1,
    .most = 1,
    .summary = "look through a scene without running it",
    .text = "Reads the scene, makes or reads its grooms and compiles its strands, as `filum run` does before the first "
            "step. Tells what the scene holds, or the first mistake: file, key, and what is allowed there.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = check_run,
};
