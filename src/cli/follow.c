// filum follow: results of few strands become results of many. The scene of the results says where its strands, the
// guides, begin; the same scene with --set says the same of all hairs. Groups whose strands are other ones then follow
// those of the results (src/strand/follow.c), the rest is taken as it is. What comes out is a results' folder, too, so
// that pictures, films and other programs take it as any other.
#include "cli/follow.h"

#include "base/hash.h"
#include "cli/files.h"
#include "cli/scene.h"
#include "io/cache.h"
#include "scene/film.h"

#include <math.h>
#include <string.h>

typedef struct group {
    fil_follow *follow;    // NULL: as the guides
    int64_t guides, hairs; // vertices
    int64_t guide_at, at;  // the first of them among all
    const double *length;  // [hairs] edges at rest; NULL: as the guides
} group;

typedef struct job {
    fil_context *context;
    const char *in, *out;
    bool force, json;
    fil_cache *cache;
    fil_film *guides, *hairs;
    fil_cache_writer *writer;
    fil_arena *arena;
    int count;
    group *groups;
    fil_cache_group *described;          // [count] what the new folder holds
    float *read, *read_stretch;          // of the guides
    double *guide, *position, *stretch;  // of the guides; of the hairs
    int64_t hair_strands, guide_strands; // of all groups
    int64_t vertex_total;
} job;

static int64_t vertices_of(const fil_groom *groom)
{
    int64_t total = 0;
    for (int s = 0; s < groom->strand_count; ++s)
        total += groom->vertex_count[s];
    return total;
}

static bool same_strands(const fil_groom *a, const fil_groom *b)
{
    return a->strand_count == b->strand_count &&
           memcmp(a->vertex_count, b->vertex_count, (size_t)a->strand_count * sizeof(int)) == 0 &&
           memcmp(a->position, b->position, 3 * (size_t)vertices_of(a) * sizeof(double)) == 0;
}

// The strands of a groom as a follower takes them. Nothing is written through it.
static fil_curves curves_of(const fil_groom *groom)
{
    return (fil_curves){.strand_count = groom->strand_count,
                        .vertex_total = vertices_of(groom),
                        .vertex_count = (int *)groom->vertex_count,
                        .position = (double *)groom->position};
}

// What is known of hairs that nothing is computed of: lengths as they stand, thickness, no stiffness.
static fil_status describe_hairs(job *self, int g)
{
    const fil_group *from = &self->hairs->scene.groups[g];
    const fil_groom *groom = &from->groom;
    fil_cache_group *out = &self->described[g];
    int64_t total = self->groups[g].hairs;
    fil_shape *shape = &out->shape;
    shape->vertex_count = (int *)groom->vertex_count;
    shape->radius = FIL_ARENA_ARRAY(self->arena, double, total);
    shape->length = FIL_ARENA_ARRAY(self->arena, double, total);
    shape->stiffness = FIL_ARENA_ARRAY(self->arena, double, total);
    shape->curvature = FIL_ARENA_ARRAY(self->arena, double, total);
    if (!shape->radius || !shape->length || !shape->stiffness || !shape->curvature)
        return FIL_NO_MEMORY;
    out->strand_count = groom->strand_count;
    out->vertex_total = total;
    self->groups[g].length = shape->length;
    const double *x = groom->position;
    for (int64_t s = 0, i = 0; s < groom->strand_count; ++s)
        for (int k = 0; k < groom->vertex_count[s]; ++k, ++i, x += 3) {
            shape->radius[i] = groom->radius ? groom->radius[i] : from->material.radius;
            shape->length[i] = k + 1 < groom->vertex_count[s] ? hypot(hypot(x[3] - x[0], x[4] - x[1]), x[5] - x[2]) : 0;
        }
    return FIL_OK;
}

// One group: do its hairs follow, and do the results fit its guides?
static fil_status make_group(job *self, int g)
{
    const fil_groom *guides = &self->guides->scene.groups[g].groom, *hairs = &self->hairs->scene.groups[g].groom;
    const fil_cache_group *cached = fil_cache_group_at(self->cache, g);
    group *out = &self->groups[g];
    *out = (group){.guides = vertices_of(guides), .hairs = vertices_of(hairs)};
    if (cached->strand_count != guides->strand_count || cached->vertex_total != out->guides)
        return fil_context_fail(self->context, FIL_BAD_INPUT,
                                "%s: group %d has %d strands, and its scene makes %d of it: has the file of the groom "
                                "changed?",
                                self->in, g, cached->strand_count, guides->strand_count);
    self->described[g] = *cached;
    self->guide_strands += guides->strand_count;
    self->hair_strands += hairs->strand_count;
    if (same_strands(guides, hairs))
        return FIL_OK;
    fil_curves from = curves_of(guides), to = curves_of(hairs);
    fil_status status = fil_follow_create(self->context, &from, &to, &out->follow);
    return status == FIL_OK ? describe_hairs(self, g) : status;
}

