// The lengths of all edges at once [Han13, eqs 5-11]: with n_i the unit vector from vertex i + 1 to vertex i and
// C_i = |p_i - p_i+1| - l_i,
//
//     -w_i n_i-1·n_i λ_i-1 + (w_i + w_i+1) λ_i - w_i+1 n_i·n_i+1 λ_i+1 = C_i,   p_i += w_i (n_i-1 λ_i-1 - n_i λ_i)
//
// by the Thomas algorithm: one sweep to the tip, one back, in which the vertices move. The matrix is positive definite
// except between two held ends in one line; a floor under the pivots takes care of that. It says where edges go in a
// straight line: edges that turn far in a step, like those nearly square to their neighbours that are pulled along
// them, need it once more, or do not get there at all. So after the last round strands are measured; where an edge is
// off by more than a hundredth the solve is repeated, and what does not help then is done by following the leader.

enum { TRIDIAG_REPEATS = 3 };

// λ in place of the right-hand side: work holds n (3), c, d of each edge.
LIVE void tridiag_solve(const fil_live_pack *P, mask which)
{
    const lanes tiny = all(1e-6f);
    three before = {all(0), all(0), all(0)};
    three p = load3(P->p, 0);
    lanes w = load(P->weight, 0), pivot = all(0), d = all(0);
    for (int i = 0; i + 1 < P->n; ++i) {
        three next = load3(P->p, i + 1), e = minus3(p, next);
        lanes w_next = load(P->weight, i + 1), length = load(P->length, i), size = length3(e);
        mask is_edge = which & (length > all(0));
        three n = times3(all(1) / size, e);
        lanes off = choose(is_edge, -w * dot3(before, n), all(0)), c = off * pivot;
        pivot = all(1) / more_of(w + w_next - c * off, tiny);
        d = choose(is_edge, (size - length - d * off) * pivot, all(0));
        store(P->work, 5 * i, n.x);
        store(P->work, 5 * i + 1, n.y);
        store(P->work, 5 * i + 2, n.z);
        store(P->work, 5 * i + 3, c); // of the edge before
        store(P->work, 5 * i + 4, d);
        p = next;
        w = w_next;
        before = n;
    }
    three pull = {all(0), all(0), all(0)}; // n λ of the edge behind
    lanes lambda = all(0), c = all(0);
    for (int i = P->n - 2; i >= 0; --i) {
        three n = {load(P->work, 5 * i), load(P->work, 5 * i + 1), load(P->work, 5 * i + 2)};
        lambda = load(P->work, 5 * i + 4) - c * lambda;
        c = load(P->work, 5 * i + 3);
        three here = times3(lambda, n);
        store3(P->p, i + 1, plus3(load3(P->p, i + 1), load(P->weight, i + 1), minus3(here, pull)));
        pull = here;
    }
    store3(P->p, 0, plus3(load3(P->p, 0), -load(P->weight, 0), pull));
}

enum { LIVE_KEEPS_LENGTHS = 1 };

LIVE void live_begin(const fil_live_pack *P, const fil_live_now *now)
{
    (void)P, (void)now;
}

LIVE void live_lengths(const fil_live_pack *P, const fil_live_now *now, int last)
{
    const lanes most = all(0.01f);
    (void)now;
    tridiag_solve(P, most > all(0));
    for (int repeat = 0; last && repeat < TRIDIAG_REPEATS; ++repeat) {
        mask off = not_of(live_stretch(P) <= most);
        if (!any_of(off))
            return;
        if (repeat + 1 < TRIDIAG_REPEATS)
            tridiag_solve(P, off);
        else
            live_follow_leader(P, off);
    }
}

LIVE three live_velocity(const fil_live_pack *P, const fil_live_now *now, int i)
{
    return times3(all(1 / now->h), minus3(load3(P->p, i), load3(P->x, i)));
}
