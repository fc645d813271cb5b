// Writes the small valid files that the fuzzer and the test of mutations start from.
//
//     make_fclib fuzz/corpus/fclib
//
// Files that FCLIB and h5repack wrote lie beside them (fclib_*.hdf5): other places and sizes of the same structures.
#include "../test/io/fclib_plan.h"

static int write_plan(fil_context *context, const char *folder, const char *name, const plan *self)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.hdf5", folder, name);
    if (plan_write(context, self, path) == FIL_OK)
        return 0;
    fprintf(stderr, "%s\n", fil_context_error(context));
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    fil_context *context = fil_context_create(NULL);
    plan local = plan_local(3), rows = local, triplets = local, planar = plan_local(2), global = plan_global();
    rows.matrix[0].nz = -2;
    triplets.matrix[0] = (plan_matrix){.name = "W",
                                       .m = 6,
                                       .n = 6,
                                       .nz = 4,
                                       .nzmax = 5,
                                       .p = {0, 4, 4, 2},
                                       .i = {0, 1, 1, 5},
                                       .x = {1, 2, 3, 4},
                                       .p_count = 4,
                                       .i_count = 4,
                                       .x_count = 5};
    plan empty = local;
    empty.matrix[0] = (plan_matrix){.name = "W", .nz = -1, .p_count = 1};
    empty.vector[0].count = empty.vector[1].count = 0;
    int failed = write_plan(context, argv[1], "local", &local) | write_plan(context, argv[1], "rows", &rows) |
                 write_plan(context, argv[1], "triplets", &triplets) | write_plan(context, argv[1], "planar", &planar) |
                 write_plan(context, argv[1], "empty", &empty) | write_plan(context, argv[1], "global", &global);
    fil_context_destroy(context);
    return failed;
}
