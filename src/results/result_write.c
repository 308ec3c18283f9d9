#include "results/result_store_internal.h"

#include <string.h>

/* The store has numbers where documents have names and truths. */
static struct value stored_value(const struct report_column *column, const void *record) {
    const struct report_field *field = column->field;
    if (field->kind == REPORT_FIELD_NAMED)
        return result_known(report_field_integer(field, record));
    return report_field_value(field, record, column->part);
}

static void bind_columns(struct query *query, const struct report_level *levels,
                         const void *record) {
    struct report_column columns[REPORT_COLUMNS_MOST];
    size_t count = report_columns(levels, columns);
    for (size_t i = 0; i < count; i++)
        query_bind(query, stored_value(&columns[i], record));
}

/* A row of a table that stores of before do without; `schema` makes it. */
static struct query prepare_own(struct result_store *store, const char *schema, const char *table,
                                int columns) {
    if (result_execute(store, schema) != SQLITE_OK)
        return (struct query){.failed = true};
    return query_prepare_insert(store->db, table, columns);
}

static bool write_run_row(struct result_store *store, const struct result_run *run,
                          int64_t *number) {
    char key[CT_HASH_TEXT];
    struct query query = result_prepare_row(store, RESULT_TABLE_RUN);
    ct_hash_print(run->key, key);
    if (!query.failed)
        query.column = 2; /* the number is SQLite's next */
    query_bind(&query, key, run->report.config, run->replication, run->purpose);
    bind_columns(&query, report_head, &run->report);
    query_insert(&query);
    *number = sqlite3_last_insert_rowid(store->db);
    return query_end(&query);
}

static bool write_system(struct result_store *store, const struct report *report, int64_t number) {
    struct query query = result_prepare_row(store, RESULT_TABLE_SYSTEM);
    query_bind(&query, number);
    bind_columns(&query, report_sections, report);
    query_insert(&query);
    return query_end(&query);
}

static bool write_apps(struct result_store *store, const struct report *report, int64_t number) {
    struct query query = result_prepare_row(store, RESULT_TABLE_APP);
    for (size_t i = 0; i < report->app_count; i++) {
        query_bind(&query, number, i);
        bind_columns(&query, report_of_app, &report->apps[i]);
        query_insert(&query);
    }
    return query_end(&query);
}

static bool write_blame(struct result_store *store, const struct report *report, int64_t number) {
    struct query query = query_prepare_insert(store->db, "blame", 5);
    for (size_t i = 0; i < report->app_count; i++)
        for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
            if (isnan(report->apps[i].blame_ms_p99[cause]))
                continue;
            query_add(&query, number, i, cause, ct_blame_key(cause),
                      report->apps[i].blame_ms_p99[cause]);
        }
    return query_end(&query);
}

static bool write_blame_matrix(struct result_store *store, const struct report *report,
                               int64_t number) {
    struct query query = query_prepare_insert(store->db, "blame_matrix", 5);
    for (size_t i = 0; i < report->app_count; i++)
        for (size_t j = 0; j < report->apps[i].delayed_by_count; j++)
            query_add(&query, number, i, j, report->apps[i].delayed_by[j].app,
                      report->apps[i].delayed_by[j].ms);
    return query_end(&query);
}

static void add_sharing(struct query *query, int64_t number, size_t app, size_t *position,
                        const char *cause, const char *by, double ms) {
    if (!isnan(ms))
        query_add(query, number, app, (*position)++, cause, by, ms);
}

static bool write_sharing(struct result_store *store, const struct report *report, int64_t number) {
    struct query query = prepare_own(store, result_sql_sharing, "sharing", 6);
    for (size_t i = 0; i < report->app_count; i++) {
        const struct report_sharing *sharing = &report->apps[i].sharing;
        size_t position = 0;
        add_sharing(&query, number, i, &position, REPORT_ALONE, "", sharing->alone_ms);
        for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
            add_sharing(&query, number, i, &position, ct_blame_key(cause), "",
                        sharing->cause_ms[cause]);
        for (size_t by = 0; by < sharing->by_count; by++)
            add_sharing(&query, number, i, &position, "",
                        sharing->by[by].app ? sharing->by[by].app : "", sharing->by[by].ms);
    }
    return query_end(&query);
}

