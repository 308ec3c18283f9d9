/* Opening a trace store: whose file it is, whole or not, which schema. */
#ifndef TRACE_STORE_OPEN_H
#define TRACE_STORE_OPEN_H

#include "base/ct_diag.h"

#include <sqlite3.h>

enum trace_store_mode { TRACE_STORE_READ, TRACE_STORE_WRITE };

/* Opens a store. TRACE_STORE_WRITE makes a file that is not there, without a schema. NULL after an
 * error. Close with sqlite3_close. */
sqlite3 *trace_store_open(const char *path, enum trace_store_mode mode, struct ct_diags *diags);

/* Begins to write, with other writers locked out. `*fresh`: nothing is in the file, not even the
 * schema. An error where it is another's since it was opened. enum ct_status. */
int trace_store_begin(sqlite3 *store, const char *path, bool *fresh, struct ct_diags *diags);

/* Records the store's last error and returns CT_DATA. */
int trace_store_failed(sqlite3 *store, const char *path, struct ct_diags *diags);

#endif
