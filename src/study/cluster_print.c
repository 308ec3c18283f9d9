/* What a cluster job prints. */
#include "study/cluster_job.h"

#include "base/ct_sort.h"
#include "format/doc_writer.h"
#include "format/json_writer.h"
#include "study/plan.h"

#include <math.h>
#include <stdlib.h>

const char *const cluster_tables[] = {"summary", "colocations", "gpus",    "profiles", "shares",
                                      "fleet",   "copies",      "changes", NULL};

static const char *yes_or_no(bool known, bool yes) {
    return !known ? "" : yes ? "yes" : "no";
}

/* A p99 over target for readers: ">12.46" is a lower bound. */
static struct value over_words(struct table *table, double over, bool is_bound) {
    bool marked = is_bound && !isnan(over);
    return marked ? value_of_text(table_words(table, ">%.2f", over)) : value_of_number(over);
}

static double part(double of, double all) {
    return all > 0 ? of / all : NAN;
}

/* The rows of a scenario. */
typedef void add_rows(struct table *table, const struct cluster_job *job,
                      const struct cluster_scenario *scenario);

/* Every table begins with the scenario. */
static struct table make_table(const struct cluster_job *job, const char *columns, add_rows *add) {
    char all[1200];
    snprintf(all, sizeof all, "policy | placement | %s", columns);
    struct table table = table_start(all);
    table.bold = job->bold;
    for (size_t i = 0; i < job->done; i++)
        add(&table, job, &job->scenarios[i]);
    return table;
}

/* ---- summary ---- */

static const char summary_columns[] =
    "balancer | GPUs=gpus:0 | idle=gpus_idle:0 | co-locations=colocations:0 | with "
    "target=services:0 | violated:0 | severe:0 | GPUs violated=gpus_violated:0 | "
    "GPUs severe=gpus_severe:0 | overloaded:0 | queries:0 | late=late_fraction:6 | "
    "worst=worst_p99_over_qos:4 | =worst_is_bound | busy=batch_busy_fraction:5 | "
    "+-=batch_busy_half:5 | SM=sm_utilisation:5 | DRAM=dram_utilisation:5 | "
    "jobs/s=batch_jobs_per_s:3 | work=batch_work:3 | conservation | Little's "
    "law=littles_law | utilisation law=utilisation_law | lost=lost_queries:0";

static void add_summary(struct table *table, const struct cluster_job *job,
                        const struct cluster_scenario *scenario) {
    const struct cluster_sums *s = &scenario->result.sums;
    table_row(
        table, scenario->policy, scenario->placement, cluster_balancers[job->params.balancer],
        s->gpus, s->idle, s->colocations, s->services, s->violated, s->severe, s->violated_gpus,
        s->severe_gpus, s->overloaded, s->jobs, part(s->late, s->jobs - s->undecided),
        s->worst_over, yes_or_no(!isnan(s->worst_over), s->worst_is_bound), s->busy, s->busy_half,
        s->sm, s->dram, s->batch_jobs_per_s, s->batch_work, s->conserved ? "ok" : "broken",
        s->littles_law_ok ? "ok" : "broken", s->utilisation_law_ok ? "ok" : "broken", s->lost);
}

/* ---- co-locations: one row for each service, or for batch work alone ---- */

static const char colocations_columns[] =
    "co-location=colocation | GPUs=gpus:0 | service | queries:0 | late=late_fraction:6 | "
    "mean ms=mean_ms:4 | p99 ms=p99_ms:4 | low=p99_low_ms:4 | high=p99_high_ms:4 | "
    "p99/target=p99_over_qos:4 | overloaded | busy=batch_busy_fraction:5 | SM=sm_utilisation:5 | "
    "DRAM=dram_utilisation:5 | jobs/s=batch_jobs_per_s_per_gpu:4 | work=batch_work_per_gpu:4 | "
    "=dropped_fraction:6 | =tokens_per_s_per_gpu:3 | =first_token_p99_ms:4 | "
    "=each_token_p99_ms:4 | =target | =target_ms:4";

