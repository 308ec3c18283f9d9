/*
 * Inside of the block device: thread blocks lie on SMs in cohorts. A cohort is blocks of one kernel
 * that started together, with the same progress since: one event ends them all. SMs in the same
 * state form a class, so that work goes with the number of distinct states and not of SMs.
 *
 * Where a slot would go to the same kernel again and again, its next blocks are bound to it in
 * advance: a kernel of a thousand waves costs a few events. They are taken back before each
 * dispatch, so nobody is served earlier or later.
 *
 * Every block begins and ends at a whole picosecond: times do not depend on when the device was
 * looked at.
 */
#ifndef BLOCK_H
#define BLOCK_H

#include "models/device/device_internal.h"

/*
 * Blocks of a kernel that are as far in step are one cohort, at their mean progress: in parts of a
 * block's work, and of what the units of their SMs leave them. Assumed; the device reference says
 * what it changes.
 */
static const double BLOCK_IN_STEP = 1.0 / 64;

enum block_phase {
    BLOCK_RUNNING,
    /* Its state is copied out: it holds its SMs and stands still. */
    BLOCK_SAVING,
    /* Its state is copied in. */
    BLOCK_RESTORING
};

struct block_cohort {
    struct block_cohort *next; /* the next cohort of its task */
    struct device_task *task;
    double blocks;       /* running, over all its SMs: as many slots */
    double worth;        /* kernel's solo time per time of each of them; mean */
    double left_ps;      /* solo work that each block had left at since_ps */
    double rate;         /* progress since then */
    double contended;    /* part that the functional units of its SMs leave it */
    ct_time_ps since_ps; /* when it began, or when its rate changed last */
    ct_time_ps first_ps; /* end of the running blocks at the present rate; -1: not planned yet */
    ct_time_ps step_ps;  /* time that each block bound to a slot takes after the one before it */
    ct_time_ps until_ps; /* end of the last of them, or of the phase */
    uint32_t ahead;      /* blocks bound to each slot after the running one */
    uint8_t phase;
    double part;               /* scratch of whoever goes over the classes or the cohorts */
    double above;              /* scratch: sum over blocks of what their SMs leave beyond that */
    struct block_cohort *twin; /* scratch: split off for another part; NULL: none */
};

/* What is free and resident on one SM. */
struct block_sm {
    int32_t threads, slots, registers, smem_bytes; /* free */
    int32_t resident;                              /* blocks */
    int32_t smem_division; /* since its first resident came; 0: empty, or not divided */
    int32_t freed;         /* blocks that ended at freed_ps */
    ct_time_ps freed_ps;
    double held; /* sum of 1 / (blocks that an SM holds) over the resident */
};

struct block_resident {
    struct block_cohort *cohort;
    int32_t per_sm;
    double part; /* scratch: of the speed that it asks for, what its SMs leave it */
};

enum block_user { USER_OTHER, USER_CLIENT, USER_TASK };

/* SMs in the same state: with the same owner, and as many blocks of the same cohorts on each. */
struct block_class {
    struct block_class *next;
    struct block_sm sm;
    int32_t owner, next_owner;
    int32_t fit;          /* blocks of the map's `fit_task` that each SM has room for, or gets */
    bool eligible;        /* scratch of a choice by number */
    bool changed;         /* since it was compared with the others */
    bool use_known;       /* `use` is that of these residents */
    enum block_user user; /* who has blocks there, as the map's `fit_task` sees it */
    double use;           /* part of each SM's functional units that its residents ask for */
    uint32_t size;        /* SMs */
    uint32_t resident_count;
    struct block_resident *residents; /* in the order of placement; as many as an SM has slots */
    uint64_t sms[];                   /* set, by number */
};

/* All SMs as one client sees them. */
struct block_view {
    struct block_class *classes;
    bool changed; /* some may have become alike */
};

/* An SM that somebody fills up who has waited. */
struct block_room {
    uint32_t sm;
    int32_t left, at_once; /* blocks that have room there, and where one block ends */
};

struct block_map {
    struct ct_arena *arena;
    struct block_cohort *unused_cohorts;
    struct block_class *unused_classes;
    uint32_t sms, words;      /* number of SMs; 64-bit words of a set of them */
    struct block_view *views; /* one; under time slices one per client: the others' blocks lie in
                                 memory */
    struct block_sm empty;
    /* Scratch of a placement. */
    const struct device_task *fit_task; /* NULL: not counted since the last change */
    double fit_sum;
    bool limited;    /* the task was left less room than there is, by a limit of its own */
    bool over_limit; /* the task holds more SMs than its limits allow now */
    uint32_t *alike; /* SMs by blocks that they have room for */
    uint64_t *chosen;
    uint32_t *allowances;     /* SMs of each GPC on which a client may begin */
    struct block_room *rooms; /* one for each SM */
    /* SMs held, for the integral. */
    double busy_sms;
    ct_time_ps busy_since_ps;
    bool changed;
    bool woken; /* a cohort's phase has ended: what units are used must be counted anew */
    /* Partition. */
    int32_t *owner, *next_owner; /* client that has, or is to get, each SM; -1: nobody */
    int32_t *resident;           /* scratch of a repartition, and of who fills up SMs */
    uint64_t *finished;          /* blocks since the epoch began; kept for partitions alone */
};

