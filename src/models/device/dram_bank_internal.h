/*
 * Inside the channel model: the queue (dram_bank_queue.c), the commands (dram_bank_commands.c), and
 * the loop with its choice of commands (dram_bank.c).
 *
 * The requests of a bank that want the same row in the same direction form a row group. A bank has
 * a list of row groups per direction, by the age of their oldest request.
 */
#ifndef DRAM_BANK_INTERNAL_H
#define DRAM_BANK_INTERNAL_H

#include "des/des_stream.h"
#include "models/device/dram_bank.h"

enum { DRAM_READ, DRAM_WRITE, DRAM_DIRECTIONS };
enum { DRAM_NO_ROW = -1, DRAM_NOBODY = -1 };

/* What a bank would do next. The masks of the channel have one bit per bank in the mask of its job.
 */
enum dram_job { DRAM_COLUMN, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_JOBS, DRAM_IDLE = DRAM_JOBS };

/* ---- The requests of one application (dram_stream.c) ---- */

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

/* ---- The channel ---- */

struct dram_request {
    int64_t age; /* running number */
    int32_t next;
    int32_t app;
};

struct dram_row_group {
    int64_t row;
    int32_t first, last; /* requests */
    int32_t previous, next;
};

struct dram_bank {
    int64_t row;                   /* open, or DRAM_NO_ROW */
    int32_t open[DRAM_DIRECTIONS]; /* row groups of the open row, or DRAM_NOBODY */
    int32_t first[DRAM_DIRECTIONS], last[DRAM_DIRECTIONS]; /* all row groups */
    int64_t passed; /* hits that passed an older request since the activate */
    bool served;    /* a request since the activate */
    int group;      /* bank group */
    int64_t activate_at, precharge_at, column_at[DRAM_DIRECTIONS]; /* the earliest */
};

/* Per bank and in one array each, for the scans of the loop. */
struct dram_candidates {
    uint64_t banks[DRAM_JOBS];   /* mask */
    int64_t wake_at[DRAM_JOBS];  /* no command of this job before */
    int64_t at[DRAM_BANKS_MOST]; /* the bank's own constraint */
    int64_t age[DRAM_BANKS_MOST];
};

/* The requests of an application that are not in the queue yet. */
struct dram_front {
    int64_t *ready; /* when its requests are made, a ring of `outstanding` */
    int64_t first, count, pause;
};

struct dram_channel {
    const struct dram_bank_params *params;
    struct dram_cycles cycles;
    int64_t data_cycles, same_group_cycles; /* request to request on the pins, within a group */
    int64_t last_burst_cycles;              /* first to last column command of a request */
    int bank_count;
    int64_t now;
    bool writing;     /* direction of the data bus */
    bool turning;     /* the data bus turns as soon as no activate would be wasted by it */
    int64_t turn_age; /* when that was decided, in requests */
    bool refreshing;  /* banks drain for a refresh */
    int64_t writes_high, writes_low;
    int64_t waiting[DRAM_DIRECTIONS];
    int64_t refresh_due;
    int64_t column_at[DRAM_DIRECTIONS], activate_at, bus_at[2]; /* bus of columns, of rows */
    int64_t window[4]; /* times of the last four activates */
    unsigned window_next;
    int64_t group_column_at[DRAM_DIRECTIONS][DRAM_BANKS_MOST], group_activate_at[DRAM_BANKS_MOST];
    struct dram_candidates candidates;
    struct dram_bank banks[DRAM_BANKS_MOST];
    struct dram_request *requests;
    struct dram_row_group *groups;
    int32_t free_request, free_group;
    int64_t row_count, request_count;
    struct dram_stream streams[DRAM_APPS_MOST];
    struct dram_front fronts[DRAM_APPS_MOST];
    bool fronted;
    int64_t free_entries;          /* of the queue; fronted */
    struct dram_bank_result total; /* since the begin, or the end of the warm-up */
};

/* ---- queue ---- */

/* Links all entries as free. */
void dram_queue_init(struct dram_channel *channel);
/* Puts the next request of an application into the queue; its bank. */
int dram_queue_add(struct dram_channel *channel, size_t app);
/* Takes the oldest request to the open row; its application. */
size_t dram_queue_take(struct dram_channel *channel, int bank, int direction);
/* The oldest row group that does not wait for the open row, or DRAM_NOBODY. */
int32_t dram_queue_other(const struct dram_channel *channel, const struct dram_bank *bank,
                         int direction);
/* The row is open from now on: finds its row groups; or it is closed: what is left of them waits
 * again by age. */
void dram_queue_open(struct dram_channel *channel, int bank, int64_t row);
void dram_queue_close(struct dram_channel *channel, int bank);

/* Age of the oldest request of a row group. */
static inline int64_t dram_queue_age(const struct dram_channel *channel, int32_t group) {
    return channel->requests[channel->groups[group].first].age;
}

/* ---- before the queue (dram_bank_front.c) ---- */

/* Makes room for the requests of each application that wait before the queue: those beyond its
 * `entries` in the queue. False: memory ran out; close in every case. */
bool dram_front_open(struct dram_channel *channel, const int64_t *entries);
void dram_front_close(struct dram_channel *channel);
/* When the next request enters an entry that is free; CT_TIME_NEVER: none is free. */
int64_t dram_front_next(const struct dram_channel *channel);
/* The request that has waited for longest enters; its bank, or DRAM_NOBODY. */
int dram_front_enter(struct dram_channel *channel);
/* A request of this application is served; the bank of the request that takes its entry, or
 * DRAM_NOBODY. */
int dram_front_replace(struct dram_channel *channel, size_t app);

/* ---- commands, at `now` ---- */

void dram_command_column(struct dram_channel *channel, int bank);
void dram_command_activate(struct dram_channel *channel, int bank);
void dram_command_precharge(struct dram_channel *channel, int bank);
/* Refreshes if all banks are closed and recovered. */
bool dram_command_refresh(struct dram_channel *channel);

/* Recomputes what a bank, or every bank, would do next. */
void dram_bank_reconsider(struct dram_channel *channel, int bank);
void dram_bank_reconsider_all(struct dram_channel *channel);

#endif
