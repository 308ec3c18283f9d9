/* What whole runs are compared by in figures of many runs: one number of a report each. */
#ifndef PLOT_MEASURES_H
#define PLOT_MEASURES_H

#include "results/report.h"

/* A number of a run with its 95 % interval (NAN: none); `bound`: it is at least that. */
struct plot_value {
    double value, low, high;
    bool bound;
};

struct plot_measure {
    const char *name, *axis; /* of a figure; of its axis */
    size_t offset; /* of a double in struct report; 0: p99 / target of the service worst off */
    double target; /* NAN: none */
};

enum { PLOT_P99, PLOT_BATCH, PLOT_STP, PLOT_ANTT, PLOT_FAIRNESS, PLOT_MEASURES };
extern const struct plot_measure plot_measures[PLOT_MEASURES];

struct plot_value plot_value_unknown(void);
struct plot_value plot_value_of(const struct plot_measure *measure, const struct report *report);

#endif
