#include "workload/demand.h"

#include "format/json_place.h"

static const char schema[] = "cotenant.demand/2";
static const char *const launches[] = {"partial", "full"};

static int64_t read_count(struct json_place *place, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    int64_t count = json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
    if (count < 0)
        json_place_error(place, key, "'%s' is no count", key);
    return count;
}

static void read_quantiles(struct json_place *place, const json_t *object, const char *key,
                           double quantiles[DEMAND_LEVELS]) {
    const json_t *list = json_object_get(object, key);
    bool good = json_array_size(list) == DEMAND_LEVELS;
    for (size_t i = 0; i < DEMAND_LEVELS && good; i++) {
        const json_t *value = json_array_get(list, i);
        quantiles[i] = json_number_value(value);
        good = json_is_number(value) && quantiles[i] >= (i ? quantiles[i - 1] : 0) &&
               quantiles[i] <= 1;
    }
    if (!good)
        json_place_error(place, key, "not an array of %d rising numbers from 0 to 1",
                         DEMAND_LEVELS);
}

static void read_cell(struct json_place *place, const json_t *launch_cells, int launch,
                      struct demand_cell *cell) {
    const json_t *object = json_object_get(launch_cells, launches[launch]);
    size_t length = json_place_enter(place, launches[launch]);
    cell->applications = read_count(place, object, "applications");
    cell->kernels = read_count(place, object, "kernels");
    read_quantiles(place, object, "quantiles", cell->quantiles);
    read_quantiles(place, object, "units", cell->units);
    json_place_leave(place, length);
}

static void read_root(struct json_place *place, const json_t *root, void *into) {
    struct demand_file *file = into;
    if (!json_place_schema(place, root, schema, true))
        return;
    file->gpu = json_place_string(place, root, "gpu");
    file->source = json_place_string(place, root, "source");
    const json_t *classes = json_object_get(root, "classes");
    size_t outer = json_place_enter(place, "classes");
    for (int class = 0; class < KERNEL_CLASSES; class ++) {
        const json_t *cells = json_object_get(classes, kernel_class_names[class]);
        size_t inner = json_place_enter(place, kernel_class_names[class]);
        for (int launch = 0; launch < 2; launch++)
            read_cell(place, cells, launch, &file->cells[class][launch]);
        json_place_leave(place, inner);
    }
    json_place_leave(place, outer);
}

int demand_file_read(const char *path, struct demand_file *file, struct ct_arena *arena,
                     struct ct_diags *diags) {
    *file = (struct demand_file){0};
    return json_place_read(path, read_root, file, arena, diags);
}

int demand_file_shipped(struct demand_file *file, struct ct_arena *arena, struct ct_diags *diags) {
    const char *path = share_find(arena, diags->files, "demand", "classes.json", NULL);
    if (path)
        return demand_file_read(path, file, arena, diags);
    return ct_data_error(diags, "demand/classes.json", "is missing from the share folder");
}

/* ---- Draws ---- */

/* Where the quantiles of struct demand_cell stand. */
static const double levels[DEMAND_LEVELS] = {0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1};

double demand_quantile_at(const double quantiles[DEMAND_LEVELS], double level) {
    int above = 1;
    while (above < DEMAND_LEVELS - 1 && level > levels[above])
        above++;
    double part = (level - levels[above - 1]) / (levels[above] - levels[above - 1]);
    double below = quantiles[above - 1];
    return below + part * (quantiles[above] - below);
}

static const struct demand_cell *cell_of(const struct demand_file *file,
                                         const struct trace_kernel *kernel, const struct gpu *gpu) {
    return &file->cells[trace_kernel_class(kernel)][kernel_fills_gpu(gpu, kernel)];
}

double demand_draw_of(const struct demand_draw *draw, const struct trace_kernel *kernel,
                      const struct gpu *recorded) {
    return demand_quantile_at(cell_of(draw->file, kernel, recorded)->quantiles,
                              draw->levels[trace_kernel_class(kernel)]);
}

double demand_units_of(const struct demand_file *file, const struct trace_kernel *kernel,
                       const struct gpu *recorded, double level) {
    return fmin(demand_quantile_at(cell_of(file, kernel, recorded)->units, level),
                (double)trace_kernel_blocks(kernel) / (double)recorded->sms);
}

static bool is_unknown(const struct kernel_profile *profile) {
    return profile->demand_provenance == CT_UNKNOWN || profile->units_provenance == CT_CLASS;
}

bool demand_is_unknown(const struct setup *setup) {
    bool unknown = false;
    for (uint32_t a = 0; a < setup->app_count; a++)
        for (size_t k = 0; !setup->apps[a].synthetic && k < setup->apps[a].trace->kernels.count;
             k++)
            unknown |= is_unknown(&setup->apps[a].profiles[k]);
    return unknown;
}

/* Width of the band that holds 90 %. */
static double width_of(const double quantiles[DEMAND_LEVELS]) {
    return quantiles[DEMAND_HIGH] - quantiles[DEMAND_LOW];
}

/* Whether a launch is full is asked of the workload's GPU here, which the draw asks of the recorded
 * one: this only ranks the classes. */
static void add_kernel(const struct setup *setup, const struct setup_app *app, size_t k,
                       const struct demand_file *file, struct demand_unknown *unknown) {
    const struct kernel_profile *profile = &app->profiles[k];
    const struct trace_kernel *kernel = &app->trace->kernels.items[k];
    enum kernel_class class = trace_kernel_class(kernel);
    const struct demand_cell *cell = cell_of(file, kernel, &setup->gpu);
    double time = app->kernel_work_ps[k];
    unknown->time[class] += time;
    if (profile->demand_provenance == CT_UNKNOWN) {
        unknown->memory += time;
        unknown->stake[class] += time * width_of(cell->quantiles);
    }
    if (profile->units_provenance == CT_CLASS)
        unknown->stake[class] += time * width_of(cell->units);
}

struct demand_unknown demand_unknown_of(const struct setup *setup, const struct demand_file *file) {
    struct demand_unknown unknown = {.all = 0};
    double all = 0, on_gpu = setup->gpu_time.all_ps;
    for (uint32_t a = 0; a < setup->app_count; a++) {
        const struct setup_app *app = &setup->apps[a];
        for (uint32_t p = 0; p < app->plan_count; p++)
            all += app->plans[p].work_ps;
        for (size_t k = 0; !app->synthetic && k < app->trace->kernels.count; k++)
            if (app->kernel_work_ps[k] > 0 && is_unknown(&app->profiles[k]))
                add_kernel(setup, app, k, file, &unknown);
    }
    unknown.memory = on_gpu > 0 ? unknown.memory / on_gpu : 0;
    for (int class = 0; class < KERNEL_CLASSES && all > 0; class ++) {
        unknown.time[class] /= all;
        unknown.stake[class] /= all;
        unknown.all += unknown.time[class];
    }
    return unknown;
}
