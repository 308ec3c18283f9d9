#include "cmd/cluster_print.h"

#include "format/json_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cluster_tables[] = {"summary", "colocations", "gpus", "profiles", NULL};

static void count_cell(struct cli_table *table, uint64_t count) {
    cli_table_cell(table, "%llu", (unsigned long long)count);
}

static void scenario_cells(struct cli_table *table, const struct cluster_scenario *scenario) {
    cli_table_cell(table, "%s", scenario->policy);
    cli_table_cell(table, "%s", scenario->placement);
}

static double part(uint64_t of, uint64_t all) {
    return all ? (double)of / (double)all : NAN;
}

#define SCENARIO_COLUMNS                                                                           \
    {"policy", "policy", false}, {                                                                 \
        "placement", "placement", false                                                            \
    }

/* ---- summary ---- */

static void summary(struct cli_table *table, const struct cluster_report *report) {
    static const struct cli_column columns[] = {SCENARIO_COLUMNS,
                                                {"balancer", "balancer", false},
                                                {"GPUs", "gpus", true},
                                                {"idle", "gpus_idle", true},
                                                {"co-locations", "colocations", true},
                                                {"with target", "services", true},
                                                {"violated", "violated", true},
                                                {"severe", "severe", true},
                                                {"GPUs violated", "gpus_violated", true},
                                                {"GPUs severe", "gpus_severe", true},
                                                {"overloaded", "overloaded", true},
                                                {"queries", "queries", true},
                                                {"late", "late_fraction", true},
                                                {"worst", "worst_p99_over_qos", true},
                                                {"busy", "batch_busy_fraction", true},
                                                {"+-", "batch_busy_half", true},
                                                {"SM", "sm_utilisation", true},
                                                {"DRAM", "dram_utilisation", true},
                                                {"jobs/s", "batch_jobs_per_s", true},
                                                {"work", "batch_work", true},
                                                {"conservation", "conservation", false},
                                                {"Little's law", "littles_law", false},
                                                {"utilisation law", "utilisation_law", false}};
    cli_table_begin(table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < report->count; i++) {
        const struct cluster_sums *s = &report->scenarios[i].result.sums;
        scenario_cells(table, &report->scenarios[i]);
        cli_table_cell(table, "%s", report->balancer);
        const uint64_t counts[] = {s->gpus,       s->idle,   s->colocations,   s->services,
                                   s->violated,   s->severe, s->violated_gpus, s->severe_gpus,
                                   s->overloaded, s->jobs};
        for (size_t c = 0; c < CT_COUNT_OF(counts); c++)
            count_cell(table, counts[c]);
        cli_table_number(table, part(s->late, s->jobs), 6);
        cli_table_number(table, s->worst_over, 4);
        cli_table_number(table, s->busy, 5);
        cli_table_number(table, s->busy_half, 5);
        cli_table_number(table, s->sm, 5);
        cli_table_number(table, s->dram, 5);
        cli_table_number(table, s->batch_jobs_per_s, 3);
        cli_table_number(table, s->batch_work, 3);
        cli_table_cell(table, "%s", s->conserved ? "ok" : "broken");
        cli_table_cell(table, "%s", s->littles_law_ok ? "ok" : "broken");
        cli_table_cell(table, "%s", s->utilisation_law_ok ? "ok" : "broken");
    }
}

/* ---- co-locations: one row for each service, or for batch work alone ---- */

static void colocation_columns(struct cli_table *table) {
    static const struct cli_column columns[] = {SCENARIO_COLUMNS,
                                                {"co-location", "colocation", false},
                                                {"GPUs", "gpus", true},
                                                {"service", "service", false},
                                                {"queries", "queries", true},
                                                {"late", "late_fraction", true},
                                                {"mean ms", "mean_ms", true},
                                                {"p99 ms", "p99_ms", true},
                                                {"low", "p99_low_ms", true},
                                                {"high", "p99_high_ms", true},
                                                {"p99/target", "p99_over_qos", true},
                                                {"overloaded", "overloaded", false},
                                                {"busy", "batch_busy_fraction", true},
                                                {"SM", "sm_utilisation", true},
                                                {"DRAM", "dram_utilisation", true},
                                                {"jobs/s", "batch_jobs_per_s_per_gpu", true},
                                                {"work", "batch_work_per_gpu", true}};
    cli_table_begin(table, columns, CT_COUNT_OF(columns));
}

