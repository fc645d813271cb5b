// For contact_scale: one solve of a problem of strands, in a process of its own.
//
// What the process had at its peak is then the memory of this solve, and neither a crash nor a solver without end stops
// the benchmark. The child makes its problem itself, because a child can use OpenMP only if its parent never did:
// libgomp keeps its threads for the next loop, fork() copies none of them but the one that calls it, and the child
// would wait for the others for ever. So the parent neither generates nor solves. Making a problem is not timed.
//
// A solve is asked to stop at its limit, so that its residual is known, and killed when it does not listen.
#ifndef FIL_BENCH_CONTACT_SCALE_SOLVE_H
#define FIL_BENCH_CONTACT_SCALE_SOLVE_H

#include "bench.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct scale_method {
    const char *name, *solver, *local; // local: NULL for the default
} scale_method;

static const scale_method scale_auto = {"auto", "auto", NULL};
// The yardstick: Gauss-Seidel as it was published.
static const scale_method scale_plain = {"plain", "gs:relaxation=1,freeze=false", "mfb+enum"};

// A first guess, in memory that parent and children share.
typedef struct scale_guess {
    size_t bytes;
    int contacts, kept; // kept: impulses that were carried over
    double r[];
} scale_guess;

typedef struct scale_job {
    fil_contact_hair hair;
    scale_method method;
    double tolerance, limit; // limit: s
    int64_t max_iterations;  // 0: the solver's own budget
    int threads;
    int before;              // solves in the same context before the one that counts, as in a simulation
    const scale_guess *from; // NULL: a cold start
    scale_guess *to;         // not NULL: the solution is carried to the next step and left there
} scale_job;

typedef struct scale_answer {
    int contacts;
    char outcome[16]; // of fil_outcome_name; or "limit", "failed", "wrong": not what the judge says
    char finished_by[32];
    int64_t iterations;
    long switches; // how often another program took the core away: times of a disturbed solve mean nothing
    double residual, setup, solve, peak; // the judge's; s, s, bytes. Killed: no residual, all of the time is in `solve`
} scale_answer;

static inline double scale_seconds(const scale_answer *answer)
{
    return answer->setup + answer->solve;
}

static inline bool scale_solved(const scale_answer *answer)
{
    return strcmp(answer->outcome, "solved") == 0;
}

