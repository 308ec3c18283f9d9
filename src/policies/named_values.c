#include "policies/named_values.h"

#include <string.h>

bool named_value_next(const char **text, struct named_value *entry) {
    if (**text == '\0')
        return false;
    size_t length = strcspn(*text, "+");
    const char *equals = memchr(*text, '=', length);
    *entry = (struct named_value){.name = *text, .name_length = length};
    if (equals) {
        entry->name_length = (size_t)(equals - *text);
        entry->value = equals + 1;
        entry->value_length = length - entry->name_length - 1;
    }
    *text += length + ((*text)[length] != '\0');
    return true;
}

bool named_value_is_of(const struct named_value *entry, const struct ct_client *client) {
    return strncmp(entry->name, client->name, entry->name_length) == 0 &&
           client->name[entry->name_length] == '\0';
}

/* Digits with a point or without, in no locale. */
bool named_value_number(const struct named_value *entry, const char *unit, double low, double high,
                        double *number) {
    double scale = 0;
    size_t length = entry->value_length, of_unit = strlen(unit);
    if (length > of_unit && memcmp(entry->value + length - of_unit, unit, of_unit) == 0)
        length -= of_unit;
    while (length && entry->value[length - 1] == ' ')
        length--;
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        char c = entry->value[i];
        if (c == '.' && scale == 0) {
            scale = 1;
            continue;
        }
        if (c < '0' || c > '9')
            return false;
        *number = 10 * *number + (c - '0');
        scale *= 10;
    }
    if (scale > 1)
        *number /= scale;
    return length > 0 && *number >= low && *number <= high;
}
