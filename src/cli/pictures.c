// Where pictures go, by the name that the user gave: hair.png, frame_%04d.png, film.mp4.
#include "cli/pictures.h"

#include "render/picture.h"

#include <string.h>
#include <strings.h>

bool fil_pictures_parse(const char *path, fil_pictures *out)
{
    *out = (fil_pictures){.kind = FIL_PICTURES_STILL, .path = path};
    size_t length = strlen(path);
    if (fil_movie_is_named(path)) {
        out->kind = FIL_PICTURES_FILM;
    } else if (length < 5 || strcasecmp(path + length - 4, ".png") != 0) {
        fil_report_error("--out: must end in .png (a picture; frame_%%04d.png: one for each frame), or in %s (a film) "
                         "(got '%s')",
                         fil_movie_endings(), path);
        return false;
    } else if (fil_files_pattern_read(path, &out->pattern)) {
        out->kind = FIL_PICTURES_NUMBERED;
    } else if (strchr(path, '%')) {
        fil_report_error("--out: the number of a frame is written %%d or %%04d, once (got '%s')", path);
        return false;
    }
    if (length + 32 <= FIL_PATH_MAX)
        return true;
    fil_report_error("%.100s...: the file name is too long", path);
    return false;
}

// The file of one picture.
static void name_of(const fil_pictures *self, int frame, char out[FIL_PATH_MAX])
{
    if (self->kind == FIL_PICTURES_NUMBERED)
        fil_files_pattern_name(&self->pattern, frame, out);
    else
        snprintf(out, FIL_PATH_MAX, "%s", self->path);
}

fil_status fil_pictures_open(fil_context *context, fil_pictures *pictures, int frame, int width, int height, double fps)
{
    pictures->width = width;
    pictures->height = height;
    if (pictures->kind == FIL_PICTURES_FILM)
        return fil_movie_open(context, pictures->path, width, height, fps, &pictures->movie);
    char name[FIL_PATH_MAX], temporary[FIL_PATH_MAX];
    name_of(pictures, frame, name);
    fil_status status = fil_file_temporary(context, name, temporary);
    if (status == FIL_OK)
        fil_file_discard(temporary);
    return status;
}

fil_status fil_pictures_add(fil_context *context, fil_pictures *pictures, int frame, const unsigned char *pixels)
{
    fil_status status = FIL_OK;
    if (pictures->kind == FIL_PICTURES_FILM) {
        status = fil_movie_add(context, pictures->movie, pixels);
    } else {
        char name[FIL_PATH_MAX];
        name_of(pictures, frame, name);
        status = fil_picture_write_png(context, name, pictures->width, pictures->height, pixels);
    }
    pictures->count += status == FIL_OK;
    return status;
}

fil_status fil_pictures_finish(fil_context *context, fil_pictures *pictures)
{
    fil_movie *movie = pictures->movie;
    pictures->movie = NULL;
    return movie ? fil_movie_finish(context, movie) : FIL_OK;
}

void fil_pictures_discard(fil_pictures *pictures)
{
    fil_movie_discard(pictures->movie);
    pictures->movie = NULL;
}
