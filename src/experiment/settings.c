#include "experiment/settings.h"

#include "base/ct_text.h"
#include "experiment/experiment_units.h"
#include "format/json_writer.h"
#include "policies/policies.h"
#include "results/report_json.h"
#include "run/profiling.h"
#include "workload/workload_given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Whether a setting changes anything ----
 *
 * The first replication with it is held beside the same without it, from an empty system and
 * without a warm-up. What applications do alone depends on no policy and is looked at apart, once.
 * First comes a 32nd of the duration, then all of it, so that only a setting without influence
 * costs whole runs; long ones are looked at over the part that has INFLUENCE_EVENTS events. */

/* About a second of work for each run; assumed to be bearable. */
#define INFLUENCE_EVENTS 2000000.0

enum stage { STAGE_PART, STAGE_WHOLE, STAGES };

/* What a policy of the experiment does with the workload as it is, stage by stage. */
struct subject {
    const struct experiment *experiment;    /* its first replication is looked at */
    const struct experiment_policy *policy; /* NULL: what applications do alone */
    char *reports[STAGES];                  /* once they are known: JSON */
    double events;                          /* events of the runs of the first stage */
    bool same; /* of the question under way: its inputs are the same without what is asked about */
};

/* What a task of a profiling run adds to a question, until the models are fitted; in events, of
 * which INFLUENCE_EVENTS take about a second (1 us was measured). */
#define EVENTS_PER_SAMPLE 2.0

/* What was seen by one or several that were asked. */
struct look {
    bool asked, found; /* whether anything of the reports differs */
    bool too_long;     /* nobody was asked */
    double looked_s;   /* over how much simulated time was looked, the least */
    double events;     /* that it took, in all */
};

char *settings_measured(const struct report *report) {
    struct report measured = *report;
    struct json_text text;
    measured.workload = measured.gpu = measured.policy = measured.fidelity = "";
    measured.config = NULL;
    measured.seed = 0;
    measured.oracle = REPORT_OPEN;
    measured.device_count = measured.notice_count = 0;
    measured.inputs = report_unknown().inputs;
    if (!json_text_open(&text))
        return NULL;
    report_json_report(&text.writer, &measured, NULL);
    return json_text_close(&text);
}

/* What each application takes alone, as text to compare. */
static char *print_private(const struct report *report) {
    struct json_text text;
    if (!json_text_open(&text))
        return NULL;
    json_writer_begin_array(&text.writer, NULL);
    for (size_t a = 0; a < report->app_count; a++)
        json_writer_array(&text.writer, NULL, report->apps[a].solo_ms,
                          report->apps[a].alone_p99_ms);
    json_writer_end_array(&text.writer);
    return json_text_close(&text);
}

/* The first replication over so much time as text, of one policy or (NULL) of the applications
 * alone; adds the events of its run. */
static int run_part(const struct experiment *whole, const struct experiment_policy *policy,
                    double duration_s, char **text, double *events, struct ct_diags *diags) {
    struct workload workload = *whole->setup->workload;
    struct setup setup = *whole->setup;
    struct experiment_policy one = {.policy = &policy_mps, .label = ""};
    struct experiment experiment = {
        .setup = &setup,
        .policies = &one,
        .policy_count = 1,
        .replications = 1,
        .threads = whole->threads,
        .seed = whole->seed,
        .first_replication = whole->first_replication,
        .unnamed = true,
        .dump_at_ps = CT_TIME_NEVER,
        .banks = whole->banks,
        .cache = whole->cache,
        .version = whole->version,
        .listener = {whole->listener.interrupted, NULL, whole->listener.context}};
    struct experiment_result result;
    if (policy)
        one = *policy;
    one.without = EXPERIMENT_FREE | (policy ? EXPERIMENT_ALONE : EXPERIMENT_BATCH_ONLY);
    workload.duration_s = duration_s;
    workload.warmup_s = 0;
    workload.warmup_by = WORKLOAD_WARMUP_TIME;
    setup.workload = &workload;
    int status = experiment_run(&experiment, &result, diags);
    *text = NULL;
    if (status == CT_OK) {
        const struct report *report = &result.pooled[0];
        *events += (double)report->engine.events;
        *text = policy ? settings_measured(report) : print_private(report);
        status = *text ? CT_OK : ct_out_of_memory(diags);
    }
    experiment_result_free(&result);
    return status;
}

