/* HSM: Eq. 2 to 5, epochs and moves of SMs, computed by hand from sections 2 and 4 of the paper. */
#include "policies/hsm_model.h"
#include "policy_case.h"

/*
 * 80 SMs of 2 schedulers (HSM Table 1) at 1 GHz: 80 x 2 x 32 thread instructions per ns. 900 GB/s.
 * An epoch of 500,000 cycles is 0.5 ms; I_Max is 2.56e9 instructions.
 */
#define US INT64_C(1000000)
#define EPOCH (500 * US)
#define I_MAX 2.56e9

#define assert_near(value, expected) assert_true(fabs((value) - (expected)) < 1e-9)

static const struct ct_device_info device = {.sms = 80,
                                             .threads_per_sm = 2048,
                                             .blocks_per_sm = 32,
                                             .clock_hz = 1e9,
                                             .dram_bytes_per_s = 900e9,
                                             .pcie_bytes_per_s = 12e9,
                                             .pcie_pageable_bytes_per_s = 3e9,
                                             .pcie_pinned_bytes_per_s = 11e9,
                                             .copy_engines = 2,
                                             .row_hit_slope = 0.5,
                                             .row_hit_base = 0.36,
                                             .warp_schedulers = 2};

static const struct hsm_device model = {
    .sms = 80, .peak_bytes_per_s = 900e9, .peak_instructions_per_s = 5.12e12};

/* Counters of one epoch: instructions as a part of I_Max, bandwidth as a part of the peak. */
static struct ct_counters epoch_of(double issued, double bandwidth, double row_hit_rate) {
    double accesses = bandwidth * 900e9 * 0.5e-3 / 128;
    return (struct ct_counters){.instructions = issued * I_MAX,
                                .memory_accesses = accesses,
                                .row_hits = accesses * row_hit_rate,
                                .busy_ps = (double)EPOCH};
}

/* The two points that the paper quotes: 46 % at RBH 0.2, 86 % at 1.0, so c1 = 0.5 and c2 = 0.36. */
static const struct hsm_line line = {.slope = 0.5, .base = 0.36};

/* ---- the model ---- */

TEST(line_passes_through_two_kernels) {
    double rates[] = {0.2, 1.0}, bandwidths[] = {0.46, 0.86};
    struct hsm_line fitted;
    assert_true(hsm_line_fit(rates, bandwidths, 2, &fitted));
    assert_near(fitted.slope, 0.5);
    assert_near(fitted.base, 0.36);
}

/* x 0, 0.5, 1, y 0.3, 0.7, 0.8: slope (0.5 x 0.3 + 0.5 x 0.2) / 0.5 = 0.5, mean 0.6 at 0.5. */
TEST(line_is_the_least_squares_one) {
    double rates[] = {0, 0.5, 1}, bandwidths[] = {0.3, 0.7, 0.8};
    struct hsm_line fitted;
    assert_true(hsm_line_fit(rates, bandwidths, 3, &fitted));
    assert_near(fitted.slope, 0.5);
    assert_near(fitted.base, 0.35);
}

TEST(hit_rates_alike_determine_no_slope) {
    double rates[] = {0.8, 0.8, 0.85}, bandwidths[] = {0.6, 0.7, 0.8};
    struct hsm_line fitted;
    assert_false(hsm_line_fit(rates, bandwidths, 3, &fitted));
    assert_false(hsm_line_fit(rates, bandwidths, 1, &fitted));
    assert_false(hsm_line_fit(rates, bandwidths, 0, &fitted));
}

/* Insight 4: bandwidth grows with the hit rate. c1 = -0.5 is refused, c1 = 0 is not; nor is there
 * memory that stands still without hits (c2 = 0.2 - 0.25 x 0.8 = 0). */
TEST(a_line_that_falls_is_refused) {
    double rates[] = {0.2, 0.8}, falling[] = {0.7, 0.4}, level[] = {0.5, 0.5}, none[] = {0.1, 0.4};
    struct hsm_line fitted;
    assert_false(hsm_line_fit(rates, falling, 2, &fitted));
    assert_true(hsm_line_fit(rates, level, 2, &fitted));
    assert_near(fitted.slope, 0);
    assert_false(hsm_line_fit(rates, none, 2, &fitted));
}

/* Eq. 2: (I_Max / I_k) x MemAccesses x 128 x f / E. A tenth of I_Max, 10^6 accesses: 10 x 10^6 x
 * 128 B / 0.5 ms = 2560 GB/s, 2.844 of the peak. */
TEST(demand_is_equation_2) {
    struct ct_counters counters = {.instructions = 0.1 * I_MAX, .memory_accesses = 1e6};
    assert_near(hsm_demand(&model, &counters), 2560.0 / 900.0);
    counters.instructions = 0;
    assert_true(isnan(hsm_demand(&model, &counters)));
}

/* Eq. 3: 30 % of the peak at half of I_Max asks for 60 %. At RBH 0.2 the memory gives 46 %, at 0.8
 * it gives 76 %. */
