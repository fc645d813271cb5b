// Stanford .ply, as text and in both byte orders. The element `vertex` has x, y, z and perhaps radius, or width or
// thickness (diameters). Where strands begin is told by the first of these that is there:
//
//     a property strand_id (strand, curve_id, curve, hair_id) of a vertex: a strand ends where the number changes
//     an element other than `face` with a list of vertex indices: each list is a strand
//     the comment `points_per_strand N`
//     an element `strand`, `curve` or `hair` without list: as many strands, equally long
//
// Properties that nobody asks for are passed over. The comment `metres_per_unit U`, which filum writes, tells the unit.
#include "io/curves_ply_header.h"

#include <string.h>

enum { X, Y, Z, RADIUS, WIDTH, ID, ROLES };

typedef struct ply {
    const fil_curves_input *in;
    fil_curves_text text; // also walks through binary data
    fil_ply_header header;
    fil_arena *arena;
    int64_t vertices;
    double *column[ROLES];  // [vertices] of the roles that are there
    int64_t lists, indices; // strands as lists
    int *list_count;        // [lists]
    double *index;          // [indices]
    int64_t equal_strands;  // of an element without list; 0: none
} ply;

static int64_t bytes_left(const ply *self)
{
    return self->text.end - self->text.at;
}

static bool read_binary(ply *self, fil_ply_type type, double *out)
{
    int size = fil_ply_size(type);
    if (bytes_left(self) < size)
        return false;
    uint64_t bits = 0;
    for (int k = 0; k < size; ++k) {
        int at = self->header.layout == FIL_PLY_BIG ? k : size - 1 - k;
        bits = bits << 8 | (unsigned char)self->text.at[at];
    }
    self->text.at += size;
    uint32_t word = (uint32_t)bits;
    float single;
    switch (type) {
    case FIL_PLY_I8:
        *out = (int8_t)bits;
        break;
    case FIL_PLY_I16:
        *out = (int16_t)bits;
        break;
    case FIL_PLY_I32:
        *out = (int32_t)word;
        break;
    case FIL_PLY_F32:
        memcpy(&single, &word, sizeof single);
        *out = single;
        break;
    case FIL_PLY_F64:
        memcpy(out, &bits, sizeof *out);
        break;
    default:
        *out = (double)bits;
    }
    return true;
}

static bool read_number(ply *self, fil_ply_type type, double *out)
{
    if (self->header.layout != FIL_PLY_ASCII)
        return read_binary(self, type, out);
    fil_curves_text_spaces(&self->text);
    return fil_curves_text_real(&self->text, out);
}

static fil_status bad_row(const ply *self, const fil_ply_element *element, int64_t row, const char *what)
{
    char place[64];
    snprintf(place, sizeof place, "%s %lld", element->name, (long long)row);
    return fil_curves_bad(self->in, place, "%s", what);
}

// Fewer bytes than this no row can have: a count that the file cannot hold is found before memory is asked for.
static fil_status check_count(const ply *self, const fil_ply_element *element)
{
    int64_t least = 0;
    for (int p = 0; p < element->property_count; ++p) {
        const fil_ply_property *property = &element->property[p];
        bool list = property->count_type != FIL_PLY_NONE;
        least += self->header.layout == FIL_PLY_ASCII ? 1 : fil_ply_size(list ? property->count_type : property->type);
    }
    if (least > 0 && element->count > bytes_left(self) / least)
        return fil_curves_bad(self->in, element->name, "the file is truncated: %lld rows do not fit",
                              (long long)element->count);
    return FIL_OK;
}

// One row. Single numbers go to row[p]; those of lists to `list`, or nowhere. *count: how many.
static fil_status read_row(ply *self, const fil_ply_element *element, int64_t at, double *row, int wanted, double *list,
                           int64_t *count)
{
    for (int p = 0; p < element->property_count; ++p) {
        const fil_ply_property *property = &element->property[p];
        bool is_list = property->count_type != FIL_PLY_NONE;
        double number, value;
        if (!read_number(self, is_list ? property->count_type : property->type, &number))
            return bad_row(self, element, at, "the file is truncated, or a number is expected");
        if (!is_list) {
            row[p] = number;
            continue;
        }
        int least = self->header.layout == FIL_PLY_ASCII ? 1 : fil_ply_size(property->type);
        if (!(number >= 0 && number * least <= (double)bytes_left(self) && number <= INT32_MAX))
            return bad_row(self, element, at, "the file is truncated: a list is longer than what is left");
        for (int64_t k = 0; k < (int64_t)number; ++k) {
            if (!read_number(self, property->type, &value))
                return bad_row(self, element, at, "the file is truncated, or a number is expected");
            if (p == wanted && list)
                list[k] = value;
        }
        if (p == wanted)
            *count = (int64_t)number;
    }
    return FIL_OK;
}

