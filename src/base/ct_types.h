/* Picoseconds, shares and rounding: the units that every folder uses. */
#ifndef CT_TYPES_H
#define CT_TYPES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Simulated time: picoseconds, signed, range 106 days. */
typedef int64_t ct_time_ps;

#define CT_PS_PER_NS INT64_C(1000)
#define CT_PS_PER_US INT64_C(1000000)
#define CT_PS_PER_MS INT64_C(1000000000)
#define CT_PS_PER_S INT64_C(1000000000000)
#define CT_TIME_NEVER INT64_MAX

#define CT_BYTES_PER_GIB 1073741824.0

/* A share of the GPU's SMs or of its threads, per mille: 1000 is the whole GPU. */
typedef int32_t ct_share;
#define CT_SHARE_FULL 1000

/* How a call, and at the end the program, went: CT_OK, or whose fault it was. The values are exit
 * codes. */
enum ct_status {
    CT_OK = 0,
    /* A wrong answer to an exercise. */
    CT_WRONG = 1,
    /* The command line or the configuration is wrong. */
    CT_USAGE = 2,
    /* Data or the environment failed, as when memory ran out. */
    CT_DATA = 3,
    CT_POLICY_FAULT = 4,
    CT_INTERRUPTED = 130
};

/*
 * Rounds a duration in picoseconds to the clock, half to even. Saturates at CT_TIME_NEVER; a NaN is
 * a caller's error and becomes CT_TIME_NEVER too.
 */
static inline ct_time_ps ct_time_round(double ps) {
    if (!(fabs(ps) < 9.2e18))
        return ps < 0 ? -CT_TIME_NEVER : CT_TIME_NEVER;
    return (ct_time_ps)llrint(ps);
}

/* Seconds on the clock, rounded so. */
static inline ct_time_ps ct_time_of_s(double seconds) {
    return ct_time_round(seconds * (double)CT_PS_PER_S);
}

/* A time moved by a duration, both in picoseconds; CT_TIME_NEVER where that is beyond the clock's
 * range. */
static inline ct_time_ps ct_time_later(ct_time_ps time, ct_time_ps duration) {
    return duration < CT_TIME_NEVER - time ? time + duration : CT_TIME_NEVER;
}

/* Picoseconds in milliseconds, for people. */
static inline double ct_time_ms(ct_time_ps time) {
    return (double)time / (double)CT_PS_PER_MS;
}

static inline double ct_time_s(ct_time_ps time) {
    return (double)time / (double)CT_PS_PER_S;
}

#define CT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
