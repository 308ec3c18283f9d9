#include "workload/stamps_reader.h"
#include "workload/workload_reader.h"

static void read_stamps(struct workload_reader *reader, struct workload_arrivals *arrivals) {
    struct workload *w = reader->workload;
    const char *found =
        share_find(&w->arena, reader->diags->files, "traces", arrivals->path, w->path);
    if (!found) {
        ct_error(reader->diags, workload_where(reader, "file"),
                 "no file '%s' beside the workload, in COTENANT_TRACE_PATH or in the share folder",
                 arrivals->path);
        workload_fail(reader, CT_DATA);
        return;
    }
    arrivals->found = found;
    const char *const columns[STAMPS_NUMBERS] = {arrivals->prompt_column, arrivals->output_column};
    const int64_t *numbers[STAMPS_NUMBERS] = {NULL};
    int status =
        stamps_read_numbers(found, arrivals->column, columns, &w->arena, &arrivals->stamps, numbers,
                            &arrivals->stamp_count, &arrivals->span_ps, reader->diags);
    arrivals->prompts = numbers[0];
    arrivals->outputs = numbers[1];
    workload_fail(reader, status);
    if (status == CT_OK && (arrivals->stamp_count < 2 || arrivals->span_ps <= 0)) {
        ct_error(reader->diags, workload_where(reader, "file"),
                 "'%s' spans no time: at least two different time stamps are needed", found);
        workload_fail(reader, CT_DATA);
    }
}

static void read_object(struct workload_reader *reader, const json_t *object,
                        struct workload_arrivals *arrivals) {
    size_t errors = reader->diags->errors;
    arrivals->process = -1;
    workload_table_read(reader, object, workload_arrivals_keys, arrivals, false);
    if (arrivals->process < 0) {
        arrivals->process = WORKLOAD_ONCE;
        return;
    }
    workload_table_kind(reader, object, workload_arrivals_keys, arrivals->process,
                        workload_processes[arrivals->process]);
    if (arrivals->replayed && json_object_get(object, "rate_per_s"))
        workload_mistake(reader, "rate_per_s", "keys 'rate_per_s' and 'replay' exclude each other");
    if (arrivals->process == WORKLOAD_TRACE && errors == reader->diags->errors)
        read_stamps(reader, arrivals);
}

void workload_arrivals_read(struct workload_reader *reader, const json_t *app, int role,
                            struct workload_arrivals *arrivals) {
    const json_t *object = json_object_get(app, "arrivals");
    *arrivals = (struct workload_arrivals){.process = WORKLOAD_CLOSED,
                                           .clients = 1,
                                           .delay_ms = {.kind = WORKLOAD_FIXED},
                                           .think_ms = {.kind = WORKLOAD_FIXED}};
    if (!object && role == CT_SERVICE)
        workload_mistake(reader, NULL, "key 'arrivals' is missing: a service needs it");
    else if (object && !json_is_object(object))
        workload_mistake(reader, "arrivals", "'arrivals' is not an object");
    else if (object) {
        size_t length = json_place_enter(&reader->place, "arrivals");
        read_object(reader, object, arrivals);
        json_place_leave(&reader->place, length);
    }
}
