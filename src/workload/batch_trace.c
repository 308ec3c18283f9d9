#include "workload/batch_trace.h"

#include <math.h>

/* ---- What is told of a batch size ---- */

static const struct trace_job *job_of(const struct batch_part *part, uint32_t number) {
    return &part->trace->jobs.items[part->job == TRACE_NONE ? number : part->job];
}

uint32_t batch_part_jobs(const struct batch_part *part) {
    return part->job == TRACE_NONE ? (uint32_t)part->trace->jobs.count : 1;
}

static enum batch_grown grown_of(const struct trace_task *task) {
    return !trace_task_crosses_link(task)            ? BATCH_KERNEL_PS
           : task->direction == TRACE_HOST_TO_DEVICE ? BATCH_BYTES_IN
                                                     : BATCH_BYTES_OUT;
}

struct batch_part batch_part_of(uint32_t size, const struct trace_app *trace, uint32_t job) {
    struct batch_part part = {size, trace, job, {0}};
    uint32_t jobs = batch_part_jobs(&part);
    for (uint32_t j = 0; j < jobs; j++)
        for (uint32_t i = 0; i < job_of(&part, j)->task_count; i++) {
            const struct trace_task *task = &trace->tasks.items[job_of(&part, j)->first_task + i];
            part.mean[grown_of(task)] +=
                (trace_task_crosses_link(task) ? (double)task->bytes : (double)task->duration_ps) /
                jobs;
        }
    return part;
}

/* The straight line through two neighbours, at `size`. */
static double line(const double *sizes, const double *values, size_t first, double size) {
    double slope = (values[first + 1] - values[first]) / (sizes[first + 1] - sizes[first]);
    return values[first] + slope * (size - sizes[first]);
}

double batch_trace_law(const double *sizes, const double *values, size_t count, double size) {
    size_t left = 0;
    if (count == 1)
        return values[0];
    while (left + 2 < count && sizes[left + 1] < size)
        left++;
    double chord = line(sizes, values, left, size);
    if (size < sizes[0])
        return fmax(chord, values[0] * size / sizes[0]);
    if (size > sizes[count - 1]) /* more is never less work: what falls there is chance */
        return fmax(chord, values[count - 1]);
    if (left == 0 || left + 2 >= count)
        return chord;
    double bent = fmax(line(sizes, values, left - 1, size), line(sizes, values, left + 1, size)),
           least = fmin(values[left], values[left + 1]); /* lines of values that fall go below it */
    return fmin(chord, fmax(bent, least));
}

/* The law without part `skip` (none where it is `count`), of a size. */
static double told(const struct batch_part *parts, size_t count, size_t skip, enum batch_grown what,
                   double size) {
    double sizes[1024], values[1024];
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (i != skip) {
            sizes[known] = parts[i].size;
            values[known++] = parts[i].mean[what];
        }
    return batch_trace_law(sizes, values, known, size);
}

double batch_trace_error(const struct batch_part *parts, size_t count) {
    double worst = NAN;
    for (size_t i = 1; i + 1 < count; i++)
        worst = fmax(worst, fabs(told(parts, count, i, BATCH_KERNEL_PS, parts[i].size) /
                                     parts[i].mean[BATCH_KERNEL_PS] -
                                 1));
    return worst;
}

/* The part of this size, or the nearest by ratio. */
static const struct batch_part *nearest(const struct batch_part *parts, size_t count,
                                        uint32_t size) {
    const struct batch_part *best = parts;
    for (size_t i = 1; i < count; i++)
        if (fabs(log((double)parts[i].size / size)) < fabs(log((double)best->size / size)))
            best = &parts[i];
    return best;
}

double batch_trace_tasks(const struct batch_part *parts, size_t count, uint32_t most) {
    double tasks = 0;
    for (uint32_t size = 1; size <= most; size++) {
        const struct batch_part *part = nearest(parts, count, size);
        for (uint32_t j = 0; j < batch_part_jobs(part); j++)
            tasks += job_of(part, j)->task_count;
    }
    return tasks;
}

/* ---- Making the recording ---- */

/* Kernels and calls of a part, which parts of one trace share. */
static bool add_kernels(struct trace_app *whole, const struct batch_part *parts, size_t number,
                        struct batch_trace_offsets *offsets) {
    const struct trace_app *trace = parts[number].trace;
    bool ok = true;
    for (size_t i = 0; i < number; i++)
        if (parts[i].trace == trace) {
            offsets[number] = offsets[i];
            return true;
        }
    offsets[number] = (struct batch_trace_offsets){(uint32_t)whole->kernels.count,
                                                   (uint32_t)whole->library_calls.count};
    for (size_t i = 0; i < trace->kernels.count && ok; i++)
        ok = ct_vec_push(&whole->kernels, trace->kernels.items[i]);
    for (size_t i = 0; i < trace->library_calls.count && ok; i++)
        ok = ct_vec_push(&whole->library_calls, trace->library_calls.items[i]);
    return ok;
}

