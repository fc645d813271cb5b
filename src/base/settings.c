// One row of a field table is the only description of a setting: this file turns rows into defaults and into checked
// values. Errors name the owner, the setting and what is allowed.
#include "base/settings.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void store(const fil_field *field, void *param, double value)
{
    char *place = (char *)param + field->offset;
    if (field->kind == FIL_KIND_REAL)
        memcpy(place, &value, sizeof value);
    else if (field->kind == FIL_KIND_FILE)
        memcpy(place, &(const char *){NULL}, sizeof(const char *));
    else
        memcpy(place, &(int){(int)value}, sizeof(int));
}

void fil_settings_defaults(const fil_field *fields, int count, void *param)
{
    for (int i = 0; i < count; ++i)
        store(&fields[i], param, fields[i].def);
}

// Edit distance of two short words: letters inserted, erased, replaced, or swapped with their neighbour.
static int edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    int columns = (int)strlen(b), rows = (int)strlen(a);
    if (rows > LONGEST || columns > LONGEST)
        return LONGEST;
    int table[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= rows; ++i)
        for (int j = 0; j <= columns; ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            int best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            int shorter = 1 + (table[i - 1][j] < table[i][j - 1] ? table[i - 1][j] : table[i][j - 1]);
            best = shorter < best ? shorter : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && table[i - 2][j - 2] + 1 < best)
                best = table[i - 2][j - 2] + 1;
            table[i][j] = best;
        }
    return table[rows][columns];
}

const char *fil_settings_nearest(const char *word, const char *const *names, int count)
{
    const char *nearest = NULL;
    int best = (int)strlen(word) / 2 + 1;
    for (int i = 0; i < count; ++i) {
        int distance = edit_distance(word, names[i]);
        if (distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

static fil_status unknown_setting(fil_context *context, const char *owner, const fil_field *fields, int count,
                                  const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int known = count < MOST ? count : MOST;
    for (int i = 0; i < known; ++i)
        names[i] = fields[i].name;
    const char *nearest = fil_settings_nearest(name, names, known);
    if (nearest)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: unknown setting '%s': did you mean '%s'?", owner, name,
                                nearest);
    return fil_context_fail(context, FIL_BAD_INPUT, "%s: unknown setting '%s' (see `filum info`)", owner, name);
}

int fil_settings_choice_index(const char *choices, const char *word)
{
    size_t length = strlen(word);
    int index = 0;
    for (const char *at = choices; at; ++index) {
        const char *bar = strchr(at, '|');
        size_t size = bar ? (size_t)(bar - at) : strlen(at);
        if (size == length && memcmp(at, word, length) == 0)
            return index;
        at = bar ? bar + 1 : NULL;
    }
    return -1;
}

void fil_settings_choice_word(const char *choices, int index, char *out, size_t room)
{
    while (index-- > 0)
        choices = strchr(choices, '|') ? strchr(choices, '|') + 1 : choices;
    snprintf(out, room, "%.*s", (int)strcspn(choices, "|"), choices);
}

// Numbers are written in the notation of C, whatever language the host program has chosen: between these two calls.
typedef struct notation {
    locale_t plain, chosen;
} notation;

static notation notation_begin(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (notation){plain, plain ? uselocale(plain) : (locale_t)0};
}

static void notation_end(notation self)
{
    if (!self.plain)
        return;
    uselocale(self.chosen);
    freelocale(self.plain);
}

// The number at `text`; *end behind it.
static double parse_number(const char *text, char **end)
{
    notation plain = notation_begin();
    double value = strtod(text, end);
    notation_end(plain);
    return value;
}

// One value as text; false: it is the default.
static bool write_value(const fil_field *field, const void *param, char *out, size_t room)
{
    const char *place = (const char *)param + field->offset;
    double real = 0;
    int whole = 0;
    const char *file = NULL;
    if (field->kind == FIL_KIND_REAL) {
        memcpy(&real, place, sizeof real);
        notation plain = notation_begin();
        snprintf(out, room, "%.17g", real);
        notation_end(plain);
        return real != field->def;
    }
    if (field->kind == FIL_KIND_FILE) {
        memcpy(&file, place, sizeof file);
        snprintf(out, room, "%s", file ? file : "");
        return file != NULL;
    }
    memcpy(&whole, place, sizeof whole);
    if (field->kind == FIL_KIND_INT)
        snprintf(out, room, "%d", whole);
    else
        fil_settings_choice_word(field->kind == FIL_KIND_BOOL ? "false|true" : field->choices, whole, out, room);
    return whole != (int)field->def;
}

void fil_settings_write(const char *name, const fil_field *fields, int count, const void *param, char *out, size_t room)
{
    char value[1024];
    size_t length = (size_t)snprintf(out, room, "%s", name);
    const char *before = ":";
    for (int i = 0; i < count && length < room; ++i)
        if (write_value(&fields[i], param, value, sizeof value)) {
            length += (size_t)snprintf(out + length, room - length, "%s%s=%s", before, fields[i].name, value);
            before = ",";
        }
}

static fil_status parse_value(fil_context *context, const char *owner, const fil_field *field, const char *text,
                              double *value)
{
    if (field->kind == FIL_KIND_CHOICE || field->kind == FIL_KIND_BOOL) {
        const char *choices = field->kind == FIL_KIND_BOOL ? "false|true" : field->choices;
        int index = fil_settings_choice_index(choices, text);
        if (index < 0)
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: %s: must be one of %s (got '%s')", owner, field->name,
                                    choices, text);
        *value = index;
        return FIL_OK;
    }
    char *end;
    *value = parse_number(text, &end);
    bool whole = field->kind == FIL_KIND_INT;
    if (end == text || *end || !isfinite(*value) || (whole && *value != floor(*value)))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: %s: must be a %s number (got '%s')", owner, field->name,
                                whole ? "whole" : "finite", text);
    if (*value < field->min || *value > field->max)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: %s: must be from %g to %g (got %s)", owner, field->name,
                                field->min, field->max, text);
    return FIL_OK;
}

