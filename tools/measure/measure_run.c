/* Measures by the plan and writes the tables. */
#include "measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A latency beside a neighbour counts when the neighbour ran for at least this share of it. */
static const double covered_least = 0.98;
enum { BLOCKS_MOST = 1 << 16, PATH_BYTES = 4096 };

const char *measure_delay_name(enum measure_delay delay) {
    static const char *const names[MEASURE_DELAYS] = {"call", "launch_and_wait",
                                                      "end_to_next_begin"};
    return names[delay];
}

/* ---- files ---- */

struct run {
    struct measure_device *device;
    const struct measure_settings *settings;
    struct measure_conditions conditions;
    double clock_before_mhz, clock_after_mhz;
    size_t pairs, rejected;
    bool cut_short;
};

static FILE *create(const struct run *run, const char *name) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", run->settings->out, name);
    FILE *file = fopen(path, "w");
    if (!file)
        fprintf(stderr, "%s cannot be written: %s\n", path, strerror(errno));
    return file;
}

static bool finish(FILE *file, bool good) {
    bool written = !ferror(file);
    if (fclose(file) != 0 || !written) {
        fprintf(stderr, "a table could not be written: %s\n", strerror(errno));
        return false;
    }
    if (!good)
        fprintf(stderr, "the device failed: %s\n", measure_device_why());
    return good;
}

