// Words and numbers of text formats.
//
// Not strtod and fscanf: they follow the locale of the host program, need a zero behind the text, and count no lines.
#include "io/curves_text.h"

#include <math.h>
#include <string.h>

fil_curves_text fil_curves_text_open(const fil_curves_input *in)
{
    return (fil_curves_text){(const char *)in->bytes, (const char *)in->bytes + in->size, 1};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The length of a backslash with the end of line behind it, or 0.
static int continuation(const fil_curves_text *text)
{
    int64_t left = text->end - text->at;
    if (left >= 2 && text->at[0] == '\\' && text->at[1] == '\n')
        return 2;
    return left >= 3 && text->at[0] == '\\' && text->at[1] == '\r' && text->at[2] == '\n' ? 3 : 0;
}

void fil_curves_text_blanks(fil_curves_text *text)
{
    while (text->at < text->end) {
        int length = continuation(text);
        if (length == 0 && !is_blank(*text->at))
            return;
        text->line += length > 0;
        text->at += length > 0 ? length : 1;
    }
}

void fil_curves_text_spaces(fil_curves_text *text)
{
    for (; text->at < text->end && (is_blank(*text->at) || *text->at == '\n'); ++text->at)
        text->line += *text->at == '\n';
}

void fil_curves_text_next_line(fil_curves_text *text)
{
    const char *end = text->at < text->end ? memchr(text->at, '\n', (size_t)(text->end - text->at)) : NULL;
    text->at = end ? end + 1 : text->end;
    ++text->line;
}

bool fil_curves_text_line_ends(fil_curves_text *text)
{
    fil_curves_text_blanks(text);
    return text->at >= text->end || *text->at == '\n';
}

bool fil_curves_text_word(fil_curves_text *text, char *out, size_t room)
{
    fil_curves_text_blanks(text);
    size_t length = 0;
    for (; text->at < text->end && !is_blank(*text->at) && *text->at != '\n' && !continuation(text); ++text->at)
        if (length + 1 < room)
            out[length++] = *text->at;
    out[length] = '\0';
    return length > 0;
}

// digits × 10^exponent. A long double has 64 bits and powers of ten up to 27 are exact in it; larger ones by squaring.
static double scale(uint64_t digits, int exponent)
{
    long double power = 1, square = 10;
    if (digits == 0)
        return 0;
    if (exponent < -400 || exponent > 400)
        return exponent < 0 ? 0 : HUGE_VAL;
    for (int rest = exponent < 0 ? -exponent : exponent; rest > 0; rest /= 2, square *= square)
        power *= rest % 2 ? square : 1;
    return (double)(exponent < 0 ? (long double)digits / power : (long double)digits * power);
}

// Digits with at most one point: the first 19 that count; *exponent moves the point. False: no digit.
static bool read_digits(const char **at, const char *end, uint64_t *digits, int *exponent)
{
    bool any = false, point = false;
    int used = 0;
    for (; *at < end && (is_digit(**at) || (**at == '.' && !point)); ++*at) {
        if (**at == '.') {
            point = true;
            continue;
        }
        any = true;
        bool kept = used < 19;
        if (kept) {
            *digits = *digits * 10 + (uint64_t)(**at - '0');
            used += *digits > 0;
        }
        // A digit that is left out before the point is a power of ten; behind it, nothing.
        int change = kept ? -(int)point : !point;
        if (*exponent > -100000 && *exponent < 100000)
            *exponent += change;
    }
    return any;
}

static bool read_exponent(const char **at, const char *end, int *exponent)
{
    const char *c = *at;
    if (c >= end || (*c != 'e' && *c != 'E'))
        return true;
    ++c;
    bool minus = c < end && *c == '-';
    c += c < end && (*c == '-' || *c == '+');
    if (c >= end || !is_digit(*c))
        return false;
    int value = 0;
    for (; c < end && is_digit(*c); ++c)
        value = value < 100000 ? value * 10 + (*c - '0') : value;
    *exponent += minus ? -value : value;
    *at = c;
    return true;
}

// "nan", "inf" and "infinity" in any case, as printf writes them.
static bool read_no_number(const char **at, const char *end, double *out)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (int w = 0; w < 3; ++w) {
        size_t length = strlen(words[w]), k = 0;
        if ((size_t)(end - *at) < length)
            continue;
        while (k < length && ((*at)[k] | 0x20) == words[w][k])
            ++k;
        if (k == length) {
            *at += length;
            *out = w == 2 ? (double)NAN : HUGE_VAL;
            return true;
        }
    }
    return false;
}

bool fil_curves_text_real(fil_curves_text *text, double *out)
{
    fil_curves_text_blanks(text);
    const char *at = text->at;
    bool minus = at < text->end && *at == '-';
    at += at < text->end && (*at == '-' || *at == '+');
    uint64_t digits = 0;
    int exponent = 0;
    double value;
    if (!read_no_number(&at, text->end, &value)) {
        if (!read_digits(&at, text->end, &digits, &exponent) || !read_exponent(&at, text->end, &exponent))
            return false;
        value = scale(digits, exponent);
    }
    *out = minus ? -value : value;
    text->at = at;
    return true;
}

bool fil_curves_text_whole(fil_curves_text *text, int64_t *out)
{
    fil_curves_text_blanks(text);
    const char *at = text->at;
    bool minus = at < text->end && *at == '-';
    at += at < text->end && (*at == '-' || *at == '+');
    int64_t value = 0;
    int used = 0;
    for (; at < text->end && is_digit(*at) && used < 19; ++at, ++used)
        value = used < 18 ? value * 10 + (*at - '0') : value;
    if (used == 0 || used > 18)
        return false;
    *out = minus ? -value : value;
    text->at = at;
    return true;
}

const char *fil_curves_text_place(const fil_curves_text *text, char place[32])
{
    snprintf(place, 32, "line %lld", (long long)text->line);
    return place;
}

void fil_curves_text_put(const fil_curves_output *out, double value)
{
    char word[48];
    int length = snprintf(word, sizeof word, "%.9g", value);
    // What is neither digit, sign nor exponent is the locale's decimal point, in one byte or in several.
    bool point = false;
    for (int i = 0; i < length && i < (int)sizeof word; ++i) {
        bool plain = is_digit(word[i]) || word[i] == '-' || word[i] == '+' || word[i] == 'e';
        if (plain || !point)
            fputc(plain ? word[i] : '.', out->file);
        point |= !plain;
    }
}
