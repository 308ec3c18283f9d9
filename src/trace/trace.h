/*
 * Recorded applications in memory: plain records, no file format.
 *
 * An application is a list of jobs (queries, training steps, whole runs); a job is a run of tasks
 * in the order in which the host launched them; a task is a kernel launch, a copy or a memset and
 * refers to a distinct kernel (name and launch shape). All times of a task are relative to the
 * start of its job: the launch of its first task.
 */
#ifndef TRACE_H
#define TRACE_H

#include "base/ct_arena.h"
#include "base/ct_hash.h"
#include "base/ct_provenance.h"
#include "base/ct_types.h"
#include "base/ct_vec.h"
#include "trace/kernel_class.h"

#define TRACE_NONE UINT32_MAX

enum trace_kind { TRACE_KERNEL, TRACE_COPY, TRACE_MEMSET };

/* Peer-to-peer and array copies count as device to device. */
enum trace_direction { TRACE_HOST_TO_DEVICE, TRACE_DEVICE_TO_HOST, TRACE_DEVICE_TO_DEVICE };

/* Where the host side of a copy lies; a recording that does not say is TRACE_MEMORY_UNKNOWN. */
enum trace_memory { TRACE_PAGEABLE, TRACE_PINNED, TRACE_MEMORY_UNKNOWN };

/* What is known of a distinct kernel beyond its shape. NAN: unknown. Fractions are 0 to 1. */
struct trace_metrics {
    double dram_bytes_per_s; /* read and written, while it runs alone on the recorded GPU */
    double dram_fraction;    /* the same as a fraction of peak, where only that is known */
    double dram_read_share;  /* reads / (reads + writes) */
    double row_hit_rate;
    double l2_fraction;
    double issue_slot_fraction;
    double unit_fraction;                /* of the busiest functional unit */
    double fp32_fraction, fp64_fraction; /* of the units for single and double precision */
    double sm_activity;
    double achieved_occupancy;
    double instructions; /* thread instructions per launch */
};

/* Duration at a share of the SMs over the duration with all of them. */
struct trace_curve_point {
    ct_share share;
    double factor;
};

/* What every GPU takes, as recordings are imported and stores are read: threads of a block
 * (CUDA C++ programming guide, every compute capability), registers of a thread (the same), and
 * what an index of a block, and a size of shared memory, can be. */
enum {
    TRACE_MOST_THREADS = 1024,
    TRACE_MOST_REGISTERS = 255,
    /* Blocks in one direction. */
    TRACE_MOST_BLOCKS = INT32_MAX,
    TRACE_MOST_SMEM_BYTES = INT32_MAX
};

/* Bytes or operations per second, instructions of a launch: no GPU comes near (assumed). */
#define TRACE_MOST_RATE 1e18
/* A factor of a curve at most: the clock's longest time over its shortest. */
#define TRACE_MOST_FACTOR 1e19

/* A distinct kernel. */
struct trace_kernel {
    const char *name;
    uint32_t grid[3], block[3];
    uint32_t registers_per_thread; /* 0: not recorded */
    uint32_t static_smem_bytes, dynamic_smem_bytes;
    bool communication;          /* NCCL and its kind: spins, so its duration is no work */
    uint8_t demand_provenance;   /* enum ct_provenance of dram_*; CT_ASSUMED where unknown */
    uint8_t geometry_provenance; /* of grid, block, registers, shared memory */
    /* What the name says, enum kernel_class and enum kernel_unit, each + 1; 0: nobody has looked.
     */
    uint8_t name_class, name_unit;
    struct trace_metrics metrics;
    double
        flops_per_s; /* operations by the shapes of its operator's inputs, over time; 0: unknown */
    const struct trace_curve_point *curve; /* rising share, ends with CT_SHARE_FULL; NULL: none */
    uint32_t curve_count;
};

enum trace_task_flag {
    /* The host waited before this launch: host_gap_ps counts from the wait's end. */
    TRACE_SYNC = 1,
    /* There is no launch record: sync or not was guessed from the gap. */
    TRACE_HOST_GAP_ASSUMED = 2,
    /* Recorded as 0, or not recorded but modelled. */
    TRACE_DURATION_ASSUMED = 4,
    /* File input or set-up was cut down to the cap. */
    TRACE_HOST_GAP_CAPPED = 8,
    /* Launched before the window in which it ran. */
    TRACE_CARRIED = 16,
    /* Launched while the device was busy with what is not in its job. */
    TRACE_BEHIND_OTHERS = 32
};

struct trace_task {
    uint8_t kind, direction, memory, flags;
    uint32_t kernel;       /* index into kernels; TRACE_NONE for copies and memsets */
    uint32_t stream;       /* dense index, 0 .. stream_count - 1 */
    uint32_t waited_for;   /* TRACE_SYNC: the task of this job whose end the host waited for;
                              TRACE_NONE: all before */
    uint32_t library_call; /* kernels of one operator share a number > 0; 0: native */
    /* In app.dependencies: tasks of this job on other streams. */
    uint32_t first_dependency, dependency_count;
    uint64_t bytes;         /* of a copy or memset */
    ct_time_ps duration_ps; /* alone on the recorded GPU, > 0; of a copy that was made up, 0 */
    ct_time_ps start_ps;    /* on the device; never before 0 */
    ct_time_ps grown_ps;    /* what its duration was made longer by than it was recorded */
    /*
     * From the end of the one before it in its stream, where the device's own doing is recorded.
     * Above 0: the device took so long to go on inside a CUDA graph. Below 0: a kernel that came
     * onto the device so long before that end and waited there for it (programmatic launch); its
     * start and duration count from the end on.
     */
    ct_time_ps lag_ps;
    ct_time_ps launch_begin_ps, launch_end_ps; /* host call; equal when not recorded */
    /* Async: from the launch before it to this one. TRACE_SYNC: from the wait's end to this launch.
     * First task: from the begin of the job. */
    ct_time_ps host_gap_ps;
};