static fil_status make_groups(job *self)
{
    self->count = self->guides->scene.group_count;
    if (self->count != fil_cache_group_count(self->cache) || self->count != self->hairs->scene.group_count)
        return fil_context_fail(self->context, FIL_BAD_INPUT, "%s: scene.json has %d groups, strands.fil has %d",
                                self->in, self->count, fil_cache_group_count(self->cache));
    self->groups = FIL_ARENA_ARRAY(self->arena, group, self->count);
    self->described = FIL_ARENA_ARRAY(self->arena, fil_cache_group, self->count);
    if (!self->groups || !self->described)
        return FIL_NO_MEMORY;
    fil_status status = FIL_OK;
    bool any = false;
    int64_t guides = 0;
    for (int g = 0; g < self->count && status == FIL_OK; ++g) {
        status = make_group(self, g);
        self->groups[g].guide_at = guides;
        self->groups[g].at = self->vertex_total;
        guides += self->groups[g].guides;
        self->vertex_total += self->groups[g].hairs;
        any |= self->groups[g].follow != NULL;
    }
    if (status == FIL_OK && !any)
        return fil_context_fail(self->context, FIL_BAD_INPUT,
                                "%s: no group has other strands than before: say which, for example --set "
                                "groups.0.groom.every=1 or --set groups.0.groom.strands=20000",
                                self->in);
    return status;
}

static fil_status make_room(job *self)
{
    int64_t guides = fil_cache_vertex_total(self->cache);
    self->read = FIL_ARENA_ARRAY(self->arena, float, 3 * guides);
    self->read_stretch = FIL_ARENA_ARRAY(self->arena, float, guides);
    self->guide = FIL_ARENA_ARRAY(self->arena, double, 3 * guides);
    self->position = FIL_ARENA_ARRAY(self->arena, double, 3 * self->vertex_total);
    self->stretch = FIL_ARENA_ARRAY(self->arena, double, self->vertex_total);
    bool made = self->read && self->read_stretch && self->guide && self->position && self->stretch;
    return made ? FIL_OK : FIL_NO_MEMORY;
}

// How much edges are longer than at rest; where guides come together, hairs are shorter between them.
static void measure(const group *self, const double *x, double *stretch)
{
    for (int64_t i = 0; i < self->hairs; ++i, x += 3)
        stretch[i] =
            self->length[i] > 0 ? hypot(hypot(x[3] - x[0], x[4] - x[1]), x[5] - x[2]) / self->length[i] - 1 : 0;
}

static fil_status make_frame(job *self, int frame)
{
    double time;
    fil_status status = fil_cache_read(self->context, self->cache, frame, &time, self->read, self->read_stretch);
    if (status != FIL_OK)
        return status;
    for (int64_t i = 0; i < 3 * fil_cache_vertex_total(self->cache); ++i)
        self->guide[i] = (double)self->read[i];
    for (int g = 0; g < self->count; ++g) {
        const group *group = &self->groups[g];
        const double *from = self->guide + 3 * group->guide_at;
        double *to = self->position + 3 * group->at, *stretch = self->stretch + group->at;
        if (group->follow) {
            fil_follow_apply(self->context, group->follow, from, to);
            measure(group, to, stretch);
            continue;
        }
        memcpy(to, from, 3 * (size_t)group->hairs * sizeof *to);
        for (int64_t i = 0; i < group->hairs; ++i)
            stretch[i] = (double)self->read_stretch[group->guide_at + i];
    }
    return fil_cache_write_frame(self->writer, frame, time, self->position, self->stretch);
}

static fil_status make_frames(job *self)
{
    int frames = fil_cache_frame_count(self->cache);
    uint64_t fingerprint = fil_hash_bytes(0, self->hairs->text, strlen(self->hairs->text));
    fil_status status = fil_cache_write_open(self->context, self->out, &self->writer);
    if (status != FIL_OK)
        return status;
    if (self->writer->holds_results && !self->force)
        return fil_context_fail(self->context, FIL_BAD_INPUT,
                                "%s: holds results already: replace them with --force, or name another folder",
                                self->out);
    status = fil_cache_write_start(self->writer, fingerprint, fil_cache_fps(self->cache), self->described, self->count,
                                   self->hairs->text);
    for (int f = 0; f < frames && status == FIL_OK && !fil_report_interrupted(); ++f) {
        fil_report_progress((double)f / frames, "frame %d of %d", f + 1, frames);
        status = make_frame(self, f);
    }
    fil_report_progress_end();
    if (status != FIL_OK || fil_report_interrupted()) { // a part of a film is of no use: it cannot go on
        fil_cache_folder_clear(self->out);
        self->writer->holds_results = false;
    }
    return status;
}

