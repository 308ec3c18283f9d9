/*
 * SMs that change hands by draining: each when the blocks on it have ended. By hand, and the same
 * in both fidelities.
 */
#include "device_case.h"

enum { MOST = 4 };

struct asked {
    int at_us;
    int64_t sms[DEVICE_CASE_CLIENTS]; /* ten in all; none: the list ends */
};

struct launched {
    uint32_t client, stream;
    int at_us;
    double blocks; /* 40 at once alone, each 10 us; 0: the list ends */
    int starts_us, ends_us;
};

struct drain {
    struct asked asked[MOST];
    struct launched kernels[MOST];
    uint32_t told; /* how often all SMs had moved */
};

struct asking {
    struct device *device;
    const struct asked *asked;
};

static void ask(void *context, uint64_t which) {
    const struct asking *asking = context;
    device_repartition(asking->device, asking->asked[which].sms, CT_MOVE_DRAIN);
}

static int64_t sum(const struct asked *asked) {
    int64_t sms = 0;
    for (int i = 0; i < DEVICE_CASE_CLIENTS; i++)
        sms += asked->sms[i];
    return sms;
}

static void add_kernels(struct device_case *c, const struct drain *drain,
                        const struct kernel_profile *profile) {
    for (int i = 0; i < MOST && drain->kernels[i].blocks > 0; i++) {
        const struct launched *k = &drain->kernels[i];
        ct_time_ps waves = (ct_time_ps)ceil(k->blocks / 40);
        device_case_kernel_at(c, k->at_us * US, profile, k->client, k->blocks, waves * 10 * US)
            ->stream = k->stream;
    }
}

static void run(const struct drain *drain, enum device_fidelity fidelity) {
    CLOSED_BY(device_case_close) struct device_case c;
    struct kernel_profile profile = device_case_profile();
    profile.need = (struct occupancy_need){512, 16384, 16384};
    device_case_open(&c, CT_SHARING_PARTITION);
    device_case_use_blocks(&c);
    c.config.fidelity = fidelity;
    device_case_build(&c);
    struct asking asking = {c.device, drain->asked};
    for (uint64_t i = 0; i < MOST && sum(&drain->asked[i]) > 0; i++)
        des_event_schedule(c.engine, drain->asked[i].at_us * US, DES_RANK_ARRIVAL, ask, &asking, i);
    add_kernels(&c, drain, &profile);
    device_case_run(&c);
    for (uint32_t i = 0; i < c.count; i++)
        device_case_expect(&c.tasks[i], drain->kernels[i].starts_us * US,
                           drain->kernels[i].ends_us * US);
    assert_int_equal(c.repartitions, drain->told);
}

static void run_both(struct drain drain) {
    run(&drain, DEVICE_FLUID);
    run(&drain, DEVICE_BLOCK);
}

/* A's only wave ends at 10 us, and with it the wait for six of its SMs, asked for at 9. */
TEST(till_the_kernel_ends) {
    run_both((struct drain){.asked = {{0, {10}}, {9, {4, 6}}},
                            .kernels = {{0, 0, 0, 40, 0, 10}, {1, 1, 9, 24, 10, 20}},
                            .told = 2});
}

/* A's four blocks lie on four of its ten SMs: the others change hands at once. */
TEST(at_once_without_blocks) {
    run_both((struct drain){.asked = {{0, {10}}, {5, {4, 6}}},
                            .kernels = {{0, 0, 0, 4, 0, 10}, {1, 1, 5, 24, 5, 15}},
                            .told = 2});
}

/*
 * The fifth of A's twenty waves ends at 50 us, and with it the wait of B. Then A has half of the
 * SMs: 40 blocks while B takes its two waves, until 70. The other 560 blocks are 14 waves.
 */
TEST(till_the_wave_ends) {
    run_both((struct drain){.asked = {{0, {10}}, {43, {5, 5}}, {70, {10}}},
                            .kernels = {{0, 0, 0, 800, 0, 210}, {1, 1, 43, 40, 50, 70}},
                            .told = 3});
}

/* Without an SM A stands still between its two waves, while B has all of them. */
TEST(all_sms) {
    run_both((struct drain){.asked = {{0, {10}}, {5, {0, 10}}, {20, {10}}},
                            .kernels = {{0, 0, 0, 80, 0, 30}, {1, 1, 5, 40, 10, 20}},
                            .told = 3});
}

/* Three SMs are asked for at 2 us, two more at 5: all have drained at 10. A's other 40 blocks are
 * two waves on the five that it keeps. */
TEST(asked_again_while_they_drain) {
    run_both((struct drain){
        .asked = {{0, {10}}, {2, {7, 3}}, {5, {5, 3, 2}}},
        .kernels = {{0, 0, 0, 80, 0, 30}, {1, 1, 2, 12, 10, 20}, {2, 2, 5, 8, 10, 20}},
        .told = 2});
}

/* Who asks for its SMs back before they have drained has lost nothing. */
TEST(taken_back_while_they_drain) {
    run_both((struct drain){.asked = {{0, {10}}, {2, {6, 4}}, {5, {10}}},
                            .kernels = {{0, 0, 0, 80, 0, 20}},
                            .told = 2});
}

/*
 * Five of A's SMs are asked for at 5 us. Its eight blocks lie on eight: B has two at once, and C
 * three when the blocks end at 10. On the five that it keeps A begins another kernel meanwhile,
 * which drains nothing.
 */
TEST(each_gets_what_is_free) {
    run_both((struct drain){.asked = {{0, {10}}, {5, {5, 2, 3}}},
                            .kernels = {{0, 0, 0, 8, 0, 10},
                                        {0, 4, 6, 8, 6, 16},
                                        {1, 1, 5, 8, 5, 15},
                                        {2, 2, 5, 12, 10, 20}},
                            .told = 2});
}
