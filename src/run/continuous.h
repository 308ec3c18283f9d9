/*
 * Continuous batching of token generation: which sequences are in the next step, and where their
 * keys and values lie. A state machine without a device and without a clock of its own. After
 * vLLM's scheduler and block manager (vllm/core/scheduler.py and block_manager_v2.py of version
 * 0.5; Kwon et al., Efficient Memory Management for Large Language Model Serving with
 * PagedAttention, SOSP 2023, sections 4.3 and 4.5); docs/servers.md has the rules.
 */
#ifndef CONTINUOUS_H
#define CONTINUOUS_H

#include "base/ct_types.h"
#include "workload/workload.h"

/* A prompt and what is generated of it. */
struct sequence {
    uint64_t order;          /* of arrival: the lower goes first */
    uint64_t prompt, output; /* tokens, at least one each */
    uint64_t produced;       /* of `output` */
    uint64_t cached;         /* tokens whose keys and values are in the cache */
    bool prompts;            /* it runs as a prompt, the first time or anew, until all of it is */
    uint64_t blocks;         /* of the cache, or of the host's memory where it is swapped out */
    uint64_t chunk;          /* its tokens in the step that runs; 0: it is not in it */
    ct_time_ps first_ps, last_ps; /* when its first and its last token came; -1: none has */
    ct_time_ps longest_ps;        /* between two of its tokens */
    struct sequence *previous, *next;
    void *owner;
};

struct sequence_line {
    struct sequence *first, *last;
    uint64_t count;
};

/* What a step does. */
struct continuous_step {
    uint64_t prefills, prefill_tokens; /* prompts, whole or a chunk each */
    uint64_t decodes, context;         /* sequences that go on; tokens that these have cached */
    uint64_t swapped_out, swapped_in;  /* blocks, before it */
};

/* Since the begin. */
struct continuous_counts {
    uint64_t produced;          /* tokens */
    uint64_t recomputes, swaps; /* preemptions */
    uint64_t recomputed;        /* tokens that left the cache and have to be computed anew */
};

struct continuous {
    const struct workload_continuous *spec;
    uint64_t watermark;                             /* blocks that admission leaves free */
    uint64_t free, swap_free;                       /* blocks */
    uint64_t highest;                               /* most blocks that were used */
    struct sequence_line waiting, running, swapped; /* running and swapped: by order */
    struct continuous_counts counts;
};

void continuous_init(struct continuous *continuous, const struct workload_continuous *spec);

/* Whether it could ever be served to its end, alone. Nothing else may be offered. */
bool continuous_fits(const struct continuous *continuous, const struct sequence *sequence);

/* A sequence comes, with its order, tokens and owner; all else is set here. */
void continuous_offer(struct continuous *continuous, struct sequence *sequence);

/* Forms the next step, which has to end before the one after it. False: nobody is there. */
bool continuous_form(struct continuous *continuous, struct continuous_step *step);

/* The step has ended: its sequences have their tokens. Those that are done, linked by `next`; no
 * longer here, and their blocks are free. */
struct sequence *continuous_end(struct continuous *continuous, ct_time_ps now_ps);

#endif
