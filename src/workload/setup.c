#include "workload/setup.h"

#include "base/ct_intern.h"
#include "base/ct_option_value.h"
#include "workload/contention_file.h"
#include "workload/demand.h"
#include "workload/dram_file.h"
#include "workload/gpu_catalogue.h"
#include "workload/setup_plans.h"
#include "workload/setup_questions.h"

#include <stdio.h>
#include <string.h>

/* A preset's keys that the workload does not set itself. */
static int apply_settings(const struct workload_settings *settings, struct gpu *gpu,
                          struct ct_arena *arena, struct ct_diags *diags) {
    int status = CT_OK;
    for (size_t i = 0; i < settings->count; i++) {
        const struct workload_setting *s = &settings->items[i];
        if (strcmp(s->key, "assumed") == 0)
            continue;
        int result = ct_option_set(gpu_options, s->key, s->value, gpu, arena, s->where, diags);
        status = result == CT_OK ? status : result;
    }
    return status;
}

/* Numbers of the hardware have no default. */
static int check_complete(const struct workload_settings *preset, const char *path,
                          struct ct_diags *diags) {
    int status = CT_OK;
    for (const struct ct_option *o = gpu_options; o->name; o++) {
        if (o->standard || workload_setting_find(preset, o->name))
            continue;
        ct_error(diags, path, "'%s' is missing", o->name);
        status = CT_USAGE;
    }
    return status;
}

/* Matrix units are part of the SMs and run with their clock, unless the user says more of them. */
static void keep_pace(const struct gpu *preset, const struct workload_settings *settings,
                      struct gpu *gpu) {
    double pace = (double)gpu->sms * gpu->clock_mhz / ((double)preset->sms * preset->clock_mhz);
    if (!workload_setting_find(settings, "tensor_fp16_tflops"))
        gpu->tensor_fp16_tflops *= pace;
    if (!workload_setting_find(settings, "tensor_tf32_tflops"))
        gpu->tensor_tf32_tflops *= pace;
}

/* A preset's MIG profiles are parts of its own SMs: another number of SMs has none but its own.
 * What HSM's predictor learnt holds for one memory: another one has a line of its own. */
static int override_settings(const struct workload_settings *settings, struct gpu *gpu,
                             struct ct_arena *arena, struct ct_diags *diags) {
    if (workload_setting_find(settings, "sms") && !workload_setting_find(settings, "mig"))
        gpu->mig = "";
    if (workload_setting_find(settings, "dram") || workload_setting_find(settings, "dram_fit") ||
        workload_setting_find(settings, "dram_line_slope") ||
        workload_setting_find(settings, "dram_line_base"))
        gpu->hsm_c1 = gpu->hsm_c2 = 0;
    const struct gpu preset = *gpu;
    int status = apply_settings(settings, gpu, arena, diags);
    keep_pace(&preset, settings, gpu);
    return status;
}

/* The file of the preset that `name` means. NULL: there is none (no error), or memory ran out (an
 * error). */
static const char *find_preset(const char *name, const char *where, struct ct_arena *arena,
                               struct ct_diags *diags) {
    const char *known = gpu_catalogue_find(name, where, arena, diags);
    const char *path = known ? gpu_catalogue_file(known, arena, diags->files) : NULL;
    if (known && !path)
        ct_out_of_memory(diags);
    return path;
}

int setup_gpu(const char *name, const char *where, const struct workload_settings *settings,
              struct ct_arena *arena, struct gpu *gpu, struct ct_diags *diags) {
    const char *path = find_preset(name, where, arena, diags);
    if (!path)
        return diags->no_memory ? CT_DATA : gpu_catalogue_unknown(name, where, arena, diags);
    struct workload_settings preset = {0};
    memset(gpu, 0, sizeof *gpu);
    ct_options_default(gpu_options, gpu);
    int status = settings_read(path, arena, &preset, diags);
    if (status == CT_OK)
        status = check_complete(&preset, path, diags);
    if (status == CT_OK)
        status = apply_settings(&preset, gpu, arena, diags);
    if (status == CT_OK && settings)
        status = override_settings(settings, gpu, arena, diags);
    ct_vec_free(&preset);
    if (status == CT_OK)
        status = gpu_check(gpu, where, diags);
    return status;
}