/* What the policy learns before each of its runs, in events. */
static double learning_events(const struct subject *with) {
    const struct ct_policy *policy = with->policy ? with->policy->policy : &policy_mps;
    return experiment_uses_predictions(policy)
               ? EVENTS_PER_SAMPLE * profiling_tasks(with->experiment->setup, policy)
               : 0;
}

/* How much of the time is looked at; in the end what has INFLUENCE_EVENTS events, by those of the
 * first stage. */
static double stage_s(const struct subject *with, enum stage stage) {
    double all_s = with->experiment->setup->workload->duration_s, part_s = all_s / 32;
    double most_s = with->events > 0 ? part_s * INFLUENCE_EVENTS / with->events : all_s;
    return stage == STAGE_PART ? part_s : fmax(part_s, fmin(most_s, all_s));
}

/* The first stage looks at as much. */
static bool looks_further(const struct subject *with, enum stage stage) {
    return stage == STAGE_PART || stage_s(with, STAGE_WHOLE) > stage_s(with, STAGE_PART);
}

/* How many events it takes to ask, about; of the first stage before it was asked once only those of
 * what the policy learns. */
static double asking_cost(const struct subject *with, enum stage stage) {
    double runs = with->reports[stage] ? 1 : 2, events = learning_events(with);
    if (!looks_further(with, stage))
        return 0;
    if (with->reports[STAGE_PART])
        events += with->events * (stage_s(with, stage) / stage_s(with, STAGE_PART));
    return runs * events;
}

/* Compares with the first policy of `without`, an experiment on another setup, or with what
 * applications do alone there, and adds to the look what is seen. enum ct_status. */
static int ask_subject(struct subject *with, enum stage stage, const struct experiment *without,
                       struct look *look, struct ct_diags *diags) {
    double looked_s = stage_s(with, stage), learnt = learning_events(with), events = 0;
    char **known = &with->reports[stage], *other = NULL;
    int status = CT_OK;
    look->looked_s = fmin(look->looked_s, looked_s);
    if (!looks_further(with, stage))
        return CT_OK;
    if (!*known) {
        status = run_part(with->experiment, with->policy, looked_s, known, &events, diags);
        with->events = stage == STAGE_PART ? events : with->events;
        look->events += events + learnt;
    }
    if (status == CT_OK)
        status = run_part(without, with->policy ? without->policies : NULL, looked_s, &other,
                          &look->events, diags);
    look->events += learnt;
    look->found = other && *known && strcmp(other, *known) != 0;
    free(other);
    return status;
}

/* ---- The questions ---- */

/* Questions take at most this part of the events of the command's own runs; where those are few,
 * about five seconds' worth (assumed to be bearable). */
#define PART_OF_EVENTS 0.25
#define EVENTS_LEAST (5 * INFLUENCE_EVENTS)

/* What each application of a workload, each task of its plans, and each of its instances under each
 * policy, adds to a question: they are read, set up and reported anew. In events, of which
 * INFLUENCE_EVENTS take about a second (45 us, 1 us and 10 us were measured). */
#define EVENTS_PER_APP 100.0
#define EVENTS_PER_TASK 2.0
#define EVENTS_PER_INSTANCE 20.0

const char settings_interrupted[] = "interrupted: not every setting was tried, and none is told of";

/* About a key of the workload, or (`list` not NULL) about an option in a policy's name: then the
 * policies are that one without it. */
struct question {
    struct workload_given_key key;
    uint32_t policy;
    const char *list, *option;
    bool open; /* the answer may lie in more time */
};

struct inquiry {
    const struct settings_about *about;
    const struct scenario *scenario;
    CT_VEC(struct question) questions;
    struct subject *subjects; /* what each policy does with everything that is given; then what
                                 applications do alone */
    double left;              /* events */
    double opening;           /* events that it takes to ask, besides those of runs */
    uint32_t asked, idle, left_out;
    char names[1500], left_names[500]; /* of the idle ones, and of those left out */
    double looked_s;                   /* the least of the idle ones */
};

static double events_of_runs(const struct settings_about *about) {
    double events = 0;
    for (uint32_t p = 0;
         about->result && about->result->finished && p < about->scenario->experiment.policy_count;
         p++)
        events += (double)about->result->pooled[p].engine.events;
    return events;
}

