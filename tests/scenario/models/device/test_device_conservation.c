/*
 * What every device conserves, on random streams of kernels, copies and memsets under random caps,
 * partitions, moves, priorities and slices, in both fidelities; and that tasks that are only
 * offered run as those that are submitted. COTENANT_TEST_SEEDS raises the number of seeds; the one
 * that fails is printed.
 */
#include "device_case.h"
#include "models/device/device_internal.h"
#include "unit/base/dice.h"

#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef COTENANT_SMALL
enum { SEEDS = 1000 };
#else
enum { SEEDS = 10000 };
#endif

enum { KERNELS = 3, OFFERED_EVERY = 3 };

static const ct_time_ps LAST_SUBMIT_PS = 200 * US, LONGEST_RUN_PS = 1000000 * US;

/* One seed's device, and what was counted while it ran. */
struct world {
    struct device_case c;
    uint64_t dice;
    struct kernel_profile profiles[KERNELS];
    int32_t priorities[DEVICE_CASE_CLIENTS];
    uint32_t inside[DEVICE_CASE_CLIENTS]; /* tasks submitted and not ended */
    double inside_ps[DEVICE_CASE_CLIENTS];
    ct_time_ps counted_ps, seen_ps; /* integrals up to here; last look */
    double seen_sm_ps, seen_dram_bytes;
    bool offers;
    struct {
        uint32_t tasks[DEVICE_CASE_TASKS], first, count;
    } lines[DEVICE_CASE_STREAMS]; /* offered, by hardware queue */
};

/* ---- What is counted ---- */

static void count(struct world *w, uint32_t client, int32_t change) {
    ct_time_ps now = des_engine_now(w->c.engine);
    for (int i = 0; i < DEVICE_CASE_CLIENTS; i++)
        w->inside_ps[i] += (double)w->inside[i] * (double)(now - w->counted_ps);
    w->counted_ps = now;
    w->inside[client] += (uint32_t)change;
}

static void on_ended(void *context, struct device_task *task) {
    struct world *w = context;
    assert_true(task->started_ps >= 0 && task->ended_ps == des_engine_now(w->c.engine));
    assert_true(w->inside[task->client] > 0);
    count(w, task->client, -1);
    w->c.ended++;
}

static void on_started(void *context, struct device_task *task) {
    assert_int_equal(task->state, DEVICE_TASK_RUNNING);
}

static void on_moved(void *context) {
    ((struct world *)context)->c.repartitions++;
}

static void submit(void *context, uint64_t index) {
    struct world *w = context;
    count(w, w->c.tasks[index].client, 1);
    if (!w->offers) {
        device_case_submit(&w->c, index);
        return;
    }
    uint32_t stream = w->c.tasks[index].stream;
    uint32_t queue = device_queue_of(w->c.device, stream);
    w->lines[queue].tasks[w->lines[queue].count++] = (uint32_t)index;
    device_offer(w->c.device, stream);
}

static struct device_task *next(void *context, uint32_t queue) {
    struct world *w = context;
    if (w->lines[queue].first == w->lines[queue].count)
        return NULL;
    return device_case_make(&w->c, w->lines[queue].tasks[w->lines[queue].first++]);
}

/* ---- Random devices, kernels and streams ---- */

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static struct kernel_profile make_kernel(uint64_t *dice, const struct gpu *gpu) {
    static const int32_t threads[] = {32, 128, 512, 1024}, registers[] = {0, 4096, 16384, 32768},
                         smem[] = {0, 1024, 16384, 98304};
    static const double compute[] = {0.3, 0.7, 1};
    struct kernel_profile p = device_case_profile();
    p.need = (struct occupancy_need){threads[dice_roll(dice, 4)], registers[dice_roll(dice, 4)],
                                     smem[dice_roll(dice, 4)]};
    int32_t fit =
        least((int32_t)gpu->blocks_per_sm, (int32_t)(gpu->threads_per_sm / p.need.threads));
    if (p.need.registers > 0)
        fit = least(fit, (int32_t)(gpu->registers_per_sm / p.need.registers));
    if (p.need.smem_bytes > 0)
        fit = least(fit, (int32_t)(gpu->smem_per_sm_bytes / p.need.smem_bytes));
    p.blocks_per_sm = fit;
    if (gpu->sm_sharing == GPU_SM_HOPPER)
        p.smem_division = occupancy_smem_division(gpu, &p.need, fit);
    p.compute_fraction = compute[dice_roll(dice, 3)];
    p.unit_fraction = 0.1 * (double)dice_roll(dice, 11);
    p.row_hit_rate = 0.1 * (double)dice_roll(dice, 11);
    p.dram_bytes_per_s = (double)dice_roll(dice, 10) * 0.1 * 1e9 * gpu->dram_gb_s *
                         (gpu->dram_line_slope * p.row_hit_rate + gpu->dram_line_base);
    return p;
}

