#include "cmd/explain_what_if.h"

#include "base/ct_assert.h"
#include "cli/cli_experiment.h"
#include "format/csv_text.h"
#include "format/doc_writer.h"
#include "format/json_writer.h"
#include "results/result_given.h"
#include "results/result_place.h"

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

static bool check_decision(const struct result_run *run, uint64_t number, struct ct_diags *diags) {
    const struct result_decision *d = find_decision(run, number);
    if (!run->decision_count && run->report.system.decisions > 0)
        ct_error(diags, "--what-if",
                 "run %" PRId64
                 " was stored without its decisions: 'run -o' stores them, 'compare' "
                 "does not",
                 run->number);
    else if (!run->decision_count)
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

/* What made the run, as far as it decides the result. enum ct_status. */
static int read_request(const struct cli_args *args, const struct result_given *given,
                        struct scenario_request *again, struct ct_diags *diags) {
    const char *moved = cli_value(args, "workload");
    int fidelity = SCENARIO_OWN;
    for (int f = 0; given->fidelity && workload_fidelities[f]; f++)
        if (strcmp(workload_fidelities[f], given->fidelity) == 0)
            fidelity = f;
    *again = (struct scenario_request){.workload = moved ? moved : given->workload,
                                       .assignments = given->settings,
                                       .assignment_count = given->setting_count,
                                       .policies = given->policy,
                                       .one_policy = true,
                                       .fidelity = fidelity,
                                       .seed = SCENARIO_OWN,
                                       .watch = args->watch,
                                       .version = COTENANT_VERSION};
    if (!given->fidelity || fidelity != SCENARIO_OWN)
        return CT_OK;
    ct_error(diags, "--what-if", "the run was made in a fidelity that is unknown here: '%s'",
             given->fidelity);
    return CT_DATA;
}

static int check_inputs(const struct cli_experiment *e, const struct result_given *given,
                        const struct result_run *run, struct ct_diags *diags) {
    char inputs[CT_HASH_TEXT];
    ct_hash_print(e->scenario.workload.hash, inputs);
    if (strcmp(run->report.version, COTENANT_VERSION) != 0)
        ct_error(diags, "--what-if", "run %" PRId64 " is of version %s, this is %s", run->number,
                 run->report.version, COTENANT_VERSION);
    else if (strcmp(inputs, given->inputs) != 0)
        ct_error(diags, e->scenario.workload.path,
                 "the workload or its traces have changed since run %" PRId64 " was stored",
                 run->number);
    return diags->errors ? CT_DATA : CT_OK;
}

static int check_force(const struct cli_experiment *e, const struct result_decision *d,
                       struct ct_diags *diags) {
    ct_assert(e->scenario.experiment.policies); /* one at least: the workload's own */
    const struct ct_policy *policy = e->scenario.experiment.policies[0].policy;
    if (!is_verb(d, CT_VERB_HOLD) || policy->force)
        return CT_OK;
    ct_error(diags, "--what-if", "policy '%s' cannot be made to issue what it holds", policy->name);
    return CT_USAGE;
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
        !same_until(w->stored, &w->again, w->decision->number)) {
        ct_error(diags, "--what-if",
                 "run again, run %" PRId64 " goes another way before decision %" PRIu64
                 ": its inputs or the program have changed since it was stored",
                 w->stored->number, w->decision->number);
        return CT_DATA;
    }
    w->issued_ps = issue_time(w->stored, w->decision);
    w->issued_again_ps = issue_time(&w->again, w->decision);
    if (!went_other_way(w)) {
        ct_error(diags, "--what-if",
                 "'%s' could not be made to decide otherwise at decision %" PRIu64,
                 w->stored->report.policy, w->decision->number);
        return CT_DATA;
    }
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
    bool services = has_services(&w->stored->report);
    for (size_t i = 0; i < w->stored->job_count; i++) {
        const struct result_job *job = &w->stored->jobs[i];
        if (services && w->stored->report.apps[job->app].role != REPORT_SERVICE)
            continue;
        const struct result_job *after =
            explain_job_find(&w->again, job->app, job->instance, job->number);
        changes.jobs++;
        if (!after) {
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

static double ms_of(int64_t ps) {
    return (double)ps / (double)CT_PS_PER_MS;
}

/* One measure of both runs. */
struct measure {
    const char *key, *title, *app; /* app NULL: of the system */
    double before, after;
};

struct measures {
    CT_VEC(struct measure);
};

static bool add_measure(struct measures *measures, const char *key, const char *title,
                        const char *app, double before, double after) {
    if (isnan(before) && isnan(after))
        return true;
    return ct_vec_push(measures, (struct measure){key, title, app, before, after});
}

static double latency_ms(const struct result_job *job) {
    return job ? ms_of(job->end_ps - job->arrival_ps) : NAN;
}

static bool add_job(const struct what_if *w, struct measures *measures, const char *title,
                    int64_t app, int64_t instance, int64_t number, struct ct_arena *arena) {
    const struct result_job *before =
        explain_job_find(w->stored, (uint32_t)app, (uint32_t)instance, (uint64_t)number);
    const struct result_job *after =
        explain_job_find(&w->again, (uint32_t)app, (uint32_t)instance, (uint64_t)number);
    const char *name = explain_job_name(w->stored, app, instance, number, arena);
    return name &&
           add_measure(measures, "latency_ms", title, name, latency_ms(before), latency_ms(after));
}

static bool gather(const struct what_if *w, const struct explain_choice *job,
                   struct measures *measures, struct ct_arena *arena) {
    const struct report *a = &w->stored->report, *b = &w->again.report;
    const struct result_decision *d = w->decision;
    bool ok = true;
    for (size_t i = 0; i < a->app_count && ok; i++)
        if (a->apps[i].role == REPORT_SERVICE || !has_services(a))
            ok = add_measure(measures, "p99_ms", "p99, ms", a->apps[i].name,
                             a->apps[i].latency_ms.p99, b->apps[i].latency_ms.p99) &&
                 add_measure(measures, "late_fraction", "late, part of all", a->apps[i].name,
                             a->apps[i].late_fraction, b->apps[i].late_fraction);
    ok = ok &&
         add_measure(measures, "batch_throughput_normalised", "batch throughput", NULL,
                     a->system.batch_throughput_normalised, b->system.batch_throughput_normalised);
    if (ok && d->job >= 0 && d->app >= 0)
        ok = add_job(w, measures, "decided about, ms", d->app, d->instance, d->job, arena);
    for (size_t i = 0; ok && job && i < a->app_count; i++)
        if (strcmp(a->apps[i].name, job->app) == 0)
            ok = add_job(w, measures, "asked for, ms", (int64_t)i, job->instance,
                         (int64_t)job->number, arena);
    return ok;
}

static const char *other_way(const struct result_decision *d) {
    if (is_verb(d, CT_VERB_ISSUE))
        return "It is refused at that instant; the policy may decide anew at the next one.";
    return is_verb(d, CT_VERB_HOLD) ? "The task is issued instead." : "It is not carried out.";
}

static void write_change(struct doc *doc, const struct what_if *w, const struct change *change,
                         const char *how, struct ct_arena *arena) {
    char by[DOC_NUMBER], from[DOC_NUMBER], to[DOC_NUMBER];
    const char *name;
    if (!change->before)
        return;
    name = explain_job_name(w->stored, change->before->app, change->before->instance,
                            (int64_t)change->before->number, arena);
    doc_item(doc, "the most %s: %s, by %s ms (%s ms to %s ms)", how, name ? name : "",
             doc_format_plain(fabs(ms_of(change->by_ps)), by),
             doc_format_plain(latency_ms(change->before), from),
             doc_format_plain(latency_ms(change->after), to));
}

static void write_table(struct doc *doc, const struct measures *measures) {
    static const struct doc_column columns[] = {{"of", false},
                                                {"measure", false},
                                                {"as it was", true},
                                                {"other way", true},
                                                {"change", true}};
    doc_table_begin(doc, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < measures->count; i++) {
        const struct measure *m = &measures->items[i];
        doc_cell(doc, "%s", m->app ? m->app : "system");
        doc_cell(doc, "%s", m->title);
        doc_number(doc, m->before);
        doc_number(doc, m->after);
        doc_number(doc, m->after - m->before);
    }
    doc_table_end(doc);
}

/* When the policy did the like again. */
static void write_next(struct doc *doc, const struct what_if *w) {
    const struct result_decision *d = w->decision;
    char ms[DOC_NUMBER];
    for (size_t i = (size_t)d->number; i < w->again.decision_count; i++) {
        const struct result_decision *later = &w->again.decisions[i];
        if (later->verb != d->verb || later->outcome != d->outcome || later->app != d->app ||
            later->instance != d->instance)
            continue;
        doc_text(doc, "The policy does the like again %s ms later.",
                 doc_format_plain(ms_of(later->time_ps - d->time_ps), ms));
        return;
    }
    doc_text(doc, "The policy does nothing like it again.");
}

/* When the task went to the device this time. */
static void write_issue(struct doc *doc, const struct what_if *w) {
    char ms[DOC_NUMBER];
    double by = ms_of(w->issued_again_ps - w->issued_ps);
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
        doc_text(doc, "The task goes to the device %s ms %s.", doc_format_plain(fabs(by), ms),
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

static int write_document(const struct what_if *w, const struct measures *measures,
                          const struct changes *changes, bool markdown, struct ct_arena *arena) {
    struct doc doc = doc_start(stdout, markdown);
    const char *decision = explain_decision(w->stored, w->decision, arena);
    char ms[DOC_NUMBER];
    doc_heading(&doc, 1, "What if decision %" PRIu64 " had gone the other way",
                w->decision->number);
    doc_text(&doc, "Run %" PRId64 ", seed %" PRId64 ", replication %" PRId64 ". At %s ms %s %s. %s",
             w->stored->number, w->stored->report.seed, w->stored->replication,
             doc_format_plain(ms_of(w->decision->time_ps), ms), w->stored->report.policy,
             decision ? decision : "", other_way(w->decision));
    write_table(&doc, measures);
    write_changes(&doc, w, changes, arena);
    return doc_finish(&doc);
}

static int write_csv(const struct measures *measures) {
    fputs("of,measure,before,after,change\n", stdout);
    for (size_t i = 0; i < measures->count; i++) {
        const struct measure *m = &measures->items[i];
        const double numbers[] = {m->before, m->after, m->after - m->before};
        csv_write_text(stdout, m->app ? m->app : "system");
        fprintf(stdout, ",%s", m->key);
        for (size_t j = 0; j < CT_COUNT_OF(numbers); j++) {
            fputc(',', stdout);
            csv_write_double(stdout, numbers[j]);
        }
        fputc('\n', stdout);
    }
    return CT_OK;
}

static void json_change(struct json_writer *json, const char *key, const struct what_if *w,
                        const struct change *change, struct ct_arena *arena) {
    if (!change->before) {
        json_writer_null(json, key);
        return;
    }
    json_writer_begin_object(json, key);
    json_writer_string(json, "job",
                       explain_job_name(w->stored, change->before->app, change->before->instance,
                                        (int64_t)change->before->number, arena));
    json_writer_double(json, "before_ms", latency_ms(change->before));
    json_writer_double(json, "after_ms", latency_ms(change->after));
    json_writer_integer(json, "change_ps", change->by_ps);
    json_writer_end_object(json);
}

static void json_time(struct json_writer *json, const char *key, ct_time_ps time) {
    json_writer_double(json, key, time < 0 ? NAN : ms_of(time));
}

static int write_json(const struct what_if *w, const struct measures *measures,
                      const struct changes *changes, struct ct_arena *arena) {
    struct json_writer json = json_writer_start(stdout, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "schema", "cotenant.what-if/1");
    json_writer_integer(&json, "run", w->stored->number);
    json_writer_integer(&json, "decision", (int64_t)w->decision->number);
    json_writer_double(&json, "time_ms", ms_of(w->decision->time_ps));
    json_writer_string(&json, "verb", ct_verb_text(w->decision->verb, w->decision->outcome));
    json_writer_string(&json, "what", explain_decision(w->stored, w->decision, arena));
    json_time(&json, "issued_ms", w->issued_ps);
    json_time(&json, "issued_other_way_ms", w->issued_again_ps);
    json_writer_begin_array(&json, "measures");
    for (size_t i = 0; i < measures->count; i++) {
        const struct measure *m = &measures->items[i];
        json_writer_begin_object(&json, NULL);
        json_writer_string(&json, "of", m->app);
        json_writer_string(&json, "measure", m->key);
        json_writer_double(&json, "before", m->before);
        json_writer_double(&json, "after", m->after);
        json_writer_double(&json, "change", m->after - m->before);
        json_writer_end_object(&json);
    }
    json_writer_end_array(&json);
    json_writer_integer(&json, "jobs", (int64_t)changes->jobs);
    json_writer_integer(&json, "changed", (int64_t)changes->changed);
    json_writer_integer(&json, "not_ended", (int64_t)changes->gone);
    json_change(&json, "most_faster", w, &changes->faster, arena);
    json_change(&json, "most_slower", w, &changes->slower, arena);
    json_writer_end_object(&json);
    fputc('\n', stdout);
    return CT_OK;
}

static int write_answer(struct what_if *w, const struct explain_choice *job, int format,
                        struct ct_diags *diags) {
    struct measures measures = {0};
    struct changes changes = find_changes(w);
    int status = CT_OK;
    if (!gather(w, job, &measures, &w->arena))
        status = ct_out_of_memory(diags);
    else if (format == REPORT_JSON)
        status = write_json(w, &measures, &changes, &w->arena);
    else if (format == REPORT_CSV)
        status = write_csv(&measures);
    else
        status = write_document(w, &measures, &changes, format == REPORT_MARKDOWN, &w->arena);
    ct_vec_free(&measures);
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
    int status = read_request(args, &given, &e.request, diags);
    if (status == CT_OK) {
        status = scenario_open(&e.scenario, &e.request, diags);
        if (status != CT_OK)
            ct_notice(diags, "--what-if",
                      "run %" PRId64 " was made from '%s'; '--workload' says where it is now",
                      run->number, given.workload);
        if (status == CT_OK)
            status = check_inputs(&e, &given, run, diags);
        if (status == CT_OK)
            status = check_force(&e, w.decision, diags);
        if (status == CT_OK)
            status = run_again(&w, args, &e, job, format, diags);
        cli_experiment_close(&e);
    }
    ct_arena_free(&w.arena);
    return status;
}
