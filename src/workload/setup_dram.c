#include "workload/setup_dram.h"

#include "models/device/dram.h"
#include "workload/dram_file.h"

#include <stdio.h>
#include <string.h>

static bool wants_line(const char *dram) {
    const char *mark = strrchr(dram, '#');
    return mark && strcmp(mark, "#line") == 0;
}

const char *setup_dram_file(const char *dram, struct ct_arena *arena, struct ct_diags *diags) {
    const char *mark = strrchr(dram, '#');
    char *name = ct_arena_strdup(arena, dram);
    if (!name)
        ct_out_of_memory(diags);
    if (!name || !mark)
        return name;
    if (!wants_line(dram) && strcmp(mark, "#curve") != 0) {
        ct_error(diags, dram, "'%s' is neither '#line' nor '#curve'", mark);
        return NULL;
    }
    name[mark - dram] = '\0';
    return name;
}

static int use_curve(struct gpu *gpu, const struct dram_file *file, struct ct_arena *arena,
                     struct ct_diags *diags) {
    struct dram_point *points = ct_arena_array(arena, file->curve.count, sizeof *points);
    if (!points)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < file->curve.count; i++)
        points[i] = (struct dram_point){file->curve.items[i].row_hit_rate,
                                        file->curve.items[i].utilisation};
    gpu->dram_points = points;
    gpu->dram_point_count = file->curve.count;
    return CT_OK;
}

int setup_dram_read(struct gpu *gpu, const char *path, struct ct_arena *arena,
                    struct ct_diags *diags) {
    struct dram_file file;
    int status = dram_file_read(path, &file, diags);
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
        status = use_curve(gpu, &file, arena, diags);
    }
    dram_file_free(&file);
    return status;
}

void setup_dram_describe(const struct gpu *gpu, char text[SETUP_DRAM_TEXT]) {
    char r2[40] = "";
    if (gpu->dram_line_r2 > 0)
        snprintf(r2, sizeof r2, ", R2 %.3f", gpu->dram_line_r2);
    if (!gpu->dram_points)
        snprintf(text, SETUP_DRAM_TEXT, "row-buffer line, c1 %.3g, c2 %.3g%s", gpu->dram_line_slope,
                 gpu->dram_line_base, r2);
    else
        snprintf(text, SETUP_DRAM_TEXT, "row-buffer curve of %zu points%s%s", gpu->dram_point_count,
                 *r2 ? "; a line has" : "", *r2 ? r2 + 1 : "");
}
