#include "cmd/plan_print.h"

#include "format/csv_text.h"
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
    static const struct doc_column columns[] = {
        {"policy", false},  {"answer", true}, {"misses at", true}, {"p99/target", true},
        {"[bounds]", true}, {"batch", true},  {"SMs, %", true}};
    char text[TEXT_SIZE];
    doc_table_begin(doc, columns, CT_COUNT_OF(columns));
    for (uint32_t p = 0; p < result->finished; p++) {
        const struct plan_answer *answer = &result->answers[p];
        const struct plan_point *point = point_at(answer, answer->holds);
        doc_cell(doc, "%s", answer->policy);
        plan_amount_text(plan, answer->holds, text, sizeof text);
        doc_cell(doc, "%s", isnan(answer->holds) ? "none" : text);
        plan_amount_text(plan, answer->misses, text, sizeof text);
        doc_cell(doc, "%s", text);
        doc_number(doc, point ? point->p99_over_qos : NAN);
        doc_interval(doc, point ? point->p99_low : NAN, point ? point->p99_high : NAN);
        doc_number(doc, point ? point->batch_throughput : NAN);
        doc_number(doc, point ? 100 * point->sm_utilisation : NAN);
    }
    doc_table_end(doc);
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
    const struct doc_column columns[] = {
        {units[plan->goal], true}, {"verdict", false}, {"by", false},  {"p99/target", true},
        {"[bounds]", true},        {"batch", true},    {"reps", true}, {"service", false}};
    bool services = has_services(plan);
    char text[TEXT_SIZE];
    doc_heading(doc, 2, "Frontier: %s", answer->policy);
    doc_table_begin(doc, columns, CT_COUNT_OF(columns) - !services);
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        plan_amount_text(plan, point->load, text, sizeof text);
        size_t length = strlen(text);
        if (plan->goal == PLAN_RATE && length > 2)
            text[length - 2] = '\0'; /* the unit stands above */
        doc_cell(doc, "%s", text);
        doc_cell(doc, "%s", plan_verdict_name(point->verdict));
        doc_cell(doc, "%s", plan_reason_name(point->reason));
        doc_number(doc, point->p99_over_qos);
        doc_interval(doc, point->p99_low, point->p99_high);
        doc_number(doc, point->batch_throughput);
        doc_cell(doc, "%u", point->replications);
        if (services)
            doc_cell(doc, "%s", point->service);
    }
    doc_table_end(doc);
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

static void json_amount(struct json_writer *json, const struct plan *plan, const char *key,
                        double load) {
    if (plan->goal == PLAN_PRESET)
        json_writer_string(json, key, isnan(load) ? NULL : plan->presets[(size_t)load]);
    else
        json_writer_double(json, key, plan_amount(plan, load));
}

static void json_point(struct json_writer *json, const struct plan *plan,
                       const struct plan_point *point) {
    json_writer_begin_object(json, NULL);
    json_amount(json, plan, "amount", point->load);
    json_writer_string(json, "verdict", plan_verdict_name(point->verdict));
    json_writer_string(json, "by", plan_reason_name(point->reason));
    json_writer_integer(json, "replications", point->replications);
    json_writer_string(json, "service", point->service);
    json_writer_integer(json, "jobs", (int64_t)point->jobs);
    json_writer_double(json, "p99_over_qos", point->p99_over_qos);
    json_writer_double(json, "p99_over_qos_low", point->p99_low);
    json_writer_double(json, "p99_over_qos_high", point->p99_high);
    json_writer_double(json, "batch_throughput_normalised", point->batch_throughput);
    json_writer_double(json, "sm_utilisation", point->sm_utilisation);
    json_writer_string(json, "no_fit", point->no_fit);
    json_writer_end_object(json);
}

static void json_cause(struct json_writer *json, const struct plan_cause *cause) {
    if (!cause->service)
        return;
    json_writer_begin_object(json, "cause");
    json_writer_string(json, "service", cause->service);
    json_writer_double(json, "qos_ms", cause->qos_ms);
    json_writer_double(json, "p99_ms", cause->p99_ms);
    json_writer_double(json, "alone_p99_ms", cause->alone_p99_ms);
    json_writer_string(json, "blame", ct_blame_key(cause->blame));
    json_writer_double(json, "blame_ms", cause->blame_ms);
    json_writer_string(json, "delayed_by", cause->delayed_by);
    json_writer_end_object(json);
}