static void colocation_row(struct table *table, const struct cluster_job *job,
                           const struct cluster_scenario *scenario,
                           const struct cluster_colocation *c,
                           const struct cluster_service *service) {
    static const struct cluster_service none = {.mean_ms = NAN,
                                                .p99_ms = NAN,
                                                .low_ms = NAN,
                                                .high_ms = NAN,
                                                .over = NAN,
                                                .target_ms = NAN,
                                                .first_p99_ms = NAN,
                                                .each_p99_ms = NAN,
                                                .tokens_per_s = NAN};
    const struct cluster_service *s = service ? service : &none;
    table_row(table, scenario->policy, scenario->placement, c->label, c->gpus,
              service ? job->cluster.workload.apps.items[s->app].name : "",
              service ? (double)s->jobs : NAN, part(s->late, s->jobs - s->undecided), s->mean_ms,
              s->p99_ms, s->low_ms, s->high_ms, s->over, yes_or_no(service, s->overloaded),
              c->use.busy, c->use.sm, c->use.dram, c->use.batch_jobs_per_s, c->use.batch_work,
              part(s->dropped, s->jobs), s->tokens_per_s, s->first_p99_ms, s->each_p99_ms,
              isnan(s->over) ? "" : plan_target_key(s->decides), s->target_ms);
}

static void add_colocations(struct table *table, const struct cluster_job *job,
                            const struct cluster_scenario *scenario) {
    const struct cluster_result *result = &scenario->result;
    uint32_t next = 0;
    for (uint32_t c = 0; c < result->colocation_count; c++) {
        uint32_t first = next;
        for (; next < result->service_count && result->services[next].colocation == c; next++)
            colocation_row(table, job, scenario, &result->colocations[c], &result->services[next]);
        if (first == next)
            colocation_row(table, job, scenario, &result->colocations[c], NULL);
    }
}

/* ---- GPUs ---- */

static const char gpus_columns[] =
    "GPU=number:0 | preset=gpu | co-location=colocation | queries:0 | late=late_fraction:6 | "
    "p99/target=p99_over_qos:4 | =p99_is_bound | busy=batch_busy_fraction:5 | SM=sm_utilisation:5 "
    "| "
    "DRAM=dram_utilisation:5 | H2D=pcie_h2d_utilisation:5 | D2H=pcie_d2h_utilisation:5 | "
    "jobs/s=batch_jobs_per_s:5 | work=batch_work:5";

static void add_gpus(struct table *table, const struct cluster_job *job,
                     const struct cluster_scenario *scenario) {
    const struct cluster_result *result = &scenario->result;
    for (const struct cluster_gpu *g = result->gpus; g < result->gpus + result->gpu_count; g++)
        table_row(table, scenario->policy, scenario->placement, g->number,
                  job->cluster.groups.items[g->group].gpu,
                  g->colocation == CLUSTER_IDLE ? "" : result->colocations[g->colocation].label,
                  g->jobs, part(g->late, g->jobs - g->undecided), g->over,
                  yes_or_no(!isnan(g->over), g->over_is_bound), g->use.busy, g->use.sm, g->use.dram,
                  g->use.h2d, g->use.d2h, g->use.batch_jobs_per_s, g->use.batch_work);
}

/* ---- profiles ---- */

static const char profiles_columns[] =
    "co-location=colocation | placed=app | busy=batch_busy_fraction:5 | late=late_fraction:6 | "
    "score:5";

static void add_profiles(struct table *table, const struct cluster_job *job,
                         const struct cluster_scenario *scenario) {
    for (uint32_t p = 0; p < scenario->result.profile_count; p++) {
        const struct cluster_profile *profile = &scenario->result.profiles[p];
        table_row(table, scenario->policy, scenario->placement, profile->label,
                  job->cluster.workload.apps.items[profile->app].name, profile->busy, profile->late,
                  profile->score);
    }
}

/* ---- shares ---- */

static double share_pct(const struct cluster_demand *demand) {
    return demand->share ? demand->share / 10.0 : NAN;
}

static const char *slice_of(const struct cluster_demand *demand) {
    return demand->slice ? demand->slice : "";
}

