#include "api/cotenant_internal.h"

#include "base/ct_blame.h"
#include "base/ct_text.h"
#include "base/ct_verb.h"
#include "experiment/bands.h"
#include "experiment/experiment.h"
#include "experiment/scenario.h"
#include "experiment/settings.h"
#include "results/report.h"
#include "results/result_store.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ct_results {
    struct scenario scenario; /* what the results point to */
    struct experiment_result result;
    struct ct_arena arena; /* texts of rows */
    CT_VEC(struct ct_row) rows;
    const char *policy; /* of the rows that are being added */
    bool lost;          /* memory for one of them ran out */
};

const char *ct_version(void) {
    return COTENANT_VERSION;
}

/* ---- What is simulated ---- */

/* The text of a scenario as a file of its name, for readers of files that know no texts. */
static const void *text_or_file(void *context, const char *path, size_t *size) {
    const struct ct_scenario *s = context;
    if (!s->text || strcmp(path, s->workload) != 0)
        return ct_files_content(&s->files, path, size);
    *size = strlen(s->text);
    return s->text;
}

static struct ct_scenario *scenario_new(const char *workload, const char *text) {
    struct ct_scenario *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->workload = ct_arena_strdup(&s->arena, workload ? workload : "");
    s->text = text ? ct_arena_strdup(&s->arena, text) : NULL;
    s->as_file = (struct ct_files){.context = s, .content = text_or_file};
    if (s->workload && (s->text || !text))
        return s;
    ct_scenario_free(s);
    return NULL;
}

struct ct_scenario *ct_scenario_file(const char *path) {
    return scenario_new(path, NULL);
}

struct ct_scenario *ct_scenario_text(const char *json, const char *name) {
    return scenario_new(name, json ? json : "");
}

void ct_scenario_free(struct ct_scenario *s) {
    if (!s)
        return;
    ct_vec_free(&s->assignments);
    ct_vec_free(&s->own);
    ct_diags_free(&s->diags);
    ct_arena_free(&s->arena);
    free(s);
}

void ct_scenario_serve(struct ct_scenario *s,
                       const void *(*content)(void *context, const char *path, size_t *size),
                       void *context) {
    if (s)
        s->files = (struct ct_files){.context = context, .content = content};
}

/* A copy; NULL: no memory, no scenario, or an error, since there is no text. */
static const char *keep_text(struct ct_scenario *s, const char *text, const char *what) {
    if (s && !text)
        ct_error(&s->diags, s->workload, "%s is NULL", what);
    return s && text ? ct_arena_strdup(&s->arena, text) : NULL;
}

bool ct_scenario_set(struct ct_scenario *s, const char *assignment) {
    const char *copy = keep_text(s, assignment, "an assignment");
    return copy && ct_vec_push(&s->assignments, copy);
}

bool ct_scenario_policies(struct ct_scenario *s, const char *policies) {
    const char *copy = keep_text(s, policies, "the list of policies");
    if (copy)
        s->policies = copy;
    return copy != NULL;
}

bool ct_scenario_policy(struct ct_scenario *s, const struct ct_policy *policy) {
    if (s && !policy)
        ct_error(&s->diags, s->workload, "a policy is NULL");
    return s && policy && ct_vec_push(&s->own, policy);
}

void ct_scenario_allow_policy_files(struct ct_scenario *s) {
    if (s)
        s->trusts_files = true;
}

void ct_scenario_forget(struct ct_scenario *s) {
    ct_diags_free(&s->diags);
    s->diags.files = &s->files;
}

void ct_scenario_say_ended(struct ct_scenario *s) {
    ct_error(&s->diags, s->workload, "stopped before there was anything to report");
}

bool ct_scenario_may_repeat(struct ct_scenario *s, uint32_t reps) {
    if (reps > CT_REPS_MOST)
        ct_error(&s->diags, s->workload, "%" PRIu32 " replications are asked for, of %d at most",
                 reps, CT_REPS_MOST);
    return reps <= CT_REPS_MOST;
}

