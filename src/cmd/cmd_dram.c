/* The bank-level model of one DRAM channel alone. */
#include "base/ct_arena.h"
#include "base/ct_option_value.h"
#include "cli/cli.h"
#include "cmd/commands.h"
#include "format/json_writer.h"
#include "format/output_file.h"
#include "models/device/dram_fit.h"
#include "workload/dram_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"preset", 0, "P", "timing set: hsm-hbm, hsm-gddr5, hbm2, hbm3, gddr5x or gddr6 (hsm-hbm)"},
    {"locality", 0, "H",
     "chance that a request stays in the row of the one before in its stream (0.5)"},
    {"apps", 0, "H:SHARE,...", "several applications instead: locality and share of the queue"},
    {"reads", 0, "R", "fraction of requests that read (1)"},
    {"streams", 0, "S", "interleaved streams per application (as the preset says)"},
    {"cap", 0, "N",
     "row hits that may pass an older request to their bank (0: any number; HSM: 5)"},
    {"queue", 0, "N", "entries of the controller's queue (64)"},
    {"requests", 0, "N", "requests to measure (200000)"},
    {"seed", 0, "N", "of the random addresses (1)"},
    {"no-refresh", 0, NULL, "without refresh"},
    {"set", 's', "KEY=VALUE", "change a number of the preset: tFAW=16; may be repeated"},
    {"format", 'f', "text|json", "form of the result (text)"},
    {"timing", 0, NULL, "also say how fast the simulation was (differs from run to run)"},
    {"output", 'o', "D.json", "where 'fit' writes the line and the curve (needed there)"},
    {0},
};

/* What the command line asks for. */
struct request {
    struct dram_preset preset;
    struct dram_bank_app apps[DRAM_APPS_MOST];
    struct dram_bank_params params;
};

static bool read_preset(const struct cli_args *args, struct request *request,
                        struct ct_diags *diags) {
    const char *name = cli_value(args, "preset"), *names[16];
    size_t count = 0;
    for (; count < CT_COUNT_OF(names) && dram_presets[count].name; count++)
        names[count] = dram_presets[count].name;
    size_t index = cli_index("preset", name ? name : "hsm-hbm", names, count, diags);
    if (index < count)
        request->preset = dram_presets[index];
    return index < count;
}

static bool set_all(const struct cli_args *args, struct request *request, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    const char *key, *value;
    size_t before = diags->errors, count;
    const char *const *texts = cli_values(args, "set", &count);
    for (size_t i = 0; i < count && !diags->no_memory; i++)
        if ((key = cli_assignment(texts[i], &value, &arena, diags)))
            ct_option_set(dram_preset_options, key, value, &request->preset, &arena, "--set",
                          diags);
    ct_arena_free(&arena);
    return diags->errors == before;
}

/* "0.2:0.5,0.8:0.5" */
static void read_apps(const char *text, struct request *request, struct ct_diags *diags) {
    const char *at = text;
    for (size_t n = 0; n < DRAM_APPS_MOST; n++) {
        char *end;
        request->apps[n].locality = strtod(at, &end);
        bool good = end != at && *end == ':';
        at = good ? end + 1 : end;
        request->apps[n].share = good ? strtod(at, &end) : NAN;
        good = good && end != at && (*end == ',' || *end == '\0');
        if (!good) {
            ct_error(diags, "",
                     "'%s' of '--apps' is not a list of LOCALITY:SHARE, such as 0.2:0.5,0.8:0.5",
                     text);
            return;
        }
        request->params.app_count = n + 1;
        if (*end == '\0')
            return;
        at = end + 1;
    }
    ct_error(diags, "", "'--apps' names more than %d applications", DRAM_APPS_MOST);
}

static void read_numbers(const struct cli_args *args, struct request *request,
                         struct ct_diags *diags) {
    struct dram_bank_params *params = &request->params;
    request->apps[0] = (struct dram_bank_app){cli_double(args, "locality", 0, 1, 0.5, diags), 1.0};
    *params = (struct dram_bank_params){.preset = &request->preset,
                                        .apps = request->apps,
                                        .app_count = 1,
                                        .refresh = !cli_has(args, "no-refresh")};
    params->reads = cli_double(args, "reads", 0, 1, 1, diags);
    params->streams =
        cli_int(args, "streams", 1, DRAM_STREAMS_MOST, request->preset.streams, diags);
    params->cap = cli_int(args, "cap", 0, 1000000, 0, diags);
    params->queue = cli_int(args, "queue", 1, DRAM_QUEUE_MOST, DRAM_QUEUE, diags);
    params->requests = cli_int(args, "requests", 1, INT64_C(1000000000000), 200000, diags);
    params->seed = (uint64_t)cli_int(args, "seed", 0, INT64_MAX, 1, diags);
    if (cli_value(args, "apps"))
        read_apps(cli_value(args, "apps"), request, diags);
}

/* Options that would change nothing. */
static void check_use(const struct cli_args *args, bool fit, struct ct_diags *diags) {
    static const char *const not_of_fit[] = {"locality", "apps", "format", "timing"};
    for (size_t i = 0; fit && i < CT_COUNT_OF(not_of_fit); i++)
        if (cli_has(args, not_of_fit[i]))
            ct_error(diags, "", "'--%s' changes nothing in 'dram fit'", not_of_fit[i]);
    if (fit && !cli_value(args, "output"))
        ct_error(diags, "", "'dram fit' needs '-o D.json'");
    if (!fit && cli_has(args, "output"))
        ct_error(diags, "", "'--output' is for 'dram fit'");
    if (cli_has(args, "locality") && cli_has(args, "apps"))
        ct_error(diags, "", "'--locality' changes nothing beside '--apps'");
}