static void json_answer(struct json_writer *json, const struct plan *plan,
                        const struct plan_answer *answer) {
    if (!answer->points.count)
        return;
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "policy", answer->policy);
    json_writer_double(json, "kernel_scale", answer->scale);
    json_writer_bool(json, "complete", answer->complete);
    json_amount(json, plan, "holds", answer->holds);
    json_amount(json, plan, "misses", answer->misses);
    json_amount(json, plan, "holds_above_a_miss", answer->above);
    json_cause(json, &answer->cause);
    json_writer_begin_array(json, "points");
    for (size_t i = 0; i < answer->points.count; i++)
        json_point(json, plan, &answer->points.items[i]);
    json_writer_end_array(json);
    json_writer_end_object(json);
}

static void json_checks(struct json_writer *json, const struct plan_result *result,
                        const char *settings) {
    struct checks checks = check_all(result);
    json_writer_begin_object(json, "checks");
    json_writer_integer(json, "runs", (int64_t)checks.runs);
    json_writer_string(json, "broken", checks.broken);
    json_writer_string(json, "settings", settings);
    json_writer_end_object(json);
}

static int print_json(const struct plan *plan, const struct plan_result *result,
                      const char *settings, FILE *out) {
    struct json_writer json = json_writer_start(out, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "schema", PLAN_SCHEMA);
    json_writer_string(&json, "find", goals[plan->goal]);
    bool of_app = plan->goal == PLAN_RATE || plan->goal == PLAN_INSTANCES;
    json_writer_string(&json, "app", of_app ? app_name(plan) : NULL);
    json_writer_string(&json, "unit", units[plan->goal]);
    json_writer_string(&json, "workload", plan->workload->name);
    json_writer_string(&json, "gpu", plan->goal == PLAN_PRESET ? NULL : plan->workload->gpu);
    json_writer_double(&json, "confidence", plan->confidence);
    json_writer_integer(&json, "seed", (int64_t)plan->seed);
    json_writer_begin_array(&json, "answers");
    for (uint32_t p = 0; p < result->finished; p++) {
        json_answer(&json, plan, &result->answers[p]);
        json_answer(&json, plan, &result->slower[p]);
        json_answer(&json, plan, &result->faster[p]);
    }
    json_writer_end_array(&json);
    json_writer_begin_array(&json, "envelope");
    for (size_t i = 0; i < result->caveats.count; i++) {
        const struct plan_caveat *caveat = &result->caveats.items[i];
        json_writer_begin_object(&json, NULL);
        json_writer_string(&json, "kind", caveat->kind);
        json_writer_string(&json, "about", caveat->about);
        json_writer_string(&json, "text", caveat->text);
        json_writer_end_object(&json);
    }
    json_writer_end_array(&json);
    json_checks(&json, result, settings);
    json_writer_end_object(&json);
    fputc('\n', out);
    return ferror(out) ? CT_DATA : CT_OK;
}

/* ---- CSV ---- */

static void csv_number(FILE *out, double number) {
    fputc(',', out);
    csv_write_double(out, number);
}

static void csv_answer(FILE *out, const struct plan *plan, const struct plan_answer *answer) {
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        csv_write_text(out, answer->policy);
        csv_number(out, answer->scale);
        fputc(',', out);
        if (plan->goal == PLAN_PRESET)
            csv_write_text(out, plan->presets[(size_t)point->load]);
        else
            csv_write_double(out, plan_amount(plan, point->load));
        fprintf(out, ",%s,%s,%s,%u,", plan_verdict_name(point->verdict),
                plan_reason_name(point->reason),
                point->load == answer->holds    ? "holds"
                : point->load == answer->misses ? "misses"
                                                : "",
                point->replications);
        csv_write_text(out, point->service);
        fprintf(out, ",%llu", (unsigned long long)point->jobs);
        csv_number(out, point->p99_over_qos);
        csv_number(out, point->p99_low);
        csv_number(out, point->p99_high);
        csv_number(out, point->batch_throughput);
        csv_number(out, point->sm_utilisation);
        fputc('\n', out);
    }
}

static int print_csv(const struct plan *plan, const struct plan_result *result, FILE *out) {
    fputs("policy,kernel_scale,amount,verdict,by,bound,replications,service,jobs,p99_over_qos,"
          "p99_over_qos_low,p99_over_qos_high,batch_throughput_normalised,sm_utilisation\n",
          out);
    for (uint32_t p = 0; p < result->finished; p++) {
        csv_answer(out, plan, &result->answers[p]);
        csv_answer(out, plan, &result->slower[p]);
        csv_answer(out, plan, &result->faster[p]);
    }
    return ferror(out) ? CT_DATA : CT_OK;
}

int plan_print(const struct plan *plan, const struct plan_result *result, const char *settings,
               enum cli_format format, FILE *out) {
    switch (format) {
    case CLI_JSON:
        return print_json(plan, result, settings, out);
    case CLI_CSV:
        return print_csv(plan, result, out);
    default:
        return print_doc(plan, result, settings, format == CLI_MARKDOWN, out);
    }
}
