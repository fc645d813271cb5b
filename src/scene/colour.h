// Colours by name. See colour.c.
#ifndef FIL_SCENE_COLOUR_H
#define FIL_SCENE_COLOUR_H

#include <stdbool.h>
#include <stddef.h>

int fil_colour_count(void);
const char *fil_colour_name(int index);
// Linear, 0 to 1. False: there is no colour of that name.
bool fil_colour_find(const char *name, double out[3]);
// All names in one text: "black, brown, ...".
void fil_colour_list(char *out, size_t room);

#endif
