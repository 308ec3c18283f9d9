/*
 * What the DRAM can deliver, as a function of the row-buffer hit rate (RBH, 0 to 1).
 *
 * Either HSM's line (effective = peak * (c1 RBH + c2), HSM Eq. 3) or a measured curve, behind one
 * struct. Bandwidths are bytes per second; utilisations are fractions of the peak.
 */
#ifndef DRAM_H
#define DRAM_H

#include "models/device/gpu.h"

struct dram_point {
    double row_hit_rate, utilisation;
};

struct dram {
    double peak_bytes_per_s;
    double line_slope, line_base;    /* c1, c2; used when there are no points */
    const struct dram_point *points; /* rising in both, straight between, flat outside; borrowed */
    size_t point_count;              /* 0: the line */
};

/* One application's traffic: what it asks for, which is what it gets alone, and its row hits. */
struct dram_demand {
    double bytes_per_s, row_hit_rate;
};

/* The memory of a GPU: its line, or the curve that stands in for it. */
struct dram dram_line(const struct gpu *gpu);

static inline double dram_between(double low, double number, double high) {
    double least = number < low ? low : number;
    return least > high ? high : least;
}

/* Attainable fraction of the peak by the measured curve, at a row hit rate from 0 to 1. */
double dram_curve_utilisation(const struct dram *dram, double rate);

/* Attainable fraction of the peak at a row hit rate, at most 1. */
static inline double dram_utilisation(const struct dram *dram, double row_hit_rate) {
    double rate = dram_between(0.0, row_hit_rate, 1.0);
    if (dram->point_count > 0)
        return dram_curve_utilisation(dram, rate);
    return dram_between(0.0, dram->line_slope * rate + dram->line_base, 1.0); /* HSM Eq. 3 */
}

double dram_effective_bytes_per_s(const struct dram *dram, double row_hit_rate);

/* The lowest row hit rate that attains a utilisation: 0 or 1 where it lies outside the line or the
 * curve. */
double dram_row_hit_rate(const struct dram *dram, double utilisation);

/* A demand as it enters a mix: with the row hit rate that explains what its owner draws alone, and
 * the part of the peak that not even a rate of 1 explains. */
struct dram_explained {
    double bytes_per_s, row_hit_rate, excess;
};

struct dram_explained dram_explain(const struct dram *dram, const struct dram_demand *demand);

/* A mix as sums over its members, weighted by their bytes: the mean row hit rate is that by
 * requests (HSM section 4.3). */
struct dram_mix {
    double bytes_per_s, hits, excesses;
};

static inline void dram_mix_add(struct dram_mix *mix, const struct dram_explained *demand,
                                double bytes_per_s) {
    mix->bytes_per_s += bytes_per_s;
    mix->hits += bytes_per_s * demand->row_hit_rate;
    mix->excesses += bytes_per_s * demand->excess;
}

/*
 * What a mix with some traffic can draw in all: the effective bandwidth at the mixed row hit rate.
 * A member that draws more alone than its own row hit rate would allow (measured bandwidth beside
 * an assumed hit rate) has shown that its true one is higher, and enters the mean with the rate
 * that explains its bandwidth; what even a rate of 1 does not explain is added, weighted by
 * requests. So whoever runs alone, or among its like, gets what it got when it was recorded, and a
 * mix is never below the least that one of its members attains alone. It may be below the most:
 * that is the loss of row hits which HSM describes.
 */
double dram_mix_capacity_bytes_per_s(const struct dram *dram, const struct dram_mix *mix);

#endif
