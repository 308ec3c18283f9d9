/* The policy's decisions around a job, from the decision log. */
#include "explain/explain_internal.h"

#include "base/ct_search.h"
#include "base/ct_sentence.h"
#include "trace/kernel_class.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Decisions of a kind that are shown: the longest holds, the last partitions. */
enum { SHOWN = 3 };

/* ---- Why a task was held or issued: the policy's sentences with the numbers that it noted ---- */

/* Whether this was noted of a decision, and its value. */
static bool find_note(const struct result_decision *d, const char *key, double *value) {
    for (size_t i = 0; i < d->note_count; i++)
        if (strcmp(d->notes[i].key, key) == 0) {
            *value = d->notes[i].value;
            return true;
        }
    return false;
}

/* The application of a client's number: clients are in the order of the workload. "?": none. */
static const char *app_of_client(const struct result_run *run, double client) {
    double first = 0;
    for (size_t i = 0; i < run->report.app_count; i++) {
        first += (double)run->report.apps[i].instances;
        if (client < first)
            return run->report.apps[i].name;
    }
    return "?";
}

static bool is_key(const struct ct_piece *piece, const char *key) {
    return strlen(key) == piece->length && memcmp(piece->text, key, piece->length) == 0;
}

/* False: it was not noted, or is unknown. */
static bool find_number(const struct result_decision *d, const struct ct_piece *key,
                        double *value) {
    for (size_t i = 0; i < d->note_count; i++)
        if (is_key(key, d->notes[i].key)) {
            *value = d->notes[i].value;
            return !isnan(*value);
        }
    return false;
}

static bool ends_in(const struct ct_piece *key, const char *unit) {
    size_t length = strlen(unit);
    return key->length >= length && memcmp(key->text + key->length - length, unit, length) == 0;
}

/* The end of a note's name is its unit. */
static const char *number_words(struct prose *prose, const struct ct_piece *key, double number) {
    if (ends_in(key, "_ps"))
        return prose_ms(prose, number);
    if (ends_in(key, "_per_mille"))
        return prose_words(prose, "%s %%", prose_number(prose, number / 10));
    if (ends_in(key, "_bytes_per_s"))
        return prose_words(prose, "%s GB/s", prose_number(prose, number / 1e9));
    if (is_key(key, CT_NOTE_CLIENT) || ends_in(key, "_" CT_NOTE_CLIENT))
        return app_of_client(prose->run, number);
    return prose_number(prose, number);
}

/* A note's name as words, without the unit in which it is kept: "headroom_first_ps 1e9" is said
 * as "headroom first 1 ms". */
static const char *note_words(struct prose *prose, const struct result_note *note) {
    static const char *const units[] = {"_ps", "_per_mille", "_bytes_per_s"};
    const struct ct_piece key = {note->key, strlen(note->key)};
    size_t length = key.length;
    for (size_t i = 0; i < CT_COUNT_OF(units); i++)
        if (ends_in(&key, units[i]))
            length = key.length - strlen(units[i]);
    char *name = ct_arena_strndup(prose->arena, note->key, length);
    prose->failed |= !name;
    for (char *at = name; at && *at; at++)
        *at = *at == '_' ? ' ' : *at;
    if (!name || isnan(note->value))
        return name ? name : "";
    return prose_words(prose, "%s %s", name, number_words(prose, &key, note->value));
}

/* Notes without a sentence: what is said of each client, "fwt np 0.86, binomial np 0.6"; else the
 * first one. */
static const char *notes_words(struct prose *prose, const struct result_decision *d) {
    const char *words = "";
    if (strcmp(d->notes[0].key, CT_NOTE_CLIENT) != 0 || d->note_count == 1)
        return note_words(prose, d->notes);
    for (size_t i = 0; i + 1 < d->note_count && strcmp(d->notes[i].key, CT_NOTE_CLIENT) == 0;
         i += 2)
        words = prose_words(prose, "%s%s%s %s", words, i > 0 ? ", " : "",
                            app_of_client(prose->run, d->notes[i].value),
                            note_words(prose, &d->notes[i + 1]));
    return words;
}

