/* Exercises on HSM (ASPLOS'20), and on how SMs change hands. */
#include "apps/exercise/exercise_build.h"

#include "des/des_engine.h"
#include "experiment/scenario.h"
#include "models/device/device.h"
#include "policies/hsm_model.h"

/* HSM Table 1. */
#define SMS 80
#define PEAK_BYTES_PER_S 900e9
#define CLOCK_HZ 1.4e9
#define ISSUE_PER_SM 128.0 /* thread instructions per cycle: 4 schedulers of 32 */
#define EPOCH_CYCLES 500e3
/* The two points that HSM quotes, 46 % at a hit rate of 0.2 and 86 % at 1; course.json tells them.
 */
#define SLOPE 0.5
#define BASE 0.36

static const struct hsm_device device = {.sms = SMS,
                                         .peak_bytes_per_s = PEAK_BYTES_PER_S,
                                         .peak_instructions_per_s = SMS * ISSUE_PER_SM * CLOCK_HZ};

static const double epoch_ps = EPOCH_CYCLES / CLOCK_HZ * 1e12;

/* ---- normalised progress ---- */

void exercise_progress(struct exercise_problem *p) {
    int held = exercise_draw(p, 16, 64), memory = exercise_draw(p, 0, 1);
    double hits = 0.05 * exercise_draw(p, 4, 18);
    double accesses = 1e3 * (memory ? exercise_draw(p, 500, 1600) : exercise_draw(p, 50, 300));
    double instructions = 1e6 * exercise_draw(p, 200, 3000);
    struct hsm_measure measure = {.counters = {.instructions = instructions,
                                               .memory_accesses = accesses,
                                               .row_hits = hits * accesses,
                                               .busy_ps = epoch_ps},
                                  .sms = held,
                                  .blocks = 100000};
    const struct hsm_line line = {.slope = SLOPE, .base = BASE};
    double per_cycle = PEAK_BYTES_PER_S / CLOCK_HZ, supply = SLOPE * hits + BASE;
    double demand = accesses / instructions * HSM_REQUEST_BYTES * SMS * ISSUE_PER_SM / per_cycle;
    double drawn = accesses * HSM_REQUEST_BYTES / EPOCH_CYCLES / per_cycle;
    double share = (double)held / SMS;
    bool bound = demand > supply;
    exercise_givens(p, SMS, SMS * ISSUE_PER_SM, PEAK_BYTES_PER_S / CLOCK_HZ, EPOCH_CYCLES, held,
                    instructions / 1e6, accesses / 1e3, hits);
    exercise_step(p, "HSM Eq. 2", "demand: %g k / %g M x 128 B x %g = %.5g B/cycle, %.5g of peak",
                  accesses / 1e3, instructions / 1e6, SMS * ISSUE_PER_SM, demand * per_cycle,
                  demand);
    exercise_step(p, "HSM Eq. 3", "supply: %g x %g + %g = %.5g of peak: %s-bound", SLOPE, hits,
                  BASE, supply, bound ? "memory" : "compute");
    if (bound) {
        exercise_step(p, "HSM Eq. 5", "drawn: %g k x 128 B / 500000 cycles = %.5g of peak",
                      accesses / 1e3, drawn);
        exercise_step(p, "HSM Eq. 5", "NP = %.5g / %.5g = %.6g %%", drawn, supply,
                      100 * drawn / supply);
        exercise_mistake(p, 100 * share, "the kernel is bound by memory, not by SMs");
    } else {
        exercise_step(p, "HSM Eq. 4", "NP = %d / %d = %.6g %%", held, SMS, 100 * share);
        exercise_mistake(p, 100 * drawn / supply, "the kernel is bound by compute");
    }
    exercise_value(p, "% of peak", "demand", fmin(200, 100 * demand));
    exercise_value(p, "% of peak", "supply", 100 * supply);
    exercise_value(p, "% of peak", "drawn", 100 * drawn);
    /* Unfit: numbers close to the border between the bounds, or beyond what hardware can do. */
    p->unfit |= fabs(demand / supply - 1) < 0.15 || drawn > supply || bound != (memory == 1) ||
                instructions > share * SMS * ISSUE_PER_SM * EPOCH_CYCLES;
    exercise_answer(p, 100 * hsm_progress(&device, &line, &measure), 0.005);
}

/* ---- the partition ---- */

enum { APPS = 3 };

