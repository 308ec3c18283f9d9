/*
 * Times the engine against the textbook heap: bench_engine [REPETITIONS [KIND]] prints one line per
 * kind of work (whose name contains KIND): the medians in nanoseconds of processor time per event,
 * and their ratio. Both queues must meet the same events at the same times, or it fails.
 */
#include "bench_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_REPETITIONS 99

enum { QUEUES = 2 };

static const struct bench_queue *const queues[QUEUES] = {&bench_engine, &bench_textbook};

enum kind { MM1, HOLD, RESCHEDULE, TIES };

static const struct bench_case {
    const char *name;
    enum kind kind;
    uint32_t pending;
    uint64_t events;
} cases[] = {
    {"M/M/1 at load 0.9", MM1, 2, 20000000},
    {"hold, 10 pending", HOLD, 10, 10000000},
    {"hold, 10^3 pending", HOLD, 1000, 5000000},
    {"hold, 10^5 pending", HOLD, 100000, 3000000},
    {"hold, 10^6 pending", HOLD, 1000000, 3000000},
    {"hold and reschedule, 8 pending", RESCHEDULE, 8, 5000000},
    {"hold and reschedule, 64 pending", RESCHEDULE, 64, 5000000},
    {"hold and reschedule, 512 pending", RESCHEDULE, 512, 5000000},
    {"ties, 10^5 pending", TIES, 100000, 3000000},
};

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double run_once(const struct bench_queue *queue, const struct bench_case *work,
                       uint64_t *check) {
    switch (work->kind) {
    case MM1:
        return queue->mm1(work->events, check);
    case HOLD:
        return queue->hold(work->pending, work->events, check);
    case RESCHEDULE:
        return queue->reschedule(work->pending, work->events, check);
    case TIES:
        return queue->ties(work->pending, work->events, check);
    }
    abort();
}

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Nanoseconds per event of each queue: the median of repetitions that alternate, so that both meet
 * the same weather. */
static bool measure(const struct bench_case *work, size_t repetitions, double nanoseconds[QUEUES]) {
    double seconds[QUEUES][MOST_REPETITIONS];
    for (size_t i = 0; i < repetitions; i++) {
        uint64_t check[QUEUES];
        for (size_t queue = 0; queue < QUEUES; queue++)
            seconds[queue][i] = run_once(queues[queue], work, &check[queue]);
        if (check[0] != check[1])
            return false;
    }
    for (size_t queue = 0; queue < QUEUES; queue++) {
        qsort(seconds[queue], repetitions, sizeof **seconds, compare_doubles);
        nanoseconds[queue] = 1e9 * seconds[queue][repetitions / 2] / (double)work->events;
    }
    return true;
}

int main(int argc, char **argv) {
    long repetitions = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
    const char *kind = argc > 2 ? argv[2] : "";
    if (repetitions < 1 || repetitions > MOST_REPETITIONS) {
        fprintf(stderr, "bench_engine: repetitions 1 to %d\n", MOST_REPETITIONS);
        return 2;
    }
    printf("| %-32s | %8s | %13s | %5s |\n", "ns per event", queues[0]->name, queues[1]->name,
           "ratio");
    printf("|---|---:|---:|---:|\n");
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        double nanoseconds[QUEUES];
        if (!strstr(cases[i].name, kind))
            continue;
        if (!measure(&cases[i], (size_t)repetitions, nanoseconds)) {
            fprintf(stderr, "bench_engine: the queues disagree on '%s'\n", cases[i].name);
            return 1;
        }
        printf("| %-32s | %8.1f | %13.1f | %5.2f |\n", cases[i].name, nanoseconds[0],
               nanoseconds[1], nanoseconds[1] / nanoseconds[0]);
        fflush(stdout);
    }
    return 0;
}