static fil_status store_file(fil_context *context, fil_arena *arena, const char *owner, const fil_field *field,
                             const char *value, void *param)
{
    if (*value == '\0')
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: %s: must be the name of a file (got nothing)", owner,
                                field->name);
    size_t size = strlen(value) + 1;
    char *copy = FIL_ARENA_ARRAY(arena, char, size);
    if (!copy)
        return FIL_NO_MEMORY;
    memcpy(copy, value, size);
    memcpy((char *)param + field->offset, &copy, sizeof copy);
    return FIL_OK;
}

fil_status fil_settings_parse(fil_context *context, fil_arena *arena, const char *owner, const fil_field *fields,
                              int count, const char *text, void *param)
{
    while (*text) {
        // Cut one "name=value" off the front.
        char name[64], value[1024];
        size_t length = strcspn(text, ",");
        size_t middle = strcspn(text, "=,");
        if (middle >= length || middle >= sizeof name || length - middle - 1 >= sizeof value)
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: settings are written name=value,name=value (got '%s')",
                                    owner, text);
        snprintf(name, sizeof name, "%.*s", (int)middle, text);
        snprintf(value, sizeof value, "%.*s", (int)(length - middle - 1), text + middle + 1);
        text += length + (text[length] == ',');

        const fil_field *field = NULL;
        for (int i = 0; i < count; ++i)
            if (strcmp(fields[i].name, name) == 0)
                field = &fields[i];
        if (!field)
            return unknown_setting(context, owner, fields, count, name);
        double number = 0;
        fil_status status = field->kind == FIL_KIND_FILE ? store_file(context, arena, owner, field, value, param)
                                                         : parse_value(context, owner, field, value, &number);
        if (status != FIL_OK)
            return status;
        if (field->kind != FIL_KIND_FILE)
            store(field, param, number);
    }
    return FIL_OK;
}

enum { MOST_OWNERS = 64 };

static fil_status unknown_owner(fil_context *context, const char *kind, const char *key,
                                const fil_settings_owner *owners, int count, const char *name)
{
    const char *names[MOST_OWNERS];
    int known = count < MOST_OWNERS ? count : MOST_OWNERS;
    for (int i = 0; i < known; ++i)
        names[i] = owners[i].name;
    const char *nearest = fil_settings_nearest(name, names, known);
    return fil_context_fail(context, FIL_BAD_INPUT, "unknown %s '%s'%s%s%s (see `filum info %s`)", kind, name,
                            nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", key);
}

fil_status fil_settings_choose(fil_context *context, fil_arena *arena, const char *kind, const char *key,
                               const fil_settings_owner *owners, int count, const char *text, int *index, void **param)
{
    char name[256];
    size_t length = strcspn(text, ":");
    if (length >= sizeof name)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: the name is too long", kind);
    memcpy(name, text, length);
    name[length] = '\0';
    *index = -1;
    for (int i = 0; i < count; ++i)
        if (strcmp(owners[i].name, name) == 0)
            *index = i;
    if (*index < 0)
        return unknown_owner(context, kind, key, owners, count, name);
    const fil_settings_owner *owner = &owners[*index];
    *param = fil_arena_allocate(arena, 1, owner->param_size + 1);
    if (!*param)
        return FIL_NO_MEMORY;
    fil_settings_defaults(owner->fields, owner->field_count, *param);
    return text[length]
               ? fil_settings_parse(context, arena, name, owner->fields, owner->field_count, text + length + 1, *param)
               : FIL_OK;
}
