#include "format/sqlite_link.h"
#include "results/result_store_internal.h"

/* What each row belongs to, by whose number. */
static const struct sqlite_link links[] = {
    {"system", "run", "run", "number", true},
    {"app", "run", "run", "number", true},
    {"job", "run", "run", "number", true},
    {"member", "pool", "run", "number", true},
    {"member", "run", "run", "number", true},
    {"device", "run", "run", "number", true},
    {"counter", "run", "run", "number", true},
    {"notice", "run", "run", "number", true},
    {"blame", "run", "run", "number", true},
    {"blame_matrix", "run", "run", "number", true},
    {"kernels", "run", "run", "number", true},
    {"batch_size", "run", "run", "number", true},
    {"job_delay", "run", "run", "number", true},
    {"task", "run", "run", "number", true},
    {"presence", "run", "run", "number", true},
    {"decision", "run", "run", "number", true},
    {"decision_note", "run", "run", "number", true},
    {"reason", "run", "run", "number", true},
    {"sample", "run", "run", "number", true},
    {"difference", "comparison", "comparison", "number", true},
    {"comparison_run", "comparison", "comparison", "number", true},
    {"comparison_run", "run", "run", "number", false},
    {"sweep_run", "point", "sweep_point", "number", true},
    {"sweep_run", "run", "run", "number", false},
    {"sweep_value", "point", "sweep_point", "number", true},
};

bool result_rows_belong(struct result_store *store) {
    for (size_t i = 0; i < CT_COUNT_OF(links) && !store->belongs; i++) {
        int code = sqlite_link_check(store->db, &links[i]);
        store->damaged |= code == SQLITE_CORRUPT;
        if (code != SQLITE_OK)
            return false;
    }
    store->belongs = true;
    return true;
}
