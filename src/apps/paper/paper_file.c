#include "apps/paper/paper_file.h"

#include "base/ct_text.h"
#include "format/json_place.h"
#include "workload/workload.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define NAME_OF_MIXES(measure, name, axis) name,
#define NAME_OF_NO_MIX(measure, name) name,
static const char *const measures[] = {PAPER_OF_MIXES(NAME_OF_MIXES) PAPER_OF_NO_MIX(NAME_OF_NO_MIX)};

#define OF_MIXES(measure, name, axis) {name, axis},
#define OF_NO_MIX(measure, name) {name, name},
const struct paper_measure_name paper_measures[] = {PAPER_OF_MIXES(OF_MIXES) PAPER_OF_NO_MIX(OF_NO_MIX)};
/* clang-format on */

static const char *const reductions[] = {"mean",       "least",       "most",      "share",
                                         "share_over", "mean_over",   "gain",      "gain_most",
                                         "saving",     "saving_most", "ratio_most"};

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

static const char *keep_json(struct reader *r, const json_t *value) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    const char *copy = text ? ct_arena_strdup(&r->paper->arena, text) : NULL;
    if (!copy && r->status == CT_OK)
        r->status = ct_out_of_memory(r->diags);
    free(text);
    return copy;
}

/* Read as long as JSON has it, since an int would lose its upper half. */
static uint32_t whole(struct reader *r, const char *what, const char *key, json_int_t number,
                      uint32_t most) {
    char text[80];
    snprintf(text, sizeof text, "'%s' is not from 0 to %u", key, most);
    if (number < 0 || number > most)
        fail(r, what, text);
    return number < 0 || number > most ? 0 : (uint32_t)number;
}

static int choose(struct reader *r, const char *name, const char *const *names, size_t count) {
    size_t found = ct_text_index(name, names, count);
    if (found == count)
        fail(r, "no such measure or reduction", name);
    return (int)(found % count);
}

/* jansson's unpacking with its message as ours. */
#define UNPACK(r, value, what, ...)                                                                \
    do {                                                                                           \
        json_error_t error_;                                                                       \
        errno = 0;                                                                                 \
        if (json_unpack_ex((value), &error_, JSON_STRICT, __VA_ARGS__) != 0)                       \
            fail((r), (what), errno == ENOMEM ? "out of memory" : error_.text);                    \
    } while (0)

static void read_range(struct reader *r, json_t *object, struct paper_range *range) {
    int logarithmic = 0;
    UNPACK(r, object, "range", "{s:s, s:F, s:F, s?b}", "key", &range->key, "low", &range->low,
           "high", &range->high, "log", &logarithmic);
    range->logarithmic = logarithmic;
    if (!(range->low <= range->high) || (logarithmic && range->low <= 0))
        fail(r, range->key ? range->key : "range",
             "its low is above its high, or not above 0 with 'log'");
}

static void read_ranges(struct reader *r, const json_t *ranges, struct paper_app *app) {
    size_t count = json_array_size(ranges);
    struct paper_range *list = take(r, count, sizeof *list);
    app->ranges = list;
    for (; list && app->range_count < count && r->status == CT_OK; app->range_count++)
        read_range(r, json_array_get(ranges, app->range_count), &list[app->range_count]);
}

static void read_app(struct reader *r, json_t *object, struct paper_app *app) {
    const char *source = NULL; /* for readers */
    json_t *keys = NULL, *roofline = NULL, *ranges = NULL;
    *app = (struct paper_app){.solo_ms = NAN, .roofline.ipc = NAN};
    UNPACK(r, object, "application", "{s:s, s:s, s:o, s?o, s?o, s?F, s?s}", "name", &app->name,
           "kind", &app->kind, "app", &keys, "roofline", &roofline, "ranges", &ranges, "solo_ms",
           &app->solo_ms, "source", &source);
    if (r->status != CT_OK)
        return;
    read_ranges(r, ranges, app);
    if (strlen(app->kind) != 1 || !json_is_object(keys))
        fail(r, app->name, "its kind is no letter, or 'app' is no object");
    app->roofline.row_hits = NAN;
    if (roofline)
        UNPACK(r, roofline, app->name, "{s:F, s:F, s:F, s:F, s?F, s?b}", "instructions",
               &app->roofline.instructions, "mpki", &app->roofline.mpki, "ipc", &app->roofline.ipc,
               "kernels", &app->roofline.kernels, "row_hits", &app->roofline.row_hits,
               "fills_memory", &app->roofline.fills_memory);
    if (json_object_set_new(keys, "name", json_string(app->name)) != 0 && r->status == CT_OK)
        r->status = ct_out_of_memory(r->diags);
    app->text = keep_json(r, keys);
}

