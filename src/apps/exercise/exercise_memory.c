/* Exercises on the host link and on DRAM. */
#include "apps/exercise/exercise_build.h"

#include "base/ct_sort.h"
#include "models/device/dram_bank.h"

/* ---- copies that share a link ---- */

enum { COPIES_MOST = 6 };

/* Tells the steps of a solution from the end of one copy to the next; returns the end of the last.
 */
static double tell_copies(struct exercise_problem *p, const double *mb, int count, double link,
                          double own) {
    double sorted[COPIES_MOST] = {0}, now = 0, moved = 0;
    for (int i = 0; i < count; i++)
        sorted[i] = mb[i];
    ct_sort_doubles(sorted, (size_t)count);
    for (int i = 0; i < count; i++) {
        double rate = fmin(own, link / (count - i)); /* MB per ms */
        if (sorted[i] > moved) {
            double end = now + (sorted[i] - moved) / rate;
            exercise_step(p, "Baymax 6.1",
                          "%.5g to %.5g ms: %d moving at min(%g, %g / %d) = %.5g MB/ms; the copy "
                          "of %g MB ends",
                          now, end, (count - i), own, link, (count - i), rate, sorted[i]);
            now = end;
        }
        moved = sorted[i];
    }
    return now;
}

void exercise_copies(struct exercise_problem *p) {
    int count = exercise_draw(p, 3, COPIES_MOST);
    double link = exercise_draw(p, 8, 14), own = exercise_draw(p, 25, 50) / 10.0;
    double mb[COPIES_MOST], largest = 0;
    exercise_givens(p, link, own);
    exercise_head(p, 16,
                  exercise_text(p,
                                ", \"pcie_mb_s\": %g, \"pcie_pinned_mb_s\": %g, "
                                "\"pcie_pageable_mb_s\": %g, \"copy_latency_us\": 0",
                                1e3 * link, 1e3 * link, 1e3 * own),
                  "mps", "fluid");
    for (int i = 0; i < count; i++) {
        mb[i] = 4 * exercise_draw(p, 1, 25);
        for (int k = 0; k < i; k++)
            p->unfit |= mb[k] == mb[i];
        largest = fmax(largest, mb[i]);
        exercise_give(p, exercise_text(p, "copy%d", i + 1), mb[i], "MB", "copy %d", i + 1);
        exercise_app(p, exercise_text(p, "copy%d", i + 1), 0, ", \"copy_memory\": \"pageable\"", 1,
                     0.001, ", \"bytes_in\": %.0f", 1e6 * mb[i]);
    }
    exercise_simulate(p);
    double hand = tell_copies(p, mb, count, link, own);
    exercise_step(p, "", "the last one ends at %.6g ms", hand);
    exercise_mistake(p, largest / own, "that is the largest copy alone");
    exercise_mistake(p, largest / fmin(own, link / count),
                     "when a copy ends the others share what it leaves");
    double last = 0;
    for (uint32_t i = 0; i < (uint32_t)count; i++)
        last = fmax(last, exercise_end_ms(p, i));
    exercise_answer(p, last, 0.005);
    for (uint32_t i = 0; i < (uint32_t)count; i++)
        exercise_span(p, "ms", exercise_text(p, "copy%u", i + 1), exercise_text(p, "%g MB", mb[i]),
                      0, exercise_end_ms(p, i));
}

/* ---- row-buffer hits ---- */

enum { BANK_REQUESTS = 40000 };