static const char shares_columns[] =
    "app | share %=share_pct:0 | copies:0 | more fit=further:0 | unusable GPUs=unusable_gpus:4 | "
    "free GPUs=free_gpus:4 | fragmented GPUs=fragmented_gpus:4 | slice";

static void add_shares(struct table *table, const struct cluster_job *job,
                       const struct cluster_scenario *scenario) {
    const struct cluster *cluster = &job->cluster;
    const struct cluster_result *result = &scenario->result;
    bool asked = cluster_has_table(job, CLUSTER_SHARES);
    for (size_t a = 0; a < cluster->workload.apps.count && asked; a++)
        table_row(table, scenario->policy, scenario->placement,
                  cluster->workload.apps.items[a].name, share_pct(&cluster->demands.items[a]),
                  cluster->gpus[a], result->shares[a].further, result->shares[a].unusable,
                  result->sums.free_gpus, result->sums.fragmented_gpus,
                  slice_of(&cluster->demands.items[a]));
}

/* ---- copies that come and go: sums, a row for each copy, the cluster over time ---- */

static const char fleet_columns[] =
    "copies=arrived:0 | placed:0 | waited:0 | still waiting=waiting:0 | refused:0 | "
    "mean wait s=wait_mean_s:3 | p99 wait s=wait_p99_s:3 | longest s=wait_longest_s:3 | "
    "GPUs in use=gpus_in_use:3 | most=gpus_in_use_most:0 | allocated GPUs=allocated_gpus:4 | "
    "allocation=allocation_ratio:5 | fragmented GPUs=fragmented_gpus:4 | "
    "of what is free=fragmented_of_free:5 | queries lost=lost_queries:0 | conservation";

static void add_fleet(struct table *table, const struct cluster_job *job,
                      const struct cluster_scenario *scenario) {
    const struct fleet_sums *s = &scenario->result.fleet.sums;
    double gpus = job->cluster.gpu_count;
    table_row(table, scenario->policy, scenario->placement, s->arrived, s->placed, s->waited,
              s->waiting, s->refused, s->wait_mean_s, s->wait_p99_s, s->wait_most_s, s->in_use,
              s->in_use_most, s->allocated, s->allocated / gpus, s->fragmented,
              part(s->fragmented, gpus - s->allocated), scenario->result.sums.lost,
              s->conserved ? "ok" : "broken");
}

static const char pods_columns[] =
    "copy:0 | app | share %=share_pct:1 | slice | arrives s=arrive_s:6 | placed s=placed_s:6 | "
    "leaves s=left_s:6 | waits s=wait_s:6 | GPU=gpu:0 | first slice=first_slice:0 | outcome";

static void pod_row(struct table *table, const struct cluster_job *job,
                    const struct cluster_scenario *scenario, uint64_t index) {
    const struct cluster_pod *asked = &job->cluster.pods.items[index];
    const struct cluster_demand *demand = &job->cluster.demands.items[asked->demand];
    const struct fleet_pod *pod = &scenario->result.fleet.pods[index];
    bool placed = pod->outcome == FLEET_PLACED;
    table_row(table, scenario->policy, scenario->placement, index,
              job->cluster.workload.apps.items[asked->app].name, share_pct(demand),
              slice_of(demand), asked->arrive_s, pod->placed_s, pod->left_s,
              pod->placed_s - asked->arrive_s, placed ? (double)pod->place.gpu : NAN,
              placed && demand->slice ? (double)pod->place.start : NAN,
              fleet_outcomes[pod->outcome]);
}

static void add_pods(struct table *table, const struct cluster_job *job,
                     const struct cluster_scenario *scenario) {
    for (uint64_t p = 0; p < scenario->result.fleet.sums.arrived; p++)
        pod_row(table, job, scenario, p);
}

static const char changes_columns[] =
    "s=at_s:6 | GPUs in use=gpus_in_use:0 | allocated GPUs=allocated_gpus:4 | "
    "fragmented GPUs=fragmented_gpus:4 | waiting:0";

