#include "base/ct_sort.h"
#include "base/ct_text.h"
#include "workload/cluster_file.h"
#include "workload/workload_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cluster_placements[] = {"random",    "round-robin", "best-profile",
                                          "hungarian", "best-fit",    "fgd",
                                          "first-fit", "worst-fit",   NULL};
const char *const cluster_balancers[] = {"random",      "round-robin",      "least-outstanding",
                                         "two-choices", "predicted-finish", NULL};
static const char *const waiting_names[] = {"fifo", "none", NULL};

/* Each group is set up with every application before the first run: some seconds (chosen). */
enum { MOST_GPUS = 100000, MOST_GROUPS = 1000, MOST_SETUPS = 250000 };
/* A whole GPU, per mille. */
enum { WHOLE = 1000 };

#define KEY(of, key, kind, unit, least, most, standard, choices)                                   \
    .option = {#key, kind, offsetof(struct of, key), unit, least, most, standard, choices, ""}
static const struct workload_key cluster_keys[] = {
    {KEY(cluster, schema, CT_OPTION_STRING, "", 0, 0, CLUSTER_SCHEMA, NULL)},
    {.option = {"gpus", CT_OPTION_STRING, 0, "", 0, 0, NULL, NULL, ""},
     .shape = WORKLOAD_LIST,
     .needed = true},
    {KEY(cluster, services_per_gpu, CT_OPTION_INT, "", 1, 64, "1", NULL)},
    {KEY(cluster, batch_per_gpu, CT_OPTION_INT, "", 1, 64, "1", NULL)},
    {KEY(cluster, placement, CT_OPTION_CHOICE, "", 0, 0, "random", cluster_placements)},
    {KEY(cluster, balancer, CT_OPTION_CHOICE, "", 0, 0, "random", cluster_balancers)},
    {KEY(cluster, profile_s, CT_OPTION_DOUBLE, "s", 1e-3, 1e5, "10", NULL)},
    {KEY(cluster, waiting, CT_OPTION_CHOICE, "", 0, 0, "fifo", waiting_names)},
    {.option = {"fleet", CT_OPTION_STRING, offsetof(struct cluster, fleet.file), "", 0, 0, NULL,
                NULL, ""}},
    {.option = {"fleet_from_s", CT_OPTION_DOUBLE, offsetof(struct cluster, fleet.from_s), "s", 0,
                1e12, "0", NULL, ""}},
    {KEY(cluster, reps, CT_OPTION_INT, "", 1, 10000, "1", NULL)},
    {.option = {0}},
};

static const struct workload_key group_keys[] = {
    {.option = {"gpu", CT_OPTION_STRING, 0, "", 0, 0, NULL, NULL, ""},
     .shape = WORKLOAD_NAMED,
     .needed = true},
    {KEY(cluster_group, count, CT_OPTION_INT, "", 1, MOST_GPUS, NULL, NULL), .needed = true},
    {KEY(cluster_group, mig, CT_OPTION_STRING, "", 0, 0, "", NULL)},
    {.option = {0}},
};

/* What an application says of its copies; without a key 0, NULL and INFINITY. */
struct cluster_app_draft {
    int64_t gpus, share_pct;
    const char *slice;
    double arrive_s, depart_s;
    bool asks, moves; /* it has a share or a slice; a time */
};

static const struct workload_key app_keys[] = {
    {KEY(cluster_app_draft, gpus, CT_OPTION_INT, "", 0, MOST_GPUS, NULL, NULL), .needed = true},
    {KEY(cluster_app_draft, share_pct, CT_OPTION_INT, "%", 1, 100, NULL, NULL)},
    {KEY(cluster_app_draft, slice, CT_OPTION_STRING, "", 0, 0, NULL, NULL)},
    {KEY(cluster_app_draft, arrive_s, CT_OPTION_DOUBLE, "s", 0, 1e12, "0", NULL)},
    {KEY(cluster_app_draft, depart_s, CT_OPTION_DOUBLE, "s", 0, 1e12, NULL, NULL)},
    {.option = {0}},
};

/* ---- Keys of both forms ---- */

/* Appends the names of a table's keys, but `gpu`: the GPUs of a cluster stand in groups. Returns
 * how many names there are. */
static size_t add_names(const struct workload_key *keys, const char **names, size_t count) {
    for (; keys->option.name; keys++)
        if (strcmp(keys->option.name, "gpu") != 0)
            names[count++] = keys->option.name;
    return count;
}

/* Reports keys that neither form has, and takes them and the cluster's own out of the object: what
 * is left is for the reader of workloads. */
static void take_keys(struct workload_reader *reader, json_t *object,
                      const struct workload_key *own, const struct workload_key *workloads) {
    const char *names[64], *key;
    size_t own_count = add_names(own, names, 0), count = add_names(workloads, names, own_count);
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, key, value) {
        bool known = ct_text_index(key, names, count) < count;
        char hint[CT_HINT_BYTES];
        if (!known)
            workload_mistake(reader, key, "unknown key '%s'%s", key,
                             ct_text_hint(hint, key, names, count));
        if (!known || ct_text_index(key, names, own_count) < own_count)
            json_object_del(object, key);
    }
}

