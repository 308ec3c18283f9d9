/* Exercises on Baymax (ASPLOS'16): copies, headroom, refill. */
#include "apps/exercise/exercise_build.h"

#include <string.h>

/* ---- N_tr ---- */

void exercise_copy_limit(struct exercise_problem *p) {
    double link = 100 * exercise_draw(p, 80, 160), own = 100 * exercise_draw(p, 18, 40);
    double ratio = link / own, most = fmax(1, floor(ratio) - 1);
    int waiting = (int)ratio + 3, active = 0;
    exercise_givens(p, link, own, waiting);
    const char *gpu = exercise_text(
        p, ", \"pcie_mb_s\": %g, \"pcie_pinned_mb_s\": %g, \"pcie_pageable_mb_s\": %g", link, link,
        own);
    const char *more =
        exercise_text(p, ", \"copy_memory\": \"pageable\", \"instances\": %d", waiting);
    exercise_head(p, 16, gpu, "baymax", "fluid");
    exercise_app(p, "batch", 0, more, 1, 1, ", \"bytes_in\": 100000000");
    exercise_simulate(p);
    exercise_step(p, "Baymax Eq. 5", "floor(%g / %g) = %g copies run at full rate", link, own,
                  floor(ratio));
    exercise_step(p, "Baymax Eq. 5", "less one for the query: N_tr = %g", most);
    exercise_mistake(p, floor(ratio), "one is kept free for the query");
    p->unfit |= ratio == floor(ratio) || most < 2;
    struct ct_task_record task;
    for (size_t i = 0; exercise_task(p, i, &task); i++)
        if (strcmp(task.kind, "copy") == 0) {
            active += ct_time_ms(task.issued_ps) == 0;
            exercise_span(p, "ms", exercise_text(p, "batch.%u", task.instance), "copy",
                          ct_time_ms(task.started_ps), ct_time_ms(task.ended_ps));
        }
    exercise_answer(p, active, 0);
}

/* ---- headroom of one query ---- */

/* A service with one query; its kernels are launched one behind the other without waiting. */
static void add_service(struct exercise_problem *p, const char *name, double at_ms,
                        double target_ms, int kernels, double kernel_ms) {
    exercise_app(p, name, at_ms,
                 exercise_text(p, ", \"role\": \"service\", \"qos_ms\": %g", target_ms), 32,
                 kernel_ms, ", \"threads\": 1024, \"kernels\": %d", kernels);
}

static void add_batch(struct exercise_problem *p, double at_ms, int kernels, double kernel_ms) {
    exercise_app(p, "batch", at_ms, "", 32, kernel_ms, ", \"threads\": 1024, \"kernels\": %d",
                 kernels);
}

/* Kernels of an application that were issued at this time. */
static int issued_at(const struct exercise_problem *p, uint32_t app, double ms) {
    int count = 0;
    struct ct_task_record task;
    for (size_t i = 0; exercise_task(p, i, &task); i++)
        count += task.app == app && fabs(ct_time_ms(task.issued_ps) - ms) < 1e-6;
    return count;
}

void exercise_headroom(struct exercise_problem *p) {
    double kernel = exercise_draw(p, 2, 6), before = exercise_draw(p, 8, 20);
    int kernels = exercise_draw(p, 2, 6), many = 60;
    double self = kernels * kernel, target = self + exercise_draw(p, 30, 90),
           each = exercise_draw(p, 3, 7), at = 0.5 * exercise_draw(p, 2, 8), later = at + 0.5;
    double headroom = target - before - self, fit = floor(headroom / each);
    exercise_givens(p, before, at, target, kernels, kernel, each);
    exercise_head(p, 16, "", "baymax", "fluid");
    exercise_app(p, "running", 0, "", 32, before, ", \"threads\": 1024");
    add_service(p, "query", at, target, kernels, kernel);
    add_batch(p, later, many, each);
    exercise_simulate(p);
    exercise_step(p, "Baymax Eq. 3", "T_hr = T_tgt - T_q - T_self = %g - %g - %g = %g ms", target,
                  before, self, headroom);
    exercise_step(p, "Baymax Eq. 4",
                  "each of its kernels moves from what it still needs into T_q when it is issued: "
                  "T_hr stays %g ms",
                  headroom);
    exercise_step(p, "Baymax 5.2.2", "floor(%g / %g) = %g batch kernels pass", headroom, each, fit);
    exercise_mistake(p, floor((target - self) / each), "T_q holds the running kernel, too");
    p->unfit |= fit < 1 || fit >= many || later >= before;
    exercise_answer(p, issued_at(p, 2, later), 0);
    exercise_value(p, "ms", "T_tgt", target);
    exercise_value(p, "ms", "T_q", before);
    exercise_value(p, "ms", "T_self", self);
    exercise_value(p, "ms", "T_hr", exercise_noted(p, 1, "headroom_first_ps", 0) / 1e9);
}

/* ---- several queries ---- */

