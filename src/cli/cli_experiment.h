/* What `run` and `compare` share: a workload, policies with options, the experiment, the result
 * store. */
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "cli.h"
#include "experiment.h"
#include "workload.h"

struct cli_policies {
    struct {
        CT_VEC(struct experiment_policy);
    } items;
    struct {
        CT_VEC(void *);
    } handles;                  /* of shared objects */
    struct policy_watch *watch; /* NULL: nobody watches */
    const char *list;           /* that they were asked for by; NULL: the workload's own */
    struct ct_arena arena;
};

struct cli_experiment {
    const struct cli_args *args; /* of the command line, for the stored configuration */
    const char *text;            /* of a workload in memory, as JSON; NULL: it is a file */
    struct workload workload;
    struct setup setup;
    struct cli_policies policies;
    struct experiment experiment;
    struct experiment_result result;
    struct cli_progress progress;
    struct result_store *store; /* of --output, opened before the work begins; NULL: none */
};

/*
 * Reads the workload of operand 0 with --set, and resolves `policies`, a comma-separated list of
 * NAME[:KEY=VALUE...]; NULL: the workload's own policy, else mps. enum ct_status; close in every
 * case.
 */
int cli_experiment_open(struct cli_experiment *e, const struct cli_args *args, const char *policies,
                        struct ct_diags *diags);

/* The same of a workload in memory, as JSON (NULL: of the file); operand 0 names it. */
int cli_experiment_open_text(struct cli_experiment *e, const struct cli_args *args,
                             const char *text, const char *policies, struct ct_diags *diags);

/* --fidelity instead of the workload's own, with the hashes that follow. enum ct_status. */
int cli_experiment_fidelity(struct cli_experiment *e, struct ct_diags *diags);

/* Of an experiment with a workload and nothing else yet: resolves the policies of a `--policies`
 * list, or the workload's own. Options of --set hold for those that have them. enum ct_status. */
int cli_experiment_policies(struct cli_experiment *e, const char *list, struct ct_diags *diags);

/* An option of --set that none of the policies has is an error: it would change nothing. enum
 * ct_status. */
int cli_experiment_check_options(const struct cli_experiment *e, struct ct_diags *diags);

/* Warns of applications whose target is shorter than their median job alone: no policy can keep it.
 * Runs a few jobs of each. enum ct_status. */
int cli_experiment_warn_targets(const struct cli_experiment *e, struct ct_diags *diags);

/* Says first which targets cannot be kept. Runs it with progress on standard error; Ctrl-C ends it
 * with what is finished. enum ct_status. */
int cli_experiment_run(struct cli_experiment *e, const struct cli_args *args, const char *what,
                       struct ct_diags *diags);

/*
 * --reps N, --precision PCT with --max-reps N, --jobs N; `standard` is how many replications there
 * are without the first two. False and errors where they are wrong.
 */
bool cli_experiment_extent(struct cli_experiment *e, const struct cli_args *args, uint32_t standard,
                           struct ct_diags *diags);

/* Adds all runs (and the comparison, when there is one) to the store of --output, if that was
 * given. enum ct_status. */
int cli_experiment_store(const struct cli_experiment *e, struct ct_diags *diags);

/* Adds them to a store in whose transaction this is; `numbers` gets those of the policies' (pooled)
 * runs. enum ct_status. */
int cli_experiment_add(const struct cli_experiment *e, struct result_store *store, int64_t *numbers,
                       struct ct_diags *diags);
void cli_experiment_close(struct cli_experiment *e);

#endif
