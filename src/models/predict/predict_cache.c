#include "models/predict/predict_cache.h"

#include <stdlib.h>
#include <string.h>

/* One step of the 64-bit finaliser of MurmurHash3 (Appleby, public domain). */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 33;
}

static uint64_t hash_of(const struct predict_question *question) {
    uint64_t hash = mix((uint64_t)(uint32_t)question->key.kind << 32 | question->key.id,
                        (uint64_t)(uint32_t)question->share);
    for (uint32_t i = 0; i < question->features.count; i++) {
        uint64_t bits;
        memcpy(&bits, &question->features.x[i], sizeof bits);
        hash = mix(hash, bits);
    }
    return hash;
}

static bool same_question(const struct predict_question *a, const struct predict_question *b) {
    return a->key.kind == b->key.kind && a->key.id == b->key.id && a->share == b->share &&
           predict_features_equal(&a->features, &b->features);
}

/* The places of a question; NULL: memory ran out. */
static struct predict_answer *set_of(struct predict_cache *cache,
                                     const struct predict_question *question) {
    if (!cache->sets)
        cache->sets = calloc(PREDICT_CACHE_SETS, sizeof *cache->sets);
    if (!cache->sets)
        return NULL;
    struct predict_answer **set = &cache->sets[hash_of(question) % PREDICT_CACHE_SETS];
    if (!*set)
        *set = calloc(PREDICT_CACHE_WAYS, sizeof **set);
    return *set;
}

struct predict_answer *predict_cache_place(struct predict_cache *cache,
                                           const struct predict_question *question,
                                           uint64_t version, bool *known) {
    struct predict_answer *set = set_of(cache, question), *stale = NULL;
    if (!set)
        return NULL;
    *known = true;
    for (size_t i = 0; i < PREDICT_CACHE_WAYS; i++) {
        struct predict_answer *answer = &set[i];
        if (answer->version == version && same_question(&answer->question, question))
            return answer;
        if (answer->version != version && !stale)
            stale = answer;
    }
    *known = false;
    return stale ? stale : &set[cache->victim++ % PREDICT_CACHE_WAYS];
}

void predict_cache_free(struct predict_cache *cache) {
    for (size_t i = 0; cache->sets && i < PREDICT_CACHE_SETS; i++)
        free(cache->sets[i]);
    free(cache->sets);
    cache->sets = NULL;
}
