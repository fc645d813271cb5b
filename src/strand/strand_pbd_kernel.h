// Lengths edge by edge, from the root to the tip (Müller 2006), or with the give of an elastic edge (XPBD):
//
//     C = |e| - l,   λ = -(C + give λ) / (w_i + w_i+1 + give),   give = l / EA × mass / h²
//
// An edge knows nothing of the others but through the vertices that they share: a pull at the tip takes as many rounds
// to reach the root as there are edges.

enum { LIVE_KEEPS_LENGTHS = 0 };

LIVE void live_begin(const fil_live_pack *P, const fil_live_now *now)
{
    (void)P, (void)now;
}

LIVE void live_lengths(const fil_live_pack *P, const fil_live_now *now, int last)
{
    const lanes h2 = all(now->h * now->h);
    three p = load3(P->p, 0);
    lanes w = load(P->weight, 0);
    (void)last;
    for (int i = 0; i + 1 < P->n; ++i) {
        three next = load3(P->p, i + 1), e = minus3(next, p);
        lanes w_next = load(P->weight, i + 1), size = length3(e), length = load(P->length, i);
        lanes give = all(0), f = all(0), C = size - length;
        if (now->form != FIL_LIVE_PBD) {
            f = load(P->force, 4 * i + 3);
            give = load(P->give, 2 * i + 1) * live_heavier(P, now, i) / h2;
            C += give * h2 * f;
        }
        mask counts = (length > all(0)) & (w + w_next > all(0));
        lanes lambda = choose(counts, -C / (w + w_next + give), all(0)), way = lambda / size;
        if (now->form != FIL_LIVE_PBD)
            store(P->force, 4 * i + 3, f + lambda / h2);
        store3(P->p, i, plus3(p, -w * way, e));
        p = plus3(next, w_next * way, e);
        store3(P->p, i + 1, p);
        w = w_next;
    }
}

LIVE three live_velocity(const fil_live_pack *P, const fil_live_now *now, int i)
{
    return times3(all(1 / now->h), minus3(load3(P->p, i), load3(P->x, i)));
}
