// Grooms that are wrong: each is refused with one sentence that names the file and the place.
#include "io/curves.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const fil_curves_format *format_named(const char *name)
{
    for (int f = 0; f < FIL_CURVES_FORMATS; ++f)
        if (strcmp(fil_curves_formats[f].name, name) == 0)
            return &fil_curves_formats[f];
    ck_abort_msg("no format %s", name);
}

static fil_status read_bytes(fil_context *context, const char *format, const void *bytes, size_t size)
{
    // A copy that is exactly as long: the sanitizer sees every read beyond the end.
    unsigned char *copy = malloc(size ? size : 1);
    if (size)
        memcpy(copy, bytes, size);
    fil_curves_input in = {context, "x", copy, size};
    fil_curves *curves;
    fil_status status = fil_curves_read_bytes(&in, format_named(format), 0, &curves, NULL);
    ck_assert_int_eq(status == FIL_OK, curves != NULL);
    fil_curves_destroy(curves);
    free(copy);
    return status;
}

typedef struct wrong_text {
    const char *format, *text, *sentence;
} wrong_text;

#define PLY "ply\nformat ascii 1.0\nelement vertex 2\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define CURVES "#usda 1.0\ndef BasisCurves \"a\" {\n"
#define ONE "int[] curveVertexCounts = [2]\npoint3f[] points = [(0,0,0), (0,0,1)]\n"
static const wrong_text wrong_texts[] = {
    {"hair", "", "x: the file is empty"},
    {"tfx", "", "x: the file is empty"},
    {"obj", "", "x: the file is empty"},
    {"hair", "HAIRY", "x: header: the file is truncated (5 of 128 bytes)"},
    {"hair", "hair", "x: header: does not start with HAIR"},
    {"tfx", "short", "x: header: the file is truncated (5 of 160 bytes)"},
    {"data", "abc", "x: header: the file is truncated (3 of 4 bytes)"},
    {"data", "abcdefgh", "x: header: 1684234849 strands do not fit a file of 8 bytes"},
    {"obj", "v 0 0 0\n", "x: lines: the file holds no strand (no `l` line)"},
    {"obj", "v 0 0 0\nf 1 1 1\n", "x: lines: the file holds no strand (no `l` line; it holds faces: is it a mesh?)"},
    {"obj", "v 0 0\nl 1 1\n", "x: line 1: `v` needs three numbers"},
    {"obj", "v 0 0 0\nv 0 x 0\nl 1 2\n", "x: line 2: `v` needs three numbers"},
    {"obj", "v 0 0 0\nv 0 0 1\nl 1 3\n", "x: line 3: the index 3 is out of range (2 vertices)"},
    {"obj", "v 0 0 0\nv 0 0 1\nl 0 1\n", "x: line 3: the index 0 is out of range (2 vertices)"},
    {"obj", "v 0 0 0\nv 0 0 1\nl -3 1\n", "x: line 3: the index -3 is out of range (2 vertices)"},
    {"obj", "v 0 0 0\nv 0 0 1\nl 1 two\n", "x: line 3: `l` needs whole numbers"},
    {"obj", "v 0 0 0\nv 0 0 1\nl 1 99999999999999999999\n", "x: line 3: `l` needs whole numbers"},
    {"obj", "v nan 0 0\nv 0 0 1\nl 1 2\n", "x: holds no usable strand (of 1)"},
    {"obj", "v 1 0 0\nv 1 0 0\nl 1 2\n", "x: holds no usable strand (of 1)"},
    {"obj", "# metres_per_unit 1e300\nv 1 0 0\nv 2 0 0\nl 1 2\n",
     "x: unit: must be from 1e-9 to 1e9 metres (got 1e+300)"},
    {"ply", "plx\n", "x: line 1: does not start with ply"},
    {"ply", "ply\nformat ascii 1.0\n", "x: header: the file is truncated: no end_header"},
    {"ply", "ply\nformat morse 1.0\n", "x: line 2: unknown format 'morse'"},
    {"ply", "ply\nelement vertex 1\nend_header\n", "x: header: no `format` line"},
    {"ply", "ply\nformat ascii 1.0\nvertices 3\n", "x: line 3: unknown keyword 'vertices'"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex\n", "x: line 3: `element` needs a name and a number"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex -1\n", "x: line 3: `element` needs a name and a number"},
    {"ply", "ply\nformat ascii 1.0\nproperty float x\n", "x: line 3: `property` before any `element`"},
    {"ply", PLY "property quad x\n", "x: line 4: `property` needs a type and a name"},
    {"ply", PLY "property list float int i\n", "x: line 4: `property` needs a type and a name"},
    {"ply", PLY "property float x\nend_header\n0\n1\n", "x: vertex: needs the properties x, y and z"},
    {"ply", "ply\nformat ascii 1.0\nend_header\n", "x: header: no element `vertex`"},
    {"ply", PLY XYZ "end_header\n0 0 0\n0 0 1\n",
     "x: header: nothing tells where strands begin: a property strand_id, lists of vertex indices, the comment "
     "points_per_strand or an element strand"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex 999999999999\n" XYZ "end_header\n0 0 0\n",
     "x: vertex: the file is truncated: 999999999999 rows do not fit"},
    {"ply", PLY XYZ "end_header\n0 0 0\n0 0 z\n", "x: vertex 1: the file is truncated, or a number is expected"},
    {"ply", "ply\nformat ascii 1.0\ncomment points_per_strand 3\nelement vertex 2\n" XYZ "end_header\n0 0 0\n0 0 1\n",
     "x: header: 2 vertices cannot be cut into equal strands (points_per_strand)"},
    {"ply", PLY XYZ "element strand 1\nproperty list int int i\nend_header\n0 0 0\n0 0 1\n2 0 5\n",
     "x: lists: the index 5 is out of range (2 vertices)"},
    {"ply", PLY XYZ "element strand 1\nproperty list int int i\nend_header\n0 0 0\n0 0 1\n2000000000 0 1\n",
     "x: strand 0: the file is truncated: a list is longer than what is left"},
    {"usda", "PXR-USDC", "x: line 1: does not start with #usda"},
    {"usda", "#usda 1.0\n", "x: stage: holds no BasisCurves"},
    {"usda", CURVES "}", "x: BasisCurves: has no points"},
    {"usda", CURVES "point3f[] points = [(0,0,0)]\n}", "x: BasisCurves: has no curveVertexCounts"},
    {"usda", CURVES "point3f[] points = [(0,0)]\n}", "x: line 3: a point needs three numbers"},
    {"usda", CURVES "point3f[] points = [(0,0,0), (0,0", "x: line 3: a point needs three numbers"},
    {"usda", CURVES "point3f[] points = [(0,0,0) (0,0,0)]", "x: line 3: an array must go on with , or end with ]"},
    {"usda", CURVES "point3f[] points\n}", "x: line 4: an array must follow: = [ ... ]"},
    {"usda", CURVES "int[] curveVertexCounts = [2,", "x: line 3: the file is truncated within an array"},
    {"usda", CURVES "int[] curveVertexCounts = [two]", "x: line 3: a number is expected"},
    {"usda", CURVES "int[] curveVertexCounts = [3]\npoint3f[] points = [(0,0,0), (0,0,1)]\n}",
     "x: curveVertexCounts: entry 0 (3) is wrong for 2 points"},
    {"usda", CURVES "int[] curveVertexCounts = [-2, 4]\npoint3f[] points = [(0,0,0), (0,0,1)]\n}",
     "x: curveVertexCounts: entry 0 (-2) is wrong for 2 points"},
    {"usda", CURVES "int[] curveVertexCounts = [1]\npoint3f[] points = [(0,0,0), (0,0,1)]\n}",
     "x: curveVertexCounts: they add up to 1, but there are 2 points"},
    {"usda", CURVES "int[] curveVertexCounts = [2]\npoint3f[] points = [(0,0,0), (0,0,1)]\nfloat[] widths = [1,2,3]}",
     "x: widths: 3 widths for 1 strands of 2 points"},
    {"usda", CURVES "uniform token type = \"cubic\"\n}", "x: line 3: only linear curves are read"},
    {"usda", CURVES ONE "}\ndef BasisCurves \"b\" {}", "x: BasisCurves: has no points"},
    {"usda", CURVES ONE "point3f[] points.timeSamples = {0: [(0, 0, 0)]}", "x: line 5: a second `points`"},
    {"usda", CURVES "point3f[] points.timeSamples = [(0, 0, 0)]\n}",
     "x: line 3: time samples must follow: = { time: [ ... ], ... }"},
    {"usda", CURVES "point3f[] points.timeSamples = {zero: [(0, 0, 0)]}\n}", "x: line 3: a time is expected"},
    {"usda", CURVES "point3f[] points.timeSamples = {0 [(0, 0, 0)]}\n}", "x: line 3: a time must end with :"},
    {"usda", CURVES "point3f[] points.timeSamples = {0: (0, 0, 0)}\n}", "x: line 3: an array must follow: = [ ... ]"},
    {"usda", CURVES "point3f[] points.timeSamples = {0: [(0, 0, 0)],\n1: [",
     "x: line 4: the file is truncated within time samples"},
    {"usda", "#usda 1.0\n( metersPerUnit = 0 )", "x: line 2: metersPerUnit needs a number > 0"},
};

