// Memory with one lifetime: many allocations, one release. See arena.c.
#ifndef FIL_BASE_ARENA_H
#define FIL_BASE_ARENA_H

#include "base/context.h"

fil_arena *fil_arena_create(fil_context *context);
void fil_arena_destroy(fil_arena *arena); // NULL is fine

// The same for work that comes again, like the solves of a simulation: the context keeps up to 2 GB of what is given
// back for the next who borrows, and memory that is known costs no page faults.
fil_arena *fil_arena_borrow(fil_context *context);
void fil_arena_give_back(fil_arena *arena); // NULL is fine

// 64-byte aligned and zeroed; NULL when the machine has no more (the sentence is in the context).
void *fil_arena_allocate(fil_arena *arena, size_t count, size_t size);
#define FIL_ARENA_ARRAY(arena, type, count) ((type *)fil_arena_allocate((arena), (size_t)(count), sizeof(type)))

// The same without zeroes, for large arrays that are filled in parallel: pages are then fetched in parallel, too.
void *fil_arena_allocate_raw(fil_arena *arena, size_t count, size_t size);
#define FIL_ARENA_RAW(arena, type, count) ((type *)fil_arena_allocate_raw((arena), (size_t)(count), sizeof(type)))

// Everything allocated after a mark can be given back at once; the memory stays with the arena for the next round.
typedef struct fil_arena_mark {
    void *block;
    size_t used;
} fil_arena_mark;
fil_arena_mark fil_arena_mark_now(const fil_arena *arena);
void fil_arena_rewind(fil_arena *arena, fil_arena_mark mark);

#endif
