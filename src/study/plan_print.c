/* The forms of a capacity plan. */
#include "study/plan.h"

#include "format/json_writer.h"

#include <stdio.h>

#define PLAN_SCHEMA "cotenant.plan/1"
enum { TEXT_SIZE = 200 };

static const char *const units[] = {"jobs/s", "GPUs", "instances", "GPU"};

const char *plan_verdict_name(enum plan_verdict verdict) {
    static const char *const names[] = {"holds", "misses", "open"};
    return names[verdict];
}

/* "p99" */
static const char *plan_reason_name(enum plan_reason reason) {
    static const char *const names[] = {"p99",   "late jobs", "overload", "few jobs",
                                        "noise", "drops",     "no fit",   "alone"};
    return names[reason];
}

static const char *app_name(const struct plan *plan) {
    return plan->workload->apps.items[plan->app].name;
}

/* What is asked, in words: "largest arrival rate of 'vit'". */
static void question_text(const struct plan *plan, char *text, size_t size) {
    int64_t instances = plan->workload->apps.items[plan->app].instances;
    if (plan->goal == PLAN_RATE && instances > 1)
        snprintf(text, size, "largest arrival rate of '%s', each of %lld instances", app_name(plan),
                 (long long)instances);
    else if (plan->goal == PLAN_RATE)
        snprintf(text, size, "largest arrival rate of '%s'", app_name(plan));
    else if (plan->goal == PLAN_INSTANCES)
        snprintf(text, size, "most instances of '%s'", app_name(plan));
    else
        snprintf(text, size, plan->goal == PLAN_GPUS ? "fewest GPUs" : "first GPU that suffices");
}

static bool any_guess(const struct plan_result *result) {
    bool guessed = false;
    for (uint32_t p = 0; p < result->finished; p++)
        guessed |= !isnan(result->answers[p].guess);
    return guessed;
}

/* Whether there was a load of whose jobs none was counted. */
static bool is_unseen(const struct plan_answer *answer) {
    for (size_t i = 0; i < answer->points.count; i++)
        if (answer->points.items[i].verdict == PLAN_OPEN && answer->points.items[i].jobs == 0)
            return true;
    return false;
}

/* Whether there may be a load that keeps the targets, though no point was seen to: the search ended
 * before it came to one, or a point showed nothing. */
static bool is_unknown(const struct plan_answer *answer) {
    return isnan(answer->guess) && (answer->stopped || !answer->complete || is_unseen(answer));
}

/* What the answers are worth together, where that is less than sure; NULL: one is. */
static const char *doubt(const struct plan_result *result) {
    bool sure = false, tried = false, stopped = false, unknown = false, unseen = false,
         ruled_out = false;
    for (uint32_t p = 0; p < result->finished; p++) {
        const struct plan_answer *answer = &result->answers[p];
        sure |= !isnan(answer->holds);
        tried |= answer->points.count > 0;
        stopped |= answer->stopped;
        unknown |= is_unknown(answer);
        unseen |= is_unseen(answer);
        ruled_out |= answer->cause.median_alone_ms > 0;
    }
    if (any_guess(result))
        return sure ? NULL : "a guess, since no point keeps the targets for sure";
    if (tried && unknown)
        return stopped ? "unknown: the budget ended the search before a point was seen to keep the "
                         "targets"
               : unseen ? "unknown: no job was counted at a load that was tried"
                        : "unknown: no point was seen to keep the targets so far";
    if (ruled_out)
        return "no load keeps the targets, since one of them is missed even alone";
    return tried     ? "no point that was tried keeps the targets"
           : stopped ? "the budget ended before one replication of a load was over"
                     : "it was interrupted before one replication of a load was over";
}

int plan_tell_answer(const struct plan *plan, const struct plan_result *result,
                     enum ct_severity none, struct ct_diags *diags) {
    char question[200];
    const char *why = doubt(result);
    bool guessed = any_guess(result);
    question_text(plan, question, sizeof question);
    if (why)
        ct_diag_add(diags, guessed ? CT_WARNING : none, plan->workload->path, "%s: %s", question,
                    why);
    return guessed ? CT_OK : CT_DATA;
}

