#include "fuzz.h"
#include "workload/dram_file.h"

static bool is_fraction(double number) {
    return number >= 0 && number <= 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ct_diags diags = {0};
    struct ct_arena arena = {0};
    struct dram_file file = {0};
    int status = dram_file_read(fuzz_file("d.json", data, size), &file, &arena, &diags);
    fuzz_judge(status, &diags);
    for (size_t i = 0; status == CT_OK && i < file.curve.count; i++) {
        const struct dram_point *p = &file.curve.items[i];
        FUZZ_OWES(is_fraction(p->row_hit_rate) && is_fraction(p->utilisation));
        FUZZ_OWES(!i ||
                  (p->row_hit_rate > p[-1].row_hit_rate && p->utilisation >= p[-1].utilisation));
    }
    if (status == CT_OK) {
        FUZZ_OWES(file.curve.count >= 2);
        /* a fit may end above 1, where the device stops */
        FUZZ_OWES(is_fraction(file.line_slope) && is_fraction(file.line_base) &&
                  file.line_base > 0);
    }
    ct_arena_free(&arena);
    ct_diags_free(&diags);
    return 0;
}
