/*
 * A workload made ready for one GPU: profiles, plans of tasks, names by number. Built once, never
 * changed, shared by all runs and threads of an experiment.
 */
#ifndef SETUP_H
#define SETUP_H

#include "base/ct_diag.h"
#include "models/device/contention.h"
#include "workload/setup_types.h"

/* Fills a preset, by name, with changes by the user; `where` is the place of the name. enum
 * ct_status. */
int setup_gpu(const char *name, const char *where, const struct workload_settings *settings,
              struct ct_arena *arena, struct gpu *gpu, struct ct_diags *diags);

/* Reads the files that stand in for numbers of a GPU, looked up beside the file `beside` (may be
 * NULL) and in the trace folders. enum ct_status. */
int setup_gpu_files(const char *beside, struct gpu *gpu, struct ct_arena *arena,
                    struct ct_diags *diags);

/* Makes a workload ready; it and its traces outlive the setup. enum ct_status; frees what it made
 * on failure. */
int setup_make(const struct workload *workload, struct setup *setup, struct ct_diags *diags);
void setup_free(struct setup *setup);

/* A view of the set-up that shows one application alone, not to be freed: what a run keeps of each
 * application would make the private runs of all of them quadratic. */
struct setup setup_alone(const struct setup *setup, uint32_t app);

/* The factors of an application, found by its name in the workload, else by that of its trace; 1
 * where it was not calibrated. */
struct contention_app setup_contention_of(const struct setup *setup, const struct setup_app *app);

/* Whether the memory demand of so much of the time on the GPU itself is unknown that what flows to
 * and from the memory is, too: it would be that of the others alone. */
bool setup_hides_memory(const struct setup *setup);

/* How many applications of the workload were calibrated. */
uint32_t setup_contention_count(const struct setup *setup);

#endif
