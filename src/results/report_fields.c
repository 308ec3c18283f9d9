#include "results/report_fields.h"

#include "base/ct_assert.h"

#define OF(record, path_, kind_, member)                                                           \
    .path = path_, .kind = REPORT_FIELD_##kind_, .offset = offsetof(struct record, member)
#define HEAD(path, kind, member) OF(report, path, kind, member)
#define APP(path, kind, member) OF(report_app, path, kind, member)
#define DIFFERENCE(path, kind, member) OF(report_difference, path, kind, member)
#define SHOWN(table, rank, title) .text = {REPORT_IN_##table, rank, title, NULL, false}

/* A field of an application with a server. */
#define SERVER(path, kind, member, unit_, meaning_, title)                                         \
    {                                                                                              \
        APP("server." path, kind, server.member), .optional = true, .unit = unit_,                 \
                                                  .meaning = meaning_, SHOWN(SERVERS, 0, title)    \
    }

/* A field of an application whose server generates tokens. */
#define TOKENS(path, kind, member, unit_, meaning_, title)                                         \
    {                                                                                              \
        APP("tokens." path, kind, tokens.member), .optional = true, .unit = unit_,                 \
                                                  .meaning = meaning_, SHOWN(TOKENS, 0, title)     \
    }

/* Over draws of the unknown memory demand. */
#define RANGE(level, path, member, in, what)                                                       \
    {level(path, INTERVAL, member), .optional = true, in,                                          \
     .meaning = "where " what " lies over draws of the unknown memory demand (`--bands`)"},        \
    {                                                                                              \
        level(path "_none", DOUBLE, member.none),                                                  \
            .optional = true, in,                                                                  \
            .meaning = what " of that replication with unknown demand as none"                     \
    }

static const struct report_field head_fields[] = {
    {HEAD("version", TEXT, version), .meaning = "of the program"},
    {HEAD("workload", TEXT, workload), .meaning = "its name"},
    {HEAD("gpu", TEXT, gpu), .meaning = "the preset; what was changed of it is under `device`"},
    {HEAD("policy", TEXT, policy), .meaning = "the policy as it was asked for, with its options"},
    {HEAD("seed", INTEGER, seed), .meaning = "of all random draws"},
    {HEAD("reps", COUNT, reps), .meaning = "replications that are pooled"},
    {HEAD("fidelity", TEXT, fidelity), .meaning = "of the device model: `fluid` or `block`"},
    {HEAD("duration_s", DOUBLE, duration_s), .unit = "s",
     .meaning = "of each replication, with its warm-up"},
    {HEAD("warmup_s", DOUBLE, warmup_s), .unit = "s",
     .meaning = "cut off at the beginning, the longest of the replications"},
    {HEAD("oracle", TRUTH, oracle),
     .meaning = "whether the policy was told the true durations: an upper bound"},
    {0},
};

