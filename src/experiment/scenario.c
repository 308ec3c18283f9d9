#include "experiment/scenario.h"

#include "base/ct_files.h"
#include "base/ct_option_value.h"
#include "base/ct_text.h"
#include "experiment/experiment_units.h"
#include "format/json_place.h"
#include "format/json_writer.h"
#include "policies/named_values.h"
#include "policies/policies.h"
#include "results/report_bounds.h"
#include "run/policy_watch.h"
#include "workload/policy_load.h"
#include "workload/setup_memory.h"
#include "workload/workload_keys.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Policies ---- */

const struct ct_policy *scenario_find_policy(const char *name, const char *where,
                                             struct ct_diags *diags) {
    const char *names[64];
    size_t count, known = 0;
    const struct ct_policy *const *all = policies_all(&count);
    const struct ct_policy *policy = policies_find(name);
    if (policy)
        return policy;
    for (; known < count && known < CT_COUNT_OF(names); known++)
        names[known] = all[known]->name;
    char hint[CT_HINT_BYTES];
    ct_text_hint(hint, name, names, known);
    return ct_null_error(diags, where, "unknown policy '%s'%s", name,
                         *hint ? hint : "; 'cotenant list policies' shows them");
}

const struct ct_policy *scenario_load_policy(const char *path, void **handle,
                                             struct policy_watch *watch, struct ct_diags *diags) {
    struct policy_watch_run *run = policy_watch_begin(watch, path, 0, 0);
    policy_watch_enter(run, POLICY_WATCH_LOADING, 0);
    const struct ct_policy *policy = policy_load(path, handle, diags);
    policy_watch_leave(run);
    policy_watch_end(run);
    return policy;
}

static const struct ct_policy *find_policy(struct scenario *s, const char *name, bool in_file,
                                           const char *where, struct ct_diags *diags) {
    void *handle = NULL;
    if (!policy_is_file(name))
        return scenario_find_policy(name, where, diags);
    if (in_file && !s->request.trusts_files)
        return ct_null_error(
            diags, where,
            "policy '%s' is code, which no file may choose to run: %spass "
            "--allow-policy-files if you trust this file",
            name, s->request.policies_in_file ? "" : "name it yourself with --policy, or ");
    const struct ct_policy *policy = scenario_load_policy(name, &handle, s->request.watch, diags);
    if (policy && !ct_vec_push(&s->policies.handles, handle)) {
        ct_out_of_memory(diags);
        return NULL;
    }
    return policy;
}

/* Where a file that is named lies: a relative path in a file begins beside that file. */
static void place_of(const char *name, const char *beside, char path[PATH_MAX]) {
    const char *slash = beside && *name != '/' ? strrchr(beside, '/') : NULL;
    snprintf(path, PATH_MAX, "%.*s%s", slash ? (int)(slash - beside) + 1 : 0, slash ? beside : "",
             name);
}

/* The text of a file that an option names, its last line ended, in the arena. NULL after an error.
 */
static const char *file_text(struct scenario *s, const char *path, struct ct_diags *diags) {
    size_t size;
    const char *served = ct_files_content(diags->files, path, &size);
    char *read = served ? NULL : json_place_text_read(path, &size, diags);
    const char *bytes = served ? served : read, *text = NULL;
    bool ended = size > 0 && bytes && bytes[size - 1] == '\n';
    if (bytes && memchr(bytes, '\0', size))
        ct_error(diags, path, "is no text: it has a zero byte");
    else if (bytes && !(text = ct_arena_format(&s->policies.arena, "%.*s%s", (int)size, bytes,
                                               ended ? "" : "\n")))
        ct_out_of_memory(diags);
    free(read);
    return text;
}

/* One option as a user gave it, a file as its name or, with a line's end in it, as its text, which
 * is what a stored configuration has; `beside`: the file in which it stands, NULL for none. */
static int set_option(struct scenario *s, const struct ct_policy *policy, const char *key,
                      const char *value, const char *beside, void *options, const char *where,
                      struct ct_diags *diags) {
    const struct ct_option *option = ct_option_find(policy->options, key);
    bool named = option && option->kind == CT_OPTION_FILE && *value && !strchr(value, '\n');
    char path[PATH_MAX];
    if (named) {
        place_of(value, beside, path);
        value = file_text(s, path, diags);
    }
    return value ? ct_option_set(policy->options, key, value, options, &s->policies.arena, where,
                                 diags)
                 : CT_USAGE;
}

