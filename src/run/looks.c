/* Looks at a run under way, which change nothing of it: where a shorter run would have ended. */
#include "run/run.h"

/* An application's work so far: what its tasks that ended did, then what those under way did. */
struct so_far {
    const struct run *run;
    uint32_t app;
    double work_ps;
};

static void add_running(void *context, const struct device_task *task, double work_done_ps) {
    struct so_far *so_far = context;
    if (so_far->run->clients[task->client].app_index == so_far->app)
        so_far->work_ps += work_done_ps;
}

static void on_look(void *context, uint64_t number) {
    struct run *run = context;
    struct sim_look *look = &run->params->looks[number];
    run->marks--;
    run->watched++;
    look->batch_work_ps = run->setup->workload->fidelity == DEVICE_BLOCK ? NAN : 0;
    for (uint32_t a = 0; a < run->setup->app_count; a++) {
        struct so_far so_far = {run, a, run->apps[a].result->work_ps};
        if (run->setup->apps[a].spec->role != CT_BATCH)
            continue;
        device_watch_running(run->device, add_running, &so_far);
        look->batch_work_ps += so_far.work_ps;
    }
}

void looks_start(struct run *run) {
    for (size_t i = 0; i < run->params->look_count; i++)
        run_mark(run, run->params->looks[i].at_ps, on_look, run, i);
}
