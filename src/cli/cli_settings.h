/* The part of the self-check that is about settings: which of those that the user gave change
 * nothing. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/cli_experiment.h"

/*
 * Asks of every key of the workload file, every `--set` and every option in the names of policies
 * whether a run without it differs (influence.h), under any of the policies; with `some`, of these
 * assignments of `--set` and of the options alone. All questions together take a quarter of the
 * events of the experiment's runs, or a few seconds; what does not fit is named. The sentence about
 * it lies in the arena; NULL: nothing that could be left out was given, or somebody interrupted.
 * enum ct_status.
 */
int cli_settings_ask(const struct cli_experiment *e, const char *const *some, size_t count,
                     struct ct_arena *arena, const char **sentence, struct ct_diags *diags);

/* Of a question whose reading or run had this status and these diagnostics: one that cannot be put
 * is none (CT_OK), but memory that ran out is an error. */
int cli_settings_outcome(int status, const struct ct_diags *unheard, struct ct_diags *diags);

/* Asks, and adds the sentence to the notices of all reports of the experiment. enum ct_status. */
int cli_settings_note(struct cli_experiment *e, struct ct_diags *diags);

#endif
