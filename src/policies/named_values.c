#include "policies/named_values.h"

#include "policies/gate.h"

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

bool named_value_is_of(const struct named_value *entry, const char *name) {
    return strncmp(entry->name, name, entry->name_length) == 0 && name[entry->name_length] == '\0';
}

const struct ct_client *named_value_client(struct ct_context *context,
                                           const struct named_value *entry,
                                           const struct ct_client *after) {
    do
        after = gate_next_client(context, after);
    while (after && !named_value_is_of(entry, after->name));
    return after;
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

void named_values_append(char *text, size_t size, const char *part, size_t length) {
    size_t used = strlen(text), room = size - used - 1, taken = length < room ? length : room;
    memcpy(text + used, part, taken);
    text[used + taken] = '\0';
}

void named_values_append_all(char *text, size_t size, const char *part) {
    named_values_append(text, size, part, strlen(part));
}

/* "'caps': 'a=150' is not APPLICATION=PER CENT" */
static void tell_fault(const struct named_form *form, const struct named_value *entry,
                       char *reason) {
    enum { SIZE = CT_OPTIONS_FAULT_BYTES, SHOWN = 60 };
    size_t length = entry->name_length + (entry->value ? 1 + entry->value_length : 0);
    *reason = '\0';
    named_values_append_all(reason, SIZE, "'");
    named_values_append_all(reason, SIZE, form->option);
    named_values_append_all(reason, SIZE, "': '");
    named_values_append(reason, SIZE, entry->name, length < SHOWN ? length : SHOWN);
    named_values_append_all(reason, SIZE, "' is not ");
    named_values_append_all(reason, SIZE, form->form);
}

bool named_values_valid(const char *text, const struct named_form *form, char *reason) {
    for (struct named_value entry; named_value_next(&text, &entry);)
        if (entry.name_length == 0 || !entry.value || !form->has(&entry)) {
            tell_fault(form, &entry, reason);
            return false;
        }
    return true;
}

double named_value_cap(const struct named_value *entry) {
    double pct;
    return named_value_number(entry, "%", 0.1, 100, &pct) ? pct * 10 : 0;
}

static bool has_cap(const struct named_value *entry) {
    return named_value_cap(entry) > 0;
}

const struct named_form named_caps = {"caps", "APPLICATION=PER CENT, 0.1 to 100", has_cap};
