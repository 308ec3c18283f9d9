/* Stands in for the applications of tools/measure on a machine without a GPU: jobs that sleep, and
 * two processes that stand still in turn. */
#include "measure_apps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {"compute", "stream"};
enum { NAMES = sizeof names / sizeof names[0], SLICE_NS = 2000000, SWITCH_NS = 100000 };

struct apps_app {
    int64_t job_ns;
};

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t ns) {
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
        continue;
}

const char *apps_why(void) {
    return "the stand-in has no such application";
}

struct apps_app *apps_open(const char *name, int64_t *numbers) {
    for (int i = 0; i < NAMES; i++)
        if (strcmp(name, names[i]) == 0) {
            struct apps_app *app = malloc(sizeof *app);
            if (app)
                app->job_ns = (i + 1) * (int64_t)1000000;
            numbers[0] = i + 1;
            numbers[APPS_SMS] = 4;
            return app;
        }
    return NULL;
}

int apps_run(struct apps_app *app, int64_t begin_ns, int64_t end_ns, int64_t *starts_ns,
             int64_t *ends_ns, int most) {
    int count = 0;
    sleep_until(begin_ns);
    for (int64_t start = now_ns(); start < end_ns && count < most; count++) {
        sleep_until(start + app->job_ns);
        int64_t end = now_ns();
        if (starts_ns) {
            starts_ns[count] = start;
            ends_ns[count] = end;
        }
        start = end;
    }
    return count;
}

/* Slices begin with multiples of their length: even ones belong to processes of even number. */
int apps_pauses(int blocks_per_sm, int64_t least_ns, int64_t seconds_ns, int64_t *before_ns,
                int64_t *after_ns, int most) {
    (void)blocks_per_sm, (void)least_ns;
    int64_t first = now_ns() / (2 * SLICE_NS) * (2 * SLICE_NS) + getpid() % 2 * SLICE_NS;
    int count = 0;
    for (int64_t at = first; at < first + seconds_ns && count < most; at += 2 * (int64_t)SLICE_NS) {
        before_ns[count] = at + SLICE_NS;
        after_ns[count++] = at + 2 * (int64_t)SLICE_NS + SWITCH_NS;
    }
    return count;
}
