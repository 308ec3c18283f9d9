#include "results/glossary.h"

#include <stdio.h>
#include <string.h>

/* clang-format off: a row a line */
#define END                                                                                        \
    { NULL, NULL, NULL, NULL }
#define SAME(column, key)                                                                          \
    { key, NULL, NULL, column } /* a number of a report */
#define OWN(column, key, unit, meaning)                                                            \
    { key, unit, meaning, column }

#define POLICY SAME("policy", "policy")
#define APPLICATION SAME("application", "app")
#define SERVICE                                                                                    \
    OWN("service", "service", "",                                                                  \
        "the service that the numbers of the row are of; -: there is none")
#define REPLICATIONS OWN("reps", "replications", "", "runs with other random draws")
#define AMOUNT(column)                                                                             \
    OWN(column, "amount", "",                                                                      \
        "what was tried: the load, the number of GPUs or instances, or the GPU")
#define BOUNDS                                                                                     \
    OWN("[bounds]", "p99_over_qos_low", "",                                                        \
        "interval of the p99 over its target that the verdict goes by, at the confidence that "    \
        "was asked for")

static const struct glossary_word of_check[] = {
    APPLICATION,
    SAME("role", "role"),
    SAME("n", "instances"),
    OWN("jobs", "jobs", "", "recorded jobs of its trace"),
    SAME("solo ms", "solo_ms"),
    OWN("jobs/s", "rate_per_s", "1/s", "mean rate of the arrivals of each instance"),
    OWN("load alone", "offered_load", "",
        "of each instance, jobs/s times what a job alone takes from its arrival, over the workers; "
        "of a server, times what a request takes in the batch that takes least for each: from 1 on "
        "the backlog grows. Unknown of one that generates tokens"),
    SAME("target ms", "qos_ms"),
    END};

static const struct glossary_word of_run[] = {APPLICATION, SAME("latency, ms", "app"),
                                              SAME("server", "app"), SAME("tokens", "app"), END};

static const struct glossary_word of_system[] = {
    OWN("system", "measure", "", "a number of all applications together"),
    OWN("value", "value", "", "how much it is"),
    OWN("meaning", "meaning", "", "what it is of, and its unit"), END};

static const struct glossary_word of_compare[] = {
    POLICY,
    SERVICE,
    APPLICATION,
    SAME("p99/tgt", "p99_over_qos"),
    SAME("95 % interval", "p99_over_qos_ci95"),
    SAME("95 % interval", "simultaneous"),
    SAME("late %", "late_fraction"),
    SAME("batch", "batch_throughput_normalised"),
    SAME("STP", "stp"),
    SAME("ANTT", "antt"),
    SAME("fair", "fairness"),
    SAME("measure", "measure"),
    SAME("difference", "difference"),
    SAME("p", "p_adjusted"),
    SAME("verdict", "verdict"),
    OWN("none", "none", "", "in the first replication, with unknown memory demand as none"),
    OWN("drawn", "drawn", "",
        "in the first replication, least and most over draws of the memory demand that nobody "
        "measured (`--bands`)"),
    SAME("target kept", "band.qos_met"),
    SAME("kept", "band.qos_met"),
    SAME("best", "band.best"),
    END};

static const struct glossary_word of_sweep[] = {
    OWN("point", "point", "", "number of the point, and where it lies on the axes"),
    POLICY,
    SERVICE,
    SAME("p99/tgt", "p99_over_qos"),
    SAME("late %", "late_fraction"),
    SAME("batch", "batch_throughput_normalised"),
    SAME("STP", "stp"),
    OWN(NULL, "axis", "", "a key of the workload that the sweep sets, and its value at the point"),
    OWN(NULL, "measure", "", "the measure that is chosen, under this policy; >: a lower bound"),
    OWN(NULL, "page", "", "leads to this page with the runs of that point"),
    END};