static void grow(struct trace_task *task, const double factor[BATCH_GROWN_COUNT]) {
    double by = factor[grown_of(task)];
    if (task->kind == TRACE_COPY)
        task->bytes = (uint64_t)nearbyint((double)task->bytes * by);
    ct_time_ps recorded = task->duration_ps;
    task->duration_ps = (ct_time_ps)fmax(1, nearbyint((double)recorded * by));
    task->grown_ps = task->duration_ps - recorded;
    task->flags |= TRACE_DURATION_ASSUMED;
}

/* A job of a part, grown by these factors; NULL: as it was recorded. */
static bool add_job(struct trace_app *whole, const struct batch_part *part, uint32_t number,
                    struct batch_trace_offsets offsets, const double *factor, const char *name) {
    const struct trace_app *trace = part->trace;
    struct trace_job job = *job_of(part, number);
    const struct trace_task *tasks = &trace->tasks.items[job.first_task];
    job.first_task = (uint32_t)whole->tasks.count;
    job.name = name;
    if (factor)
        job.input_bytes = (uint64_t)nearbyint((double)job.input_bytes * factor[BATCH_BYTES_IN]);
    bool ok = true;
    size_t first = whole->tasks.count;
    for (uint32_t i = 0; i < job.task_count && ok; i++) {
        struct trace_task task = tasks[i];
        const uint32_t *needs = trace->dependencies.items + task.first_dependency;
        task.first_dependency = (uint32_t)whole->dependencies.count;
        for (uint32_t d = 0; d < task.dependency_count && ok; d++)
            ok = ct_vec_push(&whole->dependencies, needs[d]);
        task.kernel += task.kernel == TRACE_NONE ? 0 : offsets.kernels;
        task.library_call += task.library_call ? offsets.calls : 0;
        ok = ok && ct_vec_push(&whole->tasks, task);
    }
    for (uint32_t i = 0; i < job.task_count && factor && ok; i++)
        grow(&whole->tasks.items[first + i], factor);
    return ok && ct_vec_push(&whole->jobs, job);
}

bool batch_trace_add(struct trace_app *whole, const struct batch_part *part,
                     struct batch_trace_offsets offsets, const double *factor, const char *name) {
    bool ok = true;
    for (uint32_t j = 0; j < batch_part_jobs(part) && ok; j++)
        ok = add_job(whole, part, j, offsets, factor, name);
    return ok;
}

/* Batches of one size. */
static bool add_size(struct trace_set *set, struct trace_app *whole, const struct batch_part *parts,
                     size_t count, const struct batch_trace_offsets *offsets, uint32_t size,
                     struct workload_batch_jobs *jobs) {
    const struct batch_part *part = nearest(parts, count, size);
    double factor[BATCH_GROWN_COUNT];
    const char *name = ct_arena_format(&set->arena, "batch %u", size);
    *jobs = (struct workload_batch_jobs){(uint32_t)whole->jobs.count, batch_part_jobs(part),
                                         part->size != size};
    for (int what = 0; what < BATCH_GROWN_COUNT && jobs->interpolated; what++) {
        double now = part->mean[what];
        factor[what] = now > 0 ? told(parts, count, count, what, size) / now : 1;
    }
    return name && batch_trace_add(whole, part, offsets[part - parts],
                                   jobs->interpolated ? factor : NULL, name);
}

struct trace_app *batch_trace_begin(struct trace_set *set, const char *name,
                                    const struct batch_part *parts, size_t count,
                                    struct batch_trace_offsets *offsets) {
    struct trace_app *whole = trace_set_add(set, name);
    bool ok = whole;
    if (!ok)
        return NULL;
    const struct trace_app *first = parts[0].trace;
    whole->gpu = first->gpu;
    whole->source = first->source;
    whole->licence = first->licence;
    whole->launches_recorded = true;
    for (size_t i = 0; i < count && ok; i++) {
        const struct trace_app *trace = parts[i].trace;
        whole->launches_recorded &= trace->launches_recorded;
        whole->stacks_recorded |= trace->stacks_recorded;
        whole->stream_count =
            trace->stream_count > whole->stream_count ? trace->stream_count : whole->stream_count;
        whole->resolution_ps = trace->resolution_ps > whole->resolution_ps ? trace->resolution_ps
                                                                           : whole->resolution_ps;
        ok = add_kernels(whole, parts, i, offsets);
    }
    return ok ? whole : NULL;
}

const struct trace_app *batch_trace_make(struct trace_set *set, const char *name,
                                         const struct batch_part *parts, size_t count,
                                         uint32_t most, struct workload_batch_jobs *jobs) {
    struct batch_trace_offsets *offsets = ct_arena_array(&set->arena, count, sizeof *offsets);
    struct trace_app *whole = offsets ? batch_trace_begin(set, name, parts, count, offsets) : NULL;
    bool ok = whole;
    for (uint32_t size = 1; size <= most && ok; size++)
        ok = add_size(set, whole, parts, count, offsets, size, &jobs[size - 1]);
    const struct trace_app *largest = parts[count - 1].trace;
    for (size_t i = 0; i < largest->notes.count && ok; i++)
        ok = ct_vec_push(&whole->notes, largest->notes.items[i]);
    return ok ? whole : NULL;
}