static void add_changes(struct table *table, const struct cluster_job *job,
                        const struct cluster_scenario *scenario) {
    (void)job;
    const struct fleet *fleet = &scenario->result.fleet;
    for (size_t c = 0; c < fleet->changes.count; c++) {
        const struct fleet_change *change = &fleet->changes.items[c];
        table_row(table, scenario->policy, scenario->placement, change->at_s, change->in_use,
                  change->allocated, change->fragmented, change->waiting);
    }
}

/* In the order of cluster_tables. */
static const struct {
    const char *columns;
    add_rows *add;
} tables[] = {{summary_columns, add_summary}, {colocations_columns, add_colocations},
              {gpus_columns, add_gpus},       {profiles_columns, add_profiles},
              {shares_columns, add_shares},   {fleet_columns, add_fleet},
              {pods_columns, add_pods},       {changes_columns, add_changes}};

bool cluster_has_table(const struct cluster_job *job, enum cluster_table which) {
    const struct cluster *cluster = &job->cluster;
    if (which >= CLUSTER_FLEET)
        return cluster->comes_and_goes;
    if (which == CLUSTER_SHARES)
        return cluster->demands.count && !cluster->comes_and_goes;
    return !job->params.place_only;
}

int cluster_print_table(const struct cluster_job *job, enum cluster_table which, FILE *out,
                        enum table_format format) {
    struct table table = make_table(job, tables[which].columns, tables[which].add);
    return table_print(&table, out, format);
}

/* ---- for a reader ---- */

static void print_heading(const struct cluster_job *job, FILE *out) {
    const struct cluster *cluster = &job->cluster;
    fprintf(out, "%s: %u GPU%s (", cluster->workload.name, cluster->gpu_count,
            cluster->gpu_count == 1 ? "" : "s");
    for (size_t g = 0; g < cluster->groups.count; g++)
        fprintf(out, "%s%lld x %s", g ? ", " : "", (long long)cluster->groups.items[g].count,
                cluster->groups.items[g].gpu);
    fprintf(out, "), %g s\nbalancer %s, seed %llu, %u replication%s\n\n",
            cluster->workload.duration_s, cluster_balancers[job->params.balancer],
            (unsigned long long)job->params.seed, job->params.reps,
            job->params.reps == 1 ? "" : "s");
}

static void add_sums(struct table *table, const struct cluster_job *job,
                     const struct cluster_scenario *scenario) {
    (void)job;
    const struct cluster_sums *s = &scenario->result.sums;
    struct value busy = value_of_number(100 * s->busy);
    if (!isnan(s->busy_half))
        busy = value_of_text(table_words(table, "%.1f+-%.2f", 100 * s->busy, 100 * s->busy_half));
    table_row(table, scenario->policy, scenario->placement,
              table_words(table, "%u/%u", s->violated, s->services), s->severe,
              over_words(table, s->worst_over, s->worst_is_bound),
              100 * part(s->late, s->jobs - s->undecided), busy, 100 * s->sm, s->batch_work);
}

static void print_checks(const struct cluster_job *job, FILE *out) {
    bool conserved = true, little = true, utilisation = true;
    for (size_t i = 0; i < job->done; i++) {
        conserved &= job->scenarios[i].result.sums.conserved;
        little &= job->scenarios[i].result.sums.littles_law_ok;
        utilisation &= job->scenarios[i].result.sums.utilisation_law_ok;
    }
    fprintf(out,
            "\n>target: co-locations whose p99 is above the target, or that drop more than 1 %%;\n"
            "worst: p99 over target, > at least that, of an overloaded service; busy: batch\n"
            "kernels run, mean of all GPUs, +- half its 95 %% interval; work: solo seconds of\n"
            "batch work per second of all GPUs.\nChecks: "
            "conservation %s, Little's law "
            "%s, utilisation law %s.\n",
            conserved ? "ok" : "broken", little ? "ok" : "broken", utilisation ? "ok" : "broken");
    if (job->settings) {
        char text[1300];
        snprintf(text, sizeof text, "Settings: %s.", job->settings);
        doc_print_wrapped(out, text, 0, 80);
        fputc('\n', out);
    }
}