TEST(curves_wrong_texts_are_refused)
{
    fil_context *context = fil_context_create(NULL);
    for (size_t i = 0; i < sizeof wrong_texts / sizeof *wrong_texts; ++i) {
        const wrong_text *wrong = &wrong_texts[i];
        fil_status status = read_bytes(context, wrong->format, wrong->text, strlen(wrong->text));
        ck_assert_msg(status == FIL_BAD_INPUT, "%s: status %d", wrong->text, status);
        ck_assert_str_eq(fil_context_error(context), wrong->sentence);
    }
    fil_context_destroy(context);
}

// Words of four bytes behind an optional start; the rest of `size` is zero.
typedef struct wrong_words {
    const char *format, *start;
    uint32_t words[8];
    size_t size;
    const char *sentence;
} wrong_words;

static const uint32_t four = 0x40800000; // 4.0f
TEST(curves_wrong_headers_are_refused)
{
    const wrong_words wrong[] = {
        {"hair", "HAIR", {1, 2, 1}, 200, "x: header: the file holds no points"},
        {"hair", "HAIR", {1, 2, 3}, 128, "x: header: 1 strands and 2 points need 154 bytes, the file has 128"},
        {"hair",
         "HAIR",
         {UINT32_MAX, UINT32_MAX, 7},
         200,
         "x: header: 4294967295 strands and 4294967295 points need 77309411438 bytes, the file has 200"},
        {"hair", "HAIR", {1, 2, 3}, 154, "x: segments: they need fewer points than the 2 of the header"},
        {"hair", "HAIR", {1, 2, 2, 5}, 152, "x: segments: they need more points than the 2 of the header"},
        {"hair", "HAIR", {1, 2, 2, UINT32_MAX}, 152, "x: segments: they need more points than the 2 of the header"},
        {"hair", "HAIR", {3000000000u, 2, 2, 0}, 152, "x: header: 3000000000 strands of 2 points"},
        {"hair", "HAIR", {0, 0, 2, 1}, 128, "x: holds no usable strand (of 0)"},
        {"tfx", "", {0, 1, 2, 160}, 192, "x: header: must be of version 4 (got 0)"},
        {"tfx", "", {0x7fc00000, 1, 2, 160}, 192, "x: header: must be of version 4 (got nan)"},
        {"tfx", "", {four, 1, 2, 4}, 192, "x: header: the places lie outside the file (offset 4)"},
        {"tfx", "", {four, 1, 2, 193}, 192, "x: header: the places lie outside the file (offset 193)"},
        {"tfx", "", {four, 1, 3, 160}, 192, "x: header: 1 strands of 3 vertices, the file has room for 2 vertices"},
        {"tfx",
         "",
         {four, UINT32_MAX, UINT32_MAX, 160},
         192,
         "x: header: 4294967295 strands of 4294967295 vertices, the file has room for 2 vertices"},
        {"tfx", "", {four, 4000000000u, 0, 160}, 192, "x: header: strands of 0 vertices"},
        {"tfx", "", {four, 1, 2, 160}, 192, "x: holds no usable strand (of 1)"},
        {"data", "", {1, 2}, 31, "x: strand 0: the file is truncated: its vertices lie beyond the end"},
        {"data", "", {1, UINT32_MAX}, 32, "x: strand 0: the file is truncated: its vertices lie beyond the end"},
        {"data", "", {2, 0}, 12, "x: holds no usable strand (of 2)"},
        {"data", "", {1, 1}, 21, "x: end: 1 bytes are left behind the last strand"},
    };
    fil_context *context = fil_context_create(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        unsigned char bytes[256] = {0};
        size_t start = strlen(wrong[i].start);
        memcpy(bytes, wrong[i].start, start);
        memcpy(bytes + start, wrong[i].words, sizeof wrong[i].words);
        ck_assert_int_eq(read_bytes(context, wrong[i].format, bytes, wrong[i].size), FIL_BAD_INPUT);
        ck_assert_str_eq(fil_context_error(context), wrong[i].sentence);
    }
    fil_context_destroy(context);
}