static void colocation_row(struct cli_table *table, const struct cluster_report *report,
                           const struct cluster_scenario *scenario,
                           const struct cluster_colocation *colocation,
                           const struct cluster_service *service) {
    scenario_cells(table, scenario);
    cli_table_cell(table, "%s", colocation->label);
    count_cell(table, colocation->gpus);
    cli_table_cell(table, "%s",
                   service ? report->cluster->workload.apps.items[service->app].name : "");
    cli_table_number(table, service ? (double)service->jobs : NAN, 0);
    cli_table_number(table, service ? part(service->late, service->jobs) : NAN, 6);
    cli_table_number(table, service ? service->mean_ms : NAN, 4);
    cli_table_number(table, service ? service->p99_ms : NAN, 4);
    cli_table_number(table, service ? service->low_ms : NAN, 4);
    cli_table_number(table, service ? service->high_ms : NAN, 4);
    cli_table_number(table, service ? service->over : NAN, 4);
    cli_table_cell(table, "%s", !service ? "" : service->overloaded ? "yes" : "no");
    cli_table_number(table, colocation->busy, 5);
    cli_table_number(table, colocation->sm, 5);
    cli_table_number(table, colocation->dram, 5);
    cli_table_number(table, colocation->batch_jobs_per_s, 4);
    cli_table_number(table, colocation->batch_work, 4);
}

static void colocations(struct cli_table *table, const struct cluster_report *report) {
    colocation_columns(table);
    for (size_t i = 0; i < report->count; i++) {
        const struct cluster_result *result = &report->scenarios[i].result;
        uint32_t next = 0;
        for (uint32_t c = 0; c < result->colocation_count; c++) {
            uint32_t first = next;
            for (; next < result->service_count && result->services[next].colocation == c; next++)
                colocation_row(table, report, &report->scenarios[i], &result->colocations[c],
                               &result->services[next]);
            if (first == next)
                colocation_row(table, report, &report->scenarios[i], &result->colocations[c], NULL);
        }
    }
}

/* ---- GPUs ---- */

static void gpus(struct cli_table *table, const struct cluster_report *report) {
    static const struct cli_column columns[] = {SCENARIO_COLUMNS,
                                                {"GPU", "number", true},
                                                {"preset", "gpu", false},
                                                {"co-location", "colocation", false},
                                                {"queries", "queries", true},
                                                {"late", "late_fraction", true},
                                                {"p99/target", "p99_over_qos", true},
                                                {"busy", "batch_busy_fraction", true},
                                                {"SM", "sm_utilisation", true},
                                                {"DRAM", "dram_utilisation", true},
                                                {"H2D", "pcie_h2d_utilisation", true},
                                                {"D2H", "pcie_d2h_utilisation", true},
                                                {"jobs/s", "batch_jobs_per_s", true},
                                                {"work", "batch_work", true}};
    cli_table_begin(table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < report->count; i++) {
        const struct cluster_result *result = &report->scenarios[i].result;
        for (uint32_t g = 0; g < result->gpu_count; g++) {
            const struct cluster_gpu *gpu = &result->gpus[g];
            bool idle = gpu->colocation == CLUSTER_IDLE;
            scenario_cells(table, &report->scenarios[i]);
            count_cell(table, gpu->number);
            cli_table_cell(table, "%s", report->cluster->groups.items[gpu->group].gpu);
            cli_table_cell(table, "%s", idle ? "" : result->colocations[gpu->colocation].label);
            count_cell(table, gpu->jobs);
            cli_table_number(table, part(gpu->late, gpu->jobs), 6);
            cli_table_number(table, gpu->over, 4);
            const double numbers[] = {gpu->busy,      gpu->sm,  gpu->dram,
                                      gpu->h2d,       gpu->d2h, gpu->batch_jobs_per_s,
                                      gpu->batch_work};
            for (size_t n = 0; n < CT_COUNT_OF(numbers); n++)
                cli_table_number(table, numbers[n], 5);
        }
    }
}

/* ---- profiles ---- */

