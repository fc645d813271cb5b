// Compiles what a scene says about touching: settings, obstacles, rules, and all strands as detection wants them.
#include "step/model.h"

#include "base/hash.h"
#include "base/settings.h"
#include "contact/contact.h"
#include "math/quat.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const fil_field fil_contacts_fields[] = {
    {"method", FIL_KIND_CHOICE, offsetof(fil_contacts, method), FIL_CONTACTS_ADONIS, 0, 2, "", "linear|adonis|impulse",
     "strands linearised once; again where that was not good enough; local impulses in a quasi-Newton method"},
    {"tolerance", FIL_KIND_REAL, offsetof(fil_contacts, tolerance), 1e-6, 1e-14, 1, "", NULL,
     "natural residual of every solve"},
    {"still", FIL_KIND_REAL, offsetof(fil_contacts, still), 0, 0, 1e6, "m/s", NULL,
     "impulse also ends when an iteration changes velocities by no more, in the mean; 0: it does not"},
    {"max_iterations", FIL_KIND_INT, offsetof(fil_contacts, max_iterations), 50, 1, 100000, "", NULL,
     "linearisations of a step, or iterations of impulse, at most"},
    {"skin", FIL_KIND_REAL, offsetof(fil_contacts, skin), 0.5, 0, 100, "", NULL,
     "contacts are closed below this gap, in radii"},
    {"ease", FIL_KIND_REAL, offsetof(fil_contacts, ease), 0.05, 0, 1e6, "s", NULL,
     "what is inside a body is moved out in about this time"},
    {"halvings", FIL_KIND_INT, offsetof(fil_contacts, halvings), 6, 0, 20, "", NULL,
     "how often a step in trouble may be halved; 0: steps keep their size"},
    {"stretch", FIL_KIND_REAL, offsetof(fil_contacts, stretch), 0.1, 1e-6, 1e6, "", NULL,
     "edges stretched by more than this part are trouble"},
};
const int fil_contacts_field_count = sizeof fil_contacts_fields / sizeof *fil_contacts_fields;

fil_contacts fil_contacts_default(void)
{
    fil_contacts contacts;
    fil_settings_defaults(fil_contacts_fields, fil_contacts_field_count, &contacts);
    contacts.solver = "auto";
    contacts.local = fil_contact_def_default().local;
    return contacts;
}

fil_obstacle fil_obstacle_default(void)
{
    return (fil_obstacle){.name = "", .size = {0.1, 0.2, 0.1}, .place = fil_pose_default(), .friction = -1};
}

static fil_status copy_text(fil_arena *arena, const char **text)
{
    size_t size = strlen(*text) + 1;
    char *copy = FIL_ARENA_ARRAY(arena, char, size);
    if (copy)
        *text = memcpy(copy, *text, size);
    return copy ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status copy_settings(fil_context *context, fil_arena *arena, const fil_contacts *from, fil_contacts *to)
{
    fil_status status =
        fil_model_check_fields(context, fil_contacts_fields, fil_contacts_field_count, "contacts.", from);
    if (status != FIL_OK)
        return status;
    fil_contact_def def = fil_contact_def_default();
    def.solver = from->solver;
    def.local = from->local;
    status = fil_contact_check_def(context, &def);
    if (status != FIL_OK)
        return status;
    *to = *from;
    status = copy_text(arena, &to->solver);
    return status == FIL_OK ? copy_text(arena, &to->local) : status;
}

static fil_status copy_touches(fil_context *context, const fil_scene *scene, fil_model *model)
{
    model->contacts.touch = FIL_ARENA_ARRAY(model->arena, fil_touch, (size_t)scene->group_count + 1);
    if (!model->contacts.touch)
        return FIL_NO_MEMORY;
    for (int g = 0; g < scene->group_count; ++g) {
        char place[64];
        snprintf(place, sizeof place, "groups[%d]: touch.", g);
        fil_status status =
            fil_model_check_fields(context, fil_touch_fields, fil_touch_field_count, place, &scene->groups[g].touch);
        if (status != FIL_OK)
            return status;
        model->contacts.touch[g] = scene->groups[g].touch;
    }
    return FIL_OK;
}

// ---- obstacles

static bool is_pose(const fil_pose *pose)
{
    double size = fil_quat_norm(pose->rotation);
    return isfinite(pose->position[0]) && isfinite(pose->position[1]) && isfinite(pose->position[2]) &&
           isfinite(size) && size > 0;
}

static fil_status copy_obstacle(fil_context *context, fil_arena *arena, const fil_obstacle *from, const char *place,
                                fil_model_obstacle *to)
{
    *to = (fil_model_obstacle){.place = from->place, .friction = from->friction, .restitution = from->restitution};
    if (!is_pose(&from->place))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: place: must be a finite pose", place);
    if (!(from->friction <= 1e3))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: friction: must be at most 1000 (got %g)", place,
                                from->friction);
    if (!(from->restitution >= 0 && from->restitution <= 1))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: restitution: must be from 0 to 1 (got %g)", place,
                                from->restitution);
    fil_quat_normalise(to->place.rotation);
    char inner[160];
    snprintf(inner, sizeof inner, "%s: path", place);
    fil_status status = fil_control_copy_path(context, arena, &from->path, inner, &to->path);
    return status == FIL_OK ? fil_solid_create(context, arena, from, place, &to->solid) : status;
}

