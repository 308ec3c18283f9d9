#include "cmd/import_kinds.h"

#include "ingest/network_trace.h"
#include "models/device/kernel_profile.h"
#include "trace/trace_store.h"
#include "workload/setup.h"

/*
 * What of the peaks a layer reaches, assumed: nobody published it for these services. Large
 * products of tuned libraries reach more of the peak, small ones less.
 */
static const double COMPUTE_EFFICIENCY = 0.5;
static const double MEMORY_EFFICIENCY = 0.7;

enum { MOST_BATCH = 1000000 };

struct job {
    struct ct_arena arena;
    struct gpu gpu;
    struct network_roofline roofline;
    int64_t batch; /* 0: the file's */
    struct network_file file;
    struct trace_set set;
};

static int set_roofline(struct job *job, struct ct_diags *diags) {
    const struct gpu *gpu = &job->gpu;
    enum kernel_unit unit = (enum kernel_unit)job->file.unit;
    job->roofline.gpu = gpu->name;
    job->roofline.flops_per_s = kernel_unit_peak(gpu, unit);
    job->roofline.dram_bytes_per_s = gpu->dram_gb_s * 1e9;
    job->roofline.copy_bytes_per_s = gpu->pcie_pageable_mb_s * 1e6;
    job->roofline.copy_latency_s = gpu->copy_latency_us * 1e-6;
    if (job->roofline.flops_per_s > 0)
        return CT_OK;
    return ct_usage_error(diags, gpu->name, "the peak of '%s' of this GPU is unknown",
                          kernel_unit_names[unit]);
}

static int read_options(struct job *job, const struct cli_args *args, struct ct_diags *diags) {
    static const struct workload_settings none = {0};
    const double least = 0.001;
    job->batch = cli_int(args, "batch", 1, MOST_BATCH, 0, diags);
    job->roofline.compute_efficiency =
        cli_double(args, "compute-efficiency", least, 1, COMPUTE_EFFICIENCY, diags);
    job->roofline.memory_efficiency =
        cli_double(args, "memory-efficiency", least, 1, MEMORY_EFFICIENCY, diags);
    if (args->operand_count != 2)
        ct_error(diags, "", "'import network' needs one NET.json");
    if (!cli_value(args, "output"))
        ct_error(diags, "", "'import' needs '-o T.db': where the traces go");
    if (!cli_value(args, "gpu"))
        ct_error(diags, "",
                 "'import network' needs '--gpu PRESET'; 'cotenant list gpus' shows the presets");
    if (diags->errors)
        return CT_USAGE;
    return setup_gpu(cli_value(args, "gpu"), "--gpu", &none, &job->arena, &job->gpu, diags);
}

static void print_app(const struct job *job) {
    const struct trace_app *app = job->set.apps.items[0];
    struct trace_totals t = trace_app_totals(app);
    double macs = 0, parameters = 0;
    for (size_t i = 0; i < job->file.layers.count; i++) {
        macs += job->file.layers.items[i].macs;
        parameters += job->file.layers.items[i].parameters;
    }
    printf("%s: %zu layers, batch %lld\n  %.4g million multiply-adds, %.4g million parameters\n",
           app->name, job->file.layers.count, (long long)job->file.batch, macs / 1e6,
           parameters / 1e6);
    printf("  %.3f ms of kernels, %.3f ms of copies on %s, all of it modelled\n",
           ct_time_ms(t.kernel_ps), ct_time_ms(t.copy_ps), app->gpu);
}

static int make(struct job *job, const struct cli_args *args, struct ct_diags *diags) {
    const char *path = args->operands[1], *output = cli_value(args, "output");
    int status = read_options(job, args, diags);
    if (status == CT_OK)
        status = network_file_read(path, job->batch, &job->file, &job->arena, diags);
    if (status == CT_OK)
        status = set_roofline(job, diags);
    if (status == CT_OK)
        status = network_trace(&job->file, &job->roofline, cli_value(args, "app"), path, &job->set,
                               diags);
    if (status == CT_OK)
        status = trace_store_write(output, &job->set, diags);
    if (status == CT_OK && !args->quiet)
        print_app(job);
    return status;
}

int import_network(const struct cli_args *args, struct ct_diags *diags) {
    struct job job = {0};
    int status = make(&job, args, diags);
    network_file_free(&job.file);
    trace_set_free(&job.set);
    ct_arena_free(&job.arena);
    return status;
}
