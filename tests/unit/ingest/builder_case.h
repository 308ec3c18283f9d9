/* One import by the builder, of records that a test makes up, in whole microseconds. */
#ifndef BUILDER_CASE_H
#define BUILDER_CASE_H

#include "cmocka_complete.h"
#include "ingest/import_builder.h"
#include "trace/trace_store.h"

#include <string.h>

#define US CT_PS_PER_US

struct imported {
    struct trace_set set;
    struct import_summary summary;
    struct ct_diags diags;
    struct import_builder *builder;
    struct import_options options;
};

static inline struct imported *begin(struct imported *im, enum import_cut cut) {
    *im = (struct imported){.options = {.app_name = "a", .gpu = "v100", .device = -1, .cut = cut}};
    im->options.gap_ps = 50 * US;
    im->options.mark_name = "infer";
    im->builder = import_begin(&im->options, &im->diags);
    assert_non_null(im->builder);
    import_resolution(im->builder, US);
    return im;
}

/* A test of the import `im` that begin() has begun. */
#define IMPORT_TEST(name, cut) TEST_CASE(name, struct imported, im, begin(im, cut), end(im))

static inline int finish(struct imported *im) {
    return import_finish(im->builder, &im->set, &im->summary);
}

static inline void end(struct imported *im) {
    trace_set_free(&im->set);
    import_summary_free(&im->summary);
    ct_diags_free(&im->diags);
}

/* A kernel of whole microseconds; launch < 0: no launch record. */
static inline struct import_record kernel_at(int launch, int start, int duration) {
    return (struct import_record){.kind = TRACE_KERNEL,
                                  .name = "k",
                                  .grid = {80, 1, 1},
                                  .block = {128, 1, 1},
                                  .geometry_known = true,
                                  .stream = 7,
                                  .start_ps = start * US,
                                  .duration_ps = duration * US,
                                  .launch_begin_ps = launch < 0 ? CT_TIME_NEVER : launch * US,
                                  .launch_end_ps = launch < 0 ? CT_TIME_NEVER : (launch + 2) * US,
                                  .launch_thread = 1,
                                  .metrics = trace_metrics_unknown()};
}

static inline void add(struct imported *im, struct import_record record) {
    assert_true(import_add_record(im->builder, &record));
}

static inline void add_kernel(struct imported *im, int launch, int start, int duration) {
    add(im, kernel_at(launch, start, duration));
}

static inline void add_sync(struct imported *im, enum import_wait kind, int from, int to) {
    struct import_sync sync = {.kind = kind,
                               .device = -1,
                               .stream = 7,
                               .thread = 1,
                               .begin_ps = from * US,
                               .end_ps = to * US};
    assert_true(import_add_sync(im->builder, &sync));
}

static inline void add_mark(struct imported *im, const char *name, bool step, int from, int to) {
    struct import_mark mark = {
        .name = name, .step = step, .begin_ps = from * US, .end_ps = to * US};
    assert_true(import_add_mark(im->builder, &mark));
}

static inline const struct trace_task *task(const struct imported *im, size_t index) {
    assert_true(index < im->set.apps.items[0]->tasks.count);
    return &im->set.apps.items[0]->tasks.items[index];
}

/* The i-th task waits for these others, as many as stand before the first -1. */
static inline void assert_waits(const struct imported *im, size_t i, const int *on) {
    const struct trace_task *t = task(im, i);
    const uint32_t *known = im->set.apps.items[0]->dependencies.items;
    uint32_t count = 0;
    for (; on[count] >= 0; count++)
        if (count < t->dependency_count)
            assert_int_equal(known[t->first_dependency + count], on[count]);
    assert_int_equal(t->dependency_count, count);
}

static inline void assert_error(const struct imported *im, const char *text) {
    assert_true(im->diags.errors > 0);
    for (size_t i = 0; i < im->diags.count; i++)
        if (strstr(im->diags.items[i].text, text))
            return;
    fail_msg("no error with '%s' but '%s'", text, im->diags.items[0].text);
}

static inline void assert_said(const struct imported *im, enum ct_severity severity,
                               const char *text) {
    for (size_t i = 0; i < im->diags.count; i++)
        if (im->diags.items[i].severity == severity && strstr(im->diags.items[i].text, text))
            return;
    fail_msg("not said: '%s'", text);
}

#endif
