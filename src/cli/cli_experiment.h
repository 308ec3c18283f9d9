/* What `run` and `compare` share: a scenario from a command line, its results, the result store. */
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "cli/run_folder.h"
#include "experiment/scenario.h"

#define CLI_BANDS_OPTION                                                                           \
    {                                                                                              \
        "bands", 0, "N",                                                                           \
            "draws of memory demand that nobody measured: ranges beside the results; 0: none (3 "  \
            "to 5 where it is unknown of a quarter of the kernels' time)"                          \
    }

struct cli_experiment {
    struct cli_progress progress; /* first */
    struct scenario_request request;
    struct scenario scenario;
    struct experiment_result result;
    bool quiet;
    struct run_folder folder;
    const char *store; /* of --output, where results can be stored; NULL: none */
};

/* What the command line asks for: operand 0, --set, --policies or --policy, --fidelity, --seed. */
void cli_experiment_request(struct cli_experiment *e, const struct cli_args *args,
                            struct ct_diags *diags);

/* Opens that, and looks whether --output takes results. enum ct_status; close in every case. */
int cli_experiment_open(struct cli_experiment *e, const struct cli_args *args,
                        struct ct_diags *diags);

/* Says at once, as a long run may lie ahead, which targets cannot be kept, and, where `starts`,
 * what begins late. enum ct_status. */
int cli_experiment_say_targets(const struct cli_experiment *e, bool starts);

/* Says first which targets cannot be kept. Runs it with progress on standard error, or takes what
 * earlier calls kept; Ctrl-C ends it with what is finished. enum ct_status. */
int cli_experiment_run(struct cli_experiment *e, const struct cli_args *args, const char *what,
                       struct ct_diags *diags);

/*
 * --reps N, --precision PCT with --max-reps N, --jobs N; `standard` is how many replications there
 * are without the first two. False and errors where one is wrong.
 */
bool cli_experiment_extent(struct cli_experiment *e, const struct cli_args *args, uint32_t standard,
                           struct ct_diags *diags);

/* Adds all runs (and the comparison, when there is one) to the store of --output, if that was
 * given. enum ct_status. */
int cli_experiment_store(const struct cli_experiment *e, struct ct_diags *diags);

/* Which settings change nothing (settings.h), with progress: as a sentence in the arena, or,
 * without one, as a notice of all reports. enum ct_status. */
int cli_experiment_settings(struct cli_experiment *e, struct ct_arena *arena, const char **sentence,
                            struct ct_diags *diags);

/* --bands N, for CLI_BANDS_OPTION; BANDS_OWN where it is left out. */
int64_t cli_experiment_bands(const struct cli_args *args, struct ct_diags *diags);

/* Adds to the reports what so many draws of the unknown memory demand come to (bands.h), with
 * progress. enum ct_status. */
int cli_experiment_add_bands(struct cli_experiment *e, int64_t draws, struct ct_diags *diags);

void cli_experiment_close(struct cli_experiment *e);

#endif
