/* The parts of the workload reader: one file of code for each object of the form. */
#ifndef WORKLOAD_READER_H
#define WORKLOAD_READER_H

#include "base/ct_intern.h"
#include "format/json_place.h"
#include "workload/batch_trace.h"
#include "workload/workload.h"
#include "workload/workload_keys.h"

/* A key of an application that came from `defaults`, and whether it changes anything there. */
struct workload_inherited {
    size_t app;
    const char *key;
    size_t elements; /* of a list */
    bool idle;
};

struct workload_reader {
    struct workload *workload;
    struct json_place place;                     /* its arena is the workload's */
    const struct workload *known;                /* as in struct workload_source */
    CT_VEC(struct workload_inherited) inherited; /* in the order of the applications */
    uint64_t matching;               /* steps that were spent on matching patterns with kernels */
    struct ct_intern names;          /* of applications */
    const struct workload_key *also; /* keys of the whole file beside a workload's; NULL: none */
    CT_VEC(size_t) named;            /* by name: its first application */
};

/* Applies the assignments to a document and reads all of it into the reader's workload. The reader
 * has its workload and its place, whose status says how it went. */
void workload_document_read(struct workload_reader *reader, json_t *root,
                            const char *const *assignments, size_t assignment_count);
void workload_reader_free(struct workload_reader *reader);

/* A member that is a name, or an object with the name at `name_key` and settings beside it. The
 * name and its place live in the arena; NULL after a mistake. */
const char *workload_named_read(struct workload_reader *reader, const json_t *root, const char *key,
                                const char *name_key, struct workload_settings *settings,
                                const char **where);

/* A mistake at the current place (key NULL) or at a member of it. */
#define workload_mistake(reader, key, ...) json_place_error(&(reader)->place, (key), __VA_ARGS__)

/* Steps into a member that is an object, from which json_place_leave goes back to `length`. NULL:
 * there is none, or it is something else, a mistake. */
const json_t *workload_object_enter(struct workload_reader *reader, const json_t *object,
                                    const char *key, size_t *length);

/* workload_table.c: fills `target` with defaults and with the scalars and draws of an object;
 * reports what is unknown, missing or wrong. Other shapes are the callers' business. A key beside
 * the table is unknown unless `open`. */
void workload_table_read(struct workload_reader *reader, const json_t *object,
                         const struct workload_key *keys, void *target, bool open);
/* workload_table_read of a member that is an object, where there is one. */
void workload_member_read(struct workload_reader *reader, const json_t *object, const char *key,
                          const struct workload_key *keys, void *target);

/* Reports keys of an object that this kind (arrival process, distribution) needs or does not read.
 */
void workload_table_kind(struct workload_reader *reader, const json_t *object,
                         const struct workload_key *keys, int kind, const char *kind_name);
/* workload_assign.c: `--set` assignments into the document. Those of `defaults` go before the
 * others. */
void workload_assign(struct workload_reader *reader, json_t *root, const char *assignment,
                     bool defaults);

/* workload_kernels.c: an element of `kernels`. Returns whether it matches a kernel of the trace;
 * that it does not is a mistake unless it was inherited. */
bool workload_kernels_read(struct workload_reader *reader, const json_t *value,
                           const struct trace_app *trace, bool inherited,
                           struct workload_kernels *kernels);

/* workload_server.c: the key `server`; then the recordings of its batch sizes, which become the
 * application's trace; then what can only be told of the whole application. */
void workload_server_read(struct workload_reader *reader, const json_t *object,
                          struct workload_app *app);
void workload_server_batches(struct workload_reader *reader, const json_t *object,
                             struct workload_app *app);
void workload_server_check(struct workload_reader *reader, const struct workload_app *app);
/* Once all applications are read: which of them feed the stages. */
void workload_stages_connect(struct workload_reader *reader);

/* workload_continuous.c: its key `continuous`; then the recordings of its steps, which become the
 * application's trace; then what can only be told of the whole application. */
void workload_continuous_read(struct workload_reader *reader, const json_t *server,
                              struct workload_server *into);
void workload_continuous_steps(struct workload_reader *reader, const json_t *object,
                               struct workload_app *app);
void workload_continuous_check(struct workload_reader *reader, const struct workload_app *app);
/* workload_server.c: those of the keys that are given beside this one are mistakes. */
void workload_keys_exclude(struct workload_reader *reader, const json_t *object,
                           const char *const *keys, size_t count, const char *other);
/* workload_server.c: a list of the object with recorded steps, or batches. */
void workload_steps_read(struct workload_reader *reader, const json_t *object, const char *key,
                         const struct workload_key *keys, struct workload_steps *steps);
/* What was recorded of one of them, into an application's trace. False after a
 * mistake. */
bool workload_step_load(struct workload_reader *reader, struct workload_app *app,
                        const struct workload_step *step, struct batch_part *part);

/* workload_app.c: the application of a store that a text "tonic.db#imc" names, and where the store
 * is. NULL after an error. */
const struct trace_app *workload_trace_load(struct workload_reader *reader, const char *text,
                                            const char **found);
/* The number of a job of a trace; false: none is called so, a mistake. */
bool workload_job_find(struct workload_reader *reader, const struct trace_app *trace,
                       const char *name, uint32_t *index);
/* As many records of `size` bytes as the array has elements, which it must have. NULL after a
 * mistake. */
void *workload_list_make(struct workload_reader *reader, const json_t *list, const char *key,
                         const char *of, size_t size);
/* One application, its defaults merged in. */
void workload_app_read(struct workload_reader *reader, const json_t *object, size_t index);

/* Appends every member of the object but those in `skip`. A member that is no scalar is a mistake.
 */
void settings_collect(struct json_place *place, const json_t *object, const char *const *skip,
                      size_t skipped, struct workload_settings *settings);

#endif
