/*
 * From a profiler's records to applications: what every importer shares.
 *
 * A reader feeds raw records in any order; import_finish sorts them, cuts jobs, works out what the
 * host waited for, finds distinct kernels, closes overlaps, and counts what it kept and what it
 * left out, by reason.
 */
#ifndef IMPORT_BUILDER_H
#define IMPORT_BUILDER_H

#include "base/ct_diag.h"
#include "trace/trace.h"

/*
 * How a recording is cut into jobs. Whole: one job. Step: by the profiler's steps. Mark: inside
 * each range of a name. From: from where one range of a name begins to where the next one does.
 * Gap: what an idle device separates. Auto: by step where the recording has a profiler's steps,
 * else whole.
 */
enum import_cut {
    IMPORT_CUT_WHOLE,
    IMPORT_CUT_STEP,
    IMPORT_CUT_MARK,
    IMPORT_CUT_FROM,
    IMPORT_CUT_GAP,
    IMPORT_CUT_AUTO
};

struct import_options {
    const char *place;                /* in messages: the file; NULL: the application's name */
    const char *app_name;             /* NULL: "app"; of a store: all, as they are called */
    const char *gpu;                  /* preset name; NULL: from the recording, else an error */
    const struct gpu_name_list *gpus; /* the presets that there are; NULL: those that ship */
    const char *source, *licence;
    enum import_cut cut;
    const char *mark_name;      /* IMPORT_CUT_MARK, IMPORT_CUT_FROM: NVTX range or annotation */
    ct_time_ps gap_ps;          /* IMPORT_CUT_GAP: an idle device this long ends a job */
    int64_t skip_jobs;          /* so many of each application's first jobs are left out */
    int device;                 /* -1: all; what a process does on a device is an application */
    bool programmatic_launches; /* the GPU has them, where its preset does not tell */
    const char *unknown_gpu;    /* what a GPU is called that no preset is, or none but by its title;
                                   NULL: the first is an error, the second a warning */
    bool keep_unknown_gpu;      /* a GPU without a preset is named after its title, not refused */
    bool no_communication;
    bool from_launch; /* jobs of ranges are cut down to their launches and tasks */
    bool (*interrupted)(void *context); /* whether to give up reading; NULL: nobody asks */
};

/* What a kernel had to move and to compute; all 0: not known. */
struct import_work {
    double read_bytes, written_bytes, operations;
};

/* One device record. Times are absolute in the recording's clock. CT_TIME_NEVER: not recorded. */
struct import_record {
    enum trace_kind kind;
    const char *name; /* kernel; copied by the builder */
    uint32_t grid[3], block[3];
    uint64_t registers_per_thread, static_smem_bytes, dynamic_smem_bytes;
    bool geometry_known;
    enum trace_direction direction;
    enum trace_memory memory;
    uint64_t bytes;
    int device;
    uint64_t process;         /* whose work it is; 0: the recording does not say */
    uint64_t context, stream; /* raw numbers */
    ct_time_ps start_ps, duration_ps;
    ct_time_ps launch_begin_ps, launch_end_ps;
    uint64_t launch_process, launch_thread; /* 0: not known */
    const char *library_call;               /* NULL: native; copied */
    uint64_t library_call_id;     /* calls with the same name and another id are different calls */
    struct trace_metrics metrics; /* assumed: what was measured, import_add_metrics adds */
    struct import_work work;      /* by the shapes of its operator's inputs */
};

/* Whether a kernel of this name is a collective, which waits for other GPUs inside. */
bool import_name_is_communication(const char *name);

/* The library call of a CUDA graph's nodes, for which one host call launched all of them. */
#define IMPORT_GRAPH_CALL "CUDA graph"

enum import_wait { IMPORT_WAIT_DEVICE, IMPORT_WAIT_STREAM, IMPORT_WAIT_COPY };

/* The raw number of a stream that a call waited for but did not name: that of its thread's last
 * task. */
#define IMPORT_STREAM_UNKNOWN UINT64_MAX

/* A GPU as its recording describes it; 0: it does not say. In the units of the keys of a preset. */
struct import_gpu {
    const char *title; /* as the profiler wrote it */
    double sms, threads_per_sm, blocks_per_sm, registers_per_sm, smem_per_sm_bytes,
        smem_per_block_bytes, compute_capability, clock_mhz, dram_gb_s, memory_gib;
};

/* A host call that waited for the device: cudaDeviceSynchronize, ...StreamSynchronize, a
 * synchronous copy. */
struct import_sync {
    enum import_wait kind;
    int device;                       /* -1: not known */
    uint64_t stream, process, thread; /* stream: raw number, of IMPORT_WAIT_STREAM */
    ct_time_ps begin_ps, end_ps;
};

/* cudaStreamWaitEvent: what is launched on `stream` after `wait_ps` starts after what was launched
 * on `source` before `record_ps`. Raw stream numbers. */
