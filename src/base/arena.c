// An arena is a chain of blocks. A new block is an eighth of all before it, or as large as the array that asked for it:
// the number of blocks stays logarithmic and little is held that nobody uses. Rewinding keeps the blocks: a loop that
// marks, allocates and rewinds asks the machine for memory only in its first round.
#define _DEFAULT_SOURCE // madvise
#include "base/arena.h"

#include "base/parallel.h"

#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

enum { ALIGNMENT = 64, FIRST_BLOCK = 1 << 16 };

typedef struct arena_block {
    struct arena_block *next; // the block that follows in use, or waits to be used again
    size_t size, used;
    char *data;
} arena_block;

struct fil_arena {
    fil_context *context;
    arena_block *first, *current;
    size_t total;
    size_t reserve;  // how large the next block must be at least
    fil_arena *next; // of those that wait in the context
};

fil_arena *fil_arena_create(fil_context *context)
{
    fil_arena *arena = fil_context_allocate(context, sizeof *arena);
    if (arena)
        *arena = (fil_arena){.context = context};
    return arena;
}

static void release_blocks(fil_arena *arena)
{
    for (arena_block *block = arena->first; block;) {
        arena_block *next = block->next;
        fil_context_release(arena->context, block);
        block = next;
    }
    arena->first = arena->current = NULL;
}

void fil_arena_destroy(fil_arena *arena)
{
    if (!arena)
        return;
    release_blocks(arena);
    fil_context_release(arena->context, arena);
}

// Large blocks want large pages: a hundred times fewer page faults, and the caches of addresses reach farther.
static void ask_for_large_pages(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
    const size_t page = 1 << 21, before = -(uintptr_t)memory % page;
    if (size >= before + page)
        madvise((char *)memory + before, (size - before) / page * page, MADV_HUGEPAGE); // advice: may be refused
#else
    (void)memory, (void)size;
#endif
}

static arena_block *append_block(fil_arena *arena, size_t bytes)
{
    size_t size = arena->total / 8 > FIRST_BLOCK ? arena->total / 8 / ALIGNMENT * ALIGNMENT : FIRST_BLOCK;
    if (size < arena->reserve)
        size = arena->reserve;
    if (size < bytes)
        size = bytes;
    arena_block *block = fil_context_allocate(arena->context, sizeof *block + size + ALIGNMENT);
    if (!block)
        return NULL;
    ask_for_large_pages(block, size);
    char *behind = (char *)(block + 1);
    *block = (arena_block){.size = size, .data = behind + (-(uintptr_t)behind) % ALIGNMENT};
    if (arena->current) {
        block->next = arena->current->next;
        arena->current->next = block;
    } else {
        block->next = arena->first;
        arena->first = block;
    }
    arena->total += size;
    arena->reserve = 0;
    return block;
}

fil_arena *fil_arena_borrow(fil_context *context)
{
    fil_arena *arena = context->spare;
    if (!arena)
        return fil_arena_create(context);
    context->spare = arena->next;
    return arena;
}

void fil_arena_give_back(fil_arena *arena)
{
    const size_t most = (size_t)2048 << 20; // a step with 300,000 contacts takes 2 GB, time and again
    if (!arena)
        return;
    size_t kept = arena->total;
    for (const fil_arena *other = arena->context->spare; other; other = other->next)
        kept += other->total;
    if (kept > most) {
        fil_arena_destroy(arena);
        return;
    }
    // One block for all serves the next round better than many.
    if (arena->first && arena->first->next) {
        arena->reserve = arena->total + arena->total / 8;
        arena->total = 0;
        release_blocks(arena);
    }
    arena->current = NULL;
    arena->next = arena->context->spare;
    arena->context->spare = arena;
}

// Rounded up to the alignment; 0: no machine has so much.
static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return 0;
    return bytes > 0 ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

void *fil_arena_allocate_raw(fil_arena *arena, size_t count, size_t size)
{
    size_t bytes = bytes_of(count, size);
    if (bytes == 0) {
        fil_context_no_memory(arena->context, SIZE_MAX);
        return NULL;
    }
    arena_block *block = arena->current;
    if (!block || block->size - block->used < bytes) {
        // Blocks behind the current one are free: left by a rewind.
        block = block ? block->next : arena->first;
        while (block && block->size < bytes)
            block = block->next;
        if (!block)
            block = append_block(arena, bytes);
        if (!block)
            return NULL;
        block->used = 0;
        arena->current = block;
    }
    void *memory = block->data + block->used;
    block->used += bytes;
    return memory;
}

static void clear_bytes(void *data, int64_t begin, int64_t end)
{
    memset((char *)data + begin, 0, (size_t)(end - begin));
}

// Large arrays are cleared, and their pages fetched, by all threads.
void *fil_arena_allocate(fil_arena *arena, size_t count, size_t size)
{
    const int64_t share = 1 << 18;
    void *memory = fil_arena_allocate_raw(arena, count, size);
    if (memory)
        fil_parallel_for(arena->context, (int64_t)bytes_of(count, size), share, clear_bytes, memory);
    return memory;
}

fil_arena_mark fil_arena_mark_now(const fil_arena *arena)
{
    return (fil_arena_mark){.block = arena->current, .used = arena->current ? arena->current->used : 0};
}

void fil_arena_rewind(fil_arena *arena, fil_arena_mark mark)
{
    arena->current = mark.block;
    if (arena->current)
        arena->current->used = mark.used;
}
