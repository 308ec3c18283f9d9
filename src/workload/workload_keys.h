/*
 * Every key of a workload file: one table per object. The reader, `--set`,
 * docs/workload-reference.md and the JSON Schema all come from these tables.
 */
#ifndef WORKLOAD_KEYS_H
#define WORKLOAD_KEYS_H

#include "abi/ct_option.h"
#include "workload/workload.h"

enum workload_shape {
    /* As the option says. */
    WORKLOAD_SCALAR,
    /* A number, or an object of workload_draw_keys. */
    WORKLOAD_DRAW,
    /* A whole number, or an array of them; zeros are none. */
    WORKLOAD_COUNTS,
    /* An object of `members`. */
    WORKLOAD_OBJECT,
    /* An array of objects of `members`. */
    WORKLOAD_LIST,
    /* An array of names, or of objects of `members`. */
    WORKLOAD_CHOICES,
    /* An array of what the option says: whole numbers or texts. */
    WORKLOAD_ARRAY,
    /* A name, or an object that holds the name at its first member and options beside it. */
    WORKLOAD_NAMED
};

/* Which kinds (arrival processes, distributions) a key belongs to: a bit for each. */
#define WORKLOAD_KIND(kind) (UINT32_C(1) << (kind))

struct workload_key {
    /* Name, default, range and place of the key in the struct that the table fills; of a draw
     * (WORKLOAD_DRAW) those of its mean. */
    struct ct_option option;
    int shape;
    bool needed;
    uint32_t used_by, needed_by; /* 0: by every kind; by none */
    const char *absent; /* what holds without it, where it has no default and is not needed */
    bool unknown;       /* a number that is NAN without it */
    /* The value is a mere name, whose content is known otherwise or plays no part: the key belongs
     * to no identity. */
    bool label;
    /* The key says what the workload is (a role, a rate, a target): nobody asks whether it could be
     * left out. */
    bool plain;
    const struct workload_key *members;
};

/* The keys of each object of the form; an option without a name ends a table. */
extern const struct workload_key workload_keys[], workload_app_keys[], workload_job_keys[],
    workload_kernels_keys[], workload_arrivals_keys[], workload_synthetic_keys[],
    workload_draw_keys[], workload_gpu_keys[], workload_host_keys[], workload_policy_keys[],
    workload_server_keys[], workload_level_keys[], workload_batch_keys[],
    workload_continuous_keys[], workload_prefill_keys[], workload_decode_keys[];

/* The key of a table (NULL: none) that is called so, `length` bytes long; NULL: none is. */
const struct workload_key *workload_key_find(const struct workload_key *table, const char *name,
                                             size_t length);

/* The unit of "apps.NAME.qos_ms"; NULL: no table has this key. */
const char *workload_key_unit(const char *path);

/* All tables with the title of the object each describes, for the documentation; a NULL title ends.
 */
struct workload_table {
    const char *title, *about;
    const struct workload_key *keys;
};
extern const struct workload_table workload_tables[];

extern const char *const workload_processes[], *const workload_distributions[];

#endif
