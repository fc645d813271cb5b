// filum's `auto` side by side with the solvers of Siconos: same problems, one thread, one judge (fil_contact_judge).
//
//     contact_siconos [--merit natural|fclib] [--tol 1e-8] [--cap SECONDS] [--csv OUT] [--svg OUT] [FILES]
//
// Without files: all of $FILUM_DATA/friction. Each Siconos solver runs with its defaults, but that only the clock
// limits its iterations, its own tolerance set to every power of ten from 1e-4 to 1e-14, its matrix in blocks and
// (Newton, ADMM) in columns. The fastest run whose impulses our judge accepts counts, the least of several repeats.
// Only fc3d_driver is timed, not the conversion of the problem. filum: setup and solve through fil_contact_solve, the
// median of several repeats. Each of these choices favours the peers.
//
// Siconos may crash, hang or exit, so that each attempt runs in a forked child with a clock; the answer comes by a
// pipe. Exit 1 when a bar is missed: at most 1.2 × the fastest peer on any problem with 20 contacts or more, geometric
// mean of that ratio at most 0.2, and every problem solved.

// needs: siconos_numerics

#include "bench.h"

#include "render/plot.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "FrictionContactProblem.h"
#include "Friction_cst.h"
#include "NonSmoothDrivers.h"
#include "NumericsMatrix.h"
#include "NumericsVerbose.h"
#include "SolverOptions.h"
#include "SparseBlockMatrix.h"

enum { PEERS = 5, REPEATS = 5, LEAST_CONTACTS = 20, MOST_FILES = 4096 };
static const double worst_allowed = 1.2, mean_allowed = 0.2;

typedef struct peer {
    const char *name;
    int solver, local; // local 0: the default
    int storages;      // 1: sparse blocks; 2: also compressed columns
} peer;

// NSGS reads rows of blocks. Newton takes another path with each storage and solves other problems: both are tried.
static const peer peers[PEERS] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, 0, 1},
    {"NSGS-quartic", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, 1},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 0, 2},
    {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB, 0, 2},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, 0, 2},
};

typedef struct settings {
    fil_merit merit;
    double tolerance, cap;
    const char *csv, *svg;
} settings;

typedef struct row {
    char name[96];
    int contacts;
    double filum;            // seconds; infinite when the tolerance was missed
    const char *finished_by; // the method that ended it
    double peer[PEERS];      // seconds; infinite when no run was accepted
    int best;                // the fastest peer, or -1
} row;

// The blocks of W as Siconos wants them. The child never frees anything: it ends.
static NumericsMatrix *convert_blocks(const fil_block_matrix *W)
{
    size_t n = (size_t)W->rows, count = (size_t)W->start[n];
    SparseBlockStructuredMatrix *B = SBM_new();
    B->nbblocks = (unsigned)count;
    B->blocknumber0 = B->blocknumber1 = (unsigned)n;
    B->filled1 = n + 1;
    B->filled2 = count;
    B->block = bench_allocate(count, sizeof *B->block);
    B->blocksize0 = bench_allocate(n, sizeof *B->blocksize0);
    B->index1_data = bench_allocate(n + 1, sizeof *B->index1_data);
    B->index2_data = bench_allocate(count, sizeof *B->index2_data);
    for (size_t i = 0; i < n; ++i) {
        B->blocksize0[i] = 3 * (unsigned)(i + 1);
        B->index1_data[i + 1] = (size_t)W->start[i + 1];
    }
    B->blocksize1 = B->blocksize0;
    for (size_t k = 0; k < count; ++k) {
        B->block[k] = bench_allocate(9, sizeof(double));
        memcpy(B->block[k], W->value + 9 * k, 9 * sizeof(double));
        B->index2_data[k] = (size_t)W->column[k];
    }
    return NM_create_from_data(NM_SPARSE_BLOCK, 3 * (int)n, 3 * (int)n, B);
}

static NumericsMatrix *convert_columns(const fil_block_matrix *W)
{
    NumericsMatrix *M = NM_create(NM_SPARSE, 3 * W->rows, 3 * W->rows);
    NM_triplet_alloc(M, 9 * W->start[W->rows]);
    for (int i = 0; i < W->rows; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k)
            for (int e = 0; e < 9; ++e)
                if (W->value[9 * k + e] != 0)
                    NM_entry(M, 3 * i + e % 3, 3 * W->column[k] + e / 3, W->value[9 * k + e]);
    NM_csc(M);
    return M;
}

// What a child reports; the impulses follow.
typedef struct answer {
    double seconds;
    bool converged; // in its own measure
    bool accepted;  // in ours; set by the parent
} answer;

// All bytes or failure.
static bool write_all(int file, const void *data, size_t size)
{
    for (const char *p = data; size > 0;) {
        ssize_t done = write(file, p, size);
        if (done <= 0)
            return false;
        p += done;
        size -= (size_t)done;
    }
    return true;
}

