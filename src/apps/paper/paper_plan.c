#include "apps/paper/paper_plan.h"

#include <string.h>

/* Where a row's policy lost time is said of its mixes at all levels. */
static bool is_read(const struct paper_plan *plan, const struct paper_row *row, const char *policy,
                    const struct paper_mix *mix, double level) {
    bool blamed = plan->blame && strcmp(row->policy, policy) == 0;
    return (blamed || paper_row_has_level(row, level)) && paper_row_has_mix(row, plan->suite, mix);
}

/* A figure shows each of its policies in each of its groups: the mixes and levels of all its rows,
 * or all classes of mixes. */
static bool is_shown(const struct paper_plan *plan, const struct paper_line *of,
                     const struct paper_mix *mix, double level) {
    const struct paper_suite *suite = plan->suite;
    if (!plan->drawn || of->row->apps)
        return false;
    if (!suite->service_kind && suite->level_count == 0)
        return true;
    for (size_t i = 0; i < plan->row_count; i++) {
        const struct paper_line *line = &plan->rows[i];
        if (line->item == of->item && line->row->measure == of->row->measure && !line->row->apps &&
            (suite->service_kind || paper_row_has_level(line->row, level)) &&
            paper_row_has_mix(line->row, suite, mix))
            return true;
    }
    return false;
}

unsigned paper_needs(const struct paper_plan *plan, size_t policy, const struct paper_mix *mix,
                     double level) {
    unsigned needs = 0;
    for (size_t i = 0; i < plan->row_count; i++) {
        const struct paper_line *line = &plan->rows[i];
        const char *name = plan->policies[policy];
        if (paper_row_names(line->row, name) &&
            (is_read(plan, line->row, name, mix, level) || is_shown(plan, line, mix, level)))
            needs |= 1u << line->row->measure;
    }
    return needs;
}

const unsigned *paper_case_needs(const struct paper_outcome *outcome, uint64_t number) {
    size_t of_draw = number % (outcome->levels * outcome->mix_count);
    return outcome->needs + of_draw * outcome->policy_count;
}

unsigned paper_case_needs_any(const struct paper_outcome *outcome, uint64_t number) {
    unsigned needs = 0;
    for (size_t p = 0; p < outcome->policy_count; p++)
        needs |= paper_case_needs(outcome, number)[p];
    return needs;
}
