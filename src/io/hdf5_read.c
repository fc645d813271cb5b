// A strict reader of the part of HDF5 that FCLIB files use.
//
// Why not the HDF5 library: it crashes and hangs on damaged files (docs/io/fclib.md has the numbers), and a library
// that never crashes cannot hand it bytes of unknown origin. Here every offset is checked against the file size before
// it is used, every loop has a bound that does not come from the file, and nothing is allocated.
//
// What is read (numbers of sections in the "HDF5 File Format Specification Version 3.0"): superblock version 0 or 1
// (II.A) at the start of the file, object headers version 1 (IV.A.1), groups as symbol tables: B-tree version 1
// (III.A.1), local heap (III.D) and symbol nodes (III.C); datasets with contiguous or compact layout (IV.A.2.i),
// dataspaces of rank 0 and 1, little-endian integers and IEEE floats of 4 and 8 bytes, fixed strings. That is what
// FCLIB, and HDF5 up to 1.14 with its default settings, write. Everything else (chunks, filters, links, newer headers)
// is refused with the command that converts such a file.
//
// Cost: a few small reads per object through two windows of 32 kB.
#include "io/hdf5_read.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Bounds on what a single lookup may touch: far above any FCLIB file, low enough that no file can keep us busy.
enum {
    MOST_NODES = 1024,
    MOST_SYMBOLS = 8192,
    MOST_MESSAGES = 256,
    MOST_BLOCKS = 16,
    DEEPEST_TREE = 8,
    PATH_DEPTH = 8
};

enum { STEP = 512 }; // elements converted at a time
static const uint64_t undefined_address = UINT64_MAX;

// ---- bytes

static uint64_t little(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    if (count == 8 || count == 4) {
        memcpy(&value, bytes, (size_t)count); // this machine is little-endian too: hdf5_write.c insists on it
        return value;
    }
    for (int k = count - 1; k >= 0; --k)
        value = value << 8 | bytes[k];
    return value;
}

static fil_status damaged(const fil_hdf5_read *file, const char *where, const char *what)
{
    return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s: the file is damaged (%s)", file->name, where, what);
}

static fil_status foreign(const fil_hdf5_read *file, const char *where, const char *what)
{
    return fil_context_fail(file->context, FIL_BAD_INPUT,
                            "%s: %s: %s is HDF5 that filum does not read: convert the file with "
                            "`h5repack -f NONE -l CONTI IN OUT`",
                            file->name, where, what);
}

