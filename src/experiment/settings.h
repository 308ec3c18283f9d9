/* The part of the self-check that is about settings: which of those that the user gave change
 * nothing. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "experiment/scenario.h"

struct settings_about {
    const struct scenario *scenario;  /* its request has the settings that are asked about */
    struct experiment_result *result; /* what the scenario's runs came to; NULL: none ran */
    /* The only assignments that are asked about, besides the options of policies; NULL: they, and
     * every key of the workload file. */
    const char *const *some;
    size_t some_count;
    struct ct_listener listener; /* is told of questions; the scenario's may interrupt them */
};

/*
 * Asks of every key of the workload file, every `--set` and every option in the names of policies
 * whether a run without it differs, under any of the policies. All questions together
 * take a quarter of the events of the experiment's runs, or a few seconds; what does not fit is
 * named. The sentence about it lies in the arena; NULL: nothing that could be left out was given,
 * or somebody interrupted, which a warning says. enum ct_status.
 */
int settings_ask(const struct settings_about *about, struct ct_arena *arena, const char **sentence,
                 struct ct_diags *diags);

extern const char settings_interrupted[]; /* that warning */

/* Asks, and adds the sentence to the notices of all reports of the result. enum ct_status. */
int settings_note(const struct settings_about *about, struct ct_diags *diags);

/* What became of a question whose reading or run had this status and these diagnostics: one that
 * cannot be put is none (CT_OK), but memory that ran out is an error. */
int settings_outcome(int status, const struct ct_diags *unheard, struct ct_diags *diags);

/* The measured part of a report as JSON: what repeats names and settings is left out. To be freed;
 * NULL: memory ran out. */
char *settings_measured(const struct report *report);

#endif
