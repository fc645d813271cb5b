// Colours that stand for values. All linear, 0 to 1. See palette.c.
#ifndef FIL_RENDER_PALETTE_H
#define FIL_RENDER_PALETTE_H

// From little (0) to much (1).
void fil_palette_amount(double t, float colour[3]);
// From the far below (-1) over nothing (0) to the far above (1).
void fil_palette_sides(double t, float colour[3]);
// One of many: neighbours differ well, none is glaring.
void fil_palette_one_of_many(unsigned index, float colour[3]);

#endif