void exercise_partition(struct exercise_problem *p) {
    static const char *const names[APPS] = {"A", "B", "C"};
    struct hsm_app apps[APPS];
    int left = SMS;
    int low = 0, high = 0;
    for (int i = 0; i < APPS; i++) {
        int sms = i < APPS - 1 ? exercise_draw(p, 15, 35) : left;
        double progress = 0.01 * exercise_draw(p, 15, 90);
        left -= sms;
        apps[i] =
            (struct hsm_app){.client = (uint32_t)i, .progress = progress, .sms = sms, .most = SMS};
        low = progress < apps[low].progress ? i : low;
        high = progress > apps[high].progress ? i : high;
        exercise_give(p, exercise_text(p, "sms%s", names[i]), sms, "", "SMs of %s", names[i]);
        exercise_give(p, exercise_text(p, "np%s", names[i]), progress, "", "its NP");
    }
    double g_high = apps[high].progress / apps[high].sms,
           g_low = apps[low].progress / apps[low].sms,
           gap = apps[high].progress - apps[low].progress, moves = gap / (g_high + g_low);
    int before = (int)apps[low].sms;
    exercise_step(p, "HSM 4.3", "fairness %.2f / %.2f = %.3g, below 0.9: %s gives, %s gets",
                  apps[low].progress, apps[high].progress, apps[low].progress / apps[high].progress,
                  names[high], names[low]);
    exercise_step(p, "HSM 4.3", "g_%s = %g / %d = %.5g, g_%s = %g / %d = %.5g", names[high],
                  apps[high].progress, (int)apps[high].sms, g_high, names[low], apps[low].progress,
                  before, g_low);
    exercise_step(p, "HSM 4.3", "n = %g / %.5g = %.4g, so %.0f", gap, g_high + g_low, moves,
                  floor(moves + 0.5));
    double fraction = moves - floor(moves);
    /* Unfit: a move close to a half SM, or NP before it that are close to the threshold. */
    p->unfit |= fabs(fraction - 0.5) < 0.05 || gap < 0.1 || moves > before ||
                apps[low].progress > 0.85 * apps[high].progress;
    for (int i = 0; i < APPS; i++)
        for (int k = 0; k < i; k++)
            p->unfit |= apps[i].progress == apps[k].progress;
    hsm_fair_move(apps, APPS);
    exercise_step(p, "HSM 4.3", "%s has %d + %d = %d SMs", names[low], before,
                  (int)apps[low].sms - before, (int)apps[low].sms);
    for (int i = 0; i < APPS; i++)
        exercise_value(p, "SMs after", names[i], apps[i].sms);
    exercise_mistake(p, before, "that is what it has before");
    exercise_answer(p, apps[low].sms, 0);
}

/* ---- drain or switch ---- */

struct moving {
    struct device *device;
    struct des_engine *engine;
    ct_time_ps moved_ps;
};

static void on_moved(void *context) {
    struct moving *moving = context;
    moving->moved_ps = des_engine_now(moving->engine);
}

static void ignore_task(void *context, struct device_task *task) {
    (void)context;
    (void)task;
}

static void take_one(void *context, uint64_t sms) {
    struct moving *moving = context;
    const int64_t wanted[2] = {(int64_t)sms - 1, 1};
    device_repartition(moving->device, wanted, CT_MOVE_AUTO);
}

/* A kernel on all SMs from time 0; at `at` one SM is taken from it. When it has changed hands; -1:
 * never. */
static ct_time_ps move_one(struct exercise_problem *p, const struct setup *setup, ct_time_ps at) {
    const struct gpu *gpu = &setup->gpu;
    const struct setup_step *step = &setup->apps[0].plans[0].steps[0];
    struct moving moving = {.engine = des_engine_new(), .moved_ps = -1};
    struct ct_arena arena = {0};
    struct device_config config = {.gpu = gpu,
                                   .fidelity = DEVICE_BLOCK,
                                   .sharing = CT_SHARING_PARTITION,
                                   .clients = 2,
                                   .streams = 2,
                                   .hw_queues = 32};
    const struct device_listener listener = {.context = &moving,
                                             .started = ignore_task,
                                             .ended = ignore_task,
                                             .repartitioned = on_moved};
    struct device_task task = {.profile = step->profile,
                               .kind = TRACE_KERNEL,
                               .share = CT_SHARE_FULL,
                               .blocks = step->profile->blocks,
                               .work_ps = step->work_ps};
    if (moving.engine)
        moving.device = device_new(moving.engine, &config, &listener, &arena);
    if (moving.device) {
        const int64_t all[2] = {gpu->sms, 0};
        device_repartition(moving.device, all, CT_MOVE_AUTO);
        device_submit(moving.device, &task);
        device_begin_epoch(moving.device);
        des_event_schedule(moving.engine, at, DES_RANK_TIMER, take_one, &moving,
                           (uint64_t)gpu->sms);
        moving.moved_ps = -1;
        while (des_engine_step(moving.engine) && moving.moved_ps < at)
            continue;
    }
    p->failed |= !moving.device;
    des_engine_free(moving.engine);
    ct_arena_free(&arena);
    return moving.moved_ps;
}

