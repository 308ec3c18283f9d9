#include "study/plan_print.h"

#include "format/doc_writer.h"
#include "format/json_writer.h"

#include <stdio.h>
#include <string.h>

#define PLAN_SCHEMA "cotenant.plan/1"
enum { TEXT_SIZE = 200 };

static const char *const goals[] = {"max-rate", "gpus", "batch-instances", "gpu"};
static const char *const units[] = {"jobs/s", "GPUs", "instances", "GPU"};

/* Short names of verdicts and reasons: "holds", "p99". */
static const char *plan_verdict_name(enum plan_verdict verdict) {
    static const char *const names[] = {"holds", "misses", "open"};
    return names[verdict];
}

static const char *plan_reason_name(enum plan_reason reason) {
    static const char *const names[] = {"p99",      "late jobs", "overload",
                                        "few jobs", "noise",     "no fit"};
    return names[reason];
}

static const char *app_name(const struct plan *plan) {
    return plan->workload->apps.items[plan->app].name;
}

void plan_question(const struct plan *plan, char *text, size_t size) {
    if (plan->goal == PLAN_RATE)
        snprintf(text, size, "largest arrival rate of '%s'", app_name(plan));
    else if (plan->goal == PLAN_INSTANCES)
        snprintf(text, size, "most instances of '%s'", app_name(plan));
    else
        snprintf(text, size, plan->goal == PLAN_GPUS ? "fewest GPUs" : "first GPU that suffices");
}

/* An amount with its unit, or the preset's name; "-" for NAN. */
static void plan_amount_text(const struct plan *plan, double load, char *text, size_t size) {
    char number[DOC_NUMBER];
    if (isnan(load))
        snprintf(text, size, "-");
    else if (plan->goal == PLAN_PRESET)
        snprintf(text, size, "%s", plan->presets[(size_t)load]);
    else if (plan->goal == PLAN_RATE)
        snprintf(text, size, "%s/s", doc_format_plain(load, number));
    else
        snprintf(text, size, "%.0f", plan_amount(plan, load));
}

/* The amount, as a value for programs. */
static struct value amount_of(const struct plan *plan, double load) {
    const char *preset =
        plan->goal == PLAN_PRESET && !isnan(load) ? plan->presets[(size_t)load] : NULL;
    return plan->goal == PLAN_PRESET ? value_of_text(preset)
                                     : value_of_number(plan_amount(plan, load));
}

static const struct plan_point *point_at(const struct plan_answer *answer, double load) {
    for (size_t i = 0; i < answer->points.count; i++)
        if (answer->points.items[i].load == load)
            return &answer->points.items[i];
    return NULL;
}

/* ---- Text and Markdown ---- */

static void print_rules(struct doc *doc, const struct plan *plan) {
    char most[20] = "";
    if (plan->most_replications > plan->replications)
        snprintf(most, sizeof most, " to %u", plan->most_replications);
    doc_text(doc,
             "Workload %s%s%s: the p99 of every service with a target is at most the target, at a "
             "confidence of %g %% for each point; %u%s replications.",
             plan->workload->name, plan->goal == PLAN_PRESET ? "" : " on ",
             plan->goal == PLAN_PRESET ? "" : plan->workload->gpu, 100 * plan->confidence,
             plan->replications, most);
    if (plan->goal == PLAN_GPUS)
        doc_text(doc, "The arrivals of every service are split evenly over n identical GPUs: each "
                      "gets its rate / n as a process of the same kind, and batch applications as "
                      "the workload has them.");
}

static void print_answers(struct doc *doc, const struct plan *plan,
                          const struct plan_result *result) {
    static const struct plan_point none = {.p99_over_qos = NAN,
                                           .p99_low = NAN,
                                           .p99_high = NAN,
                                           .batch_throughput = NAN,
                                           .sm_utilisation = NAN};
    struct table table = table_start(
        "policy | answer:* | misses at:* | p99/target:* | [bounds]:* | batch:* | SMs, %:*");
    for (uint32_t p = 0; p < result->finished; p++) {
        const struct plan_answer *answer = &result->answers[p];
        const struct plan_point *at = point_at(answer, answer->holds), *point = at ? at : &none;
        char holds[TEXT_SIZE], misses[TEXT_SIZE];
        plan_amount_text(plan, answer->holds, holds, sizeof holds);
        plan_amount_text(plan, answer->misses, misses, sizeof misses);
        table_row(&table, answer->policy, isnan(answer->holds) ? "none" : holds, misses,
                  point->p99_over_qos, table_interval(&table, point->p99_low, point->p99_high),
                  point->batch_throughput, 100 * point->sm_utilisation);
    }
    doc_table(doc, &table);
}

/* What would give the hardest load with too few jobs an interval: more replications, or longer
 * ones. */
