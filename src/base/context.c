// The context carries what would otherwise be global: the last error sentence, the memory hooks, the thread count.
// One context belongs to one host thread at a time; two contexts never share anything.
#define _DEFAULT_SOURCE // madvise
#include "base/arena.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

const char *fil_version(void)
{
    return FIL_VERSION;
}

// Large blocks in large pages, where the system has them: what is read at random in hundreds of MB then spends less
// time on finding pages (a million contacts, bench/touch_scale: detection takes 4 to 9 % less).
static void *default_allocate(void *user, size_t size)
{
    (void)user;
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)1 << 21, large = 4 * page;
    void *memory;
    if (size < large)
        return malloc(size);
    if (posix_memalign(&memory, page, size) != 0)
        return NULL;
    madvise(memory, size, MADV_HUGEPAGE); // a wish: nothing depends on it
    return memory;
#else
    return malloc(size);
#endif
}

static void default_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

fil_context_def fil_context_def_default(void)
{
    return (fil_context_def){.threads = 0, .allocate = default_allocate, .release = default_release};
}

fil_context *fil_context_create(const fil_context_def *def)
{
    fil_context_def complete = def ? *def : fil_context_def_default();
    if (!complete.allocate || !complete.release) {
        complete.allocate = default_allocate;
        complete.release = default_release;
    }
    fil_context *context = complete.allocate(complete.user, sizeof *context);
    if (!context)
        return NULL;
    *context = (fil_context){.def = complete};
    fil_context_set_threads(context, complete.threads);
    return context;
}

void fil_context_destroy(fil_context *context)
{
    if (!context)
        return;
    while (context->spare)
        fil_arena_destroy(fil_arena_borrow(context));
    context->def.release(context->def.user, context);
}

const char *fil_context_error(const fil_context *context)
{
    return context->error;
}

void fil_context_set_threads(fil_context *context, int threads)
{
    // OpenMP ends the process when the system refuses a thread, so an absurd number must not reach it.
    enum { MOST_THREADS = 512 };
    if (threads <= 0)
        threads = omp_get_max_threads();
    context->def.threads = threads < MOST_THREADS ? threads : MOST_THREADS;
}

int fil_context_threads(const fil_context *context)
{
    return context->def.threads;
}

void fil_context_note(fil_context *context, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->error, sizeof context->error, format, arguments);
    va_end(arguments);
}

fil_status fil_context_no_memory(fil_context *context, size_t size)
{
    return fil_context_fail(context, FIL_NO_MEMORY, "out of memory (%zu bytes were asked for)", size);
}

void *fil_context_allocate(fil_context *context, size_t size)
{
    void *memory = context->def.allocate(context->def.user, size ? size : 1);
    if (!memory)
        fil_context_no_memory(context, size);
    return memory;
}

void fil_context_release(fil_context *context, void *memory)
{
    if (memory)
        context->def.release(context->def.user, memory);
}
