#include "base/ct_sentence.h"
#include "results/result_store_internal.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Null: REPORT_UNKNOWN. */
static int64_t get_known(struct query *query) {
    return query_skip_null(query) ? REPORT_UNKNOWN : query_get_integer(query);
}

ct_time_ps result_get_time(struct query *query, ct_time_ps least) {
    if (least == RESULT_NEVER && query_skip_null(query))
        return RESULT_NEVER;
    return query_get_within(query, least, CT_TIME_NEVER - 1);
}

double result_get_of_kind(struct query *query, enum report_field_kind kind) {
    double value = query_get_double(query);
    if (!report_field_can_be(kind, value))
        query_damaged_column(query);
    return value;
}

/* One table's rows of a run (or comparison) on their way into an array in the set's arena. */
struct rows {
    struct query query;
    void *items;
    size_t count, capacity, item_size;
};

/*
 * `from` is what follows FROM, with one "= ?" for the number. Counted first: reading is one
 * transaction, so the array has the right size at once.
 */
static struct rows rows_start(const struct result_reader *r, const char *columns, const char *from,
                              size_t item_size) {
    char sql[1024];
    struct rows rows = {.item_size = item_size};
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", from);
    struct query count = result_prepare_read(r, sql);
    if (query_next(&count))
        rows.capacity = (size_t)query_get_integer(&count);
    bool counted = query_end(&count);
    rows.items = ct_arena_array(r->arena, rows.capacity + 1, item_size);
    snprintf(sql, sizeof sql, "SELECT %s FROM %s", columns, from);
    rows.query = result_prepare_read(r, sql);
    rows.query.failed = rows.query.failed || !counted || !rows.items;
    return rows;
}

/* Rows of a table, the first of `from`, that older stores do without. */
static struct rows rows_start_optional(const struct result_reader *r, const char *columns,
                                       const char *from, size_t item_size) {
    char table[64];
    bool has = false;
    snprintf(table, sizeof table, "%.*s", (int)strcspn(from, " "), from);
    if (!query_has(r->store->db, table, &has))
        return (struct rows){.query.failed = true};
    return has ? rows_start(r, columns, from, item_size) : (struct rows){0};
}

/* The zeroed record for the row that was just read, NULL after the last one. */
static void *rows_next(struct rows *rows) {
    if (rows->count == rows->capacity || !query_next(&rows->query))
        return NULL;
    return (char *)rows->items + rows->count++ * rows->item_size;
}

/* The next row of a table whose first column only tells the order of its rows. */
static void *rows_next_placed(struct rows *rows) {
    void *item = rows_next(rows);
    if (item)
        query_get_count(&rows->query);
    return item;
}

static bool rows_end(struct rows *rows, size_t *count) {
    *count = rows->count;
    return query_end(&rows->query);
}

/* The application that a row of the report belongs to; NULL: damaged. */
static struct report_app *get_owner(struct query *query, const struct result_reader *r) {
    uint32_t app = result_get_app(query, r->run);
    return query->failed ? NULL : (struct report_app *)&r->run->report.apps[app];
}

/* Who ran and what has a name; what a check found may be unknown. */
static const char *read_text(struct query *query, const struct report_level *levels,
                             struct ct_arena *arena) {
    return levels == report_sections || levels == report_of_difference
               ? query_get_text(query, arena)
               : query_get_name(query, arena);
}

/* A number within the bounds of its kind, or unknown. */
static int64_t read_integer(struct query *query, const struct report_field *field) {
    int64_t value = get_known(query);
    if (!report_field_can_be_integer(field, value))
        query_damaged_column(query);
    return value;
}

static void read_column(struct query *query, const struct report_level *levels,
                        const struct report_column *column, void *record, struct ct_arena *arena) {
    const struct report_field *field = column->field;
    if (field->kind == REPORT_FIELD_TEXT)
        report_field_set_text(field, record, read_text(query, levels, arena));
    else if (report_field_is_integer(field))
        report_field_set_integer(field, record, read_integer(query, field));
    else
        report_field_set_double(field, record, column->part,
                                result_get_of_kind(query, field->kind));
}

