// PNG files through libpng: written to a temporary, then renamed, so that a file is whole or not there.
//
// libpng reports errors by longjmp. Everything that must survive the jump lives in the struct `writer`, whose address
// does not change.
#include "base/file.h"
#include "render/picture.h"

#ifdef FIL_HAVE_PNG

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    fil_context *context;
    FILE *file;
    png_structp png;
    png_infop info;
    bool no_memory;
    char reason[128];
} writer;

static void complain(png_structp png, png_const_charp text)
{
    writer *self = png_get_error_ptr(png);
    snprintf(self->reason, sizeof self->reason, "%s", text);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    writer *self = png_get_mem_ptr(png);
    void *memory = fil_context_allocate(self->context, size);
    self->no_memory |= !memory;
    return memory;
}

static void release(png_structp png, png_voidp memory)
{
    writer *self = png_get_mem_ptr(png);
    fil_context_release(self->context, memory);
}

// False: the reason is in the writer.
static bool write_image(writer *self, int width, int height, const unsigned char *pixels)
{
    self->png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, self, complain, ignore_warning, self, allocate, release);
    if (!self->png)
        return false;
    if (setjmp(png_jmpbuf(self->png)))
        return false;
    self->info = png_create_info_struct(self->png);
    if (!self->info)
        return false;
    png_init_io(self->png, self->file);
    png_set_IHDR(self->png, self->info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(self->png, self->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(self->png, self->info);
    for (int y = 0; y < height; ++y)
        png_write_row(self->png, pixels + (size_t)y * (size_t)width * 3);
    png_write_end(self->png, self->info);
    return true;
}

fil_status fil_picture_write_png(fil_context *context, const char *path, int width, int height,
                                 const unsigned char *pixels)
{
    enum { MOST = 1000000 }; // libpng's own limit
    if (width < 1 || height < 1 || width > MOST || height > MOST)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: width and height must be 1 to %d (got %d x %d)", path,
                                MOST, width, height);
    char temporary[FIL_PATH_MAX];
    fil_status status = fil_file_temporary(context, path, temporary);
    if (status != FIL_OK)
        return status;
    writer self = {.context = context, .file = fopen(temporary, "wb"), .reason = "libpng failed"};
    bool good = self.file && write_image(&self, width, height, pixels);
    if (!self.file)
        snprintf(self.reason, sizeof self.reason, "%s", strerror(errno));
    png_destroy_write_struct(&self.png, &self.info);
    if (self.file && fclose(self.file) != 0 && good) {
        snprintf(self.reason, sizeof self.reason, "%s", strerror(errno));
        good = false;
    }
    if (good)
        return fil_file_commit(context, temporary, path);
    fil_file_discard(temporary);
    if (self.no_memory)
        return fil_context_fail(context, FIL_NO_MEMORY, "%s: out of memory", path);
    return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot write: %s", path, self.reason);
}

#else

fil_status fil_picture_write_png(fil_context *context, const char *path, int width, int height,
                                 const unsigned char *pixels)
{
    (void)width, (void)height, (void)pixels;
    return fil_context_fail(context, FIL_UNAVAILABLE,
                            "%s: this build cannot write PNG (missing: apt install libpng-dev)", path);
}

#endif