static void read_levels(struct reader *r, const json_t *levels, struct paper_suite *suite) {
    size_t i;
    json_t *level;
    suite->level_count = levels ? 0 : suite->level_count;
    json_array_foreach((json_t *)levels, i, level) {
        if (i >= PAPER_LEVELS_MOST || !json_is_number(level)) {
            fail(r, suite->name, "levels");
            return;
        }
        suite->levels[suite->level_count++] = json_number_value(level);
    }
}

/* The text of an object with other keys over its own; NULL for either: none. */
static const char *keep_over(struct reader *r, const char *text, json_t *keys, const char *where) {
    json_t *whole = text ? json_place_parse(text, 0) : json_object();
    if (!whole && r->status == CT_OK)
        r->status = ct_out_of_memory(r->diags);
    if (keys && json_object_update_recursive(whole, keys) != 0)
        fail(r, where, json_is_object(keys) ? "out of memory" : "no object");
    const char *kept = keep_json(r, whole);
    json_decref(whole);
    return kept;
}

/* The applications of a suite; one like another may leave them out. */
static void read_apps(struct reader *r, const json_t *apps, struct paper_suite *suite) {
    if (!apps)
        return;
    suite->app_count = (uint32_t)json_array_size(apps);
    struct paper_app *list = take(r, suite->app_count, sizeof *list);
    suite->apps = list;
    for (size_t i = 0; list && i < suite->app_count && r->status == CT_OK; i++)
        read_app(r, json_array_get(apps, i), &list[i]);
}

/* {"CUTCP": {"synthetic": {"kernels": 1}}}: keys of applications, over those of the suite that it
 * is like. */
static void change_apps(struct reader *r, json_t *change, struct paper_suite *suite) {
    size_t changed = 0;
    if (!change)
        return;
    struct paper_app *list = take(r, suite->app_count, sizeof *list);
    for (uint32_t a = 0; list && a < suite->app_count; a++) {
        list[a] = suite->apps[a];
        json_t *keys = json_object_get(change, list[a].name);
        if (!keys)
            continue;
        changed++;
        list[a].text = keep_over(r, list[a].text, keys, list[a].name);
    }
    if (!json_is_object(change) || changed != json_object_size(change))
        fail(r, suite->name, "'change' is no object of applications that are there");
    suite->apps = list;
}

/* Its keys, over those of the workload of the suite that it is like. */
static void read_workload(struct reader *r, json_t *workload, struct paper_suite *suite) {
    if (!suite->text && json_object_size(workload) == 0)
        fail(r, suite->name, "no workload");
    suite->text = keep_over(r, suite->text, workload, suite->name);
}

/* A suite starts as the one before that it is like. */
static void start_suite(struct reader *r, const char *name, const char *like,
                        struct paper_suite *suite) {
    const struct paper_suite *other = like ? paper_suite_find(r->paper, like) : NULL;
    if (like && !other)
        fail(r, name, "no suite before it that it could be like");
    if (other)
        *suite = *other;
    suite->name = name;
    suite->note = NULL;
}

/* A service's arrivals and how many queries are asked. */
static bool load_is_sound(const struct paper_suite *s) {
    bool alone = s->load != 0 || s->target != 0; /* it runs alone first */
    if (!alone)
        return s->quick == (s->queries > 0) && (!s->quick || s->service_kind);
    return s->load >= 0 && s->load < 1 && s->queries > 0 && s->service_kind &&
           (s->target > 0 || (s->quick && s->target == 0)) && (s->load > 0 || !s->quick);
}

