/*
 * Why a stored run's slowest jobs were slow, in sentences whose numbers come from the store alone:
 * where each job's time went (docs/model-reference.md, "What is measured"), who delayed it, which
 * earlier query of its service it waited for, and what the policy decided meanwhile.
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "results/result_store.h"

#include <stdio.h>

struct explain_choice {
    const char *app;   /* NULL: every service, or every application where there is none */
    uint64_t worst;    /* jobs of each application */
    bool one;          /* a single job of `app` instead: */
    uint32_t instance; /* from 0 */
    uint64_t number;
};

struct explain_lines {
    const char *const *items;
    size_t count;
};

/* One job. Times are picoseconds. */
struct explain_job {
    const struct result_job *job;
    const char *name;       /* "imc:7", of the third instance "bfs.2:7" */
    ct_time_ps latency_ps;  /* of one that has not ended: its age, a lower bound */
    const char *began_name; /* of the head of the queue that it waited in; NULL: it did not */
    struct explain_lines lines;
};

/* An application. */
struct explain_app {
    const struct report_app *app;
    size_t jobs, tail; /* jobs that arrived in the window and whose latency, or of those that
                          have not ended whose age, is known; the slowest 1 % of them */
    struct explain_lines lines;        /* about the tail; none for a single job */
    const struct explain_job *slowest; /* the slowest first */
    size_t slowest_count;
};

struct explanation {
    struct ct_arena arena;
    const struct result_run *run;
    const struct explain_app *apps;
    size_t app_count;
};

/*
 * Explains a run that was read with its jobs and decisions (and tasks, if it has them), in the
 * order of the store. CT_USAGE when there is no such application or job, CT_DATA when the run was
 * stored without what is needed or memory ran out; with a diagnostic. The run must outlive it; free
 * with explanation_free in every case.
 */
int explain_make(const struct result_run *run, const struct explain_choice *choice,
                 struct explanation *explanation, struct ct_diags *diags);
void explanation_free(struct explanation *explanation);

/* "imc:7" or "bfs.2:7"; in the arena, NULL when memory ran out. */
const char *explain_job_name(const struct result_run *run, int64_t app, int64_t instance,
                             int64_t number, struct ct_arena *arena);

/* Whether an application is told about when none is named: the services, all where there is none.
 */
bool explain_tells(const struct report *report, size_t app);

/*
 * The jobs of an application that the report counts, the slowest first. `slowest` has room for all
 * jobs of the run. Returns how many.
 */
size_t explain_slowest(const struct result_run *run, size_t app, const struct result_job **slowest);

/* A job of a run that explain tells about, by its place; NULL: none. */
const struct result_job *explain_job_find(const struct result_run *run, uint32_t app,
                                          uint32_t instance, uint64_t number);

/* What one entry of the decision log did, as the end of a sentence: "issued kernel 7 of bfs:3
 * (predicted 4 ms, headroom of imc 3.1 ms)"; in the arena, NULL when memory ran out. */
const char *explain_decision(const struct result_run *run, const struct result_decision *decision,
                             struct ct_arena *arena);

/* Which run of its store it is: "mps, replication 0, seed 1, on h100 (--run 2)"; in the arena, ""
 * when memory ran out. */
const char *explain_run_name(const struct result_run *run, struct ct_arena *arena);

/* Every entry of the decision log, with such words, as a table; the form is an enum report_format.
 * CT_OK, or CT_DATA when `out` failed or memory ran out. */
int explain_log(const struct result_run *run, int format, FILE *out);

/* Forms: enum report_format. CSV has a row per job. CT_OK, or CT_DATA when `out` failed. */
int explain_write(int format, const struct explanation *explanation, FILE *out);

#endif
