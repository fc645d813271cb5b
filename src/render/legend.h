// A bar of colours with numbers, drawn into a finished picture. See legend.c.
#ifndef FIL_RENDER_LEGEND_H
#define FIL_RENDER_LEGEND_H

#include <stdbool.h>

typedef struct fil_legend {
    const char *title; // letters that legend.c has; others are left blank
    double low, high;
    void (*colour)(double low_to_high, float colour[3]); // 0 to 1 along the bar; linear
} fil_legend;

// 3 bytes per pixel, top row first, sRGB. In the lower left corner; what does not fit is cut off.
void fil_legend_draw(const fil_legend *legend, int width, int height, unsigned char *pixels);

#endif