/* An amount with its unit, or the preset's name; "-" for NAN. */
static const char *amount_text(struct doc *doc, const struct plan *plan, double load) {
    if (isnan(load))
        return "-";
    if (plan->goal == PLAN_PRESET)
        return plan->presets[(size_t)load];
    return plan->goal == PLAN_RATE ? doc_words(doc, "%s/s", doc_number(doc, load))
                                   : doc_words(doc, "%.0f", plan_amount(plan, load));
}

/* The amount, as a value for programs. */
static struct value amount_of(const struct plan *plan, double load) {
    const char *preset =
        plan->goal == PLAN_PRESET && !isnan(load) ? plan->presets[(size_t)load] : NULL;
    return plan->goal == PLAN_PRESET ? value_of_text(preset)
                                     : value_of_number(plan_amount(plan, load));
}

const char *plan_target_text(struct doc *doc, const char *service, enum result_time target) {
    return target == RESULT_LATENCY ? service
                                    : doc_words(doc, "%s %s", service, plan_target_key(target));
}

const char *plan_late_text(struct doc *doc, const char *of) {
    return doc_words(doc, "more than 1 %% of the jobs of '%s' are late or dropped", of);
}

void plan_print_envelope(struct doc *doc, const struct plan_result *result) {
    for (size_t i = 0; i < result->caveats.count; i++) {
        const struct plan_caveat *caveat = &result->caveats.items[i];
        doc_item(doc, "%s, %s: %s", caveat->kind, caveat->about, caveat->text);
    }
}

void plan_json_envelope(struct json_writer *json, const struct plan_result *result) {
    json_writer_begin_array(json, "envelope");
    for (size_t i = 0; i < result->caveats.count; i++) {
        const struct plan_caveat *caveat = &result->caveats.items[i];
        json_writer_object(json, NULL, "kind", caveat->kind, "about", caveat->about, "text",
                           caveat->text);
    }
    json_writer_end_array(json);
}

/* ---- Text and Markdown ---- */

static void print_rules(struct doc *doc, const struct plan *plan) {
    const char *budget =
        plan->budget_s > 0
            ? doc_words(doc, "%g s for everything, so that another run may end elsewhere",
                        plan->budget_s)
            : doc_words(doc, "%.3g million events for each policy", plan->budget / 1e6);
    doc_text(doc,
             "Workload %s%s%s: the p99 of every service with a target is at most the target, at a "
             "confidence of %g %% for each point, however often it is looked at; budget: %s.",
             plan->workload->name, plan->goal == PLAN_PRESET ? "" : " on ",
             plan->goal == PLAN_PRESET ? "" : plan->workload->gpu, 100 * plan->confidence, budget);
    if (plan->growth != 1)
        doc_text(doc, "Services get %g times their rates%s.", plan->growth,
                 plan->goal == PLAN_RATE ? ", but for the one that is searched" : "");
    if (plan->goal == PLAN_GPUS)
        doc_text(doc, "Each arrival of a service goes to one of n identical GPUs, drawn at random "
                      "whatever their load; batch applications are on each GPU as the workload "
                      "has them.");
    if (plan->spare > 0)
        doc_text(doc, "Of these GPUs %u may fail: the others keep the targets with the same rates.",
                 plan->spare);
}

/* The p99 over the target, marked where it is a bound. */
static struct value p99_value(struct table *table, const struct plan_point *point) {
    char number[DOC_NUMBER];
    if (!point->is_bound || isnan(point->p99_over_qos))
        return value_of_number(point->p99_over_qos);
    return value_of_text(table_words(table, ">%s", doc_format_number(point->p99_over_qos, number)));
}

static const char *p99_text(struct doc *doc, const struct plan_point *point) {
    return doc_words(doc, "%s%s", point->is_bound ? ">" : "", doc_number(doc, point->p99_over_qos));
}