static double events_to_open(const struct setup *setup, uint32_t policies) {
    double events = EVENTS_PER_APP * setup->app_count;
    for (uint32_t a = 0; a < setup->app_count; a++) {
        const struct setup_app *app = &setup->apps[a];
        events += EVENTS_PER_INSTANCE * policies * (double)app->spec->instances;
        for (uint32_t p = 0; p < app->plan_count; p++)
            events += EVENTS_PER_TASK * app->plans[p].count;
    }
    return events;
}

static bool make_inquiry(const struct settings_about *about, struct inquiry *q) {
    const struct experiment *e = &about->scenario->experiment;
    uint32_t count = e->policy_count;
    *q = (struct inquiry){.about = about, .scenario = about->scenario, .looked_s = INFINITY};
    q->left = fmax(EVENTS_LEAST, PART_OF_EVENTS * events_of_runs(about));
    q->opening = events_to_open(&about->scenario->setup, count);
    q->subjects = calloc(count + 1u, sizeof *q->subjects);
    for (uint32_t s = 0; q->subjects && s <= count; s++)
        q->subjects[s] = (struct subject){e, s < count ? &e->policies[s] : NULL, {NULL}, 0, false};
    return q->subjects;
}

static void free_inquiry(struct inquiry *q) {
    for (uint32_t s = 0; q->subjects && s <= q->scenario->experiment.policy_count; s++)
        for (int stage = 0; stage < STAGES; stage++)
            free(q->subjects[s].reports[stage]);
    ct_vec_free(&q->questions);
    free(q->subjects);
}

/* ---- One question ---- */

/* Finds whether a policy has the same inputs as the first of `without`: what is given is what holds
 * without it. Labels play no part. */
static int compare_inputs(struct subject *with, const struct experiment *without,
                          struct ct_diags *diags) {
    const struct experiment *both[] = {with->experiment, without};
    struct ct_hash keys[2] = {{0, 0}, {0, 0}};
    int status = CT_OK;
    for (int i = 0; i < 2 && status == CT_OK; i++) {
        struct experiment one = *both[i];
        struct experiment_policy own = i == 0 ? *with->policy : *without->policies;
        own.label = "";
        one.policies = &own;
        one.policy_count = one.replications = 1;
        status = experiment_key(&one, &keys[i], diags);
    }
    with->same = status == CT_OK && keys[0].high == keys[1].high && keys[0].low == keys[1].low;
    return status;
}

/* The policies from `first` on, and (not where only options of a policy differ) what applications
 * do alone, until somebody finds something. */
static int ask_subjects(struct inquiry *q, uint32_t first, uint32_t count, enum stage stage,
                        struct experiment *without, struct look *look, struct ct_diags *diags) {
    struct subject *subjects = &q->subjects[first],
                   *alone = &q->subjects[q->scenario->experiment.policy_count];
    const struct experiment_policy *policies = without->policies;
    bool all = true, setup_differs = without->setup != &q->scenario->setup;
    int status = CT_OK;
    double cost = setup_differs ? asking_cost(alone, stage) : 0;
    for (uint32_t i = 0; i < count && status == CT_OK; i++) {
        without->policies = &policies[i];
        status = compare_inputs(&subjects[i], without, diags);
        all = all && subjects[i].same;
        cost += subjects[i].same ? 0 : asking_cost(&subjects[i], stage);
    }
    if (status != CT_OK || all)
        return status;
    look->too_long = cost > q->left;
    if (!look->too_long && setup_differs)
        status = ask_subject(alone, stage, without, look, diags);
    for (uint32_t i = 0; i < count && status == CT_OK && !look->found && !look->too_long; i++) {
        without->policies = &policies[i];
        if (!subjects[i].same)
            status = ask_subject(&subjects[i], stage, without, look, diags);
    }
    q->left -= look->events;
    look->asked = status == CT_OK; /* what cannot be run without it needs it */
    return status;
}

int settings_outcome(int status, const struct ct_diags *unheard, struct ct_diags *diags) {
    if (status == CT_OK || status == CT_INTERRUPTED)
        return status;
    return unheard->lost || unheard->no_memory ? ct_out_of_memory(diags) : CT_OK;
}

