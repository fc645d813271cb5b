// The tables of `filum contact ...`: what help shows and what the parser accepts.
#include "cli/contact.h"
#include "cli/report.h"

#include <stdio.h>

// Defaults of the library as text; filled in by fil_contact_table_start.
static char tolerance[32], rods[16], dofs[16], contacts[32], mu[32], seed[24];
static char strands[16], vertices[16], strand_contacts[32], step[32];

static const double most_iterations = 1e15, most_seed = 9007199254740992.0; // 2^53: what a double counts exactly

#define THREADS                                                                                                        \
    {                                                                                                                  \
        "threads", 't', FIL_OPTION_WHOLE, "N", "0", 0, 512, "threads to use; 0: all. The result does not depend on it" \
    }
#define LOCAL                                                                                                          \
    {                                                                                                                  \
        "local", 0, FIL_OPTION_TEXT, "NAME", NULL, 0, 0,                                                               \
            "solver of one contact (`filum info local`); NAME+NAME adds a fail-safe"                                   \
    }
#define MERIT                                                                                                          \
    {                                                                                                                  \
        "merit", 0, FIL_OPTION_TEXT, "natural|fclib|fb", NULL, 0, 0, "the residual that the tolerance means"           \
    }
#define TOLERANCE                                                                                                      \
    {                                                                                                                  \
        "tol", 0, FIL_OPTION_POSITIVE, "X", tolerance, 0, 0, "tolerance"                                               \
    }
#define ITERATIONS                                                                                                     \
    {                                                                                                                  \
        "max-iterations", 0, FIL_OPTION_WHOLE, "N", "0", 0, 0,                                                         \
            "sweeps and Newton steps at most; 0: the solver's own budget"                                              \
    }
#define SOLVERS                                                                                                        \
    {                                                                                                                  \
        "solvers", 's', FIL_OPTION_TEXT, "LIST", NULL, 0, 0,                                                           \
            "solvers, separated by commas; each is NAME[:SETTINGS][@LOCAL]"                                            \
    }

// Rows that the commands share stand first, so that start() finds them.
static fil_option solve_options[] = {
    LOCAL,
    MERIT,
    TOLERANCE,
    ITERATIONS,
    THREADS,
    {"solver", 's', FIL_OPTION_TEXT, "NAME", NULL, 0, 0,
     "contact solver (`filum info contact`), with settings behind a colon: gs:relaxation=1.3,order=coloured"},
    {"warm", 0, FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "start from the solution in this file, or its first guess"},
    {"out", 'o', FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "write the problem with its solution"},
    {"trace", 0, FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "write the course of the solve as CSV"},
    {"svg", 0, FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "draw residual against iterations and time"},
};
static fil_option compare_options[] = {
    LOCAL,
    MERIT,
    TOLERANCE,
    ITERATIONS,
    THREADS,
    SOLVERS,
    {"csv", 0, FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "write one row per solver"},
    {"svg", 0, FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "draw residual against iterations and time"},
    {"title", 0, FIL_OPTION_TEXT, "TEXT", NULL, 0, 0, "title of the picture"},
};
static fil_option batch_options[] = {
    LOCAL,
    MERIT,
    TOLERANCE,
    ITERATIONS,
    THREADS,
    SOLVERS,
    {"csv", 0, FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "write one row per problem and solver"},
    {"svg", 0, FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "draw the share of problems that need more than k iterations"},
};
static fil_option generate_options[] = {
    {"rods", 0, FIL_OPTION_WHOLE, "N", rods, 1, 1e7, "number of rods with dense blocks"},
    {"dofs", 0, FIL_OPTION_WHOLE, "M", dofs, 1, 3000, "degrees of freedom of a rod"},
    {"contacts-per-rod", 0, FIL_OPTION_REAL, "C", contacts, 0, 1e5, "mean number of contact sides on a rod"},
    {"mu", 0, FIL_OPTION_REAL, "MU", mu, 0, 1e300, "friction coefficient"},
    {"seed", 0, FIL_OPTION_WHOLE, "S", seed, 0, 0, "the same seed gives the same file"},
    {"strands", 0, FIL_OPTION_WHOLE, "N", strands, 1, 1e7, "instead of rods: number of strands with banded blocks"},
    {"vertices", 0, FIL_OPTION_WHOLE, "V", vertices, 4, 1e5, "vertices of a strand, 5 mm apart"},
    {"contacts-per-strand", 0, FIL_OPTION_REAL, "C", strand_contacts, 0, 1e5,
     "mean number of contact sides on a strand"},
    {"shape", 0, FIL_OPTION_TEXT, "straight|wavy|curly|parallel", NULL, 0, 0, "of the strands"},
    {"step", 0, FIL_OPTION_REAL, "H", step, 1e-6, 1, "time step of the strands in seconds"},
    {"steps", 0, FIL_OPTION_WHOLE, "K", "1", 1, 1e6, "write K consecutive steps of the strands; FILE holds a %d"},
    {"count", 0, FIL_OPTION_WHOLE, "K", "1", 1, 1e6, "write K problems with the seeds S, S + 1, ...; FILE holds a %d"},
    {"form", 0, FIL_OPTION_TEXT, "global|local", "global", 0, 0, "global: A, b, H (small); local: W, q"},
    {"out", 'o', FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "the file to write"},
    THREADS,
};
static fil_option judge_options[] = {
    {"solution", 0, FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "the file with the solution; default: the problem's own"},
    THREADS,
};

