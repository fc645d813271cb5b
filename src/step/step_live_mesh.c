// Live strands and meshes: vertex by vertex, in doubles. Continuous: what would pass through a surface in one step does
// not. Friction as for other bodies (live_leave in strand/live_kernel.h).
#include "step/step_live.h"

#include "math/mat3.h"

#include <math.h>

enum { LANES = FIL_LIVE_LANES };

static void leave(const fil_live_mesh *mesh, const double x[3], double radius, int *hint, double p[3])
{
    fil_solid_way way;
    if (!fil_solid_leave(&mesh->motion, mesh->surface, x, p, radius, hint, &way))
        return;
    double slide[3];
    for (int k = 0; k < 3; ++k) {
        p[k] += way.depth * way.normal[k];
        slide[k] = way.from[k] - x[k];
    }
    double along = fil_vec3_dot(slide, way.normal);
    for (int k = 0; k < 3; ++k)
        slide[k] -= along * way.normal[k];
    double length = fil_vec3_norm(slide), part = length > 0 ? fmin(mesh->friction * way.depth / length, 1) : 0;
    for (int k = 0; k < 3; ++k)
        p[k] -= part * slide[k];
}

void fil_live_leave_mesh(const fil_live_mesh *mesh, const fil_live_pack *P, unsigned lanes)
{
    for (int lane = 0; lane < LANES; ++lane) {
        int hint = -1;
        for (int i = 0; i < P->n && lanes >> lane & 1; ++i) {
            double x[3], p[3];
            if (P->weight[i * LANES + lane] == 0)
                continue;
            for (int k = 0; k < 3; ++k) {
                x[k] = (double)P->x[(3 * i + k) * LANES + lane];
                p[k] = (double)P->p[(3 * i + k) * LANES + lane];
            }
            leave(mesh, x, (double)P->radius[i * LANES + lane], &hint, p);
            for (int k = 0; k < 3; ++k)
                P->p[(3 * i + k) * LANES + lane] = (float)p[k];
        }
    }
}
