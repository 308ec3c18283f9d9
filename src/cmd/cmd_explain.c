/* Why the slowest jobs of a stored run were slow, and what if one decision had been another. */
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cli/cli_isolate.h"
#include "cmd/commands.h"
#include "cmd/run_again.h"
#include "explain/explain.h"
#include "format/csv_reader.h"
#include "policies/policies.h"
#include "results/result_sweep.h"

#include <inttypes.h>
#include <string.h>

static const struct cli_option options[] = {
    {"run", 'r', "N", "this run, by its number (see 'report --list'); else the newest with jobs"},
    {"policy", 'p', "NAME", "the newest run with jobs under this policy, of a comparison"},
    {"app", 'a', "NAME", "of this application; else of every service"},
    {"worst", 'w', "N", "how many jobs of each (10)"},
    {"job", 0, "APP:NUMBER", "this job alone; APP.INSTANCE:NUMBER where there are several"},
    {"decisions", 0, NULL, "instead: every decision of the policy in words, in the order of time"},
    {"what-if", 0, "DECISION",
     "run it again with this decision, by its number in the log, forced the other way"},
    {"workload", 0, "WORKLOAD.json", "for --what-if: where the run's workload is now"},
    {"format", 'f', "text|json|csv|markdown", "form of the answer"},
    CLI_ISOLATE_OPTIONS,
    CLI_TRUST_OPTION,
    {0},
};

struct question {
    struct explain_choice choice;
    char app[256], whole[256]; /* of --job */
    int64_t run, what_if;      /* 0: not given */
    const char *policy;        /* NULL: of any */
    int format;
};

/* "imc:7", "bfs.2:7". */
static void read_job(const char *text, struct question *q, struct ct_diags *diags) {
    const char *colon = strrchr(text, ':');
    uint64_t instance = 0;
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof q->app ||
        !csv_parse_count(colon + 1, INT64_MAX, &q->choice.number)) {
        ct_error(diags, "", "'%s' of '--job' is not APP:NUMBER or APP.INSTANCE:NUMBER", text);
        return;
    }
    snprintf(q->app, sizeof q->app, "%.*s", (int)(colon - text), text);
    memcpy(q->whole, q->app, sizeof q->app);
    char *point = strrchr(q->app, '.');
    if (point && csv_parse_count(point + 1, UINT32_MAX, &instance)) {
        *point = '\0';
        q->choice.instance = (uint32_t)instance;
    }
    q->choice.one = true;
    q->choice.app = q->app;
}

static void read_question(const struct cli_args *args, struct question *q, struct ct_diags *diags) {
    const char *job = cli_value(args, "job");
    *q = (struct question){.choice = {.app = cli_value(args, "app")},
                           .policy = cli_value(args, "policy")};
    q->format = cli_choice(args, "format", report_format_names, REPORT_TEXT, diags);
    q->run = cli_int(args, "run", 1, INT64_MAX, 0, diags);
    q->choice.worst = (uint64_t)cli_int(args, "worst", 1, 100000, 10, diags);
    q->what_if = cli_int(args, "what-if", 1, INT64_MAX, 0, diags);
    bool chooses = cli_has(args, "app") || cli_has(args, "worst");
    if (job && chooses)
        ct_error(diags, "", "'--job' names one job: '--app' and '--worst' do not go with it");
    if (q->what_if && chooses)
        ct_error(diags, "", "'--app' and '--worst' do not go with '--what-if'");
    if (q->run && q->policy)
        ct_error(diags, "", "'--run' names one run: '--policy' does not go with it");
    if (cli_has(args, "decisions") && (job || q->what_if || chooses))
        ct_error(diags, "", "'--decisions' are those of a run: no job, application or --what-if");
    if (cli_has(args, "workload") && !q->what_if)
        ct_error(diags, "", "'--workload' goes with '--what-if'");
    if (job)
        read_job(job, q, diags);
}

/* The run that was asked for, or else the newest under the policy, of several replications the
 * first; 0: there is none. */
static int64_t choose_run(const struct result_set *set, const char *policy) {
    for (size_t i = set->runs.count; i-- > 0;) {
        const struct result_run *run = &set->runs.items[i];
        bool is_part = run->pool && set->runs.count > 1; /* not with --run, which reads one */
        if (run->purpose || is_part || (policy && strcmp(run->report.policy, policy) != 0))
            continue;
        return run->member_count ? run->members[0] : run->number;
    }
    return 0;
}