static const struct glossary_word of_plan[] = {
    POLICY,
    OWN("guess", "guess", "", "best guess: the hardest that keeps the targets by what was seen"),
    OWN("certain", "holds", "",
        "the hardest that keeps every target at the confidence that was asked for"),
    OWN("misses", "misses", "",
        "the least hard from which on a target is missed, at that confidence"),
    SAME("p99/target", "p99_over_qos"),
    BOUNDS,
    SAME("batch", "batch_throughput_normalised"),
    OWN("per 1M", "usd_per_million", "$", "what a million requests cost at the price of an hour"),
    OWN(NULL, "usd_per_h", "$", "what an hour of the GPUs costs"),
    SAME("SMs, %", "sm_utilisation"),
    AMOUNT("jobs/s"),
    AMOUNT("GPUs"),
    AMOUNT("instances"),
    AMOUNT("GPU"),
    OWN("verdict", "verdict", "",
        "`holds`: every target is kept for sure; `misses`: one is missed for sure; `open`: neither "
        "is sure"),
    OWN("by", "by", "",
        "what decided the verdict: the p99, late jobs, overload, too few jobs, noise, or that it "
        "does not fit"),
    SERVICE,
    REPLICATIONS,
    OWN("s each", "duration_s", "s", "simulated time of a replication"),
    OWN(NULL, "cause", "",
        "where nothing holds: whose target is missed at the least load, and who delays it"),
    END};

static const struct glossary_word of_advise[] = {
    OWN("way", "way", "", "way of sharing: what is switched on"),
    OWN(NULL, "setting", "", "caps, priorities, profiles or slices within the way"),
    OWN(NULL, "gpus", "", "GPUs that the candidate has, and which"),
    OWN("verdict", "verdict", "",
        "`holds`: every target is kept for sure; `misses`: by its longest run it is not kept; "
        "`open`: too few jobs to be sure; `no fit`: it cannot run"),
    SAME("p99/target", "p99_over_qos"),
    BOUNDS,
    OWN("batch", "batch_work", "",
        "batch work: seconds of batch jobs alone on the GPU that are finished in a second, on each "
        "GPU"),
    OWN("$/million", "usd_per_million", "$",
        "what a million requests cost at the price of an hour"),
    OWN(NULL, "service", "", "the service whose target decides"),
    OWN(NULL, "round", "", "round of the search that the candidate reached: later ones are longer"),
    REPLICATIONS,
    OWN("none", "undrawn_p99", "",
        "the p99 over its target in one replication, with unknown memory demand as none"),
    OWN("drawn", "drawn_p99", "",
        "least and most of it over draws of the unknown memory demand, of the same replication"),
    OWN("kept", "draws_kept", "", "in how many of these draws every target is kept there"),
    END};

static const struct glossary_word of_cluster[] = {
    POLICY,
    OWN("placement", "placement", "", "the rule by which applications were given GPUs"),
    OWN(">target", "violated", "",
        "co-locations whose p99 is above the target, or that drop more than 1 %, of those with a "
        "target"),
    OWN(">1.4x", "severe", "", "co-locations whose p99 is above 1.4 times the target"),
    OWN("worst", "worst_p99_over_qos", "", "largest p99 over its target"),
    OWN("late %", "late_fraction", "",
        "queries later than one of their targets, of latency or of tokens, part of all"),
    OWN("busy %", "batch_busy_fraction", "",
        "part of the time in which batch kernels run, mean of the GPUs"),
    OWN("SM %", "sm_utilisation", "", "part of all SMs and time that is used, mean of the GPUs"),
    OWN("work", "batch_work", "",
        "seconds of batch jobs alone on their GPU that are finished in a second"),
    SERVICE,
    OWN("co-location", "colocation", "", "what runs together on a GPU"),
    OWN("GPUs", "gpus", "", "number of GPUs"),
    OWN("queries", "queries", "", "queries that arrived after the warm-up"),
    OWN("lost", "lost_queries", "",
        "of these, those that came while no copy of their service stood"),
    OWN("lost %", "lost_fraction", "", "the same, part of the service's queries"),
    OWN("dropped %", "dropped_fraction", "", "queries that a server dropped, part of all"),
    OWN("p99 ms", "p99_ms", "ms",
        "latency that 1 % of the queries exceed, with its 95 % interval; >: a lower bound, of an "
        "overloaded service"),
    SAME("p99/target", "p99_over_qos"),
    OWN(NULL, "gpus_idle", "", "GPUs on which nothing runs"),
    OWN(NULL, "services", "", "co-locations that have a target"),
    OWN(NULL, "gpus_violated", "", "GPUs on which a target is missed"),
    OWN(NULL, "overloaded", "",
        "co-locations whose backlog grows: their latencies are lower bounds"),
    OWN(NULL, "number", "", "number of the GPU"),
    OWN(NULL, "gpu", "", "preset of the GPU"),
    OWN("copies", "arrived", "", "instances that came to the cluster"),
    OWN("waited", "waited", "", "of these, those that did not find room at once"),
    OWN("refused", "refused", "", "of these, those that never fit"),
    OWN("queued", "waiting", "", "of these, those that still wait at the end"),
    OWN("wait s", "wait_mean_s", "s", "mean time from arrival to placement"),
    OWN("p99", "wait_p99_s", "s", "time from arrival to placement that 1 % exceed"),
    OWN("in use", "gpus_in_use", "", "GPUs on which something stands, mean over time"),
    OWN("alloc. %", "allocation_ratio", "", "part of all GPUs that is given"),
    OWN("fragm. %", "fragmented_of_free", "",
        "part of what is free that is of no use to who may come"),
    END};

