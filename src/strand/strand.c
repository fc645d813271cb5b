// The list of strand models.
#include "strand/strand.h"

#include <string.h>

static const fil_strand_type *const list[] = {
    &fil_strand_lifted,
};
enum { LIST_SIZE = sizeof list / sizeof *list };

int fil_strand_type_count(void)
{
    return LIST_SIZE;
}

const fil_strand_type *fil_strand_type_at(int index)
{
    return list[index];
}

const fil_strand_type *fil_strand_type_find(const char *name)
{
    for (int i = 0; i < LIST_SIZE; ++i)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}