static void profiles(struct cli_table *table, const struct cluster_report *report) {
    static const struct cli_column columns[] = {SCENARIO_COLUMNS,
                                                {"co-location", "colocation", false},
                                                {"placed", "app", false},
                                                {"busy", "batch_busy_fraction", true},
                                                {"late", "late_fraction", true},
                                                {"score", "score", true}};
    cli_table_begin(table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < report->count; i++) {
        const struct cluster_result *result = &report->scenarios[i].result;
        for (uint32_t p = 0; p < result->profile_count; p++) {
            const struct cluster_profile *profile = &result->profiles[p];
            scenario_cells(table, &report->scenarios[i]);
            cli_table_cell(table, "%s", profile->label);
            cli_table_cell(table, "%s", report->cluster->workload.apps.items[profile->app].name);
            cli_table_number(table, profile->busy, 5);
            cli_table_number(table, profile->late, 6);
            cli_table_number(table, profile->score, 5);
        }
    }
}

int cluster_print_table(const struct cluster_report *report, enum cluster_table which, FILE *out,
                        enum cli_format format) {
    static void (*const fill[])(struct cli_table *, const struct cluster_report *) = {
        summary, colocations, gpus, profiles};
    struct cli_table table;
    fill[which](&table, report);
    return cli_table_print(&table, out, format);
}

/* ---- for a reader ---- */

static void print_heading(const struct cluster_report *report, FILE *out) {
    const struct cluster *cluster = report->cluster;
    fprintf(out, "%s: %u GPU%s (", cluster->workload.name, cluster->gpu_count,
            cluster->gpu_count == 1 ? "" : "s");
    for (size_t g = 0; g < cluster->groups.count; g++)
        fprintf(out, "%s%lld x %s", g ? ", " : "", (long long)cluster->groups.items[g].count,
                cluster->groups.items[g].gpu);
    fprintf(out, "), %g s\nbalancer %s, seed %llu, %u replication%s\n\n",
            cluster->workload.duration_s, report->balancer, (unsigned long long)report->seed,
            report->reps, report->reps == 1 ? "" : "s");
}

static int print_sums(const struct cluster_report *report, FILE *out) {
    static const struct cli_column columns[] = {
        SCENARIO_COLUMNS,         {">target", "violated", true}, {">1.4x", "severe", true},
        {"worst", "worst", true}, {"late %", "late", true},      {"busy %", "busy", true},
        {"SM %", "sm", true},     {"work", "work", true}};
    struct cli_table table;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < report->count; i++) {
        const struct cluster_sums *s = &report->scenarios[i].result.sums;
        scenario_cells(&table, &report->scenarios[i]);
        cli_table_cell(&table, "%u/%u", s->violated, s->services);
        cli_table_cell(&table, "%u", s->severe);
        cli_table_number(&table, s->worst_over, 2);
        cli_table_number(&table, 100 * part(s->late, s->jobs), 2);
        if (isnan(s->busy_half))
            cli_table_cell(&table, "%.1f", 100 * s->busy);
        else
            cli_table_cell(&table, "%.1f+-%.2f", 100 * s->busy, 100 * s->busy_half);
        cli_table_number(&table, 100 * s->sm, 1);
        cli_table_number(&table, s->batch_work, 1);
    }
    return cli_table_print(&table, out, CLI_TEXT);
}

static void print_checks(const struct cluster_report *report, FILE *out) {
    bool conserved = true, little = true, utilisation = true;
    for (size_t i = 0; i < report->count; i++) {
        conserved &= report->scenarios[i].result.sums.conserved;
        little &= report->scenarios[i].result.sums.littles_law_ok;
        utilisation &= report->scenarios[i].result.sums.utilisation_law_ok;
    }
    fprintf(out,
            "\n>target: co-locations whose p99 is above the target; worst: p99 over target;\n"
            "busy: batch kernels run, mean of all GPUs; work: solo seconds of batch work per\n"
            "second of all GPUs.\nChecks: conservation %s, Little's law %s, utilisation law %s.\n",
            conserved ? "ok" : "broken", little ? "ok" : "broken", utilisation ? "ok" : "broken");
    if (report->settings) {
        char text[1300];
        snprintf(text, sizeof text, "Settings: %s.", report->settings);
        cli_print_wrapped(out, text, 0, 80);
        fputc('\n', out);
    }
}