/* Whether a name, of any spelling, means this GPU. */
static bool is_gpu(const struct gpu *gpu, const char *name, const char *where,
                   struct ct_arena *arena, struct ct_diags *diags) {
    if (strcmp(name, gpu->name) == 0)
        return true;
    const char *known = gpu_catalogue_find(name, where, arena, diags);
    return known && strcmp(known, gpu->name) == 0;
}

static int read_contention(struct gpu *gpu, const char *path, struct ct_arena *arena,
                           struct ct_diags *diags) {
    struct contention_file file;
    int status = contention_file_read(path, &file, arena, diags);
    if (status != CT_OK)
        return status;
    if (file.gpu && !is_gpu(gpu, file.gpu, path, arena, diags))
        return ct_usage_error(diags, path,
                              "calibrated on '%s', and its parameters do not hold for '%s'",
                              file.gpu, gpu->name);
    gpu->contention_k0 = file.contention_k0;
    gpu->contention_k = file.contention_k;
    gpu->launch_delay_us = file.launch_delay_us;
    gpu->own_sensitivity = file.own_sensitivity;
    gpu->contention_apps = file.apps;
    gpu->contention_app_count = file.app_count;
    return CT_OK;
}

/* A file is looked up like a trace. */
static const char *find_file(const char *beside, const char *name, struct ct_arena *arena,
                             struct ct_diags *diags) {
    const char *path = share_find(arena, diags->files, "traces", name, beside);
    if (!path)
        ct_error(diags, name, "cannot be found beside the workload or in COTENANT_TRACE_PATH");
    return path;
}

/* What the key `dram` asks for, where that is not the preset's line. */
static int read_memory(const char *beside, struct gpu *gpu, struct ct_arena *arena,
                       struct ct_diags *diags) {
    const char *wanted = strcmp(gpu->dram, "curve") == 0 ? gpu->dram_fit : gpu->dram;
    if (!*wanted)
        return ct_usage_error(
            diags, gpu->name,
            "no curve: the timing of this GPU's memory is not known; 'cotenant dram fit' makes "
            "one of a timing, and 'gpu.dram_fit' names it");
    const char *name = dram_file_of(wanted, arena, diags);
    const char *path = name ? find_file(beside, name, arena, diags) : NULL;
    return path ? dram_file_apply(path, gpu, arena, diags) : name ? CT_DATA : CT_USAGE;
}

int setup_gpu_files(const char *beside, struct gpu *gpu, struct ct_arena *arena,
                    struct ct_diags *diags) {
    int status = CT_OK;
    if (*gpu->contention) {
        const char *path = find_file(beside, gpu->contention, arena, diags);
        status = path ? read_contention(gpu, path, arena, diags) : CT_DATA;
    }
    if (status == CT_OK && strcmp(gpu->dram, "line") != 0)
        status = read_memory(beside, gpu, arena, diags);
    if (gpu->hsm_c2 == 0) {
        gpu->hsm_c1 = gpu->dram_line_slope;
        gpu->hsm_c2 = gpu->dram_line_base;
    }
    return status;
}

/* ---- Synthetic applications become a trace of one job. ---- */

static bool add_copies(struct trace_app *trace, enum trace_direction direction,
                       const struct workload_array *bytes) {
    bool ok = true;
    for (size_t i = 0; i < bytes->count && ok; i++)
        ok = ct_vec_push(&trace->tasks, (struct trace_task){.kind = TRACE_COPY,
                                                            .direction = (uint8_t)direction,
                                                            .memory = TRACE_PAGEABLE,
                                                            .kernel = TRACE_NONE,
                                                            .waited_for = TRACE_NONE,
                                                            .bytes = (uint64_t)bytes->numbers[i]});
    return ok;
}

static uint64_t sum_of(const struct workload_array *counts) {
    uint64_t sum = 0;
    for (size_t i = 0; i < counts->count; i++)
        sum += (uint64_t)counts->numbers[i];
    return sum;
}

