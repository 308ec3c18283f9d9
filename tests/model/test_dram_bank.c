/* The bank-level DRAM model against the table of three simulators, the closed form, cases worked by
 * hand, and a checker of every distance between commands. */
#include "base/ct_types.h"
#include "cmocka_complete.h"
#include "models/device/dram_bank.h"
#include "models/device/dram_fit.h"

#include <string.h>

#ifdef COTENANT_SMALL
enum { SEEDS = 1, STEP = 5 };
#else
enum { SEEDS = 3, STEP = 1 };
#endif

static void near_to(const char *what, double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%s: %.6g, want %.6g within %g", what, value, wanted, tolerance);
}

/* HSM's HBM, one application, hit-first, 64 entries: the cases change what they need. */
static struct dram_bank_params standard(const struct dram_bank_app *apps, size_t count) {
    return (struct dram_bank_params){.preset = dram_preset_find("hsm-hbm"),
                                     .apps = apps,
                                     .app_count = count,
                                     .reads = 1.0,
                                     .streams = 1,
                                     .queue = DRAM_QUEUE,
                                     .requests = 100000,
                                     .seed = 1,
                                     .refresh = true};
}

static struct dram_bank_result run(const struct dram_bank_params *params) {
    struct dram_bank_result result;
    struct ct_diags diags = {0};
    int status = dram_bank_run(params, &result, &diags);
    if (status != CT_OK)
        fail_msg("ended with %d: %s", status, diags.count ? diags.items[0].text : "");
    ct_diags_free(&diags);
    return result;
}

static struct dram_bank_result run_alone(double locality, double reads, uint64_t seed) {
    struct dram_bank_app app = {locality, 1.0};
    struct dram_bank_params params = standard(&app, 1);
    params.reads = reads;
    params.seed = seed;
    return run(&params);
}

/* ---- the table of design: three independent simulators on HSM Table 1 ---- */

