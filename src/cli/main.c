// The command `filum`: finds the command that is meant, parses its words, runs it.
#include "cli/audit.h"
#include "cli/completion.h"
#include "cli/contact.h"
#include "cli/follow.h"
#include "cli/groom.h"
#include "cli/info.h"
#include "cli/manual.h"
#include "cli/plot_film.h"
#include "cli/render.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/scene.h"
#include "cli/schema.h"
#include "cli/validate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fil_cli_exit help_run(const fil_arguments *arguments)
{
    int taken;
    int count = arguments->operand_count;
    const char *const *words = arguments->operands;
    if (count == 0) {
        fil_help_overview();
        return FIL_EXIT_OK;
    }
    const fil_command *command = fil_command_find(count, words, &taken);
    if (command && taken == count)
        fil_help_command(command);
    else if (count == 1 && fil_help_is_group(words[0]))
        fil_help_group(words[0]);
    else {
        fil_command_unknown(count, words);
        return FIL_EXIT_BAD;
    }
    return FIL_EXIT_OK;
}

static const fil_example help_examples[] = {{"filum help contact solve", "All about one command"}};
static const fil_command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .least = 0,
    .most = 2,
    .summary = "explain a command",
    .examples = help_examples,
    .example_count = 1,
    .run = help_run,
};

// In the order in which people meet them: the main job first.
const fil_command *const fil_commands[] = {
    &fil_command_run,              //
    &fil_command_render,           //
    &fil_command_plot,             //
    &fil_command_audit,            //
    &fil_command_check,            //
    &fil_command_schema,           //
    &fil_command_convert,          //
    &fil_command_follow,           //
    &fil_command_info,             //
    &fil_command_validate,         //
    &fil_command_contact_solve,    //
    &fil_command_contact_compare,  //
    &fil_command_contact_batch,    //
    &fil_command_contact_generate, //
    &fil_command_contact_judge,    //
    &command_help,                 //
    &fil_command_manual,           //
    &fil_command_completion,       //
};
const int fil_command_count = sizeof fil_commands / sizeof *fil_commands;

static fil_cli_exit run_command(const fil_command *command, int count, const char *const *words)
{
    fil_arguments arguments;
    fil_cli_exit code = FIL_EXIT_BAD;
    if (fil_arguments_parse(command, count, words, &arguments)) {
        fil_report_start(fil_arguments_given(&arguments, "quiet"));
        if (fil_arguments_given(&arguments, "help")) {
            fil_help_command(command);
            code = FIL_EXIT_OK;
        } else {
            code = command->run(&arguments);
        }
    }
    fil_arguments_free(&arguments);
    return code;
}

static fil_cli_exit run(int count, const char *const *words)
{
    if (count == 0) {
        fil_help_overview();
        return FIL_EXIT_BAD;
    }
    if (strcmp(words[0], "--version") == 0 || strcmp(words[0], "-V") == 0) {
        printf("filum %s\n", fil_version());
        return FIL_EXIT_OK;
    }
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0) {
        fil_help_overview();
        return FIL_EXIT_OK;
    }
    int taken;
    const fil_command *command = fil_command_find(count, words, &taken);
    if (command)
        return run_command(command, count - taken, words + taken);
    // A group alone shows what it has; asked for help, that is the answer.
    bool group = fil_help_is_group(words[0]);
    if (group && count == 2 && (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0)) {
        fil_help_group(words[0]);
        return FIL_EXIT_OK;
    }
    if (group && count == 1)
        fil_help_group(words[0]);
    else
        fil_command_unknown(count, words);
    return FIL_EXIT_BAD;
}

// Threads that wait for each other must not keep others from working: beside two busy programs a small scene took
// thirty times as long. The OpenMP runtime reads how to wait before main begins, so the program starts itself once
// more; if that fails it goes on as it is.
static void wait_politely(char **argv)
{
    char path[4096];
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT"))
        return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    // A short spin for the runtime of gcc, none for others.
    if (setenv("GOMP_SPINCOUNT", "2000", 1) == 0 && setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
        execv(path, argv);
}

int main(int argc, char **argv)
{
    wait_politely(argv);
    fil_contact_table_start();
    return fil_report_finish(run(argc > 0 ? argc - 1 : 0, (const char *const *)(argv + 1)));
}
