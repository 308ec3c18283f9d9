/* A stored sweep as text, JSON, CSV and Markdown. */
#ifndef SWEEP_PRINT_H
#define SWEEP_PRINT_H

#include "sweep_job.h"

/* All points of the job, which are stored. enum ct_status. */
int sweep_print(const struct sweep_job *job, enum report_format format, FILE *out,
                struct ct_diags *diags);

#endif
