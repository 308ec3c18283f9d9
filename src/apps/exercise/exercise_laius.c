/* Exercises on Laius (ICS'19): just-enough quota, allocation, lag. */
#include "apps/exercise/exercise_build.h"

#include "policies/laius_allocate.h"

enum { PARTS = 10, SMS = 40, PER_SM = 2, SLOTS = SMS * PER_SM };

/* Quotas of 10 %, and no price for the hand-over between processes. */
#define POLICY "{\"name\": \"laius\", \"quota_step_pct\": 10, \"pool_cost_pct\": 0}"

/* Waves of a kernel that may use `quota` tenths of the SMs. */
static double waves_at(int blocks, int quota) {
    int slots = SLOTS * quota / PARTS;
    return ceil((double)blocks / slots - 1e-9);
}

/* ---- just enough ---- */

void exercise_quota(struct exercise_problem *p) {
    int blocks = exercise_draw(p, 200, 600), kernels = exercise_draw(p, 1, 4), quota = 1;
    double wave = 0.1 * exercise_draw(p, 4, 12), in = 0.5 * exercise_draw(p, 2, 12);
    double target = exercise_draw(p, 20, 120), left = target - in;
    double most = 0;
    for (; quota < PARTS && kernels * waves_at(blocks, quota) * wave > left; quota++)
        continue;
    most = kernels * waves_at(blocks, PARTS) * wave;
    exercise_givens(p, target, in, kernels, SLOTS, blocks, wave);
    const char *gpu = ", \"pcie_mb_s\": 10000, \"pcie_pinned_mb_s\": 10000, "
                      "\"pcie_pageable_mb_s\": 10000, \"copy_latency_us\": 0";
    exercise_head(p, SMS, gpu, POLICY, "fluid");
    exercise_app(p, "query", 0, exercise_text(p, ", \"role\": \"service\", \"qos_ms\": %g", target),
                 blocks, waves_at(blocks, PARTS) * wave,
                 ", \"threads\": 1024, \"kernels\": %d, \"bytes_in\": %.0f", kernels, 1e7 * in);
    exercise_simulate(p);
    exercise_step(p, "Laius Eq. 3", "left of the target after the copy: %g - %g = %g ms", target,
                  in, left);
    for (int q = 1; q <= quota; q++)
        exercise_step(p, "", "%d %%: ceil(%d / %d) = %g waves, %d kernels: %.5g ms%s", q * 10,
                      blocks, (SLOTS * q / PARTS), waves_at(blocks, q), kernels,
                      kernels * waves_at(blocks, q) * wave, q < quota ? ", too long" : "");
    exercise_step(p, "Laius Eq. 3", "the smallest that fits: %d %%", quota * 10);
    double naive = ceil(10 * most / left) * 10;
    if (naive != quota * 10)
        exercise_mistake(p, naive, "the duration does not grow with 1 / quota: waves are whole");
    for (int q = 1; q <= PARTS; q++)
        exercise_value(p, "ms", exercise_text(p, "%d %%", q * 10),
                       kernels * waves_at(blocks, q) * wave);
    p->unfit |= quota < 2 || quota == PARTS;
    for (int q = 1; q <= PARTS; q++)
        p->unfit |= fabs(kernels * waves_at(blocks, q) * wave - left) < 1e-6;
    struct ct_task_record task;
    if (exercise_find_task(p, 0, 1, &task))
        exercise_answer(p, task.share / 10.0, 0);
}

/* ---- knapsack ---- */

/* Tasks, and free tenths of the SMs, as course.json says (40 %). */
enum { TASKS = 3, FREE = 4 };

/* Values with falling gains, as more SMs help less and less; bandwidth with rising ones. */
static void draw_item(struct exercise_problem *p, int task, struct laius_item *item) {
    int gain = exercise_draw(p, 30, 60);
    for (int q = 1; q <= FREE; q++) {
        item->value[q] = item->value[q - 1] + gain;
        item->bandwidth[q] = item->bandwidth[q - 1] + exercise_draw(p, 20, 90);
        gain = gain * exercise_draw(p, 50, 95) / 100;
        exercise_give(p, exercise_text(p, "v%d%d", task, q), item->value[q], "",
                      "task %d with %d0 %%: value", task + 1, q);
        exercise_give(p, exercise_text(p, "w%d%d", task, q), item->bandwidth[q], "GB/s",
                      "task %d with %d0 %%: bandwidth", task + 1, q);
    }
}

