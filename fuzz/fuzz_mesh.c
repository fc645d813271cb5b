// Any bytes whatsoever as a mesh: the reader must refuse them or return triangles that obey all rules.
//
//     make fuzz && build/fuzz/fuzz/fuzz_mesh -max_total_time=60 fuzz/corpus/mesh
#include "io/mesh.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mesh(const fil_mesh *mesh)
{
    if (mesh->triangle_count < 1)
        abort();
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i)
        if (!isfinite(mesh->position[i]))
            abort();
    for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i)
        if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->vertex_count)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves_input in = {context, "fuzz", data, size};
    fil_mesh *mesh;
    fil_status status = fil_mesh_read_bytes(&in, 0, &mesh);
    if (status == FIL_OK)
        check_mesh(mesh);
    else if (mesh || status == FIL_IO_FAILED || !fil_context_error(context)[0])
        abort();
    fil_mesh_destroy(mesh);
    fil_context_destroy(context);
    return 0;
}
