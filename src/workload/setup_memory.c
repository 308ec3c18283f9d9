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

double setup_memory_most(const struct gpu *gpu) {
    double most = gpu->memory_gib > 0 ? gpu->memory_gib : gpu->memory_gib_most;
    return most > 0 ? most : NAN;
}

double setup_memory_slice(const struct gpu *gpu, int64_t slices, int64_t all) {
    return setup_memory_most(gpu) * (double)slices / (double)all;
}

const char *setup_memory_at_most(const struct gpu *gpu) {
    return gpu->memory_gib > 0 ? "" : "at most ";
}

/* Adds to "3 x vit 2.5, qwen 10". */
static void list(char *text, size_t size, const struct workload_app *app, double gib) {
    char times[32] = "";
    if (app->instances > 1)
        snprintf(times, sizeof times, "%lld x ", (long long)app->instances);
    ct_text_add(text, size, ", ", "%s%s %.4g", times, app->name, gib);
}

/* What all instances need together, as far as it is known. */
struct need {
    double gib;
    size_t unknown;  /* applications */
    char parts[400]; /* "3 x vit 2.5, qwen 10" */
};

static void add_up(const struct workload *workload, struct need *need) {
    *need = (struct need){0};
    for (size_t a = 0; a < workload->apps.count; a++) {
        const struct workload_app *app = &workload->apps.items[a];
        double gib = setup_memory_of(app);
        if (isnan(gib)) {
            need->unknown++;
            continue;
        }
        need->gib += (double)app->instances * gib;
        list(need->parts, sizeof need->parts, app, gib);
    }
}

int setup_memory_check(const struct workload *workload, const struct gpu *gpu,
                       struct ct_diags *diags) {
    struct need need;
    char unknown[200] = "";
    add_up(workload, &need);
    if (!(need.gib > setup_memory_most(gpu)))
        return CT_OK;
    if (need.unknown)
        snprintf(unknown, sizeof unknown, ", beside %zu application%s whose need is unknown",
                 need.unknown, need.unknown == 1 ? "" : "s");
    return ct_usage_error(
        diags, workload->path,
        "the applications need %.6g GiB of memory together (%s)%s: '%s' has %s%.4g", need.gib,
        need.parts, unknown, gpu->name, setup_memory_at_most(gpu), setup_memory_most(gpu));
}

const char *setup_memory_range(const struct gpu *gpu, char *text, size_t size) {
    if (gpu->memory_gib_least > 0 && gpu->memory_gib_most > 0)
        snprintf(text, size, "it is sold with %g to %g", gpu->memory_gib_least,
                 gpu->memory_gib_most);
    else if (gpu->memory_gib_least > 0 || gpu->memory_gib_most > 0)
        snprintf(text, size, "it is sold with at %s %g",
                 gpu->memory_gib_least > 0 ? "least" : "most",
                 fmax(gpu->memory_gib_least, gpu->memory_gib_most));
    else
        snprintf(text, size, "its preset has no number");
    return text;
}

bool setup_memory_doubt(const struct workload *workload, const struct gpu *gpu, char *text,
                        size_t size) {
    struct need need;
    char range[80];
    add_up(workload, &need);
    if (gpu->memory_gib > 0 || need.gib <= gpu->memory_gib_least)
        return false;
    snprintf(text, size,
             "whether it has the %.4g GiB of memory that the applications need together (%s) is "
             "not known: %s ('gpu.memory_gib' says what yours has)",
             need.gib, need.parts, setup_memory_range(gpu, range, sizeof range));
    return true;
}

void setup_memory_say_doubt(const struct workload *workload, const struct gpu *gpu,
                            struct ct_diags *diags) {
    char text[800];
    if (setup_memory_doubt(workload, gpu, text, sizeof text))
        ct_notice(diags, gpu->name, "%s", text);
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
