/* Sentences and the small words in them. */
#include "explain/explain_internal.h"

#include "format/doc_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A word that may be missing for want of memory. */
static const char *kept_word(struct prose *prose, const char *text) {
    prose->failed |= !text;
    return text ? text : "";
}

const char *prose_words(struct prose *prose, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = kept_word(prose, ct_arena_vformat(prose->arena, format, arguments));
    va_end(arguments);
    return text;
}

void prose_say(struct prose *prose, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = kept_word(prose, ct_arena_vformat(prose->arena, format, arguments));
    va_end(arguments);
    if (*text)
        prose->failed |= !ct_vec_push(&prose->lines, text);
}

void prose_join(struct prose *prose, size_t begin) {
    if (prose->lines.count <= begin + 1)
        return;
    const char *line = prose->lines.items[begin];
    for (size_t i = begin + 1; i < prose->lines.count; i++)
        line = prose_words(prose, "%s %s", line, prose->lines.items[i]);
    prose->lines.items[begin] = line;
    prose->lines.count = begin + 1;
}

struct explain_lines prose_lines(struct prose *prose) {
    struct explain_lines lines = {NULL, prose->lines.count};
    const char **items = ct_arena_array(prose->arena, lines.count + 1, sizeof *items);
    prose->failed |= !items;
    for (size_t i = 0; items && i < lines.count; i++)
        items[i] = prose->lines.items[i];
    lines.items = items;
    lines.count = items ? lines.count : 0;
    prose->lines.count = 0;
    return lines;
}

const char *prose_number(struct prose *prose, double number) {
    char digits[DOC_NUMBER];
    return prose_words(prose, "%s", doc_format_plain(number, digits));
}

const char *prose_ms(struct prose *prose, double ps) {
    char digits[DOC_NUMBER];
    return prose_words(prose, "%s ms", doc_format_plain(ps / (double)CT_PS_PER_MS, digits));
}

const char *prose_plural(struct prose *prose, const char *noun) {
    if (strcmp(noun, "query") == 0)
        return "queries";
    return strcmp(noun, "batch") == 0 ? "batches" : prose_words(prose, "%ss", noun);
}

const char *prose_count(struct prose *prose, uint64_t count, const char *noun) {
    return prose_words(prose, "%" PRIu64 " %s", count,
                       count == 1 ? noun : prose_plural(prose, noun));
}

/* ---- Jobs ---- */

const char *explain_job_name(const struct result_run *run, int64_t app, int64_t instance,
                             int64_t number, struct ct_arena *arena) {
    char place[24] = "";
    if (instance > 0)
        snprintf(place, sizeof place, ".%" PRId64, instance);
    return ct_arena_format(arena, "%.180s%s:%" PRId64, run->report.apps[app].name, place, number);
}

const char *prose_job(struct prose *prose, const struct result_job *job) {
    const char *name =
        explain_job_name(prose->run, job->app, job->instance, (int64_t)job->number, prose->arena);
    return kept_word(prose, name);
}

const struct result_job *explain_job_find(const struct result_run *run, uint32_t app,
                                          uint32_t instance, uint64_t number) {
    const struct result_job wanted = {.app = app, .instance = instance, .number = number};
    const struct result_job *job = run->job_count ? bsearch(&wanted, run->jobs, run->job_count,
                                                            sizeof wanted, result_compare_jobs)
                                                  : NULL;
    return job && result_job_until(job) >= 0 ? job : NULL;
}

const char *explain_app_noun(const struct report_app *app) {
    if (report_generates(app))
        return "step";
    if (report_has_server(app))
        return "batch";
    return app->role == REPORT_SERVICE ? "query" : "job";
}

double explain_target_ms(const struct report_app *app) {
    return report_generates(app) ? NAN : app->qos_ms;
}

ct_time_ps explain_start(const struct result_job *job) {
    return job->arrival_ps + job->blame_ps[CT_BLAME_STAGES] + job->blame_ps[CT_BLAME_BATCHER] +
           job->blame_ps[CT_BLAME_OWN_QUEUE];
}

ct_time_ps explain_lost(const struct result_job *job) {
    if (job->costs_ps)
        return job->end_ps - explain_start(job) - job->solo_ps;
    return result_job_until(job) - explain_start(job) - job->blame_ps[CT_BLAME_SOLO_WORK] -
           job->blame_ps[CT_BLAME_HOST];
}

const char *explain_noun(const struct result_run *run, const struct result_job *job) {
    return explain_app_noun(&run->report.apps[job->app]);
}

/* ---- Parts of a time ---- */

const char *prose_parts(struct prose *prose, const double *parts, double whole) {
    size_t order[CT_BLAME_COUNT], count = report_rank(parts, CT_BLAME_COUNT, order);
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        double percent = parts[order[i]] / whole * 100;
        if (i > 0 && percent < 1)
            break;
        text =
            prose_words(prose, "%s%s%s %s (%.0f %%)", text, i ? ", " : "",
                        ct_blame_words[order[i]].part, prose_ms(prose, parts[order[i]]), percent);
    }
    return text;
}

const char *prose_culprits(struct prose *prose, const double *delays, bool nobody) {
    size_t apps = prose->run->report.app_count, all = apps + nobody;
    size_t *order = ct_arena_array(prose->arena, all + 1, sizeof *order);
    const char *text = "";
    double whole = 0;
    prose->failed |= !order;
    if (!order)
        return "";
    for (size_t by = 0; by < all; by++)
        whole += delays[by];
    size_t count = report_rank(delays, all, order);
    while (count > 1 && delays[order[count - 1]] < whole / 100)
        count--;
    for (size_t i = 0; i < count; i++)
        text =
            prose_words(prose, "%s%s%s %s (%.0f %%)", text,
                        i == 0           ? ""
                        : i + 1 == count ? " and "
                                         : ", ",
                        order[i] < apps ? prose->run->report.apps[order[i]].name : "no application",
                        prose_ms(prose, delays[order[i]]), delays[order[i]] / whole * 100);
    return text;
}