void exercise_rows(struct exercise_problem *p) {
    const struct dram_preset *preset = dram_preset_find("hsm-hbm");
    int window = exercise_draw(p, 16, 28), rate = exercise_draw(p, 0, 10);
    double hits = 0.05 * rate;
    struct dram_preset own = *preset;
    own.cycles.faw = window;
    own.cycles.refi = 1000000; /* refresh is left out, below */
    double data = dram_preset_data_cycles(&own);
    double hand = 4 * data / window / (1 - hits);
    struct dram_bank_app app = {.locality = hits, .share = 1};
    struct dram_bank_params params = {.preset = &own,
                                      .apps = &app,
                                      .app_count = 1,
                                      .reads = 1,
                                      .streams = own.streams,
                                      .cap = 5,
                                      .queue = DRAM_QUEUE,
                                      .requests = BANK_REQUESTS,
                                      .seed = p->seed,
                                      .refresh = false};
    struct dram_bank_result result = {0};
    exercise_givens(p, window, data, hits);
    exercise_step(p, "", "four activates per %d cycles serve 4 / (1 - %g) = %.5g requests", window,
                  hits, 4 / (1 - hits));
    exercise_step(p, "activate limit", "these take %.5g x %g = %.5g cycles of data", 4 / (1 - hits),
                  data, 4 * data / (1 - hits));
    p->status = dram_bank_run(&params, &result, p->diags);
    exercise_step(p, "",
                  "the bank-level model, request by request, has a hit rate of %.3f and the bus "
                  "busy for %.2f %%",
                  result.row_hit_rate, 100 * result.utilisation);
    exercise_step(p, "", "%.5g / %d = %.4g %%", 4 * data / (1 - hits), window, 100 * hand);
    if (hits > 0)
        exercise_mistake(p, 100 * 4 * data / window,
                         "hits need no activate: more requests than four pass per window");
    for (int i = 0; i <= 5; i++) {
        double at = 0.1 * i;
        exercise_value(p, "% of peak", exercise_text(p, "RBH %.1f", at),
                       100 * fmin(1, dram_preset_activate_limit(&own, at)));
    }
    /* Close to the limit of the bus itself the activates no longer bind alone. */
    p->unfit |= hand > 0.75;
    exercise_answer(p, 100 * result.utilisation, 0.03);
}

/* ---- a saturated memory ---- */

void exercise_bandwidth(struct exercise_problem *p) {
    double hits[2], part[2], work[2];
    exercise_head(p, 40, ", \"memory_sharing\": \"fair\"", "even", "fluid");
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "B" : "A";
        hits[i] = 0.05 * exercise_draw(p, 6, 20);
        part[i] = 0.01 * exercise_draw(p, 35, 80);
        work[i] = exercise_draw(p, 4, 20);
        p->unfit |= part[i] > 0.5 * hits[i] + 0.36;
        exercise_give(p, exercise_text(p, "part%s", name), 100 * part[i], "%",
                      "of peak that %s draws alone", name);
        exercise_give(p, exercise_text(p, "hits%s", name), hits[i], "", "row-buffer hit rate of %s",
                      name);
        exercise_give(p, exercise_text(p, "work%s", name), work[i], "ms", "duration of %s alone",
                      name);
        exercise_app(p, name, 0, "", 20, work[i],
                     ", \"threads\": 256, \"dram_fraction\": %g, \"row_hit_rate\": %g", part[i],
                     hits[i]);
    }
    exercise_simulate(p);
    double asked = part[0] + part[1];
    double mixed = (part[0] * hits[0] + part[1] * hits[1]) / asked;
    double supply = 0.5 * mixed + 0.36, rate = supply / asked;
    int first = work[0] <= work[1] ? 0 : 1, last = 1 - first;
    double end = work[first] / rate, all = end + work[last] - work[first];
    exercise_step(p, "HSM 4.3", "mean hit rate: (%g x %g + %g x %g) / %g = %.5g", part[0], hits[0],
                  part[1], hits[1], asked, mixed);
    exercise_step(
        p, "HSM Eq. 3",
        "supply: 0.5 x %.5g + 0.36 = %.5g of peak, asked %.5g: progress at %.5g of full speed",
        mixed, supply, asked, rate);
    exercise_step(p, "", "the shorter one ends at %g / %.5g = %.6g ms", work[first], rate, end);
    exercise_step(p, "", "the longer one has %g ms of work left, alone: %.6g ms",
                  work[last] - work[first], all);
    p->unfit |= rate > 0.9 || work[first] == work[last];
    exercise_mistake(p, work[last], "together they ask for more than the memory delivers");
    exercise_mistake(p, work[last] / rate, "when the shorter one has ended the other runs alone");
    exercise_answer(p, exercise_end_ms(p, (uint32_t)last), 0.005);
    exercise_spans_of_run(p);
}
