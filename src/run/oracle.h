/* The truth about a whole job: what it takes alone, found by running a copy of it. */
#ifndef ORACLE_H
#define ORACLE_H

#include "run/run.h"

/* From its first task on, on at most this share of the SMs. NAN: the run has failed. */
double oracle_job_ps(struct run *run, const struct run_job *job, ct_share share);

#endif
