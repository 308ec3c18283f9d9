/*
 * Timing sets of DRAM channels, in cycles of the command clock, and what follows from them.
 *
 * A request is the piece of data that one row access serves: a 128 B line in HSM's two memories,
 * one burst of the device in the others. Row hit rates are per request.
 */
#ifndef DRAM_TIMING_H
#define DRAM_TIMING_H

#include "abi/ct_option.h"
#include "base/ct_diag.h"

/* Each bank is one bit of a mask. */
enum { DRAM_BANKS_MOST = 64 };

/* Least distances between commands, in cycles. "same" is within a bank group, "other" across
 * groups. */
struct dram_cycles {
    int64_t rcd_read, rcd_write; /* activate to column command, same bank */
    int64_t rp, ras, rc;         /* precharge to activate; activate to precharge, to activate */
    int64_t rrd_same, rrd_other; /* activate to activate */
    int64_t faw;                 /* at most four activates in it */
    int64_t cl, wl;              /* column command to first data */
    int64_t ccd_same, ccd_other; /* burst to burst */
    int64_t wtr_same, wtr_other; /* end of written data to read */
    int64_t rtp, wr;             /* read, or end of written data, to precharge */
    int64_t turn;                /* idle data cycles from read to write */
    int64_t rfc, refi;           /* refresh of all banks, and how often */
};

struct dram_preset {
    const char *name, *title;
    double clock_mhz;              /* of the command clock */
    int64_t channels;              /* of the whole memory, each with data pins of its own */
    int64_t banks, bank_groups;    /* bank b is in group b modulo bank_groups */
    int64_t bytes_per_cycle;       /* data pins of a channel, per command clock */
    int64_t request_bytes, bursts; /* of one request */
    int64_t streams;               /* per application, enough to use all data cycles (assumed) */
    bool two_command_buses;        /* rows and columns have a command bus each */
    struct dram_cycles cycles;
};

/* All presets; ends with a NULL name. */
extern const struct dram_preset dram_presets[];

/* Keys by which a user changes a preset (`dram --set tFAW=16`): its members, times in cycles by
 * their usual names. */
extern const struct ct_option dram_preset_options[];

/* The timing set of this name; NULL when there is none. */
const struct dram_preset *dram_preset_find(const char *name);

/* Data cycles of a request. */
int64_t dram_preset_data_cycles(const struct dram_preset *preset);

/* What the pins of the whole memory carry, in bytes per second. */
double dram_preset_bytes_per_s(const struct dram_preset *preset);

/* The cycles in which four activates fit: tFAW, or four tRRD where these are longer. */
int64_t dram_preset_activate_window(const struct dram_preset *preset);

/* Data utilisation that activates allow without refresh: 4 data cycles per window / (1 - RBH), at
 * most 1. */
double dram_preset_activate_limit(const struct dram_preset *preset, double row_hit_rate);

/* Every number that no DRAM can have is an error at `where`: a distance of 0, a row cycle shorter
 * than its parts, a refresh longer than its interval, ... A tFAW below 4 tRRD is legal. CT_OK or
 * CT_USAGE. */
int dram_preset_check(const struct dram_preset *preset, const char *where, struct ct_diags *diags);

#endif