static void note_few(struct doc *doc, const struct plan *plan, const struct plan_answer *answer,
                     const struct plan_point *few) {
    char load[TEXT_SIZE];
    const struct workload *w = plan->workload;
    double factor = (double)few->needed / fmax(1, (double)few->jobs);
    plan_amount_text(plan, few->load, load, sizeof load);
    doc_item(doc,
             "%s: at %s '%s' has %llu jobs, and an interval of its p99 needs about %llu: "
             "--max-reps %.0f, or a duration_s of %.2g",
             answer->policy, load, few->service, (unsigned long long)few->jobs,
             (unsigned long long)few->needed, ceil(factor * few->replications),
             w->warmup_s + factor * (w->duration_s - w->warmup_s));
}

/* The loads between answer and miss that are open, and what would decide them. The notes say how
 * many they are. */
static size_t note_open(struct doc *doc, const struct plan *plan,
                        const struct plan_answer *answer) {
    const struct plan_point *first = NULL, *last = NULL, *few = NULL;
    char low[TEXT_SIZE], high[TEXT_SIZE];
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        bool outside = point->load < answer->holds || point->load > answer->misses;
        if (point->verdict != PLAN_OPEN || outside)
            continue;
        first = first ? first : point;
        last = point;
        if (point->reason == PLAN_TOO_FEW_JOBS)
            few = point;
    }
    if (!first)
        return 0;
    plan_amount_text(plan, first->load, low, sizeof low);
    plan_amount_text(plan, last->load, high, sizeof high);
    if (first == last)
        doc_item(doc, "%s: %s is open at this budget", answer->policy, low);
    else
        doc_item(doc, "%s: from %s to %s it is open at this budget", answer->policy,
                 plan->goal == PLAN_GPUS ? high : low, plan->goal == PLAN_GPUS ? low : high);
    if (few)
        note_few(doc, plan, answer, few);
    return 1;
}

static size_t note_limits(struct doc *doc, const struct plan *plan,
                          const struct plan_answer *answer) {
    char text[TEXT_SIZE], below[TEXT_SIZE];
    bool uneven = !isnan(answer->above);
    bool endless = answer->complete && plan->goal != PLAN_PRESET && isnan(answer->misses) &&
                   !isnan(answer->holds) && !(plan->goal == PLAN_GPUS && answer->holds >= -1);
    if (uneven) {
        plan_amount_text(plan, answer->above, text, sizeof text);
        plan_amount_text(plan, answer->misses, below, sizeof below);
        doc_item(doc,
                 "%s: the boundary is not monotone: it misses at %s but holds at %s; the answer is "
                 "below the first miss",
                 answer->policy, below, text);
    }
    if (endless)
        doc_item(doc, "%s: nothing harder was tried that misses: the answer is a lower bound",
                 answer->policy);
    if (!answer->complete)
        doc_item(doc, "%s: interrupted; this is what is known so far", answer->policy);
    return (size_t)uneven + endless + !answer->complete;
}

/* GPUs that cannot run the workload at all. */
static size_t note_no_fit(struct doc *doc, const struct plan *plan,
                          const struct plan_answer *answer) {
    size_t notes = 0;
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        char load[TEXT_SIZE];
        if (!point->no_fit)
            continue;
        plan_amount_text(plan, point->load, load, sizeof load);
        doc_item(doc, "%s: %s cannot run it: %s", answer->policy, load, point->no_fit);
        notes++;
    }
    return notes;
}

static size_t note_cause(struct doc *doc, const struct plan *plan,
                         const struct plan_answer *answer) {
    const struct plan_cause *cause = &answer->cause;
    char number[3][DOC_NUMBER], load[TEXT_SIZE];
    if (!cause->service)
        return 0;
    doc_format_plain(cause->qos_ms, number[0]);
    if (cause->alone_p99_ms > cause->qos_ms) {
        doc_item(doc,
                 "%s: '%s' misses its target of %s ms even without the others: its p99 alone is %s "
                 "ms",
                 answer->policy, cause->service, number[0],
                 doc_format_plain(cause->alone_p99_ms, number[1]));
        return 1;
    }
    const struct plan_point *least =
        &answer->points.items[plan->goal == PLAN_PRESET ? answer->points.count - 1 : 0];
    plan_amount_text(plan, least->load, load, sizeof load);
    doc_item(doc,
             "%s: even at %s the targets are missed: the p99 of '%s' is %s ms with a target of "
             "%s ms; its slowest jobs lose most by %s (%s ms each)%s%s",
             answer->policy, load, cause->service, doc_format_plain(cause->p99_ms, number[1]),
             number[0], ct_blame_key(cause->blame), doc_format_plain(cause->blame_ms, number[2]),
             cause->delayed_by ? ", chiefly to " : "", cause->delayed_by ? cause->delayed_by : "");
    return 1;
}

