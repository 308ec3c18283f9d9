/* The scalar members of a JSON object as settings: text that an option table resolves later. */
#ifndef SETTINGS_READER_H
#define SETTINGS_READER_H

#include "format/json_place.h"
#include "workload/workload.h"

/*
 * Appends every member of the object but those in `skip` (NULL-terminated); the strings live in the
 * arena. A member that is no scalar is recorded as an error. enum ct_status.
 */
int settings_collect(struct json_place *place, const json_t *object, const char *const *skip,
                     struct ct_arena *arena, struct workload_settings *settings,
                     struct ct_diags *diags);

#endif