TEST(class_is_demand_against_supply) {
    struct hsm_measure scattered = {.counters = epoch_of(0.5, 0.3, 0.2), .sms = 32};
    struct hsm_measure streaming = {.counters = epoch_of(0.5, 0.3, 0.8), .sms = 32};
    struct hsm_measure pure = {.counters = epoch_of(0.9, 0, 0), .sms = 32};
    assert_near(hsm_progress(&model, &line, &scattered), 0.3 / 0.46);
    assert_near(hsm_progress(&model, &line, &streaming), 0.4);
    assert_near(hsm_progress(&model, &line, &pure), 0.4);
    scattered.counters.instructions = 0;
    assert_true(isnan(hsm_progress(&model, &line, &scattered)));
}

/* Eq. 4: 32 of 80 SMs; a launch of 50 blocks has 50 at most (section 2.3.1). */
TEST(compute_bound_progress_is_equation_4) {
    struct hsm_measure measure = {.counters = epoch_of(0.9, 0.01, 0.5), .sms = 32, .blocks = 1000};
    assert_near(hsm_progress(&model, &line, &measure), 0.4);
    measure.blocks = 50;
    assert_near(hsm_progress(&model, &line, &measure), 0.64);
    measure.blocks = 20;
    assert_near(hsm_progress(&model, &line, &measure), 1);
    measure.sms = 0;
    assert_true(isnan(hsm_progress(&model, &line, &measure)));
}

/* Eq. 5: 33 % drawn, RBH 0.6: 0.5 x 0.6 + 0.36 = 66 % alone, so NP 0.5 on any number of SMs. Above
 * 1 it is used as it is. */
TEST(memory_bound_progress_is_equation_5) {
    struct hsm_measure measure = {.counters = epoch_of(0.05, 0.33, 0.6), .sms = 7, .blocks = 1000};
    assert_near(hsm_progress(&model, &line, &measure), 0.5);
    measure.counters = epoch_of(0.05, 0.69, 0.2);
    assert_near(hsm_progress(&model, &line, &measure), 1.5);
}

/* ---- scenarios ---- */

static struct fake_host *open_hsm(const struct ct_policy *policy, const char *set) {
    struct fake_host *fake = fake_open_on(policy, set, &device);
    assert_non_null(fake);
    return fake;
}

/* Decides, and lets a partition that was asked for come into force. */
static void settle(struct fake_host *fake) {
    uint32_t before = fake->partitions;
    fake_decide(fake, 0);
    if (fake->partitions != before)
        fake->policy->repartition_done(&fake->context);
}

/* One application with one long kernel of many blocks. */
static struct fake_task *start(struct fake_host *fake, struct fake_job *job, uint32_t function) {
    struct fake_task *task = fake_kernel(fake, job, NAN);
    task->task.function_id = function;
    task->task.grid[0] = 10000;
    return task;
}

static struct fake_job *open_app(struct fake_host *fake, int32_t role) {
    return fake_begin(fake, fake_join(fake, "app", role, 0), NAN, false);
}

static void add_counters(struct fake_host *fake, uint32_t client, struct ct_counters more) {
    struct ct_counters *sum = &fake->counters[client];
    sum->instructions += more.instructions;
    sum->memory_accesses += more.memory_accesses;
    sum->row_hits += more.row_hits;
    sum->busy_ps += more.busy_ps;
}

/* Runs to the end of the epoch that began now, with these counters, and decides. */
static void pass_epoch(struct fake_host *fake, const struct ct_counters *counters, uint32_t count) {
    uint32_t before = fake->partitions;
    for (uint32_t i = 0; i < count; i++)
        add_counters(fake, i, counters[i]);
    fake_advance(fake, fake->now_ps + EPOCH);
    if (fake->partitions != before)
        fake->policy->repartition_done(&fake->context);
    settle(fake);
}

static void expect_sms(const struct fake_host *fake, int64_t first, int64_t second) {
    assert_int_equal(fake->partition[0], first);
    assert_int_equal(fake->partition[1], second);
}

static struct fake_host *open_two(const struct ct_policy *policy, const char *set) {
    struct fake_host *fake = open_hsm(policy, set);
    for (int i = 0; i < 2; i++)
        start(fake, open_app(fake, CT_BATCH), (uint32_t)i);
    settle(fake);
    expect_sms(fake, 40, 40);
    return fake;
}

/*
 * A is compute-bound on 40 of 80: NP 0.5, g 0.0125. B draws all of its 46 %: NP 1, g 0.025.
 * Fairness 0.5 < 0.9; n = 0.5 / 0.0375 = 13.3, 13 SMs go from B to A. 2 kernels x 181 cycles.
 */
POLICY_TEST(fair_moves_n_sms, open_two(&policy_hsm_fair, "schedulers=2")) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.01, 0.5), epoch_of(0.05, 0.46, 0.2)};
    fake_advance(fake, 300 * US);
    expect_sms(fake, 40, 40);
    fake->now_ps = 0;
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 53, 27);
    assert_int_equal(fake->charged_ps, 362000);
    assert_near(fake_noted(fake, NULL, "fairness"), 0.5);
    assert_true(fake_reported(fake, "sms_moved") == 13 && fake_reported(fake, "epochs") == 1);
    /* The epoch after counts from zero: A 53/80 = 0.6625, B 0.305/0.46 = 0.663: fair, all stays. */
    epoch[1] = epoch_of(0.04, 0.305, 0.2);
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 53, 27);
    assert_true(fake_reported(fake, "reallocations") == 1 && fake_reported(fake, "epochs") == 2);
}