void fil_contact_table_start(void)
{
    fil_contact_def def = fil_contact_def_default();
    fil_contact_family family = fil_contact_family_default();
    snprintf(tolerance, sizeof tolerance, "%g", def.tolerance);
    snprintf(rods, sizeof rods, "%d", family.rods);
    snprintf(dofs, sizeof dofs, "%d", family.dofs);
    snprintf(contacts, sizeof contacts, "%g", family.contacts_per_rod);
    snprintf(mu, sizeof mu, "%g", family.mu);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)family.seed);
    fil_contact_hair hair = fil_contact_hair_default();
    snprintf(strands, sizeof strands, "%d", hair.strands);
    snprintf(vertices, sizeof vertices, "%d", hair.vertices);
    snprintf(strand_contacts, sizeof strand_contacts, "%g", hair.contacts_per_strand);
    snprintf(step, sizeof step, "%g", hair.step);
    fil_option *tables[] = {solve_options, compare_options, batch_options};
    for (int i = 0; i < 3; ++i) {
        tables[i][0].def = def.local;
        tables[i][1].def = fil_merit_name(def.merit);
        tables[i][3].max = most_iterations;
    }
    solve_options[5].def = def.solver;
    generate_options[4].max = most_seed;
    generate_options[8].def = fil_contact_hair_shape_name(hair.shape);
}

