// A step of a pack, in order. Behind live_kernel.h and the kernel of a model, which says how edges keep their lengths
// (live_lengths) and what velocities follow (live_velocity).

LIVE void live_solve(const fil_live_pack *P, const fil_live_now *now, GLOBAL const fil_live_shape *shapes)
{
    live_predict(P, now);
    live_set_gains(P, now);
    if (now->elastic)
        live_warm_up(P, now);
    for (int round = 0; round < now->rounds; ++round) {
        if (now->curved)
            live_carry_bends(P);
        for (int sweep = 0; sweep < now->bends; ++sweep)
            live_bend(P, now, sweep);
        if (now->global > 0)
            live_shape_up(P, now);
        live_lengths(P, now, round + 1 == now->rounds);
        live_collide(P, now, shapes);
    }
}

// The new state; strands whose numbers are not finite stay where they were, at rest. Returns those that are fine.
LIVE mask live_finish(const fil_live_pack *P, const fil_live_now *now)
{
    const three none = {all(0), all(0), all(0)};
    lanes sum = all(0);
    for (int i = 0; i < P->n; ++i) {
        three p = load3(P->p, i), v = live_velocity(P, now, i);
        sum += all(0) * (p.x + p.y + p.z + v.x + v.y + v.z);
        store3(P->v, i, v);
    }
    mask fine = sum == all(0);
    for (int i = 0; i < P->n; ++i) {
        store3(P->x, i, choose3(fine, load3(P->p, i), load3(P->x, i)));
        store3(P->v, i, choose3(fine, load3(P->v, i), none));
    }
    for (int i = 0; now->elastic && any_of(not_of(fine)) && i < 4 * P->n; ++i)
        store(P->force, i, choose(fine, load(P->force, i), all(0)));
    return fine;
}
