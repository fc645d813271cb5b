// Grooms in files: round trips, repair, units, resampling, memory, real grooms. Malformed files:
// test_curves_malformed.c.
#include "failing_allocator.h"
#include "io/curves.h"

#include <string.h>

static const int counts[] = {4, 2, 7, 2};
enum { STRANDS = 4, VERTICES = 15 };

// Strands of several lengths; `same`: all with five vertices, as .tfx has it.
static fil_curves *make_curves(fil_context *context, bool radius, bool same)
{
    fil_curves *curves;
    test_ok(context, fil_curves_create(context, STRANDS, same ? 5 * STRANDS : VERTICES, radius, &curves));
    double *x = curves->position, *r = curves->radius;
    for (int s = 0; s < STRANDS; ++s) {
        curves->vertex_count[s] = same ? 5 : counts[s];
        for (int i = 0; i < curves->vertex_count[s]; ++i, x += 3) {
            x[0] = 0.01 * s + 0.001 * i;
            x[1] = -0.013 * i;
            x[2] = 1.5 + 0.002 * i * i;
            if (r)
                *r++ = 4e-5 - 1e-6 * i;
        }
    }
    return curves;
}

static void check_same(const fil_curves *a, const fil_curves *b, bool radius)
{
    ck_assert_int_eq(a->strand_count, b->strand_count);
    ck_assert_int_eq(a->vertex_total, b->vertex_total);
    for (int s = 0; s < a->strand_count; ++s)
        ck_assert_int_eq(a->vertex_count[s], b->vertex_count[s]);
    for (int64_t i = 0; i < 3 * a->vertex_total; ++i)
        ck_assert(fabs(a->position[i] - b->position[i]) <= 1e-7 * (1 + fabs(a->position[i])));
    ck_assert_int_eq(b->radius != NULL, radius);
    for (int64_t i = 0; radius && i < a->vertex_total; ++i)
        ck_assert(fabs(a->radius[i] - b->radius[i]) <= 1e-6 * a->radius[i]);
}

TEST(curves_round_trips)
{
    fil_context *context = fil_context_create(NULL);
    static const double units[] = {1, 0.01, 0.0254};
    for (int f = 0; f < FIL_CURVES_FORMATS; ++f)
        for (int radius = 0; radius < 2; ++radius)
            for (int u = 0; u < 3; ++u) {
                const char *name = fil_curves_formats[f].name;
                bool tfx = strcmp(name, "tfx") == 0;
                bool keeps_radius = strcmp(name, "hair") == 0 || strcmp(name, "ply") == 0 || strcmp(name, "usda") == 0;
                bool keeps_unit = strcmp(name, "obj") == 0 || strcmp(name, "ply") == 0 || strcmp(name, "usda") == 0;
                char path[256];
                snprintf(path, sizeof path, "%s/a.%s", test_folder(), name);
                fil_curves *curves = make_curves(context, radius, tfx), *back;
                fil_curves_report report;
                test_ok(context, fil_curves_write(context, path, curves, units[u]));
                test_ok(context, fil_curves_read(context, path, keeps_unit ? 0 : units[u], &back, &report));
                check_same(curves, back, radius && keeps_radius);
                ck_assert_str_eq(report.format, name);
                ck_assert(report.unit == units[u] && !report.unit_guessed);
                ck_assert_int_eq(report.strands_in_file, STRANDS);
                ck_assert_int_eq(report.vertices_in_file, curves->vertex_total);
                ck_assert_int_eq(report.strands_dropped, 0);
                fil_curves_destroy(back);
                fil_curves_destroy(curves);
            }
    fil_context_destroy(context);
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert(file != NULL);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static fil_curves *read_text(fil_context *context, const char *name, const char *text, fil_curves_report *report)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", test_folder(), name);
    write_bytes(path, text, strlen(text));
    fil_curves *curves;
    test_ok(context, fil_curves_read(context, path, 0, &curves, report));
    return curves;
}

TEST(curves_first_bytes_beat_the_ending)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves_report report;
    fil_curves *curves = read_text(context, "a.data",
                                   "ply\nformat ascii 1.0\ncomment points_per_strand 2\nelement vertex 2\nproperty "
                                   "float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n0 0 1\n",
                                   &report);
    ck_assert_str_eq(report.format, "ply");
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

// Indices from the end, with slashes, continued lines, segments that are one strand.
TEST(curves_obj_dialects)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves_report report;
    fil_curves *curves = read_text(context, "a.OBJ",
                                   "# by hand \\\no x\r\nv 0 0 0\r\nv 0 0 1 1.0\nv 0 .5e0 2e+0\nl -3/1 -2/2/3 \\\n -1\n"
                                   "v 1 0 0\nv 1 0 1\nv 1 0 2\nvn 0 0 1\nl 4 5\nl 5 6\nl 1 2\nl 2 3 4\nl 4 5\n",
                                   &report);
    static const int expected[] = {3, 3, 2, 3, 2};
    ck_assert_int_eq(curves->strand_count, 5);
    for (int s = 0; s < 5; ++s)
        ck_assert_int_eq(curves->vertex_count[s], expected[s]);
    ck_assert(curves->position[7] == 0.5 && curves->position[8] == 2);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

