/*
 * CUPTI, and with it Nsight Systems, PyTorch and the capture library, writes
 *   void at::native::(anonymous namespace)::f<true, (type_t)0, g(T const&)::{lambda()#3}, 2ul>(int)
 * where Nsight Compute 2025.3 writes
 *   void at::<unnamed>::f<1, 0, g(const T &)::[lambda() (instance 3)], 2>(T1)
 */
#include "ingest/kernel_name.h"

#include "base/ct_types.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define WORD DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

static bool is_word(const char *at) {
    return *at && strchr(WORD, *at);
}

/* The length of "(type)" before a value, and of a namespace without a name. */
static size_t nothing(const char *at) {
    static const char *const unnamed[] = {"(anonymous namespace)", "<unnamed>"};
    for (size_t i = 0; i < CT_COUNT_OF(unnamed); i++)
        if (strncmp(at, unnamed[i], strlen(unnamed[i])) == 0)
            return strlen(unnamed[i]);
    size_t end = *at == '(' ? 1 + strspn(at + 1, WORD ": ") : 0;
    bool cast = end > 1 && at[end] == ')' && (is_word(at + end + 1) || at[end + 1] == '-');
    return cast ? end + 1 : 0;
}

/* A word as it counts, with its length; of length 0: not at all. */
static const char *word(const char *at, size_t length, size_t *counts) {
    static const struct {
        const char *from, *to;
    } other[] = {{"true", "1"}, {"false", "0"}, {"void", ""}, {"const", ""}, {"instance", ""}};
    size_t digits = strspn(at, DIGITS);
    *counts = strncmp(at + length, "::", 2) == 0 ? 0 : digits ? digits : length;
    for (size_t i = 0; i < CT_COUNT_OF(other); i++)
        if (length == strlen(other[i].from) && strncmp(at, other[i].from, length) == 0) {
            *counts = strlen(other[i].to);
            return other[i].to;
        }
    return at;
}

/* Each word is behind a character that is none, so that the core is no longer than the name. */
char *kernel_name_core(const char *name) {
    char *core = calloc(strlen(name) + 2, 1);
    size_t used = 0, length = 0;
    int depth = 0;
    for (const char *at = name; core && *at; at += length) {
        length = nothing(at);
        if (length)
            continue;
        if (*at == '(' && depth <= 0)
            break;
        depth += (*at == '<') - (*at == '>');
        length = strspn(at, WORD);
        size_t counts = 0;
        const char *text = word(at, length, &counts);
        memcpy(core + used, text, counts);
        used += counts;
        if (counts)
            core[used++] = ' ';
        length += length == 0;
    }
    return core;
}
