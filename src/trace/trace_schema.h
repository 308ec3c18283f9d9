/* The schema of the trace store: tables and views. */
#ifndef TRACE_SCHEMA_H
#define TRACE_SCHEMA_H

/* The number of this schema: user_version of a store. */
#define TRACE_STORE_SCHEMA 1

/* Statements that make an empty store; NULL ends. */
extern const char *const trace_schema_sql[];

enum trace_table {
    TRACE_TABLE_KERNEL,
    TRACE_TABLE_CURVE,
    TRACE_TABLE_JOB,
    TRACE_TABLE_TASK,
    TRACE_TABLE_DEPENDENCY,
    TRACE_TABLE_LIBRARY_CALL,
    TRACE_TABLE_APP,
    TRACE_TABLE_LAG,
    TRACE_TABLE_NOTE,
    TRACE_TABLE_UNIT,
    TRACE_TABLE_FLOPS,
    TRACE_TABLE_COUNT
};

/* The tables whose rows are an application's each. */
extern const struct trace_table_schema {
    const char *name;
    const char *app; /* the column with its number */
    int columns;
    const char *sql; /* that makes it with its first row: other stores stay as they were; NULL:
                        every store has it */
} trace_tables[TRACE_TABLE_COUNT];

/* Lowest bits of what task.code is made of; all but the flags have two bits. */
enum { TRACE_CODE_KIND = 0, TRACE_CODE_DIRECTION = 2, TRACE_CODE_MEMORY = 4, TRACE_CODE_FLAGS = 6 };

#endif
