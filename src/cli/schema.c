// filum schema: what a scene may hold, for editors (JSON Schema) or for people (the reference of docs/scene.md).
#include "cli/schema.h"

#include "base/settings.h"
#include "cli/report.h"
#include "scene/film_schema.h"
#include "scene/film_table.h"

#include <string.h>

// ---- Markdown: one table for each object, objects inside of it after it

enum { MOST_OBJECTS = 64 };
typedef struct shown {
    const fil_film_object *objects[MOST_OBJECTS]; // that have their table already
    int count;
} shown;

static void print_object(const fil_film_object *object, const char *heading, const char *type, shown *done);

static const char *file_unit(const char *unit)
{
    return fil_film_table_measure(unit) == FIL_FILM_ANGLE ? "degrees" : unit;
}

static void print_range(double min, double max, const char *unit)
{
    double factor = fil_film_table_measure(unit) == FIL_FILM_ANGLE ? 1 / FIL_FILM_DEGREE : 1;
    printf("%.10g to %.10g%s%s", min * factor, max * factor, *unit ? " " : "", file_unit(unit));
}

// A bar would end the cell of the table.
static void print_words(const char *choices)
{
    for (const char *at = choices; *at; ++at)
        fputs(*at == '|' ? ", " : (char[]){*at, '\0'}, stdout);
}

static void print_field(const fil_field *field)
{
    const char *unit = field->unit ? field->unit : "";
    char word[64];
    printf("| `%s` | ", field->name);
    switch (field->kind) {
    case FIL_KIND_BOOL:
        printf("true or false | %s", field->def != 0 ? "true" : "false");
        break;
    case FIL_KIND_FILE:
        printf("name of a file | ");
        break;
    case FIL_KIND_CHOICE:
        print_words(field->choices);
        fil_settings_choice_word(field->choices, (int)field->def, word, sizeof word);
        printf(" | %s", word);
        break;
    default:
        printf("%s", field->kind == FIL_KIND_INT ? "whole, " : "");
        print_range(field->min, field->max, unit);
        if (field->def < field->min) // there is none
            printf(" | ");
        else
            printf(" | %.9g", field->def);
    }
    printf(" | %s |\n", field->doc);
}

// To the table of the object; the page makes its anchors with dashes.
static void print_link(const fil_film_key *key)
{
    const char *name = key->object->name;
    printf("%s[%s](#",
           key->form == FIL_FILM_LIST    ? "list of "
           : key->form == FIL_FILM_PATHS ? "names, each with a "
                                         : "",
           name);
    for (const char *at = name; *at; ++at)
        putchar(*at == ' ' ? '-' : *at);
    printf(")");
}

static void print_key(const fil_film_key *key)
{
    static const char *const forms[FIL_FILM_FORMS] = {
        [FIL_FILM_TEXT] = "text",
        [FIL_FILM_PAIR] = "name, or list of two names",
        [FIL_FILM_UNIT] = "m, cm, mm, in, or a number of metres",
        [FIL_FILM_VECTOR] = "three numbers, ",
        [FIL_FILM_TIMED] = "three numbers or a [track](#track), ",
        [FIL_FILM_COLOUR] = "name of a colour, or three numbers, ",
        [FIL_FILM_PATH] = "name, or a [path](#path)",
    };
    printf("| `%s` | ", key->name);
    if (forms[key->form])
        printf("%s", forms[key->form]);
    if (key->form == FIL_FILM_VECTOR || key->form == FIL_FILM_TIMED || key->form == FIL_FILM_COLOUR)
        print_range(key->min, key->max, key->unit);
    else if (key->form == FIL_FILM_TYPED)
        printf("[one of these](#%s)", key->name);
    else if (key->object)
        print_link(key);
    printf(" | %s%s%s | %s |\n", key->def ? "`" : "", key->def ? key->def : "", key->def ? "`" : "", key->doc);
}

static void print_choices(const fil_film_key *key, shown *done)
{
    printf("\n### %s\n\n`type` is one of\n\n", key->name);
    for (int i = 0; i < key->choices->count(); ++i)
        printf("- `%s`: %s\n", key->choices->at(i).name, key->choices->at(i).doc);
    for (int i = 0; i < key->choices->count(); ++i) {
        fil_film_object object = key->choices->at(i);
        char heading[80];
        snprintf(heading, sizeof heading, "%s `%s`", key->name, object.name);
        print_object(&object, heading, object.name, done);
    }
}

// Once for each object, wherever it is met.
static bool is_new(const fil_film_object *object, shown *done)
{
    for (int i = 0; i < done->count; ++i)
        if (done->objects[i] == object)
            return false;
    if (done->count < MOST_OBJECTS)
        done->objects[done->count++] = object;
    return true;
}

static void print_inside(const fil_film_key *key, shown *done)
{
    if (key->form == FIL_FILM_TYPED)
        print_choices(key, done);
    else if (key->form == FIL_FILM_TIMED && is_new(&fil_film_table_track, done))
        print_object(&fil_film_table_track, fil_film_table_track.name, NULL, done);
    else if (key->object && is_new(key->object, done))
        print_object(key->object, key->object->name, NULL, done);
}

static void print_object(const fil_film_object *object, const char *heading, const char *type, shown *done)
{
    printf("\n%s %s\n", type ? "####" : "###", heading);
    if (!type)
        printf("\n%s.\n", object->doc);
    if (fil_film_table_fields(object) + object->key_count > 0)
        printf("\n| key | value | default | |\n|---|---|---|---|\n");
    for (int i = 0; i < fil_film_table_fields(object); ++i)
        print_field(&object->fields[i]);
    for (int i = 0; i < object->key_count; ++i)
        print_key(&object->keys[i]);
    if (object->required)
        printf("\n`%s` must be given.\n", object->required);
    for (int i = 0; i < object->key_count; ++i)
        print_inside(&object->keys[i], done);
}

static fil_cli_exit schema_run(const fil_arguments *arguments)
{
    if (!fil_arguments_given(arguments, "markdown"))
        return fil_report_json(fil_film_schema_make()) ? FIL_EXIT_OK : fil_report_no_memory();
    shown done = {.count = 0};
    print_object(&fil_film_table_root, fil_film_table_root.name, NULL, &done);
    return FIL_EXIT_OK;
}

static const fil_option options[] = {
    {"markdown", 0, FIL_OPTION_FLAG, NULL, NULL, 0, 0, "the same for people, as tables"},
};
static const fil_example examples[] = {
    {"filum schema > scene.schema.json",
     "Beside a scene that begins with \"$schema\": \"scene.schema.json\", editors complete and check it"},
};
const fil_command fil_command_schema = {
    .name = "schema",
    .operands = "",
    .least = 0,
    .most = 0,
    .summary = "what a scene may hold, as JSON Schema",
    .text = "Every key with its meaning, default and range, from the same tables that scenes are read by.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = schema_run,
};
