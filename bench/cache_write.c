// What it costs to write frames, rows and checkpoints while a scene runs, and how large frames are.
//
//     cache_write [FILUM]      the command to measure; otherwise the one that was built with this program
//
// `filum run` on 1000 strands of 40 vertices that fall and shake, 1 s at 25 frames per second, steps of 2 and 1 ms, two
// threads, into a folder beside this program. Bars: writing takes under 5 % of the run time, checkpoints included; a
// frame has at most 14 bytes per vertex plus 1 %. Exit 1 when a bar is missed.
#include "bench.h"

#include <libgen.h>
#include <sys/stat.h>

static const double share_bar = 0.05, size_bar = 14 * 1.01;

static const char scene[] =
    "{\"time\": {\"duration\": 1, \"fps\": 25},"
    " \"paths\": {\"shake\": {\"keys\": [{\"time\": 0}, {\"time\": 0.3, \"position\": [0.02, 0, 0]},"
    "   {\"time\": 0.6, \"position\": [-0.02, 0, 0]}, {\"time\": 1}]}},"
    " \"groups\": [{\"name\": \"hair\", \"root\": {\"hold\": \"clamped\", \"path\": \"shake\"}, \"groom\": {\"type\": "
    "\"line\","
    "   \"strands\": 1000, \"length\": 0.195, \"segment\": 0.005, \"variation\": 0, \"spacing\": 0.001, \"lean\": "
    "60}}]}";

static void need(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    exit(3);
}

// The number behind a key of the JSON that the command wrote.
static double number_of(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    need(at != NULL, json);
    return strtod(at + strlen(key) + 2, NULL);
}

static bool measure(const char *filum, const char *folder, const char *step)
{
    char command[4096], json[4096], frame[1024];
    snprintf(command, sizeof command,
             "\"%s\" run \"%s.json\" -o \"%s\" --force --json --quiet --threads 2 --set time.step=%s", filum, folder,
             folder, step);
    FILE *pipe = popen(command, "r");
    need(pipe != NULL, "cannot start the command");
    json[fread(json, 1, sizeof json - 1, pipe)] = '\0';
    need(pclose(pipe) == 0, "the command failed");
    struct stat info;
    snprintf(frame, sizeof frame, "%s/frames/000010.fil", folder);
    need(stat(frame, &info) == 0, "a frame is missing");
    double seconds = number_of(json, "\"seconds\""), writing = number_of(json, "\"seconds_write\"");
    double vertices = number_of(json, "\"vertices\""), bytes = (double)info.st_size / vertices;
    bool met = writing < share_bar * seconds && bytes <= size_bar;
    printf("%8s %10.0f %10.2f %12.4f %9.2f %14.4f   %s\n", step, vertices, seconds, writing, 100 * writing / seconds,
           bytes, met ? "met" : "MISSED");
    return met;
}

int main(int argc, char **argv)
{
    char place[1024], folder[1200], path[1300], filum[1300];
    snprintf(place, sizeof place, "%s", argv[0]);
    snprintf(folder, sizeof folder, "%s/cache_write_results", dirname(place));
    snprintf(path, sizeof path, "%s.json", folder);
    snprintf(place, sizeof place, "%s", argv[0]);
    snprintf(filum, sizeof filum, "%s/../filum", dirname(place));
    FILE *file = fopen(path, "w");
    need(file && fputs(scene, file) >= 0 && fclose(file) == 0, "cannot write the scene");
    printf("1000 strands × 40 vertices, 25 frames, two threads; bars: writing below %.0f %%, at most %.2f bytes\n",
           100 * share_bar, size_bar);
    printf("%8s %10s %10s %12s %9s %14s\n", "step s", "vertices", "seconds", "writing s", "writing %", "bytes/vertex");
    bool met = measure(argc > 1 ? argv[1] : filum, folder, "0.002");
    met = measure(argc > 1 ? argv[1] : filum, folder, "0.001") && met;
    return met ? 0 : 1;
}
