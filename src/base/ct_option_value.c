#include "base/ct_option_value.h"

#include "base/ct_assert.h"
#include "base/ct_quantity.h"
#include "base/ct_text.h"

#include <stdio.h>
#include <string.h>

const struct ct_option *ct_option_find(const struct ct_option *table, const char *name) {
    for (; table && table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

static void *member_of(const struct ct_option *option, void *object) {
    return (char *)object + option->offset;
}

static int reject_number(const struct ct_option *option, const char *value, const char *where,
                         struct ct_diags *diags) {
    const char *what = option->kind == CT_OPTION_INT ? "a whole number" : "a number";
    char least[40], most[40];
    ct_text_double(least, sizeof least, option->least);
    ct_text_double(most, sizeof most, option->most);
    return ct_usage_error(diags, where, "'%s' of '%s' is not %s from %s to %s%s%s", value,
                          option->name, what, least, most, *option->unit ? " " : "", option->unit);
}

static int set_bool(const struct ct_option *option, const char *value, bool *member,
                    const char *where, struct ct_diags *diags) {
    if (strcmp(value, "true") == 0 || strcmp(value, "1") == 0)
        *member = true;
    else if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
        *member = false;
    else
        return ct_usage_error(diags, where, "'%s' of '%s' is neither true nor false", value,
                              option->name);
    return CT_OK;
}

static int set_int(const struct ct_option *option, const char *value, int64_t *member,
                   const char *where, struct ct_diags *diags) {
    int64_t number;
    if (!ct_quantity_read_whole(value, option->unit, &number) || (double)number < option->least ||
        (double)number > option->most)
        return reject_number(option, value, where, diags);
    *member = number;
    return CT_OK;
}

static int set_double(const struct ct_option *option, const char *value, double *member,
                      const char *where, struct ct_diags *diags) {
    double number;
    if (!ct_quantity_read(value, option->unit, &number) ||
        !(number >= option->least && number <= option->most))
        return reject_number(option, value, where, diags);
    *member = number;
    return CT_OK;
}

static int set_choice(const struct ct_option *option, const char *value, int32_t *member,
                      const char *where, struct ct_diags *diags) {
    size_t count = 0;
    for (; option->choices[count]; count++) {
        if (strcmp(option->choices[count], value) == 0) {
            *member = (int32_t)count;
            return CT_OK;
        }
    }
    const char *closest = ct_text_closest(value, option->choices, count);
    char list[256];
    ct_text_join(list, sizeof list, option->choices, count);
    return ct_usage_error(diags, where, "'%s' of '%s' is none of %s%s%s%s", value, option->name,
                          list, closest ? "; did you mean '" : "", closest ? closest : "",
                          closest ? "'?" : "");
}

int ct_option_set(const struct ct_option *table, const char *name, const char *value, void *object,
                  struct ct_arena *arena, const char *where, struct ct_diags *diags) {
    const struct ct_option *option = ct_option_find(table, name);
    if (!option) {
        ct_option_unknown(table, "option", name, where, diags);
        return CT_USAGE;
    }
    void *member = member_of(option, object);
    switch (option->kind) {
    case CT_OPTION_BOOL:
        return set_bool(option, value, member, where, diags);
    case CT_OPTION_INT:
        return set_int(option, value, member, where, diags);
    case CT_OPTION_DOUBLE:
        return set_double(option, value, member, where, diags);
    case CT_OPTION_CHOICE:
        return set_choice(option, value, member, where, diags);
    case CT_OPTION_STRING:
    case CT_OPTION_FILE:
    case CT_OPTION_BY_APP:
        break;
    }
    char *copy = ct_arena_strdup(arena, value);
    if (!copy)
        return ct_out_of_memory(diags);
    memcpy(member, &copy, sizeof copy);
    return CT_OK;
}

void ct_options_default(const struct ct_option *table, void *object) {
    struct ct_diags diags = {0};
    for (; table && table->name; table++) {
        if (!table->standard)
            continue;
        if (table->kind >= CT_OPTION_STRING) /* the texts */
            memcpy(member_of(table, object), &table->standard, sizeof table->standard);
        else
            ct_option_set(table, table->name, table->standard, object, NULL, "", &diags);
    }
    ct_assert(diags.errors == 0);
    ct_diags_free(&diags);
}

void ct_option_unknown(const struct ct_option *table, const char *noun, const char *name,
                       const char *where, struct ct_diags *diags) {
    const char *names[256];
    size_t count = 0;
    for (; table && table->name && count < CT_COUNT_OF(names); table++)
        names[count++] = table->name;
    char hint[CT_HINT_BYTES];
    ct_error(diags, where, "unknown %s '%s'%s", noun, name,
             count ? ct_text_hint_or_all(hint, name, names, count) : "; there are none");
}

const char *ct_option_text(const struct ct_option *option, const void *object) {
    const char *text;
    memcpy(&text, (const char *)object + option->offset, sizeof text);
    return text ? text : "";
}

int ct_option_print(const struct ct_option *option, const void *object, char *text, size_t size) {
    const void *member = (const char *)object + option->offset;
    switch (option->kind) {
    case CT_OPTION_BOOL:
        return snprintf(text, size, "%s", *(const bool *)member ? "true" : "false");
    case CT_OPTION_INT:
        return snprintf(text, size, "%lld", (long long)*(const int64_t *)member);
    case CT_OPTION_DOUBLE:
        return ct_text_double(text, size, *(const double *)member);
    case CT_OPTION_CHOICE:
        return snprintf(text, size, "%s", option->choices[*(const int32_t *)member]);
    case CT_OPTION_STRING:
    case CT_OPTION_FILE:
    case CT_OPTION_BY_APP:
        break;
    }
    return snprintf(text, size, "%s", ct_option_text(option, object));
}