/* What a policy itself says of its options. */
static int check_together(const struct ct_policy *policy, const void *options, const char *where,
                          struct ct_diags *diags) {
    char reason[CT_OPTIONS_FAULT_BYTES] = "";
    if (!policy->options_valid || policy->options_valid(options, reason))
        return CT_OK;
    return ct_usage_error(diags, where, "%s", reason);
}

static bool is_same_name(const struct named_value *a, const struct named_value *b) {
    return a->name_length == b->name_length && strncmp(a->name, b->name, a->name_length) == 0;
}

/* A name in an option by application. */
static void check_application(const struct workload *workload, const char *option,
                              const struct named_value *named, const char *where,
                              struct ct_diags *diags) {
    const char *names[256];
    char name[200], hint[CT_HINT_BYTES];
    size_t count = 0;
    snprintf(name, sizeof name, "%.*s", (int)named->name_length, named->name);
    for (size_t a = 0; a < workload->apps.count; a++) {
        const char *known = workload->apps.items[a].name;
        if (named_value_is_of(named, known))
            return;
        if (count < CT_COUNT_OF(names))
            names[count++] = known;
    }
    ct_error(diags, where, "'%s': no application is called '%s'%s", option, name,
             ct_text_hint_or_all(hint, name, names, count));
}

/* An option by application: all names are of the workload, and none of them is there twice. */
static void check_by_application(const struct workload *workload, const struct ct_option *option,
                                 const char *text, const char *where, struct ct_diags *diags) {
    const char *rest = text;
    for (struct named_value entry; named_value_next(&rest, &entry);) {
        const char *before = text;
        struct named_value other;
        check_application(workload, option->name, &entry, where, diags);
        if (entry.value && strcmp(option->unit, "application") == 0) {
            const struct named_value value = {.name = entry.value,
                                              .name_length = entry.value_length};
            check_application(workload, option->name, &value, where, diags);
        }
        while (named_value_next(&before, &other) && other.name != entry.name)
            if (is_same_name(&other, &entry))
                ct_error(diags, where, "'%s' names '%.*s' twice", option->name,
                         (int)entry.name_length, entry.name);
    }
}

/* A misspelt application would do nothing in silence. */
static int check_applications(const struct workload *workload, const struct ct_policy *policy,
                              const void *options, const char *where, struct ct_diags *diags) {
    size_t before = diags->errors;
    for (const struct ct_option *o = policy->options; o && o->name; o++)
        if (o->kind == CT_OPTION_BY_APP)
            check_by_application(workload, o, ct_option_text(o, options), where, diags);
    return diags->errors == before ? CT_OK : CT_USAGE;
}

/* Settings of the workload hold for the policy that it names, `name` as it names it; those of --set
 * for all that have such an option. */
static int apply_settings(struct scenario *s, const struct ct_policy *policy, const char *name,
                          void *options, struct ct_diags *diags) {
    const struct workload *w = &s->workload;
    bool own = w->policy && strcmp(w->policy, name) == 0;
    int status = CT_OK;
    for (size_t i = 0; i < w->policy_settings.count; i++) {
        const struct workload_setting *setting = &w->policy_settings.items[i];
        if (setting->assigned ? !ct_option_find(policy->options, setting->key) : !own)
            continue;
        int result = set_option(s, policy, setting->key, setting->value,
                                setting->assigned ? NULL : s->request.workload, options,
                                setting->where, diags);
        status = result == CT_OK ? status : result;
    }
    return status;
}

/* "margin=0.2" after a policy's name. */
static int apply_option(struct scenario *s, const struct ct_policy *policy, void *options,
                        char *text, const char *where, struct ct_diags *diags) {
    char *equals = strchr(text, '=');
    if (!equals)
        return ct_usage_error(diags, where, "'%s' of policy '%s' is not KEY=VALUE", text,
                              policy->name);
    *equals = '\0';
    return set_option(s, policy, text, equals + 1, NULL, options, policy->name, diags);
}

