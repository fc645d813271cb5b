// A step on the device: each work item takes so many units, one after the other; a unit is a strand, or a pack of eight.
// Behind all other kernel text. The host's side of it: live_opencl.c.

// Where the numbers of a strand begin in an array that has `width` of them for each vertex; those of its pack begin
// behind `start` vertices and are for `count` of them.
LIVE long begin_of(long start, int count, int lane, int width)
{
#if STRIDE == 1
    return (start * 8 + (long)lane * count) * width;
#else
    return start * 8 * width + lane;
#endif
}

// Offsets in `fixed` and `room`, over their numbers for one of each vertex: as live_opencl.c fills them.
enum { LENGTH = 0, INVERSE = 1, DRAG = 2, RADIUS = 3, ALONG = 4, GIVE = 5, REST = 7, REST_BEND = 10, LIFT = 13 };
enum { PLACE = 0, FORCE = 3, BEND = 7, GAIN = 10, WORK = 13 };

// rows, room_rows: floats of an array of one number for each vertex. longest: vertices that a work item has room for, and
// uses it again for each of its units, which keeps it in the cache; 0: there is room for all units, laid out like x.
__kernel void live_step(int units, int units_an_item, int strands, int longest, long rows, long room_rows,
                        __global const int *row, __global const int *vertices, __global const int *held_start,
                        __global const int *held, __global float *x, __global float *v, __global float *room,
                        __global const float *weight, __global const float *fixed, __global const float *axis,
                        __global const float *push, __global const float *pose, __global const float *goal,
                        __global const fil_live_now *told, __global const fil_live_shape *shapes, __global int *failed)
{
    const fil_live_now now = *told;
    const int item = (int)get_global_id(0), end = min(units, (item + 1) * units_an_item);
    for (int unit = item * units_an_item; unit < end; ++unit) {
        const int pack = unit * WIDE / 8, lane = unit * WIDE % 8, n = vertices[pack];
        const int held_count = held_start[pack + 1] - held_start[pack];
        const bool own = longest > 0;
        const long start = own ? (long)item * longest * WIDE : 0;
#define ROWS(width) begin_of(row[pack], n, lane, width)
#define FIXED(array, width) (fixed + (array)*rows + ROWS(width))
#define ROOM(array, width) (room + (array)*room_rows + (own ? start * (width) : ROWS(width)))
        const fil_live_pack P = {.n = n,
                                 .held_count = held_count,
                                 .x = x + ROWS(3),
                                 .v = v + ROWS(3),
                                 .p = ROOM(PLACE, 3),
                                 .force = ROOM(FORCE, 4),
                                 .bend = ROOM(BEND, 3),
                                 .gain = ROOM(GAIN, 3),
                                 .work = ROOM(WORK, 5),
                                 .weight = weight + ROWS(1),
                                 .length = FIXED(LENGTH, 1),
                                 .inverse = FIXED(INVERSE, 1),
                                 .drag = FIXED(DRAG, 1),
                                 .radius = FIXED(RADIUS, 1),
                                 .give = FIXED(GIVE, 2),
                                 .rest = FIXED(REST, 3),
                                 .rest_bend = FIXED(REST_BEND, 3),
                                 .lift = FIXED(LIFT, 3),
                                 .axis = axis + begin_of(pack, 1, lane, 3),
                                 .along = FIXED(ALONG, 1),
                                 .push = push + ROWS(3),
                                 .pose = pose + begin_of(pack, 1, lane, 12),
                                 .goal = goal + begin_of(held_start[pack], held_count, lane, 3),
                                 .held = held + held_start[pack]};
        if (now.share != FIL_LIVE_FINISH)
            live_solve(&P, &now, shapes);
        if (now.share == FIL_LIVE_MOVE)
            continue;
        // Lanes that fill a pack are nobody's strands.
        const int fine = bits_of(live_finish(&P, &now));
        for (int k = 0; k < WIDE; ++k)
            if (!(fine >> k & 1) && unit * WIDE + k < strands)
                atomic_inc(failed);
    }
}
