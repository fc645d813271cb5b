// The files that a command line means: inputs (files as they are, folders as the problems in them) and outputs. See
// files.c.
#ifndef FIL_CLI_FILES_H
#define FIL_CLI_FILES_H

#include "base/file.h"
#include "cli/report.h"

typedef struct fil_files_list {
    char **names;
    int count;
} fil_files_list;

fil_cli_exit fil_files_list_make(const char *const *words, int count, fil_files_list *out);
void fil_files_list_free(fil_files_list *list);

// Do both paths mean one regular file or folder, or the place where one will be? Links and "./" do not hide it.
bool fil_files_same(const char *left, const char *right);

// Can the file be written? NULL is fine.
fil_cli_exit fil_files_check_output(fil_context *context, const char *path);
// The same for the files of some options ("out", "svg"); none of them may be an input or another output.
fil_cli_exit fil_files_check_outputs(fil_context *context, const fil_arguments *arguments, const char *const *options,
                                     int option_count, const char *const *inputs, int input_count);

// A name with the number of a frame in it, "%d" or "%04d": one file for each.
typedef struct fil_files_pattern {
    const char *name;
    int before; // letters before the number
    int digits; // at least
    const char *after;
} fil_files_pattern;
bool fil_files_pattern_read(const char *name, fil_files_pattern *out); // false: none, several, or written otherwise
void fil_files_pattern_name(const fil_files_pattern *pattern, int frame, char out[FIL_PATH_MAX]);

// A text in memory that becomes a file. Write to `stream`; fil_files_text_save closes it.
typedef struct fil_files_text {
    FILE *stream;
    char *text;
    size_t length;
} fil_files_text;
bool fil_files_text_open(fil_files_text *out); // false after telling that there is no memory
fil_cli_exit fil_files_text_save(fil_context *context, fil_files_text *text, const char *path);

#endif
