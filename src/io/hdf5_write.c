// Writes the part of HDF5 that FCLIB files use: superblock 0, symbol-table groups, contiguous datasets of rank one.
//
// Why not the HDF5 library: the reader had to be our own (hdf5_read.c), and the same few structures written by us cost
// less than the library's global state, lock and error stack would; filum then needs no HDF5 at all, the same problem
// always gives the same bytes (the library adds the time of day), and a full disk is one failed fwrite. FCLIB and the
// HDF5 library judge the result in the tests.
//
// One pass: the headers and data of datasets as they come; a group when it closes, because only then the places of its
// members are known; the superblock last, over the room left for it. Section numbers as in hdf5_read.c.
//
// Limits: 8 members per group, as many as one symbol node of the default size holds; names of at most 15 characters.
#include "io/hdf5_write.h"

#include <errno.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays go to the file as they lie in memory");

enum { SUPERBLOCK = 96, LEAF_K = 4, INTERNAL_K = 16, NAME = FIL_HDF5_WRITE_NAME };

// ---- bytes

static void fail(fil_hdf5_write *out)
{
    if (out->status == FIL_OK)
        out->status = fil_context_fail(out->context, FIL_IO_FAILED, "%s: cannot write: %s", out->path, strerror(errno));
}

static void put(fil_hdf5_write *out, const void *bytes, size_t size)
{
    if (out->status != FIL_OK || size == 0)
        return;
    if (fwrite(bytes, 1, size, out->file) != size)
        fail(out);
    out->at += size;
}

static void put_number(fil_hdf5_write *out, uint64_t value, int size)
{
    unsigned char bytes[8];
    for (int k = 0; k < size; ++k)
        bytes[k] = (unsigned char)(value >> (8 * k));
    put(out, bytes, (size_t)size);
}

static void put_zeros(fil_hdf5_write *out, uint64_t count)
{
    static const unsigned char zeros[64];
    for (; count > 0; count -= count < sizeof zeros ? count : sizeof zeros)
        put(out, zeros, count < sizeof zeros ? (size_t)count : sizeof zeros);
}

static void align(fil_hdf5_write *out)
{
    put_zeros(out, (8 - out->at % 8) % 8);
}

// ---- groups

static fil_hdf5_member *add_member(fil_hdf5_write *out, const char *name)
{
    FIL_ASSERT(out->group[out->depth].count < FIL_HDF5_WRITE_MEMBERS && strlen(name) < NAME);
    fil_hdf5_member *member = &out->group[out->depth].member[out->group[out->depth].count++];
    // The slot may have served another group: nothing of it may reach the file.
    *member = (fil_hdf5_member){0};
    memcpy(member->name, name, strlen(name));
    return member;
}

void fil_hdf5_write_group(fil_hdf5_write *out, const char *name)
{
    FIL_ASSERT(out->depth + 1 < FIL_HDF5_WRITE_DEPTH && strlen(name) < NAME);
    ++out->depth;
    out->group[out->depth].count = 0;
    snprintf(out->group[out->depth].name, sizeof out->group[out->depth].name, "%s", name);
}

// Symbol table entry (III.C): the place of the name in the heap, of the header, and for groups the cached tree and
// heap.
static void put_symbol(fil_hdf5_write *out, uint64_t name, const fil_hdf5_member *member)
{
    put_number(out, name, 8);
    put_number(out, member->header, 8);
    put_number(out, member->tree != 0, 4);
    put_number(out, 0, 4);
    put_number(out, member->tree, 8);
    put_number(out, member->heap, 8);
}

// The members of the current group must be in the order of their names.
static void sort_members(fil_hdf5_member *member, int count)
{
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0 && strcmp(member[j - 1].name, member[j].name) > 0; --j) {
            fil_hdf5_member swap = member[j];
            member[j] = member[j - 1];
            member[j - 1] = swap;
        }
}

// Local heap (III.D): an empty name first, then each name in as much room as any; no free space.
static void put_heap(fil_hdf5_write *out, const fil_hdf5_member *member, int count)
{
    put(out, "HEAP\0\0\0", 8);
    put_number(out, NAME * ((uint64_t)count + 1), 8);
    put_number(out, 1, 8); // the end of the list of free blocks
    put_number(out, out->at + 8, 8);
    put_zeros(out, NAME);
    for (int k = 0; k < count; ++k)
        put(out, member[k].name, NAME);
}

