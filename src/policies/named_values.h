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

/* Whether an entry is about this client's application. */
bool named_value_is_of(const struct named_value *entry, const struct ct_client *client);

/* Reads the value as a number within a range, with or without its unit ("": it has none). False: it
 * is none. */
bool named_value_number(const struct named_value *entry, const char *unit, double low, double high,
                        double *number);

#endif
