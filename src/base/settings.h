// Settings from field tables: defaults, parsing, printing. See settings.c.
#ifndef FIL_BASE_SETTINGS_H
#define FIL_BASE_SETTINGS_H

#include "base/arena.h"
#include "filum/extend.h"

void fil_settings_defaults(const fil_field *fields, int count, void *param);
// "relaxation=1.3,order=coloured" over what is in `param`; `owner` names the solver in the sentence of a failure. Names
// of files are kept in `arena`, which may be NULL when no field is one.
fil_status fil_settings_parse(fil_context *context, fil_arena *arena, const char *owner, const fil_field *fields,
                              int count, const char *text, void *param);

// "gs:relaxation=1.3": the name and the settings that differ from their defaults, as fil_settings_choose reads them.
void fil_settings_write(const char *name, const fil_field *fields, int count, const void *param, char *out,
                        size_t room);

// Something with a name and settings: a solver, a model.
typedef struct fil_settings_owner {
    const char *name;
    const fil_field *fields;
    int field_count;
    size_t param_size;
} fil_settings_owner;
// "gs:relaxation=1.3": finds the owner and fills its parameters (allocated in `arena`). `kind` ("contact solver") and
// `key` ("contact", of `filum info`) are for the sentence of a failure.
fil_status fil_settings_choose(fil_context *context, fil_arena *arena, const char *kind, const char *key,
                               const fil_settings_owner *owners, int count, const char *text, int *index, void **param);

// The index of `word` in "one|two|three", or -1; and the word of an index.
int fil_settings_choice_index(const char *choices, const char *word);
void fil_settings_choice_word(const char *choices, int index, char *out, size_t room);

// The name nearest to `word` in `names`, or NULL when nothing is near: for "did you mean".
const char *fil_settings_nearest(const char *word, const char *const *names, int count);

#endif