static fil_status copy_obstacles(fil_context *context, const fil_scene *scene, fil_model *model)
{
    fil_model_contacts *contacts = &model->contacts;
    if (scene->obstacle_count < 0 || (scene->obstacle_count > 0 && !scene->obstacles))
        return fil_context_fail(context, FIL_BAD_INPUT, "obstacle_count: must be the number of obstacles (got %d)",
                                scene->obstacle_count);
    contacts->obstacles = FIL_ARENA_ARRAY(model->arena, fil_model_obstacle, (size_t)scene->obstacle_count + 1);
    fil_status status = contacts->obstacles ? FIL_OK : FIL_NO_MEMORY;
    for (; status == FIL_OK && contacts->obstacle_count < scene->obstacle_count; ++contacts->obstacle_count) {
        const fil_obstacle *from = &scene->obstacles[contacts->obstacle_count];
        char place[128];
        int length = snprintf(place, sizeof place, "obstacles[%d]", contacts->obstacle_count);
        if (from->name && *from->name)
            snprintf(place + length, sizeof place - (size_t)length, " (%.80s)", from->name);
        status = copy_obstacle(context, model->arena, from, place, &contacts->obstacles[contacts->obstacle_count]);
    }
    return status;
}

fil_pose fil_model_obstacle_pose(const fil_model_obstacle *obstacle, double time)
{
    if (obstacle->path.track.key_count == 0)
        return obstacle->place;
    fil_pose moved = fil_path_at(&obstacle->path, time), out;
    fil_quat_normalise(moved.rotation);
    fil_quat_rotate(moved.rotation, obstacle->place.position, out.position);
    for (int k = 0; k < 3; ++k)
        out.position[k] += moved.position[k];
    fil_quat_multiply(moved.rotation, obstacle->place.rotation, out.rotation);
    return out;
}

// ---- rules

const fil_touch_rule *fil_model_rule(const fil_model *model, int first, int second)
{
    const fil_model_contacts *contacts = &model->contacts;
    for (int i = contacts->rule_count - 1; i >= 0; --i) {
        const fil_touch_rule *rule = &contacts->rules[i];
        if ((rule->first == first && rule->second == second) || (rule->first == second && rule->second == first))
            return rule;
    }
    return NULL;
}

static fil_status copy_rules(fil_context *context, const fil_scene *scene, fil_model *model)
{
    int things = scene->group_count + scene->obstacle_count;
    fil_model_contacts *contacts = &model->contacts;
    if (scene->rule_count < 0 || (scene->rule_count > 0 && !scene->rules))
        return fil_context_fail(context, FIL_BAD_INPUT, "rule_count: must be the number of rules (got %d)",
                                scene->rule_count);
    contacts->rules = FIL_ARENA_ARRAY(model->arena, fil_touch_rule, (size_t)scene->rule_count + 1);
    if (!contacts->rules)
        return FIL_NO_MEMORY;
    contacts->rule_count = scene->rule_count;
    for (int i = 0; i < scene->rule_count; ++i) {
        fil_touch_rule rule = scene->rules[i];
        if (rule.first < 0 || rule.second < 0 || rule.first >= things || rule.second >= things ||
            (rule.first >= scene->group_count && rule.second >= scene->group_count))
            return fil_context_fail(context, FIL_BAD_INPUT,
                                    "rules[%d]: must be between two groups or a group and an obstacle (got %d and %d)",
                                    i, rule.first, rule.second);
        if (!(rule.friction <= 1e3))
            return fil_context_fail(context, FIL_BAD_INPUT, "rules[%d]: friction: must be at most 1000 (got %g)", i,
                                    rule.friction);
        // The smaller number first.
        contacts->rules[i] = rule;
        contacts->rules[i].first = rule.first < rule.second ? rule.first : rule.second;
        contacts->rules[i].second = rule.first < rule.second ? rule.second : rule.first;
    }
    return FIL_OK;
}