static fil_cli_exit tell(const job *self)
{
    int frames = fil_cache_frame_count(self->cache);
    if (fil_report_interrupted()) {
        fil_report_error("interrupted: %s was not written", self->out);
        return FIL_EXIT_MISSED;
    }
    if (!self->json) {
        printf("%s: %d frames of %lld strands, which follow %lld\n", self->out, frames, (long long)self->hair_strands,
               (long long)self->guide_strands);
        return FIL_EXIT_OK;
    }
    json_t *object =
        json_pack("{s:o, s:o, s:i, s:I, s:I, s:I}", "in", fil_report_json_text(self->in), "out",
                  fil_report_json_text(self->out), "frames", frames, "guides", (json_int_t)self->guide_strands,
                  "strands", (json_int_t)self->hair_strands, "vertices", (json_int_t)self->vertex_total);
    return fil_report_json(object) ? FIL_EXIT_OK : fil_report_no_memory();
}

static fil_status open_films(job *self, const fil_arguments *arguments)
{
    fil_status status = fil_cache_open(self->context, self->in, &self->cache);
    if (status != FIL_OK)
        return status;
    if (fil_cache_frame_count(self->cache) < 1)
        return fil_context_fail(self->context, FIL_BAD_INPUT, "%s: holds no frame yet", self->in);
    char name[FIL_PATH_MAX];
    snprintf(name, sizeof name, "%.4000s/%s", self->in, FIL_CACHE_SCENE_NAME);
    int sets;
    const char *const *set = fil_arguments_list(arguments, "set", &sets);
    const char *text = fil_cache_scene(self->cache);
    status = fil_film_parse(self->context, name, self->in, text, strlen(text), NULL, 0, &self->guides);
    if (status == FIL_OK)
        status = fil_film_parse(self->context, name, self->in, text, strlen(text), set, sets, &self->hairs);
    return status;
}

static fil_cli_exit work(job *self, const fil_arguments *arguments)
{
    self->arena = fil_arena_create(self->context);
    fil_status status = self->arena ? open_films(self, arguments) : FIL_NO_MEMORY;
    if (status == FIL_OK)
        status = make_groups(self);
    if (status == FIL_OK)
        status = make_room(self);
    if (status == FIL_OK)
        status = make_frames(self);
    fil_cli_exit code = status == FIL_OK ? tell(self) : fil_report_failure(self->context, status);
    fil_cache_write_close(self->writer);
    for (int g = 0; self->groups && g < self->count; ++g)
        fil_follow_destroy(self->groups[g].follow);
    fil_film_destroy(self->hairs);
    fil_film_destroy(self->guides);
    fil_cache_close(self->cache);
    fil_arena_destroy(self->arena);
    return code;
}

static fil_cli_exit follow_run(const fil_arguments *arguments)
{
    job self = {.in = arguments->operands[0],
                .out = fil_arguments_text(arguments, "out"),
                .force = fil_arguments_given(arguments, "force"),
                .json = fil_arguments_given(arguments, "json")};
    if (!self.out) {
        fil_report_error("follow: --out DIR is missing");
        return FIL_EXIT_BAD;
    }
    if (fil_files_same(self.in, self.out)) {
        fil_report_error("%s: is the input and would be overwritten", self.out);
        return FIL_EXIT_BAD;
    }
    fil_context_def def = fil_context_def_default();
    def.threads = (int)fil_arguments_whole(arguments, "threads");
    self.context = fil_context_create(&def);
    if (!self.context)
        return fil_report_no_memory();
    fil_report_catch_interrupt(); // so that no file is left half written
    fil_cli_exit code = work(&self, arguments);
    fil_context_destroy(self.context);
    return code;
}

static const fil_option options[] = {
    {"out", 'o', FIL_OPTION_TEXT, "DIR", NULL, 0, 0, "the new results' folder: made when it is not there"},
    FIL_SCENE_SET_OPTION,
    {"force", 0, FIL_OPTION_FLAG, NULL, NULL, 0, 0, "remove the results that are in DIR, and nothing else, first"},
    {"threads", 't', FIL_OPTION_WHOLE, "N", "0", 0, 1024, "0: all; results do not depend on it"},
};
static const fil_example examples[] = {
    {"filum follow out -o dense --set groups.hair.groom.every=1",
     "The groom of the scene took each 10th strand: now all"},
    {"filum follow out -o dense --set groups.0.groom.strands=20000 --set groups.0.look.hairs=1",
     "More strands of a generator, each drawn once"},
    {"filum follow out -o dense --set 'groups.0.groom={\"type\":\"file\",\"file\":\"/tmp/dense.hair\"}'",
     "Strands of another file, on the same head"},
};
const fil_command fil_command_follow = {
    .name = "follow",
    .operands = "DIR",
    .least = 1,
    .most = 1,
    .summary = "give guides, get hairs: a dense groom follows the strands of a run",
    .text = "DIR is a folder of filum run whose strands are guides. --set changes the grooms of its scene; each strand "
            "of a groom that became another one then goes where its three nearest guides go, from the place that the "
            "groom gives it. Groups that stay the same are copied. The new folder is drawn, converted and measured as "
            "any other. Hairs do not touch anything: a guide does that for them.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = follow_run,
};