static bool synthetic_tasks(const struct workload_synthetic *s, struct trace_app *trace) {
    ct_time_ps duration = ct_time_round(s->duration_ms.mean * (double)CT_PS_PER_MS);
    int64_t group = s->copies_around ? s->copies_around : s->kernels;
    bool ok = true;
    for (int64_t i = 0; i < s->kernels && ok; i++) {
        if (i % group == 0)
            ok = add_copies(trace, TRACE_HOST_TO_DEVICE, &s->bytes_in);
        ok = ok && ct_vec_push(&trace->tasks,
                               (struct trace_task){.kind = TRACE_KERNEL,
                                                   .waited_for = TRACE_NONE,
                                                   .duration_ps = duration > 0 ? duration : 1});
        if ((i + 1) % group == 0 || i + 1 == s->kernels)
            ok = ok && add_copies(trace, TRACE_DEVICE_TO_HOST, &s->bytes_out);
    }
    struct trace_job job = {.name = "synthetic",
                            .task_count = (uint32_t)trace->tasks.count,
                            .input_bytes = sum_of(&s->bytes_in) *
                                           (uint64_t)((s->kernels + group - 1) / group)};
    return ok && ct_vec_push(&trace->jobs, job);
}

static struct trace_app *synthetic_trace(struct setup *setup, const struct workload_app *spec) {
    const struct workload_synthetic *s = &spec->synthetic;
    struct trace_app *trace = trace_set_add(&setup->made_up, spec->name);
    if (!trace)
        return NULL;
    trace->gpu = setup->gpu.name;
    trace->source = "synthetic";
    trace->stream_count = 1;
    trace->launches_recorded = true;
    struct trace_kernel kernel = {.name = spec->name,
                                  .grid = {(uint32_t)s->blocks, 1, 1},
                                  .block = {(uint32_t)s->threads, 1, 1},
                                  .registers_per_thread = (uint32_t)s->registers_per_thread,
                                  .dynamic_smem_bytes = (uint32_t)s->smem_bytes,
                                  .demand_provenance = CT_ASSUMED,
                                  .geometry_provenance = CT_ASSUMED,
                                  .metrics = trace_metrics_unknown()};
    kernel.metrics.dram_fraction = s->dram_fraction;
    kernel.metrics.unit_fraction = s->unit_fraction;
    kernel.metrics.row_hit_rate = s->row_hit_rate;
    kernel.metrics.instructions = s->instructions;
    return ct_vec_push(&trace->kernels, kernel) && synthetic_tasks(s, trace) ? trace : NULL;
}

/* ---- Provenance ---- */

/* How the inputs of a step came to be. A copy has no shape and uses no unit, and what it asks of
 * the memory are its bytes. */
static void step_provenance(const struct setup_app *app, const struct setup_step *step,
                            enum ct_provenance of[CT_INPUTS]) {
    const struct workload_app *spec = app->spec;
    const struct kernel_profile *profile = step->profile;
    bool scaled = app->synthetic || spec->duration_scale != 1 || spec->iterations != 1 ||
                  !workload_draw_is(&spec->size, 1);
    of[CT_INPUT_DURATION] = scaled || (step->flags & TRACE_DURATION_ASSUMED) ? CT_ASSUMED
                            : !step->as_recorded                             ? CT_DERIVED
                                                                             : CT_MEASURED;
    of[CT_INPUT_GEOMETRY] = profile ? profile->geometry_provenance : CT_MEASURED;
    of[CT_INPUT_DEMAND] = profile ? profile->demand_provenance : CT_DERIVED;
    of[CT_INPUT_UNITS] = profile ? profile->units_provenance : CT_DERIVED;
    of[CT_INPUT_HOST] =
        app->synthetic || spec->host_scale != 1 || (step->flags & TRACE_HOST_GAP_ASSUMED)
            ? CT_ASSUMED
            : CT_MEASURED;
}

static void add_time(struct setup_time *time, const struct setup_step *step,
                     enum ct_provenance demand) {
    if (setup_step_crosses_link(step))
        return;
    time->all_ps += step->work_ps;
    time->unknown_ps += demand == CT_UNKNOWN ? step->work_ps : 0;
}

