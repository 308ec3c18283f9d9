#include "policies/hsm_model.h"

#include <math.h>

#define PS_PER_S 1e12

double hsm_row_hit_rate(const struct ct_counters *counters) {
    return counters->memory_accesses > 0 ? counters->row_hits / counters->memory_accesses : NAN;
}

double hsm_bandwidth(const struct hsm_device *device, const struct ct_counters *counters) {
    if (!(counters->busy_ps > 0))
        return NAN;
    double bytes = counters->memory_accesses * HSM_REQUEST_BYTES;
    return bytes / (counters->busy_ps / PS_PER_S) / device->peak_bytes_per_s;
}

double hsm_demand(const struct hsm_device *device, const struct ct_counters *counters) {
    if (!(counters->instructions > 0))
        return NAN;
    double bytes = counters->memory_accesses / counters->instructions * HSM_REQUEST_BYTES;
    return bytes * device->peak_instructions_per_s / device->peak_bytes_per_s;
}

static double mean_of(const double *values, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static double spread_of(const double *values, uint32_t count) {
    double least = values[0], most = values[0];
    for (uint32_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    return most - least;
}

bool hsm_line_fit(const double *row_hit_rates, const double *bandwidths, uint32_t count,
                  struct hsm_line *line) {
    if (count < 2 || spread_of(row_hit_rates, count) < HSM_SPREAD_LEAST)
        return false;
    double x_mean = mean_of(row_hit_rates, count), y_mean = mean_of(bandwidths, count);
    double xx = 0, xy = 0;
    for (uint32_t i = 0; i < count; i++) {
        double x = row_hit_rates[i] - x_mean;
        xx += x * x;
        xy += x * (bandwidths[i] - y_mean);
    }
    line->slope = xy / xx;
    line->base = y_mean - line->slope * x_mean;
    return line->slope >= 0 && line->base > 0;
}

/* Eq. 3 over B_max; NAN: no row hit rate to put into it. */
static double supply_of(const struct hsm_line *line, const struct ct_counters *counters) {
    return line->slope * hsm_row_hit_rate(counters) + line->base;
}

/* Eq. 4. A kernel of fewer blocks than SMs has as many SMs of its own as blocks (section 2.3.1). */
static double progress_by_sms(const struct hsm_device *device, const struct hsm_measure *measure) {
    double all = (double)device->sms, held = (double)measure->sms;
    if (measure->blocks >= 1 && measure->blocks < all)
        all = measure->blocks;
    return held < all ? held / all : 1;
}

double hsm_progress(const struct hsm_device *device, const struct hsm_line *line,
                    const struct hsm_measure *measure) {
    double demand = hsm_demand(device, &measure->counters);
    double supply = supply_of(line, &measure->counters);
    if (!(measure->counters.busy_ps > 0) || measure->sms < 1 || isnan(demand))
        return NAN;
    /* Without an access there is no hit rate, and no demand for bandwidth either. */
    if (!(demand > supply))
        return progress_by_sms(device, measure);
    return supply > 0 ? hsm_bandwidth(device, &measure->counters) / supply : NAN;
}

/* ---- DASE ---- */

/* The part of the time in which its SMs could have issued and did not. */
static double stalled_part(const struct hsm_device *device, const struct hsm_measure *measure,
                           double sm_share) {
    const struct ct_counters *counters = &measure->counters;
    double seconds = counters->busy_ps / PS_PER_S;
    double issued = counters->instructions / (device->peak_instructions_per_s * sm_share * seconds);
    return issued < 1 ? 1 - issued : 0;
}

/* The part of the time in which the data bus served others. */
static double others_part(const struct hsm_device *device, const struct hsm_measure *measure) {
    struct ct_counters others = {.memory_accesses = measure->others.memory_accesses,
                                 .busy_ps = measure->counters.busy_ps};
    return hsm_bandwidth(device, &others);
}

double hsm_dase_progress(const struct hsm_device *device, const struct hsm_measure *measure) {
    const struct ct_counters *counters = &measure->counters;
    if (!(counters->busy_ps > 0) || !(counters->instructions > 0) || measure->sms < 1)
        return NAN;
    double sm_share = (double)measure->sms / (double)device->sms;
    double interference =
        fmin(stalled_part(device, measure, sm_share), others_part(device, measure));
    double alone = 1 - interference; /* 1 / slowdown on its own SMs */
    double bandwidth = hsm_bandwidth(device, counters);
    /* Progress against the whole GPU: not below what the theoretical bandwidth would leave of it,
     * not above progress on its own SMs, and not below the cap. */
    double progress = fmin(alone, fmax(alone * sm_share, bandwidth));
    return fmax(progress, sm_share);
}

/* ---- allocation ---- */

static double gradient_of(const struct hsm_app *app) {
    return !isnan(app->progress) ? app->progress / (double)app->sms : 0;
}

/* The first with the lowest (highest) NP; `count` where none is known. */
static uint32_t extreme_of(const struct hsm_app *apps, uint32_t count, bool highest) {
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) {
        if (isnan(apps[i].progress))
            continue;
        if (best == count || (highest ? apps[i].progress > apps[best].progress
                                      : apps[i].progress < apps[best].progress))
            best = i;
    }
    return best;
}

double hsm_fairness(const struct hsm_app *apps, uint32_t count) {
    uint32_t low = extreme_of(apps, count, false), high = extreme_of(apps, count, true), known = 0;
    for (uint32_t i = 0; i < count; i++)
        known += !isnan(apps[i].progress);
    if (known < 2 || !(apps[high].progress > 0))
        return NAN;
    return apps[low].progress / apps[high].progress;
}

static int64_t at_most(int64_t value, int64_t limit) {
    return value < limit ? value : limit;
}

int64_t hsm_fair_move(struct hsm_app *apps, uint32_t count) {
    uint32_t low = extreme_of(apps, count, false), high = extreme_of(apps, count, true);
    if (low == high)
        return 0;
    double gap = apps[high].progress - apps[low].progress;
    double slope = gradient_of(&apps[high]) + gradient_of(&apps[low]);
    /* slope >= gap / (SMs of the two), so that the quotient is a small number. */
    int64_t moved = slope > 0 ? (int64_t)(gap / slope + 0.5) : 0;
    moved = at_most(moved < 1 ? 1 : moved, apps[high].sms - 1);
    moved = at_most(moved, apps[low].most - apps[low].sms);
    if (moved <= 0)
        return 0;
    apps[high].sms -= moved;
    apps[low].sms += moved;
    return moved;
}

/* ---- HSM-QoS ---- */

/* As many SMs as that: progress moves along its line, the gradient is that of the epoch. */
static void set_sms(struct hsm_app *app, int64_t sms) {
    double gradient = gradient_of(app);
    app->sms = sms;
    if (!isnan(app->progress))
        app->progress = gradient * (double)sms;
}

/* The smallest S with g S > target, 1 to what is of use to it. */
static int64_t sms_for_target(const struct hsm_app *app) {
    double wanted = app->target / gradient_of(app) + HSM_ROUNDING;
    if (!(wanted < (double)app->most))
        return app->most;
    return (int64_t)wanted + 1;
}

/* SMs that an application of high priority lacks for its target; below 0: that it can spare. */
static int64_t lacks(const struct hsm_app *app) {
    bool stays = app->progress >= app->target && app->progress <= app->release;
    return app->target > 0 && app->progress > 0 && !stays ? sms_for_target(app) - app->sms : 0;
}

/*
 * Takes (sign -1) or gives (+1) SMs among those of low priority, by gradient: the smallest loses
 * first, the largest gains first. Returns how many could not be placed.
 */
static int64_t spread_sms(struct hsm_app *apps, uint32_t count, int64_t sms, int64_t sign) {
    while (sms > 0) {
        uint32_t best = count;
        for (uint32_t i = 0; i < count; i++) {
            bool full = sign < 0 ? apps[i].sms <= 1 : apps[i].sms >= apps[i].most;
            if (apps[i].target > 0 || full)
                continue;
            double lead = best == count
                              ? 1
                              : (gradient_of(&apps[i]) - gradient_of(&apps[best])) * (double)sign;
            best = lead > 0 ? i : best;
        }
        if (best == count)
            return sms;
        int64_t room = sign < 0 ? apps[best].sms - 1 : apps[best].most - apps[best].sms;
        int64_t step = at_most(sms, room);
        set_sms(&apps[best], apps[best].sms + sign * step);
        sms -= step;
    }
    return 0;
}

/* Who can spare these SMs leaves them to the others of high priority that lack some, then to those
 * of low priority. Returns how many could not be placed. */
static int64_t hand_on(struct hsm_app *apps, uint32_t count, int64_t sms) {
    for (uint32_t i = 0; i < count; i++) {
        int64_t step = at_most(sms, lacks(&apps[i]));
        if (step > 0) {
            set_sms(&apps[i], apps[i].sms + step);
            sms -= step;
        }
    }
    return spread_sms(apps, count, sms, 1);
}

int64_t hsm_qos_move(struct hsm_app *apps, uint32_t count) {
    int64_t moved = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t spare = -lacks(&apps[i]);
        if (spare <= 0)
            continue;
        int64_t given = spare - hand_on(apps, count, spare);
        set_sms(&apps[i], apps[i].sms - given);
        moved += given;
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t lack = lacks(&apps[i]);
        if (lack <= 0)
            continue;
        int64_t got = lack - spread_sms(apps, count, lack, -1);
        set_sms(&apps[i], apps[i].sms + got);
        moved += got;
    }
    return moved;
}
