/* The schema of the trace store: tables and views. */
#ifndef TRACE_SCHEMA_H
#define TRACE_SCHEMA_H

/* The number of this schema: user_version of a store. */
#define TRACE_STORE_SCHEMA 1

/* Statements that make an empty store; NULL ends. */
extern const char *const trace_schema_sql[];

/* The table of notes, made with the first note: stores without any stay as they were. */
extern const char *const trace_schema_notes_sql;
#define TRACE_SCHEMA_HAS_NOTES "SELECT 1 FROM sqlite_master WHERE name = 'note'"

/* The table of lags, made with the first task that has one. */
extern const char *const trace_schema_lags_sql;
#define TRACE_SCHEMA_HAS_LAGS "SELECT 1 FROM sqlite_master WHERE name = 'lag'"

/* The table of floating-point units, made with the first application whose kernels say how much
 * they use them. */
extern const char *const trace_schema_units_sql;
#define TRACE_SCHEMA_HAS_UNITS "SELECT 1 FROM sqlite_master WHERE name = 'unit'"

/* The table of operations a second, made with the first kernel of which they are known. */
extern const char *const trace_schema_flops_sql;
#define TRACE_SCHEMA_HAS_FLOPS "SELECT 1 FROM sqlite_master WHERE name = 'flops'"

/* Bits of task.code. */
enum {
    TRACE_CODE_KIND = 0,      /* 2 bits */
    TRACE_CODE_DIRECTION = 2, /* 2 bits */
    TRACE_CODE_MEMORY = 4,    /* 2 bits */
    TRACE_CODE_FLAGS = 6
};

#endif
