// filum run --dump-problems: every contact problem of a run, with its first guess, as a file of FCLIB, for
// `filum contact`.
//
// A step cannot be stopped from inside: the first failure is kept, nothing more is written, and the run stops after the
// step. Its sentence lives in a context of its own, as the step uses the other one.
#include "cli/run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST = FIL_PATH_MAX - 64 }; // name of the folder

static void write_problem(void *user, double time, const fil_contact_problem *problem, const double *guess)
{
    (void)time;
    fil_run_dump *self = user;
    char path[FIL_PATH_MAX];
    ++self->count;
    if (self->status != FIL_OK || self->step % self->every != 0)
        return;
    snprintf(path, sizeof path, "%.*s/step_%06lld_%d.hdf5", LONGEST, self->folder, (long long)self->step, self->count);
    self->status = fil_contact_guess_write(self->context, path, problem, guess);
}

fil_status fil_run_dump_open(fil_context *context, fil_run_dump *dump, fil_state *state)
{
    if (!dump->folder)
        return FIL_OK;
    if (strlen(dump->folder) > LONGEST)
        return fil_context_fail(context, FIL_BAD_INPUT, "%.100s...: the file name is too long", dump->folder);
    if (mkdir(dump->folder, 0777) != 0 && errno != EEXIST)
        return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot make the folder: %s", dump->folder,
                                strerror(errno));
    dump->context = fil_context_create(NULL);
    if (!dump->context)
        return fil_context_no_memory(context, sizeof *dump);
    fil_state_watch(state, write_problem, dump);
    return FIL_OK;
}

void fil_run_dump_begin(fil_run_dump *dump, int64_t step)
{
    dump->step = step;
    dump->count = 0;
}

fil_status fil_run_dump_end(fil_context *context, const fil_run_dump *dump)
{
    if (dump->status == FIL_OK)
        return FIL_OK;
    return fil_context_fail(context, dump->status, "%s", fil_context_error(dump->context));
}

void fil_run_dump_close(fil_run_dump *dump)
{
    if (dump->context)
        fil_context_destroy(dump->context);
}
