/* The points of a sweep on several threads (and, see sweep_mpi.h, processes), their results handed
 * on in the order of the points, so that nothing shows who worked on what. */
#ifndef SWEEP_POINTS_H
#define SWEEP_POINTS_H

#include "base/ct_diag.h"

#include <pthread.h>

struct sweep_task {
    uint64_t points;
    uint32_t threads;
    void *context;
    /* Works on a point, on any thread; `done` gets what `finish` or `drop` takes. enum
     * ct_status. */
    int (*work)(void *context, uint64_t index, void **done, struct ct_diags *diags);
    /* Takes the results, one at a time and in order. enum ct_status. */
    int (*finish)(void *context, uint64_t index, void *done, struct ct_diags *diags);
    void (*drop)(void *context, void *done); /* for results of points that come after a failure */
    bool (*interrupted)(void *context);
};

/* A point whose result waits for those before it. */
struct sweep_slot {
    enum { SWEEP_SLOT_FREE, SWEEP_SLOT_TAKEN, SWEEP_SLOT_ELSEWHERE, SWEEP_SLOT_DONE } state;
    int status;
    void *done;
    struct ct_diags diags;
};

/* The state of a task; only sweep_points.c and sweep_mpi.c look inside. */
struct sweep_board {
    const struct sweep_task *task;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct sweep_slot *slots; /* of points from `finished` on, by number modulo `window` */
    uint64_t window, next, finished;
    bool stop; /* a failure, or Ctrl-C */
    int status;
    struct ct_diags *diags;
};

/* Works on all points. enum ct_status; CT_INTERRUPTED when some were left. */
int sweep_points_run(const struct sweep_task *task, struct ct_diags *diags);

/* sweep_points_run in parts, for somebody who has other workers (`helpers` of them) besides the
 * threads: opens the board on which points are handed out. enum ct_status. */
int sweep_board_open(struct sweep_board *board, const struct sweep_task *task, uint64_t helpers,
                     struct ct_diags *diags);
/* What one thread does until no point is left; `context` is the board. */
void *sweep_board_work(void *context);
/* The next point for a worker elsewhere; false: there is none now. `over`: nor will there be. */
bool sweep_board_lend(struct sweep_board *board, uint64_t *index, bool *over);
/* A lent point is done and its runs are kept: a thread here goes over it again, which runs nothing,
 * and has the result. */
void sweep_board_return(struct sweep_board *board, uint64_t index);
/* Ends the work as soon as what is under way here is over; the first status that is not CT_OK
 * counts. */
void sweep_board_stop(struct sweep_board *board, int status);
/* Frees the board; returns what sweep_points_run does. */
int sweep_board_close(struct sweep_board *board);

#endif
