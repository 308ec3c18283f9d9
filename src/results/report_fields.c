#include "results/report_fields.h"

#include <string.h>

#define HEAD(path, kind, member)                                                                   \
    { path, REPORT_FIELD_##kind, offsetof(struct report, member) }
#define APP(path, kind, member)                                                                    \
    { path, REPORT_FIELD_##kind, offsetof(struct report_app, member) }

const struct report_field report_head_fields[] = {
    HEAD("version", TEXT, version),
    HEAD("workload", TEXT, workload),
    HEAD("gpu", TEXT, gpu),
    HEAD("policy", TEXT, policy),
    HEAD("seed", INTEGER, seed),
    HEAD("reps", COUNT, reps),
    HEAD("fidelity", TEXT, fidelity),
    HEAD("duration_s", DOUBLE, duration_s),
    HEAD("warmup_s", DOUBLE, warmup_s),
    HEAD("oracle", TRUTH, oracle),
    {0},
};

const struct report_field report_app_fields[] = {
    APP("name", TEXT, name),
    APP("role", ROLE, role),
    APP("instances", COUNT, instances),
    APP("jobs", COUNT, jobs),
    APP("latency_ms.mean", DOUBLE, latency_ms.mean),
    APP("latency_ms.p50", DOUBLE, latency_ms.p50),
    APP("latency_ms.p90", DOUBLE, latency_ms.p90),
    APP("latency_ms.p95", DOUBLE, latency_ms.p95),
    APP("latency_ms.p99", DOUBLE, latency_ms.p99),
    APP("latency_ms.max", DOUBLE, latency_ms.max),
    APP("latency_ms.mean_ci95", INTERVAL, latency_ms.mean_low),
    APP("latency_ms.p99_ci95", INTERVAL, latency_ms.p99_low),
    APP("service_ms.p99", DOUBLE, service_p99_ms),
    APP("alone_p99_ms", DOUBLE, alone_p99_ms),
    APP("overloaded", TRUTH, overloaded),
    APP("backlog_jobs", DOUBLE, backlog_jobs),
    APP("qos_ms", DOUBLE, qos_ms),
    APP("p99_over_qos", DOUBLE, p99_over_qos),
    APP("p99_over_qos_ci95", INTERVAL, p99_over_qos_low),
    APP("qos_met", TRUTH, qos_met),
    APP("late_fraction", DOUBLE, late_fraction),
    APP("np_target", DOUBLE, np_target),
    APP("throughput_per_s", DOUBLE, throughput_per_s),
    APP("normalised_progress", DOUBLE, normalised_progress),
    APP("solo_ms", DOUBLE, solo_ms),
    {0},
};

const struct report_field report_system_fields[] = {
    HEAD("stp", DOUBLE, system.stp),
    HEAD("antt", DOUBLE, system.antt),
    HEAD("fairness", DOUBLE, system.fairness),
    HEAD("sm_utilisation", DOUBLE, system.sm_utilisation),
    HEAD("dram_utilisation", DOUBLE, system.dram_utilisation),
    HEAD("pcie_h2d_utilisation", DOUBLE, system.pcie_h2d_utilisation),
    HEAD("pcie_d2h_utilisation", DOUBLE, system.pcie_d2h_utilisation),
    HEAD("batch_throughput_normalised", DOUBLE, system.batch_throughput_normalised),
    HEAD("batch_busy_fraction", DOUBLE, system.batch_busy_fraction),
    HEAD("turnaround_ms", DOUBLE, system.turnaround_ms),
    HEAD("goals_met", DOUBLE, system.goals_met),
    HEAD("decisions", COUNT, system.decisions),
    HEAD("rejected_verbs", COUNT, system.rejected_verbs),
    {0},
};

const struct report_field report_input_fields[] = {
    HEAD("measured", DOUBLE, inputs.measured),
    HEAD("derived", DOUBLE, inputs.derived),
    HEAD("assumed", DOUBLE, inputs.assumed),
    {0},
};

const struct report_field report_engine_fields[] = {
    HEAD("events", COUNT, engine.events),
    HEAD("kernels", COUNT, engine.kernels),
    HEAD("wall_s", OPTIONAL, engine.wall_s),
    HEAD("events_per_s", OPTIONAL, engine.events_per_s),
    {0},
};

const struct report_field report_check_fields[] = {
    HEAD("conservation", TEXT, checks.conservation),
    HEAD("littles_law", TEXT, checks.littles_law),
    HEAD("utilisation_law", TEXT, checks.utilisation_law),
    HEAD("stale_events", COUNT, checks.stale_events),
    {0},
};

void report_field_column(const struct report_field *field, const char *suffix,
                         char text[REPORT_FIELD_NAME]) {
    snprintf(text, REPORT_FIELD_NAME, "%s%s", field->path, suffix);
    for (char *at = text; (at = strchr(at, '.'));)
        *at = '_';
}

static const void *member(const struct report_field *field, const void *record) {
    return (const char *)record + field->offset;
}

double report_field_double(const struct report_field *field, const void *record, int part) {
    return ((const double *)member(field, record))[part];
}

int64_t report_field_integer(const struct report_field *field, const void *record) {
    return *(const int64_t *)member(field, record);
}

const char *report_field_text(const struct report_field *field, const void *record) {
    return *(const char *const *)member(field, record);
}

void report_field_set_double(const struct report_field *field, void *record, int part,
                             double value) {
    ((double *)(void *)((char *)record + field->offset))[part] = value;
}

void report_field_set_integer(const struct report_field *field, void *record, int64_t value) {
    *(int64_t *)(void *)((char *)record + field->offset) = value;
}

void report_field_set_text(const struct report_field *field, void *record, const char *value) {
    *(const char **)(void *)((char *)record + field->offset) = value;
}

static bool report_field_is_number(const struct report_field *field) {
    return field->kind == REPORT_FIELD_DOUBLE || field->kind == REPORT_FIELD_INTERVAL ||
           field->kind == REPORT_FIELD_OPTIONAL;
}

bool report_field_is_integer(const struct report_field *field) {
    return !report_field_is_number(field) && field->kind != REPORT_FIELD_TEXT;
}
