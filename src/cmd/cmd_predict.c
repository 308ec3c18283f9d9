/* How well durations can be predicted: recorded ones, and those that a policy is told of. */
#include "cli/cli_experiment.h"
#include "cli/cli_isolate.h"
#include "cmd/commands.h"
#include "policies/policies.h"
#include "run/profiling.h"
#include "study/accuracy.h"
#include "trace/trace_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"workload", 0, "WORKLOAD.json",
     "the models that a policy of this workload uses, trained on its profiling runs"},
    {"policy", 'p', "NAME[:KEY=VALUE...]", "the policy (the workload's if it predicts, or baymax)"},
    {"gpu", 'g', "NAME", "the GPU instead of the workload's"},
    {"set", 's', "KEY=VALUE", "change the workload; may be repeated"},
    {"shares", 0, NULL, "a line for every SM share that was profiled, not for all SMs only"},
    {"app", 'a', "PREFIX", "of the store, applications whose names begin so (all)"},
    {"splits", 0, "N", "random splits into training and held-out samples (50)"},
    {"seed", 0, "N", "of the splits and the profiling runs (1, or the workload's)"},
    {"format", 'f', "text|json|csv|markdown", "form of the table"},
    CLI_ISOLATE_OPTIONS,
    {0},
};

const struct cli_command command_predict = {
    .name = "predict",
    .operands = "[T.db]",
    .summary = "train and test the predictors of durations: on recorded tasks, and on what the "
               "policies of a workload use",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .run = cmd_predict,
};

/* In the order of enum predict_kind. */
static const char *const kind_names[] = {"kernel", "call", "copy", "memset", "query"};

/* ---- recorded durations ---- */

/* What the papers report, by kind and part; their GPUs and applications are others. */
static const char *published(int kind, int part) {
    if (kind == PREDICT_COPY && part == ACCURACY_LONG)
        return "3.2";
    if (kind == PREDICT_CALL && part == ACCURACY_LONG)
        return "6.2";
    if (kind == PREDICT_KERNEL && part == ACCURACY_VARYING)
        return "7.2";
    if (kind == PREDICT_QUERY && part == ACCURACY_ALL)
        return "<5";
    return "";
}

static void error_cells(struct cli_table *table, const double error[ACCURACY_MODELS]) {
    for (int m = 0; m < ACCURACY_MODELS; m++)
        cli_table_number(table, 100 * error[m], 1);
}

static void function_row(struct cli_table *table, const struct accuracy_function *function) {
    cli_table_cell(table, "%s", kind_names[function->kind]);
    cli_table_cell(table, "%s", function->name);
    cli_table_cell(table, "%zu", function->samples);
    cli_table_cell(table, "%zu", function->vectors);
    error_cells(table, function->error);
    cli_table_cell(table, "%s", "");
}

static void sum_row(struct cli_table *table, const struct accuracy_sum *sum, int kind, int part) {
    static const char *const parts[] = {"all", "those whose features vary", "longer than 2 ms"};
    if (sum->samples == 0)
        return;
    cli_table_cell(table, "%s", kind_names[kind]);
    cli_table_cell(table, "(%zu: %s)", sum->functions, parts[part]);
    cli_table_cell(table, "%zu", sum->samples);
    cli_table_cell(table, "%s", "");
    error_cells(table, sum->error);
    cli_table_cell(table, "%s", published(kind, part));
}

static int print_recorded(const struct accuracy *accuracy, enum cli_format format) {
    static const struct cli_column columns[] = {
        {"task", "task", false},          {"function", "function", false},
        {"n", "samples", true},           {"sizes", "feature_vectors", true},
        {"linear", "linear_pct", true},   {"k-NN", "knn_pct", true},
        {"better", "better_pct", true},   {"tree", "tree_pct", true},
        {"paper", "published_pct", false}};
    struct cli_table table;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (int kind = 0; kind <= PREDICT_QUERY; kind++) {
        for (size_t i = 0; i < accuracy->count; i++)
            if (accuracy->functions[i].kind == kind && accuracy->functions[i].judged)
                function_row(&table, &accuracy->functions[i]);
        for (int part = 0; part < ACCURACY_PARTS; part++)
            sum_row(&table, &accuracy->sums[kind][part], kind, part);
    }
    return cli_table_print(&table, stdout, format);
}

static void explain_recorded(const struct accuracy *accuracy, uint32_t splits) {
    char text[1024];
    snprintf(text, sizeof text,
             "Mean relative error (Baymax Eq. 6) in per cent on held-out samples, the median of "
             "%" PRIu32 " splits; longer than 2 ms: the mean over all held-out samples. A tenth is "
             "held out as in Baymax, for the tree a fifth as in Laius. "
             "n samples of so many sizes (unlike features). "
             "Fewer than %d samples: %zu functions, left out. Paper: linear for copies and library "
             "calls, k-NN for the kernels of Rodinia (linear 5.8 on Tonic and Sirius, Baymax 7.2), "
             "trees for queries (Laius 5.3), on other GPUs, with input sizes that were varied.",
             splits, ACCURACY_SAMPLES_LEAST, accuracy->left_out);
    putchar('\n');
    cli_print_wrapped(stdout, text, 0, 80);
    putchar('\n');
}

