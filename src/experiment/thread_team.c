#include "experiment/thread_team.h"

void thread_team_work(uint32_t wanted, void *(*work)(void *context), void *context) {
    pthread_t threads[THREAD_TEAM_MOST - 1];
    uint32_t started = 0;
    while (started + 1 < wanted && started < CT_COUNT_OF(threads) &&
           pthread_create(&threads[started], NULL, work, context) == 0)
        started++;
    work(context);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

void thread_queue_open(struct thread_queue *queue, const struct ct_listener *listener) {
    *queue = (struct thread_queue){.listener = listener};
    pthread_mutex_init(&queue->lock, NULL);
}

void thread_queue_close(struct thread_queue *queue) {
    pthread_mutex_destroy(&queue->lock);
}

bool thread_queue_interrupted(const struct thread_queue *queue) {
    return ct_is_interrupted(queue->listener);
}

bool thread_queue_take(struct thread_queue *queue, uint64_t *number) {
    bool interrupted = thread_queue_interrupted(queue); /* short runs end before they ask */
    pthread_mutex_lock(&queue->lock);
    queue->stop |= interrupted;
    bool taken = !queue->stop && queue->next < queue->count;
    if (taken)
        *number = queue->next++;
    pthread_mutex_unlock(&queue->lock);
    return taken;
}
