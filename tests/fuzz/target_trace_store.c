#include "fuzz.h"
#include "trace/trace_store.h"
#include "workload/setup.h"

#include <string.h>

static const char workload_text[] =
    "{\"gpu\": \"v100\", \"duration_s\": 1, \"apps\": [{\"name\": \"a\", \"trace\": "
    "\"edited.db#alpha\"}]}";

/* What a simulation would make of it. */
static void prepare(void) {
    struct ct_diags diags = {0};
    struct workload workload;
    struct setup setup;
    struct workload_source source = {.path = fuzz_path("w.json"), .text = workload_text};
    int status = workload_read(&source, &workload, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        status = setup_make(&workload, &setup, &diags);
        fuzz_judge(status, &diags);
    }
    if (status == CT_OK)
        setup_free(&setup);
    workload_free(&workload);
    ct_diags_free(&diags);
}

/* Rows that were read: an UPDATE leaves none out. */
static void judge_rows(const struct trace_set *set, const uint8_t *data, size_t size) {
    static size_t all; /* of the store as it was */
    size_t rows = set->apps.count;
    for (size_t i = 0; i < set->apps.count; i++) {
        const struct trace_app *app = set->apps.items[i];
        rows += app->kernels.count + app->jobs.count + app->tasks.count + app->dependencies.count +
                app->library_calls.count + app->notes.count;
        for (size_t k = 0; k < app->kernels.count; k++)
            rows += app->kernels.items[k].curve_count;
    }
    if (!size)
        all = rows;
    else if (all && size > 7 && memcmp(data, "UPDATE ", 7) == 0 && !memchr(data, '\n', size))
        FUZZ_OWES(rows == all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct fuzz_store store;
    if (!store.bytes)
        store = fuzz_store_take(fuzz_traces_make());
    const char *path = fuzz_store_edit(&store, "edited.db", data, size);
    struct ct_diags diags = {0};
    struct trace_set set = {0};
    int status = trace_store_read(path, NULL, &set, &diags);
    fuzz_judge(status, &diags);
    FUZZ_OWES(status != CT_OK || !fuzz_store_spoiled(path, data, size));
    if (status == CT_OK) {
        fuzz_judge_traces(&set);
        judge_rows(&set, data, size);
    }
    trace_set_free(&set);
    ct_diags_free(&diags);
    if (status == CT_OK)
        prepare();
    return 0;
}
