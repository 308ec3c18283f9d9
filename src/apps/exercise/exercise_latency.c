/* Exercises on queues, on what systems are judged by, and on blame. */
#include "apps/exercise/exercise_build.h"

#include "base/ct_blame.h"
#include "experiment/scenario.h"
#include "study/plan.h"

/* ---- M/M/1 ---- */

/* Queries of an empty queue's run; a loaded one needs more by the square of 1 / (1 - load) to be as
 * sure (Whitt, Planning queueing simulations, 1989). */
enum { TAIL_JOBS = 60000 };

#define TAIL_TOLERANCE 0.05

/* A service whose queries form M/M/1: one at a time, exponential work, Poisson arrivals. */
static void add_queue(struct exercise_problem *p, double rate_per_s, double work_ms, double seconds,
                      double target_ms) {
    const char *target = target_ms > 0 ? exercise_text(p, ", \"qos_ms\": %.12g", target_ms) : "";
    p->workload = exercise_text(
        p,
        "{\"schema\": \"cotenant.workload/1\", \"name\": \"exercise-%s\", \"gpu\": \"hsm-hbm\",\n "
        "\"policy\": \"mps\", \"duration_s\": %.12g, \"warmup_s\": %.12g, \"apps\": [\n  "
        "{\"name\": \"queue\", \"role\": \"service\"%s,\n   \"arrivals\": {\"process\": "
        "\"poisson\", \"rate_per_s\": %.12g},\n   \"synthetic\": {\"blocks\": 16, "
        "\"duration_ms\":\n     {\"dist\": \"exponential\", \"mean\": %.12g}}}",
        p->exercise->name, seconds, seconds / 50, target, rate_per_s, work_ms);
}

void exercise_tail(struct exercise_problem *p) {
    double work = exercise_draw(p, 1, 8), load = 0.05 * exercise_draw(p, 6, 14);
    double rate = nearbyint(1e3 * load / work * 10) / 10; /* as it is shown */
    double exact_load = rate * work / 1e3, mean = work / (1 - exact_load);
    double exact = log(100) * mean;
    exercise_givens(p, rate, work);
    double jobs = TAIL_JOBS / ((1 - exact_load) * (1 - exact_load));
    add_queue(p, rate, work, jobs / rate, 0);
    exercise_measure(p);
    exercise_step(p, "", "load: %g / s x %g ms = %.4g", rate, work, exact_load);
    exercise_step(p, "Kleinrock, Queueing Systems I, 3.2",
                  "mean latency: %g / (1 - %.4g) = %.5g ms", work, exact_load, mean);
    exercise_step(p, "", "p99: ln(100) x %.5g = %.5g ms", mean, exact);
    exercise_mistake(p, log(100) * work, "that is the p99 of the work alone, without waiting");
    exercise_mistake(p, mean, "that is the mean");
    double p99 = exercise_measured(p, "queue", "latency_ms_p99");
    exercise_step(p, "", "simulated, %.0f queries: %.5g ms", exercise_measured(p, "queue", "jobs"),
                  p99);
    exercise_answer(p, exact, TAIL_TOLERANCE);
    p->unfit |= fabs(p99 - exact) > exercise_slack(p, exact); /* the run is the check */
    for (int i = 1; i <= 9; i++)
        exercise_value(p, "ms", exercise_text(p, "load 0.%d", i), log(100) * work / (1 - 0.1 * i));
}

/* ---- capacity ---- */

/* A p99 that is off by TAIL_TOLERANCE is that of a rate that is off by this at least: a part of the
 * rate moves the p99 by load / (1 - load) of it, and the highest load is 1 - ln(100) / 16. */
#define RATE_TOLERANCE 0.02

/* What the search may end at beside it: the p99 of its few queries scatters. */
#define SEARCH_TOLERANCE 0.08

/* Coarser than a plan of the library's, and without its question what the answer leans on. */
static void find_rate(struct exercise_problem *p, struct scenario *scenario,
                      struct plan_result *result) {
    struct plan plan = plan_standard();
    exercise_open(p, scenario);
    plan_take(&plan, scenario);
    plan.goal = PLAN_RATE;
    plan.tolerance = 0.04;
    plan.error = 0;
    plan.replications = 5;
    plan.most_replications = 8;
    plan.budget = 4e6;
    if (p->status == CT_OK)
        p->status = plan_check(&plan, "--find", p->diags);
    if (p->status == CT_OK)
        p->status = plan_run(&plan, result, p->diags);
}

void exercise_capacity(struct exercise_problem *p) {
    double work = exercise_draw(p, 1, 5), factor = 0.5 * exercise_draw(p, 20, 32);
    double target = factor * work, exact = 1e3 / work - log(100) / target * 1e3;
    struct scenario scenario;
    struct plan_result result = {0};
    exercise_givens(p, work, target);
    add_queue(p, 500 / work, work, 10 * work, target);
    find_rate(p, &scenario, &result);
    exercise_step(p, "", "the target allows a mean latency of %g / ln(100) = %.5g ms", target,
                  target / log(100));
    exercise_step(p, "", "1 - load = %g / %.5g = %.5g", work, target / log(100),
                  work * log(100) / target);
    exercise_step(p, "", "rate: (1 - %.5g) / %g ms = %.5g / s", work * log(100) / target, work,
                  exact);
    exercise_mistake(p, 1e3 / work, "that is a load of 1, at which the queue grows without end");
    exercise_mistake(p, 1e3 / work - 1e3 / target,
                     "that keeps the mean within the target, not the 99th percentile");
    exercise_answer(p, exact, RATE_TOLERANCE);
    if (p->status == CT_OK && result.answers) {
        const struct plan_answer *answer = &result.answers[0];
        double middle = (answer->holds + answer->misses) / 2;
        exercise_step(p, "",
                      "the check: 'cotenant plan' tries rates in finite runs, whose p99 scatters, "
                      "and ends between %.5g and %.5g / s, %.2g %% from that",
                      answer->holds, answer->misses, 100 * fabs(middle / exact - 1));
        p->unfit |= fabs(middle - exact) > SEARCH_TOLERANCE * exact;
        for (size_t i = 0; i < answer->points.count; i++)
            exercise_value(p, "p99 / target, 3 and more as 3",
                           exercise_text(p, "%.4g / s", answer->points.items[i].load),
                           fmin(3, answer->points.items[i].p99_over_qos));
    }
    plan_result_free(&result);
    scenario_close(&scenario);
}

