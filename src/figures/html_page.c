#include "figures/html_frame.h"
#include "figures/html_page_internal.h"
#include "results/report_findings.h"
#include "results/report_json.h"
#include "results/result_apart.h"
#include "results/result_sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is shown ---- */

/* The runs of one point, named by its values. */
static int show_point(struct html_page *page, size_t source, const struct result_point *from,
                      size_t number) {
    struct report_point *point = ct_arena_alloc(&page->arena, sizeof *point);
    if (!point)
        return ct_out_of_memory(page->diags);
    *point = (struct report_point){number, from->values, from->value_count};
    for (size_t r = 0; r < from->run_count; r++) {
        const struct result_run *run = result_set_find(&page->sets[source], from->runs[r]);
        if (run && !ct_vec_push(&page->shown, (struct html_shown){source, run, point, "", 0}))
            return ct_out_of_memory(page->diags);
    }
    return CT_OK;
}

/* All points that have room, in their order. */
static int show_points(struct html_page *page, size_t source, const struct result_points *points) {
    int status = CT_OK;
    page->sweep = points->items[0].sweep;
    for (size_t i = 0; i < points->count && status == CT_OK; i++) {
        const struct result_point *point = &points->items[i];
        if (page->shown.count + point->run_count > HTML_MOST_SWEEP_RUNS)
            page->summary->runs_left_out += point->run_count;
        else
            status = show_point(page, source, point, i + 1);
    }
    return status;
}

/* What a report of the store shows. */
static int show_runs(struct html_page *page, size_t source) {
    struct result_set *set = &page->sets[source];
    size_t *indices = calloc(set->runs.count + 1, sizeof *indices);
    if (!indices)
        return ct_out_of_memory(page->diags);
    int status = CT_OK;
    size_t count = result_set_shown(set, indices, &page->comparisons[source]);
    for (size_t i = 0; i < count && status == CT_OK; i++)
        if (page->shown.count == HTML_MOST_RUNS)
            page->summary->runs_left_out++;
        else if (!ct_vec_push(&page->shown, (struct html_shown){
                                                source, &set->runs.items[indices[i]], NULL, "", 0}))
            status = ct_out_of_memory(page->diags);
    free(indices);
    return status;
}

static int read_source(struct html_page *page, size_t source) {
    const struct html_source *from = &page->sources[source];
    struct result_points points = {0};
    size_t before = page->shown.count, left_out = page->summary->runs_left_out;
    int status = result_store_read(from->store, 0, 0, &page->sets[source], page->diags);
    if (status == CT_OK && page->source_count == 1)
        status = result_points_read(from->store, &page->arena, &points, page->diags);
    if (status == CT_OK)
        status = points.count > 1 || (points.count && points.chosen)
                     ? show_points(page, source, &points)
                     : show_runs(page, source);
    if (status == CT_OK && page->shown.count == before && page->summary->runs_left_out == left_out)
        status = ct_data_error(page->diags, from->path, "has no finished run");
    ct_vec_free(&points);
    return status;
}

static bool is_shown(const struct html_page *page, size_t source, int64_t number) {
    for (size_t i = 0; i < page->shown.count; i++)
        if (page->shown.items[i].source == source && page->shown.items[i].run->number == number)
            return true;
    return false;
}

static bool add_detail(struct html_page *page, struct html_detail detail) {
    return page->details.count == HTML_MOST_RUNS || ct_vec_push(&page->details, detail);
}

/* Details are shown of the first replication of each shown run; then of the user's other runs,
 * which a comparison in the same store leaves aside. */
static bool list_details(struct html_page *page) {
    bool ok = true;
    for (size_t i = 0; i < page->shown.count && ok; i++) {
        const struct html_shown *shown = &page->shown.items[i];
        if (shown->point)
            continue; /* a sweep keeps none */
        int64_t number = shown->run->member_count ? shown->run->members[0] : shown->run->number;
        ok = add_detail(
            page, (struct html_detail){
                      .source = shown->source, .number = number, .shown = shown->run, .label = i});
    }
    for (size_t source = 0; source < page->source_count; source++)
        for (size_t i = 0; page->comparisons[source] && i < page->sets[source].runs.count; i++) {
            const struct result_run *run = &page->sets[source].runs.items[i];
            if (!run->purpose && !run->pool && !run->member_count &&
                !is_shown(page, source, run->number))
                ok = ok && add_detail(page, (struct html_detail){.source = source,
                                                                 .number = run->number,
                                                                 .shown = run,
                                                                 .label = SIZE_MAX,
                                                                 .set = ""});
        }
    return ok;
}

