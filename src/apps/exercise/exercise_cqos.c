/* Exercises on C-QoS (IEEE Access 2020): triggers, completion, look-ahead, preempt. */
#include "apps/exercise/exercise_build.h"

#include "models/predict/predict_completion.h"
#include "policies/cqos.h"

#define MS ((double)CT_PS_PER_MS)

/* ---- triggers ---- */

void exercise_triggers(struct exercise_problem *p) {
    static const char *const keys[CQOS_TRIGGERS] = {"triggers_arrival", "triggers_copy_in",
                                                    "triggers_kernel", "triggers_copy_out",
                                                    "triggers_termination"};
    int apps = exercise_draw(p, 2, 3);
    double sum = 0, hand = 0;
    exercise_head(p, 16, ", \"copy_engines\": \"single\"", "{\"name\": \"cqos\", \"epsilon\": 0}",
                  "block");
    for (int i = 0; i < apps; i++) {
        const char *name = exercise_text(p, "%c", (int)('A' + i));
        int kernels = exercise_draw(p, 1, 6), out = exercise_draw(p, 0, 1);
        double at = 0.37 * i;
        hand += 3 + kernels + out;
        exercise_give(p, exercise_text(p, "kernels%s", name), kernels, "", "kernels of %s", name);
        exercise_give(p, exercise_text(p, "out%s", name), out, "", "copies of output of %s", name);
        exercise_step(p, "C-QoS VI-B",
                      "%s: 1 for the arrival, 1 for the copy in, %d for kernels, %d for copies "
                      "out, 1 for the end: %d",
                      name, kernels, out, (3 + kernels + out));
        exercise_app(p, name, at, "", 20, 1.3 + 0.21 * i,
                     ", \"threads\": 1024, \"kernels\": %d, \"bytes_in\": %d, \"bytes_out\": %d",
                     kernels, 1000000 + 17000 * i, out * 1000000);
    }
    exercise_simulate(p);
    exercise_step(p, "", "in all: %g", hand);
    exercise_mistake(p, hand - apps, "each application ends, too");
    for (int i = 0; i < CQOS_TRIGGERS; i++)
        sum += exercise_measured(p, NULL, keys[i]);
    exercise_answer(p, sum, 0);
    exercise_spans_of_run(p);
}

/* ---- completion ---- */

void exercise_completion(struct exercise_problem *p) {
    enum { PERIODS = 2, ALL = 16 };
    int per_sm = exercise_draw(p, 2, 5), blocks = exercise_draw(p, 100, 400),
        sms[PERIODS] = {exercise_draw(p, 2, 6), exercise_draw(p, 7, 14)};
    int first = per_sm * sms[0] * exercise_draw(p, 1, 3), parts[PERIODS];
    double wave = 0.5 * exercise_draw(p, 1, 6), queue = 0.5 * exercise_draw(p, 1, 8),
           head = 0.5 * exercise_draw(p, 0, 4), each = 10 * exercise_draw(p, 2, 6),
           memory = 10 * exercise_draw(p, 30, 60);
    parts[0] = first;
    parts[1] = blocks - first;
    double solo_waves = ceil((double)blocks / (per_sm * ALL)), solo = solo_waves * wave;
    struct completion_period periods[PERIODS];
    exercise_givens(p, solo, ALL, blocks, per_sm, queue, head, sms[0], first, sms[1], each, memory);
    exercise_step(p, "C-QoS Eq. 4", "t_sk = %g ms / ceil(%d / (%d x %d)) = %g ms", solo, blocks,
                  per_sm, ALL, wave);
    double sum = 0;
    for (int i = 0; i < PERIODS; i++) {
        double waves = ceil((double)parts[i] / (per_sm * sms[i]));
        double supply = fmin(1, memory / (each * sms[i])), time = wave * waves / supply;
        periods[i] = (struct completion_period){.blocks = parts[i],
                                                .blocks_per_sm = per_sm,
                                                .sms = sms[i],
                                                .bandwidth_per_sm = each,
                                                .dram_bytes_per_s = memory};
        sum += time;
        exercise_step(p, "C-QoS Eq. 4",
                      "period %d: ceil(%d / (%d x %d)) = %g as the number of waves, with %.5g of "
                      "its bandwidth: %.5g ms",
                      i + 1, parts[i], per_sm, sms[i], waves, supply, time);
        exercise_span(p, "ms", "SMs", exercise_text(p, "%d SMs", sms[i]), queue + head + sum - time,
                      queue + head + sum);
    }
    exercise_span(p, "ms", "waits", "t_q", 0, queue);
    if (head > 0)
        exercise_span(p, "ms", "waits", "t_w", queue, queue + head);
    exercise_step(p, "C-QoS Eq. 3", "%g + %g + %.5g = %.6g ms", queue, head, sum,
                  queue + head + sum);
    double wave_ps = completion_wave_ps(
        solo * MS,
        &(struct completion_period){.blocks = blocks, .blocks_per_sm = per_sm, .sms = ALL});
    const struct completion_wait wait = {.queue_ps = queue * MS, .head_ps = head * MS};
    double answer =
        completion_execution_ps(&wait, completion_running_ps(wave_ps, periods, PERIODS)) / MS;
    exercise_mistake(p, sum, "that leaves out the waits");
    p->unfit |= parts[1] < 1 || each * sms[1] <= memory;
    exercise_answer(p, answer, 0.005);
}