/* Sums how an application's inputs came to be, and the work of its kernels. */
static void sum_inputs(struct setup *setup, struct setup_app *app) {
    struct ct_coverage *inputs = &setup->inputs;
    enum ct_provenance of[CT_INPUTS];
    for (uint32_t p = 0; p < app->plan_count; p++)
        for (uint32_t i = 0; i < app->plans[p].count; i++) {
            const struct setup_step *step = &app->plans[p].steps[i];
            step_provenance(app, step, of);
            if (step->profile)
                app->kernel_work_ps[step->profile - app->profiles] += step->work_ps;
            for (int kind = 0; kind < CT_INPUTS; kind++)
                inputs->share[kind][of[kind]] += step->work_ps;
            add_time(&setup->gpu_time, step, of[CT_INPUT_DEMAND]);
        }
}

static void normalise_inputs(struct ct_coverage *inputs) {
    for (int kind = 0; kind < CT_INPUTS; kind++) {
        double sum = 0;
        for (int i = 0; i < CT_PROVENANCE_COUNT; i++)
            sum += inputs->share[kind][i];
        for (int i = 0; i < CT_PROVENANCE_COUNT && sum > 0; i++)
            inputs->share[kind][i] /= sum;
    }
}

bool setup_hides_memory(const struct setup *setup) {
    const struct setup_time *time = &setup->gpu_time;
    return time->unknown_ps > 0 && time->unknown_ps >= CT_COVERAGE_MUCH * time->all_ps;
}

/* ---- The whole ---- */

/* What the user says of a kernel, in the place of what was recorded. */
static void put_said(const struct workload_kernels *said, struct trace_kernel *kernel) {
    struct trace_metrics *m = &kernel->metrics;
    if (!isnan(said->dram_fraction)) {
        m->dram_bytes_per_s = NAN;
        m->dram_fraction = said->dram_fraction;
        kernel->demand_provenance = CT_GIVEN;
    }
    if (!isnan(said->unit_fraction)) {
        m->unit_fraction = said->unit_fraction;
        m->issue_slot_fraction = NAN;
    }
    if (!isnan(said->l2_fraction))
        m->l2_fraction = said->l2_fraction;
    if (!isnan(said->row_hit_rate))
        m->row_hit_rate = said->row_hit_rate;
    if (!isnan(said->instructions))
        m->instructions = said->instructions;
}

/* What ships, read once for the first kernel of which nothing better is known. */
static int read_classes(struct setup *setup, struct ct_diags *diags) {
    struct demand_file *file = ct_arena_alloc(&setup->arena, sizeof *file);
    int status = file ? demand_file_shipped(file, &setup->arena, diags) : ct_out_of_memory(diags);
    setup->classes = status == CT_OK ? file : NULL;
    return status;
}

/* What kernels of its class use of the units, in the middle or as drawn; NAN where more is known of
 * this one, and of a made-up kernel. enum ct_status. */
static int units_of_class(struct setup *setup, const struct setup_app *app,
                          const struct gpu *recorded, const struct trace_kernel *kernel,
                          double *units, struct ct_diags *diags) {
    const struct demand_draw *draw = app->spec->draw;
    enum ct_provenance source;
    *units = NAN;
    if (app->synthetic || !isnan(kernel_units(recorded, kernel, NAN, &source)))
        return CT_OK;
    if (!draw && !setup->classes && read_classes(setup, diags) != CT_OK)
        return CT_DATA;
    *units = demand_units_of(draw ? draw->file : setup->classes, kernel, recorded,
                             draw ? draw->units[trace_kernel_class(kernel)] : 0.5);
    return CT_OK;
}

