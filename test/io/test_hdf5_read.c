// The reader of HDF5 bytes: damaged files in great number, and the kinds of HDF5 that it refuses by name.
#include "test.h"

#include "base/rng.h"
#include "io/io_fclib.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 32, MOST_BYTES = 1 << 16 };

typedef struct sample {
    char name[64];
    unsigned char bytes[MOST_BYTES];
    size_t size;
} sample;

static sample samples[MOST_FILES];

// The corpus of the fuzzer, in the order of names, so that every machine tries the same mutations.
static int load_samples(void)
{
    char folder[2048];
    snprintf(folder, sizeof folder, "%s", test_source("fuzz/corpus/fclib"));
    struct dirent **list;
    int count = 0, found = scandir(folder, &list, NULL, alphasort);
    for (int k = 0; k < found; ++k) {
        if (list[k]->d_name[0] != '.') {
            ck_assert_int_lt(count, MOST_FILES);
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folder, list[k]->d_name);
            snprintf(samples[count].name, sizeof samples[count].name, "%.60s", list[k]->d_name);
            FILE *file = fopen(path, "rb");
            samples[count].size = fread(samples[count].bytes, 1, MOST_BYTES, file);
            fclose(file);
            ++count;
        }
        free(list[k]);
    }
    free(list);
    ck_assert_int_gt(count, 5);
    return count;
}

// Any answer is right but a crash, a problem that breaks the rules, or a failure without a sentence.
static fil_status try_bytes(fil_context *context, const unsigned char *bytes, size_t size)
{
    // A copy of exactly this size lets the address sanitizer see a step beyond its end.
    unsigned char *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    fil_contact_problem *problem;
    fil_status status = fil_io_fclib_read_bytes(context, "bytes", copy, size, &problem);
    if (status == FIL_OK)
        test_ok(context, fil_contact_problem_check(context, problem));
    else
        ck_assert_msg(status == FIL_BAD_INPUT && !problem && fil_context_error(context)[0], "status %d", status);
    fil_contact_problem_destroy(problem);
    free(copy);
    return status;
}

TEST(hdf5_corpus_is_read)
{
    fil_context *context = fil_context_create(NULL);
    int count = load_samples();
    for (int k = 0; k < count; ++k)
        ck_assert_msg(try_bytes(context, samples[k].bytes, samples[k].size) == FIL_OK, "%s: %s", samples[k].name,
                      fil_context_error(context));
    fil_context_destroy(context);
}

TEST(hdf5_truncated_files_are_refused)
{
    fil_context *context = fil_context_create(NULL);
    int count = load_samples();
    for (int k = 0; k < count; ++k)
        for (size_t size = 0; size < samples[k].size; size += size < 128 ? 1 : 13)
            ck_assert_int_eq(try_bytes(context, samples[k].bytes, size), FIL_BAD_INPUT);
    fil_context_destroy(context);
}

TEST(hdf5_flipped_bits_do_no_harm)
{
    fil_context *context = fil_context_create(NULL);
    int count = load_samples(), tries = 0, refused = 0, rounds = test_long() ? 1 : 4;
    for (int k = 0; k < count; ++k)
        for (size_t at = 0; at < samples[k].size; at += (size_t)rounds) {
            unsigned char *byte = &samples[k].bytes[at], kept = *byte;
            *byte ^= (unsigned char)(1u << (at / 4 % 8));
            refused += try_bytes(context, samples[k].bytes, samples[k].size) != FIL_OK;
            *byte = kept;
            ++tries;
        }
    ck_assert_msg(tries >= 10000 && refused > 0 && refused < tries, "%d of %d refused", refused, tries);
    fil_context_destroy(context);
}

