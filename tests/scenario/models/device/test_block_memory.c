/*
 * What blocks ask of the memory is what they draw, with waves in step and out of step. Time lines
 * by hand: 40 slots, 50 blocks in two waves alone, of which the last has ten. These ten do as much
 * as the 40 before them.
 */
#include "device_case.h"

static struct kernel_profile streaming(double gb_s) {
    struct kernel_profile p = device_case_profile();
    p.need = (struct occupancy_need){512, 16384, 16384};
    p.dram_bytes_per_s = gb_s * 1e9;
    return p;
}

static void open_case(struct device_case *c, enum ct_sharing sharing) {
    device_case_open(c, sharing);
    device_case_use_blocks(c);
    device_case_build(c);
}

/* Bytes moved up to a time, by hand. */
struct moved {
    struct device_case *c;
    ct_time_ps at_ps;
    double bytes;
};

static void look(void *context, uint64_t unused) {
    const struct moved *moved = context;
    double bytes = device_usage(moved->c->device).dram_bytes;
    if (fabs(bytes - moved->bytes) > 1)
        fail_msg("%.1f bytes at %.3f us, by hand %.1f", bytes, (double)moved->at_ps / 1e6,
                 moved->bytes);
}

static void look_at(struct moved *moved) {
    assert_true(
        des_event_schedule(moved->c->engine, moved->at_ps, DES_RANK_TIMER, look, moved, 0) != 0);
}

/*
 * A on half of the SMs: 20, 20 and 10 blocks of 10 us. Its waves of 20 ask for 43 GB/s, the last
 * ten blocks for 86; B beside it always for 86, of which the memory has 86 in all. So A's waves
 * take 15, 15 and 20 us, and B's 30 us are done when A ends.
 */
DEVICE_TEST(last_blocks_in_step, CT_SHARING_MPS) {
    struct kernel_profile a = streaming(86), b = streaming(86);
    device_case_kernel(c, &a, 0, 50, 20 * US)->share = CT_SHARE_FULL / 2;
    device_case_kernel(c, &b, 1, 20, 30 * US);
    struct moved moved[] = {
        {c, 7 * US, 7 * 86e3}, {c, 29 * US, 29 * 86e3}, {c, 41 * US, 41 * 86e3}};
    for (size_t i = 0; i < CT_COUNT_OF(moved); i++)
        look_at(&moved[i]);
    device_case_run(c);
    device_case_expect(&c->tasks[0], 0, 50 * US);
    device_case_expect(&c->tasks[1], 0, 50 * US);
    assert_true(fabs(device_usage(c->device).dram_bytes - 50 * 86e3) < 1);
}

/*
 * A gets 20 slots, and 20 more when C ends at 5 us. From 10 us on the last ten blocks run beside 20
 * that are half done, and ask for 90 + 45 GB/s, alone. It was recorded to draw 90: the 20 take 7.5
 * us instead of 5, and the last ten have 5 us of their 10 left then, at full speed.
 */
DEVICE_TEST(last_blocks_out_of_step, CT_SHARING_MPS) {
    struct kernel_profile a = streaming(90), no_memory = streaming(0);
    device_case_kernel(c, &no_memory, 1, 20, 5 * US);
    device_case_kernel(c, &a, 0, 50, 20 * US);
    struct moved moved[] = {{c, 5 * US, 5 * 45e3},
                            {c, 10 * US, 5 * 45e3 + 5 * 90e3},
                            {c, 17 * US, 5 * 45e3 + 12 * 90e3},
                            {c, 22 * US, 5 * 45e3 + 17 * 90e3}};
    for (size_t i = 0; i < CT_COUNT_OF(moved); i++)
        look_at(&moved[i]);
    device_case_run(c);
    device_case_expect(&c->tasks[1], 0, 22.5 * US);
    assert_true(fabs(device_usage(c->device).dram_bytes - 20 * 90e3) < 1);
}
