// Where pictures go, by the name that the user gave: hair.png, frame_%04d.png, film.mp4.
#include "cli/pictures.h"

#include "base/file.h"
#include "render/picture.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { MOST_DIGITS = 9 };

// The next "%d", "%4d" or "%04d" from `at` on; false: there is none.
static bool find_number(const char *path, size_t at, size_t *begin, size_t *end, int *digits)
{
    for (const char *p = strchr(path + at, '%'); p; p = strchr(p + 1, '%')) {
        const char *q = p + 1;
        *digits = 0;
        for (; isdigit((unsigned char)*q); ++q)
            *digits = *digits <= MOST_DIGITS ? 10 * *digits + (*q - '0') : *digits;
        if (*q == 'd') {
            *begin = (size_t)(p - path);
            *end = (size_t)(q + 1 - path);
            return true;
        }
    }
    return false;
}

bool fil_pictures_parse(const char *path, fil_pictures *out)
{
    *out = (fil_pictures){.kind = FIL_PICTURES_STILL, .path = path};
    size_t length = strlen(path), begin, end;
    int digits;
    if (fil_movie_is_named(path)) {
        out->kind = FIL_PICTURES_FILM;
        return true;
    }
    if (length < 5 || strcasecmp(path + length - 4, ".png") != 0) {
        fil_report_error("--out: must end in .png (a picture; frame_%%04d.png: one for each frame), or in %s (a film) "
                         "(got '%s')",
                         fil_movie_endings(), path);
        return false;
    }
    if (!find_number(path, 0, &out->number_at, &out->number_end, &out->digits))
        return true;
    out->kind = FIL_PICTURES_NUMBERED;
    if (out->digits > MOST_DIGITS || find_number(path, out->number_end, &begin, &end, &digits)) {
        fil_report_error("--out: must hold one number of at most %d digits, such as frame_%%04d.png (got '%s')",
                         MOST_DIGITS, path);
        return false;
    }
    return true;
}

// The file of one picture.
static fil_status name_of(fil_context *context, const fil_pictures *self, int frame, char out[FIL_PATH_MAX])
{
    int length = 0;
    if (self->kind == FIL_PICTURES_NUMBERED)
        length = snprintf(out, FIL_PATH_MAX, "%.*s%0*d%s", (int)self->number_at, self->path, self->digits, frame,
                          self->path + self->number_end);
    else
        length = snprintf(out, FIL_PATH_MAX, "%s", self->path);
    if (length < 0 || length >= FIL_PATH_MAX)
        return fil_context_fail(context, FIL_BAD_INPUT, "%.200s...: the file name is too long", self->path);
    return FIL_OK;
}

fil_status fil_pictures_open(fil_context *context, fil_pictures *pictures, int frame, int width, int height, double fps)
{
    pictures->width = width;
    pictures->height = height;
    if (pictures->kind == FIL_PICTURES_FILM)
        return fil_movie_open(context, pictures->path, width, height, fps, &pictures->movie);
    char name[FIL_PATH_MAX], temporary[FIL_PATH_MAX];
    fil_status status = name_of(context, pictures, frame, name);
    if (status == FIL_OK)
        status = fil_file_temporary(context, name, temporary);
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
        status = name_of(context, pictures, frame, name);
        if (status == FIL_OK)
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