/*
 * At 90 % of what the GPU's two schedulers issue, 30 % of the bandwidth: 33 % at full rate are less
 * than the 46 % that row hits of 0.2 allow, and A is compute-bound as B is: fair. With four it
 * would ask for 67 %, be memory-bound, and at 0.30 / 0.46 = 0.65: n = 0.152 / (0.0125 + 0.0163)
 * = 5.3.
 */
TEST(schedulers_are_the_gpus) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.3, 0.2), epoch_of(0.9, 0.01, 0.5)};
    FREED_BY(close_sound) struct fake_host *fake = open_two(&policy_hsm_fair, NULL);
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 40, 40);
    close_sound(fake);
    fake = open_two(&policy_hsm_fair, "schedulers=4");
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 35, 45);
}

/* NP 0.5 and 0.55 (25.3 of 46 %): fairness 0.909 is enough at 0.9; at 0.95 n = 0.05 / 0.02625 =
 * 1.9, rounded to 2. */
TEST(fair_waits_for_the_threshold) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.01, 0.5), epoch_of(0.05, 0.253, 0.2)};
    FREED_BY(close_sound) struct fake_host *fake = open_two(&policy_hsm_fair, "schedulers=2");
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 40, 40);
    close_sound(fake);
    fake = open_two(&policy_hsm_fair, "schedulers=2 threshold=0.95");
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 42, 38);
}

/* NP above 1 is used as it is, and counted: 0.69 / 0.46 = 1.5, g 0.0375; n = 1 / 0.05 = 20. That of
 * 0.46 / 0.46 is 1, whatever becomes of it in binary. */
POLICY_TEST(progress_above_one_is_counted, open_two(&policy_hsm_fair, "schedulers=2")) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.01, 0.5), epoch_of(0.05, 0.69, 0.2)};
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 60, 20);
    assert_true(fake_reported(fake, "np_above_one") == 1);
    epoch[1] = epoch_of(0.05, 0.46, 0.2);
    pass_epoch(fake, epoch, 2);
    assert_true(fake_noted(fake, NULL, "np") > 1);
    assert_true(fake_reported(fake, "np_above_one") == 1);
}

/* Four applications on 20 SMs each: NP 0.25 (Eq. 4), 0.3, 0.8, 0.4 (Eq. 5 at 46 %). One pair, the
 * third gives to the first: n = 0.55 / (0.04 + 0.0125) = 10.5, rounded to 10. */
POLICY_TEST(four_applications_move_one_pair, open_hsm(&policy_hsm_fair, "schedulers=2")) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.01, 0.5), epoch_of(0.05, 0.3 * 0.46, 0.2),
                                  epoch_of(0.05, 0.8 * 0.46, 0.2), epoch_of(0.05, 0.4 * 0.46, 0.2)};
    for (uint32_t i = 0; i < 4; i++)
        start(fake, open_app(fake, CT_BATCH), i);
    settle(fake);
    expect_sms(fake, 20, 20);
    pass_epoch(fake, epoch, 4);
    expect_sms(fake, 30, 20);
    assert_true(fake->partition[2] == 10 && fake->partition[3] == 20);
}

/*
 * Section 4.2 under restart=kernel. SMs have moved to 53 and 27 at 0.5 ms; at 0.7 ms B's kernel
 * ends and the next of the same name begins: the even split returns at once, the epoch ends without
 * a decision at 1.0 ms, and the next decision, about what was counted from 0.7 ms on, is at 1.2 ms.
 */
POLICY_TEST(kernel_end_closes_the_epoch,
            open_hsm(&policy_hsm_fair, "schedulers=2 restart=kernel")) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.01, 0.5), epoch_of(0.05, 0.46, 0.2)};
    struct fake_job *a = open_app(fake, CT_BATCH), *b = open_app(fake, CT_BATCH);
    start(fake, a, 0);
    struct fake_task *kernel = start(fake, b, 1);
    settle(fake);
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 53, 27);
    add_counters(fake, 1, epoch_of(0.9, 0.9, 0.2)); /* of the kernel that ends: must not count */
    fake_advance(fake, 700 * US);
    fake_done(fake, kernel);
    start(fake, b, 1);
    settle(fake);
    expect_sms(fake, 40, 40);
    fake_advance(fake, 1000 * US);
    settle(fake);
    expect_sms(fake, 40, 40);
    assert_true(fake_reported(fake, "epochs") == 1 && fake_reported(fake, "epochs_cut_short") == 1);
    add_counters(fake, 0, epoch[0]);
    add_counters(fake, 1, epoch[1]);
    fake_advance(fake, 1200 * US);
    settle(fake);
    expect_sms(fake, 53, 27);
}

/* The epoch's end and a kernel's end in one instant, in either order of the host's: the kernel's
 * end goes first where it is told first; a timer of a closed epoch is void. */