// All `length` bytes from `offset`, straight from the disk; the range has been checked.
static fil_status read_file(const fil_hdf5_read *file, uint64_t offset, void *out, uint64_t length)
{
    unsigned char *to = out;
    while (length > 0) {
        size_t piece = length < (1u << 30) ? (size_t)length : 1u << 30;
        ssize_t got = pread(file->descriptor, to, piece, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fil_context_fail(file->context, FIL_IO_FAILED, "%s: cannot read: %s", file->name, strerror(errno));
        if (got == 0)
            return fil_context_fail(file->context, FIL_IO_FAILED, "%s: cannot read: the file became shorter meanwhile",
                                    file->name);
        to += got;
        offset += (uint64_t)got;
        length -= (uint64_t)got;
    }
    return FIL_OK;
}

static bool inside(const fil_hdf5_read *file, uint64_t offset, uint64_t length)
{
    return offset <= file->size && length <= file->size - offset;
}

static bool holds(const fil_hdf5_window *window, uint64_t offset, uint64_t length)
{
    return offset >= window->start && offset + length <= window->start + window->size;
}

// The one way to the bytes: checked against the file size, small pieces through the windows.
static fil_status fetch(fil_hdf5_read *file, const char *where, uint64_t offset, void *out, uint64_t length)
{
    if (length == 0)
        return FIL_OK;
    if (!inside(file, offset, length))
        return damaged(file, where, "it points beyond the end of the file");
    if (file->descriptor < 0) {
        memcpy(out, file->bytes + offset, (size_t)length);
        return FIL_OK;
    }
    if (length > FIL_HDF5_READ_WINDOW)
        return read_file(file, offset, out, length);
    fil_hdf5_window *window = &file->window[file->latest];
    if (!holds(window, offset, length)) {
        // Not in the latest window: the other one has it, or is the one to give up.
        file->latest = 1 - file->latest;
        window = &file->window[file->latest];
    }
    if (!holds(window, offset, length)) {
        uint64_t rest = file->size - offset;
        window->start = offset;
        window->size = 0;
        uint64_t size = rest < FIL_HDF5_READ_WINDOW ? rest : FIL_HDF5_READ_WINDOW;
        fil_status status = read_file(file, offset, window->bytes, size);
        if (status != FIL_OK)
            return status;
        window->size = size;
    }
    memcpy(out, window->bytes + (offset - window->start), (size_t)length);
    return FIL_OK;
}

// ---- opening

// The superblock: what kind of HDF5 this is, whether it is whole, and where the root group lies.
static fil_status read_superblock(fil_hdf5_read *file)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char block[100];
    const char *where = "superblock";
    if (file->size == 0)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: the file is empty", file->name);
    uint64_t size = file->size < sizeof block ? file->size : sizeof block;
    fil_status status = fetch(file, where, 0, block, size);
    if (status != FIL_OK)
        return status;
    if (size < 8 || memcmp(block, signature, 8) != 0)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: not an HDF5 file", file->name);
    if (size >= 9 && block[8] > 1)
        return foreign(file, where, "its version");
    if (size < sizeof block)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: the file is truncated (%llu bytes)", file->name,
                                (unsigned long long)file->size);
    if (block[13] != 8 || block[14] != 8)
        return foreign(file, where, "offsets that are not 8 bytes long");

    // Version 1 has four bytes more ahead of the addresses.
    const unsigned char *rest = block + 24 + (block[8] == 1 ? 4 : 0);
    if (little(rest, 8) != 0)
        return foreign(file, where, "a user block");
    if (little(rest + 16, 8) > file->size)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: the file is truncated (%llu bytes of %llu)",
                                file->name, (unsigned long long)file->size, (unsigned long long)little(rest + 16, 8));
    file->root = little(rest + 40, 8);
    return FIL_OK;
}

// All fields but the bytes of the windows, which would take longer to clear than a small file to read.
static void open_nothing(fil_context *context, const char *name, fil_hdf5_read *file)
{
    file->context = context;
    file->name = name;
    file->descriptor = -1;
    file->bytes = NULL;
    file->size = file->root = 0;
    file->window[0].start = file->window[0].size = file->window[1].start = file->window[1].size = 0;
    file->latest = 0;
}

fil_status fil_hdf5_read_open_bytes(fil_context *context, const char *name, const void *bytes, size_t size,
                                    fil_hdf5_read *file)
{
    open_nothing(context, name, file);
    file->bytes = bytes;
    file->size = size;
    return read_superblock(file);
}

fil_status fil_hdf5_read_open(fil_context *context, const char *path, fil_hdf5_read *file)
{
    open_nothing(context, path, file);
    int descriptor;
    uint64_t size;
    fil_status status = fil_file_open(context, path, "an HDF5 file", &descriptor, &size);
    if (status != FIL_OK)
        return status;
    file->descriptor = descriptor;
    file->size = size;
    status = read_superblock(file);
    if (status != FIL_OK) {
        close(descriptor);
        file->descriptor = -1;
    }
    return status;
}

