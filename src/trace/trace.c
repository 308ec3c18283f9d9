#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

const char *const trace_kind_names[] = {"kernel", "copy", "memset"};
const char *const trace_direction_names[] = {"h2d", "d2h", "d2d"};
const char *const trace_memory_names[] = {"pageable", "pinned", "unknown"};

struct trace_app *trace_set_add(struct trace_set *set, const char *name) {
    struct trace_app *app = ct_arena_alloc(&set->arena, sizeof *app);
    if (!app || !ct_vec_push(&set->apps, app))
        return NULL;
    app->name = ct_arena_strdup(&set->arena, name);
    app->gpu = app->source = app->licence = "";
    return app->name ? app : NULL;
}

const struct trace_app *trace_set_find(const struct trace_set *set, const char *name) {
    for (size_t i = 0; i < set->apps.count; i++)
        if (strcmp(set->apps.items[i]->name, name) == 0)
            return set->apps.items[i];
    return NULL;
}

void trace_set_free(struct trace_set *set) {
    for (size_t i = 0; i < set->apps.count; i++) {
        struct trace_app *app = set->apps.items[i];
        ct_vec_free(&app->kernels);
        ct_vec_free(&app->tasks);
        ct_vec_free(&app->jobs);
        ct_vec_free(&app->dependencies);
        ct_vec_free(&app->library_calls);
        ct_vec_free(&app->notes);
    }
    ct_vec_free(&set->apps);
    ct_arena_free(&set->arena);
}

void trace_app_drop_jobs(struct trace_app *app, size_t count) {
    uint32_t tasks = app->jobs.items[count].first_task;
    app->jobs.count -= count;
    app->tasks.count -= tasks;
    memmove(app->jobs.items, app->jobs.items + count, app->jobs.count * sizeof *app->jobs.items);
    memmove(app->tasks.items, app->tasks.items + tasks,
            app->tasks.count * sizeof *app->tasks.items);
    for (size_t i = 0; i < app->jobs.count; i++)
        app->jobs.items[i].first_task -= tasks;
}

/* "": there is none of this name. */
static const char *note_of(const struct trace_app *app, const char *name) {
    for (size_t i = 0; i < app->notes.count; i++)
        if (strcmp(app->notes.items[i].name, name) == 0)
            return app->notes.items[i].value;
    return "";
}

const char *trace_app_kept(const struct trace_app *app) {
    return note_of(app, TRACE_NOTE_KEPT);
}

uint64_t trace_app_memory(const struct trace_app *app) {
    return strtoull(note_of(app, TRACE_NOTE_MEMORY), NULL, 10);
}

enum kernel_unit trace_app_unit(const struct trace_app *app) {
    const char *name = note_of(app, TRACE_NOTE_UNIT);
    for (int unit = 0; unit < KERNEL_UNITS; unit++)
        if (strcmp(name, kernel_unit_names[unit]) == 0)
            return (enum kernel_unit)unit;
    return KERNEL_UNIT_UNKNOWN;
}