/* "baymax:margin=0.2:order=x" without its n-th option; `list` NULL: it has fewer. False: memory ran
 * out. */
static bool label_without(const char *label, size_t n, const char **list, const char **option,
                          struct ct_arena *arena) {
    const char *begin = strchr(label, ':');
    *list = NULL;
    for (; begin && n > 0; n--)
        begin = strchr(begin + 1, ':');
    if (!begin)
        return true;
    size_t length = 1 + strcspn(begin + 1, ":");
    *option = ct_arena_strndup(arena, begin + 1, length - 1);
    *list = ct_arena_format(arena, "%.*s%s", (int)(begin - label), label, begin + length);
    return *list && *option;
}

/* Where the workload is none without the key, or the policy without the option, that is needed, and
 * nothing is asked. */
static int ask(struct inquiry *q, const struct question *question, enum stage stage,
               struct look *look, struct ct_diags *diags) {
    struct experiment experiment = q->scenario->experiment;
    struct ct_diags unheard = {.files = diags->files};
    struct scenario without = {.request = q->scenario->request, .workload = q->scenario->workload};
    uint32_t first = 0, count = experiment.policy_count;
    int status;
    if (question->list) {
        without.request.policies = *question->list ? question->list : NULL;
        without.request.one_policy = false;
        first = question->policy;
        count = 1;
        status = scenario_add_policies(&without, &unheard);
        without.workload = (struct workload){0}; /* the other's */
    } else {
        status = scenario_open_without(&without, q->scenario, &question->key, &unheard);
        experiment.setup = &without.setup;
        experiment.banks = NULL;
    }
    experiment.policies = without.policies.items.items;
    if (status == CT_OK && (question->list || without.policies.items.count == count))
        status = ask_subjects(q, first, count, stage, &experiment, look, &unheard);
    status = settings_outcome(status, &unheard, diags);
    scenario_close(&without);
    ct_diags_free(&unheard);
    return status;
}

/* ---- All of them ---- */

static bool is_meant(const struct inquiry *q, const struct workload_given_key *key) {
    const char *const *some = q->about->some, *const *given = q->scenario->request.assignments;
    for (size_t i = 0; some && key->assignment != WORKLOAD_OF_FILE && i < q->about->some_count; i++)
        if (strcmp(some[i], given[key->assignment]) == 0)
            return true;
    return !some;
}

static int collect_keys(struct inquiry *q, struct ct_arena *arena, struct ct_diags *diags) {
    struct workload_given given;
    struct workload_source source = scenario_source(&q->scenario->request);
    int status = workload_given_read(&source, arena, &given, diags);
    for (size_t i = 0; i < given.count && status == CT_OK; i++) {
        struct question question = {.key = given.items[i], .open = true};
        if (is_meant(q, &given.items[i]) && !ct_vec_push(&q->questions, question))
            status = ct_out_of_memory(diags);
    }
    ct_vec_free(&given);
    return status;
}

static int collect_labels(struct inquiry *q, struct ct_arena *arena, struct ct_diags *diags) {
    for (uint32_t p = 0; p < q->scenario->experiment.policy_count; p++) {
        struct question question = {.policy = p, .list = "", .open = true};
        const char *label = q->scenario->experiment.policies[p].label;
        for (size_t n = 0; question.list; n++)
            if (!label_without(label, n, &question.list, &question.option, arena) ||
                (question.list && !ct_vec_push(&q->questions, question)))
                return ct_out_of_memory(diags);
    }
    return CT_OK;
}

/* Adds what was asked about to a list of names. */
static void add_name(const struct inquiry *q, const struct question *question, char *names,
                     size_t size) {
    const char *policy =
        question->list ? q->scenario->experiment.policies[question->policy].policy->name : NULL;
    ct_text_add(names, size, ", ", "%s%s%s", policy ? policy : "", policy ? ":" : "",
                policy ? question->option : question->key.path);
}

static void count_answer(struct inquiry *q, struct question *question, enum stage stage,
                         const struct look *look) {
    bool over = look->found || look->too_long || stage == STAGE_WHOLE;
    question->open = look->asked && !over;
    if (!look->asked || !over)
        return;
    q->asked += !look->too_long;
    q->left_out += look->too_long;
    if (look->too_long) {
        add_name(q, question, q->left_names, sizeof q->left_names);
    } else if (!look->found) {
        q->idle++;
        q->looked_s = fmin(q->looked_s, look->looked_s);
        add_name(q, question, q->names, sizeof q->names);
    }
}

