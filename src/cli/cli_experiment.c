#include "cli_experiment.h"

#include "cli_given.h"
#include "cli_policy.h"
#include "ct_option_value.h"
#include "ct_text.h"
#include "policy_load.h"
#include "result_store.h"
#include "solo.h"
#include "workload_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Policies ---- */

static const struct ct_policy *find_policy(struct cli_policies *policies, const char *name,
                                           const char *where, struct ct_diags *diags) {
    void *handle = NULL;
    if (!policy_is_file(name))
        return cli_policy_find(name, where, diags);
    const struct ct_policy *policy = cli_policy_load(name, &handle, policies->watch, diags);
    if (policy && !ct_vec_push(&policies->handles, handle)) {
        ct_out_of_memory(diags);
        return NULL;
    }
    return policy;
}

/* Settings of the workload hold for the policy that it names, `name` as it names it; those of --set
 * for all that have such an option. */
static int apply_settings(struct cli_experiment *e, const struct ct_policy *policy,
                          const char *name, void *options, struct ct_diags *diags) {
    const struct workload *w = &e->workload;
    bool own = w->policy && strcmp(w->policy, name) == 0;
    int status = CT_OK;
    for (size_t i = 0; i < w->policy_settings.count; i++) {
        const struct workload_setting *s = &w->policy_settings.items[i];
        if (s->assigned ? !ct_option_find(policy->options, s->key) : !own)
            continue;
        int result = ct_option_set(policy->options, s->key, s->value, options, &e->policies.arena,
                                   s->where, diags);
        status = result == CT_OK ? status : result;
    }
    return status;
}

/* "margin=0.2" after a policy's name. */
static int apply_option(struct cli_experiment *e, const struct ct_policy *policy, void *options,
                        char *text, const char *where, struct ct_diags *diags) {
    char *equals = strchr(text, '=');
    if (!equals) {
        ct_error(diags, where, "'%s' of policy '%s' is not KEY=VALUE", text, policy->name);
        return CT_USAGE;
    }
    *equals = '\0';
    return ct_option_set(policy->options, text, equals + 1, options, &e->policies.arena,
                         policy->name, diags);
}

/* Reports tell policies apart by their labels. */
static int add_item(struct cli_policies *policies, struct experiment_policy item, const char *where,
                    struct ct_diags *diags) {
    for (size_t i = 0; i < policies->items.count; i++)
        if (strcmp(policies->items.items[i].label, item.label) == 0) {
            ct_error(diags, where, "policy '%s' is named twice", item.label);
            return CT_USAGE;
        }
    return ct_vec_push(&policies->items, item) ? CT_OK : ct_out_of_memory(diags);
}

/* What reports call a policy: as the user did, but that of a shared object by its name. NULL:
 * memory ran out. */
static const char *label_of(struct ct_arena *arena, const struct ct_policy *policy,
                            const char *asked, bool file) {
    const char *settings = strchr(asked, ':');
    if (!file)
        return ct_arena_strdup(arena, asked);
    size_t size = strlen(policy->name) + (settings ? strlen(settings) : 0) + 1;
    char *label = ct_arena_alloc(arena, size);
    if (label)
        snprintf(label, size, "%s%s", policy->name, settings ? settings : "");
    return label;
}

static int add_policy(struct cli_experiment *e, const char *label, const char *where,
                      struct ct_diags *diags) {
    struct cli_policies *policies = &e->policies;
    char *text = ct_arena_strdup(&policies->arena, label);
    if (!text)
        return ct_out_of_memory(diags);
    char *option = strchr(text, ':');
    if (option)
        *option++ = '\0';
    const struct ct_policy *policy = find_policy(policies, text, where, diags);
    if (!policy)
        return CT_USAGE;
    void *options = ct_arena_alloc(&policies->arena, policy->options_size);
    if (!options)
        return ct_out_of_memory(diags);
    ct_options_default(policy->options, options);
    int status = apply_settings(e, policy, text, options, diags);
    for (char *next; option && status == CT_OK; option = next) {
        next = strchr(option, ':');
        if (next)
            *next++ = '\0';
        status = apply_option(e, policy, options, option, where, diags);
    }
    const char *shown = label_of(&policies->arena, policy, label, policy_is_file(text));
    if (!shown)
        return ct_out_of_memory(diags);
    struct experiment_policy item = {
        .policy = policy, .options = options, .label = shown, .watch = policies->watch};
    if (policy_is_file(text))
        item.code = policy_file_hash(text);
    int added = add_item(policies, item, where, diags);
    return status == CT_OK ? added : status;
}