/* Whether an assignment is of a key that a workload does not have: "reps=2", "apps.bfs.gpus=3". */
static bool is_own(const char *assignment) {
    const struct workload_key *keys = cluster_keys;
    size_t length = strcspn(assignment, "="), last = length;
    while (last > 0 && assignment[last - 1] != '.')
        last--;
    if (last > 0)
        keys = strncmp(assignment, "apps.", 5) == 0 ? app_keys : NULL;
    return workload_key_find(keys, assignment + last, length - last);
}

/* Makes the assignments of a cluster's own keys; returns the others, in the arena. */
static const char *const *assign_own(struct workload_reader *reader, json_t *root,
                                     const char *const *assignments, size_t *count) {
    const char **others = json_place_take(&reader->place, *count + 1, sizeof *others);
    size_t left = 0;
    for (size_t i = 0; others && i < *count; i++)
        if (is_own(assignments[i]))
            workload_assign(reader, root, assignments[i], false);
        else
            others[left++] = assignments[i];
    *count = left;
    return others;
}

/* ---- GPUs ---- */

static void read_group(struct workload_reader *reader, const json_t *object,
                       struct cluster_group *group) {
    if (!json_is_object(object)) {
        workload_mistake(reader, NULL, "a group of GPUs is not an object with 'gpu' and 'count'");
        return;
    }
    workload_table_read(reader, object, group_keys, group, false);
    if (json_object_get(object, "gpu"))
        group->gpu =
            workload_named_read(reader, object, "gpu", "base", &group->settings, &group->where);
}

static void read_groups(struct workload_reader *reader, const json_t *groups,
                        struct cluster *cluster) {
    size_t length = json_place_enter(&reader->place, "gpus"), index;
    json_t *object;
    int64_t sum = 0;
    if (groups && (!json_is_array(groups) || json_array_size(groups) == 0))
        workload_mistake(reader, NULL, "'gpus' is not an array of groups of GPUs");
    json_array_foreach((json_t *)groups, index, object) {
        size_t outer = json_place_enter_index(&reader->place, index);
        struct cluster_group group = {0};
        read_group(reader, object, &group);
        json_place_leave(&reader->place, outer);
        sum += group.count;
        if (!ct_vec_push(&cluster->groups, group)) {
            ct_vec_free(&group.settings);
            json_place_no_memory(&reader->place);
        }
    }
    if (sum > MOST_GPUS)
        workload_mistake(reader, NULL, "%lld GPUs are more than %d", (long long)sum, MOST_GPUS);
    cluster->gpu_count = (uint32_t)(sum > MOST_GPUS ? MOST_GPUS : sum);
    json_place_leave(&reader->place, length);
}