/* Reports tell policies apart by their labels. */
static int check_label(const struct scenario_policies *policies, const char *label,
                       const char *where, struct ct_diags *diags) {
    for (size_t i = 0; i < policies->items.count; i++)
        if (strcmp(policies->items.items[i].label, label) == 0)
            return ct_usage_error(diags, where, "policy '%s' is named twice", label);
    return CT_OK;
}

static const char *options_of(const char *label) {
    return label + strcspn(label, ":");
}

/* Whether another policy has the same name and options, as another build of it. */
static bool has_twin(const struct scenario_policies *policies,
                     const struct experiment_policy *item) {
    for (size_t i = 0; i < policies->items.count; i++) {
        const struct experiment_policy *other = &policies->items.items[i];
        if (other != item && strcmp(other->policy->name, item->policy->name) == 0 &&
            strcmp(options_of(other->label), options_of(item->label)) == 0)
            return true;
    }
    return false;
}

/* Reports call a policy as the user did, but that of a shared object by its name where this tells
 * it from the others. */
static int shorten_labels(struct scenario_policies *policies, struct ct_diags *diags) {
    for (size_t i = 0; i < policies->items.count; i++) {
        struct experiment_policy *item = &policies->items.items[i];
        bool file = item->code.high || item->code.low;
        if (!file || has_twin(policies, item))
            continue;
        item->label =
            ct_arena_format(&policies->arena, "%s%s", item->policy->name, options_of(item->label));
        if (!item->label)
            return ct_out_of_memory(diags);
    }
    return CT_OK;
}

/* Whether "policy:option=value:..." sets the option of its part at `at` before that. */
static bool is_set_before(const char *label, size_t at) {
    size_t length = strcspn(label + at, "=:") + 1, other = strcspn(label, ":") + 1;
    while (other < at && strncmp(label + other, label + at, length) != 0)
        other += strcspn(label + other, ":") + 1;
    return other < at;
}

/* A policy with the settings that hold for it, `name` as the workload would name it, and behind
 * that with `options`, "KEY=VALUE:KEY=VALUE" (NULL: none), the end of its label. */
static int add_item(struct scenario *s, const struct ct_policy *policy, const char *name,
                    const char *label, char *option, const char *where, struct ct_diags *diags) {
    struct scenario_policies *policies = &s->policies;
    void *options = ct_arena_alloc(&policies->arena, policy->options_size);
    struct experiment_policy item = {.policy = policy,
                                     .options = options,
                                     .label = ct_arena_strdup(&policies->arena, label),
                                     .watch = s->request.watch};
    if (!options || !item.label)
        return ct_out_of_memory(diags);
    ct_options_default(policy->options, options);
    int status = apply_settings(s, policy, name, options, diags);
    for (char *next; option && status == CT_OK; option = next) {
        next = strchr(option, ':');
        if (next)
            *next++ = '\0';
        if (is_set_before(label, (size_t)(option - name)))
            return ct_usage_error(diags, where, "policy '%s' sets '%.*s' twice", name,
                                  (int)strcspn(option, "="), option);
        status = apply_option(s, policy, options, option, where, diags);
    }
    if (status == CT_OK)
        status = check_together(policy, options, label, diags);
    if (status == CT_OK)
        status = check_applications(&s->workload, policy, options, label, diags);
    int added = check_label(policies, item.label, where, diags);
    if (added == CT_OK && !ct_vec_push(&policies->items, item))
        added = ct_out_of_memory(diags);
    return status == CT_OK ? added : status;
}

static int add_policy(struct scenario *s, const char *label, bool in_file, const char *where,
                      struct ct_diags *diags) {
    char *text = ct_arena_strdup(&s->policies.arena, label);
    if (!text)
        return ct_out_of_memory(diags);
    char *option = strchr(text, ':');
    if (option)
        *option++ = '\0';
    const struct ct_policy *policy = find_policy(s, text, in_file, where, diags);
    int status = policy ? add_item(s, policy, text, label, option, where, diags) : CT_USAGE;
    if (status == CT_OK && policy_is_file(text))
        s->policies.items.items[s->policies.items.count - 1].code = policy_file_hash(text);
    return status;
}

