// filum info: what solvers and models there are and what can be set, printed from their field tables; or what a groom
// holds.
#include "cli/info.h"

#include "base/settings.h"
#include "cli/groom.h"
#include "cli/report.h"
#include "filum/extend.h"
#include "step/model.h"

#include <float.h>
#include <string.h>
#include <sys/stat.h>

// What solvers and models have in common.
typedef struct entry {
    const char *name, *doc;
    const fil_field *fields;
    int field_count;
} entry;

// A list of things with names and settings, or settings alone.
typedef struct kind {
    const char *name, *doc;
    int (*count)(void);
    entry (*at)(int index);
    const fil_field *fields;
    const int *field_count; // NULL: a list
} kind;

static entry contact_at(int index)
{
    const fil_contact_type *type = fil_contact_type_at(index);
    return (entry){type->name, type->doc, type->fields, type->field_count};
}

static entry local_at(int index)
{
    const fil_local_type *type = fil_local_type_at(index);
    return (entry){type->name, type->doc, type->fields, type->field_count};
}

static entry strand_at(int index)
{
    const fil_strand_type *type = fil_strand_type_at(index);
    return (entry){type->name, type->doc, type->fields, type->field_count};
}

static entry groom_at(int index)
{
    const fil_groom_type *type = fil_groom_type_at(index);
    return (entry){type->name, type->doc, type->fields, type->field_count};
}

static int no_names(void)
{
    return 0;
}