/* A column that the store lacks leaves its number unknown. */
static void read_columns(struct query *query, const struct report_level *levels, void *record,
                         struct ct_arena *arena) {
    struct report_column columns[REPORT_COLUMNS_MOST];
    size_t count = report_columns(levels, columns);
    for (size_t i = 0; i < count; i++) {
        int at = query_find_column(query, columns[i].name);
        if (at < 0)
            continue;
        query->column = at;
        read_column(query, levels, &columns[i], record, arena);
    }
}

/* Two halves of 16 hexadecimal digits, as ct_hash_print writes them. */
static bool parse_key(const char *text, struct ct_hash *key) {
    enum { HALF = (CT_HASH_TEXT - 1) / 2 };
    char high[HALF + 1];
    if (!text || strspn(text, "0123456789abcdef") != CT_HASH_TEXT - 1 || text[CT_HASH_TEXT - 1])
        return false;
    snprintf(high, sizeof high, "%s", text);
    key->high = strtoull(high, NULL, 16);
    key->low = strtoull(text + HALF, NULL, 16);
    return true;
}

/* The number of the pool, then table run with its own columns first. */
static void read_run_row(struct query *query, struct result_run *run, struct ct_arena *arena) {
    run->pool = get_known(query);
    run->pool = run->pool == REPORT_UNKNOWN ? 0 : run->pool;
    run->number = query_get_within(query, 1, INT64_MAX);
    if (!parse_key(query_get_text(query, arena), &run->key))
        query_damaged_column(query);
    const char *config = query_get_text(query, arena);
    run->replication = query_get_within(query, RESULT_POOLED, INT64_MAX);
    run->purpose = query_get_text(query, arena);
    run->report = report_unknown();
    run->report.config = config;
    read_columns(query, report_head, &run->report, arena);
    double end_ps = run->report.duration_s * (double)CT_PS_PER_S;
    if (!(end_ps >= 1 && end_ps < (double)CT_TIME_NEVER)) /* NAN, too */
        query_damaged(query);
}

/* A run that used more than there is broke the check of conservation, and says so. */
static bool is_overused(const struct report *report) {
    const struct report_system *system = &report->system;
    bool above = system->sm_utilisation > REPORT_MOST_FRACTION ||
                 system->dram_utilisation > REPORT_MOST_FRACTION;
    const char *conservation = report->checks.conservation;
    return above && conservation && strcmp(conservation, "ok") == 0;
}

static bool read_system(const struct result_reader *r) {
    struct query query = result_prepare_read(r, "SELECT * FROM system WHERE run = ?");
    if (query_next(&query))
        read_columns(&query, report_sections, &r->run->report, r->arena);
    if (is_overused(&r->run->report))
        query_damaged(&query);
    return query_end(&query);
}

static bool read_blame(const struct result_reader *r) {
    struct query query =
        result_prepare_read(r, "SELECT app, cause, ms, position FROM blame WHERE run = ?");
    while (query_next(&query)) {
        struct report_app *app = get_owner(&query, r);
        int cause = ct_blame_find(query_get_name(&query, r->arena));
        double ms = result_get_of_kind(&query, REPORT_FIELD_DOUBLE);
        query_get_count(&query);
        if (app && cause >= 0)
            app->blame_ms_p99[cause] = ms;
    }
    return query_end(&query);
}

static bool read_delays(const struct result_reader *r) {
    struct report_delay *delay;
    struct rows rows =
        rows_start(r, "position, app, delayed_by, ms",
                   "blame_matrix WHERE run = ? ORDER BY app, position", sizeof *delay);
    while ((delay = rows_next_placed(&rows))) {
        struct report_app *app = get_owner(&rows.query, r);
        delay->app = query_get_name(&rows.query, r->arena);
        delay->ms = result_get_of_kind(&rows.query, REPORT_FIELD_DOUBLE);
        if (app && !app->delayed_by_count++)
            app->delayed_by = delay;
    }
    return query_end(&rows.query);
}

