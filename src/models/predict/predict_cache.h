/* Answers already given: a table of fixed size from (key, share, features) to a prediction. */
#ifndef PREDICT_CACHE_H
#define PREDICT_CACHE_H

#include "models/predict/predict.h"

struct predict_question {
    struct predict_key key;
    ct_share share;
    struct predict_features features;
};

struct predict_answer {
    struct predict_question question;
    struct predict_value value;
    uint64_t version; /* of the bank when it was given; 0: empty */
};

enum {
    PREDICT_CACHE_WAYS = 4, /* places that a question may take */
    /* With their ways about 1 MB; more distinct kernels than any recording at hand has. */
    PREDICT_CACHE_SETS = 2048
};

struct predict_cache {
    struct predict_answer **sets; /* each made when it is first asked; NULL until any is */
    uint32_t victim;              /* which of a question's places is overwritten next */
};

/*
 * The place of a question: one that holds its answer of this version (`*known`), or one to be
 * filled in by the caller. NULL: memory ran out.
 */
struct predict_answer *predict_cache_place(struct predict_cache *cache,
                                           const struct predict_question *question,
                                           uint64_t version, bool *known);
void predict_cache_free(struct predict_cache *cache);

#endif
