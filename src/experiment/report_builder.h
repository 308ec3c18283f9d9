/* A report that is being made: what its parts share. */
#ifndef REPORT_BUILDER_H
#define REPORT_BUILDER_H

#include "experiment/report_input.h"

struct report_builder {
    const struct report_input *input;
    struct ct_arena *arena;
    struct report *report;
    struct ct_diags *diags;
    const char **notices;
    size_t notice_count, notice_capacity;
    bool *lost; /* memory ran out: what it was for is not known, and the report is not made */
};

/* What an application did in a run. */
static inline const struct sim_app_result *report_app_in(const struct report_runs *run,
                                                         uint32_t app) {
    return &run->shared->apps[app];
}

/* What an application did in one of its private runs. Not asked where there was none. */
static inline const struct sim_app_result *report_alone_in(const struct report_runs *run,
                                                           uint32_t app, uint32_t which) {
    const struct sim_result *alone = &run->alone[app].runs[which];
    return &alone->apps[alone->app_count == 1 ? 0 : app]; /* else with the stages before it */
}

static inline bool report_has_alone(const struct report_builder *b) {
    return b->input->runs[0].alone;
}

/* Adds a notice, as printf. */
__attribute__((format(printf, 2, 3))) void report_notice(struct report_builder *b,
                                                         const char *format, ...);

#endif
