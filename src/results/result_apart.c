#include "results/result_apart.h"

#include "base/ct_intern.h"

#include <string.h>

/* ---- Keys ---- */

/* What stands behind "apps.NAME." in a key that is about this application; NULL: it is not. */
static const char *step_of(const char *key, const struct report_app *app) {
    static const char apps[] = "apps.";
    size_t first = sizeof apps - 1, length = strlen(app->name);
    bool of = strncmp(key, apps, first) == 0 && strncmp(key + first, app->name, length) == 0 &&
              key[first + length] == '.';
    return of ? key + first + length + 1 : NULL;
}

/* Arrivals and targets are of services alone. */
static bool can_have(const struct report_app *app, const char *step) {
    static const char arrivals[] = "arrivals.";
    bool served = strncmp(step, arrivals, sizeof arrivals - 1) == 0 || strcmp(step, "qos_ms") == 0;
    return !served || app->role == REPORT_SERVICE;
}

/* That step as it is written: "rate_per_s", "bert.rate_per_s". */
static const char *key_short(const struct report *report, const char *key, struct ct_arena *arena) {
    const char *dot = strrchr(key, '.'), *last = dot ? dot + 1 : key;
    for (size_t i = 0; i < report->app_count; i++) {
        const char *step = step_of(key, &report->apps[i]);
        for (size_t other = 0; step && other < report->app_count; other++)
            if (other != i && can_have(&report->apps[other], step))
                return ct_arena_format(arena, "%s.%s", report->apps[i].name, last);
    }
    return ct_arena_strdup(arena, last);
}

const char *result_key_words(const struct report *report, const char *key, struct ct_arena *arena) {
    const char *brief = key_short(report, key, arena);
    char *words = brief ? ct_arena_strdup(arena, brief) : NULL;
    char *dot = words ? strrchr(words, '.') : NULL;
    if (dot)
        *dot = ' ';
    for (char *at = dot ? dot : words; at && *at; at++)
        *at = *at == '_' ? ' ' : *at;
    return words;
}

/* ---- Settings ---- */

/* How many runs have each setting, among those of their name, and how many have each name. */
struct counts {
    struct ct_intern texts;
    CT_VEC(size_t) runs;
    CT_VEC(size_t) last; /* run, from 1, in which it was seen last: once in each counts */
    struct ct_arena *arena;
};

/* Counts a setting ("": the name itself) of a run, numbered from 1. False when memory ran out. */
static bool count_setting(struct counts *counts, const struct result_named *run, size_t number,
                          const char *setting, size_t *place) {
    const char *name = run->name ? run->name : "";
    const char *text = ct_arena_format(counts->arena, "%s\n%s", name, setting);
    uint32_t found = text ? ct_intern_text(&counts->texts, text) : UINT32_MAX;
    bool is_new = found == counts->runs.count;
    if (found == UINT32_MAX ||
        (is_new && (!ct_vec_push(&counts->runs, 0) || !ct_vec_push(&counts->last, 0))))
        return false;
    counts->runs.items[found] += counts->last.items[found] != number;
    counts->last.items[found] = number;
    *place = found;
    return true;
}

/* The places of a run's name and then its settings; NULL when memory ran out. */
static size_t *count_run(struct counts *counts, const struct result_named *run, size_t number) {
    size_t *places = ct_arena_array(counts->arena, run->given.setting_count + 1, sizeof *places);
    bool ok = places && count_setting(counts, run, number, "", &places[0]);
    for (size_t s = 0; s < run->given.setting_count && ok; s++)
        ok = count_setting(counts, run, number, run->given.settings[s], &places[s + 1]);
    return ok ? places : NULL;
}

/* Whether another setting of the run has a key that is as short. */
static bool is_alike(const struct result_named *run, const char *setting, const char *brief,
                     struct ct_arena *arena) {
    size_t length = strcspn(setting, "=");
    for (size_t i = 0; i < run->given.setting_count; i++) {
        const char *other = run->given.settings[i], *key, *other_brief;
        size_t other_length = strcspn(other, "=");
        if (other_length == length && strncmp(other, setting, length) == 0)
            continue;
        key = ct_arena_strndup(arena, other, other_length);
        other_brief = key ? key_short(run->report, key, arena) : NULL;
        if (other_brief && strcmp(other_brief, brief) == 0)
            return true;
    }
    return false;
}

/* NULL when memory ran out. */
static const char *append(const char *text, const struct result_named *run, const char *setting,
                          struct ct_arena *arena) {
    size_t length = strcspn(setting, "=");
    const char *key = ct_arena_strndup(arena, setting, length);
    const char *brief = key ? key_short(run->report, key, arena) : NULL;
    const char *plain = result_given_plain(setting, arena);
    if (!brief || !plain)
        return NULL;
    return ct_arena_format(arena, "%s%s%s%s", text, *text ? ", " : "",
                           is_alike(run, setting, brief, arena) ? key : brief, plain + length);
}

bool result_settings_apart(const struct result_named *runs, size_t count, struct ct_arena *arena,
                           const char **texts) {
    struct counts counts = {.arena = arena};
    size_t **places = ct_arena_array(arena, count + 1, sizeof *places);
    bool ok = places;
    for (size_t i = 0; i < count && ok; i++)
        ok = (places[i] = count_run(&counts, &runs[i], i + 1));
    for (size_t i = 0; i < count && ok; i++) {
        size_t named = counts.runs.items[places[i][0]];
        texts[i] = "";
        for (size_t s = 0; s < runs[i].given.setting_count && texts[i]; s++)
            if (counts.runs.items[places[i][s + 1]] < named)
                texts[i] = append(texts[i], &runs[i], runs[i].given.settings[s], arena);
        ok = texts[i] != NULL;
    }
    ct_intern_free(&counts.texts);
    ct_vec_free(&counts.runs);
    ct_vec_free(&counts.last);
    return ok;
}
