#include "cli/cli_results.h"

#include "base/ct_text.h"

enum { NAMES_SIZE = 400 };

static int choose(const struct result_sweeps *sweeps, const char *name, struct result_store *store,
                  const char *path, struct ct_diags *diags) {
    char names[NAMES_SIZE];
    ct_text_join(names, sizeof names, sweeps->items, sweeps->count);
    if (name && ct_text_index(name, sweeps->items, sweeps->count) < sweeps->count)
        return result_sweep_choose(store, name, diags);
    if (name && !sweeps->count)
        return ct_usage_error(diags, path, "has no sweep");
    if (name)
        return ct_usage_error(diags, path, "has no sweep '%s', but %s", name, names);
    if (sweeps->count > 1)
        ct_notice(diags, path, "has the sweeps %s: '--sweep NAME' shows the points of one", names);
    return CT_OK;
}

int cli_choose_sweep(const struct cli_args *args, struct result_store *store, const char *path,
                     struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct result_sweeps sweeps = {0};
    int status = result_sweeps_read(store, &arena, &sweeps, diags);
    if (status == CT_OK)
        status = choose(&sweeps, cli_value(args, "sweep"), store, path, diags);
    ct_vec_free(&sweeps);
    ct_arena_free(&arena);
    return status;
}
