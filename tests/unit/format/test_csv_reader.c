/* The CSV reader: quoting, line ends, gzip, line numbers, and exact numbers. */
#include "format/csv_reader.h"
#include "format/csv_text.h"

#include "unit/base/file_case.h"

#include <stdlib.h>
#include <zlib.h>

static const char *const file = "test_csv_reader.csv";

static struct csv_reader *open_text(const char *text, struct ct_diags *diags) {
    case_write(file, text);
    struct csv_reader *csv = csv_open(file, diags);
    assert_non_null(csv);
    return csv;
}

static void close_all(struct csv_reader *csv, struct ct_diags *diags) {
    csv_close(csv);
    ct_diags_free(diags);
    remove(file);
}

TEST(quotes_and_line_ends) {
    struct ct_diags diags = {0};
    struct csv_reader *csv =
        open_text("\xef\xbb\xbf"
                  "a,\"b,\"\"c\"\"\",\r\n\r\n\n\"two\nlines\",x\"y,\"q\"r\n,,last",
                  &diags);
    assert_int_equal(csv_next(csv), CSV_ROW);
    assert_int_equal(csv_count(csv), 3);
    assert_string_equal(csv_get(csv, 0), "a");
    assert_string_equal(csv_get(csv, 1), "b,\"c\"");
    assert_string_equal(csv_get(csv, 2), "");
    assert_int_equal(csv_find(csv, "a"), 0);
    assert_true(csv_find(csv, "z") == CSV_NONE);
    assert_int_equal(csv_next(csv), CSV_ROW);
    assert_int_equal(csv_line(csv), 4); /* two empty lines before it */
    assert_string_equal(csv_get(csv, 0), "two\nlines");
    assert_string_equal(csv_get(csv, 1), "x\"y");
    assert_string_equal(csv_get(csv, 2), "qr");
    assert_int_equal(csv_next(csv), CSV_ROW);
    assert_int_equal(csv_line(csv), 6);
    assert_string_equal(csv_get(csv, 2), "last");
    assert_string_equal(csv_get(csv, 3), "");
    assert_int_equal(csv_next(csv), CSV_END);
    assert_int_equal(diags.count, 0);
    close_all(csv, &diags);
}

TEST(free_text_before_a_table) {
    struct ct_diags diags = {0};
    struct csv_reader *csv = open_text("==1== \"x\n\"open\n==2== y\nh1,h2\n1,2\n", &diags);
    csv_skip_prefix(csv, "==");
    assert_int_equal(csv_next_line(csv), CSV_ROW);
    assert_string_equal(csv_get(csv, 0), "open");
    assert_int_equal(csv_next_line(csv), CSV_ROW);
    assert_string_equal(csv_get(csv, 1), "h2");
    assert_int_equal(csv_line(csv), 4);
    close_all(csv, &diags);
}

TEST(broken_text) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    struct csv_reader *csv = open_text("a,b\n1,\"open\n2,3\n", &diags);
    assert_int_equal(csv_next(csv), CSV_ROW);
    assert_int_equal(csv_next(csv), CSV_BROKEN);
    assert_true(
        case_said(&diags, CT_ERROR, "test_csv_reader.csv:2", "a quoted field does not end"));
    assert_int_equal(csv_next(csv), CSV_BROKEN); /* once broken it stays so, and says it once */
    assert_int_equal(diags.errors, 1);
    close_all(csv, &diags);

    diags = (struct ct_diags){0};
    case_write_bytes(file, "a\nb\0c\n", 6);
    csv = csv_open(file, &diags);
    assert_int_equal(csv_next(csv), CSV_ROW);
    assert_int_equal(csv_next(csv), CSV_BROKEN);
    assert_true(case_said(&diags, CT_ERROR, "test_csv_reader.csv:2", "not a text file"));
    close_all(csv, &diags);

    diags = (struct ct_diags){0};
    assert_null(csv_open("no_such_folder/no_such_file.csv", &diags));
    assert_true(case_said(&diags, CT_ERROR, "no_such_folder/no_such_file.csv", "cannot open it"));
}

/* 50,000 rows packed: more than one buffer; then the packed file without its end. */
TEST(packed) {
    enum { ROWS = 50000 };
    struct ct_diags diags = {0};
    gzFile out = gzopen(file, "wb");
    for (int i = 0; i < ROWS; i++)
        gzprintf(out, "%d,\"%d, twice\"\n", i, 2 * i);
    assert_int_equal(gzclose(out), Z_OK);
    struct csv_reader *csv = csv_open(file, &diags);
    for (int i = 0; i < ROWS; i++) {
        char once[32], twice[32];
        snprintf(once, sizeof once, "%d", i);
        snprintf(twice, sizeof twice, "%d, twice", 2 * i);
        assert_int_equal(csv_next(csv), CSV_ROW);
        assert_int_equal(csv_line(csv), i + 1);
        assert_string_equal(csv_get(csv, 0), once);
        assert_string_equal(csv_get(csv, 1), twice);
    }
    assert_int_equal(csv_next(csv), CSV_END);
    assert_int_equal(diags.count, 0);
    csv_close(csv);

    FILE *whole = fopen(file, "rb");
    char *bytes = malloc(1 << 20);
    size_t size = fread(bytes, 1, 1 << 20, whole);
    fclose(whole);
    case_write_bytes(file, bytes, size / 2);
    free(bytes);
    csv = csv_open(file, &diags);
    enum csv_step step;
    while ((step = csv_next(csv)) == CSV_ROW)
        ;
    assert_int_equal(step, CSV_BROKEN);
    assert_int_equal(diags.errors, 1);
    assert_non_null(strstr(diags.items[0].text, "cut off"));
    close_all(csv, &diags);
}

