/* A sweep under way: its file, its store, and how one point is read, run and stored. */
#ifndef SWEEP_JOB_H
#define SWEEP_JOB_H

#include "experiment/scenario.h"
#include "results/result_sweep.h"
#include "study/sweep_cache.h"
#include "study/sweep_design.h"

struct sweep_job {
    struct sweep_file file;
    const uint32_t *const *shuffle;
    struct sweep_cache cache;
    struct run_cache runs;
    int64_t *numbers;  /* number in the store of each point, by index; 0: not there */
    uint64_t finished; /* points, in order, those that failed too */
    uint64_t listed;   /* of them: the store says that the newest sweep has them */
    CT_VEC(struct result_failure) failures; /* points that could not be run, in order */
    int failed;                             /* CT_OK, or the status of the first of them */
    double running;                         /* parts of the others, added up */
    uint64_t most_runs;          /* runs of all points, of those that are kept already, too */
    struct sweep_part *first;    /* which all others take recordings from; NULL: none is read */
    const char *policies;        /* "a,b,c" */
    struct policy_watch *watch;  /* told of the policies' hooks; NULL: nobody watches */
    bool trusts_files;           /* as in struct scenario_request */
    struct ct_listener listener; /* is told of points, and parts of those under way */
    struct ct_arena arena;
};

/* Reads the file, or a text (NULL: none) that is called so, and looks at every value of every axis
 * by itself, so that mistakes are known before anything runs. enum ct_status; close in every case.
 */
int sweep_job_open(struct sweep_job *job, const char *path, const char *text,
                   struct policy_watch *watch, bool trusts_files, struct ct_diags *diags);
void sweep_job_close(struct sweep_job *job);

/* The store of the results; the caller opens and closes it. `due`, with the job's context: whether
 * results have waited for long enough to be written; NULL: each point writes them. enum
 * ct_status. */
int sweep_job_store(struct sweep_job *job, struct result_store *store, bool (*due)(void *context),
                    struct ct_diags *diags);

/* Points that are finished and in the store. */
uint64_t sweep_job_stored(const struct sweep_job *job);

/* Stores what waits, however the sweep has ended, and which points failed. enum ct_status: that of
 * the first point that failed, if nothing else does. */
int sweep_job_end(struct sweep_job *job, struct ct_diags *diags);

/* What the settings under "set" change at the first point (settings.h); nothing where it failed.
 * enum ct_status. */
int sweep_job_settings(struct sweep_job *job, struct ct_arena *arena, const char **sentence,
                       struct ct_diags *diags);

/* Works on a point, on any thread; `done` gets what the next two take. A point that cannot be run
 * is done, too. enum ct_status. */
int sweep_job_work(struct sweep_job *job, uint64_t index, struct sweep_part **done,
                   struct ct_diags *diags);
/* Takes the results, one at a time and in order. enum ct_status. */
int sweep_job_finish(struct sweep_job *job, uint64_t index, struct sweep_part *part,
                     struct ct_diags *diags);
void sweep_part_drop(struct sweep_part *part); /* of a point that comes after a failure; or NULL */

/* ---- sweep_print.c ---- */

/* The finished points of the job, which are stored; text and Markdown with the self-check, whose
 * settings are asked about at the first point. enum ct_status. */
int sweep_print(struct sweep_job *job, enum report_format format, FILE *out,
                struct ct_diags *diags);

#endif
