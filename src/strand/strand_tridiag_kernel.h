// The lengths of all edges at once [Han13, eqs 5-11]: with n_i the unit vector from vertex i + 1 to vertex i and
// C_i = |p_i - p_i+1| - l_i,
//
//     -w_i n_i-1·n_i λ_i-1 + (w_i + w_i+1) λ_i - w_i+1 n_i·n_i+1 λ_i+1 = C_i,   p_i += w_i (n_i-1 λ_i-1 - n_i λ_i)
//
// by the Thomas algorithm from both ends: a sweep from the root and one from the tip meet in the middle, and two go
// back, in which the vertices move. Each pivot waits for the one before, through a division; with two sweeps side by
// side there is something to do meanwhile. The matrix is positive definite except between two held ends in one line; a
// floor under the pivots takes care of that. It says where edges go in a straight line: edges that turn far in a step,
// like those nearly square to their neighbours that are pulled along them, need it once more, or do not get there at
// all. So after the last round strands are measured; where an edge is off by more than a thousandth the solve is
// repeated, and what does not help then is done by following the leader.

enum { TRIDIAG_REPEATS = 3 };

// A sweep from one end of the strand towards its middle: the vertex it has reached, and the edge behind that.
typedef struct tridiag_sweep {
    three p, n; // n towards the end of the strand
    lanes weight, pivot, d;
} tridiag_sweep;

// The way back to the end: n λ and c of the edge nearer to the middle.
typedef struct tridiag_return {
    three pull;
    lanes lambda, c;
} tridiag_return;

LIVE tridiag_sweep tridiag_begin(const fil_live_pack *P, int end)
{
    tridiag_sweep out = {load3(P->p, end), {all(0), all(0), all(0)}, load(P->weight, end), all(0), all(0)};
    return out;
}

// What the row of the next edge has off the diagonal, without its sign.
LIVE lanes tridiag_beside(const tridiag_sweep *sweep, three n, mask is_edge)
{
    return choose(is_edge, sweep->weight * dot3(sweep->n, n), all(0));
}

// 0 where there is no edge: it shall say nothing to the edges around it.
LIVE lanes tridiag_invert(lanes pivot, mask is_edge)
{
    return choose(is_edge, all(1) / more_of(pivot, all(1e-6f)), all(0));
}

// Over an edge. λ in place of the right-hand side: work holds n (3), c, d of each edge.
LIVE void tridiag_eliminate(const fil_live_pack *P, mask which, tridiag_sweep *sweep, int edge, int to)
{
    three next = load3(P->p, to), e = minus3(sweep->p, next);
    lanes w = sweep->weight, w_next = load(P->weight, to), length = load(P->length, edge), size = length3(e);
    mask is_edge = which & (length > all(0));
    three n = times3(all(1) / size, e);
    lanes beside = tridiag_beside(sweep, n, is_edge), c = beside * sweep->pivot;
    sweep->pivot = tridiag_invert(w + w_next - beside * beside * sweep->pivot, is_edge);
    sweep->d = (size - length + beside * sweep->d) * sweep->pivot;
    store(P->work, 5 * edge, n.x);
    store(P->work, 5 * edge + 1, n.y);
    store(P->work, 5 * edge + 2, n.z);
    store(P->work, 5 * edge + 3, c); // of the edge behind
    store(P->work, 5 * edge + 4, sweep->d);
    sweep->p = next;
    sweep->n = n;
    sweep->weight = w_next;
}