/* The first group's GPU stands for the workload's, so that `--set gpu.KEY=VALUE` reaches it. */
static void lend_gpu(struct workload_reader *reader, json_t *root, const json_t *groups,
                     const struct cluster *cluster) {
    char where[300];
    json_t *gpu = cluster->groups.count && cluster->groups.items[0].gpu
                      ? json_deep_copy(json_object_get(json_array_get(groups, 0), "gpu"))
                      : json_string("");
    snprintf(where, sizeof where, "%s: gpus[0].gpu", reader->place.file);
    if (json_object_set_new(root, "gpu", gpu) != 0)
        json_place_no_memory(&reader->place);
    json_place_alias(&reader->place, "gpu", where);
}

static void return_gpu(struct cluster *cluster) {
    struct cluster_group *first = cluster->groups.items;
    struct workload *w = &cluster->workload;
    if (cluster->groups.count != 1)
        return;
    ct_vec_free(&first->settings);
    first->gpu = w->gpu;
    memcpy(&first->settings, &w->gpu_settings, sizeof first->settings);
    memset(&w->gpu_settings, 0, sizeof w->gpu_settings);
}

static void check_assignments(struct workload_reader *reader, const struct cluster *cluster,
                              const char *const *assignments, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (cluster->groups.count > 1 && strncmp(assignments[i], "gpu", 3) == 0 &&
            strchr(".=", assignments[i][3])) {
            ct_error(reader->place.diags, "--set",
                     "'%s' is of one GPU, and there are groups of several", assignments[i]);
            json_place_fail(&reader->place, CT_USAGE);
        }
}

/* ---- Applications ---- */

/* NULL: memory ran out. */
static struct cluster_app_draft *read_apps(struct workload_reader *reader, const json_t *root,
                                           struct cluster *cluster) {
    json_t *apps = json_object_get(root, "apps"), *app;
    size_t length = json_place_enter(&reader->place, "apps"), index;
    size_t count = json_array_size(apps) + 1;
    struct cluster_app_draft *drafts = json_place_take(&reader->place, count, sizeof *drafts);
    cluster->gpus = json_place_take(&reader->place, count, sizeof *cluster->gpus);
    if (!cluster->gpus || !drafts)
        return NULL;
    json_array_foreach(apps, index, app) {
        size_t outer = json_place_enter_index(&reader->place, index);
        drafts[index] = (struct cluster_app_draft){.depart_s = INFINITY};
        if (json_is_object(app)) {
            workload_table_read(reader, app, app_keys, &drafts[index], true);
            cluster->gpus[index] = (uint32_t)drafts[index].gpus;
            drafts[index].asks = json_object_get(app, "share_pct") || drafts[index].slice;
            drafts[index].moves =
                json_object_get(app, "arrive_s") || json_object_get(app, "depart_s");
            take_keys(reader, app, app_keys, workload_app_keys);
        }
        json_place_leave(&reader->place, outer);
    }
    json_place_leave(&reader->place, length);
    return drafts;
}

/* ---- Copies that ask for shares of GPUs or for instances of MIG, and come and go ---- */

static const struct workload_app *app_of(const struct cluster *cluster, size_t app) {
    return &cluster->workload.apps.items[app];
}

static void check_draft(struct workload_reader *reader, const struct cluster *cluster, size_t index,
                        const struct cluster_app_draft *draft, bool in_fleet) {
    const struct workload_app *app = app_of(cluster, index);
    size_t outer = json_place_enter_index(&reader->place, index);
    if (draft->share_pct && draft->slice)
        workload_mistake(reader, "slice", "'%s' asks for a share of a GPU and for a slice",
                         app->name);
    if (draft->slice && app->instances != 1)
        workload_mistake(reader, "slice",
                         "'instances' is %lld: an instance of MIG is one program's; 'gpus' says "
                         "how many copies there are",
                         (long long)app->instances);
    if (draft->slice && strpbrk(app->name, "+=:"))
        workload_mistake(reader, "name", "what has a slice is not called by '+', '=' or ':'");
    if (draft->depart_s <= draft->arrive_s)
        workload_mistake(reader, "depart_s", "'%s' leaves at %g s and arrives at %g s", app->name,
                         draft->depart_s, draft->arrive_s);
    if (draft->gpus == 0 && !in_fleet)
        workload_mistake(reader, "gpus", "'%s' runs on no GPU, and there is no 'fleet'", app->name);
    json_place_leave(&reader->place, outer);
}