static const char *part_words(struct prose *prose, const struct result_decision *d,
                              const struct ct_sentence_part *part) {
    const struct ct_piece *noun = &part->one;
    const char *words = "unknown";
    double number = 0;
    if (part->kind == CT_SENTENCE_TEXT)
        return prose_words(prose, "%.*s", (int)part->text.length, part->text.text);
    if (part->kind != CT_SENTENCE_NUMBER)
        return "";
    bool known = find_number(d, &part->key, &number), counted = noun->length > 0;
    if (known)
        words =
            counted ? prose_words(prose, "%.0f", number) : number_words(prose, &part->key, number);
    if (!known || (counted && number != 1))
        noun = &part->many;
    return noun->length > 0 ? prose_words(prose, "%s %.*s", words, (int)noun->length, noun->text)
                            : words;
}

/* Whether all numbers up to the closing bracket are there; steps behind it if not. */
static bool has_numbers(const struct result_decision *d, const char **sentence) {
    const char *at = *sentence;
    struct ct_sentence_part part;
    bool all = true;
    double number;
    while (ct_sentence_next(&at, &part) && part.kind != CT_SENTENCE_CLOSE)
        all &= part.kind != CT_SENTENCE_NUMBER || find_number(d, &part.key, &number);
    if (!all)
        *sentence = at;
    return all;
}

/* The sentence of the first note that has one; NULL: none has. */
static const char *find_sentence(const struct result_run *run, const struct result_decision *d) {
    for (size_t i = 0; i < d->note_count; i++)
        for (size_t k = 0; k < run->reason_count; k++)
            if (run->reasons[k].verb == d->verb && *run->reasons[k].sentence &&
                strcmp(run->reasons[k].key, d->notes[i].key) == 0)
                return run->reasons[k].sentence;
    return NULL;
}

/* The policy's own sentence about a decision; "" where it has none. */
static const char *policy_words(struct prose *prose, const struct result_decision *d) {
    const char *sentence = find_sentence(prose->run, d), *words = "";
    struct ct_sentence_part part;
    while (sentence && ct_sentence_next(&sentence, &part))
        if (part.kind != CT_SENTENCE_OPEN || has_numbers(d, &sentence))
            words = prose_words(prose, "%s%s", words, part_words(prose, d, &part));
    return words;
}

/* Why a task was held or issued: that sentence, else what was noted; "" where it said nothing. */
static const char *reason_words(struct prose *prose, const struct result_decision *d) {
    if (find_sentence(prose->run, d) || d->verb == CT_VERB_ISSUE || !d->note_count)
        return policy_words(prose, d);
    return notes_words(prose, d);
}

/* ---- The log ---- */

static bool is_verb(const struct result_decision *d, enum ct_verb verb) {
    return d->verb == verb && d->outcome == CT_DONE;
}

static bool is_about(const struct result_decision *d, const struct result_job *job) {
    return d->app == (int64_t)job->app && d->instance == (int64_t)job->instance &&
           d->job == (int64_t)job->number;
}

static bool is_taken_before(const void *decisions, size_t i, const void *time) {
    return ((const struct result_decision *)decisions)[i].time_ps < *(const ct_time_ps *)time;
}

/* The first entry at this time or later. */
static size_t first_at(const struct result_run *run, ct_time_ps time) {
    return ct_lower_bound(run->decisions, run->decision_count, is_taken_before, &time);
}

/* ---- Tasks ---- */

static int compare_to_task(const void *key, const void *item) {
    const struct result_decision *d = key;
    const struct result_task *task = item;
    int64_t difference = d->app - (int64_t)task->app;
    difference = difference ? difference : d->instance - (int64_t)task->instance;
    difference = difference ? difference : d->job - (int64_t)task->job;
    difference = difference ? difference : d->task - (int64_t)task->index;
    return (difference > 0) - (difference < 0);
}

/* The task that an entry is about, if the run kept its tasks. */
static const struct result_task *task_of(const struct result_run *run,
                                         const struct result_decision *d) {
    return run->task_count
               ? bsearch(d, run->tasks, run->task_count, sizeof *run->tasks, compare_to_task)
               : NULL;
}

/* "kernel 7 of bfs:3"; with its name where tasks were kept; "task 7" where its kind is not known.
 */
static const char *task_words(struct prose *prose, const struct result_decision *d) {
    const struct result_task *task = task_of(prose->run, d);
    const char *job = explain_job_name(prose->run, d->app, d->instance, d->job, prose->arena);
    prose->failed |= !job;
    job = job ? job : "";
    if (task && task->name && *task->name)
        return prose_words(prose, "kernel %" PRId64 " of %s (%.40s)", d->task, job,
                           kernel_brief_name(task->name));
    return prose_words(prose, "%s %" PRId64 " of %s", task ? "copy" : "task", d->task, job);
}

