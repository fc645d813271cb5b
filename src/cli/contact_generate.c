// filum contact generate: files of the hair-like family.
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

static json_t *describe(const char *file, const fil_contact_problem *problem, uint64_t seed, bool local)
{
    return json_pack("{s:o, s:I, s:s, s:i, s:i, s:I, s:o}", "file", fil_report_json_text(file), "seed",
                     (json_int_t)seed, "form", local ? "local" : "global", "contacts", problem->contact_count, "rods",
                     problem->A.body_count, "dofs", (json_int_t)problem->A.dof_start[problem->A.body_count], "blocks",
                     problem->has_dual ? json_integer(problem->W.start[problem->contact_count]) : json_null());
}

// FIL_EXIT_MISSED: Ctrl-C came before the file was written.
static fil_cli_exit generate_one(fil_context *context, const fil_contact_family *family, const char *file, bool local,
                                 json_t *list)
{
    fil_contact_problem *problem;
    fil_status status = fil_contact_family_generate(context, family, &problem);
    if (status == FIL_OK && local) {
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
    else if (list && json_array_append_new(list, describe(file, problem, family->seed, local)) != 0)
        code = fil_report_no_memory();
    else if (!list)
        printf("%s: %d contacts, %d rods, %d dofs\n", file, problem->contact_count, family->rods,
               family->rods * family->dofs);
    fil_contact_problem_destroy(problem);
    return code;
}

static fil_cli_exit generate(fil_context *context, const fil_arguments *arguments, bool local)
{
    const char *out = fil_arguments_text(arguments, "out"), *place = number_place(out);
    fil_contact_family family = {
        .rods = (int)fil_arguments_whole(arguments, "rods"),
        .dofs = (int)fil_arguments_whole(arguments, "dofs"),
        .contacts_per_rod = fil_arguments_number(arguments, "contacts-per-rod"),
        .mu = fil_arguments_number(arguments, "mu"),
        .seed = (uint64_t)fil_arguments_whole(arguments, "seed"),
    };
    int64_t count = fil_arguments_whole(arguments, "count");
    json_t *list = fil_arguments_given(arguments, "json") ? json_array() : NULL;
    fil_cli_exit code = FIL_EXIT_OK;
    int64_t written = 0;
    fil_report_catch_interrupt(); // so that no file is left half written
    for (int64_t k = 0; k < count && code == FIL_EXIT_OK; ++k, ++family.seed) {
        char *file = file_name(out, place, family.seed);
        fil_report_progress((double)k / (double)count, "problem %lld of %lld", (long long)k + 1, (long long)count);
        code = file ? generate_one(context, &family, file, local, list) : fil_report_no_memory();
        written += code == FIL_EXIT_OK;
        free(file);
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
    const char *out = fil_arguments_text(arguments, "out"), *form = fil_arguments_text(arguments, "form");
    if (!out) {
        fil_report_error("contact generate: --out FILE is missing");
        return FIL_EXIT_BAD;
    }
    if (strcmp(form, "global") != 0 && strcmp(form, "local") != 0) {
        fil_report_error("--form: must be global or local (got '%s')", form);
        return FIL_EXIT_BAD;
    }
    if (fil_arguments_whole(arguments, "count") > 1 && !number_place(out)) {
        fil_report_error("--out: must hold one %%d, the place of the seed, when --count is above 1 (got '%s')", out);
        return FIL_EXIT_BAD;
    }
    fil_context *context = fil_contact_context(arguments);
    if (!context)
        return FIL_EXIT_MACHINE;
    // A folder that does not exist is found before the work.
    char *first = file_name(out, number_place(out), (uint64_t)fil_arguments_whole(arguments, "seed"));
    fil_cli_exit code = first ? fil_files_check_output(context, first) : fil_report_no_memory();
    free(first);
    if (code == FIL_EXIT_OK)
        code = generate(context, arguments, strcmp(form, "local") == 0);
    fil_context_destroy(context);
    return code;
}