/* Reads to the end, which must be an error at this place. */
static void break_at(const char *path, const char *where, const char *message) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    struct csv_reader *csv = csv_open(path, &diags);
    assert_non_null(csv);
    enum csv_step step;
    while ((step = csv_next(csv)) == CSV_ROW)
        continue;
    assert_int_equal(step, CSV_BROKEN);
    if (!case_said(&diags, CT_ERROR, where, message))
        fail_msg("%s: %s", diags.items[0].where, diags.items[0].text);
    csv_close(csv);
}

TEST(what_cannot_be_read) {
    enum { LONG = 17 << 20, HEADER = 10 };
    break_at(".", ".", "cannot read it: Is a directory");

    /* A compressed file whose second block is of no kind that there is. */
    gzFile packed = gzopen(file, "wb");
    gzputs(packed, "a,b\n1,2\n");
    assert_int_equal(gzclose(packed), Z_OK);
    FILE *out = fopen(file, "r+b");
    assert_non_null(out);
    fseek(out, HEADER, SEEK_SET);
    fputc(0xff, out);
    fclose(out);
    break_at(file, "test_csv_reader.csv:1", "the compressed data is damaged");

    char *text = malloc(LONG + 1);
    assert_non_null(text);
    memset(text, 'x', LONG);
    snprintf(text, 8, "a\n\"b,c");
    text[6] = '\n';
    text[LONG] = '\0';
    case_write(file, text);
    free(text);
    break_at(file, "test_csv_reader.csv:2",
             "the record is longer than 16 MiB: does a quoted field not end?");
    remove(file);
}

TEST(exact_decimals) {
    int64_t value;
    int digits;
    assert_true(csv_parse_fixed("602.605858", 9, &value, &digits));
    assert_int_equal(value, INT64_C(602605858000));
    assert_int_equal(digits, 6);
    assert_true(csv_parse_fixed("-0.0000000000015", 12, &value, NULL));
    assert_int_equal(value, -2); /* ties away from zero */
    assert_true(csv_parse_fixed("9223372036854775807", 0, &value, NULL));
    assert_int_equal(value, INT64_MAX);
    assert_false(csv_parse_fixed("9223372036854775808", 0, &value, NULL));
    assert_false(csv_parse_fixed("9223373", 12, &value, NULL)); /* above 106 days */
    assert_true(csv_parse_fixed(".5", 3, &value, NULL));
    assert_int_equal(value, 500);
    const char *const wrong[] = {"", "-", ".", "1e3", "0x10", "1 ", " 1", "1.2.3", "nan", "1,5"};
    for (size_t i = 0; i < CT_COUNT_OF(wrong); i++)
        assert_false(csv_parse_fixed(wrong[i], 3, &value, NULL));
}

TEST(counts_and_numbers) {
    uint64_t count;
    double number;
    assert_true(csv_parse_count("1024", 1024, &count));
    assert_int_equal(count, 1024);
    assert_false(csv_parse_count("1025", 1024, &count));
    assert_true(csv_parse_count("18446744073709551615", UINT64_MAX, &count));
    assert_true(count == UINT64_MAX);
    assert_false(csv_parse_count("18446744073709551616", UINT64_MAX, &count));
    assert_false(csv_parse_count("", UINT64_MAX, &count));
    assert_false(csv_parse_count("-1", UINT64_MAX, &count));
    assert_string_equal(csv_scan_number("21.43GB/s", &number), "GB/s");
    assert_float_equal(number, 21.43, 0);
    assert_string_equal(csv_scan_number("-1.5e-3", &number), "");
    assert_float_equal(number, -0.0015, 0);
    const char *const wrong[] = {"", "inf", "nan", "0x10", " 1", "1e999", "Low (1)", "%"};
    for (size_t i = 0; i < CT_COUNT_OF(wrong); i++)
        assert_null(csv_scan_number(wrong[i], &number));
}

/* What a spreadsheet would run is written as text, and read back as it was; numbers stay numbers.
 */
TEST(formulas) {
    static const char *const cells[][2] = {{"=1+1", "\"'=1+1\""},
                                           {"@SUM(A1)", "\"'@SUM(A1)\""},
                                           {"+cmd|' /C x'!A0", "\"'+cmd|' /C x'!A0\""},
                                           {"-1-2", "\"'-1-2\""},
                                           {"\t=1", "\"'\t=1\""},
                                           {"'=1", "\"''=1\""},
                                           {"--set", "\"'--set\""},
                                           {"-0.5e-3", "-0.5e-3"},
                                           {"+7", "+7"},
                                           {"-", "-"},
                                           {"'-5", "'-5"},
                                           {"'quoted'", "'quoted'"},
                                           {"a=b", "a=b"},
                                           {"-3,=x", "\"'-3,=x\""},
                                           {"", ""}};
    char written[4096];
    FILE *out = fopen(file, "w");
    for (size_t i = 0; i < CT_COUNT_OF(cells); i++) {
        csv_write_text(out, cells[i][0]);
        fputs(",end\n", out);
    }
    fclose(out);
    FILE *in = fopen(file, "r");
    for (size_t i = 0; i < CT_COUNT_OF(cells); i++) {
        assert_non_null(fgets(written, sizeof written, in));
        assert_memory_equal(written, cells[i][1], strlen(cells[i][1]));
        assert_string_equal(written + strlen(cells[i][1]), ",end\n");
    }
    fclose(in);
    struct ct_diags diags = {0};
    struct csv_reader *csv = csv_open(file, &diags);
    for (size_t i = 0; i < CT_COUNT_OF(cells); i++) {
        assert_int_equal(csv_next(csv), CSV_ROW);
        assert_string_equal(csv_get(csv, 0), cells[i][0]);
    }
    close_all(csv, &diags);
}