int ct_scenario_open(struct ct_scenario *s, int64_t seed, uint32_t reps, struct scenario *opened) {
    struct scenario_request request = {.workload = s->workload,
                                       .text = s->text,
                                       .assignments = s->assignments.items,
                                       .assignment_count = s->assignments.count,
                                       .policies = s->policies,
                                       .trusts_files = s->trusts_files,
                                       .own = s->own.items,
                                       .own_count = s->own.count,
                                       .fidelity = SCENARIO_OWN,
                                       .seed = seed < 0 ? SCENARIO_OWN : seed,
                                       .version = COTENANT_VERSION};
    ct_scenario_forget(s);
    int status = scenario_open(opened, &request, &s->diags);
    for (size_t p = 0; p < opened->policies.items.count && status == CT_OK; p++)
        status =
            sim_check_needs(opened->policies.items.items[p].policy,
                            opened->policies.items.items[p].options, &opened->setup.gpu, &s->diags);
    if (status == CT_OK && !s->diags.errors)
        ct_scenario_may_repeat(s, reps);
    return status == CT_OK && s->diags.errors ? CT_USAGE : status;
}

bool ct_scenario_check(struct ct_scenario *s) {
    struct scenario opened;
    if (!s)
        return false;
    int status = ct_scenario_open(s, SCENARIO_OWN, 1, &opened);
    scenario_close(&opened);
    return status == CT_OK;
}

size_t ct_scenario_message_count(const struct ct_scenario *s) {
    return s ? s->diags.count : 1;
}

struct ct_message ct_scenario_message(const struct ct_scenario *s, size_t index) {
    _Static_assert((int)CT_MESSAGE_NOTICE == (int)CT_NOTICE &&
                       (int)CT_MESSAGE_WARNING == (int)CT_WARNING &&
                       (int)CT_MESSAGE_ERROR == (int)CT_ERROR,
                   "kinds of messages are those of diagnostics");
    if (!s && index == 0)
        return (struct ct_message){CT_MESSAGE_ERROR, "", "there is no scenario: it is NULL"};
    if (!s || index >= s->diags.count)
        return (struct ct_message){CT_MESSAGE_NOTICE, "", ""};
    const struct ct_diag *d = &s->diags.items[index];
    return (struct ct_message){(int)d->severity, d->where, d->text};
}

/* ---- A run ---- */

static bool is_ended(void *context) {
    return ((struct listener *)context)->ended;
}

static void hear(void *context, double done, double total) {
    struct listener *listener = context;
    double all = total > 0 ? total : (double)listener->total, part = all > 0 ? done / all : 1;
    if (listener->options->progress && !listener->ended)
        listener->ended = !listener->options->progress(listener->options->context, part);
}

struct ct_listener listener_of(struct listener *listener) {
    return (struct ct_listener){is_ended, hear, listener};
}

struct ct_run_options run_options_of(const struct ct_run_options *given) {
    struct ct_run_options options = {.size = sizeof options, .seed = -1};
    if (given)
        memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    options.threads = options.threads ? options.threads : 1;
    return options;
}

static void add_row(void *context, const struct report_row *row) {
    struct ct_results *r = context;
    char *measure = ct_arena_strdup(&r->arena, row->measure);
    char *text = row->text ? ct_arena_strdup(&r->arena, row->text) : NULL;
    struct ct_row kept = {r->policy, row->scope, row->name, measure, text, row->number};
    if (row->text && *row->text) { /* whole numbers are written as text */
        char *end;
        double number = strtod(row->text, &end);
        kept.number = *end ? NAN : number;
    }
    r->lost |= !measure || (row->text && !text) || !ct_vec_push(&r->rows, kept);
}

/* enum ct_status */
static int set_comparison(struct scenario *s, const struct ct_run_options *options,
                          struct ct_diags *diags) {
    static const char *const names[] = {"targets", "all"};
    const char *measures = options->measures ? options->measures : names[0];
    bool all = strcmp(measures, names[1]) == 0;
    if (all || strcmp(measures, names[0]) == 0)
        return scenario_compare(s, options->baseline, all, diags);
    ct_unknown(diags, "choice of 'measures'", measures, names, CT_COUNT_OF(names));
    return CT_USAGE;
}

