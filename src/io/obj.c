// Wavefront .obj, line by line: a keyword and its words. `v x y z` is a place; `l` and `f` name places by indices that
// count from 1, or from the latest place backwards when negative. What follows a slash is a texture coordinate or a
// normal and is not read.
#include "io/obj.h"

#include <string.h>

fil_obj fil_obj_open(const fil_curves_input *in)
{
    return (fil_obj){.in = in, .text = fil_curves_text_open(in)};
}

// How many words are left on this line; they are passed.
static int64_t count_words(fil_obj *obj)
{
    char word[FIL_OBJ_WORD];
    int64_t count = 0;
    while (fil_curves_text_word(&obj->text, word, sizeof word))
        ++count;
    return count;
}

bool fil_obj_keyword(fil_obj *obj, char word[FIL_OBJ_WORD])
{
    for (;;) {
        // A continued line ends where its last part ends; a comment is not continued.
        if (obj->within && !obj->comment)
            count_words(obj);
        if (obj->within)
            fil_curves_text_next_line(&obj->text);
        obj->within = obj->text.at < obj->text.end;
        if (!obj->within)
            return false;
        bool any = fil_curves_text_word(&obj->text, word, FIL_OBJ_WORD);
        obj->comment = word[0] == '#';
        if (any)
            return true;
    }
}

fil_obj_counts fil_obj_count(const fil_curves_input *in)
{
    fil_obj obj = fil_obj_open(in);
    fil_obj_counts counts = {0};
    char word[FIL_OBJ_WORD];
    while (fil_obj_keyword(&obj, word)) {
        if (strcmp(word, "v") == 0) {
            ++counts.places;
        } else if (strcmp(word, "l") == 0) {
            ++counts.lines;
            counts.line_indices += count_words(&obj);
        } else if (strcmp(word, "f") == 0) {
            int64_t corners = count_words(&obj);
            ++counts.faces;
            counts.triangles += corners > 2 ? corners - 2 : 0;
        }
    }
    return counts;
}

bool fil_obj_line_ends(fil_obj *obj)
{
    return fil_curves_text_line_ends(&obj->text) || *obj->text.at == '#';
}

fil_status fil_obj_place(fil_obj *obj)
{
    char place[32];
    if (obj->places_seen >= obj->place_count) // both passes see the same lines; this is a second lock on the door
        return fil_curves_bad(obj->in, fil_curves_text_place(&obj->text, place), "`v` was not counted");
    double *x = obj->places + 3 * obj->places_seen++;
    for (int k = 0; k < 3; ++k)
        if (!fil_curves_text_real(&obj->text, &x[k]))
            return fil_curves_bad(obj->in, fil_curves_text_place(&obj->text, place), "`v` needs three numbers");
    return FIL_OK;
}

fil_status fil_obj_index(fil_obj *obj, const char *keyword, int64_t *index)
{
    char place[32];
    int64_t given = 0;
    char rest[FIL_OBJ_WORD];
    bool whole = fil_curves_text_whole(&obj->text, &given);
    const char *end = obj->text.at;
    bool bare = end >= obj->text.end || strchr(" \t\r\n\\", *end);
    if (!whole || (!bare && *end != '/'))
        return fil_curves_bad(obj->in, fil_curves_text_place(&obj->text, place), "`%s` needs whole numbers", keyword);
    if (!bare)
        fil_curves_text_word(&obj->text, rest, sizeof rest);
    *index = given > 0 ? given - 1 : obj->places_seen + given;
    if (given == 0 || *index < 0 || *index >= obj->place_count)
        return fil_curves_bad(obj->in, fil_curves_text_place(&obj->text, place),
                              "the index %lld is out of range (%lld vertices)", (long long)given,
                              (long long)obj->place_count);
    return FIL_OK;
}
