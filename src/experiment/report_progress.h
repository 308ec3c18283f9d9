/* What sharing the GPU leaves applications of their progress, and what the system gets done: the
 * parts of a report that hold runs against private ones. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include "experiment/report_builder.h"

/* Normalised progress of an application: the mean over its instances that had something to do; NAN:
 * unknown. */
double report_progress(const struct report_builder *b, uint32_t app);

/* Solo work that the batch applications got done. */
double report_batch_work(const struct setup *setup, const struct sim_result *result);

/* When those of the applications are in the report: STP, ANTT, fairness, goals, throughput of batch
 * work and turnaround. */
void report_set_progress(struct report_builder *b, struct report_system *system);

#endif