static int add_list(struct cli_experiment *e, const char *list, struct ct_diags *diags) {
    int status = CT_OK;
    for (const char *next = list; next; list = next) {
        size_t length = strcspn(list, ",");
        next = list[length] ? list + length + 1 : NULL;
        char *label = ct_arena_strndup(&e->policies.arena, list, length);
        int result = label ? add_policy(e, label, "--policies", diags) : ct_out_of_memory(diags);
        status = result == CT_OK ? status : result;
    }
    return status;
}

/* Of the workload, or the plain one. */
static int add_default(struct cli_experiment *e, struct ct_diags *diags) {
    if (e->workload.policy)
        return add_policy(e, e->workload.policy, e->workload.policy_where, diags);
    return add_policy(e, "mps", "", diags);
}

/* Of --policies, of --policy, or neither. */
static int add_policies(struct cli_experiment *e, const struct cli_args *args, const char *policies,
                        struct ct_diags *diags) {
    if (!policies)
        return add_default(e, diags);
    if (cli_has(args, "policies"))
        return add_list(e, policies, diags);
    if (!strchr(policies, ','))
        return add_policy(e, policies, "--policy", diags);
    ct_error(diags, "--policy", "'%s' names several policies; '%s' takes one", policies,
             args->command->name);
    return CT_USAGE;
}

int cli_experiment_policies(struct cli_experiment *e, const char *list, struct ct_diags *diags) {
    return list ? add_list(e, list, diags) : add_default(e, diags);
}

struct names {
    const char *items[512];
    size_t count;
};

static void add_name(struct names *names, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    if (names->count < CT_COUNT_OF(names->items))
        names->items[names->count++] = name;
}

/* A bare key is an option; misspelt, it may as well have been meant as a key of the workload. */
static void unknown_option(const struct cli_policies *policies,
                           const struct workload_setting *setting, struct ct_diags *diags) {
    struct names options = {0}, all;
    char hint[CT_HINT_BYTES];
    for (size_t p = 0; p < policies->items.count; p++)
        for (const struct ct_option *o = policies->items.items[p].policy->options; o && o->name;
             o++)
            add_name(&options, o->name);
    all = options;
    for (const struct workload_key *k = workload_keys; k->option.name; k++)
        add_name(&all, k->option.name);
    if (!*ct_text_hint(hint, setting->key, all.items, all.count) && options.count > 0)
        ct_text_hint_or_all(hint, setting->key, options.items, options.count);
    ct_error(diags, setting->where, "unknown option '%s'%s", setting->key,
             *hint ? hint : "; there are none");
}

int cli_experiment_check_options(const struct cli_experiment *e, struct ct_diags *diags) {
    const struct workload_settings *settings = &e->workload.policy_settings;
    int status = CT_OK;
    for (size_t i = 0; i < settings->count; i++) {
        bool known = !settings->items[i].assigned;
        for (size_t p = 0; p < e->policies.items.count && !known; p++)
            known =
                ct_option_find(e->policies.items.items[p].policy->options, settings->items[i].key);
        if (!known)
            unknown_option(&e->policies, &settings->items[i], diags);
        status = known ? status : CT_USAGE;
    }
    return status;
}

/* ---- The experiment ---- */

int cli_experiment_fidelity(struct cli_experiment *e, struct ct_diags *diags) {
    int own = e->workload.fidelity;
    int fidelity = cli_choice(e->args, "fidelity", workload_fidelities, own, diags);
    if (fidelity < 0)
        return CT_USAGE;
    e->workload.fidelity = fidelity;
    if (fidelity == own || workload_hash(&e->workload))
        return CT_OK;
    return ct_out_of_memory(diags);
}

static int read_all(struct cli_experiment *e, const struct cli_args *args, const char *text,
                    const char *policies, struct ct_diags *diags) {
    size_t count;
    const char **assignments = cli_values(args, "set", &count);
    if (!assignments)
        return ct_out_of_memory(diags);
    int status =
        text ? workload_read_text(args->operands[0], text, assignments, count, &e->workload, diags)
             : workload_read(args->operands[0], assignments, count, &e->workload, diags);
    free(assignments);
    if (status != CT_OK)
        return status;
    status = cli_experiment_fidelity(e, diags);
    if (status != CT_OK)
        return status;
    e->text = text;
    e->policies.list = policies;
    status = add_policies(e, args, policies, diags);
    if (status == CT_OK)
        status = cli_experiment_check_options(e, diags);
    if (status == CT_OK)
        status = cli_given_fill(e, diags);
    int made = setup_make(&e->workload, &e->setup, diags);
    return status != CT_OK ? status : made;
}