static const struct report_field app_fields[] = {
    {APP("name", TEXT, name), .meaning = "the application"},
    {APP("role", NAMED, role), .name_of = report_role_name, .last = REPORT_BATCH,
     .meaning = "`service` or `batch`", SHOWN(PROGRESS, 0, "role")},
    {APP("instances", COUNT, instances), .meaning = "instances of the application",
     SHOWN(PROGRESS, 0, "instances")},
    {APP("jobs", COUNT, jobs),
     .meaning = "jobs that arrived after the warm-up, of all instances and replications",
     SHOWN(LATENCIES, 0, "jobs")},
    {APP("latency_ms.mean", LATENCY, latency_ms.mean), .unit = "ms",
     .meaning = "mean latency, from arrival to end", SHOWN(LATENCIES, 0, "mean")},
    {APP("latency_ms.p50", LATENCY, latency_ms.p50), .unit = "ms",
     .meaning = "median of the latency", SHOWN(LATENCIES, 0, "p50")},
    {APP("latency_ms.p90", LATENCY, latency_ms.p90), .unit = "ms",
     .meaning = "latency that 10 % of the jobs exceed"},
    {APP("latency_ms.p95", LATENCY, latency_ms.p95), .unit = "ms",
     .meaning = "latency that 5 % of the jobs exceed", SHOWN(LATENCIES, 0, "p95")},
    {APP("latency_ms.p99", LATENCY, latency_ms.p99), .unit = "ms",
     .meaning = "latency that 1 % of the jobs exceed", SHOWN(LATENCIES, 0, "p99")},
    {APP("latency_ms.max", LATENCY, latency_ms.max), .unit = "ms",
     .meaning = "the longest latency"},
    {APP("latency_ms.mean_ci95", INTERVAL, latency_ms.mean_low), .unit = "ms",
     .meaning = "95 % interval of the mean; unknown of too few jobs and of an overloaded "
                "application"},
    {APP("latency_ms.p99_ci95", INTERVAL, latency_ms.p99_low), .unit = "ms",
     .meaning = "95 % interval of the p99; unknown of too few jobs and of an overloaded "
                "application",
     SHOWN(LATENCIES, 0, "95 % interval")},
    {APP("service_ms.p99", LATENCY, service_p99_ms), .unit = "ms",
     .meaning = "p99 from the issue of the first kernel to the end", SHOWN(LATENCIES, 0, "issued")},
    {APP("alone_p99_ms", DOUBLE, alone_p99_ms), .unit = "ms",
     .meaning = "p99 of the latency with the same arrivals and no neighbours",
     SHOWN(LATENCIES, 0, "alone")},
    {APP("alone_overloaded", TRUTH, alone_overloaded), .optional = true,
     .meaning = "its jobs do not end even alone: that p99 is a lower bound"},
    {APP("overloaded", TRUTH, overloaded),
     .meaning =
         "whether the backlog grows, or jobs have not ended: the latencies are lower bounds then"},
    {APP("backlog_jobs", DOUBLE, backlog_jobs),
     .meaning = "jobs in the system at the end, mean over the replications"},
    {APP("qos_ms", DOUBLE, qos_ms), .unit = "ms", .meaning = "target of the p99"},
    {APP("p99_over_qos", DOUBLE, p99_over_qos),
     .meaning = "p99 over its target: at most 1 keeps it"},
    {APP("p99_over_qos_ci95", INTERVAL, p99_over_qos_low),
     .meaning = "95 % interval of the p99 over its target"},
    {APP("qos_met", TRUTH, qos_met),
     .meaning = "whether the p99 keeps its target, and at most 1 % were dropped; unknown without a "
                "target or a p99"},
    {APP("late_fraction", FRACTION, late_fraction),
     .meaning = "jobs later than the target, part of all"},
    {APP("np_target", DOUBLE, np_target), .meaning = "normalised progress that is wanted",
     SHOWN(PROGRESS, 3, "wanted")},
    {APP("throughput_per_s", DOUBLE, throughput_per_s), .unit = "1/s",
     .meaning = "jobs that ended after the warm-up, of all instances",
     SHOWN(PROGRESS, 2, "jobs/s")},
    {APP("normalised_progress", DOUBLE, normalised_progress),
     .meaning = "progress against running alone, mean over instances and replications",
     SHOWN(PROGRESS, 2, "progress")},
    {APP("solo_ms", DOUBLE, solo_ms), .unit = "ms",
     .meaning = "mean of a job alone, from the issue of its first kernel to its end",
     SHOWN(PROGRESS, 1, "solo ms")},
    SERVER("goodput_per_s", DOUBLE, goodput_per_s, "1/s",
           "requests that ended, not later than the target if there is one", "good/s"),
    SERVER("dropped_fraction", FRACTION, dropped_fraction, NULL,
           "requests that the server dropped, part of all: they count as late", "dropped"),
    {APP("server.requests", COUNT, server.requests), .optional = true,
     .meaning = "requests that came to the first stage of its pipeline, or to itself"},
    {APP("server.lost_fraction", FRACTION, server.lost_fraction), .optional = true,
     .meaning = "requests that the server or a stage before it dropped, part of these: with more "
                "than 1 % no target is kept"},
    SERVER("dropped_queue", COUNT, dropped_queue, NULL, "dropped: the queue was full",
           "queue full"),
    SERVER("dropped_limit", COUNT, dropped_limit, NULL,
           "dropped: as many as the server takes were in it", "limit"),
    SERVER("dropped_timeout", COUNT, dropped_timeout, NULL, "dropped: they waited too long",
           "timeout"),
    SERVER("batches", COUNT, batches, NULL, "batches that were run, with a request that is counted",
           "batches"),
    SERVER("batch_mean", DOUBLE, batch_mean, NULL, "requests of a batch, mean", "of requests"),
    SERVER("queue_ms", DOUBLE, queue_ms, "ms",
           "mean time of a request in the server before its batch", "queue ms"),
    TOKENS("per_s", DOUBLE, per_s, "1/s", "tokens generated, of all instances", "tokens/s"),
    TOKENS("first_ms_p50", LATENCY, first_p50_ms, "ms",
           "median of the time from a request's arrival to its first token", "first p50"),
    TOKENS("first_ms_p99", LATENCY, first_p99_ms, "ms",
           "time to the first token that 1 % of the requests exceed", "p99"),
    TOKENS("each_ms_p50", DOUBLE, each_p50_ms, "ms",
           "median over requests of the mean time of a token after the first", "each p50"),
    TOKENS("each_ms_p99", DOUBLE, each_p99_ms, "ms",
           "mean time of a token after the first that 1 % of the requests exceed", "p99"),
    {APP("tokens.first_target_ms", DOUBLE, tokens.first_target_ms), .optional = true, .unit = "ms",
     .meaning = "target of the p99 of the time to the first token"},
    {APP("tokens.each_target_ms", DOUBLE, tokens.each_target_ms), .optional = true, .unit = "ms",
     .meaning = "target of the p99 of the mean time of a token after the first"},
    {APP("tokens.first_met", TRUTH, tokens.first_met), .optional = true,
     .meaning = "whether the p99 of the time to the first token keeps its target; unknown where it "
                "would and requests still wait for theirs"},
    {APP("tokens.each_met", TRUTH, tokens.each_met), .optional = true,
     .meaning = "whether the p99 of the mean time of a token after the first, of the requests that "
                "ended, keeps its target"},
    {APP("tokens.waiting", COUNT, tokens.waiting), .optional = true,
     .meaning = "requests that had no token when the run ended: of the times to the first their "
                "ages are lower bounds"},
    TOKENS("longest_ms_p99", DOUBLE, longest_p99_ms, "ms",
           "longest time between two tokens of a request, which 1 % of the requests exceed",
           "longest p99"),
    TOKENS("recomputes", COUNT, recomputes, NULL,
           "preemptions whose tokens were computed anew: the cache was full", "recomputes"),
    TOKENS("recomputed", COUNT, recomputed, NULL, "tokens that left the cache so", "of tokens"),
    TOKENS("swaps", COUNT, swaps, NULL,
           "preemptions whose blocks were copied to the host: the cache was full", "swaps"),
    TOKENS("cache_used", FRACTION, cache, NULL, "most of the cache that was used, part of all",
           "cache"),
    TOKENS("dropped_length", COUNT, dropped_length, NULL,
           "requests dropped: longer than the cache, or than a step", "too long"),
    RANGE(APP, "band.p99_ms", band.p99_ms, .unit = "ms", "the p99"),
    RANGE(APP, "band.normalised_progress", band.normalised_progress, .unit = NULL, "the progress"),
    {APP("band.qos_met", FRACTION, band.qos_met), .optional = true,
     .meaning = "part of these draws in which the p99 is known to keep its target"},
    {0},
};

