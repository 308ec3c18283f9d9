/* The data of the page: JSON of schema cotenant.page/1. */
#include "figures/html_page_internal.h"
#include "results/report_json.h"

#include <stdlib.h>
#include <string.h>

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

/* Among the runs of its own point, where there are points. */
static bool is_on_front(const struct html_page *page, const struct html_shown *shown) {
    const struct report *report = &shown->run->report;
    for (size_t i = 0; i < page->shown.count; i++)
        if (page->shown.items[i].point == shown->point &&
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
                            "on_front", is_on_front(page, shown));
        json_writer_begin_array(json, "report"); /* of one: a report has no key of its own */
        report_json_report(json, &shown->run->report, shown->point);
        json_writer_end_array(json);
        json_writer_end_object(json);
    }
    json_writer_end_array(json);
    json_writer_integer(json, "runs_left_out", (int64_t)page->summary->runs_left_out);
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

int html_write_data(struct html_page *page) {
    struct json_writer *json = &page->json;
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "schema", "cotenant.page/1", "stores", page->source_count, "sweep",
                        page->sweep);
    write_runs(page);
    write_comparisons(page);
    write_causes(json);
    int status = html_write_curves(page);
    if (status == CT_OK)
        status = html_write_details(page);
    if (status == CT_OK)
        status = write_live(page);
    if (status == CT_OK)
        json_writer_end_object(json);
    return status;
}