POLICY_TEST(kernel_end_goes_before_the_epochs,
            open_hsm(&policy_hsm_fair, "schedulers=2 restart=kernel")) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.01, 0.5), epoch_of(0.05, 0.46, 0.2)};
    struct fake_job *a = open_app(fake, CT_BATCH), *b = open_app(fake, CT_BATCH);
    start(fake, a, 0);
    struct fake_task *kernel = start(fake, b, 1);
    settle(fake);
    uint64_t first_epoch = fake->timer_id;
    add_counters(fake, 0, epoch[0]);
    add_counters(fake, 1, epoch[1]);
    fake->now_ps = EPOCH;
    fake_done(fake, kernel);
    start(fake, b, 1);
    fake_advance(fake, EPOCH); /* its timer */
    settle(fake);
    expect_sms(fake, 40, 40);
    add_counters(fake, 0, epoch[0]);
    add_counters(fake, 1, epoch[1]);
    fake_advance(fake, EPOCH + 100 * US);
    fake->policy->timer(&fake->context, first_epoch);
    expect_sms(fake, 40, 40);
    assert_true(fake_reported(fake, "epochs") == 0 && fake_reported(fake, "epochs_cut_short") == 1);
}

/* An epoch begins when the SMs have changed hands, here 200 us after they were asked for. */
POLICY_TEST(epoch_waits_for_the_move, open_hsm(&policy_hsm_fair, NULL)) {
    start(fake, open_app(fake, CT_BATCH), 0);
    fake_decide(fake, 0);
    assert_int_equal(fake->timer_ps, -1);
    fake_advance(fake, 100 * US);
    fake_decide(fake, 0);
    assert_int_equal(fake->timer_ps, -1);
    fake_advance(fake, 200 * US);
    fake->policy->repartition_done(&fake->context);
    assert_int_equal(fake->timer_ps, 200 * US + EPOCH);
}

/* Our restart=name: the same name keeps partition and counters, another name does not. */
POLICY_TEST(same_name_keeps_the_epoch, open_hsm(&policy_hsm_fair, "schedulers=2 restart=name")) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.01, 0.5), epoch_of(0.05, 0.46, 0.2)};
    struct fake_job *a = open_app(fake, CT_BATCH), *b = open_app(fake, CT_BATCH);
    start(fake, a, 0);
    struct fake_task *kernel = start(fake, b, 1);
    settle(fake);
    fake_advance(fake, 300 * US);
    fake_done(fake, kernel);
    settle(fake); /* a gap: B keeps its SMs */
    expect_sms(fake, 40, 40);
    fake_advance(fake, 310 * US);
    kernel = start(fake, b, 1);
    settle(fake);
    fake->now_ps = 0;
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 53, 27);
    assert_true(fake_reported(fake, "epochs_cut_short") == 0);
    fake_advance(fake, 600 * US);
    fake_done(fake, kernel);
    start(fake, b, 2);
    settle(fake);
    expect_sms(fake, 40, 40);
    assert_true(fake_reported(fake, "epochs_cut_short") == 1);
}

/* An application without a kernel owns no SM: at once under restart=kernel, from the end of the
 * epoch on under restart=name. Its return brings back the even split. Of the epochs of two
 * applications that the former cuts short there is one; its return closes one of A alone. */
TEST(idle_application_owns_no_sm) {
    for (int by_name = 0; by_name < 2; by_name++) {
        FREED_BY(close_sound)
        struct fake_host *fake =
            open_hsm(&policy_hsm_fair, by_name ? "restart=name" : "restart=kernel");
        struct fake_job *a = open_app(fake, CT_BATCH), *b = open_app(fake, CT_BATCH);
        start(fake, a, 0);
        settle(fake);
        expect_sms(fake, 80, 0);
        struct fake_task *kernel = start(fake, b, 1);
        settle(fake);
        expect_sms(fake, 40, 40);
        fake_advance(fake, 100 * US);
        fake_done(fake, kernel);
        settle(fake);
        expect_sms(fake, by_name ? 40 : 80, by_name ? 40 : 0);
        fake_advance(fake, EPOCH);
        settle(fake);
        expect_sms(fake, 80, 0);
        fake_advance(fake, EPOCH + 100 * US);
        start(fake, b, 1);
        settle(fake);
        expect_sms(fake, 40, 40);
        assert_true(fake_reported(fake, "epochs_cut_short") == (by_name ? 0 : 1));
        assert_true(fake_reported(fake, "epochs") == by_name);
    }
}

/* What one epoch with these NPs of a memory-bound service (RBH 0.2, 46 % alone) and a
 * compute-bound neighbour does to 40 and 40 SMs. */
static void expect_qos(double progress, const char *set, double np_target, int64_t first) {
    struct ct_counters epoch[] = {epoch_of(0.05, progress * 0.46, 0.2), epoch_of(0.9, 0.01, 0.5)};
    FREED_BY(close_sound) struct fake_host *fake = open_hsm(&policy_hsm_qos, set);
    struct fake_job *service = open_app(fake, CT_SERVICE), *batch = open_app(fake, CT_BATCH);
    fake->clients[0].np_target = np_target;
    start(fake, service, 0);
    start(fake, batch, 1);
    settle(fake);
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, first, 80 - first);
}

