/* What a policy may know of the completion of a task on a part of the SMs, and of the task after
 * it. */
#include "models/predict/predict_bank.h"
#include "models/predict/predict_completion.h"
#include "run/knowledge.h"

/* Nothing waits in these: queues are the policy's own. A copy pays its latency at submission. */
static double copy_ps(const struct gpu *gpu, const struct run_task *task) {
    struct completion_wait wait = {.submit_ps = gpu->copy_latency_us * (double)CT_PS_PER_US};
    double mb_s = task->view.pinned ? gpu->pcie_pinned_mb_s : gpu->pcie_pageable_mb_s;
    return completion_copy_ps(&wait, (double)task->view.bytes, mb_s * 1e6);
}

static struct completion_period on_sms(const struct run_task *task, double sms) {
    return (struct completion_period){.blocks = task->device.blocks,
                                      .blocks_per_sm = task->step->profile->blocks_per_sm,
                                      .sms = sms};
}

/*
 * t_sk, the time of a wave that memory does not hold back: Eq. 4 counts that limit itself. On all
 * SMs a kernel may have met it, on fewer it does not, so the shortest wave of its profiling runs.
 */
static double shortest_wave_ps(struct run *run, const struct run_task *task, double solo_ps) {
    int64_t sms = run->setup->gpu.sms;
    struct completion_period held = on_sms(task, (double)sms);
    struct ct_prediction part;
    ct_share step = run->policy->profile_step_pct * CT_SHARE_FULL / 100;
    double shortest = completion_wave_ps(solo_ps, &held);
    for (ct_share share = step; step > 0 && share < CT_SHARE_FULL; share += step) {
        if (!knowledge_predict(run, task, false, share, &part))
            continue;
        held.sms = ceil((double)(sms * share) / CT_SHARE_FULL);
        shortest = fmin(shortest, completion_wave_ps(part.duration_ps, &held));
    }
    return shortest;
}

static double wave_ps(struct run *run, const struct run_task *task, double solo_ps) {
    const struct predict_bank *models = run->params->predictor;
    struct run_wave asked = {.step = task->step,
                             .size = task->job->size,
                             .blocks = task->device.blocks,
                             .work_ps = task->device.work_ps,
                             .solo_ps = solo_ps,
                             .version = models ? predict_bank_version(models) : 0};
    struct run_wave *known = &run->wave;
    bool same = known->step == asked.step && known->size == asked.size &&
                known->blocks == asked.blocks && known->work_ps == asked.work_ps &&
                known->solo_ps == asked.solo_ps && known->version == asked.version;
    if (!same) {
        asked.wave_ps = shortest_wave_ps(run, task, solo_ps);
        *known = asked;
    }
    return known->wave_ps;
}

/* R_bw is what the memory gave the kernel alone, where the same bytes took solo_ps: with it the
 * bytes cancel, and only how much faster its waves ask for them is left. */
static double kernel_ps(struct run *run, const struct run_task *task, double solo_ps, double sms) {
    double all = (double)run->setup->gpu.sms, wave = wave_ps(run, task, solo_ps);
    struct completion_period alone = on_sms(task, all), held = on_sms(task, sms);
    held.dram_bytes_per_s = 1;
    held.bandwidth_per_sm = solo_ps / (completion_waves(&alone) * wave) / all;
    return completion_running_ps(wave, &held, 1);
}

bool completion_predict(struct run *run, const struct run_task *task, const int64_t *allocation,
                        double *time_ps) {
    const struct gpu *gpu = &run->setup->gpu;
    struct ct_prediction solo;
    if (task->view.kind == CT_TASK_COPY && task->view.direction != CT_COPY_DEVICE) {
        *time_ps = copy_ps(gpu, task);
        return true;
    }
    if (!knowledge_predict(run, task, false, CT_SHARE_FULL, &solo))
        return false;
    *time_ps = solo.duration_ps;
    if (!task->step->profile)
        return true;
    int64_t sms = allocation ? allocation[task->view.client->index] : 0;
    if (sms < 1 || sms > gpu->sms)
        return false;
    *time_ps = kernel_ps(run, task, solo.duration_ps, (double)sms);
    return true;
}

/* Position of the next step of the same stream; the count of steps: none. */
static uint32_t position_behind(const struct run_task *task) {
    const struct setup_plan *plan = task->job->plan;
    uint32_t position = task->position + 1;
    while (position < plan->count && plan->steps[position].stream != task->step->stream)
        position++;
    return position;
}

const struct ct_task *completion_upcoming(struct run *run, const struct run_task *task) {
    uint32_t position = position_behind(task);
    if (position == task->job->plan->count)
        return NULL;
    if (run->upcoming && !ct_vec_push(&run->free_tasks, run->upcoming))
        run_out_of_memory(run);
    run->upcoming = launch_task(task->job, position);
    if (!run->upcoming)
        return NULL;
    run->upcoming->device.work_ps = run->upcoming->step->work_ps * task->job->size;
    run->upcoming->pooled = false;
    return &run->upcoming->view;
}
