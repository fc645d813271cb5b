// Films as files, through ffmpeg. See movie.c.
#ifndef FIL_RENDER_MOVIE_H
#define FIL_RENDER_MOVIE_H

#include "base/context.h"

typedef struct fil_movie fil_movie;

// Does the name end like a film?
bool fil_movie_is_named(const char *path);
// ".mp4, .mov, ...", for messages.
const char *fil_movie_endings(void);
// Starts ffmpeg. FIL_UNAVAILABLE: there is none. FIL_BAD_INPUT: no such ending, or a size that the format cannot take.
fil_status fil_movie_open(fil_context *context, const char *path, int width, int height, double fps, fil_movie **out);
// One picture more: 3 bytes per pixel, top row first, sRGB.
fil_status fil_movie_add(fil_context *context, fil_movie *movie, const unsigned char *pixels);
// The film appears whole, or not at all. The movie is gone in either case.
fil_status fil_movie_finish(fil_context *context, fil_movie *movie);
// Ends ffmpeg and leaves no file. NULL is fine.
void fil_movie_discard(fil_movie *movie);

#endif