/* Tables that stores of before do without. */
static bool read_kernels(const struct result_reader *r) {
    struct report_kernels *group;
    bool has_units = false;
    if (!query_has(r->store->db, "kernel_units", &has_units))
        return false;
    struct rows rows = rows_start_optional(
        r,
        has_units ? "position, app, class, launch, source, time_fraction, dram_fraction,"
                    " unit_fraction, units_source"
                  : "position, app, class, launch, source, time_fraction, dram_fraction, NULL,"
                    " NULL",
        has_units ? "kernels LEFT JOIN kernel_units USING(run, app, position) WHERE run = ?"
                    " ORDER BY app, position"
                  : "kernels WHERE run = ? ORDER BY app, position",
        sizeof *group);
    while ((group = rows_next_placed(&rows))) {
        struct report_app *app = get_owner(&rows.query, r);
        group->class = query_get_name(&rows.query, r->arena);
        group->launch = query_get_name(&rows.query, r->arena);
        group->source = query_get_name(&rows.query, r->arena);
        group->time_fraction = result_get_of_kind(&rows.query, REPORT_FIELD_FRACTION);
        group->dram_fraction = result_get_of_kind(&rows.query, REPORT_FIELD_DOUBLE);
        group->unit_fraction = result_get_of_kind(&rows.query, REPORT_FIELD_FRACTION);
        group->units_source = query_get_text(&rows.query, r->arena);
        if (app && !app->kernels_count++)
            app->kernels = group;
    }
    return query_end(&rows.query);
}

/* A table that stores without servers do without. */
static bool read_batches(const struct result_reader *r) {
    struct report_batches *batches;
    struct rows rows = rows_start_optional(
        r, "app, size, count", "batch_size WHERE run = ? ORDER BY app, size", sizeof *batches);
    while ((batches = rows_next(&rows))) {
        struct report_app *app = get_owner(&rows.query, r);
        batches->size = query_get_within(&rows.query, 1, INT64_MAX);
        batches->count = (int64_t)query_get_count(&rows.query);
        if (app && !app->batches_count++)
            app->batches = batches;
    }
    return query_end(&rows.query);
}

static bool read_apps(const struct result_reader *r) {
    struct report_app *app;
    struct rows rows = rows_start(r, "*", "app WHERE run = ? ORDER BY position", sizeof *app);
    while ((app = rows_next(&rows))) {
        *app = report_app_unknown();
        read_columns(&rows.query, report_of_app, app, r->arena);
        rows.query.column = query_find_column(&rows.query, "position");
        size_t place = rows.query.column < 0 ? 0 : query_get_count(&rows.query) + 1;
        if (!app->name || place != rows.count)
            query_damaged(&rows.query);
    }
    r->run->report.apps = rows.items;
    return rows_end(&rows, &r->run->report.app_count) && read_blame(r) && read_delays(r) &&
           result_read_sharing(r) && read_kernels(r) && read_batches(r);
}

static bool read_device(const struct result_reader *r) {
    struct report_setting *setting;
    struct rows rows = rows_start(r, "position, key, value",
                                  "device WHERE run = ? ORDER BY position", sizeof *setting);
    while ((setting = rows_next_placed(&rows))) {
        setting->key = query_get_name(&rows.query, r->arena);
        setting->value = query_get_name(&rows.query, r->arena);
    }
    r->run->report.device = rows.items;
    return rows_end(&rows, &r->run->report.device_count);
}

static bool read_counters(const struct result_reader *r) {
    struct report_counter *counter;
    struct rows rows = rows_start(r, "position, key, value",
                                  "counter WHERE run = ? ORDER BY position", sizeof *counter);
    while ((counter = rows_next_placed(&rows))) {
        counter->key = query_get_name(&rows.query, r->arena);
        counter->value = query_get_double(&rows.query);
    }
    r->run->report.policy_counters = rows.items;
    return rows_end(&rows, &r->run->report.policy_counter_count);
}

