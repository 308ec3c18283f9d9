/*
 * From "this workload, with these settings, under these policies" to an experiment that is ready to
 * run. Nothing here knows of a command line, prints, or keeps anything beside what it fills.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "experiment/experiment.h"
#include "run/solo.h"
#include "workload/workload_given.h"

/* What is asked for. Texts are the caller's, and outlive the scenario. */
struct scenario_request {
    const char *workload; /* path of the file; of a text: its name, and where files lie beside it */
    const char *text;     /* the workload as JSON; NULL: the file */
    const char *const *assignments; /* KEY=VALUE */
    size_t assignment_count;
    /* NAME[:KEY=VALUE...], of several separated by commas; NULL: those of `own`, else the
     * workload's, else mps. A name with a slash or ending in ".so" is a shared object. */
    const char *policies;
    bool one_policy;       /* `policies` is a single one */
    bool policies_in_file; /* whoever asks has `policies` out of a file */
    bool trusts_files; /* shared objects that files name may be loaded: they are code, which a file
                          of a stranger's must not choose */
    const struct ct_policy *const *own; /* policies of the caller's own, behind the others */
    size_t own_count;
    int fidelity;                 /* enum device_fidelity; SCENARIO_OWN: the workload's */
    int64_t seed;                 /* SCENARIO_OWN: the workload's */
    const struct workload *known; /* as in struct workload_source */
    bool need_not_fit; /* the workload is asked about with another GPU or fewer applications: as it
                          stands there need not be room for it */
    struct policy_watch *watch; /* NULL: nobody watches */
    const char *version;        /* version of the program, part of the key of every run */
};
enum { SCENARIO_OWN = -1 };

struct scenario_policies {
    CT_VEC(struct experiment_policy) items;
    CT_VEC(void *) handles; /* open shared objects of policies */
    struct ct_arena arena;
};

struct scenario {
    struct scenario_request request;
    struct workload workload;
    struct setup setup;
    struct scenario_policies policies;
    struct experiment experiment;  /* one replication, one thread, with blame */
    struct experiment_banks banks; /* its own: what policies predict by is learnt once */
};

/* Reads the workload and what it names, resolves the policies, makes the experiment. enum
 * ct_status; close in every case. */
int scenario_open(struct scenario *scenario, const struct scenario_request *request,
                  struct ct_diags *diags);
void scenario_close(struct scenario *scenario);

/* How its policies are compared: with the one that has this label (NULL: the first; "all": all
 * pairs), by targets and throughput or by all measures. enum ct_status. */
int scenario_compare(struct scenario *scenario, const char *baseline, bool all_measures,
                     struct ct_diags *diags);

/* Opens the workload of `from`, which outlives it, without one thing that was given, for the same
 * policies: `key` as in workload_given.h. enum ct_status; close in every case. */
int scenario_open_without(struct scenario *scenario, const struct scenario *from,
                          const struct workload_given_key *key, struct ct_diags *diags);

/* What the workload of a request is read from. */
struct workload_source scenario_source(const struct scenario_request *request);

/* Resolves the policies of a scenario with a request and a workload and nothing else yet. Options
 * that were assigned hold for those that have them. enum ct_status. */
int scenario_add_policies(struct scenario *scenario, struct ct_diags *diags);

/* An assigned option that none of the policies has is an error: it would change nothing. enum
 * ct_status. */
int scenario_check_options(const struct scenario *scenario, struct ct_diags *diags);

/* A listed policy; NULL after an error with the nearest name. */
const struct ct_policy *scenario_find_policy(const char *name, const char *where,
                                             struct ct_diags *diags);
/* policy_load, watched; `watch` may be NULL. */
const struct ct_policy *scenario_load_policy(const char *path, void **handle,
                                             struct policy_watch *watch, struct ct_diags *diags);

/* ---- What whoever reads the numbers should know: said on every way to them ---- */

/* Warns of an application whose target is shorter than its median job alone: no policy can keep it.
 */
void scenario_warn_target(const struct scenario *scenario, uint32_t app, struct solo solo,
                          struct ct_diags *diags);

/* Warns of each target that its application cannot keep even alone, for which it runs a few jobs,
 * and says where nobody knows whether the GPU has the memory that is needed. enum ct_status. */
int scenario_warn_targets(const struct scenario *scenario, struct ct_diags *diags);

/* Warns of latencies that are lower bounds: nobody should take them for those of a system that
 * keeps up. */
void scenario_warn_overload(const struct scenario *scenario, const struct experiment_result *result,
                            struct ct_diags *diags);

#endif
