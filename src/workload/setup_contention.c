#include "workload/setup_contention.h"

#include "models/device/contention.h"

#include <string.h>

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