static void add_task(struct world *w) {
    static const double blocks[] = {1, 7, 40, 150, 1000};
    struct device_case *c = &w->c;
    uint32_t stream = (uint32_t)dice_roll(&w->dice, DEVICE_CASE_STREAMS);
    uint64_t kind = dice_roll(&w->dice, 10), bytes = 1 + dice_roll(&w->dice, 300000);
    struct device_case_task task = {
        .at_ps = (ct_time_ps)dice_roll(&w->dice, (uint64_t)LAST_SUBMIT_PS),
        .client = stream % DEVICE_CASE_CLIENTS,
        .stream = stream,
        .kind = TRACE_COPY,
        .direction = (int)dice_roll(&w->dice, 2),
        .pinned = dice_roll(&w->dice, 2),
        .share = CT_SHARE_FULL,
        .bytes = bytes,
        .work_ps = (ct_time_ps)(US + (int64_t)dice_roll(&w->dice, 60 * US))};
    if (kind < 7) {
        task.kind = TRACE_KERNEL;
        task.profile = &w->profiles[dice_roll(&w->dice, KERNELS)];
        task.blocks = blocks[dice_roll(&w->dice, 5)];
        if (dice_roll(&w->dice, 3) == 0)
            task.share = (ct_share)(1 + dice_roll(&w->dice, 1000));
    } else if (kind < 9) {
        task.kind = kind == 7 ? TRACE_MEMSET : TRACE_COPY;
        task.direction = TRACE_DEVICE_TO_DEVICE;
        task.work_ps += (ct_time_ps)bytes * 40; /* read and written at half of the peak at most */
    } else
        task.work_ps = (ct_time_ps)device_copy_work_ps(&c->gpu, bytes, task.pinned);
    c->tasks[c->count] = task;
    des_event_schedule(c->engine, task.at_ps, DES_RANK_ARRIVAL, submit, w, c->count++);
}

/* ---- Random decisions ---- */

static void split(struct world *w) {
    int64_t sms[DEVICE_CASE_CLIENTS], left = w->c.gpu.sms - DEVICE_CASE_CLIENTS;
    for (int i = 0; i < DEVICE_CASE_CLIENTS; i++) {
        int64_t more = (int64_t)dice_roll(&w->dice, (uint64_t)left + 1);
        sms[i] = 1 + more;
        left -= more;
    }
    device_repartition(w->c.device, sms, (enum ct_move)dice_roll(&w->dice, 3));
}

static void decide(void *context, uint64_t unused) {
    struct world *w = context;
    if (w->c.config.sharing == CT_SHARING_PARTITION) {
        if (dice_roll(&w->dice, 3) == 0)
            device_begin_epoch(w->c.device);
        split(w);
    } else
        device_set_cap(w->c.device, (uint32_t)dice_roll(&w->dice, DEVICE_CASE_CLIENTS),
                       (ct_share)(1 + dice_roll(&w->dice, 1000)));
}

/* ---- What must hold at any time ---- */

struct held {
    const struct device *device;
    double sms, demand;
    uint32_t clients; /* a bit for each that has something on the device itself */
};

static void add_held(void *context, const struct device_task *task, double work_done_ps) {
    struct held *held = context;
    assert_true(work_done_ps >= -1 && work_done_ps <= task->work_ps + 1);
    assert_true(task->resident >= 0 && (!task->profile || task->resident <= task->blocks));
    held->sms += task->sms;
    held->clients |= device_crosses_link(task) ? 0 : 1U << task->client;
    held->demand += task->demand_bytes_per_s * device_rate(held->device, task) * task->draw;
}

