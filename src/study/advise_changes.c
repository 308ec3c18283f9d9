/* What an advice tries besides ways of sharing. */
#include "study/advise_types.h"

/* Limits are tried one application at a time beyond so many combinations. */
enum { CHANGES_MOST = 12, LEVELS = 3 };

/* Lengths of time slices, ms. NVIDIA names the driver's settings and publishes no length; its vGPU
 * scheduler, which does the same between virtual machines, takes 1 to 30 ms (Virtual GPU Software
 * User Guide, "Changing Scheduling Behavior for Time-Sliced vGPUs"). */
static const struct {
    double ms;
    int setting; /* of nvidia-smi: 1 short, 2 medium, 3 long */
} lengths[] = {{1, 1}, {8, 2}, {30, 3}};

struct maker {
    const struct scenario_request *request; /* with the GPU's assignment */
    const struct scenario *scenario;
    struct advise_changes *changes;
    struct ct_arena *arena;
    struct ct_diags *diags;
    int status;
};

/* The list, ended with NULL. */
static const char *const *finish(struct advise_lines *list) {
    const char **texts =
        list->no_memory ? NULL : ct_arena_array(list->arena, list->count + 1, sizeof *texts);
    for (size_t i = 0; texts && i < list->count; i++)
        texts[i] = list->items[i];
    ct_vec_free(list);
    return texts;
}

bool advise_request_with(const struct scenario_request *request, const char *const *sets,
                         struct ct_arena *arena, struct scenario_request *with) {
    size_t count = 0;
    while (sets[count])
        count++;
    const char **all = ct_arena_array(arena, request->assignment_count + count + 1, sizeof *all);
    *with = *request;
    for (size_t i = 0; all && i < request->assignment_count + count; i++)
        all[i] = i < request->assignment_count ? request->assignments[i]
                                               : sets[i - request->assignment_count];
    with->assignments = all;
    with->assignment_count += count;
    return all;
}

static int open_change(struct maker *m, struct advise_change *change) {
    struct scenario_request request;
    struct ct_diags unheard = {.files = m->diags->files};
    if (!advise_request_with(m->request, change->sets, m->arena, &request))
        return ct_out_of_memory(m->diags);
    request.policies = "mps";
    request.one_policy = false;
    int status = scenario_open(&change->scenario, &request, &unheard);
    if (status != CT_OK)
        ct_diags_add(m->diags, &unheard);
    ct_diags_free(&unheard);
    return status;
}

static void add_change(struct maker *m, const char *text, struct advise_lines *sets,
                       struct advise_lines *commands, bool slices) {
    struct advise_change *change = ct_arena_alloc(m->arena, sizeof *change);
    const char *const *own_sets = finish(sets);
    const char *const *own_commands = finish(commands);
    if (!change || !text || !own_sets || !own_commands || !ct_vec_push(m->changes, change)) {
        m->status = ct_out_of_memory(m->diags);
        return;
    }
    *change = (struct advise_change){
        .slices = slices, .text = text, .sets = own_sets, .commands = own_commands};
    m->status = open_change(m, change);
}

/* ---- Time slices ---- */

static void add_length(struct maker *m, double ms, int setting) {
    static const char *const names[] = {"default", "short", "medium", "long"};
    struct advise_lines sets = {.arena = m->arena}, commands = {.arena = m->arena};
    advise_line(&sets, "gpu.time_slice_us=%.0f", 1000 * ms);
    advise_line(&commands, "nvidia-smi compute-policy -i 0 --set-timeslice=%d # %s", setting,
                names[setting]);
    advise_line(&commands,
                "# It holds for the whole GPU and all programs on it. How long it is NVIDIA");
    advise_line(&commands, "# does not publish: that it is this length has to be measured.");
    add_change(m, ct_arena_format(m->arena, "slices of %.4g ms", ms), &sets, &commands, true);
}

/* ---- Limits ---- */

/* What is run at once of an application: requests of a batch, or jobs of closed clients; 1: nothing
 * to limit. */
static int64_t limit_of(const struct workload_app *app) {
    if (app->server)
        return app->server->max_batch;
    return app->role == CT_BATCH && app->arrivals.process == WORKLOAD_CLOSED ? app->arrivals.clients
                                                                             : 1;
}

/* The limit of an application at a level: as it is, a quarter of it, or one at a time. */
static int64_t limit_at(const struct workload_app *app, uint32_t level) {
    int64_t most = limit_of(app), quarter = most / 4;
    return level == 0 ? most : level == 1 ? quarter : 1;
}

static bool has_level(const struct workload_app *app, uint32_t level) {
    return level == 0 || (limit_of(app) > 1 && (level == 2 || limit_at(app, 1) > 1));
}