void exercise_knapsack(struct exercise_problem *p) {
    struct laius_knapsack *sack = ct_arena_alloc(&p->arena, sizeof *sack);
    struct laius_item *items = ct_arena_array(&p->arena, LAIUS_TASKS_MOST, sizeof *items);
    p->failed |= !sack || !items;
    if (p->failed)
        return;
    sack->count = TASKS;
    sack->capacity = FREE;
    sack->bandwidth_limit = exercise_draw(p, 120, 260);
    exercise_givens(p, sack->bandwidth_limit);
    for (int i = 0; i < TASKS; i++) {
        draw_item(p, i, &items[i]);
        sack->items[i] = &items[i];
    }
    laius_allocate(sack);
    exercise_step(p, "Laius Eq. 5",
                  "without the limit of bandwidth: %d %%, %d %% and %d %%, value %d at %d GB/s, "
                  "which is too much",
                  sack->first.quota[0] * 10, sack->first.quota[1] * 10, sack->first.quota[2] * 10,
                  (int)sack->first.value, (int)sack->first.bandwidth);
    exercise_step(p, "Laius Eq. 4", "the best within %d GB/s: %d %%, %d %% and %d %%, at %d GB/s",
                  (int)sack->bandwidth_limit, sack->best.quota[0] * 10, sack->best.quota[1] * 10,
                  sack->best.quota[2] * 10, (int)sack->best.bandwidth);
    const char *sum = "";
    for (int i = 0; i < TASKS; i++) {
        sum = exercise_text(p, "%s%s%d", sum, i ? " + " : "",
                            (int)items[i].value[sack->best.quota[i]]);
        exercise_value(p, "% of the SMs", exercise_text(p, "task %d", i + 1),
                       10.0 * sack->best.quota[i]);
    }
    exercise_step(p, "Laius Eq. 5", "%s = %d", sum, (int)sack->best.value);
    exercise_mistake(p, sack->first.value, "that breaks the limit of bandwidth (Eq. 4)");
    exercise_answer(p, sack->best.value, 0);
}

/* ---- lag ---- */

void exercise_lag(struct exercise_problem *p) {
    int blocks = exercise_draw(p, 200, 500), kernels = exercise_draw(p, 3, 6), first = 1, after;
    double wave = 0.1 * exercise_draw(p, 4, 10), at = 0.5 * exercise_draw(p, 1, 6),
           batch = at + 0.5 * exercise_draw(p, 1, 16), lag = batch - at, n = kernels;
    double target = exercise_draw(p, 20, 120);
    for (; first < PARTS && n * waves_at(blocks, first) * wave > target; first++)
        continue;
    double predicted = waves_at(blocks, first) * wave;
    for (after = first; after < PARTS; after++)
        if ((n - 1) * (predicted - waves_at(blocks, after) * wave) >= lag - 1e-9)
            break;
    exercise_givens(p, target, at, batch, n, SLOTS, blocks, wave);
    exercise_head(p, SMS, "", POLICY, "fluid");
    exercise_app(p, "batch", 0, "", SLOTS, batch, ", \"threads\": 1024");
    exercise_app(p, "query", at,
                 exercise_text(p, ", \"role\": \"service\", \"qos_ms\": %g", target), blocks,
                 waves_at(blocks, PARTS) * wave, ", \"threads\": 1024, \"kernels\": %d", kernels);
    exercise_simulate(p);
    exercise_step(p, "Laius Eq. 3", "original quota: %d %%, %d x %.5g = %.5g ms within %g ms",
                  first * 10, kernels, predicted, n * predicted, target);
    exercise_step(p, "Laius 7", "first kernel: predicted %.5g ms, measured %.5g: lag %g ms",
                  predicted, predicted + lag, lag);
    for (int q = first + 1; q <= after; q++)
        exercise_step(p, "Laius Eq. 6", "%d %%: the other %d save %d x (%.5g - %.5g) = %.5g ms",
                      q * 10, kernels - 1, kernels - 1, predicted, waves_at(blocks, q) * wave,
                      (n - 1) * (predicted - waves_at(blocks, q) * wave));
    exercise_step(p, "Laius Eq. 6", "new quota: %d %%", after * 10);
    exercise_mistake(p, first * 10, "that is the original quota: the query lags");
    for (int q = 1; q <= PARTS; q++) {
        double saved = (n - 1) * (predicted - waves_at(blocks, q) * wave);
        p->unfit |=
            fabs(saved - lag) < 1e-6 || fabs(n * waves_at(blocks, q) * wave - target) < 1e-6;
        exercise_value(p, "ms saved", exercise_text(p, "%d %%", q * 10), fmax(0, saved));
    }
    p->unfit |= first == PARTS || after == PARTS;
    exercise_answer(p, exercise_noted(p, 1, "quota_per_mille", 1) / 10, 0);
}