/* Either all applications ask for a part of a GPU, or all for places. `places`: the file has some.
 */
static void check_demands(struct workload_reader *reader, const struct cluster_app_draft *drafts,
                          size_t apps, bool places, const struct cluster *cluster) {
    size_t asking = 0, moving = cluster->fleet.file != NULL;
    for (size_t a = 0; a < apps; a++) {
        asking += drafts[a].asks;
        moving += drafts[a].moves;
    }
    if (asking > 0 && asking < apps)
        workload_mistake(reader, "apps",
                         "%zu of %zu applications have 'share_pct' or 'slice': all ask for a part "
                         "of a GPU, or none does",
                         asking, apps);
    if (asking && places)
        workload_mistake(reader, NULL,
                         "where applications have 'share_pct' or 'slice', GPUs have no places "
                         "('services_per_gpu', 'batch_per_gpu')");
    if (!asking && moving)
        workload_mistake(reader, NULL,
                         "applications that come and go ask for 'share_pct' or 'slice'; a whole "
                         "GPU is a share of 100");
    for (size_t g = 0; !asking && g < cluster->groups.count; g++)
        if (cluster->groups.items[g].mig && *cluster->groups.items[g].mig)
            workload_mistake(reader, "gpus",
                             "GPUs that are cut by MIG run applications with 'slice'");
}

/* ---- Copies ---- */

static bool add_pod(struct cluster *cluster, const struct cluster_app_draft *drafts, uint32_t app) {
    const struct cluster_app_draft *draft = &drafts[app];
    struct cluster_pod pod = {app, app, draft->arrive_s, draft->depart_s - draft->arrive_s};
    cluster->comes_and_goes |= draft->moves;
    return ct_vec_push(&cluster->pods, pod);
}

/* Copies of the services one after the other, then those of batch applications in turn. */
static bool list_pods(struct cluster *cluster, const struct cluster_app_draft *drafts) {
    uint32_t apps = (uint32_t)cluster->workload.apps.count, most = 0;
    bool ok = true;
    for (uint32_t a = 0; a < apps; a++) {
        bool service = app_of(cluster, a)->role == CT_SERVICE;
        most = !service && cluster->gpus[a] > most ? cluster->gpus[a] : most;
        for (uint32_t i = 0; ok && service && i < cluster->gpus[a]; i++)
            ok = add_pod(cluster, drafts, a);
    }
    for (uint32_t i = 0; i < most; i++)
        for (uint32_t a = 0; ok && a < apps; a++)
            if (app_of(cluster, a)->role != CT_SERVICE && i < cluster->gpus[a])
                ok = add_pod(cluster, drafts, a);
    return ok;
}

/* Sorts the copies by arrival; those that come at once stay in their order. */
static bool sort_pods(struct cluster *cluster) {
    size_t count = cluster->pods.count;
    struct cluster_pod *pods = cluster->pods.items;
    struct cluster_pod *listed = malloc((count + 1) * sizeof *listed);
    struct ct_ranked *ranked = malloc((count + 1) * sizeof *ranked);
    bool ok = listed && ranked;
    for (size_t p = 0; ok && p < count; p++) {
        listed[p] = pods[p];
        ranked[p] = (struct ct_ranked){pods[p].arrive_s, p};
    }
    if (ok)
        ct_sort_ranked(ranked, count);
    for (size_t p = 0; ok && p < count; p++)
        pods[p] = listed[ranked[p].index];
    free(ranked);
    free(listed);
    return ok;
}