static const struct report_field system_fields[] = {
    {HEAD("stp", DOUBLE, system.stp), .meaning = "sum of normalised progress, more is better",
     SHOWN(SYSTEM, 0, "STP")},
    {HEAD("antt", DOUBLE, system.antt), .meaning = "mean slowdown against running alone, 1 is best",
     .text = {REPORT_IN_SYSTEM, 0, "ANTT", "mean slowdown, 1 is best", false}},
    {HEAD("fairness", FRACTION, system.fairness),
     .meaning = "least over largest progress, 1 is best", SHOWN(SYSTEM, 0, "fairness")},
    /* A run in which these two are above 1 breaks a check of its own, which is to be read. */
    {HEAD("sm_utilisation", DOUBLE, system.sm_utilisation),
     .meaning = "use of the SMs, part of all SMs and time",
     .text = {REPORT_IN_SYSTEM, 1, "SM use", "of all SMs and time", false}},
    {HEAD("dram_utilisation", DOUBLE, system.dram_utilisation),
     .meaning = "use of the memory's bandwidth, part of its peak; a lower bound where the demand "
                "of some kernels is unknown, and unknown "
                "where that of a quarter of the time is",
     .text = {REPORT_IN_SYSTEM, 1, "DRAM use", "of the peak", true}},
    {HEAD("pcie_h2d_utilisation", FRACTION, system.pcie_h2d_utilisation),
     .meaning = "copies from the host to the device, part of what PCIe can carry",
     .text = {REPORT_IN_SYSTEM, 1, "PCIe in", "host to device, of the peak", false}},
    {HEAD("pcie_d2h_utilisation", FRACTION, system.pcie_d2h_utilisation),
     .meaning = "copies from the device to the host, part of what PCIe can carry",
     .text = {REPORT_IN_SYSTEM, 1, "PCIe out", "device to host, of the peak", false}},
    {HEAD("host_utilisation", FRACTION, system.host_utilisation), .optional = true,
     .meaning = "time in which the host's cores are busy, part of all",
     .text = {REPORT_IN_SYSTEM, 1, "host use", "of the host's cores", false}},
    {HEAD("batch_throughput_normalised", DOUBLE, system.batch_throughput_normalised),
     .meaning = "batch work per second over that without the services, under mps",
     .text = {REPORT_IN_SYSTEM, 0, "batch throughput", "of the same without the services", false}},
    {HEAD("batch_busy_fraction", FRACTION, system.batch_busy_fraction),
     .meaning = "part of the time in which a batch kernel runs",
     .text = {REPORT_IN_SYSTEM, 0, "batch busy", "of the time with a batch kernel running", false}},
    {HEAD("turnaround_ms", DOUBLE, system.turnaround_ms), .unit = "ms",
     .meaning = "mean latency of the first jobs of applications that run once",
     .text = {REPORT_IN_SYSTEM, 1, "turnaround", "ms", false}},
    {HEAD("goals_met", FRACTION, system.goals_met),
     .meaning =
         "applications, each instance as one, that keep all their targets, of latency and of "
         "progress, part of those with one",
     .text = {REPORT_IN_SYSTEM, 1, "goals met", "of all applications with a target", false}},
    {HEAD("decisions", COUNT, system.decisions), .meaning = "decisions that the policy made"},
    {HEAD("rejected_verbs", COUNT, system.rejected_verbs),
     .meaning = "calls of the policy that were not accepted"},
    {HEAD("band.draws", COUNT, system.band.draws), .optional = true,
     .meaning = "of the unknown memory demand, in the first replication (`--bands`)"},
    RANGE(HEAD, "band.stp", system.band.stp, .unit = NULL, "STP"),
    RANGE(HEAD, "band.antt", system.band.antt, .unit = NULL, "ANTT"),
    RANGE(HEAD, "band.batch_throughput_normalised", system.band.batch_throughput_normalised,
          .unit = NULL, "the batch throughput"),
    {HEAD("band.best", FRACTION, system.band.best), .optional = true,
     .meaning =
         "part of these draws in which none of the policies compared misses fewer targets, or "
         "as many with a larger STP"},
    {HEAD("band.class", TEXT, system.band.class), .optional = true,
     .meaning =
         "class of kernels whose unknown demand moves STP most, of those looked at; none where "
         "none moves it"},
    {HEAD("band.class_stp", INTERVAL, system.band.class_stp), .optional = true,
     .meaning = "least and most of STP with that class at the 5 and the 95 % end of what it may "
                "ask of memory and units, in all four ways, and all others at their medians"},
    {HEAD("band.stake_class", TEXT, system.band.stake_class), .optional = true,
     .meaning = "class of kernels with most at stake: its time times the width of its 90 % band"},
    {HEAD("band.stake_time", FRACTION, system.band.stake_time), .optional = true,
     .meaning = "part of the time on the device that its kernels of unknown demand take"},
    {0},
};

