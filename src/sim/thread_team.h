/* Several threads at one piece of work. */
#ifndef THREAD_TEAM_H
#define THREAD_TEAM_H

#include "ct_types.h"

enum { THREAD_TEAM_MOST = 64 };

/*
 * Lets `wanted` threads, one of them the caller's, run `work(context)`, which takes what is next
 * until nothing is left (and returns NULL); fewer where the system gives no more. Returns when all
 * have ended.
 */
void thread_team_work(uint32_t wanted, void *(*work)(void *context), void *context);

#endif
