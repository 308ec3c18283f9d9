/* What a workload made ready for one GPU consists of: plans of tasks, applications, the whole. */
#ifndef SETUP_TYPES_H
#define SETUP_TYPES_H

#include "base/ct_arena.h"
#include "models/device/gpu.h"
#include "models/device/kernel_profile.h"
#include "workload/workload.h"

#define SETUP_ALL_BEFORE TRACE_NONE

/* Tasks of the jobs of a workload, with all repetitions: some GiB of plans (chosen). */
enum { SETUP_MOST_TASKS = 1 << 23 };

/* Instances with their workers, or with the clients of closed arrivals, each of which has an event
 * of its own before the first job: some 10 s of a core and a GB (chosen). */
enum { SETUP_MOST_PLACES = 1 << 22 };

/* One task of a plan. */
struct setup_step {
    const struct kernel_profile *profile; /* NULL: copy or memset */
    double work_ps;                       /* solo duration on this GPU, of a job of size 1 */
    uint64_t bytes;
    uint32_t function; /* number of the kernel's name, or of the kind of copy, in the experiment */
    uint32_t stream;   /* within its application instance */
    uint32_t waited_for; /* TRACE_SYNC: position in the plan; SETUP_ALL_BEFORE */
    uint32_t first_dependency, dependency_count; /* positions in plan.dependencies */
    uint32_t library_call;                       /* > 0: its call is item n - 1 of the plan's */
    uint32_t question;              /* tasks with the same number are the same to a predictor */
    uint8_t kind, direction, flags; /* as in struct trace_task */
    bool pinned;
    bool as_recorded;      /* its solo duration is the recorded one */
    ct_time_ps gap_ps;     /* of the host, before its launch */
    ct_time_ps latency_ps; /* of its launch, until it is on an idle device */
    ct_time_ps lag_ps;     /* of the device (launch_latency.h), as in struct trace_task */
    const struct trace_kernel *kernel; /* NULL: copy or memset */
};

/* A copy over the link between host and device. */
static inline bool setup_step_crosses_link(const struct setup_step *step) {
    return step->kind == TRACE_COPY && step->direction != TRACE_DEVICE_TO_DEVICE;
}

/* A library call of a plan. */
struct setup_call {
    const char *name;
    uint32_t function;    /* number of its name */
    uint32_t first, last; /* positions of its first and its last kernel */
    uint32_t kernels;
    uint32_t question;
};

/* The tasks of one job in the order of their launch. */
struct setup_plan {
    struct setup_step *steps;
    uint32_t count;
    struct setup_call *calls; /* library calls, in the order of their first kernels */
    uint32_t call_count;
    const uint32_t *dependencies;
    uint64_t input_bytes;
    uint32_t kernels;   /* of its steps */
    double work_ps;     /* sum over its steps */
    ct_time_ps tail_ps; /* of the host, after the last of them has ended */
};

struct setup_app {
    const struct workload_app *spec;
    const struct trace_app *trace;   /* its recording, or one made up for a synthetic application */
    const struct gpu *recorded;      /* the GPU of the recording, as its preset says */
    struct kernel_profile *profiles; /* of each kernel of the trace */
    double *kernel_work_ps;          /* work of each kernel, summed over one job of each choice */
    struct setup_plan *first_plans;  /* by choice of job: its first iteration, with copies */
    struct setup_plan *plans;        /* later iterations; the same array unless copies are `once` */
    double *weights;                 /* cumulative, the last is 1 */
    uint32_t plan_count, stream_count, longest_plan;
    uint32_t most_calls; /* library calls of the plan that has most */
    bool has_copies, synthetic;
    bool has_dependencies; /* a task waits for others than the one before it, or less than for its
                              end */
};

struct demand_file;

/* Time of tasks alone that run on the GPU itself, so of all but copies over the link, which ask
 * nothing of its memory; of which, of kernels whose memory demand is unknown. */
struct setup_time {
    double all_ps, unknown_ps;
};

struct setup {
    struct ct_arena arena;
    struct trace_set made_up; /* recordings of synthetic applications */
    const struct workload *workload;
    struct gpu gpu;
    uint32_t hw_queues;
    struct setup_app *apps;
    uint32_t app_count;
    uint32_t question_count;
    struct ct_coverage inputs;         /* of one job of each choice */
    struct setup_time gpu_time;        /* likewise */
    const struct demand_file *classes; /* what says how much of the units kernels use; NULL:
                                          nobody had to ask */
};

#endif
