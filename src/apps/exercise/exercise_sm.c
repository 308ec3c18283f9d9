/* Exercises on blocks, SMs and waves. */
#include "apps/exercise/exercise_build.h"

#include "models/device/occupancy.h"
#include "workload/setup.h"

static double ceiling(double a, double b) {
    return ceil(a / b - 1e-9);
}

/* ---- occupancy ---- */

static const char *limit_text(struct exercise_problem *p, int64_t blocks) {
    return blocks == INT64_MAX ? "any number of" : exercise_text(p, "%d", (int)blocks);
}

/* The steps, and what somebody gets who counts registers without their granularity. */
static void explain_occupancy(struct exercise_problem *p, const struct gpu *gpu,
                              const struct occupancy_limits *limits, int threads, int registers,
                              int smem) {
    int warps = (threads + 31) / 32, per_warp = (registers * 32 + 255) / 256 * 256,
        part = (int)gpu->registers_per_sm / 4;
    exercise_step(p, "", "threads: %d warps of 32 per block; %d / %d: %s blocks", warps,
                  (int)gpu->threads_per_sm, 32 * warps,
                  limit_text(p, limits->blocks[OCCUPANCY_THREADS]));
    exercise_step(p, "", "block slots: %s blocks", limit_text(p, gpu->blocks_per_sm));
    exercise_step(p, "CUDA occupancy calculator",
                  "registers: %d x 32 per warp, in units of 256: %d. Each of the SM's 4 parts has "
                  "%d, room for %d warps, %d in all; %d per block: %s blocks",
                  registers, per_warp, part, part / per_warp, part / per_warp * 4, warps,
                  limit_text(p, limits->blocks[OCCUPANCY_REGISTERS]));
    exercise_step(p, "", "shared memory: %d / %d: %s blocks", (int)gpu->smem_per_sm_bytes, smem,
                  limit_text(p, limits->blocks[OCCUPANCY_SMEM]));
}

void exercise_occupancy(struct exercise_problem *p) {
    struct gpu gpu;
    enum occupancy_limit limit;
    int threads = 32 * exercise_draw(p, 2, 12), registers = exercise_draw(p, 24, 96),
        smem = 1024 * exercise_draw(p, 1, 24);
    p->status = setup_gpu("v100", "exercise", NULL, &p->arena, &gpu, p->diags);
    if (p->status != CT_OK)
        return;
    exercise_givens(p, threads, registers, smem, gpu.threads_per_sm, gpu.blocks_per_sm,
                    gpu.registers_per_sm, gpu.smem_per_sm_bytes);
    struct occupancy_limits limits =
        occupancy_limits(&gpu, (uint32_t)threads, (uint32_t)registers, (uint32_t)smem);
    int blocks = occupancy_blocks_per_sm(&gpu, (uint32_t)threads, (uint32_t)registers,
                                         (uint32_t)smem, &limit);
    explain_occupancy(p, &gpu, &limits, threads, registers, smem);
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (limits.blocks[i] < INT64_MAX)
            exercise_value(p, "blocks", occupancy_limit_name((enum occupancy_limit)i),
                           limits.blocks[i]);
    exercise_step(p, "", "the least is that of %s: %d", occupancy_limit_name(limit), blocks);
    exercise_mistake(p, limits.blocks[OCCUPANCY_THREADS], "that is what the threads alone allow");
    p->unfit |= blocks < 2;
    exercise_answer(p, blocks, 0);
}

/* ---- waves ---- */

void exercise_waves(struct exercise_problem *p) {
    int apps = exercise_draw(p, 2, 4), sms = apps * exercise_draw(p, 4, 12), per_sm = 2;
    int blocks = exercise_draw(p, per_sm * sms + 1, 5 * per_sm * sms);
    double wave_ms = 0.5 * exercise_draw(p, 1, 10);
    double all = ceiling(blocks, (per_sm * sms));
    int slots = per_sm * (sms / apps);
    double part = ceiling(blocks, slots);
    exercise_givens(p, apps, sms, blocks, all * wave_ms);
    exercise_head(p, sms, "", "even", "block");
    for (int i = 0; i < apps; i++)
        exercise_app(p, exercise_text(p, "app%d", i + 1), 0, "", blocks, all * wave_ms,
                     ", \"threads\": 1024");
    exercise_simulate(p);
    exercise_step(p, "", "alone: %d slots, ceil(%d / %d) = %g waves of %g ms", (per_sm * sms),
                  blocks, (per_sm * sms), all, wave_ms);
    exercise_step(p, "", "in a partition of %d SMs: ceil(%d / %d) = %g waves", (sms / apps), blocks,
                  (per_sm * sms / apps), part);
    exercise_step(p, "", "%g x %g ms = %.6g ms", part, wave_ms, part * wave_ms);
    exercise_mistake(p, all * wave_ms * apps,
                     "time does not simply grow with the number of applications: the last wave "
                     "need not be full");
    exercise_answer(p, exercise_end_ms(p, 0), 0.005);
    for (int w = 0; w < (int)part; w++)
        exercise_span(p, "ms", "partition", exercise_text(p, "%d", w + 1), w * wave_ms,
                      (w + 1) * wave_ms);
    for (int w = 0; w < (int)all; w++)
        exercise_span(p, "ms", "alone", exercise_text(p, "%d", w + 1), w * wave_ms,
                      (w + 1) * wave_ms);
}

/* ---- caps ---- */

void exercise_caps(struct exercise_problem *p) {
    int apps = exercise_draw(p, 3, 8), sms = 40, per_sm = 2, slots = sms * per_sm;
    int blocks = exercise_draw(p, slots + 1, 6 * slots);
    double wave_ms = 0.5 * exercise_draw(p, 1, 8);
    double cap = floor(2000.0 / apps + 0.5) / 1000; /* a whole number per mille */
    double held = nearbyint(cap * sms);
    double all = ceiling(blocks, slots);
    double waves = ceiling(blocks, held * per_sm);
    exercise_givens(p, apps, sms, blocks, wave_ms);
    exercise_head(p, sms, "", "mps-even", "block");
    exercise_app(p, "first", 0, "", blocks, all * wave_ms, ", \"threads\": 1024");
    exercise_app(p, "others", 10 * waves * wave_ms,
                 exercise_text(p, ", \"instances\": %d", apps - 1), blocks, all * wave_ms,
                 ", \"threads\": 1024");
    exercise_simulate(p);
    exercise_step(p, "Laius 3.3", "cap: 200 %% / %d = %g %%, of %d SMs: %g", apps, 100 * cap, sms,
                  held);
    exercise_step(p, "", "ceil(%d / (2 x %g)) = %g waves", blocks, held, waves);
    exercise_step(p, "", "%g x %g ms = %.6g ms; without a cap %g ms", waves, wave_ms,
                  waves * wave_ms, all * wave_ms);
    exercise_mistake(p, all * wave_ms, "the cap holds although nobody else uses the other SMs");
    exercise_mistake(p, wave_ms * ceiling(blocks, floor((double)slots / apps)),
                     "the caps of mps-even add up to 200 %%, not to 100 %%");
    exercise_answer(p, exercise_end_ms(p, 0), 0.005);
    exercise_span(p, "ms", "capped", "kernel", 0, waves * wave_ms);
    exercise_span(p, "ms", "uncapped", "kernel", 0, all * wave_ms);
}
