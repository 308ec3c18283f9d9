/* `cotenant dram fit`: the bank-level model as a line and a curve in a file. */
#include "cmd/cmd_dram.h"
#include "format/json_writer.h"
#include "format/output_file.h"
#include "models/device/dram_fit.h"
#include "workload/dram_file.h"

static void write_points(struct json_writer *json, const struct dram_fit *fit) {
    json_writer_begin_array(json, "curve");
    for (int i = 0; i < DRAM_FIT_POINTS; i++)
        json_writer_object(json, NULL, "rbh", fit->curve[i].row_hit_rate, "utilisation",
                           fit->curve[i].utilisation);
    json_writer_end_array(json);
    json_writer_double(json, "curve_lift", fit->curve_lift);
    json_writer_begin_array(json, "points");
    for (int i = 0; i < DRAM_FIT_POINTS; i++) {
        const struct dram_fit_point *p = &fit->points[i];
        json_writer_object(json, NULL, "locality", p->locality, "rbh", p->row_hit_rate,
                           "utilisation", p->utilisation, "residual", p->residual);
    }
    json_writer_end_array(json);
    json_writer_begin_array(json, "rbh_shift");
    for (int i = 0; i < DRAM_FIT_SHIFTS; i++) {
        const struct dram_fit_shift *s = &fit->shifts[i];
        json_writer_object(json, NULL, "streams", s->streams, "cap", s->cap, "share", s->share,
                           "mean", s->mean, "worst", s->worst);
    }
    json_writer_end_array(json);
}

static void write_fit(FILE *out, const struct dram_bank_params *params,
                      const struct dram_fit *fit) {
    struct json_writer json = json_writer_start(out, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "schema", DRAM_FILE_SCHEMA, "preset", params->preset->name,
                        "peak_gb_s", dram_preset_bytes_per_s(params->preset) / 1e9);
    json_writer_object(&json, "settings", "reads", params->reads, "streams", params->streams, "cap",
                       params->cap, "queue", params->queue, "refresh", params->refresh, "requests",
                       params->requests, "seed", params->seed);
    json_writer_object(&json, "line", "c1", fit->slope, "c2", fit->base, "r2", fit->r2,
                       "worst_residual", fit->worst_residual);
    write_points(&json, fit);
    json_writer_end_object(&json);
    fputc('\n', out);
}

int cmd_dram_fit(const struct dram_bank_params *params, const char *path, bool quiet,
                 struct ct_diags *diags) {
    struct dram_fit fit;
    struct output_file output = {0};
    if (!output_file_open(&output, path, diags))
        return CT_DATA;
    int status = dram_fit_run(params, &fit, diags);
    if (status == CT_OK)
        write_fit(output.file, params, &fit);
    status = output_file_close(&output, status, diags);
    if (status != CT_OK || quiet)
        return status;
    printf("line: utilisation = %.3f RBH + %.3f, R2 %.3f, residuals up to %.3f\n", fit.slope,
           fit.base, fit.r2, fit.worst_residual);
    printf("curve: %d points from %.3f at RBH %.2f to %.3f at RBH %.2f, in %s\n", DRAM_FIT_POINTS,
           fit.curve[0].utilisation, fit.curve[0].row_hit_rate,
           fit.curve[DRAM_FIT_POINTS - 1].utilisation, fit.curve[DRAM_FIT_POINTS - 1].row_hit_rate,
           path);
    return status;
}
