// filum contact generate: files of the hair-like families, rods in reduced coordinates or strands in bands.
#include "cli/contact.h"
#include "cli/files.h"

#include <stdlib.h>
#include <string.h>

// The place of the one %d in a name, or NULL.
static const char *number_place(const char *name)
{
    const char *at = strstr(name, "%d");
    return at && !strstr(at + 2, "%d") ? at : NULL;
}

// "a-%d.hdf5" with the seed in the place of %d. The name is data, never a format.
static char *file_name(const char *name, const char *place, uint64_t seed)
{
    size_t room = strlen(name) + 32;
    char *out = malloc(room);
    if (out && place)
        snprintf(out, room, "%.*s%llu%s", (int)(place - name), name, (unsigned long long)seed, place + 2);
    else if (out)
        memcpy(out, name, strlen(name) + 1);
    return out;
}

// What to make: rods, or strands when `hair`.
typedef struct recipe {
    bool hair, local;
    fil_contact_family rods;
    fil_contact_hair strands;
} recipe;

static json_t *describe(const char *file, const fil_contact_problem *problem, const recipe *recipe)
{
    json_t *out = json_pack("{s:o, s:I, s:s, s:i, s:i, s:I, s:o}", "file", fil_report_json_text(file), "seed",
                            (json_int_t)(recipe->hair ? recipe->strands.seed : recipe->rods.seed), "form",
                            recipe->local ? "local" : "global", "contacts", problem->contact_count,
                            recipe->hair ? "strands" : "rods", problem->A.body_count, "dofs",
                            (json_int_t)problem->A.dof_start[problem->A.body_count], "blocks",
                            problem->has_dual ? json_integer(problem->W.start[problem->contact_count]) : json_null());
    if (out && recipe->hair && json_object_set_new(out, "step", json_integer(recipe->strands.index)) != 0) {
        json_decref(out);
        return NULL;
    }
    return out;
}

// FIL_EXIT_MISSED: Ctrl-C came before the file was written.
static fil_cli_exit generate_one(fil_context *context, const recipe *recipe, const char *file, json_t *list)
{
    fil_contact_problem *problem;
    fil_status status = recipe->hair ? fil_contact_hair_generate(context, &recipe->strands, &problem)
                                     : fil_contact_family_generate(context, &recipe->rods, &problem);
    if (status == FIL_OK && recipe->local) {
        status = fil_contact_problem_form_dual(context, problem);
        problem->has_primal = false; // a file holds one view
    }
    bool stop = fil_report_interrupted();
    if (status == FIL_OK && !stop)
        status = fil_contact_problem_write(context, file, problem);
    fil_cli_exit code = FIL_EXIT_OK;
    if (status == FIL_OK && stop)
        code = FIL_EXIT_MISSED;
    else if (status != FIL_OK)
        code = fil_report_failure(context, status);
    else if (list && json_array_append_new(list, describe(file, problem, recipe)) != 0)
        code = fil_report_no_memory();
    else if (!list)
        printf("%s: %d contacts, %d %s, %d dofs\n", file, problem->contact_count, problem->A.body_count,
               recipe->hair ? "strands" : "rods", problem->A.dof_start[problem->A.body_count]);
    fil_contact_problem_destroy(problem);
    return code;
}

static const char *const rod_options[] = {"rods", "dofs", "contacts-per-rod"};
static const char *const strand_options[] = {"strands", "vertices", "contacts-per-strand", "shape", "step", "steps"};

// The first of some options that was given, or NULL.
static const char *first_given(const fil_arguments *arguments, const char *const *options, int count)
{
    for (int i = 0; i < count; ++i)
        if (fil_arguments_given(arguments, options[i]))
            return options[i];
    return NULL;
}

