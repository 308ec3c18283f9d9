/* A sweep file (schema cotenant.sweep/1) as plain records: a workload, policies, and designs that
 * say which keys take which values. */
#ifndef SWEEP_FILE_H
#define SWEEP_FILE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"

#define SWEEP_SCHEMA "cotenant.sweep/1"

/* Points of all designs together. */
#define SWEEP_MOST_POINTS UINT64_C(1000000)

enum sweep_law {
    /* One of `values`: in a grid one after the other, in a random design each as likely. */
    SWEEP_VALUES,
    SWEEP_UNIFORM,
    SWEEP_LOGUNIFORM,
    /* Whole numbers, both ends included. */
    SWEEP_INTEGERS
};

struct sweep_value {
    const char *text;  /* as an assignment takes it */
    const char *label; /* as tables show it: texts without quotes */
};

/* A key (a path as of `--set`) and what it becomes. */
struct sweep_axis {
    const char *key;
    const char *where; /* "load.json: designs[0].grid.gpu" */
    int law;           /* enum sweep_law */
    struct sweep_value *values;
    size_t value_count;
    double low, high;
};

struct sweep_design {
    bool random; /* false: every combination of all values, the last axis the fastest */
    bool latin;  /* random: each axis' range in as many equal parts as points, each part once */
    uint64_t points;
    int64_t seed;
    struct sweep_axis *axes;
    size_t axis_count;
};

struct sweep_file {
    struct ct_arena arena;
    const char *path, *name;
    const char *workload;        /* a path, looked up; NULL: the text is in the file */
    const char *workload_text;   /* JSON */
    const char *const *policies; /* NAME[:KEY=VALUE...] */
    size_t policy_count;
    int64_t reps, seed;          /* seed: -1: the workload's */
    const char *const *settings; /* assignments that hold at every point */
    size_t setting_count;
    struct sweep_design *designs;
    size_t design_count;
    uint64_t points; /* of all designs */
};

/* Reads and checks a file, or a text (NULL: none) that is called so; all mistakes are collected.
 * enum ct_status; free in every case. */
int sweep_file_read(const char *path, const char *text, struct sweep_file *sweep,
                    struct ct_diags *diags);
void sweep_file_free(struct sweep_file *sweep);

#endif