void exercise_queries(struct exercise_problem *p) {
    double a = exercise_draw(p, 4, 9), b = exercise_draw(p, 3, 8), each = exercise_draw(p, 3, 7);
    int na = exercise_draw(p, 2, 5), nb = exercise_draw(p, 1, 4), many = 80;
    double self_a = a * na, self_b = b * nb;
    double target_a = self_a + self_b + exercise_draw(p, 20, 80),
           target_b = 2 * self_a + self_b + exercise_draw(p, 20, 80);
    int ended = exercise_draw(p, 0, na - 1);
    double at = a * ended + 0.5, later = at + 0.5;
    double rest = self_a - a * ended; /* of A, not completed: in T_q, and t_A */
    double of_a = target_a - self_a - self_b, of_b = target_b - rest - self_b - rest;
    double least = fmin(of_a, of_b), fit = floor(least / each);
    exercise_givens(p, target_a, na, a, at, target_b, nb, b, each);
    exercise_head(p, 16, "", "baymax", "fluid");
    add_service(p, "A", 0, target_a, na, a);
    add_service(p, "B", at, target_b, nb, b);
    add_batch(p, later, many, each);
    exercise_simulate(p);
    exercise_step(p, "Baymax Eq. 3, 4", "A at time 0: T_hr = %g - %g = %g ms", target_a, self_a,
                  target_a - self_a);
    exercise_step(p, "Baymax 5.2.3",
                  "at %g ms %d of A's kernels have completed: T_q = %g, t_A = %g", at, ended, rest,
                  rest);
    exercise_step(p, "Baymax Eq. 3",
                  "B: T_hr = T_tgt - T_q - T_self - t_A = %g - %g - %g - %g = %g ms", target_b,
                  rest, self_b, rest, of_b);
    exercise_step(p, "Baymax 5.2.3", "B's kernels, once issued, take %g from A: %g ms", self_b,
                  of_a);
    exercise_step(p, "Baymax 5.2.2", "the least is %g: floor(%g / %g) = %g batch kernels pass",
                  least, least, each, fit);
    exercise_mistake(p, floor((target_a - self_a) / each),
                     "that is A's headroom before B came; and B has one, too");
    exercise_mistake(p, floor(fmax(of_a, of_b) / each), "it must fit the headroom of every query");
    p->unfit |= fit < 1 || fit >= many || of_a == of_b || later >= self_a;
    exercise_answer(p, issued_at(p, 2, later), 0);
    exercise_value(p, "ms", "A: T_hr", of_a);
    exercise_value(p, "ms", "B: T_hr", exercise_noted(p, 1, "headroom_first_ps", 0) / 1e9);
}

/* ---- refill ---- */

void exercise_refill(struct exercise_problem *p) {
    double kernel = exercise_draw(p, 4, 9), small = exercise_draw(p, 2, 6),
           target = exercise_draw(p, 60, 120), at = 0.5; /* course.json */
    int kernels = exercise_draw(p, 3, 6), done = exercise_draw(p, 1, kernels - 1),
        many = exercise_draw(p, 3, 8);
    double self = kernel * kernels, now = kernel * done;
    double ended = floor((now - at) / small), running = small * (many - ended);
    double own = self - kernel * (done + 1), headroom = target - now - running - kernel - own;
    exercise_givens(p, target, kernels, kernel, many, small, done);
    exercise_head(p, 16, "", "baymax", "fluid");
    exercise_app(
        p, "query", 0,
        exercise_text(p, ", \"role\": \"service\", \"qos_ms\": %g, \"launches\": \"one-by-one\"",
                      target),
        16, kernel, ", \"threads\": 1024, \"kernels\": %d", kernels);
    exercise_app(p, "batch", at, "", 8, small, ", \"threads\": 1024, \"kernels\": %d", many);
    exercise_simulate(p);
    exercise_step(p, "",
                  "time used: %d x %g = %g ms; by then floor((%g - %g) / %g) = %g batch kernels "
                  "have completed",
                  done, kernel, now, now, at, small, ended);
    exercise_step(p, "Baymax Eq. 4", "T_q: %g batch kernels and the query's new one, %g + %g = %g",
                  many - ended, running, kernel, running + kernel);
    exercise_step(p, "Baymax Eq. 4", "still to launch: %g - %d x %g = %g", self, done + 1, kernel,
                  own);
    exercise_step(p, "Baymax Eq. 4", "T_hr = (%g - %g) - %g - %g = %.6g ms", target, now,
                  running + kernel, own, headroom);
    exercise_mistake(p, target - self - small * many,
                     "that is without refill: what completed beside the query comes back");
    exercise_mistake(p, target - self,
                     "batch kernels that are not completed are still in T_q, in full");
    bool tie = ended * small == now - at;
    p->unfit |= ended < 1 || ended >= many || tie || target - self < small * many;
    exercise_answer(p, exercise_noted(p, 0, "headroom_refill_ps", (size_t)done) / 1e9, 0.005);
    exercise_spans_of_run(p);
}