static bool write_kernels(struct result_store *store, const struct report *report, int64_t number) {
    struct query query = prepare_own(store, result_sql_kernels, "kernels", 8);
    for (size_t i = 0; i < report->app_count; i++)
        for (size_t k = 0; k < report->apps[i].kernels_count; k++) {
            const struct report_kernels *group = &report->apps[i].kernels[k];
            query_add(&query, number, i, k, group->class, group->launch, group->source,
                      group->time_fraction, group->dram_fraction);
        }
    return query_end(&query);
}

static bool write_kernel_units(struct result_store *store, const struct report *report,
                               int64_t number) {
    struct query query = prepare_own(store, result_sql_units, "kernel_units", 5);
    for (size_t i = 0; i < report->app_count; i++)
        for (size_t k = 0; k < report->apps[i].kernels_count; k++) {
            const struct report_kernels *group = &report->apps[i].kernels[k];
            query_add(&query, number, i, k, group->unit_fraction, group->units_source);
        }
    return query_end(&query);
}

static bool write_batches(struct result_store *store, const struct report *report, int64_t number) {
    size_t sizes = 0;
    for (size_t i = 0; i < report->app_count; i++)
        sizes += report->apps[i].batches_count;
    if (!sizes)
        return true;
    struct query query = prepare_own(store, result_sql_batches, "batch_size", 4);
    for (size_t i = 0; i < report->app_count; i++)
        for (size_t k = 0; k < report->apps[i].batches_count; k++)
            query_add(&query, number, i, report->apps[i].batches[k].size,
                      report->apps[i].batches[k].count);
    return query_end(&query);
}

static bool write_device(struct result_store *store, const struct report *report, int64_t number) {
    struct query query = query_prepare_insert(store->db, "device", 4);
    for (size_t i = 0; i < report->device_count; i++)
        query_add(&query, number, i, report->device[i].key, report->device[i].value);
    return query_end(&query);
}

static bool write_counters(struct result_store *store, const struct report *report,
                           int64_t number) {
    struct query query = query_prepare_insert(store->db, "counter", 4);
    for (size_t i = 0; i < report->policy_counter_count; i++)
        query_add(&query, number, i, report->policy_counters[i].key,
                  report->policy_counters[i].value);
    return query_end(&query);
}

static bool write_notices(struct result_store *store, const struct report *report, int64_t number) {
    struct query query = query_prepare_insert(store->db, "notice", 3);
    for (size_t i = 0; i < report->notice_count; i++)
        query_add(&query, number, i, report->notices[i]);
    return query_end(&query);
}

/* A cost may be negative: null is what stands for unknown. */
static void bind_costs(struct query *query, const struct result_job *job) {
    query_bind(query, result_known(job->costs_ps ? job->alone_ps : REPORT_UNKNOWN),
               result_known(job->costs_ps ? job->solo_ps : REPORT_UNKNOWN));
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        if (job->costs_ps)
            query_bind(query, job->costs_ps[cause]);
        else
            query_bind(query, result_known(REPORT_UNKNOWN));
}

static bool write_job_costs(struct result_store *store, const struct result_run *run,
                            int64_t number) {
    const size_t apps = run->report.app_count;
    struct query query = prepare_own(store, result_sql_costs, "job_sharing", 6);
    for (size_t i = 0; i < run->job_count; i++) {
        const struct result_job *job = &run->jobs[i];
        for (size_t by = 0; job->costs_ps && by <= apps; by++)
            if (job->costs_ps[CT_BLAME_COUNT + by] != 0)
                query_add(&query, number, job->app, job->instance, job->number,
                          by < apps ? (int64_t)by : -1, job->costs_ps[CT_BLAME_COUNT + by]);
    }
    return query_end(&query);
}

static bool write_jobs(struct result_store *store, const struct result_run *run, int64_t number) {
    struct query query = result_prepare_row(store, RESULT_TABLE_JOB);
    for (size_t i = 0; i < run->job_count; i++) {
        const struct result_job *job = &run->jobs[i];
        query_bind(&query, number, job->app, job->instance, job->number, job->arrival_ps,
                   result_known(job->first_issue_ps), result_known(job->end_ps),
                   result_known(job->requests ? (int64_t)job->requests : REPORT_UNKNOWN),
                   result_known(job->end_ps < 0 ? job->until_ps : RESULT_NEVER));
        for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
            query_bind(&query, result_known(job->blame_ps ? job->blame_ps[cause] : REPORT_UNKNOWN));
        bind_costs(&query, job);
        query_insert(&query);
    }
    return query_end(&query);
}