/* enum ct_status */
static int check_self(struct ct_results *r, struct ct_diags *diags) {
    struct bands_about bands = {
        .experiment = &r->scenario.experiment, .result = &r->result, .draws = BANDS_OWN};
    struct settings_about settings = {.scenario = &r->scenario, .result = &r->result};
    int status = scenario_warn_targets(&r->scenario, diags);
    if (status == CT_OK)
        status = bands_add(&bands, diags);
    return status == CT_OK ? settings_note(&settings, diags) : status;
}

/* enum ct_status */
static int run(struct ct_results *r, const struct ct_run_options *options, struct ct_diags *diags) {
    struct experiment *e = &r->scenario.experiment;
    struct listener listener = {.options = options};
    e->replications = options->reps ? options->reps : 1;
    e->threads = options->threads;
    e->blame = !options->no_blame;
    e->record = options->record | (options->store ? RESULT_JOBS : 0);
    if (options->progress)
        e->listener = listener_of(&listener);
    listener.total = experiment_run_count(e);
    int status = experiment_run(e, &r->result, diags);
    scenario_warn_overload(&r->scenario, &r->result, diags);
    if (status == CT_OK && options->self_check)
        status = check_self(r, diags);
    e->listener = (struct ct_listener){0};
    if (status == CT_INTERRUPTED && r->result.finished > 0)
        status = CT_OK;
    if (status == CT_OK && options->store)
        status = experiment_store(e, &r->result, options->store, diags);
    for (uint32_t p = 0; p < e->policy_count && status == CT_OK; p++) {
        r->policy = r->result.pooled[p].policy;
        report_rows(&r->result.pooled[p], add_row, r);
    }
    return r->lost ? ct_out_of_memory(diags) : status;
}

struct ct_results *ct_scenario_run(struct ct_scenario *s, const struct ct_run_options *given) {
    struct ct_run_options options = run_options_of(given);
    struct ct_results *r = s ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    int status = ct_scenario_open(s, options.seed, options.reps, &r->scenario);
    if (status == CT_OK)
        status = set_comparison(&r->scenario, &options, &s->diags);
    if (status == CT_OK)
        status = run(r, &options, &s->diags);
    if (status == CT_OK)
        return r;
    if (status == CT_INTERRUPTED)
        ct_scenario_say_ended(s);
    ct_results_free(r);
    return NULL;
}

/* ---- What came out ---- */

void ct_results_free(struct ct_results *r) {
    if (!r)
        return;
    experiment_result_free(&r->result);
    scenario_close(&r->scenario);
    ct_vec_free(&r->rows);
    ct_arena_free(&r->arena);
    free(r);
}

uint32_t ct_results_reps(const struct ct_results *r) {
    return r ? r->result.finished : 0;
}

size_t ct_results_row_count(const struct ct_results *r) {
    return r ? r->rows.count : 0;
}

struct ct_row ct_results_row(const struct ct_results *r, size_t index) {
    return r && index < r->rows.count ? r->rows.items[index]
                                      : (struct ct_row){"", "", NULL, "", NULL, NAN};
}

static bool same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

double ct_results_value(const struct ct_results *r, size_t policy, const char *app,
                        const char *measure) {
    if (!r || policy >= r->scenario.experiment.policy_count)
        return NAN;
    const char *label = r->result.pooled[policy].policy;
    for (size_t i = 0; i < r->rows.count; i++) {
        const struct ct_row *row = &r->rows.items[i];
        if (row->policy == label && same(row->app, app) && same(row->measure, measure))
            return row->number;
    }
    return NAN;
}

/* ---- What was recorded ---- */

_Static_assert((int)CT_RECORD_JOBS == (int)RESULT_JOBS &&
                   (int)CT_RECORD_TASKS == (int)RESULT_TASKS &&
                   (int)CT_RECORD_DECISIONS == (int)RESULT_DECISIONS,
               "what is recorded is what a store keeps");

/* NULL: there is no such run, or there are no results. */
static const struct result_run *run_of(const struct ct_results *r, size_t policy, size_t rep) {
    bool is_there = r && policy < r->scenario.experiment.policy_count && rep < r->result.finished;
    return is_there ? &r->result.runs[policy * r->result.finished + rep] : NULL;
}

static const struct result_job *job_of(const struct ct_results *r, size_t policy, size_t rep,
                                       size_t index) {
    const struct result_run *run = run_of(r, policy, rep);
    return run && index < run->job_count ? &run->jobs[index] : NULL;
}

