// Scenes on the command line: what all commands that take one share. See scene.c.
#ifndef FIL_CLI_SCENE_H
#define FIL_CLI_SCENE_H

#include "cli/report.h"

extern const fil_command fil_command_check;

// The row of --set for the table of a command.
#define FIL_SCENE_SET_OPTION                                                                                           \
    {                                                                                                                  \
        "set", 0, FIL_OPTION_TEXTS, "KEY=VALUE", NULL, 0, 0,                                                           \
            "change the scene: time.duration=1, groups.0.material.young=4e9, groups.curls.look.colour=black; may be "  \
            "given several times"                                                                                      \
    }

// Reads a scene with the --set of the command line, and tells what was repaired in its grooms.
fil_status fil_scene_load(const fil_arguments *arguments, fil_context *context, const char *path, fil_film **out);

#endif
