// Settings from field tables: defaults, parsing, printing. See settings.c.
#ifndef FIL_BASE_SETTINGS_H
#define FIL_BASE_SETTINGS_H

#include "base/context.h"
#include "filum/extend.h"

void fil_settings_defaults(const fil_field *fields, int count, void *param);
// "relaxation=1.3,order=coloured" over what is in `param`; `owner` names the solver in the sentence of a failure.
fil_status fil_settings_parse(fil_context *context, const char *owner, const fil_field *fields, int count,
                              const char *text, void *param);
// The name nearest to `word` in `names`, or NULL when nothing is near: for "did you mean".
const char *fil_settings_nearest(const char *word, const char *const *names, int count);

#endif
