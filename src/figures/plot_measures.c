#include "figures/plot_measures.h"

#include <math.h>

struct plot_value plot_value_unknown(void) {
    return (struct plot_value){NAN, NAN, NAN, false};
}

static struct plot_value alone(double value) {
    return (struct plot_value){value, NAN, NAN, false};
}

/* p99 / target of the service that is worst off. */
static struct plot_value of_p99(const struct report *report) {
    struct plot_value worst = plot_value_unknown();
    for (size_t i = 0; i < report->app_count; i++) {
        const struct report_app *app = &report->apps[i];
        bool bound = app->overloaded == REPORT_YES;
        if (isnan(app->p99_over_qos) || app->p99_over_qos <= worst.value)
            continue;
        worst = (struct plot_value){app->p99_over_qos, bound ? NAN : app->p99_over_qos_low,
                                    bound ? NAN : app->p99_over_qos_high, bound};
    }
    return worst;
}

static struct plot_value of_batch(const struct report *report) {
    return alone(report->system.batch_throughput_normalised);
}

static struct plot_value of_stp(const struct report *report) {
    return alone(report->system.stp);
}

static struct plot_value of_antt(const struct report *report) {
    return alone(report->system.antt);
}

static struct plot_value of_fairness(const struct report *report) {
    return alone(report->system.fairness);
}

const struct plot_measure plot_measures[PLOT_MEASURES] = {
    {"p99", "p99 latency / target", of_p99, 1},
    {"batch", "batch throughput / without services", of_batch, NAN},
    {"stp", "system throughput (STP)", of_stp, NAN},
    {"antt", "mean slowdown (ANTT)", of_antt, NAN},
    {"fairness", "fairness: least / largest progress", of_fairness, NAN}};