static void print_answers(struct doc *doc, const struct plan *plan,
                          const struct plan_result *result) {
    char columns[TEXT_SIZE];
    snprintf(columns, sizeof columns,
             "policy | guess:* | certain:* | misses:* | p99/target:* | [bounds]:* | %s | "
             "SMs, %%:*",
             plan->prices_per_h ? "per 1M:*" : "batch:*");
    struct table table = table_start(columns);
    for (uint32_t p = 0; p < result->finished; p++) {
        const struct plan_answer *answer = &result->answers[p];
        const struct plan_point *at = plan_point_at(answer, answer->guess),
                                *point = at ? at : &plan_point_unknown;
        table_row(&table, answer->policy,
                  at                   ? amount_text(doc, plan, answer->guess)
                  : is_unknown(answer) ? "unknown"
                                       : "none",
                  amount_text(doc, plan, answer->holds), amount_text(doc, plan, answer->misses),
                  p99_value(&table, point), table_interval(&table, point->p99_low, point->p99_high),
                  plan->prices_per_h ? plan_price_per_million(plan, point) : point->batch_work,
                  100 * point->sm_utilisation);
    }
    doc_table(doc, &table);
}

/* What an hour costs, and of presets the one that costs least a request. */
static void note_price(struct doc *doc, const struct plan *plan, const struct plan_answer *answer) {
    const struct plan_point *point = plan_point_at(answer, answer->guess);
    if (!point || isnan(plan_price_per_h(plan, point->load)))
        return;
    doc_item(doc, "%s: %s %s cost %s an hour, and a million requests %s", answer->policy,
             amount_text(doc, plan, point->load), plan->goal == PLAN_GPUS ? "GPUs" : "",
             doc_number(doc, plan_price_per_h(plan, point->load)),
             doc_number(doc, plan_price_per_million(plan, point)));
}

/* "best guess 2, certain 3" */
static const char *guess_text(struct doc *doc, const struct plan *plan,
                              const struct plan_answer *answer) {
    if (isnan(answer->guess))
        return is_unseen(answer) ? "no load was seen to keep the targets"
                                 : "by what was seen nothing keeps the targets";
    return doc_words(doc, "best guess %s, certain %s", amount_text(doc, plan, answer->guess),
                     isnan(answer->holds) ? "none" : amount_text(doc, plan, answer->holds));
}

/* To a million, but for less than that. */
static const char *millions_text(struct doc *doc, double events) {
    return doc_number(doc, events < 1e6 ? events / 1e6 : round(events / 1e6));
}

/* What is open between the answer and what misses, and what would decide it. */
static void note_open(struct doc *doc, const struct plan *plan, const struct plan_answer *answer) {
    const struct plan_point *point = plan_point_at(answer, answer->open);
    if (!point)
        return;
    const char *open = amount_text(doc, plan, answer->open), *guess = guess_text(doc, plan, answer);
    const char *why = "";
    if (point->jobs == 0)
        why = ", no job of it counted";
    else if (point->reason == PLAN_DROPS_NOISY)
        why = doc_words(doc, ", %s %% of its requests dropped, where 1 %% may be",
                        doc_number(doc, 100 * point->dropped.value));
    else if (!isnan(point->p99_over_qos))
        why = doc_words(doc, ", its p99 %s of the target", p99_text(doc, point));
    if (answer->wanted > 0)
        doc_item(doc,
                 "%s: %s; %s is open%s: so far %s million events; some %s million more would tell "
                 "(--budget %.0fM)",
                 answer->policy, guess, open, why, millions_text(doc, answer->events),
                 doc_number(doc, ceil(answer->wanted / 1e6)),
                 ceil((answer->events + 2 * answer->wanted) / 1e6));
    else
        doc_item(doc, "%s: %s; %s is open%s, as near as --tolerance asks", answer->policy, guess,
                 open, why);
}

/* The first `count` loads of an answer, "1.25/s to 320/s", fewer GPUs first. */
static const char *range_text(struct doc *doc, const struct plan *plan,
                              const struct plan_answer *answer, size_t count) {
    const struct plan_point *points = answer->points.items;
    bool turned = plan->goal == PLAN_GPUS;
    const char *first = amount_text(doc, plan, points[turned ? count - 1 : 0].load),
               *last = amount_text(doc, plan, points[turned ? 0 : count - 1].load);
    return count == 1 ? first : doc_words(doc, "%s to %s", first, last);
}

