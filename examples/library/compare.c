/*
 * Three policies on a workload of one's own, without a file.
 *   cc -std=c17 compare.c $(pkg-config --cflags --libs cotenant) -o compare
 */
#include <cotenant.h>

#include <stdio.h>

static const char workload[] =
    "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"a100\", \"duration_s\": 5, \"warmup_s\": 0.5,"
    " \"apps\": ["
    "  {\"name\": \"search\", \"role\": \"service\", \"qos_ms\": 12,"
    "   \"synthetic\": {\"kernels\": 20, \"blocks\": 432, \"duration_ms\": 0.1},"
    "   \"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": 80}},"
    "  {\"name\": \"train\", \"synthetic\": {\"blocks\": 4320, \"duration_ms\": 0.3}}]}";

static bool show_progress(void *context, double done) {
    (void)context;
    fprintf(stderr, "\r%3.0f %%", 100 * done);
    return true; /* false would end it here, with what is finished */
}

static void print_messages(const struct ct_scenario *scenario) {
    for (size_t i = 0; i < ct_scenario_message_count(scenario); i++) {
        struct ct_message message = ct_scenario_message(scenario, i);
        fprintf(stderr, "%s: %s\n", message.where, message.text);
    }
}

int main(int argc, char **argv) {
    static const char *const names[] = {"mps", "mps-priority", "baymax"};
    struct ct_run_options options = {
        .size = sizeof options, .seed = -1, .reps = 3, .threads = 2, .progress = show_progress};
    struct ct_scenario *scenario = ct_scenario_text(workload, "mine");
    if (!scenario)
        return 3;
    ct_scenario_policies(scenario, "mps,mps-priority,baymax");
    for (int i = 1; i < argc; i++)
        ct_scenario_set(scenario, argv[i]); /* "apps.search.arrivals.rate_per_s=120" */
    struct ct_results *results = ct_scenario_run(scenario, &options);
    fputc('\n', stderr);
    print_messages(scenario);
    for (size_t p = 0; results && p < sizeof names / sizeof *names; p++)
        printf("%-13s p99 %6.2f ms of 12, training at %3.0f %%, STP %.2f\n", names[p],
               ct_results_value(results, p, "search", "latency_ms_p99"),
               100 * ct_results_value(results, p, "train", "normalised_progress"),
               ct_results_value(results, p, NULL, "stp"));
    bool done = results != NULL;
    ct_results_free(results);
    ct_scenario_free(scenario);
    return done ? 0 : 2;
}