static int predict_recorded(const struct cli_args *args, enum cli_format format,
                            struct ct_diags *diags) {
    const char *path = args->operands[0], *prefix = cli_value(args, "app");
    struct trace_set set = {0};
    struct accuracy accuracy = {0};
    int64_t splits = 50, seed = 1;
    cli_int(args, "splits", 1, 1000, &splits, diags);
    cli_int(args, "seed", 0, INT64_MAX, &seed, diags);
    if (diags->errors)
        return CT_USAGE;
    int status = trace_store_read(path, NULL, &set, diags);
    if (status == CT_OK)
        status = accuracy_measure(&set, prefix ? prefix : "", (uint64_t)seed, (uint32_t)splits,
                                  path, &accuracy, diags);
    if (status == CT_OK)
        status = print_recorded(&accuracy, format);
    if (status == CT_OK && format == CLI_TEXT && !args->quiet)
        explain_recorded(&accuracy, (uint32_t)splits);
    accuracy_free(&accuracy);
    trace_set_free(&set);
    return status;
}

/* ---- what a policy uses ---- */

/* Whether the policy asks the model of a kernel: not where all of its launches are in library
 * calls that it takes as one task. */
static bool plan_asks(const struct setup_plan *plan, uint32_t function) {
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->steps[i].kind == TRACE_KERNEL && plan->steps[i].function == function &&
            plan->steps[i].library_call == 0)
            return true;
    return false;
}

static bool is_asked(const struct setup *setup, const struct ct_policy *policy,
                     const struct predict_info *info) {
    bool whole_calls = policy->call_size > 0;
    if (info->key.kind == PREDICT_CALL)
        return whole_calls;
    if (info->key.kind != PREDICT_KERNEL || !whole_calls)
        return true;
    for (uint32_t a = 0; a < setup->app_count; a++)
        for (uint32_t p = 0; p < setup->apps[a].plan_count; p++)
            if (plan_asks(&setup->apps[a].plans[p], info->key.id))
                return true;
    return false;
}

static double cost_ms(const struct ct_policy *policy, const struct predict_info *info) {
    int64_t cost = info->key.kind == PREDICT_QUERY ? policy->query_prediction_cost_ps
                                                   : policy->prediction_cost_ps;
    return (double)cost / (double)CT_PS_PER_MS;
}

static void used_row(struct cli_table *table, const struct ct_policy *policy,
                     const struct predict_info *info) {
    cli_table_cell(table, "%s", kind_names[info->key.kind]);
    cli_table_cell(table, "%s", info->name);
    cli_table_number(table, info->share * 100.0 / CT_SHARE_FULL, 0);
    cli_table_cell(table, "%s", info->model);
    cli_table_cell(table, "%zu", info->samples);
    cli_table_cell(table, "%zu", info->held_out);
    cli_table_number(table, 100 * info->error, 2);
    cli_table_number(table, cost_ms(policy, info), 2);
}

static int print_used(const struct cli_args *args, const struct setup *setup,
                      const struct ct_policy *policy, const struct predict_bank *bank,
                      enum cli_format format) {
    static const struct cli_column columns[] = {
        {"task", "task", false},        {"function", "function", false},
        {"SMs %", "share_pct", true},   {"model", "model", false},
        {"n", "samples", true},         {"held", "held_out", true},
        {"error %", "error_pct", true}, {"ms", "cost_ms", true}};
    struct cli_table table;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < predict_bank_count(bank); i++) {
        struct predict_info info = predict_bank_info(bank, i);
        if ((info.share == CT_SHARE_FULL || cli_has(args, "shares")) &&
            is_asked(setup, policy, &info))
            used_row(&table, policy, &info);
    }
    return cli_table_print(&table, stdout, format);
}

static void explain_used(const struct ct_policy *policy, const struct setup *setup,
                         const struct predict_bank *bank) {
    char text[512];
    snprintf(text, sizeof text,
             "The models of %s, trained on n samples of each application alone on %s; the error "
             "(Baymax Eq. 6) on those that were held out before the model was fitted to all; ms of "
             "simulated time for each unlike task or query.",
             policy->name, setup->gpu.name);
    putchar('\n');
    cli_print_wrapped(stdout, text, 0, 80);
    putchar('\n');
    for (size_t i = 0; i < predict_bank_count(bank); i++) {
        struct predict_info info = predict_bank_info(bank, i);
        if (info.key.kind != PREDICT_QUERY || info.share != CT_SHARE_FULL || info.varies)
            continue;
        snprintf(text, sizeof text,
                 "All jobs of '%s' have one size: its prediction has no error but by what its "
                 "solo duration varies.",
                 info.name);
        cli_print_wrapped(stdout, text, 0, 80);
        putchar('\n');
    }
}