void exercise_drain(struct exercise_problem *p) {
    int registers = 8 * exercise_draw(p, 2, 4), smem = 1024 * exercise_draw(p, 1, 12);
    int wave = exercise_draw(p, 40, 250), waves = exercise_draw(p, 0, 3);
    int into = exercise_draw(p, 5, wave - 5), at = waves * wave + into, per_sm = 2;
    double bytes = per_sm * (1024.0 * registers * 4 + smem);
    double copy = bytes / (PEAK_BYTES_PER_S / SMS) * 1e6, rest = (wave - into);
    struct scenario scenario;
    exercise_givens(p, per_sm, wave, at, registers, smem, PEAK_BYTES_PER_S / SMS / 1e6);
    exercise_head(p, SMS, "", "even", "block");
    exercise_app(p, "kernel", 0, "", 8 * per_sm * SMS, 8e-3 * wave,
                 ", \"threads\": 1024, \"registers_per_thread\": %d, \"smem_bytes\": %d", registers,
                 smem);
    exercise_open(p, &scenario);
    p->workload = NULL; /* the device alone runs it */
    bool drains = waves * per_sm > per_sm;
    exercise_step(p, "HSM 4.2", "finished: %d waves of %d blocks = %d; it holds %d: %s", waves,
                  per_sm, (waves * per_sm), per_sm, drains ? "drain" : "switch");
    exercise_step(p, "", "draining takes the rest of the wave: %d - %d = %g us",
                  ((waves + 1) * wave), at, rest);
    exercise_step(p, "", "a switch copies %d x (1024 x %d x 4 + %d) = %.0f bytes: %.5g us", per_sm,
                  registers, smem, bytes, copy);
    exercise_step(p, "HSM 4.2", "the SM is free after %.6g us", drains ? rest : copy);
    exercise_mistake(p, drains ? copy : rest,
                     drains ? "it finished more blocks than it holds, so it drains"
                            : "it finished no more blocks than it holds, so it switches");
    if (p->status == CT_OK) {
        ct_time_ps begin = at * CT_PS_PER_US, moved = move_one(p, &scenario.setup, begin);
        exercise_answer(p, (double)(moved - begin) / (double)CT_PS_PER_US, 0.005);
        for (int w = 0; w <= waves; w++)
            exercise_span(p, "us", "blocks", "wave", (w * wave), ((w + 1) * wave));
        exercise_span(p, "us", "drain", "rest", at, at + rest);
        exercise_span(p, "us", "switch", "copy", at, at + copy);
    }
    scenario_close(&scenario);
}

/* ---- DASE ---- */

void exercise_dase(struct exercise_problem *p) {
    int held = exercise_draw(p, 16, 48);
    double issued = 0.01 * exercise_draw(p, 20, 80), others = 0.01 * exercise_draw(p, 5, 60),
           own = 0.01 * exercise_draw(p, 10, 60), share = (double)held / SMS;
    double seconds = epoch_ps / 1e12, per_s = PEAK_BYTES_PER_S / HSM_REQUEST_BYTES;
    struct hsm_measure measure = {
        .counters = {.instructions = issued * share * device.peak_instructions_per_s * seconds,
                     .memory_accesses = own * per_s * seconds,
                     .busy_ps = epoch_ps},
        .sms = held,
        .others = {.memory_accesses = others * per_s * seconds, .busy_ps = epoch_ps}};
    double interference = fmin(1 - issued, others), alone = 1 - interference;
    double progress = fmax(share, fmin(alone, fmax(alone * share, own)));
    exercise_givens(p, SMS, held, 100 * issued, 100 * others, 100 * own);
    exercise_step(p, "DASE, after HSM 6.1",
                  "interference: min(1 - %g, %g) = %g; without it the kernel would be 1 / %g times "
                  "as fast on its SMs",
                  issued, others, interference, alone);
    exercise_step(p, "DASE, after HSM 6.1",
                  "with all SMs: %g x %g = %.5g of that speed remains as progress, or %g if the "
                  "memory would bind first",
                  alone, share, alone * share, own);
    exercise_step(p, "DASE, after HSM 6.1", "NP = max(%g, min(%g, max(%.5g, %g))) = %.6g %%", share,
                  alone, alone * share, own, 100 * progress);
    exercise_value(p, "%", "SM share", 100 * share);
    exercise_value(p, "%", "own bandwidth", 100 * own);
    exercise_value(p, "%", "undisturbed", 100 * alone);
    exercise_value(p, "%", "NP", 100 * progress);
    exercise_mistake(p, 100 * share, "a kernel that the memory binds loses less than its SMs");
    exercise_answer(p, 100 * hsm_dase_progress(&device, &measure), 0.005);
}
