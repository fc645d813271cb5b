// What filum audit shows: a table with the first findings, or JSON.
#include "cli/audit.h"

#include <inttypes.h>
#include <string.h>

static bool is_checked(const fil_audit_job *job, fil_audit_kind kind)
{
    return kind == FIL_AUDIT_NOT_FINITE || (job->def.checks >> kind & 1u) != 0;
}

static int strand_count(const fil_audit_job *job)
{
    int strands = 0;
    for (int g = 0; g < fil_cache_group_count(job->cache); ++g)
        strands += fil_cache_group_at(job->cache, g)->strand_count;
    return strands;
}

// The group of a strand that is counted over all groups; its number within it.
static const char *group_of(const fil_audit_job *job, int *strand)
{
    int g = 0;
    for (; *strand >= fil_cache_group_at(job->cache, g)->strand_count; ++g)
        *strand -= fil_cache_group_at(job->cache, g)->strand_count;
    return fil_cache_group_at(job->cache, g)->name;
}

static const char *body_name(const fil_audit_job *job, int body, char room[32])
{
    const char *name = job->film->scene.obstacles[body].name;
    snprintf(room, 32, "solid body %d", body);
    return name && *name ? name : room;
}

// Table

static void print_row(const fil_audit_job *job, fil_audit_kind kind, const char *name, const char *remark)
{
    int64_t found = job->report.found[kind];
    if (!is_checked(job, kind))
        printf("%-13s %10s   not checked\n", name, "-");
    else
        printf("%-13s %s%10" PRId64 "%s%s%s\n", name, found > 0 ? fil_report_bad() : fil_report_good(), found,
               fil_report_plain(), *remark ? "   " : "", remark);
}

static void print_strand(const fil_audit_job *job, int strand, const char *part, int segment)
{
    const char *group = group_of(job, &strand);
    printf("%s %d, %s %d", group, strand, part, segment);
}

static void print_finding(const fil_audit_job *job, fil_audit_kind kind, const fil_audit_finding *finding)
{
    char room[32];
    printf("  frame %d: ", finding->frame);
    bool vertex = kind == FIL_AUDIT_NOT_FINITE || (kind == FIL_AUDIT_INSIDE && !finding->middle);
    print_strand(job, finding->strand[0], vertex ? "vertex" : "segment", finding->segment[0]);
    if (kind == FIL_AUDIT_CROSSING) {
        printf(", through ");
        print_strand(job, finding->strand[1], "segment", finding->segment[1]);
    } else if (kind == FIL_AUDIT_INSIDE) {
        printf(", %.3g mm inside %s", 1e3 * finding->value, body_name(job, finding->body, room));
    } else if (kind == FIL_AUDIT_STRETCH) {
        printf(", by %+.3g %%", 100 * finding->value);
    }
    const double *place = finding->place;
    printf(", at (%.5g, %.5g, %.5g)\n", place[0], place[1], place[2]);
}

static void print_findings(const fil_audit_job *job, fil_audit_kind kind, const char *title)
{
    const fil_audit_report *report = &job->report;
    if (report->kept[kind] == 0)
        return;
    printf("\n%s%s%s\n", fil_report_bold(), title, fil_report_plain());
    for (int i = 0; i < report->kept[kind]; ++i)
        print_finding(job, kind, &report->finding[kind][i]);
    if (report->kept[kind] == FIL_AUDIT_KEPT && report->found[kind] > FIL_AUDIT_KEPT)
        printf("  ...\n");
}

void fil_audit_print(const fil_audit_job *job)
{
    static const char *const titles[FIL_AUDIT_KINDS] = {"crossings", "inside bodies", "stretched", "not finite"};
    const fil_audit_report *report = &job->report;
    char remarks[FIL_AUDIT_KINDS][96] = {""}, room[32];
    printf("%s%s%s: frames %d to %d, %d strands, %" PRId64 " vertices\n", fil_report_bold(), job->folder,
           fil_report_plain(), job->def.first, job->def.first + (report->frames > 0 ? report->frames - 1 : 0),
           strand_count(job), fil_cache_vertex_total(job->cache));
    snprintf(remarks[FIL_AUDIT_CROSSING], sizeof *remarks, "segments passed through each other %" PRId64 " times",
             report->passes);
    snprintf(remarks[FIL_AUDIT_INSIDE], sizeof *remarks, "more than %g mm; deepest %.3g mm", 1e3 * job->def.depth,
             1e3 * report->deepest);
    snprintf(remarks[FIL_AUDIT_STRETCH], sizeof *remarks, "more than %g %%; worst %+.3g %%", 100 * job->def.stretch,
             100 * report->worst_stretch);
    for (int kind = 0; kind < FIL_AUDIT_KINDS; ++kind)
        print_row(job, (fil_audit_kind)kind, titles[kind], remarks[kind]);
    for (int b = 0; b < report->body_count && is_checked(job, FIL_AUDIT_INSIDE); ++b)
        if (report->bodies_left_out[b])
            printf("%s: %s: not checked\n", body_name(job, b, room), report->bodies_left_out[b]);
    for (int kind = 0; kind < FIL_AUDIT_KINDS; ++kind)
        print_findings(job, (fil_audit_kind)kind, titles[kind]);
}

