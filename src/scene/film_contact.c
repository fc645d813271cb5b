// The contacts of a scene: solvers are looked up, names in rules become numbers.
#include "scene/film_contact.h"

#include "base/settings.h"
#include "contact/contact.h"
#include "step/model.h"

#include <string.h>

// ---- tables

static const fil_field rule_fields[] = {
    {"apart", FIL_KIND_BOOL, offsetof(fil_film_rule, apart), 0, 0, 1, "", NULL, "they do not feel each other"},
    {"friction", FIL_KIND_REAL, offsetof(fil_film_rule, friction), -1, 0, 1e3, "", NULL,
     "Coulomb's coefficient between them; absent: what they say"},
};
static const int rule_field_count = sizeof rule_fields / sizeof *rule_fields;
static const fil_film_key rule_keys[] = {
    {.name = "between",
     .form = FIL_FILM_PAIR,
     .offset = offsetof(fil_film_rule, between),
     .doc = "names of two groups, or of a group and a body; one group alone: its strands among themselves"},
};
static const fil_film_object rule = {.name = "rule",
                                     .doc = "An exception for two things that touch",
                                     .fields = rule_fields,
                                     .field_count = &rule_field_count,
                                     .keys = rule_keys,
                                     .key_count = sizeof rule_keys / sizeof *rule_keys,
                                     .size = sizeof(fil_film_rule),
                                     .required = "between"};

static const fil_film_key contact_keys[] = {
    {.name = "solver",
     .form = FIL_FILM_TEXT,
     .offset = offsetof(fil_film_contact, contacts.solver),
     .def = "\"auto\"",
     .doc = "one of `filum info contact`, settings behind a colon: \"gs:relaxation=1.3\"; not used by impulse"},
    {.name = "local",
     .form = FIL_FILM_TEXT,
     .offset = offsetof(fil_film_contact, contacts.local),
     .def = "\"root+enum\"",
     .doc = "what solvers use for one contact: one of `filum info local`, or two joined by +; not used by impulse"},
    {.name = "rules",
     .form = FIL_FILM_LIST,
     .offset = offsetof(fil_film_contact, rules),
     .def = "[]",
     .min = 0,
     .max = 1000,
     .object = &rule,
     .doc = "exceptions for two groups, or a group and a body"},
};
_Static_assert(offsetof(fil_film_contact, contacts) == 0, "the plain settings are those of fil_contacts");
const fil_film_object fil_film_contact_table = {.name = "contact",
                                                .doc = "How things that touch are kept apart",
                                                .fields = fil_contacts_fields,
                                                .field_count = &fil_contacts_field_count,
                                                .keys = contact_keys,
                                                .key_count = sizeof contact_keys / sizeof *contact_keys,
                                                .size = sizeof(fil_film_contact)};

// ---- solvers

static fil_status check_solvers(fil_film_reader *reader, const fil_film_place *contact, const fil_contacts *contacts)
{
    fil_contact_def def = fil_contact_def_default();
    def.solver = contacts->solver;
    fil_film_place place = fil_film_place_key(contact, "solver");
    fil_status status = fil_contact_check_def(reader->context, &def);
    if (status == FIL_OK) {
        def = fil_contact_def_default();
        def.local = contacts->local;
        place = fil_film_place_key(contact, "local");
        status = fil_contact_check_def(reader->context, &def);
    }
    return fil_film_place_blame(reader, &place, status);
}

// ---- rules

static fil_status unknown_name(fil_film_reader *reader, const fil_film_place *place, const fil_film_root *root,
                               const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    const fil_film_group *groups = root->groups.items;
    const fil_film_body *bodies = root->bodies.items;
    int known = 0;
    for (int i = 0; i < root->groups.count && known < MOST; ++i)
        names[known++] = groups[i].name;
    for (int i = 0; i < root->bodies.count && known < MOST; ++i)
        names[known++] = bodies[i].name;
    const char *nearest = fil_settings_nearest(name, names, known);
    if (nearest && *nearest)
        return fil_film_place_fail(reader, place, "there is no group or body '%.60s': did you mean '%.60s'?", name,
                                   nearest);
    return fil_film_place_fail(reader, place, "there is no group or body '%.60s'", name);
}

