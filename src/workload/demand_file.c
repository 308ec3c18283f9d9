#include "workload/demand_file.h"

#include "format/json_place.h"
#include "workload/workload.h"

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
    ct_error(diags, "demand/classes.json", "is missing from the share folder");
    return CT_DATA;
}
