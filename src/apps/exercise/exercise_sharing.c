/* Exercises on who runs when: queues, leftover MPS, time slices, priorities. */
#include "apps/exercise/exercise_build.h"

/* ---- leftover ---- */

void exercise_leftover(struct exercise_problem *p) {
    int sms = exercise_draw(p, 4, 12), waves = exercise_draw(p, 2, 3);
    int blocks = exercise_draw(p, (waves - 1) * sms + 1, waves * sms - 1);
    double a = exercise_draw(p, 2, 9), b = exercise_draw(p, 2, 9), c = exercise_draw(p, 1, 6);
    exercise_givens(p, sms, a, blocks, b, c);
    exercise_head(p, sms, "", "mps", "block");
    exercise_app(p, "A", 0, "", sms, a, ", \"threads\": 256, \"smem_bytes\": 4096");
    exercise_app(p, "B", 0, "", blocks, b * waves, ", \"threads\": 256, \"smem_bytes\": 98304");
    exercise_app(p, "C", 0, "", sms, c, ", \"threads\": 256");
    exercise_simulate(p);
    exercise_step(p, "",
                  "t = 0: A takes a place on every SM. No SM has all its shared memory free, so B "
                  "waits at the head, and C behind it");
    exercise_step(
        p, "", "t = %g: A ends. B's first %d blocks start, one per SM; %d wait, and C behind them",
        a, sms, (blocks - sms));
    exercise_step(
        p, "Baymax 2.2",
        "t = %g + %d x %g = %g: the last of B's %d waves starts. Nothing stands before C any more",
        a, waves - 1, b, a + (waves - 1) * b, waves);
    exercise_step(p, "", "C starts there and ends at %g + %g = %.6g ms", a + (waves - 1) * b, c,
                  a + (waves - 1) * b + c);
    exercise_mistake(p, c, "C fits beside A, but may not pass B, which came before it");
    exercise_mistake(p, a + c, "B still has blocks to place then");
    exercise_mistake(p, a + waves * b + c,
                     "C need not wait for B's end, only until all its blocks are placed");
    exercise_answer(p, exercise_end_ms(p, 2), 0.005);
    exercise_spans_of_run(p);
}

/* ---- one hardware queue ---- */

void exercise_one_queue(struct exercise_problem *p) {
    int kernels = exercise_draw(p, 3, 6), sms = 16, blocks = exercise_draw(p, 4, 8);
    double a = 0.5 * exercise_draw(p, 2, 12), b = 0.5 * exercise_draw(p, 2, 12),
           at = 0.1 * exercise_draw(p, 1, 5);
    double start = fmax(at, (kernels - 1) * a);
    exercise_givens(p, kernels, a, at, b, blocks, sms);
    exercise_head(p, sms, ", \"hw_queues\": 1", "mps", "block");
    exercise_app(p, "A", 0, "", blocks, a, ", \"threads\": 1024, \"kernels\": %d", kernels);
    exercise_app(p, "B", at, "", blocks, b, ", \"threads\": 1024");
    exercise_simulate(p);
    exercise_step(p, "",
                  "kernel n of A starts when kernel n - 1 ends; until then it stands at the head "
                  "of the queue");
    exercise_step(p, "", "the last one starts at (%d - 1) x %g = %g ms, and B's right behind it",
                  kernels, a, start);
    exercise_step(p, "", "B ends at %g + %g = %.6g ms; with a queue of its own at %g ms", start, b,
                  start + b, at + b);
    exercise_mistake(p, at + b, "that is with a queue for each stream (Hyper-Q)");
    exercise_mistake(p, kernels * a + b,
                     "B waits until A's last kernel has left the queue, not until it ends");
    exercise_answer(p, exercise_end_ms(p, 1), 0.005);
    exercise_spans_of_run(p);
}

/* ---- time slices ---- */

enum { SLICED_MOST = 4 };

/* What the steps and the picture tell: slices in turn; a kernel that ends gives the rest of its
 * slice away. */
