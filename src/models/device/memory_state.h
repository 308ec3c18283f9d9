/* The state of the memory that the running tasks share (device_memory.c, device_clock.c). */
#ifndef MEMORY_STATE_H
#define MEMORY_STATE_H

#include "base/ct_types.h"
#include "models/device/dram.h"

/* How much traffic asks for, and what the memory delivers of it, in bytes per second. */
struct memory_shortage {
    bool is;
    double asked, capacity;
};

/*
 * The clock of a memory that runs short: it takes from all traffic the same part, whoever asks for
 * it, so that a change of that part changes the pace of one clock and not every task's rate. It
 * stands still while the memory suffices.
 */
struct memory_clock {
    bool runs;
    double pace;            /* time of its own per time */
    double ps;              /* what it showed at at_ps */
    ct_time_ps at_ps;       /* the last update of rates */
    double next_ps;         /* by itself: when the first of those who follow it falls due */
    ct_time_ps next_due_ps; /* that time by the engine's clock */
};

struct memory_state {
    struct dram dram;
    struct memory_shortage shortage; /* of all traffic, at the last update of rates */
    struct memory_clock clock;
    bool weighted;  /* it is not shared in proportion to what each would draw */
    double *served; /* scratch: the part of each running task's demand that is served */
};

#endif
