/* The timing sets: pin bandwidth, activate limit and row hits of each, against numbers typed here
 * from the GPUs' specifications and worked by hand; and sets that no DRAM can have. */
#include "base/ct_types.h"
#include "closed_form.h"
#include "cmocka_complete.h"
#include "models/device/dram.h"
#include "models/device/dram_bank.h"

#include <string.h>

#ifdef COTENANT_SMALL
enum { STEP = 5 };
#else
enum { STEP = 1 };
#endif

/* GB/s of the GPU: HSM Table 1, V100, H100, GTX 1080 Ti and RTX 2080 Ti specifications. Device
 * atoms: 32 B of HBM2, HBM3 and GDDR6, 64 B of GDDR5X; HSM's line 128 B. Activate limit: four times
 * the data cycles over tFAW or four tRRD, e.g. GDDR6 4 x 2 / 28. */
static const struct {
    const char *name;
    double gb_s;
    int64_t request_bytes, data_cycles;
    double activate_limit;
} known[] = {
    {"hsm-hbm", 900.0, 128, 2, 8.0 / 20.0}, {"hsm-gddr5", 484.0, 128, 8, 32.0 / 64.0},
    {"hbm2", 900.0, 32, 2, 8.0 / 16.0},     {"hbm3", 3350.0, 32, 2, 8.0 / 20.0},
    {"gddr5x", 484.0, 64, 2, 8.0 / 40.0},   {"gddr6", 616.0, 32, 2, 8.0 / 28.0},
};

static void near_to(const char *name, const char *what, double value, double wanted,
                    double tolerance) {
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%s, %s: %.6g, want %.6g within %g", name, what, value, wanted, tolerance);
}

static struct dram_bank_result run(const struct dram_preset *preset, double locality,
                                   bool refresh) {
    struct dram_bank_app app = {locality, 1.0};
    struct dram_bank_params params = {.preset = preset,
                                      .apps = &app,
                                      .app_count = 1,
                                      .reads = 1.0,
                                      .streams = preset->streams,
                                      .queue = DRAM_QUEUE,
                                      .requests = 100000,
                                      .seed = 1,
                                      .refresh = refresh};
    struct dram_bank_result result;
    struct ct_diags diags = {0};
    assert_int_equal(dram_bank_run(&params, &result, &diags), CT_OK);
    ct_diags_free(&diags);
    return result;
}

TEST(all_are_known_here) {
    size_t count = 0;
    for (const struct dram_preset *p = dram_presets; p->name; p++, count++) {
        struct ct_diags diags = {0};
        assert_int_equal(dram_preset_check(p, p->name, &diags), CT_OK);
        assert_string_equal(p->name, known[count].name);
        assert_ptr_equal(dram_preset_find(p->name), p);
        assert_int_equal(diags.count, 0);
    }
    assert_int_equal(count, CT_COUNT_OF(known));
    assert_null(dram_preset_find("gddr7"));
}

/* What the pins promise, and that row hits reach it (streams at random leave few gaps). */
TEST(pins_carry_the_bandwidth) {
    for (size_t i = 0; i < CT_COUNT_OF(known); i++) {
        const struct dram_preset *p = dram_preset_find(known[i].name);
        near_to(p->name, "GB/s", dram_preset_bytes_per_s(p) / 1e9, known[i].gb_s,
                0.005 * known[i].gb_s);
        assert_int_equal(p->request_bytes, known[i].request_bytes);
        assert_int_equal(dram_preset_data_cycles(p), known[i].data_cycles);
        near_to(p->name, "row hits on the pins", run(p, 1.0, false).utilisation, 1.0, 0.01);
    }
}

