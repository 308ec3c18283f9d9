#include "format/csv_reader.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

static void judge_field(const char *text) {
    double number;
    int64_t fixed;
    uint64_t count;
    int digits;
    const char *rest = csv_scan_number(text, &number);
    FUZZ_OWES(!rest || (isfinite(number) && rest > text && rest <= text + strlen(text)));
    if (csv_parse_fixed(text, 3, &fixed, &digits))
        FUZZ_OWES(digits >= 0 && fabs((double)fixed / 1e3 - strtod(text, NULL)) <=
                                     1e-3 + 1e-12 * fabs((double)fixed));
    FUZZ_OWES(!csv_parse_count(text, 1000, &count) || count <= 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ct_diags diags = {0};
    enum csv_step step;
    struct csv_reader *reader = csv_open(fuzz_file("table.csv", data, size), &diags);
    FUZZ_OWES(reader);
    csv_skip_prefix(reader, "==");
    uint64_t line = 0;
    while ((step = csv_next(reader)) == CSV_ROW) {
        FUZZ_OWES(csv_line(reader) > line && csv_count(reader) > 0);
        line = csv_line(reader);
        for (size_t i = 0; i <= csv_count(reader); i++)
            judge_field(csv_get(reader, i));
        size_t first = csv_find(reader, csv_get(reader, csv_count(reader) - 1));
        FUZZ_OWES(first < csv_count(reader));
    }
    fuzz_judge(step == CSV_END ? CT_OK : CT_DATA, &diags);
    csv_close(reader);
    ct_diags_free(&diags);
    return 0;
}
