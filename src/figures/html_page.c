#include "figures/html_frame.h"
#include "figures/html_page_internal.h"
#include "results/result_sweep.h"

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
        if (run && !ct_vec_push(&page->shown, (struct html_shown){source, run, point}))
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
        else if (!ct_vec_push(&page->shown,
                              (struct html_shown){source, &set->runs.items[indices[i]], NULL}))
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
                                                                 .label = SIZE_MAX});
        }
    return ok;
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
    if (status == CT_OK && !list_details(page))
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

/* ---- The file ---- */

static int write_data(void *context, FILE *out) {
    (void)out; /* the writer of the data has it */
    return html_write_data(context);
}

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
