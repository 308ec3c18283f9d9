/* What sharing cost the slowest jobs, back from a store. */
#include "results/result_store_internal.h"

#include <string.h>

/* Where a row of `sharing` belongs; NULL: to a cause that the program does not know. */
static double *sharing_place(struct report_sharing *sharing, const char *cause, const char *due_to,
                             struct ct_arena *arena) {
    if (strcmp(cause, REPORT_ALONE) == 0)
        return &sharing->alone_ms;
    if (*cause)
        return ct_blame_find(cause) < 0 ? NULL : &sharing->cause_ms[ct_blame_find(cause)];
    struct report_delay *by =
        ct_arena_array(arena, sharing->by_count + 1, sizeof *by); /* few: an application each */
    if (!by)
        return NULL;
    for (size_t i = 0; i < sharing->by_count; i++)
        by[i] = sharing->by[i];
    by[sharing->by_count].app = *due_to ? due_to : NULL;
    sharing->by = by;
    return &by[sharing->by_count++].ms;
}

bool result_read_sharing(struct result_store *store, int64_t run, struct report_app *apps,
                         size_t count, struct ct_arena *arena) {
    bool has = false;
    if (!result_has(store, "sharing", &has))
        return false;
    if (!has)
        return true;
    struct result_query query = result_prepare(
        store, "SELECT app, cause, due_to, ms FROM sharing WHERE run = ? ORDER BY app, position");
    result_bind(&query, run);
    while (result_next(&query)) {
        size_t app = (size_t)result_get_integer(&query);
        const char *cause = result_get_name(&query, arena),
                   *due_to = result_get_name(&query, arena);
        if (app >= count || !cause || !due_to)
            continue;
        double *ms = sharing_place(&apps[app].sharing, cause, due_to, arena);
        if (ms)
            *ms = result_get_double(&query);
    }
    return result_end(&query);
}