/* Loads that are too light. */
static void note_lighter(struct doc *doc, const struct plan *plan,
                         const struct plan_answer *answer) {
    size_t count = 0;
    while (count < answer->points.count && answer->points.items[count].load <= answer->below)
        count++;
    if (count)
        doc_item(doc,
                 "%s: the boundary is not monotone: of the lighter loads that were tried, %s, none "
                 "was seen to keep the targets; the lightest that may is %s",
                 answer->policy, range_text(doc, plan, answer, count),
                 amount_text(doc, plan, answer->points.items[count].load));
    if (count && plan->spare > 0)
        doc_item(
            doc,
            "%s: while no GPU has failed, the load is lighter than the one that is judged here, "
            "and may be too light: plan without --spare, too",
            answer->policy);
}

static void note_limits(struct doc *doc, const struct plan *plan,
                        const struct plan_answer *answer) {
    bool endless = answer->complete && !answer->stopped && plan->goal != PLAN_PRESET &&
                   isnan(answer->misses) && !isnan(answer->holds) &&
                   !(plan->goal == PLAN_GPUS && answer->holds >= -1);
    if (!isnan(answer->above))
        doc_item(doc,
                 "%s: the boundary is not monotone: it misses at %s but holds at %s; the answer is "
                 "below the first miss",
                 answer->policy, amount_text(doc, plan, answer->misses),
                 amount_text(doc, plan, answer->above));
    note_lighter(doc, plan, answer);
    if (endless)
        doc_item(doc, "%s: nothing harder was tried that misses: the answer is a lower bound",
                 answer->policy);
    if (answer->stopped && answer->points.count)
        doc_item(doc, "%s: the budget ended the search%s; a larger one (--budget) tries more loads",
                 answer->policy,
                 is_unknown(answer) ? ", and whether another load keeps the targets is unknown"
                                    : "");
    else if (answer->stopped)
        doc_item(doc,
                 "%s: the budget ended before one replication of a load was over; a larger one "
                 "(--budget), or a shorter 'duration_s' than %g s, tells more",
                 answer->policy, plan->workload->duration_s);
    if (isnan(answer->guess) && is_unseen(answer))
        doc_item(doc,
                 "%s: unknown: no job was counted at a load that was tried; a longer 'duration_s' "
                 "than %g s may tell",
                 answer->policy, plan->workload->duration_s);
    if (!answer->complete)
        doc_item(doc, "%s: interrupted; this is what is known so far", answer->policy);
}

/* Where chance leaves more of the batch work at the guess than a per cent to either side. */
static void note_batch(struct doc *doc, const struct plan *plan, const struct plan_answer *answer) {
    const struct plan_point *point = plan_point_at(answer, answer->guess);
    if (!point || !(point->batch_high - point->batch_work > 0.01))
        return;
    doc_item(doc, "%s: chance leaves the batch work at %s between %s and %s", answer->policy,
             amount_text(doc, plan, point->load), doc_number(doc, point->batch_low),
             doc_number(doc, point->batch_high));
}

/* What comes nearest where nothing keeps the targets. */
static void note_nearest(struct doc *doc, const struct plan *plan,
                         const struct plan_answer *answer) {
    static const char *const tried[] = {"rate", "number of GPUs", "number of instances", "GPU"};
    const struct plan_point *nearest = NULL;
    bool sure = true;
    for (size_t i = 0; i < answer->points.count && isnan(answer->guess); i++) {
        const struct plan_point *point = &answer->points.items[i];
        sure &= point->verdict == PLAN_MISSES;
        if (point->p99_over_qos < (nearest ? nearest->p99_over_qos : INFINITY))
            nearest = point;
    }
    if (!nearest)
        return;
    doc_item(doc,
             "%s: no %s that was tried, %s, %s the targets: p99/target is %s at best, that of '%s' "
             "at %s",
             answer->policy, tried[plan->goal], range_text(doc, plan, answer, answer->points.count),
             sure ? "keeps" : "was seen to keep", p99_text(doc, nearest),
             plan_target_text(doc, nearest->service, nearest->target),
             amount_text(doc, plan, nearest->load));
}

/* GPUs that cannot run the workload at all. */
static void note_no_fit(struct doc *doc, const struct plan *plan,
                        const struct plan_answer *answer) {
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        if (point->no_fit)
            doc_item(doc, "%s: %s cannot run it: %s", answer->policy,
                     amount_text(doc, plan, point->load), point->no_fit);
    }
}