static int profile_kernel(struct setup *setup, struct setup_app *app, const struct gpu *recorded,
                          size_t index, const char *where, struct ct_diags *diags) {
    struct trace_kernel kernel = app->trace->kernels.items[index];
    struct workload_kernels said = workload_app_kernels(app->spec, kernel.name);
    struct kernel_profile *profile = &app->profiles[index];
    struct kernel_beside beside = {
        .compute_fraction =
            app->synthetic ? app->spec->synthetic.compute_fraction : said.compute_fraction,
        .unit = trace_app_unit(app->trace),
        .profiled = kernel.demand_provenance == CT_MEASURED && isnan(said.unit_fraction)};
    put_said(&said, &kernel);
    struct trace_metrics *m = &kernel.metrics;
    if (app->spec->draw && isnan(m->dram_bytes_per_s) && isnan(m->dram_fraction))
        m->dram_fraction = demand_draw_of(app->spec->draw, &kernel, recorded);
    int status = units_of_class(setup, app, recorded, &kernel, &beside.units_of_class, diags);
    if (status == CT_OK)
        status =
            kernel_profile_make(&setup->gpu, recorded, &kernel, &beside, where, profile, diags);
    if (!isnan(said.unit_fraction))
        profile->units_provenance = CT_GIVEN;
    if (app->synthetic && profile->units_provenance == CT_MEASURED)
        profile->units_provenance = CT_ASSUMED;
    return status;
}

static int profile_app(struct setup *setup, struct setup_app *app, struct ct_diags *diags) {
    const struct trace_app *trace = app->trace;
    struct gpu recorded = setup->gpu;
    /* What is made up is made up for this GPU, changed by the user or not. */
    bool same = app->synthetic || (strcmp(trace->gpu, setup->gpu.name) == 0 &&
                                   setup->workload->gpu_settings.count == 0);
    if (!same && setup_gpu(trace->gpu, app->spec->trace_path, NULL, &setup->arena, &recorded,
                           diags) != CT_OK)
        return CT_USAGE;
    /* A recording may name its GPU as its profiler does. */
    same = same || (strcmp(recorded.name, setup->gpu.name) == 0 &&
                    setup->workload->gpu_settings.count == 0);
    struct gpu *of_recording = ct_arena_alloc(&setup->arena, sizeof *of_recording);
    app->profiles = ct_arena_array(&setup->arena, trace->kernels.count, sizeof *app->profiles);
    app->kernel_work_ps =
        ct_arena_array(&setup->arena, trace->kernels.count, sizeof *app->kernel_work_ps);
    if (!app->profiles || !app->kernel_work_ps || !of_recording)
        return ct_out_of_memory(diags);
    *of_recording = same ? setup->gpu : recorded;
    app->recorded = of_recording;
    char where[600];
    snprintf(where, sizeof where, "%s: apps[%d]", setup->workload->path, (int)(app - setup->apps));
    int status = CT_OK;
    for (size_t i = 0; i < trace->kernels.count; i++)
        if (profile_kernel(setup, app, app->recorded, i, where, diags) != CT_OK)
            status = app->synthetic ? CT_USAGE : CT_DATA;
    return status;
}

static int make_app(struct setup *setup, struct setup_app *app, struct ct_intern *names,
                    struct ct_diags *diags) {
    app->synthetic = !app->spec->trace;
    app->trace = app->synthetic ? synthetic_trace(setup, app->spec) : app->spec->trace;
    if (!app->trace)
        return ct_out_of_memory(diags);
    int status = profile_app(setup, app, diags);
    if (status != CT_OK)
        return status;
    if (setup_plans_make(setup, app, names) != CT_OK)
        return ct_out_of_memory(diags);
    for (uint32_t i = 0; i < app->plan_count; i++)
        if (app->plans[i].count == 0)
            return ct_usage_error(diags, app->spec->name, "job '%s' has no task left to run",
                                  app->trace->jobs.items[setup_plans_job(app, i)].name);
    return CT_OK;
}

/* Tasks of its jobs, with all repetitions. */
static double count_tasks(const struct workload_app *spec) {
    double tasks = spec->trace ? 0 : (double)spec->synthetic.kernels;
    for (size_t i = 0; spec->trace && i < spec->trace->jobs.count && !spec->job_count; i++)
        tasks += spec->trace->jobs.items[i].task_count;
    for (size_t i = 0; spec->trace && i < spec->job_count; i++)
        tasks += spec->trace->jobs.items[spec->jobs[i].index].task_count;
    return tasks * (double)spec->iterations;
}

