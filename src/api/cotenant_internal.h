/* What runs and studies share behind cotenant.h. */
#ifndef COTENANT_INTERNAL_H
#define COTENANT_INTERNAL_H

#include "api/cotenant.h"
#include "base/ct_files.h"
#include "experiment/scenario.h"

#include <stdatomic.h>

struct ct_scenario {
    struct ct_arena arena;
    const char *workload, *text, *policies;
    CT_VEC(const char *) assignments;
    CT_VEC(const struct ct_policy *) own;
    bool trusts_files;       /* shared objects that files name are loaded */
    struct ct_files files;   /* the caller's */
    struct ct_files as_file; /* `text` under the name `workload`, then the caller's */
    struct ct_diags diags;
};

/* Drops the messages of the last check or run. */
void ct_scenario_forget(struct ct_scenario *s);

/* An error: somebody ended it before there was anything to report. */
void ct_scenario_say_ended(struct ct_scenario *s);

/* Whether so many replications may be asked for, CT_REPS_MOST; else an error. */
bool ct_scenario_may_repeat(struct ct_scenario *s, uint32_t reps);

/* Reads everything; `seed` below 0 is the workload's; so many replications are asked for. enum
 * ct_status; close in every case. */
int ct_scenario_open(struct ct_scenario *s, int64_t seed, uint32_t reps, struct scenario *opened);

/* Between who works and the caller, who is told of parts, and may end it. */
struct listener {
    const struct ct_run_options *options;
    uint64_t total, done;
    atomic_bool ended; /* set by one thread, read by all */
};

struct ct_listener listener_of(struct listener *listener);

/* What the caller gave, where its header knows less than this one with what holds there; `threads`
 * is at least 1. */
struct ct_run_options run_options_of(const struct ct_run_options *given);

/* What `write` (enum ct_status) writes in a form, "text", "json", "csv" or "markdown", to be freed;
 * NULL: no such form, or it failed. */
char *text_in_form(const char *form, int (*write)(void *context, int format, FILE *out),
                   void *context);

#endif
