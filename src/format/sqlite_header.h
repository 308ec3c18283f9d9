/*
 * What the first 100 bytes of an SQLite file say (sqlite.org/fileformat2.html, section 1.3), read
 * without SQLite: it would take much for a database, and notices a missing end only when it needs
 * the page.
 */
#ifndef SQLITE_HEADER_H
#define SQLITE_HEADER_H

#include "base/ct_types.h"

enum { SQLITE_HEADER_BYTES = 100 };

/* The numbers by which files of ours are recognised (PRAGMA application_id): "COTT" and
 * "CtNR". */
enum { TRACE_STORE_APPLICATION_ID = 0x434f5454, RESULT_STORE_APPLICATION_ID = 0x43744e52 };

struct sqlite_header {
    int64_t bytes;    /* size of the file */
    bool sqlite;      /* it begins as such a file */
    int64_t promised; /* bytes of all its pages, or of the header that is not whole; 0: unsaid */
    uint32_t application_id, user_version;
    bool wal; /* what was written last may lie in another file ("write-ahead log") */
};

/* Reads the header of a database from its bytes in memory, or from a file. False, with errno: the
 * file cannot be read. */
struct sqlite_header sqlite_header_of(const void *content, size_t size);
bool sqlite_header_read(const char *path, struct sqlite_header *header);

/* Marks the database as one without a write-ahead log, which has none in memory. */
void sqlite_header_forget_log(void *content, size_t size);

#endif