/* Once the applications are read without a mistake: lists the copies and what they ask for. */
static void read_demands(struct workload_reader *reader, const struct cluster_app_draft *drafts,
                         struct cluster *cluster) {
    size_t apps = cluster->workload.apps.count, length = json_place_enter(&reader->place, "apps");
    bool ok = true;
    for (size_t a = 0; a < apps; a++)
        check_draft(reader, cluster, a, &drafts[a], cluster->fleet.file);
    json_place_leave(&reader->place, length);
    if (reader->place.status != CT_OK || !drafts[0].asks)
        return;
    for (size_t a = 0; ok && a < apps; a++) {
        struct cluster_demand demand = {.share = (uint32_t)drafts[a].share_pct * (WHOLE / 100),
                                        .slice = drafts[a].slice};
        ok = ct_vec_push(&cluster->demands, demand);
    }
    ok = ok && list_pods(cluster, drafts);
    if (ok && cluster->fleet.file)
        json_place_fail(&reader->place, cluster_fleet_read(cluster, reader->place.diags));
    if (!ok || !sort_pods(cluster))
        json_place_no_memory(&reader->place);
    for (size_t p = 0; p < cluster->pods.count; p++)
        cluster->demands.items[cluster->pods.items[p].demand].copies++;
}

/* ---- Whether it fits ---- */

static void check_app(struct workload_reader *reader, const struct cluster *cluster, size_t index) {
    const struct workload_app *app = &cluster->workload.apps.items[index];
    bool service = app->role == CT_SERVICE;
    uint64_t most = (uint64_t)cluster->gpu_count * (uint64_t)(service ? 1 : cluster->batch_per_gpu);
    size_t length = json_place_enter(&reader->place, "apps");
    json_place_enter_index(&reader->place, index);
    if (cluster->gpus[index] > most && (service || !cluster->demands.count))
        workload_mistake(reader, NULL, "'%s' asks for %u GPUs, and there %s %llu", app->name,
                         cluster->gpus[index], service ? "are" : "are places for",
                         (unsigned long long)most);
    if (service && app->instances != 1)
        workload_mistake(reader, NULL,
                         "'instances' of a service is %lld: it runs once on each of its GPUs; "
                         "'workers' lets several queries run at a time",
                         (long long)app->instances);
    if (app->arrivals.process == WORKLOAD_STAGE)
        workload_mistake(reader, NULL,
                         "'%s' is a stage: a cluster's balancer does not know on which GPUs the "
                         "stages before it run",
                         app->name);
    if (app->stop == WORKLOAD_STOP_FIRST_RUN)
        workload_mistake(reader, NULL, "'stop' after the first run: a cluster runs for a time");
    json_place_leave(&reader->place, length);
}

static void check_places(struct workload_reader *reader, const struct cluster *cluster, int role) {
    static const char *const kinds[] = {"services", "batch applications"}, *const keys[] = {
                                                                               "services_per_gpu",
                                                                               "batch_per_gpu"};
    uint64_t wanted = 0;
    int64_t each = role == CT_SERVICE ? cluster->services_per_gpu : cluster->batch_per_gpu;
    for (size_t i = 0; i < cluster->workload.apps.count; i++)
        if (cluster->workload.apps.items[i].role == role)
            wanted += cluster->gpus[i];
    uint64_t places = (uint64_t)cluster->gpu_count * (uint64_t)each;
    if (wanted > places)
        workload_mistake(reader, "apps",
                         "the %s ask for %llu places, and %u GPUs have %llu ('%s' is %lld)",
                         kinds[role], (unsigned long long)wanted, cluster->gpu_count,
                         (unsigned long long)places, keys[role], (long long)each);
}

/* Where all copies are there at once. Those of slices are looked at when they are placed. */
static void check_sum_of_shares(struct workload_reader *reader, const struct cluster *cluster) {
    uint64_t wanted = 0, gpus = 0;
    for (size_t g = 0; g < cluster->groups.count; g++)
        gpus += *cluster->groups.items[g].mig ? 0 : (uint64_t)cluster->groups.items[g].count;
    for (size_t d = 0; d < cluster->demands.count; d++)
        wanted += cluster->demands.items[d].copies * cluster->demands.items[d].share;
    if (wanted > WHOLE * gpus)
        workload_mistake(
            reader, "apps",
            "the applications ask for %llu %% of a GPU in all, and %llu GPUs have %llu %%",
            (unsigned long long)wanted / 10, (unsigned long long)gpus,
            (unsigned long long)gpus * 100);
}

