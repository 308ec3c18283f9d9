/* The data of the page: JSON of schema cotenant.page/1. */
#include "figures/html_page_internal.h"
#include "results/report_json.h"

#include <stdlib.h>

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

static bool is_on_front(const struct html_page *page, const struct report *report) {
    for (size_t i = 0; i < page->shown.count; i++)
        if (report_dominates(&page->shown.items[i].run->report, report))
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
                            "on_front", is_on_front(page, &shown->run->report));
        json_writer_begin_array(json, "report"); /* of one: a report has no key of its own */
        report_json_report(json, &shown->run->report, NULL);
        json_writer_end_array(json);
        json_writer_end_object(json);
    }
    json_writer_end_array(json);
    json_writer_integer(json, "runs_left_out", (int64_t)page->summary->runs_left_out);
}

static void write_comparisons(struct html_page *page) {
    struct json_writer *json = &page->json;
    json_writer_begin_array(json, "comparisons");
    for (size_t source = 0; source < page->source_count; source++) {
        const struct result_comparison *comparison = page->comparisons[source];
        if (!comparison)
            continue;
        json_writer_begin_object(json, NULL);
        json_writer_members(json, "store", source + 1, "in_store",
                            page->sets[source].comparisons.count);
        json_writer_begin_array(json, "differences");
        for (size_t i = 0; i < comparison->difference_count; i++)
            report_json_difference(json, &comparison->differences[i], NULL);
        json_writer_end_array(json);
        json_writer_end_object(json);
    }
    json_writer_end_array(json);
}

static void write_causes(struct json_writer *json) {
    json_writer_begin_array(json, "causes");
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        json_writer_object(json, NULL, "name", ct_blame_key(cause), "words",
                           ct_blame_words[cause].part);
    json_writer_end_array(json);
}

int html_write_data(struct html_page *page) {
    struct json_writer *json = &page->json;
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "schema", "cotenant.page/1", "stores", page->source_count);
    write_runs(page);
    write_comparisons(page);
    write_causes(json);
    int status = html_write_curves(page);
    if (status == CT_OK)
        status = html_write_details(page);
    if (status == CT_OK)
        json_writer_end_object(json);
    return status;
}
