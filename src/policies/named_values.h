/* Options that say something of single applications: "vit=3g+qwen=4g". */
#ifndef NAMED_VALUES_H
#define NAMED_VALUES_H

#include "abi/ct_policy.h"

struct named_value {
    const char *name, *value; /* not terminated; `value` is NULL where there is no "=" */
    size_t name_length, value_length;
};

/* The next entry of a text, which is moved behind it. False: there is none left. */
bool named_value_next(const char **text, struct named_value *entry);

/* Whether an entry is about the application of this name. */
bool named_value_is_of(const struct named_value *entry, const char *name);

/* The clients of its application in the order of their index: NULL gives the first, NULL ends it.
 */
const struct ct_client *named_value_client(struct ct_context *context,
                                           const struct named_value *entry,
                                           const struct ct_client *after);

/* Reads the value as a number within a range, with or without its unit ("": it has none). False: it
 * is none. */
bool named_value_number(const struct named_value *entry, const char *unit, double low, double high,
                        double *number);

/* What all entries of an option must be, which `form` says in words. */
struct named_form {
    const char *option, *form;
    bool (*has)(const struct named_value *entry);
};

/* Whether all entries are of this form. False: `reason`, of CT_OPTIONS_FAULT_BYTES, says which one
 * is not. */
bool named_values_valid(const char *text, const struct named_form *form, char *reason);

/* A cap in per cent: its form, and what an entry has, in per mille; 0: none. */
extern const struct named_form named_caps;
double named_value_cap(const struct named_value *entry);

/* Puts so much of a part, or all of it, behind a text of `size` bytes, and cuts it where there is
 * no room. */
void named_values_append(char *text, size_t size, const char *part, size_t length);
void named_values_append_all(char *text, size_t size, const char *part);

#endif
