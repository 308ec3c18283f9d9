#include "paper_file.h"

#include "ct_text.h"
#include "json_place.h"
#include "workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const paper_measures[] = {"fairness",
                                      "stp",
                                      "antt",
                                      "goals_met",
                                      "turnaround_ms",
                                      "high_np",
                                      "np_error",
                                      "p99_target",
                                      "batch_throughput_normalised",
                                      "batch_busy_fraction",
                                      "dram_use",
                                      "dram_gb_s",
                                      "row_hit_shift",
                                      NULL};
const char *const paper_reductions[] = {"mean", "least",     "most",   "share",       "share_over",
                                        "gain", "gain_most", "saving", "saving_most", NULL};

/* What reads one paper: the first mistake ends it. */
struct reader {
    struct paper *paper;
    const char *path;
    struct ct_diags *diags;
    int status;
};

static void fail(struct reader *r, const char *what, const char *text) {
    if (r->status == CT_OK)
        ct_error(r->diags, r->path, "%s: %s", what, text);
    r->status = CT_DATA;
}

static void *take(struct reader *r, size_t count, size_t size) {
    void *memory = ct_arena_array(&r->paper->arena, count ? count : 1, size);
    if (!memory && r->status == CT_OK)
        r->status = ct_out_of_memory(r->diags);
    return memory;
}

/* A copy that outlives the document; NULL stays NULL. */
static const char *keep(struct reader *r, const char *text) {
    const char *copy = text ? ct_arena_strdup(&r->paper->arena, text) : NULL;
    if (text && !copy && r->status == CT_OK)
        r->status = ct_out_of_memory(r->diags);
    return copy;
}

static const char *keep_json(struct reader *r, const json_t *value) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    const char *copy = keep(r, text);
    if (!text && r->status == CT_OK)
        r->status = ct_out_of_memory(r->diags);
    free(text);
    return copy;
}

