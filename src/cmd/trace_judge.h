/* What a simulation can and cannot conclude from a trace: rows (application, subject, verdict,
 * finding) of a table. */
#ifndef TRACE_JUDGE_H
#define TRACE_JUDGE_H

#include "format/table.h"
#include "workload/demand.h"

/* The launches and the time of a distinct kernel. */
struct kernel_time {
    size_t kernel;
    uint64_t launches;
    ct_time_ps total_ps;
};

/* The times of all kernels of an application in their order, to be freed; NULL: memory ran out. */
struct kernel_time *trace_kernel_times(const struct trace_app *app);

/* For qsort: the most time first. */
int trace_compare_times(const void *a, const void *b);

/* An application that is judged, and the table that gets what is found. */
struct trace_judged {
    const char *store; /* where it is */
    const struct trace_app *app;
    const struct gpu *gpu; /* that was recorded */
    const struct demand_file *file;
    struct kernel_time *times;
    struct trace_totals totals;
    struct table *table;
};

/* Adds a row. */
void trace_row(const struct trace_judged *j, const char *subject, const char *verdict,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What the recording holds. */
void trace_check_app(const struct trace_judged *j);

/* Whether it takes the time that was recorded, when it is replayed alone. */
void trace_replay_check(const struct trace_judged *j);

/* What its classes of kernels ask of the memory, those of the most time first, and how that is
 * known. */
void trace_demand_check(const struct trace_judged *j);

/* Columns of trace_demand_kernels. */
#define TRACE_DEMAND_COLUMNS                                                                       \
    "=app | class | launch | time %=time_pct:1 | DRAM=:2 | 5 %=:2 | 95 %=:2 | =dram:4 | =low:4 | " \
    "=high:4 | =tflop_s:2 | =units:4 | =units_source | source | kernel= | =kernel"

/* Adds a row for each distinct kernel, those of the most time first, by which the times are sorted,
 * no more than `most`: its class and launch, its share of the kernel time, and its share of peak
 * DRAM bandwidth: as it is known, else the median and the 90 % band of its class; operations a
 * second where they are known. */
void trace_demand_kernels(const struct trace_judged *j, size_t most);

#endif
