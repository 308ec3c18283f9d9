/*
 * Times the engine against the textbook heap: bench [REPETITIONS] prints one line per kind of work,
 * the medians in nanoseconds per event and their ratio. Both must meet the same events at the same
 * times, or it fails.
 */
#include "bench_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_REPETITIONS 99

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
    clock_gettime(CLOCK_MONOTONIC, &now);
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

/* Median of the repetitions, in nanoseconds per event. */
static double measure(const struct bench_queue *queue, const struct bench_case *work,
                      int repetitions, uint64_t *check) {
    double seconds[MOST_REPETITIONS];
    for (int i = 0; i < repetitions; i++)
        seconds[i] = run_once(queue, work, check);
    qsort(seconds, (size_t)repetitions, sizeof *seconds, compare_doubles);
    return 1e9 * seconds[repetitions / 2] / (double)work->events;
}

int main(int argc, char **argv) {
    int repetitions = argc > 1 ? atoi(argv[1]) : 5;
    if (repetitions < 1 || repetitions > MOST_REPETITIONS) {
        fprintf(stderr, "bench: repetitions 1 to %d\n", MOST_REPETITIONS);
        return 2;
    }
    printf("| %-32s | %14s | %14s | %5s |\n", "ns per event", bench_engine.name,
           bench_textbook.name, "ratio");
    printf("|---|---:|---:|---:|\n");
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        uint64_t check, expected;
        double ours = measure(&bench_engine, &cases[i], repetitions, &check);
        double theirs = measure(&bench_textbook, &cases[i], repetitions, &expected);
        printf("| %-32s | %14.1f | %14.1f | %5.2f |\n", cases[i].name, ours, theirs, theirs / ours);
        fflush(stdout);
        if (check != expected) {
            fprintf(stderr, "bench: the queues disagree on '%s'\n", cases[i].name);
            return 1;
        }
    }
    return 0;
}