// JSON

static json_t *count_json(const fil_audit_job *job, fil_audit_kind kind, int64_t count)
{
    return is_checked(job, kind) ? json_integer((json_int_t)count) : json_null();
}

static json_t *real_json(const fil_audit_job *job, fil_audit_kind kind, double value)
{
    return is_checked(job, kind) ? fil_report_json_real(value) : json_null();
}

static json_t *finding_json(const fil_audit_job *job, fil_audit_kind kind, const fil_audit_finding *finding)
{
    static const char *const names[FIL_AUDIT_KINDS] = {"crossing", "inside", "stretch", "not finite"};
    char room[32];
    int strand[2] = {finding->strand[0], finding->strand[1]};
    const char *group = group_of(job, &strand[0]), *other = group_of(job, &strand[1]);
    const double *place = finding->place;
    json_t *object =
        json_pack("{s:s, s:i, s:o, s:i, s:i, s:o, s:[o,o,o]}", "kind", names[kind], "frame", finding->frame, "group",
                  fil_report_json_text(group), "strand", strand[0], "segment", finding->segment[0], "value",
                  fil_report_json_real(finding->value), "place", fil_report_json_real(place[0]),
                  fil_report_json_real(place[1]), fil_report_json_real(place[2]));
    json_t *more = NULL;
    if (kind == FIL_AUDIT_CROSSING)
        more = json_pack("{s:o, s:i, s:i}", "other_group", fil_report_json_text(other), "other_strand", strand[1],
                         "other_segment", finding->segment[1]);
    else if (kind == FIL_AUDIT_INSIDE)
        more = json_pack("{s:o, s:b}", "body", fil_report_json_text(body_name(job, finding->body, room)), "middle",
                         finding->middle);
    else
        more = json_object();
    bool good = object && more && json_object_update(object, more) == 0;
    json_decref(more);
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *findings_json(const fil_audit_job *job)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (int kind = 0; kind < FIL_AUDIT_KINDS; ++kind)
        for (int i = 0; i < job->report.kept[kind] && good; ++i)
            good = json_array_append_new(list,
                                         finding_json(job, (fil_audit_kind)kind, &job->report.finding[kind][i])) == 0;
    if (good)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *left_out_json(const fil_audit_job *job)
{
    char room[32];
    json_t *list = json_array();
    for (int b = 0; b < job->report.body_count && list; ++b)
        if (job->report.bodies_left_out[b])
            (void)json_array_append_new(list,
                                        json_pack("{s:o, s:s}", "body", fil_report_json_text(body_name(job, b, room)),
                                                  "reason", job->report.bodies_left_out[b]));
    return list;
}

json_t *fil_audit_json(const fil_audit_job *job)
{
    const fil_audit_report *report = &job->report;
    return json_pack("{s:o, s:i, s:i, s:i, s:I, s:o, s:o, s:o, s:f, s:o, s:o, s:f, s:o, s:o, s:o, s:o}",             //
                     "folder", fil_report_json_text(job->folder), "first", job->def.first, "frames", report->frames, //
                     "strands", strand_count(job), "vertices", (json_int_t)fil_cache_vertex_total(job->cache),       //
                     "crossings", count_json(job, FIL_AUDIT_CROSSING, report->found[FIL_AUDIT_CROSSING]),            //
                     "passes", count_json(job, FIL_AUDIT_CROSSING, report->passes),                                  //
                     "inside", count_json(job, FIL_AUDIT_INSIDE, report->found[FIL_AUDIT_INSIDE]),                   //
                     "depth", job->def.depth, "deepest", real_json(job, FIL_AUDIT_INSIDE, report->deepest),          //
                     "stretched", count_json(job, FIL_AUDIT_STRETCH, report->found[FIL_AUDIT_STRETCH]),              //
                     "stretch", job->def.stretch, "worst_stretch",
                     real_json(job, FIL_AUDIT_STRETCH, report->worst_stretch),                                 //
                     "not_finite", count_json(job, FIL_AUDIT_NOT_FINITE, report->found[FIL_AUDIT_NOT_FINITE]), //
                     "bodies_not_checked", left_out_json(job), "findings", findings_json(job));
}