/* A file of a few bytes would ask for any amount of memory. */
static int check_size(const struct workload *workload, struct ct_diags *diags) {
    double tasks = 0, places = 0;
    for (size_t i = 0; i < workload->apps.count; i++) {
        const struct workload_app *spec = &workload->apps.items[i];
        tasks += count_tasks(spec);
        int64_t own = spec->arrivals.process == WORKLOAD_CLOSED ? spec->arrivals.clients : 1;
        places += (double)(own > spec->workers ? own : spec->workers) * (double)spec->instances;
    }
    if (tasks > SETUP_MOST_TASKS)
        ct_error(diags, workload->path,
                 "the jobs of its applications have %.0f tasks in all, of at most %d", tasks,
                 SETUP_MOST_TASKS);
    if (places > SETUP_MOST_PLACES)
        ct_error(diags, workload->path,
                 "its applications have %.0f clients or workers in all, of at most %d", places,
                 SETUP_MOST_PLACES);
    return tasks > SETUP_MOST_TASKS || places > SETUP_MOST_PLACES ? CT_USAGE : CT_OK;
}

static int make_apps(struct setup *setup, struct ct_diags *diags) {
    const struct workload *workload = setup->workload;
    struct ct_intern names = {0};
    setup->apps = ct_arena_array(&setup->arena, workload->apps.count, sizeof *setup->apps);
    if (!setup->apps)
        return ct_out_of_memory(diags);
    setup->app_count = (uint32_t)workload->apps.count;
    int status = CT_OK;
    for (uint32_t i = 0; i < setup->app_count; i++) {
        setup->apps[i].spec = &workload->apps.items[i];
        int result = make_app(setup, &setup->apps[i], &names, diags);
        status = result == CT_OK ? status : result;
    }
    ct_intern_free(&names);
    for (uint32_t i = 0; i < setup->app_count && status == CT_OK; i++)
        sum_inputs(setup, &setup->apps[i]);
    normalise_inputs(&setup->inputs);
    if (status == CT_OK && !setup_number_questions(setup))
        status = ct_out_of_memory(diags);
    return status;
}

int setup_make(const struct workload *workload, struct setup *setup, struct ct_diags *diags) {
    *setup = (struct setup){.workload = workload};
    int status = setup_gpu(workload->gpu, workload->gpu_where, &workload->gpu_settings,
                           &setup->arena, &setup->gpu, diags);
    if (status == CT_OK)
        status = setup_gpu_files(workload->path, &setup->gpu, &setup->arena, diags);
    if (status == CT_OK)
        status = check_size(workload, diags);
    if (status == CT_OK)
        status = make_apps(setup, diags);
    setup->hw_queues = (uint32_t)(workload->hw_queues ? workload->hw_queues : setup->gpu.hw_queues);
    if (status != CT_OK)
        setup_free(setup);
    return status;
}

void setup_free(struct setup *setup) {
    trace_set_free(&setup->made_up);
    ct_arena_free(&setup->arena);
    *setup = (struct setup){0};
}

struct setup setup_alone(const struct setup *setup, uint32_t app) {
    struct setup alone = *setup;
    alone.apps += app;
    alone.app_count = 1;
    return alone;
}

/* ---- What `calibrate` found of single applications ---- */

static const struct contention_app *find_factors(const struct gpu *gpu, const char *name) {
    for (size_t i = 0; i < gpu->contention_app_count; i++)
        if (strcmp(gpu->contention_apps[i].name, name) == 0)
            return &gpu->contention_apps[i];
    return NULL;
}

/* The factors that were calibrated for an application; NULL: none. */
static const struct contention_app *find_app(const struct setup *setup,
                                             const struct setup_app *app) {
    const struct contention_app *found = find_factors(&setup->gpu, app->spec->name);
    if (!found && app->trace && app->trace->name)
        found = find_factors(&setup->gpu, app->trace->name);
    return found;
}

struct contention_app setup_contention_of(const struct setup *setup, const struct setup_app *app) {
    const struct contention_app *found = find_app(setup, app);
    return found ? *found : (struct contention_app){app->spec->name, 1, 1};
}

uint32_t setup_contention_count(const struct setup *setup) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < setup->app_count; i++)
        count += find_app(setup, &setup->apps[i]) != NULL;
    return count;
}
