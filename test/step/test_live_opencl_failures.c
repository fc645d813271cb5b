// needs: dl
// Live strands on a device that fails: each call of OpenCL in turn, the way failing_allocator.h does it for memory. The
// functions below stand before those of the library of the same name.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include "test.h"

#include "filum/filum.h"
#include "globe.h"

#include <math.h>
#include <string.h>

#if __has_include(<CL/cl.h>)

#include <CL/cl.h>
#include <dlfcn.h>

static long calls, fail_at = -1; // the call (from 0) that fails; < 0: none
static int alive;                // objects of OpenCL that are not released
static cl_int with;              // ... and its code

static bool fails(void)
{
    return calls++ == fail_at;
}

// The library's own function.
#define REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

// Functions that make something.
#define MAKES(type, name, parameters, ...)                                                                             \
    type name parameters                                                                                               \
    {                                                                                                                  \
        if (fails()) {                                                                                                 \
            *code = with;                                                                                              \
            return NULL;                                                                                               \
        }                                                                                                              \
        type made = REAL(name)(__VA_ARGS__);                                                                           \
        alive += made != NULL;                                                                                         \
        return made;                                                                                                   \
    }
// ... that do something.
#define DOES(name, parameters, ...)                                                                                    \
    cl_int name parameters                                                                                             \
    {                                                                                                                  \
        return fails() ? with : REAL(name)(__VA_ARGS__);                                                               \
    }
// ... that release something.
#define RELEASES(name, type)                                                                                           \
    cl_int name(type made)                                                                                             \
    {                                                                                                                  \
        --alive;                                                                                                       \
        return REAL(name)(made);                                                                                       \
    }

typedef void CL_CALLBACK context_notice(const char *, const void *, size_t, void *);
typedef void CL_CALLBACK program_notice(cl_program, void *);

MAKES(cl_context, clCreateContext,
      (const cl_context_properties *a, cl_uint b, const cl_device_id *c, context_notice *d, void *e, cl_int *code), a,
      b, c, d, e, code)
MAKES(cl_command_queue, clCreateCommandQueue,
      (cl_context a, cl_device_id b, cl_command_queue_properties c, cl_int *code), a, b, c, code)
MAKES(cl_program, clCreateProgramWithSource, (cl_context a, cl_uint b, const char **c, const size_t *d, cl_int *code),
      a, b, c, d, code)
MAKES(cl_kernel, clCreateKernel, (cl_program a, const char *b, cl_int *code), a, b, code)
MAKES(cl_mem, clCreateBuffer, (cl_context a, cl_mem_flags b, size_t c, void *d, cl_int *code), a, b, c, d, code)
DOES(clBuildProgram, (cl_program a, cl_uint b, const cl_device_id *c, const char *d, program_notice *e, void *f), a, b,
     c, d, e, f)
DOES(clSetKernelArg, (cl_kernel a, cl_uint b, size_t c, const void *d), a, b, c, d)
DOES(clEnqueueWriteBuffer,
     (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, const void *f, cl_uint g, const cl_event *h,
      cl_event *i),
     a, b, c, d, e, f, g, h, i)
DOES(clEnqueueReadBuffer,
     (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void *f, cl_uint g, const cl_event *h, cl_event *i),
     a, b, c, d, e, f, g, h, i)
DOES(clEnqueueNDRangeKernel,
     (cl_command_queue a, cl_kernel b, cl_uint c, const size_t *d, const size_t *e, const size_t *f, cl_uint g,
      const cl_event *h, cl_event *i),
     a, b, c, d, e, f, g, h, i)
RELEASES(clReleaseContext, cl_context)
RELEASES(clReleaseCommandQueue, cl_command_queue)
RELEASES(clReleaseProgram, cl_program)
RELEASES(clReleaseKernel, cl_kernel)
RELEASES(clReleaseMemObject, cl_mem)

enum { N = 4 };
static const double start[3 * N] = {0, 0, 0, 0.1, 0, 0, 0.2, 0, 0, 0.3, 0, 0};
static const char *const alone = "tridiag:device=opencl,layout=strand";
static const char *const in_cloud = "tridiag:device=opencl,layout=strand,grid=0.05";
typedef struct strand {
    fil_context *context;
    fil_model *model;
    fil_state *state;
} strand;

