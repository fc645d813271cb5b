// A step of a pack, in order. Behind live_kernel.h and the kernel of a model, which says how edges keep their lengths
// (live_lengths), whether they always do (LIVE_KEEPS_LENGTHS), what velocities follow (live_velocity), and what to do
// before all that (live_begin).

enum { LIVE_LEADS = 8 };

// A body that moves a vertex out changes the lengths of its edges. Where one is off by more than a hundredth, strands
// follow the leader and leave bodies in turn: each time vertices come farther along the surface. Most are done after
// one or two, those that stand on a body longer. One turn; returns who took it.
LIVE mask live_lead(const fil_live_pack *P, const fil_live_now *now, GLOBAL const fil_live_shape *shapes)
{
    mask off = not_of(live_stretch(P) <= all(0.01f));
    if (any_of(off)) {
        live_follow_leader(P, off);
        live_collide(P, now, shapes, off);
    }
    return off;
}

LIVE void live_solve(const fil_live_pack *P, const fil_live_now *now, GLOBAL const fil_live_shape *shapes)
{
    live_predict(P, now);
    if (now->hangs == 1)
        live_lift(P, now);
    live_begin(P, now);
    if (now->form == FIL_LIVE_DIRECT)
        live_factor_bends(P, now);
    else
        live_set_gains(P, now);
    if (now->form != FIL_LIVE_PBD)
        live_let_go(P);
    for (int round = 0; round < now->rounds; ++round) {
        live_bend(P, now);
        if (now->to_edge > 0)
            live_shape_locally(P, now);
        if (now->to_shape > 0)
            live_shape_up(P, now);
        live_lengths(P, now, round + 1 == now->rounds);
        live_collide(P, now, shapes, all(1) > all(0));
    }
    for (int lead = 0; LIVE_KEEPS_LENGTHS && now->shapes > 0 && lead < LIVE_LEADS; ++lead)
        if (!any_of(live_lead(P, now, shapes)))
            return;
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
    return fine;
}
