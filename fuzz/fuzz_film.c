// Any bytes whatsoever as a scene and, behind a zero, an override: refused with a sentence, or a film whose text gives
// the same film again, and which can be compiled or is refused with a sentence then.
//
//     make fuzz && build/fuzz/fuzz/fuzz_film -max_total_time=60 fuzz/corpus/film
#include "filum/filum.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Large grooms take time and show nothing new.
static void *allocate(void *user, size_t size)
{
    (void)user;
    return size < 1 << 21 ? malloc(size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static void check_failure(const fil_context *context, fil_status status)
{
    if (status != FIL_OK && !fil_context_error(context)[0])
        abort();
}

static void check_film(fil_context *context, const fil_film *film)
{
    fil_film *again;
    fil_model *model;
    fil_status status = fil_film_parse(context, "again", "/", film->text, strlen(film->text), NULL, 0, &again);
    if (status != FIL_NO_MEMORY && (status != FIL_OK || strcmp(film->text, again->text) != 0))
        abort();
    fil_film_destroy(again);
    if (fil_timing_frames(&film->timing) < 0 || fil_timing_steps(&film->timing, NULL) < 1)
        abort();
    check_failure(context, fil_model_create(context, &film->scene, &model));
    fil_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fil_context_def def = fil_context_def_default();
    def.threads = 1;
    def.allocate = allocate;
    def.release = release;
    fil_context *context = fil_context_create(&def);
    fil_film *film;
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size;
    char *set = zero ? strndup((const char *)zero + 1, size - length - 1) : NULL;
    fil_status status = fil_film_parse(context, "fuzz", "/nowhere", (const char *)data, length,
                                       (const char *const *)&set, set ? 1 : 0, &film);
    free(set);
    check_failure(context, status);
    if ((status == FIL_OK) != (film != NULL))
        abort();
    if (film)
        check_film(context, film);
    fil_film_destroy(film);
    fil_context_destroy(context);
    return 0;
}