TEST(curves_wrong_paths_are_refused)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves;
    ck_assert_int_eq(fil_curves_read(context, test_path("none.obj"), 0, &curves, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "none.obj: cannot open");
    ck_assert_int_eq(fil_curves_read(context, test_folder(), 0, &curves, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "is a directory, not a groom");
    ck_assert_int_eq(fil_curves_read(context, "/dev/null", 0, &curves, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "is not a regular file");
    FILE *file = fopen(test_path("a.dat"), "wb");
    ck_assert(file != NULL);
    fclose(file);
    ck_assert_int_eq(fil_curves_read(context, test_path("a.dat"), 0, &curves, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "must end in .hair, .tfx, .data, .obj, .ply or .usda: did you mean");
    ck_assert(curves == NULL);
    fil_curves_input in = {context, "x", (const unsigned char *)"v 0 0 0\nv 0 0 1\nl 1 2\n", 22};
    test_fails(context, fil_curves_read_bytes(&in, format_named("obj"), -1, &curves, NULL), FIL_BAD_INPUT,
               "unit: must be from 1e-9 to 1e9 metres (got -1)");
    fil_context_destroy(context);
}

// ---- the corpus of the fuzzer: its first byte names the format

typedef struct sample {
    char name[64];
    unsigned char bytes[4096];
    size_t size;
} sample;
static sample samples[32];

static int compare_samples(const void *left, const void *right)
{
    return strcmp(((const sample *)left)->name, ((const sample *)right)->name);
}

static int load_samples(void)
{
    char folder[1024], path[2048];
    snprintf(folder, sizeof folder, "%s", test_source("fuzz/corpus/curves"));
    DIR *directory = opendir(folder);
    ck_assert_msg(directory != NULL, "%s", folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) && count < 32;) {
        if (entry->d_name[0] == '.')
            continue;
        sample *self = &samples[count++];
        snprintf(self->name, sizeof self->name, "%.60s", entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, self->name);
        FILE *file = fopen(path, "rb");
        ck_assert_msg(file != NULL, "%s", path);
        self->size = fread(self->bytes, 1, sizeof self->bytes, file);
        fclose(file);
    }
    closedir(directory);
    qsort(samples, (size_t)count, sizeof *samples, compare_samples);
    ck_assert_int_ge(count, FIL_CURVES_FORMATS);
    return count;
}

static fil_status read_sample(fil_context *context, const sample *self, size_t size)
{
    return read_bytes(context, fil_curves_formats[self->bytes[0] % FIL_CURVES_FORMATS].name, self->bytes + 1, size - 1);
}

TEST(curves_corpus_is_read)
{
    fil_context *context = fil_context_create(NULL);
    int count = load_samples();
    for (int k = 0; k < count; ++k)
        ck_assert_msg(read_sample(context, &samples[k], samples[k].size) == FIL_OK, "%s: %s", samples[k].name,
                      fil_context_error(context));
    fil_context_destroy(context);
}

TEST(curves_damaged_files_do_no_harm)
{
    fil_context *context = fil_context_create(NULL);
    int count = load_samples(), refused = 0, tries = 0;
    for (int k = 0; k < count; ++k)
        for (size_t at = 1; at < samples[k].size; ++at) {
            unsigned char *byte = &samples[k].bytes[at], kept = *byte;
            refused += read_sample(context, &samples[k], at) != FIL_OK; // truncated
            for (int bit = 0; bit < 8; ++bit, ++tries) {
                *byte = kept ^ (unsigned char)(1u << bit);
                refused += read_sample(context, &samples[k], samples[k].size) != FIL_OK;
            }
            *byte = kept;
        }
    ck_assert_msg(tries > 5000 && refused > 500, "%d of %d refused", refused, tries);
    fil_context_destroy(context);
}