void fil_hdf5_read_close(fil_hdf5_read *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

// ---- object headers

// What the messages of one header told so far.
typedef struct header {
    bool group, space, type, layout;
    uint64_t storage; // bytes that the layout says are there
} header;

static fil_status read_dataspace(fil_hdf5_read *file, const unsigned char *data, uint64_t size, fil_hdf5_object *object)
{
    if (size < 4 || (data[0] != 1 && data[0] != 2))
        return foreign(file, object->path, "this kind of dataspace");
    int rank = data[1];
    uint64_t start = data[0] == 1 ? 8 : 4;
    if (rank > 1)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s: must have one dimension (has %d)", file->name,
                                object->path, rank);
    object->count = 1;
    if (data[0] == 2 && data[3] == 2) // the null space: no elements at all
        object->count = 0;
    if (rank == 0)
        return FIL_OK;
    if (size < start + 8)
        return damaged(file, object->path, "its dataspace is cut short");
    uint64_t count = little(data + start, 8);
    if (count > INT64_MAX / 8)
        return damaged(file, object->path, "it has too many elements");
    object->count = (int64_t)count;
    return FIL_OK;
}

static fil_status read_datatype(fil_hdf5_read *file, const unsigned char *data, uint64_t size, fil_hdf5_object *object)
{
    // IEEE floats of 4 and 8 bytes: precision, places of exponent and mantissa, bias.
    static const unsigned char float4[12] = {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0};
    static const unsigned char float8[12] = {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
    if (size < 8)
        return damaged(file, object->path, "its datatype is cut short");
    int class = data[0] & 15;
    uint64_t bytes = little(data + 4, 4);
    if (bytes == 0 || bytes > INT_MAX)
        return damaged(file, object->path, "its elements have an impossible size");
    object->element_size = (int)bytes;
    if (class == 3) {
        object->kind = FIL_HDF5_STRING;
        return FIL_OK;
    }
    bool plain = (bytes == 4 || bytes == 8) && !(data[1] & 1);
    if (class == 0 && plain && size >= 12 && little(data + 8, 2) == 0 && little(data + 10, 2) == 8 * bytes) {
        object->kind = FIL_HDF5_INTEGER;
        object->is_signed = data[1] & 8;
        return FIL_OK;
    }
    bool ieee = class == 1 && plain && !(data[1] & 0x40) && (data[1] & 0x30) == 0x20 && data[2] == 8 * bytes - 1;
    if (ieee && size >= 20 && memcmp(data + 8, bytes == 4 ? float4 : float8, 12) == 0) {
        object->kind = FIL_HDF5_REAL;
        return FIL_OK;
    }
    return fil_context_fail(file->context, FIL_BAD_INPUT,
                            "%s: %s: must hold little-endian integers or IEEE floats of 4 or 8 bytes", file->name,
                            object->path);
}

// `offset` is where the message lies in the file: compact data is part of it.
static fil_status read_layout(fil_hdf5_read *file, const unsigned char *data, uint64_t size, uint64_t offset,
                              header *seen, fil_hdf5_object *object)
{
    if (size < 4 || (data[0] != 3 && data[0] != 4))
        return foreign(file, object->path, "this storage layout");
    if (data[1] == 0) {
        seen->storage = little(data + 2, 2);
        object->address = offset + 4;
        return seen->storage <= size - 4 ? FIL_OK : damaged(file, object->path, "its compact data is cut short");
    }
    if (data[1] != 1)
        return foreign(file, object->path, "chunked storage");
    if (size < 18)
        return damaged(file, object->path, "its layout is cut short");
    object->address = little(data + 2, 8);
    seen->storage = little(data + 10, 8);
    return FIL_OK;
}

static fil_status read_message(fil_hdf5_read *file, int type, uint64_t offset, uint64_t size, header *seen,
                               fil_hdf5_object *object)
{
    unsigned char data[64];
    if (type != 0x01 && type != 0x03 && type != 0x08 && type != 0x11 && type != 0x02 && type != 0x07)
        return FIL_OK;
    fil_status status = fetch(file, object->path, offset, data, size < sizeof data ? size : sizeof data);
    // The messages below need at most 20 bytes; the true size counts where compact data follows.
    uint64_t seen_size = type == 0x08 ? size : size < sizeof data ? size : sizeof data;
    if (status != FIL_OK)
        return status;
    switch (type) {
    case 0x01:
        seen->space = true;
        return read_dataspace(file, data, seen_size, object);
    case 0x03:
        seen->type = true;
        return read_datatype(file, data, seen_size, object);
    case 0x08:
        seen->layout = true;
        return read_layout(file, data, seen_size, offset, seen, object);
    case 0x11:
        if (size < 16)
            return damaged(file, object->path, "its symbol table is cut short");
        seen->group = true;
        object->tree = little(data, 8);
        object->heap = little(data + 8, 8);
        return FIL_OK;
    case 0x02:
        return foreign(file, object->path, "a group of the newer kind");
    default:
        return foreign(file, object->path, "storage in external files");
    }
}

// A list of pieces of a header still to be read: the first, and the continuations found on the way.
typedef struct pieces {
    uint64_t start[MOST_BLOCKS], size[MOST_BLOCKS];
    int count;
} pieces;

static fil_status read_piece(fil_hdf5_read *file, pieces *todo, int piece, int *messages, header *seen,
                             fil_hdf5_object *object)
{
    uint64_t at = todo->start[piece], end = at + todo->size[piece];
    while (end - at >= 8 && *messages > 0) {
        unsigned char head[8], data[16];
        fil_status status = fetch(file, object->path, at, head, 8);
        if (status != FIL_OK)
            return status;
        uint64_t type = little(head, 2), size = little(head + 2, 2);
        at += 8;
        if (size > end - at)
            return damaged(file, object->path, "a header message is cut short");
        --*messages;
        if (type == 0x10) {
            if (size < 16 || todo->count == MOST_BLOCKS)
                return damaged(file, object->path, "a header continuation makes no sense");
            if ((status = fetch(file, object->path, at, data, 16)) != FIL_OK)
                return status;
            todo->start[todo->count] = little(data, 8);
            todo->size[todo->count] = little(data + 8, 8);
            if (!inside(file, todo->start[todo->count], todo->size[todo->count]))
                return damaged(file, object->path, "a header continuation points beyond the end of the file");
            ++todo->count;
        } else if ((head[4] & 2) && (type == 0x01 || type == 0x03)) {
            return foreign(file, object->path, "a shared header message");
        } else if ((status = read_message(file, (int)type, at, size, seen, object)) != FIL_OK) {
            return status;
        }
        at += size;
    }
    return FIL_OK;
}

// A dataset must be described completely, and all its bytes must lie in the file.
static fil_status check_dataset(fil_hdf5_read *file, const header *seen, fil_hdf5_object *object)
{
    if (!seen->space || !seen->type || !seen->layout)
        return damaged(file, object->path, "it is neither a group nor a dataset");
    if (object->count == 0)
        return FIL_OK;
    if (object->address == undefined_address)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s: its data were never written", file->name,
                                object->path);
    uint64_t bytes;
    if (__builtin_mul_overflow((uint64_t)object->count, (uint64_t)object->element_size, &bytes) ||
        bytes > seen->storage || !inside(file, object->address, bytes))
        return damaged(file, object->path, "its data lie beyond the end of the file");
    return FIL_OK;
}

