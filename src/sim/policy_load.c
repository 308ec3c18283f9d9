#include "policy_load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef const struct ct_policy *policy_entry(void);

bool policy_is_file(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}

/* What is wrong with a policy that says it is one; NULL: nothing. */
static const char *fault_of(const struct ct_policy *policy) {
    if (!policy)
        return "its entry point returns no policy";
    if (policy->size != sizeof(struct ct_policy))
        return "its struct ct_policy has another size than this program's";
    if (!policy->name || !*policy->name)
        return "it has no name";
    if (policy->sharing < CT_SHARING_MPS || policy->sharing > CT_SHARING_PARTITION)
        return "its sharing is none of enum ct_sharing";
    if (policy->options && policy->options[0].name && !policy->options_size)
        return "it has options but options_size is 0";
    return NULL;
}

static const struct ct_policy *check(const char *path, const struct ct_policy *policy,
                                     struct ct_diags *diags) {
    if (policy && policy->abi != CT_POLICY_ABI) {
        ct_error(diags, path,
                 "policy was built for version %u of the interface, this program has version %u",
                 policy->abi, CT_POLICY_ABI);
        return NULL;
    }
    const char *fault = fault_of(policy);
    if (fault) {
        ct_error(diags, path, "not a sound policy: %s", fault);
        return NULL;
    }
    return policy;
}

const struct ct_policy *policy_load(const char *path, void **handle, struct ct_diags *diags) {
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) {
        ct_error(diags, path, "cannot load policy: %s", dlerror());
        return NULL;
    }
    policy_entry *entry;
    void *symbol = dlsym(*handle, CT_POLICY_ENTRY);
    memcpy(&entry, &symbol, sizeof entry);
    if (!symbol)
        ct_error(diags, path, "not a policy: it does not define '%s'", CT_POLICY_ENTRY);
    const struct ct_policy *policy = symbol ? check(path, entry(), diags) : NULL;
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
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    for (size_t count; file && (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        ct_hash_bytes(&hash, bytes, count);
    if (file)
        fclose(file);
    return hash;
}