/* Numbers that are whole. */
struct suite_counts {
    json_int_t size, mixes, draws, sequences, queries;
};

static void set_counts(struct reader *r, const struct suite_counts *counts,
                       struct paper_suite *suite) {
    suite->mix_size = whole(r, suite->name, "mix_size", counts->size, PAPER_MIX_MOST);
    suite->mix_count = whole(r, suite->name, "mixes", counts->mixes, PAPER_MIXES_MOST);
    suite->draws = whole(r, suite->name, "draws", counts->draws, PAPER_COUNT_MOST);
    suite->sequences = whole(r, suite->name, "sequences", counts->sequences, PAPER_COUNT_MOST);
    suite->queries = whole(r, suite->name, "queries", counts->queries, PAPER_COUNT_MOST);
}

static void read_variant(struct reader *r, json_t *object, const struct paper_suite *suite,
                         struct paper_variant *variant) {
    json_t *set = NULL, *text;
    json_int_t queries = suite->queries;
    size_t i;
    *variant = (struct paper_variant){0};
    UNPACK(r, object, "variant", "{s:s, s:o, s?I}", "name", &variant->name, "set", &set, "queries",
           &queries);
    if (r->status != CT_OK)
        return;
    const char **list = take(r, json_array_size(set), sizeof *list);
    variant->assignments = list;
    variant->queries = whole(r, variant->name, "queries", queries, PAPER_COUNT_MOST);
    if ((queries > 0) != (suite->queries > 0))
        fail(r, variant->name,
             suite->queries > 0 ? "no queries" : "queries, of which the suite has none");
    json_array_foreach(set, i, text) {
        if (!list || !json_is_string(text) || i >= PAPER_VARIANT_MOST) {
            fail(r, variant->name, "'set' is no short list of KEY=VALUE");
            return;
        }
        list[variant->count++] = json_string_value(text);
    }
}

static void read_variants(struct reader *r, json_t *variants, struct paper_suite *suite) {
    struct paper_variant *list = take(r, json_array_size(variants), sizeof *list);
    suite->variants = list;
    suite->variant_count = 0;
    for (size_t i = 0; list && i < json_array_size(variants) && r->status == CT_OK; i++)
        read_variant(r, json_array_get(variants, i), suite, &list[suite->variant_count++]);
}

static void read_suite(struct reader *r, json_t *object, struct paper_suite *suite) {
    const char *name = json_string_value(json_object_get(object, "name"));
    const char *like = json_string_value(json_object_get(object, "like"));
    json_t *workload = NULL, *apps = NULL, *levels = NULL, *variants = NULL, *change = NULL;
    *suite = (struct paper_suite){.mix_size = 2};
    start_suite(r, name ? name : "suite without a name", like, suite);
    struct suite_counts counts = {suite->mix_size, suite->mix_count, suite->draws, suite->sequences,
                                  suite->queries};
    UNPACK(r, object, "suite",
           "{s:s, s?s, s:s, s?s, s?o, s?o, s?I, s?I, s?I, s?I, s?F, s?F, s?F, s?s, s?F, s?o, s?s, "
           "s?F, s?F, s?I, s?b, s?b, s?o, s?o}",
           "name", &suite->name, "like", &like, "title", &suite->title, "note", &suite->note,
           "workload", &workload, "apps", &apps, "mix_size", &counts.size, "mixes", &counts.mixes,
           "draws", &counts.draws, "sequences", &counts.sequences, "hits_most", &suite->hits_most,
           "issue_width", &suite->issue_width, "high_target", &suite->high_target, "high_kind",
           &suite->high_kind, "gap", &suite->gap, "levels", &levels, "service_kind",
           &suite->service_kind, "load", &suite->load, "target", &suite->target, "queries",
           &counts.queries, "quick", &suite->quick, "first_runs", &suite->first_runs, "variants",
           &variants, "change", &change);
    if (r->status != CT_OK)
        return;
    set_counts(r, &counts, suite);
    if (variants)
        read_variants(r, variants, suite);
    read_levels(r, levels, suite);
    read_workload(r, workload, suite);
    if (!load_is_sound(suite))
        fail(r, suite->name, "load (below 1), target and queries go together, with a service_kind");
    read_apps(r, apps, suite);
    change_apps(r, change, suite);
    if (suite->mix_size < 1 || suite->mix_size > PAPER_MIX_MOST ||
        suite->app_count < suite->mix_size)
        fail(r, suite->name, "no mixes of that size");
}

