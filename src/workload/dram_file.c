#include "workload/dram_file.h"

#include "format/json_place.h"

/* A number between 0 and 1 in a member of the object at `place`. */
static bool read_fraction(struct json_place *place, const json_t *object, const char *key,
                          double *number, struct ct_diags *diags) {
    const json_t *value = json_object_get(object, key);
    *number = json_is_number(value) ? json_number_value(value) : NAN;
    if (*number >= 0.0 && *number <= 1.0)
        return true;
    ct_error(diags, json_place_member(place, key),
             value ? "not a number from 0 to 1" : "missing: a number from 0 to 1");
    return false;
}

static int read_line(struct json_place *place, const json_t *root, struct dram_file *file,
                     struct ct_diags *diags) {
    size_t length = json_place_enter(place, "line");
    const json_t *line = json_object_get(root, "line");
    bool good = read_fraction(place, line, "c1", &file->line_slope, diags);
    good = read_fraction(place, line, "c2", &file->line_base, diags) && good;
    if (good && file->line_base == 0.0) {
        ct_error(diags, json_place_member(place, "c2"),
                 "not above 0: without row hits memory would stand still");
        good = false;
    }
    file->line_r2 = json_number_value(json_object_get(line, "r2"));
    json_place_leave(place, length);
    return good ? CT_OK : CT_USAGE;
}

/* Appends a point; `before` is the one before it, and becomes this one. */
static int read_point(struct json_place *place, const json_t *item, struct dram_file *file,
                      struct dram_file_point *before, struct ct_diags *diags) {
    struct dram_file_point point;
    bool good = read_fraction(place, item, "rbh", &point.row_hit_rate, diags);
    good = read_fraction(place, item, "utilisation", &point.utilisation, diags) && good;
    if (!good)
        return CT_USAGE;
    if (point.utilisation == 0.0 || point.row_hit_rate <= before->row_hit_rate ||
        point.utilisation < before->utilisation) {
        ct_error(diags, json_place_text(place), "the curve does not rise here");
        return CT_USAGE;
    }
    *before = point;
    return ct_vec_push(&file->curve, point) ? CT_OK : ct_out_of_memory(diags);
}

static int read_curve(struct json_place *place, const json_t *root, struct dram_file *file,
                      struct ct_diags *diags) {
    const json_t *curve = json_object_get(root, "curve");
    if (json_array_size(curve) < 2) {
        ct_error(diags, json_place_member(place, "curve"), "needs an array of at least two points");
        return CT_USAGE;
    }
    int status = CT_OK;
    struct dram_file_point before = {-1.0, 0.0};
    size_t length = json_place_enter(place, "curve");
    for (size_t i = 0; i < json_array_size(curve) && status == CT_OK; i++) {
        size_t inner = json_place_enter_index(place, i);
        status = read_point(place, json_array_get(curve, i), file, &before, diags);
        json_place_leave(place, inner);
    }
    json_place_leave(place, length);
    return status;
}

/* What the curve was made of: only a figure wants it. */
static int read_points(struct json_place *place, const json_t *root, struct dram_file *file,
                       struct ct_diags *diags) {
    const json_t *points = json_object_get(root, "points");
    int status = CT_OK;
    size_t length = json_place_enter(place, "points");
    for (size_t i = 0; i < json_array_size(points) && status == CT_OK; i++) {
        struct dram_file_point point;
        const json_t *item = json_array_get(points, i);
        size_t inner = json_place_enter_index(place, i);
        if (!read_fraction(place, item, "rbh", &point.row_hit_rate, diags) ||
            !read_fraction(place, item, "utilisation", &point.utilisation, diags))
            status = CT_USAGE;
        else if (!ct_vec_push(&file->points, point))
            status = ct_out_of_memory(diags);
        json_place_leave(place, inner);
    }
    json_place_leave(place, length);
    return status;
}

static void read_name(const json_t *root, struct dram_file *file) {
    const char *name = json_string_value(json_object_get(root, "preset"));
    snprintf(file->name, sizeof file->name, "%s", name ? name : "");
}

static int read_root(struct json_place *place, const json_t *root, void *into,
                     struct ct_arena *arena, struct ct_diags *diags) {
    (void)arena; /* nothing but numbers */
    struct dram_file *file = into;
    int status = json_place_schema(place, root, DRAM_FILE_SCHEMA, true, diags) ? CT_OK : CT_USAGE;
    if (status == CT_OK)
        status = read_line(place, root, file, diags);
    if (status == CT_OK)
        status = read_curve(place, root, file, diags);
    if (status == CT_OK)
        status = read_points(place, root, file, diags);
    read_name(root, file);
    return status;
}

int dram_file_read(const char *path, struct dram_file *file, struct ct_diags *diags) {
    *file = (struct dram_file){0};
    int status = json_place_read(path, read_root, file, NULL, diags);
    if (status != CT_OK)
        dram_file_free(file);
    return status;
}

void dram_file_free(struct dram_file *file) {
    ct_vec_free(&file->curve);
    ct_vec_free(&file->points);
}
