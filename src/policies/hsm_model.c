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

/* Eq. 4. A kernel of fewer blocks than SMs has as many SMs of its own as blocks (section 2.3.1),
 * and the SMs that an even split gave it beyond them make no progress. */
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

bool hsm_same(double a, double b) {
    return fabs(a - b) <= HSM_ROUNDING * fmax(fabs(a), fabs(b));
}

bool hsm_below(double a, double b) {
    return a < b && !hsm_same(a, b);
}

/* SMs that it uses: what it holds beyond its blocks makes no progress. */
static int64_t sms_used(const struct hsm_app *app) {
    return app->sms < app->most ? app->sms : app->most;
}

static int64_t surplus_of(const struct hsm_app *app) {
    return app->sms - sms_used(app);
}

static double gradient_of(const struct hsm_app *app) {
    return !isnan(app->progress) ? app->progress / (double)sms_used(app) : 0;
}

/* Which of two that are equal otherwise is chosen: who has more SMs loses some (sign -1), who has
 * fewer gains (+1). False for equal ones, so that the first of the workload stays. */
static bool goes_before(const struct hsm_app *app, const struct hsm_app *other, int64_t sign) {
    return sign < 0 ? app->sms > other->sms : app->sms < other->sms;
}

/* The one with the lowest NP (sign 1: it gains) or the highest (-1: it loses); `count` where none
 * is known. */
static uint32_t extreme_of(const struct hsm_app *apps, uint32_t count, int64_t sign) {
    double extreme = NAN;
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) /* fmin and fmax pass over what is not known */
        extreme = sign > 0 ? fmin(extreme, apps[i].progress) : fmax(extreme, apps[i].progress);
    for (uint32_t i = 0; i < count; i++)
        if (hsm_same(apps[i].progress, extreme) &&
            (best == count || goes_before(&apps[i], &apps[best], sign)))
            best = i;
    return best;
}

double hsm_fairness(const struct hsm_app *apps, uint32_t count) {
    uint32_t low = extreme_of(apps, count, 1), high = extreme_of(apps, count, -1), known = 0;
    for (uint32_t i = 0; i < count; i++)
        known += !isnan(apps[i].progress);
    if (known < 2 || !(apps[high].progress > 0))
        return NAN;
    return apps[low].progress / apps[high].progress;
}

static int64_t at_most(int64_t value, int64_t limit) {
    return value < limit ? value : limit;
}

/* Gives an application so many SMs: progress moves along its line, the gradient is that of the
 * epoch. */
static void set_sms(struct hsm_app *app, int64_t sms) {
    double gradient = gradient_of(app);
    app->sms = sms;
    if (!isnan(app->progress))
        app->progress = gradient * (double)sms_used(app);
}

/* SMs that bring these two as close together as the line allows; below 1: none. */
static int64_t sms_between(const struct hsm_app *high, const struct hsm_app *low) {
    double gap = high->progress - low->progress, slope = gradient_of(high) + gradient_of(low);
    /* slope >= gap / (SMs of the two), so that the quotient is a small number. */
    return slope > 0 && gap > 0 ? (int64_t)(gap / slope + 0.5 + HSM_ROUNDING) : 0;
}

int64_t hsm_fair_move(struct hsm_app *apps, uint32_t count) {
    uint32_t low = extreme_of(apps, count, 1), high = extreme_of(apps, count, -1);
    if (low == high)
        return 0;
    struct hsm_app *from = &apps[high], *to = &apps[low];
    const int64_t had = from->sms;
    int64_t room = to->most - to->sms;
    int64_t free = at_most(surplus_of(from), room); /* costs it nothing */
    if (room <= 0)
        return 0;
    set_sms(from, had - free);
    set_sms(to, to->sms + free);
    int64_t more = sms_between(from, to);
    more = at_most(at_most(more + free < 1 ? 1 : more, from->sms - 1), room - free);
    set_sms(from, from->sms - more);
    set_sms(to, to->sms + more);
    return had - from->sms;
}

/* ---- HSM-QoS ---- */

/* The smallest S with g S > target, 1 to what is of use to it. */
static int64_t sms_for_target(const struct hsm_app *app) {
    double wanted = app->target / gradient_of(app) * (1 + HSM_ROUNDING);
    if (!(wanted < (double)app->most))
        return app->most;
    return (int64_t)wanted + 1;
}

/* SMs that an application lacks for its target of high priority; below 0: that it can spare. Of low
 * priority it lacks none, and anyone can spare what it has no blocks for. */
static int64_t lacks(const struct hsm_app *app) {
    bool stays = !hsm_below(app->progress, app->target) && !hsm_below(app->release, app->progress);
    bool held = app->target > 0 && app->progress > 0 && !stays;
    return held ? sms_for_target(app) - app->sms : -surplus_of(app);
}

/* Whether an application is of low priority, and something can be taken from it (sign -1) or given
 * to it (1). */
static bool can_change(const struct hsm_app *app, int64_t sign) {
    return !(app->target > 0) && (sign < 0 ? app->sms > 1 : app->sms < app->most);
}

/* The one with the smallest (sign -1) or the largest gradient (1); `count`: nobody. */
static uint32_t next_to_change(const struct hsm_app *apps, uint32_t count, int64_t sign) {
    double extreme = NAN;
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++)
        if (can_change(&apps[i], sign)) {
            double gradient = gradient_of(&apps[i]);
            extreme = sign < 0 ? fmin(extreme, gradient) : fmax(extreme, gradient);
        }
    for (uint32_t i = 0; i < count; i++)
        if (can_change(&apps[i], sign) && hsm_same(gradient_of(&apps[i]), extreme) &&
            (best == count || goes_before(&apps[i], &apps[best], sign)))
            best = i;
    return best;
}

/*
 * Takes (sign -1) or gives (+1) SMs among those of low priority, by gradient: the smallest loses
 * first, the largest gains first. Returns how many could not be placed.
 */
static int64_t spread_sms(struct hsm_app *apps, uint32_t count, int64_t sms, int64_t sign) {
    for (; sms > 0; sms--) {
        uint32_t next = next_to_change(apps, count, sign);
        if (next == count)
            return sms;
        set_sms(&apps[next], apps[next].sms + sign);
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
