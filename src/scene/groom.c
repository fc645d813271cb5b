// The list of generators.
#include "scene/groom.h"

#include "base/settings.h"

#include <string.h>

static const fil_groom_type *const list[] = {
    &fil_groom_line,     &fil_groom_coil, &fil_groom_hairball, &fil_groom_scalp,
    &fil_groom_ponytail, &fil_groom_rope, &fil_groom_fur,
};
enum { LIST_SIZE = sizeof list / sizeof *list };

int fil_groom_type_count(void)
{
    return LIST_SIZE;
}

const fil_groom_type *fil_groom_type_at(int index)
{
    return list[index];
}

const fil_groom_type *fil_groom_type_find(const char *name)
{
    for (int i = 0; i < LIST_SIZE; ++i)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

fil_status fil_curves_generate(fil_context *context, const char *text, fil_curves **out)
{
    *out = NULL;
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    fil_settings_owner owners[LIST_SIZE];
    for (int i = 0; i < LIST_SIZE; ++i)
        owners[i] = (fil_settings_owner){list[i]->name, list[i]->fields, list[i]->field_count, list[i]->param_size};
    int index;
    void *param = NULL;
    fil_status status = fil_settings_choose(context, arena, "groom", "groom", owners, LIST_SIZE, text, &index, &param);
    if (status == FIL_OK)
        status = list[index]->make(context, param, out);
    fil_arena_destroy(arena);
    return status;
}