static void read_copy(struct reader *r, json_t *object, struct paper_copy *copy) {
    json_int_t others = 0;
    UNPACK(r, object, "copy", "{s:s, s?b, s?I, s?b}", "gpu", &copy->gpu, "pinned", &copy->pinned,
           "others", &others, "others_pinned", &copy->others_pinned);
    copy->others = whole(r, "copy", "others", others, PAPER_COPIES_MOST);
}

static void read_prediction(struct reader *r, json_t *object, struct paper_prediction *out) {
    out->apps = "";
    UNPACK(r, object, "prediction", "{s:s, s?s, s:s, s:s, s?b}", "trace", &out->trace, "apps",
           &out->apps, "kind", &out->kind, "model", &out->model, "long_only", &out->long_only);
}

static void read_pair(struct reader *r, json_t *pair, struct paper_row *row) {
    if (json_array_size(pair) != CT_COUNT_OF(row->pair)) {
        fail(r, row->what, "'pair' is not two applications");
        return;
    }
    for (size_t i = 0; i < CT_COUNT_OF(row->pair); i++) {
        struct paper_party *party = &row->pair[i];
        *party = (struct paper_party){.streams = 1, .share = 0.5, .sms = 40, .offered = 1};
        UNPACK(r, json_array_get(pair, i), "pair", "{s?F, s?F, s?F, s?F}", "streams",
               &party->streams, "share", &party->share, "sms", &party->sms, "offered",
               &party->offered);
    }
    row->has_pair = true;
}

/* What a measure needs that no mix gives. */
static void read_source(struct reader *r, json_t *copy, json_t *prediction, json_t *cluster,
                        struct paper_row *row) {
    bool of_cluster = row->measure >= PAPER_CLUSTER_SEVERE;
    bool of_pair = row->measure >= PAPER_EQ5_ERROR && row->measure <= PAPER_MEMORY_SERVED;
    if (copy)
        read_copy(r, copy, &row->copy);
    if (prediction)
        read_prediction(r, prediction, &row->prediction);
    if (cluster)
        UNPACK(r, cluster, "cluster", "{s:s, s:s}", "file", &row->cluster.file, "placement",
               &row->cluster.placement);
    if (of_pair != row->has_pair)
        fail(r, row->what, "its measure and 'pair' do not fit");
    if ((row->measure == PAPER_COPY_MB_S) != (copy != NULL) ||
        (row->measure == PAPER_PREDICTION) != (prediction != NULL) ||
        of_cluster != (cluster != NULL) || (of_cluster && !row->policy))
        fail(r, row->what, "its measure and 'copy', 'prediction' or 'cluster' do not fit");
}

static void read_row(struct reader *r, json_t *object, struct paper_row *row) {
    const char *measure = NULL, *reduction = "mean";
    json_t *copy = NULL, *prediction = NULL, *cluster = NULL, *pair = NULL;
    json_int_t streams = 1, queue = 64, cap = 5; /* HSM Table 1, section 5 */
    *row = (struct paper_row){
        .unit = "", .at_least = NAN, .row_hits = NAN, .reads = 1, .level_most = 1};
    UNPACK(r, object, "row",
           "{s:s, s?s, s?s, s?s, s?s, s?s, s?s, s?s, s:s, s?s, s?F, s?F, s?F, s?F, s?F, s?I, "
           "s?I, s?I, s?o, s?o, s?o, s?o}",
           "what", &row->what, "unit", &row->unit, "suite", &row->suite, "policy", &row->policy,
           "against", &row->against, "kinds", &row->kinds, "apps", &row->apps, "published",
           &row->published, "measure", &measure, "reduce", &reduction, "at_least", &row->at_least,
           "level_least", &row->level_least, "level_most", &row->level_most, "row_hits",
           &row->row_hits, "reads", &row->reads, "streams", &streams, "queue", &queue, "cap", &cap,
           "copy", &copy, "prediction", &prediction, "cluster", &cluster, "pair", &pair);
    row->streams = (int)whole(r, "row", "streams", streams, PAPER_COUNT_MOST);
    row->queue = (int)whole(r, "row", "queue", queue, PAPER_COUNT_MOST);
    row->cap = (int)whole(r, "row", "cap", cap, PAPER_COUNT_MOST);
    if (r->status != CT_OK)
        return;
    row->measure = choose(r, measure, measures, PAPER_MEASURES);
    row->reduction = choose(r, reduction, reductions, CT_COUNT_OF(reductions));
    if (row->measure < PAPER_RUN_MEASURES &&
        (!row->policy || !row->suite || !paper_suite_find(r->paper, row->suite)))
        fail(r, row->what, "needs a suite that there is, and a policy");
    if (pair)
        read_pair(r, pair, row);
    read_source(r, copy, prediction, cluster, row);
}

