/* The decision log in the result store: what was noted comes back, and the views answer what a hold
 * was for. All answers by hand. */
#include "cmocka_complete.h"
#include "report_sample.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS INT64_C(1000000000)

/* In the store's order: client 0 is vit, then come the instances of the second application. */
enum { VIT, SECOND };

struct fixture {
    char path[64];
    struct ct_diags diags;
    sqlite3 *db;
};

#define ABOUT(app_, instance_, job_, task_)                                                        \
    .app = app_, .instance = instance_, .job = job_, .task = task_
#define NOTES(list) .notes = list, .note_count = CT_COUNT_OF(list)

/* Held at 2 ms, again at 3 for another reason, issued at 3.2. */
static const struct result_note headroom[] = {
    {"held_headroom_ps", 3.1e9}, {"held_t_ps", 4e9}, {"held_client", VIT}};
static const struct result_note queued[] = {{"held_tq_ps", 9e9}, {"held_t_ps", 4e9}};
static const struct result_note issued[] = {{"issue_t_ps", 4e9}};
/* Held without a prediction, and never issued. */
static const struct result_note copies[] = {{"held_copies", 2}};
/* One decision with more notes than its row has room for; one value is unknown. */
static const struct result_note parted[] = {{"client", 0}, {"sms", 30}, {"client", 1},
                                            {"sms", 40},   {"np", NAN}, {"client", 2},
                                            {"sms", 10}};
static const struct result_note raised[] = {{"lag_ps", 2e9}, {"quota_per_mille", 700}};
static const struct result_note capped[] = {{"cap_per_mille", 250}};
/* Refused: noted all the same, and nothing that happened. */
static const struct result_note tried[] = {{"client", 0}, {"sms", 800}};

static const struct result_decision decisions[] = {
    {1, 2 * MS, "decide", CT_VERB_HOLD, CT_DONE, ABOUT(SECOND, 1, 5, 7), NOTES(headroom)},
    {2, 2 * MS, "decide", CT_VERB_HOLD, CT_DONE, ABOUT(SECOND, 0, 5, 7), NOTES(copies)},
    {3, 3 * MS, "decide", CT_VERB_HOLD, CT_DONE, ABOUT(SECOND, 1, 5, 7), NOTES(queued)},
    {4, 32 * MS / 10, "decide", CT_VERB_ISSUE, CT_DONE, ABOUT(SECOND, 1, 5, 7), NOTES(issued)},
    {5, 4 * MS, "timer", CT_VERB_REPARTITION, CT_DONE, ABOUT(-1, -1, -1, -1), NOTES(parted)},
    {6, 5 * MS, "task_done", CT_VERB_NOTE, CT_DONE, ABOUT(VIT, 0, 1, 2), NOTES(raised)},
    {7, 6 * MS, "client_join", CT_VERB_SET_SHARE, CT_DONE, ABOUT(SECOND, 1, -1, -1), NOTES(capped)},
    {8, 6 * MS, "decide", CT_VERB_ISSUE, CT_DONE, ABOUT(VIT, 0, 1, 3), .notes = NULL},
    {9, 7 * MS, "timer", CT_VERB_REPARTITION, CT_REJECTED, ABOUT(-1, -1, -1, -1), NOTES(tried)},
    {10, 7 * MS, "timer", CT_VERB_SET_SHARE, CT_REJECTED, ABOUT(VIT, 0, -1, -1), NOTES(capped)},
    {11, 7 * MS, "timer", CT_VERB_SET_SHARE, CT_WITHHELD, ABOUT(VIT, 0, -1, -1), NOTES(capped)},
};

static const struct result_reason reasons[] = {
    {CT_VERB_HOLD, "held_headroom_ps", "headroom of {held_client} {held_headroom_ps}"},
    {CT_VERB_ISSUE, "issue_t_ps", "predicted {issue_t_ps}"},
};

static int make_fixture(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    snprintf(f->path, sizeof f->path, "decision_log_XXXXXX");
    int file = mkstemp(f->path);
    if (file < 0)
        return -1;
    close(file);
    apps[VIT].instances = 1;
    apps[SECOND].instances = 2;
    apps[SECOND].name = "bfs";
    run.decisions = decisions;
    run.decision_count = CT_COUNT_OF(decisions);
    run.reasons = reasons;
    run.reason_count = CT_COUNT_OF(reasons);
    struct result_store *store = result_store_open(f->path, RESULT_WRITE, &f->diags);
    bool stored = store;
    for (int i = 0; i < 2; i++) /* the second run's kinds are there already */
        stored = stored && result_store_add_run(store, &run, NULL, &f->diags) == CT_OK;
    result_store_close(store);
    *state = f;
    return stored && sqlite3_open(f->path, &f->db) == SQLITE_OK ? 0 : -1;
}

static int free_fixture(void **state) {
    struct fixture *f = *state;
    sqlite3_close(f->db);
    unlink(f->path);
    ct_diags_free(&f->diags);
    free(f);
    return 0;
}

/* The rows of a query of one column, a line each. */
static void expect(const struct fixture *f, const char *sql, const char *answer) {
    char text[1024] = "";
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(f->db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(f->db));
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const unsigned char *row = sqlite3_column_text(statement, 0);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s\n", row ? (const char *)row : "null");
    }
    sqlite3_finalize(statement);
    assert_string_equal(text, answer);
}

