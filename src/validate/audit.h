// What went wrong in saved frames, found from them alone. See audit.c, docs/audit.md.
#ifndef FIL_VALIDATE_AUDIT_H
#define FIL_VALIDATE_AUDIT_H

#include "base/context.h"

typedef enum fil_audit_kind {
    FIL_AUDIT_CROSSING,   // two strands passed through each other between two frames
    FIL_AUDIT_INSIDE,     // a free place of a strand lies inside a body
    FIL_AUDIT_STRETCH,    // a segment is stretched or compressed
    FIL_AUDIT_NOT_FINITE, // a place or a stretch is not a finite number
    FIL_AUDIT_KINDS,
} fil_audit_kind;

typedef struct fil_audit_def {
    int first, last; // frames
    unsigned checks; // bits 1 << fil_audit_kind; places that are not finite are always counted
    double depth;    // m: what is less deep inside a body does not count
    double stretch;  // part of the length: what is stretched less does not count
    // Called now and then with the part that is done; false: stop. May be NULL.
    bool (*progress)(void *user, double part, int frame);
    void *user;
} fil_audit_def;

// One thing that was found. Strands are counted over all groups.
typedef struct fil_audit_finding {
    int frame;
    int strand[2]; // the second: of crossings
    int segment[2];
    bool middle;     // inside: the middle of the segment, else its first vertex
    int body;        // inside: which obstacle of the scene
    double value;    // net number of crossings, depth in m, stretch
    double place[3]; // m
} fil_audit_finding;

enum { FIL_AUDIT_KEPT = 5 }; // findings of each kind that are told

typedef struct fil_audit_report {
    int frames;                         // how many were checked
    int64_t found[FIL_AUDIT_KINDS];     // crossings: net
    int64_t passes;                     // segments that passed through each other, also those that came back
    double deepest;                     // m
    double worst_stretch;               // with its sign
    int body_count;                     // solid ones: obstacles of the scene
    const char *const *bodies_left_out; // [bodies] why they were not checked, NULL: they were
    int kept[FIL_AUDIT_KINDS];          // how many findings are told, the first ones
    fil_audit_finding finding[FIL_AUDIT_KINDS][FIL_AUDIT_KEPT];
    bool stopped; // by `progress`
} fil_audit_report;

typedef struct fil_audit fil_audit;

// The film must be the one in the cache, with its grooms: it says what is held, and where bodies are. Both must outlive
// the audit.
fil_status fil_audit_create(fil_context *context, fil_cache *cache, const fil_film *film, fil_audit **out);
void fil_audit_destroy(fil_audit *audit);
// The report points into the audit.
fil_status fil_audit_run(fil_context *context, fil_audit *audit, const fil_audit_def *def, fil_audit_report *out);

#endif
