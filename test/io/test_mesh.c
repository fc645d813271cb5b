// Meshes of .obj files: what is read, and what is refused with one sentence that names the file and the line.
#include "failing_allocator.h"
#include "io/mesh.h"
#include "test.h"

#include <dirent.h>
#include <string.h>

static fil_status read_text(fil_context *context, const char *text, size_t size, double unit, fil_mesh **out)
{
    // A copy that is exactly as long: the sanitizer sees every read beyond the end.
    unsigned char *copy = malloc(size ? size : 1);
    if (size)
        memcpy(copy, text, size);
    fil_curves_input in = {context, "x", copy, size};
    fil_status status = fil_mesh_read_bytes(&in, unit, out);
    ck_assert_int_eq(status == FIL_OK, *out != NULL);
    free(copy);
    return status;
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
static void reads(const char *text, int vertices, int triangles, const int *expected)
{
    fil_context *context = fil_context_create(NULL);
    fil_mesh *mesh;
    test_ok(context, read_text(context, text, strlen(text), 0, &mesh));
    ck_assert_int_eq(mesh->vertex_count, vertices);
    ck_assert_int_eq(mesh->triangle_count, triangles);
    for (int i = 0; i < 3 * triangles; ++i)
        ck_assert_msg(mesh->triangle[i] == expected[i], "%s: corner %d is %d", text, i, mesh->triangle[i]);
    fil_mesh_destroy(mesh);
    fil_context_destroy(context);
}

TEST(mesh_faces_are_read_in_all_forms)
{
    const int fan[] = {0, 1, 2, 0, 2, 3}, one[] = {2, 1, 0};
    reads(SQUARE "f 1 2 3 4\n", 4, 2, fan);
    reads(SQUARE "f 1/1 2/2 3/3 4/4", 4, 2, fan);
    reads(SQUARE "f 1//7 2//7 3//7 4//7\n", 4, 2, fan);
    reads(SQUARE "f 1/9/7 2/9/7 3/9/7 4/9/7\n", 4, 2, fan);
    reads(SQUARE "f -4 -3/1 -2//1 -1/1/1\n", 4, 2, fan);
    reads(SQUARE "f 1 2 \\\n 3 4 # a square\n", 4, 2, fan);
    reads("# v 1\r\no a\r\nv 0 0 0 1\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\ns off\r\nf 1 2 3\r\nf 1 3 4\r\n", 4, 2, fan);
    // Indices may point forward, and backwards from where they stand.
    reads("f 3 2 1\nv 0 0 0\nv 1 0 0\nv 1 1 0\n", 3, 1, one);
    reads("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -1 -2 -3\nv 5 5 5\n", 4, 1, one);
}

TEST(mesh_is_in_metres)
{
    fil_context *context = fil_context_create(NULL);
    fil_mesh *mesh;
    test_ok(context, read_text(context, "v 1 -2 3e1\nf 1 1 1", 18, 0.01, &mesh));
    test_near(mesh->position[0], 0.01, 1e-15);
    test_near(mesh->position[1], -0.02, 1e-15);
    test_near(mesh->position[2], 0.3, 1e-15);
    fil_mesh_destroy(mesh);
    test_fails(context, read_text(context, "v 1 2 3\nf 1 1 1", 15, -1, &mesh), FIL_BAD_INPUT,
               "unit: must be from 1e-9 to 1e9 metres (got -1)");
    fil_context_destroy(context);
}

static const struct {
    const char *text, *sentence;
} wrong[] = {
    {"", "x: the file is empty"},
    {"\n \n", "x: faces: the file holds no face (no `f` line)"},
    {"v 0 0 0\n", "x: faces: the file holds no face (no `f` line)"},
    {"v 0 0 0\nv 0 0 1\nl 1 2\n", "x: faces: the file holds no face (no `f` line; it holds lines: is it a groom?)"},
    {"v 0 0\nf 1 1 1\n", "x: line 1: `v` needs three numbers"},
    {"v 0 0 0\nv 0 x 0\nf 1 2 1\n", "x: line 2: `v` needs three numbers"},
    {"v 0 0 0\nv 0 nan 0\nf 1 2 1\n", "x: line 2: a coordinate must be a finite number of at most 1e30 (got nan)"},
    {"v 0 0 -inf\nf 1 1 1\n", "x: line 1: a coordinate must be a finite number of at most 1e30 (got -inf)"},
    {"v 0 1e31 0\nf 1 1 1\n", "x: line 1: a coordinate must be a finite number of at most 1e30 (got 1e+31)"},
    {SQUARE "f 1 2 5\n", "x: line 5: the index 5 is out of range (4 vertices)"},
    {SQUARE "\nf 0 1 2\n", "x: line 6: the index 0 is out of range (4 vertices)"},
    {SQUARE "f -5 1 2\n", "x: line 5: the index -5 is out of range (4 vertices)"},
    {SQUARE "f 1 2 3\nf 1 2\n", "x: line 6: `f` needs at least three indices (got 2)"},
    {SQUARE "f\n", "x: line 5: `f` needs at least three indices (got 0)"},
    {SQUARE "f 1 2 # 3\n", "x: line 5: `f` needs at least three indices (got 2)"},
    {SQUARE "f 1 2 three\n", "x: line 5: `f` needs whole numbers"},
    {SQUARE "f 1 2 3.5\n", "x: line 5: `f` needs whole numbers"},
    {SQUARE "f 1 2 99999999999999999999\n", "x: line 5: `f` needs whole numbers"},
    {SQUARE "f 1 2 2147483648\n", "x: line 5: the index 2147483648 is out of range (4 vertices)"},
    {SQUARE "f /1 2 3\n", "x: line 5: `f` needs whole numbers"},
    {"f 1 2 3\n", "x: line 1: the index 1 is out of range (0 vertices)"},
    {SQUARE "f 1 \\\n2 \\\r\n9\n", "x: line 7: the index 9 is out of range (4 vertices)"},
};

TEST(mesh_wrong_files_are_refused)
{
    fil_context *context = fil_context_create(NULL);
    fil_mesh *mesh;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        test_fails(context, read_text(context, wrong[i].text, strlen(wrong[i].text), 0, &mesh), FIL_BAD_INPUT,
                   wrong[i].sentence);
    test_fails(context, read_text(context, SQUARE "f 1 2\0 3", 40, 0, &mesh), FIL_BAD_INPUT,
               "x: line 5: `f` needs whole numbers");
    ck_assert_int_eq(fil_mesh_read(context, test_path("none.obj"), 0, &mesh), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "none.obj: cannot open");
    ck_assert_int_eq(fil_mesh_read(context, test_folder(), 0, &mesh), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "is a directory, not a mesh");
    ck_assert(mesh == NULL);
    fil_context_destroy(context);
}

// Every file of the fuzzer's corpus: whole, cut anywhere, with any bit turned.
static void damage(fil_context *context, char *bytes, size_t size, const char *name)
{
    fil_mesh *mesh;
    ck_assert_msg(read_text(context, bytes, size, 0, &mesh) == FIL_OK, "%s: %s", name, fil_context_error(context));
    fil_mesh_destroy(mesh);
    for (size_t at = 0; at < size; ++at) {
        read_text(context, bytes, at, 0, &mesh);
        fil_mesh_destroy(mesh);
        for (int bit = 0; bit < 8; ++bit) {
            bytes[at] = (char)(bytes[at] ^ (1 << bit));
            read_text(context, bytes, size, 0, &mesh);
            fil_mesh_destroy(mesh);
            bytes[at] = (char)(bytes[at] ^ (1 << bit));
        }
    }
}

TEST(mesh_damaged_files_do_no_harm)
{
    fil_context *context = fil_context_create(NULL);
    char folder[1024], path[2048], bytes[1024];
    snprintf(folder, sizeof folder, "%s", test_source("fuzz/corpus/mesh"));
    DIR *directory = opendir(folder);
    ck_assert_msg(directory != NULL, "%s", folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        ck_assert_msg(file != NULL, "%s", path);
        damage(context, bytes, fread(bytes, 1, sizeof bytes, file), path);
        fclose(file);
        ++count;
    }
    closedir(directory);
    ck_assert_int_ge(count, 4);
    fil_context_destroy(context);
}

static fil_status read_small(fil_context *context, void *data)
{
    fil_mesh *mesh;
    fil_status status = fil_mesh_read(context, data, 0, &mesh);
    fil_mesh_destroy(mesh);
    return status;
}

TEST(mesh_survives_failing_allocation)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", test_source("fuzz/corpus/mesh/triangles"));
    ck_assert_int_ge(test_failing_allocation(read_small, path), 3);
}

TEST(mesh_body_is_read)
{
    fil_context *context = fil_context_create(NULL);
    fil_mesh *mesh;
    test_ok(context, fil_mesh_read(context, test_data("grooms/ds_body_scaled.obj"), 0, &mesh));
    ck_assert_int_eq(mesh->vertex_count, 27797);
    ck_assert_int_eq(mesh->triangle_count, 55590);
    fil_mesh_destroy(mesh);
    fil_context_destroy(context);
}