/*
 * Section 4.3. NP 0.5 on 40, g 0.0125: 64 SMs give 0.8 exactly, 65 are the fewest above it. NP
 * 0.95, g 0.02375: 33.7, so 34, and 6 are given back. Between 0.8 and 0.9 nothing changes. NP 0.1,
 * g 0.0025: all that the neighbour can spare.
 */
TEST(qos_meets_the_target_with_the_fewest_sms) {
    expect_qos(0.5, "schedulers=2", 0, 65);
    expect_qos(0.95, "schedulers=2", 0, 34);
    expect_qos(0.85, "schedulers=2", 0, 40);
    expect_qos(0.1, "schedulers=2", 0, 79);
    /* A target of the workload's own: 0.6 / 0.0125 = 48, so 49; and 0.85 > 0.7 is given back:
     * 0.6 / 0.02125 = 28.2, so 29. */
    expect_qos(0.5, "schedulers=2", 0.6, 49);
    expect_qos(0.85, "schedulers=2 release=0.7", 0.6, 29);
}

/* Without a service the first application is the one; the batch application with a target of its
 * own goes before a service without. */
TEST(qos_finds_its_application) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.01, 0.5), epoch_of(0.9, 0.01, 0.5)};
    FREED_BY(close_sound) struct fake_host *fake = open_two(&policy_hsm_qos, "schedulers=2");
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 65, 15);
    close_sound(fake);
    fake = open_hsm(&policy_hsm_qos, "schedulers=2");
    start(fake, open_app(fake, CT_SERVICE), 0);
    start(fake, open_app(fake, CT_BATCH), 1);
    fake->clients[1].np_target = 0.8;
    settle(fake);
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 15, 65);
}

/*
 * Three applications on 27, 27, 26. The first frees SMs at NP 0.945, g 0.035: 22.9, so 23, and 4 go
 * to the larger gradient of 0.02 against 0.01. At NP 0.54, g 0.02, it needs 41: 14 come from the
 * smaller gradient.
 */
TEST(qos_gives_to_the_largest_gradient) {
    struct ct_counters frees[] = {epoch_of(0.05, 0.945 * 0.46, 0.2),
                                  epoch_of(0.05, 0.27 * 0.46, 0.2),
                                  epoch_of(0.05, 0.52 * 0.46, 0.2)};
    struct ct_counters needs[] = {epoch_of(0.05, 0.54 * 0.46, 0.2), frees[1], frees[2]};
    for (int i = 0; i < 2; i++) {
        FREED_BY(close_sound) struct fake_host *fake = open_hsm(&policy_hsm_qos, "schedulers=2");
        for (uint32_t a = 0; a < 3; a++)
            start(fake, open_app(fake, CT_BATCH), a);
        settle(fake);
        expect_sms(fake, 27, 27);
        pass_epoch(fake, i ? needs : frees, 3);
        expect_sms(fake, i ? 41 : 23, i ? 13 : 27);
        assert_int_equal(fake->partition[2], i ? 26 : 30);
    }
}

/*
 * Two instances of the first application and a batch, on 27, 27 and 26 of 80 SMs: NP 27/80 and
 * 26/80, Eq. 4. For a target of 0.4 each instance needs 33, which the batch gives. At 0.6, 49:
 * the first gets 22 of the batch's, the second the other three that it can spare.
 */
static void expect_instances(const char *set, double np_target, const int64_t *expected) {
    struct ct_counters all = epoch_of(0.9, 0.01, 0.5), epoch[] = {all, all, all};
    FREED_BY(close_sound) struct fake_host *fake = open_hsm(&policy_hsm_qos, set);
    for (uint32_t a = 0; a < 3; a++)
        start(fake, open_app(fake, CT_BATCH), a);
    fake->clients[1].instance = 1;
    fake->clients[0].np_target = fake->clients[1].np_target = np_target;
    settle(fake);
    pass_epoch(fake, epoch, 3);
    for (int a = 0; a < 3; a++)
        assert_int_equal(fake->partition[a], expected[a]);
}

TEST(qos_guards_all_instances) {
    static const int64_t both[] = {33, 33, 14}, one[] = {49, 30, 1};
    expect_instances("schedulers=2", 0.4, both);
    expect_instances("schedulers=2 target=0.4", 0, both);
    expect_instances("schedulers=2", 0.6, one);
    expect_instances("schedulers=2 target=0.6", 0, one);
}

/*
 * Two applications with targets of their own and one without. The first, at 0.95 on 40 SMs, needs
 * 34 for 0.8 (33.7). The second, at 0.25 on 20, needs 25 for 0.3: five of the six, one is left for
 * the third. At 0.5 it needs 41: all six, and 15 of the third's. The first keeps what its target
 * needs.
 */