static bool read_all(int file, void *data, size_t size)
{
    for (char *p = data; size > 0;) {
        ssize_t done = read(file, p, size);
        if (done <= 0)
            return false;
        p += done;
        size -= (size_t)done;
    }
    return true;
}

// The child: converts, starts the clock, solves, reports. The alarm ends it when the cap is over.
static void run_child(const fil_contact_problem *problem, const peer *peer, int storage, double tolerance, double cap,
                      int out)
{
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    numerics_set_verbose(0);
    size_t size = 3 * (size_t)problem->contact_count;
    NumericsMatrix *M = storage == 0 ? convert_blocks(&problem->W) : convert_columns(&problem->W);
    FrictionContactProblem fc = {
        .dimension = 3, .numberOfContacts = problem->contact_count, .M = M, .q = problem->q, .mu = problem->mu};
    double *r = bench_allocate(size, sizeof *r), *u = bench_allocate(size, sizeof *u);
    SolverOptions *options = solver_options_create(peer->solver);
    if (peer->local)
        solver_options_update_internal(options, 0, peer->local);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] *= 100; // the clock is the only limit

    struct itimerval timer = {.it_value = {.tv_sec = (time_t)cap, .tv_usec = (suseconds_t)(1e6 * (cap - floor(cap)))}};
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_REAL, &timer, NULL);
    answer answer = {0};
    double start = fil_timer_seconds();
    answer.converged = fc3d_driver(&fc, r, u, options) == 0;
    answer.seconds = fil_timer_seconds() - start;
    _exit(write_all(out, &answer, sizeof answer) && write_all(out, r, size * sizeof *r) ? 0 : 1);
}

// One run of one peer with one tolerance. False when it crashed or ran out of time.
static bool run_peer(fil_context *context, fil_contact_problem *problem, const settings *set, const peer *peer,
                     int storage, double tolerance, double *r, answer *answer)
{
    int ends[2];
    if (pipe(ends) != 0) {
        perror("pipe");
        exit(3);
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(problem, peer, storage, tolerance, set->cap, ends[1]);
    }
    close(ends[1]);
    bool complete = child > 0 && read_all(ends[0], answer, sizeof *answer) &&
                    read_all(ends[0], r, 3 * (size_t)problem->contact_count * sizeof *r);
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (!complete)
        return false;
    double residual[FIL_MERIT_COUNT];
    bench_need(context, fil_contact_judge(context, problem, r, residual));
    answer->accepted = residual[set->merit] <= set->tolerance;
    return true;
}

// The fastest accepted run of one peer with one storage over all tolerances; infinite when there is none.
static double time_storage(fil_context *context, fil_contact_problem *problem, const settings *set, const peer *peer,
                           int storage)
{
    double *r = bench_allocate(3 * (size_t)problem->contact_count, sizeof *r);
    double best = INFINITY;
    for (int digits = 4; digits <= 14; ++digits) {
        answer first, again;
        double tolerance = pow(10, -digits);
        if (!run_peer(context, problem, set, peer, storage, tolerance, r, &first))
            break;
        // Repeat what may be the fastest run.
        for (int k = 1; k < REPEATS && first.accepted && first.seconds < 1.5 * best; ++k)
            if (run_peer(context, problem, set, peer, storage, tolerance, r, &again) && again.seconds < first.seconds)
                first.seconds = again.seconds;
        if (first.accepted && first.seconds < best)
            best = first.seconds;
        // What misses its own tolerance will miss a tighter one; what costs much more than the best is no rival.
        if (!first.converged || first.seconds > 1.5 * best)
            break;
    }
    free(r);
    return best;
}

static double time_peer(fil_context *context, fil_contact_problem *problem, const settings *set, const peer *peer)
{
    double best = INFINITY;
    for (int storage = 0; storage < peer->storages; ++storage) {
        double seconds = time_storage(context, problem, set, peer, storage);
        best = seconds < best ? seconds : best;
    }
    return best;
}

