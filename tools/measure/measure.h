/*
 * How kernels and copies share a GPU, measured: what is measured (the plan), how the numbers are
 * summed up and written, and the device that is asked. The host's side is C and runs without a GPU.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is measured ---- */

enum measure_kind {
    /* Multiplies and adds in registers. */
    MEASURE_FMA,
    /* Reads memory far larger than the L2, with a stride. */
    MEASURE_STREAM,
    /* Each load's address comes from the load before. */
    MEASURE_CHASE,
    /* Reads, and computes about as long. */
    MEASURE_MIXED
};

/* Reads 32-byte sectors of memory in an order without any locality of rows. */
#define MEASURE_RANDOM 0

/* A job: LAUNCHES kernels of one kind, one after the other. */
enum { MEASURE_LAUNCHES = 16 };
struct measure_app {
    const char *name; /* "stream8_b2": its size behind the b, as calibrate takes it */
    enum measure_kind kind;
    int stride_sectors; /* MEASURE_STREAM: 1 is the next 32 bytes; MEASURE_RANDOM */
    int blocks_per_2_sms;
};

enum measure_direction { MEASURE_H2D, MEASURE_D2H, MEASURE_BOTH };
struct measure_copy {
    enum measure_direction direction;
    bool pinned;
    int concurrent; /* host threads, each with a stream of its own */
    int beside;     /* more threads, whose copies of pinned memory go on and on meanwhile */
    size_t bytes;   /* of each */
};

struct measure_pair {
    size_t a, b; /* apps */
    double quota_a, quota_b;
};

struct measure_settings {
    const char *out; /* folder */
    int repeats;     /* of each number, after as many warm-ups as MEASURE_WARM_UPS */
    int pairs_most;  /* 0: all */
    double limit_s;  /* no pair is begun after this; 0: none */
    bool dry_run;
};
enum { MEASURE_WARM_UPS = 2, MEASURE_REPEATS_MOST = 101 };

size_t measure_app_count(void);
const struct measure_app *measure_app(size_t index);
size_t measure_copy_count(void);
struct measure_copy measure_copy(size_t index);

/* The quotas in per cent at which applications run alone; the first is 100. */
size_t measure_quota_count(void);
double measure_quota(size_t index);

/*
 * Pair number `index` in an order in which every beginning of the list is a mixture. Without
 * partitions all quotas are 100, else every pair comes at several.
 */
size_t measure_pair_count(bool partitions);
struct measure_pair measure_pair(size_t index, bool partitions);

/* Prints what would be measured, and about how long that takes. */
void measure_print_plan(FILE *out, const struct measure_settings *settings, bool partitions);

/* ---- numbers ---- */

struct measure_summary {
    double median, q1, q3;
    int count;
};

/* Median and quartiles (linear between neighbours); sorts the values. */
struct measure_summary measure_summarise(double *values, int count);

/* ---- the device ---- */

struct measure_conditions {
    char gpu[128], method[32]; /* how SMs are limited: "green contexts", "occupied SMs" */
    int capability_major, capability_minor, sms, driver, runtime;
    int rated_clock_khz, memory_clock_khz, bus_bits;
    size_t l2_bytes, memory_bytes;
    bool ecc, partitions; /* partitions: two applications can have SMs of their own */
};

struct measure_sample {
    double latency_ms;
    double covered; /* share of that time in which the neighbour ran */
};

struct measure_block {
    uint32_t block, sm;
    uint64_t start_ns, end_ns;
};

enum measure_delay {
    /* The host's call. */
    MEASURE_LAUNCH_CALL,
    /* From a launch to the return of a wait for it. */
    MEASURE_LAUNCH_RETURN,
    /* From the end of a kernel to the begin of the next in its stream. */
    MEASURE_LAUNCH_NEXT,
    MEASURE_DELAYS
};
const char *measure_delay_name(enum measure_delay delay);

/* Every function returns false when the device failed; measure_device_why says how. */
struct measure_device;
struct measure_device *measure_device_open(void); /* NULL: there is none */
void measure_device_close(struct measure_device *device);
const char *measure_device_why(void);
void measure_device_conditions(struct measure_device *device, struct measure_conditions *c);

/* SM clock while all SMs compute. */
bool measure_device_clock(struct measure_device *device, double *mhz);

/* The quota that the device can give for a wanted one: SMs come in groups. */
double measure_device_quota(struct measure_device *device, double wanted);
/* One job alone; the memory that it moves. */
bool measure_device_solo(struct measure_device *device, const struct measure_app *app, double quota,
                         double *latency_ms, double *dram_bytes);
/* One job of `a` while jobs of `b` run one after the other. */
bool measure_device_pair(struct measure_device *device, const struct measure_app *a, double quota_a,
                         const struct measure_app *b, double quota_b,
                         struct measure_sample *sample);
/* All copies of the set at once: seconds until the last has ended, those beside them aside. */
bool measure_device_copy(struct measure_device *device, const struct measure_copy *copy,
                         double *seconds);
/* Where each block of one launch ran; `most` blocks at most. */
bool measure_device_place(struct measure_device *device, const struct measure_app *app,
                          struct measure_block *blocks, size_t most, size_t *count);
/* A launch of `b` behind one of `a` that is four times as long as usual and has begun. Times in ms
 * from the begin of `a`: whether blocks of both are on the GPU at once, and who waits for whom. */
struct measure_beside {
    double a_ends, b_begins, b_last_begins, b_ends; /* b_last_begins: its last block */
    int sms_a, sms_b, sms_both;                     /* on which blocks of them ran */
    int most_b;                                     /* blocks of b on one SM */
};
bool measure_device_beside(struct measure_device *device, const struct measure_app *a,
                           const struct measure_app *b, struct measure_beside *beside);
bool measure_device_delay(struct measure_device *device, enum measure_delay delay, double *us);

/* ---- all of it ---- */

/* Measures and writes SOLO.csv, PAIRS.csv, REJECTED.csv, COPIES.csv, PLACEMENT.csv, BESIDE.csv,
 * LAUNCH.csv and CONDITIONS.json. False with a message on standard error. */
bool measure_run(struct measure_device *device, const struct measure_settings *settings);

#ifdef __cplusplus
}
#endif
#endif