#define INPUT(path, kind, provenance, text)                                                        \
    { HEAD(path, FRACTION, inputs.share[CT_INPUT_##kind][CT_##provenance]), .meaning = text }
static const struct report_field input_fields[] = {
    INPUT("durations.measured", DURATION, MEASURED,
          "part of the time alone on the device whose durations were measured"),
    INPUT("durations.derived", DURATION, DERIVED, "derived: on another GPU, or of a copy"),
    INPUT("durations.assumed", DURATION, ASSUMED, "made up, modelled or scaled by the workload"),
    INPUT("geometry.measured", GEOMETRY, MEASURED, "whose launch shapes were recorded"),
    INPUT("geometry.assumed", GEOMETRY, ASSUMED, "and were not"),
    INPUT("demand.measured", DEMAND, MEASURED, "whose demand for memory was measured"),
    INPUT("demand.derived", DEMAND, DERIVED, "derived: of a layer's or a copy's bytes"),
    INPUT("demand.from_shapes", DEMAND, SHAPES, "derived from the shapes of operators' inputs"),
    INPUT("demand.given", DEMAND, GIVEN, "given by the workload (`kernels`)"),
    INPUT("demand.assumed", DEMAND, ASSUMED, "assumed: of a made-up application, or of a class"),
    INPUT("demand.unknown", DEMAND, UNKNOWN, "unknown: taken as none"),
    INPUT("host_gaps.measured", HOST, MEASURED, "whose launches were recorded"),
    INPUT("host_gaps.assumed", HOST, ASSUMED, "and were not"),
    INPUT("units.measured", UNITS, MEASURED, "whose use of the busiest units was measured"),
    INPUT("units.derived", UNITS, DERIVED, "derived: of a layer's operations, or none by a copy"),
    INPUT("units.from_shapes", UNITS, SHAPES, "derived from the shapes of operators' inputs"),
    INPUT("units.given", UNITS, GIVEN, "given by the workload (`kernels`)"),
    INPUT("units.assumed", UNITS, ASSUMED, "assumed: of a made-up application"),
    INPUT(
        "units.from_class", UNITS, CLASS,
        "the median of kernels of its class that were measured on a GTX 1080 Ti: too low for newer "
        "GPUs (`docs/demand.md`)"),
    INPUT("units.unknown", UNITS, UNKNOWN, "unknown, of a made-up application: taken as none"),
    {0},
};

static const struct report_field engine_fields[] = {
    {HEAD("events", COUNT, engine.events), .meaning = "events of the simulation"},
    {HEAD("kernels", COUNT, engine.kernels), .meaning = "kernels that ran"},
    {HEAD("wall_s", DOUBLE, engine.wall_s), .unit = "s", .optional = true,
     .meaning = "that the run took, with `--timing`"},
    {HEAD("events_per_s", DOUBLE, engine.events_per_s), .unit = "1/s", .optional = true,
     .meaning = "of these seconds, with `--timing`"},
    {0},
};

static const struct report_field check_fields[] = {
    {HEAD("conservation", TEXT, checks.conservation),
     .meaning = "`ok`, or what is wrong: work done is work asked, within every capacity"},
    {HEAD("littles_law", TEXT, checks.littles_law),
     .meaning = "`ok`, or what is wrong: jobs in the system against their sojourn times"},
    {HEAD("utilisation_law", TEXT, checks.utilisation_law),
     .meaning = "`ok`, or what is wrong: time busy against the work done"},
    {HEAD("stale_events", COUNT, checks.stale_events),
     .meaning = "events that were moved or taken out after they had happened"},
    {0},
};

static const struct report_field difference_fields[] = {
    {DIFFERENCE("measure", TEXT, measure), .meaning = "what is compared"},
    {DIFFERENCE("app", TEXT, app),
     .meaning = "the application that the row is of; of none: all together"},
    {DIFFERENCE("policy_a", TEXT, policy_a), .meaning = "the policy that it is compared with"},
    {DIFFERENCE("policy_b", TEXT, policy_b), .meaning = "the policy that is compared"},
    {DIFFERENCE("mean_a", DOUBLE, mean_a),
     .meaning = "mean over the replications (of a p99: that of all jobs), of the policy that it is "
                "compared with"},
    {DIFFERENCE("mean_b", DOUBLE, mean_b),
     .meaning =
         "mean over the replications (of a p99: that of all jobs), of the policy that is compared"},
    {DIFFERENCE("difference", SIGNED, difference),
     .meaning =
         "of the policy that is compared minus that of the other one, with the same arrivals"},
    {DIFFERENCE("ci95", INTERVAL, ci95_low), .meaning = "95 % interval of this difference alone"},
    {DIFFERENCE("p", FRACTION, p),
     .meaning = "how likely so large a difference is by chance, for this one alone"},
    {DIFFERENCE("p_holm", FRACTION, p_holm),
     .meaning =
         "how likely so large a difference is by chance, for all of the comparison, by Holm"},
    {DIFFERENCE("verdict", NAMED, verdict), .name_of = report_verdict_name, .last = REPORT_SAME,
     .meaning = "`better` or `worse` than the other policy; `same` in every replication; `open`: 0 "
                "lies in the interval; behind a +: about how many more replications would tell"},
    {DIFFERENCE("more_reps", COUNT, more_reps),
     .meaning = "about how many more replications would decide what is open"},
    {DIFFERENCE("simultaneous", INTERVAL, simultaneous_low),
     .meaning = "interval that holds at 95 % for all differences of the comparison at once"},
    {DIFFERENCE("p_adjusted", FRACTION, p_adjusted),
     .meaning = "how likely so large a difference is by chance, for all of the comparison at once"},
    {0},
};

const struct report_level report_head[] = {{NULL, head_fields}, {0}};
const struct report_level report_of_app[] = {{"app", app_fields}, {0}};
const struct report_level report_of_difference[] = {{"difference", difference_fields}, {0}};
const struct report_level report_sections[] = {
    {"system", system_fields},
    {"inputs", input_fields},
    {"engine", engine_fields},
    {"checks", check_fields},
    {0},
};

bool report_field_can_be(enum report_field_kind kind, double value) {
    if (isnan(value))
        return true;
    if (kind == REPORT_FIELD_FRACTION)
        return value >= 0 && value <= REPORT_MOST_FRACTION;
    bool may_be_negative = kind == REPORT_FIELD_SIGNED || kind == REPORT_FIELD_INTERVAL;
    return (value >= 0 || may_be_negative) && (isinf(value) || fabs(value) <= REPORT_MOST);
}

bool report_field_can_be_integer(const struct report_field *field, int64_t value) {
    int64_t most = field->kind == REPORT_FIELD_TRUTH   ? REPORT_YES
                   : field->kind == REPORT_FIELD_NAMED ? field->last
                                                       : INT64_MAX;
    return value == REPORT_UNKNOWN || field->kind == REPORT_FIELD_INTEGER ||
           (value >= 0 && value <= most);
}

/* The path with underscores for dots, and what sets the two of an interval apart. */
static void name_column(struct report_column *column, const char *suffix) {
    const char *const parts[] = {column->field->path, suffix};
    size_t length = 0;
    for (size_t i = 0; i < CT_COUNT_OF(parts); i++)
        for (const char *at = parts[i]; *at && length + 1 < sizeof column->name; at++)
            column->name[length++] = *at == '.' ? '_' : *at;
    column->name[length] = '\0';
}

size_t report_columns(const struct report_level *levels,
                      struct report_column columns[REPORT_COLUMNS_MOST]) {
    size_t count = 0;
    for (; levels->fields; levels++)
        for (const struct report_field *field = levels->fields; field->path; field++) {
            bool interval = field->kind == REPORT_FIELD_INTERVAL;
            for (int part = 0; part < (interval ? 2 : 1); part++) {
                ct_assert(count < REPORT_COLUMNS_MOST);
                columns[count] = (struct report_column){.field = field, .part = part};
                name_column(&columns[count++], !interval ? "" : part ? "_high" : "_low");
            }
        }
    return count;
}

size_t report_fields_shown(const struct report_field *fields, enum report_table table,
                           const struct report_field *shown[REPORT_SHOWN_MOST]) {
    size_t count = 0;
    for (; fields->path; fields++) {
        if (fields->text.table != table)
            continue;
        ct_assert(count < REPORT_SHOWN_MOST);
        size_t at = count++;
        for (; at > 0 && shown[at - 1]->text.rank > fields->text.rank; at--)
            shown[at] = shown[at - 1];
        shown[at] = fields;
    }
    return count;
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

struct value report_field_value(const struct report_field *field, const void *record, int part) {
    if (field->kind == REPORT_FIELD_TEXT)
        return value_of_text(*(const char *const *)member(field, record));
    if (!report_field_is_integer(field))
        return value_of_number(report_field_double(field, record, part));
    int64_t value = report_field_integer(field, record);
    if (field->kind == REPORT_FIELD_NAMED)
        return value_of_text(field->name_of(value));
    if (value == REPORT_UNKNOWN && field->kind != REPORT_FIELD_INTEGER)
        return value_of_text(NULL);
    return field->kind == REPORT_FIELD_TRUTH ? value_of_truth(value == REPORT_YES)
                                             : value_of_integer(value);
}

bool report_field_is_left_out(const struct report_field *field, const void *record) {
    if (!field->optional)
        return false;
    struct value value = report_field_value(field, record, 0);
    return value.kind == VALUE_TEXT ? !value.text
                                    : value.kind == VALUE_NUMBER && isnan(value.number);
}

double report_field_number(const struct report_field *field, const void *record) {
    if (!report_field_is_integer(field))
        return report_field_double(field, record, 0);
    int64_t value = report_field_integer(field, record);
    return value == REPORT_UNKNOWN ? NAN : (double)value;
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
    return field->kind <= REPORT_FIELD_INTERVAL;
}

bool report_field_is_integer(const struct report_field *field) {
    return !report_field_is_number(field) && field->kind != REPORT_FIELD_TEXT;
}