// The number of the group or obstacle of that name: groups first, then solid bodies.
static fil_status find_thing(fil_film_reader *reader, const fil_film_place *place, const fil_film_root *root,
                             const char *name, int *out)
{
    const fil_film_group *groups = root->groups.items;
    const fil_film_body *bodies = root->bodies.items;
    int group = -1, body = -1, obstacles = 0;
    *out = -1;
    for (int i = 0; i < root->groups.count && *name; ++i)
        group = strcmp(groups[i].name, name) == 0 ? i : group;
    for (int i = 0; i < root->bodies.count && *name; ++i) {
        if (strcmp(bodies[i].name, name) == 0) {
            body = i;
            *out = root->groups.count + obstacles;
        }
        obstacles += bodies[i].solid;
    }
    if (group < 0 && body < 0)
        return unknown_name(reader, place, root, name);
    if (group >= 0 && body >= 0)
        return fil_film_place_fail(reader, place, "'%.60s' is the name of a group and of a body", name);
    if (body >= 0 && !bodies[body].solid)
        return fil_film_place_fail(reader, place, "strands do not feel the body '%.60s': it is not solid", name);
    *out = group >= 0 ? group : *out;
    return FIL_OK;
}

static fil_status check_rule(fil_film_reader *reader, const fil_film_place *list, const fil_touch_rule *rules,
                             int index, int group_count)
{
    fil_film_place item = fil_film_place_item(list, index), place = fil_film_place_key(&item, "between");
    const fil_touch_rule *own = &rules[index];
    if (own->first >= group_count && own->second >= group_count)
        return fil_film_place_fail(reader, &place, "bodies do not touch each other: one of the two must be a group");
    for (int i = 0; i < index; ++i)
        if ((rules[i].first == own->first && rules[i].second == own->second) ||
            (rules[i].first == own->second && rules[i].second == own->first))
            return fil_film_place_fail(reader, &place, "rules[%d] is about the same two", i);
    return FIL_OK;
}

static fil_status make_rules(fil_film_reader *reader, const fil_film_place *contact, const fil_film_root *root,
                             fil_scene *out)
{
    const fil_film_items *rules = &root->contact->rules;
    fil_touch_rule *made = FIL_ARENA_ARRAY(reader->arena, fil_touch_rule, rules->count);
    fil_status status = made ? FIL_OK : FIL_NO_MEMORY;
    fil_film_place list = fil_film_place_key(contact, "rules");
    for (int i = 0; status == FIL_OK && i < rules->count; ++i) {
        const fil_film_rule *from = (const fil_film_rule *)rules->items + i;
        fil_film_place item = fil_film_place_item(&list, i), place = fil_film_place_key(&item, "between");
        made[i] = (fil_touch_rule){.apart = from->apart, .friction = from->friction};
        status = find_thing(reader, &place, root, from->between[0], &made[i].first);
        if (status == FIL_OK)
            status = find_thing(reader, &place, root, from->between[1], &made[i].second);
        if (status == FIL_OK)
            status = check_rule(reader, &list, made, i, root->groups.count);
    }
    out->rules = made;
    out->rule_count = rules->count;
    return status;
}

fil_status fil_film_contact_make(fil_film_reader *reader, const fil_film_place *place, const fil_film_root *root,
                                 fil_scene *out)
{
    if (!root->contact)
        return FIL_OK;
    fil_film_place contact = fil_film_place_key(place, "contact");
    out->contacts = &root->contact->contacts;
    fil_status status = check_solvers(reader, &contact, &root->contact->contacts);
    return status == FIL_OK ? make_rules(reader, &contact, root, out) : status;
}
