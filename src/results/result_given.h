/* What was typed to make a stored run, so that it can be run again. */
#ifndef RESULT_GIVEN_H
#define RESULT_GIVEN_H

#include "base/ct_arena.h"
#include "format/doc_writer.h"
#include "results/result_store.h"

struct result_given {
    const char *workload;        /* path of the file, as it was given */
    const char *policy;          /* NULL: the workload's own */
    bool own;                    /* that was in the memory of the program that ran it */
    const char *fidelity;        /* NULL: the workload's own */
    const char *const *settings; /* KEY=VALUE, in their order */
    size_t setting_count;
    const char *inputs; /* workload_hash of what was read, as text */
};

/* Reads what was given from the configuration that is stored with a run (member "given"). False: it
 * has none. Memory that ran out counts as none. */
bool result_given_read(const struct result_run *run, struct ct_arena *arena,
                       struct result_given *given);

/* All that was run but the policy, as text: of runs of which it is the same nothing but policies
 * can make a difference. Where a store has no configuration, the names of workload and GPU. NULL
 * when memory ran out. */
const char *result_given_setting(const struct report *report, struct ct_arena *arena);

/* gpu=h200 of gpu="h200", where no reader needs the quotes. NULL when memory ran out. */
const char *result_given_plain(const char *setting, struct ct_arena *arena);

/* All its settings, "duration_s=5, gpu=h200", "" where there are none. NULL when memory ran out. */
const char *result_given_line(const struct result_given *given, struct ct_arena *arena);

/* What was set, as a line of a report; nothing where nothing was. */
void result_given_write(struct doc *doc, const struct report *report);

#endif
