#include "study/sweep_checks.h"

#include "experiment/influence.h"

#include <inttypes.h>
#include <stdlib.h>

bool sweep_checks_open(struct sweep_checks *checks, const struct sweep_job *job) {
    *checks = (struct sweep_checks){.results = calloc(job->file.points, sizeof *checks->results)};
    return checks->results;
}

void sweep_checks_close(struct sweep_checks *checks) {
    free(checks->results);
}

void sweep_checks_add(struct sweep_checks *checks, uint64_t index, const struct result_set *set) {
    struct ct_hash hash = ct_hash_start();
    for (size_t r = 0; r < set->runs.count; r++) {
        const struct report *report = &set->runs.items[r].report;
        const char *broken = report_broken_check(&report->checks);
        char *text = influence_measured(report);
        checks->lost |= !text;
        ct_hash_string(&hash, text);
        free(text);
        checks->reports++;
        if (broken && !checks->broken) {
            checks->broken = broken;
            checks->broken_at = index + 1;
        }
    }
    checks->results[index] = hash;
}

/* Whether two points of a grid that differ in one axis alone, `stride` apart, ever differ. */
static bool axis_acts(const struct ct_hash *results, uint64_t points, uint64_t stride,
                      uint64_t values) {
    for (uint64_t i = 0; i + stride < points; i++)
        if (i / stride % values + 1 < values && (results[i].high != results[i + stride].high ||
                                                 results[i].low != results[i + stride].low))
            return true;
    return false;
}

/* Checks a grid, whose last axis is the fastest. A random design has no points that differ in one
 * axis alone. */
static void check_design(struct doc *doc, const struct sweep_design *design,
                         const struct ct_hash *results) {
    uint64_t stride = 1;
    if (design->random)
        return;
    for (size_t a = design->axis_count; a > 0; a--) {
        const struct sweep_axis *axis = &design->axes[a - 1];
        if (axis->value_count > 1 && !axis_acts(results, design->points, stride, axis->value_count))
            doc_item(doc, "the axis '%s' changes nothing at any point", axis->key);
        stride *= axis->value_count;
    }
}

void sweep_checks_print(struct doc *doc, const struct sweep_job *job,
                        const struct sweep_checks *checks, const char *settings) {
    uint64_t first = 0;
    if (checks->broken)
        doc_item(doc, "BROKEN at point %" PRIu64 ": %s", checks->broken_at, checks->broken);
    else
        doc_item(doc,
                 "conservation ok, Little's law ok, utilisation law ok in all %" PRIu64 " results",
                 checks->reports);
    for (size_t d = 0; d < job->file.design_count; d++) {
        const struct sweep_design *design = &job->file.designs[d];
        if (first + design->points <= job->finished) /* else it was stopped */
            check_design(doc, design, checks->results + first);
        first += design->points;
    }
    if (settings)
        doc_item(doc, "%s", settings);
}
