/* Several threads at one piece of work, or at a queue of them. */
#ifndef THREAD_TEAM_H
#define THREAD_TEAM_H

#include "base/ct_listener.h"

#include <pthread.h>

enum { THREAD_TEAM_MOST = 64 };

/*
 * Lets `wanted` threads, one of them the caller's, run `work(context)`, which takes what is next
 * until nothing is left (and returns NULL); fewer where the system gives no more. Returns when all
 * have ended.
 */
void thread_team_work(uint32_t wanted, void *(*work)(void *context), void *context);

/* Pieces of work, handed out by number in order. The lock may guard what else its takers share. */
struct thread_queue {
    uint64_t count, next;
    bool stop; /* no further piece is handed out; under the lock */
    pthread_mutex_t lock;
    const struct ct_listener *listener; /* may stop it; asked without the lock */
};

void thread_queue_open(struct thread_queue *queue, const struct ct_listener *listener);
void thread_queue_close(struct thread_queue *queue);

/* Whether the queue was stopped from outside: to be asked within a piece of work, too. */
bool thread_queue_interrupted(const struct thread_queue *queue);

/* The number of the next piece; false when none is left, or the queue has stopped. */
bool thread_queue_take(struct thread_queue *queue, uint64_t *number);

#endif