static bool read_notices(const struct result_reader *r) {
    const char **notice;
    struct rows rows =
        rows_start(r, "position, text", "notice WHERE run = ? ORDER BY position", sizeof *notice);
    while ((notice = rows_next_placed(&rows)))
        *notice = query_get_name(&rows.query, r->arena);
    r->run->report.notices = rows.items;
    return rows_end(&rows, &r->run->report.notice_count);
}

/* Where the parts of a job's time are, and how many requests it was; -1: the program did not know.
 */
struct blame_columns {
    int at[CT_BLAME_COUNT], requests, until;
    int alone, solo, cost[CT_BLAME_COUNT];
};

static struct blame_columns find_blame(struct query *query) {
    struct blame_columns columns;
    char name[REPORT_FIELD_NAME];
    for (int part = 0; part < CT_BLAME_COUNT; part++) {
        result_blame_column(part, name);
        columns.at[part] = query_find_column(query, name);
        result_cost_column(part, name);
        columns.cost[part] = query_find_column(query, name);
    }
    columns.alone = query_find_column(query, RESULT_ALONE_COLUMN);
    columns.solo = query_find_column(query, RESULT_SOLO_COLUMN);
    columns.requests = query_find_column(query, "requests");
    columns.until = query_find_column(query, "until_ps");
    return columns;
}

/* Whether there is a value in this column, which is read next. */
static bool is_known(struct query *query, int column) {
    query->column = column;
    return column >= 0 && !query_skip_null(query);
}

/* NULL when the job has no blame: its own work is null then. Parts add up to the latency; one that
 * the program did not know is 0. */
static const ct_time_ps *read_job_blame(struct query *query, const struct blame_columns *columns,
                                        const struct result_job *job, struct ct_arena *arena) {
    if (!is_known(query, columns->at[CT_BLAME_SOLO_WORK]))
        return NULL;
    ct_time_ps *blame = ct_arena_array(arena, CT_BLAME_COUNT, sizeof *blame);
    ct_time_ps until = result_job_until(job), left = until < 0 ? 0 : until - job->arrival_ps;
    query->failed = query->failed || !blame;
    for (int cause = 0; blame && cause < CT_BLAME_COUNT; cause++) {
        blame[cause] = is_known(query, columns->at[cause]) ? query_get_within(query, 0, left) : 0;
        left -= blame[cause];
    }
    if (left > 0 && blame)
        query_damaged(query);
    return blame;
}

/* A time of the job's own, which may be null: unknown. */
static ct_time_ps get_known_time(struct query *query, int column) {
    return is_known(query, column) ? result_get_time(query, 0) : REPORT_UNKNOWN;
}

/* What sharing cost, by cause; NULL where the store does not have it. */
static const ct_time_ps *read_job_costs(const struct result_reader *r, struct query *query,
                                        const struct blame_columns *columns,
                                        struct result_job *job) {
    ct_time_ps *costs = NULL;
    job->alone_ps = get_known_time(query, columns->alone);
    job->solo_ps = get_known_time(query, columns->solo);
    if (job->alone_ps != REPORT_UNKNOWN && job->solo_ps != REPORT_UNKNOWN && job->end_ps >= 0) {
        costs =
            ct_arena_array(r->arena, CT_BLAME_COUNT + r->run->report.app_count + 1, sizeof *costs);
        query->failed = query->failed || !costs;
    }
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
        ct_time_ps cost = is_known(query, columns->cost[cause])
                              ? query_get_within(query, -CT_TIME_NEVER, CT_TIME_NEVER)
                              : 0;
        if (costs)
            costs[cause] = cost;
    }
    return costs;
}

static uint32_t get_index(struct query *query) {
    return (uint32_t)query_get_within(query, 0, UINT32_MAX);
}

