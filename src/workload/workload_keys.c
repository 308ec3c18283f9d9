#include "workload/workload_keys.h"

#include <string.h>

#define SCHEMA "cotenant.workload/1"

const char *const workload_processes[] = {"poisson", "uniform", "deterministic", "gamma", "mmpp",
                                          "diurnal", "trace",   "closed",        "once",  "stage",
                                          NULL};
const char *const workload_distributions[] = {"deterministic", "exponential", "hyperexponential",
                                              "lognormal", NULL};

static const char *const roles[] = {"service", "batch", NULL};
static const char *const launches[] = {"recorded", "one-by-one", NULL};
static const char *const worker_streams[] = {"own", "shared", NULL};
static const char *const copies[] = {"each", "once", "none", NULL};
static const char *const memories[] = {"recorded", "pageable", "pinned", NULL};
static const char *const starts[] = {"phase", "at-once", NULL};
static const char *const stops[] = {"duration", "first-run", NULL};
static const char *const costs[] = {"default", "overlapped", "serial", "none", NULL};
const char *const workload_fidelities[] = {"fluid", "block", NULL};
static const char *const timeout_actions[] = {"reject", "delay", NULL};
static const char *const preemptions[] = {"recompute", "swap", NULL};
static const char *const warmups[] = {"time", "mser5", NULL};
static const char *const predictors[] = {"trained", "oracle", NULL};

/* The bits of processes and distributions that share a key. */
enum {
    RATED = WORKLOAD_KIND(WORKLOAD_POISSON) | WORKLOAD_KIND(WORKLOAD_UNIFORM) |
            WORKLOAD_KIND(WORKLOAD_DETERMINISTIC) | WORKLOAD_KIND(WORKLOAD_GAMMA) |
            WORKLOAD_KIND(WORKLOAD_MMPP) | WORKLOAD_KIND(WORKLOAD_DIURNAL),
    GAMMA = WORKLOAD_KIND(WORKLOAD_GAMMA),
    MMPP = WORKLOAD_KIND(WORKLOAD_MMPP),
    DIURNAL = WORKLOAD_KIND(WORKLOAD_DIURNAL),
    TRACE = WORKLOAD_KIND(WORKLOAD_TRACE),
    CLOSED = WORKLOAD_KIND(WORKLOAD_CLOSED),
    ONCE = WORKLOAD_KIND(WORKLOAD_ONCE),
    STAGE = WORKLOAD_KIND(WORKLOAD_STAGE),
    SPREAD = WORKLOAD_KIND(WORKLOAD_HYPEREXPONENTIAL) | WORKLOAD_KIND(WORKLOAD_LOGNORMAL)
};

/* A key that is not called as its member is. */
#define AS(key, form, type, member, unit, least, most, standard, choices, help)                    \
    .option = {key, form, offsetof(type, member), unit, least, most, standard, choices, help}
