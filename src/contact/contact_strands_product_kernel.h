// The three passes of contact_strands_product.c, written once for both precisions: included there after
// math/lanes_double.h and after math/lanes_float.h.

typedef struct NAME(product_job) {
    const fil_contact_strands *S;
    const REAL *r, *q;
    REAL *u;
} NAME(product_job);

// points = weights × K⁻¹ Σ weights × force
typedef struct NAME(solve_job) {
    const fil_contact_strands *S;
    const REAL *factor; // of K
    const REAL *force;
    REAL *point;
    bool shared; // one force for both sides of a contact; else each has its own
} NAME(solve_job);

// force = Fᵀ r
static void NAME(turn_impulses)(void *data, int64_t begin, int64_t end)
{
    const NAME(product_job) *job = data;
    for (int64_t block = begin; block < end; ++block)
        for (int lane = 0; lane < LANES; lane += WIDTH) {
            const REAL *F = job->S->NAME(numbers).frame + 3 * BLOCK * block + lane, *r = job->r + BLOCK * block + lane;
            VECTOR normal = V(load)(r), first = V(load)(r + LANES), second = V(load)(r + 2 * LANES), force[3];
            for (int k = 0; k < 3; ++k, F += 3 * LANES) {
                VECTOR sum = V(load)(F) * normal;
                sum = V(fma)(V(load)(F + LANES), first, sum);
                force[k] = V(fma)(V(load)(F + 2 * LANES), second, sum);
            }
            V(store_points)(job->S->NAME(numbers).force + 4 * (LANES * block + lane), force);
        }
}

// u = F (first point + second point) + q
static void NAME(turn_points)(void *data, int64_t begin, int64_t end)
{
    const NAME(product_job) *job = data;
    const int64_t second = 4 * LANES * (int64_t)job->S->blocks;
    for (int64_t block = begin; block < end; ++block)
        for (int lane = 0; lane < LANES; lane += WIDTH) {
            const REAL *F = job->S->NAME(numbers).frame + 3 * BLOCK * block + lane, *q = job->q + BLOCK * block + lane;
            const REAL *point = job->S->NAME(numbers).point + 4 * (LANES * block + lane);
            VECTOR x[3], other[3];
            V(load_points)(point, x);
            V(load_points)(point + second, other);
            for (int k = 0; k < 3; ++k)
                x[k] += other[k];
            for (int k = 0; k < 3; ++k, F += LANES) {
                VECTOR sum = V(fma)(V(load)(F), x[0], V(load)(q + LANES * k));
                sum = V(fma)(V(load)(F + 3 * LANES), x[1], sum);
                V(store)(job->u + BLOCK * block + lane + LANES * k, V(fma)(V(load)(F + 6 * LANES), x[2], sum));
            }
        }
}

// A part is what one vector holds: a pack, or half of one. Its sides:
static inline const fil_strands_side *NAME(part_sides)(const fil_contact_strands *S, int64_t part, int *begin, int *end)
{
    *begin = S->side_start[part * WIDTH / HALF];
    *end = S->side_start[(part + 1) * WIDTH / HALF];
    return S->side;
}

// Unknowns exist strand by strand for the sides, whose numbers then lie together, and side by side for the solve.
typedef struct NAME(unknowns) {
    int64_t rows; // a multiple of the width of a vector
    REAL *by_strand, *by_row;
} NAME(unknowns);

// How many numbers the longest strands need for both: a task takes that from its stack, 10 kB with 40 vertices.
static int64_t NAME(unknown_count)(const fil_contact_strands *S)
{
    return (2 * (int64_t)S->most_rows + 4 * WIDTH) * WIDTH;
}

// Where the unknowns of a strand begin; room behind them, because sides move four numbers at a time.
static inline REAL *NAME(strand_of)(NAME(unknowns) * x, int lane)
{
    return x->by_strand + (x->rows + WIDTH) * (lane & (WIDTH - 1));
}

static inline void NAME(clear)(NAME(unknowns) * x, int rows, REAL *memory)
{
    x->rows = (rows + WIDTH - 1) / WIDTH * (int64_t)WIDTH;
    x->by_strand = memory;
    x->by_row = memory + (x->rows + WIDTH) * WIDTH;
    memset(x->by_strand, 0, (size_t)(x->rows + WIDTH) * WIDTH * sizeof(REAL));
}

