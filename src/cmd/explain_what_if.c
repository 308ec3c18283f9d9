/* explain --what-if: the run once more with another decision, beside what was. */
#include "base/ct_assert.h"
#include "cli/cli_experiment.h"
#include "cmd/run_again.h"
#include "format/doc_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct what_if {
    const struct result_run *stored;
    const struct result_decision *decision;
    struct result_run again; /* its jobs in the order of the store */
    struct ct_arena arena;
    ct_time_ps issued_ps, issued_again_ps; /* the decision's task; -1: never, or no task */
};

/* ---- The decision ---- */

static bool is_verb(const struct result_decision *d, enum ct_verb verb) {
    return d->verb == verb && d->outcome == CT_DONE;
}

/* Whether it could have gone another way. */
static bool is_decision(const struct result_decision *d) {
    return d->verb != CT_VERB_NOTE && d->outcome != CT_REJECTED;
}

/* Entries are numbered without gaps. */
static const struct result_decision *find_decision(const struct result_run *run, uint64_t number) {
    bool there = number >= 1 && number <= run->decision_count;
    return there ? &run->decisions[number - 1] : NULL;
}

/* The nearest entry that is a decision. */
static uint64_t nearest_decision(const struct result_run *run, uint64_t number) {
    for (uint64_t away = 1; away < run->decision_count; away++)
        for (int side = 0; side < 2; side++) {
            const struct result_decision *d =
                find_decision(run, side ? number + away : number - away);
            if (d && is_decision(d))
                return d->number;
        }
    return 0;
}

bool explain_lacks_decisions(const struct result_run *run, const char *option,
                             struct ct_diags *diags) {
    bool lacks = !run->decision_count && run->report.system.decisions > 0;
    if (lacks)
        ct_error(diags, option,
                 "run %" PRId64
                 " was stored without its decisions: 'run -o' stores them, 'compare' does not",
                 run->number);
    return lacks;
}

static bool check_decision(const struct result_run *run, uint64_t number, struct ct_diags *diags) {
    const struct result_decision *d = find_decision(run, number);
    if (explain_lacks_decisions(run, "--what-if", diags))
        return false;
    if (!run->decision_count)
        ct_error(diags, "--what-if", "'%s' made no decision in run %" PRId64, run->report.policy,
                 run->number);
    else if (!d)
        ct_error(diags, "--what-if",
                 "run %" PRId64 " has no decision %" PRIu64 ": its log has 1 to %zu", run->number,
                 number, run->decision_count);
    else if (!is_decision(d))
        ct_error(diags, "--what-if",
                 "entry %" PRIu64 " ('%s') is no decision that could go another way; the nearest "
                 "that is: %" PRIu64,
                 number, ct_verb_text(d->verb, d->outcome), nearest_decision(run, number));
    return diags->errors == 0;
}

/* ---- The run again ---- */

static int check_force(const struct cli_experiment *e, const struct result_decision *d,
                       struct ct_diags *diags) {
    ct_assert(e->scenario.experiment.policies); /* one at least: the workload's own */
    const struct ct_policy *policy = e->scenario.experiment.policies[0].policy;
    if (!is_verb(d, CT_VERB_HOLD) || policy->force)
        return CT_OK;
    return ct_usage_error(diags, "--what-if", "policy '%s' cannot be made to issue what it holds",
                          policy->name);
}

/* ---- The same until the decision ---- */

static bool same_notes(const struct result_decision *a, const struct result_decision *b) {
    if (a->note_count != b->note_count)
        return false;
    for (size_t i = 0; i < a->note_count; i++) {
        double x = a->notes[i].value, y = b->notes[i].value;
        if (strcmp(a->notes[i].key, b->notes[i].key) != 0 || !(x == y || (isnan(x) && isnan(y))))
            return false;
    }
    return true;
}

static bool same_place(const struct result_decision *a, const struct result_decision *b) {
    return a->number == b->number && a->time_ps == b->time_ps && strcmp(a->hook, b->hook) == 0 &&
           a->app == b->app && a->instance == b->instance && a->job == b->job && a->task == b->task;
}

/* Everything before the decision, and the moment of itself. */
static bool same_until(const struct result_run *stored, const struct result_run *again,
                       uint64_t number) {
    if (again->decision_count < number)
        return false;
    for (uint64_t i = 0; i + 1 < number; i++) {
        const struct result_decision *a = &stored->decisions[i], *b = &again->decisions[i];
        if (!same_place(a, b) || a->verb != b->verb || a->outcome != b->outcome ||
            !same_notes(a, b))
            return false;
    }
    return same_place(&stored->decisions[number - 1], &again->decisions[number - 1]);
}