static int role_of(const char *name)
{
    static const struct {
        const char *name;
        int role;
    } roles[] = {
        {"x", X},          {"y", Y},       {"z", Z},         {"radius", RADIUS}, {"width", WIDTH}, {"thickness", WIDTH},
        {"strand_id", ID}, {"strand", ID}, {"curve_id", ID}, {"curve", ID},      {"hair_id", ID}};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; ++i)
        if (strcmp(roles[i].name, name) == 0)
            return roles[i].role;
    return -1;
}

static fil_status read_vertices(ply *self, const fil_ply_element *element)
{
    int place_of[ROLES] = {-1, -1, -1, -1, -1, -1};
    for (int p = 0; p < element->property_count; ++p) {
        int role = role_of(element->property[p].name);
        if (role >= 0 && element->property[p].count_type == FIL_PLY_NONE)
            place_of[role] = p;
    }
    if (place_of[X] < 0 || place_of[Y] < 0 || place_of[Z] < 0)
        return fil_curves_bad(self->in, "vertex", "needs the properties x, y and z");
    self->vertices = element->count;
    for (int r = 0; r < ROLES; ++r)
        if (place_of[r] >= 0 && !(self->column[r] = FIL_ARENA_ARRAY(self->arena, double, element->count)))
            return FIL_NO_MEMORY;
    double row[FIL_PLY_PROPERTIES] = {0};
    for (int64_t i = 0; i < element->count; ++i) {
        int64_t count;
        fil_status status = read_row(self, element, i, row, -1, NULL, &count);
        if (status != FIL_OK)
            return status;
        for (int r = 0; r < ROLES; ++r)
            if (self->column[r])
                self->column[r][i] = row[place_of[r]];
    }
    return FIL_OK;
}

// Twice over the rows: how many numbers there are, then the numbers.
static fil_status read_lists(ply *self, const fil_ply_element *element, int wanted)
{
    fil_curves_text start = self->text;
    double row[FIL_PLY_PROPERTIES];
    self->list_count = FIL_ARENA_ARRAY(self->arena, int, element->count);
    if (!self->list_count)
        return FIL_NO_MEMORY;
    for (int pass = 0; pass < 2; ++pass) {
        self->text = start;
        int64_t total = 0;
        for (int64_t i = 0; i < element->count; ++i) {
            int64_t count = 0;
            fil_status status = read_row(self, element, i, row, wanted, pass == 1 ? self->index + total : NULL, &count);
            if (status != FIL_OK)
                return status;
            self->list_count[i] = (int)count;
            total += count;
        }
        if (pass == 0 && !(self->index = FIL_ARENA_ARRAY(self->arena, double, total)))
            return FIL_NO_MEMORY;
        self->indices = total;
    }
    self->lists = element->count;
    return FIL_OK;
}

static fil_status pass_over(ply *self, const fil_ply_element *element)
{
    double row[FIL_PLY_PROPERTIES];
    int64_t count;
    fil_status status = FIL_OK;
    // Rows without properties take no bytes: there is nothing to pass over.
    for (int64_t i = 0; status == FIL_OK && element->property_count > 0 && i < element->count; ++i)
        status = read_row(self, element, i, row, -1, NULL, &count);
    return status;
}

static int first_list(const fil_ply_element *element)
{
    for (int p = 0; p < element->property_count; ++p)
        if (element->property[p].count_type != FIL_PLY_NONE)
            return p;
    return -1;
}

static fil_status read_elements(ply *self)
{
    fil_status status = FIL_OK;
    for (int e = 0; status == FIL_OK && e < self->header.element_count; ++e) {
        const fil_ply_element *element = &self->header.element[e];
        int list = first_list(element);
        status = check_count(self, element);
        if (status != FIL_OK)
            return status;
        if (strcmp(element->name, "vertex") == 0 && !self->column[X]) {
            status = read_vertices(self, element);
        } else if (list >= 0 && strcmp(element->name, "face") != 0 && !self->list_count) {
            status = read_lists(self, element, list);
        } else {
            if (list < 0 && (strcmp(element->name, "strand") == 0 || strcmp(element->name, "curve") == 0 ||
                             strcmp(element->name, "hair") == 0))
                self->equal_strands = element->count;
            status = pass_over(self, element);
        }
    }
    return status;
}

static void copy_vertex(const ply *self, fil_curves_raw *raw, int64_t to, int64_t from)
{
    for (int k = 0; k < 3; ++k)
        raw->position[3 * to + k] = self->column[k][from];
    if (raw->radius)
        raw->radius[to] = self->column[RADIUS] ? self->column[RADIUS][from] : 0.5 * self->column[WIDTH][from];
}

