#include "cli_given.h"

#include "json_writer.h"

#include <stdlib.h>

/* To run it again; the hash tells whether the inputs are still the same. */
static void write_given(struct json_writer *json, const struct cli_experiment *e,
                        const char *label) {
    char inputs[CT_HASH_TEXT];
    const char *text;
    ct_hash_print(e->workload.hash, inputs);
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "workload", e->workload.path);
    json_writer_string(json, "policy",
                       cli_has(e->args, "policies") ? label : cli_value(e->args, "policy"));
    json_writer_string(json, "fidelity", cli_value(e->args, "fidelity"));
    json_writer_begin_array(json, "set");
    for (size_t i = 0; (text = cli_value_at(e->args, "set", i)) != NULL; i++)
        json_writer_string(json, NULL, text);
    json_writer_end_array(json);
    json_writer_string(json, "inputs", inputs);
    json_writer_end_object(json);
}

/* NULL: memory ran out. */
static const char *given_text(const struct cli_experiment *e, const char *label,
                              struct ct_arena *arena) {
    struct json_text text;
    if (!json_text_open(&text))
        return NULL;
    write_given(&text.writer, e, label);
    char *written = json_text_close(&text);
    const char *given = written ? ct_arena_strdup(arena, written) : NULL;
    free(written);
    return given;
}

int cli_given_fill(struct cli_experiment *e, struct ct_diags *diags) {
    for (size_t p = 0; p < e->policies.items.count; p++) {
        struct experiment_policy *policy = &e->policies.items.items[p];
        policy->given = given_text(e, policy->label, &e->policies.arena);
        if (!policy->given)
            return ct_out_of_memory(diags);
    }
    return CT_OK;
}