int cli_experiment_open(struct cli_experiment *e, const struct cli_args *args, const char *policies,
                        struct ct_diags *diags) {
    return cli_experiment_open_text(e, args, NULL, policies, diags);
}

int cli_experiment_open_text(struct cli_experiment *e, const struct cli_args *args,
                             const char *text, const char *policies, struct ct_diags *diags) {
    *e = (struct cli_experiment){.args = args, .policies.watch = args->watch};
    int64_t seed = -1;
    cli_int(args, "seed", 0, INT64_MAX, &seed, diags);
    int status = read_all(e, args, text, policies, diags);
    if (status == CT_OK && diags->errors)
        status = CT_USAGE;
    const char *output = cli_value(args, "output");
    if (status == CT_OK && output) {
        e->store = result_store_open(output, RESULT_WRITE, diags);
        status = e->store ? CT_OK : CT_DATA;
    }
    e->experiment = (struct experiment){.setup = &e->setup,
                                        .policies = e->policies.items.items,
                                        .policy_count = (uint32_t)e->policies.items.count,
                                        .replications = 1,
                                        .threads = 1,
                                        .seed = (uint64_t)(seed >= 0 ? seed : e->workload.seed),
                                        .blame = !cli_has(args, "no-blame"),
                                        .dump_at_ps = CT_TIME_NEVER,
                                        .version = COTENANT_VERSION};
    return status;
}

static int warn_target(const struct cli_experiment *e, uint32_t app, struct ct_diags *diags) {
    const struct workload_app *spec = &e->workload.apps.items[app];
    struct solo solo;
    char where[600];
    if (spec->qos_ms <= 0)
        return CT_OK;
    int status = solo_measure(&e->setup, app, e->experiment.seed, &solo, diags);
    snprintf(where, sizeof where, "%s: apps[%u]", e->workload.path, app);
    if (status == CT_OK && solo.median_ms > spec->qos_ms)
        ct_warning(diags, where,
                   "'%s' misses its target of %g ms even alone: its median job takes %.4g ms",
                   spec->name, spec->qos_ms, solo.median_ms);
    return status;
}

int cli_experiment_warn_targets(const struct cli_experiment *e, struct ct_diags *diags) {
    int status = CT_OK;
    for (uint32_t app = 0; app < e->setup.app_count && status == CT_OK; app++)
        status = warn_target(e, app, diags);
    return status;
}

/* At once: a long run may lie ahead. */
static int say_targets(const struct cli_experiment *e) {
    struct ct_diags diags = {0};
    int status = cli_experiment_warn_targets(e, &diags);
    cli_print_diags(&diags, false);
    ct_diags_free(&diags);
    return status;
}

static void show_progress(void *context, uint64_t done) {
    struct cli_experiment *e = context;
    cli_progress_set(&e->progress, done);
}

/* Exit code 0, but nobody should take such latencies for those of a system that keeps up. */
static void warn_of_overload(const struct cli_experiment *e, struct ct_diags *diags) {
    for (uint32_t p = 0; p < e->experiment.policy_count; p++) {
        const struct report *report = &e->result.pooled[p];
        for (size_t a = 0; a < report->app_count; a++)
            if (report->apps[a].overloaded == REPORT_YES)
                ct_warning(diags, e->workload.path,
                           "'%s' is overloaded under %s: %.0f jobs wait at the end, and its "
                           "latencies are lower bounds that grow with the length of the run",
                           report->apps[a].name, report->policy, report->apps[a].backlog_jobs);
    }
}

int cli_experiment_run(struct cli_experiment *e, const struct cli_args *args, const char *what,
                       struct ct_diags *diags) {
    int status = say_targets(e);
    if (status != CT_OK)
        return status;
    cli_catch_interrupt();
    e->experiment.interrupted = cli_is_interrupted;
    e->experiment.progress = show_progress;
    e->experiment.context = e;
    uint64_t total = EXPERIMENT_RUN_PROGRESS * experiment_run_count(&e->experiment);
    cli_progress_begin(&e->progress, what, total, args->quiet);
    status = experiment_run(&e->experiment, &e->result, diags);
    cli_progress_end(&e->progress);
    if (e->result.interrupted)
        ct_warning(diags, "", "interrupted: %u of %u replications are finished", e->result.finished,
                   e->experiment.replications);
    if (e->result.finished > 0)
        warn_of_overload(e, diags);
    return status;
}

/* ---- How many replications ---- */