/* ---- look-ahead ---- */

/* Parts of an SM that a block takes: blocks, threads, registers, shared memory. */
enum { LOOK_SMS = 16, LOOK_BLOCKS = 10 };

void exercise_look_ahead(struct exercise_problem *p) {
    int held = exercise_draw(p, 4, 14);
    double left = exercise_draw(p, 4, 30), copy = exercise_draw(p, 2, 15),
           target = left + copy + exercise_draw(p, 5, 40),
           registers = 0.01 * exercise_draw(p, 2, 9);
    struct cqos_scene *scene = ct_arena_alloc(&p->arena, sizeof *scene);
    double *times = ct_arena_array(&p->arena, 3 * (CQOS_SMS_MOST + 1), sizeof *times),
           *uses = times + 2 * (CQOS_SMS_MOST + 1);
    p->failed |= !scene || !times;
    if (p->failed)
        return;
    for (int i = 0; i <= CQOS_SMS_MOST; i++) {
        times[i] = left * MS;
        times[CQOS_SMS_MOST + 1 + i] = 1;
    }
    exercise_givens(p, held, registers, left, copy, target);
    scene->device = (struct cqos_device){.sms = LOOK_SMS, .pcie_bytes_per_s = 16e9, .engines = 1};
    scene->count = 1;
    scene->apps[0] =
        (struct cqos_app){.sms = held,
                          .target_ps = target * MS,
                          .tasks = 1,
                          .slowdown = times + CQOS_SMS_MOST + 1,
                          .kernel = {.there = true,
                                     .blocks = (LOOK_BLOCKS * held),
                                     .blocks_per_sm = LOOK_BLOCKS,
                                     .use = {0.1, 0.1, registers, 0},
                                     .need = held,
                                     .time_ps = times,
                                     .use_sum = uses,
                                     .left = 1},
                          .next_copy = {.there = true, .left_ps = copy * MS, .bandwidth = 1}};
    for (int i = 0; i <= CQOS_SMS_MOST; i++)
        uses[i] = cqos_use_sum(&scene->device, &scene->apps[0].kernel, i);
    const struct cqos_weights weights = {.qos = 10, .use = 1};
    const struct cqos_partition hold = cqos_partition_now(scene);
    const struct cqos_decision decision = {.partition = &hold, .copier = CQOS_NOBODY};
    double value = cqos_value(scene, &weights, &decision);
    double used = held * LOOK_BLOCKS * (0.2 + registers) / LOOK_SMS / CQOS_RESOURCES;
    double q = 2 - left / target, later = 2 - (left + copy) / target;
    exercise_step(p, "C-QoS Eq. 8", "Q = 1 + (1 - %g / %g) = %.5g", left, target, q);
    exercise_step(p, "C-QoS Eq. 9", "U = %d x 10 x (0.1 + 0.1 + %g) / 16 / 4 = %.5g", held,
                  registers, used);
    exercise_step(p, "C-QoS Eq. 11", "O = 10 x %.5g + %.5g = %.5g", q, used, value);
    exercise_step(p, "C-QoS Eq. 8", "after the kernel: Q = 1 + (1 - (%g + %g) / %g) = %.5g", left,
                  copy, target, later);
    exercise_step(p, "C-QoS Eq. 11", "the SMs have fallen idle, U = 0: O_pot = 10 x %.5g = %.5g",
                  later, 10 * later);
    exercise_step(p, "C-QoS Eq. 12", "O + O_pot = %.6g", value + 10 * later);
    exercise_mistake(p, value / used, "that divides by the cost, and is without the look-ahead");
    exercise_mistake(p, value, "that is without the look-ahead");
    exercise_span(p, "ms", "SMs", "kernel", 0, left);
    exercise_span(p, "ms", "link", "copy", left, left + copy);
    exercise_span(p, "ms", "target", "until", 0, target);
    exercise_answer(p, value + cqos_potential(scene, &weights, &decision), 0.005);
}