static const char *missed_text(struct doc *doc, const struct plan_cause *cause,
                               const struct plan_point *point) {
    const char *of = plan_target_text(doc, cause->service, cause->target);
    if (point->reason == PLAN_BY_LATE_JOBS && !(cause->p99_ms > cause->target_ms))
        return plan_late_text(doc, of);
    return doc_words(doc, "the p99 of '%s' is %s ms with a target of %s ms", of,
                     doc_number(doc, cause->p99_ms), doc_number(doc, cause->target_ms));
}

const char *plan_lost_text(struct doc *doc, const struct plan_cause *cause) {
    return doc_words(doc, "its slowest jobs lose most %s (%s ms each)%s%s",
                     ct_blame_words[cause->blame].lost, doc_number(doc, cause->blame_ms),
                     cause->delayed_by ? ", chiefly to " : "",
                     cause->delayed_by ? cause->delayed_by : "");
}

/* Why nothing keeps the targets: of a target that is missed even alone nobody else is to blame. */
static const char *cause_text(struct doc *doc, const struct plan *plan,
                              const struct plan_answer *answer) {
    const struct plan_cause *cause = &answer->cause;
    const struct plan_point *least =
        &answer->points.items[plan->goal == PLAN_PRESET ? answer->points.count - 1 : 0];
    const char *target = doc_number(doc, cause->target_ms), *at;
    if (cause->median_alone_ms > 0)
        return doc_words(doc,
                         "no load keeps the target of '%s': alone on an idle GPU its median job "
                         "takes %s ms, and the target is %s ms",
                         cause->service, doc_number(doc, cause->median_alone_ms), target);
    at = amount_text(doc, plan, least->load);
    if (cause->alone_p99_ms > cause->target_ms)
        return doc_words(doc,
                         "at %s '%s' misses its target of %s ms even without the others: its p99 "
                         "alone is %s ms there",
                         at, cause->service, target, doc_number(doc, cause->alone_p99_ms));
    return doc_words(doc, "at %s %s; %s", at, missed_text(doc, cause, least),
                     plan_lost_text(doc, cause));
}

/* Services with a target, and all targets. */
static void count_targets(const struct plan *plan, size_t *services, size_t *targets) {
    *services = *targets = 0;
    for (size_t a = 0; a < plan->workload->apps.count; a++) {
        uint32_t own = plan_target_count(&plan->workload->apps.items[a]);
        *services += own > 0;
        *targets += own;
    }
}

/* Which target of which service decides, where one has several. */
static void note_target(struct doc *doc, const struct plan *plan,
                        const struct plan_answer *answer) {
    const double loads[] = {answer->guess, answer->misses};
    size_t services, targets;
    count_targets(plan, &services, &targets);
    for (size_t i = 0; i < CT_COUNT_OF(loads) && targets > services; i++) {
        const struct plan_point *point = plan_point_at(answer, loads[i]);
        if (point)
            doc_item(doc, "%s: at %s '%s' of '%s' decides", answer->policy,
                     amount_text(doc, plan, point->load), plan_target_key(point->target),
                     point->service);
    }
}

/* Headings of points; the one of several services that decides has a column, for which they are
 * short. */
#define COLUMNS_OF_ONE                                                                             \
    "verdict | by | p99/target:* | [bounds]:* | batch:* | reps:0 | s each:* | =runs | =service"
#define COLUMNS_OF_SEVERAL                                                                         \
    "verdict | by:* | p99/tgt:* | [bounds]:* | batch:* | =reps:0 | =s:* | runs:* | of"

/* Replications and the seconds of each, "5x12.2"; NULL: nothing ran. */
static const char *runs_text(struct doc *doc, const struct plan_point *point) {
    if (point->replications == 0)
        return NULL;
    return doc_words(doc, "%ux%s", point->replications, doc_number(doc, point->duration_s));
}