/* No resource above its capacity, now and since the last look. */
static void check_capacity(struct world *w) {
    const struct gpu *gpu = &w->c.gpu;
    struct held held = {w->c.device, 0, 0, 0};
    bool block = w->c.config.fidelity == DEVICE_BLOCK;
    ct_time_ps now = des_engine_now(w->c.engine);
    struct device_usage used = device_usage(w->c.device);
    double elapsed = (double)(now - w->seen_ps), roundings = 1e-5; /* each a picosecond at most */
    assert_true(used.sm_ps - w->seen_sm_ps <= (double)gpu->sms * elapsed + 10);
    assert_true(used.dram_bytes - w->seen_dram_bytes <=
                gpu->dram_gb_s * 1e-3 * elapsed * (1 + roundings));
    w->seen_sm_ps = used.sm_ps;
    w->seen_dram_bytes = used.dram_bytes;
    w->seen_ps = now;
    device_visit_running(w->c.device, add_held, &held);
    assert_true(held.demand <= gpu->dram_gb_s * 1e9 * (1 + 1e-9));
    if (w->c.config.sharing == CT_SHARING_EXCLUSIVE)
        assert_true((held.clients & (held.clients - 1)) == 0); /* one at most */
    if (!block && w->c.config.sharing != CT_SHARING_TIMESLICE)
        assert_true(held.sms <= (double)gpu->sms + 1e-6);
    for (uint32_t i = 0; i < gpu->sms && block; i++) {
        const struct block_sm *sm = device_sm(w->c.device, i);
        assert_true(sm->resident >= 0 && sm->resident <= gpu->blocks_per_sm);
        assert_true(sm->threads >= 0 && sm->threads <= gpu->threads_per_sm);
        assert_true(sm->registers >= 0 && sm->registers <= gpu->registers_per_sm);
        assert_true(sm->smem_bytes >= 0 && sm->smem_bytes <= gpu->smem_per_sm_bytes);
    }
}

/* ---- At the end ---- */

static void check_task(const struct device_case_task *t, bool offered) {
    const struct device_task *d = &t->task;
    double lost = 0, took = (double)(d->ended_ps - d->started_ps);
    for (int cause = 0; cause < DEVICE_LOSS_COUNT; cause++) {
        assert_true(d->loss_ps[cause] >= -1e-3);
        lost += d->loss_ps[cause];
    }
    assert_int_equal(d->state, DEVICE_TASK_ENDED);
    assert_true(offered ? d->queued_ps >= t->at_ps : d->queued_ps == t->at_ps);
    assert_true(d->head_ps >= d->queued_ps);
    assert_true(d->started_ps >= d->head_ps && took >= d->work_ps - 2);
    assert_true(fabs(took - d->work_ps - lost) <= 4);
}

/* Tasks of a stream run one after the other, in the order of their submission. */
static void check_streams(const struct device_case *c) {
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = 0; k < c->count; k++) {
            const struct device_case_task *a = &c->tasks[i], *b = &c->tasks[k];
            if (a->stream == b->stream && a->at_ps < b->at_ps)
                assert_true(b->task.started_ps >= a->task.ended_ps);
        }
}

/* Work done is work asked: bytes, blocks, kernels, and Little's law by client. */
static void check_sums(struct world *w) {
    struct device_case *c = &w->c;
    struct device_usage usage = device_usage(c->device);
    double dram = 0, pcie[2] = {0};
    double blocks[DEVICE_CASE_CLIENTS] = {0}, stay_ps[DEVICE_CASE_CLIENTS] = {0};
    uint64_t kernels[DEVICE_CASE_CLIENTS] = {0};
    for (uint32_t i = 0; i < c->count; i++) {
        const struct device_case_task *t = &c->tasks[i];
        stay_ps[t->client] += (double)(t->task.ended_ps - t->at_ps);
        blocks[t->client] += t->blocks;
        kernels[t->client] += t->profile != NULL;
        if (t->profile)
            dram += t->profile->dram_bytes_per_s * (double)t->work_ps / (double)CT_PS_PER_S;
        else if (t->kind == TRACE_MEMSET || t->direction == TRACE_DEVICE_TO_DEVICE)
            dram += (double)t->bytes * (t->kind == TRACE_MEMSET ? 1 : 2);
        else
            pcie[t->direction] += (double)t->bytes;
    }
    assert_true(usage.pcie_bytes[0] == pcie[0] && usage.pcie_bytes[1] == pcie[1]);
    assert_true(fabs(usage.dram_bytes - dram) <= 1e-6 * dram + 1);
    for (uint32_t i = 0; i < DEVICE_CASE_CLIENTS; i++) {
        struct device_counters counters = device_client_counters(c->device, i);
        assert_true((double)counters.blocks_finished == blocks[i]);
        assert_int_equal(counters.kernels_finished, kernels[i]);
        assert_true(fabs(w->inside_ps[i] - stay_ps[i]) <= 1e-9 * stay_ps[i]);
    }
}

