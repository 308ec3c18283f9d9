/* What the device tells a run: tasks that began and ended, and who holds it. */
#include "run/knowledge.h"
#include "run/run.h"

static void on_started(void *context, struct device_task *device_task) {
    struct run *run = context;
    struct run_task *task = run_task_of(device_task);
    if (task->view.state == CT_TASK_ENDED)
        return;
    task->view.state = CT_TASK_RUNNING;
    task->view.started_ps = device_task->came_ps;
    measure_task_started(run, task);
    policy_tell_task(run, "task_start", run->policy->task_start, &task->view);
    policy_wake(run, CT_WHY_TASK_START);
}

static void trail_end(struct run_task *task) {
    task->job->launches[task->position].done = true;
    blame_on_device(task);
    run_trail_of(task->job, task->position)->ended_ps = task->device.ended_ps;
}

static void on_ended(void *context, struct device_task *device_task) {
    struct run *run = context;
    struct run_task *task = run_task_of(device_task);
    task->view.state = CT_TASK_ENDED;
    task->view.ended_ps = device_task->ended_ps;
    task->view.measured_ps = device_task->ended_ps - device_task->started_ps;
    if (task->view.call)
        knowledge_call_add(task);
    trail_end(task);
    ready_task_ended(task);
    measure_task_ended(run, task);
    policy_tell_task(run, "task_done", run->policy->task_done, &task->view);
    policy_wake(run, CT_WHY_TASK_DONE);
    jobs_task_ended(task);
    run_must(run, ct_vec_push(&run->free_tasks, task));
}

static void on_repartitioned(void *context) {
    struct run *run = context;
    if (!policy_turn(run, "repartition_done"))
        return;
    if (run->policy->repartition_done) {
        policy_enter(run, "repartition_done");
        run->policy->repartition_done(&run->context.view);
        policy_leave(run);
    }
    policy_wake(run, CT_WHY_REPARTITION);
}

static void on_held(void *context, struct device_task *task, bool holds) {
    (void)context;
    measure_kernel_holds(run_task_of(task), holds);
}

static void on_slice_changed(void *context, uint32_t client, bool has_it) {
    struct run *run = context;
    measure_slice_changed(&run->clients[client], has_it);
}

static void on_blocks_moved(void *context, const struct device_block_move *move) {
    const struct run *run = context;
    const struct run_client *client = &run->clients[move->client];
    struct sim_block_move told = {
        .app = client->app_index, .instance = client->view.instance, .move = move};
    if (move->task) {
        told.job = run_task_of(move->task)->job->view.number;
        told.index = run_task_of(move->task)->position;
    }
    run->params->observer->blocks_moved(run->params->observer->context, &told);
}

struct device_listener device_news(struct run *run, bool block_moves) {
    return (struct device_listener){.context = run,
                                    .started = on_started,
                                    .ended = on_ended,
                                    .held = on_held,
                                    .repartitioned = on_repartitioned,
                                    .slice_changed = on_slice_changed,
                                    .next = run->pool.shared_queues ? ready_next : NULL,
                                    .blocks_moved = block_moves ? on_blocks_moved : NULL};
}