/* ---- Holds of the job's own tasks ---- */

/* A task, and one of the reasons that held it. */
struct held {
    const struct result_decision *first; /* hold */
    ct_time_ps length_ps;                /* of the times that it was the reason */
    ct_time_ps since_ps;                 /* it is the reason since then; -1: it is not */
    size_t before;                       /* place of the task's reason before it + 1; 0: none */
};

struct holds {
    CT_VEC(struct held);
    size_t tasks, known; /* tasks that were held; those that `last` has room for */
    size_t *last;        /* by task: place of its reason that came last + 1; 0: it was not held */
};

/* The first note of a hold names its reason. */
static bool same_reason(const struct result_decision *a, const struct result_decision *b) {
    if (a->note_count == 0 || b->note_count == 0)
        return a->note_count == b->note_count;
    return strcmp(a->notes[0].key, b->notes[0].key) == 0;
}

/* Another reason, or the issue, ends what held the task. */
static void end_hold(struct holds *holds, const struct result_decision *d) {
    for (size_t at = holds->last[d->task]; at; at = holds->items[at - 1].before) {
        struct held *held = &holds->items[at - 1];
        held->length_ps += held->since_ps >= 0 ? d->time_ps - held->since_ps : 0;
        held->since_ps = -1;
    }
}

static void begin_hold(struct prose *prose, struct holds *holds, const struct result_decision *d) {
    size_t *last = &holds->last[d->task];
    for (size_t at = *last; at; at = holds->items[at - 1].before)
        if (same_reason(holds->items[at - 1].first, d)) {
            holds->items[at - 1].since_ps = d->time_ps;
            return;
        }
    holds->tasks += *last == 0;
    if (ct_vec_push(holds, (struct held){d, 0, d->time_ps, *last}))
        *last = holds->count;
    else
        prose->failed = true;
}

static void gather_hold(struct prose *prose, struct holds *holds, const struct result_decision *d) {
    bool hold = is_verb(d, CT_VERB_HOLD);
    if ((!hold && !is_verb(d, CT_VERB_ISSUE)) || d->task < 0)
        return;
    end_hold(holds, d);
    if (hold)
        begin_hold(prose, holds, d);
}

static const struct held *longest_hold(const struct holds *holds, const struct held *below) {
    const struct held *best = NULL;
    for (size_t i = 0; i < holds->count; i++) {
        const struct held *held = &holds->items[i];
        bool after = !below || held->length_ps < below->length_ps ||
                     (held->length_ps == below->length_ps && held > below);
        if (after && (!best || held->length_ps > best->length_ps))
            best = held;
    }
    return best;
}

static void say_hold(struct prose *prose, const struct held *held, const char *which) {
    const struct result_decision *d = held->first;
    const char *task = task_words(prose, d), *reason = reason_words(prose, d);
    const char *colon = *reason ? ": " : "";
    if (held->since_ps >= 0)
        prose_say(prose, "%s%s, held and never issued (decision %" PRIu64 ")%s%s.", which, task,
                  d->number, colon, reason);
    else
        prose_say(prose, "%s%s, held for %s (decision %" PRIu64 ")%s%s.", which, task,
                  prose_ms(prose, (double)held->length_ps), d->number, colon, reason);
}

/* How long all holds lasted together; those that have not ended last until then. */
static ct_time_ps total_length(struct holds *holds, ct_time_ps until) {
    ct_time_ps sum = 0;
    for (size_t i = 0; i < holds->count; i++) {
        struct held *held = &holds->items[i];
        held->length_ps += held->since_ps >= 0 ? until - held->since_ps : 0;
        sum += held->length_ps;
    }
    return sum;
}