/* A run as the page names it but for its settings. */
static bool name_run(struct html_page *page, const struct result_run *run,
                     struct result_named *named) {
    const struct report *r = &run->report;
    named->report = r;
    named->name = ct_arena_format(&page->arena, "%s\n%s\n%s\n%" PRId64, r->policy,
                                  r->workload ? r->workload : "", r->gpu ? r->gpu : "", r->seed);
    result_given_read(run, &page->arena, &named->given);
    return named->name;
}

/* The settings that tell apart runs of one name: those that are shown, but of a sweep, whose points
 * do, and the further ones. */
static bool list_settings(struct html_page *page) {
    size_t shown = page->sweep ? 0 : page->shown.count, count = 0;
    size_t most = shown + page->details.count + 1;
    struct result_named *named = ct_arena_array(&page->arena, most, sizeof *named);
    const char **texts = ct_arena_array(&page->arena, most, sizeof *texts);
    bool ok = named && texts;
    for (size_t i = 0; i < shown && ok; i++)
        ok = name_run(page, page->shown.items[i].run, &named[i]);
    ok = ok && result_settings_apart(named, shown, &page->arena, texts);
    for (size_t i = 0; i < shown && ok; i++)
        page->shown.items[i].set = texts[i];
    for (size_t i = 0; i < page->details.count && ok; i++)
        if (page->details.items[i].label == SIZE_MAX)
            ok = name_run(page, page->details.items[i].shown, &named[count++]);
    ok = ok && result_settings_apart(named, count, &page->arena, texts);
    for (size_t i = page->details.count; i-- > 0 && ok;)
        if (page->details.items[i].label == SIZE_MAX)
            page->details.items[i].set = texts[--count];
    return ok;
}

static bool list_alike(struct html_page *page) {
    size_t count = page->shown.count;
    const struct report **reports = ct_arena_array(&page->arena, count + 1, sizeof *reports);
    size_t *firsts = ct_arena_array(&page->arena, count + 1, sizeof *firsts);
    for (size_t i = 0; i < count && reports; i++)
        reports[i] = &page->shown.items[i].run->report;
    if (!reports || !firsts || !report_list_settings(reports, count, &page->arena, firsts))
        return false;
    for (size_t i = 0; i < count; i++)
        page->shown.items[i].setting = firsts[i];
    return true;
}

static int collect(struct html_page *page) {
    int status = CT_OK;
    page->sets = ct_arena_array(&page->arena, page->source_count, sizeof *page->sets);
    page->comparisons =
        ct_arena_array(&page->arena, page->source_count, sizeof(const struct result_comparison *));
    if (!page->sets || !page->comparisons)
        return ct_out_of_memory(page->diags);
    for (size_t i = 0; i < page->source_count && status == CT_OK; i++)
        status = read_source(page, i);
    if (status == CT_OK && !(list_details(page) && list_settings(page) && list_alike(page)))
        status = ct_out_of_memory(page->diags);
    page->summary->runs = page->shown.count;
    return status;
}

static void release(struct html_page *page) {
    for (size_t i = 0; page->sets && i < page->source_count; i++)
        result_set_free(&page->sets[i]);
    for (size_t i = 0; i < page->details.count; i++)
        ct_vec_free(&page->details.items[i].slowest);
    ct_vec_free(&page->details);
    ct_vec_free(&page->shown);
    ct_arena_free(&page->arena);
}

/* ---- The data: JSON of schema cotenant.page/1 ---- */

double html_rounded(double number) {
    char text[40];
    snprintf(text, sizeof text, "%.6g", number);
    return isfinite(number) ? strtod(text, NULL) : number;
}

void html_write_us(struct json_writer *json, const char *key, ct_time_ps time) {
    if (time < 0)
        json_writer_null(json, key);
    else
        json_writer_time_us(json, key, (time + CT_PS_PER_NS / 2) / CT_PS_PER_NS * CT_PS_PER_NS);
}

