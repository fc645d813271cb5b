// filum render. See render.c.
#ifndef FIL_CLI_RENDER_H
#define FIL_CLI_RENDER_H

#include "cli/command.h"

extern const fil_command fil_command_render;

#endif
