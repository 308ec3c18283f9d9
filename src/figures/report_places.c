#include "figures/report_places.h"

#include "base/ct_text.h"

#include <string.h>

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *common(const char *all, const char *one) {
    return same_text(all, one) ? all : NULL;
}

void report_places_add(struct report_places *places, const struct report *report) {
    bool first = places->count++ == 0;
    places->workload = first ? report->workload : common(places->workload, report->workload);
    places->gpu = first ? report->gpu : common(places->gpu, report->gpu);
}

const char *report_place_name(const struct report_places *places, const struct report *report,
                              struct ct_arena *arena) {
    const char *workload = places->workload || !report->workload ? "" : report->workload;
    const char *gpu = places->gpu || !report->gpu ? "" : report->gpu;
    return ct_arena_format(arena, "%s%s%s", workload, *workload && *gpu ? " on " : "", gpu);
}

bool report_same_place(const struct report *a, const struct report *b) {
    return same_text(a->workload, b->workload) && same_text(a->gpu, b->gpu);
}
