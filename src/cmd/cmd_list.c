/* What there is: policies, GPU presets, traces, workloads, predictors. */
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cli/cli_policy.h"
#include "cmd/commands.h"
#include "cmd/reference.h"
#include "policies/policies.h"
#include "results/report_fields.h"
#include "trace/trace_store.h"
#include "workload/setup.h"
#include "workload/workload.h"

#include <string.h>

static const struct cli_option options[] = {
    {"format", 'f', "text|json|csv|markdown", "form of the table"},
    {0},
};

static int list_policies(struct table *table, struct ct_diags *diags) {
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    (void)diags;
    *table = table_start("policy=name | does=features | in short=summary");
    for (size_t i = 0; i < count; i++) {
        char features[200];
        cli_policy_features(all[i], features, sizeof features);
        table_row(table, all[i]->name, features, all[i]->summary ? all[i]->summary : "");
    }
    return CT_OK;
}

static int list_gpus(struct table *table, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    int status = share_list(&arena, "gpus", ".json", &names, &count);
    *table = table_start("gpu=name | title | SMs=sms:0 | MHz=clock_mhz:0 | GB/s=dram_gb_s:0 | link "
                         "MB/s=pcie_mb_s:0");
    for (size_t i = 0; i < count; i++) {
        struct gpu gpu;
        int result = setup_gpu(names[i], names[i], NULL, &arena, &gpu, diags);
        status = result == CT_OK ? status : result;
        if (result == CT_OK)
            table_row(table, names[i], gpu.title ? gpu.title : "", gpu.sms, gpu.clock_mhz,
                      gpu.dram_gb_s, gpu.pcie_mb_s);
    }
    ct_arena_free(&arena);
    return status;
}

static void add_trace(struct table *table, const char *file, const struct trace_app *app) {
    struct trace_totals totals = trace_app_totals(app);
    table_row(table, table_words(table, "%s.db#%s", file, app->name), app->gpu, app->jobs.count,
              totals.kernels, ct_time_ms(totals.kernel_ps));
}

static int list_traces(struct table *table, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    int status = share_list(&arena, "traces", ".db", &names, &count);
    *table = table_start("trace | gpu | jobs:0 | kernels:0 | kernel ms=kernel_time_ms:3");
    for (size_t i = 0; i < count; i++) {
        struct trace_set set = {0};
        char file[512];
        snprintf(file, sizeof file, "%s.db", names[i]);
        const char *path = share_find(&arena, NULL, "traces", file, NULL);
        int result = path ? trace_store_read(path, NULL, &set, diags) : ct_out_of_memory(diags);
        status = result == CT_OK ? status : result;
        for (size_t a = 0; result == CT_OK && a < set.apps.count; a++)
            add_trace(table, names[i], set.apps.items[a]);
        trace_set_free(&set);
    }
    ct_arena_free(&arena);
    return status;
}

static void add_workload(struct table *table, const char *file, const struct workload *workload) {
    char apps[256] = "";
    for (size_t i = 0, used = 0; i < workload->apps.count && used < sizeof apps; i++)
        used += (size_t)snprintf(apps + used, sizeof apps - used, "%s%s", used ? ", " : "",
                                 workload->apps.items[i].name);
    table_row(table, file, workload->gpu, workload->policy ? workload->policy : "", apps);
}

static int list_workloads(struct table *table, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    int status = share_list(&arena, "workloads", ".json", &names, &count);
    *table = table_start("workload=name | gpu | policy | applications=apps");
    for (size_t i = 0; i < count; i++) {
        struct workload workload;
        const char *path = share_find(&arena, NULL, "workloads", names[i], NULL);
        if (!path)
            continue;
        int result = workload_read(&(struct workload_source){.path = path}, &workload, diags);
        status = result == CT_OK ? status : result;
        if (result == CT_OK)
            add_workload(table, names[i], &workload);
        workload_free(&workload);
    }
    ct_arena_free(&arena);
    return status;
}

static int list_predictors(struct table *table, struct ct_diags *diags) {
    (void)diags;
    *table = table_start("predictor=name | in short=summary");
    table_row(table, "trained",
              "models fitted to profiling runs before the run starts: the default");
    table_row(table, "oracle", "the truth itself, for upper bounds; the report is stamped with it");
    return CT_OK;
}

/* The generated parts of the documentation, each with forms of its own. */
static const struct reference {
    const char *name;
    const char *const forms[5]; /* NULL-terminated */
    void (*const write[4])(FILE *out);
} references[] = {
    {"keys", {"markdown", "schema", NULL}, {reference_keys_markdown, reference_keys_schema}},
    {"commands",
     {"bash", "fish", "zsh", "man", NULL},
     {reference_bash, reference_fish, reference_zsh, reference_manual}},
    {"measures", {"markdown", NULL}, {report_reference_markdown}},
};

static const struct reference *find_reference(const char *name) {
    for (size_t i = 0; i < CT_COUNT_OF(references); i++)
        if (strcmp(references[i].name, name) == 0)
            return &references[i];
    return NULL;
}

static int list_reference(const struct reference *reference, const struct cli_args *args,
                          struct ct_diags *diags) {
    int form = cli_choice(args, "format", reference->forms, 0, diags);
    if (form < 0)
        return CT_USAGE;
    reference->write[form](stdout);
    return CT_OK;
}

static int cmd_list(struct cli_args *args, struct ct_diags *diags) {
    static const char *const kinds[] = {"policies", "gpus", "predictors", "traces", "workloads"};
    static int (*const functions[])(struct table *, struct ct_diags *) = {
        list_policies, list_gpus, list_predictors, list_traces, list_workloads};
    const char *what = args->operands[0];
    const struct reference *reference = find_reference(what);
    if (reference)
        return list_reference(reference, args, diags);
    int format = cli_choice(args, "format", cli_formats, TABLE_TEXT, diags);
    if (format < 0)
        return CT_USAGE;
    size_t kind = cli_index("list", what, kinds, CT_COUNT_OF(kinds), diags);
    if (kind == CT_COUNT_OF(kinds))
        return CT_USAGE;
    struct table table;
    int status = functions[kind](&table, diags);
    int printed = cli_table_print(&table, stdout, (enum table_format)format);
    return status == CT_OK ? printed : status;
}

CLI_COMMAND(list, "policies|gpus|predictors|traces|workloads", 1, 1,
            "show what there is to choose from");