/* A copy between host and device. */
static inline bool trace_task_crosses_link(const struct trace_task *task) {
    return task->kind == TRACE_COPY && task->direction != TRACE_DEVICE_TO_DEVICE;
}

/* When it ended, as recorded. */
static inline ct_time_ps trace_task_end(const struct trace_task *task) {
    return task->start_ps + task->duration_ps - task->grown_ps;
}

struct trace_job {
    const char *name;
    uint32_t first_task, task_count;
    uint64_t input_bytes; /* copied in, the input size that a predictor sees */
    /* From its begin, the first launch or that of its range, to its end: that of the last task, or
     * of its range if that is later. */
    ct_time_ps recorded_ps;
    ct_time_ps tail_ps; /* of the host: from the end of the last task to the end of the job */
};

/* A fact about a recording: the GPU's properties as found, what was lost and why. */
struct trace_note {
    const char *name, *value;
};

struct trace_app {
    const char *name;
    const char *gpu;    /* preset name */
    const char *source; /* format and public origin of the recording */
    const char *licence;
    ct_time_ps resolution_ps; /* steps in which the recorded times were counted */
    uint32_t stream_count;
    uint64_t carried_tasks; /* launched before a window: moved to the job before, or left out with
                               the first */
    bool stacks_recorded;   /* call stacks inflate host gaps */
    bool launches_recorded;
    CT_VEC(struct trace_kernel) kernels;
    CT_VEC(struct trace_task) tasks;
    CT_VEC(struct trace_job) jobs;
    CT_VEC(uint32_t) dependencies;      /* task indices within the job */
    CT_VEC(const char *) library_calls; /* names; number n is item n - 1 */
    CT_VEC(struct trace_note) notes;    /* in the order in which they were written */
    struct ct_hash content; /* of all that a run is made of, once it is read and changes no more; 0:
                               nobody made it (workload_write.c) */
};

/* The name of the note that says how much memory of the GPU an application took, in bytes. */
#define TRACE_NOTE_MEMORY "GPU memory, bytes"
/* The one that says what the import kept of a file of which it left out some. */
#define TRACE_NOTE_KEPT "kept of its file"
/* The one that says on which units all kernels of an application that was made from layers compute:
 * one of kernel_unit_names. */
#define TRACE_NOTE_UNIT "computes on"

/* All applications of one store. Strings and curves live in the arena; the vectors are the
 * applications' own. */
struct trace_set {
    struct ct_arena arena;
    CT_VEC(struct trace_app *) apps;
};

/* A new application with this name, owned by the set; NULL when memory ran out. */
struct trace_app *trace_set_add(struct trace_set *set, const char *name);
const struct trace_app *trace_set_find(const struct trace_set *set, const char *name);
void trace_set_free(struct trace_set *set);

/* Takes the first jobs and their tasks out; the application has more jobs than that. */
void trace_app_drop_jobs(struct trace_app *app, size_t count);

/* Memory of the GPU that one process of the application took at most, as recorded; 0: unknown. */
uint64_t trace_app_memory(const struct trace_app *app);

/* What was kept of the file that it is from, in words; "": all, or nobody says. */
const char *trace_app_kept(const struct trace_app *app);

/* The unit that an application's layers are computed on, as its maker says; KERNEL_UNIT_UNKNOWN:
 * not made from layers, or nobody says. */
enum kernel_unit trace_app_unit(const struct trace_app *app);

/* Metrics of which none is known: all NAN. */
struct trace_metrics trace_metrics_unknown(void);

/* Whether a GPU takes such a grid of such blocks. */
bool trace_shape_is_possible(const uint32_t grid[3], const uint32_t block[3]);

/* What of a kernel is beyond every GPU, and its column in a trace store (NULL: several have a part
 * in it). */
struct trace_beyond {
    const char *words, *column;
};

/* Words are NULL: nothing. Recordings are held to it as they are imported, stores as they are read.
 */
struct trace_beyond trace_kernel_beyond(const struct trace_kernel *kernel);

/* What its name says that it does, and on which units. Looking at a name takes a microsecond: who
 * keeps a kernel for long looks once. */
void trace_kernel_look(struct trace_kernel *kernel);
enum kernel_class trace_kernel_class(const struct trace_kernel *kernel);
enum kernel_unit trace_kernel_unit(const struct trace_kernel *kernel);

/* Thread blocks of a launch; threads of a block. */
uint64_t trace_kernel_blocks(const struct trace_kernel *kernel);
uint32_t trace_kernel_threads(const struct trace_kernel *kernel);

/* When the last of a job's tasks ended, from the begin of the job. */
ct_time_ps trace_last_end(const struct trace_task *tasks, size_t count);

/* Sums over an application's tasks: what `trace show` prints. */
struct trace_totals {
    uint64_t kernels, copies, memsets;
    uint64_t h2d_bytes, d2h_bytes, d2d_bytes;
    ct_time_ps kernel_ps, copy_ps;
};
struct trace_totals trace_app_totals(const struct trace_app *app);

/* Names for people and files: "kernel", "h2d", "pageable" ... */
extern const char *const trace_kind_names[], *const trace_direction_names[],
                                                 *const trace_memory_names[];

#endif
