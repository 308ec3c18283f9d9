/* Cells of tables. */
#include "cmocka_complete.h"
#include "format/table.h"

#include <stdlib.h>
#include <string.h>

/* What rounds to nothing has no sign. */
TEST(no_sign_before_zero) {
    struct table table = table_start("=a:3 | =b:3 | =c:0 | =d:*");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    table_row(&table, -0.0004, -0.0006, -0.2, -0.0);
    assert_int_equal(table_print(&table, out, TABLE_CSV), CT_OK);
    fclose(out);
    assert_string_equal(text, "a,b,c,d\n0.000,-0.001,0,0\n");
    free(text);
}