static void say_holds(struct prose *prose, const struct result_job *job) {
    const struct result_run *run = prose->run;
    size_t begin = prose->lines.count;
    struct holds holds = {0};
    size_t from = first_at(run, job->arrival_ps), to = from;
    for (; to < run->decision_count && run->decisions[to].time_ps <= result_job_until(job); to++)
        if (is_about(&run->decisions[to], job) && run->decisions[to].task >= (int64_t)holds.known)
            holds.known = (size_t)run->decisions[to].task + 1;
    holds.last = ct_arena_array(prose->arena, holds.known + 1, sizeof *holds.last);
    prose->failed |= !holds.last;
    for (size_t i = from; i < to && !prose->failed; i++)
        if (is_about(&run->decisions[i], job))
            gather_hold(prose, &holds, &run->decisions[i]);
    ct_time_ps sum = total_length(&holds, result_job_until(job));
    if (holds.tasks > 1)
        prose_say(prose,
                  "%s held %s of its own, which cost it %s (the holds add up to %s, but also "
                  "lie beside each other and beside its work).",
                  run->report.policy, prose_count(prose, holds.tasks, "task"),
                  prose_ms(prose, (double)job->blame_ps[CT_BLAME_READY_POOL]),
                  prose_ms(prose, (double)sum));
    else if (holds.count)
        prose_say(prose, "%s held one task of its own.", run->report.policy);
    const struct held *held = NULL;
    for (int i = 0; i < SHOWN && (held = longest_hold(&holds, held)) != NULL; i++)
        say_hold(prose, held, i > 0 ? "Next: " : holds.count > 1 ? "The longest: " : "It was ");
    prose_join(prose, begin);
    ct_vec_free(&holds);
}

/* ---- What was issued of an application that delayed the job ---- */

struct issues {
    uint64_t count, predicted_count;
    double predicted_ps;
    const struct result_decision *longest; /* by prediction; the first where there is none */
    double longest_ps;
};

static void add_issue(struct issues *issues, const struct result_decision *d) {
    double predicted = 0;
    bool known = find_note(d, CT_NOTE_ISSUE_PREDICTION, &predicted);
    issues->count++;
    issues->predicted_count += known;
    issues->predicted_ps += known ? predicted : 0;
    if (issues->longest && predicted <= issues->longest_ps)
        return;
    issues->longest = d;
    issues->longest_ps = predicted;
}

static bool is_issue_of(const struct result_decision *d, size_t app) {
    return d->app == (int64_t)app && is_verb(d, CT_VERB_ISSUE);
}

static const struct result_decision *last_issue_before(const struct result_run *run, size_t at,
                                                       size_t app) {
    while (at-- > 0)
        if (is_issue_of(&run->decisions[at], app))
            return &run->decisions[at];
    return NULL;
}

/* Whether what was issued before a job began may still have been there: by its end, if tasks were
 * kept, else if the job was there already or is slower than that is long ago. */
static bool may_reach(const struct result_run *run, const struct result_decision *d,
                      const struct result_job *job) {
    const struct result_task *task = task_of(run, d);
    if (task)
        return task->ended_ps > explain_start(job);
    return explain_start(job) - d->time_ps < result_job_until(job) - job->arrival_ps;
}

static void say_one_issue(struct prose *prose, const struct result_decision *d, const char *which,
                          const char *when) {
    const char *reason = reason_words(prose, d);
    prose_say(prose, "%s was %s, issued %s (decision %" PRIu64 "%s%s).", which,
              task_words(prose, d), when, d->number, *reason ? ": " : "", reason);
}

/* "2 ms after this query began". */
static const char *when_words(struct prose *prose, const struct result_job *job, ct_time_ps time) {
    ct_time_ps start = explain_start(job);
    const char *noun = explain_noun(prose->run, job);
    if (time == start)
        return prose_words(prose, "as this %s began", noun);
    return prose_words(prose, "%s %s this %s began", prose_ms(prose, fabs((double)(time - start))),
                       time < start ? "before" : "after", noun);
}

static void say_issues(struct prose *prose, const struct result_job *job, size_t app) {
    const struct result_run *run = prose->run;
    const char *name = run->report.apps[app].name, *noun = explain_noun(run, job);
    struct issues issues = {0};
    size_t begin = first_at(run, explain_start(job));
    for (size_t i = begin;
         i < run->decision_count && run->decisions[i].time_ps < result_job_until(job); i++)
        if (is_issue_of(&run->decisions[i], app))
            add_issue(&issues, &run->decisions[i]);
    const struct result_decision *before = last_issue_before(run, begin, app);
    if (before && may_reach(run, before, job))
        say_one_issue(prose, before, "The last task of it before",
                      when_words(prose, job, before->time_ps));
    if (issues.count == 0) {
        prose_say(prose, "While the %s ran, %s issued nothing of %s.", noun, run->report.policy,
                  name);
        return;
    }
    const char *predicted =
        issues.predicted_count
            ? prose_words(prose, ", %s by their predictions", prose_ms(prose, issues.predicted_ps))
            : "";
    prose_say(prose, "While the %s ran, %s issued %s of %s%s.", noun, run->report.policy,
              prose_count(prose, issues.count, "task"), name, predicted);
    if (issues.predicted_count > 1)
        say_one_issue(prose, issues.longest, "The longest by prediction",
                      when_words(prose, job, issues.longest->time_ps));
}

