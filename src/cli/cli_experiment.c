#include "cli/cli_experiment.h"

#include "experiment/bands.h"
#include "experiment/experiment.h"
#include "experiment/settings.h"
#include "format/output_file.h"
#include "format/sqlite_file.h"
#include "results/result_store.h"
#include "run/arrivals.h"

#include <string.h>
#include <unistd.h>

/* ---- The experiment ---- */

void cli_experiment_request(struct cli_experiment *e, const struct cli_args *args,
                            struct ct_diags *diags) {
    const char *policies = cli_value(args, "policies"), *find = cli_value(args, "find");
    int fidelity = cli_choice(args, "fidelity", workload_fidelities, SCENARIO_OWN, diags);
    e->quiet = args->quiet;
    e->request = (struct scenario_request){
        .workload = args->operands[0],
        .policies = policies ? policies : cli_value(args, "policy"),
        .one_policy = !policies,
        .fidelity = fidelity,
        .seed = cli_int(args, "seed", 0, INT64_MAX, SCENARIO_OWN, diags),
        .trusts_files = cli_has(args, "allow-policy-files"),
        .need_not_fit =
            find && (strncmp(find, "gpu:", 4) == 0 || strncmp(find, "batch-instances:", 16) == 0),
        .watch = args->watch,
        .version = COTENANT_VERSION};
    e->request.assignments = cli_values(args, "set", &e->request.assignment_count);
}

/* Before a long run. A store comes to be with what is first put into it. */
static int probe(const char *path, struct ct_diags *diags) {
    if (access(path, F_OK) != 0 && sqlite_file_fits(path, diags)) {
        bool room = output_file_probe(path, diags);
        ct_files_note(diags->files, path); /* no other output may come to lie there */
        return room ? CT_OK : CT_DATA;
    }
    struct result_store *store = result_store_open(path, RESULT_WRITE, diags);
    result_store_close(store);
    return store ? CT_OK : CT_DATA;
}

int cli_experiment_open(struct cli_experiment *e, const struct cli_args *args,
                        struct ct_diags *diags) {
    *e = (struct cli_experiment){0};
    cli_experiment_request(e, args, diags);
    int status = scenario_open(&e->scenario, &e->request, diags);
    if (status == CT_OK && diags->errors)
        status = CT_USAGE;
    e->scenario.experiment.blame = !cli_has(args, "no-blame");
    e->scenario.experiment.listener = cli_listener(&e->progress);
    e->scenario.experiment.listener.progress = NULL;
    e->store = cli_value(args, "output");
    return status == CT_OK && e->store ? probe(e->store, diags) : status;
}

int cli_experiment_say_targets(const struct cli_experiment *e, bool starts) {
    struct ct_diags diags = {0};
    int status = scenario_warn_targets(&e->scenario, &diags);
    if (starts)
        arrivals_notice_starts(&e->scenario.workload, &diags);
    cli_print_diags(&diags, starts && e->quiet);
    ct_diags_free(&diags);
    return status;
}

int cli_experiment_run(struct cli_experiment *e, const struct cli_args *args, const char *what,
                       struct ct_diags *diags) {
    cli_progress_begin(&e->progress, "targets", 0, args->quiet);
    int status = cli_experiment_say_targets(e, false);
    cli_progress_end(&e->progress);
    if (status != CT_OK)
        return status;
    e->scenario.experiment.cache = run_folder_find(&e->folder, args);
    e->scenario.experiment.listener = cli_listener(&e->progress);
    cli_progress_begin(&e->progress, what, (double)experiment_run_count(&e->scenario.experiment),
                       args->quiet);
    status = experiment_run(&e->scenario.experiment, &e->result, diags);
    cli_progress_end(&e->progress);
    if (e->result.interrupted)
        ct_warning(diags, "", "interrupted: %u of %u replications are finished", e->result.finished,
                   e->scenario.experiment.replications);
    scenario_warn_overload(&e->scenario, &e->result, diags);
    return status;
}

/* ---- How many replications ---- */

static bool has_service(const struct workload *w) {
    for (size_t i = 0; i < w->apps.count; i++)
        if (w->apps.items[i].role == CT_SERVICE)
            return true;
    return false;
}

bool cli_experiment_extent(struct cli_experiment *e, const struct cli_args *args, uint32_t standard,
                           struct ct_diags *diags) {
    struct experiment *experiment = &e->scenario.experiment;
    size_t before = diags->errors;
    int64_t replications = cli_int(args, "reps", 1, 100000, standard, diags);
    int64_t most = cli_int(args, "max-reps", 2, 100000, 200, diags);
    bool wanted = cli_has(args, "precision");
    experiment->threads = cli_threads(args, diags);
    if (wanted)
        experiment->precision = cli_double(args, "precision", 0.01, 50, 2, diags) / 100;
    if (wanted && cli_has(args, "reps"))
        ct_error(diags, "",
                 "'--reps' and '--precision' exclude each other; '--max-reps' is the "
                 "most that '--precision' may take");
    if (!wanted && cli_has(args, "max-reps"))
        ct_error(diags, "", "'--max-reps' goes with '--precision'");
    if (wanted && e->scenario.workload.apps.count && !has_service(&e->scenario.workload))
        ct_error(diags, "",
                 "'--precision' is about the p99 of services, and the workload has none");
    experiment->replications = (uint32_t)(wanted ? most : replications);
    return diags->errors == before;
}

int cli_experiment_store(const struct cli_experiment *e, struct ct_diags *diags) {
    if (!e->store)
        return CT_OK;
    cli_makes_store(e->store);
    return experiment_store(&e->scenario.experiment, &e->result, e->store, diags);
}

/* ---- What is asked beside the runs ---- */

int64_t cli_experiment_bands(const struct cli_args *args, struct ct_diags *diags) {
    return cli_int(args, "bands", 0, 10000, BANDS_OWN, diags);
}

int cli_experiment_add_bands(struct cli_experiment *e, int64_t draws, struct ct_diags *diags) {
    cli_progress_begin(&e->progress, "bands", 0, e->quiet);
    struct bands_about about = {.experiment = &e->scenario.experiment,
                                .result = &e->result,
                                .draws = draws,
                                .listener = cli_listener(&e->progress)};
    int status = bands_add(&about, diags);
    cli_progress_end(&e->progress);
    if (status == CT_INTERRUPTED)
        ct_warning(diags, "", "interrupted: no range over the unknown memory demand");
    return status;
}

int cli_experiment_settings(struct cli_experiment *e, struct ct_arena *arena, const char **sentence,
                            struct ct_diags *diags) {
    struct settings_about about = {
        .scenario = &e->scenario, .result = &e->result, .listener = cli_listener(&e->progress)};
    cli_progress_begin(&e->progress, "settings", 0, e->quiet);
    int status =
        sentence ? settings_ask(&about, arena, sentence, diags) : settings_note(&about, diags);
    cli_progress_end(&e->progress);
    return status;
}

void cli_experiment_close(struct cli_experiment *e) {
    experiment_result_free(&e->result);
    scenario_close(&e->scenario);
    run_folder_close(&e->folder);
}
