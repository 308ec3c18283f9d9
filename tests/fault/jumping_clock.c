/*
 * Preloaded into the program, this makes its clocks jump: each question is answered with another
 * time, years ahead or back, by turns that CLOCK_SEED decides; with CLOCK_STEP=N, N seconds after
 * the time before. CLOCK_SLEEPLESS=1: sleeping takes no
 * time, so that whoever waits for a lock gives up at once.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong asked;

static uint64_t number_of(const char *name) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* Seconds since 1970 up to the year 2100, scattered by a hash (SplitMix64). */
static time_t any_second(void) {
    if (number_of("CLOCK_STEP"))
        return (time_t)(++asked * number_of("CLOCK_STEP"));
    uint64_t x = number_of("CLOCK_SEED") + ++asked * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (time_t)((x ^ x >> 31) % UINT64_C(4102444800));
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    (void)clock;
    *now = (struct timespec){.tv_sec = any_second(), .tv_nsec = (long)(asked % 1000000000)};
    return 0;
}

time_t time(time_t *now) {
    time_t second = any_second();
    if (now)
        *now = second;
    return second;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    *now = (struct timeval){.tv_sec = any_second()};
    return 0;
}

int usleep(useconds_t duration) {
    if (number_of("CLOCK_SLEEPLESS"))
        return 0;
    struct timespec pause = {.tv_sec = duration / 1000000, .tv_nsec = duration % 1000000 * 1000L};
    return nanosleep(&pause, NULL);
}
