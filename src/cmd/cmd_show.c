/* One policy or one GPU preset with all its numbers. */
#include "base/ct_option_value.h"
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cli/cli_isolate.h"
#include "cli/cli_policy.h"
#include "cmd/commands.h"
#include "experiment/scenario.h"
#include "workload/gpu_catalogue.h"
#include "workload/policy_load.h"
#include "workload/setup.h"

#include <string.h>

static const struct cli_option options[] = {
    {"format", 'f', "text|json|csv|markdown", "form of the table"},
    CLI_ISOLATE_OPTIONS,
    {0},
};

const struct cli_command command_show = {
    .name = "show",
    .operands = "policy|gpu NAME",
    .summary =
        "show the options of a policy, or the numbers of a GPU preset and where they come from",
    .least_operands = 2,
    .most_operands = 2,
    .options = options,
    .run = cmd_show,
};

/* The range of a number, the names of a choice. */
static void range_cell(struct cli_table *table, const struct ct_option *o) {
    char names[300];
    size_t count = 0;
    if (o->kind == CT_OPTION_INT || o->kind == CT_OPTION_DOUBLE) {
        char least[40], most[40];
        ct_text_double(least, sizeof least, o->least);
        ct_text_double(most, sizeof most, o->most);
        cli_table_cell(table, "%s to %s", least, most);
        return;
    }
    while (o->kind == CT_OPTION_CHOICE && o->choices[count])
        count++;
    ct_text_join(names, sizeof names, o->choices, count);
    cli_table_cell(table, "%s",
                   o->kind == CT_OPTION_CHOICE ? names
                   : o->kind == CT_OPTION_BOOL ? "true, false"
                                               : "text");
}

static int print_policy(const struct ct_policy *policy, enum cli_format format) {
    static const struct cli_column columns[] = {{"option", "name", false},
                                                {"default", "default", false},
                                                {"unit", "unit", false},
                                                {"range", "range", false},
                                                {"what", "help", false}};
    struct cli_table table;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (const struct ct_option *o = policy->options; o && o->name; o++) {
        cli_table_cell(&table, "%s", o->name);
        cli_table_cell(&table, "%s", o->standard ? o->standard : "needed");
        cli_table_cell(&table, "%s", o->unit);
        range_cell(&table, o);
        cli_table_cell(&table, "%s", o->help);
    }
    if (format == CLI_TEXT) {
        char features[200];
        cli_policy_features(policy, features, sizeof features);
        printf("%s\n", policy->name);
        cli_print_wrapped(stdout, policy->summary ? policy->summary : "", 0, 80);
        printf("\nsource: %s\ndoes: %s\n\n",
               policy->source && *policy->source ? policy->source : "-",
               *features ? features : "-");
    }
    return cli_table_print(&table, stdout, format);
}

/* A listed one, or one from a shared object. */
static int show_policy(const struct cli_args *args, const char *name, enum cli_format format,
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

static const char *find_setting(const struct workload_settings *settings, const char *key) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].key, key) == 0)
            return settings->items[i].value;
    return NULL;
}

static bool is_assumed(const struct workload_settings *settings, const char *key) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].key, "assumed") == 0 &&
            strcmp(settings->items[i].value, key) == 0)
            return true;
    return false;
}

/* In the terminal the range gives way to the source. */
static int print_gpu(const struct gpu *gpu, const struct workload_settings *preset,
                     const struct workload_settings *sources, enum cli_format format) {
    static const struct cli_column columns[] = {
        {"key", "name", false},      {"value", "value", false},     {"unit", "unit", false},
        {"source", "source", false}, {"assumed", "assumed", false}, {"range", "range", false}};
    struct cli_table table;
    cli_table_begin(&table, columns, format == CLI_TEXT ? 4 : CT_COUNT_OF(columns));
    for (const struct ct_option *o = gpu_options; o->name; o++) {
        char value[128];
        const char *source = find_setting(sources, o->name);
        bool assumed = is_assumed(preset, o->name);
        ct_option_print(o, gpu, value, sizeof value);
        cli_table_cell(&table, "%s", o->name);
        cli_table_cell(&table, "%s", value);
        cli_table_cell(&table, "%s", o->unit);
        cli_table_cell(&table, "%s%s", assumed && format == CLI_TEXT ? "assumed: " : "",
                       source ? source : o->help);
        if (format == CLI_TEXT)
            continue;
        cli_table_cell(&table, "%s", assumed ? "yes" : "no");
        range_cell(&table, o);
    }
    return cli_table_print(&table, stdout, format);
}

static int show_gpu(const char *name, enum cli_format format, struct ct_diags *diags) {
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

static int show_kind(const struct cli_args *args, struct ct_diags *diags) {
    static const char *const kinds[] = {"policy", "gpu"};
    const char *kind = args->operands[0], *name = args->operands[1];
    int format = cli_choice(args, "format", cli_formats, CLI_TEXT, diags);
    if (format < 0)
        return CT_USAGE;
    if (strcmp(kind, "policy") == 0)
        return show_policy(args, name, (enum cli_format)format, diags);
    if (strcmp(kind, "gpu") == 0)
        return show_gpu(name, (enum cli_format)format, diags);
    ct_unknown(diags, "kind", kind, kinds, CT_COUNT_OF(kinds));
    return CT_USAGE;
}

int cmd_show(int argc, char **argv) {
    struct cli_args args;
    struct ct_diags diags = {0};
    int status = cli_parse(&args, &command_show, argc, argv);
    if (status != CLI_GO_ON || !cli_isolate(&args, NULL, &status))
        return status;
    return cli_finish(&args, &diags, show_kind(&args, &diags));
}