/* Sizes that are not waited beyond, of those that are left. */
static const char *preferred_up_to(const struct workload_server *server, int64_t most,
                                   struct ct_arena *arena) {
    const char *text = "";
    for (size_t i = 0; i < server->preferred.count && text; i++)
        if (server->preferred.numbers[i] <= most)
            text = ct_arena_format(arena, "%s%s%lld", text, *text ? ", " : "",
                                   (long long)server->preferred.numbers[i]);
    return text && !*text ? ct_arena_format(arena, "%lld", (long long)most) : text;
}

static void set_batches(const struct workload_app *app, int64_t most, struct advise_lines *sets,
                        struct advise_lines *commands) {
    const char *sizes = preferred_up_to(app->server, most, sets->arena);
    advise_line(sets, "apps.%s.server.max_batch=%lld", app->name, (long long)most);
    if (app->server->preferred.count)
        advise_line(sets, "apps.%s.server.preferred=[%s]", app->name, sizes ? sizes : "");
    if (most == 1 && app->server->queue_delay_ms > 0)
        advise_line(sets, "apps.%s.server.queue_delay_ms=0", app->name);
    advise_line(commands, "# Triton, config.pbtxt of %s:", app->name);
    advise_line(commands, "#   max_batch_size: %lld", (long long)most);
    if (app->server->preferred.count)
        advise_line(commands, "#   dynamic_batching { preferred_batch_size: [ %s ] }",
                    sizes ? sizes : "");
}

static void set_clients(const struct workload_app *app, int64_t most, struct advise_lines *sets,
                        struct advise_lines *commands) {
    advise_line(sets, "apps.%s.arrivals.clients=%lld", app->name, (long long)most);
    advise_line(commands, "# %s: %lld jobs at a time, by its own setting", app->name,
                (long long)most);
}

/* One combination of levels. */
static void add_limits(struct maker *m, const uint32_t *levels) {
    const struct workload *w = &m->scenario->workload;
    struct advise_lines sets = {.arena = m->arena}, commands = {.arena = m->arena};
    const char *text = "";
    for (size_t a = 0; a < w->apps.count && text; a++) {
        const struct workload_app *app = &w->apps.items[a];
        if (levels[a] == 0)
            continue;
        int64_t most = limit_at(app, levels[a]);
        (app->server ? set_batches : set_clients)(app, most, &sets, &commands);
        text = ct_arena_format(m->arena, "%s%s%s of %s up to %lld", text, *text ? ", " : "",
                               app->server ? "batches" : "jobs", app->name, (long long)most);
    }
    add_change(m, text, &sets, &commands, false);
}

/* The next combination, like the next number; false after the last. */
static bool next_levels(const struct workload *w, uint32_t *levels) {
    for (size_t a = 0; a < w->apps.count; a++) {
        do
            levels[a]++;
        while (levels[a] < LEVELS && !has_level(&w->apps.items[a], levels[a]));
        if (levels[a] < LEVELS)
            return true;
        levels[a] = 0;
    }
    return false;
}

static size_t count_combinations(const struct workload *w) {
    size_t all = 1;
    for (size_t a = 0; a < w->apps.count && all <= CHANGES_MOST; a++)
        all *= 1u + has_level(&w->apps.items[a], 1) + has_level(&w->apps.items[a], 2);
    return all - 1;
}

static bool changes_one(const struct workload *w, const uint32_t *levels) {
    size_t changed = 0;
    for (size_t a = 0; a < w->apps.count; a++)
        changed += levels[a] > 0;
    return changed == 1;
}

static void add_all_limits(struct maker *m) {
    const struct workload *w = &m->scenario->workload;
    bool all = count_combinations(w) <= CHANGES_MOST;
    uint32_t *levels = ct_arena_array(m->arena, w->apps.count, sizeof *levels);
    if (!levels)
        m->status = ct_out_of_memory(m->diags);
    while (m->status == CT_OK && next_levels(w, levels))
        if (all || changes_one(w, levels))
            add_limits(m, levels);
}

/* ---- All ---- */

int advise_changes_make(const struct scenario_request *request, const struct scenario *scenario,
                        struct advise_changes *changes, struct ct_arena *arena,
                        struct ct_diags *diags) {
    struct maker m = {request, scenario, changes, arena, diags, CT_OK};
    double own_ms = scenario->setup.gpu.time_slice_us / 1000;
    for (size_t i = 0; i < CT_COUNT_OF(lengths) && m.status == CT_OK; i++)
        if (lengths[i].ms != own_ms && scenario->setup.app_count > 1)
            add_length(&m, lengths[i].ms, lengths[i].ms < own_ms ? 1 : lengths[i].setting);
    if (m.status == CT_OK)
        add_all_limits(&m);
    return m.status;
}

void advise_changes_free(struct advise_changes *changes) {
    for (size_t i = 0; i < changes->count; i++)
        scenario_close(&changes->items[i]->scenario);
    ct_vec_free(changes);
}
