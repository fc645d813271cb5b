// Position-based strands, one pack of them through a step [Han13; Müller 2006; Macklin 2016 for the XPBD form].
//
//     predict    p = x + h v under gravity, wind and drag; held vertices where they shall be
//     rounds     bends, shape, lengths, bodies: each moves p
//     finish     v = (p - x) / h, x = p
//
// Numbers of a vertex lie side by side for the strands of a pack; `weight` is the inverse mass over its mean, 0 where a
// vertex is held. Bending is one vector for each inner vertex, with a = 1/l of the edge before and b of the one behind:
//
//     C = b (p2 - p1) - a (p1 - p0) - k,   λ = -gain (C + give λ),   p_j += w_j ∂C/∂p_j λ
//
// k is the bend of the rest shape, carried along by frames that do not twist: so it is also the local shape constraint
// of Han & Harada 2012, and linear while k stays. For small bends EI C² / (l0 + l1) is the energy of an elastic rod, so
// give = (l0 + l1) / (2 EI) × mass / h² makes it one (XPBD); give = 0 and gain = stiffness / Σ w |∂C|² is plain PBD.
//
// `direct` solves for the λ of all bends of a strand at once. C is linear, so the matrix is the same for x, y and z,
// has two diagonals on each side, and depends on the step alone:
//
//     B_ij = Σ_v w_v ∂C_i/∂p_v ∂C_j/∂p_v + δ_ij give_i,   B λ = -(C + give λ_before)
//
// Differs from paper: [Han13] sweeps over bends one by one. A sweep hands a turn of the root on from vertex to vertex,
// so a strand of 20 follows its root after hundreds of sweeps; the solve costs as much as two. But k lags behind: where
// the strand beyond vertex j is turned by δ too far, k lets tangents end δ × (t_i - t_j) off, which is more than before
// where they differ by more than 60°. Curls are left to `local`, which carries frames along while it moves vertices.
//
// Compiled by C and, as text, by OpenCL: see live_lanes.h for the words.

typedef struct three {
    lanes x, y, z;
} three;

LIVE three load3(GLOBAL const float *array, int at)
{
    three out = {load(array, 3 * at), load(array, 3 * at + 1), load(array, 3 * at + 2)};
    return out;
}

LIVE void store3(GLOBAL float *array, int at, three a)
{
    store(array, 3 * at, a.x);
    store(array, 3 * at + 1, a.y);
    store(array, 3 * at + 2, a.z);
}

LIVE three minus3(three a, three b)
{
    three out = {a.x - b.x, a.y - b.y, a.z - b.z};
    return out;
}

// a + s b
LIVE three plus3(three a, lanes s, three b)
{
    three out = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return out;
}

LIVE three times3(lanes s, three a)
{
    three out = {s * a.x, s * a.y, s * a.z};
    return out;
}