// Groups that rules name are kinds of their own; all others are kind 0.
static fil_status make_kinds(fil_model *model, int **kind_of_group)
{
    fil_model_contacts *contacts = &model->contacts;
    int *kind = FIL_ARENA_ARRAY(model->arena, int, (size_t)model->group_count + 1), kinds = 1;
    *kind_of_group = kind;
    if (!kind)
        return FIL_NO_MEMORY;
    for (int i = 0; i < contacts->rule_count; ++i) {
        const int named[2] = {contacts->rules[i].first, contacts->rules[i].second};
        for (int k = 0; k < 2; ++k)
            if (named[k] < model->group_count && kind[named[k]] == 0)
                kind[named[k]] = kinds++;
    }
    bool *apart = FIL_ARENA_ARRAY(model->arena, bool, (size_t)kinds *(size_t)kinds);
    if (!apart)
        return FIL_NO_MEMORY;
    for (int i = 0; i < contacts->rule_count; ++i) {
        const fil_touch_rule *rule = &contacts->rules[i];
        if (rule->second >= model->group_count)
            continue;
        int a = kind[rule->first], b = kind[rule->second];
        apart[a * kinds + b] = apart[b * kinds + a] = rule->apart != 0;
    }
    contacts->strands.kinds = kinds;
    contacts->strands.apart = apart;
    return FIL_OK;
}

// ---- strands

typedef struct strand_arrays {
    int *first, *strand, *kind;
    double *radius, *arc, *mass;
} strand_arrays;

static void number_group(const fil_model *model, int g, int kind, int first_strand, int *vertex,
                         const strand_arrays *out)
{
    const fil_strands *S = &model->groups[g];
    double radius = model->contacts.touch[g].radius;
    for (int i = 0; i < S->strand_count; ++i) {
        int slot = S->slot[i], strand = first_strand + i;
        int64_t row = S->pack_row[slot / FIL_LANES];
        double arc = 0;
        out->first[strand] = *vertex;
        out->kind[strand] = kind;
        for (int k = 0; k < S->vertices[i]; ++k, ++*vertex) {
            ptrdiff_t at = (row + k) * FIL_LANES + slot % FIL_LANES;
            out->strand[*vertex] = strand;
            out->arc[*vertex] = arc;
            out->radius[*vertex] = radius > 0 ? radius : S->radius[at];
            out->mass[strand] += S->inertia[(row + k) * FIL_LANES * S->type->dofs + slot % FIL_LANES];
            arc += S->edge_length[at];
        }
    }
}

