// Shapes of bodies.
#include "base/file.h"
#include "scene/films.h"

#include <stdio.h>

static double volume_of(const fil_mesh *mesh)
{
    double volume = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const double *a = mesh->position + 3 * mesh->triangle[3 * t],
                     *b = mesh->position + 3 * mesh->triangle[3 * t + 1],
                     *c = mesh->position + 3 * mesh->triangle[3 * t + 2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    return volume;
}

// The volume by Gauss' theorem wants all triangles, none twice, and all seen from outside against the clock.
TEST(body_has_the_volume_of_its_shape)
{
    const double pi = 3.14159265358979323846;
    const struct {
        const char *shape;
        double volume;
    } cases[] = {
        {"'sphere:radius=0.2'", 4 * pi / 3 * 0.008},
        {"{'type': 'ellipsoid', 'width': 0.1, 'height': 0.2, 'depth': 0.3}", 4 * pi / 3 * 0.006},
        {"{'type': 'box', 'width': 0.1, 'height': 0.2, 'depth': 0.3}", 8 * 0.006},
        {"{'type': 'cylinder', 'radius': 0.1, 'length': 0.5}", pi * 0.01 * 0.5},
        {"{'type': 'capsule', 'radius': 0.1, 'length': 0.5}", pi * 0.01 * 0.5 + 4 * pi / 3 * 0.001},
        {"{'type': 'mesh', 'file': 'tetrahedron.obj', 'unit': 'cm'}", 1e-6 / 6},
    };
    static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fil_context *context = fil_context_create(NULL);
    test_ok(context, fil_file_write_text(context, test_path("tetrahedron.obj"), tetrahedron, sizeof tetrahedron - 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char scene[300];
        snprintf(scene, sizeof scene,
                 "{'groups': [{}], 'bodies': [{'shape': %s}, {'shape': %s, 'place': {'scale': 2}}]}", cases[i].shape,
                 cases[i].shape);
        fil_film *film = film_of(context, scene);
        double volume = volume_of(film->bodies[0].mesh) / cases[i].volume;
        ck_assert_msg(volume > 0.99 && volume < 1.0001, "%s: %g of the volume", cases[i].shape, volume);
        test_near(volume_of(film->bodies[1].mesh) / cases[i].volume, 8 * volume, 1e-9);
        fil_film_destroy(film);
    }
    fil_context_destroy(context);
}
