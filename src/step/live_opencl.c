// Live strands on a device of OpenCL: a GPU, or the processor by PoCL.
//
// The kernels are the text that C compiles, too (strand/live_kernel.h and those it names), between the words they are
// written in (live_opencl_words.cl) and what runs them (live_opencl_step.cl). Rounding is that of C where the device
// can divide and take roots exactly, so results differ from those of the processor little or not at all.
//
// Two layouts. `packed`: arrays as the host has them, numbers of eight strands side by side; a work item is a strand on
// a GPU, whose neighbours read what lies next to it, and on a processor a pack, in a float8. `strand`: the numbers of a
// strand lie together and a work item is a strand, as in [Han13]; arrays are turned about on the way in and out.
//
// Positions and velocities stay on the device. The host fetches them when somebody asks, which the calls that read a
// state cannot fail at: they show NaN for what a broken device has lost, and the next step tells. Cost: poses and goals
// of all roots go to the device in each step. Meshes are not known there: steps are then done in two shares, and
// between them the host has places on their way. Limits: PoCL uses all processors, whatever the context says.
#include "step/live_opencl.h"

#ifdef FIL_HAVE_OPENCL

#include "step/live_opencl_text.h"

#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES = FIL_LIVE_LANES, MOST_PLATFORMS = 16, GPU_GROUP = 64, ITEMS_A_PROCESSOR = 8 };

// Buffers, in the order in which the kernel takes them, behind as many numbers.
enum { ARGUMENTS_BEFORE = 6 };
enum {
    ROW,
    VERTICES,
    HELD_START,
    HELD,
    X,
    V,
    ROOM,
    WEIGHT,
    FIXED,
    AXIS,
    PUSH,
    POSE,
    GOAL,
    NOW,
    SHAPES,
    FAILED,
    BUFFERS
};
// Numbers of a vertex in FIXED and ROOM: as live_opencl_step.cl takes them.
enum { FIXED_WIDTH = 16, ROOM_WIDTH = 18 };

struct fil_live_opencl {
    const fil_strands *strands;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer[BUFFERS];
    bool by_strand, is_processor;
    bool own_room;          // work items use theirs again for each of their units
    int wide;               // strands of a work item
    int units, per_item;    // strands or packs; of a work item
    size_t global, local;   // work items; of a group
    int64_t rows, own_rows; // floats of one number for each vertex; of what a step needs room for
    void *staging;          // to turn arrays about in
    bool ahead;             // the host's copy is older
    bool stale, stale_push; // the device's copy is older
    cl_int lost;            // why the device's copy is lost; CL_SUCCESS: it is not
};

static bool pretends_gpu;

void fil_live_opencl_pretend_gpu(bool yes)
{
    pretends_gpu = yes;
}

// context: NULL: nobody reads the sentence.
static fil_status judge(fil_context *context, cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return FIL_OK;
    if (!context)
        return FIL_UNAVAILABLE;
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE)
        return fil_context_fail(context, FIL_NO_MEMORY, "opencl: the device has no memory for %s (error %d)", what,
                                (int)code);
    return fil_context_fail(context, FIL_UNAVAILABLE, "opencl: the device failed at %s (error %d)", what, (int)code);
}

// ---- creation

static bool find_device(cl_device_id *out)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint count = 0;
    if (clGetPlatformIDs(MOST_PLATFORMS, platforms, &count) != CL_SUCCESS)
        return false;
    count = count < MOST_PLATFORMS ? count : MOST_PLATFORMS;
    const cl_device_type kinds[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
    for (int kind = 0; kind < 2; ++kind)
        for (cl_uint i = 0; i < count; ++i)
            if (clGetDeviceIDs(platforms[i], kinds[kind], 1, out, NULL) == CL_SUCCESS)
                return true;
    return false;
}

