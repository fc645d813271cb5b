// A scene from a file in a host program: simulates it and writes the last frame of its first group as a groom. Build it
// against an installed filum:
//
//     cc film.c $(pkg-config --cflags --libs filum) -o film
//     ./film scene.json last.ply
#include <filum/filum.h>

#include <stdio.h>

static fil_status simulate(fil_context *context, const fil_film *film, fil_simulation *simulation)
{
    int unconverged = 0;
    while (fil_simulation_frame(simulation) < fil_timing_frames(&film->timing)) {
        fil_step_stats stats;
        fil_status status = fil_simulation_step(context, simulation, &stats, NULL);
        if (status)
            return status;
        unconverged += stats.unconverged + stats.failed;
    }
    printf("%d frames, %d strands did not converge\n", 1 + fil_simulation_frame(simulation), unconverged);
    return FIL_OK;
}

static fil_status write_groom(fil_context *context, const fil_simulation *simulation, const char *path)
{
    const fil_model *model = fil_simulation_model(simulation);
    fil_curves *curves;
    fil_status status =
        fil_curves_create(context, fil_model_strand_count(model, 0), fil_model_vertex_count(model, 0), true, &curves);
    if (status)
        return status;
    fil_model_shape(model, 0, &(fil_shape){.vertex_count = curves->vertex_count, .radius = curves->radius});
    fil_state_read(fil_simulation_state(simulation), 0, &(fil_frame){.position = curves->position});
    status = fil_curves_write(context, path, curves, 0);
    fil_curves_destroy(curves);
    return status;
}

int main(int count, char **words)
{
    if (count != 3) {
        fprintf(stderr, "usage: film SCENE OUT.ply\n");
        return 2;
    }
    fil_context *context = fil_context_create(NULL);
    fil_film *film = NULL;
    fil_simulation *simulation = NULL;
    fil_status status = fil_film_read(context, words[1], NULL, 0, &film);
    if (!status)
        status = fil_simulation_create(context, film, &simulation); // compiles the scene and lets it settle
    if (!status)
        status = simulate(context, film, simulation);
    if (!status)
        status = write_groom(context, simulation, words[2]);
    if (status)
        fprintf(stderr, "%s\n", fil_context_error(context));
    fil_simulation_destroy(simulation); // before its film
    fil_film_destroy(film);
    fil_context_destroy(context);
    return status ? 1 : 0;
}