static const struct ct_policy *chosen_policy(const struct cli_experiment *e, bool named,
                                             struct ct_diags *diags) {
    const struct ct_policy *policy = e->scenario.policies.items.items[0].policy;
    if (policy->features & CT_PREDICTS)
        return policy;
    if (named)
        ct_error(diags, "", "policy '%s' predicts nothing; 'cotenant list policies' shows who does",
                 policy->name);
    return named ? NULL : &policy_baymax;
}

static int train_and_print(const struct cli_args *args, const struct cli_experiment *e,
                           enum cli_format format, struct ct_diags *diags) {
    struct predict_bank *bank = NULL;
    const struct ct_policy *policy = chosen_policy(e, cli_has(args, "policy"), diags);
    if (!policy)
        return CT_USAGE;
    int status =
        profiling_train(&e->scenario.setup, policy, e->scenario.experiment.seed, &bank, diags);
    if (status == CT_OK)
        status = print_used(args, &e->scenario.setup, policy, bank, format);
    if (status == CT_OK && format == CLI_TEXT && !args->quiet)
        explain_used(policy, &e->scenario.setup, bank);
    predict_bank_free(bank);
    return status;
}

/* The GPU of --gpu is one more assignment. enum ct_status. */
static int assign_gpu(struct cli_experiment *e, const char *gpu, char *setting, size_t size,
                      struct ct_diags *diags) {
    size_t count = e->request.assignment_count;
    const char **more = realloc(e->assignments, (count + 1) * sizeof *more);
    if (!more)
        return ct_out_of_memory(diags);
    snprintf(setting, size, "gpu=%s", gpu);
    more[count] = setting;
    e->assignments = more;
    e->request.assignments = more;
    e->request.assignment_count = count + 1;
    return CT_OK;
}

static int predict_used(const struct cli_args *args, enum cli_format format,
                        struct ct_diags *diags) {
    char setting[128];
    struct cli_experiment e = {0};
    int status = cli_experiment_request(&e, args, diags);
    e.request.workload = cli_value(args, "workload");
    if (status == CT_OK && cli_has(args, "gpu"))
        status = assign_gpu(&e, cli_value(args, "gpu"), setting, sizeof setting, diags);
    if (status == CT_OK)
        status = scenario_open(&e.scenario, &e.request, diags);
    status = status == CT_OK && diags->errors ? CT_USAGE : status;
    if (status == CT_OK)
        status = train_and_print(args, &e, format, diags);
    cli_experiment_close(&e);
    return status;
}

/* Options that would change nothing. */
static void check_use(const struct cli_args *args, int format, struct ct_diags *diags) {
    static const char *const of_workload[] = {"policy", "gpu", "set", "shares"};
    static const char *const of_store[] = {"app", "splits"};
    bool store = args->operand_count > 0, workload = cli_has(args, "workload");
    for (size_t i = 0; !workload && i < CT_COUNT_OF(of_workload); i++)
        if (cli_has(args, of_workload[i]))
            ct_error(diags, "", "'--%s' changes nothing without '--workload'", of_workload[i]);
    for (size_t i = 0; !store && i < CT_COUNT_OF(of_store); i++)
        if (cli_has(args, of_store[i]))
            ct_error(diags, "", "'--%s' changes nothing without a trace store", of_store[i]);
    if (!store && !workload)
        ct_error(diags, "", "'predict' needs a trace store, '--workload WORKLOAD.json', or both");
    if (store && workload && format != CLI_TEXT && format != CLI_MARKDOWN)
        ct_error(diags, "", "two tables do not fit one %s: ask for one of them",
                 cli_value(args, "format"));
}

int cmd_predict(int argc, char **argv) {
    struct cli_args args;
    struct ct_diags diags = {0};
    int status = cli_parse(&args, &command_predict, argc, argv);
    if (status != CLI_GO_ON || !cli_isolate(&args, NULL, &status))
        return status;
    int format = cli_choice(&args, "format", cli_formats, CLI_TEXT, &diags);
    if (format >= 0)
        check_use(&args, format, &diags);
    if (diags.errors)
        return cli_finish(&args, &diags, CT_USAGE);
    if (args.operand_count > 0)
        status = predict_recorded(&args, (enum cli_format)format, &diags);
    else
        status = CT_OK;
    if (status == CT_OK && args.operand_count > 0 && cli_has(&args, "workload"))
        putchar('\n');
    if (status == CT_OK && cli_has(&args, "workload"))
        status = predict_used(&args, (enum cli_format)format, &diags);
    return cli_finish(&args, &diags, status);
}