static void add_lost(struct table *table, const struct cluster_job *job,
                     const struct cluster_scenario *scenario) {
    for (size_t a = 0; a < job->cluster.workload.apps.count; a++) {
        const struct cluster_sent *sent = &scenario->result.sent[a];
        if (sent->lost > 0)
            table_row(table, scenario->policy, scenario->placement,
                      job->cluster.workload.apps.items[a].name, sent->queries, sent->lost,
                      100 * part(sent->lost, sent->queries));
    }
}

/* Queries that came while no copy of their service stood. */
static int print_lost(const struct cluster_job *job, FILE *out) {
    struct table table =
        make_table(job, "service | queries:0 | lost=lost_queries:0 | lost %:2", add_lost);
    if (!table.cells.count && !table.failed) {
        table_free(&table);
        return CT_OK;
    }
    fputs("\nLost: came while no copy of their service stood; late, where it has a target.\n", out);
    return table_print(&table, out, TABLE_TEXT);
}

static int by_over(const void *a, const void *b) {
    const struct cluster_service *x = *(const struct cluster_service *const *)a,
                                 *y = *(const struct cluster_service *const *)b;
    int order = ct_order(y->drops, x->drops);
    order = order ? order : ct_order(!!isnan(x->over), !!isnan(y->over));
    order = order ? order : ct_order(y->over, x->over); /* no order of two that are NAN */
    order = order ? order : ct_order(x->colocation, y->colocation);
    return order ? order : ct_order(x->app, y->app);
}

static void worst_row(struct table *table, const struct cluster_job *job,
                      const struct cluster_result *result, const struct cluster_service *s) {
    const struct cluster_colocation *colocation = &result->colocations[s->colocation];
    bool of_tokens = !isnan(s->over) && s->decides != RESULT_LATENCY;
    double p99_ms = of_tokens ? s->decides_p99_ms : s->p99_ms;
    const char *name = job->cluster.workload.apps.items[s->app].name;
    struct value p99 = value_of_number(p99_ms);
    if (s->overloaded)
        p99 = value_of_text(table_words(table, ">%.1f", p99_ms));
    else if (!of_tokens && !isnan(s->low_ms))
        p99 = value_of_text(
            table_words(table, "%.1f [%.1f, %.1f]", s->p99_ms, s->low_ms, s->high_ms));
    table_row(table,
              of_tokens ? table_words(table, "%s %s", name, plan_target_key(s->decides)) : name,
              colocation->label, colocation->gpus, s->jobs, 100 * part(s->dropped, s->jobs), p99,
              over_words(table, s->over, s->overloaded), 100 * colocation->use.busy);
}

static int print_worst(const struct cluster_job *job, const struct cluster_result *result,
                       FILE *out) {
    enum { SHOWN = 5 };
    const struct cluster_service **order = calloc(result->service_count + 1u, sizeof *order);
    if (!order)
        return CT_DATA;
    uint64_t dropped = 0;
    char columns[120];
    for (uint32_t s = 0; s < result->service_count; s++) {
        order[s] = &result->services[s];
        dropped += result->services[s].dropped;
    }
    qsort(order, result->service_count, sizeof *order, by_over);
    snprintf(columns, sizeof columns,
             "service | co-location | GPUs:0 | queries:0 | %s:2 | p99 ms:1 | p99/target:2 | busy "
             "%%:1",
             dropped ? "dropped %" : "=dropped");
    struct table table = table_start(columns);
    for (uint32_t s = 0; s < result->service_count && s < SHOWN; s++)
        worst_row(&table, job, result, order[s]);
    free(order);
    table.bold = job->bold;
    return table_print(&table, out, TABLE_TEXT);
}