TEST(qos_takes_from_no_other_target) {
    static const double targets[] = {0.3, 0.5};
    static const int64_t expected[][3] = {{34, 25, 21}, {34, 41, 5}};
    for (int i = 0; i < 2; i++) {
        struct hsm_app apps[] = {
            {.progress = 0.95, .sms = 40, .most = 80, .target = 0.8, .release = 0.9},
            {.progress = 0.25, .sms = 20, .most = 80, .target = targets[i], .release = 0.9},
            {.progress = 0.25, .sms = 20, .most = 80}};
        assert_int_equal(hsm_qos_move(apps, 3), i ? 21 : 6);
        for (int a = 0; a < 3; a++)
            assert_int_equal(apps[a].sms, expected[i][a]);
    }
    /* Nobody else: what is freed stays, and nothing is taken. */
    struct hsm_app both[] = {
        {.progress = 0.95, .sms = 40, .most = 80, .target = 0.8, .release = 0.9},
        {.progress = 0.5, .sms = 40, .most = 80, .target = 0.5, .release = 0.9}};
    assert_int_equal(hsm_qos_move(both, 2), 0);
}

/* Section 2.3.1: a launch of 42 blocks takes no more than 42 SMs, whatever would be fair. */
TEST(few_blocks_limit_a_move) {
    struct hsm_app apps[] = {{.progress = 0.2, .sms = 40, .most = 42},
                             {.progress = 1, .sms = 40, .most = 80}};
    assert_int_equal(hsm_fair_move(apps, 2), 2);
    assert_true(apps[0].sms == 42 && apps[1].sms == 38);
    assert_int_equal(hsm_fair_move(apps, 2), 0);
}

/* Section 2.3.1: one block on four of 8 SMs is at 1 on one of them. The other three go to whom they
 * help, and a target of 0.8 is kept by the one. */
TEST(sms_without_blocks_are_handed_on) {
    for (int i = 0; i < 3; i++) {
        struct hsm_app apps[] = {{.progress = 1, .sms = 4, .most = 1, .release = 0.9},
                                 {.progress = 0.5, .sms = 4, .most = 8}};
        apps[0].target = i == 1 ? 0.8 : 0;
        assert_int_equal(i < 2 ? hsm_qos_move(apps, 2) : hsm_fair_move(apps, 2), 3);
        assert_true(apps[0].sms == 1 && apps[1].sms == 7);
        assert_near(apps[0].progress, 1);
        assert_near(apps[1].progress, 0.875);
    }
    /* Nobody has blocks for them. */
    struct hsm_app both[] = {{.progress = 1, .sms = 4, .most = 1},
                             {.progress = 1, .sms = 4, .most = 2}};
    assert_int_equal(hsm_qos_move(both, 2), 0);
}

/* Equal gradients are 0.4 / 4 and 0.3 / 3, which differ in the last bit: SM by SM, who has more
 * loses, who has fewer gains, then the first. */
TEST(equal_gradients_are_equal) {
    assert_true(0.3 / 3 < 0.4 / 4);
    struct hsm_app apps[] = {
        {.progress = 0.4, .sms = 4, .most = 10},
        {.progress = 0.3, .sms = 3, .most = 10},
        {.progress = 0.3, .sms = 3, .most = 10, .target = 0.6, .release = 0.9}};
    assert_int_equal(hsm_qos_move(apps, 3), 4);
    assert_true(apps[0].sms == 1 && apps[1].sms == 2 && apps[2].sms == 7);
    apps[2].target = 0.2; /* 3 SMs: two to the first, of (3, 2) one to the second, then one each */
    apps[2].release = 0.2;
    assert_int_equal(hsm_qos_move(apps, 3), 4);
    assert_true(apps[0].sms == 4 && apps[1].sms == 3 && apps[2].sms == 3);
}

/* Among equal NP who has most SMs gives and who has fewest gets; then the first. */
TEST(equal_progress_is_equal) {
    struct hsm_app apps[] = {{.progress = 0.2, .sms = 20, .most = 80},
                             {.progress = 0.1 + 0.1 - 1e-17, .sms = 10, .most = 80},
                             {.progress = 0.6, .sms = 20, .most = 80},
                             {.progress = 0.1 + 0.2 + 0.3, .sms = 30, .most = 80}};
    assert_true(apps[2].progress < apps[3].progress);
    assert_int_equal(hsm_fair_move(apps, 4), 10); /* 0.4 / (0.02 + 0.02) */
    assert_true(apps[1].sms == 20 && apps[3].sms == 20);
    apps[0] = (struct hsm_app){.progress = 0.6, .sms = 40, .most = 80};
    apps[1] = (struct hsm_app){.progress = 0.1 + 0.2 + 0.3, .sms = 20, .most = 80};
    apps[2] = (struct hsm_app){.progress = 0.3, .sms = 20, .most = 80};
    assert_int_equal(hsm_fair_move(apps, 3), 10); /* 0.3 / (0.015 + 0.015) */
    assert_true(apps[0].sms == 30 && apps[2].sms == 30);
}

/* Both applications keep one SM, and a gap of less than half an SM still moves one. */
TEST(fair_move_has_limits) {
    struct hsm_app apps[] = {{.progress = 0.01, .sms = 78, .most = 80},
                             {.progress = 1, .sms = 2, .most = 80}};
    assert_int_equal(hsm_fair_move(apps, 2), 1);
    assert_int_equal(hsm_fair_move(apps, 2), 0);
    apps[0] = (struct hsm_app){.progress = 0.5, .sms = 40, .most = 80};
    apps[1] = (struct hsm_app){.progress = 0.505, .sms = 40, .most = 80};
    assert_int_equal(hsm_fair_move(apps, 2), 1);
    apps[1].progress = NAN;
    assert_true(isnan(hsm_fairness(apps, 2)));
}

