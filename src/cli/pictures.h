// Where pictures go: one file, numbered files, or a film. See pictures.c.
#ifndef FIL_CLI_PICTURES_H
#define FIL_CLI_PICTURES_H

#include "cli/files.h"
#include "render/movie.h"

typedef enum fil_pictures_kind { FIL_PICTURES_STILL, FIL_PICTURES_NUMBERED, FIL_PICTURES_FILM } fil_pictures_kind;

typedef struct fil_pictures {
    fil_pictures_kind kind;
    const char *path;
    int width, height;
    fil_files_pattern pattern; // NUMBERED
    int count;                 // pictures that were taken
    fil_movie *movie;
} fil_pictures;

// What a path asks for. False after telling what is wrong with it.
bool fil_pictures_parse(const char *path, fil_pictures *out);
// Finds out what would go wrong, before any work. `frame`: the first picture. A film starts ffmpeg.
fil_status fil_pictures_open(fil_context *context, fil_pictures *pictures, int frame, int width, int height,
                             double fps);
fil_status fil_pictures_add(fil_context *context, fil_pictures *pictures, int frame, const unsigned char *pixels);
fil_status fil_pictures_finish(fil_context *context, fil_pictures *pictures); // a film appears now
void fil_pictures_discard(fil_pictures *pictures);                            // a film does not appear; nothing else

#endif
