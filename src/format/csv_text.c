#include "format/csv_text.h"

#include "base/ct_text.h"
#include "format/csv_reader.h"

#include <inttypes.h>
#include <string.h>

void csv_write_text(FILE *out, const char *text) {
    if (!text)
        return;
    bool formula = csv_is_formula(text);
    if (!formula && !text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputs(formula ? "\"'" : "\"", out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

void csv_write_double(FILE *out, double number) {
    char text[40];
    if (!isfinite(number))
        return;
    ct_text_double(text, sizeof text, number);
    fputs(text, out);
}

static void write_value(FILE *out, const struct value *value) {
    if (value->kind == VALUE_TEXT)
        csv_write_text(out, value->text);
    else if (value->kind == VALUE_NUMBER)
        csv_write_double(out, value->number);
    else
        fprintf(out, "%" PRId64, value->integer);
}

void csv_write_values(FILE *out, const struct value *values) {
    for (const struct value *v = values; v->kind != VALUE_END; v++) {
        fputs(v == values ? "" : ",", out);
        write_value(out, v);
    }
}
