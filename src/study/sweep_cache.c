#include "study/sweep_cache.h"

#include "results/result_sweep.h"

#include <stdlib.h>
#include <string.h>

/* Results that wait at most, whatever the clock says. */
enum { MOST_WAITING = 256 };

void sweep_cache_open(struct sweep_cache *cache, struct result_store *store) {
    *cache = (struct sweep_cache){.store = store};
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->given, NULL);
}

void sweep_cache_close(struct sweep_cache *cache) {
    for (size_t i = 0; i < cache->waiting.count; i++)
        free(cache->waiting.items[i].bytes);
    ct_vec_free(&cache->waiting);
    pthread_cond_destroy(&cache->given);
    pthread_mutex_destroy(&cache->lock);
}

/* The status, of which the first failure stays; with the lock held. */
static int remember(struct sweep_cache *cache, int status) {
    if (cache->status == CT_OK)
        cache->status = status;
    return status;
}

static struct sweep_kept *find_waiting(struct sweep_cache *cache, struct ct_hash key) {
    for (size_t i = 0; i < cache->waiting.count; i++)
        if (cache->waiting.items[i].key.high == key.high &&
            cache->waiting.items[i].key.low == key.low)
            return &cache->waiting.items[i];
    return NULL;
}

static unsigned char *copy_bytes(const unsigned char *bytes, size_t size) {
    unsigned char *copy = malloc(size + 1);
    if (copy)
        memcpy(copy, bytes, size);
    return copy;
}

/* sweep_cache_ask with the lock held. */
static int ask(struct sweep_cache *cache, struct ct_hash key, enum sweep_answer *answer,
               unsigned char **bytes, size_t *size, struct ct_diags *diags) {
    struct sweep_kept *waiting = find_waiting(cache, key);
    int status = CT_OK;
    *bytes = NULL;
    *answer = SWEEP_UNDER_WAY;
    if (waiting && !waiting->bytes)
        return CT_OK;
    *answer = SWEEP_KEPT;
    if (waiting) {
        *size = waiting->size;
        *bytes = copy_bytes(waiting->bytes, waiting->size);
        status = *bytes ? CT_OK : ct_out_of_memory(diags);
    } else {
        status = result_kept_find(cache->store, key, bytes, size, diags);
    }
    cache->reused += *bytes != NULL;
    if (status != CT_OK || *bytes)
        return status;
    *answer = SWEEP_YOURS;
    cache->ran++;
    return ct_vec_push(&cache->waiting, (struct sweep_kept){.key = key}) ? CT_OK
                                                                         : ct_out_of_memory(diags);
}

int sweep_cache_ask(struct sweep_cache *cache, struct ct_hash key, enum sweep_answer *answer,
                    unsigned char **bytes, size_t *size, struct ct_diags *diags) {
    pthread_mutex_lock(&cache->lock);
    int status = remember(cache, ask(cache, key, answer, bytes, size, diags));
    pthread_mutex_unlock(&cache->lock);
    return status;
}

static int take(void *context, struct ct_hash key, unsigned char **bytes, size_t *size,
                struct ct_diags *diags) {
    struct sweep_cache *cache = context;
    enum sweep_answer answer = SWEEP_UNDER_WAY;
    pthread_mutex_lock(&cache->lock);
    int status = ask(cache, key, &answer, bytes, size, diags);
    while (status == CT_OK && answer == SWEEP_UNDER_WAY) {
        pthread_cond_wait(&cache->given, &cache->lock);
        status = ask(cache, key, &answer, bytes, size, diags);
    }
    remember(cache, status);
    pthread_mutex_unlock(&cache->lock);
    return status;
}

static void forget(struct sweep_cache *cache, struct sweep_kept *kept) {
    struct sweep_kept *last = &cache->waiting.items[--cache->waiting.count];
    free(kept->bytes);
    kept->bytes = NULL;
    if (kept != last)
        *kept = *last;
}

int sweep_cache_write(struct sweep_cache *cache, struct ct_diags *diags) {
    int status = CT_OK;
    size_t left = 0;
    for (size_t i = 0; i < cache->waiting.count; i++) {
        struct sweep_kept kept = cache->waiting.items[i];
        bool written = false;
        if (kept.bytes && status == CT_OK) {
            status = result_kept_add(cache->store, kept.key, kept.bytes, kept.size, diags);
            written = status == CT_OK;
        }
        if (written)
            free(kept.bytes);
        else
            cache->waiting.items[left++] = kept;
    }
    cache->waiting.count = left;
    return remember(cache, status);
}

static int write_together(struct sweep_cache *cache, struct ct_diags *diags) {
    if (!cache->waiting.count) /* a store with nothing in it is not made */
        return CT_OK;
    int status = result_store_begin(cache->store, diags);
    if (status != CT_OK)
        return status;
    status = sweep_cache_write(cache, diags);
    int ended = result_store_end(cache->store, status == CT_OK, diags);
    return status == CT_OK ? ended : status;
}

int sweep_cache_give(void *context, struct ct_hash key, const unsigned char *bytes, size_t size,
                     struct ct_diags *diags) {
    struct sweep_cache *cache = context;
    int status = CT_OK;
    pthread_mutex_lock(&cache->lock);
    struct sweep_kept *kept = find_waiting(cache, key);
    if (kept && bytes) {
        kept->bytes = copy_bytes(bytes, size);
        kept->size = size;
        status = kept->bytes ? CT_OK : ct_out_of_memory(diags);
    }
    if (kept && !kept->bytes)
        forget(cache, kept);
    bool due = cache->due && cache->due(cache->context);
    if (status == CT_OK && (due || cache->waiting.count >= MOST_WAITING))
        status = write_together(cache, diags);
    remember(cache, status);
    pthread_cond_broadcast(&cache->given);
    pthread_mutex_unlock(&cache->lock);
    return status;
}

int sweep_cache_flush(struct sweep_cache *cache, struct ct_diags *diags) {
    pthread_mutex_lock(&cache->lock);
    int status = remember(cache, write_together(cache, diags));
    pthread_mutex_unlock(&cache->lock);
    return status;
}

struct run_cache sweep_cache_runs(struct sweep_cache *cache) {
    return (struct run_cache){cache, take, sweep_cache_give, false};
}
