/* One policy or one GPU preset with all its numbers. */
#include "base/ct_option_value.h"
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cli/cli_isolate.h"
#include "cmd/commands.h"
#include "experiment/scenario.h"
#include "format/doc_writer.h"
#include "workload/gpu_catalogue.h"
#include "workload/policy_load.h"
#include "workload/setup.h"

#include <string.h>

static const struct cli_option options[] = {
    {"format", 'f', "text|json|csv|markdown", "form of the table"},
    CLI_ISOLATE_OPTIONS,
    {0},
};

/* The range of a number, the names of a choice. */
static const char *range_of(struct table *table, const struct ct_option *o) {
    char names[300], least[40], most[40];
    size_t count = 0;
    if (o->kind == CT_OPTION_INT || o->kind == CT_OPTION_DOUBLE) {
        ct_text_double(least, sizeof least, o->least);
        ct_text_double(most, sizeof most, o->most);
        return table_words(table, "%s to %s", least, most);
    }
    if (o->kind != CT_OPTION_CHOICE)
        return o->kind == CT_OPTION_BOOL   ? "true, false"
               : o->kind == CT_OPTION_FILE ? "text file"
                                           : "text";
    while (o->choices[count])
        count++;
    ct_text_join(names, sizeof names, o->choices, count);
    return table_words(table, "%s", names);
}

static int print_policy(const struct ct_policy *policy, enum table_format format) {
    struct table table = table_start("option=name | default | unit | range | what=help");
    for (const struct ct_option *o = policy->options; o && o->name; o++)
        table_row(&table, o->name, o->standard ? o->standard : "needed", o->unit,
                  range_of(&table, o), o->help);
    if (format == TABLE_TEXT) {
        char features[200];
        cli_policy_features(policy, features, sizeof features);
        printf("%s\n", policy->name);
        doc_print_wrapped(stdout, policy->summary ? policy->summary : "", 0, 80);
        printf("\nsource: %s\ndoes: %s\n\n",
               policy->source && *policy->source ? policy->source : "-",
               *features ? features : "-");
    }
    return cli_table_print(&table, format);
}

/* A listed one, or one from a shared object. */
static int show_policy(const struct cli_args *args, const char *name, enum table_format format,
                       struct ct_diags *diags) {
    void *handle = NULL;
    if (!policy_is_file(name)) {
        const struct ct_policy *listed = scenario_find_policy(name, "", diags);
        return listed ? print_policy(listed, format) : CT_USAGE;
    }
    const struct ct_policy *own = scenario_load_policy(name, &handle, args->watch, diags);
    if (!own)
        return CT_USAGE;
    int status = print_policy(own, format);
    policy_unload(handle);
    return status;
}

/* The value of a setting by its key, or this value where the key has it; NULL: there is none. */
static const char *find_setting(const struct workload_settings *settings, const char *key,
                                const char *value) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].key, key) == 0 &&
            (!value || strcmp(settings->items[i].value, value) == 0))
            return settings->items[i].value;
    return NULL;
}

/* Prints the keys of a GPU. In the terminal the range gives way to the source. */
static int print_gpu(const struct gpu *gpu, const struct workload_settings *preset,
                     const struct workload_settings *sources, enum table_format format) {
    bool terminal = format == TABLE_TEXT;
    struct table table =
        table_start(terminal ? "key=name | value | unit | source | =assumed | =range"
                             : "key=name | value | unit | source | assumed | range");
    for (const struct ct_option *o = gpu_options; o->name; o++) {
        char value[128];
        const char *source = find_setting(sources, o->name, NULL);
        bool assumed = find_setting(preset, "assumed", o->name);
        ct_option_print(o, gpu, value, sizeof value);
        table_row(&table, o->name, value, o->unit,
                  table_words(&table, "%s%s", assumed && terminal ? "assumed: " : "",
                              source ? source : o->help),
                  assumed, range_of(&table, o));
    }
    return cli_table_print(&table, format);
}

static int show_gpu(const char *name, enum table_format format, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct workload_settings preset = {0}, sources = {0};
    struct gpu gpu;
    int status = setup_gpu(name, "", NULL, &arena, &gpu, diags);
    const char *path = status == CT_OK ? gpu_catalogue_file(gpu.name, &arena, NULL) : NULL;
    if (path) {
        status = settings_read(path, &arena, &preset, diags);
        if (status == CT_OK)
            status = settings_read_sources(path, &arena, &sources, diags);
    }
    if (status == CT_OK)
        status = print_gpu(&gpu, &preset, &sources, format);
    ct_vec_free(&preset);
    ct_vec_free(&sources);
    ct_arena_free(&arena);
    return status;
}

static int cmd_show(struct cli_args *args, struct ct_diags *diags) {
    static const char *const kinds[] = {"policy", "gpu"};
    const char *kind = args->operands[0], *name = args->operands[1];
    enum table_format format = cli_format(args, diags);
    if (diags->errors)
        return CT_USAGE;
    size_t index = cli_index("kind", kind, kinds, CT_COUNT_OF(kinds), diags);
    if (index == CT_COUNT_OF(kinds))
        return CT_USAGE;
    return index == 0 ? show_policy(args, name, format, diags) : show_gpu(name, format, diags);
}

CLI_COMMAND(
    show, "policy|gpu NAME", 2, 2,
    "show the options of a policy, or the numbers of a GPU preset and where they come from");