static bool write_job_delays(struct result_store *store, const struct result_run *run,
                             int64_t number) {
    struct query query = query_prepare_insert(store->db, "job_delay", 6);
    for (size_t i = 0; i < run->job_count; i++) {
        const struct result_job *job = &run->jobs[i];
        for (size_t by = 0; job->delayed_by_ps && by < run->report.app_count; by++) {
            if (job->delayed_by_ps[by] == 0)
                continue;
            query_add(&query, number, job->app, job->instance, job->number, by,
                      job->delayed_by_ps[by]);
        }
    }
    return query_end(&query);
}

/* A kernel's name is stored once. */
static bool write_kernel_names(struct result_store *store, const struct result_run *run) {
    const char *last = NULL;
    struct query query = result_prepare(store, "INSERT OR IGNORE INTO kernel(name) VALUES(?)");
    for (size_t i = 0; i < run->task_count; i++) {
        const char *name = run->tasks[i].name;
        if (!name || (last && strcmp(last, name) == 0))
            continue;
        query_add(&query, name);
        last = name;
    }
    return query_end(&query);
}

static bool write_tasks(struct result_store *store, const struct result_run *run, int64_t number) {
    if (!run->task_count)
        return true;
    struct query query =
        result_prepare(store, "INSERT INTO task VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                              "(SELECT number FROM kernel WHERE name = ?))");
    for (size_t i = 0; i < run->task_count; i++) {
        const struct result_task *t = &run->tasks[i];
        const int64_t sm_group = -1; /* of earlier programs: the places are in table presence */
        query_add(&query, number, t->app, t->instance, t->job, t->index, t->stream, t->kind,
                  t->direction, sm_group, t->share, t->blocks, t->bytes, t->ready_ps, t->issued_ps,
                  t->queued_ps, t->started_ps, t->ended_ps, t->name);
    }
    return query_end(&query);
}

static bool write_presences(struct result_store *store, const struct result_run *run,
                            int64_t number) {
    if (!run->presence_count)
        return true;
    struct query query = prepare_own(store, result_sql_presences, "presence", 9);
    for (size_t i = 0; i < run->presence_count; i++) {
        const struct result_presence *p = &run->presences[i];
        query_add(&query, number, p->app, p->instance, p->job, p->task, p->first_sm, p->last_sm,
                  p->began_ps, p->ended_ps);
    }
    return query_end(&query);
}

/* What repeats from decision to decision is stored once: hook, verb and the keys of the first
 * notes. */
enum { KIND_TEXTS = 2 + RESULT_OWN_NOTES };

struct kind {
    const char *texts[KIND_TEXTS]; /* a key that is not there: "" */
    int64_t number;
};

struct kinds {
    struct result_store *store;
    size_t last; /* often the next decision's, too */
    CT_VEC(struct kind);
};

static size_t own_notes(const struct result_decision *decision) {
    return decision->note_count < RESULT_OWN_NOTES ? decision->note_count : RESULT_OWN_NOTES;
}

static bool is_kind(const struct kind *kind, const struct result_decision *decision) {
    size_t notes = own_notes(decision);
    if (strcmp(kind->texts[0], decision->hook) != 0 ||
        kind->texts[1] != ct_verb_text(decision->verb, decision->outcome))
        return false;
    for (size_t i = 0; i < notes; i++)
        if (strcmp(kind->texts[2 + i], decision->notes[i].key) != 0)
            return false;
    return notes == RESULT_OWN_NOTES || !*kind->texts[2 + notes];
}

static struct kind new_kind(const struct result_decision *decision) {
    struct kind kind = {{decision->hook, ct_verb_text(decision->verb, decision->outcome)}, 0};
    size_t notes = own_notes(decision);
    for (size_t i = 0; i < RESULT_OWN_NOTES; i++)
        kind.texts[2 + i] = i < notes ? decision->notes[i].key : "";
    return kind;
}

