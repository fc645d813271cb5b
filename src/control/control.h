// What the director asks for, compiled: gravity, wind, and how held vertices move. See control.c.
#ifndef FIL_CONTROL_CONTROL_H
#define FIL_CONTROL_CONTROL_H

#include "base/arena.h"

typedef struct fil_control_group {
    int hold_count;  // root, tip, pins
    fil_path *paths; // [hold_count]
    bool releases;   // any of them lets go some time
} fil_control_group;

typedef struct fil_control {
    double gravity[3], wind[3];
    fil_track gravity_track, wind_track;
    int group_count;
    fil_control_group *groups;
} fil_control;

// Checks and copies. The sentence of a failure names the group and the key.
fil_status fil_control_build(fil_context *context, fil_arena *arena, const fil_scene *scene, fil_control *out);
uint64_t fil_control_hash(const fil_control *control, uint64_t hash);
// The same for one path. `place` begins the sentence of a failure.
fil_status fil_control_copy_path(fil_context *context, fil_arena *arena, const fil_path *path, const char *place,
                                 fil_path *out);
uint64_t fil_control_hash_path(const fil_path *path, uint64_t hash);

void fil_control_gravity(const fil_control *control, double t, double out[3]);
void fil_control_wind(const fil_control *control, double t, double out[3]);
// Is it let go by then?
bool fil_control_released(const fil_control *control, int group, int hold, double t);

#endif