TEST_WITH(notes_come_back, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct result_set set = {0};
    struct result_store *store = result_store_open(f->path, RESULT_READ, &f->diags);
    assert_non_null(store);
    assert_int_equal(result_store_read(store, 2, RESULT_DECISIONS, &set, &f->diags), CT_OK);
    const struct result_run *run = &set.runs.items[0];
    assert_int_equal(run->decision_count, CT_COUNT_OF(decisions));
    for (size_t i = 0; i < CT_COUNT_OF(decisions); i++) {
        const struct result_decision *a = &decisions[i], *b = &run->decisions[i];
        assert_string_equal(a->hook, b->hook);
        assert_true(a->verb == b->verb && a->outcome == b->outcome);
        assert_true(a->number == b->number && a->time_ps == b->time_ps && a->app == b->app);
        assert_int_equal(a->note_count, b->note_count);
        for (size_t n = 0; n < a->note_count; n++) {
            double x = a->notes[n].value, y = b->notes[n].value;
            assert_string_equal(a->notes[n].key, b->notes[n].key);
            assert_true(x == y || (isnan(x) && isnan(y)));
        }
    }
    assert_int_equal(run->reason_count, CT_COUNT_OF(reasons));
    for (size_t i = 0; i < CT_COUNT_OF(reasons); i++) {
        assert_int_equal(run->reasons[i].verb, reasons[i].verb);
        assert_string_equal(run->reasons[i].key, reasons[i].key);
        assert_string_equal(run->reasons[i].sentence, reasons[i].sentence);
    }
    result_set_free(&set);
    result_store_close(store);
}

TEST_WITH(what_repeats_is_stored_once, make_fixture, free_fixture) {
    struct fixture *f = *state;
    expect(f, "SELECT count(*) FROM decision_kind", "11\n");
    expect(f, "SELECT count(*) FROM decision_note WHERE run = 1", "3\n");
    expect(f, "SELECT count(*) FROM v_notes WHERE run = 1", "21\n");
    expect(f, "SELECT notes FROM v_decisions WHERE run = 2 AND number >= 4",
           "issue_t_ps=4000000000.0\n"
           "client=0.0 sms=30.0 client=1.0 sms=40.0 np=unknown client=2.0 sms=10.0\n"
           "lag_ps=2000000000.0 quota_per_mille=700.0\n"
           "cap_per_mille=250.0\n"
           "\n"
           "client=0.0 sms=800.0\n"
           "cap_per_mille=250.0\n"
           "cap_per_mille=250.0\n");
}

TEST_WITH(a_hold_says_how_long_and_why, make_fixture, free_fixture) {
    const struct fixture *f = *state;
    expect(f,
           "SELECT 'kernel ' || task || ' of ' || app || ' held ' || held_ms || ' ms: predicted '"
           " || predicted_ms || ' ms, headroom of ' || limited_by || ' ' || number_ms || ' ms'"
           " FROM v_holds WHERE run = 1 AND reason = 'held_headroom_ps'",
           "kernel 7 of bfs held 1.0 ms: predicted 4.0 ms, headroom of vit 3.1 ms\n");
    expect(f,
           "SELECT instance || ' ' || job || ' ' || decision || ' ' || held_from_ms || ' ' ||"
           " ifnull(issued_ms, 'never') || ' ' || reason || ' ' || number || ' ' ||"
           " ifnull(number_ms, '-') || ' ' || ifnull(predicted_ms, '-') || ' ' ||"
           " ifnull(limited_by, '-') || ' ' || holds FROM v_holds WHERE run = 2 ORDER BY decision",
           "1 5 1 2.0 3.2 held_headroom_ps 3100000000.0 3.1 4.0 vit 2\n"
           "0 5 2 2.0 never held_copies 2.0 - - - 1\n"
           "1 5 3 3.0 3.2 held_tq_ps 9000000000.0 9.0 4.0 - 2\n");
    expect(f,
           "SELECT decision || ' ' || ifnull(held_ms, 'never') FROM v_holds WHERE run = 2"
           " ORDER BY decision",
           "1 1.0\n2 never\n3 0.2\n");
}

TEST_WITH(changes_of_shares_and_sms, make_fixture, free_fixture) {
    const struct fixture *f = *state;
    expect(f,
           "SELECT app || ' ' || first_client || ' ' || last_client FROM v_clients WHERE run = 1",
           "vit 0 0\nbfs 1 2\n");
    expect(f,
           "SELECT time_ms || ' ' || app || ' ' || instance || ' ' || sms FROM v_partitions"
           " WHERE run = 1 ORDER BY app DESC, instance",
           "4.0 vit 0 30\n4.0 bfs 0 40\n4.0 bfs 1 10\n");
    expect(f,
           "SELECT what || ' ' || time_ms || ' ' || app || ' ' || ifnull(task, '-') || ' ' ||"
           " percent || ' ' || ifnull(lag_ms, '-') FROM v_quotas WHERE run = 1 ORDER BY decision",
           "query 5.0 vit 2 70.0 2.0\ncap 6.0 bfs - 25.0 -\n");
}
