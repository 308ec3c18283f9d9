#include "format/sqlite_link.h"
#include "results/result_store_internal.h"

/* What each row belongs to, by whose number. */
static const struct sqlite_link links[] = {
    {"system", "run", "run", "number", SQLITE_LINK_VALUES},
    {"app", "run", "run", "number", SQLITE_LINK_VALUES},
    {"job", "run", "run", "number", SQLITE_LINK_VALUES},
    {"member", "pool", "run", "number", SQLITE_LINK_VALUES},
    {"member", "run", "run", "number", SQLITE_LINK_VALUES},
    {"device", "run", "run", "number", SQLITE_LINK_VALUES},
    {"counter", "run", "run", "number", SQLITE_LINK_VALUES},
    {"notice", "run", "run", "number", SQLITE_LINK_VALUES},
    {"blame", "run", "run", "number", SQLITE_LINK_VALUES},
    {"blame_matrix", "run", "run", "number", SQLITE_LINK_VALUES},
    {"sharing", "run", "run", "number", SQLITE_LINK_VALUES},
    {"kernels", "run", "run", "number", SQLITE_LINK_VALUES},
    {"kernel_units", "run", "run", "number", SQLITE_LINK_VALUES},
    {"batch_size", "run", "run", "number", SQLITE_LINK_VALUES},
    {"job_delay", "run", "run", "number", SQLITE_LINK_VALUES},
    {"job_sharing", "run", "run", "number", SQLITE_LINK_VALUES},
    {"task", "run", "run", "number", SQLITE_LINK_VALUES},
    {"presence", "run", "run", "number", SQLITE_LINK_VALUES},
    {"decision", "run", "run", "number", SQLITE_LINK_VALUES},
    {"decision_note", "run", "run", "number", SQLITE_LINK_VALUES},
    {"reason", "run", "run", "number", SQLITE_LINK_VALUES},
    {"sample", "run", "run", "number", SQLITE_LINK_VALUES},
    {"difference", "comparison", "comparison", "number", SQLITE_LINK_VALUES},
    {"comparison_run", "comparison", "comparison", "number", SQLITE_LINK_VALUES},
    {"comparison_run", "run", "run", "number", SQLITE_LINK_ROWS},
    {"sweep_run", "point", "sweep_point", "number", SQLITE_LINK_VALUES},
    {"sweep_run", "run", "run", "number", SQLITE_LINK_ROWS},
    {"sweep_value", "point", "sweep_point", "number", SQLITE_LINK_VALUES},
    {"sweep_latest", "point", "sweep_point", "number", SQLITE_LINK_VALUES},
    {"sweep_listed", "point", "sweep_point", "number", SQLITE_LINK_VALUES},
};

bool result_rows_belong(struct result_store *store) {
    for (size_t i = 0; i < CT_COUNT_OF(links) && !store->belongs; i++) {
        int code = sqlite_link_check(store->db, &links[i]);
        if (code == SQLITE_CORRUPT) {
            store->damage.found = true;
            snprintf(store->damage.where, sizeof store->damage.where,
                     "column '%s' in a row of '%s' is no %s's", links[i].column, links[i].table,
                     links[i].owner);
        }
        if (code != SQLITE_OK)
            return false;
    }
    store->belongs = true;
    return true;
}
