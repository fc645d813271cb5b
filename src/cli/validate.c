// filum validate: strands against theory.
#include "cli/validate.h"

#include "filum/extend.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MODELS = 64 };

// All that a run collects.
typedef struct validation {
    fil_context *context;
    fil_validate_sheet sheets[MOST_MODELS];
    int sheet_count, at; // at: the model at work
    bool no_memory;
} validation;

static bool keep_row(void *user, const fil_validate_row *row)
{
    validation *self = user;
    fil_validate_sheet *sheet = &self->sheets[self->at];
    if (sheet->count == sheet->room) {
        int room = 2 * sheet->room + 64;
        fil_validate_kept *rows = realloc(sheet->rows, (size_t)room * sizeof *rows);
        if (!rows) {
            self->no_memory = true;
            return false;
        }
        sheet->rows = rows;
        sheet->room = room;
    }
    fil_validate_kept *kept = &sheet->rows[sheet->count++];
    kept->row = *row;
    snprintf(kept->quantity, sizeof kept->quantity, "%s", row->quantity);
    return !fil_report_interrupted();
}

static bool show_progress(void *user, double fraction, const char *name)
{
    const validation *self = user;
    fil_report_progress((self->at + fraction) / self->sheet_count, "%s: %s", self->sheets[self->at].model, name);
    return !fil_report_interrupted();
}

static fil_cli_exit run_models(validation *self, bool quick)
{
    for (self->at = 0; self->at < self->sheet_count && !fil_report_interrupted(); ++self->at) {
        fil_validate_def def = {.model = self->sheets[self->at].model,
                                .quick = quick,
                                .row = keep_row,
                                .progress = show_progress,
                                .user = self};
        fil_status status = fil_validate_run(self->context, &def);
        if (self->no_memory)
            return fil_report_no_memory();
        if (status != FIL_OK)
            return fil_report_failure(self->context, status);
    }
    fil_report_progress_end();
    return FIL_EXIT_OK;
}

// The tables or their JSON, and the exit status.
static fil_cli_exit show(const validation *self, bool json)
{
    int counts[FIL_VERDICT_COUNT] = {0};
    for (int i = 0; i < self->sheet_count; ++i)
        for (int k = 0; k < self->sheets[i].count; ++k)
            ++counts[self->sheets[i].rows[k].row.verdict];
    if (json && !fil_report_json(fil_validate_json(self->sheets, self->sheet_count, counts)))
        return fil_report_no_memory();
    for (int i = 0; i < self->sheet_count && !json; ++i)
        fil_validate_print(&self->sheets[i]);
    if (!json)
        fil_validate_print_sum(counts);
    if (fil_report_interrupted())
        fil_report_error("interrupted: not all was measured");
    return counts[FIL_VERDICT_MISS] > 0 || fil_report_interrupted() ? FIL_EXIT_MISSED : FIL_EXIT_OK;
}

static void choose_models(const fil_arguments *arguments, validation *self)
{
    if (arguments->operand_count > 0) {
        self->sheets[self->sheet_count++].model = arguments->operands[0];
        return;
    }
    for (int i = 0; i < fil_strand_type_count() && self->sheet_count < MOST_MODELS; ++i)
        if (!fil_strand_type_at(i)->live)
            self->sheets[self->sheet_count++].model = fil_strand_type_at(i)->name;
}

static fil_cli_exit validate(validation *self, const fil_arguments *arguments)
{
    const char *folder = fil_arguments_text(arguments, "svg");
    fil_cli_exit code = FIL_EXIT_OK;
    choose_models(arguments, self);
    if (folder)
        code = fil_validate_check_svg(self->context, folder);
    fil_report_catch_interrupt();
    if (code == FIL_EXIT_OK)
        code = run_models(self, fil_arguments_given(arguments, "quick"));
    if (code == FIL_EXIT_OK && folder)
        code = fil_validate_write_svg(self->context, folder, self->sheets, self->sheet_count);
    return code == FIL_EXIT_OK ? show(self, fil_arguments_given(arguments, "json")) : code;
}

static fil_cli_exit validate_run(const fil_arguments *arguments)
{
    fil_context_def def = fil_context_def_default();
    def.threads = 1; // one rod at a time
    validation self = {.context = fil_context_create(&def)};
    if (!self.context)
        return fil_report_no_memory();
    fil_cli_exit code = validate(&self, arguments);
    for (int i = 0; i < self.sheet_count; ++i)
        free(self.sheets[i].rows);
    fil_context_destroy(self.context);
    return code;
}

static const fil_option options[] = {
    {"quick", 0, FIL_OPTION_FLAG, NULL, NULL, 0, 0, "fewer cases: a few seconds"},
    {"svg", 0, FIL_OPTION_TEXT, "DIR", NULL, 0, 0,
     "draw the master curves, theory and measured, into this folder: cantilever.svg, bend-twist.svg"},
};
static const fil_example examples[] = {
    {"filum validate", "Every model, all cases"},
    {"filum validate der:hessian=filter --quick", "One model with its settings"},
    {"filum validate der --svg pictures --json", "For a script, with pictures"},
};
const fil_command fil_command_validate = {
    .name = "validate",
    .operands = "[MODEL]",
    .least = 0,
    .most = 1,
    .summary = "hold strands against the theory of rods and of friction",
    .text = "Sets up cantilevers, chains, columns, ribbons, rings, curls and pendulums whose behaviour is known from "
            "theory, and strands that slide, stick, collide and come to rest, measures them and shows theory, measured "
            "figure, error and bound. MODEL is one of `filum info "
            "strand`, with settings behind a colon; default: all. A miss is `by design` where the model has no such "
            "mechanism, `coarse` where the mesh is too coarse on purpose. Ends with status 1 when anything missed.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = validate_run,
};
