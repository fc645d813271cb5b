// The files that a command line means: files as they are, folders as the problems in them. See files.c.
#ifndef FIL_CLI_FILES_H
#define FIL_CLI_FILES_H

#include "cli/report.h"

typedef struct fil_file_list {
    char **names;
    int count;
} fil_file_list;

fil_cli_exit fil_file_list_make(const char *const *words, int count, fil_file_list *out);
void fil_file_list_free(fil_file_list *list);

// Do both paths mean one regular file, or the place where one will be? Links and "./" do not hide it.
bool fil_file_same(const char *left, const char *right);

#endif