static double tell_slices(struct exercise_problem *p, const double *work, int apps, double slice,
                          double change, int asked) {
    static const char *const names[SLICED_MOST] = {"A", "B", "C", "D"};
    double left[SLICED_MOST], now = 0, answer = NAN;
    int remaining = apps, turn = 0, last = -1;
    for (int i = 0; i < apps; i++)
        left[i] = work[i];
    for (; remaining > 0; turn = (turn + 1) % apps) {
        if (left[turn] <= 0)
            continue;
        now += last >= 0 && last != turn ? change : 0;
        last = turn;
        double runs = fmin(left[turn], remaining == 1 ? left[turn] : slice);
        left[turn] -= runs;
        exercise_span(p, "ms", names[turn], "runs", now, now + runs);
        now += runs;
        if (left[turn] <= 0) {
            remaining--;
            exercise_step(p, "", "%s ends at %.6g ms", names[turn], now);
            answer = turn == asked ? now : answer;
        }
    }
    return answer;
}

void exercise_timeslice(struct exercise_problem *p) {
    static const char *const names[SLICED_MOST] = {"A", "B", "C", "D"};
    int apps = exercise_draw(p, 2, 3), asked = exercise_draw(p, 0, apps - 1);
    double slice = exercise_draw(p, 2, 4), change = 0.05 * exercise_draw(p, 1, 6),
           work[SLICED_MOST], sum = 0;
    p->story = exercise_text(
        p,
        "Without MPS, applications take turns: the GPU runs one of them for a time "
        "slice, saves its state, and runs the next, in the order %s and again from the "
        "start. All launch one kernel at time 0; the first slice needs no switch. A "
        "kernel that ends gives the rest of its slice away.",
        apps == 2 ? "A, B" : "A, B, C");
    exercise_givens(p, slice, change);
    exercise_head(p, 16,
                  exercise_text(p, ", \"time_slice_us\": %g, \"time_slice_switch_us\": %g",
                                1e3 * slice, 1e3 * change),
                  "timeslice", "fluid");
    for (int i = 0; i < apps; i++) {
        work[i] = exercise_draw(p, 3, 14) + 0.5;
        sum += work[i];
        exercise_give(p, names[i], work[i], "ms", "duration of %s's kernel alone", names[i]);
        exercise_app(p, names[i], 0, "", 16, work[i], ", \"threads\": 1024");
    }
    exercise_simulate(p);
    p->question = exercise_text(p, "When does %s's kernel end?", names[asked]);
    double hand = tell_slices(p, work, apps, slice, change, asked);
    exercise_step(p, "", "so %s, whose end is asked for, ends at %.6g ms", names[asked], hand);
    exercise_mistake(p, sum, "that leaves out the switches");
    exercise_mistake(p, work[asked], "that is its time alone");
    exercise_answer(p, exercise_end_ms(p, (uint32_t)asked), 0.005);
}

/* ---- priority ---- */

void exercise_priority(struct exercise_problem *p) {
    int sms = exercise_draw(p, 4, 16), waves = exercise_draw(p, 3, 6);
    double low = exercise_draw(p, 2, 8), high = 0.5 * exercise_draw(p, 1, 8);
    double at = 0.5 * exercise_draw(p, 1, (int)(2 * low) * (waves - 1) - 1);
    double boundary = low * ceil(at / low), end = boundary + high;
    exercise_givens(p, sms, waves, low, at, high);
    exercise_head(p, sms, "", "stream-priority", "block");
    exercise_app(p, "batch", 0, "", 2 * sms * waves, low * waves, ", \"threads\": 1024");
    exercise_app(p, "urgent", at, ", \"priority\": 1", 2 * sms, high, ", \"threads\": 1024");
    exercise_simulate(p);
    exercise_step(p, "", "at %g ms blocks of wave %g run; they end at %g ms", at, boundary / low,
                  boundary);
    exercise_step(p, "", "then the urgent blocks go first: from %g to %g ms", boundary, end);
    exercise_step(p, "", "the batch kernel goes on then, and ends at %g ms", waves * low + high);
    exercise_step(p, "", "latency: %g - %g = %.6g ms", end, at, end - at);
    exercise_mistake(p, high, "blocks that run are not preempted");
    exercise_mistake(p, waves * low + high - at,
                     "it need not wait for the whole batch kernel, only for blocks that run");
    p->unfit |= boundary == at;
    exercise_answer(p, exercise_end_ms(p, 1) - at, 0.005);
    exercise_spans_of_run(p);
}