#define SCALAR(type, key, form, unit, least, most, standard, choices, help)                        \
    AS(#key, form, type, key, unit, least, most, standard, choices, help)
#define NUMBER(type, key, unit, least, most, standard, help)                                       \
    SCALAR(type, key, CT_OPTION_DOUBLE, unit, least, most, standard, NULL, help)
#define WHOLE(type, key, least, most, standard, help)                                              \
    SCALAR(type, key, CT_OPTION_INT, "", least, most, standard, NULL, help)
#define BYTES(type, key, most, standard, help)                                                     \
    SCALAR(type, key, CT_OPTION_INT, "B", 0, most, standard, NULL, help)
#define CHOICE(type, key, standard, choices, help)                                                 \
    SCALAR(type, key, CT_OPTION_CHOICE, "", 0, 0, standard, choices, help)
#define TEXT(type, key, standard, help)                                                            \
    SCALAR(type, key, CT_OPTION_STRING, "", 0, 0, standard, NULL, help)
/* An object that is a member. */
#define MEMBER(type, key, help) AS(#key, CT_OPTION_STRING, type, key, "", 0, 0, NULL, NULL, help)
/* A key without a member of its own: its reader puts it where it belongs. */
#define PART(key, help) .option = {key, CT_OPTION_STRING, 0, "", 0, 0, NULL, NULL, help}

#define WORKLOAD struct workload
const struct workload_key workload_keys[] = {
    {TEXT(WORKLOAD, schema, SCHEMA, "version of this form"), .label = true, .plain = true},
    {TEXT(WORKLOAD, name, NULL, "of the workload, in reports"), .absent = "the file's name",
     .label = true, .plain = true},
    {PART("gpu", "preset, or an object that overrides one"), .shape = WORKLOAD_NAMED,
     .needed = true, .members = workload_gpu_keys, .plain = true},
    /* 106 days are the range of the simulated clock. */
    {NUMBER(WORKLOAD, duration_s, "s", 1e-6, 9e6, "60", "simulated time"), .plain = true},
    {NUMBER(WORKLOAD, duration_cycles, "cycles", 1, 1e16, NULL,
            "simulated time in cycles of the GPU's clock, `clock_mhz`, instead of duration_s"),
     .absent = "duration_s holds", .plain = true},
    {NUMBER(WORKLOAD, warmup_s, "s", 0, 9e6, "0", "jobs that arrive earlier are not measured"),
     .plain = true},
    {CHOICE(WORKLOAD, warmup_by, "time", warmups,
            "end of the warm-up: warmup_s, or found by MSER-5 in a run before, and not earlier"),
     .plain = true},
    {WHOLE(WORKLOAD, seed, 0, 9e18, "1", "of all random streams"), .plain = true},
    {PART("policy", "name, or an object with name and options"), .shape = WORKLOAD_NAMED,
     .absent = "given by --policy", .members = workload_policy_keys, .plain = true},
    {CHOICE(WORKLOAD, fidelity, "fluid", workload_fidelities,
            "device model: rates of work, or thread blocks placed on SMs")},
    {CHOICE(WORKLOAD, predictor, "trained", predictors,
            "what policies predict with: models of profiling runs, or the truth itself, for upper "
            "bounds")},
    {CHOICE(WORKLOAD, decision_cost, "default", costs,
            "simulated time of a policy's decisions: predictions beside each other, as by default, "
            "one after the other, or none of it")},
    {WHOLE(WORKLOAD, hw_queues, 1, 1024, NULL,
           "hardware queues that streams of a process share, under MPS those of all; 1: one "
           "queue, as before Hyper-Q"),
     .absent = "the GPU's"},
    {MEMBER(WORKLOAD, host, "processor cores that the launch threads of all applications share"),
     .shape = WORKLOAD_OBJECT, .absent = "as many as they want", .members = workload_host_keys},
    {PART("defaults", "keys that hold for every application that does not give its own"),
     .shape = WORKLOAD_OBJECT, .absent = "none", .members = workload_app_keys, .plain = true},
    {PART("apps", "who shares the GPU"), .shape = WORKLOAD_LIST, .needed = true,
     .members = workload_app_keys, .plain = true},
    {.option = {0}},
};

#define APP struct workload_app
const struct workload_key workload_app_keys[] = {
    {TEXT(APP, name, NULL, "unique, without dots; random streams are keyed by it"), .needed = true,
     .plain = true},
    {CHOICE(APP, role, "batch", roles, "whether queries with a target arrive, or work to be done"),
     .plain = true},
    {AS("trace", CT_OPTION_STRING, APP, source, "", 0, 0, NULL, NULL,
        "recorded application, FILE.db#APP; #APP may be left out where the file holds one"),
     .absent = "synthetic is needed", .label = true, .plain = true},
    {MEMBER(APP, synthetic, "an application without a recording"), .shape = WORKLOAD_OBJECT,
     .absent = "trace is needed", .members = workload_synthetic_keys},
    {PART("jobs", "names of the trace's jobs to draw from, or objects with weights"),
     .shape = WORKLOAD_CHOICES, .absent = "every job of the trace, alike",
     .members = workload_job_keys},
    {PART("kernels", "what kernels ask for, in the place of what was recorded; given"),
     .shape = WORKLOAD_LIST, .absent = "as recorded", .members = workload_kernels_keys},
    {MEMBER(APP, arrivals, "when jobs arrive"), .shape = WORKLOAD_OBJECT,
     .absent = "batch: closed, one client without think time; service: needed",
     .members = workload_arrivals_keys},
    {MEMBER(APP, server, "requests wait in front of the application and are run in batches"),
     .shape = WORKLOAD_OBJECT, .absent = "every arrival is a job of its own",
     .members = workload_server_keys, .plain = true},
    {NUMBER(APP, qos_ms, "ms", 1e-6, 1e9, NULL, "target of the 99th-percentile latency"),
     .absent = "none", .plain = true},
    {NUMBER(APP, np_target, "", 0.001, 1, NULL,
            "target of normalised progress; 0.8: target latency = solo / 0.8, where none is given"),
     .absent = "none", .plain = true},
    {WHOLE(APP, instances, 1, 1024, "1", "programs of this kind, each with its own arrivals"),
     .plain = true},
    {WHOLE(APP, workers, 1, 1024, "1", "jobs of an instance that may run at a time")},
    {CHOICE(APP, worker_streams, "own", worker_streams,
            "of the workers of an instance: each as many as were recorded, or these for all")},
    {WHOLE(APP, host_threads, 1, 1024, "1",
           "cores that the host's work between two launches keeps busy; with `host`")},
    {WHOLE(APP, priority, -1000, 1000, "0", "larger is more urgent, for policies that look at it")},
    {AS("size", CT_OPTION_DOUBLE, APP, size, "", 1e-3, 1e3, "1", NULL,
        "factor on thread blocks, on bytes (cut to whole ones), and on the time of memsets and "
        "copies within the device, drawn for each job; assumed"),
     .shape = WORKLOAD_DRAW},
    {WHOLE(APP, iterations, 1, 1000000, "1",
           "times that a job's kernels run between its copies; assumed")},
    {NUMBER(APP, duration_scale, "", 1e-6, 1e6, "1",
            "factor on the durations of kernels, memsets, and copies within the device; assumed")},
    {NUMBER(APP, host_scale, "", 0, 1e6, "1",
            "factor on the host's recorded times, below 1 where the recorder slowed it; assumed")},
    {CHOICE(APP, copies, "each", copies,
            "copies of every job, of the first alone, or none; assumed")},
    {CHOICE(APP, copy_memory, "recorded", memories,
            "host memory of copies; recorded, where it is known: and how long they take; assumed "
            "unless recorded")},
    {CHOICE(APP, launches, "recorded", launches,
            "of its tasks: as recorded, a made-up one's all at once; or each when those before it "
            "have ended; assumed")},
    {NUMBER(APP, stall_ms, "ms", 0, 1e9, "0",
            "of the host at least, from the end of a task that it waits for to its next launch; "
            "assumed")},
    {NUMBER(APP, memory_gib, "GiB", 1e-9, 1048576, NULL,
            "GPU memory that an instance takes, 2^30 bytes; what does not fit together is refused"),
     .absent = "as recorded, else unknown", .label = true, .plain = true},
    {AS("stop", CT_OPTION_CHOICE, APP, stop, "", 0, 0, "duration", stops,
        "what its progress is counted by: the work of the run, or its first job; where all "
        "applications "
        "say so the run ends when each has had it")},
    {.option = {0}},
};

#define JOB struct workload_job_choice
const struct workload_key workload_job_keys[] = {
    {TEXT(JOB, job, NULL, "name of a job in the trace"), .needed = true},
    {NUMBER(JOB, weight, "", 1e-9, 1e9, "1", "how often it is drawn, beside the others")},
    {.option = {0}},
};

#define UNKNOWN .absent = "unknown", .unknown = true
/* What is said of a kernel, made up or recorded. */
#define KERNEL_KEYS(type)                                                                          \
    {NUMBER(type, dram_fraction, "", 0, 1, NULL, "share of peak DRAM bandwidth, alone"), UNKNOWN}, \
        {NUMBER(type, unit_fraction, "", 0, 1, NULL,                                               \
                "use of the busiest functional unit of all SMs, alone"),                           \
         UNKNOWN},                                                                                 \
        {NUMBER(type, row_hit_rate, "", 0, 1, NULL, "DRAM accesses that hit an open row"),         \
         UNKNOWN},                                                                                 \
        {NUMBER(type, compute_fraction, "", 0.001, 1, NULL,                                        \
                "compute time / time alone: fewer SMs than this part of them slow it"),            \
         UNKNOWN},                                                                                 \
    {                                                                                              \
        NUMBER(type, instructions, "", 1, 1e18, NULL, "thread instructions of a kernel"), UNKNOWN  \
    }

#define KERNELS struct workload_kernels
const struct workload_key workload_kernels_keys[] = {
    {TEXT(KERNELS, match, NULL,
          "names of kernels, letters in any case: `*` is any text, `?` any character"),
     .needed = true},
    {NUMBER(KERNELS, l2_fraction, "", 0, 1, NULL, "use of the L2, alone"), UNKNOWN},
    KERNEL_KEYS(KERNELS),
    {.option = {0}},
};

#define ARRIVALS struct workload_arrivals
const struct workload_key workload_arrivals_keys[] = {
    {CHOICE(ARRIVALS, process, NULL, workload_processes, "how jobs arrive"), .needed = true,
     .plain = true},
    {NUMBER(
         ARRIVALS, rate_per_s, "1/s", 1e-6, 1e7, NULL,
         "mean rate of each instance; mmpp: outside bursts; trace: scales the recording. Gaps, and "
         "stamps that are not replayed, are whole nanoseconds"),
     .used_by = RATED | TRACE, .needed_by = RATED, .absent = "trace: the recorded rate",
     .plain = true},
    {WHOLE(
         ARRIVALS, split, 1, 100000, "1",
         "the arrivals are split among so many servers: each comes to this one with a chance of 1 "
         "in `split`, and `rate_per_s` is that of all"),
     .used_by = RATED | TRACE},
    {NUMBER(ARRIVALS, cv, "", 0.01, 100, NULL,
            "coefficient of variation of the gaps, in one of which the run begins"),
     .used_by = GAMMA, .needed_by = GAMMA},
    {NUMBER(ARRIVALS, burst_rate_per_s, "1/s", 1e-6, 1e7, NULL, "rate within a burst"),
     .used_by = MMPP, .needed_by = MMPP},
    {NUMBER(ARRIVALS, burst_s, "s", 1e-6, 9e6, NULL, "mean length of a burst"), .used_by = MMPP,
     .needed_by = MMPP},
    {NUMBER(ARRIVALS, quiet_s, "s", 1e-6, 9e6, NULL, "mean length between bursts"), .used_by = MMPP,
     .needed_by = MMPP},
    {NUMBER(ARRIVALS, period_s, "s", 1e-3, 9e6, "86400", "length of the day"), .used_by = DIURNAL},
    {NUMBER(ARRIVALS, amplitude, "", 0, 1, NULL,
            "depth of the day's shape: rate (1 + amplitude sin(2 pi t / period))"),
     .used_by = DIURNAL, .needed_by = DIURNAL},
    {AS("file", CT_OPTION_STRING, ARRIVALS, path, "", 0, 0, NULL, NULL,
        "CSV file with the time stamps"),
     .used_by = TRACE, .needed_by = TRACE, .label = true, .plain = true},
    {TEXT(ARRIVALS, column, NULL, "its column: seconds or ISO 8601 time stamps"), .used_by = TRACE,
     .needed_by = TRACE, .label = true, .plain = true},
    {TEXT(ARRIVALS, prompt_column, NULL, "its column with the tokens of each prompt"),
     .used_by = TRACE, .absent = "`prompt_tokens`", .label = true},
    {TEXT(ARRIVALS, output_column, NULL, "its column with the tokens that each request wants"),
     .used_by = TRACE, .absent = "`output_tokens`", .label = true},
    {AS("replay", CT_OPTION_BOOL, ARRIVALS, replayed, "", 0, 0, "false", NULL,
        "the recording is the arrivals, once from its first stamp on; else it begins at a "
        "drawn stamp and goes round"),
     .used_by = TRACE},
    {WHOLE(ARRIVALS, clients, 1, 1000000, "1", "each sends a job when its last one has ended"),
     .used_by = CLOSED},
    {CHOICE(ARRIVALS, start, "phase", starts,
            "first jobs: at a random phase of a job, drawn over its length, but over no more than "
            "the longer of `warmup_s` (with `warmup_by` `time`) and a tenth of the run; or all "
            "with the run"),
     .used_by = CLOSED},
    {AS("delay_ms", CT_OPTION_DOUBLE, ARRIVALS, delay_ms, "ms", 0, 1e9, "0", NULL,
        "time before a client's first job, on top of `start`, or before the only one"),
     .shape = WORKLOAD_DRAW, .used_by = CLOSED | ONCE},
    {AS("think_ms", CT_OPTION_DOUBLE, ARRIVALS, think_ms, "ms", 0, 1e9, "0", NULL,
        "time between the end of a client's job and its next one"),
     .shape = WORKLOAD_DRAW, .used_by = CLOSED},
    {TEXT(ARRIVALS, after, NULL,
          "names of the applications whose finished requests come here; of several, all; each has "
          "as many `instances` as this one"),
     .shape = WORKLOAD_ARRAY, .used_by = STAGE, .needed_by = STAGE},
    {.option = {0}},
};

/* Keys of a queue, after Triton's ModelQueuePolicy. */
#define QUEUE_KEYS(type, queue_absent, timeout_absent)                                             \
    {WHOLE(type, max_queue, 1, 1000000000, NULL,                                                   \
           "requests that may wait; one that comes to a full queue is dropped"),                   \
     .absent = queue_absent},                                                                      \
    {                                                                                              \
        NUMBER(type, timeout_ms, "ms", 1e-9, 1e9, NULL, "time that a request may wait"),           \
            .absent = timeout_absent                                                               \
    }

#define SERVER struct workload_server
const struct workload_key workload_server_keys[] = {
    {WHOLE(SERVER, max_batch, 1, 1024, "1", "requests of a batch at most")},
    {WHOLE(SERVER, preferred, 1, 1024, NULL, "sizes of batches that are not waited beyond"),
     .shape = WORKLOAD_ARRAY, .absent = "max_batch"},
    {NUMBER(SERVER, queue_delay_ms, "ms", 0, 1e9, "0",
            "time that the oldest request waits for a preferred size; `workers` is the number of "
            "batches that run at a time")},
    {WHOLE(SERVER, max_requests, 1, 1000000000, NULL,
           "requests, waiting and running; one that comes beyond is dropped"),
     .absent = "no limit"},
    QUEUE_KEYS(SERVER, "no limit", "none"),
    {CHOICE(SERVER, timeout_action, "reject", timeout_actions,
            "then: it is dropped, or it waits for all others of its level")},
    {PART("levels", "of priority, the most urgent first"), .shape = WORKLOAD_LIST,
     .absent = "one level", .members = workload_level_keys},
    {PART("batches", "recordings of batches of some sizes, in the place of `trace`"),
     .shape = WORKLOAD_LIST, .absent = "a batch takes what a job does, whatever its size",
     .members = workload_batch_keys},
    {MEMBER(SERVER, continuous, "requests generate tokens, step by step, in the place of batches"),
     .shape = WORKLOAD_OBJECT, .absent = "batches are formed of whole requests",
     .members = workload_continuous_keys},
    {.option = {0}},
};

#define CONTINUOUS struct workload_continuous
#define TOKENS(key, help)                                                                          \
    SCALAR(CONTINUOUS, key, CT_OPTION_DOUBLE, "", 1, 1e6, NULL, NULL, help),                       \
        .shape = WORKLOAD_DRAW, .absent = "the arrivals' file says"
const struct workload_key workload_continuous_keys[] = {
    {WHOLE(CONTINUOUS, max_sequences, 1, 1024, "256", "sequences that run at a time")},
    {WHOLE(CONTINUOUS, max_tokens, 1, 1000000, "2048", "tokens of a step")},
    {SCALAR(CONTINUOUS, chunked, CT_OPTION_BOOL, "", 0, 1, "false", NULL,
            "a step holds all that go on and as many tokens of prompts as fit; else prompts go "
            "first, whole, in steps of their own")},
    {WHOLE(CONTINUOUS, cache_blocks, 1, 1000000000, NULL,
           "blocks of GPU memory for keys and values"),
     .needed = true},
    {WHOLE(CONTINUOUS, block_tokens, 1, 65536, "16", "tokens of a block")},
    {BYTES(CONTINUOUS, block_bytes, 1e15, "0",
           "of a block, which swapping copies; 0: unknown, and the cache takes no memory")},
    {NUMBER(CONTINUOUS, watermark, "", 0, 0.99, "0.01",
            "part of the blocks, cut to whole ones, that stays free when a sequence is let in")},
    {CHOICE(CONTINUOUS, preemption, "recompute", preemptions,
            "where blocks run out: the last come computes its tokens anew, or is copied to the "
            "host and back")},
    {WHOLE(CONTINUOUS, swap_blocks, 1, 1000000000, NULL,
           "blocks of the host's memory; what finds no room there is computed anew"),
     .absent = "no limit"},
    {TOKENS(prompt_tokens, "of a request's prompt")},
    {TOKENS(output_tokens, "that a request wants")},
    {NUMBER(CONTINUOUS, ttft_ms, "ms", 1e-6, 1e9, NULL,
            "target of the time to the first token: goodput, plans, policies"),
     .absent = "none"},
    {NUMBER(CONTINUOUS, tpot_ms, "ms", 1e-6, 1e9, NULL,
            "target of the mean time of each token after it: goodput, plans, policies"),
     .absent = "none"},
    {PART("prefill", "recordings of steps that compute prompts, in the place of `trace`"),
     .shape = WORKLOAD_LIST, .needed = true, .members = workload_prefill_keys},
    {PART("decode", "recordings of steps that generate a token for each sequence"),
     .shape = WORKLOAD_LIST, .needed = true, .members = workload_decode_keys},
    {.option = {0}},
};

/* The keys that name a recording and a job in it. */
#define RECORDING_KEYS(type)                                                                       \
    {AS("trace", CT_OPTION_STRING, type, source, "", 0, 0, NULL, NULL,                             \
        "recorded application, FILE.db#APP"),                                                      \
     .needed = true, .label = true},                                                               \
    {                                                                                              \
        TEXT(type, job, NULL, "name of a job in the trace"), .absent = "every job of the trace"    \
    }

#define STEP struct workload_step
const struct workload_key workload_prefill_keys[] = {
    {AS("tokens", CT_OPTION_INT, STEP, size, "", 1, 1000000, NULL, NULL,
        "of all prompts of the step"),
     .needed = true},
    RECORDING_KEYS(STEP),
    {.option = {0}},
};
const struct workload_key workload_decode_keys[] = {
    {AS("batch", CT_OPTION_INT, STEP, size, "", 1, 1024, NULL, NULL, "sequences of the step"),
     .needed = true},
    {WHOLE(STEP, context, 0, 1000000, "0", "tokens that each has in the cache before the step")},
    RECORDING_KEYS(STEP),
    {.option = {0}},
};

#define LEVEL struct workload_level
const struct workload_key workload_level_keys[] = {
    {NUMBER(LEVEL, weight, "", 1e-9, 1e9, "1", "how often requests are of it, beside the others")},
    QUEUE_KEYS(LEVEL, "the server's", "the server's"),
    {CHOICE(LEVEL, timeout_action, NULL, timeout_actions, "then"), .absent = "the server's"},
    {.option = {0}},
};

const struct workload_key workload_batch_keys[] = {
    {WHOLE(STEP, size, 1, 1024, NULL, "requests of the batch"), .needed = true},
    RECORDING_KEYS(STEP),
    {.option = {0}},
};

#define SYNTHETIC struct workload_synthetic
const struct workload_key workload_synthetic_keys[] = {
    {WHOLE(SYNTHETIC, kernels, 1, 1000000, "1", "kernels of a job, one after the other"),
     .plain = true},
    {WHOLE(SYNTHETIC, blocks, 1, 2147483647, "1", "thread blocks of a kernel")},
    {WHOLE(SYNTHETIC, threads, 1, 1024, "256", "threads of a block")},
    {WHOLE(SYNTHETIC, registers_per_thread, 0, 255, "0", "0: they never limit occupancy")},
    {BYTES(SYNTHETIC, smem_bytes, 1048576, "0", "shared memory of a block")},
    {AS("duration_ms", CT_OPTION_DOUBLE, SYNTHETIC, duration_ms, "ms", 1e-6, 1e9, NULL, NULL,
        "of each kernel alone on the GPU, drawn for each job"),
     .shape = WORKLOAD_DRAW, .needed = true, .plain = true},
    {BYTES(SYNTHETIC, bytes_in, 1e15, "0",
           "copied to the device before the first kernel; of several copies, those of each"),
     .shape = WORKLOAD_COUNTS},
    {BYTES(SYNTHETIC, bytes_out, 1e15, "0", "copied back after the last kernel; likewise"),
     .shape = WORKLOAD_COUNTS},
    {WHOLE(SYNTHETIC, copies_around, 0, 1000000, "0",
           "kernels that `bytes_in` and `bytes_out` lie around; 0: all kernels of a job")},
    KERNEL_KEYS(SYNTHETIC),
    {.option = {0}},
};

#define RANDOM struct workload_draw
const struct workload_key workload_draw_keys[] = {
    {AS("dist", CT_OPTION_CHOICE, RANDOM, kind, "", 0, 0, "deterministic", workload_distributions,
        "distribution")},
    {AS("mean", CT_OPTION_DOUBLE, RANDOM, mean, "", 0, 1e15, NULL, NULL,
        "mean, in the unit and range of the key"),
     .needed = true},
    {NUMBER(RANDOM, cv, "", 0.01, 100, NULL,
            "coefficient of variation; of a hyperexponential distribution at least 1"),
     .used_by = SPREAD, .needed_by = SPREAD},
    {.option = {0}},
};

const struct workload_key workload_gpu_keys[] = {
    {PART("base", "preset; 'cotenant list gpus'"), .needed = true, .plain = true},
    {.option = {0}},
};

#define HOST struct workload_host
const struct workload_key workload_host_keys[] = {
    {WHOLE(HOST, cores, 1, 65536, NULL, "processor cores; in a cluster of each GPU"),
     .needed = true},
    {SCALAR(HOST, pinned, CT_OPTION_BOOL, "", 0, 1, "false", NULL,
            "each program has cores of its own, dealt out in turn, or all run on all")},
    {.option = {0}},
};

const struct workload_key workload_policy_keys[] = {
    {PART("name", "policy, or path of a shared object; 'cotenant list policies'"),
     .absent = "given by --policy", .plain = true},
    {.option = {0}},
};

const struct workload_table workload_tables[] = {
    {"Workload", "The whole file.", workload_keys},
    {"gpu", "Beside `base`, every key of the preset may be overridden (`cotenant show gpu NAME`).",
     workload_gpu_keys},
    {"host", "Without it no launch waits for a core.", workload_host_keys},
    {"policy", "Beside `name`, every option of the policy (`cotenant show policy NAME`).",
     workload_policy_keys},
    {"apps, defaults", "An application is a recording (`trace`) or made up (`synthetic`).",
     workload_app_keys},
    {"jobs", "An element of the list, where a name alone does not suffice.", workload_job_keys},
    {"kernels",
     "An element of the list. Where two match, the later holds; a pattern that matches no kernel "
     "is an error. What it says is of the recorded GPU, as metrics of the recording would be: on "
     "another GPU it is scaled as these are, and `explain` shows what came of it. "
     "`--set 'apps.NAME.kernels.PATTERN.KEY=VALUE'` adds to the list.",
     workload_kernels_keys},
    {"arrivals", "Each process reads some of the keys; a key that it does not read is reported.",
     workload_arrivals_keys},
    {"server",
     "Requests wait in a queue for each level of priority, and are run in batches as Triton's "
     "dynamic batcher does ([servers](servers.md)).",
     workload_server_keys},
    {"levels", "An element of the list.", workload_level_keys},
    {"batches",
     "An element of the list. Sizes up to `max_batch` that are not in it are interpolated.",
     workload_batch_keys},
    {"continuous",
     "Requests are sequences of tokens, which share steps as in vLLM's scheduler "
     "([servers](servers.md#continuous-batching)).",
     workload_continuous_keys},
    {"prefill", "An element of the list. Other numbers of tokens are interpolated.",
     workload_prefill_keys},
    {"decode", "An element of the list. Other batches and contexts are interpolated.",
     workload_decode_keys},
    {"synthetic", "Equal kernels, one after the other, with copies before and after.",
     workload_synthetic_keys},
    {"size, delay_ms, think_ms, duration_ms, prompt_tokens, output_tokens",
     "A number, or an object of these.", workload_draw_keys},
    {NULL, NULL, NULL},
};

const struct workload_key *workload_key_find(const struct workload_key *table, const char *name,
                                             size_t length) {
    for (; table && table->option.name; table++)
        if (strlen(table->option.name) == length && memcmp(table->option.name, name, length) == 0)
            return table;
    return NULL;
}

const char *workload_key_unit(const char *path) {
    const struct workload_key *table = workload_keys;
    for (;;) {
        size_t length = strcspn(path, ".");
        const struct workload_key *key = workload_key_find(table, path, length);
        path += length;
        if (key && key->shape == WORKLOAD_LIST && *path)
            path += 1 + strcspn(path + 1, "."); /* which one of the list */
        if (!key || !*path)
            return key ? key->option.unit : NULL;
        table = key->members;
        path++;
    }
}