static int choice(struct reader *r, const char *name, const char *const *names) {
    for (int i = 0; name && names[i]; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    fail(r, "no such measure or reduction", name ? name : "none");
    return 0;
}

/* jansson's unpacking with its message as ours. */
#define UNPACK(r, value, what, ...)                                                                \
    do {                                                                                           \
        json_error_t error_;                                                                       \
        if (json_unpack_ex((value), &error_, JSON_STRICT, __VA_ARGS__) != 0)                       \
            fail((r), (what), error_.text);                                                        \
    } while (0)

static void read_app(struct reader *r, json_t *object, struct paper_app *app) {
    const char *name = NULL, *kind = NULL, *source = NULL; /* for readers */
    json_t *keys = NULL, *roofline = NULL;
    *app = (struct paper_app){.solo_ms = NAN, .roofline.ipc = NAN};
    UNPACK(r, object, "application", "{s:s, s:s, s:o, s?o, s?F, s?s}", "name", &name, "kind", &kind,
           "app", &keys, "roofline", &roofline, "solo_ms", &app->solo_ms, "source", &source);
    if (r->status != CT_OK)
        return;
    if (strlen(kind) != 1 || !json_is_object(keys))
        fail(r, name, "its kind is no letter, or 'app' is no object");
    if (roofline)
        UNPACK(r, roofline, name, "{s:F, s:F, s:F, s:F}", "instructions",
               &app->roofline.instructions, "mpki", &app->roofline.mpki, "ipc", &app->roofline.ipc,
               "kernels", &app->roofline.kernels);
    app->name = keep(r, name);
    app->kind = keep(r, kind);
    if (json_object_set_new(keys, "name", json_string(name)) != 0 && r->status == CT_OK)
        r->status = ct_out_of_memory(r->diags);
    app->text = keep_json(r, keys);
}

static void read_levels(struct reader *r, const json_t *levels, struct paper_suite *suite) {
    size_t i;
    json_t *level;
    json_array_foreach((json_t *)levels, i, level) {
        if (i >= PAPER_LEVELS_MOST || !json_is_number(level)) {
            fail(r, suite->name, "levels");
            return;
        }
        suite->levels[suite->level_count++] = json_number_value(level);
    }
}

static void read_suite(struct reader *r, json_t *object, struct paper_suite *suite) {
    const char *name = NULL, *title = NULL, *note = NULL, *high = NULL;
    json_t *workload = NULL, *apps = NULL, *levels = NULL, *app;
    const char *service = NULL;
    int size = 2, count = 0, draws = 0, queries = 0;
    size_t i;
    *suite = (struct paper_suite){0};
    UNPACK(r, object, "suite",
           "{s:s, s:s, s?s, s:o, s:o, s?i, s?i, s?i, s?F, s?F, s?F, s?s, s?F, s?o, s?s, s?F, s?F, "
           "s?i}",
           "name", &name, "title", &title, "note", &note, "workload", &workload, "apps", &apps,
           "mix_size", &size, "mixes", &count, "draws", &draws, "hits_most", &suite->hits_most,
           "issue_width", &suite->issue_width, "high_target", &suite->high_target, "high_kind",
           &high, "gap", &suite->gap, "levels", &levels, "service_kind", &service, "load",
           &suite->load, "target", &suite->target, "queries", &queries);
    if (r->status != CT_OK)
        return;
    suite->name = keep(r, name);
    suite->title = keep(r, title);
    suite->note = keep(r, note);
    suite->high_kind = keep(r, high);
    suite->service_kind = keep(r, service);
    suite->queries = (uint32_t)queries;
    suite->text = keep_json(r, workload);
    suite->mix_size = (uint32_t)size;
    suite->mix_count = (uint32_t)count;
    suite->draws = (uint32_t)draws;
    read_levels(r, levels, suite);
    suite->app_count = (uint32_t)json_array_size(apps);
    if (size < 2 || size > PAPER_MIX_MOST || suite->app_count < suite->mix_size)
        fail(r, name, "no mixes of that size");
    if (count < 0 || draws < 0 || !json_is_object(workload) || json_object_size(workload) == 0)
        fail(r, name, "mixes or draws below 0, or no workload");
    bool open = suite->load > 0 && suite->load < 1 && suite->target > 0 && queries > 0 && service;
    if (!open && (suite->load != 0 || suite->target != 0 || queries != 0))
        fail(r, name, "load (below 1), target and queries go together, with a service_kind");
    struct paper_app *list = take(r, suite->app_count, sizeof *list);
    suite->apps = list;
    for (i = 0; list && i < suite->app_count && r->status == CT_OK; i++) {
        app = json_array_get(apps, i);
        read_app(r, app, &list[i]);
    }
}

static void read_row(struct reader *r, json_t *object, struct paper_row *row) {
    const char *what = NULL, *unit = "", *suite = NULL, *policy = NULL, *against = NULL;
    const char *kinds = NULL, *published = NULL, *measure = NULL, *reduction = "mean";
    int streams = 1;
    *row = (struct paper_row){.at_least = NAN, .row_hits = NAN, .reads = 1, .level_most = 1};
    UNPACK(r, object, "row",
           "{s:s, s?s, s?s, s?s, s?s, s?s, s?s, s:s, s?s, s?F, s?F, s?F, s?F, s?F, s?i}", "what",
           &what, "unit", &unit, "suite", &suite, "policy", &policy, "against", &against, "kinds",
           &kinds, "published", &published, "measure", &measure, "reduce", &reduction, "at_least",
           &row->at_least, "level_least", &row->level_least, "level_most", &row->level_most,
           "row_hits", &row->row_hits, "reads", &row->reads, "streams", &streams);
    row->streams = streams;
    if (r->status != CT_OK)
        return;
    row->what = keep(r, what);
    row->unit = keep(r, unit);
    row->suite = keep(r, suite);
    row->policy = keep(r, policy);
    row->against = keep(r, against);
    row->kinds = keep(r, kinds);
    row->published = keep(r, published);
    row->measure = choice(r, measure, paper_measures);
    row->reduction = choice(r, reduction, paper_reductions);
    if (row->measure < PAPER_RUN_MEASURES &&
        (!policy || !suite || !paper_suite_find(r->paper, suite)))
        fail(r, what, "needs a suite that there is, and a policy");
}

static void read_item(struct reader *r, json_t *object, struct paper_item *item) {
    const char *id = NULL, *where = NULL, *verdict = NULL, *note = NULL;
    json_t *rows = NULL;
    *item = (struct paper_item){0};
    UNPACK(r, object, "item", "{s:s, s:s, s:s, s?s, s:o}", "id", &id, "where", &where, "verdict",
           &verdict, "note", &note, "rows", &rows);
    if (r->status != CT_OK)
        return;
    item->id = keep(r, id);
    item->where = keep(r, where);
    item->verdict = keep(r, verdict);
    item->note = keep(r, note);
    item->row_count = json_array_size(rows);
    struct paper_row *list = take(r, item->row_count, sizeof *list);
    item->rows = list;
    for (size_t i = 0; list && i < item->row_count && r->status == CT_OK; i++)
        read_row(r, json_array_get(rows, i), &list[i]);
}

static void read_all(struct reader *r, json_t *root) {
    const char *schema = NULL, *name = NULL, *title = NULL, *missing = NULL;
    json_t *suites = NULL, *items = NULL;
    UNPACK(r, root, "paper", "{s:s, s:s, s:s, s?s, s:o, s:o}", "schema", &schema, "paper", &name,
           "title", &title, "missing", &missing, "suites", &suites, "items", &items);
    if (r->status != CT_OK)
        return;
    if (strcmp(schema, "cotenant.paper/1") != 0)
        fail(r, "schema", "not 'cotenant.paper/1'");
    if (!json_is_array(suites) || !json_is_array(items))
        fail(r, "paper", "'suites' or 'items' is no array");
    struct paper *paper = r->paper;
    paper->name = keep(r, name);
    paper->title = keep(r, title);
    paper->missing = keep(r, missing);
    struct paper_suite *suite = take(r, json_array_size(suites), sizeof *suite);
    struct paper_item *item = take(r, json_array_size(items), sizeof *item);
    paper->suites = suite;
    paper->items = item;
    for (; suite && r->status == CT_OK && paper->suite_count < json_array_size(suites);)
        read_suite(r, json_array_get(suites, paper->suite_count), &suite[paper->suite_count]),
            paper->suite_count++;
    for (; item && r->status == CT_OK && paper->item_count < json_array_size(items);)
        read_item(r, json_array_get(items, paper->item_count), &item[paper->item_count]),
            paper->item_count++;
}

int paper_read(const char *name, struct paper *paper, struct ct_diags *diags) {
    char file[64];
    *paper = (struct paper){0};
    snprintf(file, sizeof file, "papers/%.40s", name);
    const char *path = share_find(&paper->arena, "workloads", file, NULL);
    if (!path) {
        ct_error(diags, "", "the experiments of paper '%s' are not in the share folder", name);
        return CT_DATA;
    }
    struct reader r = {.paper = paper, .path = path, .diags = diags};
    json_t *root = json_place_load(path, &r.status, diags);
    if (root) {
        read_all(&r, root);
        json_decref(root);
    }
    return r.status;
}

void paper_free(struct paper *paper) {
    ct_arena_free(&paper->arena);
    *paper = (struct paper){0};
}

const struct paper_suite *paper_suite_find(const struct paper *paper, const char *name) {
    for (size_t i = 0; i < paper->suite_count; i++)
        if (strcmp(paper->suites[i].name, name) == 0)
            return &paper->suites[i];
    return NULL;
}

const char *paper_mix_document(const struct paper_suite *suite, const uint32_t *apps,
                               uint32_t count, struct ct_arena *arena) {
    size_t size = strlen(suite->text) + 16, used;
    for (uint32_t i = 0; i < count; i++)
        size += strlen(suite->apps[apps[i]].text) + 1;
    char *text = ct_arena_alloc(arena, size);
    if (!text)
        return NULL;
    used =
        (size_t)snprintf(text, size, "%.*s,\"apps\":[", (int)strlen(suite->text) - 1, suite->text);
    for (uint32_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "",
                                 suite->apps[apps[i]].text);
    snprintf(text + used, size - used, "]}");
    return text;
}
