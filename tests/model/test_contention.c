/* The contention formula by hand, its bounds, and its neutral parameters. */
#include "cmocka_complete.h"
#include "models/device/contention.h"

/* Fitted to 750 measured pairs. */
static const struct gpu v100 = {
    .contention_k0 = 0.057, .contention_k = 0.028, .launch_delay_us = 4};

static void slowdown_is(const struct gpu *gpu, struct contention_load load, double wanted) {
    double slowdown = contention_slowdown(gpu, &load);
    if (!(fabs(slowdown - wanted) <= 1e-12))
        fail_msg("%.15g, want %.15g", slowdown, wanted);
}

TEST(by_hand) {
    /* Alone, whatever else is said. */
    slowdown_is(&v100, (struct contention_load){0, 1.5, 0.7, 3.0}, 1.0);
    /* Somebody idle: 1 + 0.057. */
    slowdown_is(&v100, (struct contention_load){1, 0.0, 0.3, 1.0}, 1.057);
    /* 1 + 0.057 + 0.028 * 0.5 / (1 - 0.5) = 1.085. */
    slowdown_is(&v100, (struct contention_load){1, 0.5, 0.5, 1.0}, 1.085);
    /* S doubles both: 1 + 2 * 0.085; S 0 feels nothing. */
    slowdown_is(&v100, (struct contention_load){1, 0.5, 0.5, 2.0}, 1.17);
    slowdown_is(&v100, (struct contention_load){1, 0.5, 0.5, 0.0}, 1.0);
    /* A neighbour that counts for a half: 1 + 0.0285 + 0.028 * 0.25 / (1 - 0.5). */
    slowdown_is(&v100, (struct contention_load){0.5, 0.25, 0.5, 1.0}, 1.0425);
    /* P is capped at 2, D at 0.8: 1 + 0.057 + 0.028 * 2 / 0.2 = 1.337 is the most. */
    slowdown_is(&v100, (struct contention_load){1, 5.0, 3.0, 1.0}, 1.337);
}

/* Above D = 0.8 the bandwidth model rules: nothing is added here. */
TEST(flat_above_saturation) {
    const struct contention_load at = {1, 1.0, 0.8, 1.0}, above = {1, 1.0, 1.4, 1.0};
    assert_true(contention_slowdown(&v100, &at) == contention_slowdown(&v100, &above));
}

TEST(monotone) {
    for (int d = 0; d <= 150; d++) {
        double before = 1.0;
        for (int p = 0; p <= 300; p++) {
            struct contention_load load = {1, p / 100.0, d / 100.0, 1.0};
            double slowdown = contention_slowdown(&v100, &load);
            load.dram = (d + 1) / 100.0;
            assert_true(slowdown >= before && contention_slowdown(&v100, &load) >= slowdown);
            before = slowdown;
        }
    }
}

TEST(parts_add_up) {
    const struct contention_load load = {1, 0.9, 0.4, 1.3};
    struct contention_loss loss = contention_loss(&v100, &load);
    assert_true(fabs(loss.sm - 1.3 * 0.057) <= 1e-12);
    assert_true(fabs(loss.bandwidth - 1.3 * 0.028 * 0.9 / 0.6) <= 1e-12);
}

TEST(neutral_parameters_change_nothing) {
    const struct gpu neutral = {0};
    slowdown_is(&neutral, (struct contention_load){1, 2.0, 0.9, 1.0}, 1.0);
    assert_int_equal(contention_launch_delay(&neutral, 7), 0);
}

TEST(launch_delay_by_hand) {
    assert_int_equal(contention_launch_delay(&v100, 0), 0);
    assert_int_equal(contention_launch_delay(&v100, 3), 12 * CT_PS_PER_US);
}