static void make_device(struct world *w, uint64_t seed) {
    static const enum ct_sharing sharings[] = {CT_SHARING_MPS, CT_SHARING_MPS, CT_SHARING_EXCLUSIVE,
                                               CT_SHARING_TIMESLICE, CT_SHARING_PARTITION};
    static const uint32_t queues[] = {1, 3, 32};
    struct device_case *c = &w->c;
    struct device_listener listener = {.context = w,
                                       .started = on_started,
                                       .ended = on_ended,
                                       .repartitioned = on_moved,
                                       .next = w->offers ? next : NULL};
    w->dice = seed;
    device_case_open(c, sharings[seed / 2 % CT_COUNT_OF(sharings)]);
    c->gpu.threads_per_sm = 2048;
    c->gpu.blocks_per_sm = dice_roll(&w->dice, 2) ? 32 : 16;
    c->gpu.registers_per_sm = 65536;
    c->gpu.smem_per_sm_bytes = 98304;
    c->gpu.contention_k = dice_roll(&w->dice, 3) ? 0 : 0.03;
    c->gpu.contention_k0 = c->gpu.contention_k;
    c->gpu.sm_sharing = dice_roll(&w->dice, 3) ? GPU_SM_PROPORTIONAL : GPU_SM_HOPPER;
    c->config.fidelity = seed % 2 ? DEVICE_BLOCK : DEVICE_FLUID;
    c->config.hw_queues = queues[dice_roll(&w->dice, 3)];
    for (int i = 0; i < DEVICE_CASE_CLIENTS; i++)
        w->priorities[i] = (int32_t)dice_roll(&w->dice, 3);
    if (dice_roll(&w->dice, 3) == 0)
        c->config.priorities = w->priorities;
    c->config.gpu = &c->gpu;
    c->engine = des_engine_new();
    c->device = device_new(c->engine, &c->config, &listener, &c->arena);
    assert_non_null(c->device);
}

static struct world *run(uint64_t seed, bool offers) {
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->offers = offers;
    make_device(w, seed);
    for (int i = 0; i < KERNELS; i++)
        w->profiles[i] = make_kernel(&w->dice, &w->c.gpu);
    for (uint64_t i = 4 + dice_roll(&w->dice, DEVICE_CASE_TASKS - 3); i > 0; i--)
        add_task(w);
    if (w->c.config.sharing == CT_SHARING_PARTITION)
        split(w);
    for (uint64_t i = dice_roll(&w->dice, 5); i > 0; i--)
        des_event_schedule(w->c.engine,
                           (ct_time_ps)dice_roll(&w->dice, 2 * (uint64_t)LAST_SUBMIT_PS),
                           DES_RANK_DECIDE, decide, w, 0);
    for (ct_time_ps at = 0; w->c.ended < w->c.count; at += 13 * US) {
        des_engine_run(w->c.engine, at);
        check_capacity(w);
        assert_true(at < LONGEST_RUN_PS); /* every task ends */
    }
    des_engine_run(w->c.engine, CT_TIME_NEVER);
    assert_int_equal(w->c.ended, w->c.count);
    assert_true(device_is_idle(w->c.device));
    assert_int_equal(des_engine_stale(w->c.engine), 0);
    for (uint32_t i = 0; i < w->c.count; i++)
        check_task(&w->c.tasks[i], offers);
    check_streams(&w->c);
    check_sums(w);
    return w;
}

static void end(struct world *w) {
    device_case_close(&w->c);
    free(w);
}

static void same_life(const struct device_task *a, const struct device_task *b) {
    assert_true(a->head_ps == b->head_ps && a->started_ps == b->started_ps);
    assert_true(a->ended_ps == b->ended_ps);
    assert_memory_equal(a->loss_ps, b->loss_ps, sizeof a->loss_ps);
}

static void offered_as_submitted(uint64_t seed) {
    struct world *submitted = run(seed, false), *offered = run(seed, true);
    assert_int_equal(des_engine_executed(submitted->c.engine),
                     des_engine_executed(offered->c.engine));
    for (uint32_t i = 0; i < submitted->c.count; i++)
        same_life(&submitted->c.tasks[i].task, &offered->c.tasks[i].task);
    end(submitted);
    end(offered);
}

static uint64_t failing; /* the seed that runs now */

static int tell_seed(void **unused) {
    if (failing)
        print_message("seed %llu\n", (unsigned long long)failing);
    return 0;
}

TEST_WITH(what_every_device_conserves, NULL, tell_seed) {
    const char *wanted = getenv("COTENANT_TEST_SEEDS");
    uint64_t seeds = wanted ? strtoull(wanted, NULL, 10) : SEEDS;
    for (failing = 1; failing <= seeds; failing++)
        if (failing % OFFERED_EVERY == 0)
            offered_as_submitted(failing);
        else
            end(run(failing, false));
    failing = 0;
}