static void check_cluster(struct workload_reader *reader, const struct cluster *cluster) {
    size_t groups = cluster->groups.count, apps = cluster->workload.apps.count;
    if (groups > MOST_GROUPS)
        workload_mistake(reader, "gpus",
                         "%zu groups of GPUs are more than %d; GPUs that are alike can be one "
                         "group, with their 'count'",
                         groups, MOST_GROUPS);
    else if (apps > MOST_SETUPS / groups)
        workload_mistake(reader, "gpus",
                         "%zu groups of GPUs with %zu applications are more than %d set-ups; GPUs "
                         "that are alike can be one group, with their 'count'",
                         groups, apps, MOST_SETUPS);
    else if (apps > CLUSTER_MOST_RESULTS / cluster->gpu_count)
        workload_mistake(reader, "gpus",
                         "%u GPUs with %zu applications are more than %d pairs of them; "
                         "applications that are alike can be one, with more copies",
                         cluster->gpu_count, apps, CLUSTER_MOST_RESULTS);
    for (size_t i = 0; i < cluster->workload.apps.count; i++)
        check_app(reader, cluster, i);
    if (cluster->demands.count && !cluster->comes_and_goes)
        check_sum_of_shares(reader, cluster);
    if (!cluster->demands.count) {
        check_places(reader, cluster, CT_SERVICE);
        check_places(reader, cluster, CT_BATCH);
    }
    if (cluster->workload.warmup_by != WORKLOAD_WARMUP_TIME)
        workload_mistake(reader, "warmup_by", "a cluster knows 'time' only");
}

/* ---- The whole ---- */

static void read_cluster(struct workload_reader *reader, json_t *root,
                         const char *const *assignments, size_t count, struct cluster *cluster) {
    assignments = assign_own(reader, root, assignments, &count);
    workload_table_read(reader, root, cluster_keys, cluster, true);
    json_t *groups = json_incref(json_object_get(root, "gpus"));
    read_groups(reader, groups, cluster);
    check_assignments(reader, cluster, assignments, count);
    struct cluster_app_draft *drafts = read_apps(reader, root, cluster);
    bool places =
        json_object_get(root, "services_per_gpu") || json_object_get(root, "batch_per_gpu");
    if (drafts)
        check_demands(reader, drafts, json_array_size(json_object_get(root, "apps")), places,
                      cluster);
    take_keys(reader, root, cluster_keys, workload_keys);
    lend_gpu(reader, root, groups, cluster);
    json_decref(groups);
    workload_document_read(reader, root, assignments, count);
    return_gpu(cluster);
    if (reader->place.status == CT_OK && cluster->workload.apps.count)
        read_demands(reader, drafts, cluster);
    if (reader->place.status == CT_OK)
        check_cluster(reader, cluster);
}

int cluster_read(const char *path, const char *const *assignments, size_t assignment_count,
                 struct cluster *cluster, struct ct_diags *diags) {
    *cluster = (struct cluster){0};
    struct workload_reader reader = {
        .workload = &cluster->workload,
        .place = {.file = path, .diags = diags, .arena = &cluster->workload.arena},
        .also = cluster_keys};
    cluster->workload.path = ct_arena_strdup(&cluster->workload.arena, path);
    if (!cluster->workload.path)
        return ct_out_of_memory(diags);
    json_t *root = json_place_load(path, NULL, &reader.place.status, diags);
    if (root && json_place_schema(&reader.place, root, CLUSTER_SCHEMA, false))
        read_cluster(&reader, root, assignments, assignment_count, cluster);
    json_decref(root);
    workload_reader_free(&reader);
    return reader.place.status;
}

void cluster_free(struct cluster *cluster) {
    for (size_t i = 0; i < cluster->groups.count; i++)
        ct_vec_free(&cluster->groups.items[i].settings);
    ct_vec_free(&cluster->groups);
    ct_vec_free(&cluster->demands);
    ct_vec_free(&cluster->pods);
    workload_free(&cluster->workload);
    *cluster = (struct cluster){0};
}
