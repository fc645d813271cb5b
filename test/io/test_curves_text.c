// Words and numbers of text formats.
#include "io/curves_text.h"

#include "base/rng.h"
#include "test.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static fil_curves_text text_of(const char *words)
{
    fil_curves_input in = {NULL, "x", (const unsigned char *)words, strlen(words)};
    return fil_curves_text_open(&in);
}

TEST(text_numbers_are_those_of_strtod)
{
    fil_rng rng = fil_rng_make(7);
    int wrong = 0;
    for (int i = 0; i < 200000; ++i) {
        // Any bits that are a finite number, in as many digits as texts have.
        static const char *const formats[] = {"%.17g", "%.9g", "%.6f", "%g", "%.25e"};
        uint64_t bits = fil_rng_bits(&rng);
        double value, read;
        char word[400];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        if (i % 2)
            value = ((double)(bits >> 11) / (double)(1ull << 53) - 0.5) * 200;
        snprintf(word, sizeof word, formats[i % 5], value);
        double expected = strtod(word, NULL);
        fil_curves_text text = text_of(word);
        bool good = fil_curves_text_real(&text, &read) && text.at == text.end;
        double room = fabs(expected) * 2.3e-16 + 5e-324;
        wrong += !good || !(fabs(read - expected) <= room);
    }
    ck_assert_int_eq(wrong, 0);
}

TEST(text_short_numbers_are_exact)
{
    static const char *const words[] = {"0",       "-0",   "1",   "1.5",     ".5",   "5.",       "+2",
                                        "1e3",     "1E-3", "0.1", "123.456", "1e22", "-7.25e-2", "9007199254740993",
                                        "0.000001"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        fil_curves_text text = text_of(words[i]);
        double value;
        ck_assert_msg(fil_curves_text_real(&text, &value), "%s", words[i]);
        ck_assert_msg(value == strtod(words[i], NULL), "%s: %.17g", words[i], value);
        ck_assert(text.at == text.end);
    }
}

TEST(text_no_numbers)
{
    static const char *const words[] = {"", "-", ".", "e5", "1e", "1e+", "x", "--1", "na", "in"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        fil_curves_text text = text_of(words[i]);
        double value;
        ck_assert_msg(!fil_curves_text_real(&text, &value), "%s", words[i]);
        ck_assert(text.line == 1);
    }
    fil_curves_text text = text_of("nan -inf Infinity 1e999 -1e-999");
    double value;
    ck_assert(fil_curves_text_real(&text, &value) && isnan(value));
    ck_assert(fil_curves_text_real(&text, &value) && value == -HUGE_VAL);
    ck_assert(fil_curves_text_real(&text, &value) && value == HUGE_VAL);
    ck_assert(fil_curves_text_real(&text, &value) && value == HUGE_VAL);
    ck_assert(fil_curves_text_real(&text, &value) && value == 0);
}

TEST(text_words_and_lines)
{
    fil_curves_text text = text_of("one  two \\\n three\\\r\nfour\r\n\nfive");
    char word[4], place[32];
    static const char *const expected[] = {"one", "two", "thr", "fou"};
    for (int i = 0; i < 4; ++i) {
        ck_assert(fil_curves_text_word(&text, word, sizeof word));
        ck_assert_str_eq(word, expected[i]);
    }
    ck_assert(!fil_curves_text_word(&text, word, sizeof word));
    ck_assert(fil_curves_text_line_ends(&text));
    ck_assert_str_eq(fil_curves_text_place(&text, place), "line 3");
    fil_curves_text_spaces(&text);
    ck_assert_str_eq(fil_curves_text_place(&text, place), "line 5");
    int64_t whole;
    text = text_of("12 -7/3 1234567890123456789");
    ck_assert(fil_curves_text_whole(&text, &whole) && whole == 12);
    ck_assert(fil_curves_text_whole(&text, &whole) && whole == -7 && *text.at == '/');
    ++text.at;
    ck_assert(fil_curves_text_whole(&text, &whole) && whole == 3);
    ck_assert(!fil_curves_text_whole(&text, &whole));
}

// A host program may have set a locale with a decimal comma.
TEST(text_is_written_with_a_point)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "C"};
    for (int i = 0; i < 4; ++i) {
        if (!setlocale(LC_NUMERIC, names[i]))
            continue;
        FILE *file = fopen(test_path("a.txt"), "w+b");
        ck_assert(file != NULL);
        fil_curves_output out = {NULL, "x", file, 1};
        fil_curves_text_put(&out, -1234.5e-9);
        rewind(file);
        char word[64] = {0};
        ck_assert(fread(word, 1, sizeof word - 1, file) > 0);
        fclose(file);
        ck_assert_str_eq(word, "-1.2345e-06");
    }
}