// False after telling what is wrong.
static bool read_recipe(const fil_arguments *arguments, recipe *out)
{
    const char *rod = first_given(arguments, rod_options, sizeof rod_options / sizeof *rod_options);
    const char *strand = first_given(arguments, strand_options, sizeof strand_options / sizeof *strand_options);
    const char *form = fil_arguments_text(arguments, "form"), *shape = fil_arguments_text(arguments, "shape");
    if (rod && strand) {
        fil_report_error("--%s is for rods and --%s for strands: a problem has one or the other", rod, strand);
        return false;
    }
    if (strcmp(form, "global") != 0 && strcmp(form, "local") != 0) {
        fil_report_error("--form: must be global or local (got '%s')", form);
        return false;
    }
    double mu = fil_arguments_number(arguments, "mu");
    uint64_t seed = (uint64_t)fil_arguments_whole(arguments, "seed");
    *out = (recipe){
        .hair = strand != NULL,
        .local = strcmp(form, "local") == 0,
        .rods = {.rods = (int)fil_arguments_whole(arguments, "rods"),
                 .dofs = (int)fil_arguments_whole(arguments, "dofs"),
                 .contacts_per_rod = fil_arguments_number(arguments, "contacts-per-rod"),
                 .mu = mu,
                 .seed = seed},
        .strands = {.strands = (int)fil_arguments_whole(arguments, "strands"),
                    .vertices = (int)fil_arguments_whole(arguments, "vertices"),
                    .contacts_per_strand = fil_arguments_number(arguments, "contacts-per-strand"),
                    .step = fil_arguments_number(arguments, "step"),
                    .mu = mu,
                    .seed = seed},
    };
    while (out->strands.shape < FIL_HAIR_SHAPES && strcmp(shape, fil_contact_hair_shape_name(out->strands.shape)) != 0)
        ++out->strands.shape;
    if (out->strands.shape == FIL_HAIR_SHAPES)
        fil_report_error("--shape: must be straight, wavy, curly or parallel (got '%s')", shape);
    return out->strands.shape < FIL_HAIR_SHAPES;
}

// Seeds or steps, one file for each.
static fil_cli_exit generate(fil_context *context, const fil_arguments *arguments, recipe *recipe)
{
    const char *out = fil_arguments_text(arguments, "out"), *place = number_place(out);
    int64_t steps = fil_arguments_whole(arguments, "steps"), seeds = fil_arguments_whole(arguments, "count");
    int64_t count = steps > 1 ? steps : seeds;
    json_t *list = fil_arguments_given(arguments, "json") ? json_array() : NULL;
    fil_cli_exit code = FIL_EXIT_OK;
    int64_t written = 0;
    fil_report_catch_interrupt(); // so that no file is left half written
    for (int64_t k = 0; k < count && code == FIL_EXIT_OK; ++k) {
        char *file = file_name(out, place, steps > 1 ? (uint64_t)k : recipe->rods.seed);
        fil_report_progress((double)k / (double)count, "problem %lld of %lld", (long long)k + 1, (long long)count);
        code = file ? generate_one(context, recipe, file, list) : fil_report_no_memory();
        written += code == FIL_EXIT_OK;
        free(file);
        if (steps > 1)
            ++recipe->strands.index;
        else
            ++recipe->strands.seed, ++recipe->rods.seed;
    }
    fil_report_progress_end();
    if (code == FIL_EXIT_MISSED)
        fil_report_error("interrupted: %lld of %lld problems were written", (long long)written, (long long)count);
    if (list && code <= FIL_EXIT_MISSED)
        return fil_report_json(list) ? code : fil_report_no_memory();
    json_decref(list);
    return code;
}

fil_cli_exit fil_contact_generate_run(const fil_arguments *arguments)
{
    const char *out = fil_arguments_text(arguments, "out");
    bool seeds = fil_arguments_whole(arguments, "count") > 1, steps = fil_arguments_whole(arguments, "steps") > 1;
    recipe recipe;
    if (!out) {
        fil_report_error("contact generate: --out FILE is missing");
        return FIL_EXIT_BAD;
    }
    if (!read_recipe(arguments, &recipe))
        return FIL_EXIT_BAD;
    if (seeds && steps) {
        fil_report_error("--count and --steps: only one of them may be above 1");
        return FIL_EXIT_BAD;
    }
    if ((seeds || steps) && !number_place(out)) {
        fil_report_error("--out: must hold one %%d, the place of the %s, when --%s is above 1 (got '%s')",
                         steps ? "step" : "seed", steps ? "steps" : "count", out);
        return FIL_EXIT_BAD;
    }
    fil_context *context = fil_contact_context(arguments);
    if (!context)
        return FIL_EXIT_MACHINE;
    // A folder that does not exist is found before the work.
    char *first = file_name(out, number_place(out), steps ? 0 : recipe.rods.seed);
    fil_cli_exit code = first ? fil_files_check_output(context, first) : fil_report_no_memory();
    free(first);
    if (code == FIL_EXIT_OK)
        code = generate(context, arguments, &recipe);
    fil_context_destroy(context);
    return code;
}