// Segments that run from the tip: turned round, as soon as two of them show it.
TEST(curves_obj_backward_segments)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves_report report;
    fil_curves *curves = read_text(context, "a.obj",
                                   "v 0 0 0\nv 0 0 1\nv 0 0 2\nv 0 0 3\nv 1 0 0\nv 1 0 1\n"
                                   "l 2 1\nl 3 2\nl 4 3\nl 6 5\nl 1 2\nl 2 3\nl 3 4\n",
                                   &report);
    ck_assert_int_eq(curves->strand_count, 3);
    ck_assert_int_eq(curves->vertex_count[0], 4);
    ck_assert_int_eq(curves->vertex_count[1], 2);
    ck_assert_int_eq(curves->vertex_count[2], 4);
    for (int i = 0; i < 4; ++i)
        ck_assert(curves->position[3 * i + 2] == i && curves->position[3 * (6 + i) + 2] == i);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

#define PLY_XYZ "property float x\nproperty float y\nproperty double z\n"
TEST(curves_ply_dialects)
{
    static const char *const texts[] = {
        // lists, with a face before and radii as widths
        "ply\nformat ascii 1.0\nelement vertex 4\n" PLY_XYZ "property float width\nelement face 1\nproperty list uchar "
        "int vertex_indices\nelement strand 2\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0 2\n0 0 1 2\n1 0 0 2\n1 0 1 2\n3 0 1 2\n2 0 1\n2 2 3\n",
        "ply\nformat ascii 1.0\nelement vertex 4\n" PLY_XYZ "property int strand_id\nend_header\n"
        "0 0 0 7\n0 0 1 7\n1 0 0 9\n1 0 1 9\n",
        "ply\r\nformat ascii 1.0\r\nelement vertex 4\r\n" PLY_XYZ "element strand 2\r\nproperty uchar red\r\n"
        "end_header\r\n0 0 0\r\n0 0 1\r\n1 0 0\r\n1 0 1\r\n1 2\r\n",
    };
    fil_context *context = fil_context_create(NULL);
    for (int i = 0; i < 3; ++i) {
        fil_curves_report report;
        fil_curves *curves = read_text(context, "a.ply", texts[i], &report);
        ck_assert_int_eq(curves->strand_count, 2);
        ck_assert_int_eq(curves->vertex_count[1], 2);
        ck_assert(curves->position[6] == 1 && curves->position[11] == 1);
        ck_assert(i != 0 || (curves->radius && curves->radius[3] == 1));
        ck_assert(report.unit_guessed && report.unit == 1);
        fil_curves_destroy(curves);
    }
    fil_context_destroy(context);
}

