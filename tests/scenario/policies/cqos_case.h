/* A scene of C-QoS made by hand: kernels of 160 blocks on 16 SMs, one copy engine. */
#ifndef CQOS_CASE_H
#define CQOS_CASE_H

#include "cmocka_complete.h"
#include "policies/cqos.h"

#include <math.h>
#include <stdlib.h>

#define assert_near(value, expected) assert_true(fabs((value) - (expected)) < 1e-9)

static const struct cqos_weights over_cost = {
    .qos = 10, .use = 1, .per_cost = true, .change = CQOS_CHANGE_ABSOLUTE};
static double no_slowdown[CQOS_SMS_MOST + 1];

static struct cqos_scene scene;
static struct cqos_worth worth[CQOS_APPS_MOST];
static double times[CQOS_SMS_MOST + 1], use_sum[CQOS_SMS_MOST + 1];

/* A kernel of 160 blocks, ten to an SM, which fill a tenth of blocks and threads and a twentieth of
 * the registers each: 160 / SMs. A block takes 2. */
static inline struct cqos_kernel kernel_of(double left) {
    for (int i = 1; i <= 16; i++)
        times[i] = 160.0 / i;
    struct cqos_kernel kernel = {.there = true,
                                 .blocks = 160,
                                 .blocks_per_sm = 10,
                                 .use = {0.1, 0.1, 0.05, 0},
                                 .need = 16,
                                 .time_ps = times,
                                 .use_sum = use_sum,
                                 .block_ps = 2,
                                 .left = left};
    for (int i = 0; i <= 16; i++)
        use_sum[i] = cqos_use_sum(&scene.device, &kernel, i);
    return kernel;
}

static inline struct cqos_app *add_app(int64_t sms, double target) {
    struct cqos_app *app = &scene.apps[scene.count];
    *app = (struct cqos_app){.client = scene.count,
                             .sms = sms,
                             .target_ps = target,
                             .tasks = 1,
                             .slowdown = no_slowdown,
                             .worth = &worth[scene.count]};
    scene.count++;
    return app;
}

static inline void start_scene(void) {
    for (int i = 0; i <= CQOS_SMS_MOST; i++)
        no_slowdown[i] = 1;
    scene.count = 0;
    scene.busy_ps[0] = 0;
    scene.device = (struct cqos_device){.sms = 16, .pcie_bytes_per_s = 16e9, .engines = 1};
}

static inline double latency(const struct cqos_partition *partition,
                             const struct cqos_weights *weights, uint32_t app) {
    struct cqos_decision decision = {partition, CQOS_NOBODY, 0, false};
    return cqos_latency(&scene, weights, &decision, app);
}

#endif
