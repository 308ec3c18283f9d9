/* Schema 1 of the trace store: tables, views, and the numbers by which a file is recognised. */
#ifndef TRACE_SCHEMA_H
#define TRACE_SCHEMA_H

/* "COTT" in the file's header (PRAGMA application_id). */
#define TRACE_STORE_APPLICATION_ID 0x434F5454

/* Statements that make an empty store; NULL ends. */
extern const char *const trace_schema_sql[];

/* Bits of task.code. */
enum {
    TRACE_CODE_KIND = 0,      /* 2 bits */
    TRACE_CODE_DIRECTION = 2, /* 2 bits */
    TRACE_CODE_MEMORY = 4,    /* 2 bits */
    TRACE_CODE_FLAGS = 6
};

#endif
