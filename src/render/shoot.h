// A film is shot: its strands and bodies, frame by frame, with one camera, one ground and one scale of colours. See
// shoot.c.
#ifndef FIL_RENDER_SHOOT_H
#define FIL_RENDER_SHOOT_H

#include "base/context.h"

// What strands are coloured by.
typedef enum fil_shoot_colour {
    FIL_SHOOT_BY_LOOK,
    FIL_SHOOT_BY_STRAND,
    FIL_SHOOT_BY_STRAIN,
    FIL_SHOOT_BY_SPEED,
    FIL_SHOOT_BY_FORCE,
    FIL_SHOOT_COLOURS,
} fil_shoot_colour;
const char *fil_shoot_colour_name(fil_shoot_colour colour); // "look", "strand", ...

typedef struct fil_shoot fil_shoot;

typedef struct fil_shoot_def {
    const fil_film *film;          // looks, bodies, shot, paths of roots, gravity
    const fil_cache_group *groups; // [film->scene.group_count] its strands
    fil_shoot_colour colour;
    int first, last, every; // which frames are drawn
    int frame_count;        // how many there are
    // One frame into arrays, as fil_cache_read has it.
    fil_status (*read)(fil_context *context, void *user, int frame, double *time, float *position, float *stretch);
    bool (*progress)(void *user, double fraction); // of the frame that is drawn; may be NULL; false cancels
    void *user;
} fil_shoot_def;

// Looks at all frames that will be drawn: the camera, unless the film has one, sees all of them, the ground is below
// all, and the scale of colours fits all. The film and the groups must outlive it.
fil_status fil_shoot_create(fil_context *context, const fil_shoot_def *def, fil_shoot **out);
void fil_shoot_destroy(fil_shoot *shoot); // NULL is fine
int64_t fil_shoot_hair_count(const fil_shoot *shoot);
// 3 bytes per pixel, top row first, sRGB. The same bits on any number of threads.
fil_status fil_shoot_draw(fil_context *context, fil_shoot *shoot, int frame, unsigned char *pixels);

#endif
