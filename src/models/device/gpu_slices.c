#include "models/device/gpu_slices.h"

#include <stdlib.h>
#include <string.h>

/* The number at the text, which ends in `end`; 0: none, or none that is above 0. */
static int64_t number(const char **text, char end) {
    char *rest;
    long long value = strtoll(*text, &rest, 10);
    bool good = rest != *text && (*rest == end || (end == ' ' && *rest == '\0'));
    if (!good || value < 1)
        return 0;
    *text = rest + (*rest != '\0');
    return value;
}

/* One profile; false: it is none. */
static bool read_slice(const char **text, struct gpu_slice *slice) {
    size_t length = strcspn(*text, ": ");
    char *unit;
    if ((*text)[length] != ':' || length >= sizeof slice->name)
        return false;
    memcpy(slice->name, *text, length);
    slice->name[length] = '\0';
    slice->compute = strtoll(slice->name, &unit, 10);
    *text += length + 1;
    slice->sms = number(text, ':');
    slice->memory = slice->sms ? number(text, ' ') : 0;
    return slice->compute >= 1 && *unit == 'g' && slice->memory;
}

static bool is_largest(const struct gpu_slice *slices, size_t count) {
    const struct gpu_slice *last = &slices[count - 1];
    for (size_t i = 0; i < count; i++)
        if (slices[i].compute > last->compute || slices[i].sms > last->sms ||
            slices[i].memory > last->memory)
            return false;
    return true;
}

size_t gpu_slices(const char *mig, int64_t sms, const char *where, struct gpu_slice *slices,
                  struct ct_diags *diags) {
    const char *text = mig ? mig : "";
    size_t count = 0;
    while (*text && count < GPU_SLICES_MOST) {
        const char *at = text;
        if (!read_slice(&text, &slices[count++])) {
            ct_error(diags, where, "'mig': '%.*s' is not NAME:SMS:MEMORY, as in '1g.5gb:14:1'",
                     (int)strcspn(at, " "), at);
            return 0;
        }
    }
    if (count == 0)
        return 0;
    if (*text || !is_largest(slices, count) || slices[count - 1].sms > sms) {
        ct_error(diags, where,
                 "'mig' must have at most %d profiles, the largest one last, with at most the "
                 "GPU's %lld SMs",
                 GPU_SLICES_MOST, (long long)sms);
        return 0;
    }
    return count;
}

uint32_t gpu_slice_starts(const struct gpu_slice *profile, const struct gpu_slice *whole) {
    uint32_t starts = 0;
    if (whole->memory > GPU_SLICES_MOST)
        return 0;
    for (int64_t at = 0; at + profile->memory <= whole->memory; at += profile->memory)
        if (at + profile->compute <= whole->compute)
            starts |= UINT32_C(1) << at;
    return starts;
}

size_t gpu_slice_find(const struct gpu_slice *slices, size_t count, const char *name,
                      size_t length) {
    size_t i = 0;
    while (i < count && (strncmp(name, slices[i].name, length) != 0 ||
                         (slices[i].name[length] != '\0' && slices[i].name[length] != '.')))
        i++;
    return i;
}