struct trace_metrics trace_metrics_unknown(void) {
    return (struct trace_metrics){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

bool trace_shape_is_possible(const uint32_t grid[3], const uint32_t block[3]) {
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (grid[i] == 0 || grid[i] > TRACE_MOST_BLOCKS || block[i] == 0 ||
            block[i] > TRACE_MOST_THREADS)
            return false;
        threads *= block[i];
    }
    return threads <= TRACE_MOST_THREADS;
}

struct trace_beyond trace_kernel_beyond(const struct trace_kernel *kernel) {
    const struct trace_metrics *m = &kernel->metrics;
    const struct {
        double value, most;
        struct trace_beyond is;
    } numbers[] = {
        {kernel->registers_per_thread,
         TRACE_MOST_REGISTERS,
         {"number of registers per thread", "registers"}},
        {kernel->static_smem_bytes, TRACE_MOST_SMEM_BYTES, {"shared memory", "static_smem"}},
        {kernel->dynamic_smem_bytes, TRACE_MOST_SMEM_BYTES, {"shared memory", "dynamic_smem"}},
        {kernel->flops_per_s, TRACE_MOST_RATE, {"rate of operations", "flops_per_s"}},
        {m->dram_bytes_per_s, TRACE_MOST_RATE, {"memory throughput", "dram_bytes_per_s"}},
        {m->dram_fraction, 1, {"part of the memory throughput", "dram_fraction"}},
        {m->dram_read_share, 1, {"part of reads", "dram_read_share"}},
        {m->row_hit_rate, 1, {"rate of row hits", "row_hit_rate"}},
        {m->l2_fraction, 1, {"part of the L2 throughput", "l2_fraction"}},
        {m->issue_slot_fraction, 1, {"part of the issue slots", "issue_slot_fraction"}},
        {m->unit_fraction, 1, {"use of functional units", "unit_fraction"}},
        {m->fp32_fraction, 1, {"use of units for single precision", "fp32_fraction"}},
        {m->fp64_fraction, 1, {"use of units for double precision", "fp64_fraction"}},
        {m->sm_activity, 1, {"activity of SMs", "sm_activity"}},
        {m->achieved_occupancy, 1, {"occupancy", "achieved_occupancy"}},
        {m->instructions, TRACE_MOST_RATE, {"number of instructions", "instructions"}},
    };
    for (size_t i = 0; i < CT_COUNT_OF(numbers); i++)
        if (!isnan(numbers[i].value) &&
            !(numbers[i].value >= 0 && numbers[i].value <= numbers[i].most))
            return numbers[i].is;
    bool possible = trace_shape_is_possible(kernel->grid, kernel->block);
    return (struct trace_beyond){possible ? NULL : "grid or block", NULL};
}

uint64_t trace_kernel_blocks(const struct trace_kernel *kernel) {
    return (uint64_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
}

void trace_kernel_look(struct trace_kernel *kernel) {
    kernel->name_class = (uint8_t)(kernel_class_of(kernel->name) + 1);
    kernel->name_unit = (uint8_t)(kernel_unit_of(kernel->name) + 1);
}

enum kernel_class trace_kernel_class(const struct trace_kernel *kernel) {
    return kernel->name_class ? (enum kernel_class)(kernel->name_class - 1)
                              : kernel_class_of(kernel->name);
}

enum kernel_unit trace_kernel_unit(const struct trace_kernel *kernel) {
    return kernel->name_unit ? (enum kernel_unit)(kernel->name_unit - 1)
                             : kernel_unit_of(kernel->name);
}

uint32_t trace_kernel_threads(const struct trace_kernel *kernel) {
    return kernel->block[0] * kernel->block[1] * kernel->block[2];
}

/* Saturates: tasks of several streams may take longer in sum than the clock goes. */
static ct_time_ps add_times(ct_time_ps a, ct_time_ps b) {
    return a > CT_TIME_NEVER - b ? CT_TIME_NEVER : a + b;
}

static void add_copy(struct trace_totals *totals, const struct trace_task *task) {
    totals->copies++;
    totals->copy_ps = add_times(totals->copy_ps, task->duration_ps);
    if (task->direction == TRACE_HOST_TO_DEVICE)
        totals->h2d_bytes += task->bytes;
    else if (task->direction == TRACE_DEVICE_TO_HOST)
        totals->d2h_bytes += task->bytes;
    else
        totals->d2d_bytes += task->bytes;
}

ct_time_ps trace_last_end(const struct trace_task *tasks, size_t count) {
    ct_time_ps last = 0;
    for (size_t i = 0; i < count; i++)
        if (tasks[i].start_ps + tasks[i].duration_ps > last)
            last = tasks[i].start_ps + tasks[i].duration_ps;
    return last;
}

struct trace_totals trace_app_totals(const struct trace_app *app) {
    struct trace_totals totals = {0};
    for (size_t i = 0; i < app->tasks.count; i++) {
        const struct trace_task *task = &app->tasks.items[i];
        if (task->kind == TRACE_COPY)
            add_copy(&totals, task);
        else if (task->kind == TRACE_MEMSET)
            totals.memsets++;
        else {
            totals.kernels++;
            totals.kernel_ps = add_times(totals.kernel_ps, task->duration_ps);
        }
    }
    return totals;
}