TEST(activates_bind) {
    for (size_t i = 0; i < CT_COUNT_OF(known); i++) {
        const struct dram_preset *p = dram_preset_find(known[i].name);
        double limit = known[i].activate_limit;
        near_to(p->name, "formula", dram_preset_activate_limit(p, 0.0), limit, 1e-12);
        near_to(p->name, "no hits", run(p, 0.0, false).utilisation, limit, 0.01 * limit);
        near_to(p->name, "formula at 0.25", dram_preset_activate_limit(p, 0.25), limit / 0.75,
                1e-12);
        near_to(p->name, "hits at 0.25", run(p, 0.25, false).utilisation, limit / 0.75,
                0.025 * limit / 0.75);
    }
}

/* The preset as the closed form sees it: the drain before a refresh is read (or written
 * and recovered) to precharge, precharge, and activate to column command. */
static struct closed_form preset_timing(const struct dram_preset *preset) {
    const struct dram_cycles *c = &preset->cycles;
    return (struct closed_form){.activate_window = (double)dram_preset_activate_window(preset),
                                .data_cycles = (double)dram_preset_data_cycles(preset),
                                .refresh_cycles = (double)c->rfc,
                                .refresh_interval = (double)c->refi,
                                .refresh_drain = (double)(c->rtp + c->rp + c->rcd_read)};
}

/* The plateau and no hits with refresh: the closed form with the preset's own numbers. */
TEST(refresh_costs_what_it_takes) {
    for (const struct dram_preset *p = dram_presets; p->name; p++) {
        struct closed_form timing = preset_timing(p);
        double plateau = closed_form_use(&timing, 1.0), none = closed_form_use(&timing, 0.0);
        near_to(p->name, "plateau", run(p, 1.0, true).utilisation, plateau, 0.02 * plateau);
        near_to(p->name, "no hits", run(p, 0.0, true).utilisation, none, 0.025 * none);
    }
}

TEST(row_hits_are_what_was_asked) {
    for (const struct dram_preset *p = dram_presets; p->name; p++)
        for (int i = 0; i <= 10; i += STEP)
            near_to(p->name, "row hits", run(p, i / 10.0, true).row_hit_rate, i / 10.0, 0.02);
}

static void expect_refused(const struct dram_preset *preset, const char *word) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    assert_int_equal(dram_preset_check(preset, "set", &diags), CT_USAGE);
    assert_true(diags.errors > 0);
    if (!strstr(diags.items[0].text, word))
        fail_msg("no %s in: %s", word, diags.items[0].text);
}

TEST(impossible_sets_are_refused) {
    const struct dram_preset good = *dram_preset_find("hsm-hbm");
    struct dram_preset bad = good;
    bad.cycles.rc = 0;
    expect_refused(&bad, "'tRC'");
    bad = good, bad.cycles.rcd_read = -1;
    expect_refused(&bad, "'tRCDRD'");
    bad = good, bad.cycles.ras = 25;
    expect_refused(&bad, "'tRAS' (25) is longer than 'tRC' (24)");
    bad = good, bad.cycles.rrd_other = 6;
    expect_refused(&bad, "'tRRDS'");
    bad = good, bad.cycles.rfc = 1700;
    expect_refused(&bad, "'tREFI'");
    bad = good, bad.cycles.ccd_other = bad.cycles.ccd_same = 3;
    expect_refused(&bad, "pins");
    bad = good, bad.request_bytes = 100;
    expect_refused(&bad, "'request_bytes'");
    bad = good, bad.bank_groups = 3;
    expect_refused(&bad, "'banks'");
    bad = good, bad.clock_mhz = NAN;
    expect_refused(&bad, "'clock_mhz'");
    bad = good, bad.banks = 65;
    expect_refused(&bad, "'banks'");
}

TEST(short_window_is_legal) {
    struct dram_preset preset = *dram_preset_find("hsm-hbm");
    struct ct_diags diags = {0};
    preset.cycles.faw = 3;
    assert_int_equal(dram_preset_check(&preset, "set", &diags), CT_OK);
    assert_int_equal(dram_preset_activate_window(&preset), 16);
}
