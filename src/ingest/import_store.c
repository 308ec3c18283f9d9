/* A trace store as a recording: its applications are taken whole, and get the metrics of files
 * beside it. */
#include "ingest/import_builder_internal.h"
#include "ingest/import_formats.h"
#include "trace/trace_store.h"

#include <string.h>

/* What is wrong with it is said when its applications are taken. */
static int read_store(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    (void)diags;
    builder->store = path;
    return CT_OK;
}

const struct import_format import_format_store = {
    .name = "store", .read = read_store, .table = "library_call"};

/* "cotenant capture: own recording": what it was made by stays. */
static bool describe(const struct import_options *o, struct trace_set *set, struct trace_app *app) {
    if (o->app_name)
        app->name = ct_arena_strdup(&set->arena, o->app_name);
    if (o->source)
        app->source = ct_arena_format(&set->arena, "%.*s: %s", (int)strcspn(app->source, ":"),
                                      app->source, o->source);
    if (o->licence)
        app->licence = ct_arena_strdup(&set->arena, o->licence);
    return app->name && app->source && app->licence;
}

/* A store's tasks are all there is to be left out. */
static bool skip_jobs(struct import_builder *builder, struct trace_app *app) {
    size_t skipped = (size_t)builder->options.skip_jobs;
    if (!import_jobs_remain(builder, app->name, app->jobs.count))
        return false;
    size_t first = skipped ? app->jobs.items[skipped].first_task : 0;
    for (size_t i = 0; i < app->tasks.count; i++) {
        import_count_work(builder, app->tasks.items[i].duration_ps);
        if (i < first)
            import_drop_work(builder, IMPORT_SKIPPED, app->tasks.items[i].duration_ps);
    }
    if (skipped)
        trace_app_drop_jobs(app, skipped);
    return true;
}

static int take_app(struct import_builder *builder, struct trace_set *set, struct trace_app *app) {
    bool done = describe(&builder->options, set, app);
    for (size_t i = 0; i < app->kernels.count && done; i++)
        done = import_metrics_attach(builder, &app->kernels.items[i]);
    if (!done)
        return ct_out_of_memory(builder->diags);
    if (trace_set_find(set, app->name) != app)
        return ct_data_error(builder->diags, app->name,
                             "two applications of this name: give one with '--app'");
    return import_kernels_check(builder, app);
}

/* The option `app_name` is the one that is meant of several applications, and the new name of a
 * single one. */
int import_store_take(struct import_builder *builder, struct trace_set *set) {
    size_t first = set->apps.count, taken = 0;
    int status = trace_store_read(builder->store, NULL, set, builder->diags);
    const char *only = set->apps.count > first + 1 ? builder->options.app_name : NULL;
    for (size_t i = first; i < set->apps.count && status == CT_OK; i++)
        status = skip_jobs(builder, set->apps.items[i]) ? CT_OK : CT_USAGE;
    for (size_t i = first; i < set->apps.count && status == CT_OK; i++)
        if (!only || strcmp(set->apps.items[i]->name, only) == 0) {
            status = take_app(builder, set, set->apps.items[i]);
            taken++;
        }
    if (status == CT_OK && only && taken == 0)
        return ct_usage_error(builder->diags, import_place(builder),
                              "holds no application '%s', and more than one that it could name",
                              only);
    return status;
}
