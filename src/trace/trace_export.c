#include "trace/trace_export.h"

#include "format/csv_text.h"
#include "format/json_writer.h"

static double in_ns(ct_time_ps time) {
    return (double)time / (double)CT_PS_PER_NS;
}

static void write_shape(FILE *out, const struct trace_kernel *k) {
    if (k)
        csv_write_cells(out, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1],
                        k->block[2], k->registers_per_thread,
                        k->static_smem_bytes + k->dynamic_smem_bytes);
    else
        fputs(",,,,,,,", out);
}

static void write_row(FILE *out, const struct trace_app *app, const struct trace_job *job,
                      uint32_t index) {
    const struct trace_task *t = &app->tasks.items[job->first_task + index];
    const struct trace_kernel *kernel =
        t->kind == TRACE_KERNEL ? &app->kernels.items[t->kernel] : NULL;
    bool copy = t->kind == TRACE_COPY, waited = t->waited_for != TRACE_NONE;
    csv_write_cells(out, app->name, job->name, index, trace_kind_names[t->kind],
                    kernel ? kernel->name : NULL, copy ? trace_direction_names[t->direction] : NULL,
                    copy ? trace_memory_names[t->memory] : NULL, t->stream, t->bytes,
                    in_ns(t->launch_begin_ps), in_ns(t->launch_end_ps), in_ns(t->start_ps),
                    in_ns(t->duration_ps), in_ns(t->host_gap_ps), (t->flags & TRACE_SYNC) != 0,
                    waited ? value_of_integer(t->waited_for) : value_of_text(NULL));
    fputc(',', out);
    write_shape(out, kernel);
    fputc(',', out);
    csv_write_text(out, t->library_call ? app->library_calls.items[t->library_call - 1] : NULL);
    fputc('\n', out);
}

void trace_export_csv(const struct trace_set *set, FILE *out) {
    fputs("app,job,task,kind,kernel,direction,memory,stream,bytes,launch_begin_ns,launch_end_ns,"
          "start_ns,duration_ns,host_gap_ns,sync,waited_for,grid_x,grid_y,grid_z,block_x,block_y,"
          "block_z,registers,smem_bytes,library_call\n",
          out);
    for (size_t a = 0; a < set->apps.count; a++) {
        const struct trace_app *app = set->apps.items[a];
        for (size_t j = 0; j < app->jobs.count; j++)
            for (uint32_t i = 0; i < app->jobs.items[j].task_count; i++)
                write_row(out, app, &app->jobs.items[j], i);
    }
}

static void json_metrics(struct json_writer *json, const struct trace_metrics *m) {
    json_writer_object(json, "metrics", "dram_bytes_per_s", m->dram_bytes_per_s, "dram_fraction",
                       m->dram_fraction, "dram_read_share", m->dram_read_share, "row_hit_rate",
                       m->row_hit_rate, "l2_fraction", m->l2_fraction, "issue_slot_fraction",
                       m->issue_slot_fraction, "unit_fraction", m->unit_fraction, "fp32_fraction",
                       m->fp32_fraction, "fp64_fraction", m->fp64_fraction, "sm_activity",
                       m->sm_activity, "achieved_occupancy", m->achieved_occupancy, "instructions",
                       m->instructions);
}

static void json_kernel(struct json_writer *json, const struct trace_kernel *k) {
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", k->name);
    json_writer_array(json, "grid", k->grid[0], k->grid[1], k->grid[2]);
    json_writer_array(json, "block", k->block[0], k->block[1], k->block[2]);
    json_writer_members(json, "registers", k->registers_per_thread, "static_smem_bytes",
                        k->static_smem_bytes, "dynamic_smem_bytes", k->dynamic_smem_bytes,
                        "communication", k->communication);
    json_metrics(json, &k->metrics);
    json_writer_begin_array(json, "duration_by_share");
    for (uint32_t i = 0; i < k->curve_count; i++) {
        json_writer_object(json, NULL, "share_per_mille", k->curve[i].share, "factor",
                           k->curve[i].factor);
    }
    json_writer_end_array(json);
    json_writer_end_object(json);
}

static void json_task(struct json_writer *json, const struct trace_app *app,
                      const struct trace_task *t) {
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "kind", trace_kind_names[t->kind]);
    if (t->kind == TRACE_KERNEL)
        json_writer_integer(json, "kernel", t->kernel);
    else
        json_writer_integer(json, "bytes", (int64_t)t->bytes);
    if (t->kind == TRACE_COPY) {
        json_writer_members(json, "direction", trace_direction_names[t->direction], "memory",
                            trace_memory_names[t->memory]);
    }
    json_writer_integer(json, "stream", t->stream);
    json_writer_time_us(json, "launch_begin_us", t->launch_begin_ps);
    json_writer_time_us(json, "launch_end_us", t->launch_end_ps);
    json_writer_time_us(json, "start_us", t->start_ps);
    json_writer_time_us(json, "duration_us", t->duration_ps);
    json_writer_time_us(json, "host_gap_us", t->host_gap_ps);
    if (t->lag_ps != 0)
        json_writer_time_us(json, "lag_us", t->lag_ps);
    json_writer_bool(json, "sync", (t->flags & TRACE_SYNC) != 0);
    if (t->waited_for != TRACE_NONE)
        json_writer_integer(json, "waited_for", t->waited_for);
    if (t->library_call)
        json_writer_string(json, "library_call", app->library_calls.items[t->library_call - 1]);
    if (t->dependency_count) {
        json_writer_begin_array(json, "depends_on");
        for (uint32_t i = 0; i < t->dependency_count; i++)
            json_writer_integer(json, NULL, app->dependencies.items[t->first_dependency + i]);
        json_writer_end_array(json);
    }
    json_writer_end_object(json);
}

static void json_job(struct json_writer *json, const struct trace_app *app,
                     const struct trace_job *job) {
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "name", job->name, "input_bytes", job->input_bytes);
    json_writer_time_us(json, "recorded_us", job->recorded_ps);
    json_writer_begin_array(json, "tasks");
    for (uint32_t i = 0; i < job->task_count; i++)
        json_task(json, app, &app->tasks.items[job->first_task + i]);
    json_writer_end_array(json);
    json_writer_end_object(json);
}

void trace_export_json(const struct trace_set *set, FILE *out) {
    struct json_writer json = json_writer_start(out, 1);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "schema", "cotenant.trace/1");
    json_writer_begin_array(&json, "apps");
    for (size_t a = 0; a < set->apps.count; a++) {
        const struct trace_app *app = set->apps.items[a];
        json_writer_begin_object(&json, NULL);
        json_writer_members(&json, "name", app->name, "gpu", app->gpu, "source", app->source,
                            "licence", app->licence, "streams", app->stream_count);
        json_writer_begin_array(&json, "kernels");
        for (size_t i = 0; i < app->kernels.count; i++)
            json_kernel(&json, &app->kernels.items[i]);
        json_writer_end_array(&json);
        json_writer_begin_array(&json, "jobs");
        for (size_t i = 0; i < app->jobs.count; i++)
            json_job(&json, app, &app->jobs.items[i]);
        json_writer_end_array(&json);
        json_writer_end_object(&json);
    }
    json_writer_end_array(&json);
    json_writer_end_object(&json);
    fputc('\n', out);
}
