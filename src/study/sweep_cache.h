/*
 * Results of runs that a sweep keeps in its store: the only one who writes there. Runs that
 * somebody has begun are known here, so that nobody else begins them, and finished ones wait in
 * memory for the next transaction. Any thread may call.
 */
#ifndef SWEEP_CACHE_H
#define SWEEP_CACHE_H

#include "experiment/experiment.h"

#include <pthread.h>

struct sweep_kept {
    struct ct_hash key;
    unsigned char *bytes; /* NULL: the run is under way */
    size_t size;
};

struct sweep_cache {
    struct result_store *store;
    /* Whether results have waited for long enough; asked under the lock. */
    bool (*due)(void *context);
    void *context;
    pthread_mutex_t lock; /* guards all of this, the store too */
    pthread_cond_t given;
    CT_VEC(struct sweep_kept) waiting;
    uint64_t ran, reused; /* runs, and results that were there */
    int status; /* CT_OK, or the first failure of the store or for want of memory: of no run */
};

void sweep_cache_open(struct sweep_cache *cache, struct result_store *store);
/* Forgets what was not written. */
void sweep_cache_close(struct sweep_cache *cache);

/* The cache in the form in which an experiment asks for kept results. */
struct run_cache sweep_cache_runs(struct sweep_cache *cache);

enum sweep_answer { SWEEP_KEPT, SWEEP_YOURS, SWEEP_UNDER_WAY };

/* One question without waiting: a kept result (malloc'ed bytes), or whose the run is. enum
 * ct_status. */
int sweep_cache_ask(struct sweep_cache *cache, struct ct_hash key, enum sweep_answer *answer,
                    unsigned char **bytes, size_t *size, struct ct_diags *diags);
/* The end of a run that was the caller's (`context`: its struct sweep_cache): NULL when it came to
 * nothing. enum ct_status. */
int sweep_cache_give(void *context, struct ct_hash key, const unsigned char *bytes, size_t size,
                     struct ct_diags *diags);

/* Writes what waits; with the lock held, inside a transaction or as one. enum ct_status. */
int sweep_cache_write(struct sweep_cache *cache, struct ct_diags *diags);

/* Writes what waits; takes the lock and makes the transaction itself. enum ct_status. */
int sweep_cache_flush(struct sweep_cache *cache, struct ct_diags *diags);

#endif
