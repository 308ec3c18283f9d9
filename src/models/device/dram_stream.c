/*
 * The requests of one application on a channel: several interleaved streams. A stream reads one
 * array and writes another: it has a walk for each, which stays in its row with the probability
 * that is asked for, or else goes to a fresh row of a random bank.
 */
#include "models/device/dram_bank_internal.h"

#include "base/ct_assert.h"

void dram_stream_init(struct dram_stream *stream, uint64_t seed, const char *name, double locality,
                      double reads, uint32_t streams, uint32_t banks) {
    ct_assert(streams > 0 && streams <= DRAM_STREAMS_MOST && banks > 0);
    *stream = (struct dram_stream){
        .locality = locality, .reads = reads, .banks = banks, .stream_count = streams};
    des_stream_init(&stream->random, seed, 0, "dram", name);
    for (uint32_t k = 0; k < 2 * streams; k++)
        stream->walks[k] = (struct dram_stream_walk){
            .row = DRAM_STREAM_NO_ROW, .bank = (int32_t)(k % banks), .write = k % 2 == 1};
}

struct dram_stream_walk dram_stream_next(struct dram_stream *stream, int64_t *row_count) {
    uint64_t k = 0;
    if (stream->stream_count > 1)
        k = des_stream_below(&stream->random, stream->stream_count);
    bool write = stream->reads < 1.0 && des_stream_uniform(&stream->random) >= stream->reads;
    struct dram_stream_walk *walk = &stream->walks[2 * k + write];
    bool begins = walk->row == DRAM_STREAM_NO_ROW;
    walk->fresh = begins || des_stream_uniform(&stream->random) >= stream->locality;
    if (walk->fresh)
        walk->row = (*row_count)++;
    if (walk->fresh && !begins)
        walk->bank = (int32_t)des_stream_below(&stream->random, stream->banks);
    return *walk;
}
