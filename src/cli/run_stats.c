// stats.csv: one row for each frame, in the order of the columns below. docs/io/cache.md tells what they mean.
//
// Rows go to the file as they come. One that the disk has no room for is taken back, so that the file ends with a whole
// row; a run that goes on cuts off what lies behind its checkpoint.
#include "cli/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROW_ROOM = 2048 };

static fil_status fail(fil_context *context, const fil_run_stats *stats)
{
    return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot write: %s", stats->path, strerror(errno));
}

static int make_header(char out[ROW_ROOM])
{
    int used =
        snprintf(out, ROW_ROOM,
                 "frame,time,steps,kinetic,elastic,gravity,momentum_x,momentum_y,momentum_z,"
                 "angular_momentum_x,angular_momentum_y,angular_momentum_z,stretch,iterations,most_iterations,"
                 "factorisations,backtracks,unconverged,failed,repairs,residual,contacts,closed,kept,parts,retries,"
                 "rough_parts,linearisations,contact_iterations,contact_residual,crossings,inside," FIL_RUN_TROUBLE);
    for (int phase = 0; phase < FIL_PHASES; ++phase)
        used += snprintf(out + used, (size_t)(ROW_ROOM - used), ",seconds_%s", fil_phase_name((fil_phase)phase));
    return used + snprintf(out + used, (size_t)(ROW_ROOM - used), ",seconds_measure,seconds_write,seconds\n");
}

// "contact+stretch"
static void name_troubles(unsigned trouble, char *out, size_t room)
{
    size_t used = 0;
    *out = '\0';
    for (int t = 0; t < FIL_TROUBLES; ++t)
        if (trouble & 1U << t)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used > 0 ? "+" : "",
                                     fil_trouble_name((fil_trouble)t));
}

static int put_contacts(const fil_step_stats *step, char *out, size_t room)
{
    char trouble[64];
    name_troubles(step->trouble, trouble, sizeof trouble);
    return snprintf(out, room, ",%d,%d,%d,%d,%d,%d,%d,%lld,%.9g,%d,%d,%s", step->contacts, step->closed, step->kept,
                    step->parts, step->retries, step->rough_parts, step->linearisations,
                    (long long)step->contact_iterations, step->contact_residual, step->crossings, step->inside,
                    trouble);
}

static int make_row(const fil_run_row *row, char out[ROW_ROOM])
{
    const fil_measure *sums = &row->sums;
    const fil_step_stats *step = &row->step;
    int used = snprintf(out, ROW_ROOM, "%d,%.17g,%d", row->frame, row->time, row->steps);
    const double *p = sums->momentum, *l = sums->angular_momentum;
    const double values[] = {sums->kinetic, sums->elastic, sums->gravity, p[0], p[1],
                             p[2],          l[0],          l[1],          l[2], sums->stretch};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
        used += snprintf(out + used, (size_t)(ROW_ROOM - used), ",%.17g", values[i]);
    used += snprintf(out + used, (size_t)(ROW_ROOM - used), ",%lld,%d,%lld,%lld,%d,%d,%lld,%.9g",
                     (long long)step->iterations, step->most_iterations, (long long)step->factorisations,
                     (long long)step->backtracks, step->unconverged, step->failed, (long long)step->repairs,
                     step->worst_change);
    used += put_contacts(step, out + used, (size_t)(ROW_ROOM - used));
    for (int phase = 0; phase < FIL_PHASES; ++phase)
        used += snprintf(out + used, (size_t)(ROW_ROOM - used), ",%.6g", step->seconds[phase]);
    return used + snprintf(out + used, (size_t)(ROW_ROOM - used), ",%.6g,%.6g,%.6g\n", row->seconds_measure,
                           row->seconds_write, row->seconds);
}

// All of it or nothing.
static fil_status append(fil_context *context, fil_run_stats *stats, const char *text, int length)
{
    for (int done = 0; done < length;) {
        ssize_t put = pwrite(stats->file, text + done, (size_t)(length - done), stats->length + done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            fil_status status = fail(context, stats);
            (void)!ftruncate(stats->file, stats->length);
            return status;
        }
        done += (int)put;
    }
    stats->length += length;
    return FIL_OK;
}

// How many bytes hold the header and the rows 0 to `frame`; *lost: not all of them are there.
static size_t length_up_to(const char *text, int frame, bool *lost)
{
    char header[ROW_ROOM];
    size_t used = (size_t)make_header(header);
    *lost = strncmp(text, header, used) != 0;
    if (*lost)
        return 0;
    for (int i = 0; i <= frame; ++i) {
        char *end;
        const char *line_end = strchr(text + used, '\n');
        *lost = !line_end || strtol(text + used, &end, 10) != i || *end != ',';
        if (*lost)
            break;
        used = (size_t)(line_end + 1 - text);
    }
    return used;
}

fil_status fil_run_stats_open(fil_context *context, const char *folder, int frame, fil_run_stats *out, bool *lost)
{
    *out = (fil_run_stats){.file = -1};
    fil_cache_folder_path(folder, FIL_CACHE_STATS_NAME, out->path);
    *lost = frame >= 0;
    if (frame >= 0 && access(out->path, F_OK) == 0) {
        unsigned char *text;
        size_t size;
        fil_status status = fil_file_read(context, out->path, "a table", &text, &size);
        if (status != FIL_OK)
            return status;
        out->length = (off_t)length_up_to((const char *)text, frame, lost);
        fil_context_release(context, text);
    }
    out->file = open(out->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (out->file < 0 || ftruncate(out->file, out->length) != 0)
        return fail(context, out);
    char header[ROW_ROOM];
    return out->length > 0 ? FIL_OK : append(context, out, header, make_header(header));
}

fil_status fil_run_stats_put(fil_context *context, fil_run_stats *stats, const fil_run_row *row)
{
    char text[ROW_ROOM];
    return append(context, stats, text, make_row(row, text));
}

fil_status fil_run_stats_sync(fil_context *context, fil_run_stats *stats)
{
    return fsync(stats->file) == 0 ? FIL_OK : fail(context, stats);
}

void fil_run_stats_close(fil_run_stats *stats)
{
    if (stats->file >= 0)
        close(stats->file);
    stats->file = -1;
}

static void keep_most(int *most, int value)
{
    *most = value > *most ? value : *most;
}

void fil_run_stats_add(fil_step_stats *sum, const fil_step_stats *step)
{
    sum->strands = step->strands;
    sum->unconverged += step->unconverged;
    sum->failed += step->failed;
    sum->iterations += step->iterations;
    sum->factorisations += step->factorisations;
    sum->backtracks += step->backtracks;
    sum->repairs += step->repairs;
    sum->parts += step->parts;
    sum->retries += step->retries;
    sum->rough_parts += step->rough_parts;
    sum->linearisations += step->linearisations;
    sum->contact_iterations += step->contact_iterations;
    sum->crossings += step->crossings;
    sum->trouble |= step->trouble;
    keep_most(&sum->most_iterations, step->most_iterations);
    keep_most(&sum->contacts, step->contacts);
    keep_most(&sum->closed, step->closed);
    keep_most(&sum->kept, step->kept);
    keep_most(&sum->inside, step->inside);
    if (step->worst_change > sum->worst_change)
        sum->worst_change = step->worst_change;
    if (step->contact_residual > sum->contact_residual)
        sum->contact_residual = step->contact_residual;
    for (int phase = 0; phase < FIL_PHASES; ++phase)
        sum->seconds[phase] += step->seconds[phase];
}