static double time_filum(fil_context *context, fil_contact_problem *problem, const settings *set, const char **by)
{
    double *r = bench_allocate(3 * (size_t)problem->contact_count, sizeof *r), seconds[REPEATS];
    fil_contact_def def = fil_contact_def_default();
    def.merit = set->merit;
    def.tolerance = set->tolerance;
    bool solved = true;
    for (int k = 0; k < REPEATS; ++k) {
        fil_solve_stats stats;
        bench_need(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        seconds[k] = stats.seconds_setup + stats.seconds_solve;
        solved = solved && stats.residual[set->merit] <= set->tolerance;
        *by = stats.finished_by;
    }
    free(r);
    return solved ? bench_median(seconds, REPEATS) : INFINITY;
}

static double ratio_of(const row *row)
{
    return row->best < 0 ? NAN : row->filum / row->peer[row->best];
}

static row measure(fil_context *context, const char *path, const settings *set)
{
    row result = {.best = -1};
    const char *name = strrchr(path, '/');
    snprintf(result.name, sizeof result.name, "%s", name ? name + 1 : path);
    char *end = strrchr(result.name, '.');
    if (end)
        *end = '\0';
    fil_contact_problem *problem = NULL;
    bench_need(context, fil_contact_problem_read(context, path, &problem));
    bench_need(context, fil_contact_problem_form_dual(context, problem));
    result.contacts = problem->contact_count;
    result.filum = time_filum(context, problem, set, &result.finished_by);
    for (int p = 0; p < PEERS; ++p) {
        result.peer[p] = time_peer(context, problem, set, &peers[p]);
        if (result.peer[p] < INFINITY && (result.best < 0 || result.peer[p] < result.peer[result.best]))
            result.best = p;
    }
    fil_contact_problem_destroy(problem);
    return result;
}

// A time in milliseconds, or a dash.
static const char *show(double seconds, char text[16])
{
    if (seconds < INFINITY)
        snprintf(text, 16, "%.3g", 1e3 * seconds);
    else
        snprintf(text, 16, "-");
    return text;
}

static void print_head(const settings *set)
{
    printf("milliseconds to %s %g, one thread; - not reached within %g s\n", fil_merit_name(set->merit), set->tolerance,
           set->cap);
    printf("%-38s %8s %9s %-12s", "problem", "contacts", "filum", "by");
    for (int p = 0; p < PEERS; ++p)
        printf(" %12s", peers[p].name);
    printf("  %-12s %7s\n", "best peer", "ratio");
}

static void print_row(const row *row)
{
    char text[16];
    printf("%-38s %8d %9s %-12s", row->name, row->contacts, show(row->filum, text), row->finished_by);
    for (int p = 0; p < PEERS; ++p)
        printf(" %12s", show(row->peer[p], text));
    if (row->best >= 0)
        printf("  %-12s %7.3f\n", peers[row->best].name, ratio_of(row));
    else
        printf("  %-12s %7s\n", "none", "-");
    fflush(stdout);
}

static void write_csv(const char *path, const row *rows, int count)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(3);
    }
    fprintf(file, "problem,contacts,filum_seconds,filum_finished_by");
    for (int p = 0; p < PEERS; ++p)
        fprintf(file, ",%s_seconds", peers[p].name);
    fprintf(file, ",best_peer,ratio\n");
    for (int i = 0; i < count; ++i) {
        fprintf(file, "%s,%d,%.9g,%s", rows[i].name, rows[i].contacts, rows[i].filum, rows[i].finished_by);
        for (int p = 0; p < PEERS; ++p)
            fprintf(file, ",%.9g", rows[i].peer[p]);
        fprintf(file, ",%s,%.6g\n", rows[i].best < 0 ? "none" : peers[rows[i].best].name, ratio_of(&rows[i]));
    }
    fclose(file);
}

static int compare_sizes(const void *a, const void *b)
{
    const row *x = *(const row *const *)a, *y = *(const row *const *)b;
    return (x->contacts > y->contacts) - (x->contacts < y->contacts);
}

// Milliseconds of filum and of the best peer against the number of contacts.
static void write_svg(fil_context *context, const char *path, const settings *set, const row *rows, int count)
{
    double *x = bench_allocate((size_t)count, sizeof *x), *ours = bench_allocate((size_t)count, sizeof *ours);
    double *theirs = bench_allocate((size_t)count, sizeof *theirs);
    const row **order = bench_allocate((size_t)count, sizeof(row *));
    for (int i = 0; i < count; ++i)
        order[i] = &rows[i];
    qsort(order, (size_t)count, sizeof *order, compare_sizes);
    for (int i = 0; i < count; ++i) {
        x[i] = order[i]->contacts;
        ours[i] = 1e3 * order[i]->filum;
        theirs[i] = order[i]->best < 0 ? NAN : 1e3 * order[i]->peer[order[i]->best];
    }
    fil_plot_series series[2] = {{.name = "filum auto", .x = x, .y = ours, .count = count},
                                 {.name = "fastest Siconos solver", .x = x, .y = theirs, .count = count}};
    fil_plot_panel panel = {
        .x = {.label = "contacts", .log = true}, .y = {.label = "milliseconds", .log = true}, .series = series};
    char title[96];
    snprintf(title, sizeof title, "Time to %s %g, one thread", fil_merit_name(set->merit), set->tolerance);
    fil_plot plot = {
        .title = title, .width = 800, .height = 500, .panels = &panel, .panel_count = 1, .series_count = 2};
    bench_need(context, fil_plot_write(context, &plot, path));
    free(x);
    free(ours);
    free(theirs);
    free(order);
}

