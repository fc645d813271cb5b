// Folders become the .hdf5 and .h5 files in them, in the order of their names, so that a batch is the same every time.
#include "cli/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool add(fil_files_list *list, const char *folder, const char *name)
{
    char **names = realloc(list->names, ((size_t)list->count + 1) * sizeof *names);
    if (!names)
        return false;
    list->names = names;
    size_t room = strlen(folder) + strlen(name) + 2;
    char *full = malloc(room);
    if (!full)
        return false;
    const char *slash = *folder && folder[strlen(folder) - 1] != '/' ? "/" : "";
    snprintf(full, room, "%s%s%s", folder, slash, name);
    names[list->count++] = full;
    return true;
}

static bool is_problem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot && (strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".h5") == 0);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static fil_cli_exit add_folder(fil_files_list *list, const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory) {
        fil_report_error("%s: cannot read the folder: %s", folder, strerror(errno));
        return FIL_EXIT_BAD;
    }
    int first = list->count;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(directory));)
        if (is_problem(entry->d_name))
            good = add(list, folder, entry->d_name);
    closedir(directory);
    if (!good)
        return fil_report_no_memory();
    if (list->count == first) {
        fil_report_error("%s: no .hdf5 or .h5 file in this folder", folder);
        return FIL_EXIT_BAD;
    }
    qsort(list->names + first, (size_t)(list->count - first), sizeof *list->names, compare_names);
    return FIL_EXIT_OK;
}

fil_cli_exit fil_files_list_make(const char *const *words, int count, fil_files_list *out)
{
    *out = (fil_files_list){0};
    for (int i = 0; i < count; ++i) {
        struct stat info;
        bool folder = stat(words[i], &info) == 0 && S_ISDIR(info.st_mode);
        fil_cli_exit code = folder                   ? add_folder(out, words[i])
                            : add(out, "", words[i]) ? FIL_EXIT_OK
                                                     : fil_report_no_memory();
        if (code != FIL_EXIT_OK)
            return code;
    }
    return FIL_EXIT_OK;
}

void fil_files_list_free(fil_files_list *list)
{
    for (int i = 0; i < list->count; ++i)
        free(list->names[i]);
    free(list->names);
    *list = (fil_files_list){0};
}

// The folder of a path that names no file yet, and the name in it.
static const char *split(const char *path, struct stat *folder)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *copy = strndup(path, (size_t)(name - path));
    bool good = copy && stat(*copy ? copy : ".", folder) == 0;
    free(copy);
    return good ? name : NULL;
}

bool fil_files_same(const char *left, const char *right)
{
    struct stat a, b;
    bool left_exists = stat(left, &a) == 0, right_exists = stat(right, &b) == 0;
    if (left_exists != right_exists)
        return false;
    bool there = left_exists;
    const char *left_name = there ? "" : split(left, &a), *right_name = there ? "" : split(right, &b);
    if (!left_name || !right_name || (there && !S_ISREG(a.st_mode) && !S_ISDIR(a.st_mode)))
        return false;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && strcmp(left_name, right_name) == 0;
}

fil_cli_exit fil_files_check_output(fil_context *context, const char *path)
{
    char temporary[FIL_PATH_MAX];
    fil_status status = path ? fil_file_temporary(context, path, temporary) : FIL_OK;
    if (path && status == FIL_OK)
        fil_file_discard(temporary);
    return status == FIL_OK ? FIL_EXIT_OK : fil_report_failure(context, status);
}

fil_cli_exit fil_files_check_outputs(fil_context *context, const fil_arguments *arguments, const char *const *options,
                                     int option_count, const char *const *inputs, int input_count)
{
    for (int i = 0; i < option_count; ++i) {
        const char *path = fil_arguments_text(arguments, options[i]);
        for (int k = 0; path && k < input_count; ++k)
            if (inputs[k] && fil_files_same(path, inputs[k])) {
                fil_report_error("--%s: %s is an input and would be overwritten", options[i], path);
                return FIL_EXIT_BAD;
            }
        for (int k = 0; path && k < i; ++k) {
            const char *other = fil_arguments_text(arguments, options[k]);
            if (other && fil_files_same(path, other)) {
                fil_report_error("--%s: %s is the file of --%s, too", options[i], path, options[k]);
                return FIL_EXIT_BAD;
            }
        }
        fil_cli_exit code = fil_files_check_output(context, path);
        if (code != FIL_EXIT_OK)
            return code;
    }
    return FIL_EXIT_OK;
}

bool fil_files_pattern_read(const char *name, fil_files_pattern *out)
{
    const char *percent = strchr(name, '%');
    if (!percent)
        return false;
    char *end;
    long digits = strtol(percent + 1, &end, 10);
    bool plain = percent[1] == 'd' || (percent[1] == '0' && end <= percent + 3);
    if (!plain || *end != 'd' || strchr(end, '%'))
        return false;
    *out = (fil_files_pattern){name, (int)(percent - name), (int)digits, end + 1};
    return true;
}

void fil_files_pattern_name(const fil_files_pattern *pattern, int frame, char out[FIL_PATH_MAX])
{
    snprintf(out, FIL_PATH_MAX, "%.*s%0*d%s", pattern->before, pattern->name, pattern->digits, frame, pattern->after);
}

bool fil_files_text_open(fil_files_text *out)
{
    *out = (fil_files_text){0};
    out->stream = open_memstream(&out->text, &out->length);
    if (!out->stream)
        fil_report_no_memory();
    return out->stream != NULL;
}

fil_cli_exit fil_files_text_save(fil_context *context, fil_files_text *text, const char *path)
{
    bool failed = ferror(text->stream) != 0;
    failed |= fclose(text->stream) != 0;
    fil_cli_exit code = FIL_EXIT_OK;
    if (failed) {
        code = fil_report_no_memory();
    } else {
        fil_status status = fil_file_write_text(context, path, text->text, text->length);
        if (status != FIL_OK)
            code = fil_report_failure(context, status);
    }
    free(text->text);
    return code;
}
