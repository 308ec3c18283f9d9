/* What the parts of the import builder share; nothing here is for readers or commands. */
#ifndef IMPORT_BUILDER_INTERNAL_H
#define IMPORT_BUILDER_INTERNAL_H

#include "base/ct_intern.h"
#include "ingest/import_builder.h"

/*
 * Without launch records a shorter pause than this between two tasks is a host that ran ahead, a
 * longer one a host that waited (docs/model-reference.md, "The host"). With launch records it is
 * how far the clocks of host and device may differ.
 */
#define IMPORT_ASYNC_GAP_PS (20 * CT_PS_PER_US)

/* Longer pauses of an idle device are file input or set-up, and are cut down to this. */
#define IMPORT_GAP_CAP_PS (100 * CT_PS_PER_MS)

/* Copies of pageable memory up to this size return before they are done (CUDA runtime API, "API
 * synchronization behavior"). */
#define IMPORT_STAGED_COPY_BYTES (64 * 1024)

/*
 * A stream with this many tasks that have not started is full: its next launch waits for room.
 * Recordings show 1021 to 1024; the simulator makes such waits itself, so they are no host time.
 */
#define IMPORT_FULL_STREAM 1000

/* The identity of a distinct kernel: interned by its bytes, so it is zeroed before it is filled. */
struct import_kernel {
    struct trace_kernel recorded; /* but for its name, and what that says */
    uint32_t name;
};

/* The identity of a stream. `lane`: 1, 2 ... for branches of a CUDA graph that ran beside the
 * stream. */
struct import_stream {
    uint64_t context, stream, lane;
    int64_t device;
};

struct import_call {
    uint64_t id;
    uint64_t name;
};

/* One device record that may be kept. */
struct import_task {
    ct_time_ps start_ps, duration_ps, recorded_ps; /* recorded: the duration as it was read */
    ct_time_ps lag_ps;                             /* as in struct trace_task */
    ct_time_ps launch_begin_ps, launch_end_ps;     /* CT_TIME_NEVER: not recorded */
    ct_time_ps busy_before_ps; /* until when the device was, with what began before it */
    ct_time_ps blocked_ps;     /* of the launch's call: it waited for room in the stream's queue */
    uint64_t bytes, process, launch_process, launch_thread;
    struct import_work work;
    uint32_t kernel, call, stream; /* interned; TRACE_NONE */
    uint32_t order;                /* as read */
    uint32_t branch_of; /* `order` of the task that a graph's branch follows; TRACE_NONE */
    uint32_t joins;     /* `order` of the branch that the stream's next task follows */
    uint32_t first_wait, wait_count; /* for nodes of its graph: in group.graph_waits */
    uint32_t job;                    /* where ranges cut jobs: which one's it is */
    int32_t device;
    uint8_t kind, direction, memory, flags;
    bool before_recording; /* launched before it began: its launch is assumed */
};

static inline ct_time_ps import_task_end(const struct import_task *task) {
    return task->start_ps + task->duration_ps;
}

/* The ranges of one thread, or of a process and none of its threads: side by side among the marks.
 */
struct import_track {
    uint64_t process, thread;
    size_t first, count;
};

/* What is known of a device. */
struct import_device {
    int device;
    struct import_gpu gpu; /* title NULL: the recording does not describe it */
    uint64_t held;         /* of its memory, at most */
};

struct import_metrics {
    uint32_t name, core; /* interned; its kernel_name_core */
    bool shaped;
    uint32_t grid[3], block[3];
    struct import_extent extent;
    struct trace_metrics metrics;
    bool used, alike; /* found a kernel; by its core only */
};