struct import_stream_wait {
    int device;
    uint64_t stream, source;
    ct_time_ps wait_ps, record_ps;
};

/* Memory of a GPU that a process took or gave back. At most 2^62 bytes. */
struct import_allocation {
    uint64_t process, address;
    ct_time_ps time_ps;
    int64_t bytes; /* 0: given back */
    int device;    /* of what is given back: not read */
};

/* A named host-side range: a profiler step or an NVTX range. */
struct import_mark {
    const char *name; /* copied */
    bool step;        /* of the profiler's own */
    ct_time_ps begin_ps, end_ps;
    uint64_t process, thread; /* 0: not known, or of the process and none of its threads */
};

/* A call, an operator or a named range in its thread (0: of any). */
struct import_range {
    uint64_t thread;
    ct_time_ps begin_ps, end_ps;
};

/* Orders ranges for ct_sort: by thread, then by beginning, of two that begin together the outer one
 * first. 0: thread, beginning and end are the same. */
int import_compare_ranges(struct import_range x, struct import_range y);

/*
 * What a job is, as people write it: auto, whole, step, nvtx:NAME, from:NAME, gap:MS. `setting` is
 * what they write it for, in messages. `text` must live as long as the options. enum ct_status.
 */
int import_parse_jobs(const char *text, const char *setting, struct import_options *options,
                      struct ct_diags *diags);

struct import_builder;

struct import_builder *import_begin(const struct import_options *options, struct ct_diags *diags);

/* Each returns false when memory ran out (recorded in the diagnostics), of records also when the
 * reader is to give up. */
bool import_add_record(struct import_builder *builder, const struct import_record *record);
bool import_add_sync(struct import_builder *builder, const struct import_sync *sync);
/*
 * A wait for this record, if it is a copy for which the host waited: by a call that is not
 * asynchronous, between host and device; or by an asynchronous one from the device into pageable
 * memory, which returns when the copy has ended (CUDA runtime API, "API synchronization behavior").
 */
bool import_add_copy_wait(struct import_builder *builder, const struct import_record *copy,
                          bool asynchronous);
bool import_add_stream_wait(struct import_builder *builder, const struct import_stream_wait *wait);
bool import_add_mark(struct import_builder *builder, const struct import_mark *mark);
bool import_add_allocation(struct import_builder *builder,
                           const struct import_allocation *allocation);
/* The application held so much of a GPU's memory at some time. */
bool import_memory_held(struct import_builder *builder, int device, uint64_t bytes);
/* One more record of the file that is not kept, and why ("cpu event", "another device" ...). */
void import_leave_out(struct import_builder *builder, const char *reason);
/* Leaves out, and counts, work that the GPU did for so long. */
void import_leave_out_work(struct import_builder *builder, const char *reason,
                           ct_time_ps duration_ps);
/* Facts about the recording: a device of it, of which the first that is said holds; its clock. */
void import_gpu(struct import_builder *builder, int device, const struct import_gpu *gpu);
void import_resolution(struct import_builder *builder, ct_time_ps resolution_ps);
void import_stacks_recorded(struct import_builder *builder);

/* How much was measured: so many launches, which took so long together, by the clock and by the
 * GPU's cycles. NAN: not recorded. */
struct import_extent {
    double launches, ps, cycles;
};

/*
 * What was measured of some launches of a kernel (nvprof, ncu), to attach to kernels by name and,
 * where shape is given, by shape; where nothing has a kernel's name, by shape and kernel_name_core.
 * A kernel gets the mean of all that fit it, weighed by their time.
 */
bool import_add_metrics(struct import_builder *builder, const char *kernel_name,
                        const uint32_t *grid, const uint32_t *block,
                        const struct import_extent *extent, const struct trace_metrics *metrics);

/* How much of something was read, and how much of it is left out. */
struct import_share {
    double read, left_out;
};
struct import_count {
    const char *reason;
    uint64_t records;
};
struct import_summary {
    uint64_t read, kept, left_out;
    CT_VEC(struct import_count) reasons;          /* sorted by name; sums to left_out */
    uint64_t metrics_kernels;                     /* of the applications, that got metrics */
    uint64_t metrics_attached, metrics_unmatched; /* launches that were measured */
    uint64_t metrics_alike;                       /* of those attached: by names that only agree */
    struct import_gpu gpu;             /* the one that `unknown_gpu` names; title NULL: none */
    struct import_share tasks, gpu_ps; /* kernels, copies and memsets of the file, and their time */
};

/* Per cent of it that is kept, in whole tenths, rounded down; 100 of nothing. */
double import_share_kept(struct import_share share);

/* Adds the applications to the set and fills the summary. Frees the builder in every case. enum
 * ct_status. */
int import_finish(struct import_builder *builder, struct trace_set *set,
                  struct import_summary *summary);
void import_summary_free(struct import_summary *summary);
void import_abandon(struct import_builder *builder);

#endif