/* Among the runs of its own setting, and point, where there are points. */
static bool is_on_front(const struct html_page *page, const struct html_shown *shown) {
    const struct report *report = &shown->run->report;
    for (size_t i = 0; i < page->shown.count; i++)
        if (page->shown.items[i].point == shown->point &&
            page->shown.items[i].setting == shown->setting &&
            report_dominates(&page->shown.items[i].run->report, report))
            return false;
    return isfinite(report_worst_late_pct(report)) && isfinite(report->system.stp);
}

static void write_runs(struct html_page *page) {
    struct json_writer *json = &page->json;
    json_writer_begin_array(json, "runs");
    for (size_t i = 0; i < page->shown.count; i++) {
        const struct html_shown *shown = &page->shown.items[i];
        json_writer_begin_object(json, NULL);
        json_writer_members(json, "store", shown->source + 1, "number", shown->run->number,
                            "late_pct", html_rounded(report_worst_late_pct(&shown->run->report)),
                            "on_front", is_on_front(page, shown), "setting", shown->setting, "set",
                            shown->set);
        json_writer_begin_array(json, "report"); /* of one: a report has no key of its own */
        report_json_report(json, &shown->run->report, shown->point);
        json_writer_end_array(json);
        json_writer_end_object(json);
    }
    json_writer_end_array(json);
    json_writer_integer(json, "runs_left_out", (int64_t)page->summary->runs_left_out);
}

/* Sentences on the runs from `first` to `end`, which they call {0}, {1} ...: the page has names. */
static bool write_findings_of(struct html_page *page, size_t first, size_t end) {
    struct json_writer *json = &page->json;
    const struct report_point *point = page->shown.items[first].point;
    const struct report **reports = ct_arena_array(&page->arena, end - first, sizeof *reports);
    const char **names = ct_arena_array(&page->arena, end - first, sizeof *names);
    struct doc doc = doc_keep();
    for (size_t i = first; i < end && reports && names; i++) {
        reports[i - first] = &page->shown.items[i].run->report;
        names[i - first] = doc_words(&doc, "{%zu}", i - first);
    }
    if (reports && names)
        report_findings_write(&doc, reports, names, end - first);
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "point", point ? (int64_t)point->number : 0);
    json_writer_strings(json, "texts", doc.lines.items, doc.lines.count);
    json_writer_end_object(json);
    return doc_drop(&doc) == CT_OK && reports && names;
}

/* For each point, where there are points. */
static int write_findings(struct html_page *page) {
    bool ok = true;
    json_writer_begin_array(&page->json, "findings");
    for (size_t first = 0, end; first < page->shown.count && ok; first = end) {
        for (end = first + 1; end < page->shown.count &&
                              page->shown.items[end].point == page->shown.items[first].point;)
            end++;
        ok = write_findings_of(page, first, end);
    }
    json_writer_end_array(&page->json);
    return ok ? CT_OK : ct_out_of_memory(page->diags);
}

static const struct report *report_under(const struct result_set *set,
                                         const struct result_comparison *comparison,
                                         const char *policy) {
    for (size_t r = 0; r < comparison->run_count; r++) {
        const struct result_run *run = result_set_find(set, comparison->runs[r]);
        if (run && strcmp(run->report.policy, policy) == 0)
            return &run->report;
    }
    return NULL;
}

/* Pairs with the same schedule, and why. */
static void write_identical(struct json_writer *json, const struct result_set *set,
                            const struct result_comparison *comparison) {
    json_writer_begin_array(json, "identical");
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const struct report_difference *d = &comparison->differences[i], *before = d - 1;
        if (i > 0 && strcmp(d->policy_a, before->policy_a) == 0 &&
            strcmp(d->policy_b, before->policy_b) == 0)
            continue;
        const char *why = report_why_identical(report_under(set, comparison, d->policy_a),
                                               report_under(set, comparison, d->policy_b));
        if (why)
            json_writer_object(json, NULL, "policy_a", d->policy_a, "policy_b", d->policy_b, "why",
                               why);
    }
    json_writer_end_array(json);
}