/* block.c */
void block_set_awake(
    struct device_task *task); /* counts its blocks that are being moved, or wait for it */
void block_take_back(struct device *device,
                     struct device_task *task); /* blocks that wait for a slot are pending again */

/* block_class.c: sets of SMs. */
bool block_class_start(struct device *device); /* all SMs empty; false: out of memory */
struct block_view *block_view_of(const struct device *device, const struct device_task *task);
/* The first SM of a class from this one on; as many as there are SMs: none. */
uint32_t block_next(const struct block_map *map, const struct block_class *class, uint32_t sm);
void block_class_touch(struct block_class *class); /* residents, their phase or the owner change */
/* Blocks that end at this moment on each SM of the class; counted where who waits fills up SMs. */
int32_t block_freed_now(const struct block_class *class, ct_time_ps now);
void block_set_add(uint64_t *set, uint32_t sm);
/* The blocks of a cohort on the SMs of a class; NULL: it has none there. */
struct block_resident *block_resident_of(const struct block_class *class,
                                         const struct block_cohort *cohort);
/* Takes the SMs that are also in `set` out into a class of their own, which follows. NULL: all or
 * none are. */
struct block_class *block_class_split(struct device *device, struct block_class *class,
                                      const uint64_t *set);
void block_class_merge(struct device *device, struct block_view *view); /* those that are alike */
struct block_cohort *block_cohort_new(struct device *device);
void block_cohort_free(struct device *device, struct block_cohort *cohort);
void block_cohort_append(struct block_cohort **list, struct block_cohort *cohort);

/* block_place.c */
double block_fit(struct device *device,
                 const struct device_task *task); /* blocks that there is room for now */
void block_place(struct device *device, struct device_task *task, const struct block_cohort *like,
                 double blocks);
void block_release(struct device *device, struct device_task *task,
                   const struct block_cohort *cohort);
/* The blocks of the other cohort, taken off its task's list, become this one's. */
void block_merge(struct device *device, struct block_cohort *cohort, struct block_cohort *other);

/* Tells a listener of blocks on the SMs of a class. */
void block_tell(const struct device *device, const struct device_task *task,
                const struct block_class *class, struct device_block_move move);

/* block_fill.c: makes of the room of each SM the blocks that it gets of a kernel that has waited,
 * of at most as many as there is room for. */
void block_fill_up(struct device *device, struct block_view *view, uint64_t blocks);
bool block_room_appears(const struct device *device,
                        const struct block_view *view); /* now, as blocks end */

/* block_progress.c: when blocks end. */
double block_left(const struct device *device,
                  const struct block_cohort *cohort); /* of the running blocks, now */
void block_roll(struct device *device,
                struct block_cohort *cohort); /* counts blocks that ended on slots that go on */
void block_count_finished(struct device *device, const struct block_cohort *cohort, uint32_t waves);
double block_work(struct device *device, struct device_task *task, double elapsed_ps);
void block_set_draw(struct device *device, struct device_task *task);
ct_time_ps block_plan(struct device *device, struct device_task *task);
/* Joins cohorts that are in step; the work left stays the same. To be called at events of the task
 * alone: when depends on nobody who looks. */
void block_join(struct device *device, struct device_task *task);

/* block_units.c */
void block_limit_units(struct device *device, double units);
/* What the recording shows that an SM gives to this kernel alone, of its busiest unit. */
double block_unit_alone(const struct device *device, const struct device_task *task);
/* Blocks of it that an SM has alone, where one has the most. */
double block_most_alone(const struct device *device, const struct device_task *task);

/* block_age.c: who comes first on an SM. */
bool block_age_counts(const struct device *device, const struct block_class *class);
void block_share_by_age(const struct device *device, struct block_class *class);

/* block_move.c: partitions. */
void block_move_settle(struct device *device);
void block_repartition(struct device *device, enum ct_move move);
/* What saving the registers and shared memory of so many blocks on one SM takes, or restoring them.
 */
ct_time_ps block_state_time(const struct device *device, const struct device_task *task,
                            double blocks);

#endif
