#include "cmd/run_again.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

int run_given_request(const struct result_given *given, const char *moved, const char *option,
                      struct scenario_request *again, struct ct_diags *diags) {
    int fidelity = SCENARIO_OWN;
    struct stat status;
    /* A stranger's store may name a pipe, for which it would wait. */
    if (!moved && stat(given->workload, &status) == 0 && !S_ISREG(status.st_mode))
        return ct_data_error(diags, option, "the run was made from '%s', which is no file",
                             given->workload);
    if (given->own)
        return ct_data_error(
            diags, option,
            "policy '%s' was in the memory of the program that made the run, and is not here",
            given->policy ? given->policy : "");
    for (int f = 0; given->fidelity && workload_fidelities[f]; f++)
        if (strcmp(workload_fidelities[f], given->fidelity) == 0)
            fidelity = f;
    *again = (struct scenario_request){.workload = moved ? moved : given->workload,
                                       .assignments = given->settings,
                                       .assignment_count = given->setting_count,
                                       .policies = given->policy,
                                       .one_policy = true,
                                       .policies_in_file = true,
                                       .fidelity = fidelity,
                                       .seed = SCENARIO_OWN,
                                       .version = COTENANT_VERSION};
    if (!given->fidelity || fidelity != SCENARIO_OWN)
        return CT_OK;
    return ct_data_error(diags, option, "the run was made in a fidelity that is unknown here: '%s'",
                         given->fidelity);
}

int run_given_check(const struct scenario *scenario, const struct result_given *given,
                    const struct result_run *run, const char *option, struct ct_diags *diags) {
    char inputs[CT_HASH_TEXT];
    struct ct_hash hash = ct_hash_start();
    if (!workload_hash(&hash, &scenario->workload))
        return ct_out_of_memory(diags);
    ct_hash_print(hash, inputs);
    if (strcmp(run->report.version, COTENANT_VERSION) != 0)
        ct_error(diags, option, "run %" PRId64 " is of version %s, this is %s", run->number,
                 run->report.version, COTENANT_VERSION);
    else if (strcmp(inputs, given->inputs) != 0)
        ct_error(diags, scenario->workload.path,
                 "the workload or its traces have changed since run %" PRId64 " was stored",
                 run->number);
    return diags->errors ? CT_DATA : CT_OK;
}