/* ---- the result ---- */

struct outcome {
    struct dram_bank_result result;
    double bandwidth_gb_s, requests_per_s; /* of the whole memory, in its own time */
    double host_requests_per_s;            /* NAN: not asked for */
};

static void print_json(const struct request *request, const struct outcome *o) {
    const struct dram_bank_result *r = &o->result;
    struct json_writer json = json_writer_start(stdout, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "rbh", r->row_hit_rate, "utilisation", r->utilisation,
                        "bandwidth_gb_s", o->bandwidth_gb_s, "requests_per_s", o->requests_per_s,
                        "cycles", r->cycles, "preset", request->preset.name, "peak_gb_s",
                        dram_preset_bytes_per_s(&request->preset) / 1e9, "channels",
                        request->preset.channels, "requests", r->requests, "activates",
                        r->activates, "refreshes", r->refreshes, "turnarounds", r->turnarounds);
    json_writer_begin_array(&json, "apps");
    for (size_t a = 0; a < request->params.app_count; a++)
        json_writer_object(&json, NULL, "locality", request->apps[a].locality, "queue_share",
                           r->apps[a].queue_share, "bandwidth_share", r->apps[a].bandwidth_share,
                           "rbh", r->apps[a].row_hit_rate);
    json_writer_end_array(&json);
    if (!isnan(o->host_requests_per_s))
        json_writer_double(&json, "host_requests_per_s", o->host_requests_per_s);
    json_writer_end_object(&json);
    putchar('\n');
}

static int print_apps(const struct request *request, const struct outcome *o) {
    struct table table =
        table_start("app:0 | locality:3 | queue share:3 | bandwidth share:3 | GB/s:1 | row hits:3");
    for (size_t a = 0; a < request->params.app_count; a++) {
        const struct dram_bank_app_result *app = &o->result.apps[a];
        table_row(&table, a + 1, request->apps[a].locality, app->queue_share, app->bandwidth_share,
                  app->bandwidth_share * o->bandwidth_gb_s, app->row_hit_rate);
    }
    return cli_table_print(&table, TABLE_TEXT);
}

static int print_text(const struct request *request, const struct outcome *o) {
    const struct dram_bank_result *r = &o->result;
    printf("%s: %s\n", request->preset.name, request->preset.title);
    printf("row hits       %8.4f\n", r->row_hit_rate);
    printf("utilisation    %8.4f of the data cycles of a channel\n", r->utilisation);
    printf("bandwidth      %8.1f GB/s of %.1f over %" PRId64 " channels\n", o->bandwidth_gb_s,
           dram_preset_bytes_per_s(&request->preset) / 1e9, request->preset.channels);
    printf("requests/s     %8.3g of %" PRId64 " bytes\n", o->requests_per_s,
           request->preset.request_bytes);
    printf("cycles         %8" PRId64 " for %" PRId64 " requests: %" PRId64 " activates, %" PRId64
           " refreshes,\n                        %" PRId64 " turnarounds of the bus\n",
           r->cycles, r->requests, r->activates, r->refreshes, r->turnarounds);
    if (!isnan(o->host_requests_per_s))
        printf("simulated      %8.3g requests per second of this machine\n",
               o->host_requests_per_s);
    return request->params.app_count > 1 ? print_apps(request, o) : CT_OK;
}

static int run_once(const struct cli_args *args, const struct request *request, bool as_json,
                    struct ct_diags *diags) {
    struct outcome o = {.host_requests_per_s = NAN};
    double begin = cli_seconds_now();
    int status = dram_bank_run(&request->params, &o.result, diags);
    if (status != CT_OK)
        return status;
    if (cli_has(args, "timing"))
        o.host_requests_per_s = (double)o.result.requests / (cli_seconds_now() - begin);
    double peak = dram_preset_bytes_per_s(&request->preset);
    o.bandwidth_gb_s = o.result.utilisation * peak / 1e9;
    o.requests_per_s = o.result.utilisation * peak / (double)request->preset.request_bytes;
    if (!as_json)
        return print_text(request, &o);
    print_json(request, &o);
    return CT_OK;
}

/* ---- dram fit: a line and a curve in a file ---- */

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

static int fit_to_file(const struct dram_bank_params *params, const char *path, bool quiet,
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

static int cmd_dram(struct cli_args *args, struct ct_diags *diags) {
    static const char *const formats[] = {"text", "json", NULL};
    struct request request;
    bool fit = args->operand_count > 0;
    static const char *const words[] = {"fit"};
    if (fit && cli_index("word", args->operands[0], words, 1, diags) == 1)
        return CT_USAGE;
    int format = cli_choice(args, "format", formats, 0, diags);
    check_use(args, fit, diags);
    if (!read_preset(args, &request, diags) || !set_all(args, &request, diags))
        return CT_USAGE;
    read_numbers(args, &request, diags);
    if (diags->errors)
        return CT_USAGE;
    return fit ? fit_to_file(&request.params, cli_value(args, "output"), args->quiet, diags)
               : run_once(args, &request, format == 1, diags);
}

CLI_COMMAND(dram, "[fit]", 0, 1,
            "run the bank-level DRAM model alone, or fit a line and a curve to it");
