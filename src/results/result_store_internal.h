/* What the parts of the result store share; nobody else includes it. */
#ifndef RESULT_STORE_INTERNAL_H
#define RESULT_STORE_INTERNAL_H

#include "results/report_fields.h"
#include "results/result_store.h"

#include <sqlite3.h>

struct result_store {
    sqlite3 *db;
    char *path;
    bool made;        /* it was not there */
    bool empty;       /* the first transaction makes the tables */
    bool sweeps;      /* with those of a sweep */
    bool together;    /* between result_store_begin and result_store_end */
    bool damaged;     /* a row made no sense */
    char damage[400]; /* which one, where that is known */
    bool belongs;     /* result_rows_belong has looked */
};

/* Notes of a decision that stand in its own row, their keys in its kind; the others in rows of
 * decision_note. Most decisions have no more. */
enum { RESULT_OWN_NOTES = 4 };

/* The tables whose columns follow from lists: first the store's own, in the order in which they are
 * bound, then those of the lists. */
enum result_table {
    RESULT_TABLE_RUN,
    RESULT_TABLE_SYSTEM,
    RESULT_TABLE_APP,
    RESULT_TABLE_JOB,
    RESULT_TABLE_DIFFERENCE
};

/* The column of table job for a part of its time. */
void result_blame_column(int part, char name[REPORT_FIELD_NAME]);
/* What a job would have taken alone; by cause, what sharing cost it. */
#define RESULT_ALONE_COLUMN "alone_ps"
#define RESULT_SOLO_COLUMN "solo_ps"
void result_cost_column(int part, char name[REPORT_FIELD_NAME]);

/* Adds the columns that a store of an earlier program lacks; false when that failed. */
bool result_schema_extend(struct result_store *store);

/* The statements that make all tables and views, malloc'ed; NULL when memory ran out. */
char *result_schema_sql(void);

/* The statement that makes temp.notes, the notes of all decisions in one table, malloc'ed. The
 * file's own view v_notes may be a stranger's. */
char *result_notes_view_sql(void);

/* A statement under way. The first failure is kept, later calls do nothing. */
struct result_query {
    struct result_store *store;
    sqlite3_stmt *statement;
    int column;  /* next to bind (from 1) or to read (from 0) */
    int64_t row; /* that was read last, from 1 */
    bool failed;
};

/* Records what went wrong with the store while doing `what`, and how it stands now; returns
 * CT_DATA. */
int result_fail(struct result_store *store, const char *what, const char *outcome,
                struct ct_diags *diags);

/* Runs statements without results; an SQLite code. */
int result_execute(struct result_store *store, const char *sql);

/* Begins to write, in a store that is empty with the tables. False when that failed. */
bool result_begin(struct result_store *store);

/* result_sweep.c: the tables of a sweep, within a transaction; false when that failed. */
bool result_sweep_tables(struct result_store *store);

struct result_query result_prepare(struct result_store *store, const char *sql);
/* A row of a table, all its columns to be bound. */
struct result_query result_prepare_row(struct result_store *store, enum result_table table);
/* Binds the next columns: texts, numbers and whole numbers; what is unknown is null. */
#define result_bind(query, ...) result_bind_values(query, VALUES(__VA_ARGS__))
void result_bind_values(struct result_query *query, const struct value *values);
static inline struct value result_known(int64_t number) { /* or REPORT_UNKNOWN */
    return number == REPORT_UNKNOWN ? value_of_text(NULL) : value_of_integer(number);
}
/* One row from what was bound, then ready for the next; or from these values. */
void result_insert(struct result_query *query);
#define result_add(query, ...) (result_bind(query, __VA_ARGS__), result_insert(query))

/* Looks, once, for rows of a run, a comparison or a point of a sweep that is not there, which no
 * reader would come by: damage. False after that, or a failure. */
bool result_rows_belong(struct result_store *store);

/* Whether there is a table or view of this name; false when the store cannot tell. */
bool result_has(struct result_store *store, const char *name, bool *has);

bool result_next(struct result_query *query); /* a row to read */
/* Where a column of this name is, the next one first; -1: the store has none. */
int result_find_column(struct result_query *query, const char *name);
int64_t result_get_integer(struct result_query *query);
/* A number in range (not null), a time from `least` on (0, or RESULT_NEVER, which may be null), a
 * text that is not null: anything else is damage to the store, and the query fails. */
int64_t result_get_within(struct result_query *query, int64_t least, int64_t most);
ct_time_ps result_get_time(struct result_query *query, ct_time_ps least);
const char *result_get_name(struct result_query *query, struct ct_arena *arena);
int result_get_blame(struct result_query *query); /* a key of ct_blame.h; -1: none */
/* The row makes no sense, or the column of it that was read last. */
void result_damaged(struct result_query *query);
void result_damaged_column(struct result_query *query);
int64_t result_get_known(struct result_query *query); /* null: REPORT_UNKNOWN */
/* Null: NAN. A number that some policy made up can be any; others are what their kind can be. */
double result_get_double(struct result_query *query);
double result_get_of_kind(struct result_query *query, enum report_field_kind kind);
const char *result_get_text(struct result_query *query, struct ct_arena *arena); /* null: NULL */

/* result_read.c: appends one comparison, with the numbers of its runs, to the set. */
bool result_read_comparison(struct result_store *store, int64_t number, struct result_set *set);

/* Ends the statement; false when it, or a call on it, failed. */
bool result_end(struct result_query *query);

/* The application of a run that a row belongs to; damage if it has none such. */
static inline uint32_t result_get_app(struct result_query *query, const struct result_run *run) {
    return (uint32_t)result_get_within(query, 0, (int64_t)run->report.app_count - 1);
}

/* Who delayed the jobs of a run, which have been read, and whom what sharing cost them is due to,
 * which a store of before does not say. False: it cannot be read. */
bool result_read_job_delays(struct result_store *store, struct result_run *run,
                            struct ct_arena *arena);
bool result_read_job_costs_by(struct result_store *store, struct result_run *run);

/* What sharing cost the slowest jobs of each application of a run; a store of before has nothing of
 * it. False: it cannot be read. */
bool result_read_sharing(struct result_store *store, int64_t run, struct report_app *apps,
                         size_t count, struct ct_arena *arena);

#endif