static const struct result_decision *decision_of(const struct ct_results *r, size_t policy,
                                                 size_t rep, size_t index) {
    const struct result_run *run = run_of(r, policy, rep);
    return run && index < run->decision_count ? &run->decisions[index] : NULL;
}

const char *ct_results_app(const struct ct_results *r, size_t app) {
    const struct report *report = r ? &r->result.pooled[0] : NULL;
    return report && app < report->app_count ? report->apps[app].name : NULL;
}

bool ct_results_job(const struct ct_results *r, size_t policy, size_t rep, size_t index,
                    struct ct_job_record *out) {
    const struct result_job *j = job_of(r, policy, rep, index);
    if (j && out)
        *out = (struct ct_job_record){j->app,        j->instance,       j->number,
                                      j->arrival_ps, j->first_issue_ps, j->end_ps};
    return j;
}

bool ct_results_task(const struct ct_results *r, size_t policy, size_t rep, size_t index,
                     struct ct_task_record *out) {
    const struct result_run *run = run_of(r, policy, rep);
    const struct result_task *t = run && index < run->task_count ? &run->tasks[index] : NULL;
    if (t && out)
        *out = (struct ct_task_record){.app = t->app,
                                       .instance = t->instance,
                                       .job = t->job,
                                       .task = t->index,
                                       .stream = t->stream,
                                       .kind = trace_kind_names[t->kind],
                                       .name = t->name ? t->name : "",
                                       .blocks = t->blocks,
                                       .bytes = t->bytes,
                                       .share = t->share,
                                       .ready_ps = t->ready_ps,
                                       .issued_ps = t->issued_ps,
                                       .queued_ps = t->queued_ps,
                                       .started_ps = t->started_ps,
                                       .ended_ps = t->ended_ps};
    return t;
}

bool ct_results_decision(const struct ct_results *r, size_t policy, size_t rep, size_t index,
                         struct ct_decision_record *out) {
    const struct result_decision *d = decision_of(r, policy, rep, index);
    if (d && out)
        *out = (struct ct_decision_record){.time_ps = d->time_ps,
                                           .decision = ct_verb_text(d->verb, d->outcome),
                                           .app = d->app,
                                           .instance = d->instance,
                                           .job = d->job,
                                           .task = d->task,
                                           .notes = d->note_count};
    return d;
}

const char *ct_results_note(const struct ct_results *r, size_t policy, size_t rep, size_t decision,
                            size_t note, double *value) {
    const struct result_decision *d = decision_of(r, policy, rep, decision);
    if (!d || note >= d->note_count)
        return NULL;
    if (value)
        *value = d->notes[note].value;
    return d->notes[note].key;
}

double ct_results_job_part(const struct ct_results *r, size_t policy, size_t rep, size_t index,
                           const char *part) {
    const struct result_job *j = job_of(r, policy, rep, index);
    int which = part ? ct_blame_find(part) : -1;
    return j && j->blame_ps && which >= 0 ? ct_time_ms(j->blame_ps[which]) : NAN;
}

/* ---- Reports ---- */

char *text_in_form(const char *form, int (*write)(void *context, int format, FILE *out),
                   void *context) {
    char *text = NULL;
    size_t size = 0;
    size_t format =
        form ? ct_text_index(form, report_format_names, REPORT_FORMAT_COUNT) : REPORT_FORMAT_COUNT;
    FILE *out = format < REPORT_FORMAT_COUNT ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    int status = write(context, (int)format, out);
    if (fclose(out) == 0 && status == CT_OK)
        return text;
    free(text);
    return NULL;
}

static int write_report(void *context, int format, FILE *out) {
    const struct ct_results *r = context;
    uint32_t policies = r->scenario.experiment.policy_count;
    struct report_comparison comparison = {r->result.pooled, policies, r->result.differences,
                                           r->result.difference_count};
    return policies == 1 ? report_write((enum report_format)format, r->result.pooled, 1, out)
                         : report_write_comparison((enum report_format)format, &comparison, out);
}

char *ct_results_report(const struct ct_results *r, const char *form) {
    return r ? text_in_form(form, write_report, (void *)(uintptr_t)r) : NULL;
}

void ct_text_free(char *text) {
    free(text);
}
