#include "thread_team.h"

#include <pthread.h>

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
