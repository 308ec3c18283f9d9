#include "experiment/run_config.h"

#include "workload/workload_write.h"

#include <stdlib.h>

struct workload run_config_workload(const struct setup *setup, uint64_t seed) {
    struct workload used = *setup->workload;
    used.seed = (int64_t)seed;
    used.hw_queues = setup->hw_queues;
    return used;
}

static void write_policy(struct json_writer *json, const struct experiment_policy *policy) {
    json_writer_begin_object(json, "policy");
    json_writer_string(json, "name", policy->policy->name);
    workload_write_options(json, policy->policy->options, policy->options);
    json_writer_end_object(json);
}

static void write_config(struct json_writer *json, const struct experiment *e,
                         const struct experiment_policy *policy) {
    struct workload used = run_config_workload(e->setup, e->seed);
    json_writer_begin_object(json, NULL);
    workload_write_run(json, &used, WORKLOAD_CONFIGURATION);
    write_policy(json, policy);
    json_writer_begin_object(json, "gpu");
    json_writer_string(json, "base", used.gpu);
    workload_write_options(json, gpu_options, &e->setup->gpu);
    json_writer_end_object(json);
    json_writer_begin_array(json, "apps");
    for (size_t i = 0; i < used.apps.count; i++) {
        json_writer_begin_object(json, NULL);
        workload_write_app(json, &used.apps.items[i], WORKLOAD_CONFIGURATION);
        json_writer_end_object(json);
    }
    json_writer_end_array(json);
    json_writer_json(json, "given", policy->given);
    json_writer_end_object(json);
}

const char *run_config(const struct experiment *experiment, const struct experiment_policy *policy,
                       struct ct_arena *arena) {
    struct json_text text;
    if (!json_text_open(&text))
        return NULL;
    write_config(&text.writer, experiment, policy);
    char *written = json_text_close(&text);
    const char *config = written ? ct_arena_strdup(arena, written) : NULL;
    free(written);
    return config;
}