static int sort_jobs(struct what_if *w, struct ct_diags *diags) {
    size_t count = w->again.job_count;
    struct result_job *jobs = ct_arena_array(&w->arena, count + 1, sizeof *jobs);
    if (!jobs)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < count; i++)
        jobs[i] = w->again.jobs[i];
    qsort(jobs, count, sizeof *jobs, result_compare_jobs);
    w->again.jobs = jobs;
    return CT_OK;
}

/* When the task of the decision was issued, from its moment on; -1: it was not. */
static ct_time_ps issue_time(const struct result_run *run, const struct result_decision *d) {
    for (size_t i = (size_t)d->number - 1; i < run->decision_count; i++) {
        const struct result_decision *later = &run->decisions[i];
        if (is_verb(later, CT_VERB_ISSUE) && later->app == d->app &&
            later->instance == d->instance && later->job == d->job && later->task == d->task)
            return later->time_ps;
    }
    return -1;
}

/* Whether the run did what it was asked to. */
static bool went_other_way(const struct what_if *w) {
    const struct result_decision *d = &w->again.decisions[w->decision->number - 1];
    if (is_verb(w->decision, CT_VERB_HOLD))
        return w->issued_again_ps == d->time_ps;
    return d->outcome == CT_WITHHELD;
}

static int take_result(struct what_if *w, const struct cli_experiment *e, struct ct_diags *diags) {
    struct ct_hash key = w->stored->key, is = e->result.runs[0].key;
    w->again = e->result.runs[0];
    if (key.high != is.high || key.low != is.low ||
        !same_until(w->stored, &w->again, w->decision->number))
        return ct_data_error(diags, "--what-if",
                             "run again, run %" PRId64 " goes another way before decision %" PRIu64
                             ": its inputs or the program have changed since it was stored",
                             w->stored->number, w->decision->number);
    w->issued_ps = issue_time(w->stored, w->decision);
    w->issued_again_ps = issue_time(&w->again, w->decision);
    if (!went_other_way(w))
        return ct_data_error(diags, "--what-if",
                             "'%s' could not be made to decide otherwise at decision %" PRIu64,
                             w->stored->report.policy, w->decision->number);
    return sort_jobs(w, diags);
}

/* ---- The answer ---- */

struct change {
    const struct result_job *before, *after;
    int64_t by_ps;
};

struct changes {
    uint64_t jobs, changed, gone; /* gone: ended in one of the runs only */
    struct change faster,
        slower; /* the most; of jobs of services, or of all where there are none */
};

static bool has_services(const struct report *report) {
    for (size_t i = 0; i < report->app_count; i++)
        if (report->apps[i].role == REPORT_SERVICE)
            return true;
    return false;
}

static struct changes find_changes(const struct what_if *w) {
    struct changes changes = {0};
    for (size_t i = 0; i < w->stored->job_count; i++) {
        const struct result_job *job = &w->stored->jobs[i];
        if (!explain_tells(&w->stored->report, job->app) || job->end_ps < 0)
            continue;
        const struct result_job *after =
            explain_job_find(&w->again, job->app, job->instance, job->number);
        changes.jobs++;
        if (!after || after->end_ps < 0) {
            changes.gone++;
            continue;
        }
        struct change change = {
            job, after, (after->end_ps - after->arrival_ps) - (job->end_ps - job->arrival_ps)};
        changes.changed += change.by_ps != 0;
        if (change.by_ps < changes.faster.by_ps)
            changes.faster = change;
        if (change.by_ps > changes.slower.by_ps)
            changes.slower = change;
    }
    return changes;
}

/* Measures of both runs as rows of a table. */
static const char columns[] =
    "of | measure= | =measure | as it was=before:* | other way=after:* | change:*";

static void add_measure(struct table *table, const char *key, const char *title, const char *of,
                        double before, double after) {
    if (!isnan(before) || !isnan(after))
        table_row(table, of, title, key, before, after, after - before);
}

static double latency_ms(const struct result_job *job) {
    return job && job->end_ps >= 0 ? ct_time_ms(job->end_ps - job->arrival_ps) : NAN;
}

static void add_job(const struct what_if *w, struct table *table, const char *title, int64_t app,
                    int64_t instance, int64_t number) {
    const struct result_job *before =
        explain_job_find(w->stored, (uint32_t)app, (uint32_t)instance, (uint64_t)number);
    const struct result_job *after =
        explain_job_find(&w->again, (uint32_t)app, (uint32_t)instance, (uint64_t)number);
    const char *name = explain_job_name(w->stored, app, instance, number, &table->arena);
    table->failed |= !name;
    add_measure(table, "latency_ms", title, name, latency_ms(before), latency_ms(after));
}

