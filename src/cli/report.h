// What the command tells people and machines: messages, progress, JSON, Ctrl-C. See report.c.
#ifndef FIL_CLI_REPORT_H
#define FIL_CLI_REPORT_H

#include "cli/command.h"

#include <jansson.h>
#include <stdio.h>

void fil_report_start(bool quiet); // after the options are known

// One line on stderr: "filum: ...".
void fil_report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fil_report_remark(const char *format, ...) __attribute__((format(printf, 1, 2))); // not when quiet
// The sentence of the context and the exit status that belongs to it.
fil_cli_exit fil_report_failure(const fil_context *context, fil_status status);
fil_cli_exit fil_report_no_memory(void);

// Escape sequences for stdout, or "" when it is not a terminal.
const char *fil_report_bold(void);
const char *fil_report_good(void);
const char *fil_report_bad(void);
const char *fil_report_plain(void);

// A bar on stderr, on a terminal only. fraction < 0: unknown. Draws at most ten times a second.
void fil_report_progress(double fraction, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fil_report_progress_end(void);

// Writes to stdout and drops the reference. False: no memory. A full disk is told by fil_report_finish.
bool fil_report_json(json_t *value);
json_t *fil_report_json_real(double value);     // null when not finite
json_t *fil_report_json_text(const char *text); // file names may hold any bytes; JSON may not

// From the first call on Ctrl-C and SIGTERM only set a flag; a second one ends the program.
void fil_report_catch_interrupt(void);
bool fil_report_interrupted(void);

// Flushes stdout; tells when that failed.
fil_cli_exit fil_report_finish(fil_cli_exit status);

#endif
