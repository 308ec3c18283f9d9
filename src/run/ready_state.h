/* The state of the ready pool, and of predictions that tasks wait for (ready.c). */
#ifndef READY_STATE_H
#define READY_STATE_H

#include "base/ct_types.h"

#include <stdbool.h>
#include <stdint.h>

struct run_line;
struct run_task;

struct ready_pool {
    struct run_task *first, *last; /* launched and not issued, in the order of their ranks */
    /* Where a walk that met an issued task goes on: the one before the task issued last (NULL: it
     * was the first), and that task's number. */
    struct run_task *issued_behind;
    uint64_t issued_number;
    struct run_task *entering_first, *entering_last; /* next of their streams, to enter the pool */
    /* With what was offered to each; NULL: nobody passes straight through, or none is shared. */
    struct run_line *shared_queues;
    bool passes_all; /* nobody is ordered or held: each is issued as it comes */
};

/* The last prediction that was paid for one question (knowledge.h). */
struct run_asked {
    double size; /* of the job that was asked about; 0: nothing was */
    ct_time_ps predicted_ps;
};

#endif