/* ---- What ran beside it, where tasks were kept ---- */

static void say_beside(struct prose *prose, const struct result_job *job, size_t app) {
    const struct result_run *run = prose->run;
    const struct result_task *longest = NULL;
    uint64_t count = 0;
    for (size_t i = 0; i < run->task_count; i++) {
        const struct result_task *task = &run->tasks[i];
        if (task->app != app || task->ended_ps <= explain_start(job) ||
            task->started_ps >= result_job_until(job) ||
            (task->app == job->app && task->instance == job->instance))
            continue;
        count++;
        if (!longest || task->ended_ps - task->started_ps > longest->ended_ps - longest->started_ps)
            longest = task;
    }
    if (!longest)
        return;
    prose_say(prose, "%s of %s ran at some time while it did; the longest (%.40s) took %s.",
              prose_count(prose, count, "task"), run->report.apps[app].name,
              longest->name && *longest->name ? kernel_brief_name(longest->name) : "a copy",
              prose_ms(prose, (double)(longest->ended_ps - longest->started_ps)));
}

/* ---- Shares of the SMs ---- */

static void say_quotas(struct prose *prose, const struct result_job *job) {
    const struct result_run *run = prose->run;
    const char *words = "";
    double quota, lag = 0, last = -1;
    int said = 0;
    for (size_t i = first_at(run, job->arrival_ps);
         i < run->decision_count && run->decisions[i].time_ps <= result_job_until(job); i++) {
        const struct result_decision *d = &run->decisions[i];
        if (d->outcome != CT_DONE || !is_about(d, job) || !find_note(d, CT_NOTE_QUOTA, &quota) ||
            quota == last)
            continue;
        bool lags = find_note(d, CT_NOTE_LAG, &lag);
        last = quota;
        if (++said > 4)
            continue;
        words = prose_words(prose, "%s%s%s %% of the SMs %s (decision %" PRIu64, words,
                            said > 1 ? ", " : "Its quota: ", prose_number(prose, quota / 10),
                            when_words(prose, job, d->time_ps), d->number);
        if (lags)
            words = prose_words(prose, lag < 0 ? "%s, it was %s ahead" : "%s, it lagged by %s",
                                words, prose_ms(prose, fabs(lag)));
        words = prose_words(prose, "%s)", words);
    }
    if (said > 4)
        words = prose_words(prose, "%s, and %d more changes", words, said - 4);
    if (said)
        prose_say(prose, "%s.", words);
}

/* "queries 64, solver 16" of a repartition's notes: SMs by application, instances added up. */
static const char *split_words(struct prose *prose, const struct result_decision *d) {
    const char *words = "";
    for (size_t i = 0; i + 1 < d->note_count;) {
        const char *app = app_of_client(prose->run, d->notes[i].value);
        double sms = 0;
        bool split = false;
        for (; i + 1 < d->note_count && strcmp(d->notes[i].key, CT_NOTE_CLIENT) == 0 &&
               strcmp(d->notes[i + 1].key, CT_NOTE_SMS) == 0 &&
               app_of_client(prose->run, d->notes[i].value) == app;
             i += 2) {
            sms += d->notes[i + 1].value;
            split = true;
        }
        if (split)
            words = prose_words(prose, "%s%s%s %.0f", words, *words ? ", " : "", app, sms);
        i += !split;
    }
    return words;
}

