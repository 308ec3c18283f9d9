#include "study/sweep_points.h"

#include "experiment/thread_team.h"

#include <stdlib.h>

/* Results that may wait for an earlier one, per worker. */
enum { SLOTS_PER_WORKER = 4 };

int sweep_board_open(struct sweep_board *board, struct sweep_job *job, uint64_t workers,
                     struct ct_diags *diags) {
    *board = (struct sweep_board){
        .job = job, .window = SLOTS_PER_WORKER * workers, .status = CT_OK, .diags = diags};
    pthread_mutex_init(&board->lock, NULL);
    pthread_cond_init(&board->changed, NULL);
    board->slots = calloc(board->window, sizeof *board->slots);
    return board->slots ? CT_OK : ct_out_of_memory(diags);
}

static struct sweep_slot *slot_of(struct sweep_board *board, uint64_t index) {
    return &board->slots[index % board->window];
}

static void hand_on_diags(struct sweep_board *board, struct ct_diags *diags) {
    ct_diags_add(board->diags, diags);
    ct_diags_free(diags);
}

/* All results up to the first that is missing. With the lock held. */
static void finish_ready(struct sweep_board *board) {
    while (!board->stop && board->finished < board->next &&
           slot_of(board, board->finished)->state == SWEEP_SLOT_DONE) {
        struct sweep_slot *slot = slot_of(board, board->finished);
        int status = slot->status;
        if (status == CT_OK)
            status = sweep_job_finish(board->job, board->finished, slot->done, &slot->diags);
        else
            sweep_part_drop(slot->done);
        hand_on_diags(board, &slot->diags);
        *slot = (struct sweep_slot){0};
        board->finished += status == CT_OK;
        board->stop = status != CT_OK;
        board->status = status;
    }
}

/* ---- Threads here ---- */

/* Points that came back from elsewhere first: others wait for them. */
static bool take_returned(struct sweep_board *board, uint64_t *index) {
    for (uint64_t i = board->finished; i < board->next; i++) {
        struct sweep_slot *slot = slot_of(board, i);
        if (slot->state == SWEEP_SLOT_FREE) {
            slot->state = SWEEP_SLOT_TAKEN;
            *index = i;
            return true;
        }
    }
    return false;
}

static bool take_new(struct sweep_board *board, uint64_t *index) {
    if (board->next == board->job->file.points || board->next - board->finished == board->window)
        return false;
    *index = board->next++;
    return true;
}

static bool is_over(const struct sweep_board *board) {
    return board->stop || board->finished == board->job->file.points;
}

/* Waits while all that is left is in other hands; false: nothing is left. */
static bool take_point(struct sweep_board *board, uint64_t *index) {
    while (!is_over(board)) {
        if (take_returned(board, index))
            return true;
        if (take_new(board, index)) {
            slot_of(board, *index)->state = SWEEP_SLOT_TAKEN;
            return true;
        }
        pthread_cond_wait(&board->changed, &board->lock);
    }
    return false;
}

void *sweep_board_work(void *context) {
    struct sweep_board *board = context;
    uint64_t index;
    pthread_mutex_lock(&board->lock);
    while (take_point(board, &index)) {
        struct sweep_slot done = {.state = SWEEP_SLOT_DONE,
                                  .diags = {.files = board->diags->files}};
        pthread_mutex_unlock(&board->lock);
        done.status = ct_is_interrupted(&board->job->listener)
                          ? CT_INTERRUPTED
                          : sweep_job_work(board->job, index, &done.done, &done.diags);
        pthread_mutex_lock(&board->lock);
        *slot_of(board, index) = done;
        finish_ready(board);
        pthread_cond_broadcast(&board->changed);
    }
    pthread_mutex_unlock(&board->lock);
    return NULL;
}

/* ---- Workers elsewhere ---- */

bool sweep_board_lend(struct sweep_board *board, uint64_t *index, bool *over) {
    pthread_mutex_lock(&board->lock);
    *over = is_over(board) || board->next == board->job->file.points;
    bool lent = !*over && take_new(board, index);
    if (lent)
        slot_of(board, *index)->state = SWEEP_SLOT_ELSEWHERE;
    pthread_mutex_unlock(&board->lock);
    return lent;
}

void sweep_board_return(struct sweep_board *board, uint64_t index) {
    pthread_mutex_lock(&board->lock);
    if (index >= board->finished && slot_of(board, index)->state == SWEEP_SLOT_ELSEWHERE)
        slot_of(board, index)->state = SWEEP_SLOT_FREE;
    pthread_cond_broadcast(&board->changed);
    pthread_mutex_unlock(&board->lock);
}

/* ---- All of it ---- */

void sweep_board_stop(struct sweep_board *board, int status) {
    pthread_mutex_lock(&board->lock);
    board->stop = true;
    if (board->status == CT_OK)
        board->status = status;
    pthread_cond_broadcast(&board->changed);
    pthread_mutex_unlock(&board->lock);
}

int sweep_board_close(struct sweep_board *board) {
    for (uint64_t i = 0; board->slots && i < board->window; i++) {
        if (board->slots[i].state == SWEEP_SLOT_DONE)
            sweep_part_drop(board->slots[i].done);
        ct_diags_free(&board->slots[i].diags);
    }
    free(board->slots);
    pthread_cond_destroy(&board->changed);
    pthread_mutex_destroy(&board->lock);
    return board->status;
}

int sweep_points_run(struct sweep_job *job, uint32_t threads, struct ct_diags *diags) {
    struct sweep_board board;
    int status = sweep_board_open(&board, job, threads, diags);
    if (status == CT_OK)
        thread_team_work(threads, sweep_board_work, &board);
    int ended = sweep_board_close(&board);
    return status == CT_OK ? ended : status;
}
