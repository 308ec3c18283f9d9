/* The points of a sweep on several threads (and, see sweep_mpi.h, processes), their results handed
 * on in the order of the points, so that nothing shows who worked on what. */
#ifndef SWEEP_POINTS_H
#define SWEEP_POINTS_H

#include "study/sweep_job.h"

/* A point whose result waits for those before it. */
struct sweep_slot {
    enum { SWEEP_SLOT_FREE, SWEEP_SLOT_TAKEN, SWEEP_SLOT_ELSEWHERE, SWEEP_SLOT_DONE } state;
    int status;
    struct sweep_part *done;
    struct ct_diags diags;
};

/* The state of a sweep; only sweep_points.c and sweep_mpi.c look inside. */
struct sweep_board {
    struct sweep_job *job;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct sweep_slot *slots; /* of points from `finished` on, by number modulo `window` */
    uint64_t window, next, finished;
    bool stop; /* a failure, or Ctrl-C */
    int status;
    struct ct_diags *diags;
};

/* Works on all points. enum ct_status; CT_INTERRUPTED when some were left. */
int sweep_points_run(struct sweep_job *job, uint32_t threads, struct ct_diags *diags);

/* sweep_points_run in parts, for somebody who has other workers besides threads: opens the board on
 * which points are handed out to so many workers. enum ct_status. */
int sweep_board_open(struct sweep_board *board, struct sweep_job *job, uint64_t workers,
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
