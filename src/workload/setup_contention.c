#include "workload/setup_contention.h"

#include "models/device/contention.h"

#include <string.h>

int setup_contention_keep(struct gpu *gpu, const struct contention_file *file,
                          struct ct_arena *arena, struct ct_diags *diags) {
    struct contention_app *apps = ct_arena_array(arena, file->app_count + 1, sizeof *apps);
    if (!apps)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < file->app_count; i++)
        apps[i] = (struct contention_app){file->apps[i].name, file->apps[i].sensitivity,
                                          file->apps[i].pressure};
    gpu->contention_apps = apps;
    gpu->contention_app_count = file->app_count;
    return CT_OK;
}

static const struct contention_app *find(const struct gpu *gpu, const char *name) {
    for (size_t i = 0; i < gpu->contention_app_count; i++)
        if (strcmp(gpu->contention_apps[i].name, name) == 0)
            return &gpu->contention_apps[i];
    return NULL;
}

/* The factors that were calibrated for an application; NULL: none. */
static const struct contention_app *find_app(const struct setup *setup,
                                             const struct setup_app *app) {
    const struct contention_app *found = find(&setup->gpu, app->spec->name);
    if (!found && app->trace && app->trace->name)
        found = find(&setup->gpu, app->trace->name);
    return found;
}

struct contention_app setup_contention_of(const struct setup *setup, const struct setup_app *app) {
    const struct contention_app *found = find_app(setup, app);
    return found ? *found : (struct contention_app){app->spec->name, 1, 1};
}

uint32_t setup_contention_count(const struct setup *setup) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < setup->app_count; i++)
        count += find_app(setup, &setup->apps[i]) != NULL;
    return count;
}