static void print_frontier(struct doc *doc, const struct plan *plan,
                           const struct plan_answer *answer) {
    char columns[TEXT_SIZE];
    size_t services, targets;
    count_targets(plan, &services, &targets);
    snprintf(columns, sizeof columns, "%s:* | %s", units[plan->goal],
             services > 1 ? COLUMNS_OF_SEVERAL : COLUMNS_OF_ONE);
    struct table table = table_start(columns);
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        /* The unit of a rate stands above. */
        table_row(&table,
                  plan->goal == PLAN_RATE ? doc_number(doc, point->load)
                                          : amount_text(doc, plan, point->load),
                  plan_verdict_name(point->verdict), plan_reason_name(point->reason),
                  p99_value(&table, point), table_interval(&table, point->p99_low, point->p99_high),
                  point->batch_work, point->replications, point->duration_s, runs_text(doc, point),
                  point->service);
    }
    doc_heading(doc, 2, "Frontier: %s", answer->policy);
    doc_table(doc, &table);
    if (services > 1)
        doc_text(doc, "of: the service that decides; p99/tgt: its p99 / target; runs: replications "
                      "x simulated seconds of each.");
}

struct checks {
    uint64_t runs;
    const char *broken, *policy; /* the first that does not hold, and under which; NULL: all hold */
};

static void check_answer(const struct plan_answer *answer, struct checks *checks) {
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        checks->runs += point->runs;
        if (point->broken && !checks->broken) {
            checks->broken = point->broken;
            checks->policy = answer->policy;
        }
    }
}

static struct checks check_all(const struct plan_result *result) {
    struct checks checks = {0};
    const struct plan_answer *answer;
    for (uint32_t p = 0; p < result->finished; p++)
        for (uint32_t n = 0; (answer = plan_answer_at(result, p, n)); n++)
            check_answer(answer, &checks);
    return checks;
}

static void print_checks(struct doc *doc, const struct plan_result *result, const char *settings) {
    struct checks checks = check_all(result);
    doc_heading(doc, 2, "Checks");
    if (checks.broken)
        doc_item(doc, "BROKEN in a run under %s: %s", checks.policy, checks.broken);
    else if (checks.runs == 0)
        doc_item(doc, "nothing was run that could be checked");
    else
        doc_item(doc, "conservation ok, Little's law ok, utilisation law ok in all %llu runs",
                 (unsigned long long)checks.runs);
    if (settings)
        doc_item(doc, "%s", settings);
}

static bool was_interrupted(const struct plan *plan, const struct plan_result *result) {
    bool complete = result->finished == plan->policy_count;
    for (uint32_t p = 0; p < result->finished; p++)
        complete &= result->answers[p].complete;
    return !complete;
}

/* What stands below the answers, and what was not begun. */
static void print_notes(struct doc *doc, const struct plan *plan,
                        const struct plan_result *result) {
    for (uint32_t p = 0; p < result->finished; p++) {
        note_price(doc, plan, &result->answers[p]);
        note_limits(doc, plan, &result->answers[p]);
        note_nearest(doc, plan, &result->answers[p]);
        note_open(doc, plan, &result->answers[p]);
        note_batch(doc, plan, &result->answers[p]);
        note_no_fit(doc, plan, &result->answers[p]);
        note_target(doc, plan, &result->answers[p]);
        if (result->answers[p].cause.service)
            doc_item(doc, "%s: %s", result->answers[p].policy,
                     cause_text(doc, plan, &result->answers[p]));
    }
    for (uint32_t p = result->finished; p < plan->policy_count; p++)
        doc_item(doc, "%s: interrupted before it was tried", plan->policies[p].label);
}

/* The notes for programs and the page. */
static bool json_notes(struct json_writer *json, const struct plan *plan,
                       const struct plan_result *result) {
    struct doc doc = doc_keep();
    char question[TEXT_SIZE];
    const char *why = doubt(result);
    question_text(plan, question, sizeof question);
    if (why)
        doc_item(&doc, "%s: %s", question, why);
    print_notes(&doc, plan, result);
    json_writer_strings(json, "notes", doc.lines.items, doc.lines.count);
    json_writer_bool(json, "interrupted", was_interrupted(plan, result));
    json_writer_begin_array(json, "not_tried");
    for (uint32_t p = 0; p < plan->policy_count; p++)
        if (p >= result->finished || !result->answers[p].points.count)
            json_writer_string(json, NULL, plan->policies[p].label);
    json_writer_end_array(json);
    return doc_drop(&doc) == CT_OK;
}

