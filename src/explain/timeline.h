/*
 * A run's time line in the Chrome trace event format (JSON object form), as Perfetto and
 * chrome://tracing open it.
 *
 * Process "GPU" has a track per client and per copy direction, "residents of the SMs" (block
 * fidelity) one per group of SMs, process "host" the ready pool and the policy's decisions, and
 * each application a process with its jobs. What overlaps on a track goes on further lanes of it. A
 * job is a slice from its first ready task to its end (its wait before that is an asynchronous
 * slice), tied to its tasks by a flow; one that had not ended is there until the run's end, and
 * says so; samples become counters. Times are microseconds with the fraction that picoseconds need.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "base/ct_diag.h"
#include "results/result_store.h"

#include <stdio.h>

/* Bytes of a task's name, its end included. */
enum { TIMELINE_NAME = 97 };

/* What a task is called: its kernel, cut where that is long, or "copy host to device". */
void timeline_task_name(const struct result_task *task, char name[TIMELINE_NAME]);

/* Perfetto's page stays fluid with traces of this size. */
enum { TIMELINE_BUDGET_MB = 64 };

struct timeline_summary {
    size_t jobs, jobs_left_out; /* jobs shown, and left out for the budget */
    size_t jobs_unfinished;     /* of those shown: they had not ended when the run did */
    size_t samples_left_out;    /* samples and decisions about no job */
    size_t tasks_without_job;   /* tasks of jobs that are not stored, as those that came after the
                                   run's duration: left out */
    uint64_t bytes;             /* written */
};

/*
 * Writes the run's jobs, tasks, decisions and samples. Above `budget_bytes` (0: no limit) whole
 * jobs are left out, the fastest first (latency from arrival; ties by application, instance,
 * number), with the decisions about them; samples and other decisions then stay only while a job is
 * shown that was kept. The result is always a complete JSON file. CT_DATA when `out` failed or
 * memory ran out.
 */
int timeline_write(const struct result_run *run, uint64_t budget_bytes, FILE *out,
                   struct timeline_summary *summary, struct ct_diags *diags);

/*
 * Thread blocks on SMs over time, as a table: CSV of a run that recorded its blocks
 * (RESULT_BLOCKS), a row for each time at which a kernel's blocks came to neighbouring SMs, ended
 * there, or were followed by the next ones, and for each turn of time slices. Rows are in the order
 * of time; those of one instant in that in which they happened. CT_DATA when `out` failed or memory
 * ran out.
 */
int timeline_write_blocks(const struct result_run *run, FILE *out, struct ct_diags *diags);

#endif
