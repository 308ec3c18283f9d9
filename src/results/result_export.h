/*
 * A result store as tidy CSV for programs that compute on: a folder of tables, one row each for a
 * run, an application in a run, a job, a task, a decision, a number that it was made by, a value of
 * a sweep's point; and "dictionary.csv", a row for each column of them with its unit and meaning.
 * Every table begins with run, policy, replication; tables are joined by `run` and the names that
 * they share. Times are in ms since the beginning of the run.
 */
#ifndef RESULT_EXPORT_H
#define RESULT_EXPORT_H

#include "results/result_store.h"

enum { RESULT_EXPORT_TABLES = 7 };

struct result_exported {
    const char *table;
    uint64_t rows;
};

/*
 * Writes all tables into a folder that is there, those without rows with their heading alone. Runs
 * that are kept for their key are in none. enum ct_status; nothing is said of tables on failure.
 */
int result_export(struct result_store *store, const char *folder,
                  struct result_exported exported[RESULT_EXPORT_TABLES], struct ct_diags *diags);

#endif