static fil_status from_lists(const ply *self, fil_curves_raw *raw, bool radius)
{
    fil_status status = fil_curves_raw_begin(self->in, raw, self->lists, self->indices, radius);
    if (status != FIL_OK)
        return status;
    memcpy(raw->vertex_count, self->list_count, sizeof(int) * (size_t)self->lists);
    for (int64_t i = 0; i < self->indices; ++i) {
        double index = self->index[i];
        if (!(index >= 0 && index < (double)self->vertices))
            return fil_curves_bad(self->in, "lists", "the index %g is out of range (%lld vertices)", index,
                                  (long long)self->vertices);
        copy_vertex(self, raw, i, (int64_t)index);
    }
    return FIL_OK;
}

static fil_status from_ids(const ply *self, fil_curves_raw *raw, bool radius)
{
    const double *id = self->column[ID];
    int64_t strands = self->vertices > 0, s = 0;
    for (int64_t i = 1; i < self->vertices; ++i)
        strands += id[i] != id[i - 1];
    fil_status status = fil_curves_raw_begin(self->in, raw, strands, self->vertices, radius);
    for (int64_t i = 0; status == FIL_OK && i < self->vertices; ++i) {
        s += i > 0 && id[i] != id[i - 1];
        ++raw->vertex_count[s];
        copy_vertex(self, raw, i, i);
    }
    return status;
}

static fil_status from_equal(const ply *self, fil_curves_raw *raw, bool radius)
{
    int64_t each = self->header.points_per_strand;
    if (each <= 0 && self->equal_strands > 0)
        each = self->vertices % self->equal_strands == 0 ? self->vertices / self->equal_strands : 0;
    if (each <= 0 || each > INT32_MAX || self->vertices % each != 0)
        return fil_curves_bad(self->in, "header", "%lld vertices cannot be cut into equal strands (%s)",
                              (long long)self->vertices,
                              self->header.points_per_strand ? "points_per_strand" : "element strand");
    fil_status status = fil_curves_raw_begin(self->in, raw, self->vertices / each, self->vertices, radius);
    if (status != FIL_OK)
        return status;
    for (int s = 0; s < raw->strand_count; ++s)
        raw->vertex_count[s] = (int)each;
    for (int64_t i = 0; i < self->vertices; ++i)
        copy_vertex(self, raw, i, i);
    return FIL_OK;
}

fil_status fil_curves_ply_read(const fil_curves_input *in, fil_curves_raw *raw)
{
    ply *self = FIL_ARENA_ARRAY(raw->arena, ply, 1); // the header is large for a stack
    if (!self)
        return FIL_NO_MEMORY;
    *self = (ply){.in = in, .text = fil_curves_text_open(in), .arena = raw->arena};
    fil_status status = fil_ply_header_read(in, &self->text, &self->header);
    if (status == FIL_OK)
        status = read_elements(self);
    if (status != FIL_OK)
        return status;
    if (!self->column[X])
        return fil_curves_bad(in, "header", "no element `vertex`");
    raw->unit = self->header.unit;
    bool radius = self->column[RADIUS] || self->column[WIDTH];
    if (self->column[ID])
        return from_ids(self, raw, radius);
    if (self->lists > 0)
        return from_lists(self, raw, radius);
    if (self->header.points_per_strand || self->equal_strands)
        return from_equal(self, raw, radius);
    return fil_curves_bad(in, "header",
                          "nothing tells where strands begin: a property strand_id, lists of vertex indices, the "
                          "comment points_per_strand or an element strand");
}

fil_status fil_curves_ply_write(const fil_curves_output *out, const fil_curves *curves)
{
    fprintf(out->file, "ply\nformat binary_little_endian 1.0\ncomment written by filum\ncomment metres_per_unit ");
    fil_curves_text_put(out, out->unit);
    fprintf(out->file,
            "\nelement vertex %lld\nproperty float x\nproperty float y\nproperty float z\n%sproperty int strand_id\n"
            "end_header\n",
            (long long)curves->vertex_total, curves->radius ? "property float radius\n" : "");
    int64_t i = 0;
    for (int s = 0; s < curves->strand_count; ++s)
        for (int k = 0; k < curves->vertex_count[s]; ++k, ++i) {
            fil_curves_put_place(out, curves->position + 3 * i);
            if (curves->radius)
                fil_curves_put_f32(out, curves->radius[i] / out->unit);
            fil_curves_put_u32(out, (uint32_t)s);
        }
    return FIL_OK;
}