/* Errors that say which policies there are, or that there is no run at all. */
static int no_run(struct result_set *set, const char *policy, const char *path,
                  struct ct_diags *diags) {
    const char **names = ct_arena_array(&set->arena, set->runs.count + 1, sizeof *names);
    size_t count = 0;
    if (!names)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < set->runs.count; i++) {
        const char *name = set->runs.items[i].report.policy;
        if (!set->runs.items[i].purpose && ct_text_index(name, names, count) >= count)
            names[count++] = name;
    }
    if (!policy || !count)
        return ct_data_error(diags, path, "has no run to explain");
    ct_unknown(diags, "policy", policy, names, count);
    return CT_USAGE;
}

/* A name may end in a point and digits, too. */
static void prefer_whole_name(struct question *q, const struct report *report) {
    if (q->choice.one && report_app_named(report, q->whole)) {
        q->choice.app = q->whole;
        q->choice.instance = 0;
    }
}

/* A run of an earlier version has no sentences: those of the policy that ships under its name. A
 * label is a name, or NAME:OPTIONS. False: memory ran out. */
static bool recall_reasons(struct result_run *run, struct ct_arena *arena) {
    const char *label = run->report.policy;
    const char *name = ct_arena_format(arena, "%.*s", (int)strcspn(label, ":"), label);
    const struct ct_policy *policy = name ? policies_find(name) : NULL;
    size_t count = 0;
    if (run->reason_count || !policy || !policy->reasons)
        return name;
    while (policy->reasons[count].key)
        count++;
    struct result_reason *reasons = ct_arena_array(arena, count, sizeof *reasons);
    for (size_t i = 0; reasons && i < count; i++)
        reasons[i] = (struct result_reason){(enum ct_verb)policy->reasons[i].verb,
                                            policy->reasons[i].key, policy->reasons[i].sentence};
    run->reasons = reasons;
    run->reason_count = reasons ? count : 0;
    return reasons;
}

/* Where the run has no jobs since a sweep keeps none, an error says so. enum ct_status. */
static int check_jobs(const struct result_run *run, struct result_store *store,
                      struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct result_sweeps sweeps = {0};
    int status = run->job_count ? CT_OK : result_sweeps_read(store, &arena, &sweeps, diags);
    if (status == CT_OK && sweeps.count)
        status = ct_data_error(diags, "",
                               "run %" PRId64 " was stored without jobs that ended: a sweep keeps "
                               "none, 'run -o' does",
                               run->number);
    ct_vec_free(&sweeps);
    ct_arena_free(&arena);
    return status;
}

static int answer(const struct cli_args *args, struct question *q, const struct result_run *run,
                  struct result_store *store, struct ct_diags *diags) {
    struct explanation explanation = {0};
    prefer_whole_name(q, &run->report);
    if (q->what_if)
        return explain_what_if(args, run, (uint64_t)q->what_if, q->choice.one ? &q->choice : NULL,
                               q->format, diags);
    if (cli_has(args, "decisions") && explain_lacks_decisions(run, "--decisions", diags))
        return CT_USAGE;
    if (cli_has(args, "decisions"))
        return explain_log(run, q->format, stdout);
    int status = check_jobs(run, store, diags);
    if (status == CT_OK)
        status = explain_make(run, &q->choice, &explanation, diags);
    if (status == CT_OK)
        status = explain_write(q->format, &explanation, stdout);
    explanation_free(&explanation);
    return status;
}

static int read_and_answer(const struct cli_args *args, struct question *q,
                           struct result_store *store, struct ct_diags *diags) {
    enum { PARTS = RESULT_JOBS | RESULT_TASKS | RESULT_DECISIONS };
    struct result_set heads = {0}, set = {0};
    int status = result_store_read(store, q->run, 0, &heads, diags);
    int64_t number = status == CT_OK ? choose_run(&heads, q->policy) : 0;
    if (status == CT_OK && !number)
        status = no_run(&heads, q->policy, args->operands[0], diags);
    result_set_free(&heads);
    if (status == CT_OK)
        status = result_store_read(store, number, PARTS, &set, diags);
    if (status == CT_OK && !recall_reasons(&set.runs.items[0], &set.arena))
        status = ct_out_of_memory(diags);
    if (status == CT_OK)
        status = answer(args, q, &set.runs.items[0], store, diags);
    result_set_free(&set);
    return status;
}

static int cmd_explain(struct cli_args *args, struct ct_diags *diags) {
    struct question question;
    read_question(args, &question, diags);
    if (diags->errors)
        return CT_USAGE;
    struct result_store *store = result_store_open(args->operands[0], RESULT_READ, diags);
    int status = store ? read_and_answer(args, &question, store, diags) : CT_DATA;
    result_store_close(store);
    return status;
}

CLI_COMMAND(explain, "RESULTS.db", 1, 1,
            "say in sentences what delayed the slowest jobs of a stored run, and which decisions");
