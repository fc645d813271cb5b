// Messages on stderr, data on stdout; colour and progress only where a person looks on.
#include "cli/report.h"

#include "base/timer.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool quiet, bar_shown;
static double bar_time;
static volatile sig_atomic_t interrupted;

void fil_report_start(bool is_quiet)
{
    quiet = is_quiet;
}

static bool colour(int file)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(file) && !(no_colour && *no_colour) && !(terminal && strcmp(terminal, "dumb") == 0);
}

const char *fil_report_bold(void)
{
    return colour(STDOUT_FILENO) ? "\033[1m" : "";
}

const char *fil_report_good(void)
{
    return colour(STDOUT_FILENO) ? "\033[32m" : "";
}

const char *fil_report_bad(void)
{
    return colour(STDOUT_FILENO) ? "\033[31m" : "";
}

const char *fil_report_plain(void)
{
    return colour(STDOUT_FILENO) ? "\033[0m" : "";
}

static void say(const char *start, const char *end, const char *format, va_list arguments)
{
    fil_report_progress_end();
    fflush(stdout);
    fprintf(stderr, "%sfilum:%s ", start, end);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void fil_report_error(const char *format, ...)
{
    bool red = colour(STDERR_FILENO);
    va_list arguments;
    va_start(arguments, format);
    say(red ? "\033[31m" : "", red ? "\033[0m" : "", format, arguments);
    va_end(arguments);
}

void fil_report_remark(const char *format, ...)
{
    if (quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    say("", "", format, arguments);
    va_end(arguments);
}

fil_cli_exit fil_report_failure(const fil_context *context, fil_status status)
{
    fil_report_error("%s", fil_context_error(context));
    return status == FIL_BAD_INPUT ? FIL_EXIT_BAD : FIL_EXIT_MACHINE;
}

fil_cli_exit fil_report_no_memory(void)
{
    fil_report_error("out of memory");
    return FIL_EXIT_MACHINE;
}

void fil_report_progress(double fraction, const char *format, ...)
{
    enum { WIDTH = 24 };
    double now = fil_timer_seconds();
    if (quiet || !isatty(STDERR_FILENO) || (bar_shown && now - bar_time < 0.1))
        return;
    bar_time = now;
    bar_shown = true;
    fputs("\r\033[K", stderr);
    if (fraction >= 0) {
        int filled = (int)(WIDTH * (fraction < 1 ? fraction : 1));
        fputc('[', stderr);
        for (int i = 0; i < WIDTH; ++i)
            fputc(i < filled ? '#' : '.', stderr);
        fputs("] ", stderr);
    }
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
}

void fil_report_progress_end(void)
{
    if (bar_shown)
        fputs("\r\033[K", stderr);
    bar_shown = false;
}

bool fil_report_json(json_t *value)
{
    if (!value)
        return false;
    bool good = json_dumpf(value, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0 || ferror(stdout);
    json_decref(value);
    putchar('\n');
    return good;
}

json_t *fil_report_json_real(double value)
{
    json_t *real = json_real(value);
    return real ? real : json_null();
}

json_t *fil_report_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    // Not UTF-8: what is not ASCII becomes a question mark.
    char *copy = strdup(text);
    for (char *at = copy; at && *at; ++at)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void fil_report_catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool fil_report_interrupted(void)
{
    return interrupted != 0;
}

fil_cli_exit fil_report_finish(fil_cli_exit status)
{
    fil_report_progress_end();
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fil_report_error("cannot write to standard output");
    return FIL_EXIT_MACHINE;
}