// Several changes at once: special bytes, huge numbers, pieces of the file in other places.
TEST(hdf5_mutations_do_no_harm)
{
    fil_context *context = fil_context_create(NULL);
    fil_rng rng = fil_rng_make(20110501);
    int count = load_samples(), rounds = test_long() ? 2000000 : 30000, refused = 0;
    static unsigned char bytes[MOST_BYTES];
    for (int round = 0; round < rounds; ++round) {
        const sample *from = &samples[round % count];
        int size = (int)from->size;
        memcpy(bytes, from->bytes, from->size);
        for (int changes = 1 + fil_rng_below(&rng, 6); changes > 0; --changes) {
            int at = fil_rng_below(&rng, size - 16), other = fil_rng_below(&rng, size - 16);
            // Bytes that are not zero carry the structure.
            for (int tries = 0; tries < 20 && !bytes[at]; ++tries)
                at = fil_rng_below(&rng, size - 16);
            switch (fil_rng_below(&rng, 4)) {
            case 0:
                bytes[at] = (unsigned char)fil_rng_bits(&rng);
                break;
            case 1:
                bytes[at] = (unsigned char)(bytes[at] + fil_rng_below(&rng, 3) - 1);
                break;
            case 2:
                memset(bytes + at / 8 * 8, fil_rng_below(&rng, 2) ? 0xff : 0, (size_t)2 << fil_rng_below(&rng, 3));
                break;
            default:
                memmove(bytes + at / 8 * 8, bytes + other / 8 * 8, (size_t)8 << fil_rng_below(&rng, 2));
            }
        }
        refused += try_bytes(context, bytes, from->size) != FIL_OK;
    }
    ck_assert_msg(refused > rounds / 10 && refused < rounds, "%d of %d refused", refused, rounds);
    fil_context_destroy(context);
}

// Where `pattern` first lies behind `from`.
static unsigned char *find_bytes(sample *in, size_t from, const char *pattern, size_t length)
{
    for (size_t at = from; at + length <= in->size; ++at)
        if (memcmp(in->bytes + at, pattern, length) == 0)
            return in->bytes + at;
    ck_abort_msg("the pattern is not in %s", in->name);
    return NULL;
}

static sample *find_sample(int count, const char *name)
{
    for (int k = 0; k < count; ++k)
        if (strcmp(samples[k].name, name) == 0)
            return &samples[k];
    ck_abort_msg("%s is not in the corpus", name);
    return NULL;
}

static void expect(fil_context *context, const sample *bytes, const char *sentence)
{
    ck_assert_int_eq(try_bytes(context, bytes->bytes, bytes->size), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), sentence);
}

// HDF5 that is valid, but not what FCLIB writes.
TEST(hdf5_of_other_kinds_is_refused_with_advice)
{
    fil_context *context = fil_context_create(NULL);
    sample *in = find_sample(load_samples(), "local.hdf5");
    static sample kept;
    kept = *in;

    in->bytes[8] = 2;
    expect(context, in,
           "bytes: superblock: its version is HDF5 that filum does not read: convert the file with "
           "`h5repack -f NONE -l CONTI IN OUT`");
    *in = kept;
    in->bytes[13] = 4;
    expect(context, in, "offsets that are not 8 bytes long");
    *in = kept;
    in->bytes[25] = 2;
    expect(context, in, "a user block");
    *in = kept;
    find_bytes(in, 96, "\x08\0\x18\0\0\0\0\0\3\1", 10)[9] = 2;
    expect(context, in, "chunked storage is HDF5 that filum does not read");
    *in = kept;
    find_bytes(in, 96, "\x10\x08\0\0\4\0\0\0", 8)[1] = 9;
    expect(context, in, "must hold little-endian integers or IEEE floats of 4 or 8 bytes");
    *in = kept;
    in->bytes[40] += 1;
    expect(context, in, "the file is truncated (");
    *in = kept;
    memcpy(in->bytes + in->bytes[64] + 256 * in->bytes[65], "OHDR", 4);
    expect(context, in, "/: an object header of the newer kind is HDF5 that filum does not read");
    fil_context_destroy(context);
}

// Loops in the structure: a tree whose child is itself, a header that continues in itself.
TEST(hdf5_loops_end)
{
    fil_context *context = fil_context_create(NULL);
    sample *in = find_sample(load_samples(), "local.hdf5");
    static sample kept;
    kept = *in;
    unsigned char *tree = find_bytes(in, 96, "TREE", 4);
    uint64_t self = (uint64_t)(tree - in->bytes);
    for (int level = 0; level < 9; ++level) {
        *in = kept;
        tree[5] = (unsigned char)level;
        tree[6] = tree[7] = 0xff;
        for (int child = 0; child < 32; ++child)
            for (int k = 0; k < 8; ++k)
                tree[32 + 16 * child + k] = (unsigned char)(self >> (8 * k));
        try_bytes(context, in->bytes, in->size);
    }
    *in = kept;
    unsigned char *message = find_bytes(in, 96, "\x11\0\x10\0\0\0\0\0", 8);
    uint64_t start = (uint64_t)(message - in->bytes);
    message[0] = 0x10;
    message[-14] = 200;
    for (int k = 0; k < 8; ++k) {
        message[8 + k] = (unsigned char)(start >> (8 * k));
        message[16 + k] = k ? 0 : 24;
    }
    expect(context, in, "a header continuation makes no sense");
    fil_context_destroy(context);
}
