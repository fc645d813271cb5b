// Any bytes whatsoever as a contact file: the reader must refuse them or return a problem that obeys all rules.
//
//     make fuzz && build/fuzz/fuzz/fuzz_fclib -max_total_time=60 fuzz/corpus/fclib
#include "io/io_fclib.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    fil_status status = fil_io_fclib_read_bytes(context, "fuzz", data, size, &problem);
    if (status == FIL_OK ? fil_contact_problem_check(context, problem) != FIL_OK
                         : problem || status == FIL_IO_FAILED || !fil_context_error(context)[0])
        abort();
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
    return 0;
}
