/*
 * Servers in front of a device, whose mean sojourn times and losses are known in closed form.
 *
 * Bulk service: Bailey, On queueing processes with bulk service, J. R. Stat. Soc. B 16 (1954);
 * Chaudhry and Templeton, A First Course in Bulk Queues (1983), section 4.1: a free server takes
 * up to b of those who wait, at least one, and nobody joins a batch that is being served.
 * Losses: Kleinrock, Queueing Systems I (1975), section 3.6, M/M/c/K.
 * Tandems: Burke, The output of a queuing system, Oper. Res. 4 (1956): what leaves M/M/1 is
 * Poisson; Reich, Waiting times when queues are in tandem, Ann. Math. Stat. 28 (1957): the times in
 * the two are independent.
 */
#include "theory_case.h"

static double mean_known_ms(const struct sim_app_result *app) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < app->latency_ps.count; i++)
        if (!isnan(app->latency_ps.items[i])) {
            sum += app->latency_ps.items[i];
            count++;
        }
    assert_true(count > 0);
    return sum / count / (double)CT_PS_PER_MS;
}

/* ---- M/D^b/1 ---- */

enum { STATES = 400 };

/*
 * Who waits when a batch ends, X' = max(X - b, 0) + A with A Poisson of mean `load` (arrivals
 * during a service): the chain of Bailey's equation (1), by iterating it.
 */
static void waiting_at_ends(int b, double load, double chance[STATES]) {
    double arrivals[STATES], next[STATES];
    for (int k = 0; k < STATES; k++) {
        arrivals[k] = exp(-load + k * log(load) - lgamma(k + 1.0));
        chance[k] = k == 0;
    }
    for (int round = 0; round < 3000; round++) {
        for (int k = 0; k < STATES; k++)
            next[k] = 0;
        for (int from = 0; from < STATES; from++)
            for (int more = 0, left = from > b ? from - b : 0;
                 chance[from] > 1e-18 && more < 60 && left + more < STATES; more++)
                next[left + more] += chance[from] * arrivals[more];
        for (int k = 0; k < STATES; k++)
            chance[k] = next[k];
    }
}

/*
 * Times in units of a service. From one end to the next the server idles for 1 / load where nobody
 * waits, then serves one; the requests there add up to max(X, 1) + load / 2. Little's law makes the
 * mean sojourn of it.
 */
TEST(bulk) {
    const int b = 4;
    const double load = 2.8;
    double chance[STATES], area = load / 2, full = 0, one;
    waiting_at_ends(b, load, chance);
    for (int k = 0; k < STATES; k++) {
        area += chance[k] * (k > 1 ? k : 1);
        full += k >= b ? chance[k] : 0;
    }
    one = chance[0] + chance[1];
    double exact = area / (1 + chance[0] / load) / load;
    FREED_BY(theory_close) struct theory_case *theory = theory_open_short("bulk", NULL);
    struct theory_samples samples;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        const struct sim_app_result *app = &result.apps[0];
        double batches = 0;
        for (size_t i = 0; i < app->batches.count; i++)
            batches += (double)app->batches.items[i];
        samples.of[0][r] = mean_known_ms(app);
        samples.of[1][r] = (double)app->batches.items[b - 1] / batches;
        samples.of[2][r] = (double)app->batches.items[0] / batches;
    }
    theory_expect("M/D^4/1: sojourn, ms", samples.of[0], exact, 0.01);
    theory_expect("  full batches", samples.of[1], full, 0.02);
    theory_expect("  batches of one", samples.of[2], one, 0.02);
}

/* ---- M/M/c/K ---- */

/* Chance of `n` in the system, and through `*mean` how many are there. */
static double chance_of_full(int servers, int most, double erlangs, double *mean) {
    double term = 1, sum = 1, weighted = 0;
    for (int n = 1; n <= most; n++) {
        term *= erlangs / (n < servers ? n : servers);
        sum += term;
        weighted += n * term;
    }
    *mean = weighted / sum;
    return term / sum;
}

/* Four servers of 1 ms, offered 4, six places. */
static void expect_loss(const char *what, const char *const *assignments, enum sim_drop why) {
    double there, lost = chance_of_full(4, 6, 4, &there);
    FREED_BY(theory_close) struct theory_case *theory = theory_open_short("loss", assignments);
    struct theory_samples samples;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        samples.of[0][r] = (double)result.apps[0].dropped[why] / (double)result.apps[0].jobs;
        samples.of[1][r] = mean_known_ms(&result.apps[0]);
    }
    print_message("%s\n", what);
    theory_expect("  M/M/4/6: lost", samples.of[0], lost, 0.02);
    theory_expect("  M/M/4/6: sojourn, ms", samples.of[1], there / (4 * (1 - lost)), 0.02);
}

TEST(loss_by_limit) {
    expect_loss("a limit of requests", NULL, SIM_DROP_LIMIT);
}

