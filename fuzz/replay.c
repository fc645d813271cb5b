// Stands in for libFuzzer: feeds every file named on the command line, or found in a folder named there, to the fuzzer
// that it is linked with. Options (words that start with '-') are ignored.
//
//     fuzz_NAME FILE|FOLDER...
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size ? size : 1);
    int failed = !file || !data || fread(data, 1, size, file) != size;
    if (file)
        fclose(file);
    if (failed)
        fprintf(stderr, "%s: cannot be read\n", path);
    else
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    return failed;
}

static int replay(const char *path, int *count)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 1;
    }
    if (!S_ISDIR(info.st_mode)) {
        ++*count;
        return replay_file(path, (size_t)info.st_size);
    }
    DIR *folder = opendir(path);
    int failed = !folder;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char name[4096];
        if (entry->d_name[0] != '.' && snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name)
            failed |= replay(name, count);
    }
    if (folder)
        closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    int count = 0, failed = 0;
    for (int i = 1; i < argc; ++i)
        if (argv[i][0] != '-')
            failed |= replay(argv[i], &count);
    fprintf(stderr, "%d files replayed\n", count);
    return failed;
}