static fil_status strand_make(const char *model, strand *out)
{
    static const int vertices = N;
    static globe ball;
    fil_scene scene = fil_scene_default();
    fil_group group = fil_group_default();
    fil_contacts contacts = fil_contacts_default();
    fil_obstacle body = fil_obstacle_default();
    globe_make(0.05, &ball);
    body.shape = FIL_OBSTACLE_MESH;
    body.mesh = &ball.mesh;
    body.place.position[1] = -0.1;
    scene.contacts = &contacts;
    scene.obstacles = &body;
    scene.obstacle_count = 1;
    group.model = model;
    group.groom = (fil_groom){.strand_count = 1, .vertex_count = (int *)&vertices, .position = (double *)start};
    scene.groups = &group;
    scene.group_count = 1;
    *out = (strand){.context = fil_context_create(NULL)};
    test_ok(out->context, fil_model_create(out->context, &scene, &out->model));
    return fil_state_create(out->context, out->model, &out->state);
}

static void strand_free(strand *s)
{
    fil_state_destroy(s->state);
    fil_model_destroy(s->model);
    fil_context_destroy(s->context);
    fail_at = -1;
    ck_assert_int_eq(alive, 0);
}

static void skip_without_device(void)
{
    strand s;
    fil_status status = strand_make(alone, &s);
    // A kernel that is not compiled is a fault of ours.
    if (status == FIL_UNAVAILABLE && !strstr(fil_context_error(s.context), "compile"))
        test_skip("%s", fil_context_error(s.context));
    test_ok(s.context, status);
    strand_free(&s);
}

// The next calls: the one that fails, and with what.
static void fail_next(long after, cl_int code)
{
    calls = 0;
    fail_at = after;
    with = code;
}

TEST(opencl_reports_every_failure)
{
    skip_without_device();
    const struct {
        cl_int code;
        fil_status status;
    } ways[] = {{CL_OUT_OF_RESOURCES, FIL_UNAVAILABLE}, {CL_MEM_OBJECT_ALLOCATION_FAILURE, FIL_NO_MEMORY}};
    for (int way = 0; way < 2; ++way)
        for (long k = 0, more = 1; more; ++k) {
            strand s;
            fail_next(k, ways[way].code);
            fil_status status = strand_make(in_cloud, &s);
            if (status == FIL_OK)
                status = fil_step(s.context, s.state, 0.01, NULL);
            more = calls > k;
            if (more) {
                // What does not compile is told as that, whatever the reason.
                bool compiler = strstr(fil_context_error(s.context), "does not compile") != NULL;
                ck_assert_msg(status == (compiler ? FIL_UNAVAILABLE : ways[way].status), "call %ld: status %d (%s)", k,
                              status, fil_context_error(s.context));
                test_contains(fil_context_error(s.context), "opencl: ");
            } else {
                test_ok(s.context, status);
                ck_assert_int_gt(k, 35);
            }
            strand_free(&s);
        }
}

// A state that is lost shows that it is, steps say so, and a saved one helps.
TEST(opencl_tells_that_a_state_is_lost)
{
    skip_without_device();
    strand s;
    double x[3 * N];
    char bytes[8192];
    ck_assert_int_eq(strand_make(alone, &s), FIL_OK);
    ck_assert_uint_le(fil_state_size(s.state), sizeof bytes);
    test_ok(s.context, fil_step(s.context, s.state, 0.01, NULL));
    fil_state_save(s.state, bytes);
    test_ok(s.context, fil_step(s.context, s.state, 0.01, NULL));
    fail_next(0, CL_OUT_OF_RESOURCES);
    fil_state_read(s.state, 0, &(fil_frame){.position = x});
    ck_assert(isnan(x[0]) && isnan(x[3 * N - 1]));
    test_fails(s.context, fil_step(s.context, s.state, 0.01, NULL), FIL_UNAVAILABLE,
               "opencl: the device failed at an earlier step, and its state is lost (error -5)");
    test_ok(s.context, fil_state_load(s.context, s.state, bytes, fil_state_size(s.state)));
    test_ok(s.context, fil_step(s.context, s.state, 0.01, NULL));
    fil_state_read(s.state, 0, &(fil_frame){.position = x});
    for (int i = 0; i < 3 * N; ++i)
        ck_assert(isfinite(x[i]));
    // The same when it is lost while it comes to rest.
    fail_next(0, CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(fil_step(s.context, s.state, 0.01, NULL), FIL_UNAVAILABLE);
    ck_assert_int_eq(fil_relax(s.context, s.state, 5, NULL), FIL_UNAVAILABLE);
    strand_free(&s);
}

#else

TEST(opencl_reports_every_failure)
{
    test_skip("no headers of OpenCL (missing: apt install opencl-headers)");
}

#endif
