/* An observer that keeps what a user asked to record, in the form of the result store. */
#ifndef RECORDER_H
#define RECORDER_H

#include "results/result_store.h"
#include "run/sim.h"

/* A key of a note. */
struct recorder_key {
    const char *literal, *copy;
};

/* Zero-initialise; `parts` are those of enum result_part. Free with recorder_free. */
struct recorder {
    unsigned parts;
    struct ct_arena arena;
    CT_VEC(struct result_job) jobs;
    CT_VEC(struct result_task) tasks;
    CT_VEC(struct result_presence) presences;
    CT_VEC(struct result_block_move) block_moves;
    CT_VEC(struct result_decision) decisions;
    CT_VEC(struct recorder_key) keys;     /* every key of a note of a decision, once */
    CT_VEC(struct result_reason) reasons; /* the policy's table of reasons */
    CT_VEC(struct result_sample) samples;
    bool failed; /* memory ran out: what is kept is not complete */
};

/* The observer that writes into this recorder, which must stay where it is. */
struct sim_observer recorder_observer(struct recorder *recorder);

/* Keeps copies of the policy's sentences, where decisions are kept. */
void recorder_keep_reasons(struct recorder *recorder, const struct ct_policy *policy);

/* Points the run's arrays at what was kept. */
void recorder_fill(const struct recorder *recorder, struct result_run *run);
void recorder_free(struct recorder *recorder);

#endif
