#include "base/ct_text.h"
#include "experiment/scenario.h"
#include "run/arrivals.h"
#include "study/plan_internal.h"

#include <string.h>

/* A search runs each of them some thousand times, alone and with the others, which no budget of
 * events counts (chosen). */
enum { PLAN_APPS_MOST = 1000 };
/* What begins later than the warm-up by more than this part of the measured time has its time; the
 * start of clients is often spread over less (chosen). */
static const double DATED_PART = 0.01;

const char *const plan_goals[] = {"max-rate", "gpus", "batch-instances", "gpu"};

struct plan plan_standard(void) {
    return (struct plan){.confidence = 0.95,
                         .tolerance = 0.02,
                         .error = 0.05,
                         .replications = 5,
                         .budget = PLAN_BUDGET,
                         .growth = 1,
                         .most = 64,
                         .threads = 1};
}

void plan_take(struct plan *plan, const struct scenario *scenario) {
    plan->workload = &scenario->workload;
    plan->policies = scenario->experiment.policies;
    plan->policy_count = scenario->experiment.policy_count;
    plan->seed = scenario->experiment.seed;
    plan->cache = scenario->experiment.cache;
    plan->version = scenario->experiment.version;
}

static bool find_app(struct plan *plan, const char *name, struct ct_arena *arena,
                     struct ct_diags *diags) {
    const struct workload *w = plan->workload;
    const char **names = ct_arena_array(arena, w->apps.count + 1, sizeof *names);
    for (size_t a = 0; names && a < w->apps.count; a++)
        names[a] = w->apps.items[a].name;
    plan->app = names ? (uint32_t)ct_text_index(name, names, w->apps.count) : 0;
    if (!names)
        ct_out_of_memory(diags);
    else if (plan->app == w->apps.count)
        ct_unknown(diags, "application of '--find'", name, names, w->apps.count);
    return names && plan->app < w->apps.count;
}

static bool find_presets(struct plan *plan, const char *list, struct ct_arena *arena,
                         struct ct_diags *diags) {
    const char **presets = ct_arena_array(arena, strlen(list) + 1, sizeof *presets);
    bool ok = presets;
    for (const char *next = list; ok && next;) {
        size_t length = strcspn(next, ",");
        const char *name = ct_arena_strndup(arena, next, length);
        struct gpu gpu;
        next = next[length] ? next + length + 1 : NULL;
        ok = name &&
             setup_gpu(name, "--find", &plan->workload->gpu_settings, arena, &gpu, diags) == CT_OK;
        presets[plan->preset_count++] = ok ? gpu.name : name;
    }
    plan->presets = presets;
    if (!presets)
        ct_out_of_memory(diags);
    return ok;
}

bool plan_find(struct plan *plan, const char *what, struct ct_arena *arena,
               struct ct_diags *diags) {
    size_t length = what ? strcspn(what, ":") : 0, goal = 0;
    const char *rest = what && what[length] ? what + length + 1 : NULL;
    while (what && goal < PLAN_GOALS &&
           (strlen(plan_goals[goal]) != length || strncmp(plan_goals[goal], what, length) != 0))
        goal++;
    plan->goal = (enum plan_goal)goal;
    if (!what)
        ct_error(diags, "",
                 "plan needs --find max-rate:APP, gpus, batch-instances:APP or "
                 "gpu:PRESET,PRESET");
    else if (goal == PLAN_GOALS)
        ct_unknown(diags, "aim of '--find'", what, plan_goals, PLAN_GOALS);
    else if ((goal == PLAN_GPUS) != !rest)
        ct_error(diags, "--find",
                 goal == PLAN_GPUS ? "'%s' takes nothing after it"
                                   : "'%s' needs a name after a colon",
                 plan_goals[goal]);
    else if (goal == PLAN_PRESET)
        return find_presets(plan, rest, arena, diags);
    else
        return goal == PLAN_GPUS || find_app(plan, rest, arena, diags);
    return false;
}

/* ---- What can be planned ---- */

const char plan_why_unjudged[] =
    "progress against running alone is not measured here, as 'run' and 'compare' do";

static void check_app(const struct plan *plan, const char *option, struct ct_diags *diags) {
    const struct workload_app *app = &plan->workload->apps.items[plan->app];
    if (plan->goal == PLAN_INSTANCES && app->role != CT_BATCH)
        ct_error(diags, option, "'%s' is a service: batch-instances is about batch work",
                 app->name);
    if (plan->goal == PLAN_RATE && app->role != CT_SERVICE)
        ct_error(diags, option, "'%s' is batch work: max-rate is about services", app->name);
    else if (plan->goal == PLAN_RATE && arrivals_fixed_because(&app->arrivals))
        ct_error(diags, option, "'%s' has no arrival rate that could be looked for: %s", app->name,
                 arrivals_fixed_because(&app->arrivals));
}

