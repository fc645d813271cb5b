// One frame of a results' folder as a groom, for the formats that know no time.
#include "io/cache_curves.h"

#include "base/context.h"

#include <string.h>

static void fill(const fil_cache *cache, const float *position, fil_curves *curves)
{
    int strands = 0;
    int64_t vertices = 0;
    for (int g = 0; g < fil_cache_group_count(cache); ++g) {
        const fil_cache_group *group = fil_cache_group_at(cache, g);
        memcpy(curves->vertex_count + strands, group->shape.vertex_count, sizeof(int) * (size_t)group->strand_count);
        memcpy(curves->radius + vertices, group->shape.radius, sizeof(double) * (size_t)group->vertex_total);
        strands += group->strand_count;
        vertices += group->vertex_total;
    }
    for (int64_t i = 0; i < 3 * vertices; ++i)
        curves->position[i] = (double)position[i];
}

fil_status fil_cache_curves_read(fil_context *context, fil_cache *cache, int frame, fil_curves **out)
{
    *out = NULL;
    int64_t vertices = fil_cache_vertex_total(cache);
    int strands = 0;
    for (int g = 0; g < fil_cache_group_count(cache); ++g)
        strands += fil_cache_group_at(cache, g)->strand_count;
    float *position = fil_context_allocate(context, sizeof(float) * 3 * (size_t)vertices + 1);
    if (!position)
        return FIL_NO_MEMORY;
    fil_status status = fil_cache_read(context, cache, frame, NULL, position, NULL);
    if (status == FIL_OK)
        status = fil_curves_create(context, strands, vertices, true, out);
    if (status == FIL_OK)
        fill(cache, position, *out);
    fil_context_release(context, position);
    return status;
}