static void read_job(const struct result_reader *r, struct query *query,
                     const struct blame_columns *columns, struct result_job *job) {
    query->column = 1;
    job->app = result_get_app(query, r->run);
    job->instance = get_index(query);
    job->number = query_get_count(query);
    job->arrival_ps = result_get_time(query, 0);
    job->first_issue_ps = result_get_time(query, RESULT_NEVER);
    job->end_ps = result_get_time(query, RESULT_NEVER);
    if (is_known(query, columns->requests))
        query_get_within(query, 1, UINT32_MAX);
    job->until_ps = get_known_time(query, columns->until);
    if (result_job_until(job) >= 0 && result_job_until(job) < job->arrival_ps)
        query_damaged(query);
    job->blame_ps = query->failed ? NULL : read_job_blame(query, columns, job, r->arena);
    job->costs_ps = query->failed ? NULL : read_job_costs(r, query, columns, job);
}

static bool read_jobs(const struct result_reader *r) {
    struct result_job *job;
    struct rows rows =
        rows_start(r, "*", "job WHERE run = ? ORDER BY app, instance, number", sizeof *job);
    const struct blame_columns columns = find_blame(&rows.query);
    while ((job = rows_next(&rows)))
        read_job(r, &rows.query, &columns, job);
    r->run->jobs = rows.items;
    return rows_end(&rows, &r->run->job_count);
}

static void read_task(const struct result_reader *r, struct query *query,
                      struct result_task *task) {
    task->app = result_get_app(query, r->run);
    task->instance = get_index(query);
    task->job = query_get_count(query);
    task->index = get_index(query);
    task->stream = get_index(query);
    task->kind = (int32_t)query_get_within(query, TRACE_KERNEL, TRACE_MEMSET);
    task->direction =
        (int32_t)query_get_within(query, TRACE_HOST_TO_DEVICE, TRACE_DEVICE_TO_DEVICE);
    task->share = (int32_t)query_get_within(query, 0, CT_SHARE_FULL);
    task->blocks = query_get_count(query);
    task->bytes = query_get_count(query);
    task->ready_ps = result_get_time(query, RESULT_NEVER);
    task->issued_ps = result_get_time(query, RESULT_NEVER);
    task->queued_ps = result_get_time(query, RESULT_NEVER);
    task->started_ps = result_get_time(query, RESULT_NEVER);
    task->ended_ps = result_get_time(query, RESULT_NEVER);
    int64_t sm_group = get_known(query); /* of programs before table presence; -1: none */
    bool named = get_known(query) != REPORT_UNKNOWN;
    task->name = query_get_text(query, r->arena);
    if (sm_group < -1 || (named && !task->name))
        query_damaged(query);
}

static bool read_tasks(const struct result_reader *r) {
    struct result_task *task;
    struct rows rows = rows_start(
        r,
        "app, instance, job, task, stream, kind, direction, share, blocks, "
        "bytes, ready_ps, issued_ps, queued_ps, started_ps, ended_ps, sm_group, task.kernel, "
        "kernel.name",
        "task LEFT JOIN kernel ON kernel.number = task.kernel WHERE run = ? "
        "ORDER BY app, instance, job, task",
        sizeof *task);
    while ((task = rows_next(&rows)))
        read_task(r, &rows.query, task);
    r->run->tasks = rows.items;
    return rows_end(&rows, &r->run->task_count);
}

static bool read_presences(const struct result_reader *r) {
    struct result_presence *p;
    struct rows rows = rows_start_optional(
        r, "app, instance, job, task, first_sm, last_sm, began_ps, ended_ps",
        "presence WHERE run = ? ORDER BY app, instance, job, task, first_sm", sizeof *p);
    while ((p = rows_next(&rows))) {
        p->app = result_get_app(&rows.query, r->run);
        p->instance = get_index(&rows.query);
        p->job = query_get_count(&rows.query);
        p->task = get_index(&rows.query);
        p->first_sm = get_index(&rows.query);
        p->last_sm = (uint32_t)query_get_within(&rows.query, p->first_sm, UINT32_MAX);
        p->began_ps = result_get_time(&rows.query, 0);
        p->ended_ps = result_get_time(&rows.query, p->began_ps);
    }
    r->run->presences = rows.items;
    return rows_end(&rows, &r->run->presence_count);
}

