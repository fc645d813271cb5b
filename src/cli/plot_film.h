// filum plot. See plot_film.c.
#ifndef FIL_CLI_PLOT_FILM_H
#define FIL_CLI_PLOT_FILM_H

#include "cli/command.h"

extern const fil_command fil_command_plot;

#endif