struct import_builder {
    struct import_options options;
    struct ct_diags *diags;
    struct ct_intern names, kernels, streams, calls;
    CT_VEC(struct import_task) tasks;
    CT_VEC(struct import_sync) syncs;
    CT_VEC(struct import_stream_wait) stream_waits;
    CT_VEC(struct import_mark) marks;
    CT_VEC(const char *) other_marks; /* names of the first ones that are not meant, each once */
    CT_VEC(struct import_track) tracks;
    CT_VEC(struct import_device) devices;
    CT_VEC(struct import_metrics) metrics;
    uint64_t metrics_kernels; /* that got some */
    CT_VEC(struct import_allocation) allocations;
    CT_VEC(struct import_count) reasons;
    bool allocations_settled; /* in order, and each says what it changes */
    ct_time_ps resolution_ps;
    bool stacks_recorded;
    const char *store; /* whose applications are taken as they are; NULL: records make them */
    const struct import_gpu *unknown_gpu;                /* of a kept device, which no preset is */
    struct import_share share_of_tasks, share_of_gpu_ps; /* of the device's work in the file */
};

/* Tasks that began before the one before them in their stream had ended. */
struct import_overlaps {
    size_t tasks;
    ct_time_ps longest_ps;
};

/* All tasks of one process on one device, as pointers into the builder's vector, in an order that
 * its user sets. */
struct import_group {
    int device;
    uint64_t process; /* 0: the recording tells of none, and the group is all of the device */
    bool launches_recorded;
    bool programmatic_launches; /* the GPU lets a kernel start before the one before it ends */
    ct_time_ps resolution_ps;
    struct import_overlaps clipped, overlapping; /* within the resolution, and beyond it */
    CT_VEC(struct import_task *) tasks;
    CT_VEC(uint32_t) graph_waits; /* `order` of nodes that others wait for */
};

static inline bool import_group_has(const struct import_group *group,
                                    const struct import_task *task) {
    return task->device == group->device && task->process == group->process;
}

/* Whether what a process did may be the group's: not where both are known, and differ. */
static inline bool import_may_concern(const struct import_group *group, uint64_t process) {
    return !group->process || !process || process == group->process;
}

/* Part of a group in launch order that becomes a job. */
struct import_slice {
    const char *name;
    size_t first, count;
    uint32_t track; /* whose ranges cut it; TRACE_NONE: no ranges did */
    /* The time of its range; it begins no sooner than its track's work before it was done. */
    ct_time_ps begin_ps, end_ps;
};
struct import_slices {
    CT_VEC(struct import_slice);
};

/* A task of a job waits for another one before it: places in the job. */
struct import_dependency {
    uint32_t task, on;
};
struct import_dependencies {
    CT_VEC(struct import_dependency);
};

/* import_kernels.c */
uint32_t import_kernel_intern(struct import_builder *builder, const struct import_record *record);
uint32_t import_intern_core(struct import_builder *builder, const char *name);
/* `numbers`: those of the recording's kernels, in the order of the application's. */
bool import_kernels_fill(struct import_builder *builder, struct trace_set *set,
                         struct trace_app *app, const struct ct_intern *numbers);

/* import_metrics.c: orders metrics by what they say, so that what kernels get does not depend on
 * the order in which they were read. */
void import_metrics_settle(struct import_builder *builder);

/* Gives a kernel the metrics that fit its name and shape. False: memory ran out. */
bool import_metrics_attach(struct import_builder *builder, struct trace_kernel *kernel);

/* What only the metrics that were attached show; the first kernel is enough. enum ct_status. */
int import_kernels_check(const struct import_builder *builder, const struct trace_app *app);

/* import_store.c: reads the builder's store into the set and attaches. enum ct_status. */
int import_store_take(struct import_builder *builder, struct trace_set *set);

/* Kernels whose demand nobody measured get that of their launches' work. False: memory ran out. */
bool import_kernels_work(const struct import_group *group, const struct ct_intern *numbers,
                         struct trace_app *app);

/* import_streams.c: durations of 0, overlaps, missing launches, launch order. False: recorded as an
 * error. */
bool import_streams_settle(struct import_builder *builder, struct import_group *group);

/* Whether one call launched both, as it does the nodes of a CUDA graph. */
bool import_same_graph(const struct import_task *a, const struct import_task *b);