/* Reads the notes of decisions; both are in the order of the decisions' numbers. */
static bool read_notes(const struct result_reader *r, struct result_decision *decisions) {
    const struct result_decision *end = decisions + r->run->decision_count;
    struct result_note *note;
    char view[1024]; /* the file's own view v_notes may be a stranger's */
    snprintf(view, sizeof view, "CREATE TEMP VIEW IF NOT EXISTS notes %s", result_sql_notes);
    if (result_execute(r->store, view) != SQLITE_OK)
        return false;
    struct rows rows =
        rows_start(r, "position, decision, key, value",
                   "temp.notes WHERE run = ? ORDER BY decision, position", sizeof *note);
    while ((note = rows_next_placed(&rows))) {
        uint64_t number = query_get_count(&rows.query);
        note->key = query_get_name(&rows.query, r->arena);
        note->value = query_get_double(&rows.query);
        while (decisions < end && decisions->number < number)
            decisions++;
        if (decisions == end || decisions->number != number)
            query_damaged(&rows.query);
        else if (!decisions->note_count++)
            decisions->notes = note;
    }
    return query_end(&rows.query);
}

/* -1, stored as null: none. */
static int64_t get_or_none(struct query *query, int64_t most) {
    int64_t number = get_known(query);
    if (number < -1 || number > most)
        query_damaged_column(query);
    return number;
}

static int64_t get_app_or_none(struct query *query, const struct result_run *run) {
    return get_or_none(query, (int64_t)run->report.app_count - 1);
}

/* A task is issued or held; an instance, a job or a task is some application's. */
static bool names_whom(const struct result_decision *d) {
    bool of_task = d->outcome == CT_DONE && (d->verb == CT_VERB_ISSUE || d->verb == CT_VERB_HOLD);
    if (of_task && (d->app < 0 || d->instance < 0 || d->job < 0 || d->task < 0))
        return false;
    return d->app >= 0 || (d->instance < 0 && d->job < 0 && d->task < 0);
}

static void get_verb(struct query *query, struct ct_arena *arena, enum ct_verb *verb,
                     enum ct_outcome *outcome) {
    const char *text = query_get_name(query, arena);
    if (text && !ct_verb_find(text, verb, outcome))
        query_damaged_column(query);
}

/* A table that stores without reasons do without. */
static bool read_reasons(const struct result_reader *r) {
    struct result_reason *reason;
    enum ct_outcome outcome;
    struct rows rows =
        rows_start_optional(r, "position, verb, key, sentence",
                            "reason WHERE run = ? ORDER BY position", sizeof *reason);
    while ((reason = rows_next_placed(&rows))) {
        get_verb(&rows.query, r->arena, &reason->verb, &outcome);
        reason->key = query_get_name(&rows.query, r->arena);
        reason->sentence = query_get_name(&rows.query, r->arena);
        if (reason->sentence && ct_sentence_fault(reason->sentence))
            query_damaged_column(&rows.query);
    }
    r->run->reasons = rows.items;
    return rows_end(&rows, &r->run->reason_count);
}

_Static_assert(RESULT_OWN_NOTES == 4, "the values that are asked for, and the notes of store.sql");

