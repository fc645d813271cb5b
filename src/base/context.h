// The context: error text, memory hooks, threads. See context.c.
#ifndef FIL_BASE_CONTEXT_H
#define FIL_BASE_CONTEXT_H

#include <stdarg.h>

#include "filum/filum.h"

struct fil_context {
    fil_context_def def;
    char error[1024];
    struct fil_arena *spare; // memory that waits for the next fil_arena_borrow
};

// A caller's bug stops a debug build; a release build does not pay for the check.
#ifdef NDEBUG
#define FIL_ASSERT(condition) ((void)0)
#else
#include <assert.h>
#define FIL_ASSERT(condition) assert(condition)
#endif

// Stores the sentence of a failure.
void fil_context_note(fil_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Stores the sentence and is the status, so that a failure is one line: return fil_context_fail(c, FIL_..., "..."). A
// macro, so that every reader of the code, compilers too, sees that it is not FIL_OK.
#define fil_context_fail(context, status, ...) (fil_context_note((context), __VA_ARGS__), (status))
fil_status fil_context_no_memory(fil_context *context, size_t size);
void *fil_context_allocate(fil_context *context, size_t size); // NULL: no memory; sentence stored
void fil_context_release(fil_context *context, void *memory);

#endif
