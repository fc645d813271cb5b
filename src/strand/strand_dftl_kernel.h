// Lengths by following the leader, and what that does to velocities (Müller 2012):
//
//     p_i+1 <- p_i + l (p_i+1 - p_i) / |p_i+1 - p_i|,   v_i = (p_i - x_i) / h - s d_i+1 / h
//
// with d the correction of a vertex, of all rounds. Without the second part, s = 0, each vertex pulls only those behind
// it, as if they weighed nothing. s near 1 gives it back, as damping: v has d_i in it, and d_i+1 is nearly the same.
// Rounds that move vertices back before the next correction spoil that, so one is best.

enum { LIVE_KEEPS_LENGTHS = 1 };

// d_i+1 is gathered in the place of v_i, which is not needed any more.
LIVE void live_begin(const fil_live_pack *P, const fil_live_now *now)
{
    const three none = {all(0), all(0), all(0)};
    (void)now;
    for (int i = 0; i < P->n; ++i)
        store3(P->v, i, none);
}

LIVE void live_lengths(const fil_live_pack *P, const fil_live_now *now, int last)
{
    (void)now;
    (void)last;
    for (int i = 0; i < P->n; ++i)
        store3(P->work, i, load3(P->p, i));
    live_follow_leader(P, all(1) > all(0));
    for (int i = 0; i + 1 < P->n; ++i) {
        three d = minus3(load3(P->p, i + 1), load3(P->work, i + 1));
        store3(P->v, i, plus3(load3(P->v, i), choose(load(P->length, i) > all(0), all(1), all(0)), d));
    }
}

LIVE three live_velocity(const fil_live_pack *P, const fil_live_now *now, int i)
{
    three v = times3(all(1 / now->h), minus3(load3(P->p, i), load3(P->x, i)));
    lanes part = choose(load(P->weight, i) > all(0), all(now->correction / now->h), all(0));
    return plus3(v, -part, load3(P->v, i));
}