static const kind kinds[] = {
    {"contact", "solvers of a whole contact problem", fil_contact_type_count, contact_at, NULL, NULL},
    {"local", "solvers of one contact", fil_local_type_count, local_at, NULL, NULL},
    {"strand", "models of strands", fil_strand_type_count, strand_at, NULL, NULL},
    {"groom", "generators of strands", fil_groom_type_count, groom_at, NULL, NULL},
    {"material", "what strands are made of", no_names, NULL, fil_material_fields, &fil_material_field_count},
    {"motion", "how strands are carried through time", no_names, NULL, fil_motion_fields, &fil_motion_field_count},
    {"touch", "how strands touch each other and bodies", no_names, NULL, fil_touch_fields, &fil_touch_field_count},
    {"contacts", "how things that touch are kept apart", no_names, NULL, fil_contacts_fields,
     &fil_contacts_field_count},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Settings without a list, as the one entry they are.
static entry only_entry(const kind *kind)
{
    return (entry){kind->name, kind->doc, kind->fields, *kind->field_count};
}

static void describe_default(const fil_field *field, char *out, size_t room)
{
    if (field->kind == FIL_KIND_BOOL)
        snprintf(out, room, "%s", field->def != 0 ? "true" : "false");
    else if (field->kind == FIL_KIND_CHOICE)
        fil_settings_choice_word(field->choices, (int)field->def, out, room);
    else if (field->kind == FIL_KIND_FILE)
        snprintf(out, room, "none");
    else
        snprintf(out, room, "%.9g", field->def);
}

static void describe_range(const fil_field *field, char *out, size_t room)
{
    if (field->kind == FIL_KIND_BOOL)
        snprintf(out, room, "true or false");
    else if (field->kind == FIL_KIND_CHOICE)
        snprintf(out, room, "one of %s", field->choices);
    else if (field->kind == FIL_KIND_FILE)
        snprintf(out, room, "the name of a file");
    else
        snprintf(out, room, "%s from %.9g to %.9g%s%s", field->kind == FIL_KIND_INT ? "whole number" : "number",
                 field->min, field->max, field->unit && *field->unit ? " " : "", field->unit ? field->unit : "");
}

static void print_entry(const entry *entry)
{
    printf("%s%s%s: %s\n", fil_report_bold(), entry->name, fil_report_plain(), entry->doc);
    for (int i = 0; i < entry->field_count; ++i) {
        const fil_field *field = &entry->fields[i];
        char value[64], range[192];
        describe_default(field, value, sizeof value);
        describe_range(field, range, sizeof range);
        printf("  %s=%s  (%s)\n      %s\n", field->name, value, range, field->doc);
    }
}

static void print_kind(const kind *kind)
{
    if (kind->field_count) {
        entry entry = only_entry(kind);
        print_entry(&entry);
        return;
    }
    printf("%s%s%s: %s\n", fil_report_bold(), kind->name, fil_report_plain(), kind->doc);
    for (int i = 0; i < kind->count(); ++i) {
        entry entry = kind->at(i);
        printf("  %-10s %s\n", entry.name, entry.doc);
    }
}

static json_t *field_json(const fil_field *field)
{
    static const char *const names[] = {"bool", "int", "real", "choice", "file"};
    char value[64];
    describe_default(field, value, sizeof value);
    json_t *def = field->kind == FIL_KIND_BOOL     ? json_boolean(field->def != 0)
                  : field->kind == FIL_KIND_INT    ? json_integer((json_int_t)field->def)
                  : field->kind == FIL_KIND_CHOICE ? json_string(value)
                  : field->kind == FIL_KIND_FILE   ? json_null()
                                                   : json_real(field->def);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", field->name, "kind", names[field->kind], "doc",
                               field->doc, "unit", field->unit ? field->unit : "", "default", def);
    int failed = object == NULL;
    if (field->kind == FIL_KIND_CHOICE) {
        json_t *choices = json_array();
        for (const char *at = field->choices; choices && at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
            failed |= json_array_append_new(choices, json_stringn(at, strcspn(at, "|")));
        failed |= json_object_set_new(object, "choices", choices);
    } else if (field->kind != FIL_KIND_BOOL && field->kind != FIL_KIND_FILE) {
        bool whole = field->kind == FIL_KIND_INT;
        failed |=
            json_object_set_new(object, "min", whole ? json_integer((json_int_t)field->min) : json_real(field->min));
        failed |=
            json_object_set_new(object, "max", whole ? json_integer((json_int_t)field->max) : json_real(field->max));
    }
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *entry_json(const entry *entry)
{
    json_t *settings = json_array();
    for (int i = 0; settings && i < entry->field_count; ++i)
        if (json_array_append_new(settings, field_json(&entry->fields[i])) != 0) {
            json_decref(settings);
            settings = NULL;
        }
    return json_pack("{s:s, s:s, s:o}", "name", entry->name, "doc", entry->doc, "settings", settings);
}

static json_t *kind_json(const kind *kind)
{
    if (kind->field_count) {
        entry entry = only_entry(kind);
        return entry_json(&entry);
    }
    json_t *list = json_array();
    for (int i = 0; list && i < kind->count(); ++i) {
        entry entry = kind->at(i);
        if (json_array_append_new(list, entry_json(&entry)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static fil_cli_exit finish_json(json_t *value)
{
    return fil_report_json(value) ? FIL_EXIT_OK : fil_report_no_memory();
}

static fil_cli_exit info_all(bool json)
{
    if (json) {
        json_t *object = json_object();
        int failed = object == NULL || json_object_set_new(object, "version", json_string(fil_version())) != 0;
        for (int i = 0; i < KINDS && !failed; ++i)
            failed = json_object_set_new(object, kinds[i].name, kind_json(&kinds[i]));
        if (!failed)
            return finish_json(object);
        json_decref(object);
        return fil_report_no_memory();
    }
    for (int i = 0; i < KINDS; ++i) {
        if (kinds[i].field_count)
            printf("%s%s%s: %s\n", fil_report_bold(), kinds[i].name, fil_report_plain(), kinds[i].doc);
        else
            print_kind(&kinds[i]);
        printf("\n");
    }
    printf("`filum info contact gs`, `filum info strand der`, `filum info material` ... show the settings.\n");
    return FIL_EXIT_OK;
}

static const kind *find_kind(const char *word)
{
    const char *names[KINDS];
    for (int i = 0; i < KINDS; ++i) {
        if (strcmp(kinds[i].name, word) == 0)
            return &kinds[i];
        names[i] = kinds[i].name;
    }
    for (int i = 0; i < KINDS; ++i)
        for (int k = 0; k < kinds[i].count(); ++k)
            if (strcmp(kinds[i].at(k).name, word) == 0) {
                fil_report_error("info: '%s' is a name: did you mean 'info %s %s'?", word, kinds[i].name, word);
                return NULL;
            }
    const char *nearest = fil_settings_nearest(word, names, KINDS);
    fil_report_error("info: must be contact, local, strand, groom, material, motion, touch or contacts, or a groom "
                     "file (got '%s'%s%s%s)",
                     word, nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

static bool find_entry(const kind *kind, const char *word, entry *out)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int count = kind->count() < MOST ? kind->count() : MOST;
    for (int i = 0; i < count; ++i) {
        *out = kind->at(i);
        names[i] = out->name;
        if (strcmp(out->name, word) == 0)
            return true;
    }
    const char *nearest = fil_settings_nearest(word, names, count);
    if (nearest)
        fil_report_error("info %s: unknown name '%s': did you mean '%s'?", kind->name, word, nearest);
    else
        fil_report_error("info %s: unknown name '%s' (see `filum info %s`)", kind->name, word, kind->name);
    return false;
}

// A word that is no kind and no name, and is there or looks like the name of a file.
static bool means_file(const char *word)
{
    for (int i = 0; i < KINDS; ++i) {
        if (strcmp(kinds[i].name, word) == 0)
            return false;
        for (int k = 0; k < kinds[i].count(); ++k)
            if (strcmp(kinds[i].at(k).name, word) == 0)
                return false;
    }
    struct stat info;
    return strpbrk(word, "./:") || stat(word, &info) == 0;
}

static fil_cli_exit info_run(const fil_arguments *arguments)
{
    bool json = fil_arguments_given(arguments, "json");
    if (arguments->operand_count == 1 && means_file(arguments->operands[0]))
        return fil_groom_info(arguments->operands[0], fil_arguments_text(arguments, "unit"), json);
    if (fil_arguments_given(arguments, "unit")) {
        fil_report_error("--unit: belongs to one groom: `filum info FILE --unit U`");
        return FIL_EXIT_BAD;
    }
    if (arguments->operand_count == 0)
        return info_all(json);
    const kind *kind = find_kind(arguments->operands[0]);
    if (!kind)
        return FIL_EXIT_BAD;
    if (arguments->operand_count == 1) {
        if (json)
            return finish_json(kind_json(kind));
        print_kind(kind);
        return FIL_EXIT_OK;
    }
    entry entry;
    if (!find_entry(kind, arguments->operands[1], &entry))
        return FIL_EXIT_BAD;
    if (json)
        return finish_json(entry_json(&entry));
    print_entry(&entry);
    return FIL_EXIT_OK;
}

static const fil_option options[] = {
    {"unit", 'u', FIL_OPTION_TEXT, "U", NULL, 0, 0,
     "what one unit of FILE is: m, cm, mm, in or a number of metres; otherwise what FILE says, or a guess"},
};
static const fil_example examples[] = {
    {"filum info", "Everything there is"},
    {"filum info contact gs", "One contact solver and its settings"},
    {"filum info strand der", "One strand model and its settings"},
    {"filum info local --json", "All local solvers, for a script"},
    {"filum info hair.data", "What a groom holds: strands, lengths, unit, defects"},
};
const fil_command fil_command_info = {
    .name = "info",
    .operands = "[contact|local|strand|groom|material|motion|touch|contacts [NAME]] | FILE",
    .least = 0,
    .most = 2,
    .summary = "list solvers and models, and their settings; or tell what a groom holds",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = info_run,
};