// The sums below the table; true when the bars are met.
static bool summarise(const row *rows, int count)
{
    int compared = 0, solved = 0, solved_by[PEERS] = {0};
    double sum = 0, worst = 0;
    const char *worst_name = "none";
    for (int i = 0; i < count; ++i) {
        solved += rows[i].filum < INFINITY;
        for (int p = 0; p < PEERS; ++p)
            solved_by[p] += rows[i].peer[p] < INFINITY;
        if (rows[i].contacts < LEAST_CONTACTS || rows[i].best < 0)
            continue;
        double ratio = ratio_of(&rows[i]);
        sum += log(ratio);
        ++compared;
        if (ratio > worst) {
            worst = ratio;
            worst_name = rows[i].name;
        }
    }
    double mean = compared > 0 ? exp(sum / compared) : 0;
    printf("\nsolved of %d: filum %d", count, solved);
    for (int p = 0; p < PEERS; ++p)
        printf(", %s %d", peers[p].name, solved_by[p]);
    printf("\nover the %d problems with %d contacts or more that any peer solves:\n", compared, LEAST_CONTACTS);
    printf("  geometric mean of filum / best peer  %.3f  (bar %.1f)%s\n", mean, mean_allowed,
           mean <= mean_allowed ? "" : "  MISSED");
    printf("  largest                              %.3f  (bar %.1f)%s  %s\n", worst, worst_allowed,
           worst <= worst_allowed ? "" : "  MISSED", worst_name);
    return solved == count && mean <= mean_allowed && worst <= worst_allowed;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// All problems of $FILUM_DATA/friction, sorted.
static int find_files(char **paths)
{
    const char *data = getenv("FILUM_DATA");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/friction", data ? data : "../shared/data");
    DIR *directory = opendir(folder);
    int count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory)) && count < MOST_FILES;) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".hdf5") != 0)
            continue;
        size_t size = strlen(folder) + strlen(entry->d_name) + 2;
        paths[count] = bench_allocate(size, 1);
        snprintf(paths[count++], size, "%s/%s", folder, entry->d_name);
    }
    if (directory)
        closedir(directory);
    qsort(paths, (size_t)count, sizeof *paths, compare_paths);
    if (count == 0)
        printf("no problems in %s (set FILUM_DATA, or name files): nothing to compare\n", folder);
    return count;
}

// OpenBLAS reads its environment when it is loaded: begin again with one thread asked for.
static void insist_on_one_thread(char **argv)
{
    if (getenv("FILUM_BENCH_ONE_THREAD"))
        return;
    setenv("FILUM_BENCH_ONE_THREAD", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

static int usage(void)
{
    fprintf(stderr, "usage: contact_siconos [--merit natural|fclib] [--tol 1e-8] [--cap 2] [--csv OUT] [--svg OUT] "
                    "[FILES]\n");
    return 2;
}

int main(int argc, char **argv)
{
    insist_on_one_thread(argv);
    settings set = {.merit = FIL_MERIT_NATURAL, .tolerance = 1e-8, .cap = 2};
    static char *paths[MOST_FILES];
    int count = 0;
    for (int i = 1; i < argc; ++i) {
        bool value = argv[i][0] == '-';
        if (value && i + 1 == argc)
            return usage();
        if (strcmp(argv[i], "--merit") == 0)
            set.merit = strcmp(argv[++i], "fclib") == 0 ? FIL_MERIT_FCLIB : FIL_MERIT_NATURAL;
        else if (strcmp(argv[i], "--tol") == 0)
            set.tolerance = atof(argv[++i]);
        else if (strcmp(argv[i], "--cap") == 0)
            set.cap = atof(argv[++i]);
        else if (strcmp(argv[i], "--csv") == 0)
            set.csv = argv[++i];
        else if (strcmp(argv[i], "--svg") == 0)
            set.svg = argv[++i];
        else if (value || count == MOST_FILES)
            return usage();
        else
            paths[count++] = argv[i];
    }
    if (!(set.tolerance > 0) || !(set.cap > 0))
        return usage();
    if (count == 0)
        count = find_files(paths);
    if (count == 0)
        return 0;
    fil_context *context = bench_context(1);
    row *rows = bench_allocate((size_t)count, sizeof *rows);
    print_head(&set);
    for (int i = 0; i < count; ++i) {
        rows[i] = measure(context, paths[i], &set);
        print_row(&rows[i]);
    }
    bool met = summarise(rows, count);
    if (set.csv)
        write_csv(set.csv, rows, count);
    if (set.svg)
        write_svg(context, set.svg, &set, rows, count);
    fil_context_destroy(context);
    return met ? 0 : 1;
}