/* The number of a kind that an earlier run stored; 0: none did. */
static bool find_kind(struct result_store *store, struct kind *kind) {
    struct query query =
        result_prepare(store, "SELECT number FROM decision_kind WHERE hook = ? AND verb = ? AND"
                              " key0 = ? AND key1 = ? AND key2 = ? AND key3 = ?");
    for (int i = 0; i < KIND_TEXTS; i++)
        query_bind(&query, kind->texts[i]);
    if (query_next(&query))
        kind->number = query_get_integer(&query);
    return query_end(&query);
}

static bool add_kind(struct result_store *store, struct kind *kind) {
    if (!find_kind(store, kind))
        return false;
    if (kind->number)
        return true;
    struct query query = query_prepare_insert(store->db, "decision_kind", 1 + KIND_TEXTS);
    if (!query.failed)
        query.column = 2; /* the number is SQLite's next */
    for (int i = 0; i < KIND_TEXTS; i++)
        query_bind(&query, kind->texts[i]);
    query_insert(&query);
    kind->number = sqlite3_last_insert_rowid(store->db);
    return query_end(&query);
}

/* The number of the decision's kind; 0 after a failure. */
static int64_t kind_of(struct kinds *kinds, const struct result_decision *decision) {
    if (kinds->last < kinds->count && is_kind(&kinds->items[kinds->last], decision))
        return kinds->items[kinds->last].number;
    for (size_t i = 0; i < kinds->count; i++)
        if (is_kind(&kinds->items[i], decision)) {
            kinds->last = i;
            return kinds->items[i].number;
        }
    struct kind kind = new_kind(decision);
    if (!add_kind(kinds->store, &kind) || !ct_vec_push(kinds, kind))
        return 0;
    return kind.number;
}

static void bind_decision(struct query *query, const struct result_decision *decision, int64_t run,
                          int64_t kind) {
    size_t notes = own_notes(decision);
    query_bind(query, run, decision->number, decision->time_ps, kind, result_known(decision->app),
               result_known(decision->instance), result_known(decision->job),
               result_known(decision->task));
    for (size_t i = 0; i < RESULT_OWN_NOTES; i++)
        query_bind(query, i < notes ? decision->notes[i].value : NAN);
}

static bool write_decisions(struct result_store *store, const struct result_run *run,
                            int64_t number) {
    struct query query = query_prepare_insert(store->db, "decision", 8 + RESULT_OWN_NOTES);
    struct kinds kinds = {.store = store};
    for (size_t i = 0; i < run->decision_count && !query.failed; i++) {
        int64_t kind = kind_of(&kinds, &run->decisions[i]);
        query.failed |= kind == 0;
        bind_decision(&query, &run->decisions[i], number, kind);
        query_insert(&query);
    }
    ct_vec_free(&kinds);
    return query_end(&query);
}

static bool write_reasons(struct result_store *store, const struct result_run *run,
                          int64_t number) {
    if (!run->reason_count)
        return true;
    struct query query = prepare_own(store, result_sql_reasons, "reason", 5);
    for (size_t i = 0; i < run->reason_count; i++) {
        const struct result_reason *r = &run->reasons[i];
        query_add(&query, number, i, ct_verb_text(r->verb, CT_DONE), r->key, r->sentence);
    }
    return query_end(&query);
}

/* The notes that do not stand in the row of their decision. */
static bool write_notes(struct result_store *store, const struct result_run *run, int64_t number) {
    struct query query = query_prepare_insert(store->db, "decision_note", 5);
    for (size_t i = 0; i < run->decision_count; i++)
        for (size_t j = RESULT_OWN_NOTES; j < run->decisions[i].note_count; j++) {
            const struct result_note *note = &run->decisions[i].notes[j];
            query_add(&query, number, run->decisions[i].number, j, note->key, note->value);
        }
    return query_end(&query);
}

static bool write_samples(struct result_store *store, const struct result_run *run,
                          int64_t number) {
    struct query query = query_prepare_insert(store->db, "sample", 7);
    for (size_t i = 0; i < run->sample_count; i++) {
        const struct result_sample *x = &run->samples[i];
        query_add(&query, number, i, x->time_ps, x->name, x->unit, result_known(x->app), x->value);
    }
    return query_end(&query);
}

/* A pooled run names its replications, or a replication its pooled run: whichever is stored later
 * knows. */