LIVE lanes dot3(three a, three b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LIVE three cross3(three a, three b)
{
    three out = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return out;
}

LIVE three choose3(mask which, three yes, three no)
{
    three out = {choose(which, yes.x, no.x), choose(which, yes.y, no.y), choose(which, yes.z, no.z)};
    return out;
}

LIVE lanes more_of(lanes a, lanes b)
{
    return choose(a > b, a, b);
}

LIVE lanes less_of(lanes a, lanes b)
{
    return choose(a < b, a, b);
}

// The length of a vector; never 0.
LIVE lanes length3(three a)
{
    return root_of(dot3(a, a) + all(1e-30f));
}

LIVE three unit3(three a)
{
    return times3(all(1) / length3(a), a);
}

// ---- to where nothing but loads leads

LIVE three turn3(GLOBAL const float *pose, three a)
{
    three out = {load(pose, 0) * a.x + load(pose, 1) * a.y + load(pose, 2) * a.z,
                 load(pose, 3) * a.x + load(pose, 4) * a.y + load(pose, 5) * a.z,
                 load(pose, 6) * a.x + load(pose, 7) * a.y + load(pose, 8) * a.z};
    return out;
}

LIVE three place3(GLOBAL const float *pose, three a)
{
    three out = turn3(pose, a);
    out.x += load(pose, 9);
    out.y += load(pose, 10);
    out.z += load(pose, 11);
    return out;
}

// A root that jumps is a cut in the film, not a motion: its strand goes with it and keeps its velocities.
LIVE void live_follow_jump(const fil_live_pack *P, const fil_live_now *now)
{
    if (P->held_count == 0 || P->held[0] != 0)
        return;
    three way = minus3(load3(P->goal, 0), load3(P->x, 0));
    mask jumps = (dot3(way, way) > all(now->jump * now->jump)) & (load(P->weight, 0) == all(0));
    if (!any_of(jumps))
        return;
    lanes share = choose(jumps, all(1), all(0));
    for (int i = 0; i < P->n; ++i)
        store3(P->x, i, plus3(load3(P->x, i), share, way));
}

// Drag is implicit, m (p - p_free) (1 + h drag) = h² forces: vertices are as much heavier for all that moves them in a
// step. Without it strands would sag the less the longer the step is.
LIVE lanes live_heavier(const fil_live_pack *P, const fil_live_now *now, int i)
{
    return all(1) + all(now->h) * (load(P->drag, i) + all(now->damping));
}

LIVE void live_predict(const fil_live_pack *P, const fil_live_now *now)
{
    const lanes h = all(now->h);
    const three carried = {all(now->carried[0]), all(now->carried[1]), all(now->carried[2])};
    const three against = turn3(P->pose, carried);
    live_follow_jump(P, now);
    for (int i = 0; i < P->n; ++i) {
        lanes drag = load(P->drag, i), slow = all(1) / live_heavier(P, now, i);
        three v = load3(P->v, i), a = {all(now->gravity[0]), all(now->gravity[1]), all(now->gravity[2])};
        a.x += drag * all(now->wind[0]);
        a.y += drag * all(now->wind[1]);
        a.z += drag * all(now->wind[2]);
        if (now->hangs == 2)
            a = minus3(a, against);
        if (now->pushed)
            a = plus3(a, all(1), load3(P->push, i));
        mask moves = load(P->weight, i) > all(0);
        v = times3(choose(moves, slow, all(0)), plus3(v, h, a));
        store3(P->p, i, plus3(load3(P->x, i), h, v));
    }
    for (int j = 0; j < P->held_count; ++j) {
        int i = P->held[j];
        store3(P->p, i, choose3(load(P->weight, i) > all(0), load3(P->p, i), load3(P->goal, j)));
    }
}

// ---- bends

// The sum of w |dC/dp|² of the bend at vertex i.
LIVE lanes live_yield(const fil_live_pack *P, int i)
{
    lanes a = load(P->inverse, i - 1), b = load(P->inverse, i), c = a + b;
    return load(P->weight, i - 1) * a * a + load(P->weight, i) * c * c + load(P->weight, i + 1) * b * b;
}

// × h²
LIVE lanes live_give(const fil_live_pack *P, const fil_live_now *now, int i)
{
    return load(P->give, 2 * i) * live_heavier(P, now, i);
}

LIVE lanes live_bend_give(const fil_live_pack *P, const fil_live_now *now, int i)
{
    return now->form == FIL_LIVE_PBD ? all(0) : live_give(P, now, i) / all(now->h * now->h);
}

// Of single bends.
LIVE void live_set_gains(const fil_live_pack *P, const fil_live_now *now)
{
    for (int i = 1; i + 1 < P->n; ++i) {
        lanes whole = live_yield(P, i) + live_bend_give(P, now, i);
        mask is_bend = (load(P->inverse, i) > all(0)) & (whole > all(0));
        lanes part = now->form == FIL_LIVE_PBD ? all(now->stiffness) : all(1);
        store(P->gain, 3 * i, choose(is_bend, part / choose(is_bend, whole, all(1)), all(0)));
    }
}

// Of all bends: B = L D Lᵀ. gain: 1 / D, and the two numbers below it in L.
LIVE void live_factor_bends(const fil_live_pack *P, const fil_live_now *now)
{
    lanes first = all(0), second = all(0), older = all(0); // L of the rows before: next to the diagonal, two away
    lanes pivot = all(0), pivot_before = all(0);
    for (int i = 1; i + 1 < P->n; ++i) {
        lanes a = load(P->inverse, i - 1), b = load(P->inverse, i), c = load(P->inverse, i + 1);
        mask is_bend = b > all(0), has_next = c > all(0);
        lanes w = load(P->weight, i), next = load(P->weight, i + 1);
        lanes near = choose(has_next, -b * (w * (a + b) + next * (b + c)), all(0)), far = next * b * c;
        lanes whole = live_yield(P, i) + live_bend_give(P, now, i);
        whole -= first * first * pivot + older * older * pivot_before;
        near -= first * second * pivot;
        // A pivot that rounding has eaten: the bend stays as it is.
        mask good = is_bend & (whole > all(1e-6f) * live_yield(P, i));
        pivot_before = pivot;
        pivot = choose(good, whole, all(0));
        lanes inverse = choose(good, all(1) / choose(good, whole, all(1)), all(0));
        older = second;
        first = near * inverse;
        second = far * inverse;
        store(P->gain, 3 * i, inverse);
        store(P->gain, 3 * i + 1, first);
        store(P->gain, 3 * i + 2, second);
    }
}

// The three vertices of a bend with their weights, and 1 / length of the edges between them. Two of the vertices belong
// to the next bend, too: who goes along a strand keeps them in registers, or each bend would wait for the memory that
// the one before has written.
typedef struct live_trio {
    three before, here, behind;
    lanes weight_before, weight, weight_behind, a, b;
} live_trio;

// To the bend at vertex i, from the one before.
LIVE void live_go_on(const fil_live_pack *P, live_trio *T, int i)
{
    T->before = T->here;
    T->here = T->behind;
    T->behind = load3(P->p, i + 1);
    T->weight_before = T->weight;
    T->weight = T->weight_behind;
    T->weight_behind = load(P->weight, i + 1);
    T->a = T->b;
    T->b = load(P->inverse, i);
}

// Before the bend at vertex i.
LIVE live_trio live_begin_bends(const fil_live_pack *P, int i)
{
    live_trio T;
    T.here = load3(P->p, i - 1);
    T.behind = load3(P->p, i);
    T.weight = load(P->weight, i - 1);
    T.weight_behind = load(P->weight, i);
    T.b = load(P->inverse, i - 1);
    return T;
}

LIVE void live_push(live_trio *T, three l)
{
    T->before = plus3(T->before, T->weight_before * T->a, l);
    T->here = minus3(T->here, times3(T->weight * (T->a + T->b), l));
    T->behind = plus3(T->behind, T->weight_behind * T->b, l);
}

LIVE void live_push_bend(const fil_live_pack *P, int i, three l)
{
    live_trio T = live_begin_bends(P, i);
    live_go_on(P, &T, i);
    live_push(&T, l);
    store3(P->p, i - 1, T.before);
    store3(P->p, i, T.here);
    store3(P->p, i + 1, T.behind);
}

// What acts at a bend, as an acceleration.
LIVE three live_force_of(const fil_live_pack *P, int i)
{
    three out = {load(P->force, 4 * i), load(P->force, 4 * i + 1), load(P->force, 4 * i + 2)};
    return out;
}

LIVE void live_set_force(const fil_live_pack *P, int i, three f)
{
    store(P->force, 4 * i, f.x);
    store(P->force, 4 * i + 1, f.y);
    store(P->force, 4 * i + 2, f.z);
}

LIVE void live_add_force(const fil_live_pack *P, const fil_live_now *now, int i, three l)
{
    live_set_force(P, i, plus3(live_force_of(P, i), all(1 / (now->h * now->h)), l));
}

// C
LIVE three live_bend_of(const fil_live_now *now, const live_trio *T, three k)
{
    three C = minus3(times3(T->b, minus3(T->behind, T->here)), times3(T->a, minus3(T->here, T->before)));
    return now->curved ? minus3(C, k) : C;
}

// The bend at vertex i, of a sweep: no other moves vertex i - 1 any more.
LIVE void live_straighten(const fil_live_pack *P, const fil_live_now *now, live_trio *T, int i, three k)
{
    three C = live_bend_of(now, T, k);
    if (now->form != FIL_LIVE_PBD)
        C = plus3(C, live_give(P, now, i), live_force_of(P, i));
    three l = times3(-load(P->gain, 3 * i), C);
    live_push(T, l);
    store3(P->p, i - 1, T->before);
    if (now->form != FIL_LIVE_PBD)
        live_add_force(P, now, i, l);
}

// What the last bend of a sweep has left in registers.
LIVE void live_end_bends(const fil_live_pack *P, const live_trio *T)
{
    store3(P->p, P->n - 2, T->here);
    store3(P->p, P->n - 1, T->behind);
}

// All bends at once.
LIVE void live_straighten_all(const fil_live_pack *P, const fil_live_now *now)
{
    three before = {all(0), all(0), all(0)}, older = before;
    lanes first = all(0), second = all(0), second_before = all(0);
    live_trio T = live_begin_bends(P, 1);
    for (int i = 1; i + 1 < P->n; ++i) {
        live_go_on(P, &T, i);
        three y = plus3(live_bend_of(now, &T, load3(P->bend, i)), live_give(P, now, i), live_force_of(P, i));
        y = plus3(plus3(y, -first, before), -second_before, older);
        first = load(P->gain, 3 * i + 1);
        second_before = second;
        second = load(P->gain, 3 * i + 2);
        older = before;
        before = y;
        store3(P->work, i, y);
    }
    three next = {all(0), all(0), all(0)}, later = next;
    for (int i = P->n - 2; i > 0; --i) {
        three l = times3(-load(P->gain, 3 * i), load3(P->work, i));
        l = plus3(plus3(l, -load(P->gain, 3 * i + 1), next), -load(P->gain, 3 * i + 2), later);
        live_push_bend(P, i, l);
        live_add_force(P, now, i, l);
        later = next;
        next = l;
    }
}

// The first axis d on an edge along s, carried to an edge along t: the least turn that does it.
LIVE three live_carry(three s, three t, three d)
{
    three b = cross3(s, t);
    lanes c = dot3(s, t);
    three bd = cross3(b, d), bbd = cross3(b, bd);
    d = plus3(plus3(d, all(1), bd), all(1) / more_of(all(1) + c, all(1e-4f)), bbd);
    d = plus3(d, -dot3(d, t), t);
    return times3(all(1) / length3(d), d);
}

// The direction of the edge behind vertex i of some positions.
LIVE three live_direction(GLOBAL const float *x, int i)
{
    return unit3(minus3(load3(x, i + 1), load3(x, i)));
}

// k of all vertices, with frames that follow the strand and do not twist, the first one with the root; with `sweep`,
// each bend is taken back as soon as it is known.
LIVE void live_carry_bends(const fil_live_pack *P, const fil_live_now *now, int sweep)
{
    three s = turn3(P->pose, live_direction(P->rest, 0)), d = turn3(P->pose, load3(P->axis, 0));
    live_trio T = live_begin_bends(P, 1);
    for (int i = 1; i + 1 < P->n; ++i) {
        live_go_on(P, &T, i);
        three t = unit3(minus3(T.here, T.before)), own = load3(P->rest_bend, i);
        d = live_carry(s, t, d);
        three k = plus3(plus3(times3(own.x, t), own.y, d), own.z, cross3(t, d));
        if (sweep)
            live_straighten(P, now, &T, i, k);
        else
            store3(P->bend, i, k);
        s = t;
    }
    if (sweep)
        live_end_bends(P, &T);
}

// Sweeps where k is 0.
LIVE void live_straighten_each(const fil_live_pack *P, const fil_live_now *now)
{
    const three none = {all(0), all(0), all(0)};
    for (int sweep = 0; sweep < now->bends; ++sweep) {
        live_trio T = live_begin_bends(P, 1);
        for (int i = 1; i + 1 < P->n; ++i) {
            live_go_on(P, &T, i);
            live_straighten(P, now, &T, i, none);
        }
        live_end_bends(P, &T);
    }
}

// All bends of a round.
LIVE void live_bend(const fil_live_pack *P, const fil_live_now *now)
{
    const int direct = now->form == FIL_LIVE_DIRECT;
    if (!now->curved && !direct) {
        live_straighten_each(P, now);
        return;
    }
    for (int sweep = 0; sweep < now->bends; ++sweep) {
        if (now->curved)
            live_carry_bends(P, now, !direct);
        if (direct)
            live_straighten_all(P, now);
    }
}

// The forces of bends that carry the groom (live_hang.c), in the frames of the edges at the start.
LIVE void live_lift(const fil_live_pack *P, const fil_live_now *now)
{
    three s = turn3(P->pose, live_direction(P->rest, 0)), d = turn3(P->pose, load3(P->axis, 0));
    for (int i = 1; i + 1 < P->n; ++i) {
        three t = live_direction(P->x, i - 1), f = load3(P->lift, i);
        d = live_carry(s, t, d);
        three force = plus3(plus3(times3(f.x, t), f.y, d), f.z, cross3(t, d));
        live_push_bend(P, i, times3(all(now->h * now->h) / live_heavier(P, now, i), force));
        s = t;
    }
}

// Each step begins without forces. (To begin with those of the step before was tried: what they are wrong about then
// adds up from step to step, and stiff strands explode.)
LIVE void live_let_go(const fil_live_pack *P)
{
    for (int i = 0; i < 4 * P->n; ++i)
        store(P->force, i, all(0));
}

// ---- the rest shape

// Edge by edge from the root on: the way from where the frame of the edge before says that a vertex is, shared by the
// two ends of the edge (Han & Harada 2012). Frames are those of the edges as they have become, so a turn of the root
// goes through to the tip.
LIVE void live_shape_locally(const fil_live_pack *P, const fil_live_now *now)
{
    three s = turn3(P->pose, live_direction(P->rest, 0)), d = turn3(P->pose, load3(P->axis, 0));
    for (int i = 1; i + 1 < P->n; ++i) {
        three t = live_direction(P->p, i - 1), k = load3(P->rest_bend, i), p = load3(P->p, i),
              next = load3(P->p, i + 1);
        d = live_carry(s, t, d);
        three to = plus3(plus3(plus3(t, k.x, t), k.y, d), k.z, cross3(t, d));
        three way = minus3(plus3(p, load(P->length, i) / length3(to), to), next);
        lanes w = load(P->weight, i), w_next = load(P->weight, i + 1), both = w + w_next;
        mask counts = (load(P->length, i) > all(0)) & (both > all(0));
        lanes part = choose(counts, all(now->to_edge) / choose(counts, both, all(1)), all(0));
        store3(P->p, i, plus3(p, -part * w, way));
        store3(P->p, i + 1, plus3(next, part * w_next, way));
        s = t;
    }
}

LIVE void live_shape_up(const fil_live_pack *P, const fil_live_now *now)
{
    for (int i = 0; i < P->n; ++i) {
        lanes fade = more_of(all(1) - load(P->along, i) / all(now->to_shape_reach), all(0));
        lanes part = choose(load(P->weight, i) > all(0), all(now->to_shape) * fade, all(0));
        three p = load3(P->p, i);
        store3(P->p, i, plus3(p, part, minus3(place3(P->pose, load3(P->rest, i)), p)));
    }
}

// ---- bodies

// The distance to a shape in its own frame, negative inside; n: the way out.
LIVE lanes live_round(three way, float radius, three *n)
{
    lanes length = length3(way);
    *n = times3(all(1) / length, way);
    return length - all(radius);
}

// Sides at right angles: how far one is past them, and the directions out of them.
LIVE lanes live_cornered(lanes bx, lanes by, lanes bz, three nx, three ny, three nz, three *n)
{
    three none = {all(0), all(0), all(0)};
    lanes ox = more_of(bx, all(0)), oy = more_of(by, all(0)), oz = more_of(bz, all(0));
    three out = plus3(plus3(plus3(none, ox, nx), oy, ny), oz, nz);
    lanes far = length3(out), most = more_of(bx, more_of(by, bz));
    three in = choose3(bx >= most, nx, choose3(by >= most, ny, nz));
    *n = choose3(most > all(0), times3(all(1) / far, out), in);
    return choose(most > all(0), far, most);
}

LIVE lanes live_distance(GLOBAL const fil_live_shape *shape, three y, three *n)
{
    const lanes zero = all(0), one = all(1);
    three up = {zero, one, zero};
    lanes half_height = all(0.5f * shape->size[1]);
    switch (shape->kind) {
    case 0: // plane
        *n = up;
        return y.y;
    case 2: { // capsule
        three way = y;
        way.y -= less_of(more_of(y.y, -half_height), half_height);
        return live_round(way, shape->size[0], n);
    }
    case 3: { // cylinder
        three across = {y.x, zero, y.z};
        lanes far = length3(across);
        three side = times3(one / far, across), end = {zero, choose(y.y < zero, -one, one), zero};
        return live_cornered(far - all(shape->size[0]), y.y * end.y - half_height, all(-1e30f), side, end, end, n);
    }
    case 4: { // box
        three nx = {choose(y.x < zero, -one, one), zero, zero}, ny = {zero, choose(y.y < zero, -one, one), zero};
        three nz = {zero, zero, choose(y.z < zero, -one, one)};
        return live_cornered(y.x * nx.x - all(shape->size[0]), y.y * ny.y - all(shape->size[1]),
                             y.z * nz.z - all(shape->size[2]), nx, ny, nz, n);
    }
    default: // sphere
        return live_round(y, shape->size[0], n);
    }
}

LIVE three live_shape_turn(GLOBAL const float *R, three y)
{
    three out = {all(R[0]) * y.x + all(R[1]) * y.y + all(R[2]) * y.z,
                 all(R[3]) * y.x + all(R[4]) * y.y + all(R[5]) * y.z,
                 all(R[6]) * y.x + all(R[7]) * y.y + all(R[8]) * y.z};
    return out;
}

LIVE three live_shape_ask(GLOBAL const float *R, three p)
{
    three a = {p.x - all(R[9]), p.y - all(R[10]), p.z - all(R[11])};
    three out = {all(R[0]) * a.x + all(R[3]) * a.y + all(R[6]) * a.z,
                 all(R[1]) * a.x + all(R[4]) * a.y + all(R[7]) * a.z,
                 all(R[2]) * a.x + all(R[5]) * a.y + all(R[8]) * a.z};
    return out;
}

// Moves a vertex that is inside out, and takes back of the way along the surface what Coulomb's law says: as much as
// friction times the way out, or all of it. In the lanes of `which`.
LIVE void live_leave(const fil_live_pack *P, GLOBAL const fil_live_shape *shape, int i, mask which)
{
    three p = load3(P->p, i), n, y = live_shape_ask(shape->to, p);
    lanes depth = load(P->radius, i) - live_distance(shape, y, &n);
    if (!any_of(which & (depth > all(0))))
        return;
    depth = more_of(depth, all(0));
    // Where this place of the body was at the start.
    three from = live_shape_turn(shape->from, y);
    from.x += all(shape->from[9]);
    from.y += all(shape->from[10]);
    from.z += all(shape->from[11]);
    n = live_shape_turn(shape->to, n);
    three out = plus3(p, depth, n);
    three slide = minus3(from, load3(P->x, i)); // of the vertex along the body: at the end they are in one place
    slide = plus3(slide, -dot3(slide, n), n);
    lanes part = less_of(all(shape->friction) * depth / length3(slide), all(1));
    store3(P->p, i, choose3(which, plus3(out, -part, slide), p));
}

// Strands of `which` out of all bodies: what a strand does must not depend on who shares its pack.
LIVE void live_collide(const fil_live_pack *P, const fil_live_now *now, GLOBAL const fil_live_shape *shapes, mask which)
{
    for (int s = 0; s < now->shapes; ++s)
        for (int i = 0; i < P->n; ++i) {
            mask moves = which & (load(P->weight, i) > all(0));
            if (any_of(moves))
                live_leave(P, &shapes[s], i, moves);
        }
}

// ---- lengths by the leader: each vertex to where its edge has its length, in the lanes of `which`

LIVE void live_follow_leader(const fil_live_pack *P, mask which)
{
    for (int i = 0; i + 1 < P->n; ++i) {
        three p = load3(P->p, i), next = load3(P->p, i + 1), e = minus3(next, p);
        mask moves = which & (load(P->length, i) > all(0)) & (load(P->weight, i + 1) > all(0));
        store3(P->p, i + 1, choose3(moves, plus3(p, load(P->length, i) / length3(e), e), next));
    }
}

// The largest | |e| / length - 1 | of the edges that can move.
LIVE lanes live_stretch(const fil_live_pack *P)
{
    lanes most = all(0);
    for (int i = 0; i + 1 < P->n; ++i) {
        lanes off = length3(minus3(load3(P->p, i + 1), load3(P->p, i))) * load(P->inverse, i) - all(1);
        mask counts = (load(P->length, i) > all(0)) & (load(P->weight, i) + load(P->weight, i + 1) > all(0));
        most = choose(counts, more_of(most, more_of(off, -off)), most);
    }
    return most;
}