static fil_status open_device(fil_context *context, fil_live_opencl *self)
{
    cl_int code;
    cl_device_type kind = 0;
    if (!find_device(&self->device))
        return fil_context_fail(context, FIL_UNAVAILABLE,
                                "opencl: no device found; install a driver, or pocl-opencl-icd, or use device cpu");
    self->context = clCreateContext(NULL, 1, &self->device, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        self->queue = clCreateCommandQueue(self->context, self->device, 0, &code);
    if (code == CL_SUCCESS)
        code = clGetDeviceInfo(self->device, CL_DEVICE_TYPE, sizeof kind, &kind, NULL);
    self->is_processor = (kind & CL_DEVICE_TYPE_CPU) != 0 && !pretends_gpu;
    return judge(context, code, "opening it");
}

static const char *text_of(const char *name)
{
    for (int i = 0; i < fil_live_opencl_text_count; ++i)
        if (strcmp(fil_live_opencl_texts[i].name, name) == 0)
            return fil_live_opencl_texts[i].text;
    return NULL;
}

// What the compiler of the device says.
static fil_status blame(fil_context *context, fil_arena *arena, const fil_live_opencl *self, cl_int code)
{
    size_t size = 0;
    clGetProgramBuildInfo(self->program, self->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = FIL_ARENA_ARRAY(arena, char, size + 1);
    if (!log)
        return FIL_NO_MEMORY;
    clGetProgramBuildInfo(self->program, self->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return fil_context_fail(context, FIL_UNAVAILABLE, "opencl: the device does not compile %s (error %d): %.300s",
                            self->strands->type->name, (int)code, log);
}

static fil_status compile(fil_context *context, fil_arena *arena, fil_live_opencl *self)
{
    char model[64], options[128];
    cl_device_fp_config rounding = 0;
    snprintf(model, sizeof model, "strand_%s_kernel.h", self->strands->type->name);
    const char *texts[] = {text_of("live_opencl_words.cl"), text_of("live_types.h"),
                           text_of("live_kernel.h"),        text_of(model),
                           text_of("live_step_kernel.h"),   text_of("live_opencl_step.cl")};
    const cl_uint count = sizeof texts / sizeof *texts;
    for (cl_uint i = 0; i < count; ++i)
        if (!texts[i])
            return fil_context_fail(context, FIL_UNAVAILABLE, "opencl: %s does not run there; use device cpu",
                                    self->strands->type->name);
    clGetDeviceInfo(self->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof rounding, &rounding, NULL);
    bool exact = (rounding & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -w -D WIDE=%d -D STRIDE=%d%s", self->wide,
             self->by_strand ? 1 : LANES, exact ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
    cl_int code;
    self->program = clCreateProgramWithSource(self->context, count, texts, NULL, &code);
    if (code != CL_SUCCESS)
        return judge(context, code, "its program");
    code = clBuildProgram(self->program, 1, &self->device, options, NULL, NULL);
    if (code != CL_SUCCESS)
        return blame(context, arena, self, code);
    self->kernel = clCreateKernel(self->program, "live_step", &code);
    return judge(context, code, "its kernel");
}

// Who does what. A processor has few work items that go from unit to unit, in groups of one: PoCL keeps the variables
// of a group on the stack of a thread.
static fil_status plan(fil_context *context, fil_live_opencl *self)
{
    const fil_live *live = self->strands->live;
    self->rows = live->row[live->pack_count] * LANES;
    self->units = live->pack_count * (LANES / self->wide);
    cl_uint processors = 1;
    size_t most = 1;
    cl_int code = clGetDeviceInfo(self->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof processors, &processors, NULL);
    if (code == CL_SUCCESS)
        code =
            clGetKernelWorkGroupInfo(self->kernel, self->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    if (code != CL_SUCCESS)
        return judge(context, code, "a question");
    int items = self->units;
    if (self->is_processor && items > (int)processors * ITEMS_A_PROCESSOR)
        items = (int)processors * ITEMS_A_PROCESSOR;
    self->per_item = items > 0 ? (self->units + items - 1) / items : 0;
    self->local = self->is_processor ? 1 : most < GPU_GROUP ? most : GPU_GROUP;
    self->global = ((size_t)items + self->local - 1) / self->local * self->local;
    self->own_rows = self->own_room ? (int64_t)items * live->longest * self->wide : self->rows;
    return FIL_OK;
}

static fil_status make_buffers(fil_context *context, fil_live_opencl *self, int shapes)
{
    const fil_live *live = self->strands->live;
    const size_t rows = (size_t)self->rows, packs = (size_t)live->pack_count;
    const size_t held = (size_t)live->held_start[live->pack_count];
    const size_t size[BUFFERS] = {[ROW] = packs + 1,
                                  [VERTICES] = packs,
                                  [HELD_START] = packs + 1,
                                  [HELD] = held,
                                  [X] = 3 * rows,
                                  [V] = 3 * rows,
                                  [ROOM] = ROOM_WIDTH * (size_t)self->own_rows,
                                  [WEIGHT] = rows,
                                  [FIXED] = FIXED_WIDTH * rows,
                                  [AXIS] = 3 * LANES * packs,
                                  [PUSH] = 3 * rows,
                                  [POSE] = 12 * LANES * packs,
                                  [GOAL] = 3 * LANES * held,
                                  [NOW] = sizeof(fil_live_now) / sizeof(float),
                                  [SHAPES] = (size_t)shapes * (sizeof(fil_live_shape) / sizeof(float)),
                                  [FAILED] = 1};
    for (int i = 0; i < BUFFERS; ++i) {
        cl_int code;
        // None is empty: OpenCL has no such buffers.
        self->buffer[i] = clCreateBuffer(self->context, CL_MEM_READ_WRITE, (size[i] + 1) * sizeof(float), NULL, &code);
        if (code == CL_SUCCESS)
            code = clSetKernelArg(self->kernel, (cl_uint)(ARGUMENTS_BEFORE + i), sizeof(cl_mem), &self->buffer[i]);
        if (code != CL_SUCCESS)
            return judge(context, code, "its buffers");
    }
    const cl_int units = self->units, per_item = self->per_item, strands = self->strands->strand_count;
    const cl_int longest = self->own_room ? live->longest : 0;
    const cl_long all_rows = self->rows, own_rows = self->own_rows;
    const struct {
        const void *value;
        size_t size;
    } before[ARGUMENTS_BEFORE] = {{&units, sizeof units},       {&per_item, sizeof per_item},
                                  {&strands, sizeof strands},   {&longest, sizeof longest},
                                  {&all_rows, sizeof all_rows}, {&own_rows, sizeof own_rows}};
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < ARGUMENTS_BEFORE && code == CL_SUCCESS; ++i)
        code = clSetKernelArg(self->kernel, (cl_uint)i, before[i].size, before[i].value);
    return judge(context, code, "its arguments");
}

// ---- there and back

// Turns the arrays of all packs about: numbers of strands side by side, or those of a strand together. Pack k has the
// numbers from start[k] on, or from k, each of that width.
static void turn_about(const fil_live *live, const int64_t *start, int width, bool by_strand, const float *from,
                       float *to)
{
    for (int pack = 0; pack < live->pack_count; ++pack) {
        int64_t first = start ? start[pack] : pack, count = (start ? start[pack + 1] - first : 1) * width;
        int64_t base = first * width * LANES;
        for (int lane = 0; lane < LANES; ++lane)
            for (int64_t i = 0; i < count; ++i) {
                int64_t together = base + lane * count + i, aside = base + i * LANES + lane;
                if (by_strand)
                    to[together] = from[aside];
                else
                    to[aside] = from[together];
            }
    }
}

static int64_t numbers_of(const fil_live *live, const int64_t *start, int width)
{
    return (start ? start[live->pack_count] : live->pack_count) * width * LANES;
}

static cl_int put_bytes(fil_live_opencl *self, int which, int64_t offset, const void *from, size_t size)
{
    if (size == 0)
        return CL_SUCCESS;
    return clEnqueueWriteBuffer(self->queue, self->buffer[which], CL_TRUE, (size_t)offset * sizeof(float), size, from,
                                0, NULL, NULL);
}

static cl_int put(fil_live_opencl *self, int which, int64_t offset, const int64_t *start, int width, const float *from)
{
    const fil_live *live = self->strands->live;
    if (self->by_strand) {
        turn_about(live, start, width, true, from, self->staging);
        from = self->staging;
    }
    return put_bytes(self, which, offset, from, (size_t)numbers_of(live, start, width) * sizeof(float));
}

static cl_int get(fil_live_opencl *self, int which, float *to)
{
    const fil_live *live = self->strands->live;
    size_t size = 3 * (size_t)self->rows * sizeof(float);
    float *place = self->by_strand ? self->staging : to;
    if (size == 0)
        return CL_SUCCESS;
    cl_int code = clEnqueueReadBuffer(self->queue, self->buffer[which], CL_TRUE, 0, size, place, 0, NULL, NULL);
    if (code == CL_SUCCESS && self->by_strand)
        turn_about(live, live->row, 3, false, place, to);
    return code;
}

// What has 64 bits on the host.
static cl_int put_starts(fil_live_opencl *self, int which, const int64_t *from)
{
    int *to = self->staging, count = self->strands->live->pack_count + 1;
    for (int i = 0; i < count; ++i)
        to[i] = (int)from[i];
    return put_bytes(self, which, 0, to, (size_t)count * sizeof(int));
}

static fil_status put_constants(fil_context *context, fil_live_opencl *self)
{
    const fil_live *live = self->strands->live;
    // As live_opencl_step.cl takes them.
    const struct {
        const float *array;
        int at, width;
    } fixed[] = {{live->length, 0, 1}, {live->inverse, 1, 1},    {live->drag, 2, 1},
                 {live->radius, 3, 1}, {live->along, 4, 1},      {live->give, 5, 2},
                 {live->rest, 7, 3},   {live->rest_bend, 10, 3}, {live->lift, 13, 3}};
    cl_int code = put_starts(self, ROW, live->row);
    if (code == CL_SUCCESS)
        code = put_starts(self, HELD_START, live->held_start);
    if (code == CL_SUCCESS)
        code = put_bytes(self, VERTICES, 0, live->vertices, (size_t)live->pack_count * sizeof(int));
    if (code == CL_SUCCESS)
        code = put_bytes(self, HELD, 0, live->held, (size_t)live->held_start[live->pack_count] * sizeof(int));
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed && code == CL_SUCCESS; ++i)
        if (fixed[i].array)
            code = put(self, FIXED, fixed[i].at * self->rows, live->row, fixed[i].width, fixed[i].array);
    if (code == CL_SUCCESS)
        code = put(self, AXIS, 0, NULL, 3, live->axis);
    if (code == CL_SUCCESS)
        code = put(self, WEIGHT, 0, live->row, 1, live->weight);
    return judge(context, code, "what stays the same");
}

static void *make_staging(fil_arena *arena, const fil_live_opencl *self)
{
    const fil_live *live = self->strands->live;
    int64_t most = live->pack_count + 1;
    const int64_t arrays[] = {numbers_of(live, live->row, 3), numbers_of(live, NULL, 12),
                              numbers_of(live, live->held_start, 3)};
    for (int i = 0; i < 3 && self->by_strand; ++i)
        most = arrays[i] > most ? arrays[i] : most;
    return FIL_ARENA_RAW(arena, float, most);
}

fil_status fil_live_opencl_create(fil_context *context, fil_arena *arena, const fil_strands *strands, int shapes,
                                  bool shared, fil_live_opencl **out)
{
    fil_live_opencl *self = *out = FIL_ARENA_ARRAY(arena, fil_live_opencl, 1);
    if (!self)
        return FIL_NO_MEMORY;
    self->strands = strands;
    self->by_strand = strands->live->param->layout == FIL_LIVE_BY_STRAND;
    self->stale = self->stale_push = true;
    self->staging = make_staging(arena, self);
    if (!self->staging)
        return FIL_NO_MEMORY;
    fil_status status = open_device(context, self);
    self->wide = self->is_processor && !self->by_strand ? LANES : 1;
    self->own_room = self->is_processor && !shared;
    if (status == FIL_OK)
        status = compile(context, arena, self);
    if (status == FIL_OK)
        status = plan(context, self);
    if (status == FIL_OK)
        status = make_buffers(context, self, shapes);
    return status == FIL_OK ? put_constants(context, self) : status;
}

void fil_live_opencl_destroy(fil_live_opencl *self)
{
    if (!self)
        return;
    for (int i = 0; i < BUFFERS; ++i)
        if (self->buffer[i])
            clReleaseMemObject(self->buffer[i]);
    if (self->kernel)
        clReleaseKernel(self->kernel);
    if (self->program)
        clReleaseProgram(self->program);
    if (self->queue)
        clReleaseCommandQueue(self->queue);
    if (self->context)
        clReleaseContext(self->context);
}

// ---- steps

// What the device does not know yet.
static cl_int bring_up_to_date(fil_live_opencl *self, const fil_live_state *state, bool pushed)
{
    const int64_t *row = self->strands->live->row;
    cl_int code = CL_SUCCESS;
    if (self->stale)
        code = put(self, X, 0, row, 3, state->x);
    if (self->stale && code == CL_SUCCESS)
        code = put(self, V, 0, row, 3, state->v);
    self->stale = self->stale && code != CL_SUCCESS;
    if (pushed && self->stale_push && code == CL_SUCCESS) {
        code = put(self, PUSH, 0, row, 3, state->push);
        self->stale_push = code != CL_SUCCESS;
    }
    return code;
}

static cl_int put_order(fil_live_opencl *self, const fil_live_order *order)
{
    const fil_live *live = self->strands->live;
    const int none = 0;
    cl_int code = put_bytes(self, NOW, 0, order->now, sizeof *order->now);
    if (code == CL_SUCCESS)
        code = put_bytes(self, FAILED, 0, &none, sizeof none);
    if (order->now->share == FIL_LIVE_FINISH)
        return code; // the rest is there
    if (order->weight && code == CL_SUCCESS)
        code = put(self, WEIGHT, 0, live->row, 1, order->weight);
    if (code == CL_SUCCESS)
        code = put(self, POSE, 0, NULL, 12, order->pose);
    if (code == CL_SUCCESS)
        code = put(self, GOAL, 0, live->held_start, 3, order->goal);
    if (code == CL_SUCCESS)
        code = put_bytes(self, SHAPES, 0, order->shapes, (size_t)order->now->shapes * sizeof *order->shapes);
    return code;
}

fil_status fil_live_opencl_step(fil_context *context, fil_live_opencl *self, const fil_live_state *state,
                                const fil_live_order *order, int *failed)
{
    *failed = 0;
    if (self->lost != CL_SUCCESS)
        return judge(context, self->lost, "an earlier step, and its state is lost");
    if (self->global == 0)
        return FIL_OK;
    cl_int code = bring_up_to_date(self, state, order->now->pushed != 0);
    if (code == CL_SUCCESS)
        code = put_order(self, order);
    if (code == CL_SUCCESS) {
        self->ahead = true;
        code = clEnqueueNDRangeKernel(self->queue, self->kernel, 1, NULL, &self->global, &self->local, 0, NULL, NULL);
    }
    if (code == CL_SUCCESS)
        code =
            clEnqueueReadBuffer(self->queue, self->buffer[FAILED], CL_TRUE, 0, sizeof *failed, failed, 0, NULL, NULL);
    self->lost = code;
    return judge(context, code, "a step");
}

// Places are the first numbers of what there is room for.
fil_status fil_live_opencl_take_places(fil_context *context, fil_live_opencl *self, const fil_live_state *state,
                                       float *place)
{
    if (self->lost == CL_SUCCESS)
        self->lost = get(self, X, state->x);
    if (self->lost == CL_SUCCESS)
        self->lost = get(self, ROOM, place);
    return judge(context, self->lost, "giving places");
}

fil_status fil_live_opencl_give_places(fil_context *context, fil_live_opencl *self, const float *place)
{
    if (self->lost == CL_SUCCESS)
        self->lost = put(self, ROOM, 0, self->strands->live->row, 3, place);
    return judge(context, self->lost, "taking places");
}

fil_status fil_live_opencl_fetch(fil_context *context, fil_live_opencl *self, const fil_live_state *state)
{
    if (!self->ahead)
        return FIL_OK;
    if (self->lost == CL_SUCCESS)
        self->lost = get(self, X, state->x);
    if (self->lost == CL_SUCCESS)
        self->lost = get(self, V, state->v);
    for (int64_t i = 0; i < 3 * self->rows && self->lost != CL_SUCCESS; ++i)
        state->x[i] = state->v[i] = NAN;
    self->ahead = false;
    return judge(context, self->lost, "giving back a state");
}

void fil_live_opencl_renew(fil_live_opencl *self)
{
    self->ahead = false;
    self->stale = true;
}

void fil_live_opencl_renew_push(fil_live_opencl *self)
{
    self->stale_push = true;
}

void fil_live_opencl_reset(fil_live_opencl *self)
{
    self->ahead = false;
    self->stale = self->stale_push = true;
    self->lost = CL_SUCCESS;
}

#else

fil_status fil_live_opencl_create(fil_context *context, fil_arena *arena, const fil_strands *strands, int shapes,
                                  bool shared, fil_live_opencl **out)
{
    (void)arena, (void)strands, (void)shapes, (void)shared;
    *out = NULL;
    return fil_context_fail(
        context, FIL_UNAVAILABLE,
        "opencl: this build cannot use it (missing: apt install ocl-icd-opencl-dev opencl-headers)");
}

void fil_live_opencl_destroy(fil_live_opencl *self)
{
    (void)self;
}

fil_status fil_live_opencl_step(fil_context *context, fil_live_opencl *self, const fil_live_state *state,
                                const fil_live_order *order, int *failed)
{
    (void)self, (void)state, (void)order, (void)failed;
    return fil_context_fail(context, FIL_UNAVAILABLE, "opencl: this build cannot use it");
}

fil_status fil_live_opencl_take_places(fil_context *context, fil_live_opencl *self, const fil_live_state *state,
                                       float *place)
{
    (void)context, (void)self, (void)state, (void)place;
    return FIL_OK;
}

fil_status fil_live_opencl_give_places(fil_context *context, fil_live_opencl *self, const float *place)
{
    (void)context, (void)self, (void)place;
    return FIL_OK;
}

fil_status fil_live_opencl_fetch(fil_context *context, fil_live_opencl *self, const fil_live_state *state)
{
    (void)context, (void)self, (void)state;
    return FIL_OK;
}

void fil_live_opencl_renew(fil_live_opencl *self)
{
    (void)self;
}

void fil_live_opencl_renew_push(fil_live_opencl *self)
{
    (void)self;
}

void fil_live_opencl_reset(fil_live_opencl *self)
{
    (void)self;
}

void fil_live_opencl_pretend_gpu(bool yes)
{
    (void)yes;
}

#endif