/* `system` is what the system is called. */
static struct table gather(const struct what_if *w, const struct explain_choice *job,
                           const char *system) {
    const struct report *a = &w->stored->report, *b = &w->again.report;
    const struct result_decision *d = w->decision;
    struct table table = table_start(columns);
    for (size_t i = 0; i < a->app_count; i++) {
        const struct report_app *x = &a->apps[i], *y = &b->apps[i];
        if (!explain_tells(a, i))
            continue;
        add_measure(&table, "p99_ms", "p99, ms", x->name, x->latency_ms.p99, y->latency_ms.p99);
        add_measure(&table, "late_fraction", "late, part of all", x->name, x->late_fraction,
                    y->late_fraction);
    }
    add_measure(&table, "batch_throughput_normalised", "batch throughput", system,
                a->system.batch_throughput_normalised, b->system.batch_throughput_normalised);
    if (d->job >= 0 && d->app >= 0)
        add_job(w, &table, "decided about, ms", d->app, d->instance, d->job);
    const struct report_app *asked = job ? report_app_named(a, job->app) : NULL;
    if (asked)
        add_job(w, &table, "asked for, ms", asked - a->apps, job->instance, (int64_t)job->number);
    return table;
}

static const char *other_way(const struct result_decision *d) {
    if (is_verb(d, CT_VERB_ISSUE))
        return "It is refused at that instant; the policy may decide anew at the next one.";
    return is_verb(d, CT_VERB_HOLD) ? "The task is issued instead." : "It is not carried out.";
}

static void write_change(struct doc *doc, const struct what_if *w, const struct change *change,
                         const char *how, struct ct_arena *arena) {
    if (!change->before)
        return;
    const char *name = explain_job_name(w->stored, change->before->app, change->before->instance,
                                        (int64_t)change->before->number, arena);
    doc_item(doc, "the most %s: %s, by %s ms (%s ms to %s ms)", how, name ? name : "",
             doc_number(doc, fabs(ct_time_ms(change->by_ps))),
             doc_number(doc, latency_ms(change->before)),
             doc_number(doc, latency_ms(change->after)));
}

/* When the policy did the like again. */
static void write_next(struct doc *doc, const struct what_if *w) {
    const struct result_decision *d = w->decision;
    for (size_t i = (size_t)d->number; i < w->again.decision_count; i++) {
        const struct result_decision *later = &w->again.decisions[i];
        if (later->verb != d->verb || later->outcome != d->outcome || later->app != d->app ||
            later->instance != d->instance)
            continue;
        doc_text(doc, "The policy does the like again %s ms later.",
                 doc_number(doc, ct_time_ms(later->time_ps - d->time_ps)));
        return;
    }
    doc_text(doc, "The policy does nothing like it again.");
}

/* When the task went to the device this time. */
static void write_issue(struct doc *doc, const struct what_if *w) {
    double by = ct_time_ms(w->issued_again_ps - w->issued_ps);
    if (w->decision->task < 0) {
        write_next(doc, w);
        return;
    }
    if (w->issued_again_ps < 0)
        doc_text(doc, "This time the task is not issued before the end.");
    else if (w->issued_ps < 0)
        doc_text(doc, "As it was, the task was not issued before the end.");
    else if (w->issued_again_ps == w->issued_ps)
        doc_text(doc, "Nothing else was going on: the task is issued at that instant after all.");
    else
        doc_text(doc, "The task goes to the device %s ms %s.", doc_number(doc, fabs(by)),
                 by > 0 ? "later" : "earlier");
}

static void write_changes(struct doc *doc, const struct what_if *w, const struct changes *changes,
                          struct ct_arena *arena) {
    const char *noun = has_services(&w->stored->report) ? "queries" : "jobs";
    write_issue(doc, w);
    if (!changes->changed && !changes->gone) {
        doc_text(doc, "The latency of none of the %" PRIu64 " %s changes.", changes->jobs, noun);
        return;
    }
    doc_text(doc,
             "Of %" PRIu64 " %s, the latency of %" PRIu64 " changes; those that had ended "
             "before are the same to the picosecond.",
             changes->jobs, noun, changes->changed);
    write_change(doc, w, &changes->faster, "faster", arena);
    write_change(doc, w, &changes->slower, "slower", arena);
    if (changes->gone)
        doc_item(doc, "%" PRIu64 " %s did not end this time", changes->gone, noun);
    doc_gap(doc);
}

static int write_document(const struct what_if *w, struct table *table,
                          const struct changes *changes, bool markdown, struct ct_arena *arena) {
    struct doc doc = doc_start(stdout, markdown);
    const char *decision = explain_decision(w->stored, w->decision, arena);
    doc_heading(&doc, 1, "What if decision %" PRIu64 " had gone the other way",
                w->decision->number);
    doc_text(&doc, "%s. At %s ms %s %s. %s", explain_run_name(w->stored, arena),
             doc_number(&doc, ct_time_ms(w->decision->time_ps)), w->stored->report.policy,
             decision ? decision : "", other_way(w->decision));
    doc_table(&doc, table);
    write_changes(&doc, w, changes, arena);
    return doc_finish(&doc);
}

