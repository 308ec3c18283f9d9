#include "base/ct_provenance.h"

#include "base/ct_text.h"

#include <stdio.h>

const char *const ct_input_names[CT_INPUTS] = {"durations", "geometry", "memory demand",
                                               "host gaps", "use of units"};
const char *const ct_provenance_names[CT_PROVENANCE_COUNT] = {
    "measured", "derived", "assumed", "given", "unknown", "from shapes", "from class"};

double ct_coverage_mean(const struct ct_coverage *coverage, enum ct_provenance provenance) {
    double sum = 0;
    for (int kind = 0; kind < CT_INPUT_UNITS; kind++)
        sum += coverage->share[kind][provenance];
    return sum / CT_INPUT_UNITS;
}

bool ct_coverage_lacks_demand(const struct ct_coverage *coverage) {
    return coverage->share[CT_INPUT_DEMAND][CT_UNKNOWN] > 0;
}

/* The largest share that is not nothing and was not taken; of equal ones the first. -1: none. */
static int next_largest(const double share[CT_PROVENANCE_COUNT], const bool *taken) {
    int best = -1;
    for (int p = 0; p < CT_PROVENANCE_COUNT; p++)
        if (!taken[p] && share[p] > 0 && (best < 0 || share[p] > share[best]))
            best = p;
    return best;
}

const char *ct_coverage_print(const struct ct_coverage *coverage, enum ct_input kind, char *text,
                              size_t size) {
    const double *share = coverage->share[kind];
    bool taken[CT_PROVENANCE_COUNT] = {false};
    *text = '\0';
    for (int p = next_largest(share, taken); p >= 0; p = next_largest(share, taken)) {
        taken[p] = true;
        if (100 * share[p] < 1)
            ct_text_add(text, size, ", ", "under 1 %% %s", ct_provenance_names[p]);
        else
            ct_text_add(text, size, ", ", "%.0f %% %s", 100 * share[p], ct_provenance_names[p]);
    }
    if (!*text)
        snprintf(text, size, "unknown");
    return text;
}
