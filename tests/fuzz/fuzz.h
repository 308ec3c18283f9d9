/* What the fuzz targets share: bytes as files, and what every reader owes whatever it is given. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/ct_diag.h"
#include "cli/cli.h"
#include "ingest/import_builder.h"
#include "ingest/import_formats.h"
#include "trace/trace.h"

/* One input, given to one reader. Aborts where the reader breaks a promise; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of NAME in a scratch folder of this process, which goes when it ends; valid for ever. */
const char *fuzz_path(const char *name);

/* The bytes as the file NAME of the scratch folder. */
const char *fuzz_file(const char *name, const void *data, size_t size);

/* A promise: aborts with what was broken. */
#define FUZZ_OWES(promise) fuzz_owes((promise), #promise, __FILE__, __LINE__)
void fuzz_owes(bool promise, const char *text, const char *file, int line);

/* CT_OK, CT_USAGE or CT_DATA; errors if and only if it is not CT_OK; every message has words. */
void fuzz_judge(int status, const struct ct_diags *diags);

/* What the simulator takes for granted of every application: numbers in range and finite, nothing
 * that points beyond its list, times that can be added up. */
void fuzz_judge_traces(const struct trace_set *set);

/* One import from beginning to end, judged; the last byte modulo 4 says how jobs are cut. */
void fuzz_import(const struct import_format *format, const uint8_t *data, size_t size);
void fuzz_import_file(const struct import_format *format, const char *path, unsigned cut);

/* What a command of the program ends with, its words after its name, a NULL behind the last; what
 * it prints to standard output is lost. */
int fuzz_command(const struct cli_command *command, const char *const *words);

/* `cotenant import FORMAT FILE` with these options succeeds, and so do `trace show` and `trace
 * check` of what it wrote; counts in fuzz_accepted. Returns the store. */
const char *fuzz_import_accepted(const char *format, const char *path, const char *jobs);
extern uint64_t fuzz_accepted;

/*
 * SQL statements, one a line, run on a copy of a store: "UPDATE task SET kernel = 99"; those that
 * SQLite refuses do nothing. A line "BYTE offset value" sets a byte of the file afterwards, "CUT
 * size" shortens it. The store loses its NOT NULL and UNIQUE first, so that everything can be
 * wrong.
 */
struct fuzz_store {
    unsigned char *bytes;
    size_t size;
};
struct fuzz_store fuzz_store_take(const char *path);
/* The edited copy as the file NAME of the scratch folder. */
const char *fuzz_store_edit(const struct fuzz_store *store, const char *name, const uint8_t *data,
                            size_t size);

/* Whether an input that is one statement, "UPDATE table SET column = value", made text, bytes or a
 * number beyond all that a run makes of a column that is a number in the original. */
bool fuzz_store_spoiled(const char *edited, const uint8_t *data, size_t size);

/* An importer of a SQLite file, on an edited copy of what `sql` makes; `store` begins as zeros. */
void fuzz_import_edited(struct fuzz_store *store, const char *sql,
                        const struct import_format *format, const uint8_t *data, size_t size);

/* A small store "traces.db" with all that a trace can have: two applications, "alpha" and "beta".
 */
const char *fuzz_traces_make(void);

#endif