static int print_doc(const struct plan *plan, const struct plan_result *result,
                     const char *settings, bool markdown, FILE *out) {
    struct doc doc = doc_start(out, markdown);
    char question[TEXT_SIZE];
    question_text(plan, question, sizeof question);
    doc_heading(&doc, 1, "Capacity: %s", question);
    print_rules(&doc, plan);
    print_answers(&doc, plan, result);
    print_notes(&doc, plan, result);
    if (doc.items)
        doc_gap(&doc);
    for (uint32_t p = 0; p < result->finished; p++)
        print_frontier(&doc, plan, &result->answers[p]);
    if (result->caveats.count) {
        doc_heading(&doc, 2, "Validity envelope");
        plan_print_envelope(&doc, result);
        doc_gap(&doc);
    }
    print_checks(&doc, result, settings);
    return doc_finish(&doc);
}

/* ---- JSON ---- */

/* The least (-1) or the most (1) that chance leaves of the dropped part; NAN: unknown. */
static double lost_end(const struct plan_point *point, double side) {
    double end = point->dropped.value + side * point->dropped.half;
    return isfinite(end) ? fmax(0, fmin(end, 1)) : NAN;
}

static void json_point(struct json_writer *json, const struct plan *plan,
                       const struct plan_point *point) {
    json_writer_begin_object(json, NULL);
    json_writer_members(
        json, "amount", amount_of(plan, point->load), "verdict", plan_verdict_name(point->verdict),
        "by", plan_reason_name(point->reason), "replications", point->replications, "duration_s",
        point->duration_s, "events", point->events, "wanted_events", point->wanted, "service",
        point->service, "target", plan_target_key(point->target), "jobs", point->jobs);
    json_writer_members(json, "p99_over_qos", point->p99_over_qos, "p99_over_qos_low",
                        point->p99_low, "p99_over_qos_high", point->p99_high,
                        "batch_throughput_normalised", point->batch_work, "sm_utilisation",
                        point->sm_utilisation, "usd_per_h", plan_price_per_h(plan, point->load),
                        "usd_per_million", plan_price_per_million(plan, point), "no_fit",
                        point->no_fit, "batch_throughput_normalised_low", point->batch_low,
                        "batch_throughput_normalised_high", point->batch_high);
    json_writer_members(json, "lost_fraction", point->dropped.value, "lost_fraction_low",
                        lost_end(point, -1), "lost_fraction_high", lost_end(point, 1));
    if (point->is_bound)
        json_writer_members(json, "p99_is_bound", (bool)true);
    json_writer_end_object(json);
}

/* The least and the most that the best guess is over the draws that settled it; NAN: no numbers, or
 * beyond what was tried. */
static void range_of_draws(const struct plan *plan, const struct plan_result *result,
                           const struct plan_answer *answer, double range[2]) {
    range[0] = range[1] = NAN;
    size_t p = (size_t)(answer - result->answers);
    if (p >= result->finished || plan->goal == PLAN_PRESET)
        return;
    bool beyond = false;
    for (uint32_t i = 0; i < result->draws; i++) {
        const struct plan_answer *drawn = plan_answer_at(result, (uint32_t)p, PLAN_DRAWN + i);
        if (!drawn->settled)
            continue;
        double amount = plan_amount(plan, drawn->guess);
        range[0] = fmin(range[0], amount);
        range[1] = fmax(range[1], amount);
        beyond = beyond || isnan(amount);
    }
    if (beyond)
        range[plan->goal == PLAN_GPUS] = NAN;
}