// The current group as heap, symbol node, tree with this one leaf, header. Returns how it is to be entered elsewhere.
static fil_hdf5_member put_group(fil_hdf5_write *out)
{
    fil_hdf5_member *member = out->group[out->depth].member;
    int count = out->group[out->depth].count;
    sort_members(member, count);
    align(out);
    fil_hdf5_member self = {.heap = out->at};
    put_heap(out, member, count);

    // Symbol node (III.C), padded to the room for 2 K entries.
    uint64_t node = out->at;
    put(out, "SNOD\1\0", 6);
    put_number(out, (uint64_t)count, 2);
    for (int k = 0; k < count; ++k)
        put_symbol(out, NAME * ((uint64_t)k + 1), &member[k]);
    put_zeros(out, 40 * (uint64_t)(2 * LEAF_K - count));

    // B-tree (III.A.1): one child between the empty name and the last; padded to its full size.
    self.tree = out->at;
    put(out, "TREE\0\0", 6);
    put_number(out, count > 0, 2);
    put_number(out, UINT64_MAX, 8);
    put_number(out, UINT64_MAX, 8);
    put_number(out, 0, 8);
    put_number(out, count > 0 ? node : 0, 8);
    put_number(out, NAME * (uint64_t)count, 8);
    put_zeros(out, (2 * INTERNAL_K * 2 + 1) * 8 - 24);

    // Object header (IV.A.1.a) with one message, the symbol table (IV.A.2.r).
    self.header = out->at;
    put_number(out, 1, 2);
    put_number(out, 1, 2);
    put_number(out, 1, 4);
    put_number(out, 24, 8);
    put_number(out, 0x11, 2);
    put_number(out, 16, 6);
    put_number(out, self.tree, 8);
    put_number(out, self.heap, 8);
    return self;
}

void fil_hdf5_write_end(fil_hdf5_write *out)
{
    FIL_ASSERT(out->depth > 0 && out->pending == 0);
    fil_hdf5_member self = put_group(out);
    const char *name = out->group[out->depth--].name;
    fil_hdf5_member *member = add_member(out, name);
    member->header = self.header;
    member->tree = self.tree;
    member->heap = self.heap;
}

// ---- datasets

static void put_message_head(fil_hdf5_write *out, int type, int size)
{
    put_number(out, (uint64_t)type, 2);
    put_number(out, (uint64_t)size, 2);
    put_number(out, 0, 4);
}

// Datatype messages (IV.A.2.d), padded to 24 bytes: class and version, bit field, size, properties.
typedef struct datatype {
    unsigned char head[4];
    uint32_t size;
    unsigned char properties[16];
} datatype;

static const datatype integer_type = {{0x10, 0x08, 0, 0}, 4, {0, 0, 32, 0}};
static const datatype real_type = {{0x11, 0x20, 63, 0}, 8, {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0}};

// The header of a dataset; its data follow. A negative count makes a scalar, as strings are.
static void begin(fil_hdf5_write *out, const char *name, const datatype *type, int64_t count)
{
    FIL_ASSERT(out->pending == 0);
    align(out);
    fil_hdf5_member *member = add_member(out, name);
    member->header = out->at;
    uint64_t elements = count < 0 ? 1 : (uint64_t)count;
    uint64_t bytes = elements * type->size;
    int space_size = count < 0 ? 8 : 16;
    int header_size = 8 + space_size + 8 + 24 + 8 + 8 + 8 + 24;
    put_number(out, 1, 2);
    put_number(out, 4, 2);
    put_number(out, 1, 4);
    put_number(out, (uint64_t)header_size, 8);

    // Dataspace (IV.A.2.b).
    put_message_head(out, 0x01, space_size);
    put_number(out, 1, 1);
    put_number(out, count >= 0, 7);
    if (count >= 0)
        put_number(out, elements, 8);
    // Datatype.
    put_message_head(out, 0x03, 24);
    put(out, type->head, 4);
    put_number(out, type->size, 4);
    put(out, type->properties, 16);
    // Fill value (IV.A.2.f): space allocated late, fill when set, none set.
    put_message_head(out, 0x05, 8);
    put(out, "\2\2\2\1\0\0\0", 8);
    // Layout (IV.A.2.i): contiguous, right behind this header.
    put_message_head(out, 0x08, 24);
    put_number(out, 3, 1);
    put_number(out, 1, 1);
    put_number(out, bytes > 0 ? out->at + 22 : UINT64_MAX, 8);
    put_number(out, bytes, 8);
    put_zeros(out, 6);
    out->pending = bytes;
}

