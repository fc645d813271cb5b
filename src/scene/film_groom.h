// Grooms of a scene: from a generator or a file, repaired, placed and pinned. See film_groom.c.
#ifndef FIL_SCENE_FILM_GROOM_H
#define FIL_SCENE_FILM_GROOM_H

#include "filum/filum.h"
#include "scene/film_parse.h"

// {"type": "file", ...}
extern const fil_film_object fil_film_groom_file;

// What was done to a groom so that it can be simulated.
typedef struct fil_film_groom_report {
    const char *file;        // NULL: from a generator
    fil_curves_report read;  // what the reader met
    int64_t segments_merged; // shorter than a hundredth of the strand's mean
    int64_t radii_raised;    // below a tenth of the strand's largest
    fil_clearing clearing;   // what was inside bodies
} fil_film_groom_report;

// The strands of a group, in the arena of the film. `place` is that of the group.
fil_status fil_film_groom_make(fil_film_reader *reader, const fil_film_place *place, const fil_film_group *group,
                               fil_groom *out, fil_film_groom_report *report);

// Moves the strands of grooms from files out of the bodies of the scene. `groups` are those of the scene.
fil_status fil_film_groom_clear_all(fil_film_reader *reader, const fil_film_root *root, const fil_scene *scene,
                                    fil_group *groups, fil_film_groom_report *reports);

// Radii below a tenth of their strand's largest become that; a strand without any has `otherwise`. How many were
// raised.
int64_t fil_film_groom_raise_radii(fil_curves *curves, double otherwise);

#endif
