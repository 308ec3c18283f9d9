/* How well durations can be predicted: recorded ones, and those that a policy is told of. */
#include "cli/cli_experiment.h"
#include "cli/cli_isolate.h"
#include "cmd/commands.h"
#include "format/doc_writer.h"
#include "policies/policies.h"
#include "run/profiling.h"
#include "study/accuracy.h"
#include "trace/trace_store.h"

#include <inttypes.h>

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
    CLI_TRUST_OPTION,
    {0},
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

static void error_row(struct table *table, int kind, const char *function, size_t samples,
                      double vectors, const double error[ACCURACY_MODELS], const char *paper) {
    table_row(table, kind_names[kind], function, samples, vectors, 100 * error[0], 100 * error[1],
              100 * error[2], 100 * error[3], paper);
}

static void sum_row(struct table *table, const struct accuracy_sum *sum, int kind, int part) {
    static const char *const parts[] = {"all", "those whose features vary", "longer than 2 ms"};
    if (sum->samples)
        error_row(table, kind, table_words(table, "(%zu: %s)", sum->functions, parts[part]),
                  sum->samples, NAN, sum->error, published(kind, part));
}

static int print_recorded(const struct accuracy *accuracy, enum table_format format) {
    struct table table = table_start(
        "task | function | n=samples:0 | sizes=feature_vectors:0 | linear=linear_pct:1 | "
        "k-NN=knn_pct:1 | better=better_pct:1 | tree=tree_pct:1 | paper=published_pct");
    for (int kind = 0; kind <= PREDICT_QUERY; kind++) {
        for (size_t i = 0; i < accuracy->count; i++) {
            const struct accuracy_function *f = &accuracy->functions[i];
            if (f->kind == kind && f->judged)
                error_row(&table, kind, f->name, f->samples, (double)f->vectors, f->error, "");
        }
        for (int part = 0; part < ACCURACY_PARTS; part++)
            sum_row(&table, &accuracy->sums[kind][part], kind, part);
    }
    return cli_table_print(&table, format);
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
    doc_print_wrapped(stdout, text, 0, 80);
    putchar('\n');
}

static int predict_recorded(const struct cli_args *args, enum table_format format,
                            struct ct_diags *diags) {
    const char *path = args->operands[0], *prefix = cli_value(args, "app");
    struct trace_set set = {0};
    struct accuracy accuracy = {0};
    int64_t splits = cli_int(args, "splits", 1, 1000, 50, diags);
    int64_t seed = cli_int(args, "seed", 0, INT64_MAX, 1, diags);
    if (diags->errors)
        return CT_USAGE;
    int status = trace_store_read(path, NULL, &set, diags);
    if (status == CT_OK)
        status = accuracy_measure(&set, prefix ? prefix : "", (uint64_t)seed, (uint32_t)splits,
                                  path, &accuracy, diags);
    if (status == CT_OK)
        status = print_recorded(&accuracy, format);
    if (status == CT_OK && format == TABLE_TEXT && !args->quiet)
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

static int print_used(const struct cli_args *args, const struct setup *setup,
                      const struct ct_policy *policy, const struct predict_bank *bank,
                      enum table_format format) {
    struct table table = table_start("task | function | SMs %=share_pct:0 | model | n=samples:0 | "
                                     "held=held_out:0 | error %=error_pct:2 | ms=cost_ms:2");
    for (size_t i = 0; i < predict_bank_count(bank); i++) {
        struct predict_info info = predict_bank_info(bank, i);
        if ((info.share == CT_SHARE_FULL || cli_has(args, "shares")) &&
            is_asked(setup, policy, &info))
            table_row(&table, kind_names[info.key.kind], info.name,
                      info.share * 100.0 / CT_SHARE_FULL, info.model, info.samples, info.held_out,
                      100 * info.error, cost_ms(policy, &info));
    }
    return cli_table_print(&table, format);
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
    doc_print_wrapped(stdout, text, 0, 80);
    putchar('\n');
    for (size_t i = 0; i < predict_bank_count(bank); i++) {
        struct predict_info info = predict_bank_info(bank, i);
        if (info.key.kind != PREDICT_QUERY || info.share != CT_SHARE_FULL || info.varies)
            continue;
        snprintf(text, sizeof text,
                 "All jobs of '%s' have one size: its prediction has no error but by what its "
                 "solo duration varies.",
                 info.name);
        doc_print_wrapped(stdout, text, 0, 80);
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
                           enum table_format format, struct ct_diags *diags) {
    struct predict_bank *bank = NULL;
    const struct ct_policy *policy = chosen_policy(e, cli_has(args, "policy"), diags);
    if (!policy)
        return CT_USAGE;
    int status = profiling_train(&e->scenario.setup, policy, e->scenario.experiment.seed, NULL,
                                 NULL, &bank, diags);
    if (status == CT_OK && !predict_bank_judge(bank))
        status = ct_out_of_memory(diags);
    if (status == CT_OK)
        status = print_used(args, &e->scenario.setup, policy, bank, format);
    if (status == CT_OK && format == TABLE_TEXT && !args->quiet)
        explain_used(policy, &e->scenario.setup, bank);
    predict_bank_free(bank);
    return status;
}

/* The GPU of --gpu is one more assignment. enum ct_status. */
static int assign_gpu(struct scenario_request *request, const char *gpu, struct ct_arena *arena,
                      struct ct_diags *diags) {
    size_t count = request->assignment_count;
    const char **more = ct_arena_array(arena, count + 1, sizeof *more);
    const char *setting = ct_arena_format(arena, "gpu=%s", gpu);
    if (!more || !setting)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < count; i++)
        more[i] = request->assignments[i];
    more[request->assignment_count++] = setting;
    request->assignments = more;
    return CT_OK;
}

static int predict_used(const struct cli_args *args, enum table_format format,
                        struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct cli_experiment e = {0};
    int status = CT_OK;
    cli_experiment_request(&e, args, diags);
    e.request.workload = cli_value(args, "workload");
    if (cli_has(args, "gpu"))
        status = assign_gpu(&e.request, cli_value(args, "gpu"), &arena, diags);
    if (status == CT_OK)
        status = scenario_open(&e.scenario, &e.request, diags);
    status = status == CT_OK && diags->errors ? CT_USAGE : status;
    if (status == CT_OK)
        status = train_and_print(args, &e, format, diags);
    cli_experiment_close(&e);
    ct_arena_free(&arena);
    return status;
}

/* Options that would change nothing. */
static void check_use(const struct cli_args *args, enum table_format format,
                      struct ct_diags *diags) {
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
    if (store && workload && format != TABLE_TEXT && format != TABLE_MARKDOWN)
        ct_error(diags, "", "two tables do not fit one %s: ask for one of them",
                 cli_value(args, "format"));
}

static int cmd_predict(struct cli_args *args, struct ct_diags *diags) {
    bool store = args->operand_count > 0, workload = cli_has(args, "workload");
    enum table_format format = cli_format(args, diags);
    int status = CT_OK;
    if (!diags->errors)
        check_use(args, format, diags);
    if (diags->errors)
        return CT_USAGE;
    if (store)
        status = predict_recorded(args, format, diags);
    if (status == CT_OK && store && workload)
        putchar('\n');
    if (status == CT_OK && workload)
        status = predict_used(args, format, diags);
    return status;
}

CLI_COMMAND(predict, "[T.db]", 0, 1,
            "train and test the predictors of durations: on recorded tasks, and on what the "
            "policies of a workload use");
