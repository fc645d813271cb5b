// Colours that stand for values, laid out in OKLab [Ottosson20], where equal steps look equal: lightness, and two axes
// of colour, written here as chroma and hue.
//
//     amount   dark blue, teal, green, yellow: lightness rises evenly, so that it reads in grey, too
//     sides    blue, pale grey, red: equal lightness on both sides, palest in the middle
//     one of many   hues about a quarter of the circle apart that never repeat, in three lightnesses. Not the golden
//              ratio: roots that spiral out by it would be next to roots of the same hue
#include "render/palette.h"

#include <math.h>

typedef struct knot {
    double lightness, chroma, hue; // hue in degrees
} knot;

static const knot amount[] = {
    {0.34, 0.150, 272}, {0.48, 0.125, 238}, {0.62, 0.115, 195}, {0.77, 0.150, 142}, {0.92, 0.175, 103}};
static const knot sides[] = {
    {0.42, 0.170, 262}, {0.62, 0.130, 250}, {0.90, 0.004, 250}, {0.62, 0.170, 45}, {0.42, 0.160, 28}};
enum { AMOUNTS = sizeof amount / sizeof *amount, SIDES = sizeof sides / sizeof *sides };

static void to_linear(double lightness, double a, double b, float colour[3])
{
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    double rgb[3] = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                     -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                     -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
    for (int k = 0; k < 3; ++k)
        colour[k] = (float)(rgb[k] < 0 ? 0 : rgb[k] > 1 ? 1 : rgb[k]);
}

// Straight lines in OKLab between the knots; t from 0 to 1.
static void along(const knot *knots, int count, double t, float colour[3])
{
    double at = (t >= 0 ? t < 1 ? t : 1 : 0) * (count - 1); // NaN is nothing
    int i = (int)at < count - 2 ? (int)at : count - 2;
    double lab[3] = {0}, weight[2] = {1 - (at - i), at - i};
    for (int end = 0; end < 2; ++end) {
        const knot *k = &knots[i + end];
        lab[0] += weight[end] * k->lightness;
        lab[1] += weight[end] * k->chroma * cos(k->hue * M_PI / 180);
        lab[2] += weight[end] * k->chroma * sin(k->hue * M_PI / 180);
    }
    to_linear(lab[0], lab[1], lab[2], colour);
}

void fil_palette_amount(double t, float colour[3])
{
    along(amount, AMOUNTS, t, colour);
}

void fil_palette_sides(double t, float colour[3])
{
    along(sides, SIDES, 0.5 + 0.5 * t, colour);
}

void fil_palette_one_of_many(unsigned index, float colour[3])
{
    static const double lightness[] = {0.70, 0.58, 0.80};
    double hue = 2 * M_PI * fmod(0.08 + 0.7548776662466927 * index, 1);
    to_linear(lightness[index % 3], 0.115 * cos(hue), 0.115 * sin(hue), colour);
}
