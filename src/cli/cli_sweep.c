#include "cli/cli_results.h"

#include "base/ct_text.h"

enum { NAMES_SIZE = 400 };

/* Which sweeps there are, and what is shown of them. */
static int tell(const char *names, struct result_store *store, const char *path,
                struct ct_arena *arena, struct ct_diags *diags) {
    struct result_points points = {0};
    int status = result_points_read(store, arena, &points, diags);
    if (status == CT_OK && points.count)
        ct_notice(diags, path,
                  "has the sweeps %s: '%s', the newest, is shown; '--sweep NAME' shows another one",
                  names, points.items[0].sweep);
    else if (status == CT_OK)
        ct_notice(diags, path,
                  "has the sweeps %s, and something newer: '--sweep NAME' shows the points of one",
                  names);
    ct_vec_free(&points);
    return status;
}

static int choose(const struct result_sweeps *sweeps, const char *name, struct result_store *store,
                  const char *path, struct ct_arena *arena, struct ct_diags *diags) {
    char names[NAMES_SIZE];
    ct_text_join(names, sizeof names, sweeps->items, sweeps->count);
    if (name && ct_text_index(name, sweeps->items, sweeps->count) < sweeps->count)
        return result_sweep_choose(store, name, diags);
    if (name && !sweeps->count)
        return ct_usage_error(diags, path, "has no sweep");
    if (name)
        return ct_usage_error(diags, path, "has no sweep '%s', but %s", name, names);
    return sweeps->count > 1 ? tell(names, store, path, arena, diags) : CT_OK;
}

int cli_choose_sweep(const struct cli_args *args, struct result_store *store, const char *path,
                     struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct result_sweeps sweeps = {0};
    int status = result_sweeps_read(store, &arena, &sweeps, diags);
    if (status == CT_OK)
        status = choose(&sweeps, cli_value(args, "sweep"), store, path, &arena, diags);
    ct_vec_free(&sweeps);
    ct_arena_free(&arena);
    return status;
}
