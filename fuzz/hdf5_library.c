// The experiment behind docs/io/fclib.md: does the HDF5 library survive hostile files?
//
// Mutates valid FCLIB files and lets a child process read each one with the checks that a careful program makes (class,
// rank and size before every read). A child that dies, hangs for 5 s or asks for more than 1 GB is counted; the parent
// goes on with the next mutation. Not a test of filum: it shows why filum has its own reader.
//
//     hdf5_library COUNT SEED FILE...
// needs: hdf5
#define _DEFAULT_SOURCE // anonymous mappings
#include <hdf5.h>
#include <hdf5_hl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Up to eight changes; bytes that are not zero carry the structure, so they are preferred.
static void mutate(unsigned char *bytes, size_t size, uint64_t seed)
{
    static const unsigned char special[] = {0, 1, 2, 4, 8, 0x7f, 0x80, 0xff};
    uint64_t state = seed;
    int changes = 1 + (int)(next(&state) % 8);
    for (int k = 0; k < changes; ++k) {
        size_t at = next(&state) % size;
        for (int tries = 0; tries < 20 && !bytes[at]; ++tries)
            at = next(&state) % size;
        size_t from = next(&state) % size, length = 1 + next(&state) % 16;
        switch (next(&state) % 5) {
        case 0:
            bytes[at] ^= (unsigned char)(1u << (next(&state) % 8));
            break;
        case 1:
            bytes[at] = special[next(&state) % sizeof special];
            break;
        case 2:
            bytes[at] = (unsigned char)next(&state);
            break;
        case 3: // a piece of the file in another place: valid messages and addresses where they do not belong
            at = at / 8 * 8;
            from = from / 8 * 8;
            if (at + length <= size && from + length <= size)
                memmove(bytes + at, bytes + from, length);
            break;
        default: // a huge or negative number of two, four or eight bytes
            length = (size_t)2 << (next(&state) % 3);
            at = at / length * length;
            if (at + length <= size)
                memset(bytes + at, next(&state) % 2 ? 0xff : 0x7f, length);
        }
    }
}

static void read_dataset(hid_t file, const char *name)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0)
        return;
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    H5T_class_t class = H5Tget_class(type);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    if (H5Sget_simple_extent_ndims(space) <= 1 && count >= 0 && count < 1000000 && H5Tget_size(type) <= 4096) {
        void *memory = malloc((size_t)count * 8 + 8192);
        if (memory && class == H5T_INTEGER)
            H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, memory);
        if (memory && class == H5T_FLOAT)
            H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, memory);
        free(memory);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
}

static void read_everything(const unsigned char *bytes, size_t size)
{
    static const char *const names[] = {"spacedim", "W/m",        "W/n",       "W/nz", "W/nzmax",   "W/p",      "W/i",
                                        "W/x",      "vectors/mu", "vectors/q", "M/m",  "M/p",       "M/i",      "M/x",
                                        "H/m",      "H/p",        "H/i",       "H/x",  "vectors/f", "vectors/w"};
    hid_t file = H5LTopen_file_image((void *)bytes, size, H5LT_FILE_IMAGE_OPEN_RW);
    if (file < 0)
        return;
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        for (int global = 0; global < 2; ++global) {
            char path[64];
            snprintf(path, sizeof path, "/fclib_%s/%s", global ? "global" : "local", names[k]);
            read_dataset(file, path);
        }
    read_dataset(file, "/solution/r");
    H5Fclose(file);
}

typedef struct input {
    unsigned char *bytes;
    size_t size;
} input;

static void child(const input *inputs, int input_count, uint64_t seed, long from, long to, volatile long *at)
{
#ifndef __SANITIZE_ADDRESS__ // which reserves terabytes of addresses itself
    struct rlimit limit = {.rlim_cur = 1u << 30, .rlim_max = 1u << 30};
    setrlimit(RLIMIT_AS, &limit);
#endif
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (long k = from; k < to; ++k) {
        *at = k;
        const input *in = &inputs[k % input_count];
        unsigned char *bytes = malloc(in->size);
        memcpy(bytes, in->bytes, in->size);
        mutate(bytes, in->size, seed + (uint64_t)k);
        alarm(5);
        read_everything(bytes, in->size);
        free(bytes);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    long count = atol(argv[1]), died = 0, hung = 0;
    uint64_t seed = strtoull(argv[2], NULL, 10) << 32;
    int input_count = argc - 3;
    input *inputs = calloc((size_t)input_count, sizeof *inputs);
    for (int i = 0; i < input_count; ++i) {
        FILE *file = fopen(argv[3 + i], "rb");
        if (!file)
            return 2;
        inputs[i].bytes = malloc(1 << 20);
        inputs[i].size = fread(inputs[i].bytes, 1, 1 << 20, file);
        fclose(file);
    }
    volatile long *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (long from = 0; from < count; from = *at + 1) {
        // A fresh child every 2000 files keeps its leaks out of the count.
        long to = from + 2000 < count ? from + 2000 : count;
        pid_t pid = fork();
        if (pid == 0)
            child(inputs, input_count, seed, from, to, at);
        int status;
        waitpid(pid, &status, 0);
        if (WIFSIGNALED(status)) {
            int number = WTERMSIG(status);
            hung += number == SIGALRM;
            died += number != SIGALRM;
            printf("mutation %ld of %s: %s\n", *at, argv[3 + *at % input_count], strsignal(number));
        }
    }
    printf("%ld mutations: %ld crashes, %ld hangs\n", count, died, hung);
    return died + hung > 0;
}
