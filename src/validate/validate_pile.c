// Short strands dropped on the ground: a pile that comes to rest, and stays.
//
// Fibres of 5 cm, 1 mm thick and about as stiff as cooked noodles. Viscosity with a time of 5 ms takes their
// vibrations, friction takes the rest; there is no other damping. What is left when all is still is the tolerance of
// the contact solver: one of 1e-6 leaves 200 strands about 1e-5 m/s, so it is a tenth of that. They are curved:
// torsion, which `lifted` has in place of twist, has no meaning where a strand is straight.
#include "base/rng.h"
#include "validate/validate_rig.h"

#include <math.h>

enum { SEGMENTS = 8, VERTICES = SEGMENTS + 1 };
static const double pi = 3.14159265358979323846;
static const double length = 0.05, strand_radius = 5e-4, young = 1e7, step = 4e-3;
static const double turn = 1; // rad, from end to end

// Each in a layer of its own, any way round, over a square whose area grows with their number.
static void lay_pile(fil_rig *rig)
{
    fil_rng rng = fil_rng_make(7);
    double half = 5e-3 * sqrt(rig->strands);
    for (int strand = 0; strand < rig->strands; ++strand) {
        double x = fil_rng_uniform(&rng, -half, half), z = fil_rng_uniform(&rng, -half, half);
        double angle = fil_rng_uniform(&rng, 0, 2 * pi), height = 3 * strand_radius * (strand + 1);
        for (int i = 0; i < VERTICES; ++i) {
            double place = (double)i / SEGMENTS - 0.5, along = length / turn * sin(turn * place);
            double aside = length / turn * (1 - cos(turn * place));
            double *out = rig->start + 3 * (ptrdiff_t)(strand * VERTICES + i);
            out[0] = x + along * cos(angle) - aside * sin(angle);
            out[1] = height;
            out[2] = z + along * sin(angle) + aside * cos(angle);
        }
    }
}

static bool drop_pile(fil_validate_task *task, int strands, fil_rig *rig)
{
    if (!fil_rig_begin_strands(task, strands, VERTICES, rig))
        return false;
    lay_pile(rig);
    rig->group.root = FIL_END_FREE;
    rig->group.touch.friction = rig->group.touch.friction_body = 0.3;
    rig->group.material.radius = strand_radius;
    rig->group.material.young = young;
    rig->group.material.viscosity = 5e-3 * young;
    rig->obstacle.shape = FIL_OBSTACLE_PLANE;
    rig->scene.gravity[1] = -9.81;
    rig->scene.motion.tolerance = 1e-8;
    rig->contacts.tolerance = 1e-7;
    fil_rig_touch_obstacle(rig);
    fil_rig_finish(rig);
    fil_rig_audit_begin(rig);
    return true;
}

void fil_validate_pile_of(fil_validate_task *task, int strands, double settle, double watch)
{
    double fastest = 0;
    fil_rig rig;
    if (drop_pile(task, strands, &rig))
        for (int i = 1; i <= (int)lround((settle + watch) / step) && fil_validate_going(task); ++i) {
            fil_rig_step(&rig, step);
            if (i * step > settle)
                fastest = fmax(fastest, fil_rig_fastest(&rig));
        }
    fil_validate_report_zero(task, fastest, 1e-5, "fastest of %d strands after %g s, m/s", strands, settle);
    fil_validate_report_zero(task, (double)rig.crossings, 0, "crossings on the way");
    fil_validate_report_zero(task, rig.deepest, 0, "deepest in the ground, m");
    fil_rig_end(&rig);
}

void fil_validate_pile(fil_validate_task *task)
{
    if (task->def->quick)
        fil_validate_pile_of(task, 20, 1.2, 0.3);
    else
        fil_validate_pile_of(task, 20, 3, 1);
}