static int by_over(const void *a, const void *b) {
    const struct cluster_service *x = *(const struct cluster_service *const *)a,
                                 *y = *(const struct cluster_service *const *)b;
    if (isnan(x->over) != isnan(y->over))
        return isnan(x->over) ? 1 : -1;
    if (!isnan(x->over) && x->over != y->over)
        return x->over > y->over ? -1 : 1;
    if (x->colocation != y->colocation)
        return x->colocation < y->colocation ? -1 : 1;
    return x->app < y->app ? -1 : x->app > y->app;
}

static void worst_row(struct cli_table *table, const struct cluster_report *report,
                      const struct cluster_result *result, const struct cluster_service *service) {
    const struct cluster_colocation *colocation = &result->colocations[service->colocation];
    cli_table_cell(table, "%s", report->cluster->workload.apps.items[service->app].name);
    cli_table_cell(table, "%s", colocation->label);
    count_cell(table, colocation->gpus);
    count_cell(table, service->jobs);
    if (service->overloaded)
        cli_table_cell(table, ">%.1f", service->p99_ms);
    else if (isnan(service->low_ms))
        cli_table_number(table, service->p99_ms, 1);
    else
        cli_table_cell(table, "%.1f [%.1f, %.1f]", service->p99_ms, service->low_ms,
                       service->high_ms);
    cli_table_number(table, service->over, 2);
    cli_table_number(table, 100 * colocation->busy, 1);
}

static int print_worst(const struct cluster_report *report, const struct cluster_result *result,
                       FILE *out) {
    enum { SHOWN = 5 };
    static const struct cli_column columns[] = {
        {"service", "service", false}, {"co-location", "colocation", false},
        {"GPUs", "gpus", true},        {"queries", "queries", true},
        {"p99 ms", "p99", true},       {"p99/target", "over", true},
        {"busy %", "busy", true}};
    const struct cluster_service **order = calloc(result->service_count + 1u, sizeof *order);
    struct cli_table table;
    if (!order)
        return CT_DATA;
    for (uint32_t s = 0; s < result->service_count; s++)
        order[s] = &result->services[s];
    qsort(order, result->service_count, sizeof *order, by_over);
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (uint32_t s = 0; s < result->service_count && s < SHOWN; s++)
        worst_row(&table, report, result, order[s]);
    free(order);
    return cli_table_print(&table, out, CLI_TEXT);
}

int cluster_print_text(const struct cluster_report *report, FILE *out) {
    print_heading(report, out);
    int status = print_sums(report, out);
    print_checks(report, out);
    for (size_t i = 0; i < report->count && status == CT_OK; i++) {
        const struct cluster_scenario *scenario = &report->scenarios[i];
        if (!scenario->result.service_count)
            continue;
        fprintf(out, "\nWorst under %s, %s (--table colocations shows all %u):\n", scenario->policy,
                scenario->placement, scenario->result.colocation_count);
        status = print_worst(report, &scenario->result, out);
    }
    return status;
}

int cluster_print_json(const struct cluster_report *report, FILE *out) {
    struct json_writer json = json_writer_start(out, 0);
    int status = CT_OK;
    /* The tables print themselves, between the members that lead to them. */
    fprintf(out, "{\"schema\": \"cotenant.cluster-report/1\", \"version\": \"%s\",\n\"run\": ",
            COTENANT_VERSION);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "cluster", report->cluster->workload.name);
    json_writer_integer(&json, "gpus", report->cluster->gpu_count);
    json_writer_string(&json, "balancer", report->balancer);
    json_writer_integer(&json, "seed", (int64_t)report->seed);
    json_writer_integer(&json, "reps", report->reps);
    json_writer_double(&json, "duration_s", report->cluster->workload.duration_s);
    json_writer_double(&json, "warmup_s", report->cluster->workload.warmup_s);
    json_writer_string(&json, "settings", report->settings);
    json_writer_end_object(&json);
    for (int t = 0; cluster_tables[t] && status == CT_OK; t++) {
        fprintf(out, ",\n\"%s\": ", cluster_tables[t]);
        status = cluster_print_table(report, (enum cluster_table)t, out, CLI_JSON);
    }
    fputs("}\n", out);
    return status;
}
