// A table of numbers: names in the first line, then rows, separated by commas. A last line without its end is still
// being written, and left out. The column with words is not for numbers: what it holds is not looked at.
#include "cli/plot_table.h"

#include "base/file.h"
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

// The text is cut into words in place: commas and ends of lines become zeros.
typedef struct cutter {
    char *at, *end;
    int64_t line;
} cutter;

// The next line without its end; NULL: there is no whole one left.
static char *next_line(cutter *self)
{
    char *start = self->at, *stop = start < self->end ? memchr(start, '\n', (size_t)(self->end - start)) : NULL;
    if (!stop)
        return NULL;
    self->at = stop + 1;
    ++self->line;
    *stop = '\0';
    if (stop > start && stop[-1] == '\r')
        stop[-1] = '\0';
    return start;
}

static char *next_word(char **line)
{
    char *word = *line, *comma = word ? strchr(word, ',') : NULL;
    if (comma)
        *comma = '\0';
    *line = comma ? comma + 1 : NULL;
    return word;
}

static int64_t count_letters(const char *text, size_t size, char letter)
{
    int64_t count = 0;
    for (size_t i = 0; i < size; ++i)
        count += text[i] == letter;
    return count;
}

static fil_status read_names(fil_arena *arena, char *line, fil_plot_table *table)
{
    table->column_count = 1 + (int)count_letters(line, strlen(line), ',');
    table->names = FIL_ARENA_ARRAY(arena, const char *, table->column_count);
    table->columns = FIL_ARENA_ARRAY(arena, double *, table->column_count);
    for (int k = 0; table->names && table->columns && k < table->column_count; ++k)
        table->names[k] = next_word(&line);
    return table->names && table->columns ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status read_row(fil_context *context, const cutter *cutter, char *line, fil_plot_table *table)
{
    for (int k = 0; k < table->column_count; ++k) {
        char *word = next_word(&line), *end = word;
        double value = word ? strtod(word, &end) : 0;
        bool words = word && strcmp(table->names[k], FIL_RUN_TROUBLE) == 0;
        if (!words && (end == word || *end))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: line %lld: %s must be a number (got '%.40s')",
                                    table->path, (long long)cutter->line, table->names[k], word ? word : "");
        table->columns[k][table->row_count] = value;
    }
    if (line)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: line %lld: must have %d numbers (got more)", table->path,
                                (long long)cutter->line, table->column_count);
    ++table->row_count;
    return FIL_OK;
}

static fil_status read_text(fil_context *context, fil_arena *arena, char *text, size_t size, fil_plot_table *table)
{
    cutter cutter = {text, text + size, 0};
    int64_t lines = count_letters(text, size, '\n');
    char *line = next_line(&cutter);
    if (!line || *line == '\0')
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: has no names of columns in its first line", table->path);
    fil_status status = read_names(arena, line, table);
    // What a file can make us allocate stays in proportion to its length.
    if (status == FIL_OK && (lines - 1) * table->column_count > (int64_t)size)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: is no table of %d columns", table->path,
                                table->column_count);
    for (int k = 0; status == FIL_OK && k < table->column_count; ++k) {
        table->columns[k] = FIL_ARENA_ARRAY(arena, double, lines);
        status = table->columns[k] ? FIL_OK : FIL_NO_MEMORY;
    }
    while (status == FIL_OK && (line = next_line(&cutter)))
        status = read_row(context, &cutter, line, table);
    if (status == FIL_OK && table->row_count == 0)
        status = fil_context_fail(context, FIL_BAD_INPUT, "%s: has no rows yet", table->path);
    return status;
}

fil_status fil_plot_table_read(fil_context *context, fil_arena *arena, const char *path, fil_plot_table *out)
{
    *out = (fil_plot_table){.path = path};
    unsigned char *bytes;
    size_t size;
    fil_status status = fil_file_read(context, path, "a table", &bytes, &size);
    if (status != FIL_OK)
        return status;
    char *text = FIL_ARENA_ARRAY(arena, char, size + 1);
    if (text)
        memcpy(text, bytes, size + 1);
    fil_context_release(context, bytes);
    return text ? read_text(context, arena, text, size, out) : FIL_NO_MEMORY;
}

const double *fil_plot_table_column(fil_context *context, const fil_plot_table *table, const char *name)
{
    for (int k = 0; k < table->column_count; ++k)
        if (strcmp(table->names[k], name) == 0)
            return table->columns[k];
    fil_context_note(context, "%s: has no column '%s'", table->path, name);
    return NULL;
}
