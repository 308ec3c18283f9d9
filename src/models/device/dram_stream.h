/*
 * The requests of one application on a channel: several interleaved streams. A stream reads one
 * array and writes another: it has a walk for each, which stays in its row with the probability
 * that is asked for, or else goes to a fresh row of a random bank.
 */
#ifndef DRAM_STREAM_H
#define DRAM_STREAM_H

#include "des/des_stream.h"

enum { DRAM_STREAMS_MOST = 64 };

struct dram_stream_walk {
    int64_t row; /* DRAM_STREAM_NO_ROW: has not begun */
    int32_t bank;
    bool write;
    bool fresh; /* the first request to the row */
};

enum { DRAM_STREAM_NO_ROW = -1 };

struct dram_stream {
    struct des_stream random;
    double locality, reads;
    uint64_t banks;
    uint32_t stream_count;
    struct dram_stream_walk
        walks[2 * DRAM_STREAMS_MOST]; /* of stream k: 2 k reads, 2 k + 1 writes */
};

/* `name` keys the random numbers. Numbers are in their ranges. */
void dram_stream_init(struct dram_stream *stream, uint64_t seed, const char *name, double locality,
                      double reads, uint32_t streams, uint32_t banks);

/* The next request. Rows are numbered by `*row_count`, so that none is met twice. Walks begin in
 * banks 0, 1, ... */
struct dram_stream_walk dram_stream_next(struct dram_stream *stream, int64_t *row_count);

#endif
