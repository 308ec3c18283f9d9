/*
 * What an experiment's results lean on where nobody knows what kernels ask of the memory: the first
 * replication again, under every policy, with that demand drawn from what kernels of the same class
 * were measured to ask for (docs/demand.md), and then with one class at a time in the corners of
 * what it may ask for. The experiment's own numbers stay; the ranges come beside them (struct
 * report_band).
 */
#ifndef BANDS_H
#define BANDS_H

#include "experiment/experiment.h"
#include "workload/demand.h"

/* In place of a number of draws: a few, if much is unknown. */
enum { BANDS_OWN = -1 };

/* The few: looks take so many times the experiment's own runs at most. Of one replication they are
 * three draws, of two five, of three and four five and a class, of more five and two classes. */
enum { BANDS_COST = 3, BANDS_DRAWS = 5, BANDS_CLASSES = 2 };

/* How many are made of so many that are asked for. */
uint32_t bands_draws(int64_t asked, const struct demand_unknown *unknown);

struct bands_about {
    const struct experiment *experiment;
    struct experiment_result *result; /* of that, with at least one finished replication */
    int64_t draws;                    /* BANDS_OWN, 0 for none, or how many: then at most as many
                                         classes, too */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/* Adds the ranges to the reports of the result; nothing where no demand of a recording is unknown.
 * enum ct_status; CT_INTERRUPTED without any. */
int bands_add(const struct bands_about *about, struct ct_diags *diags);

#endif
