/* Values of whatever type, for rows of tables and members of JSON objects. */
#ifndef VALUE_H
#define VALUE_H

#include "base/ct_types.h"

enum value_kind { VALUE_END, VALUE_TEXT, VALUE_INTEGER, VALUE_NUMBER, VALUE_TRUTH };

struct value {
    enum value_kind kind;
    const char *text;
    int64_t integer; /* also of a truth */
    double number;
};

static inline struct value value_of_text(const char *text) {
    return (struct value){.kind = VALUE_TEXT, .text = text};
}

static inline struct value value_of_integer(int64_t integer) {
    return (struct value){.kind = VALUE_INTEGER, .integer = integer};
}

static inline struct value value_of_number(double number) {
    return (struct value){.kind = VALUE_NUMBER, .number = number};
}

static inline struct value value_of_truth(bool truth) {
    return (struct value){.kind = VALUE_TRUTH, .integer = truth};
}

static inline struct value value_of_value(struct value value) {
    return value;
}

#define VALUE_NONE                                                                                 \
    (struct value) {                                                                               \
        0                                                                                          \
    }

/* The value of an expression, by its type; what a comparison gives is an int. */
#define VALUE(x)                                                                                   \
    _Generic((x), char * : value_of_text, const char * : value_of_text, void * : value_of_text, \
             double : value_of_number, float : value_of_number, bool : value_of_truth, \
             struct value : value_of_value, default : value_of_integer)(x)

/* An array of the values of up to 32 expressions, then VALUE_NONE; more are an error. */
#define VALUES(...) VALUES_32(__VA_ARGS__, VALUES_8, VALUES_8, VALUES_8, VALUES_8, VALUE_NONE, 0)
#define VALUES_8                                                                                   \
    VALUE_NONE, VALUE_NONE, VALUE_NONE, VALUE_NONE, VALUE_NONE, VALUE_NONE, VALUE_NONE, VALUE_NONE
#define VALUES_32(...) VALUES_OF(__VA_ARGS__)
#define VALUES_OF(v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, \
                  v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31, v32, more, ...) \
    (const struct value[]) {                                                                       \
        VALUE(v1), VALUE(v2), VALUE(v3), VALUE(v4), VALUE(v5), VALUE(v6), VALUE(v7), VALUE(v8),    \
            VALUE(v9), VALUE(v10), VALUE(v11), VALUE(v12), VALUE(v13), VALUE(v14), VALUE(v15),     \
            VALUE(v16), VALUE(v17), VALUE(v18), VALUE(v19), VALUE(v20), VALUE(v21), VALUE(v22),    \
            VALUE(v23), VALUE(v24), VALUE(v25), VALUE(v26), VALUE(v27), VALUE(v28), VALUE(v29),    \
            VALUE(v30), VALUE(v31), VALUE(v32), [_Generic((more), struct value : 32)] = VALUE_NONE \
    }

#endif
