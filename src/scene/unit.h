// Units of length by name. See unit.c.
#ifndef FIL_SCENE_UNIT_H
#define FIL_SCENE_UNIT_H

#include <stdbool.h>

int fil_unit_count(void);
const char *fil_unit_name_at(int index);
// "m", "cm", "mm" or "in" in metres; false: there is no such unit.
bool fil_unit_find(const char *name, double *metres);
// The name of a unit, or NULL: it has none.
const char *fil_unit_name(double metres);
// A unit that is given as a number of metres must be one of these.
bool fil_unit_is_good(double metres);

#endif
