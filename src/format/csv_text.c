#include "format/csv_text.h"

#include "base/ct_text.h"
#include "base/ct_types.h"

#include <string.h>

void csv_write_text(FILE *out, const char *text) {
    if (!text)
        return;
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    putc('"', out);
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

void csv_write_more_doubles(FILE *out, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        putc(',', out);
        csv_write_double(out, numbers[i]);
    }
}
