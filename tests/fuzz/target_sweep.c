#include "fuzz.h"
#include "study/sweep_design.h"
#include "workload/workload.h"

/* The workload of the sweep with the settings of a point. */
static void read_point(const struct sweep_file *sweep, const struct sweep_point *point) {
    struct ct_diags diags = {0};
    struct workload workload;
    struct workload_source source = {.path = "w.json",
                                     .text = sweep->workload_text ? sweep->workload_text : "{}",
                                     .assignments = point->assignments,
                                     .assignment_count = point->assignment_count};
    int status = workload_read(&source, &workload, &diags);
    fuzz_judge(status, &diags);
    workload_free(&workload);
    ct_diags_free(&diags);
}

/* The first point, the last, and each value by itself as `sweep` looks at it. */
static void make_points(const struct sweep_file *sweep, const uint32_t *const *shuffle) {
    const uint64_t indices[] = {0, sweep->points - 1};
    struct sweep_point point;
    struct ct_arena arena = {0};
    for (size_t i = 0; i < CT_COUNT_OF(indices); i++) {
        FUZZ_OWES(sweep_point_make(sweep, shuffle, indices[i], &arena, &point));
        read_point(sweep, &point);
    }
    for (size_t d = 0; d < sweep->design_count; d++)
        for (size_t a = 0; a < sweep->designs[d].axis_count; a++) {
            struct sweep_probe first = {.design = d, .axis = a}, last = first;
            last.others_last = true;
            FUZZ_OWES(sweep_point_probe(sweep, &first, &arena, &point));
            FUZZ_OWES(sweep_point_probe(sweep, &last, &arena, &point));
        }
    ct_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool ready;
    if (!ready) {
        fuzz_file("w.json", "{}", 2);
        ready = true;
    }
    struct ct_diags diags = {0};
    struct sweep_file sweep = {0};
    struct ct_arena arena = {0};
    int status = sweep_file_read(fuzz_file("sweep.json", data, size), NULL, &sweep, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        FUZZ_OWES(sweep.points > 0 && sweep.points <= SWEEP_MOST_POINTS);
        FUZZ_OWES(sweep.policy_count > 0 && sweep.reps > 0);
        FUZZ_OWES(sweep.workload || sweep.workload_text);
        const uint32_t *const *shuffle = sweep_shuffle(&sweep, &arena);
        FUZZ_OWES(shuffle);
        make_points(&sweep, shuffle);
    }
    ct_arena_free(&arena);
    sweep_file_free(&sweep);
    ct_diags_free(&diags);
    return 0;
}