static int add_list(struct scenario *s, const char *list, struct ct_diags *diags) {
    int status = CT_OK;
    for (const char *next = list; next; list = next) {
        size_t length = strcspn(list, ",");
        next = list[length] ? list + length + 1 : NULL;
        char *label = ct_arena_strndup(&s->policies.arena, list, length);
        int result = label ? add_policy(s, label, s->request.policies_in_file, "--policies", diags)
                           : ct_out_of_memory(diags);
        status = result == CT_OK ? status : result;
    }
    return status;
}

static int add_own(struct scenario *s, const struct ct_policy *policy, struct ct_diags *diags) {
    if (!policy_check("policy of the caller", policy, diags))
        return CT_USAGE;
    return add_item(s, policy, policy->name, policy->name, NULL, policy->name, diags);
}

static int add_named(struct scenario *s, struct ct_diags *diags) {
    const char *policies = s->request.policies;
    if (!policies && s->request.own_count)
        return CT_OK;
    if (!policies && s->workload.policy)
        return add_policy(s, s->workload.policy, true, s->workload.policy_where, diags);
    if (!policies)
        return add_policy(s, "mps", false, "", diags);
    if (!s->request.one_policy)
        return add_list(s, policies, diags);
    if (!strchr(policies, ','))
        return add_policy(s, policies, s->request.policies_in_file, "--policy", diags);
    return ct_usage_error(diags, "--policy", "'%s' names several policies, where one is meant",
                          policies);
}

int scenario_add_policies(struct scenario *s, struct ct_diags *diags) {
    int status = add_named(s, diags);
    for (size_t i = 0; i < s->request.own_count && status == CT_OK; i++)
        status = add_own(s, s->request.own[i], diags);
    return status == CT_OK ? shorten_labels(&s->policies, diags) : status;
}

struct names {
    const char *items[512];
    size_t count;
};

static void add_name(struct names *names, const char *name) {
    if (ct_text_index(name, names->items, names->count) == names->count &&
        names->count < CT_COUNT_OF(names->items))
        names->items[names->count++] = name;
}

/* A bare key is an option; misspelt, it may as well have been meant as a key of the workload. */
static void unknown_option(const struct scenario_policies *policies,
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
    if (workload_key_find(workload_app_keys, setting->key, strlen(setting->key)))
        snprintf(hint, sizeof hint, ", did you mean 'apps.NAME.%s'?", setting->key);
    else if (!*ct_text_hint(hint, setting->key, all.items, all.count) && options.count > 0)
        ct_text_hint_or_all(hint, setting->key, options.items, options.count);
    ct_error(diags, setting->where, "unknown option '%s'%s", setting->key,
             *hint ? hint : "; there are none");
}

int scenario_check_options(const struct scenario *s, struct ct_diags *diags) {
    const struct workload_settings *settings = &s->workload.policy_settings;
    int status = CT_OK;
    for (size_t i = 0; i < settings->count; i++) {
        bool known = !settings->items[i].assigned;
        for (size_t p = 0; p < s->policies.items.count && !known; p++)
            known =
                ct_option_find(s->policies.items.items[p].policy->options, settings->items[i].key);
        if (!known)
            unknown_option(&s->policies, &settings->items[i], diags);
        status = known ? status : CT_USAGE;
    }
    return status;
}

/* ---- What was asked for, to be stored ---- */

/* What it takes to run a policy again, as JSON; the hash tells whether the inputs are still the
 * same. NULL: memory ran out. */
static const char *given_text(struct scenario *s, const char *label, bool own,
                              struct ct_hash hash) {
    const struct scenario_request *r = &s->request;
    struct json_text text;
    struct json_writer *json = &text.writer;
    char inputs[CT_HASH_TEXT];
    if (!json_text_open(&text))
        return NULL;
    ct_hash_print(hash, inputs);
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "workload", r->workload);
    json_writer_string(json, "policy",
                       own || (r->policies && !r->one_policy) ? label : r->policies);
    if (own)
        json_writer_bool(json, "own", true);
    json_writer_string(json, "fidelity",
                       r->fidelity == SCENARIO_OWN ? NULL : workload_fidelities[r->fidelity]);
    json_writer_strings(json, "set", r->assignments, r->assignment_count);
    json_writer_string(json, "inputs", inputs);
    json_writer_end_object(json);
    char *written = json_text_close(&text);
    const char *given = written ? ct_arena_strdup(&s->policies.arena, written) : NULL;
    free(written);
    return given;
}