/* ---- preempt ---- */

enum { PREEMPT_SMS = 16, PREEMPT_PER_SM = 2 };

/* Times in ms: a kernel of so many waves runs, another arrives. */
struct preempt {
    int long_waves, short_waves;
    double block, wave, at, level, target, all, fewer;
};

static void draw_preempt(struct exercise_problem *p, struct preempt *d) {
    d->long_waves = exercise_draw(p, 60, 99);
    d->short_waves = exercise_draw(p, 5, 12);
    d->block = 0.5 * exercise_draw(p, 1, 4);
    d->wave = 0.5 * exercise_draw(p, 1, 6);
    d->at = d->block * exercise_draw(p, 10, 40) + d->block * 0.25 * exercise_draw(p, 1, 3);
    d->level = 0.05 * exercise_draw(p, 12, 19);
    d->target = d->wave * d->short_waves / d->level;
    d->all = d->block + d->wave * d->short_waves;
    double blocks = (d->short_waves * PREEMPT_SMS * PREEMPT_PER_SM);
    d->fewer = d->block + d->wave * ceil(blocks / ((PREEMPT_SMS - 1) * PREEMPT_PER_SM));
    p->unfit |= d->all > d->target || d->fewer <= d->target;
}

static void solve_preempt(struct exercise_problem *p, const struct preempt *d) {
    double alone = d->wave * d->short_waves, all_ms = d->block * d->long_waves;
    double drain = d->block * ceil(d->at / d->block) - d->at;
    exercise_step(p, "C-QoS Eq. 5", "on all SMs: %g + %d x %g = %g ms, target %g / %g = %.5g",
                  d->block, d->short_waves, d->wave, d->all, alone, d->level, d->target);
    exercise_step(p, "C-QoS Eq. 5", "on one SM less: %g ms, too late; without any it waits",
                  d->fewer);
    exercise_step(p, "C-QoS Eq. 6",
                  "the long one is predicted to end after %g + %g = %g of its %g ms: all SMs it is",
                  all_ms, d->all, all_ms + d->all, 2 * all_ms);
    exercise_step(p, "", "its running blocks end %g ms after %g: %g + %g = %.6g ms", drain, d->at,
                  drain, alone, drain + alone);
    exercise_mistake(p, all_ms - d->at + alone, "that waits for the long kernel");
    exercise_mistake(p, d->all, "the running blocks have not a whole block's time left");
    exercise_mistake(p, alone, "the running blocks have to end first");
}

void exercise_preempt(struct exercise_problem *p) {
    static const char kernel[] = ", \"threads\": 1024, \"bytes_in\": 0, \"bytes_out\": 0";
    struct preempt d;
    draw_preempt(p, &d);
    if (p->unfit)
        return;
    exercise_givens(p, PREEMPT_SMS, PREEMPT_PER_SM, d.long_waves, d.block, d.short_waves, d.wave,
                    d.level, d.at);
    solve_preempt(p, &d);
    int slots = PREEMPT_SMS * PREEMPT_PER_SM;
    exercise_head(p, PREEMPT_SMS, "", "{\"name\": \"cqos\", \"epsilon\": 0}", "block");
    exercise_app(p, "long", 0, ", \"np_target\": 0.5", slots * d.long_waves, d.block * d.long_waves,
                 kernel);
    exercise_app(p, "short", d.at, exercise_text(p, ", \"np_target\": %g", d.level),
                 slots * d.short_waves, d.wave * d.short_waves, kernel);
    exercise_simulate(p);
    exercise_answer(p, exercise_end_ms(p, 1) - d.at, 0.005);
    exercise_spans_of_run(p);
}
