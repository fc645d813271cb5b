// Units of length that scenes, grooms and the command know by name.
#include "scene/unit.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    double metres;
} units[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}};
enum { UNITS = sizeof units / sizeof *units };

int fil_unit_count(void)
{
    return UNITS;
}

const char *fil_unit_name_at(int index)
{
    return units[index].name;
}

bool fil_unit_find(const char *name, double *metres)
{
    for (int i = 0; i < UNITS; ++i)
        if (strcmp(units[i].name, name) == 0) {
            *metres = units[i].metres;
            return true;
        }
    return false;
}

const char *fil_unit_name(double metres)
{
    for (int i = 0; i < UNITS; ++i)
        if (units[i].metres == metres)
            return units[i].name;
    return NULL;
}

bool fil_unit_is_good(double metres)
{
    return metres >= 1e-9 && metres <= 1e9;
}