static fil_status read_object(fil_hdf5_read *file, uint64_t address, fil_hdf5_object *object)
{
    unsigned char head[16];
    fil_status status = fetch(file, object->path, address, head, sizeof head);
    if (status != FIL_OK)
        return status;
    if (memcmp(head, "OHDR", 4) == 0)
        return foreign(file, object->path, "an object header of the newer kind");
    if (head[0] != 1)
        return damaged(file, object->path, "its header is not one");
    int messages = (int)little(head + 2, 2);
    if (messages > MOST_MESSAGES)
        messages = MOST_MESSAGES;
    pieces todo = {.start = {address + 16}, .size = {little(head + 8, 4)}, .count = 1};
    if (!inside(file, todo.start[0], todo.size[0]))
        return damaged(file, object->path, "its header points beyond the end of the file");
    header seen = {0};
    for (int k = 0; k < todo.count; ++k)
        if ((status = read_piece(file, &todo, k, &messages, &seen, object)) != FIL_OK)
            return status;
    if (seen.group) {
        object->kind = FIL_HDF5_GROUP;
        return FIL_OK;
    }
    return check_dataset(file, &seen, object);
}

// ---- groups

// One search for a name in a group.
typedef struct search {
    const char *where, *name;   // the group's path for sentences; the name wanted
    uint64_t names, names_size; // the data of the local heap
    int nodes, symbols;         // what may still be looked at
    bool found;
    uint64_t address;
} search;