static inline QUAD NAME(load_quad)(const REAL *p)
{
    QUAD quad;
    memcpy(&quad, p, sizeof quad);
    return quad;
}

static inline void NAME(store_quad)(REAL *p, QUAD quad)
{
    memcpy(p, &quad, sizeof quad);
}

// x += what the sides give.
static inline void NAME(add_forces)(const NAME(solve_job) * job, int64_t part, NAME(unknowns) * x)
{
    const fil_contact_strands *S = job->S;
    const int second = 4 * LANES * S->blocks;
    int begin, end;
    const fil_strands_side *side = NAME(part_sides)(S, part, &begin, &end);
    for (int s = begin; s < end; ++s) {
        bool folded = job->shared && side[s].target >= second;
        const REAL *weight = S->NAME(numbers).weight + 2 * (int64_t)s;
        REAL *a = NAME(strand_of)(x, side[s].lane) + side[s].row, *b = a + side[s].apart;
        QUAD force = NAME(load_quad)(job->force + (folded ? side[s].target - second : side[s].target));
        NAME(store_quad)(a, NAME(load_quad)(a) + weight[0] * force);
        NAME(store_quad)(b, NAME(load_quad)(b) + weight[1] * force);
    }
}

static inline void NAME(read_points)(const NAME(solve_job) * job, int64_t part, NAME(unknowns) * x)
{
    const fil_contact_strands *S = job->S;
    int begin, end;
    const fil_strands_side *side = NAME(part_sides)(S, part, &begin, &end);
    for (int s = begin; s < end; ++s) {
        const REAL *weight = S->NAME(numbers).weight + 2 * (int64_t)s;
        const REAL *a = NAME(strand_of)(x, side[s].lane) + side[s].row, *b = a + side[s].apart;
        NAME(store_quad)(job->point + side[s].target, weight[0] * NAME(load_quad)(a) + weight[1] * NAME(load_quad)(b));
    }
}

static inline void NAME(solve_part)(const NAME(solve_job) * job, int64_t part, NAME(unknowns) * x)
{
    const fil_contact_strands *S = job->S;
    int64_t pack = part * WIDTH / LANES, entries = S->rows[pack] * (int64_t)(S->bandwidth[pack] + 1);
    const REAL *factor = job->factor + S->factor_start[pack] + part % (LANES / WIDTH) * WIDTH * entries;
    for (int64_t row = 0; row < x->rows; row += WIDTH)
        V(transpose)(x->by_strand + row, x->rows + WIDTH, x->by_row + WIDTH * row, WIDTH);
    NAME(fil_band_solve)(S->rows[pack], S->bandwidth[pack], factor, x->by_row);
    for (int64_t row = 0; row < x->rows; row += WIDTH)
        V(transpose)(x->by_row + WIDTH * row, WIDTH, x->by_strand + row, x->rows + WIDTH);
}

static void NAME(solve_packs)(void *data, int64_t begin, int64_t end)
{
    const NAME(solve_job) *job = data;
    REAL memory[NAME(unknown_count)(job->S)] __attribute__((aligned(32)));
    NAME(unknowns) x;
    for (int64_t part = begin * LANES / WIDTH; part < end * LANES / WIDTH; ++part) {
        NAME(clear)(&x, job->S->rows[part * WIDTH / LANES], memory);
        NAME(add_forces)(job, part, &x);
        NAME(solve_part)(job, part, &x);
        NAME(read_points)(job, part, &x);
    }
}

// With the factors of A and one force for both sides.
static NAME(solve_job) NAME(plain_job)(const fil_contact_strands *S)
{
    return (NAME(solve_job)){.S = S,
                             .factor = S->NAME(numbers).factor,
                             .force = S->NAME(numbers).force,
                             .point = S->NAME(numbers).point,
                             .shared = true};
}

// NOLINTNEXTLINE(readability-non-const-parameter): the blocks write u through the job
void NAME(fil_contact_strands_product)(const fil_contact_strands *strands, const REAL *r, const REAL *q, REAL *u)
{
    NAME(product_job) job = {.S = strands, .r = r, .q = q, .u = u};
    NAME(solve_job) solve = NAME(plain_job)(strands);
    fil_parallel_for(strands->context, strands->blocks, block_grain, NAME(turn_impulses), &job);
    fil_parallel_for(strands->context, strands->busy_packs, pack_grain, NAME(solve_packs), &solve);
    fil_parallel_for(strands->context, strands->blocks, block_grain, NAME(turn_points), &job);
}
