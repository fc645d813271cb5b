// Colours that scenes and the command know by name, linear: natural ones of hair first, then plain ones.
#include "scene/colour.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    double value[3];
} colours[] = {
    {"black", {0.02, 0.016, 0.014}}, {"brown", {0.16, 0.075, 0.032}}, {"auburn", {0.26, 0.07, 0.025}},
    {"blond", {0.55, 0.36, 0.16}},   {"grey", {0.4, 0.4, 0.4}},       {"white", {0.85, 0.85, 0.85}},
    {"skin", {0.62, 0.36, 0.25}},    {"red", {0.6, 0.03, 0.03}},      {"orange", {0.75, 0.22, 0.02}},
    {"yellow", {0.75, 0.55, 0.04}},  {"green", {0.06, 0.32, 0.06}},   {"turquoise", {0.03, 0.4, 0.38}},
    {"blue", {0.04, 0.1, 0.5}},      {"purple", {0.24, 0.05, 0.36}},  {"pink", {0.8, 0.3, 0.42}},
};
enum { COLOURS = sizeof colours / sizeof *colours };

int fil_colour_count(void)
{
    return COLOURS;
}

const char *fil_colour_name(int index)
{
    return colours[index].name;
}

bool fil_colour_find(const char *name, double out[3])
{
    for (int i = 0; i < COLOURS; ++i)
        if (strcmp(colours[i].name, name) == 0) {
            memcpy(out, colours[i].value, sizeof colours[i].value);
            return true;
        }
    return false;
}

void fil_colour_list(char *out, size_t room)
{
    size_t length = 0;
    for (int i = 0; i < COLOURS && length < room; ++i) {
        int added = snprintf(out + length, room - length, "%s%s", i > 0 ? ", " : "", colours[i].name);
        length += added > 0 ? (size_t)added : 0;
    }
}
