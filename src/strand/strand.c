// The list of strand models, and what strands are made of when nobody says otherwise.
#include "strand/strand.h"

#include "base/settings.h"

#include <string.h>

static const fil_strand_type *const list[] = {
    &fil_strand_der, &fil_strand_lifted, &fil_strand_tridiag, &fil_strand_dftl, &fil_strand_pbd,
};
enum { LIST_SIZE = sizeof list / sizeof *list };

int fil_strand_type_count(void)
{
    return LIST_SIZE;
}

const fil_strand_type *fil_strand_type_at(int index)
{
    return list[index];
}

const fil_strand_type *fil_strand_type_find(const char *name)
{
    for (int i = 0; i < LIST_SIZE; ++i)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

const fil_strand_type *fil_strand_type_of(const char *text)
{
    size_t length = strcspn(text, ":");
    for (int i = 0; i < LIST_SIZE; ++i)
        if (strlen(list[i]->name) == length && strncmp(list[i]->name, text, length) == 0)
            return list[i];
    return NULL;
}

fil_status fil_strand_type_parse(fil_context *context, fil_arena *arena, const char *text, const fil_strand_type **type,
                                 void **param)
{
    fil_settings_owner owners[LIST_SIZE];
    for (int i = 0; i < LIST_SIZE; ++i)
        owners[i] = (fil_settings_owner){list[i]->name, list[i]->fields, list[i]->field_count, list[i]->param_size};
    int index;
    fil_status status =
        fil_settings_choose(context, arena, "strand model", "strand", owners, LIST_SIZE, text, &index, param);
    *type = status == FIL_OK ? list[index] : NULL;
    return status;
}

// Human hair by default.
const fil_field fil_material_fields[] = {
    {"young", FIL_KIND_REAL, offsetof(fil_material, young), 4e9, 1e-6, 1e15, "Pa", NULL, "Young's modulus"},
    {"poisson", FIL_KIND_REAL, offsetof(fil_material, poisson), 0.36, -0.99, 10, "", NULL,
     "Poisson's ratio; the shear modulus is young / (2 (1 + poisson)), larger values make twisting softer"},
    {"density", FIL_KIND_REAL, offsetof(fil_material, density), 1320, 1e-6, 1e9, "kg/m³", NULL, "mass per volume"},
    {"radius", FIL_KIND_REAL, offsetof(fil_material, radius), 35e-6, 1e-9, 1e3, "m", NULL,
     "half-width along the first axis of the cross-section"},
    {"aspect", FIL_KIND_REAL, offsetof(fil_material, aspect), 1, 1e-4, 1e4, "", NULL,
     "second half-width over the first; 1 is a round strand"},
    {"viscosity", FIL_KIND_REAL, offsetof(fil_material, viscosity), 0, 0, 1e15, "Pa s", NULL,
     "inner damping: stress = young × strain + viscosity × strain rate, in stretch, bend and twist alike"},
    {"drag", FIL_KIND_REAL, offsetof(fil_material, drag), 0, 0, 1e6, "kg/(m s)", NULL,
     "air drag per metre of strand: force = -drag × (velocity - wind)"},
    {"damping", FIL_KIND_REAL, offsetof(fil_material, damping), 0, 0, 1e6, "1/s", NULL,
     "force = -damping × mass × velocity"},
    {"stretch_scale", FIL_KIND_REAL, offsetof(fil_material, stretch_scale), 1, 1e-9, 1e9, "", NULL,
     "factor on the stretching stiffness"},
    {"bend_scale", FIL_KIND_REAL, offsetof(fil_material, bend_scale), 1, 0, 1e9, "", NULL,
     "factor on the bending stiffness"},
    {"twist_scale", FIL_KIND_REAL, offsetof(fil_material, twist_scale), 1, 0, 1e9, "", NULL,
     "factor on the twisting stiffness"},
};
const int fil_material_field_count = sizeof fil_material_fields / sizeof *fil_material_fields;

fil_material fil_material_default(void)
{
    fil_material material;
    fil_settings_defaults(fil_material_fields, fil_material_field_count, &material);
    return material;
}

const fil_field fil_touch_fields[] = {
    {"friction", FIL_KIND_REAL, offsetof(fil_touch, friction), 0.3, 0, 1e3, "", NULL,
     "Coulomb's coefficient of strand on strand; of two groups: the geometric mean"},
    {"friction_body", FIL_KIND_REAL, offsetof(fil_touch, friction_body), 0.3, 0, 1e3, "", NULL,
     "the same of strands on bodies that name none of their own"},
    {"across", FIL_KIND_REAL, offsetof(fil_touch, across), 1, 0.01, 100, "", NULL,
     "friction across the strand over friction along it"},
    {"adhesion", FIL_KIND_REAL, offsetof(fil_touch, adhesion), 0, 0, 1e6, "N", NULL,
     "pull of every closed contact; of two groups: the geometric mean"},
    {"restitution", FIL_KIND_REAL, offsetof(fil_touch, restitution), 0, 0, 1, "", NULL,
     "0: no bounce, 1: as fast as it came; of two groups: the smaller"},
    {"radius", FIL_KIND_REAL, offsetof(fil_touch, radius), 0, 0, 1e3, "m", NULL,
     "at which strands touch; 0: their own"},
};
const int fil_touch_field_count = sizeof fil_touch_fields / sizeof *fil_touch_fields;

fil_touch fil_touch_default(void)
{
    fil_touch touch;
    fil_settings_defaults(fil_touch_fields, fil_touch_field_count, &touch);
    return touch;
}

fil_group fil_group_default(void)
{
    return (fil_group){.name = "",
                       .model = "der",
                       .material = fil_material_default(),
                       .root = FIL_END_CLAMPED,
                       .tip = FIL_END_FREE,
                       .touch = fil_touch_default()};
}
