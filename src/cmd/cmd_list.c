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

const struct cli_command command_list = {
    .name = "list",
    .operands = "policies|gpus|predictors|traces|workloads",
    .summary = "show what there is to choose from",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = cmd_list,
};

static int list_policies(struct cli_table *table, struct ct_diags *diags) {
    static const struct cli_column columns[] = {
        {"policy", "name", false}, {"does", "features", false}, {"in short", "summary", false}};
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    (void)diags;
    cli_table_begin(table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < count; i++) {
        char features[200];
        cli_policy_features(all[i], features, sizeof features);
        cli_table_cell(table, "%s", all[i]->name);
        cli_table_cell(table, "%s", features);
        cli_table_cell(table, "%s", all[i]->summary ? all[i]->summary : "");
    }
    return CT_OK;
}

static int list_gpus(struct cli_table *table, struct ct_diags *diags) {
    static const struct cli_column columns[] = {
        {"gpu", "name", false},     {"title", "title", false},   {"SMs", "sms", true},
        {"MHz", "clock_mhz", true}, {"GB/s", "dram_gb_s", true}, {"link MB/s", "pcie_mb_s", true}};
    struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    int status = share_list(&arena, "gpus", ".json", &names, &count);
    cli_table_begin(table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < count; i++) {
        struct gpu gpu;
        int result = setup_gpu(names[i], names[i], NULL, &arena, &gpu, diags);
        status = result == CT_OK ? status : result;
        if (result != CT_OK)
            continue;
        cli_table_cell(table, "%s", names[i]);
        cli_table_cell(table, "%s", gpu.title ? gpu.title : "");
        cli_table_cell(table, "%lld", (long long)gpu.sms);
        cli_table_number(table, gpu.clock_mhz, 0);
        cli_table_number(table, gpu.dram_gb_s, 0);
        cli_table_number(table, gpu.pcie_mb_s, 0);
    }
    ct_arena_free(&arena);
    return status;
}

static void add_trace(struct cli_table *table, const char *file, const struct trace_app *app) {
    struct trace_totals totals = trace_app_totals(app);
    cli_table_cell(table, "%s.db#%s", file, app->name);
    cli_table_cell(table, "%s", app->gpu);
    cli_table_cell(table, "%zu", app->jobs.count);
    cli_table_cell(table, "%llu", (unsigned long long)totals.kernels);
    cli_table_number(table, ct_time_ms(totals.kernel_ps), 3);
}

static int list_traces(struct cli_table *table, struct ct_diags *diags) {
    static const struct cli_column columns[] = {{"trace", "trace", false},
                                                {"gpu", "gpu", false},
                                                {"jobs", "jobs", true},
                                                {"kernels", "kernels", true},
                                                {"kernel ms", "kernel_time_ms", true}};
    struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    int status = share_list(&arena, "traces", ".db", &names, &count);
    cli_table_begin(table, columns, CT_COUNT_OF(columns));
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

static void add_workload(struct cli_table *table, const char *file,
                         const struct workload *workload) {
    cli_table_cell(table, "%s", file);
    cli_table_cell(table, "%s", workload->gpu);
    cli_table_cell(table, "%s", workload->policy ? workload->policy : "");
    char apps[256] = "";
    for (size_t i = 0, used = 0; i < workload->apps.count && used < sizeof apps; i++)
        used += (size_t)snprintf(apps + used, sizeof apps - used, "%s%s", used ? ", " : "",
                                 workload->apps.items[i].name);
    cli_table_cell(table, "%s", apps);
}

static int list_workloads(struct cli_table *table, struct ct_diags *diags) {
    static const struct cli_column columns[] = {{"workload", "name", false},
                                                {"gpu", "gpu", false},
                                                {"policy", "policy", false},
                                                {"applications", "apps", false}};
    struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    int status = share_list(&arena, "workloads", ".json", &names, &count);
    cli_table_begin(table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < count; i++) {
        struct workload workload;
        const char *path = share_find(&arena, NULL, "workloads", names[i], NULL);
        if (!path)
            continue;
        int result = workload_read(path, NULL, 0, &workload, diags);
        status = result == CT_OK ? status : result;
        if (result == CT_OK)
            add_workload(table, names[i], &workload);
        workload_free(&workload);
    }
    ct_arena_free(&arena);
    return status;
}

static int list_predictors(struct cli_table *table, struct ct_diags *diags) {
    static const struct cli_column columns[] = {{"predictor", "name", false},
                                                {"in short", "summary", false}};
    static const char *const rows[][2] = {
        {"trained", "models fitted to profiling runs before the run starts: the default"},
        {"oracle", "the truth itself, for upper bounds; the report is stamped with it"},
    };
    (void)diags;
    cli_table_begin(table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < CT_COUNT_OF(rows); i++) {
        cli_table_cell(table, "%s", rows[i][0]);
        cli_table_cell(table, "%s", rows[i][1]);
    }
    return CT_OK;
}

/* The generated parts of the documentation, each with forms of its own. */
static const struct reference {
    const char *name;
    const char *const forms[3]; /* NULL-terminated */
    void (*const write[2])(FILE *out);
} references[] = {
    {"keys", {"markdown", "schema", NULL}, {reference_keys_markdown, reference_keys_schema}},
    {"commands", {"bash", "man", NULL}, {reference_bash, reference_manual}},
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

static int list_kind(const struct cli_args *args, struct ct_diags *diags) {
    static const char *const kinds[] = {"policies", "gpus", "predictors", "traces", "workloads"};
    static int (*const functions[])(struct cli_table *, struct ct_diags *) = {
        list_policies, list_gpus, list_predictors, list_traces, list_workloads};
    const char *what = args->operands[0];
    const struct reference *reference = find_reference(what);
    if (reference)
        return list_reference(reference, args, diags);
    int format = cli_choice(args, "format", cli_formats, CLI_TEXT, diags);
    if (format < 0)
        return CT_USAGE;
    for (size_t i = 0; i < CT_COUNT_OF(kinds); i++) {
        struct cli_table table;
        if (strcmp(kinds[i], what) != 0)
            continue;
        int status = functions[i](&table, diags);
        int printed = cli_table_print(&table, stdout, (enum cli_format)format);
        return status == CT_OK ? printed : status;
    }
    ct_unknown(diags, "list", what, kinds, CT_COUNT_OF(kinds));
    return CT_USAGE;
}

int cmd_list(int argc, char **argv) {
    struct cli_args args;
    struct ct_diags diags = {0};
    int status = cli_parse(&args, &command_list, argc, argv);
    if (status != CLI_GO_ON)
        return status;
    return cli_finish(&args, &diags, list_kind(&args, &diags));
}