// What is being done: a line that is wiped out before the next one where somebody looks.
static inline void scale_wipe(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\033[K", stderr);
}

__attribute__((format(printf, 1, 2))) static inline void scale_tell(const char *format, ...)
{
    va_list arguments;
    scale_wipe();
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(isatty(STDERR_FILENO) ? "\r" : "\n", stderr);
}

// The child

static inline bool scale_has_time(void *deadline, const fil_progress *point)
{
    (void)point;
    return fil_timer_seconds() < *(const double *)deadline;
}

static inline void scale_send(int end, const void *bytes, size_t size)
{
    if (write(end, bytes, size) != (ssize_t)size)
        _exit(3);
}

// When memory runs out it is this process that has to go, and it goes when its parent goes.
static inline void scale_be_expendable(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    FILE *file = fopen("/proc/self/oom_score_adj", "w");
    if (file) {
        fputs("1000", file);
        fclose(file);
    }
}

static inline scale_answer scale_solve(fil_context *context, fil_contact_problem *problem, const scale_job *job,
                                       double *r)
{
    double deadline = fil_timer_seconds() + job->limit, residual[FIL_MERIT_COUNT];
    fil_contact_def def = fil_contact_def_default();
    def.solver = job->method.solver;
    def.local = job->method.local ? job->method.local : def.local;
    def.tolerance = job->tolerance;
    def.max_iterations = job->max_iterations;
    def.warm = job->from != NULL;
    def.progress = scale_has_time;
    def.user = &deadline;
    fil_solve_stats stats;
    bench_need(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    bench_need(context, fil_contact_judge(context, problem, r, residual));
    scale_answer answer = {.contacts = problem->contact_count,
                           .iterations = stats.iterations,
                           .residual = residual[def.merit],
                           .setup = stats.seconds_setup,
                           .solve = stats.seconds_solve};
    const char *outcome = stats.outcome == FIL_CANCELLED ? "limit" : fil_outcome_name(stats.outcome);
    if (stats.outcome == FIL_SOLVED && !(answer.residual <= job->tolerance))
        outcome = "wrong";
    snprintf(answer.outcome, sizeof answer.outcome, "%s", outcome);
    snprintf(answer.finished_by, sizeof answer.finished_by, "%s", stats.finished_by);
    return answer;
}

static inline void scale_carry(fil_context *context, const fil_contact_problem *last, const double *r,
                               const scale_job *job)
{
    fil_contact_hair hair = job->hair;
    fil_contact_problem *next = NULL;
    ++hair.index;
    bench_need(context, fil_contact_hair_generate(context, &hair, &next));
    if (sizeof *job->to + 3 * sizeof *r * (size_t)next->contact_count > job->to->bytes) {
        fprintf(stderr, "%d contacts: more than there is room for\n", next->contact_count);
        _exit(3);
    }
    bench_need(context, fil_contact_hair_carry(context, last, r, next, job->to->r, &job->to->kept));
    job->to->contacts = next->contact_count;
}

// First the number of contacts: the clock of the parent starts. Then the answer: it stops.
static inline void scale_work(const scale_job *job, int end)
{
    scale_be_expendable();
    fil_context *context = bench_context(job->threads);
    fil_contact_problem *problem = NULL;
    bench_need(context, fil_contact_hair_generate(context, &job->hair, &problem));
    size_t count = 3 * (size_t)problem->contact_count;
    double *r = bench_allocate(count, sizeof *r);
    if (job->from && job->from->contacts != problem->contact_count)
        _exit(3);
    scale_answer answer;
    for (int k = 0; k <= job->before; ++k) {
        if (job->from)
            memcpy(r, job->from->r, count * sizeof *r);
        if (k == job->before)
            scale_send(end, &problem->contact_count, sizeof problem->contact_count);
        answer = scale_solve(context, problem, job, r);
    }
    scale_send(end, &answer, sizeof answer);
    if (job->to)
        scale_carry(context, problem, r, job);
}

// The parent

// True when all of it came before the deadline.
static inline bool scale_receive(int end, void *bytes, size_t size, double deadline)
{
    for (size_t got = 0; got < size;) {
        double left = deadline - fil_timer_seconds();
        struct pollfd wait = {.fd = end, .events = POLLIN};
        int ready = poll(&wait, 1, left < 1e6 ? (int)(1e3 * fmax(left, 0)) : -1);
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t count = ready > 0 ? read(end, (char *)bytes + got, size - got) : 0;
        if (count <= 0)
            return false;
        got += (size_t)count;
    }
    return true;
}

// Follows a child to its end.
static inline scale_answer scale_await(const scale_job *job, pid_t child, int end)
{
    scale_answer answer = {0}, heard;
    bool begun = scale_receive(end, &answer.contacts, sizeof answer.contacts, INFINITY);
    double start = fil_timer_seconds(), deadline = start + 1.25 * job->limit + 10;
    if (begun && scale_receive(end, &heard, sizeof heard, deadline)) {
        answer = heard;
    } else {
        answer.residual = NAN;
        answer.solve = begun ? fil_timer_seconds() - start : NAN;
        snprintf(answer.outcome, sizeof answer.outcome, "%s", fil_timer_seconds() < deadline ? "failed" : "limit");
        kill(child, SIGKILL);
    }
    struct rusage usage = {0};
    int status = 0;
    wait4(child, &status, 0, &usage);
    answer.peak = 1024.0 * (double)usage.ru_maxrss;
    answer.switches = usage.ru_nivcsw;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) // it was asked for what there is not, and said so
        exit(2);
    return answer;
}

static inline scale_answer scale_run(const scale_job *job)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) {
        perror("pipe");
        exit(3);
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        scale_work(job, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    if (child < 0) {
        perror("fork");
        exit(3);
    }
    scale_answer answer = scale_await(job, child, ends[0]);
    close(ends[0]);
    return answer;
}

// The step after `job`, warm, in the same way otherwise: `job` is first solved with `auto`. Released by scale_forget.
static inline scale_job scale_warm(const scale_job *job)
{
    size_t contacts = (size_t)(2 * job->hair.strands * (job->hair.contacts_per_strand + 1));
    size_t bytes = sizeof(scale_guess) + 3 * sizeof(double) * contacts;
    scale_guess *guess = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guess == MAP_FAILED) {
        perror("mmap");
        exit(3);
    }
    guess->bytes = bytes;
    scale_job first = *job, next = *job;
    first.method = scale_auto;
    first.max_iterations = 0;
    first.to = guess;
    scale_tell("a first guess: %d strands, %s, %g ms, to %g", job->hair.strands,
               fil_contact_hair_shape_name(job->hair.shape), 1e3 * job->hair.step, job->tolerance);
    scale_run(&first);
    ++next.hair.index;
    next.from = guess;
    return next;
}

static inline void scale_forget(scale_job *warm)
{
    munmap((void *)warm->from, warm->from->bytes);
    warm->from = NULL;
}

#endif
