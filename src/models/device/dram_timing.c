#include "models/device/dram_timing.h"

#include <string.h>

#define ACTIVATES_PER_WINDOW 4
#define CYCLES_MOST 1000000 /* far above any; products of two fit an int64_t */

#define CYCLES(key, member, low, text)                                                             \
    .name = (key), .kind = CT_OPTION_INT, .offset = offsetof(struct dram_preset, cycles.member),   \
    .unit = "cycles", .least = (low), .most = CYCLES_MOST, .help = (text)
#define COUNT(member, high, text)                                                                  \
    .name = #member, .kind = CT_OPTION_INT, .offset = offsetof(struct dram_preset, member),        \
    .unit = "", .least = 1, .most = (high), .help = (text)

const struct ct_option dram_preset_options[] = {
    {CYCLES("tRCDRD", rcd_read, 1, "activate to read")},
    {CYCLES("tRCDWR", rcd_write, 1, "activate to write")},
    {CYCLES("tRP", rp, 1, "precharge to activate")},
    {CYCLES("tRAS", ras, 1, "activate to precharge")},
    {CYCLES("tRC", rc, 1, "activate to activate of a bank")},
    {CYCLES("tRRDL", rrd_same, 1, "activate to activate within a bank group")},
    {CYCLES("tRRDS", rrd_other, 1, "activate to activate across bank groups")},
    {CYCLES("tFAW", faw, 1, "window of four activates; below four tRRD it does not bind")},
    {CYCLES("tCL", cl, 1, "read to its data")},
    {CYCLES("tWL", wl, 1, "write to its data")},
    {CYCLES("tCCDL", ccd_same, 1, "burst to burst within a bank group")},
    {CYCLES("tCCDS", ccd_other, 1, "burst to burst across bank groups")},
    {CYCLES("tWTRL", wtr_same, 1, "end of written data to a read of the bank group")},
    {CYCLES("tWTRS", wtr_other, 1, "end of written data to a read of another bank group")},
    {CYCLES("tRTP", rtp, 1, "read to precharge")},
    {CYCLES("tWR", wr, 1, "end of written data to precharge")},
    {CYCLES("turn", turn, 0, "idle data cycles from read to write")},
    {CYCLES("tRFC", rfc, 1, "a refresh of all banks")},
    {CYCLES("tREFI", refi, 1, "refresh to refresh")},
    {.name = "clock_mhz",
     .kind = CT_OPTION_DOUBLE,
     .offset = offsetof(struct dram_preset, clock_mhz),
     .unit = "MHz",
     .least = 1,
     .most = 10000,
     .help = "command clock"},
    {COUNT(channels, 1024, "channels of the memory")},
    {COUNT(banks, DRAM_BANKS_MOST, "banks of a channel")},
    {COUNT(bank_groups, DRAM_BANKS_MOST, "bank groups of a channel")},
    {COUNT(bytes_per_cycle, 1024, "data pins of a channel, bytes per command clock")},
    {COUNT(request_bytes, 4096, "bytes of a request")},
    {COUNT(bursts, 64, "column commands of a request")},
    {.name = NULL}};

const struct dram_preset *dram_preset_find(const char *name) {
    for (const struct dram_preset *preset = dram_presets; preset->name; preset++)
        if (strcmp(preset->name, name) == 0)
            return preset;
    return NULL;
}

int64_t dram_preset_data_cycles(const struct dram_preset *preset) {
    return preset->request_bytes / preset->bytes_per_cycle;
}

static double dram_preset_channel_bytes_per_s(const struct dram_preset *preset) {
    return (double)preset->bytes_per_cycle * preset->clock_mhz * 1e6;
}

double dram_preset_bytes_per_s(const struct dram_preset *preset) {
    return (double)preset->channels * dram_preset_channel_bytes_per_s(preset);
}

int64_t dram_preset_activate_window(const struct dram_preset *preset) {
    int64_t spaced = ACTIVATES_PER_WINDOW * preset->cycles.rrd_other;
    return preset->cycles.faw > spaced ? preset->cycles.faw : spaced;
}

double dram_preset_activate_limit(const struct dram_preset *preset, double row_hit_rate) {
    double at_no_hit = (double)(ACTIVATES_PER_WINDOW * dram_preset_data_cycles(preset)) /
                       (double)dram_preset_activate_window(preset);
    return at_no_hit < 1.0 - row_hit_rate ? at_no_hit / (1.0 - row_hit_rate) : 1.0;
}

/* Each option's own range; a preset made in C may hold anything. */
static void check_ranges(const struct dram_preset *preset, const char *where,
                         struct ct_diags *diags) {
    for (const struct ct_option *o = dram_preset_options; o->name; o++) {
        const char *member = (const char *)preset + o->offset;
        double number = o->kind == CT_OPTION_INT ? (double)*(const int64_t *)(const void *)member
                                                 : *(const double *)(const void *)member;
        if (!(number >= o->least && number <= o->most))
            ct_error(diags, where, "'%s' is %g, outside %g to %g", o->name, number, o->least,
                     o->most);
    }
}

static void check_order(const char *small, int64_t least, const char *large, int64_t most,
                        const char *where, struct ct_diags *diags) {
    if (least > most)
        ct_error(diags, where, "'%s' (%lld) is longer than '%s' (%lld)", small, (long long)least,
                 large, (long long)most);
}

static void check_cycles(const struct dram_preset *preset, const char *where,
                         struct ct_diags *diags) {
    const struct dram_cycles *c = &preset->cycles;
    check_order("tRAS", c->ras, "tRC", c->rc, where, diags);
    check_order("tRCDRD", c->rcd_read, "tRC", c->rc, where, diags);
    check_order("tRCDWR", c->rcd_write, "tRC", c->rc, where, diags);
    check_order("tRRDS", c->rrd_other, "tRRDL", c->rrd_same, where, diags);
    check_order("tCCDS", c->ccd_other, "tCCDL", c->ccd_same, where, diags);
    check_order("tWTRS", c->wtr_other, "tWTRL", c->wtr_same, where, diags);
    int64_t drain = c->rc + c->wl + dram_preset_data_cycles(preset) + c->wr + c->rp;
    check_order("a refresh with its drain", c->rfc + drain, "tREFI", c->refi, where, diags);
}

static void check_data(const struct dram_preset *preset, const char *where,
                       struct ct_diags *diags) {
    if (preset->request_bytes % preset->bytes_per_cycle != 0)
        ct_error(diags, where, "'request_bytes' (%lld) is no multiple of 'bytes_per_cycle' (%lld)",
                 (long long)preset->request_bytes, (long long)preset->bytes_per_cycle);
    else if (preset->bursts * preset->cycles.ccd_other > dram_preset_data_cycles(preset))
        ct_error(diags, where,
                 "%lld bursts 'tCCDS' (%lld) apart carry less than the pins: a request has %lld "
                 "data cycles",
                 (long long)preset->bursts, (long long)preset->cycles.ccd_other,
                 (long long)dram_preset_data_cycles(preset));
    if (preset->banks % preset->bank_groups != 0)
        ct_error(diags, where, "'banks' (%lld) is no multiple of 'bank_groups' (%lld)",
                 (long long)preset->banks, (long long)preset->bank_groups);
}

int dram_preset_check(const struct dram_preset *preset, const char *where, struct ct_diags *diags) {
    size_t before = diags->errors;
    check_ranges(preset, where, diags);
    if (diags->errors == before) {
        check_cycles(preset, where, diags);
        check_data(preset, where, diags);
    }
    return diags->errors == before ? CT_OK : CT_USAGE;
}