/* Pointers to tasks by their start, then as they were read. */
int import_compare_starts(const void *a, const void *b);

/* import_graphs.c: the order of graphs' nodes, and their gaps. False: memory ran out. */
bool import_graphs_settle(struct import_group *group);

/* import_marks.c: sorts the marks and makes them the windows of jobs, thread by thread; once,
 * before the first cut. False: memory ran out. */
bool import_marks_settle(struct import_builder *builder);

/* Whose ranges cut what a thread does: its own, else its process', else those of the only thread of
 * its process that has any, else, where its process has none, those of the only thread at all.
 * TRACE_NONE: not known. */
uint32_t import_track_of(const struct import_builder *builder, uint64_t process, uint64_t thread);

/* import_jobs.c: cuts the group and orders it by job and launch, jobs by their beginning; left-out
 * tasks are removed from it. `carried` counts. enum ct_status. */
int import_jobs_cut(struct import_builder *builder, struct import_group *group,
                    struct ct_arena *arena, struct import_slices *slices, uint64_t *carried);

/* import_order.c: the order of streams by events, which tasks of a job wait for tasks of other
 * streams. Zero-initialise; free with import_order_free. */
struct import_order {
    CT_VEC(struct import_moment) moments; /* in order */
    CT_VEC(struct import_event) events;   /* one for each stream's wait */
    CT_VEC(struct import_awaited) pool;
    struct ct_intern raw_streams; /* that record events, or wait for them */
    struct import_front *fronts;  /* of each of these */
    uint32_t *front_of;           /* of each stream of the builder; UINT32_MAX: none */
};

/* Reads the waits of one device. False: memory ran out. */
bool import_order_begin(struct import_order *order, const struct import_builder *builder,
                        int device);
/* Adds what tasks of one job, which are in launch order, wait for. False: memory ran out. */
bool import_order_find(struct import_order *order, struct import_task *const *tasks, size_t count,
                       struct import_dependencies *into);
void import_order_free(struct import_order *order);

/* import_host.c: host gaps, waits and times relative to the job of `count` tasks in launch order.
 * `out` has kind, stream and the like already; returns the recorded length of the job, -1 when
 * memory ran out. */
ct_time_ps import_host_model(const struct import_builder *builder, const struct import_group *group,
                             const struct import_slice *slice, struct trace_task *out);

/*
 * import_preset.c: the name of the device's preset: the one that the options give, else the one
 * that the recorded title means. Where the recording says other things of the GPU than the preset
 * has, it is the one that the options name for an unknown GPU, else a warning names what differs.
 * NULL, with an error: there is none.
 */
const char *import_preset_of(struct import_builder *builder, int device);

/* Whether the GPU lets a kernel start before the one before it ends, by its preset or by what was
 * recorded of it. */
bool import_preset_programmatic(const struct import_builder *builder, int device,
                                const char *preset);

/* import_builder.c */

/* Whether memory was left; an error if not. */
bool import_memory_left(const struct import_builder *builder, bool left);

/* Whether something is left of an application's jobs without those that are to be skipped; else an
 * error. */
bool import_jobs_remain(const struct import_builder *builder, const char *app, size_t jobs);

/* What is known of a device; NULL: nothing. */
struct import_device *import_device_of(const struct import_builder *builder, int device);

/* Why work of a job that is skipped is left out. */
#define IMPORT_SKIPPED "skipped job"

/* Why what a process did on a device is left out of which no kernel is kept there. */
#define IMPORT_NO_KERNELS "process without kernels"

/* Counts so much work of the device as read. */
void import_count_work(struct import_builder *builder, ct_time_ps duration_ps);

/* Work that was counted, of a task for so long as it was recorded, is not kept after all. */
void import_drop_work(struct import_builder *builder, const char *reason, ct_time_ps duration_ps);

/* Where a message says that something is wrong: the file, else the application. */
const char *import_place(const struct import_builder *builder);

#endif
