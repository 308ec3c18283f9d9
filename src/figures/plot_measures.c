#include "figures/plot_measures.h"

#include <math.h>
#include <stddef.h>

struct plot_value plot_value_unknown(void) {
    return (struct plot_value){NAN, NAN, NAN, false};
}

struct plot_value plot_value_of(const struct plot_measure *measure, const struct report *report) {
    struct plot_value value = plot_value_unknown();
    if (measure->offset) {
        value.value = *(const double *)(const void *)((const char *)report + measure->offset);
        return value;
    }
    for (size_t i = 0; i < report->app_count; i++) {
        const struct report_app *app = &report->apps[i];
        bool bound = app->overloaded == REPORT_YES;
        if (isnan(app->p99_over_qos) || app->p99_over_qos <= value.value)
            continue;
        value = (struct plot_value){app->p99_over_qos, bound ? NAN : app->p99_over_qos_low,
                                    bound ? NAN : app->p99_over_qos_high, bound};
    }
    return value;
}

#define SYSTEM(member) offsetof(struct report, system.member)
const struct plot_measure plot_measures[PLOT_MEASURES] = {
    {"p99", "p99 latency / target", 0, 1},
    {"batch", "batch throughput / without services", SYSTEM(batch_throughput_normalised), NAN},
    {"stp", "system throughput (STP)", SYSTEM(stp), NAN},
    {"antt", "mean slowdown (ANTT)", SYSTEM(antt), NAN},
    {"fairness", "fairness: least / largest progress", SYSTEM(fairness), NAN}};
