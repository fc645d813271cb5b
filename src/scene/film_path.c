// Values over time: keys of tracks and paths into the arrays that the simulation reads.
#include "scene/film_parse.h"

#include <string.h>

static fil_status check_time(fil_film_reader *reader, const fil_film_place *list, int index, double before, double time)
{
    if (index == 0 || time > before)
        return FIL_OK;
    fil_film_place item = fil_film_place_item(list, index), key = fil_film_place_key(&item, "time");
    return fil_film_place_fail(reader, &key, "must be later than the key before, at %.9g s (got %.9g)", before, time);
}

static fil_status make_track(fil_film_reader *reader, int count, int width, int blend, double **time, double **value,
                             fil_track *out)
{
    *time = FIL_ARENA_ARRAY(reader->arena, double, count);
    *value = FIL_ARENA_ARRAY(reader->arena, double, (size_t)count *(size_t)width);
    *out = (fil_track){.key_count = count, .time = *time, .value = *value, .blend = (fil_blend)blend};
    return *time && *value ? FIL_OK : FIL_NO_MEMORY;
}

fil_status fil_film_path_timed(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key,
                               fil_film_timed *out)
{
    fil_film_track track = {0};
    fil_status status = fil_film_parse_object(reader, place, &fil_film_table_track, NULL, &track);
    double *time = NULL, *value = NULL;
    if (status == FIL_OK)
        status = make_track(reader, track.keys.count, 3, track.blend, &time, &value, &out->track);
    fil_film_place list = fil_film_place_key(place, "keys");
    const fil_film_track_key *keys = track.keys.items;
    fil_film_scale scale = fil_film_place_scale(reader, key->unit);
    for (int i = 0; status == FIL_OK && i < track.keys.count; ++i) {
        status = check_time(reader, &list, i, i > 0 ? time[i - 1] : 0, keys[i].time);
        time[i] = keys[i].time;
        for (int k = 0; k < 3; ++k) {
            value[3 * (ptrdiff_t)i + k] = keys[i].value[k] * scale.factor;
            if (status == FIL_OK &&
                !(value[3 * (ptrdiff_t)i + k] >= key->min && value[3 * (ptrdiff_t)i + k] <= key->max)) {
                fil_film_place item = fil_film_place_item(&list, i), inner = fil_film_place_key(&item, "value");
                status = fil_film_value_range(reader, &inner, key, "");
            }
        }
    }
    return status;
}

fil_status fil_film_path_parse(fil_film_reader *reader, fil_film_place *place, fil_path *out)
{
    fil_film_path path = {0};
    fil_status status = fil_film_parse_object(reader, place, &fil_film_table_path, NULL, &path);
    double *time = NULL, *value = NULL;
    memcpy(out->pivot, path.pivot, sizeof out->pivot);
    if (status == FIL_OK)
        status = make_track(reader, path.keys.count, 6, path.blend, &time, &value, &out->track);
    fil_film_place list = fil_film_place_key(place, "keys");
    const fil_film_path_key *keys = path.keys.items;
    for (int i = 0; status == FIL_OK && i < path.keys.count; ++i) {
        status = check_time(reader, &list, i, i > 0 ? time[i - 1] : 0, keys[i].time);
        time[i] = keys[i].time;
        memcpy(value + 6 * (ptrdiff_t)i, keys[i].position, sizeof keys[i].position);
        memcpy(value + 6 * (ptrdiff_t)i + 3, keys[i].turn, sizeof keys[i].turn);
    }
    return status;
}

fil_status fil_film_path_all(fil_film_reader *reader, fil_film_place *place)
{
    if (!json_is_object(place->value))
        return fil_film_place_must(reader, place, "an object {\"name\": path, ...}");
    reader->paths = FIL_ARENA_ARRAY(reader->arena, fil_film_named_path, json_object_size(place->value));
    fil_status status = reader->paths ? FIL_OK : FIL_NO_MEMORY;
    const char *name;
    json_t *value;
    json_object_foreach(place->value, name, value)
    {
        fil_film_place inner = fil_film_place_key(place, name);
        fil_film_named_path *path = reader->paths + reader->path_count;
        if (status == FIL_OK)
            status = fil_film_path_parse(reader, &inner, &path->path);
        if (status == FIL_OK) {
            path->name = fil_film_parse_copy(reader, name);
            status = path->name ? FIL_OK : FIL_NO_MEMORY;
            ++reader->path_count;
        }
    }
    return status;
}
