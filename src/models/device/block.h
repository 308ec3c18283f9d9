/*
 * Inside of the block device: thread blocks lie on SMs in cohorts. A cohort is blocks of one kernel
 * that started together, the same number on each SM of a set, with the same progress since: one
 * event ends them all.
 *
 * Where a slot would go to the same kernel again and again, its next blocks are bound to it in
 * advance: a kernel of a thousand waves costs a few events. They are taken back before each
 * dispatch, so nobody is served earlier or later.
 */
#ifndef BLOCK_H
#define BLOCK_H

#include "device_internal.h"

enum block_phase {
    BLOCK_RUNNING,
    BLOCK_SAVING,   /* its state is copied out: it holds its SMs and stands still */
    BLOCK_RESTORING /* its state is copied in */
};

struct block_cohort {
    struct block_cohort *next;
    double
        left_ps; /* of the first block of each slot, alone; negative once the next one runs there */
    uint32_t ahead;      /* blocks bound to each slot after the first */
    uint32_t waves;      /* of all these, how many have not ended */
    double rate;         /* progress of each block */
    uint32_t planned;    /* waves to whose end until_ps is; 0: not planned yet */
    double contended;    /* part that the functional units of its SMs leave it */
    ct_time_ps until_ps; /* end of the phase, at the present rate */
    uint32_t per_sm, sm_count;
    uint8_t phase;
    uint16_t sms[]; /* rising */
};

/* What is free and resident on one SM. */
struct block_sm {
    int32_t threads, slots, registers, smem_bytes; /* free */
    int32_t resident;                              /* blocks */
    double held; /* sum of 1 / (blocks that an SM holds) over the resident */
};

struct block_map {
    struct ct_arena *arena;
    struct block_cohort *unused;
    uint32_t sms;
    struct block_sm
        *views; /* per SM; under time slices per client and SM: the others' blocks lie in memory */
    struct block_sm empty;
    /* Scratch of a placement. */
    uint16_t *fit;                      /* blocks of `fit_task` that each SM has room for */
    const struct device_task *fit_task; /* NULL: not counted since the last change */
    double fit_sum;
    uint32_t *alike; /* SMs by blocks that they have room for, or get */
    double *use;     /* of the functional units of each SM */
    /* SMs held, for the integral. */
    double busy_sms;
    ct_time_ps busy_since_ps;
    bool changed;
    /* Partition. */
    int32_t *owner, *next_owner; /* by SM; -1: nobody */
    uint64_t *finished;          /* blocks since the epoch began */
    bool moving;
};

/* block.c */
void block_set_awake(
    struct device_task *task); /* counts its blocks that are being moved, or wait for it */
void block_take_back(struct device *device,
                     struct device_task *task); /* blocks that wait for a slot are pending again */

/* block_place.c */
struct block_sm *block_view(const struct device *device, const struct device_task *task);
struct block_cohort *block_cohort_new(struct device *device);
void block_cohort_free(struct device *device, struct block_cohort *cohort);
double block_fit(struct device *device,
                 const struct device_task *task); /* blocks that there is room for now */
void block_place(struct device *device, struct device_task *task, double blocks, double left_ps,
                 enum block_phase phase);
void block_release(struct device *device, struct device_task *task,
                   const struct block_cohort *cohort);
double block_count(const struct block_cohort *cohort);
/* Takes the SM at this position out of a cohort into one of its own, which follows it. */
struct block_cohort *block_split(struct device *device, struct block_cohort *cohort,
                                 uint32_t position);

/* block_units.c */
void block_limit_units(struct device *device, double units);

/* block_move.c: partitions. */
void block_move_settle(struct device *device);
void block_repartition(struct device *device, enum device_move move);
/* What saving the registers and shared memory of so many blocks on one SM takes, or restoring them.
 */
ct_time_ps block_state_time(const struct device *device, const struct device_task *task,
                            double blocks);
struct device_sm block_sm_state(const struct device *device, uint32_t sm);

#endif