static void print_shares(const struct cluster_job *job, FILE *out) {
    if (!cluster_has_table(job, CLUSTER_SHARES))
        return;
    fputs("\nGPUs that nobody asked for (--table shares says by application what fits):\n", out);
    for (size_t i = 0; i < job->done; i++) {
        const struct cluster_sums *s = &job->scenarios[i].result.sums;
        fprintf(out, "  %s, %s: %.2f of %u, of these %.2f fragmented\n", job->scenarios[i].policy,
                job->scenarios[i].placement, s->free_gpus, s->gpus, s->fragmented_gpus);
    }
}

static void add_fleet_sums(struct table *table, const struct cluster_job *job,
                           const struct cluster_scenario *scenario) {
    const struct fleet_sums *s = &scenario->result.fleet.sums;
    double gpus = job->cluster.gpu_count;
    table_row(table, scenario->policy, scenario->placement, s->arrived, s->waited, s->refused,
              s->waiting, s->wait_mean_s, s->wait_p99_s, s->in_use, 100 * s->allocated / gpus,
              100 * part(s->fragmented, gpus - s->allocated));
}

static int print_fleet(const struct cluster_job *job, FILE *out) {
    struct table table = make_table(job,
                                    "copies:0 | waited:0 | refused:0 | queued:0 | wait s:2 | p99:2 "
                                    "| in use:2 | alloc. %:1 | fragm. %:1",
                                    add_fleet_sums);
    int status = table_print(&table, out, TABLE_TEXT);
    fputs(
        "\nqueued: copies that still wait at the end; wait: from arrival to placement; in use: "
        "GPUs\n"
        "on which something stands; alloc.: part of all GPUs that is given; fragm.: part of what\n"
        "is free that is of no use to who may come.\n",
        out);
    return status;
}

static int print_text(const struct cluster_job *job, FILE *out) {
    int status = CT_OK;
    print_heading(job, out);
    if (!job->params.place_only) {
        struct table sums = make_table(
            job, ">target:0 | >1.4x:0 | worst:2 | late %:2 | busy %:1 | SM %:1 | work:1", add_sums);
        status = table_print(&sums, out, TABLE_TEXT);
        print_checks(job, out);
        status = status == CT_OK ? print_lost(job, out) : status;
    }
    if (!job->params.place_only && job->cluster.comes_and_goes)
        fputc('\n', out);
    if (job->cluster.comes_and_goes && status == CT_OK)
        status = print_fleet(job, out);
    print_shares(job, out);
    for (size_t i = 0; i < job->done && status == CT_OK; i++) {
        const struct cluster_scenario *scenario = &job->scenarios[i];
        if (!scenario->result.service_count)
            continue;
        fprintf(out, "\nWorst under %s, %s (--table colocations shows all %u):\n", scenario->policy,
                scenario->placement, scenario->result.colocation_count);
        status = print_worst(job, &scenario->result, out);
    }
    return status;
}

static int print_json(const struct cluster_job *job, FILE *out) {
    struct json_writer json = json_writer_start(out, 0);
    int status = CT_OK;
    /* The tables print themselves, between the members that lead to them. */
    fprintf(out, "{\"schema\": \"cotenant.cluster-report/1\", \"version\": \"%s\",\n\"run\": ",
            COTENANT_VERSION);
    json_writer_object(&json, NULL, "cluster", job->cluster.workload.name, "gpus",
                       job->cluster.gpu_count, "balancer", cluster_balancers[job->params.balancer],
                       "seed", job->params.seed, "reps", job->params.reps, "duration_s",
                       job->cluster.workload.duration_s, "warmup_s", job->cluster.workload.warmup_s,
                       "settings", job->settings);
    for (int t = 0; cluster_tables[t] && status == CT_OK; t++) {
        if (!cluster_has_table(job, (enum cluster_table)t))
            continue;
        fprintf(out, ",\n\"%s\": ", cluster_tables[t]);
        status = cluster_print_table(job, (enum cluster_table)t, out, TABLE_JSON);
    }
    fputs("}\n", out);
    return status;
}

int cluster_print(const struct cluster_job *job, enum table_format format, FILE *out) {
    if (format == TABLE_TEXT)
        return print_text(job, out);
    return format == TABLE_JSON ? print_json(job, out)
                                : cluster_print_table(job, CLUSTER_SUMMARY, out, format);
}