static void say_partitions(struct prose *prose, const struct result_job *job) {
    const struct result_run *run = prose->run;
    const struct result_decision *before = NULL;
    uint64_t during = 0;
    size_t line = prose->lines.count, begin = first_at(run, explain_start(job) + 1);
    for (size_t i = begin; i-- > 0 && !before;)
        if (is_verb(&run->decisions[i], CT_VERB_REPARTITION))
            before = &run->decisions[i];
    if (before)
        prose_say(prose, "When it began, the SMs were split: %s (decision %" PRIu64 ").",
                  split_words(prose, before), before->number);
    for (size_t i = begin;
         i < run->decision_count && run->decisions[i].time_ps <= result_job_until(job); i++) {
        const struct result_decision *d = &run->decisions[i];
        if (is_verb(d, CT_VERB_REPARTITION) && ++during <= SHOWN)
            prose_say(prose, "%s the SMs changed hands: %s (decision %" PRIu64 ").",
                      when_words(prose, job, d->time_ps), split_words(prose, d), d->number);
    }
    if (during > SHOWN)
        prose_say(prose, "They changed hands %s more before it ended.",
                  prose_count(prose, during - SHOWN, "time"));
    prose_join(prose, line);
}

/* Whether a decision sets the cap of an application; of the job's own, of its instance. */
static bool is_cap(const struct result_decision *d, const struct result_job *job, size_t app,
                   double *cap) {
    return d->outcome == CT_DONE && d->app == (int64_t)app &&
           (app != job->app || d->instance == (int64_t)job->instance) &&
           find_note(d, CT_NOTE_CAP, cap);
}

/* "bfs", or of several instances "instance 1 of bfs". */
static const char *instance_words(struct prose *prose, int64_t app, int64_t instance) {
    const struct report_app *of = &prose->run->report.apps[app];
    return of->instances > 1 && instance >= 0
               ? prose_words(prose, "instance %" PRId64 " of %s", instance, of->name)
               : of->name;
}

/* Whether every instance of an application has this cap once a decision's instant is over. */
static bool all_have_cap(struct prose *prose, const struct result_decision *of, double cap) {
    const struct result_run *run = prose->run;
    size_t end = first_at(run, of->time_ps + 1);
    int64_t instances = run->report.apps[of->app].instances, have = 0;
    if ((uint64_t)instances > end) /* each needs a decision */
        return false;
    double *caps = ct_arena_array(prose->arena, (size_t)instances + 1, sizeof *caps), own;
    prose->failed |= !caps;
    for (size_t i = 0; caps && i < end; i++) {
        const struct result_decision *d = &run->decisions[i];
        if (d->outcome == CT_DONE && d->app == of->app && d->instance >= 0 &&
            d->instance < instances && find_note(d, CT_NOTE_CAP, &own))
            caps[d->instance] = own;
    }
    for (int64_t i = 0; caps && i < instances; i++)
        have += caps[i] == cap;
    return have == instances;
}

/* Whom a cap is on: a cap is an instance's, and several have it each. */
static const char *capped_words(struct prose *prose, const struct result_job *job,
                                const struct result_decision *d, double cap) {
    const struct report_app *app = &prose->run->report.apps[d->app];
    if (app->instances > 1 && d->app != (int64_t)job->app && all_have_cap(prose, d, cap))
        return prose_words(prose, "each instance of %s", app->name);
    return instance_words(prose, d->app, d->instance);
}

/* The cap on an application when the job began, where one was ever set, and what became of it. */
static void say_caps(struct prose *prose, const struct result_job *job, size_t app) {
    const struct result_run *run = prose->run;
    size_t line = prose->lines.count, begin = first_at(run, explain_start(job) + 1);
    uint64_t during = 0;
    double cap, last = -1;
    for (size_t i = begin; i-- > 0 && last < 0;)
        if (is_cap(&run->decisions[i], job, app, &last))
            prose_say(prose, "%s was capped at %s %% of the threads (decision %" PRIu64 ").",
                      capped_words(prose, job, &run->decisions[i], last),
                      prose_number(prose, last / 10), run->decisions[i].number);
    for (size_t i = begin;
         i < run->decision_count && run->decisions[i].time_ps <= result_job_until(job); i++) {
        const struct result_decision *d = &run->decisions[i];
        if (!is_cap(d, job, app, &cap) || cap == last)
            continue;
        last = cap;
        if (++during <= SHOWN)
            prose_say(prose, "%s the cap of %s became %s %% (decision %" PRIu64 ").",
                      when_words(prose, job, d->time_ps), capped_words(prose, job, d, cap),
                      prose_number(prose, cap / 10), d->number);
    }
    if (during > SHOWN)
        prose_say(prose, "It changed %s more before the %s ended.",
                  prose_count(prose, during - SHOWN, "time"), explain_noun(run, job));
    prose_join(prose, line);
}

/* ---- Policies that hold nothing ---- */

