/* Made-up co-locations: the same number gives the same samples, and what they say adds up. */
#include "cmocka_complete.h"
#include "study/colocation.h"

#include <string.h>

static const struct gpu gpu = {.name = "ten",
                               .sms = 10,
                               .threads_per_sm = 2048,
                               .blocks_per_sm = 16,
                               .registers_per_sm = 65536,
                               .smem_per_sm_bytes = 98304,
                               .smem_per_block_bytes = 49152,
                               .compute_capability = 61,
                               .clock_mhz = 1000,
                               .dram_gb_s = 100,
                               .dram_line_slope = 0.5,
                               .dram_line_base = 0.36,
                               .row_hit_rate = 0.8};

static void sample(enum device_fidelity fidelity, uint64_t seed, uint64_t number,
                   struct colocation_samples *samples) {
    struct ct_diags diags = {0};
    assert_int_equal(colocation_sample(&gpu, fidelity, seed, number, samples, &diags), CT_OK);
    assert_int_equal(diags.count, 0);
}

TEST(samples_repeat) {
    CLOSED_BY(colocation_samples_free)
    struct colocation_samples first = {0}, second = {0}, other = {0};
    sample(DEVICE_BLOCK, 1, 7, &first);
    sample(DEVICE_BLOCK, 1, 7, &second);
    sample(DEVICE_BLOCK, 2, 7, &other);
    assert_int_equal(first.count, second.count);
    assert_memory_equal(first.items, second.items, first.count * sizeof *first.items);
    assert_memory_not_equal(first.items, other.items, sizeof *first.items);
}

/*
 * Two to four kernels hold all ten SMs; each ran for the whole epoch of 0.5 ms; alone each got its
 * launch done. Together they drew no more than the memory gives to pure row hits, 86 % (HSM Eq. 3);
 * by blocks a kernel draws its mean over a launch, so that one epoch may have more.
 */
static void check_colocation(const struct colocation_samples *samples, bool fluid) {
    double sms = 0, accesses = 0;
    assert_in_range(samples->count, 2, 4);
    assert_int_equal(samples->measures.count, samples->count);
    assert_int_equal(samples->alone.count, samples->count);
    for (size_t i = 0; i < samples->count; i++) {
        const struct hsm_measure *measure = &samples->measures.items[i];
        assert_true(samples->items[i].progress > 0);
        assert_true(fabs(measure->counters.busy_ps - 5e8) < 2);
        assert_true(measure->counters.sm_ps <= (double)measure->sms * 5e8 * (1 + 1e-9));
        assert_true(samples->alone.items[i].instructions > 0);
        sms += samples->items[i].sm_share;
        accesses += measure->counters.memory_accesses;
    }
    assert_true(fabs(sms - 1) < 1e-12);
    assert_true(!fluid || accesses * 128 <= 0.86 * 100e9 * 0.5e-3 * (1 + 1e-9));
    double others = samples->measures.items[0].others.memory_accesses;
    assert_true(fabs(samples->measures.items[0].counters.memory_accesses + others - accesses) <=
                1e-9 * accesses);
}

TEST(samples_add_up) {
    for (uint64_t number = 0; number < 60; number++) {
        CLOSED_BY(colocation_samples_free) struct colocation_samples samples = {0};
        bool fluid = number % 2 == 0;
        sample(fluid ? DEVICE_FLUID : DEVICE_BLOCK, 3, number, &samples);
        check_colocation(&samples, fluid);
    }
}

/* 10 SMs x 128 per ns and 100 GB/s. A draws 0.46 of it at RBH 0.2 and B all of its 0.86 at 1: the
 * line is c1 0.5, c2 0.36. C drew 0.23 at RBH 0.2: NP 0.5 by Eq. 5, and 0.4 is the truth. DASE:
 * stalled 1 - 0.1 on half of the SMs, nobody beside it: at least its SMs' half, 0.5. */
TEST(rivals_predict_as_their_policies) {
    const double peak = 100e9 / 128 * 0.5e-3;
    struct ct_counters alone[] = {{.instructions = 1e7,
                                   .memory_accesses = 0.46 * peak,
                                   .row_hits = 0.2 * 0.46 * peak,
                                   .busy_ps = 5e8},
                                  {.instructions = 1e7,
                                   .memory_accesses = 0.86 * peak,
                                   .row_hits = 0.86 * peak,
                                   .busy_ps = 5e8}};
    struct hsm_measure measure = {.counters = {.instructions = 3.2e7,
                                               .memory_accesses = 0.23 * peak,
                                               .row_hits = 0.2 * 0.23 * peak,
                                               .busy_ps = 5e8},
                                  .sms = 5,
                                  .blocks = 1000};
    struct themis_sample truth = {.sm_share = 0.5, .progress = 0.4};
    struct colocation_samples learnt = {.alone = {.items = alone, .count = 2}};
    struct colocation_samples held_out = {.items = &truth, .count = 1};
    struct colocation_rivals rivals;
    held_out.measures.items = &measure;
    held_out.measures.count = 1;
    assert_true(colocation_rivals(&gpu, &learnt, &held_out, &rivals));
    assert_int_equal(rivals.hsm.samples, 1);
    assert_true(fabs(rivals.hsm.mean - 0.25) < 1e-9 && fabs(rivals.hsm.max - 0.25) < 1e-9);
    assert_true(fabs(rivals.dase.mean - 0.25) < 1e-9);
}
