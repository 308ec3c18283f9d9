/* What there is: policies, GPU presets, traces, workloads, predictors. */
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cmd/commands.h"
#include "cmd/reference.h"
#include "policies/policies.h"
#include "results/report_fields.h"
#include "trace/trace_store.h"
#include "workload/gpu_catalogue.h"
#include "workload/setup.h"
#include "workload/workload.h"

#include <string.h>

static const struct cli_option options[] = {
    {"format", 'f', "text|json|csv|markdown", "form of the table"},
    {0},
};

static void list_policies(struct table *table) {
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    for (size_t i = 0; i < count; i++) {
        char features[200];
        cli_policy_features(all[i], features, sizeof features);
        table_row(table, all[i]->name, features, all[i]->summary ? all[i]->summary : "");
    }
}

static int add_gpu(struct table *table, const char *name, struct ct_arena *arena,
                   struct ct_diags *diags) {
    struct gpu gpu;
    int status = setup_gpu(name, name, NULL, arena, &gpu, diags);
    if (status == CT_OK)
        table_row(table, name, gpu.title ? gpu.title : "", gpu.sms, gpu.clock_mhz, gpu.dram_gb_s,
                  gpu.pcie_mb_s);
    return status;
}

static int add_trace(struct table *table, const char *name, struct ct_arena *arena,
                     struct ct_diags *diags) {
    struct trace_set set = {0};
    const char *file = ct_arena_format(arena, "%s.db", name);
    const char *path = file ? share_find(arena, NULL, "traces", file, NULL) : NULL;
    int status = path ? trace_store_read(path, NULL, &set, diags) : ct_out_of_memory(diags);
    for (size_t a = 0; status == CT_OK && a < set.apps.count; a++) {
        const struct trace_app *app = set.apps.items[a];
        struct trace_totals totals = trace_app_totals(app);
        table_row(table, table_words(table, "%s#%s", file, app->name), app->gpu, app->jobs.count,
                  totals.kernels, ct_time_ms(totals.kernel_ps));
    }
    trace_set_free(&set);
    return status;
}

static int add_workload(struct table *table, const char *name, struct ct_arena *arena,
                        struct ct_diags *diags) {
    struct workload workload;
    char apps[256] = "";
    const char *path = share_find(arena, NULL, "workloads", name, NULL);
    if (!path)
        return CT_OK;
    int status = workload_read(&(struct workload_source){.path = path}, &workload, diags);
    for (size_t i = 0; status == CT_OK && i < workload.apps.count; i++)
        ct_text_add(apps, sizeof apps, ", ", "%s", workload.apps.items[i].name);
    if (status == CT_OK)
        table_row(table, name, workload.gpu, workload.policy ? workload.policy : "", apps);
    workload_free(&workload);
    return status;
}

static void list_predictors(struct table *table) {
    table_row(table, "trained",
              "models fitted to profiling runs before the run starts: the default");
    table_row(table, "oracle", "the truth itself, for upper bounds; the report is stamped with it");
}

/* What can be listed: of the program, or the files of a folder. */
static const struct list {
    const char *columns, *folder, *ending;
    void (*print)(struct table *table);
    int (*add)(struct table *table, const char *name, struct ct_arena *arena,
               struct ct_diags *diags);
} lists[] = {
    {"policy=name | does=features | in short=summary", .print = list_policies},
    {"gpu=name | title | SMs=sms:0 | MHz=clock_mhz:0 | GB/s=dram_gb_s:0 | link MB/s=pcie_mb_s:0",
     "gpus", ".json", .add = add_gpu},
    {"predictor=name | in short=summary", .print = list_predictors},
    {"trace | gpu | jobs:0 | kernels:0 | kernel ms=kernel_time_ms:3", "traces", ".db",
     .add = add_trace},
    {"workload=name | gpu | policy | applications=apps", "workloads", ".json",
     .add = add_workload}};

static int list_files(const struct list *list, struct table *table, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    int status = share_list(&arena, list->folder, list->ending, &names, &count);
    if (status == CT_OK && count == 0 && list->add == add_gpu)
        status = gpu_catalogue_none(&arena, diags);
    for (size_t i = 0; i < count; i++) {
        int result = list->add(table, names[i], &arena, diags);
        status = result == CT_OK ? status : result;
    }
    ct_arena_free(&arena);
    return status;
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

static int list_reference(const struct reference *reference, const struct cli_args *args,
                          struct ct_diags *diags) {
    int form = cli_choice(args, "format", reference->forms, 0, diags);
    if (diags->errors)
        return CT_USAGE;
    reference->write[form](stdout);
    return CT_OK;
}

static int cmd_list(struct cli_args *args, struct ct_diags *diags) {
    static const char *const kinds[] = {"policies", "gpus", "predictors", "traces", "workloads"};
    const char *what = args->operands[0];
    for (size_t i = 0; i < CT_COUNT_OF(references); i++)
        if (strcmp(references[i].name, what) == 0)
            return list_reference(&references[i], args, diags);
    enum table_format format = cli_format(args, diags);
    if (diags->errors)
        return CT_USAGE;
    size_t kind = cli_index("list", what, kinds, CT_COUNT_OF(kinds), diags);
    if (kind == CT_COUNT_OF(kinds))
        return CT_USAGE;
    struct table table = table_start(lists[kind].columns);
    int status = CT_OK;
    if (lists[kind].print)
        lists[kind].print(&table);
    else
        status = list_files(&lists[kind], &table, diags);
    int printed = cli_table_print(&table, format);
    return status == CT_OK ? printed : status;
}

CLI_COMMAND(list, "policies|gpus|predictors|traces|workloads", 1, 1,
            "show what there is to choose from");