static const char *sharing_of(const struct result_run *run) {
    for (size_t i = 0; i < run->report.device_count; i++)
        if (strcmp(run->report.device[i].key, "sharing") == 0)
            return run->report.device[i].value;
    return "";
}

/* Where nothing passed, the policy may hold everything without a word. */
static void say_passes(struct prose *prose) {
    const char *sharing = sharing_of(prose->run), *how = "";
    if (strcmp(sharing, "MPS") == 0)
        how = ": kernels go to the device in the order of issue, and a later one gets the SMs that "
              "earlier ones leave over";
    else if (strcmp(sharing, "exclusive") == 0)
        how = ": the device runs one application's kernels at a time, first come, first served";
    else if (strcmp(sharing, "time slices") == 0)
        how = ": the device runs one application's kernels at a time, in turns";
    else if (strcmp(sharing, "partition") == 0)
        how = ", each on the SMs of its application";
    if (prose->run->report.engine.kernels == 0)
        prose_say(prose, "No kernel went to the device in the whole run.");
    else
        prose_say(prose, "%s holds no task back%s.", prose->run->report.policy, how);
}

static bool log_has(const struct result_run *run, enum ct_verb verb) {
    for (size_t i = 0; i < run->decision_count; i++)
        if (is_verb(&run->decisions[i], verb))
            return true;
    return false;
}

void explain_decisions(struct prose *prose, const struct result_job *job) {
    const struct result_run *run = prose->run;
    size_t *order = ct_arena_array(prose->arena, run->report.app_count + 1, sizeof *order);
    double *delays = ct_arena_array(prose->arena, run->report.app_count + 1, sizeof *delays);
    bool issues = log_has(run, CT_VERB_ISSUE);
    prose->failed |= !order || !delays;
    if (prose->failed)
        return;
    if (!issues && !log_has(run, CT_VERB_HOLD) &&
        (run->decision_count || run->report.system.decisions == 0))
        say_passes(prose);
    say_holds(prose, job);
    say_quotas(prose, job);
    say_partitions(prose, job);
    if (!job->delayed_by_ps || !job->delayed_by_ps[job->app])
        say_caps(prose, job, job->app);
    for (size_t i = 0; job->delayed_by_ps && i < run->report.app_count; i++)
        delays[i] = (double)job->delayed_by_ps[i];
    size_t count = report_rank(delays, run->report.app_count, order);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        double percent = delays[order[i]] / (double)(result_job_until(job) - job->arrival_ps) * 100;
        if (percent < 1)
            break;
        size_t begin = prose->lines.count;
        prose_say(prose, "%s delayed it by %s (%.0f %%).", run->report.apps[order[i]].name,
                  prose_ms(prose, delays[order[i]]), percent);
        if (issues)
            say_issues(prose, job, order[i]);
        say_beside(prose, job, order[i]);
        say_caps(prose, job, order[i]);
        prose_join(prose, begin);
    }
}

const char *explain_decision(const struct result_run *run, const struct result_decision *d,
                             struct ct_arena *arena) {
    struct prose prose = {.run = run, .arena = arena};
    const char *app = d->app >= 0 ? run->report.apps[d->app].name : "";
    const char *reason = reason_words(&prose, d), *split = "", *words;
    double cap;
    if (is_verb(d, CT_VERB_HOLD)) {
        words = prose_words(&prose, "held %s", task_words(&prose, d));
    } else if (is_verb(d, CT_VERB_ISSUE)) {
        words = prose_words(&prose, "issued %s", task_words(&prose, d));
    } else if (is_verb(d, CT_VERB_REPARTITION)) {
        split = split_words(&prose, d);
        reason = policy_words(&prose, d);
        words = "split the SMs anew";
    } else if (is_verb(d, CT_VERB_SET_SHARE) && find_note(d, CT_NOTE_CAP, &cap)) {
        reason = policy_words(&prose, d);
        words = prose_words(&prose, "capped %s at %s %% of the SMs",
                            d->app >= 0 ? instance_words(&prose, d->app, d->instance) : app,
                            prose_number(&prose, cap / 10));
    } else
        words = prose_words(&prose, "%s%s%s", ct_verb_text(d->verb, d->outcome), *app ? " of " : "",
                            app);
    if (*split || *reason)
        words =
            prose_words(&prose, "%s (%s%s%s)", words, split, *split && *reason ? "; " : "", reason);
    return prose.failed ? NULL : words;
}
