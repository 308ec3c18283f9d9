/* A stored sweep as text, JSON, CSV and Markdown. */
#ifndef SWEEP_PRINT_H
#define SWEEP_PRINT_H

#include "study/sweep_job.h"

/* The finished points of the job, which are stored; text and Markdown with the self-check, whose
 * settings are asked about at the first point. enum ct_status. */
int sweep_print(struct sweep_job *job, enum report_format format, FILE *out,
                struct ct_diags *diags);

#endif
