#include "workload/dram_file.h"

#include "format/json_place.h"

#include <stdio.h>
#include <string.h>

/* A number between 0 and 1 in a member of the object at `place`. */
static double read_fraction(struct json_place *place, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    if (!(number >= 0.0 && number <= 1.0))
        json_place_error(place, key,
                         value ? "not a number from 0 to 1" : "missing: a number from 0 to 1");
    return number;
}

static void read_line(struct json_place *place, const json_t *root, struct dram_file *file) {
    size_t length = json_place_enter(place, "line");
    const json_t *line = json_object_get(root, "line");
    file->line_slope = read_fraction(place, line, "c1");
    file->line_base = read_fraction(place, line, "c2");
    if (place->status == CT_OK && file->line_base == 0.0)
        json_place_error(place, "c2", "not above 0: without row hits memory would stand still");
    file->line_r2 = json_number_value(json_object_get(line, "r2"));
    json_place_leave(place, length);
}

/* `before` is the point before it; NULL: in any order. */
static struct dram_point read_point(struct json_place *place, const json_t *item,
                                    const struct dram_point *before) {
    struct dram_point point;
    point.row_hit_rate = read_fraction(place, item, "rbh");
    point.utilisation = read_fraction(place, item, "utilisation");
    if (place->status == CT_OK && before &&
        (point.utilisation == 0.0 || point.row_hit_rate <= before->row_hit_rate ||
         point.utilisation < before->utilisation))
        json_place_error(place, NULL, "the curve does not rise here");
    return point;
}

/* Reads points up to the first mistake. */
static struct dram_file_points read_points(struct json_place *place, const json_t *root,
                                           const char *key, bool rising) {
    const json_t *array = json_object_get(root, key);
    struct dram_point none = {-1.0, 0.0}, *points;
    size_t length = json_place_enter(place, key), count = json_array_size(array);
    points = json_place_take(place, count, sizeof *points);
    for (size_t i = 0; i < count && place->status == CT_OK; i++) {
        const struct dram_point *before = i ? &points[i - 1] : &none;
        size_t inner = json_place_enter_index(place, i);
        points[i] = read_point(place, json_array_get(array, i), rising ? before : NULL);
        json_place_leave(place, inner);
    }
    json_place_leave(place, length);
    return (struct dram_file_points){points, count};
}

static void read_root(struct json_place *place, const json_t *root, void *into) {
    struct dram_file *file = into;
    const char *name = json_string_value(json_object_get(root, "preset"));
    if (!json_place_schema(place, root, DRAM_FILE_SCHEMA, true))
        return;
    read_line(place, root, file);
    if (place->status == CT_OK && json_array_size(json_object_get(root, "curve")) < 2)
        json_place_error(place, "curve", "needs an array of at least two points");
    if (place->status == CT_OK)
        file->curve = read_points(place, root, "curve", true);
    /* What the curve was made of: only a figure wants it. */
    if (place->status == CT_OK)
        file->points = read_points(place, root, "points", false);
    file->name = json_place_keep(place, name ? name : "");
}

int dram_file_read(const char *path, struct dram_file *file, struct ct_arena *arena,
                   struct ct_diags *diags) {
    *file = (struct dram_file){0};
    return json_place_read(path, read_root, file, arena, diags);
}

/* ---- The memory of a GPU ---- */

static bool wants_line(const char *dram) {
    const char *mark = strrchr(dram, '#');
    return mark && strcmp(mark, "#line") == 0;
}

const char *dram_file_of(const char *dram, struct ct_arena *arena, struct ct_diags *diags) {
    const char *mark = strrchr(dram, '#');
    char *name = ct_arena_strdup(arena, dram);
    if (!name)
        ct_out_of_memory(diags);
    if (!name || !mark)
        return name;
    if (!wants_line(dram) && strcmp(mark, "#curve") != 0)
        return ct_null_error(diags, dram, "'%s' is neither '#line' nor '#curve'", mark);
    name[mark - dram] = '\0';
    return name;
}

int dram_file_apply(const char *path, struct gpu *gpu, struct ct_arena *arena,
                    struct ct_diags *diags) {
    struct dram_file file;
    int status = dram_file_read(path, &file, arena, diags);
    if (status != CT_OK)
        return status;
    gpu->dram_line_r2 = file.line_r2;
    if (gpu->hsm_c2 == 0) { /* of the file's own fit, whichever of the two the device follows */
        gpu->hsm_c1 = file.line_slope;
        gpu->hsm_c2 = file.line_base;
    }
    if (wants_line(gpu->dram)) {
        gpu->dram_line_slope = file.line_slope;
        gpu->dram_line_base = file.line_base;
    } else {
        gpu->dram_points = file.curve.items;
        gpu->dram_point_count = file.curve.count;
    }
    return CT_OK;
}

void dram_file_describe(const struct gpu *gpu, char text[DRAM_FILE_TEXT]) {
    char r2[40] = "";
    if (gpu->dram_line_r2 > 0)
        snprintf(r2, sizeof r2, ", R2 %.3f", gpu->dram_line_r2);
    if (!gpu->dram_points)
        snprintf(text, DRAM_FILE_TEXT, "row-buffer line, c1 %.3g, c2 %.3g%s", gpu->dram_line_slope,
                 gpu->dram_line_base, r2);
    else
        snprintf(text, DRAM_FILE_TEXT, "row-buffer curve of %zu points%s%s", gpu->dram_point_count,
                 *r2 ? "; a line has" : "", *r2 ? r2 + 1 : "");
}
