// The JSON Schema (draft 2020-12) of scenes, from the tables of film_table.c: editors complete and check scenes by it.
//
// Numbers with a unit of length have no bounds here but their sign: the scene's "unit" decides what they mean. Their
// descriptions tell the bounds in metres.
#include "scene/film_schema.h"

#include "base/settings.h"
#include "scene/colour.h"
#include "scene/film_table.h"

#include <stdio.h>
#include <string.h>

// Every function here returns NULL when there is no memory, and takes over the references it is given; jansson's
// setters do the same and refuse NULL.

static json_t *with(json_t *object, const char *key, json_t *value)
{
    if (!object) {
        json_decref(value);
        return NULL;
    }
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *with_item(json_t *list, json_t *value)
{
    if (!list) {
        json_decref(value);
        return NULL;
    }
    if (json_array_append_new(list, value) == 0)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *number(double value)
{
    return value == (double)(json_int_t)value && value < 1e15 && value > -1e15 ? json_integer((json_int_t)value)
                                                                               : json_real(value);
}

static double file_factor(const char *unit)
{
    return fil_film_table_measure(unit) == FIL_FILM_ANGLE ? 1 / FIL_FILM_DEGREE : 1;
}

static bool follows_scene(const char *unit)
{
    fil_film_measure measure = fil_film_table_measure(unit);
    return measure == FIL_FILM_LENGTH || measure == FIL_FILM_INVERSE;
}

static json_t *with_bounds(json_t *object, double min, double max, const char *unit)
{
    double factor = file_factor(unit);
    if (!follows_scene(unit))
        return with(with(object, "minimum", number(min * factor)), "maximum", number(max * factor));
    return min >= 0 ? with(object, min > 0 ? "exclusiveMinimum" : "minimum", number(0)) : object;
}

static json_t *describe(json_t *object, const char *doc, double min, double max, const char *unit)
{
    char text[600];
    const char *name = fil_film_table_measure(unit) == FIL_FILM_ANGLE ? "degrees" : unit;
    if (*unit)
        snprintf(text, sizeof text, "%s (%.9g to %.9g %s%s)", doc, min * file_factor(unit), max * file_factor(unit),
                 name, follows_scene(unit) ? "; in the unit of the scene" : "");
    else
        snprintf(text, sizeof text, "%s", doc);
    return with(object, "description", json_string(text));
}

static json_t *of_type(const char *type)
{
    return with(json_object(), "type", json_string(type));
}

// ---- plain settings

static json_t *choices_of(const char *choices)
{
    json_t *list = json_array();
    for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        list = with_item(list, json_stringn(at, strcspn(at, "|")));
    return with(json_object(), "enum", list);
}

static json_t *field_schema(const fil_field *field)
{
    const char *unit = field->unit ? field->unit : "";
    char word[64];
    switch (field->kind) {
    case FIL_KIND_BOOL:
        return with(describe(of_type("boolean"), field->doc, 0, 0, ""), "default", json_boolean(field->def != 0));
    case FIL_KIND_CHOICE:
        fil_settings_choice_word(field->choices, (int)field->def, word, sizeof word);
        return with(describe(choices_of(field->choices), field->doc, 0, 0, ""), "default", json_string(word));
    case FIL_KIND_FILE:
        return with(describe(of_type("string"), field->doc, 0, 0, ""), "minLength", json_integer(1));
    default:
        break;
    }
    json_t *object = of_type(field->kind == FIL_KIND_INT ? "integer" : "number");
    object = with_bounds(describe(object, field->doc, field->min, field->max, unit), field->min, field->max, unit);
    // A default out of range: there is none.
    return field->def < field->min ? object : with(object, "default", number(field->def * file_factor(unit)));
}

// ---- the forms of film_table.h

static json_t *object_schema(const fil_film_object *object, const char *type, bool needs_type);

static json_t *vector_schema(const fil_film_key *key)
{
    json_t *item = with_bounds(of_type("number"), key->min, key->max, key->unit);
    json_t *list = with(with(of_type("array"), "items", item), "minItems", json_integer(3));
    return with(list, "maxItems", json_integer(3));
}

static json_t *any_of(json_t *first, json_t *second)
{
    return with(json_object(), "anyOf", with_item(with_item(json_array(), first), second));
}

static json_t *pair_schema(void)
{
    json_t *list = with(with(of_type("array"), "items", of_type("string")), "minItems", json_integer(1));
    return any_of(of_type("string"), with(list, "maxItems", json_integer(2)));
}

static json_t *unit_schema(void)
{
    json_t *amount = with(with(of_type("number"), "minimum", json_real(1e-9)), "maximum", json_real(1e9));
    return any_of(choices_of("m|cm|mm|in"), amount);
}

static json_t *colour_schema(const fil_film_key *key)
{
    json_t *names = json_array();
    for (int i = 0; i < fil_colour_count(); ++i)
        names = with_item(names, json_string(fil_colour_name(i)));
    return any_of(with(json_object(), "enum", names), vector_schema(key));
}

// An object with "type" for each, or a text.
static json_t *typed_schema(const fil_film_choices *choices)
{
    json_t *list = json_array();
    char pattern[600] = "^(";
    size_t length = strlen(pattern);
    for (int i = 0; i < choices->count(); ++i) {
        fil_film_object object = choices->at(i);
        if (length < sizeof pattern)
            length +=
                (size_t)snprintf(pattern + length, sizeof pattern - length, "%s%s", i > 0 ? "|" : "", object.name);
        list = with_item(list, object_schema(&object, object.name, i > 0));
    }
    if (length < sizeof pattern)
        snprintf(pattern + length, sizeof pattern - length, ")(:.*)?$");
    return with(json_object(), "anyOf", with_item(list, with(of_type("string"), "pattern", json_string(pattern))));
}

// A text alone stands for one of the fields.
static json_t *brief_schema(const fil_film_object *object)
{
    json_t *brief = NULL;
    for (int i = 0; i < fil_film_table_fields(object) && object->brief; ++i)
        if (strcmp(object->fields[i].name, object->brief) == 0)
            brief = choices_of(object->fields[i].choices);
    return any_of(brief, object_schema(object, NULL, false));
}

static json_t *list_schema(const fil_film_key *key)
{
    json_t *list = with(of_type("array"), "items", object_schema(key->object, NULL, false));
    return with(with(list, "minItems", number(key->min)), "maxItems", number(key->max));
}

static json_t *form_schema(const fil_film_key *key)
{
    switch (key->form) {
    case FIL_FILM_TEXT:
        return of_type("string");
    case FIL_FILM_PAIR:
        return pair_schema();
    case FIL_FILM_UNIT:
        return unit_schema();
    case FIL_FILM_VECTOR:
        return vector_schema(key);
    case FIL_FILM_TIMED:
        return any_of(vector_schema(key), object_schema(&fil_film_table_track, NULL, false));
    case FIL_FILM_COLOUR:
        return colour_schema(key);
    case FIL_FILM_PATH:
        return any_of(of_type("string"), object_schema(&fil_film_table_path, NULL, false));
    case FIL_FILM_PATHS:
        return with(of_type("object"), "additionalProperties", object_schema(key->object, NULL, false));
    case FIL_FILM_LIST:
        return list_schema(key);
    case FIL_FILM_TYPED:
        return typed_schema(key->choices);
    default:
        return key->object->brief ? brief_schema(key->object) : object_schema(key->object, NULL, false);
    }
}

static json_t *key_schema(const fil_film_key *key)
{
    bool numbers = key->form == FIL_FILM_VECTOR || key->form == FIL_FILM_TIMED;
    json_t *object = describe(form_schema(key), key->doc, key->min, key->max, numbers ? key->unit : "");
    return key->def ? with(object, "default", json_loads(key->def, JSON_DECODE_ANY, NULL)) : object;
}

// type: the value of "type" in the object, or NULL: it has none. The first of several types need not be named.
static json_t *object_schema(const fil_film_object *object, const char *type, bool needs_type)
{
    json_t *keys = json_object(), *required = json_array();
    if (type)
        keys = with(keys, "type", with(json_object(), "const", json_string(type)));
    if (needs_type)
        required = with_item(required, json_string("type"));
    for (int i = 0; i < fil_film_table_fields(object); ++i)
        keys = with(keys, object->fields[i].name, field_schema(&object->fields[i]));
    for (int i = 0; i < object->key_count; ++i)
        keys = with(keys, object->keys[i].name, key_schema(&object->keys[i]));
    if (object->required)
        required = with_item(required, json_string(object->required));
    json_t *schema = describe(of_type("object"), object->doc, 0, 0, "");
    schema = with(with(schema, "properties", keys), "required", required);
    return with(schema, "additionalProperties", json_false());
}

json_t *fil_film_schema_make(void)
{
    json_t *schema = with(json_object(), "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    json_t *scene = object_schema(&fil_film_table_root, NULL, false);
    if (!schema || !scene || json_object_update(schema, scene) != 0) {
        json_decref(schema);
        schema = NULL;
    }
    json_decref(scene);
    return with(schema, "title", json_string("filum scene"));
}