fil_context *fil_contact_context(const fil_arguments *arguments)
{
    fil_context_def def = fil_context_def_default();
    def.threads = (int)fil_arguments_whole(arguments, "threads");
    fil_context *context = fil_context_create(&def);
    if (!context)
        fil_report_no_memory();
    return context;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const fil_example solve_examples[] = {
    {"filum contact solve hair.hdf5", "The default solver, to 1e-8"},
    {"filum contact solve hair.hdf5 --solver gs:order=coloured --tol 1e-6 --threads 4", "Gauss-Seidel on four threads"},
    {"filum contact solve hair.hdf5 --json --out solved.hdf5", "For a script; keep the solution"},
    {"filum contact solve next.hdf5 --warm solved.hdf5", "Start from an earlier solution"},
    {"filum contact solve problems/step_000020_1.hdf5 --warm problems/step_000020_1.hdf5",
     "A problem of `filum run --dump-problems`, from where the step began"},
};
const fil_command fil_command_contact_solve = {
    .name = "contact solve",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .summary = "solve a contact problem",
    .text =
        "Reads a problem (FCLIB's HDF5, local or global), solves it and tells how well. Ends with status 1 when the "
        "tolerance was not reached; the best impulse found is written all the same. Ctrl-C stops early with the "
        "best so far.",
    .options = solve_options,
    .option_count = COUNT(solve_options),
    .examples = solve_examples,
    .example_count = COUNT(solve_examples),
    .run = fil_contact_solve_run,
};

static const fil_example compare_examples[] = {
    {"filum contact compare hair.hdf5 --solvers auto,gs,gs@mfb+enum --svg course.svg", "Three ways, one picture"},
    {"filum contact compare hair.hdf5 --solvers gs:relaxation=1.3,freeze=false,anderson",
     "Settings may hold commas: a part with a '=' belongs to the solver before it"},
};
const fil_command fil_command_contact_compare = {
    .name = "contact compare",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .summary = "solve one problem with several solvers",
    .text = "W is assembled once and counts as set-up time of every solver. Ends with status 0 when all solvers ran, "
            "whether or not they reached the tolerance.",
    .options = compare_options,
    .option_count = COUNT(compare_options),
    .examples = compare_examples,
    .example_count = COUNT(compare_examples),
    .run = fil_contact_compare_run,
};

static const fil_example batch_examples[] = {
    {"filum contact batch problems/ --solvers gs@mfb+enum,gs@mfb,gs@enum --merit fb --tol 1e-6 --svg fig11.svg",
     "Table 2 and figure 11 of [Daviet11] on a folder"},
    {"filum contact batch a.hdf5 b.hdf5 --solvers auto,anderson --csv runs.csv --json", "Some files, for a script"},
};
const fil_command fil_command_contact_batch = {
    .name = "contact batch",
    .operands = "FILES|DIR...",
    .least = 1,
    .most = -1,
    .summary = "solve many problems with several solvers and summarise",
    .text = "A folder stands for the .hdf5 and .h5 files in it. Per solver: %alt, local problems that went to the "
            "fail-safe; %fail, local problems that nobody solved; %>tol, problems above the tolerance; mean iterations "
            "and seconds of a solve (all problems, W not included). A file that cannot be read is told and left out; "
            "the command then ends with status 2.",
    .options = batch_options,
    .option_count = COUNT(batch_options),
    .examples = batch_examples,
    .example_count = COUNT(batch_examples),
    .run = fil_contact_batch_run,
};

static const fil_example generate_examples[] = {
    {"filum contact generate --rods 2000 --dofs 16 --contacts-per-rod 25 --mu 0.3 --seed 1 -o hair.hdf5",
     "About 25,000 contacts"},
    {"filum contact generate --strands 4000 --shape wavy --step 0.004 -o wavy.hdf5",
     "About 50,000 contacts of real strands: blocks in bands"},
    {"filum contact generate --strands 800 --steps 10 -o 'step-%d.hdf5'", "Ten consecutive steps, for warm starts"},
    {"filum contact generate --count 306 -o 'problem-%d.hdf5'", "A family for `filum contact batch`"},
};
const fil_command fil_command_contact_generate = {
    .name = "contact generate",
    .operands = "",
    .least = 0,
    .most = 0,
    .summary = "write a reproducible hair-like problem",
    .text =
        "Locks of super-helices that press on their neighbours: rods with dense blocks, contacts between neighbours "
        "and some with the world. About a third of the contacts each stick, slide and take off. Over-constrained "
        "when three times the contacts exceed the dofs. With --strands or another option of theirs: clumps of discrete "
        "elastic rods on a flat body, contacts found by geometry.",
    .options = generate_options,
    .option_count = COUNT(generate_options),
    .examples = generate_examples,
    .example_count = COUNT(generate_examples),
    .run = fil_contact_generate_run,
};

static const fil_example judge_examples[] = {
    {"filum contact judge solved.hdf5", "The solution that the file itself holds"},
    {"filum contact judge hair.hdf5 --solution other.hdf5 --json", "A solution of another program"},
};
const fil_command fil_command_contact_judge = {
    .name = "contact judge",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .summary = "residuals of a stored solution",
    .text = "Computes u = W r + q anew from the stored impulses r and measures all residuals.",
    .options = judge_options,
    .option_count = COUNT(judge_options),
    .examples = judge_examples,
    .example_count = COUNT(judge_examples),
    .run = fil_contact_judge_run,
};
