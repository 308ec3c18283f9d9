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
#include "trace/kernel_class.h"
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
    struct ct_listener listener;      /* is told of looks; the experiment's may interrupt them */
};

/* Adds the ranges to the reports of the result; nothing where no demand of a recording is unknown.
 * enum ct_status; CT_INTERRUPTED without any. */
int bands_add(const struct bands_about *about, struct ct_diags *diags);

/*
 * One look at a workload whose unknown memory demand is other than none, and whose unknown use of
 * units is other than the median: a draw, or one class of kernels in a corner of what it may ask
 * for. Every policy and replication sees the same.
 */
enum demand_kind { DEMAND_OF_MEMORY, DEMAND_OF_UNITS, DEMAND_KINDS };

/*
 * Number `draw` of `draws`, of a Latin hypercube (McKay, Beckman and Conover, Technometrics 21,
 * 1979) whose dimensions are the classes of kernels of each recording, for memory and units apart:
 * each stands once in the middle of each of `draws` parts of its distribution that are alike, in an
 * order of its own. Without draws: `class` at these levels, all others at their medians.
 */
struct demand_look {
    uint32_t draws, draw;
    enum kernel_class class;
    double levels[DEMAND_KINDS];
};

/* Where the kernels of a class stand, which follows from seed and names alone: applications that
 * are instances of one recording stand at the same places. */
double demand_look_level(const struct demand_look *look, uint64_t seed, enum demand_kind kind,
                         const char *recording, enum kernel_class class);

/* The workload as the look has it. It borrows from the other one, and its own lies in the arena.
 * False: memory ran out. */
bool demand_look_workload(const struct demand_look *look, const struct workload *workload,
                          const struct demand_file *file, uint64_t seed, struct ct_arena *arena,
                          struct workload *looked);

#endif
