// A legend in the lower left corner of a picture: a title, a bar of colours, numbers at both ends and in the middle.
//
// Letters are 5 × 7 dots each, in whole multiples of a pixel so that they stay crisp. A row is five bits, the left one
// first. Only the letters that legends need are there; 'u' stands for micro.
#include "render/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDE = 5, HIGH = 7, ADVANCE = 6, BAR = 132, THICK = 8, EDGE = 6, MARGIN = 8 };

static const struct {
    char letter;
    unsigned char row[HIGH];
} font[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},    {'2', {14, 17, 1, 6, 8, 16, 31}},
    {'3', {14, 17, 1, 6, 1, 17, 14}},    {'4', {2, 6, 10, 18, 31, 2, 2}},   {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 4, 8, 8}},     {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},   {'.', {0, 0, 0, 0, 0, 12, 12}},    {'-', {0, 0, 0, 14, 0, 0, 0}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {'/', {1, 1, 2, 4, 8, 16, 16}},    {'%', {25, 25, 2, 4, 8, 19, 19}},
    {',', {0, 0, 0, 0, 12, 4, 8}},       {':', {0, 12, 12, 0, 12, 12, 0}},  {'N', {17, 25, 25, 21, 19, 19, 17}},
    {'a', {0, 0, 14, 1, 15, 17, 15}},    {'c', {0, 0, 14, 17, 16, 17, 14}}, {'d', {1, 1, 15, 17, 17, 17, 15}},
    {'e', {0, 0, 14, 17, 31, 16, 14}},   {'f', {6, 8, 28, 8, 8, 8, 8}},     {'i', {4, 0, 12, 4, 4, 4, 14}},
    {'l', {12, 4, 4, 4, 4, 4, 14}},      {'m', {0, 0, 26, 21, 21, 21, 21}}, {'n', {0, 0, 30, 17, 17, 17, 17}},
    {'o', {0, 0, 14, 17, 17, 17, 14}},   {'p', {0, 0, 30, 17, 30, 16, 16}}, {'r', {0, 0, 22, 24, 16, 16, 16}},
    {'s', {0, 0, 15, 16, 14, 1, 30}},    {'t', {8, 8, 28, 8, 8, 9, 6}},     {'u', {0, 0, 18, 18, 18, 29, 16}},
    {'x', {0, 0, 17, 10, 4, 10, 17}},
};

typedef struct canvas {
    int width, height, scale;
    unsigned char *pixels;
} canvas;

static void mix_pixel(const canvas *self, int x, int y, const unsigned char colour[3], double part)
{
    if (x < 0 || y < 0 || x >= self->width || y >= self->height)
        return;
    unsigned char *p = self->pixels + 3 * ((size_t)y * (size_t)self->width + (size_t)x);
    for (int k = 0; k < 3; ++k)
        p[k] = (unsigned char)lround(p[k] + part * (colour[k] - p[k]));
}

// A box in units of dots from the lower left corner of the picture.
static void fill(const canvas *self, int x, int y, int wide, int high, const unsigned char colour[3], double part)
{
    for (int j = 0; j < high * self->scale; ++j)
        for (int i = 0; i < wide * self->scale; ++i)
            mix_pixel(self, x * self->scale + i, self->height - 1 - y * self->scale - j, colour, part);
}

static const unsigned char *glyph(char letter)
{
    for (size_t i = 0; i < sizeof font / sizeof *font; ++i)
        if (font[i].letter == letter)
            return font[i].row;
    return NULL;
}

// The text begins at x; y is its foot.
static void write_text(const canvas *self, int x, int y, const char *text)
{
    static const unsigned char white[3] = {245, 245, 245};
    for (; *text; ++text, x += ADVANCE) {
        const unsigned char *rows = glyph(*text);
        for (int j = 0; rows && j < HIGH; ++j)
            for (int i = 0; i < WIDE; ++i)
                if (rows[j] >> (WIDE - 1 - i) & 1)
                    fill(self, x + i, y + HIGH - 1 - j, 1, 1, white, 1);
    }
}

static int text_width(const char *text)
{
    return ADVANCE * (int)strlen(text) - 1;
}

static void draw_bar(const canvas *self, const fil_legend *legend, int x, int y)
{
    for (int i = 0; i < BAR * self->scale; ++i) {
        float linear[3];
        unsigned char colour[3];
        legend->colour((i + 0.5) / (BAR * self->scale), linear);
        for (int k = 0; k < 3; ++k) {
            double c = (double)linear[k];
            c = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
            colour[k] = (unsigned char)lround(255 * c);
        }
        for (int j = 0; j < THICK * self->scale; ++j)
            mix_pixel(self, x * self->scale + i, self->height - 1 - y * self->scale - j, colour, 1);
    }
}

void fil_legend_draw(const fil_legend *legend, int width, int height, unsigned char *pixels)
{
    static const unsigned char dark[3] = {18, 20, 24};
    int shorter = width < height ? width : height;
    canvas self = {.width = width, .height = height, .scale = shorter >= 540 ? shorter / 270 : 1};
    self.pixels = pixels;
    int line = HIGH + 4, inside = MARGIN + EDGE, title = text_width(legend->title);
    int wide = (title > BAR ? title : BAR) + 2 * EDGE;
    fill(&self, MARGIN, MARGIN, wide, 2 * line + THICK + 2 * EDGE - 1, dark, 0.62);
    int y = inside;
    for (int i = 0; i < 3; ++i) {
        char number[32];
        snprintf(number, sizeof number, "%.4g", legend->low + 0.5 * i * (legend->high - legend->low));
        write_text(&self, inside + i * (BAR - text_width(number)) / 2, y, number);
    }
    draw_bar(&self, legend, inside, y + line);
    write_text(&self, inside, y + line + THICK + 4, legend->title);
}