static void write_comparison(struct html_page *page, size_t source,
                             const struct result_comparison *comparison,
                             const struct report_point *point) {
    struct json_writer *json = &page->json;
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "store", source + 1, "in_store",
                        point ? 1 : page->sets[source].comparisons.count);
    json_writer_begin_array(json, "differences");
    for (size_t i = 0; i < comparison->difference_count; i++)
        report_json_difference(json, &comparison->differences[i], point);
    json_writer_end_array(json);
    write_identical(json, &page->sets[source], comparison);
    json_writer_end_object(json);
}

/* That of a point, by its first run. */
static void write_point_comparison(struct html_page *page, const struct html_shown *first) {
    const struct result_set *set = &page->sets[first->source];
    for (size_t i = 0; i < set->comparisons.count; i++)
        if (set->comparisons.items[i].run_count &&
            set->comparisons.items[i].runs[0] == first->run->number)
            write_comparison(page, first->source, &set->comparisons.items[i], first->point);
}

static void write_comparisons(struct html_page *page) {
    json_writer_begin_array(&page->json, "comparisons");
    for (size_t source = 0; source < page->source_count; source++)
        if (page->comparisons[source])
            write_comparison(page, source, page->comparisons[source], NULL);
    for (size_t i = 0; i < page->shown.count; i++)
        if (page->shown.items[i].point)
            write_point_comparison(page, &page->shown.items[i]);
    json_writer_end_array(&page->json);
}

static void write_causes(struct json_writer *json) {
    json_writer_begin_array(json, "causes");
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        json_writer_object(json, NULL, "name", ct_blame_key(cause), "words",
                           ct_blame_words[cause].part);
    json_writer_end_array(json);
}

/* Member "live": recordings by name, in base64; null in a page that runs nothing. */
static int write_live(struct html_page *page) {
    struct json_writer *json = &page->json;
    const struct html_live *live = page->choice->live;
    int status = CT_OK;
    if (!live) {
        json_writer_null(json, "live");
        return status;
    }
    json_writer_begin_object(json, "live");
    for (size_t i = 0; i < live->file_count && status == CT_OK; i++) {
        char *text = html_base64(live->files[i].bytes, live->files[i].size);
        if (text)
            json_writer_string(json, live->files[i].name, text);
        else
            status = ct_out_of_memory(page->diags);
        free(text);
    }
    json_writer_end_object(json);
    return status;
}

static int write_data(void *context, FILE *out) {
    struct html_page *page = context;
    struct json_writer *json = &page->json;
    (void)out; /* the writer has it */
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "schema", "cotenant.page/1", "stores", page->source_count, "sweep",
                        page->sweep);
    write_runs(page);
    write_comparisons(page);
    write_causes(json);
    int status = write_findings(page);
    if (status == CT_OK)
        status = html_write_curves(page);
    if (status == CT_OK)
        status = html_write_details(page);
    if (status == CT_OK)
        status = write_live(page);
    if (status == CT_OK)
        json_writer_end_object(json);
    return status;
}

/* ---- The file ---- */

static int write_page(struct html_page *page) {
    const char *workload = page->shown.items[0].run->report.workload;
    const char *title = page->sweep ? page->sweep : workload;
    const struct html_frame frame = {title ? title : "results", &html_asset_script, write_data,
                                     page, page->choice->live};
    return html_frame_write(&frame, page->json.out);
}

/* Into memory first, so that the reason is still known when `out` fails. */
int html_page_write(const struct html_source *sources, size_t count,
                    const struct html_choice *choice, FILE *out, struct html_summary *summary,
                    struct ct_diags *diags) {
    char *text = NULL;
    size_t size = 0;
    struct html_page page = {.sources = sources,
                             .source_count = count,
                             .choice = choice,
                             .summary = summary,
                             .diags = diags,
                             .json = json_writer_start(open_memstream(&text, &size), 0)};
    *summary = (struct html_summary){0};
    page.json.in_page = true;
    int status = page.json.out ? collect(&page) : ct_out_of_memory(diags);
    if (status == CT_OK)
        status = write_page(&page);
    release(&page);
    bool whole = page.json.out && !ferror(page.json.out);
    if (page.json.out && (fclose(page.json.out) != 0 || !text))
        whole = false;
    if (status == CT_OK && !whole)
        status = ct_out_of_memory(diags);
    if (status == CT_OK && fwrite(text, 1, size, out) != size)
        status = CT_DATA;
    summary->bytes = size;
    free(text);
    return status;
}
