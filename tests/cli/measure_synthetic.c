/*
 * A device for the measuring program that follows a law: every latency alone is 3.2 ms on all SMs
 * and grows as SMs get fewer, neighbours slow each other by 5 % and by what they take from memory.
 * So the tables that a GPU would fill can be made, and checked, without one. SYNTHETIC_PARTITIONS=0
 * takes away partitions, SYNTHETIC_UNCOVERED names an application that its neighbours never cover,
 * SYNTHETIC_GPU is the GPU's title.
 */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

struct measure_device {
    unsigned calls;
};

static const double peak = 1e12, alone_ms = 3.2;

struct measure_device *measure_device_open(void) {
    return getenv("SYNTHETIC_NONE") ? NULL : calloc(1, sizeof(struct measure_device));
}

void measure_device_close(struct measure_device *device) {
    free(device);
}

const char *measure_device_why(void) {
    return "there is none";
}

void measure_device_conditions(struct measure_device *device, struct measure_conditions *c) {
    (void)device;
    const char *title = getenv("SYNTHETIC_GPU");
    *c = (struct measure_conditions){.method = "green contexts",
                                     .capability_major = 9,
                                     .sms = 66,
                                     .memory_clock_khz = 1000000,
                                     .bus_bits = 4000};
    snprintf(c->gpu, sizeof c->gpu, "%s", title ? title : "Made \"up\" 1");
    c->partitions = !getenv("SYNTHETIC_PARTITIONS");
}

bool measure_device_clock(struct measure_device *device, double *mhz) {
    (void)device;
    *mhz = 1500;
    return true;
}

/* SMs come in pairs. */
double measure_device_quota(struct measure_device *device, double wanted) {
    (void)device;
    return 100.0 * (2 * (int)(33 * wanted / 100)) / 66;
}

static double memory_share(const struct measure_app *app) {
    static const double shares[] = {
        [MEASURE_FMA] = 0, [MEASURE_STREAM] = 0.6, [MEASURE_CHASE] = 0.02, [MEASURE_MIXED] = 0.3};
    double share = shares[app->kind];
    return app->blocks_per_2_sms == 1 ? share / 2 : share;
}

static double latency_at(const struct measure_app *app, double quota) {
    double at = alone_ms * (1 + 0.05 * app->blocks_per_2_sms);
    return app->kind == MEASURE_CHASE ? at : at * 100 / quota;
}

/* 1 % up and down, the median of an odd number being the middle. */
static double noise(struct measure_device *device) {
    static const double steps[] = {0, 0.01, -0.01, 0, 0.005};
    return 1 + steps[device->calls++ % (sizeof steps / sizeof steps[0])];
}

bool measure_device_solo(struct measure_device *device, const struct measure_app *app, double quota,
                         double *latency_ms, double *dram_bytes) {
    *dram_bytes = memory_share(app) * peak * latency_at(app, 100) / 1e3;
    *latency_ms = latency_at(app, quota) * noise(device);
    return true;
}

bool measure_device_pair(struct measure_device *device, const struct measure_app *a, double quota_a,
                         const struct measure_app *b, double quota_b,
                         struct measure_sample *sample) {
    const char *uncovered = getenv("SYNTHETIC_UNCOVERED");
    double taken = memory_share(b) * latency_at(b, 100) / latency_at(b, quota_b);
    sample->latency_ms = latency_at(a, quota_a) * (1.05 + 0.2 * taken) * noise(device);
    sample->covered = 1;
    if (uncovered && strcmp(uncovered, a->name) == 0)
        sample->covered = 0.5;
    return true;
}

/* One engine per direction: 20 GB/s pinned, 8 pageable, one after the other. */
bool measure_device_copy(struct measure_device *device, const struct measure_copy *copy,
                         double *seconds) {
    (void)device;
    *seconds = (double)copy->bytes *
               (copy->concurrent / (copy->pinned ? 20e9 : 8e9) + copy->beside / 20e9);
    return true;
}

bool measure_device_place(struct measure_device *device, const struct measure_app *app,
                          struct measure_block *blocks, size_t most, size_t *count) {
    (void)device;
    *count = 33 * (size_t)app->blocks_per_2_sms < most ? 33 * (size_t)app->blocks_per_2_sms : most;
    for (size_t i = 0; i < *count; i++)
        blocks[i] = (struct measure_block){(uint32_t)i, (uint32_t)(i % 66), i, i + 1000};
    return true;
}

bool measure_device_beside(struct measure_device *device, const struct measure_app *a,
                           const struct measure_app *b, struct measure_beside *beside) {
    (void)device, (void)a, (void)b;
    *beside = (struct measure_beside){1, 0.25, 0.5, 1.5, 66, 33, 32, 4};
    return true;
}

bool measure_device_delay(struct measure_device *device, enum measure_delay delay, double *us) {
    (void)device;
    *us = 2.5 + delay;
    return true;
}