/* With one service to watch nobody needs its name in each row. */
static bool has_services(const struct plan *plan) {
    size_t count = 0;
    for (size_t a = 0; a < plan->workload->apps.count; a++)
        count += plan->workload->apps.items[a].role == CT_SERVICE &&
                 plan->workload->apps.items[a].qos_ms > 0;
    return count > 1;
}

static void print_frontier(struct doc *doc, const struct plan *plan,
                           const struct plan_answer *answer) {
    char columns[200], text[TEXT_SIZE];
    snprintf(columns, sizeof columns,
             "%s:* | verdict | by | p99/target:* | [bounds]:* | batch:* | reps:0 | %s",
             units[plan->goal], has_services(plan) ? "service" : "=service");
    struct table table = table_start(columns);
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        plan_amount_text(plan, point->load, text, sizeof text);
        size_t length = strlen(text);
        if (plan->goal == PLAN_RATE && length > 2)
            text[length - 2] = '\0'; /* the unit stands above */
        table_row(&table, text, plan_verdict_name(point->verdict), plan_reason_name(point->reason),
                  point->p99_over_qos, table_interval(&table, point->p99_low, point->p99_high),
                  point->batch_throughput, point->replications, point->service);
    }
    doc_heading(doc, 2, "Frontier: %s", answer->policy);
    doc_table(doc, &table);
}

struct checks {
    uint64_t runs;
    const char *broken, *policy; /* the first that does not hold, and under which; NULL: all hold */
};

static void check_answer(const struct plan_answer *answer, struct checks *checks) {
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        checks->runs += point->replications;
        if (point->broken && !checks->broken) {
            checks->broken = point->broken;
            checks->policy = answer->policy;
        }
    }
}

static struct checks check_all(const struct plan_result *result) {
    struct checks checks = {0};
    for (uint32_t p = 0; p < result->finished; p++) {
        check_answer(&result->answers[p], &checks);
        check_answer(&result->slower[p], &checks);
        check_answer(&result->faster[p], &checks);
        for (uint32_t i = 0; i < result->draws; i++)
            check_answer(&result->drawn[(size_t)p * result->draws + i], &checks);
    }
    return checks;
}

static void print_checks(struct doc *doc, const struct plan_result *result, const char *settings) {
    struct checks checks = check_all(result);
    doc_heading(doc, 2, "Checks");
    if (checks.broken)
        doc_item(doc, "BROKEN in a run under %s: %s", checks.policy, checks.broken);
    else
        doc_item(doc, "conservation ok, Little's law ok, utilisation law ok in all %llu runs",
                 (unsigned long long)checks.runs);
    if (settings)
        doc_item(doc, "%s", settings);
}

static int print_doc(const struct plan *plan, const struct plan_result *result,
                     const char *settings, bool markdown, FILE *out) {
    struct doc doc = doc_start(out, markdown);
    char question[TEXT_SIZE];
    plan_question(plan, question, sizeof question);
    doc_heading(&doc, 1, "Capacity: %s", question);
    print_rules(&doc, plan);
    print_answers(&doc, plan, result);
    size_t notes = 0;
    for (uint32_t p = 0; p < result->finished; p++) {
        notes += note_limits(&doc, plan, &result->answers[p]);
        notes += note_open(&doc, plan, &result->answers[p]);
        notes += note_no_fit(&doc, plan, &result->answers[p]);
        notes += note_cause(&doc, plan, &result->answers[p]);
    }
    if (notes)
        doc_gap(&doc);
    for (uint32_t p = 0; p < result->finished; p++)
        print_frontier(&doc, plan, &result->answers[p]);
    if (result->caveats.count)
        doc_heading(&doc, 2, "Validity envelope");
    for (size_t i = 0; i < result->caveats.count; i++) {
        const struct plan_caveat *caveat = &result->caveats.items[i];
        doc_item(&doc, "%s, %s: %s", caveat->kind, caveat->about, caveat->text);
    }
    if (result->caveats.count)
        doc_gap(&doc);
    print_checks(&doc, result, settings);
    return doc_finish(&doc);
}

/* ---- JSON ---- */

static void json_point(struct json_writer *json, const struct plan *plan,
                       const struct plan_point *point) {
    json_writer_object(json, NULL, "amount", amount_of(plan, point->load), "verdict",
                       plan_verdict_name(point->verdict), "by", plan_reason_name(point->reason),
                       "replications", point->replications, "service", point->service, "jobs",
                       point->jobs, "p99_over_qos", point->p99_over_qos, "p99_over_qos_low",
                       point->p99_low, "p99_over_qos_high", point->p99_high,
                       "batch_throughput_normalised", point->batch_throughput, "sm_utilisation",
                       point->sm_utilisation, "no_fit", point->no_fit);
}

