/*
 * One DRAM channel, command by command: banks with open pages, a queue that its applications keep
 * full, FR-FCFS with a cap on row hits, turnaround of the data bus, refresh of all banks.
 *
 * Time is whole cycles; the model jumps from command to command. A run allocates once.
 * Deterministic: the same parameters give the same numbers.
 */
#ifndef DRAM_BANK_H
#define DRAM_BANK_H

#include "models/device/dram_timing.h"

enum {
    DRAM_APPS_MOST = 16,
    DRAM_STREAMS_MOST = 64,
    DRAM_QUEUE_MOST = 1024,
    /* Entries of the queue, unless given: HSM Table 1. */
    DRAM_QUEUE = 64
};

struct dram_bank_app {
    double locality; /* chance that a request of a stream stays in the row of the one before */
    double share;    /* of the entries of the queue */
};

/* How an application makes its requests, where that is not by the rules of the run. */
struct dram_bank_source {
    int64_t streams; /* 0: those of the run */
    /* Requests under way or waiting before the queue, in the network, which is first come, first
     * served: one that is served is made again after a pause. 0, for all applications alike: each
     * keeps its entries of the queue, and what is served is replaced at once. */
    int64_t outstanding;
    double offered; /* of the data cycles, if all were served at once; with `outstanding` */
};

enum dram_command {
    DRAM_CMD_READ,
    DRAM_CMD_WRITE,
    DRAM_CMD_ACTIVATE,
    DRAM_CMD_PRECHARGE,
    DRAM_CMD_REFRESH
};

/* Called for every command in the order of time; a refresh is one of bank 0. */
typedef void (*dram_command_log)(void *context, enum dram_command command, int64_t cycle, int bank);

struct dram_bank_params {
    const struct dram_preset *preset;
    const struct dram_bank_app *apps;
    size_t app_count;
    const struct dram_bank_source *sources; /* by application; NULL: nothing differs */
    double reads;                           /* fraction of requests that read */
    int64_t streams;                        /* per application, interleaved at random */
    int64_t cap;      /* row hits that may pass an older request to the bank; 0: any number */
    int64_t queue;    /* entries */
    int64_t requests; /* measured, after a warm-up of four queues */
    uint64_t seed;
    bool refresh;
    dram_command_log log; /* NULL: none */
    void *log_context;
};

struct dram_bank_app_result {
    int64_t requests, hits;
    double row_hit_rate, bandwidth_share, queue_share; /* queue_share: after rounding to entries */
};

struct dram_bank_result {
    int64_t cycles, requests, hits, activates, refreshes, turnarounds;
    double row_hit_rate;
    double utilisation; /* of the data cycles */
    struct dram_bank_app_result apps[DRAM_APPS_MOST];
};

/*
 * Runs the channel. Errors are a preset that dram_preset_check refuses, a parameter out of range,
 * an application without an entry of the queue (CT_USAGE), and no memory (CT_DATA).
 */
int dram_bank_run(const struct dram_bank_params *params, struct dram_bank_result *result,
                  struct ct_diags *diags);

#endif