TEST(loss_by_queue) {
    const char *const queue[] = {"apps.queue.server={\"max_queue\": 2}", NULL};
    expect_loss("a limit of the queue", queue, SIM_DROP_QUEUE);
}

/* ---- M/M/1 -> M/M/1 ---- */

/* Latency at the second stage counts from the arrival at the first. */
TEST(tandem) {
    double first = 1e3 / (1000 - 500), second = 1e3 / (800 - 500);
    FREED_BY(theory_close) struct theory_case *theory = theory_open("tandem", NULL);
    struct theory_samples samples;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        double sum = 0, square = 0, n = (double)result.apps[0].latency_ps.count;
        assert_int_equal(result.apps[0].latency_ps.count, result.apps[1].latency_ps.count);
        for (size_t i = 0; i < result.apps[0].latency_ps.count; i++) {
            double ms = result.apps[0].latency_ps.items[i] / (double)CT_PS_PER_MS;
            sum += ms;
            square += ms * ms;
        }
        samples.of[0][r] = mean_known_ms(&result.apps[1]);
        samples.of[1][r] = sum / n;
        samples.of[2][r] = square / n - sum / n * sum / n;
    }
    theory_expect("tandem: first stage, ms", samples.of[0], first, 0.02);
    theory_expect("  both stages, ms", samples.of[1], first + second, 0.02);
    theory_expect("  their variance, ms^2", samples.of[2], first * first + second * second, 0.1);
}

/* ---- Tokens ---- */

enum { TOKENS_EACH = 5 };

/* What a step of the only application takes, ms: recorded once, so the same whatever it holds. */
static double step_ms(const struct theory_case *theory, const struct workload_steps *steps) {
    return theory->setup.apps[0].plans[steps->items[0].first].work_ps / (double)CT_PS_PER_MS;
}

static const struct workload_continuous *generation_of(const struct theory_case *theory) {
    return theory->workload.apps.items[0].server->continuous;
}

/* One sequence at a time, each takes as long: M/D/1 (Kleinrock, section 5.6). */
TEST(tokens_one_by_one) {
    const char *const one[] = {"apps.chat.server.continuous.max_sequences=1", NULL};
    FREED_BY(theory_close) struct theory_case *theory = theory_open_short("tokens", one);
    const struct workload_continuous *spec = generation_of(theory);
    double service =
               step_ms(theory, &spec->prefill) + (TOKENS_EACH - 1) * step_ms(theory, &spec->decode),
           load = theory->workload.apps.items[0].arrivals.rate_per_s / 1e3 * service;
    struct theory_samples samples;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        samples.of[0][r] = mean_known_ms(&result.apps[0]);
    }
    theory_expect("tokens, one sequence at a time, M/D/1: sojourn, ms", samples.of[0],
                  service + load * service / (2 * (1 - load)), 0.02);
}

/*
 * A step takes as long whatever it holds, and prompts next to nothing: as many servers as are
 * wanted, which begin at the end of a step. Poisson arrivals see them busy as often as they are,
 * and then halfway through a step on average; each wants `more` steps behind its prompt. They are
 * busy from an arrival until so many steps in a row brought none: with the chance q that a step
 * brings none that takes (1 - q^k) / ((1 - q) q^k) steps on average (Feller, An Introduction to
 * Probability Theory and Its Applications I, XIII.7).
 */
TEST(tokens_all_at_once) {
    FREED_BY(theory_close) struct theory_case *theory = theory_open_short("tokens", NULL);
    const struct workload_continuous *spec = generation_of(theory);
    const int more = TOKENS_EACH - 1;
    double step = step_ms(theory, &spec->decode), prompt = step_ms(theory, &spec->prefill),
           rate = theory->workload.apps.items[0].arrivals.rate_per_s / 1e3 * step,
           quiet = exp(-rate), power = pow(quiet, more), busy = (1 - power) / ((1 - quiet) * power),
           part = busy / (busy + 1 / rate);
    assert_true(prompt < 1e-3 * step);
    struct theory_samples samples;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        const struct sim_app_result *app = &result.apps[0];
        double first = 0;
        for (size_t i = 0; i < app->tokens.first_ps.count; i++)
            first += app->tokens.first_ps.items[i] / (double)CT_PS_PER_MS;
        samples.of[0][r] = first / (double)app->tokens.first_ps.count;
        samples.of[1][r] = mean_known_ms(app);
        samples.of[2][r] = (double)app->tokens.produced / ct_time_s(result.window_ps);
    }
    theory_expect("tokens, as many as come: to the first, ms", samples.of[0],
                  part * step / 2 + prompt, 0.02);
    theory_expect("  sojourn, ms", samples.of[1], part * step / 2 + prompt + more * step, 0.02);
    theory_expect("  tokens per second", samples.of[2], TOKENS_EACH * rate / step * 1e3, 0.02);
}
