#include "run/knowledge.h"

#include "workload/setup_questions.h"

static const struct run_call *call_of(const struct ct_task *task) {
    return (const struct run_call *)task->call;
}

struct predict_key knowledge_key(const struct ct_task *task, bool call) {
    return call ? setup_call_key(call_of(task)->call)
                : setup_step_key(((const struct run_task *)task)->step);
}

const char *knowledge_name(const struct ct_task *task, bool call) {
    return call ? task->call->name : setup_step_name(((const struct run_task *)task)->step);
}

/* ---- features ---- */

/* Its kernels are known when it is called, launched or not: they follow from its arguments. */
static struct predict_features features_of_call(const struct ct_task *task) {
    const struct run_job *job = (const struct run_job *)task->job;
    const struct setup_call *call = call_of(task)->call;
    struct predict_features sum = {0};
    if (job->size == 1)
        return setup_call_features(job->plan, call);
    uint32_t number = (uint32_t)(call - job->plan->calls) + 1;
    for (uint32_t i = call->first; i <= call->last; i++) {
        const struct setup_step *step = &job->plan->steps[i];
        uint32_t grid[3];
        if (step->library_call != number)
            continue;
        launch_grid(job, step, grid);
        struct predict_features kernel = predict_features_kernel(
            job->view.input_bytes, grid, step->kernel->block,
            step->kernel->static_smem_bytes + step->kernel->dynamic_smem_bytes);
        predict_features_add(&sum, &kernel);
    }
    return sum;
}

struct predict_features knowledge_features(const struct ct_task *task, bool call) {
    if (call)
        return features_of_call(task);
    if (task->kind != CT_TASK_KERNEL)
        return predict_features_bytes(task->bytes);
    return predict_features_kernel(task->job->input_bytes, task->grid, task->block,
                                   task->smem_bytes);
}

/* ---- measurements ---- */

/* What a task, or a library call, takes and moves; NAN: unknown. */
struct amounts {
    double duration_ps, bytes, instructions;
};

/* Unknown is NAN, where the device takes unknown for nothing. */
static struct amounts kernel_amounts(const struct kernel_profile *profile, double work_ps,
                                     double blocks) {
    double bytes = profile->dram_bytes_per_s > 0
                       ? profile->dram_bytes_per_s * work_ps / (double)CT_PS_PER_S
                       : NAN;
    return (struct amounts){work_ps, bytes, profile->instructions * blocks / profile->blocks};
}

/* Alone on the whole device. Copies inside of it are read and written. */
static struct amounts task_amounts(const struct run_task *task) {
    const struct kernel_profile *profile = task->step->profile;
    double work_ps = task->device.work_ps, bytes = (double)task->view.bytes;
    if (profile)
        return kernel_amounts(profile, work_ps, task->device.blocks);
    if (task->view.kind == CT_TASK_MEMSET)
        return (struct amounts){work_ps, bytes, NAN};
    return (struct amounts){work_ps, task->view.direction == CT_COPY_DEVICE ? 2 * bytes : NAN, NAN};
}

/* Laius Eq. 1 for the IPC. */
static struct predict_value value_of(const struct run *run, struct amounts amounts) {
    double seconds = amounts.duration_ps / (double)CT_PS_PER_S;
    double clock_hz = run->setup->gpu.clock_mhz * 1e6;
    return (struct predict_value){amounts.duration_ps, amounts.bytes / seconds,
                                  amounts.instructions / (seconds * clock_hz)};
}

void knowledge_call_add(struct run_task *task) {
    struct run_call *call = &task->job->calls[task->step->library_call - 1];
    struct amounts amounts = task_amounts(task);
    call->view.kernels_done++;
    call->measured_ps += (double)task->view.measured_ps;
    call->bytes += amounts.bytes;
    call->instructions += amounts.instructions;
}

bool knowledge_call_ended(const struct ct_task *task) {
    return task->call && task->call->kernels_done == task->call->kernels;
}

struct predict_value knowledge_measured(const struct ct_task *view, bool call) {
    const struct run_task *task = (const struct run_task *)view;
    struct amounts amounts = task_amounts(task);
    amounts.duration_ps = (double)view->measured_ps;
    if (call) {
        const struct run_call *sum = call_of(view);
        amounts = (struct amounts){sum->measured_ps, sum->bytes, sum->instructions};
    }
    return value_of(task->client->run, amounts);
}

/* ---- predictions ---- */

/* Profiling runs with all SMs alone say nothing of a part of them, but of copies and memsets, which
 * hold none. */
static bool is_profiled(const struct run *run, struct predict_key key, ct_share share) {
    return share == CT_SHARE_FULL || knowledge_parts(run->policy) > 1 || key.kind == PREDICT_COPY ||
           key.kind == PREDICT_MEMSET;
}

/* What the models say, or that nothing is known. */
static bool ask(const struct run *run, struct predict_key key,
                const struct predict_features *features, ct_share share,
                struct ct_prediction *prediction) {
    struct predict_value value = {NAN, NAN, NAN};
    bool known = run->params->predictor && is_profiled(run, key, share) &&
                 predict_bank_task(run->params->predictor, key, features, share, &value);
    *prediction = (struct ct_prediction){value.duration_ps, value.bandwidth_bytes_per_s, value.ipc};
    return known;
}

