#include "figures/html_frame.h"
#include "figures/html_page_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- What is shown ---- */

static int read_source(struct html_page *page, size_t source) {
    const struct html_source *from = &page->sources[source];
    struct result_set *set = &page->sets[source];
    int status = result_store_read(from->store, 0, 0, set, page->diags);
    size_t *indices = status == CT_OK ? calloc(set->runs.count + 1, sizeof *indices) : NULL;
    if (status == CT_OK && !indices)
        return ct_out_of_memory(page->diags);
    if (status != CT_OK)
        return status;
    size_t count = result_set_shown(set, indices, &page->comparisons[source]);
    if (!count) {
        ct_error(page->diags, from->path, "has no finished run");
        status = CT_DATA;
    }
    for (size_t i = 0; i < count && status == CT_OK; i++)
        if (page->shown.count == HTML_MOST_RUNS)
            page->summary->runs_left_out++;
        else if (!ct_vec_push(&page->shown,
                              (struct html_shown){source, &set->runs.items[indices[i]]}))
            status = ct_out_of_memory(page->diags);
    free(indices);
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
    const struct html_frame frame = {workload ? workload : "results", &html_asset_script,
                                     write_data, page};
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