static bool write_members(struct result_store *store, const struct result_run *run,
                          int64_t number) {
    struct query query = result_prepare(
        store, "INSERT INTO member SELECT ?1, count(*), ?2 FROM member WHERE pool = ?1");
    for (size_t i = 0; i < run->member_count; i++)
        query_add(&query, number, run->members[i]);
    if (run->pool)
        query_add(&query, run->pool, number);
    return query_end(&query);
}

static bool write_report(struct result_store *store, const struct report *report, int64_t number) {
    return write_system(store, report, number) && write_apps(store, report, number) &&
           write_blame(store, report, number) && write_blame_matrix(store, report, number) &&
           write_sharing(store, report, number) && write_kernels(store, report, number) &&
           write_kernel_units(store, report, number) && write_batches(store, report, number) &&
           write_device(store, report, number) && write_counters(store, report, number) &&
           write_notices(store, report, number);
}

static bool write_run(struct result_store *store, const struct result_run *run, int64_t *number) {
    return write_run_row(store, run, number) && write_report(store, &run->report, *number) &&
           write_members(store, run, *number) && write_jobs(store, run, *number) &&
           write_job_delays(store, run, *number) && write_job_costs(store, run, *number) &&
           write_kernel_names(store, run) && write_tasks(store, run, *number) &&
           write_presences(store, run, *number) && write_decisions(store, run, *number) &&
           write_notes(store, run, *number) && write_reasons(store, run, *number) &&
           write_samples(store, run, *number);
}

/* The failure is recorded before the rollback, which would replace SQLite's reason. */
static int finish_transaction(struct result_store *store, bool written, const char *what,
                              struct ct_diags *diags) {
    if (written && store->together)
        return CT_OK;
    if (written && result_execute(store, "COMMIT") == SQLITE_OK) {
        store->empty = false;
        return CT_OK;
    }
    result_fail(store, what, "; earlier results are intact", diags);
    store->together = false;
    if (!sqlite3_get_autocommit(store->db))
        result_execute(store, "ROLLBACK");
    return CT_DATA;
}

int result_store_begin(struct result_store *store, struct ct_diags *diags) {
    if (!result_begin(store))
        return result_fail(store, "store the runs", "; earlier results are intact", diags);
    store->together = true;
    return CT_OK;
}

int result_store_end(struct result_store *store, bool keep, struct ct_diags *diags) {
    bool open = store->together;
    store->together = false;
    if (keep && open)
        return finish_transaction(store, true, "store the runs", diags);
    if (open)
        result_execute(store, "ROLLBACK");
    return open ? CT_OK : CT_DATA;
}

int result_store_add_run(struct result_store *store, const struct result_run *run, int64_t *number,
                         struct ct_diags *diags) {
    int64_t own = 0;
    bool written = result_begin(store) && write_run(store, run, &own);
    int status = finish_transaction(store, written, "store the run", diags);
    if (status == CT_OK && number)
        *number = own;
    return status;
}

static bool write_comparison_runs(struct result_store *store, const struct result_comparison *c,
                                  int64_t number) {
    struct query query = query_prepare_insert(store->db, "comparison_run", 3);
    for (size_t i = 0; i < c->run_count; i++)
        query_add(&query, number, i, c->runs[i]);
    return query_end(&query);
}

static bool write_differences(struct result_store *store, const struct result_comparison *c,
                              int64_t number) {
    struct query query = result_prepare_row(store, RESULT_TABLE_DIFFERENCE);
    for (size_t i = 0; i < c->difference_count; i++) {
        query_bind(&query, number, i);
        bind_columns(&query, report_of_difference, &c->differences[i]);
        query_insert(&query);
    }
    return query_end(&query);
}

static bool write_comparison(struct result_store *store, const struct result_comparison *c) {
    if (result_execute(store, "INSERT INTO comparison DEFAULT VALUES") != SQLITE_OK)
        return false;
    int64_t number = sqlite3_last_insert_rowid(store->db);
    return write_comparison_runs(store, c, number) && write_differences(store, c, number);
}

int result_store_add_comparison(struct result_store *store,
                                const struct result_comparison *comparison,
                                struct ct_diags *diags) {
    bool written = result_begin(store) && write_comparison(store, comparison);
    return finish_transaction(store, written, "store the comparison", diags);
}
