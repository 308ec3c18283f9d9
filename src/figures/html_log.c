/* The decision log of a run, as much of it as the budget allows. */
#include "base/ct_text.h"
#include "explain/explain.h"
#include "figures/html_page_internal.h"

#include <stdlib.h>

/* ---- Helpers of the page ---- */

size_t html_text_number(struct html_texts *texts, const char *text, struct ct_arena *arena) {
    size_t i = ct_text_index(text, texts->items, texts->count);
    if (i < texts->count)
        return i;
    const char *copy = ct_arena_strdup(arena, text);
    return copy && ct_vec_push(texts, copy) ? i : SIZE_MAX;
}

struct json_writer html_scale_begin(struct html_scale *scale) {
    if (!scale->out)
        scale->out = open_memstream(&scale->text, &scale->size);
    if (scale->out)
        rewind(scale->out);
    struct json_writer json = json_writer_start(scale->out, 0);
    json.in_page = true;
    if (scale->out)
        json_writer_begin_array(&json, NULL);
    return json;
}

uint64_t html_scale_end(struct html_scale *scale) {
    off_t bytes = ftello(scale->out);
    return bytes > 0 ? (uint64_t)bytes : UINT64_MAX;
}

void html_scale_free(struct html_scale *scale) {
    if (scale->out)
        fclose(scale->out);
    free(scale->text);
}

/* ---- Which decisions are kept ---- */

struct log {
    const struct result_run *run;
    struct html_texts hooks, verbs;
    struct html_scale scale;
    struct ct_arena *arena;
    struct ct_arena words; /* of the decision that is written */
    bool *kept;
    uint64_t left; /* bytes */
    size_t count;  /* kept */
    bool failed;
};

/* [number, time in us, hook, verb, application, what it did and why in words]. */
static void write_decision(struct json_writer *json, struct log *log,
                           const struct result_decision *d) {
    size_t hook = html_text_number(&log->hooks, d->hook, log->arena);
    size_t verb = html_text_number(&log->verbs, ct_verb_text(d->verb, d->outcome), log->arena);
    const char *words = explain_decision(log->run, d, &log->words);
    log->failed |= hook == SIZE_MAX || verb == SIZE_MAX || !words;
    json_writer_begin_array(json, NULL);
    json_writer_integer(json, NULL, (int64_t)d->number);
    html_write_us(json, NULL, d->time_ps);
    json_writer_integer(json, NULL, (int64_t)hook);
    json_writer_integer(json, NULL, (int64_t)verb);
    json_writer_integer(json, NULL, d->app);
    json_writer_string(json, NULL, words);
    json_writer_end_array(json);
    ct_arena_free(&log->words);
}

/* Keeps the i-th decision; false when it does not fit any more. */
static bool keep(struct log *log, size_t i) {
    if (log->kept[i])
        return true;
    if (log->left != HTML_NO_LIMIT) {
        struct json_writer json = html_scale_begin(&log->scale);
        log->failed |= !json.out;
        if (log->failed)
            return false;
        write_decision(&json, log, &log->run->decisions[i]);
        uint64_t bytes = html_scale_end(&log->scale);
        if (bytes > log->left)
            return false;
        log->left -= bytes;
    }
    log->kept[i] = true;
    log->count++;
    return true;
}

static void choose(struct log *log, const struct result_job *const *slowest, size_t count) {
    const struct result_run *run = log->run;
    bool room = true;
    for (size_t j = 0; j < count && room; j++)
        for (size_t i = 0; i < run->decision_count && room; i++) {
            ct_time_ps time = run->decisions[i].time_ps;
            if (time >= slowest[j]->arrival_ps && time <= result_job_until(slowest[j]))
                room = keep(log, i);
        }
    for (size_t i = 0; i < run->decision_count && room; i++)
        room = keep(log, i);
}

bool html_write_log(struct html_page *page, const struct result_run *run,
                    const struct result_job *const *slowest, size_t count, uint64_t *left) {
    struct json_writer *json = &page->json;
    struct log log = {.run = run, .arena = &page->arena, .left = *left};
    log.kept = calloc(run->decision_count + 1, sizeof *log.kept);
    log.failed = !log.kept;
    if (!log.failed)
        choose(&log, slowest, count);
    json_writer_begin_object(json, "log");
    json_writer_members(json, "made", run->report.system.decisions, "stored", run->decision_count);
    json_writer_begin_array(json, "rows");
    for (size_t i = 0; i < run->decision_count && !log.failed; i++)
        if (log.kept[i])
            write_decision(json, &log, &run->decisions[i]);
    json_writer_end_array(json);
    json_writer_strings(json, "hooks", log.hooks.items, log.hooks.count);
    json_writer_strings(json, "verbs", log.verbs.items, log.verbs.count);
    json_writer_end_object(json);
    *left = log.left;
    page->summary->decisions += log.count;
    page->summary->decisions_left_out += run->decision_count - log.count;
    html_scale_free(&log.scale);
    ct_vec_free(&log.hooks);
    ct_vec_free(&log.verbs);
    free(log.kept);
    return !log.failed;
}