/* ---- dase ---- */

/* NP on these of 80 SMs, of a kernel that issued this part of I_Max, beside others that drew this.
 */
static double dase_of(double issued, double bandwidth, double others, int64_t sms) {
    struct hsm_measure measure = {.counters = epoch_of(issued, bandwidth, 0.5),
                                  .sms = sms,
                                  .blocks = 1000,
                                  .others = {.memory_accesses = others * 900e9 * 0.5e-3 / 128}};
    return hsm_dase_progress(&model, &measure);
}

/*
 * Half of the SMs, 0.05 of I_Max: a tenth of what these can issue, stalled 0.9. Others take 0.2 of
 * the bus: 0.8 of its speed on these SMs. All SMs would double it: 0.4, and the cap makes it 0.5.
 * Drawing 0.6 of the peak it can do no better than 1 / 0.6 on all: NP 0.6. Drawing 0.9 beside 0.4,
 * NP is no more than on its own SMs: 0.6. A quarter of the SMs, 0.3 drawn beside 0.4: 0.3.
 */
TEST(dase_progress_is_a_roofline_with_interference) {
    assert_near(dase_of(0.05, 0.33, 0.2, 40), 0.5);
    assert_near(dase_of(0.05, 0.6, 0.2, 40), 0.6);
    assert_near(dase_of(0.05, 0.9, 0.4, 40), 0.6);
    assert_near(dase_of(0.025, 0.3, 0.4, 20), 0.3);
    /* What is not stalled loses nothing: 0.36 of I_Max is 0.9 of half of its SMs' on 32. */
    assert_near(dase_of(0.36, 0.95, 0.5, 32), 0.9);
    assert_true(isnan(dase_of(0, 0.3, 0.2, 40)));
}

/*
 * A is compute-bound: NP 0.5, g 0.0125. B draws 0.6: NP 0.6, where HSM at RBH 0.2 would say 1.3.
 * Fairness 0.83; n = 0.1 / (0.0125 + 0.015) = 3.6, so 4.
 */
TEST(dase_fair_uses_its_own_progress) {
    struct ct_counters epoch[] = {epoch_of(0.49, 0.01, 0.5), epoch_of(0.05, 0.6, 0.2)};
    FREED_BY(close_sound) struct fake_host *fake = open_two(&policy_dase_fair, "schedulers=2");
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 44, 36);
    close_sound(fake);
    /* The first application is the one with the target: 0.8 / 0.0125 = 64. */
    fake = open_two(&policy_dase_qos, "schedulers=2");
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 65, 15);
}

/* ---- themis ---- */

/*
 * The host's network says 0.5 (g 0.0125) and 0.8 (g 0.02): n = 0.3 / 0.0325 = 9.2, so 9 SMs. It is
 * told what the others draw. A prediction takes 10 x 29 + 296 x 4 + 24 x 26 = 2098 cycles.
 */
POLICY_TEST(themis_fair_asks_the_host, open_two(&policy_themis_fair, NULL)) {
    struct ct_counters epoch[] = {epoch_of(0.49, 0.01, 0.5), epoch_of(0.05, 0.6, 0.2)};
    fake->progress[0] = 0.5;
    fake->progress[1] = 0.8;
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 49, 31);
    assert_near(fake->others_accesses[0], epoch[1].memory_accesses);
    assert_near(fake->others_accesses[1], epoch[0].memory_accesses);
    assert_int_equal(fake->charged_ps, 2 * 2098000);
}

/* The first application has the target: 0.8 / 0.0125 = 64, so 65. What nobody knows moves nothing.
 */
POLICY_TEST(themis_qos_asks_the_host, open_two(&policy_themis_qos, NULL)) {
    struct ct_counters epoch[] = {epoch_of(0.49, 0.01, 0.5), epoch_of(0.05, 0.6, 0.2)};
    fake->progress[0] = NAN;
    fake->progress[1] = 0.8;
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 40, 40);
    assert_true(fake_reported(fake, "np_unknown") == 1);
    fake->progress[0] = 0.5;
    pass_epoch(fake, epoch, 2);
    expect_sms(fake, 65, 15);
}

/* The device counts finished blocks by epoch: it hears of each, and of none while SMs move. */
POLICY_TEST(device_hears_of_each_epoch, open_two(&policy_hsm_fair, "schedulers=2")) {
    struct ct_counters epoch[] = {epoch_of(0.9, 0.01, 0.5), epoch_of(0.05, 0.46, 0.2)};
    assert_int_equal(fake->epochs_begun, 1);
    for (uint32_t i = 0; i < 2; i++)
        add_counters(fake, i, epoch[i]);
    fake_advance(fake, EPOCH);
    fake_decide(fake, 0);
    expect_sms(fake, 53, 27);
    assert_int_equal(fake->epochs_begun, 1);
    fake->policy->repartition_done(&fake->context);
    assert_int_equal(fake->epochs_begun, 2);
}

