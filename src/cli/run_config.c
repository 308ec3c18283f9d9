#include "run_config.h"

#include "ct_option_value.h"
#include "json_writer.h"

#include <stdlib.h>

/* Every member of an option table; numbers as numbers. */
static void write_options(struct json_writer *json, const struct ct_option *table,
                          const void *object) {
    for (; table && table->name; table++) {
        const void *member = (const char *)object + table->offset;
        char text[256];
        if (table->kind == CT_OPTION_DOUBLE)
            json_writer_double(json, table->name, *(const double *)member);
        else if (table->kind == CT_OPTION_INT)
            json_writer_integer(json, table->name, *(const int64_t *)member);
        else if (table->kind == CT_OPTION_BOOL)
            json_writer_bool(json, table->name, *(const bool *)member);
        else {
            ct_option_print(table, object, text, sizeof text);
            json_writer_string(json, table->name, text);
        }
    }
}

static void write_app(struct json_writer *json, const struct workload_app *app) {
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", app->name);
    json_writer_string(json, "role", app->role == WORKLOAD_SERVICE ? "service" : "batch");
    json_writer_string(json, "trace", app->trace ? app->trace_app : NULL);
    json_writer_string(json, "source", app->trace ? app->trace->source : NULL);
    json_writer_integer(json, "instances", app->instances);
    json_writer_integer(json, "workers", app->workers);
    json_writer_integer(json, "iterations", app->iterations);
    json_writer_double(json, "duration_scale", app->duration_scale);
    json_writer_double(json, "qos_ms", app->qos_ms > 0 ? app->qos_ms : NAN);
    json_writer_double(json, "np_target", app->np_target > 0 ? app->np_target : NAN);
    json_writer_double(json, "rate_per_s",
                       app->arrivals.rate_per_s > 0 ? app->arrivals.rate_per_s : NAN);
    json_writer_end_object(json);
}

/* What was typed, to run it again; the hash tells whether the inputs are still the same. */
static void write_given(struct json_writer *json, const struct cli_experiment *e, uint32_t policy) {
    char inputs[CT_HASH_TEXT];
    const char *fidelity = cli_value(e->args, "fidelity"), *text;
    bool listed = cli_has(e->args, "policies");
    ct_hash_print(e->workload.hash, inputs);
    json_writer_begin_object(json, "given");
    json_writer_string(json, "workload", e->workload.path);
    json_writer_string(json, "policy",
                       listed ? e->experiment.policies[policy].label
                              : cli_value(e->args, "policy"));
    json_writer_string(json, "fidelity", fidelity);
    json_writer_begin_array(json, "set");
    for (size_t i = 0; (text = cli_value_at(e->args, "set", i)) != NULL; i++)
        json_writer_string(json, NULL, text);
    json_writer_end_array(json);
    json_writer_string(json, "inputs", inputs);
    json_writer_end_object(json);
}

static void write_config(struct json_writer *json, const struct cli_experiment *e,
                         uint32_t policy) {
    const struct experiment_policy *p = &e->experiment.policies[policy];
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "workload", e->workload.name);
    json_writer_integer(json, "seed", (int64_t)e->experiment.seed);
    json_writer_double(json, "duration_s", e->workload.duration_s);
    json_writer_double(json, "warmup_s", e->workload.warmup_s);
    if (e->workload.warmup_by == WORKLOAD_WARMUP_MSER5)
        json_writer_string(json, "warmup_by", "mser5");
    json_writer_integer(json, "hw_queues", e->setup.hw_queues);
    json_writer_begin_object(json, "policy");
    json_writer_string(json, "name", p->policy->name);
    write_options(json, p->policy->options, p->options);
    json_writer_end_object(json);
    json_writer_begin_object(json, "gpu");
    write_options(json, gpu_options, &e->setup.gpu);
    json_writer_end_object(json);
    json_writer_begin_array(json, "apps");
    for (size_t i = 0; i < e->workload.apps.count; i++)
        write_app(json, &e->workload.apps.items[i]);
    json_writer_end_array(json);
    write_given(json, e, policy);
    json_writer_end_object(json);
}

const char *run_config(const struct cli_experiment *e, uint32_t policy, struct ct_arena *arena) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    struct json_writer json = json_writer_start(out, 0);
    write_config(&json, e, policy);
    bool failed = ferror(out);
    failed = fclose(out) != 0 || !text || failed; /* NULL: no memory as late as here */
    const char *copy = failed ? NULL : ct_arena_strdup(arena, text);
    free(text);
    return copy;
}