static bool read_decisions(const struct result_reader *r) {
    struct result_decision *decision;
    struct rows rows =
        rows_start(r,
                   "decision.number, time_ps, hook, verb, app, instance, job, task, kind,"
                   " value0, value1, value2, value3",
                   "decision LEFT JOIN decision_kind ON decision_kind.number = kind"
                   " WHERE run = ? ORDER BY decision.number",
                   sizeof *decision);
    while ((decision = rows_next(&rows))) {
        decision->number = query_get_count(&rows.query);
        decision->time_ps = result_get_time(&rows.query, 0);
        decision->hook = query_get_name(&rows.query, r->arena);
        get_verb(&rows.query, r->arena, &decision->verb, &decision->outcome);
        decision->app = get_app_or_none(&rows.query, r->run);
        decision->instance = get_or_none(&rows.query, UINT32_MAX);
        decision->job = get_or_none(&rows.query, INT64_MAX);
        decision->task = get_or_none(&rows.query, UINT32_MAX);
        query_get_count(&rows.query);
        for (int i = 0; i < RESULT_OWN_NOTES; i++) /* read_notes has those with a key */
            query_get_double(&rows.query);
        if (!names_whom(decision))
            query_damaged(&rows.query);
    }
    r->run->decisions = rows.items;
    return rows_end(&rows, &r->run->decision_count) && read_notes(r, rows.items) && read_reasons(r);
}

static bool read_samples(const struct result_reader *r) {
    struct result_sample *sample;
    struct rows rows = rows_start(r, "position, time_ps, name, unit, app, value",
                                  "sample WHERE run = ? ORDER BY position", sizeof *sample);
    while ((sample = rows_next_placed(&rows))) {
        sample->time_ps = result_get_time(&rows.query, 0);
        sample->name = query_get_name(&rows.query, r->arena);
        sample->unit = query_get_name(&rows.query, r->arena);
        sample->app = get_app_or_none(&rows.query, r->run);
        sample->value = query_get_double(&rows.query);
    }
    r->run->samples = rows.items;
    return rows_end(&rows, &r->run->sample_count);
}

/* Numbers of runs, in their order. */
static bool read_numbers(const struct result_reader *r, const char *from, const int64_t **numbers,
                         size_t *count) {
    int64_t *number;
    struct rows rows = rows_start(r, "position, run", from, sizeof *number);
    while ((number = rows_next_placed(&rows)))
        *number = query_get_within(&rows.query, 1, INT64_MAX);
    *numbers = rows.items;
    return rows_end(&rows, count);
}

static bool read_parts(const struct result_reader *r, unsigned parts) {
    return read_numbers(r, "member WHERE pool = ? ORDER BY position", &r->run->members,
                        &r->run->member_count) &&
           read_system(r) && read_apps(r) && read_device(r) && read_counters(r) &&
           read_notices(r) &&
           (!(parts & RESULT_JOBS) ||
            (read_jobs(r) && result_read_job_delays(r) && result_read_job_costs_by(r))) &&
           (!(parts & RESULT_TASKS) || (read_tasks(r) && read_presences(r))) &&
           (!(parts & RESULT_DECISIONS) || read_decisions(r)) &&
           (!(parts & RESULT_SAMPLES) || read_samples(r));
}

/* The rows of table run; number 0: all. */
static bool read_run_rows(struct result_store *store, int64_t number, struct result_set *set) {
    struct query query = result_prepare(
        store, "SELECT (SELECT max(pool) FROM member WHERE member.run = run.number), run.* "
               "FROM run WHERE number = ?1 OR ?1 = 0 ORDER BY number");
    query_bind(&query, number);
    while (query_next(&query)) {
        struct result_run run = {0};
        read_run_row(&query, &run, &set->arena);
        query.failed = query.failed || !ct_vec_push(&set->runs, run);
    }
    return query_end(&query);
}

static void read_difference(struct query *query, struct report_difference *d,
                            struct ct_arena *arena) {
    report_set_unknown(report_of_difference, d);
    read_columns(query, report_of_difference, d, arena);
    query->column = query_find_column(query, "position");
    if (query->column < 0 || !d->measure || !d->policy_a || !d->policy_b)
        query_damaged(query);
    else
        query_get_count(query);
}

