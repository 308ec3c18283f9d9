/* Setting and printing members through an option table. */
#ifndef CT_OPTION_VALUE_H
#define CT_OPTION_VALUE_H

#include "abi/ct_option.h"
#include "base/ct_arena.h"
#include "base/ct_diag.h"

const struct ct_option *ct_option_find(const struct ct_option *table, const char *name);

/* Sets every member that has a default. The defaults are the table's own: a wrong one is a broken
 * assertion. */
void ct_options_default(const struct ct_option *table, void *object);

/*
 * Sets one member from text ("0.15", "true", a choice's name); strings are copied into the arena.
 * Returns CT_OK, or records one error at `where` (what is wrong, the range or the closest valid
 * name) and returns CT_USAGE (CT_DATA when memory ran out).
 */
int ct_option_set(const struct ct_option *table, const char *name, const char *value, void *object,
                  struct ct_arena *arena, const char *where, struct ct_diags *diags);

/* Records "unknown NOUN 'name'" for a name that is not in the table, with what there is. */
void ct_option_unknown(const struct ct_option *table, const char *noun, const char *name,
                       const char *where, struct ct_diags *diags);

/* The value of a member that is a text; "" where it has none. */
const char *ct_option_text(const struct ct_option *option, const void *object);

/* The value of one member as text that ct_option_set reads back to the same value; snprintf's
 * contract. */
int ct_option_print(const struct ct_option *option, const void *object, char *text, size_t size);

#endif