static void json_change(struct json_writer *json, const char *key, const struct what_if *w,
                        const struct change *change, struct ct_arena *arena) {
    const struct result_job *job = change->before;
    if (!job)
        json_writer_null(json, key);
    else
        json_writer_object(
            json, key, "job",
            explain_job_name(w->stored, job->app, job->instance, (int64_t)job->number, arena),
            "before_ms", latency_ms(job), "after_ms", latency_ms(change->after), "change_ps",
            change->by_ps);
}

static int write_json(const struct what_if *w, const struct table *table,
                      const struct changes *changes, struct ct_arena *arena) {
    struct json_writer json = json_writer_start(stdout, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "schema", "cotenant.what-if/1", "run", w->stored->number, "decision",
                        w->decision->number, "time_ms", ct_time_ms(w->decision->time_ps), "verb",
                        ct_verb_text(w->decision->verb, w->decision->outcome), "what",
                        explain_decision(w->stored, w->decision, arena), "issued_ms",
                        w->issued_ps < 0 ? NAN : ct_time_ms(w->issued_ps), "issued_other_way_ms",
                        w->issued_again_ps < 0 ? NAN : ct_time_ms(w->issued_again_ps));
    table_write_json(table, &json, "measures");
    json_writer_members(&json, "jobs", changes->jobs, "changed", changes->changed, "not_ended",
                        changes->gone);
    json_change(&json, "most_faster", w, &changes->faster, arena);
    json_change(&json, "most_slower", w, &changes->slower, arena);
    json_writer_end_object(&json);
    fputc('\n', stdout);
    return CT_OK;
}

static int write_answer(struct what_if *w, const struct explain_choice *job, int format,
                        struct ct_diags *diags) {
    bool json = format == REPORT_JSON;
    struct table table = gather(w, job, json ? NULL : "system");
    struct changes changes = find_changes(w);
    int status = CT_OK;
    if (table.failed)
        status = ct_out_of_memory(diags);
    else if (json)
        status = write_json(w, &table, &changes, &w->arena);
    else if (format == REPORT_CSV)
        status = table_print(&table, stdout, TABLE_CSV);
    else
        status = write_document(w, &table, &changes, format == REPORT_MARKDOWN, &w->arena);
    table_free(&table);
    return status;
}

/* ---- All of it ---- */

static int run_again(struct what_if *w, const struct cli_args *args, struct cli_experiment *e,
                     const struct explain_choice *job, int format, struct ct_diags *diags) {
    e->scenario.experiment.seed = (uint64_t)w->stored->report.seed;
    e->scenario.experiment.first_replication = (uint64_t)w->stored->replication;
    e->scenario.experiment.what_if = w->decision->number;
    e->scenario.experiment.record = RESULT_JOBS | RESULT_DECISIONS;
    int status = cli_experiment_run(e, args, "what if", diags);
    if (status == CT_OK)
        status = take_result(w, e, diags);
    return status == CT_OK ? write_answer(w, job, format, diags) : status;
}

int explain_what_if(const struct cli_args *args, const struct result_run *run, uint64_t decision,
                    const struct explain_choice *job, int format, struct ct_diags *diags) {
    struct what_if w = {.stored = run, .decision = find_decision(run, decision)};
    struct result_given given;
    struct cli_experiment e = {.quiet = args->quiet};
    if (!check_decision(run, decision, diags))
        return CT_USAGE;
    if (!result_given_read(run, &w.arena, &given)) {
        ct_error(diags, "--what-if", "run %" PRId64 " was stored without what was typed to make it",
                 run->number);
        ct_arena_free(&w.arena);
        return CT_DATA;
    }
    int status =
        run_given_request(&given, cli_value(args, "workload"), "--what-if", &e.request, diags);
    e.request.trusts_files = cli_has(args, "allow-policy-files");
    e.request.watch = args->watch;
    if (status == CT_OK) {
        status = scenario_open(&e.scenario, &e.request, diags);
        if (status != CT_OK)
            ct_notice(diags, "--what-if",
                      "run %" PRId64 " was made from '%s'; '--workload' says where it is now",
                      run->number, given.workload);
        if (status == CT_OK)
            status = run_given_check(&e.scenario, &given, run, "--what-if", diags);
        if (status == CT_OK)
            status = check_force(&e, w.decision, diags);
        if (status == CT_OK)
            status = run_again(&w, args, &e, job, format, diags);
        cli_experiment_close(&e);
    }
    ct_arena_free(&w.arena);
    return status;
}
