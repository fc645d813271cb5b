// Scenes that are wrong: each is refused with one sentence that names the file and the key. malformed.txt holds those
// that are a line of text; here are the others.
#include "base/file.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fil_status parse(fil_context *context, const char *text, size_t length, const char *set)
{
    // A copy that is exactly as long: the sanitizer sees every read beyond the end.
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    fil_film *film;
    fil_status status = fil_film_parse(context, "s.json", test_folder(), copy, length, &set, set ? 1 : 0, &film);
    ck_assert_int_eq(status == FIL_OK, film != NULL);
    fil_film_destroy(film);
    free(copy);
    return status;
}

static void refuse(fil_context *context, const char *text, size_t length, const char *set, const char *sentence)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "s.json: %s", sentence);
    ck_assert_msg(parse(context, text, length, set) == FIL_BAD_INPUT, "not refused: %s %s", text, set ? set : "");
    ck_assert_str_eq(fil_context_error(context), whole);
}

// The next line of the text that is neither empty nor a comment; NULL: there is none.
static char *next_line(char **at)
{
    while (*at && **at) {
        char *line = *at, *end = strchr(line, '\n');
        *at = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

TEST(film_refuses_malformed_scenes)
{
    fil_context *context = fil_context_create(NULL);
    unsigned char *bytes;
    size_t size;
    int count = 0;
    test_ok(context, fil_file_read(context, test_source("test/scene/malformed.txt"), "a text", &bytes, &size));
    char *at = (char *)bytes;
    for (char *scene; (scene = next_line(&at)) != NULL; ++count) {
        char *sentence = next_line(&at);
        ck_assert_ptr_nonnull(sentence);
        refuse(context, scene, strlen(scene), NULL, sentence + 2);
    }
    ck_assert_int_ge(count, 80);
    fil_context_release(context, bytes);
    fil_context_destroy(context);
}

TEST(film_refuses_bytes_that_are_no_text)
{
    fil_context *context = fil_context_create(NULL);
    refuse(context, "", 0, NULL, "the file is empty");
    refuse(context, " \n\t ", 4, NULL, "the file is empty");
    static const char bad_utf8[] = "{\"groups\": [{\"name\": \"\xff\xfe\"}]}";
    refuse(context, bad_utf8, sizeof bad_utf8 - 1, NULL, "line 1, column 22: unable to decode byte 0xff near '\"'");
    static const char tab[] = "{\"groups\": [{\"name\": \"a\tb\"}]}";
    refuse(context, tab, sizeof tab - 1, NULL, "line 1, column 23: control character 0x9 near '\"a'");
    static const char zero[] = "{\"groups\"\0: [{}]}";
    ck_assert_int_eq(parse(context, zero, sizeof zero - 1, NULL), FIL_BAD_INPUT);
    char *deep = malloc(100000);
    memset(deep, '[', 100000);
    refuse(context, deep, 100000, NULL, "line 1, column 2049: maximum parsing depth reached near '['");
    for (int i = 0; i < 99990; i += 5)
        memcpy(deep + i, "{\"a\":", 5);
    ck_assert_int_eq(parse(context, deep, 99990, NULL), FIL_BAD_INPUT);
    free(deep);
    fil_context_destroy(context);
}

// Whatever is cut off: one sentence, never a crash.
TEST(film_refuses_every_truncated_scene)
{
    static const char scene[] =
        "{\"title\": \"cut\", \"unit\": \"cm\", \"gravity\": {\"keys\": [{\"time\": 0, \"value\": [0, -1, 0]}]},\n"
        "\"paths\": {\"p\": {\"keys\": [{\"time\": 0}, {\"time\": 1, \"turn\": [0, 90, 0]}]}},\n"
        "\"contact\": {\"solver\": \"gs\", \"rules\": [{\"between\": [\"a\", \"b\"]}]}, \"bodies\": [{\"name\": "
        "\"b\"}],\n"
        "\"groups\": [{\"name\": \"a\", \"groom\": \"line:strands=2\", \"root\": {\"path\": \"p\"}, \"pins\": "
        "[{\"from\": 0.5}]}]}";
    fil_context *context = fil_context_create(NULL);
    test_ok(context, parse(context, scene, sizeof scene - 1, NULL));
    for (size_t length = 0; length < sizeof scene - 1; ++length) {
        ck_assert_int_eq(parse(context, scene, length, NULL), FIL_BAD_INPUT);
        test_contains(fil_context_error(context), "s.json: ");
    }
    fil_context_destroy(context);
}

TEST(film_refuses_bad_overrides)
{
    static const struct {
        const char *set, *sentence;
    } cases[] = {
        {"time", "--set time: must be KEY=VALUE, as in groups.0.material.young=4e9"},
        {"=3", "--set =3: must be KEY=VALUE, as in groups.0.material.young=4e9"},
        {"time.=3", "--set time.=3: a name between the dots is missing"},
        {".fps=3", "--set .fps=3: a name between the dots is missing"},
        {"groups.1.name=x", "--set groups.1.name=x: there is no item '1' in a list of 1"},
        {"groups.-1.name=x", "--set groups.-1.name=x: there is no item '-1' in a list of 1"},
        {"groups.99999999999999999999.name=x",
         "--set groups.99999999999999999999.name=x: there is no item '99999999999999999999' in a list of 1"},
        {"groups.curls.name=x", "--set groups.curls.name=x: there is no item 'curls' in a list of 1"},
        {"title.x=3", "--set title.x=3: there is nothing inside of a number or a text to be named 'x'"},
        {"time.fps=\xff", "--set time.fps=\xff: must be UTF-8 text"},
        {"\xff=3", "--set \xff=3: must be UTF-8 text"},
        {"time.fsp=3", "time: unknown key 'fsp': did you mean 'fps'?"},
        {"time.fps=fast", "time.fps: must be a number from 0.1 to 100000 1/s (got \"fast\")"},
        {"time=3", "time: must be an object {...} (got 3)"},
        {"groups=[]", "groups: must be a list [...] of 1 to 10000 items (got [])"},
    };
    static const char scene[] = "{\"title\": \"t\", \"groups\": [{}]}";
    fil_context *context = fil_context_create(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuse(context, scene, sizeof scene - 1, cases[i].set, cases[i].sentence);
    fil_context_destroy(context);
}

static void refuse_file(fil_context *context, const char *path, const char *part)
{
    fil_film *film;
    ck_assert_int_eq(fil_film_read(context, path, NULL, 0, &film), FIL_BAD_INPUT);
    ck_assert_ptr_null(film);
    test_contains(fil_context_error(context), path);
    test_contains(fil_context_error(context), part);
}

TEST(film_refuses_files_that_cannot_be_read)
{
    fil_context *context = fil_context_create(NULL);
    char long_name[5000];
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    fil_film *film;
    refuse_file(context, test_path("missing.json"), "cannot open: No such file or directory");
    refuse_file(context, test_folder(), "is a directory, not a scene");
    ck_assert_int_eq(fil_film_read(context, "", NULL, 0, &film), FIL_BAD_INPUT);
    ck_assert_int_eq(fil_film_read(context, long_name, NULL, 0, &film), FIL_BAD_INPUT);
    const char *fifo = test_path("pipe.json");
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    refuse_file(context, fifo, "is not a regular file");
    const char *secret = test_path("secret.json");
    test_ok(context, fil_file_write_text(context, secret, "{\"groups\": [{}]}", 16));
    chmod(secret, 0);
    if (access(secret, R_OK) != 0)
        refuse_file(context, secret, "cannot open: Permission denied");
    fil_context_destroy(context);
}

TEST(film_refuses_files_of_a_scene_that_cannot_be_read)
{
    static const struct {
        const char *scene, *place, *part;
    } cases[] = {
        {"{\"groups\": [{\"groom\": {\"type\": \"file\", \"file\": \"no.hair\"}}]}", "groups[0].groom",
         "no.hair: cannot open: No such file or directory"},
        {"{\"groups\": [{\"groom\": {\"type\": \"file\", \"file\": \".\"}}]}", "groups[0].groom",
         "is a directory, not a groom"},
        {"{\"groups\": [{\"groom\": \"file:file=no.hair\"}]}", "groups[0].groom", "no.hair: cannot open"},
        {"{\"groups\": [{}], \"bodies\": [{\"shape\": {\"type\": \"mesh\", \"file\": \"no.obj\"}}]}", "bodies[0].shape",
         "no.obj: cannot open: No such file or directory"},
        {"{\"groups\": [{\"groom\": {\"type\": \"file\", \"file\": \"bad.data\"}}]}", "groups[0].groom",
         "bad.data: header: "},
        {"{\"groups\": [{\"groom\": {\"type\": \"file\", \"file\": \"bad.txt\"}}]}", "groups[0].groom",
         "is no groom by its name"},
    };
    fil_context *context = fil_context_create(NULL);
    test_ok(context, fil_file_write_text(context, test_path("bad.data"), "abcdefgh", 8));
    test_ok(context, fil_file_write_text(context, test_path("bad.txt"), "abcdefgh", 8));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char start[100];
        snprintf(start, sizeof start, "s.json: %s: %s/", cases[i].place, test_folder());
        ck_assert_int_eq(parse(context, cases[i].scene, strlen(cases[i].scene), NULL), FIL_BAD_INPUT);
        test_contains(fil_context_error(context), start);
        test_contains(fil_context_error(context), cases[i].part);
    }
    fil_context_destroy(context);
}