static void more(fil_hdf5_write *out, const void *values, uint64_t bytes)
{
    FIL_ASSERT(bytes <= out->pending);
    out->pending -= bytes;
    put(out, values, (size_t)bytes);
}

void fil_hdf5_write_begin_integers(fil_hdf5_write *out, const char *name, int64_t count)
{
    begin(out, name, &integer_type, count);
}

void fil_hdf5_write_begin_reals(fil_hdf5_write *out, const char *name, int64_t count)
{
    begin(out, name, &real_type, count);
}

void fil_hdf5_write_more_integers(fil_hdf5_write *out, const int *values, int64_t count)
{
    _Static_assert(sizeof(int) == 4, "the file holds integers of 4 bytes");
    more(out, values, 4 * (uint64_t)count);
}

void fil_hdf5_write_more_reals(fil_hdf5_write *out, const double *values, int64_t count)
{
    more(out, values, 8 * (uint64_t)count);
}

void fil_hdf5_write_integers(fil_hdf5_write *out, const char *name, const int *values, int64_t count)
{
    fil_hdf5_write_begin_integers(out, name, count);
    fil_hdf5_write_more_integers(out, values, count);
}

void fil_hdf5_write_reals(fil_hdf5_write *out, const char *name, const double *values, int64_t count)
{
    fil_hdf5_write_begin_reals(out, name, count);
    fil_hdf5_write_more_reals(out, values, count);
}

void fil_hdf5_write_string(fil_hdf5_write *out, const char *name, const char *text)
{
    datatype type = {{0x13, 0, 0, 0}, (uint32_t)strlen(text) + 1, {0}};
    begin(out, name, &type, -1);
    more(out, text, type.size);
}

// ---- the file

fil_status fil_hdf5_write_open(fil_context *context, const char *path, fil_hdf5_write *out)
{
    *out = (fil_hdf5_write){.context = context, .path = path};
    out->status = fil_file_temporary(context, path, out->temporary);
    if (out->status != FIL_OK)
        return out->status;
    out->file = fopen(out->temporary, "wb");
    if (!out->file) {
        fail(out);
        fil_file_discard(out->temporary);
        return out->status;
    }
    put_zeros(out, SUPERBLOCK);
    return FIL_OK;
}

// Superblock version 0 (II.A).
static void put_superblock(fil_hdf5_write *out, const fil_hdf5_member *root, uint64_t end)
{
    put(out, "\x89HDF\r\n\x1a\n", 8);
    put(out, "\0\0\0\0\0\10\10", 8);
    put_number(out, LEAF_K, 2);
    put_number(out, INTERNAL_K, 2);
    put_number(out, 0, 4);
    put_number(out, 0, 8);
    put_number(out, UINT64_MAX, 8);
    put_number(out, end, 8);
    put_number(out, UINT64_MAX, 8);
    put_symbol(out, 0, root);
}

fil_status fil_hdf5_write_commit(fil_hdf5_write *out)
{
    FIL_ASSERT(out->depth == 0 && out->pending == 0);
    fil_hdf5_member root = put_group(out);
    uint64_t end = out->at;
    if (out->status == FIL_OK && fseek(out->file, 0, SEEK_SET) != 0)
        fail(out);
    put_superblock(out, &root, end);
    if (fclose(out->file) != 0)
        fail(out);
    out->file = NULL;
    if (out->status != FIL_OK) {
        fil_file_discard(out->temporary);
        return out->status;
    }
    return fil_file_commit(out->context, out->temporary, out->path);
}

void fil_hdf5_write_cancel(fil_hdf5_write *out)
{
    fclose(out->file);
    out->file = NULL;
    fil_file_discard(out->temporary);
}
