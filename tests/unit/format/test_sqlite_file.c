/* A store that is made, and a program that ends in the middle: what a signal handler may take away.
 */
#include "cmocka_complete.h"
#include "format/sqlite_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct made {
    char folder[32], path[64], journal[80];
    sqlite3 *db;
};

static int set_up(void **state) {
    struct made *m = calloc(1, sizeof *m);
    snprintf(m->folder, sizeof m->folder, "/tmp/sqlite_file.XXXXXX");
    assert_non_null(mkdtemp(m->folder));
    snprintf(m->path, sizeof m->path, "%s/new.db", m->folder);
    snprintf(m->journal, sizeof m->journal, "%s-journal", m->path);
    *state = m;
    return 0;
}

static int tear_down(void **state) {
    struct made *m = *state;
    sqlite3_close(m->db);
    unlink(m->path);
    unlink(m->journal);
    assert_int_equal(rmdir(m->folder), 0);
    free(m);
    return 0;
}

static void execute(struct made *m, const char *sql) {
    assert_int_equal(sqlite3_exec(m->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void open_file(struct made *m) {
    struct ct_diags diags = {0};
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    assert_int_equal(sqlite_file_open(m->path, &m->db, flags, &diags), SQLITE_OK);
    assert_int_equal(diags.count, 0);
}

/* More pages than the cache takes are in the file, and the journal has its header, before the end.
 */
static void begin(struct made *m) {
    execute(m, "PRAGMA cache_size = 5; BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS t(a)");
    for (int i = 0; i < 100; i++)
        execute(m, "INSERT INTO t VALUES(zeroblob(4000))");
    assert_int_equal(access(m->journal, F_OK), 0);
}

static void check_left(const struct made *m, bool file, bool journal) {
    assert_int_equal(access(m->path, F_OK) == 0, file);
    assert_int_equal(access(m->journal, F_OK) == 0, journal);
}

TEST_WITH(what_is_being_made_goes, set_up, tear_down) {
    struct made *m = *state;
    open_file(m);
    begin(m);
    sqlite_file_remove_empty(m->path);
    check_left(m, false, false);
}

TEST_WITH(nothing_in_it_yet, set_up, tear_down) {
    struct made *m = *state;
    open_file(m);
    check_left(m, true, false);
    sqlite_file_remove_empty(m->path);
    check_left(m, false, false);
}

/* Also with a second transaction under way: its journal puts back what was there. */
TEST_WITH(what_is_whole_stays, set_up, tear_down) {
    struct made *m = *state;
    open_file(m);
    begin(m);
    execute(m, "COMMIT");
    sqlite_file_remove_empty(m->path);
    check_left(m, true, false);
    begin(m);
    sqlite_file_remove_empty(m->path);
    check_left(m, true, true);
}

TEST_WITH(what_was_there_before_stays, set_up, tear_down) {
    struct made *m = *state;
    open_file(m);
    begin(m);
    execute(m, "COMMIT");
    sqlite3_close(m->db);
    open_file(m);
    begin(m);
    sqlite_file_remove_empty(m->path);
    check_left(m, true, true);
}

/* Somebody else is in the middle of making it: they have locked it. */
TEST_WITH(what_another_makes_stays, set_up, tear_down) {
    struct made *m = *state;
    int ready[2], done[2];
    char byte = 0;
    open_file(m);
    sqlite3_close(m->db);
    m->db = NULL;
    assert_int_equal(access(m->path, F_OK), 0);
    assert_int_equal(pipe(ready) | pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        open_file(m);
        begin(m);
        _exit(write(ready[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 1 ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    sqlite_file_remove_empty(m->path);
    check_left(m, true, true);
    assert_int_equal(write(done[1], &byte, 1), 1);
    for (int i = 0; i < 2; i++) {
        close(ready[i]);
        close(done[i]);
    }
}
