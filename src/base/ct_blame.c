#include "base/ct_blame.h"

#include <string.h>

#define WORDS(name, ...) [CT_BLAME_##name] = {__VA_ARGS__},

const struct ct_blame_words ct_blame_words[CT_BLAME_COUNT] = {CT_BLAME_ALL(WORDS)};

int ct_blame_find(const char *key) {
    for (int part = 0; part < CT_BLAME_COUNT; part++)
        if (strcmp(ct_blame_words[part].key, key) == 0)
            return part;
    return -1;
}
