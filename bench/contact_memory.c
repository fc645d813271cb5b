// How much memory each solver takes on 25,000 contacts.
//
//     contact_memory [--rods 2000] [SOLVERS]
//
// Each solver runs in a child of its own that is given a dual (local) problem, as a file would: W, q, mu, copied from
// the generated one so that neither A nor H is there. Measured is the peak of resident memory (VmHWM, reset when the
// problem is in place) less what the empty process has. A solve is stopped by its own budget or after 20 seconds.
//
// Bar for auto and gs: 1.3 × the stored W (76 bytes per block) + 2 kB per contact. Exit 1 when it is missed.
#include "bench.h"

#include <sys/wait.h>
#include <unistd.h>

static void reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
}

static fil_contact_problem *copy_dual(fil_context *context, const fil_contact_problem *from)
{
    int n = from->contact_count;
    int64_t blocks = from->W.start[n];
    fil_contact_problem *to = NULL;
    bench_need(context, fil_contact_problem_create_dual(context, n, blocks, &to));
    memcpy(to->mu, from->mu, (size_t)n * sizeof *to->mu);
    memcpy(to->q, from->q, 3 * (size_t)n * sizeof *to->q);
    memcpy(to->W.start, from->W.start, ((size_t)n + 1) * sizeof *to->W.start);
    memcpy(to->W.column, from->W.column, (size_t)blocks * sizeof *to->W.column);
    memcpy(to->W.value, from->W.value, 9 * (size_t)blocks * sizeof *to->W.value);
    return to;
}

static bool patience(void *user, const fil_progress *point)
{
    (void)user;
    return point->seconds < 20;
}

typedef struct result {
    double empty, problem, peak, seconds;
    double residual;
    int contacts;
    int64_t blocks;
    char finished_by[32];
} result;

static result run(const char *solver, int rods)
{
    result out = {.empty = bench_status_bytes("VmRSS:")};
    fil_context *context = bench_context(1);
    fil_contact_family family = fil_contact_family_default();
    family.rods = rods;
    fil_contact_problem *primal = NULL;
    bench_need(context, fil_contact_family_generate(context, &family, &primal));
    bench_need(context, fil_contact_problem_form_dual(context, primal));
    fil_contact_problem *problem = copy_dual(context, primal);
    fil_contact_problem_destroy(primal);
    out.contacts = problem->contact_count;
    out.blocks = problem->W.start[out.contacts];
    double *r = bench_allocate(3 * (size_t)out.contacts, sizeof *r);
    fil_contact_def def = fil_contact_def_default();
    def.solver = solver;
    def.progress = patience;
    reset_peak();
    out.problem = bench_status_bytes("VmRSS:");
    fil_solve_stats stats;
    bench_need(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    out.peak = bench_status_bytes("VmHWM:");
    out.seconds = stats.seconds_solve;
    out.residual = stats.residual[FIL_MERIT_NATURAL];
    snprintf(out.finished_by, sizeof out.finished_by, "%s", stats.finished_by);
    return out;
}

// In a child: one solver's memory is not another's.
static bool run_apart(const char *solver, int rods, result *out)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        *out = run(solver, rods);
        _exit(write(ends[1], out, sizeof *out) == (ssize_t)sizeof *out ? 0 : 1);
    }
    close(ends[1]);
    bool complete = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return complete;
}

static bool report(const char *solver, int rods)
{
    result r;
    bool judged = strcmp(solver, "auto") == 0 || strcmp(solver, "gs") == 0;
    if (!run_apart(solver, rods, &r)) {
        printf("%-10s did not end\n", solver);
        return !judged;
    }
    double stored = 76.0 * (double)r.blocks, allowed = 1.3 * stored + 2048.0 * r.contacts, used = r.peak - r.empty;
    printf("%-10s %9d %9.1f %9.1f %9.1f %9.1f %7.2f%-8s  %-14s %8.1f s  %.1e\n", solver, r.contacts, 1e-6 * stored,
           1e-6 * (r.problem - r.empty), 1e-6 * used, 1e-6 * allowed, used / allowed, used <= allowed ? "" : " above",
           r.finished_by, r.seconds, r.residual);
    return used <= allowed || !judged;
}

int main(int argc, char **argv)
{
    int rods = 2000, first = 1;
    if (argc > 2 && strcmp(argv[1], "--rods") == 0) {
        rods = atoi(argv[2]);
        first = 3;
    }
    if (rods < 2 || (argc > first && argv[first][0] == '-')) {
        fprintf(stderr, "usage: contact_memory [--rods 2000] [SOLVERS]\n");
        return 2;
    }
    const char *all[] = {"auto", "gs", "anderson", "sor"};
    bool met = true;
    printf("megabytes, peak of resident memory less the empty process; bar: 1.3 W + 2 kB per contact\n");
    printf("%-10s %9s %9s %9s %9s %9s %7s%-8s  %-14s %10s  %s\n", "solver", "contacts", "W", "problem", "peak", "bar",
           "ratio", "", "finished by", "seconds", "natural");
    for (int k = first; k < argc; ++k)
        met = report(argv[k], rods) && met;
    for (int k = 0; first == argc && k < 4; ++k)
        met = report(all[k], rods) && met;
    printf("\nbar (auto and gs): %s\n", met ? "met" : "MISSED");
    return met ? 0 : 1;
}
