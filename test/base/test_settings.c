// Settings: defaults, every kind of value, and a sentence for every mistake.
#include "test.h"

#include "base/settings.h"

#include <locale.h>
#include <string.h>

typedef struct options {
    int loud, count, order;
    double relaxation;
} options;

static const fil_field fields[] = {
    {"loud", FIL_KIND_BOOL, offsetof(options, loud), 1, 0, 1, "", NULL, "a switch"},
    {"count", FIL_KIND_INT, offsetof(options, count), 7, 1, 100, "", NULL, "a number"},
    {"order", FIL_KIND_CHOICE, offsetof(options, order), 1, 0, 2, "", "natural|coloured|random", "a choice"},
    {"relaxation", FIL_KIND_REAL, offsetof(options, relaxation), 1.25, 0.1, 1.9, "", NULL, "a real number"},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static fil_status parse(fil_context *context, const char *text, options *o)
{
    fil_settings_defaults(fields, FIELDS, o);
    return fil_settings_parse(context, NULL, "gs", fields, FIELDS, text, o);
}

TEST(settings_defaults)
{
    options o = {0};
    fil_settings_defaults(fields, FIELDS, &o);
    ck_assert(o.loud == 1 && o.count == 7 && o.order == 1 && o.relaxation == 1.25);
}

TEST(settings_reads_every_kind)
{
    fil_context *context = fil_context_create(NULL);
    options o;
    test_ok(context, parse(context, "", &o));
    ck_assert_int_eq(o.count, 7);
    test_ok(context, parse(context, "loud=false,count=100,order=random,relaxation=1.9", &o));
    ck_assert(o.loud == 0 && o.count == 100 && o.order == 2 && o.relaxation == 1.9);
    test_ok(context, parse(context, "relaxation=1e-1,order=natural,count=1e1", &o));
    ck_assert(o.loud == 1 && o.count == 10 && o.order == 0 && o.relaxation == 0.1);
    test_ok(context, parse(context, "count=3,count=4", &o));
    ck_assert_int_eq(o.count, 4);
    fil_context_destroy(context);
}

TEST(settings_explains_mistakes)
{
    fil_context *context = fil_context_create(NULL);
    options o;
    static const char *const cases[][2] = {
        {"count=0", "gs: count: must be from 1 to 100 (got 0)"},
        {"count=101", "gs: count: must be from 1 to 100 (got 101)"},
        {"count=2.5", "gs: count: must be a whole number (got '2.5')"},
        {"count=ten", "gs: count: must be a whole number (got 'ten')"},
        {"count=", "gs: count: must be a whole number (got '')"},
        {"relaxation=nan", "gs: relaxation: must be a finite number (got 'nan')"},
        {"relaxation=1e999", "gs: relaxation: must be a finite number (got '1e999')"},
        {"relaxation=1.3x", "gs: relaxation: must be a finite number (got '1.3x')"},
        {"relaxation=2", "gs: relaxation: must be from 0.1 to 1.9 (got 2)"},
        {"order=colour", "gs: order: must be one of natural|coloured|random (got 'colour')"},
        {"order=", "gs: order: must be one of natural|coloured|random (got '')"},
        {"loud=yes", "gs: loud: must be one of false|true (got 'yes')"},
        {"relaxatoin=1", "gs: unknown setting 'relaxatoin': did you mean 'relaxation'?"},
        {"xyz=1", "gs: unknown setting 'xyz' (see `filum info`)"},
        {"count", "gs: settings are written name=value,name=value (got 'count')"},
        {"count,order=natural", "gs: settings are written name=value,name=value (got 'count,order=natural')"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        test_fails(context, parse(context, cases[i][0], &o), FIL_BAD_INPUT, cases[i][1]);
    fil_context_destroy(context);
}

TEST(settings_survives_long_words)
{
    fil_context *context = fil_context_create(NULL);
    options o;
    char text[3000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(parse(context, text, &o), FIL_BAD_INPUT);
    text[50] = '=';
    ck_assert_int_eq(parse(context, text, &o), FIL_BAD_INPUT);
    text[50] = 'a';
    text[2000] = '=';
    ck_assert_int_eq(parse(context, text, &o), FIL_BAD_INPUT);
    fil_context_destroy(context);
}

static void write_back(fil_context *context, const char *text, char *out, size_t room)
{
    options o;
    test_ok(context, parse(context, text, &o));
    fil_settings_write("gs", fields, FIELDS, &o, out, room);
}

TEST(settings_are_written_as_they_are_read)
{
    fil_context *context = fil_context_create(NULL);
    char text[200];
    write_back(context, "", text, sizeof text);
    ck_assert_str_eq(text, "gs");
    write_back(context, "order=coloured,count=7", text, sizeof text); // the defaults
    ck_assert_str_eq(text, "gs");
    write_back(context, "relaxation=1.5,loud=false,order=random,count=9", text, sizeof text);
    ck_assert_str_eq(text, "gs:loud=false,count=9,order=random,relaxation=1.5");
    write_back(context, "relaxation=1.1", text, sizeof text);
    ck_assert_str_eq(text, "gs:relaxation=1.1000000000000001"); // the same bits when it is read
    write_back(context, "order=random,count=9", text, 6);
    ck_assert_str_eq(text, "gs:co"); // never beyond the room
    fil_context_destroy(context);
}

// A host program that speaks a language with decimal commas must not change what a setting means.
TEST(settings_do_not_depend_on_the_language)
{
    static const char *const languages[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8"};
    bool found = false;
    for (int i = 0; i < 4 && !found; ++i)
        found = setlocale(LC_ALL, languages[i]) != NULL;
    if (!found)
        test_skip("no language with decimal commas is installed");
    fil_context *context = fil_context_create(NULL);
    options o;
    test_ok(context, parse(context, "relaxation=1.5", &o));
    ck_assert(o.relaxation == 1.5);
    char text[100];
    write_back(context, "relaxation=1.5", text, sizeof text);
    ck_assert_str_eq(text, "gs:relaxation=1.5");
    fil_context_destroy(context);
}

TEST(settings_nearest_word)
{
    static const char *const names[] = {"newton", "gs", "admm", "auto"};
    ck_assert_str_eq(fil_settings_nearest("newtn", names, 4), "newton");
    ck_assert_str_eq(fil_settings_nearest("adm", names, 4), "admm");
    ck_assert_str_eq(fil_settings_nearest("gs", names, 4), "gs");
    ck_assert_str_eq(fil_settings_nearest("sg", names, 4), "gs");
    ck_assert_str_eq(fil_settings_nearest("newotn", names, 4), "newton");
    ck_assert_ptr_null(fil_settings_nearest("zzzzzz", names, 4));
    ck_assert_ptr_null(fil_settings_nearest("x", names, 0));
}