/* "%.6g" everywhere: a quota reads the same in both tables. */
static void write_numbers(FILE *file, const struct measure_summary *s) {
    fprintf(file, ",%.6g,%.6g,%.6g", s->median, s->q1, s->q3);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- alone ---- */

/* Bytes per second at the rated memory clock: two transfers per clock. */
static double peak_bytes_per_s(const struct measure_conditions *c) {
    return 2e3 * c->memory_clock_khz * c->bus_bits / 8;
}

static bool solo(struct run *run, FILE *file, const struct measure_app *app, double quota) {
    double values[MEASURE_REPEATS_MOST], bytes = 0, latency = 0;
    double peak = peak_bytes_per_s(&run->conditions);
    for (int i = -MEASURE_WARM_UPS; i < run->settings->repeats; i++) {
        if (!measure_device_solo(run->device, app, quota, &latency, &bytes))
            return false;
        if (i >= 0)
            values[i] = latency;
    }
    struct measure_summary s = measure_summarise(values, run->settings->repeats);
    double percent = peak > 0 ? 100 * bytes / (s.median / 1e3) / peak : -1;
    fprintf(file, "%s,%.6g", app->name, quota);
    write_numbers(file, &s);
    if (percent < 0)
        fprintf(file, ",");
    else
        fprintf(file, ",%.4g", percent > 100 ? 100 : percent);
    fprintf(file, ",%d,%d,%s\n", MEASURE_LAUNCHES, s.count,
            quota < 100 ? run->conditions.method : "all SMs");
    return true;
}

static bool measure_solos(struct run *run) {
    FILE *file = create(run, "SOLO.csv");
    bool good = file != NULL;
    if (!good)
        return false;
    fputs("app,quota_pct,latency_ms,q1_ms,q3_ms,dram_util_pct,launches,repeats,method\n", file);
    for (size_t i = 0; i < measure_app_count(); i++)
        for (size_t q = 0; q < measure_quota_count() && good; q++)
            good = solo(run, file, measure_app(i),
                        measure_device_quota(run->device, measure_quota(q)));
    return finish(file, good);
}

/* ---- in pairs ---- */

struct beside {
    struct measure_summary latency;
    double covered; /* the least of the samples that count; of all when none counts */
};

/* Samples that the neighbour did not cover are left out; count 0: more than half were. */
static bool beside(struct run *run, const struct measure_app *a, double quota_a,
                   const struct measure_app *b, double quota_b, struct beside *result) {
    double values[MEASURE_REPEATS_MOST], least = 1, least_counted = 1;
    struct measure_sample sample = {0};
    int counted = 0;
    for (int i = -MEASURE_WARM_UPS; i < run->settings->repeats; i++) {
        if (!measure_device_pair(run->device, a, quota_a, b, quota_b, &sample))
            return false;
        if (i < 0)
            continue;
        least = sample.covered < least ? sample.covered : least;
        if (sample.covered < covered_least)
            continue;
        least_counted = sample.covered < least_counted ? sample.covered : least_counted;
        values[counted++] = sample.latency_ms;
    }
    bool enough = counted > 0 && 2 * counted >= run->settings->repeats;
    *result = (struct beside){.covered = enough ? least_counted : least};
    if (enough)
        result->latency = measure_summarise(values, counted);
    return true;
}

static void write_latency(FILE *file, const struct beside *b) {
    if (b->latency.count)
        fprintf(file, ",%.6g", b->latency.median);
    else
        fputc(',', file);
}

static void write_spread(FILE *file, const struct beside *b) {
    if (b->latency.count)
        fprintf(file, ",%.6g,%.6g,%d", b->latency.q1, b->latency.q3, b->latency.count);
    else
        fprintf(file, ",,,0");
    fprintf(file, ",%.4g", b->covered);
}

static bool pair(struct run *run, FILE *file, FILE *rejected, const struct measure_pair *p) {
    const struct measure_app *a = measure_app(p->a), *b = measure_app(p->b);
    double quota_a = measure_device_quota(run->device, p->quota_a);
    double quota_b = measure_device_quota(run->device, p->quota_b);
    struct beside of_a, of_b;
    if (!beside(run, a, quota_a, b, quota_b, &of_a) || !beside(run, b, quota_b, a, quota_a, &of_b))
        return false;
    bool known = of_a.latency.count || of_b.latency.count;
    FILE *into = known ? file : rejected;
    fprintf(into, "%s,%.6g,%s,%.6g", a->name, quota_a, b->name, quota_b);
    write_latency(into, &of_a);
    write_latency(into, &of_b);
    write_spread(into, &of_a);
    write_spread(into, &of_b);
    fprintf(into, ",%s\n", p->quota_a < 100 ? run->conditions.method : "two streams");
    run->pairs++;
    run->rejected += !known;
    return true;
}

static bool measure_pairs(struct run *run, double started_s) {
    static const char header[] =
        "app_a,quota_a_pct,app_b,quota_b_pct,latency_a_ms,latency_b_ms,q1_a_ms,q3_a_ms,repeats_a,"
        "covered_a,q1_b_ms,q3_b_ms,repeats_b,covered_b,method\n";
    const struct measure_settings *s = run->settings;
    FILE *file = create(run, "PAIRS.csv"), *rejected = create(run, "REJECTED.csv");
    size_t count = measure_pair_count(run->conditions.partitions);
    bool good = file && rejected;
    if (s->pairs_most && count > (size_t)s->pairs_most)
        count = (size_t)s->pairs_most;
    if (good) {
        fputs(header, file);
        fputs(header, rejected);
    }
    for (size_t i = 0; i < count && good && !run->cut_short; i++) {
        struct measure_pair p = measure_pair(i, run->conditions.partitions);
        run->cut_short = s->limit_s > 0 && now_s() - started_s > s->limit_s;
        if (!run->cut_short)
            good = pair(run, file, rejected, &p);
    }
    bool closed = !rejected || fclose(rejected) == 0;
    return file && finish(file, good) && closed;
}

/* ---- copies, placement, launches ---- */

static bool copy(struct run *run, FILE *file, const struct measure_copy *c) {
    static const char *const directions[] = {"h2d", "d2h", "both"};
    double values[MEASURE_REPEATS_MOST], seconds = 0;
    double bytes = (double)c->bytes * c->concurrent * (c->direction == MEASURE_BOTH ? 2 : 1);
    for (int i = -MEASURE_WARM_UPS; i < run->settings->repeats; i++) {
        if (!measure_device_copy(run->device, c, &seconds))
            return false;
        if (i >= 0)
            values[i] = bytes / seconds / 1e9;
    }
    struct measure_summary s = measure_summarise(values, run->settings->repeats);
    fprintf(file, "%s,%s,%d,%zu", directions[c->direction], c->pinned ? "pinned" : "pageable",
            c->concurrent, c->bytes);
    write_numbers(file, &s);
    fprintf(file, ",%d,%d\n", s.count, c->beside);
    return true;
}

static bool measure_copies(struct run *run) {
    FILE *file = create(run, "COPIES.csv");
    bool good = file != NULL;
    if (!good)
        return false;
    fputs("direction,memory,concurrent,bytes_each,gb_per_s,q1_gb_per_s,q3_gb_per_s,repeats,"
          "pinned_beside\n",
          file);
    for (size_t i = 0; i < measure_copy_count() && good; i++) {
        struct measure_copy c = measure_copy(i);
        good = copy(run, file, &c);
    }
    return finish(file, good);
}

static bool measure_placement(struct run *run) {
    FILE *file = create(run, "PLACEMENT.csv");
    struct measure_block *blocks = calloc(BLOCKS_MOST, sizeof *blocks);
    bool good = file && blocks;
    if (good)
        fputs("app,block,sm,start_ns,end_ns\n", file);
    for (size_t i = 0; i < measure_app_count() && good; i++) {
        size_t count = 0;
        const struct measure_app *app = measure_app(i);
        good = measure_device_place(run->device, app, blocks, BLOCKS_MOST, &count);
        for (size_t k = 0; good && k < count; k++)
            fprintf(file, "%s,%u,%u,%llu,%llu\n", app->name, blocks[k].block, blocks[k].sm,
                    (unsigned long long)blocks[k].start_ns, (unsigned long long)blocks[k].end_ns);
    }
    free(blocks);
    return file && finish(file, good);
}

/* Every application behind every other one that is under way. */
static bool measure_beside(struct run *run) {
    FILE *file = create(run, "BESIDE.csv");
    size_t apps = measure_app_count();
    bool good = file;
    if (good)
        fputs("a,b,a_ends_ms,b_begins_ms,b_last_block_begins_ms,b_ends_ms,sms_a,sms_b,sms_both,"
              "most_blocks_b_on_an_sm\n",
              file);
    for (size_t i = 0; i < apps * apps && good; i++) {
        struct measure_beside at = {0};
        const struct measure_app *a = measure_app(i / apps), *b = measure_app(i % apps);
        good = measure_device_beside(run->device, a, b, &at);
        if (good)
            fprintf(file, "%s,%s,%.4f,%.4f,%.4f,%.4f,%d,%d,%d,%d\n", a->name, b->name, at.a_ends,
                    at.b_begins, at.b_last_begins, at.b_ends, at.sms_a, at.sms_b, at.sms_both,
                    at.most_b);
    }
    return file && finish(file, good);
}

static bool delay(struct run *run, FILE *file, enum measure_delay kind) {
    double values[MEASURE_REPEATS_MOST], us = 0;
    for (int i = -MEASURE_WARM_UPS; i < run->settings->repeats; i++) {
        if (!measure_device_delay(run->device, kind, &us))
            return false;
        if (i >= 0)
            values[i] = us;
    }
    struct measure_summary s = measure_summarise(values, run->settings->repeats);
    fprintf(file, "%s", measure_delay_name(kind));
    write_numbers(file, &s);
    fprintf(file, ",%d\n", s.count);
    return true;
}

static bool measure_delays(struct run *run) {
    FILE *file = create(run, "LAUNCH.csv");
    bool good = file != NULL;
    if (!good)
        return false;
    fputs("delay,us,q1_us,q3_us,repeats\n", file);
    for (int kind = 0; kind < MEASURE_DELAYS && good; kind++)
        good = delay(run, file, (enum measure_delay)kind);
    return finish(file, good);
}

/* ---- conditions ---- */

static void write_text(FILE *file, const char *key, const char *text) {
    fprintf(file, "  \"%s\": \"", key);
    for (const char *c = text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if ((unsigned char)*c >= ' ')
            fputc(*c, file);
    fputs("\",\n", file);
}

static bool write_conditions(const struct run *run) {
    const struct measure_conditions *c = &run->conditions;
    FILE *file = create(run, "CONDITIONS.json");
    char date[32] = "";
    time_t seconds = time(NULL);
    struct tm day;
    if (!file)
        return false;
    if (gmtime_r(&seconds, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    fputs("{\n", file);
    write_text(file, "gpu", c->gpu);
    write_text(file, "date", date);
    write_text(file, "sm_limit", c->method);
    fprintf(file, "  \"compute_capability\": \"%d.%d\",\n  \"sms\": %d,\n", c->capability_major,
            c->capability_minor, c->sms);
    fprintf(file, "  \"driver\": %d,\n  \"runtime\": %d,\n", c->driver, c->runtime);
    fprintf(file, "  \"rated_sm_clock_mhz\": %g,\n  \"memory_clock_mhz\": %g,\n",
            c->rated_clock_khz / 1e3, c->memory_clock_khz / 1e3);
    fprintf(file, "  \"sm_clock_before_mhz\": %.1f,\n  \"sm_clock_after_mhz\": %.1f,\n",
            run->clock_before_mhz, run->clock_after_mhz);
    fprintf(file, "  \"bus_bits\": %d,\n  \"l2_bytes\": %zu,\n  \"memory_bytes\": %zu,\n",
            c->bus_bits, c->l2_bytes, c->memory_bytes);
    fprintf(file, "  \"ecc\": %s,\n  \"repeats\": %d,\n", c->ecc ? "true" : "false",
            run->settings->repeats);
    fprintf(file, "  \"pairs\": %zu,\n  \"pairs_rejected\": %zu,\n  \"cut_short\": %s\n}\n",
            run->pairs, run->rejected, run->cut_short ? "true" : "false");
    return finish(file, true);
}

bool measure_run(struct measure_device *device, const struct measure_settings *settings) {
    struct run run = {.device = device, .settings = settings};
    double started_s = now_s();
    measure_device_conditions(device, &run.conditions);
    if (!measure_device_clock(device, &run.clock_before_mhz)) {
        fprintf(stderr, "the device failed: %s\n", measure_device_why());
        return false;
    }
    bool good = measure_solos(&run) && measure_copies(&run) && measure_placement(&run) &&
                measure_beside(&run) && measure_delays(&run) && measure_pairs(&run, started_s);
    if (good)
        good = measure_device_clock(device, &run.clock_after_mhz);
    good = write_conditions(&run) && good;
    if (good)
        printf("%zu pairs, %zu of them rejected: no neighbour ran long enough beside them%s\n",
               run.pairs, run.rejected, run.cut_short ? "; cut short by --limit" : "");
    return good;
}