static int fill_given(struct scenario *s, struct ct_diags *diags) {
    struct ct_hash inputs = ct_hash_start();
    if (!workload_hash(&inputs, &s->workload))
        return ct_out_of_memory(diags);
    for (size_t p = 0; p < s->policies.items.count; p++) {
        struct experiment_policy *policy = &s->policies.items.items[p];
        bool own = p + s->request.own_count >= s->policies.items.count; /* they come last */
        policy->given = given_text(s, policy->label, own, inputs);
        if (!policy->given)
            return ct_out_of_memory(diags);
    }
    return CT_OK;
}

/* ---- All of it ---- */

/* Another fidelity than the workload's own. */
static void apply_fidelity(struct scenario *s) {
    if (s->request.fidelity != SCENARIO_OWN)
        s->workload.fidelity = s->request.fidelity;
}

static void make_experiment(struct scenario *s) {
    int64_t seed = s->request.seed;
    s->experiment =
        (struct experiment){.setup = &s->setup,
                            .policies = s->policies.items.items,
                            .policy_count = (uint32_t)s->policies.items.count,
                            .replications = 1,
                            .threads = 1,
                            .seed = (uint64_t)(seed == SCENARIO_OWN ? s->workload.seed : seed),
                            .blame = true,
                            .dump_at_ps = CT_TIME_NEVER,
                            .banks = &s->banks,
                            .version = s->request.version};
}

/* All but the first step, so that a user sees the mistakes of all. */
static int make_ready(struct scenario *s, struct ct_diags *diags) {
    apply_fidelity(s);
    int status = scenario_add_policies(s, diags);
    if (status == CT_OK)
        status = scenario_check_options(s, diags);
    if (status == CT_OK)
        status = fill_given(s, diags);
    int made = setup_make(&s->workload, &s->setup, diags);
    if (made == CT_OK && !s->request.need_not_fit)
        made = setup_memory_check(&s->workload, &s->setup.gpu, diags);
    return status != CT_OK ? status : made;
}

struct workload_source scenario_source(const struct scenario_request *request) {
    return (struct workload_source){.path = request->workload,
                                    .text = request->text,
                                    .assignments = request->assignments,
                                    .assignment_count = request->assignment_count,
                                    .known = request->known};
}

int scenario_open(struct scenario *s, const struct scenario_request *request,
                  struct ct_diags *diags) {
    struct workload_source source = scenario_source(request);
    *s = (struct scenario){.request = *request};
    int status = workload_read(&source, &s->workload, diags);
    if (status == CT_OK)
        status = make_ready(s, diags);
    make_experiment(s);
    return status;
}

int scenario_open_without(struct scenario *s, const struct scenario *from,
                          const struct workload_given_key *key, struct ct_diags *diags) {
    struct workload_source source = scenario_source(&from->request);
    *s = (struct scenario){.request = from->request};
    source.known = &from->workload;
    int status = workload_given_without(&source, key, &s->workload, diags);
    apply_fidelity(s);
    if (status == CT_OK)
        status = scenario_add_policies(s, diags);
    if (status == CT_OK)
        status = setup_make(&s->workload, &s->setup, diags);
    return status;
}

void scenario_close(struct scenario *s) {
    experiment_banks_free(&s->banks);
    setup_free(&s->setup);
    workload_free(&s->workload);
    for (size_t i = 0; i < s->policies.handles.count; i++)
        policy_unload(s->policies.handles.items[i]);
    ct_vec_free(&s->policies.handles);
    ct_vec_free(&s->policies.items);
    ct_arena_free(&s->policies.arena);
}

