#include "knowledge.h"

struct predict_key knowledge_key(const struct ct_task *task) {
    if (task->kind == CT_TASK_COPY)
        return predict_key_copy(task->direction, task->pinned);
    return (struct predict_key){task->kind == CT_TASK_MEMSET ? PREDICT_MEMSET : PREDICT_KERNEL,
                                task->function_id};
}

const char *knowledge_name(const struct ct_task *task) {
    static const char *const copies[3][2] = {{"copy in, pageable", "copy in, pinned"},
                                             {"copy out, pageable", "copy out, pinned"},
                                             {"copy on the device", "copy on the device"}};
    if (task->kind == CT_TASK_COPY)
        return copies[task->direction][task->pinned];
    return task->kind == CT_TASK_MEMSET ? "memset" : task->function;
}

struct predict_features knowledge_features(const struct ct_task *task) {
    if (task->kind != CT_TASK_KERNEL)
        return predict_features_copy(task->bytes);
    return predict_features_kernel(task->job->input_bytes, task->grid, task->block,
                                   task->smem_bytes);
}

/* Bytes that a task moves in the device's memory. Unknown is NAN, where the device takes unknown
 * for nothing. */
static double memory_bytes(const struct run_task *task) {
    const struct kernel_profile *profile = task->step->profile;
    if (profile)
        return profile->dram_bytes_per_s > 0
                   ? profile->dram_bytes_per_s * task->device.work_ps / (double)CT_PS_PER_S
                   : NAN;
    if (task->view.kind == CT_TASK_MEMSET)
        return (double)task->view.bytes;
    return task->view.direction == CT_COPY_DEVICE ? 2 * (double)task->view.bytes
                                                  : NAN; /* read and written */
}

/* NAN without instructions. */
static double instructions_of(const struct run_task *task) {
    const struct kernel_profile *profile = task->step->profile;
    return profile ? profile->instructions * task->device.blocks / profile->blocks : NAN;
}

/* Laius Eq. 1 for the IPC. */
static struct predict_value value_of(const struct run_task *task, double duration_ps) {
    double seconds = duration_ps / (double)CT_PS_PER_S;
    double clock_hz = task->client->run->setup->gpu.clock_mhz * 1e6;
    return (struct predict_value){duration_ps, memory_bytes(task) / seconds,
                                  instructions_of(task) / (seconds * clock_hz)};
}

struct predict_value knowledge_measured(const struct ct_task *task) {
    return value_of((const struct run_task *)task, (double)task->measured_ps);
}

static void set(struct ct_prediction *prediction, const struct predict_value *value) {
    *prediction =
        (struct ct_prediction){value->duration_ps, value->bandwidth_bytes_per_s, value->ipc};
}

/* The truth, for upper bounds: solo duration at this share. */
static void tell_truth(const struct run *run, const struct run_task *task, ct_share share,
                       struct ct_prediction *prediction) {
    const struct kernel_profile *profile = task->step->profile;
    double speed = 1;
    if (profile && share < CT_SHARE_FULL) {
        double slots = floor(profile->blocks_per_sm * (double)run->setup->gpu.sms);
        double held = fmax(1, floor(slots * share / CT_SHARE_FULL));
        speed = fmin(1, kernel_speed(profile, task->device.blocks, held, slots) /
                            profile->compute_fraction);
    }
    struct predict_value value = value_of(task, task->device.work_ps / speed);
    set(prediction, &value);
}

bool knowledge_predict_task(struct run *run, const struct run_task *task, ct_share share,
                            struct ct_prediction *prediction) {
    struct predict_value value;
    *prediction = (struct ct_prediction){NAN, NAN, NAN};
    if (run->params->oracle) {
        tell_truth(run, task, share, prediction);
        return true;
    }
    if (!run->params->predictor)
        return false;
    struct predict_features features = knowledge_features(&task->view);
    bool known = predict_bank_task(run->params->predictor, knowledge_key(&task->view), &features,
                                   share, &value);
    set(prediction, &value);
    return known;
}

bool knowledge_predict_job(struct run *run, const struct run_job *job, ct_share share,
                           struct ct_prediction *prediction) {
    struct predict_value value;
    *prediction = (struct ct_prediction){NAN, NAN, NAN};
    if (!run->params->predictor)
        return false;
    bool known = predict_bank_query(run->params->predictor, job->client->app_index,
                                    job->view.input_bytes, share, &value);
    set(prediction, &value);
    return known;
}

bool knowledge_feedback(struct run *run, const struct run_task *task) {
    if (!run->params->predictor || run->params->oracle)
        return false;
    struct predict_features features = knowledge_features(&task->view);
    struct predict_value measured = {(double)task->view.measured_ps, NAN, NAN};
    return predict_bank_update(run->params->predictor, knowledge_key(&task->view), &features,
                               task->share, measured);
}

struct predict_traffic knowledge_traffic(const struct ct_task *view) {
    const struct run_task *task = (const struct run_task *)view;
    const struct kernel_profile *profile = task->step->profile;
    double accesses = profile->dram_bytes_per_s * task->device.work_ps / (double)CT_PS_PER_S / 128;
    double instructions = profile->instructions * task->device.blocks / profile->blocks;
    return (struct predict_traffic){.launches = 1,
                                    .busy_ps = (double)view->measured_ps,
                                    .instructions = isnan(instructions) ? 0 : instructions,
                                    .accesses = accesses,
                                    .row_hits = accesses * profile->row_hit_rate};
}

bool knowledge_profiled(const struct run *run, uint32_t function, struct ct_counters *counters) {
    struct predict_traffic sum;
    *counters = (struct ct_counters){0};
    if (!run->params->predictor || !predict_bank_traffic(run->params->predictor, function, &sum))
        return false;
    *counters = (struct ct_counters){.instructions = sum.instructions,
                                     .memory_accesses = sum.accesses,
                                     .row_hits = sum.row_hits,
                                     .busy_ps = sum.busy_ps,
                                     .kernels_finished = sum.launches};
    return true;
}
