/*
 * What a sweep keeps in a result store, in tables that the first sweep makes: results of single
 * runs by key, so that none is run twice; and its points, each with the values of the axes and the
 * numbers of its stored runs.
 *
 * Tables: kept (key, result), sweep_point (number, key, sweep, comparison), sweep_run (point,
 * position, run), sweep_value (point, position, key, value), sweep_latest (point): those of the
 * sweep that was last made, whose file may have had other ones before, sweep_listed (sweep, point):
 * those of every sweep as it was last made, sweep_failed (sweep, number, error): those that could
 * not be run. View v_sweep: run, point, key, value, for the runs of a point and for their
 * replications.
 */
#ifndef RESULT_SWEEP_H
#define RESULT_SWEEP_H

#include "results/result_store.h"

/* Makes the tables where they are missing. enum ct_status. */
int result_sweep_prepare(struct result_store *store, struct ct_diags *diags);

/* A kept result as malloc'ed bytes; NULL: there is none. enum ct_status. */
int result_kept_find(struct result_store *store, struct ct_hash key, unsigned char **bytes,
                     size_t *size, struct ct_diags *diags);

/* Keeps a result; one that is there stays. enum ct_status. */
int result_kept_add(struct result_store *store, struct ct_hash key, const unsigned char *bytes,
                    size_t size, struct ct_diags *diags);

/* A point as it is stored. */
struct result_point {
    int64_t number;     /* from 1; 0 before it is stored */
    struct ct_hash key; /* of its content and its values */
    const char *sweep;  /* the sweep's name */
    const int64_t *runs;
    size_t run_count;
    int64_t comparison; /* number; 0: none */
    const struct report_setting *values;
    size_t value_count;
};

/* The number of the point with this key, 0 when there is none; -1 after a diagnostic. */
int64_t result_point_find(struct result_store *store, struct ct_hash key, struct ct_diags *diags);

/* Adds a point whose runs, and last of all whose comparison (more than one run), have just been
 * stored. enum ct_status. */
int result_point_add(struct result_store *store, const struct result_point *point,
                     struct ct_diags *diags);

/* Says that this sweep, the newest one, has these points (0: none); `begin`: and no other ones yet,
 * and none that failed. enum ct_status. */
int result_points_list(struct result_store *store, const char *sweep, const int64_t *numbers,
                       size_t count, bool begin, struct ct_diags *diags);

/* A point that could not be run. */
struct result_failure {
    uint64_t number;   /* from 1, in the order of the sweep's file */
    const char *error; /* which names the values, too; NULL: unknown */
};

/* Says which points of a sweep failed, instead of what was said of it before. enum ct_status. */
int result_failures_list(struct result_store *store, const char *sweep,
                         const struct result_failure *failures, size_t count,
                         struct ct_diags *diags);

/* The reports of a point's runs and their differences, into the set (a comparison in every case).
 * enum ct_status. */
int result_point_read(struct result_store *store, int64_t number, struct result_set *set,
                      struct ct_diags *diags);

/* Zero-initialise; free with ct_vec_free. What the points hold lies in the arena. */
struct result_points {
    CT_VEC(struct result_point);
    bool chosen; /* they are those of a sweep that was chosen */
};

/* The names of the sweeps in a store, sorted. Zero-initialise; free with ct_vec_free. */
struct result_sweeps {
    CT_VEC(const char *);
};
int result_sweeps_read(struct result_store *store, struct ct_arena *arena,
                       struct result_sweeps *sweeps, struct ct_diags *diags);

/* From now on the points that are read are those of this sweep. enum ct_status. */
int result_sweep_choose(struct result_store *store, const char *sweep, struct ct_diags *diags);

/* The points of the newest sweep, or of the chosen one, in the order in which they were stored,
 * without their keys; none where the store has no sweep, or, if none is chosen, a comparison that
 * is newer. enum ct_status. */
int result_points_read(struct result_store *store, struct ct_arena *arena,
                       struct result_points *points, struct ct_diags *diags);

/* What tells a run's point from the others of its sweep, "rate per s 20, vit instances 4", into the
 * arena; "" for a run of no sweep, NULL for one of a point that its sweep has no more, or, where a
 * sweep is chosen, of another one. enum ct_status. */
int result_point_label(struct result_store *store, const struct result_run *run,
                       struct ct_arena *arena, const char **label, struct ct_diags *diags);

#endif