static fil_status search_symbols(fil_hdf5_read *file, uint64_t address, search *s)
{
    unsigned char head[8], entry[40];
    char name[64];
    size_t length = strlen(s->name);
    fil_status status = fetch(file, s->where, address, head, 8);
    if (status != FIL_OK)
        return status;
    if (memcmp(head, "SNOD", 4) != 0)
        return damaged(file, s->where, "a list of members is not one");
    int count = (int)little(head + 6, 2);
    for (int k = 0; k < count && !s->found; ++k) {
        if (--s->symbols < 0)
            return damaged(file, s->where, "it has too many members");
        status = fetch(file, s->where, address + 8 + 40 * (uint64_t)k, entry, sizeof entry);
        if (status != FIL_OK)
            return status;
        uint64_t offset = little(entry, 8);
        if (offset >= s->names_size)
            return damaged(file, s->where, "a member's name lies outside the heap");
        // A name that does not fit in what is left of the heap cannot be the one.
        if (s->names_size - offset <= length)
            continue;
        if ((status = fetch(file, s->where, s->names + offset, name, length + 1)) != FIL_OK)
            return status;
        if (memcmp(name, s->name, length + 1) != 0)
            continue;
        if (little(entry + 16, 4) == 2)
            return foreign(file, s->where, "a symbolic link");
        s->found = true;
        s->address = little(entry + 8, 8);
    }
    return FIL_OK;
}

// The keys of the tree are not trusted: all leaves are looked at, in order, until the budget is spent.
static fil_status search_tree(fil_hdf5_read *file, uint64_t address, int parent_level, search *s)
{
    unsigned char head[24], child[8];
    fil_status status = fetch(file, s->where, address, head, sizeof head);
    if (status != FIL_OK)
        return status;
    int level = head[5], count = (int)little(head + 6, 2);
    if (memcmp(head, "TREE", 4) != 0 || head[4] != 0 || level >= parent_level)
        return damaged(file, s->where, "its tree of members is not one");
    for (int k = 0; k < count && !s->found; ++k) {
        if (--s->nodes < 0)
            return damaged(file, s->where, "it has too many members");
        status = fetch(file, s->where, address + 24 + 8 + 16 * (uint64_t)k, child, 8);
        if (status == FIL_OK)
            status =
                level > 0 ? search_tree(file, little(child, 8), level, s) : search_symbols(file, little(child, 8), s);
        if (status != FIL_OK)
            return status;
    }
    return FIL_OK;
}

static fil_status find_member(fil_hdf5_read *file, const fil_hdf5_object *group, const char *name, search *s)
{
    *s = (search){.where = group->path, .name = name, .nodes = MOST_NODES, .symbols = MOST_SYMBOLS};
    unsigned char head[32];
    fil_status status = fetch(file, s->where, group->heap, head, sizeof head);
    if (status != FIL_OK)
        return status;
    if (memcmp(head, "HEAP", 4) != 0)
        return damaged(file, s->where, "its heap of names is not one");
    s->names_size = little(head + 8, 8);
    s->names = little(head + 24, 8);
    if (!inside(file, s->names, s->names_size))
        return damaged(file, s->where, "its names lie beyond the end of the file");
    return search_tree(file, group->tree, DEEPEST_TREE, s);
}