/* "2%" or "2": per cent, as a part of one. */
static bool read_precision(const struct cli_args *args, double *precision, struct ct_diags *diags) {
    const char *text = cli_value(args, "precision");
    char *end;
    if (!text)
        return true;
    double percent = strtod(text, &end);
    if (end > text && *end == '%')
        end++;
    if (end == text || *end || !(percent >= 0.01 && percent <= 50)) {
        ct_error(diags, "", "'%s' of '--precision' is not a number from 0.01%% to 50%%", text);
        return false;
    }
    *precision = percent / 100;
    return true;
}

static bool has_service(const struct workload *w) {
    for (size_t i = 0; i < w->apps.count; i++)
        if (w->apps.items[i].role == WORKLOAD_SERVICE)
            return true;
    return false;
}

bool cli_experiment_extent(struct cli_experiment *e, const struct cli_args *args, uint32_t standard,
                           struct ct_diags *diags) {
    int64_t replications = standard, most = 200, threads = 1;
    bool ok = cli_int(args, "reps", 1, 100000, &replications, diags);
    ok = cli_int(args, "max-reps", 2, 100000, &most, diags) && ok;
    ok = cli_int(args, "jobs", 1, 64, &threads, diags) && ok;
    ok = read_precision(args, &e->experiment.precision, diags) && ok;
    bool wanted = cli_has(args, "precision");
    if (wanted && cli_has(args, "reps")) {
        ct_error(diags, "",
                 "'--reps' and '--precision' exclude each other; '--max-reps' is the "
                 "most that '--precision' may take");
        ok = false;
    }
    if (!wanted && cli_has(args, "max-reps")) {
        ct_error(diags, "", "'--max-reps' goes with '--precision'");
        ok = false;
    }
    if (wanted && e->workload.apps.count && !has_service(&e->workload)) {
        ct_error(diags, "",
                 "'--precision' is about the p99 of services, and the workload has none");
        ok = false;
    }
    e->experiment.replications = (uint32_t)(wanted ? most : replications);
    e->experiment.threads = (uint32_t)threads;
    return ok;
}

/* ---- The store ---- */

/* A single replication is its own pool. */
static int store_policy(struct result_store *store, const struct cli_experiment *e, uint32_t p,
                        int64_t *number, struct ct_diags *diags) {
    uint32_t finished = e->result.finished;
    struct result_run pooled = {.replication = RESULT_POOLED, .report = e->result.pooled[p]};
    if (finished == 1)
        return result_store_add_run(store, &e->result.runs[p], number, diags);
    int status = result_store_add_run(store, &pooled, number, diags);
    for (uint32_t r = 0; r < finished && status == CT_OK; r++) {
        struct result_run run = e->result.runs[(size_t)p * finished + r];
        run.pool = *number;
        status = result_store_add_run(store, &run, NULL, diags);
    }
    return status;
}

int cli_experiment_add(const struct cli_experiment *e, struct result_store *store, int64_t *numbers,
                       struct ct_diags *diags) {
    uint32_t policies = e->experiment.policy_count;
    int status = CT_OK;
    for (uint32_t p = 0; p < policies && status == CT_OK; p++)
        status = store_policy(store, e, p, &numbers[p], diags);
    if (status == CT_OK && policies > 1) {
        struct result_comparison comparison = {numbers, policies, e->result.differences,
                                               e->result.difference_count};
        status = result_store_add_comparison(store, &comparison, diags);
    }
    return status;
}

/* Half a comparison would look like a whole one to whoever reads the store later. */
int cli_experiment_store(const struct cli_experiment *e, struct ct_diags *diags) {
    if (!e->store)
        return CT_OK;
    int64_t *numbers = calloc(e->experiment.policy_count, sizeof *numbers);
    if (!numbers)
        return ct_out_of_memory(diags);
    int status = result_store_begin(e->store, diags);
    if (status == CT_OK) {
        status = cli_experiment_add(e, e->store, numbers, diags);
        int ended = result_store_end(e->store, status == CT_OK, diags);
        status = status == CT_OK ? ended : status;
    }
    free(numbers);
    return status;
}

void cli_experiment_close(struct cli_experiment *e) {
    experiment_result_free(&e->result);
    if (e->store)
        result_store_close(e->store);
    setup_free(&e->setup);
    workload_free(&e->workload);
    for (size_t i = 0; i < e->policies.handles.count; i++)
        policy_unload(e->policies.handles.items[i]);
    ct_vec_free(&e->policies.handles);
    ct_vec_free(&e->policies.items);
    ct_arena_free(&e->policies.arena);
}
