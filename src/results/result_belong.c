#include "format/sqlite_link.h"
#include "results/result_store_internal.h"

/* Tables whose rows belong to a run. */
static const char *const of_run[] = {"system",    "app",           "job",          "device",
                                     "counter",   "notice",        "blame",        "blame_matrix",
                                     "sharing",   "kernels",       "kernel_units", "batch_size",
                                     "job_delay", "job_sharing",   "task",         "presence",
                                     "decision",  "decision_note", "reason",       "sample"};

/* What other rows belong to, by whose number. */
static const struct sqlite_link links[] = {
    {"member", "pool", "run", "number", SQLITE_LINK_VALUES},
    {"member", "run", "run", "number", SQLITE_LINK_VALUES},
    {"difference", "comparison", "comparison", "number", SQLITE_LINK_VALUES},
    {"comparison_run", "comparison", "comparison", "number", SQLITE_LINK_VALUES},
    {"comparison_run", "run", "run", "number", SQLITE_LINK_ROWS},
    {"sweep_run", "point", "sweep_point", "number", SQLITE_LINK_VALUES},
    {"sweep_run", "run", "run", "number", SQLITE_LINK_ROWS},
    {"sweep_value", "point", "sweep_point", "number", SQLITE_LINK_VALUES},
    {"sweep_latest", "point", "sweep_point", "number", SQLITE_LINK_VALUES},
    {"sweep_listed", "point", "sweep_point", "number", SQLITE_LINK_VALUES},
};

static bool belongs(struct result_store *store, const struct sqlite_link *link) {
    int code = sqlite_link_check(store->db, link);
    if (code == SQLITE_CORRUPT) {
        store->damage.found = true;
        snprintf(store->damage.where, sizeof store->damage.where,
                 "column '%s' in a row of '%s' is no %s's", link->column, link->table, link->owner);
    }
    return code == SQLITE_OK;
}

bool result_rows_belong(struct result_store *store) {
    bool all = true;
    for (size_t i = 0; i < CT_COUNT_OF(of_run) && all && !store->belongs; i++)
        all = belongs(store,
                      &(struct sqlite_link){of_run[i], "run", "run", "number", SQLITE_LINK_VALUES});
    for (size_t i = 0; i < CT_COUNT_OF(links) && all && !store->belongs; i++)
        all = belongs(store, &links[i]);
    store->belongs = all;
    return all;
}
