#include "base/ct_diag.h"

#include "base/ct_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Remembers a diagnostic that is not known yet. False when memory ran out. */
static bool diag_learn(struct ct_diags *diags, enum ct_severity severity, const char *where,
                       const char *text, bool *is_new) {
    size_t place = strlen(where) + 1, size = 1 + place + strlen(text), before;
    char *key = malloc(size);
    if (!key)
        return false;
    key[0] = (char)severity;
    memcpy(key + 1, where, place);
    memcpy(key + 1 + place, text, size - 1 - place);
    before = diags->known.items.count;
    bool learnt = ct_intern_add(&diags->known, key, size) != UINT32_MAX;
    *is_new = diags->known.items.count > before;
    free(key);
    return learnt;
}

__attribute__((format(printf, 1, 0))) static char *format_text(const char *format,
                                                               va_list arguments) {
    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, arguments);
        ct_tame(text); /* it may quote a file */
    }
    return text;
}

void ct_diag_add(struct ct_diags *diags, enum ct_severity severity, const char *where,
                 const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    if (severity == CT_ERROR)
        diags->errors++;
    where = where ? where : "";
    bool is_new = false;
    bool learnt = text && diag_learn(diags, severity, where, text, &is_new);
    char *place = is_new ? strdup(where) : NULL;
    if (place)
        ct_tame(place);
    diags->lost |= !learnt || (is_new && !place);
    if (place && ct_vec_push(diags, ((struct ct_diag){severity, place, text})))
        return; /* the diagnostic has both now */
    diags->lost |= is_new;
    free(text);
    free(place);
}

int ct_out_of_memory(struct ct_diags *diags) {
    ct_error(diags, "", "out of memory");
    diags->no_memory = true;
    return CT_DATA;
}

int ct_file_error(struct ct_diags *diags, const char *path, const char *what, int reason) {
    if (reason == ENOMEM)
        return ct_out_of_memory(diags);
    return ct_data_error(diags, *path ? path : "''", "cannot %s: %s", what,
                         strerror(reason ? reason : EIO));
}

void ct_unknown(struct ct_diags *diags, const char *noun, const char *name,
                const char *const *names, size_t count) {
    char hint[CT_HINT_BYTES];
    ct_error(diags, "", "unknown %s '%s'%s", noun, name,
             ct_text_hint_or_all(hint, name, names, count));
}

void ct_diags_add(struct ct_diags *diags, const struct ct_diags *more) {
    for (size_t i = 0; i < more->count; i++)
        ct_diag_add(diags, more->items[i].severity, more->items[i].where, "%s",
                    more->items[i].text);
    diags->lost |= more->lost;
    diags->no_memory |= more->no_memory;
}

void ct_diags_free(struct ct_diags *diags) {
    for (size_t i = 0; i < diags->count; i++) {
        free(diags->items[i].where);
        free(diags->items[i].text);
    }
    ct_vec_free(diags);
    ct_intern_free(&diags->known);
    *diags = (struct ct_diags){.files = diags->files};
}
