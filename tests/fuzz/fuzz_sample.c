#include "fuzz.h"
#include "trace/trace_store.h"

#include <stdlib.h>

static const struct trace_curve_point curve[] = {{500, 1.5}, {CT_SHARE_FULL, 1}};
static const uint32_t needs[] = {0};

static struct trace_kernel kernel(const char *name) {
    struct trace_kernel k = {.name = name,
                             .grid = {80, 2, 1},
                             .block = {128, 2, 1},
                             .registers_per_thread = 32,
                             .static_smem_bytes = 1024,
                             .dynamic_smem_bytes = 2048,
                             .demand_provenance = CT_MEASURED,
                             .geometry_provenance = CT_MEASURED,
                             .metrics = trace_metrics_unknown(),
                             .curve = curve,
                             .curve_count = CT_COUNT_OF(curve)};
    k.metrics.dram_bytes_per_s = 1e11;
    k.metrics.row_hit_rate = 0.5;
    k.metrics.instructions = 1e6;
    return k;
}

static struct trace_task task(enum trace_kind kind, uint32_t number, uint32_t stream) {
    ct_time_ps begin = number * 2 * CT_PS_PER_US;
    return (struct trace_task){.kind = (uint8_t)kind,
                               .direction = TRACE_HOST_TO_DEVICE,
                               .memory = TRACE_PINNED,
                               .kernel = kind == TRACE_KERNEL ? 0 : TRACE_NONE,
                               .stream = stream,
                               .waited_for = TRACE_NONE,
                               .library_call = kind == TRACE_KERNEL,
                               .bytes = kind == TRACE_COPY ? 4096 : 0,
                               .duration_ps = 5 * CT_PS_PER_US,
                               .start_ps = begin + CT_PS_PER_US,
                               .launch_begin_ps = begin,
                               .launch_end_ps = begin + CT_PS_PER_US,
                               .host_gap_ps = number ? 2 * CT_PS_PER_US : 0};
}

/* Two jobs of three tasks on two streams; the last task of a job waits for the first, and the host
 * for the second. */
static bool fill(struct trace_app *app) {
    bool good =
        ct_vec_push(&app->kernels, kernel("gemm")) && ct_vec_push(&app->library_calls, "mm");
    app->gpu = "v100";
    app->source = "made up";
    app->licence = "";
    app->resolution_ps = CT_PS_PER_NS;
    app->stream_count = 2;
    app->launches_recorded = true;
    for (uint32_t j = 0; j < 2 && good; j++) {
        struct trace_task last = task(TRACE_KERNEL, 2, 1);
        last.flags = TRACE_SYNC;
        last.waited_for = 1;
        last.lag_ps = CT_PS_PER_US;
        last.first_dependency = (uint32_t)app->dependencies.count;
        last.dependency_count = 1;
        good = ct_vec_push(&app->jobs, (struct trace_job){.name = j ? "second" : "first",
                                                          .first_task = 3 * j,
                                                          .task_count = 3,
                                                          .input_bytes = 4096,
                                                          .recorded_ps = 10 * CT_PS_PER_US}) &&
               ct_vec_push(&app->tasks, task(TRACE_COPY, 0, 0)) &&
               ct_vec_push(&app->tasks, task(TRACE_KERNEL, 1, 0)) &&
               ct_vec_push(&app->tasks, last) && ct_vec_push(&app->dependencies, needs[0]);
    }
    return good;
}

const char *fuzz_traces_make(void) {
    const char *path = fuzz_path("traces.db");
    struct ct_diags diags = {0};
    struct trace_set set = {0};
    struct trace_app *alpha = trace_set_add(&set, "alpha"), *beta = trace_set_add(&set, "beta");
    FUZZ_OWES(alpha && beta && fill(alpha) && fill(beta));
    fuzz_judge_traces(&set);
    FUZZ_OWES(trace_store_write(path, &set, &diags) == CT_OK);
    trace_set_free(&set);
    ct_diags_free(&diags);
    return path;
}