TEST(curves_ply_big_endian)
{
    static const char header[] = "ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty float x\nproperty "
                                 "short y\nproperty double z\nproperty uchar curve\nend_header\n";
    static const unsigned char data[] = {0x3f, 0x80, 0, 0, 0xff, 0xfe, 0x40, 0,    0, 0, 0, 0, 0, 0, 5,
                                         0x3f, 0xc0, 0, 0, 0,    3,    0xbf, 0xf0, 0, 0, 0, 0, 0, 0, 5};
    unsigned char bytes[sizeof header - 1 + sizeof data];
    memcpy(bytes, header, sizeof header - 1);
    memcpy(bytes + sizeof header - 1, data, sizeof data);
    fil_context *context = fil_context_create(NULL);
    const char *path = test_path("a.ply");
    write_bytes(path, bytes, sizeof bytes);
    fil_curves *curves;
    test_ok(context, fil_curves_read(context, path, 1, &curves, NULL));
    static const double expected[] = {1, -2, 2, 1.5, 3, -1};
    for (int k = 0; k < 6; ++k)
        ck_assert(curves->position[k] == expected[k]);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(curves_usda_dialects)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves_report report;
    fil_curves *curves = read_text(context, "a.usda",
                                   "#usda 1.0\n# points = [\ndef Mesh \"head\" { point3f[] points = [(1,2,3)] }\n"
                                   "def BasisCurves \"hair\" (\n kind = 'x'\n) {\n float[] widths = [0.02]\n"
                                   " point3f[] points = [\n (0,0,0),\n (0, 0, 1 ), (1,0,0), (1,0,2),\n ]\n"
                                   " int[] curveVertexCounts = [2,2]\n}\n",
                                   &report);
    ck_assert_int_eq(curves->strand_count, 2);
    ck_assert(report.unit == 0.01 && !report.unit_guessed);
    test_near(curves->position[11], 0.02, 1e-12);
    test_near(curves->radius[3], 1e-4, 1e-12);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(curves_defects_are_dropped_and_counted)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves_report report;
    // A repeated place, one that is too near, NaN, infinity and too far; a strand of one place, one without extent.
    fil_curves *curves =
        read_text(context, "a.obj",
                  "v 0 0 0\nv 0 0 0\nv 0 0 1\nv 0 0 1.0000000001\nv nan 0 0\nv 0 -inf 0\nv 0 0 1e31\nv 0 0 2\n"
                  "v 5 5 5\nv 5 5 5\nl 1 2 3 4 5 6 7 8\nl 9\nl 9 10 9\nl 5 6 8\nl 1 3 8\n",
                  &report);
    ck_assert_int_eq(curves->strand_count, 2);
    ck_assert_int_eq(curves->vertex_count[0], 3);
    ck_assert_int_eq(curves->vertex_count[1], 3);
    ck_assert_int_eq(report.strands_in_file, 5);
    ck_assert_int_eq(report.vertices_in_file, 18);
    ck_assert_int_eq(report.strands_dropped, 3);
    ck_assert_int_eq(report.vertices_not_finite, 5);
    ck_assert_int_eq(report.vertices_doubled, 4);
    ck_assert(curves->position[8] == 2);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(curves_guess_the_unit)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves_report report;
    fil_curves *curves = read_text(context, "a.obj", "v 0 0 0\nv 0 0 4\nl 1 2\n", &report);
    ck_assert(report.unit == 0.01 && report.unit_guessed);
    test_near(curves->position[5], 0.04, 1e-15);
    fil_curves_destroy(curves);
    curves = read_text(context, "b.obj", "v 0 0 0\nv 0 0 3\nl 1 2\n", &report);
    ck_assert(report.unit == 1 && report.unit_guessed);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(curves_are_measured)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves;
    fil_curves_info info;
    test_ok(context, fil_curves_create(context, 2, 5, false, &curves));
    static const double x[] = {0, 0, 0, 3, 4, 0, 3, 4, 1, -1, 0, 0, -1, 2, 0};
    memcpy(curves->position, x, sizeof x);
    curves->vertex_count[0] = 3;
    curves->vertex_count[1] = 2;
    fil_curves_measure(curves, &info);
    ck_assert(info.length[0] == 2 && info.length[1] == 4 && info.length[2] == 6);
    ck_assert(info.segment[0] == 1 && info.segment[2] == 5);
    test_near(info.segment[1], 8.0 / 3, 1e-15);
    ck_assert(info.vertices[0] == 2 && info.vertices[1] == 3);
    ck_assert(info.low[0] == -1 && info.high[0] == 3 && info.low[2] == 0 && info.high[2] == 1);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(curves_are_resampled)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves, *out;
    enum { COUNT = 200 };
    // Two turns of a helix, unequal segments.
    test_ok(context, fil_curves_create(context, 1, COUNT, true, &curves));
    curves->vertex_count[0] = COUNT;
    for (int i = 0; i < COUNT; ++i) {
        double t = pow(i / (COUNT - 1.0), 1.5), angle = 4 * 3.14159265358979 * t;
        double *x = curves->position + 3 * i;
        x[0] = 0.01 * cos(angle);
        x[1] = 0.01 * sin(angle);
        x[2] = 0.2 * t;
        curves->radius[i] = 1e-4 * (1 - t);
    }
    fil_curves_info before, after;
    fil_curves_measure(curves, &before);
    test_ok(context, fil_curves_resample(context, curves, 0.002, &out));
    fil_curves_measure(out, &after);
    ck_assert_int_eq(out->vertex_count[0], (int)(before.length[0] / 0.002 + 0.5) + 1);
    ck_assert(fabs(after.length[0] / before.length[0] - 1) < 5e-4);
    ck_assert(after.segment[0] > 0.99 * after.segment[2]);
    int last = out->vertex_count[0] - 1;
    for (int k = 0; k < 3; ++k) {
        ck_assert(out->position[k] == curves->position[k]);
        ck_assert(out->position[3 * last + k] == curves->position[3 * (COUNT - 1) + k]);
    }
    ck_assert(out->radius[0] == 1e-4 && out->radius[last] == 0);
    fil_curves_destroy(out);
    // Longer than the strand: one segment.
    test_ok(context, fil_curves_resample(context, curves, 10, &out));
    ck_assert_int_eq(out->vertex_count[0], 2);
    fil_curves_destroy(out);
    ck_assert_int_eq(fil_curves_resample(context, curves, 1e-12, &out), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "too many");
    ck_assert_int_eq(fil_curves_resample(context, curves, NAN, &out), FIL_BAD_INPUT);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(curves_writers_refuse)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves = make_curves(context, false, false);
    const char *path = test_path("a.tfx");
    write_bytes(path, "before", 6);
    ck_assert_int_eq(fil_curves_write(context, path, curves, 1), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "same number of vertices (strand 0 has 4, strand 1 has 2)");
    FILE *file = fopen(path, "rb");
    char kept[8] = {0};
    ck_assert_uint_eq(fread(kept, 1, 8, file), 6);
    fclose(file);
    ck_assert_str_eq(kept, "before");
    ck_assert_int_eq(fil_curves_write(context, test_path("a.usd"), curves, 1), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "did you mean '.usda'?");
    ck_assert_int_eq(fil_curves_write(context, test_path("a.obj"), curves, -1), FIL_BAD_INPUT);
    ck_assert_int_eq(fil_curves_write(context, test_path("no/such/a.obj"), curves, 1), FIL_IO_FAILED);
    curves->position[3] = 1e39;
    ck_assert_int_eq(fil_curves_write(context, test_path("a.hair"), curves, 1), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "vertex 1 does not fit");
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

static fil_status all_work(fil_context *context, void *data)
{
    fil_curves *curves = NULL, *finer = NULL;
    fil_status status = fil_curves_read(context, data, 0, &curves, NULL);
    if (status == FIL_OK)
        status = fil_curves_resample(context, curves, 0.001, &finer);
    if (status == FIL_OK)
        status = fil_curves_write(context, data, curves, 1);
    fil_curves_destroy(finer);
    fil_curves_destroy(curves);
    return status;
}

TEST(curves_survive_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves = make_curves(context, true, true);
    for (int f = 0; f < FIL_CURVES_FORMATS; ++f) {
        char path[256];
        snprintf(path, sizeof path, "%s/a.%s", test_folder(), fil_curves_formats[f].name);
        test_ok(context, fil_curves_write(context, path, curves, 1));
        ck_assert_int_ge(test_failing_allocation(all_work, path), 5);
    }
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

static void check_real(const char *name, int strands, int each, double unit, double shortest, double longest)
{
    const char *path = test_data(name);
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves, *back;
    fil_curves_report report;
    fil_curves_info info;
    test_ok(context, fil_curves_read(context, path, 0, &curves, &report));
    ck_assert_int_eq(report.strands_in_file, strands);
    ck_assert_int_eq(report.vertices_in_file, (int64_t)strands * each);
    ck_assert(report.unit == unit && report.unit_guessed);
    ck_assert_int_eq(curves->strand_count + report.strands_dropped, strands);
    fil_curves_measure(curves, &info);
    ck_assert_msg(info.length[1] >= shortest && info.length[1] <= longest, "mean length %g", info.length[1]);
    ck_assert(info.segment[0] > 0);
    for (int f = 0; f < FIL_CURVES_FORMATS; ++f) {
        char out[256];
        snprintf(out, sizeof out, "%s/real.%s", test_folder(), fil_curves_formats[f].name);
        fil_status status = fil_curves_write(context, out, curves, 0);
        if (status != FIL_OK && strcmp(fil_curves_formats[f].name, "tfx") == 0)
            continue; // repaired strands may differ in their vertices
        test_ok(context, status);
        test_ok(context, fil_curves_read(context, out, 1, &back, &report));
        ck_assert_int_eq(back->strand_count, curves->strand_count);
        int64_t wrong = 0;
        ck_assert_int_eq(back->vertex_total, curves->vertex_total);
        for (int64_t i = 0; i < 3 * curves->vertex_total; ++i)
            wrong += fabs(back->position[i] - curves->position[i]) > 1e-7;
        ck_assert_int_eq(wrong, 0);
        fil_curves_destroy(back);
    }
    fil_curves_destroy(curves);
    fil_context_destroy(context);
}

TEST(curves_real_usc_data)
{
    check_real("grooms/harolongo.data", 7905, 21, 0.01, 0.15, 0.35);
}

TEST(curves_real_tressfx)
{
    check_real("grooms/ratboy_mohawk.tfx", 2228, 32, 1, 0.01, 0.5);
}

TEST(curves_real_obj)
{
    check_real("grooms/creamystrand_hair_ball_1k.obj", 1000, 40, 0.01, 0.15, 0.25);
}

TEST(curves_mesh_is_no_groom)
{
    const char *path = test_data("grooms/ds_comb.obj");
    fil_context *context = fil_context_create(NULL);
    fil_curves *curves;
    ck_assert_int_eq(fil_curves_read(context, path, 0, &curves, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "it holds faces: is it a mesh?");
    fil_context_destroy(context);
}