static void read_item(struct reader *r, json_t *object, struct paper_item *item) {
    json_t *rows = NULL;
    *item = (struct paper_item){0};
    UNPACK(r, object, "item", "{s:s, s:s, s:s, s?s, s:o}", "id", &item->id, "where", &item->where,
           "verdict", &item->verdict, "note", &item->note, "rows", &rows);
    if (r->status != CT_OK)
        return;
    item->row_count = json_array_size(rows);
    struct paper_row *list = take(r, item->row_count, sizeof *list);
    item->rows = list;
    for (size_t i = 0; list && i < item->row_count && r->status == CT_OK; i++)
        read_row(r, json_array_get(rows, i), &list[i]);
}

/* {"M": "memory-bound"} */
static void read_kinds(struct reader *r, json_t *kinds) {
    struct paper_kind *list = take(r, json_object_size(kinds), sizeof *list);
    const char *letter;
    json_t *name;
    r->paper->kinds = list;
    if (kinds && !json_is_object(kinds))
        fail(r, "kinds", "no object");
    json_object_foreach(kinds, letter, name) {
        if (!list || strlen(letter) != 1 || !json_is_string(name)) {
            fail(r, "kinds", "no letter with its name");
            return;
        }
        list[r->paper->kind_count++] = (struct paper_kind){*letter, json_string_value(name)};
    }
}

static void read_all(struct reader *r, json_t *root) {
    const char *schema = NULL;
    json_t *suites = NULL, *items = NULL, *kinds = NULL;
    struct paper *paper = r->paper;
    UNPACK(r, root, "paper", "{s:s, s:s, s:s, s?s, s?o, s:o, s:o}", "schema", &schema, "paper",
           &paper->name, "title", &paper->title, "missing", &paper->missing, "kinds", &kinds,
           "suites", &suites, "items", &items);
    if (r->status != CT_OK)
        return;
    if (strcmp(schema, "cotenant.paper/1") != 0)
        fail(r, "schema", "not 'cotenant.paper/1'");
    if (!json_is_array(suites) || !json_is_array(items))
        fail(r, "paper", "'suites' or 'items' is no array");
    read_kinds(r, kinds);
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
    const char *path = share_find(&paper->arena, diags->files, "workloads", file, NULL);
    if (!path)
        return ct_data_error(diags, "", "the experiments of paper '%s' are not in the share folder",
                             name);
    struct reader r = {.paper = paper, .path = path, .diags = diags};
    paper->document = json_place_load(path, NULL, &r.status, diags);
    if (paper->document)
        read_all(&r, paper->document);
    return r.status;
}

void paper_free(struct paper *paper) {
    json_decref(paper->document);
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
    const char *list = "";
    for (uint32_t i = 0; list && i < count; i++)
        list = ct_arena_format(arena, "%s%s%s", list, i ? "," : "", suite->apps[apps[i]].text);
    return list ? ct_arena_format(arena, "%.*s,\"apps\":[%s]}", (int)strlen(suite->text) - 1,
                                  suite->text, list)
                : NULL;
}