/* ---- bw-app ---- */

/* Section 6.4: SMs stay even, whatever is drawn. The lowest bandwidth gets 160 : 160 - 64, 1.667
 * times as much per request; all others are alike. */
POLICY_TEST(bw_app_weighs_the_lowest_bandwidth_most, fake_open_on(&policy_bw_app, NULL, &device)) {
    struct ct_counters epoch[] = {epoch_of(0.1, 0.1, 0.5), epoch_of(0.9, 0, 0),
                                  epoch_of(0.1, 0.3, 0.5), epoch_of(0.1, 0.1, 0.5)};
    for (uint32_t i = 0; i < 4; i++)
        start(fake, open_app(fake, CT_BATCH), i);
    settle(fake);
    pass_epoch(fake, epoch, 4);
    expect_sms(fake, 20, 20);
    assert_true(fake->mem_weight[0] == 1 && fake->mem_weight[1] == 1.667);
    assert_true(fake->mem_weight[2] == 1 && fake->mem_weight[3] == 1);
    assert_int_equal(fake->charged_ps, 0);
}

/* ---- properties ---- */

static double draw(struct fake_host *fake) {
    return fake->host.uniform(&fake->context);
}

/* An application of the property below: its kernels end at random and come back at random. */
struct random_app {
    struct fake_job *job;
    struct fake_task *kernel; /* NULL: none runs */
};

static void random_kernel(struct fake_host *fake, struct random_app *app) {
    app->kernel = start(fake, app->job, (uint32_t)(3 * draw(fake)));
    app->kernel->task.grid[0] = (uint32_t)(1 + 300 * draw(fake));
}

static void random_ends(struct fake_host *fake, struct random_app *apps, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        bool wanted = draw(fake) < 0.8;
        if (apps[i].kernel && draw(fake) < 0.2) {
            fake_done(fake, apps[i].kernel);
            apps[i].kernel = NULL;
        }
        if (!apps[i].kernel && wanted)
            random_kernel(fake, &apps[i]);
    }
    settle(fake);
}

static void random_epoch(struct fake_host *fake, uint32_t count) {
    struct ct_counters counters[FAKE_CLIENTS];
    for (uint32_t i = 0; i < count; i++) {
        counters[i] = draw(fake) < 0.1 ? (struct ct_counters){0}
                                       : epoch_of(draw(fake), draw(fake), draw(fake));
        fake->progress[i] = draw(fake) < 0.1 ? NAN : 1.2 * draw(fake);
    }
    pass_epoch(fake, counters, count);
}

/* The partition has all SMs, each application with a kernel has one, and no verb was refused. */
static void check_partition(const struct fake_host *fake, const struct random_app *apps,
                            uint32_t count) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(fake->partition[i] >= (apps[i].kernel != NULL));
        sum += fake->partition[i];
    }
    assert_int_equal(sum, 80);
    assert_int_equal(fake->rejected, 0);
}

static void try_partition(const struct ct_policy *policy, bool by_kernel, uint64_t seed) {
    struct random_app apps[4] = {0};
    uint32_t count = 2 + (uint32_t)(seed % 3);
    FREED_BY(close_sound)
    struct fake_host *fake = open_hsm(policy, by_kernel ? "restart=kernel" : "restart=name");
    fake->random = seed;
    for (uint32_t i = 0; i < count; i++) {
        apps[i].job = open_app(fake, i ? CT_BATCH : CT_SERVICE);
        random_kernel(fake, &apps[i]);
    }
    settle(fake);
    check_partition(fake, apps, count);
    for (int epoch = 0; epoch < 10; epoch++) {
        random_epoch(fake, count);
        check_partition(fake, apps, count);
        random_ends(fake, apps, count);
        check_partition(fake, apps, count);
    }
}

/* Whatever the counters say, of every variant, with two to four applications. */
TEST(partition_sums_to_the_sms) {
    static const struct ct_policy *const policies[] = {
        &policy_hsm_fair, &policy_hsm_qos,     &policy_dase_fair,  &policy_dase_qos,
        &policy_bw_app,   &policy_themis_fair, &policy_themis_qos,
    };
#ifdef COTENANT_SMALL
    enum { SEEDS = 30 };
#else
    enum { SEEDS = 300 };
#endif
    enum { POLICIES = sizeof policies / sizeof policies[0] };
    for (uint32_t p = 0; p < POLICIES; p++)
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            for (int by_kernel = 0; by_kernel < 2; by_kernel++)
                try_partition(policies[p], by_kernel, seed * POLICIES + p);
}

/* A partition or timer that the host rejects is asked for again. */
POLICY_TEST(rejected_partition_is_asked_for_again, open_hsm(&policy_hsm_fair, NULL)) {
    start(fake, open_app(fake, CT_BATCH), 0);
    fake->reject_one_in = 2; /* the kernel passes, its SMs do not */
    settle(fake);
    assert_int_equal(fake->partitions, 0);
    fake->reject_one_in = 0;
    settle(fake);
    assert_int_equal(fake->partition[0], 80);
    assert_int_equal(fake->timer_ps, EPOCH);
}