static void json_answer(struct json_writer *json, const struct plan *plan,
                        const struct plan_result *result, const struct plan_answer *answer) {
    const struct plan_cause *cause = &answer->cause;
    double range[2];
    if (!answer->points.count)
        return;
    range_of_draws(plan, result, answer, range);
    json_writer_begin_object(json, NULL);
    json_writer_members(
        json, "policy", answer->policy, "kernel_scale", answer->scale, "complete",
        (bool)(answer->complete && !answer->stopped), "guess", amount_of(plan, answer->guess),
        "guess_low", range[0], "guess_high", range[1], "events", answer->events, "wanted_events",
        answer->wanted, "holds", amount_of(plan, answer->holds), "misses",
        amount_of(plan, answer->misses), "holds_above_a_miss", amount_of(plan, answer->above),
        "misses_below_all_that_holds", amount_of(plan, answer->below), "settled", answer->settled);
    if (answer->draw > 0)
        json_writer_members(json, "draw", answer->draw);
    if (is_unknown(answer))
        json_writer_members(json, "guess_unknown", (bool)true);
    if (cause->service && cause->median_alone_ms > 0)
        json_writer_object(json, "cause", "service", cause->service, "target",
                           plan_target_key(cause->target), "target_ms", cause->target_ms,
                           "median_alone_ms", cause->median_alone_ms);
    else if (cause->service)
        json_writer_object(json, "cause", "service", cause->service, "target",
                           plan_target_key(cause->target), "target_ms", cause->target_ms, "p99_ms",
                           cause->p99_ms, "alone_p99_ms", cause->alone_p99_ms, "blame",
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
    const struct plan_answer *answer;
    bool of_app = plan->goal == PLAN_RATE || plan->goal == PLAN_INSTANCES;
    json_writer_begin_object(&json, NULL);
    json_writer_members(
        &json, "schema", PLAN_SCHEMA, "version", plan->version, "find", plan_goals[plan->goal],
        "app", of_app ? app_name(plan) : NULL, "unit", units[plan->goal], "workload",
        plan->workload->name, "gpu", plan->goal == PLAN_PRESET ? NULL : plan->workload->gpu,
        "confidence", plan->confidence, "most_late_fraction", REPORT_MOST_LATE, "seed", plan->seed);
    if (plan->goal == PLAN_RATE)
        json_writer_members(&json, "instances", plan->workload->apps.items[plan->app].instances);
    json_writer_begin_array(&json, "answers");
    for (uint32_t p = 0; p < result->finished; p++)
        for (uint32_t n = 0; (answer = plan_answer_at(result, p, n)); n++)
            json_answer(&json, plan, result, answer);
    json_writer_end_array(&json);
    bool noted = json_notes(&json, plan, result);
    plan_json_envelope(&json, result);
    json_writer_object(&json, "checks", "runs", checks.runs, "broken", checks.broken, "settings",
                       settings);
    json_writer_end_object(&json);
    fputc('\n', out);
    return ferror(out) || !noted ? CT_DATA : CT_OK;
}

/* ---- CSV ---- */

static void csv_answer(struct table *table, const struct plan *plan,
                       const struct plan_result *result, const struct plan_answer *answer) {
    double range[2];
    range_of_draws(plan, result, answer, range);
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        bool is_guess = point->load == answer->guess;
        const char *bound = point->load == answer->holds    ? "holds"
                            : point->load == answer->misses ? "misses"
                                                            : "";
        table_row(table, answer->policy, answer->scale, amount_of(plan, point->load),
                  plan_verdict_name(point->verdict), plan_reason_name(point->reason), bound,
                  point->replications, point->service, point->jobs, point->p99_over_qos,
                  point->p99_low, point->p99_high, point->batch_work, point->sm_utilisation,
                  is_guess ? "guess" : "", is_guess ? range[0] : NAN, is_guess ? range[1] : NAN,
                  answer->draw, point->duration_s, point->events, point->wanted,
                  plan_price_per_h(plan, point->load), plan_price_per_million(plan, point),
                  plan_target_key(point->target), point->batch_low, point->batch_high,
                  point->dropped.value, lost_end(point, -1), lost_end(point, 1));
    }
}

static int print_csv(const struct plan *plan, const struct plan_result *result, FILE *out) {
    struct table table = table_start(
        "=policy | =kernel_scale:* | =amount:* | =verdict | =by | =bound | =replications:0 | "
        "=service | =jobs:0 | =p99_over_qos:* | =p99_over_qos_low:* | "
        "=p99_over_qos_high:* | =batch_throughput_normalised:* | =sm_utilisation:* | =best | "
        "=guess_low:* | "
        "=guess_high:* | =draw:0 | =duration_s:* | =events:0 | =wanted_events:* | =usd_per_h:* | "
        "=usd_per_million:* | =target | =batch_throughput_normalised_low:* | "
        "=batch_throughput_normalised_high:* | =lost_fraction:* | =lost_fraction_low:* | "
        "=lost_fraction_high:*");
    const struct plan_answer *answer;
    for (uint32_t p = 0; p < result->finished; p++)
        for (uint32_t n = 0; (answer = plan_answer_at(result, p, n)); n++)
            csv_answer(&table, plan, result, answer);
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
