/*
 * What kernels of a class ask of the memory and the units, as JSON, cotenant.demand/2: made of
 * measured kernels by scripts/demand-table, and what is left to say where nobody measured
 * (docs/demand.md).
 */
#ifndef DEMAND_FILE_H
#define DEMAND_FILE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "models/demand/kernel_launch.h"
#include "trace/kernel_class.h"

/* 0, 5, 10, 25, 50, 75, 90, 95 and 100 %. */
enum { DEMAND_LEVELS = 9, DEMAND_LOW = 1, DEMAND_MEDIAN = 4, DEMAND_HIGH = 7 };

/* What a kernel alone on the GPU uses. */
struct demand_cell {
    int64_t applications, kernels;   /* measured ones that it was learnt of */
    double quantiles[DEMAND_LEVELS]; /* of the share of peak DRAM bandwidth */
    double units[DEMAND_LEVELS];     /* of the part of the busiest units or issue slots */
};

struct demand_file {
    const char *gpu, *source;
    struct demand_cell cells[KERNEL_CLASSES][2]; /* by class, and whether the launch is full */
};

/* Strings live in the arena. CT_OK; CT_DATA when it cannot be read; CT_USAGE after errors at their
 * places: not valid JSON, another schema, a class that is missing, quantiles that fall. */
int demand_file_read(const char *path, struct demand_file *file, struct ct_arena *arena,
                     struct ct_diags *diags);

/* The one that ships. enum ct_status. */
int demand_file_shipped(struct demand_file *file, struct ct_arena *arena, struct ct_diags *diags);

#endif