bool result_read_comparison(struct result_store *store, int64_t number, struct result_set *set) {
    const struct result_reader r = {.store = store, .number = number, .arena = &set->arena};
    struct result_comparison comparison = {0};
    struct report_difference *difference;
    struct rows rows = rows_start(&r, "*", "difference WHERE comparison = ? ORDER BY position",
                                  sizeof *difference);
    while ((difference = rows_next(&rows)))
        read_difference(&rows.query, difference, r.arena);
    comparison.differences = rows.items;
    return rows_end(&rows, &comparison.difference_count) &&
           read_numbers(&r, "comparison_run WHERE comparison = ? ORDER BY position",
                        &comparison.runs, &comparison.run_count) &&
           ct_vec_push(&set->comparisons, comparison);
}

/* One statement at a time: the end of one that went well would hide why another failed. */
static bool read_comparisons(struct result_store *store, struct result_set *set) {
    CT_VEC(int64_t) numbers = {0};
    struct query query = result_prepare(store, "SELECT number FROM comparison ORDER BY number");
    while (query_next(&query))
        query.failed |= !ct_vec_push(&numbers, query_get_integer(&query));
    bool read = query_end(&query);
    for (size_t i = 0; read && i < numbers.count; i++)
        read = result_read_comparison(store, numbers.items[i], set);
    ct_vec_free(&numbers);
    return read;
}

static bool read_all(struct result_store *store, int64_t number, unsigned parts,
                     struct result_set *set) {
    size_t first = set->runs.count;
    bool read = read_run_rows(store, number, set);
    for (size_t i = first; read && i < set->runs.count; i++) {
        struct result_run *run = &set->runs.items[i];
        read = read_parts(&(struct result_reader){store, run, run->number, &set->arena}, parts);
    }
    return read && (number || read_comparisons(store, set));
}

static int no_such_run(struct result_store *store, int64_t number, struct ct_diags *diags) {
    int64_t last = 0;
    struct query query = result_prepare(store, "SELECT max(number) FROM run");
    if (query_next(&query))
        last = query_get_integer(&query);
    query_end(&query);
    if (last)
        ct_error(diags, store->path, "has no run %" PRId64 ": its runs are 1 to %" PRId64, number,
                 last);
    else
        ct_error(diags, store->path, "has no run %" PRId64 ": it is empty", number);
    return CT_USAGE;
}

int result_store_read(struct result_store *store, int64_t number, unsigned parts,
                      struct result_set *set, struct ct_diags *diags) {
    bool read = result_execute(store, "BEGIN") == SQLITE_OK && result_rows_belong(store) &&
                read_all(store, number, parts, set);
    int status = read ? CT_OK : result_fail(store, "read the results", "", diags);
    bool open = !sqlite3_get_autocommit(store->db);
    if (open && result_execute(store, "ROLLBACK") != SQLITE_OK && status == CT_OK)
        status = result_fail(store, "read the results", "", diags);
    if (status == CT_OK && number && !set->runs.count)
        return no_such_run(store, number, diags);
    return status;
}

void result_set_free(struct result_set *set) {
    ct_arena_free(&set->arena);
    ct_vec_free(&set->runs);
    ct_vec_free(&set->comparisons);
}

const struct result_run *result_set_find(const struct result_set *set, int64_t number) {
    for (size_t i = 0; i < set->runs.count; i++)
        if (set->runs.items[i].number == number)
            return &set->runs.items[i];
    return NULL;
}

size_t result_set_shown(const struct result_set *set, size_t *indices,
                        const struct result_comparison **comparison) {
    const struct result_comparison *newest =
        set->comparisons.count ? &set->comparisons.items[set->comparisons.count - 1] : NULL;
    size_t shown = 0;
    *comparison = newest;
    for (size_t i = 0; newest && i < newest->run_count; i++) {
        const struct result_run *run = result_set_find(set, newest->runs[i]);
        if (run && shown < set->runs.count)
            indices[shown++] = (size_t)(run - set->runs.items);
    }
    for (size_t i = 0; !newest && i < set->runs.count; i++)
        if (!set->runs.items[i].pool && !set->runs.items[i].purpose)
            indices[shown++] = i;
    return shown;
}
