/* By what runs and points of a sweep are told apart, in few words. */
#ifndef RESULT_APART_H
#define RESULT_APART_H

#include "results/result_given.h"

/* The last step of a key of the workload in words, behind the application that it is about where
 * the report has another one that could be meant: "rate per s", "bert rate per s", "gpu". NULL when
 * memory ran out. */
const char *result_key_words(const struct report *report, const char *key, struct ct_arena *arena);

struct result_named {
    const struct report *report;
    const char
        *name; /* what it is called so far: of runs of other names it is told apart already */
    struct result_given given;
};

/*
 * For each run the settings that not all runs of its name have, "bert.rate_per_s=80, gpu=h200"; ""
 * where there are none. False when memory ran out.
 */
bool result_settings_apart(const struct result_named *runs, size_t count, struct ct_arena *arena,
                           const char **texts);

#endif
