/* The file of what kernels of a class ask of the memory. */
#include "cmocka_complete.h"
#include "workload/demand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(the_shipped_one_is_read) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    struct demand_file file;
    assert_int_equal(demand_file_shipped(&file, &arena, &diags), CT_OK);
    assert_string_equal(file.gpu, "gtx1080ti");
    const struct demand_cell *other = file.cells[KERNEL_OTHER];
    assert_true(other[0].applications > 20 && other[1].applications > 20);
    /* Launches that fill the GPU ask for more than those that do not. */
    assert_true(other[1].quantiles[DEMAND_MEDIAN] > other[0].quantiles[DEMAND_MEDIAN]);
    assert_true(other[1].quantiles[DEMAND_HIGH] > other[1].quantiles[DEMAND_LOW]);
}

static char *with_quantiles(const char *quantiles) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("{\"schema\": \"cotenant.demand/2\", \"gpu\": \"g\", \"source\": \"s\", \"classes\": {",
          out);
    for (int i = 0; i < KERNEL_CLASSES; i++)
        fprintf(
            out,
            "%s\"%s\": {\"partial\": {\"applications\": 1, \"kernels\": 2, \"quantiles\": [%s], "
            "\"units\": [%s]}, \"full\": {\"applications\": 1, \"kernels\": 2, \"quantiles\": "
            "[%s], "
            "\"units\": [%s]}}",
            i ? ", " : "", kernel_class_names[i], quantiles, quantiles, quantiles, quantiles);
    fputs("}}", out);
    fclose(out);
    return text;
}

static int read_quantiles(const char *quantiles, struct demand_file *file, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    char path[] = "/tmp/cotenant-demand-XXXXXX", *text = with_quantiles(quantiles);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    int status = demand_file_read(path, file, &arena, diags);
    unlink(path);
    free(text);
    ct_arena_free(&arena);
    return status;
}

TEST(quantiles_rise_from_0_to_1) {
    static const struct {
        const char *quantiles;
        int status;
    } cases[] = {{"0, 0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 1", CT_OK},
                 {"0, 0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5", CT_USAGE},
                 {"0, 0, 0.1, 0.2, 0.3, 0.2, 0.4, 0.5, 1", CT_USAGE},
                 {"-0.1, 0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 1", CT_USAGE},
                 {"0, 0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 1.1", CT_USAGE},
                 {"0, 0, 0.1, 0.2, null, 0.3, 0.4, 0.5, 1", CT_USAGE}};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        struct demand_file file;
        CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
        if (read_quantiles(cases[i].quantiles, &file, &diags) != cases[i].status)
            fail_msg("%s", cases[i].quantiles);
        assert_int_equal(diags.errors > 0, cases[i].status != CT_OK);
        if (cases[i].status == CT_OK)
            assert_true(file.cells[KERNEL_SOFTMAX][1].quantiles[DEMAND_HIGH] == 0.5);
    }
}
