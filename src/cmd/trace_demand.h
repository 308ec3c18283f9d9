/* What the kernels of a trace ask of the memory, and how that is known. */
#ifndef TRACE_DEMAND_H
#define TRACE_DEMAND_H

#include "format/table.h"
#include "workload/demand.h"

/* Columns of trace_demand_kernels. */
#define TRACE_DEMAND_COLUMNS                                                                       \
    "=app | class | launch | time %=time_pct:1 | DRAM=:2 | 5 %=:2 | 95 %=:2 | =dram:4 | =low:4 | " \
    "=high:4 | =tflop_s:2 | =units:4 | =units_source | source | kernel= | =kernel"

/* Adds a row for each distinct kernel, those of the most time first, no more than `most`: its class
 * and launch, its share of the kernel time, and its share of peak DRAM bandwidth: as it is known,
 * else the median and the 90 % band of its class; operations a second where they are known. False:
 * memory ran out. */
bool trace_demand_kernels(const struct trace_app *app, const struct gpu *gpu,
                          const struct demand_file *file, size_t most, struct table *table);

/* Adds rows (application, "demand", source, finding) to a table of `trace check`: the classes,
 * those of the most time first. */
void trace_demand_check(const struct trace_app *app, const struct gpu *gpu,
                        const struct demand_file *file, struct table *table);

#endif