static fil_status number_strands(fil_context *context, fil_model *model, const int *kind_of_group)
{
    fil_model_contacts *contacts = &model->contacts;
    int64_t strands = 0, vertices = 0;
    contacts->first_strand = FIL_ARENA_ARRAY(model->arena, int, (size_t)model->group_count + 1);
    if (!contacts->first_strand)
        return FIL_NO_MEMORY;
    for (int g = 0; g < model->group_count; ++g) {
        // Live strands leave bodies in their own way.
        strands += model->groups[g].live ? 0 : model->groups[g].strand_count;
        vertices += model->groups[g].live ? 0 : model->groups[g].vertex_count;
        contacts->first_strand[g + 1] = (int)strands;
    }
    if (vertices > INT_MAX / 16)
        return fil_context_fail(context, FIL_BAD_INPUT, "contacts: %lld vertices are too many", (long long)vertices);
    strand_arrays arrays = {.first = FIL_ARENA_ARRAY(model->arena, int, strands + 1),
                            .strand = FIL_ARENA_ARRAY(model->arena, int, vertices + 1),
                            .kind = FIL_ARENA_ARRAY(model->arena, int, strands + 1),
                            .radius = FIL_ARENA_ARRAY(model->arena, double, vertices + 1),
                            .arc = FIL_ARENA_ARRAY(model->arena, double, vertices + 1),
                            .mass = FIL_ARENA_ARRAY(model->arena, double, strands + 1)};
    contacts->group = FIL_ARENA_ARRAY(model->arena, int, strands + 1);
    if (!arrays.first || !arrays.strand || !arrays.kind || !arrays.radius || !arrays.arc || !arrays.mass ||
        !contacts->group)
        return FIL_NO_MEMORY;
    int vertex = 0;
    for (int g = 0; g < model->group_count; ++g) {
        if (model->groups[g].live)
            continue;
        number_group(model, g, kind_of_group[g], contacts->first_strand[g], &vertex, &arrays);
        for (int i = contacts->first_strand[g]; i < contacts->first_strand[g + 1]; ++i)
            contacts->group[i] = g;
    }
    arrays.first[strands] = vertex;
    contacts->strands.strand_count = (int)strands;
    contacts->strands.vertex_count = vertex;
    contacts->strands.first = arrays.first;
    contacts->strands.strand = arrays.strand;
    contacts->strands.kind = arrays.kind;
    contacts->strands.radius = arrays.radius;
    for (int i = 0; i < vertex; ++i)
        contacts->thickest = fmax(contacts->thickest, arrays.radius[i]);
    contacts->strands.arc = arrays.arc;
    contacts->mass = arrays.mass;
    return FIL_OK;
}

fil_status fil_model_contacts_build(fil_context *context, const fil_scene *scene, fil_model *model)
{
    if (!scene->contacts)
        return FIL_OK;
    int *kind_of_group = NULL;
    fil_status status = copy_settings(context, model->arena, scene->contacts, &model->contacts.settings);
    if (status == FIL_OK)
        status = copy_touches(context, scene, model);
    if (status == FIL_OK)
        status = copy_obstacles(context, scene, model);
    if (status == FIL_OK)
        status = copy_rules(context, scene, model);
    if (status == FIL_OK)
        status = make_kinds(model, &kind_of_group);
    if (status == FIL_OK)
        status = number_strands(context, model, kind_of_group);
    model->contacts.on = status == FIL_OK;
    return status;
}

static uint64_t hash_fields(uint64_t hash, const fil_field *fields, int count, const void *param)
{
    for (int i = 0; i < count; ++i)
        hash = fil_hash_bytes(hash, (const char *)param + fields[i].offset,
                              fields[i].kind == FIL_KIND_REAL ? sizeof(double) : sizeof(int));
    return hash;
}

uint64_t fil_model_contacts_hash_settings(const fil_model *model, uint64_t hash)
{
    const fil_model_contacts *contacts = &model->contacts;
    if (!contacts->on)
        return hash;
    hash = hash_fields(hash, fil_contacts_fields, fil_contacts_field_count, &contacts->settings);
    hash = fil_hash_bytes(hash, contacts->settings.solver, strlen(contacts->settings.solver));
    return fil_hash_bytes(hash, contacts->settings.local, strlen(contacts->settings.local));
}

uint64_t fil_model_contacts_hash(const fil_model *model, uint64_t hash)
{
    const fil_model_contacts *contacts = &model->contacts;
    if (!contacts->on)
        return hash;
    for (int g = 0; g < model->group_count; ++g)
        hash = hash_fields(hash, fil_touch_fields, fil_touch_field_count, &contacts->touch[g]);
    for (int i = 0; i < contacts->obstacle_count; ++i) {
        const fil_model_obstacle *obstacle = &contacts->obstacles[i];
        hash = fil_hash_bytes(hash, &obstacle->place, sizeof obstacle->place);
        hash = fil_control_hash_path(&obstacle->path, hash);
        hash = fil_hash_bytes(hash, &obstacle->friction, sizeof obstacle->friction);
        hash = fil_hash_bytes(hash, &obstacle->restitution, sizeof obstacle->restitution);
        hash = fil_solid_hash(obstacle->solid, hash);
    }
    for (int i = 0; i < contacts->rule_count; ++i) {
        const fil_touch_rule *rule = &contacts->rules[i];
        const int numbers[3] = {rule->first, rule->second, rule->apart != 0};
        hash = fil_hash_bytes(hash, numbers, sizeof numbers);
        hash = fil_hash_bytes(hash, &rule->friction, sizeof rule->friction);
    }
    return hash;
}
