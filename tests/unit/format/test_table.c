/* Cells of tables, and what is shown of those that are too wide. */
#include "cmocka_complete.h"
#include "format/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What rounds to nothing has no sign. */
TEST(no_sign_before_zero) {
    struct table table = table_start("=a:3 | =b:3 | =c:0 | =d:*");
    FREED_BY(free) char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    table_row(&table, -0.0004, -0.0006, -0.2, -0.0);
    assert_int_equal(table_print(&table, out, TABLE_CSV), CT_OK);
    fclose(out);
    assert_string_equal(text, "a,b,c,d\n0.000,-0.001,0,0\n");
}

/* The last word of each line, the title's first, of a table of reports in which another column
 * leaves the last one `room` characters. */
static char *shown_names(const char *const *names, size_t count, int room) {
    enum { LINE = 80, GAPS = 4, WORDS = 4096 };
    struct table table = table_start("filler:0 | name");
    char *text = NULL, *words = calloc(1, WORDS), digits[LINE];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(out && words);
    snprintf(digits, sizeof digits, "5e%d", LINE - GAPS - room - 1);
    for (size_t i = 0; i < count; i++)
        table_row(&table, strtod(digits, NULL), names[i]);
    table.in_document = true;
    assert_int_equal(table_print(&table, out, TABLE_TEXT), CT_OK);
    fclose(out);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        size_t used = strlen(words);
        snprintf(words + used, WORDS - used, "%s%s", used ? " " : "", strrchr(line, ' ') + 1);
    }
    free(text);
    return words;
}

/* All of a table in a document with a name of 30 letters that leaves 80 columns no room. */
static char *shown_table(const char *columns) {
    struct table table = table_start("filler:0 | verdict | name");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    table_row(&table, 2e60, "open", "abcdefghijklmnopqrstuvwxyz1234");
    table.in_document = true;
    if (columns)
        setenv("COLUMNS", columns, 1);
    assert_int_equal(table_print(&table, out, TABLE_TEXT), CT_OK);
    unsetenv("COLUMNS");
    fclose(out);
    return text;
}

/* What no cut makes fit leaves the titles for the end. */
TEST(titles_are_cut_last) {
    FREED_BY(free) char *text = shown_table(NULL);
    assert_non_null(strstr(text, "  verdict  name"));
    assert_non_null(strstr(text, "  open     abcde~\n"));
}

TEST(a_line_has_the_columns_of_the_terminal) {
    FREED_BY(free) char *wide = shown_table("120");
    assert_non_null(strstr(wide, "  open     abcdefghijklmnopqrstuvwxyz1234\n"));
    FREED_BY(free) char *narrow = shown_table("40"), *none = shown_table(NULL);
    FREED_BY(free) char *wrong = shown_table("many");
    assert_string_equal(narrow, none);
    assert_string_equal(wrong, none);
}

TEST(names_that_are_cut_stay_apart) {
    static const struct {
        const char *names[4];
        int room;
        const char *shown;
    } cases[] = {
        /* The end goes where the begin tells. */
        {{"mps", "priority:order=arrival", "mps"}, 10, "name mps priority:~ mps"},
        {{"mps-caps:caps=a", "mps-caps:caps=b"}, 10, "name mps-~aps=a mps-~aps=b"},
        /* As much of the end as it takes. */
        {{"resnet50-of-serving-eu", "resnet50-of-trained-eu"},
         12,
         "name resne~ing-eu resne~ned-eu"},
        {{"resnet50-of-abcdefg-eu", "resnet50-of-xbcdefg-eu"},
         12,
         "name r~abcdefg-eu r~xbcdefg-eu"},
        /* Both sides, from a word on. */
        {{"rule:file=hold-one-at-a-time.rule", "rule:file=hold-two-at-a-time.rule"},
         12,
         "name ~hold-one-a~ ~hold-two-a~"},
        /* Wider than there is room. */
        {{"abcdefgh1ijklmnop1qrstuvw", "abcdefgh1ijklmnop2qrstuvw", "abcdefgh2ijklmnop1qrstuvw"},
         8,
         "name ~1ijklmnop1~ abc~2qrstuvw abcdefgh2ij~"},
        /* What no 20 characters tell from both others. */
        {{"stem-1-abcdefghijklmnopqrstuvw-1-abcdefghijklmnopqrstuvw-end",
          "stem-1-abcdefghijklmnopqrstuvw-2-abcdefghijklmnopqrstuvw-end",
          "stem-2-abcdefghijklmnopqrstuvw-1-abcdefghijklmnopqrstuvw-end"},
         8,
         "name stem-1-ab~rstuvw-end ~hijklmnopqrstuvw-2~ stem-2-abcdefghijkl~"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t count = 0;
        while (count < 4 && cases[i].names[count])
            count++;
        FREED_BY(free) char *shown = shown_names(cases[i].names, count, cases[i].room);
        assert_string_equal(shown, cases[i].shown);
    }
}
