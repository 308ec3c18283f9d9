/* The completion model of C-QoS, Eq. 2 to 7, against numbers computed by hand. */
#include "cmocka_complete.h"
#include "models/predict/predict_completion.h"

#include <math.h>

#define assert_near(value, expected) assert_true(fabs((value) - (expected)) < 1e-6)

/* 16 SMs that hold 5 blocks each: the paper's blocks of 384 threads on 2048 (section II). */
static const struct completion_period alone = {
    .blocks = 400, .blocks_per_sm = 5, .sms = 16, .dram_bytes_per_s = 480e9};

static const struct completion_wait no_wait = {0};

/* 400 blocks over 80 slots: 5 waves. 401 need a sixth, one block needs one, no SM gives none. */
TEST(waves_are_rounded_up) {
    struct completion_period period = alone;
    assert_near(completion_waves(&period), 5);
    period.blocks = 401;
    assert_near(completion_waves(&period), 6);
    period.blocks = 1;
    assert_near(completion_waves(&period), 1);
    period.sms = 0;
    assert_true(isinf(completion_waves(&period)));
}

/* 1 ms alone in 5 waves: 0.2 ms a wave. On 6 SMs 400 blocks over 30 slots are 14 waves: 2.8 ms.
 * Alone it is the solo time again. */
TEST(running_time_is_equation_4) {
    struct completion_period period = alone;
    double wave = completion_wave_ps(1e9, &alone);
    assert_near(wave, 2e8);
    assert_near(completion_running_ps(wave, &period, 1), 1e9);
    period.sms = 6;
    assert_near(completion_running_ps(wave, &period, 1), 2.8e9);
}

/* 60 GB/s per SM on 16 SMs ask for 960 of 480 GB/s: half the speed. On 8 SMs all is supplied: 10
 * waves of 0.2 ms. */
TEST(memory_that_is_short_slows_equation_4) {
    struct completion_period period = alone;
    period.bandwidth_per_sm = 60e9;
    assert_near(completion_running_ps(2e8, &period, 1), 2e9);
    period.sms = 8;
    assert_near(completion_running_ps(2e8, &period, 1), 2e9);
    period.sms = 10; /* 600 of 480 GB/s: 8 waves x 0.2 ms / 0.8 */
    assert_near(completion_running_ps(2e8, &period, 1), 2e9);
}

/* 160 blocks on 16 SMs are 2 waves, the other 240 on 4 SMs 12: 14 x 0.2 ms. */
TEST(periods_add_up) {
    struct completion_period periods[] = {alone, alone};
    periods[0].blocks = 160;
    periods[1].blocks = 240;
    periods[1].sms = 4;
    assert_near(completion_running_ps(2e8, periods, 2), 2.8e9);
    assert_near(completion_running_ps(2e8, periods, 0), 0);
}

/* Eq. 3: 1 + 2 + 3 + 10. */
TEST(waits_come_before) {
    struct completion_wait wait = {.submit_ps = 1, .queue_ps = 2, .head_ps = 3};
    assert_near(completion_execution_ps(&wait, 10), 16);
}

/* Eq. 7: 32 MB at 16 GB/s are 2 ms, 8 MB at 4 GB/s 2 ms more than waits of 0.5 ms. */
TEST(copies_take_equation_7) {
    struct completion_wait wait = {.submit_ps = 1e8, .queue_ps = 2e8, .head_ps = 2e8};
    assert_near(completion_copy_ps(&no_wait, 32e6, 16e9), 2e9);
    assert_near(completion_copy_ps(&wait, 8e6, 4e9), 2.5e9);
}
