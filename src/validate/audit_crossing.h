// Segments that pass through each other between two frames. See audit_crossing.c.
#ifndef FIL_VALIDATE_AUDIT_CROSSING_H
#define FIL_VALIDATE_AUDIT_CROSSING_H

#include "base/arena.h"

// A segment that goes straight from one frame to the next.
typedef struct fil_audit_segment {
    double end[2][2][3]; // [frame][end][x, y, z]
} fil_audit_segment;

enum { FIL_AUDIT_PASSES = 3 }; // how often two such segments can pass through each other

// The moment when two centre lines meet.
typedef struct fil_audit_pass {
    double time;     // 0: the first frame, 1: the second
    int sign;        // +1: the volume of the four ends grows from negative to positive, -1: the other way
    double at[2];    // where on the segments, 0 to 1
    double place[3]; // m
} fil_audit_pass;

// All of them, in the order of time; how many.
int fil_audit_crossing_pair(const fil_audit_segment *a, const fil_audit_segment *b,
                            fil_audit_pass out[FIL_AUDIT_PASSES]);

// Strands in two frames. The vertices of all strands lie one after another; a segment goes by its first vertex.
typedef struct fil_audit_strands {
    int strand_count;
    const int *first;            // [strands + 1] first vertex
    const int *strand_of;        // [vertices]
    const float *before, *after; // [3 vertices]
    double nudge;                // m: ties are broken by this much
} fil_audit_strands;

typedef struct fil_audit_event {
    int strand[2], vertex[2]; // ascending; the first vertices of the segments
    fil_audit_pass pass;
} fil_audit_event;

typedef struct fil_audit_events {
    fil_audit_event *event;
    int64_t count;
} fil_audit_events;

// All passes of segments of different strands, and of those of one strand that are not neighbours; in the order of
// strands, then of vertices. The same for any number of threads. Segments with an end that is not finite are left out.
fil_status fil_audit_crossing_find(fil_context *context, fil_arena *arena, const fil_audit_strands *strands,
                                   fil_audit_events *out);

// The events of the pair of strands that begins at `begin`: where they end, and the sum of their signs.
int64_t fil_audit_crossing_net(const fil_audit_events *events, int64_t begin, int *net);

#endif
