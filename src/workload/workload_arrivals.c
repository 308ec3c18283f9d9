#include "workload/stamps_reader.h"
#include "workload/workload_reader.h"

static void read_stamps(struct workload_reader *reader, struct workload_arrivals *arrivals) {
    struct workload *w = reader->workload;
    const char *found =
        share_find(&w->arena, reader->place.diags->files, "traces", arrivals->path, w->path);
    if (!found) {
        ct_error(reader->place.diags, json_place_member(&reader->place, "file"),
                 "no file '%s' beside the workload, in COTENANT_TRACE_PATH or in the share folder",
                 arrivals->path);
        json_place_fail(&reader->place, CT_DATA);
        return;
    }
    arrivals->found = found;
    struct stamps stamps = {.columns = {arrivals->prompt_column, arrivals->output_column}};
    int status = stamps_read(found, arrivals->column, &stamps, &w->arena, reader->place.diags);
    arrivals->stamps = stamps.times;
    arrivals->stamp_count = stamps.count;
    arrivals->span_ps = stamps.span_ps;
    arrivals->prompts = stamps.numbers[0];
    arrivals->outputs = stamps.numbers[1];
    json_place_fail(&reader->place, status);
    if (status == CT_OK && (arrivals->stamp_count < 2 || arrivals->span_ps <= 0)) {
        ct_error(reader->place.diags, json_place_member(&reader->place, "file"),
                 "'%s' spans no time: at least two different time stamps are needed", found);
        json_place_fail(&reader->place, CT_DATA);
    }
}

static void read_object(struct workload_reader *reader, const json_t *object,
                        struct workload_arrivals *arrivals) {
    size_t errors = reader->place.diags->errors;
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
    if (arrivals->process == WORKLOAD_TRACE && errors == reader->place.diags->errors)
        read_stamps(reader, arrivals);
}

void workload_arrivals_read(struct workload_reader *reader, const json_t *app, int role,
                            struct workload_arrivals *arrivals) {
    size_t length;
    const json_t *object = workload_object_enter(reader, app, "arrivals", &length);
    *arrivals = (struct workload_arrivals){.process = WORKLOAD_CLOSED,
                                           .clients = 1,
                                           .delay_ms = {.kind = WORKLOAD_FIXED},
                                           .think_ms = {.kind = WORKLOAD_FIXED}};
    if (object) {
        read_object(reader, object, arrivals);
        json_place_leave(&reader->place, length);
    } else if (role == CT_SERVICE && !json_object_get(app, "arrivals")) {
        workload_mistake(reader, NULL, "key 'arrivals' is missing: a service needs it");
    }
}