/* ---- measures ---- */

enum { MEASURES = 3 };

void exercise_measures(struct exercise_problem *p) {
    static const char *const names[MEASURES] = {"STP", "ANTT", "fairness"},
                             *const keys[MEASURES] = {"stp", "antt", "fairness"};
    int which = (int)exercise_draw(p, 0, MEASURES - 1);
    double a = exercise_draw(p, 2, 9), b = exercise_draw(p, 2, 9), c = exercise_draw(p, 2, 9);
    double alone[3] = {a, b, c}, end[3] = {a, a + b, a + b + c}, sum = 0, inverse = 0;
    double least = 1, most = 0;
    exercise_givens(p, a, b, c);
    p->question = exercise_text(p, "What is the %s of the three?", names[which]);
    exercise_head(p, 16, "", "fifo", "fluid");
    for (int i = 0; i < 3; i++) {
        double np = alone[i] / end[i];
        sum += np;
        inverse += 1 / np / 3;
        least = fmin(least, np);
        most = fmax(most, np);
        exercise_app(p, (const char *[]){"A", "B", "C"}[i], 0, ", \"role\": \"service\"", 16,
                     alone[i], ", \"threads\": 1024");
        exercise_step(p, "", "%c ends at %g ms: NP = %g / %g = %.5g", 'A' + i, end[i], alone[i],
                      end[i], np);
        exercise_span(p, "ms", (const char *[]){"A", "B", "C"}[i], "kernel", end[i] - alone[i],
                      end[i]);
    }
    double hand[MEASURES] = {sum, inverse, least / most};
    exercise_simulate(p);
    exercise_step(p, "Eyerman and Eeckhout, IEEE Micro 28(3); Gabor et al., MICRO 2006",
                  "STP = %.4g, ANTT = %.4g, fairness = %.4g", sum, inverse, least / most);
    exercise_step(p, "", "%s: %.6g", names[which], hand[which]);
    if (which == 1)
        exercise_mistake(p, 3 / sum,
                         "that is the inverse of the mean NP; ANTT is the mean of the inverse");
    exercise_answer(p, exercise_measured(p, NULL, keys[which]), 0.005);
}

/* ---- blame ---- */

void exercise_blame(struct exercise_problem *p) {
    double block = exercise_draw(p, 6, 14), work = 0.5 * exercise_draw(p, 3, 10);
    double at = 0.5 * exercise_draw(p, 2, 8), second = 2 * at;
    double first_end = block + work, second_end = first_end + work;
    exercise_givens(p, block, work, at, second);
    bool own = exercise_draw(p, 0, 1);
    p->question = own ? "How much of the second query's latency is its own queue's?"
                      : "How much of the first query's latency is the device queue's?";
    exercise_head(p, 16, "", "mps", "fluid");
    exercise_apps(
        p,
        "  {\"name\": \"batch\", \"arrivals\": {\"process\": \"once\"},\n   \"synthetic\": "
        "{\"blocks\": 32, \"threads\": 1024, \"duration_ms\": %g}},\n  {\"name\": \"service\", "
        "\"role\": \"service\", \"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": "
        "%.17g},\n   \"synthetic\": {\"blocks\": 32, \"threads\": 1024, \"duration_ms\": %g}}",
        block, 1e3 / at, work);
    exercise_until(p, fmax(2.5 * at, 0.6 * second_end)); /* for as long again is waited */
    exercise_simulate(p);
    exercise_step(p, "",
                  "first query: arrives at %g, waits in the device queue until the batch kernel "
                  "ends at %g: %g ms; then solo work to %g",
                  at, block, block - at, first_end);
    exercise_step(p, "",
                  "second query: arrives at %g, waits for the first until %g: %g ms in its own "
                  "queue; then solo work to %g",
                  second, first_end, first_end - second, second_end);
    exercise_step(p, "", "%s: %.6g ms", own ? "own queue" : "device queue",
                  own ? first_end - second : block - at);
    if (own)
        exercise_mistake(p, second_end - second, "that is all of its latency, work included");
    else
        exercise_mistake(p, first_end - at, "that is all of its latency, work included");
    p->unfit |= second >= block;
    const char *part = ct_blame_key(own ? CT_BLAME_OWN_QUEUE : CT_BLAME_DEVICE_QUEUE);
    exercise_answer(p, exercise_part_ms(p, 1, own, part), 0.005);
    exercise_span(p, "ms", "batch", "kernel", 0, block);
    exercise_span(p, "ms", "query 1", "waits", at, block);
    exercise_span(p, "ms", "query 1", "kernel", block, first_end);
    exercise_span(p, "ms", "query 2", "waits", second, first_end);
    exercise_span(p, "ms", "query 2", "kernel", first_end, second_end);
}