fil_status fil_hdf5_read_find(fil_hdf5_read *file, const char *path, fil_hdf5_object *object, bool *found)
{
    *found = false;
    *object = (fil_hdf5_object){.path = "/"};
    fil_status status = read_object(file, file->root, object);
    for (int depth = 0; status == FIL_OK; ++depth) {
        // Cut the next name off the path.
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (length == 0) {
            *found = true;
            return FIL_OK;
        }
        char name[32];
        FIL_ASSERT(length < sizeof name && depth < PATH_DEPTH);
        if (object->kind != FIL_HDF5_GROUP)
            return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s: must be a group", file->name, object->path);
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        search s;
        status = find_member(file, object, name, &s);
        if (status != FIL_OK || !s.found)
            return status;
        fil_hdf5_object member = {0};
        snprintf(member.path, sizeof member.path, "%.60s/%s", object->path[1] ? object->path : "", name);
        *object = member;
        status = read_object(file, s.address, object);
        path += length;
    }
    return status;
}

// ---- elements

static fil_status fetch_elements(fil_hdf5_read *file, const fil_hdf5_object *set, int64_t first, int64_t count,
                                 unsigned char piece[8 * STEP])
{
    uint64_t size = (uint64_t)set->element_size;
    return fetch(file, set->path, set->address + (uint64_t)first * size, piece, (uint64_t)count * size);
}

fil_status fil_hdf5_read_integers(fil_hdf5_read *file, const fil_hdf5_object *set, int64_t first, int64_t count,
                                  int *out)
{
    FIL_ASSERT(set->kind == FIL_HDF5_INTEGER && first >= 0 && count >= 0 && first + count <= set->count);
    unsigned char piece[8 * STEP];
    for (int64_t done = 0; done < count; done += STEP) {
        int64_t now = count - done < STEP ? count - done : STEP;
        uint64_t size = (uint64_t)set->element_size;
        fil_status status = fetch_elements(file, set, first + done, now, piece);
        if (status != FIL_OK)
            return status;
        for (int64_t k = 0; k < now; ++k) {
            uint64_t raw = little(piece + (uint64_t)k * size, (int)size);
            int64_t value = size == 4 && set->is_signed ? (int32_t)(uint32_t)raw : (int64_t)raw;
            bool huge = size == 8 && !set->is_signed && raw > INT64_MAX;
            if (huge || value < INT_MIN || value > INT_MAX)
                return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s[%lld]: the number does not fit 32 bits",
                                        file->name, set->path, (long long)(first + done + k));
            out[done + k] = (int)value;
        }
    }
    return FIL_OK;
}

fil_status fil_hdf5_read_reals(fil_hdf5_read *file, const fil_hdf5_object *set, int64_t first, int64_t count,
                               double *out)
{
    FIL_ASSERT(set->kind == FIL_HDF5_REAL && first >= 0 && count >= 0 && first + count <= set->count);
    unsigned char piece[8 * STEP];
    for (int64_t done = 0; done < count; done += STEP) {
        int64_t now = count - done < STEP ? count - done : STEP;
        uint64_t size = (uint64_t)set->element_size;
        fil_status status = fetch_elements(file, set, first + done, now, piece);
        if (status != FIL_OK)
            return status;
        for (int64_t k = 0; k < now; ++k) {
            uint64_t raw = little(piece + (uint64_t)k * size, (int)size);
            uint32_t half = (uint32_t)raw;
            float narrow;
            memcpy(&narrow, &half, 4);
            memcpy(&out[done + k], &raw, 8);
            if (size == 4)
                out[done + k] = (double)narrow;
        }
    }
    return FIL_OK;
}

fil_status fil_hdf5_read_string(fil_hdf5_read *file, const fil_hdf5_object *set, char *out, size_t size)
{
    FIL_ASSERT(set->kind == FIL_HDF5_STRING && size > 0);
    size_t length = (size_t)set->element_size < size - 1 ? (size_t)set->element_size : size - 1;
    memset(out, 0, size);
    return set->count > 0 ? fetch(file, set->path, set->address, out, length) : FIL_OK;
}