// The edge in the middle, where two sweeps have met.
LIVE void tridiag_meet(const fil_live_pack *P, mask which, const tridiag_sweep *a, const tridiag_sweep *b, int edge,
                       tridiag_return *to_a, tridiag_return *to_b)
{
    three e = minus3(a->p, b->p);
    lanes length = load(P->length, edge), size = length3(e);
    mask is_edge = which & (length > all(0));
    three n = times3(all(1) / size, e);
    lanes beside_a = tridiag_beside(a, n, is_edge), beside_b = -tridiag_beside(b, n, is_edge);
    lanes whole = a->weight + b->weight - beside_a * beside_a * a->pivot - beside_b * beside_b * b->pivot;
    lanes excess = size - length + beside_a * a->d + beside_b * b->d;
    lanes lambda = excess * tridiag_invert(whole, is_edge);
    to_a->pull = times3(lambda, n);
    to_b->pull = times3(-lambda, n);
    to_a->lambda = to_b->lambda = lambda;
    to_a->c = beside_a * a->pivot;
    to_b->c = beside_b * b->pivot;
}

LIVE void tridiag_put(const fil_live_pack *P, mask which, int vertex, lanes weight, three way)
{
    three p = load3(P->p, vertex);
    store3(P->p, vertex, choose3(which, plus3(p, weight, way), p));
}

// The vertex between the edge and the one nearer to the middle.
LIVE void tridiag_move(const fil_live_pack *P, mask which, tridiag_return *back, int edge, int vertex)
{
    three n = {load(P->work, 5 * edge), load(P->work, 5 * edge + 1), load(P->work, 5 * edge + 2)};
    back->lambda = load(P->work, 5 * edge + 4) + back->c * back->lambda;
    back->c = load(P->work, 5 * edge + 3);
    three here = times3(back->lambda, n);
    tridiag_put(P, which, vertex, load(P->weight, vertex), minus3(here, back->pull));
    back->pull = here;
}

LIVE void tridiag_move_end(const fil_live_pack *P, mask which, const tridiag_return *back, int end)
{
    tridiag_put(P, which, end, -load(P->weight, end), back->pull);
}

// Packs lie one behind the other. Two rows of the next one, so that they are there when its turn comes: memory that is
// read from both ends at once is more than a processor foresees.
LIVE void tridiag_ask_ahead(const fil_live_pack *P, int row)
{
    const int at = P->n + row;
    for (int line = 0; line < 6; line += 2)
        ask_for(P->x, 3 * at + line);
    ask_for(P->length, at);
    ask_for(P->weight, at);
}

// Strands whose last vertex is `tip`.
LIVE void tridiag_solve_alike(const fil_live_pack *P, mask which, int tip)
{
    const int middle = (tip - 1) / 2, odd = tip - 1 - 2 * middle;
    tridiag_sweep a = tridiag_begin(P, 0), b = tridiag_begin(P, tip);
    tridiag_return to_a, to_b;
    for (int k = 0; k < middle; ++k) {
        tridiag_ask_ahead(P, 2 * k);
        tridiag_eliminate(P, which, &a, k, k + 1);
        tridiag_eliminate(P, which, &b, tip - 1 - k, tip - 1 - k);
    }
    if (odd)
        tridiag_eliminate(P, which, &b, middle + 1, middle + 1);
    tridiag_meet(P, which, &a, &b, middle, &to_a, &to_b);
    if (odd)
        tridiag_move(P, which, &to_b, middle + 1, middle + 1);
    for (int k = middle - 1; k >= 0; --k) {
        tridiag_move(P, which, &to_a, k, k + 1);
        tridiag_move(P, which, &to_b, tip - 1 - k, tip - 1 - k);
    }
    tridiag_move_end(P, which, &to_a, 0);
    tridiag_move_end(P, which, &to_b, tip);
}

LIVE void tridiag_solve(const fil_live_pack *P, mask which)
{
    for (int tip = P->n - 1; tip > 0 && any_of(which); --tip) {
        mask ends_here = which & (load(P->length, tip - 1) > all(0));
        if (any_of(ends_here))
            tridiag_solve_alike(P, ends_here, tip);
        which = which & not_of(ends_here);
    }
}

enum { LIVE_KEEPS_LENGTHS = 1 };

LIVE void live_begin(const fil_live_pack *P, const fil_live_now *now)
{
    (void)P, (void)now;
}

LIVE void live_lengths(const fil_live_pack *P, const fil_live_now *now, int last)
{
    const lanes most = all(0.001f);
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
