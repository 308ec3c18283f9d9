/* What `calibrate` found of single applications, for those of a workload. */
#ifndef SETUP_CONTENTION_H
#define SETUP_CONTENTION_H

#include "workload/contention_file.h"
#include "workload/setup_types.h"

/* Keeps the factors of a calibrated file, whose strings live as long as the GPU. CT_OK or CT_DATA:
 * memory ran out. */
int setup_contention_keep(struct gpu *gpu, const struct contention_file *file,
                          struct ct_arena *arena, struct ct_diags *diags);

/* The factors of an application, found by its name in the workload, else by that of its trace; 1
 * where it was not calibrated. */
struct contention_app setup_contention_of(const struct setup *setup, const struct setup_app *app);

/* How many applications of the workload were calibrated. */
uint32_t setup_contention_count(const struct setup *setup);

#endif
