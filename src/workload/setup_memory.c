#include "workload/setup_memory.h"

#include "base/ct_text.h"

#include <math.h>
#include <stdio.h>

/* Keys and values of the tokens that a server generates; 0: none, or nobody knows. */
static double cache_of(const struct workload_app *app) {
    const struct workload_continuous *c = app->server ? app->server->continuous : NULL;
    return c ? (double)c->cache_blocks * (double)c->block_bytes / CT_BYTES_PER_GIB : 0;
}

double setup_memory_of(const struct workload_app *app) {
    uint64_t bytes = app->trace ? trace_app_memory(app->trace) : 0;
    double own = app->memory_gib > 0 ? app->memory_gib : (double)bytes / CT_BYTES_PER_GIB;
    double all = own + cache_of(app);
    return all > 0 ? all : NAN;
}

double setup_memory_slice(const struct gpu *gpu, int64_t slices, int64_t all) {
    return gpu->memory_gib > 0 ? gpu->memory_gib * (double)slices / (double)all : NAN;
}

/* Writes "3 x vit 2.5, qwen 10" until there is no room. */
static size_t list(char *text, size_t size, size_t used, const struct workload_app *app,
                   double gib) {
    char times[32] = "";
    if (used >= size)
        return used;
    if (app->instances > 1)
        snprintf(times, sizeof times, "%lld x ", (long long)app->instances);
    return used + (size_t)snprintf(text + used, size - used, "%s%s%s %.4g", used ? ", " : "", times,
                                   app->name, gib);
}

int setup_memory_check(const struct workload *workload, const struct gpu *gpu,
                       struct ct_diags *diags) {
    char needs[400] = "", unknown[200] = "";
    size_t used = 0, count = 0;
    double sum = 0;
    for (size_t a = 0; a < workload->apps.count; a++) {
        const struct workload_app *app = &workload->apps.items[a];
        double gib = setup_memory_of(app);
        if (isnan(gib)) {
            count++;
            continue;
        }
        sum += (double)app->instances * gib;
        used = list(needs, sizeof needs, used, app, gib);
    }
    if (gpu->memory_gib <= 0 || sum <= gpu->memory_gib)
        return CT_OK;
    if (count)
        snprintf(unknown, sizeof unknown, ", beside %zu application%s whose need is unknown", count,
                 count == 1 ? "" : "s");
    return ct_usage_error(diags, workload->path,
                          "the applications need %.4g GiB of memory together (%s)%s: '%s' has %.4g",
                          sum, needs, unknown, gpu->name, gpu->memory_gib);
}

void setup_memory_notice(const struct workload *workload, struct ct_diags *diags) {
    const char *names[64];
    char text[512];
    size_t count = 0;
    for (size_t a = 0; a < workload->apps.count && count < CT_COUNT_OF(names); a++) {
        const struct workload_app *app = &workload->apps.items[a];
        if (app->trace && isnan(setup_memory_of(app)))
            names[count++] = app->name;
    }
    if (!count)
        return;
    ct_text_join(text, sizeof text, names, count);
    ct_notice(diags, workload->path,
              "how much GPU memory is taken is not known of %s: whether it fits is not checked "
              "('memory_gib' gives it)",
              text);
}
