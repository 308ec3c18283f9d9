/* What the parts of the result store share; nobody else includes it. */
#ifndef RESULT_STORE_INTERNAL_H
#define RESULT_STORE_INTERNAL_H

#include "format/query.h"
#include "results/report_fields.h"
#include "results/result_store.h"

struct result_store {
    sqlite3 *db;
    char *path;
    bool made;     /* it was not there */
    bool empty;    /* the first transaction makes the tables */
    bool sweeps;   /* with those of a sweep */
    char *chosen;  /* the sweep whose points are read; NULL: the newest */
    bool together; /* between result_store_begin and result_store_end */
    bool belongs;  /* result_rows_belong has looked */
    struct query_damage damage;
};

/* Notes of a decision that stand in its own row, their keys in its kind; the others in rows of
 * decision_note. Most decisions have no more. */
enum { RESULT_OWN_NOTES = 4 };

/* store.sql: the statements that make what does not follow from lists; of notes what stands behind
 * the name of a view. */
extern const char result_sql_tables[], result_sql_views[], result_sql_latency[], result_sql_notes[],
    result_sql_decisions[], result_sql_sharing[], result_sql_kernels[], result_sql_units[],
    result_sql_batches[], result_sql_costs[], result_sql_presences[], result_sql_reasons[],
    result_sql_sweep[];

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

/* Records what went wrong with the store while doing `what`, and how it stands now; returns
 * CT_DATA. */
int result_fail(struct result_store *store, const char *what, const char *outcome,
                struct ct_diags *diags);

/* Runs statements without results; an SQLite code. */
int result_execute(struct result_store *store, const char *sql);

/* Begins to write, alone or as a part of what result_store_begin began, whose all a failure undoes;
 * in a store that is empty with the tables. False when that failed. */
bool result_begin(struct result_store *store);

/* result_sweep.c: the tables of a sweep, within a transaction; false when that failed. */
bool result_sweep_tables(struct result_store *store);

struct query result_prepare(struct result_store *store, const char *sql);
/* A row of a table, all its columns to be bound. */
struct query result_prepare_row(struct result_store *store, enum result_table table);
static inline struct value result_known(int64_t number) { /* or REPORT_UNKNOWN: null */
    return number == REPORT_UNKNOWN ? value_of_text(NULL) : value_of_integer(number);
}

/* Looks, once, for rows of a run, a comparison or a point of a sweep that is not there, which no
 * reader would come by: damage. False after that, or a failure. */
bool result_rows_belong(struct result_store *store);

/* A time from `least` on: 0, or RESULT_NEVER, which may be null. */
ct_time_ps result_get_time(struct query *query, ct_time_ps least);
/* A number that some policy made up can be any; others are what their kind can be. */
double result_get_of_kind(struct query *query, enum report_field_kind kind);

/* result_read.c: appends one comparison, with the numbers of its runs, to the set. */
bool result_read_comparison(struct result_store *store, int64_t number, struct result_set *set);

/* The application of a run that a row belongs to; damage if it has none such. */
static inline uint32_t result_get_app(struct query *query, const struct result_run *run) {
    return (uint32_t)query_get_within(query, 0, (int64_t)run->report.app_count - 1);
}

/* What is read of a run, which has its own row and its applications already, or of a comparison. */
struct result_reader {
    struct result_store *store;
    struct result_run *run; /* NULL: of a comparison */
    int64_t number;         /* of that run or comparison */
    struct ct_arena *arena;
};

/* A question about the number that is read. */
static inline struct query result_prepare_read(const struct result_reader *r, const char *sql) {
    struct query query = result_prepare(r->store, sql);
    query_bind(&query, r->number);
    return query;
}

/* Who delayed the jobs of a run, which have been read, and whom what sharing cost them is due to,
 * which a store of before does not say. False: it cannot be read. */
bool result_read_job_delays(const struct result_reader *r);
bool result_read_job_costs_by(const struct result_reader *r);

/* What sharing cost the slowest jobs of each application of a run; a store of before has nothing of
 * it. False: it cannot be read. */
bool result_read_sharing(const struct result_reader *r);

#endif