static void json_answer(struct json_writer *json, const struct plan *plan,
                        const struct plan_answer *answer) {
    const struct plan_cause *cause = &answer->cause;
    if (!answer->points.count)
        return;
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "policy", answer->policy, "kernel_scale", answer->scale, "complete",
                        answer->complete, "holds", amount_of(plan, answer->holds), "misses",
                        amount_of(plan, answer->misses), "holds_above_a_miss",
                        amount_of(plan, answer->above));
    if (answer->draw > 0)
        json_writer_members(json, "draw", answer->draw);
    if (cause->service)
        json_writer_object(json, "cause", "service", cause->service, "qos_ms", cause->qos_ms,
                           "p99_ms", cause->p99_ms, "alone_p99_ms", cause->alone_p99_ms, "blame",
                           ct_blame_key(cause->blame), "blame_ms", cause->blame_ms, "delayed_by",
                           cause->delayed_by);
    json_writer_begin_array(json, "points");
    for (size_t i = 0; i < answer->points.count; i++)
        json_point(json, plan, &answer->points.items[i]);
    json_writer_end_array(json);
    json_writer_end_object(json);
}

static int print_json(const struct plan *plan, const struct plan_result *result,
                      const char *settings, FILE *out) {
    struct json_writer json = json_writer_start(out, 2);
    struct checks checks = check_all(result);
    bool of_app = plan->goal == PLAN_RATE || plan->goal == PLAN_INSTANCES;
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "schema", PLAN_SCHEMA, "find", goals[plan->goal], "app",
                        of_app ? app_name(plan) : NULL, "unit", units[plan->goal], "workload",
                        plan->workload->name, "gpu",
                        plan->goal == PLAN_PRESET ? NULL : plan->workload->gpu, "confidence",
                        plan->confidence, "seed", plan->seed);
    json_writer_begin_array(&json, "answers");
    for (uint32_t p = 0; p < result->finished; p++) {
        json_answer(&json, plan, &result->answers[p]);
        json_answer(&json, plan, &result->slower[p]);
        json_answer(&json, plan, &result->faster[p]);
        for (uint32_t i = 0; i < result->draws; i++)
            json_answer(&json, plan, &result->drawn[(size_t)p * result->draws + i]);
    }
    json_writer_end_array(&json);
    json_writer_begin_array(&json, "envelope");
    for (size_t i = 0; i < result->caveats.count; i++) {
        const struct plan_caveat *caveat = &result->caveats.items[i];
        json_writer_object(&json, NULL, "kind", caveat->kind, "about", caveat->about, "text",
                           caveat->text);
    }
    json_writer_end_array(&json);
    json_writer_object(&json, "checks", "runs", checks.runs, "broken", checks.broken, "settings",
                       settings);
    json_writer_end_object(&json);
    fputc('\n', out);
    return ferror(out) ? CT_DATA : CT_OK;
}

/* ---- CSV ---- */

static void csv_answer(struct table *table, const struct plan *plan,
                       const struct plan_answer *answer) {
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        const char *bound = point->load == answer->holds    ? "holds"
                            : point->load == answer->misses ? "misses"
                                                            : "";
        table_row(table, answer->policy, answer->scale, amount_of(plan, point->load),
                  plan_verdict_name(point->verdict), plan_reason_name(point->reason), bound,
                  point->replications, point->service, point->jobs, point->p99_over_qos,
                  point->p99_low, point->p99_high, point->batch_throughput, point->sm_utilisation);
    }
}

static int print_csv(const struct plan *plan, const struct plan_result *result, FILE *out) {
    struct table table =
        table_start("=policy | =kernel_scale:* | =amount:* | =verdict | =by | =bound | "
                    "=replications:0 | =service | =jobs:0 | =p99_over_qos:* | =p99_over_qos_low:* "
                    "| =p99_over_qos_high:* | =batch_throughput_normalised:* | =sm_utilisation:*");
    for (uint32_t p = 0; p < result->finished; p++) {
        csv_answer(&table, plan, &result->answers[p]);
        csv_answer(&table, plan, &result->slower[p]);
        csv_answer(&table, plan, &result->faster[p]);
    }
    return table_print(&table, out, TABLE_CSV);
}

int plan_print(const struct plan *plan, const struct plan_result *result, const char *settings,
               enum table_format format, FILE *out) {
    switch (format) {
    case TABLE_JSON:
        return print_json(plan, result, settings, out);
    case TABLE_CSV:
        return print_csv(plan, result, out);
    default:
        return print_doc(plan, result, settings, format == TABLE_MARKDOWN, out);
    }
}