bool plan_is_request(const struct workload *workload, size_t app) {
    const struct workload_app *spec = &workload->apps.items[app];
    return spec->role == CT_SERVICE && spec->arrivals.process != WORKLOAD_STAGE;
}

/* Rates that are to be split or to grow. A stage's follows those that it is fed by. */
static void check_rates(const struct plan *plan, const char *option, const char *what,
                        struct ct_diags *diags) {
    for (size_t a = 0; a < plan->workload->apps.count; a++) {
        const struct workload_app *app = &plan->workload->apps.items[a];
        const char *why = arrivals_fixed_because(&app->arrivals);
        if (why && plan_is_request(plan->workload, a))
            ct_error(diags, option, "'%s' has no arrival rate that could %s: %s", app->name, what,
                     why);
    }
}

static bool is_dated(const struct workload *workload, size_t app) {
    const struct workload_arrivals *arrivals = &workload->apps.items[app].arrivals;
    double late_s = workload->warmup_s + DATED_PART * (workload->duration_s - workload->warmup_s);
    return arrivals->replayed || arrivals->process == WORKLOAD_ONCE ||
           arrivals->process == WORKLOAD_DIURNAL ||
           (arrivals->process == WORKLOAD_CLOSED && arrivals->delay_ms.mean > 1e3 * late_s);
}

bool plan_has_dates(const struct workload *workload) {
    bool dated = false;
    for (size_t a = 0; a < workload->apps.count; a++)
        dated = dated || is_dated(workload, a);
    return dated;
}

void plan_note_unjudged(const struct workload *workload, const char *why, struct ct_diags *diags) {
    const char *names[64];
    char text[512];
    size_t count = 0;
    for (size_t a = 0; a < workload->apps.count && count < CT_COUNT_OF(names); a++)
        if (workload->apps.items[a].np_target > 0)
            names[count++] = workload->apps.items[a].name;
    if (!count)
        return;
    ct_text_join(text, sizeof text, names, count);
    ct_notice(diags, workload->path,
              "'np_target' of %s is known to the policies, and whether it is kept is not said: %s",
              text, why);
}

int plan_check(const struct plan *plan, const char *option, struct ct_diags *diags) {
    size_t targets = 0, errors = diags->errors;
    bool progress = false;
    arrivals_notice_ends(plan->workload, diags);
    plan_note_unjudged(plan->workload, plan_why_unjudged, diags);
    if (plan->workload->apps.count > PLAN_APPS_MOST)
        ct_error(diags, plan->workload->path,
                 "%zu applications are more than the %d for which a load is looked for",
                 plan->workload->apps.count, PLAN_APPS_MOST);
    for (size_t a = 0; a < plan->workload->apps.count; a++) {
        const struct workload_app *app = &plan->workload->apps.items[a];
        uint32_t own = plan_target_count(app);
        targets += own;
        progress |= app->np_target > 0;
        if (is_dated(plan->workload, a))
            ct_notice(diags, plan->workload->path,
                      "what '%s' does depends on when it is: runs stay as long as the workload's",
                      app->name);
        if (app->role == CT_SERVICE && own == 0)
            ct_notice(diags, plan->workload->path,
                      "'%s' has no target%s, and nothing is asked of it", app->name,
                      app->np_target > 0 ? " but 'np_target'" : "");
    }
    if (!targets)
        ct_error(diags, plan->workload->path,
                 "no service has a target that a plan could keep: 'qos_ms', or of one that "
                 "generates 'ttft_ms' or 'tpot_ms'%s",
                 progress ? "; 'np_target' is not judged by it" : "");
    if (plan->goal == PLAN_RATE || plan->goal == PLAN_INSTANCES)
        check_app(plan, option, diags);
    if (plan->goal == PLAN_GPUS)
        check_rates(plan, option, "be split over GPUs", diags);
    else if (plan->growth != 1)
        check_rates(plan, "--load", "grow", diags);
    if (plan->spare > 0 && plan->goal != PLAN_GPUS)
        ct_error(diags, "--spare", "only of several GPUs one may fail: it goes with --find gpus");
    else if (plan->spare >= plan->most)
        ct_error(diags, "--spare", "of %u GPUs at most (--most) none would be left", plan->most);
    return diags->errors == errors ? CT_OK : CT_USAGE;
}