/* A little of everything first: what acts shows there, at little cost. */
static int ask_questions(struct inquiry *q, struct ct_diags *diags) {
    int status = CT_OK;
    uint64_t count = q->questions.count;
    for (int stage = 0; stage < STAGES; stage++)
        for (size_t i = 0; i < count && status == CT_OK; i++) {
            struct question *question = &q->questions.items[i];
            struct look look = {.looked_s = INFINITY};
            ct_tell_progress(&q->about->listener, (double)((uint64_t)stage * count + i),
                             (double)(count * STAGES));
            if (!question->open)
                continue;
            look.asked = look.too_long = q->left <= q->opening;
            if (!look.too_long)
                status = ask(q, question, (enum stage)stage, &look, diags);
            q->left -= q->opening;
            count_answer(q, question, (enum stage)stage, &look);
        }
    return status;
}

static const char *sentence_of(const struct inquiry *q, struct ct_arena *arena) {
    char text[2000] = "", looked[80] = "", left[700] = "";
    if (q->idle && q->looked_s < q->scenario->workload.duration_s)
        snprintf(looked, sizeof looked, " in the first %.3g s", q->looked_s);
    if (q->left_out)
        snprintf(left, sizeof left, "%s%u key%s would have taken too long to try without: %s",
                 q->asked ? "; " : "", q->left_out, q->left_out == 1 ? "" : "s", q->left_names);
    if (q->idle)
        snprintf(text, sizeof text, "the result%s would be the same without %s%s", looked,
                 q->idle > 1 ? "any one of " : "", q->names);
    else if (q->asked == 1)
        snprintf(text, sizeof text, "leaving out the one optional key would change the result");
    else if (q->asked)
        snprintf(text, sizeof text,
                 "leaving out any one of the %u optional keys would change the result", q->asked);
    return ct_arena_format(arena, "settings: %s%s", text, left);
}

static int ask_all(struct inquiry *q, struct ct_arena *arena, const char **sentence,
                   struct ct_diags *diags) {
    int status = collect_keys(q, arena, diags);
    if (status == CT_OK)
        status = collect_labels(q, arena, diags);
    if (status == CT_OK)
        status = ask_questions(q, diags);
    if (status == CT_OK && q->asked + q->left_out > 0) {
        *sentence = sentence_of(q, arena);
        status = *sentence ? CT_OK : ct_out_of_memory(diags);
    }
    if (status == CT_INTERRUPTED)
        ct_warning(diags, "", "%s", settings_interrupted);
    return status == CT_INTERRUPTED ? CT_OK : status;
}

int settings_ask(const struct settings_about *about, struct ct_arena *arena, const char **sentence,
                 struct ct_diags *diags) {
    struct inquiry q;
    *sentence = NULL;
    int status = make_inquiry(about, &q) ? CT_OK : ct_out_of_memory(diags);
    if (status == CT_OK)
        status = ask_all(&q, arena, sentence, diags);
    free_inquiry(&q);
    return status;
}

static bool add_notice(struct report *report, const char *text, struct ct_arena *arena) {
    const char **notices = ct_arena_array(arena, report->notice_count + 1, sizeof *notices);
    if (!notices)
        return false;
    notices[0] = text;
    for (size_t i = 0; i < report->notice_count; i++)
        notices[i + 1] = report->notices[i];
    report->notices = notices;
    report->notice_count++;
    return true;
}

int settings_note(const struct settings_about *about, struct ct_diags *diags) {
    struct experiment_result *result = about->result;
    const char *sentence;
    int status = settings_ask(about, &result->arena, &sentence, diags);
    bool done = true;
    for (uint32_t p = 0;
         status == CT_OK && sentence && p < about->scenario->experiment.policy_count; p++) {
        done = done && add_notice(&result->pooled[p], sentence, &result->arena);
        if (result->finished == 1) /* its own pool, in a store */
            done = done && add_notice(&result->runs[p].report, sentence, &result->arena);
    }
    return done ? status : ct_out_of_memory(diags);
}
