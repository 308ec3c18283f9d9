/* A user's policy from a shared object. */
#ifndef POLICY_LOAD_H
#define POLICY_LOAD_H

#include "abi/ct_policy.h"
#include "base/ct_diag.h"
#include "base/ct_hash.h"

/* Whether a name stands for a file: it has a slash or ends in ".so". */
bool policy_is_file(const char *name);

/*
 * Loads and checks a policy: entry point, ABI version, sizes, a name, a sound option table. NULL
 * after one error that says what is wrong. `handle` is closed with policy_unload after the last
 * run.
 */
const struct ct_policy *policy_load(const char *path, void **handle, struct ct_diags *diags);
void policy_unload(void *handle);

/* Checks a policy in memory as policy_load does; `path` is what messages are about. Returns it;
 * NULL after an error, as for a policy that is NULL. */
const struct ct_policy *policy_check(const char *path, const struct ct_policy *policy,
                                     struct ct_diags *diags);

/* The hash of the file's content, which tells one version of a policy from the next; of what cannot
 * be read here (a name that only the loader finds) that of nothing. */
struct ct_hash policy_file_hash(const char *path);

#endif
