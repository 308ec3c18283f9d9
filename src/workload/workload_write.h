/* A workload as it was read, every key that plays a part with its value, defaults filled in: from
 * the tables of workload_keys.h, so that no key can be left out. */
#ifndef WORKLOAD_WRITE_H
#define WORKLOAD_WRITE_H

#include "abi/ct_option.h"
#include "format/json_writer.h"
#include "workload/workload.h"

/* Whom it is written for: people, who want the names of files, or a hash, which knows what the
 * files hold. */
enum workload_form { WORKLOAD_CONFIGURATION, WORKLOAD_IDENTITY };

/* Members of the object that is open: the keys of the whole file but `gpu`, `policy` and `apps`. */
void workload_write_run(struct json_writer *json, const struct workload *workload,
                        enum workload_form form);
/* Members of the object that is open: the keys of one application. */
void workload_write_app(struct json_writer *json, const struct workload_app *app,
                        enum workload_form form);
/* Every member that an option table describes. */
void workload_write_options(struct json_writer *json, const struct ct_option *table,
                            const void *object);

#endif