/*
 * Where the answer about a task is kept: its features follow from its question and the size of its
 * job. NULL: nowhere, as it is a call of a job of another size than 1, where each of its kernels is
 * rounded, or there are no models.
 */
static struct run_answer *answer_about(const struct run *run, const struct run_job *job, bool call,
                                       uint32_t question, ct_share share) {
    if (!run->answers || (call && job->size != 1) || share < 0 || share > CT_SHARE_FULL)
        return NULL;
    return &run->answers[(size_t)question * RUN_ANSWERS +
                         (size_t)(share * (RUN_ANSWERS - 1) / CT_SHARE_FULL)];
}

static bool tell(struct ct_prediction *prediction, const struct run *run, struct amounts truth) {
    struct predict_value value = value_of(run, truth);
    *prediction = (struct ct_prediction){value.duration_ps, value.bandwidth_bytes_per_s, value.ipc};
    return true;
}

/* Speed of a kernel alone at this share over that with all SMs, as the device has it. */
static double solo_speed(const struct run *run, const struct kernel_profile *profile, double blocks,
                         ct_share share) {
    enum device_fidelity fidelity = (enum device_fidelity)run->setup->workload->fidelity;
    double all = (double)run->setup->gpu.sms, sms = device_share_sms(fidelity, all, share);
    if (sms >= all)
        return 1;
    double slots = device_slots(all, profile->blocks_per_sm);
    double held = device_slots(sms, profile->blocks_per_sm);
    double speed = kernel_speed(profile, blocks, held, slots) / profile->compute_fraction;
    return fmin(speed, kernel_rate_on_part(profile, blocks, slots, sms, all));
}

static struct amounts task_truth(const struct run *run, const struct run_task *task,
                                 ct_share share) {
    struct amounts truth = task_amounts(task);
    if (task->step->profile)
        truth.duration_ps /= solo_speed(run, task->step->profile, task->device.blocks, share);
    return truth;
}

/* The truth of a call: the sum over its kernels, launched or not. */
static struct amounts call_truth(struct run *run, struct run_job *job, uint32_t number,
                                 ct_share share) {
    const struct setup_call *call = &job->plan->calls[number - 1];
    struct amounts sum = {0};
    for (uint32_t i = call->first; i <= call->last; i++) {
        const struct setup_step *step = &job->plan->steps[i];
        if (step->library_call != number)
            continue;
        double blocks = launch_blocks(job, step);
        struct amounts kernel = kernel_amounts(step->profile, launch_work(job, step), blocks);
        sum.duration_ps += kernel.duration_ps / solo_speed(run, step->profile, blocks, share);
        sum.bytes += kernel.bytes;
        sum.instructions += kernel.instructions;
    }
    return sum;
}

bool knowledge_predict(struct run *run, const struct run_task *task, bool call, ct_share share,
                       struct ct_prediction *prediction) {
    if (call && !task->view.call)
        return false;
    if (run->params->oracle)
        return tell(prediction, run,
                    call ? call_truth(run, task->job, task->step->library_call, share)
                         : task_truth(run, task, share));
    uint32_t question = call ? call_of(&task->view)->call->question : task->step->question;
    struct run_answer *kept = answer_about(run, task->job, call, question, share);
    uint64_t version = kept ? predict_bank_version(run->params->predictor) : 0;
    if (kept && kept->version == version && kept->share == share && kept->size == task->job->size) {
        *prediction = kept->prediction;
        return kept->known;
    }
    struct predict_features features = knowledge_features(&task->view, call);
    bool known = ask(run, knowledge_key(&task->view, call), &features, share, prediction);
    if (kept)
        *kept = (struct run_answer){version, task->job->size, share, known, *prediction};
    return known;
}

bool knowledge_predict_job(struct run *run, const struct run_job *job, ct_share share,
                           struct ct_prediction *prediction) {
    if (run->params->oracle && run->policy->features & CT_PREDICTS) {
        *prediction = (struct ct_prediction){oracle_job_ps(run, job, share), NAN, NAN};
        return !isnan(prediction->duration_ps);
    }
    struct predict_key key = {PREDICT_QUERY, job->client->app_index};
    struct predict_features features = predict_features_bytes(job->view.input_bytes);
    return ask(run, key, &features, share, prediction);
}

uint32_t knowledge_question(const struct run_task *task) {
    const struct setup_step *step = task->step;
    if (step->library_call && task->client->run->policy->call_size > 0)
        return task->job->plan->calls[step->library_call - 1].question;
    return step->question;
}

uint32_t knowledge_alike(const struct run_task *task) {
    const struct run *run = task->client->run;
    bool answered = run->answers && !run->params->oracle && task->job->size == 1;
    return answered ? knowledge_question(task) + 1 : 0;
}

/* ---- completions ---- */

bool knowledge_feedback(struct run *run, const struct run_task *task, bool call) {
    if (!run->params->predictor || run->params->oracle ||
        (call && !knowledge_call_ended(&task->view)))
        return false;
    struct predict_value measured = {
        call ? call_of(&task->view)->measured_ps : (double)task->view.measured_ps, NAN, NAN};
    struct predict_features features = knowledge_features(&task->view, call);
    return predict_bank_update(run->params->predictor, knowledge_key(&task->view, call), &features,
                               task->share, measured);
}
