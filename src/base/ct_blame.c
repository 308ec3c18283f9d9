#include "base/ct_blame.h"

#define WORDS(name, ...) [CT_BLAME_##name] = {__VA_ARGS__},

const struct ct_blame_words ct_blame_words[CT_BLAME_COUNT] = {CT_BLAME_ALL(WORDS)};
