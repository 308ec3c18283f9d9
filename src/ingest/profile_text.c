#include "ingest/profile_text.h"

#include <string.h>

int profile_time_decimals(const char *unit) {
    static const struct {
        const char *name;
        int decimals;
    } units[] = {{"ns", 3},      {"us", 6},      {"ms", 9},      {"s", 12},
                 {"nsecond", 3}, {"usecond", 6}, {"msecond", 9}, {"second", 12}};
    for (size_t i = 0; i < CT_COUNT_OF(units); i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].decimals;
    return -1;
}

double profile_byte_factor(const char *unit, double kilo) {
    static const char prefixes[] = "KMGT";
    const char *prefix = *unit ? strchr(prefixes, *unit) : NULL;
    const char *rest = unit + (prefix ? 1 : 0);
    double step = kilo, factor = 1.0;
    if (prefix && *rest == 'i') {
        step = 1024.0;
        rest++;
    }
    if (strcmp(rest, "B") != 0 && strcmp(rest, "byte") != 0)
        return 0.0;
    for (const char *p = prefixes; prefix && p <= prefix; p++)
        factor *= step;
    return factor;
}

double profile_fraction(double value) {
    return value > 1.0 ? 1.0 : value;
}

/* x, y, z against their limits; false with an error recorded. */
static bool check_shape(const char *what, const char *parts, const uint32_t *shape,
                        const uint32_t *most, const char *where, struct ct_diags *diags) {
    for (int i = 0; i < 3; i++) {
        if (shape[i] == 0)
            return ct_false_error(diags, where, "the kernel has 0 %s: its %s is %u x %u x %u",
                                  parts, what, shape[0], shape[1], shape[2]);
        if (shape[i] > most[i])
            return ct_false_error(diags, where,
                                  "the %s of %u x %u x %u is above the limit of %u x %u x %u", what,
                                  shape[0], shape[1], shape[2], most[0], most[1], most[2]);
    }
    return true;
}

struct limits {
    uint32_t grid[3], block[3];
    uint64_t registers;
};
static const struct limits of_cuda = {
    {INT32_MAX, 65535, 65535}, {1024, 1024, 64}, TRACE_MOST_REGISTERS};
static const struct limits of_hip = {
    {INT32_MAX, INT32_MAX, INT32_MAX}, {1024, 1024, 1024}, UINT64_MAX};

static bool check_launch(const struct import_record *record, const struct limits *most,
                         const char *where, struct ct_diags *diags) {
    const uint32_t *block = record->block;
    if (!check_shape("grid", "thread blocks", record->grid, most->grid, where, diags) ||
        !check_shape("block", "threads", block, most->block, where, diags))
        return false;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads > TRACE_MOST_THREADS)
        return ct_false_error(diags, where,
                              "a thread block of %llu threads is above the limit of %d",
                              (unsigned long long)threads, TRACE_MOST_THREADS);
    return record->registers_per_thread <= most->registers ||
           ct_false_error(diags, where, "%llu registers per thread are above the limit of %llu",
                          (unsigned long long)record->registers_per_thread,
                          (unsigned long long)most->registers);
}

bool profile_check_record(const struct import_record *record, bool hip, const char *where,
                          struct ct_diags *diags) {
    if (record->duration_ps < 0)
        return ct_false_error(diags, where, "the duration is negative: %lld ps",
                              (long long)record->duration_ps);
    if (record->kind == TRACE_KERNEL && (!record->name || !*record->name))
        return ct_false_error(diags, where, "the kernel has no name");
    return record->kind != TRACE_KERNEL || !record->geometry_known ||
           check_launch(record, hip ? &of_hip : &of_cuda, where, diags);
}

uint32_t profile_blocks_of(int64_t items, int64_t group) {
    return group > 0 ? (uint32_t)((items + group - 1) / group) : 0;
}

struct import_extent profile_extent(const char *launches) {
    uint64_t count;
    bool counted = csv_parse_count(launches, UINT32_MAX, &count) && count > 0;
    return (struct import_extent){
        .launches = counted ? (double)count : 1, .ps = NAN, .cycles = NAN};
}

struct import_record profile_record(void) {
    return (struct import_record){.kind = TRACE_KERNEL,
                                  .memory = TRACE_MEMORY_UNKNOWN,
                                  .launch_begin_ps = CT_TIME_NEVER,
                                  .launch_end_ps = CT_TIME_NEVER,
                                  .metrics = trace_metrics_unknown()};
}