static const struct glossary_word of_explain[] = {
    OWN("n", "number", "", "number of the decision in the log, from 1"),
    OWN("ms", "time_ms", "ms", "when it was made"),
    SAME("app", "app"),
    OWN("job", "job", "", "the job that it is about; -: none"),
    OWN("task", "task", "", "the task that it is about; -: none"),
    OWN("what it did, and why", "words", "",
        "what the policy did, and its reason with the numbers that it knew then"),
    OWN("of", "of", "", "`--what-if`: the application or the job"),
    OWN("measure", "measure", "", "`--what-if`: what is compared"),
    OWN("as it was", "before", "", "`--what-if`: in the stored run"),
    OWN("other way", "after", "", "`--what-if`: with that decision forced the other way"),
    OWN("change", "change", "", "`--what-if`: the difference of the two"),
    END};

const struct glossary_word glossary_jobs[] = {
    {"app", "", "application", NULL},
    {"instance", "", "which of its instances, from 0", NULL},
    {"job", "", "number of the job within its instance, from 0", NULL},
    {"arrival_ms", "ms", "when it arrived", NULL},
    {"first_issue_ms", "ms", "when its first task was issued", NULL},
    {"end_ms", "ms", "when it ended; empty: not within the run", NULL},
    {"latency_ms", "ms",
     "from arrival to end; of a job that has not ended its age when the run did, a lower bound, or "
     "empty where the report leaves it out",
     NULL},
    END};

const struct glossary_word glossary_tasks[] = {
    {"app", "", "application", NULL},
    {"instance", "", "which of its instances, from 0", NULL},
    {"job", "", "number of the job within its instance, from 0", NULL},
    {"task", "", "index of the task within its job, from 0", NULL},
    {"stream", "", "stream of its instance", NULL},
    {"kind", "", "kernel, copy or memset", NULL},
    {"direction", "", "of a copy", NULL},
    {"name", "", "of a kernel", NULL},
    {"blocks", "", "thread blocks of a kernel", NULL},
    {"bytes", "byte", "of a copy or memset", NULL},
    {"share", "%", "of the SMs, bound when it was issued; 0: not bound", NULL},
    {"ready_ms", "ms", "when it could be issued", NULL},
    {"issued_ms", "ms", "when the policy issued it", NULL},
    {"queued_ms", "ms", "when it was at the head of its queue of the device", NULL},
    {"started_ms", "ms", "when it began to run", NULL},
    {"ended_ms", "ms", "when it ended; empty: not within the run", NULL},
    END};

const struct glossary_word glossary_decisions[] = {
    {"decision", "", "number of the decision in the log, from 1", NULL},
    {"time_ms", "ms", "when it was made", NULL},
    {"hook", "", "what the policy was told then", NULL},
    {"verb", "", "what it decided", NULL},
    {"app", "", "application that it is about; empty: none", NULL},
    {"instance", "", "instance that it is about; -1: none", NULL},
    {"job", "", "job that it is about; -1: none", NULL},
    {"task", "", "task that it is about; -1: none", NULL},
    END};