TEST(reads_meet_the_simulators) {
    static const struct {
        double locality, low, high, tolerance;
    } rows[] = {{0.0, 0.368, 0.369, 0.005}, {0.2, 0.457, 0.462, 0.025}, {0.4, 0.608, 0.618, 0.025},
                {0.5, 0.726, 0.743, 0.025}, {0.6, 0.862, 0.904, 0.04},  {0.8, 0.915, 0.920, 0.02},
                {1.0, 0.922, 0.922, 0.02}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (size_t i = 0; i < CT_COUNT_OF(rows); i++) {
            double middle = (rows[i].low + rows[i].high) / 2;
            near_to("reads only", run_alone(rows[i].locality, 1.0, seed).utilisation, middle,
                    rows[i].tolerance * middle);
        }
}

/* The closed form's own numbers, 4 activates of 2 data cycles per tFAW of 20 under a plateau of 1 -
 * (115 + 18) / 1716, typed here. */
TEST(reads_meet_the_closed_form) {
    for (int i = 0; i <= 20; i += STEP) {
        double h = i / 20.0, plateau = 1.0 - 133.0 / 1716.0;
        double closed = plateau * pow(pow((1.0 - h) / 0.4, 27.0) + 1.0, -1.0 / 27.0);
        double tolerance = i == 0 ? 0.005 : h <= 0.55 ? 0.025 : h < 0.7 ? 0.04 : 0.02;
        near_to("closed form", run_alone(h, 1.0, 7).utilisation, closed, tolerance * closed);
    }
}

TEST(writes_meet_the_simulators) {
    static const struct {
        double locality, low, high, tolerance;
    } rows[] = {{0.0, 0.366, 0.368, 0.03}, {0.2, 0.455, 0.462, 0.03}, {0.4, 0.592, 0.615, 0.03},
                {0.5, 0.681, 0.735, 0.06}, {0.6, 0.747, 0.840, 0.06}, {0.8, 0.820, 0.870, 0.06},
                {1.0, 0.868, 0.894, 0.06}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (size_t i = 0; i < CT_COUNT_OF(rows); i++) {
            double middle = (rows[i].low + rows[i].high) / 2;
            near_to("70 % reads", run_alone(rows[i].locality, 0.7, seed).utilisation, middle,
                    rows[i].tolerance * middle);
        }
}

TEST(row_hits_are_what_was_asked) {
    static const double reads[] = {1.0, 0.7, 0.0};
    for (size_t r = 0; r < CT_COUNT_OF(reads); r++)
        for (int i = 0; i <= 20; i += STEP)
            near_to("row hits", run_alone(i / 20.0, reads[r], 3).row_hit_rate, i / 20.0, 0.02);
}

/* ---- sharing ---- */

TEST(shares_follow_the_queue) {
    static const double localities[] = {0.0, 0.2, 0.4, 0.6, 0.8}, shares[] = {0.25, 0.5, 0.75};
    for (size_t i = 0; i < CT_COUNT_OF(localities); i += STEP) {
        double alone_hits = run_alone(localities[i], 1.0, 1).row_hit_rate;
        for (size_t j = 0; j < CT_COUNT_OF(localities); j++)
            for (size_t k = 0; k < CT_COUNT_OF(shares); k++) {
                struct dram_bank_app apps[2] = {{localities[i], shares[k]},
                                                {localities[j], 1.0 - shares[k]}};
                struct dram_bank_params params = standard(apps, 2);
                params.requests = 50000;
                struct dram_bank_result r = run(&params);
                double share = r.apps[0].bandwidth_share;
                near_to("bandwidth share", share, shares[k], 0.04);
                double mixed = share * localities[i] + (1.0 - share) * localities[j];
                double alone = run_alone(mixed, 1.0, 1).utilisation;
                near_to("total", r.utilisation, alone, 0.05 * alone);
                near_to("row hits", r.apps[0].row_hit_rate, alone_hits, 0.05);
            }
    }
}

/*
 * Long rows leave the queue sooner than their share of it: hit-first, locality 0.9 beside 0 gets
 * 0.318 with a quarter of the queue. HSM's cap of 5 hits keeps the bound up to locality 0.9, and to
 * 0.045 with an eighth of the queue.
 */
TEST(cap_keeps_shares_of_long_rows) {
    static const double others[] = {0.0, 0.5, 0.9}, shares[] = {0.125, 0.25, 0.5, 0.75};
    for (size_t j = 0; j < CT_COUNT_OF(others); j++)
        for (size_t k = 0; k < CT_COUNT_OF(shares); k++) {
            struct dram_bank_app apps[2] = {{0.9, shares[k]}, {others[j], 1.0 - shares[k]}};
            struct dram_bank_params params = standard(apps, 2);
            params.requests = 50000;
            params.cap = 5;
            struct dram_bank_result r = run(&params);
            near_to("bandwidth share", r.apps[0].bandwidth_share, shares[k],
                    shares[k] < 0.25 ? 0.045 : 0.04);
            double alone = run_alone(r.row_hit_rate, 1.0, 1).utilisation;
            near_to("total", r.utilisation, alone, 0.05 * alone);
        }
}

TEST(queue_is_shared_by_largest_remainder) {
    struct dram_bank_app apps[3] = {{0.2, 1.0}, {0.2, 1.0}, {0.2, 1.0}};
    struct dram_bank_params params = standard(apps, 3);
    params.requests = 1000;
    struct dram_bank_result r = run(&params);
    near_to("first of 64", r.apps[0].queue_share, 22.0 / 64.0, 1e-12);
    near_to("second of 64", r.apps[1].queue_share, 21.0 / 64.0, 1e-12);
    assert_true(r.apps[0].requests + r.apps[1].requests + r.apps[2].requests == 1000);
    assert_true(r.apps[0].hits + r.apps[1].hits + r.apps[2].hits == r.hits);
}

/* Between a long row and a random access, a cap of 1 gives rows up that hit-first would keep. */
TEST(cap_gives_up_row_hits) {
    struct dram_bank_app apps[2] = {{0.9, 0.5}, {0.9, 0.5}};
    struct dram_bank_params params = standard(apps, 2);
    params.streams = 8;
    double kept = run(&params).row_hit_rate;
    params.cap = 1;
    double capped = run(&params).row_hit_rate;
    if (!(capped < kept - 0.05))
        fail_msg("row hits %.3f with the cap, %.3f without", capped, kept);
}

/* ---- before the queue ---- */

static struct dram_bank_result run_sources(const struct dram_bank_source *sources, double share) {
    struct dram_bank_app apps[2] = {{0.5, share}, {0.5, 1 - share}};
    struct dram_bank_params params = standard(apps, 2);
    params.sources = sources;
    return run(&params);
}

/* Who has three times as many requests under way gets three times as much, and alike parts whoever
 * could make more of them at once: all wait for the same queue. */
TEST(parts_follow_what_is_under_way) {
    struct dram_bank_source sources[2] = {{.outstanding = 240, .offered = 100},
                                          {.outstanding = 80, .offered = 100}};
    near_to("240 of 320", run_sources(sources, 0.75).apps[0].bandwidth_share, 0.75, 0.01);
    sources[0] = (struct dram_bank_source){.outstanding = 160, .offered = 1000};
    sources[1] = (struct dram_bank_source){.outstanding = 160, .offered = 50};
    near_to("20 times as many offered", run_sources(sources, 0.5).apps[0].bandwidth_share, 0.5,
            0.01);
}

/* A closed network: N requests of each, which pause for Z and wait for R, alike for both: rates
 * N / (Z + R). 160 and 160 that offer 3 and 1 of the data cycles, 2 each: Z is 106.7 and 320. At
 * 0.73 of the data cycles 160 / (106.7 + R) + 160 / (320 + R) = 0.365, R = 676: parts 0.56, 0.44.
 */
TEST(a_pause_costs_its_part_of_the_wait) {
    const struct dram_bank_source sources[2] = {{.outstanding = 160, .offered = 3},
                                                {.outstanding = 160, .offered = 1}};
    near_to("part", run_sources(sources, 0.5).apps[0].bandwidth_share, 0.56, 0.01);
}

/* Offered less than the memory delivers, everybody is served: the queue is empty now and then. A
 * request pauses for 2 x 1600 / 0.1 = 32,000 cycles, beside which the hundred of its own are
 * little. */
TEST(what_is_offered_is_served) {
    const struct dram_bank_source sources[2] = {{.outstanding = 1600, .offered = 0.1},
                                                {.outstanding = 1600, .offered = 0.2}};
    struct dram_bank_result r = run_sources(sources, 0.5);
    near_to("all", r.utilisation, 0.3, 0.01);
    near_to("a third", r.apps[0].bandwidth_share, 1.0 / 3, 0.01);
}

TEST(sources_out_of_range_are_refused) {
    struct dram_bank_app app = {0.5, 1.0};
    struct dram_bank_params params = standard(&app, 1);
    struct dram_bank_result result;
    const struct dram_bank_source wrong[] = {{.outstanding = 63, .offered = 1}, /* of 64 entries */
                                             {.outstanding = 64, .offered = 0},
                                             {.streams = -1},
                                             {.streams = DRAM_STREAMS_MOST + 1}};
    for (size_t i = 0; i < CT_COUNT_OF(wrong); i++) {
        CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
        params.sources = &wrong[i];
        assert_int_equal(dram_bank_run(&params, &result, &diags), CT_USAGE);
    }
}

/* ---- by hand ---- */

static struct dram_bank_result run_small(struct dram_preset *preset, double locality, double reads,
                                         bool refresh) {
    struct dram_bank_app app = {locality, 1.0};
    struct dram_bank_params params = standard(&app, 1);
    params.preset = preset;
    params.reads = reads;
    params.refresh = refresh;
    return run(&params);
}

/* Without refresh and row hits: 4 activates of 2 data cycles per 20 cycles. */
TEST(no_hits_reach_the_activate_limit) {
    struct dram_preset preset = *dram_preset_find("hsm-hbm");
    near_to("activate limit", run_small(&preset, 0.0, 1.0, false).utilisation, 0.4, 1e-4);
    preset.cycles.faw = 1; /* legal: then four tRRD of 4 rule, one request of 2 cycles each */
    near_to("four tRRD", run_small(&preset, 0.0, 1.0, false).utilisation, 0.5, 0.01);
}

/* One bank: a read every tRC; a write every tRCD + tWL + data + tWR + tRP = 7 + 2 + 2 + 8 + 7. */
TEST(one_bank_is_bound_by_its_cycle) {
    struct dram_preset preset = *dram_preset_find("hsm-hbm");
    preset.banks = preset.bank_groups = 1;
    near_to("reads", run_small(&preset, 0.0, 1.0, false).utilisation, 2.0 / 24.0, 1e-9);
    near_to("writes", run_small(&preset, 0.0, 0.0, false).utilisation, 2.0 / 26.0, 1e-9);
}

/* Row hits fill every data cycle; a refresh costs tRTP + tRP + tRFC + tRCD less the 2 cycles to the
 * next read: 134 of 1716. */
TEST(hits_lose_only_the_refresh) {
    struct dram_preset preset = *dram_preset_find("hsm-hbm");
    near_to("no refresh", run_small(&preset, 1.0, 1.0, false).utilisation, 1.0, 1e-9);
    near_to("refresh", run_small(&preset, 1.0, 1.0, true).utilisation, 1.0 - 134.0 / 1716.0, 5e-4);
}

/* In one bank group bursts are tCCDL = 3 apart instead of 2. */
TEST(one_bank_group_is_bound_by_its_bursts) {
    struct dram_preset preset = *dram_preset_find("hbm2");
    near_to("one group", run_small(&preset, 1.0, 1.0, false).utilisation, 2.0 / 3.0, 1e-4);
}

/* One entry: each read waits for its own bank. Row hits follow each other after the pins' 2 cycles;
 * reads and writes in turn cost the turnarounds tCL + 2 + 2 - tWL = 9 and tWL + 2 + tWTR. */
TEST(one_entry_works) {
    struct dram_bank_app app = {1.0, 1.0};
    struct dram_bank_params params = standard(&app, 1);
    params.queue = 1;
    params.refresh = false;
    near_to("one read at a time", run(&params).utilisation, 1.0, 1e-9);
    params.reads = 0.5; /* banks 0 and 1 keep their rows; groups differ: tWTRS = 2 */
    struct dram_bank_result r = run(&params);
    double turns = (double)r.turnarounds / 2.0, rest = (double)(r.requests - r.turnarounds);
    double cycles = 2.0 * rest + turns * (9.0 + 6.0);
    near_to("turnarounds", (double)r.cycles / cycles, 1.0, 1e-3);
}

TEST(same_seed_same_numbers) {
    struct dram_bank_result a = run_alone(0.5, 0.7, 11), b = run_alone(0.5, 0.7, 11);
    struct dram_bank_result c = run_alone(0.5, 0.7, 12);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.cycles != c.cycles);
}

/* ---- every distance between commands, checked pair by pair over the log ---- */

enum { LOG_MOST = 60000, LOOK_BACK = 120 };

struct logged {
    enum dram_command command;
    int64_t cycle;
    int bank;
};

struct command_list {
    struct logged items[LOG_MOST];
    size_t count;
};

static void keep(void *context, enum dram_command command, int64_t cycle, int bank) {
    struct command_list *list = context;
    if (list->count < LOG_MOST)
        list->items[list->count++] = (struct logged){command, cycle, bank};
}

static bool is_column(enum dram_command command) {
    return command == DRAM_CMD_READ || command == DRAM_CMD_WRITE;
}

/* Least distance of two column commands, from the data bus up: JEDEC's rules as in any data sheet.
 */
static int64_t column_distance(const struct dram_preset *p, const struct logged *a,
                               const struct logged *b, bool same_group) {
    const struct dram_cycles *c = &p->cycles;
    int64_t data = p->request_bytes / p->bytes_per_cycle;
    if (a->command == b->command) {
        int64_t group = p->bursts * c->ccd_same;
        return same_group && group > data ? group : data;
    }
    if (a->command == DRAM_CMD_READ)
        return c->cl + data + c->turn - c->wl;
    return c->wl + data + (same_group ? c->wtr_same : c->wtr_other);
}

/* Least distance of two commands to one bank; 0: none. */
static int64_t bank_distance(const struct dram_preset *p, enum dram_command a,
                             enum dram_command b) {
    const struct dram_cycles *c = &p->cycles;
    int64_t data = p->request_bytes / p->bytes_per_cycle;
    if (a == DRAM_CMD_ACTIVATE)
        return b == DRAM_CMD_ACTIVATE    ? c->rc
               : b == DRAM_CMD_PRECHARGE ? c->ras
               : b == DRAM_CMD_READ      ? c->rcd_read
               : b == DRAM_CMD_WRITE     ? c->rcd_write
                                         : 0;
    if (a == DRAM_CMD_READ && b == DRAM_CMD_PRECHARGE)
        return (p->bursts - 1) * c->ccd_other + c->rtp;
    if (a == DRAM_CMD_WRITE && b == DRAM_CMD_PRECHARGE)
        return c->wl + data + c->wr;
    return a == DRAM_CMD_PRECHARGE && b == DRAM_CMD_ACTIVATE ? c->rp : 0;
}

static int64_t distance(const struct dram_preset *p, const struct logged *a,
                        const struct logged *b) {
    const struct dram_cycles *c = &p->cycles;
    bool same_group = a->bank % p->bank_groups == b->bank % p->bank_groups;
    int64_t least = a->bank == b->bank ? bank_distance(p, a->command, b->command) : 0;
    if (is_column(a->command) && is_column(b->command))
        least = column_distance(p, a, b, same_group);
    if (a->command == DRAM_CMD_ACTIVATE && b->command == DRAM_CMD_ACTIVATE && a->bank != b->bank)
        least = same_group ? c->rrd_same : c->rrd_other;
    if (a->command == DRAM_CMD_REFRESH)
        least = b->command == DRAM_CMD_REFRESH ? 0 : c->rfc;
    if (b->command == DRAM_CMD_REFRESH)
        least = a->command == DRAM_CMD_PRECHARGE ? c->rp : 0;
    bool buses = p->two_command_buses && is_column(a->command) != is_column(b->command);
    return least == 0 && !buses ? 1 : least;
}

/* Pairs within reach (no distance but a refresh's, before which there is nothing, is longer), the
 * window of four activates, and the state of each bank. */
static void check_log(const struct dram_preset *p, const struct command_list *list) {
    bool open[DRAM_BANKS_MOST] = {false};
    int64_t activates[4] = {-1000000, -1000000, -1000000, -1000000};
    for (size_t i = 0; i < list->count; i++) {
        const struct logged *b = &list->items[i];
        for (size_t j = i > LOOK_BACK ? i - LOOK_BACK : 0; j < i; j++) {
            const struct logged *a = &list->items[j];
            if (b->cycle - a->cycle < distance(p, a, b))
                fail_msg("%s: command %d of bank %d at %lld follows %d of bank %d at %lld", p->name,
                         b->command, b->bank, (long long)b->cycle, a->command, a->bank,
                         (long long)a->cycle);
        }
        if (b->command == DRAM_CMD_ACTIVATE) {
            assert_true(b->cycle - activates[0] >= p->cycles.faw);
            memmove(activates, activates + 1, 3 * sizeof *activates);
            activates[3] = b->cycle;
        }
        if (b->command == DRAM_CMD_REFRESH)
            for (int bank = 0; bank < p->banks; bank++)
                assert_false(open[bank]);
        else
            assert_true(open[b->bank] == (b->command != DRAM_CMD_ACTIVATE));
        if (b->command == DRAM_CMD_ACTIVATE || b->command == DRAM_CMD_PRECHARGE)
            open[b->bank] = b->command == DRAM_CMD_ACTIVATE;
    }
}

TEST(commands_keep_their_distance) {
    static struct command_list list;
    static const double localities[] = {0.0, 0.5, 0.9}, reads[] = {1.0, 0.6};
    for (const struct dram_preset *p = dram_presets; p->name; p++)
        for (size_t i = 0; i < CT_COUNT_OF(localities); i++)
            for (size_t r = 0; r < CT_COUNT_OF(reads); r++) {
                struct dram_bank_app apps[2] = {{localities[i], 0.6}, {0.3, 0.4}};
                struct dram_bank_params params = standard(apps, 2);
                params.preset = p;
                params.reads = reads[r];
                params.streams = p->streams;
                params.cap = i == 1 ? 5 : 0;
                params.requests = 6000;
                params.log = keep;
                params.log_context = &list;
                list.count = 0;
                run(&params);
                assert_true(list.count > 6000 && list.count < LOG_MOST);
                check_log(p, &list);
            }
}

/* ---- bad input, and the fit ---- */

TEST(bad_parameters_are_refused) {
    struct dram_bank_app apps[2] = {{0.5, 0.999}, {0.5, 0.001}};
    struct dram_bank_params good = standard(apps, 2);
    struct dram_bank_params bad[7] = {good, good, good, good, good, good, good};
    struct dram_bank_app wrong = {1.5, 1.0};
    bad[1].reads = 1.5;
    bad[2].streams = DRAM_STREAMS_MOST + 1;
    bad[3].queue = 0;
    bad[4].requests = 0;
    bad[5].app_count = 0;
    bad[6].apps = &wrong;
    bad[6].app_count = 1;
    for (size_t i = 0; i < CT_COUNT_OF(bad); i++) {
        struct dram_bank_result result;
        CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
        assert_int_equal(dram_bank_run(&bad[i], &result, &diags), CT_USAGE);
        assert_int_equal(diags.errors, 1);
    }
}

/* The line is the least-squares one of its own points, computed here the plain way. */
TEST(fit_is_least_squares) {
    struct dram_bank_app app = {0.5, 1.0};
    struct dram_bank_params params = standard(&app, 1);
    struct dram_fit fit;
    struct ct_diags diags = {0};
    params.requests = 20000;
    assert_int_equal(dram_fit_run(&params, &fit, &diags), CT_OK);
    double n = DRAM_FIT_POINTS, x = 0, y = 0, xx = 0, xy = 0, rest = 0, total = 0;
    for (int i = 0; i < DRAM_FIT_POINTS; i++) {
        const struct dram_fit_point *p = &fit.points[i];
        x += p->row_hit_rate;
        y += p->utilisation;
        xx += p->row_hit_rate * p->row_hit_rate;
        xy += p->row_hit_rate * p->utilisation;
    }
    double slope = (n * xy - x * y) / (n * xx - x * x), base = (y - slope * x) / n;
    for (int i = 0; i < DRAM_FIT_POINTS; i++) {
        const struct dram_fit_point *p = &fit.points[i];
        double miss = p->utilisation - slope * p->row_hit_rate - base;
        near_to("residual", p->residual, miss, 1e-9);
        rest += miss * miss;
        total += (p->utilisation - y / n) * (p->utilisation - y / n);
    }
    near_to("slope", fit.slope, slope, 1e-9);
    near_to("base", fit.base, base, 1e-9);
    near_to("R2", fit.r2, 1.0 - rest / total, 1e-9);
    for (int i = 1; i < DRAM_FIT_POINTS; i++)
        assert_true(fit.curve[i].row_hit_rate > fit.curve[i - 1].row_hit_rate &&
                    fit.curve[i].utilisation >= fit.curve[i - 1].utilisation);
    for (int i = 0; i < DRAM_FIT_SHIFTS; i++)
        if (fit.shifts[i].cap == 0 && fit.shifts[i].streams == 1)
            assert_true(fit.shifts[i].worst <= 0.05);
}
