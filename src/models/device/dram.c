#include "models/device/dram.h"

#include "base/ct_search.h"

#define BYTES_PER_GB 1e9

struct dram dram_line(const struct gpu *gpu) {
    return (struct dram){.peak_bytes_per_s = gpu->dram_gb_s * BYTES_PER_GB,
                         .line_slope = gpu->dram_line_slope,
                         .line_base = gpu->dram_line_base,
                         .points = gpu->dram_points,
                         .point_count = gpu->dram_point_count};
}

static bool rate_below(const void *points, size_t i, const void *rate) {
    return ((const struct dram_point *)points)[i].row_hit_rate < *(const double *)rate;
}

static bool utilisation_below(const void *points, size_t i, const void *utilisation) {
    return ((const struct dram_point *)points)[i].utilisation < *(const double *)utilisation;
}

double dram_curve_utilisation(const struct dram *dram, double rate) {
    size_t i = ct_lower_bound(dram->points, dram->point_count, rate_below, &rate);
    if (i == 0)
        return dram->points[0].utilisation;
    const struct dram_point *low = &dram->points[i - 1];
    if (i == dram->point_count)
        return low->utilisation;
    const struct dram_point *high = &dram->points[i];
    double part = (rate - low->row_hit_rate) / (high->row_hit_rate - low->row_hit_rate);
    return low->utilisation + part * (high->utilisation - low->utilisation);
}

double dram_effective_bytes_per_s(const struct dram *dram, double row_hit_rate) {
    return dram->peak_bytes_per_s * dram_utilisation(dram, row_hit_rate);
}

double dram_row_hit_rate(const struct dram *dram, double utilisation) {
    if (dram->point_count == 0) {
        if (utilisation <= dram->line_base)
            return 0.0;
        return dram->line_slope > 0.0
                   ? dram_between(0.0, (utilisation - dram->line_base) / dram->line_slope, 1.0)
                   : 1.0;
    }
    size_t i = ct_lower_bound(dram->points, dram->point_count, utilisation_below, &utilisation);
    if (i == dram->point_count)
        return 1.0;
    if (i == 0)
        return 0.0;
    const struct dram_point *low = &dram->points[i - 1], *high = &dram->points[i];
    double part = (utilisation - low->utilisation) / (high->utilisation - low->utilisation);
    return low->row_hit_rate + part * (high->row_hit_rate - low->row_hit_rate);
}

struct dram_explained dram_explain(const struct dram *dram, const struct dram_demand *demand) {
    double drawn = demand->bytes_per_s / dram->peak_bytes_per_s;
    double most = dram_utilisation(dram, 1.0);
    struct dram_explained explained = {demand->bytes_per_s, demand->row_hit_rate,
                                       drawn > most ? drawn - most : 0.0};
    if (drawn > dram_utilisation(dram, demand->row_hit_rate))
        explained.row_hit_rate = dram_row_hit_rate(dram, drawn);
    return explained;
}

double dram_mix_capacity_bytes_per_s(const struct dram *dram, const struct dram_mix *mix) {
    double utilisation =
        dram_utilisation(dram, mix->hits / mix->bytes_per_s) + mix->excesses / mix->bytes_per_s;
    return dram->peak_bytes_per_s * dram_between(0.0, utilisation, 1.0);
}
