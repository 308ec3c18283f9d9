#include "workload/policy_load.h"

#include "base/ct_files.h"
#include "base/ct_option_value.h"
#include "base/ct_sentence.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef const struct ct_policy *policy_entry(void);

bool policy_is_file(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}

static size_t member_size(int kind) {
    static const size_t sizes[] = {
        [CT_OPTION_BOOL] = sizeof(bool),     [CT_OPTION_INT] = sizeof(int64_t),
        [CT_OPTION_DOUBLE] = sizeof(double), [CT_OPTION_CHOICE] = sizeof(int32_t),
        [CT_OPTION_STRING] = sizeof(char *), [CT_OPTION_FILE] = sizeof(char *),
        [CT_OPTION_BY_APP] = sizeof(char *)};
    return kind >= 0 && (size_t)kind < CT_COUNT_OF(sizes) ? sizes[kind] : 0;
}

static const char *option_fault(const struct ct_policy *policy, const struct ct_option *option) {
    size_t size = member_size((int)option->kind);
    if (!size)
        return "the kind of an option is none of enum ct_option_kind";
    if (option->offset > policy->options_size || policy->options_size - option->offset < size)
        return "the offset of an option is beyond options_size";
    if (!option->unit || !option->help)
        return "an option has no unit or no help";
    if (option->kind == CT_OPTION_CHOICE && (!option->choices || !option->choices[0]))
        return "an option has no choices";
    for (const struct ct_option *o = policy->options; o != option; o++)
        if (strcmp(o->name, option->name) == 0)
            return "two options have one name";
    return NULL;
}

static const char *reason_fault(const struct ct_policy *policy) {
    enum { MOST_REASONS = 64 };
    size_t count = 0;
    for (const struct ct_reason *reason = policy->reasons; reason && reason->key; reason++) {
        if (++count > MOST_REASONS)
            return "it has more than 64 reasons, or their table does not end with a NULL key";
        if (reason->verb < 0 || reason->verb >= CT_READ_READY_NEXT)
            return "the verb of a reason is none of those that a policy decides by (CT_VERB_...)";
        if (!reason->sentence)
            return "a reason has no sentence";
        if (ct_sentence_fault(reason->sentence))
            return ct_sentence_fault(reason->sentence);
    }
    return NULL;
}

static const char *option_faults(const struct ct_policy *policy) {
    for (const struct ct_option *o = policy->options; o && o->name; o++)
        if (option_fault(policy, o))
            return option_fault(policy, o);
    return NULL;
}

/* What is wrong with a policy that says it is one; NULL: nothing. */
static const char *fault_of(const struct ct_policy *policy) {
    enum { MOST_BYTES = 1 << 30, NEEDS = 2 * CT_NEED_SLICES - 1 };
    if (!policy)
        return "its entry point returns no policy";
    if (policy->size != sizeof(struct ct_policy))
        return "its struct ct_policy has another size than this program's";
    if (!policy->name || !*policy->name)
        return "it has no name";
    if (policy->sharing < CT_SHARING_MPS || policy->sharing > CT_SHARING_PARTITION)
        return "its sharing is none of enum ct_sharing";
    if (policy->needs & ~(uint32_t)NEEDS)
        return "its needs are not of enum ct_need";
    if (policy->predictor < CT_PREDICTOR_BEST || policy->predictor > CT_PREDICTOR_PROGRESS)
        return "its predictor is none of enum ct_predictor";
    if (policy->profile_step_pct < 0 || policy->profile_step_pct > 100)
        return "its profile_step_pct is not from 0 to 100";
    if (policy->prediction_cost_ps < 0 || policy->query_prediction_cost_ps < 0)
        return "its cost of a prediction is negative";
    for (size_t i = 0; i < CT_COUNT_OF(policy->reserved); i++)
        if (policy->reserved[i])
            return "a reserved member is not NULL";
    const size_t sizes[] = {policy->options_size, policy->state_size, policy->client_size,
                            policy->job_size,     policy->task_size,  policy->call_size};
    for (size_t i = 0; i < CT_COUNT_OF(sizes); i++)
        if (sizes[i] > MOST_BYTES)
            return "one of its sizes is above 1 GiB";
    const char *fault = option_faults(policy);
    return fault ? fault : reason_fault(policy);
}

/* Whether each default is a value that a user could give, as whoever applies them takes for
 * granted. */
static bool check_defaults(const char *path, const struct ct_policy *policy,
                           struct ct_diags *diags) {
    struct ct_arena arena = {0};
    void *options = ct_arena_alloc(&arena, policy->options_size);
    int status = options ? CT_OK : ct_out_of_memory(diags);
    for (const struct ct_option *o = policy->options; o && o->name && status == CT_OK; o++)
        if (o->standard)
            status =
                ct_option_set(policy->options, o->name, o->standard, options, &arena, path, diags);
    ct_arena_free(&arena);
    return status == CT_OK;
}

const struct ct_policy *policy_check(const char *path, const struct ct_policy *policy,
                                     struct ct_diags *diags) {
    if (policy && policy->abi != CT_POLICY_ABI)
        return ct_null_error(
            diags, path,
            "policy was built for version %u of the interface, this program has version %u: "
            "build it "
            "again with this version's ct_policy.h",
            policy->abi, CT_POLICY_ABI);
    const char *fault = fault_of(policy);
    if (fault)
        return ct_null_error(diags, path, "not a sound policy: %s", fault);
    return check_defaults(path, policy, diags) ? policy : NULL;
}

/* A name without a slash is a file in this folder, not one that the loader searches for. NULL after
 * an error. */
static void *open_object(const char *path, struct ct_diags *diags) {
    char here[PATH_MAX];
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    ct_files_note(diags->files, here);
    if (handle)
        return handle;
    const char *reason = dlerror(); /* "PATH: what is wrong" */
    size_t length = strlen(here);
    if (strncmp(reason, here, length) == 0 && strncmp(reason + length, ": ", 2) == 0)
        reason += length + 2;
    return ct_null_error(diags, here, "cannot load policy: %s", reason);
}

const struct ct_policy *policy_load(const char *path, void **handle, struct ct_diags *diags) {
    *handle = open_object(path, diags);
    if (!*handle)
        return NULL;
    policy_entry *entry;
    void *symbol = dlsym(*handle, CT_POLICY_ENTRY);
    memcpy(&entry, &symbol, sizeof entry);
    if (!symbol)
        ct_error(diags, path, "not a policy: it does not define '%s'", CT_POLICY_ENTRY);
    const struct ct_policy *policy = symbol ? policy_check(path, entry(), diags) : NULL;
    if (!policy) {
        policy_unload(*handle);
        *handle = NULL;
    }
    return policy;
}

void policy_unload(void *handle) {
    if (handle)
        dlclose(handle);
}

struct ct_hash policy_file_hash(const char *path) {
    struct ct_hash hash = ct_hash_start();
    ct_hash_file(&hash, path);
    return hash;
}
