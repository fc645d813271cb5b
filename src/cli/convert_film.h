// filum convert of a results' folder. See convert_film.c.
#ifndef FIL_CLI_CONVERT_FILM_H
#define FIL_CLI_CONVERT_FILM_H

#include "cli/report.h"

typedef struct fil_convert_film {
    const char *in, *out;
    double to_unit; // m
    int frame;      // < 0: all
    bool json;
} fil_convert_film;

bool fil_convert_film_is_one(const char *path); // a folder?
fil_cli_exit fil_convert_film_run(fil_context *context, const fil_convert_film *self);

#endif