int scenario_compare(struct scenario *s, const char *baseline, bool all_measures,
                     struct ct_diags *diags) {
    struct experiment *e = &s->experiment;
    e->headlines = !all_measures;
    e->baseline = baseline ? NULL : e->policies;
    if (!baseline || strcmp(baseline, "all") == 0)
        return CT_OK;
    const char **labels = calloc(e->policy_count + 1u, sizeof *labels);
    if (!labels)
        return ct_out_of_memory(diags);
    for (uint32_t p = 0; p < e->policy_count; p++)
        labels[p] = e->policies[p].label;
    size_t named = ct_text_index(baseline, labels, e->policy_count);
    if (named < e->policy_count)
        e->baseline = &e->policies[named];
    else
        ct_unknown(diags, "policy of '--baseline'", baseline, labels, e->policy_count);
    free(labels);
    return e->baseline ? CT_OK : CT_USAGE;
}

/* ---- What whoever reads the numbers should know ---- */

static bool knows_targets(const struct scenario *s) {
    for (size_t i = 0; i < s->policies.items.count; i++)
        if (s->policies.items.items[i].policy->features & CT_KNOWS_TARGETS)
            return true;
    return false;
}

/* Says that an application's requests have a target but its steps none, which is what a policy
 * sees. */
static void notice_steps(const struct scenario *s, const struct workload_app *spec,
                         const char *where, struct ct_diags *diags) {
    const struct workload_continuous *steps = spec->server ? spec->server->continuous : NULL;
    if (steps && steps->ttft_ms == 0 && steps->tpot_ms == 0 && knows_targets(s))
        ct_notice(diags, where,
                  "'%s' generates tokens: policies hold its steps to 'ttft_ms' and 'tpot_ms', "
                  "neither of which is given, and to them it has no target",
                  spec->name);
}

void scenario_warn_target(const struct scenario *s, uint32_t app, struct solo solo,
                          struct ct_diags *diags) {
    const struct workload_app *spec = &s->workload.apps.items[app];
    char where[600];
    snprintf(where, sizeof where, "%s: apps[%u]", s->workload.path, app);
    if (spec->qos_ms > 0 && solo.median_ms > spec->qos_ms)
        ct_warning(diags, where,
                   "'%s' misses its target of %g ms even alone: its median job takes %.4g ms "
                   "from its arrival",
                   spec->name, spec->qos_ms, solo.median_ms);
    if (spec->qos_ms > 0)
        notice_steps(s, spec, where, diags);
}

int scenario_warn_targets(const struct scenario *s, struct ct_diags *diags) {
    const struct setup *setup = &s->setup;
    uint64_t events = SOLO_EVENTS;
    int status = CT_OK;
    for (uint32_t app = 0; app < setup->app_count && status == CT_OK; app++) {
        struct solo solo;
        if (setup->apps[app].spec->qos_ms <= 0)
            continue;
        status = solo_measure(setup, app, s->experiment.seed, &events, &solo, diags);
        if (status == CT_OK)
            scenario_warn_target(s, app, solo, diags);
    }
    if (status == CT_OK && !s->request.need_not_fit)
        setup_memory_say_doubt(&s->workload, &setup->gpu, diags);
    return status;
}

static void warn_of_bounds(const char *path, const struct report_app *app, const char *policy,
                           struct ct_diags *diags) {
    if (report_queues_up(app))
        ct_warning(diags, path,
                   "'%s' is overloaded under %s: %.0f %s at the end, and its latencies are lower "
                   "bounds that grow with the length of the run",
                   app->name, policy, app->backlog_jobs,
                   app->backlog_jobs == 1 ? "job waits" : "jobs wait");
    else if (app->overloaded == REPORT_YES)
        ct_warning(diags, path, "'%s' under %s: %s, and its latencies are lower bounds", app->name,
                   policy, report_cut_words(app));
}

void scenario_warn_overload(const struct scenario *s, const struct experiment_result *result,
                            struct ct_diags *diags) {
    for (uint32_t p = 0; p < s->experiment.policy_count && result->finished > 0; p++) {
        const struct report *report = &result->pooled[p];
        for (size_t a = 0; a < report->app_count; a++)
            warn_of_bounds(s->workload.path, &report->apps[a], report->policy, diags);
    }
}