/* Of the page of results alone. */
static const struct glossary_word of_page[] = {
    OWN(NULL, "against", "", "the policy that it is compared with"),
    OWN(NULL, "late_worst", "%", "late jobs of the service with most of them"),
    OWN(NULL, "beaten", "",
        "whether another policy has no more late jobs and no less STP, and is better in one"),
    OWN(NULL, "percentile", "ms",
        "latency that the rest of the jobs exceed: of p99 one in a hundred"),
    OWN(NULL, "latencies", "",
        "of jobs, of all replications; of that which a batch application is in the middle of when "
        "a run ends there is none"),
    OWN(NULL, "blame", "ms",
        "mean over its slowest 1 % of jobs of the time that went there; the parts add up to their "
        "latency, or age"),
    OWN(NULL, "delayed_by", "ms",
        "what each other application cost these jobs while they were on the device"),
    OWN(NULL, "job", "", "application, instance and number of the job"),
    OWN(NULL, "run", "", "policy and replication"),
    OWN(NULL, "most", "", "the largest part of its latency"),
    OWN(NULL, "part", "", "what the job did or waited for"),
    OWN(NULL, "part_time", "", "how long: the parts add up to the latency"),
    OWN(NULL, "part_share", "%", "that time, part of the latency"),
    OWN(NULL, "delayer", "", "who delayed the job while it was on the device"),
    OWN(NULL, "delay", "", "by how much"),
    OWN(NULL, "sizes", "",
        "the three most frequent sizes of a batch, and their part of all batches"),
    OWN(NULL, "curve", "", "what is held or moved, and by whom"),
    OWN(NULL, "curve_mean", "", "mean over the run"),
    OWN(NULL, "curve_most", "", "largest mean of a bin of the curve"),
    OWN(NULL, "durations", "",
        "how durations of kernels and copies are known, by part of their time alone"),
    OWN(NULL, "geometry", "", "how launch shapes are known"),
    OWN(NULL, "demand", "",
        "how the demand of kernels for memory is known; what is unknown counts as none"),
    OWN(NULL, "host_gaps", "", "how the times between launches are known"),
    OWN(NULL, "units", "", "how the use of the busiest units of an SM is known"),
    OWN(NULL, "setting", "", "a setting of the device, and its value"),
    OWN(NULL, "under", "", "the policies under which it was so"),
    OWN(NULL, "counter", "", "what the policy counted itself"),
    OWN(NULL, "count", "", "how often, or how much"),
    END};

const struct glossary_table glossary_tables[] = {
    {"app", "`run`, `report`: applications", report_of_app, of_run},
    {"system", "`run`, `report`: the system", report_sections, of_system},
    {"compare", "`compare`, and `report` of a comparison", NULL, of_compare},
    {"check", "`check`", NULL, of_check},
    {"sweep", "`sweep`", NULL, of_sweep},
    {"plan", "`plan`", NULL, of_plan},
    {"advise", "`advise`", NULL, of_advise},
    {"cluster", "`cluster`", NULL, of_cluster},
    {"explain", "`explain` with `--decisions` or `--what-if`", NULL, of_explain},
    {"job", NULL, NULL, glossary_jobs},
    {"task", NULL, NULL, glossary_tasks},
    {"decision", NULL, NULL, glossary_decisions},
    {"page", NULL, NULL, of_page},
    {NULL, NULL, NULL, NULL},
};
/* clang-format on */

static const struct report_level *const levels[] = {report_head, report_of_app, report_sections,
                                                    report_of_difference};

const char *glossary_meaning(const char *key) {
    for (size_t i = 0; i < CT_COUNT_OF(levels); i++)
        for (const struct report_level *level = levels[i]; level->fields; level++)
            for (const struct report_field *field = level->fields; field->path; field++)
                if (strcmp(field->path, key) == 0)
                    return field->meaning;
    return NULL;
}

void glossary_each(glossary_tell *tell, void *context) {
    for (size_t i = 0; i < CT_COUNT_OF(levels); i++)
        for (const struct report_level *level = levels[i]; level->fields; level++)
            for (const struct report_field *field = level->fields; field->path; field++)
                tell(context, field->path, field->unit ? field->unit : "", field->meaning);
    for (const struct glossary_table *table = glossary_tables; table->name; table++)
        for (const struct glossary_word *word = table->words; word->key; word++) {
            char name[REPORT_FIELD_NAME];
            snprintf(name, sizeof name, "%s.%s", table->name, word->key);
            if (word->meaning)
                tell(context, name, word->unit, word->meaning);
        }
}
