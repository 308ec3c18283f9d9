/* The bank-level model of one DRAM channel alone. */
#include "cmd/cmd_dram.h"
#include "base/ct_arena.h"
#include "base/ct_option_value.h"
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cmd/commands.h"
#include "format/json_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

const struct cli_command command_dram = {
    .name = "dram",
    .operands = "[fit]",
    .summary = "run the bank-level DRAM model alone, or fit a line and a curve to it",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .run = cmd_dram,
};

/* What the command line asks for. */
struct request {
    struct dram_preset preset;
    struct dram_bank_app apps[DRAM_APPS_MOST];
    struct dram_bank_params params;
};

static bool read_preset(const struct cli_args *args, struct request *request,
                        struct ct_diags *diags) {
    const char *name = cli_value(args, "preset");
    const struct dram_preset *preset = dram_preset_find(name ? name : "hsm-hbm");
    const char *names[16];
    size_t count = 0;
    if (preset) {
        request->preset = *preset;
        return true;
    }
    for (preset = dram_presets; preset->name && count < CT_COUNT_OF(names); preset++)
        names[count++] = preset->name;
    ct_unknown(diags, "preset", name, names, count);
    return false;
}

static int set_one(struct request *request, const char *assignment, struct ct_arena *arena,
                   struct ct_diags *diags) {
    const char *equals = strchr(assignment, '=');
    if (!equals) {
        ct_error(diags, "--set", "'%s' is no assignment: KEY=VALUE", assignment);
        return CT_USAGE;
    }
    char *key = ct_arena_strndup(arena, assignment, (size_t)(equals - assignment));
    if (!key)
        return ct_out_of_memory(diags);
    return ct_option_set(dram_preset_options, key, equals + 1, &request->preset, arena, "--set",
                         diags);
}

static int set_all(const struct cli_args *args, struct request *request, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    int status = CT_OK;
    for (size_t i = 0; cli_value_at(args, "set", i) && status != CT_DATA; i++) {
        int one = set_one(request, cli_value_at(args, "set", i), &arena, diags);
        status = one != CT_OK ? one : status;
    }
    ct_arena_free(&arena);
    return status;
}

/* "0.2:0.5,0.8:0.5" */
static bool read_apps(const char *text, struct request *request, struct ct_diags *diags) {
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
            return false;
        }
        request->params.app_count = n + 1;
        if (*end == '\0')
            return true;
        at = end + 1;
    }
    ct_error(diags, "", "'--apps' names more than %d applications", DRAM_APPS_MOST);
    return false;
}

static void read_numbers(const struct cli_args *args, struct request *request,
                         struct ct_diags *diags) {
    struct dram_bank_params *params = &request->params;
    int64_t seed = 1;
    cli_double(args, "locality", 0, 1, &request->apps[0].locality, diags);
    cli_double(args, "reads", 0, 1, &params->reads, diags);
    cli_int(args, "streams", 1, DRAM_STREAMS_MOST, &params->streams, diags);
    cli_int(args, "cap", 0, 1000000, &params->cap, diags);
    cli_int(args, "queue", 1, DRAM_QUEUE_MOST, &params->queue, diags);
    cli_int(args, "requests", 1, INT64_C(1000000000000), &params->requests, diags);
    cli_int(args, "seed", 0, INT64_MAX, &seed, diags);
    params->seed = (uint64_t)seed;
    params->refresh = !cli_has(args, "no-refresh");
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

static int read_request(const struct cli_args *args, struct request *request,
                        struct ct_diags *diags) {
    if (!read_preset(args, request, diags) || set_all(args, request, diags) != CT_OK)
        return CT_USAGE;
    request->apps[0] = (struct dram_bank_app){0.5, 1.0};
    request->params = (struct dram_bank_params){.preset = &request->preset,
                                                .apps = request->apps,
                                                .app_count = 1,
                                                .reads = 1.0,
                                                .streams = request->preset.streams,
                                                .queue = DRAM_QUEUE,
                                                .requests = 200000};
    read_numbers(args, request, diags);
    return diags->errors ? CT_USAGE : CT_OK;
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
    json_writer_double(&json, "rbh", r->row_hit_rate);
    json_writer_double(&json, "utilisation", r->utilisation);
    json_writer_double(&json, "bandwidth_gb_s", o->bandwidth_gb_s);
    json_writer_double(&json, "requests_per_s", o->requests_per_s);
    json_writer_integer(&json, "cycles", r->cycles);
    json_writer_string(&json, "preset", request->preset.name);
    json_writer_double(&json, "peak_gb_s", dram_preset_bytes_per_s(&request->preset) / 1e9);
    json_writer_integer(&json, "channels", request->preset.channels);
    json_writer_integer(&json, "requests", r->requests);
    json_writer_integer(&json, "activates", r->activates);
    json_writer_integer(&json, "refreshes", r->refreshes);
    json_writer_integer(&json, "turnarounds", r->turnarounds);
    json_writer_begin_array(&json, "apps");
    for (size_t a = 0; a < request->params.app_count; a++) {
        json_writer_begin_object(&json, NULL);
        json_writer_double(&json, "locality", request->apps[a].locality);
        json_writer_double(&json, "queue_share", r->apps[a].queue_share);
        json_writer_double(&json, "bandwidth_share", r->apps[a].bandwidth_share);
        json_writer_double(&json, "rbh", r->apps[a].row_hit_rate);
        json_writer_end_object(&json);
    }
    json_writer_end_array(&json);
    if (!isnan(o->host_requests_per_s))
        json_writer_double(&json, "host_requests_per_s", o->host_requests_per_s);
    json_writer_end_object(&json);
    putchar('\n');
}

static int print_apps(const struct request *request, const struct outcome *o) {
    static const struct cli_column columns[] = {
        {"app", "app", true},
        {"locality", "locality", true},
        {"queue share", "queue_share", true},
        {"bandwidth share", "bandwidth_share", true},
        {"GB/s", "bandwidth_gb_s", true},
        {"row hits", "rbh", true},
    };
    struct cli_table table;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t a = 0; a < request->params.app_count; a++) {
        const struct dram_bank_app_result *app = &o->result.apps[a];
        cli_table_cell(&table, "%zu", a + 1);
        cli_table_number(&table, request->apps[a].locality, 3);
        cli_table_number(&table, app->queue_share, 3);
        cli_table_number(&table, app->bandwidth_share, 3);
        cli_table_number(&table, app->bandwidth_share * o->bandwidth_gb_s, 1);
        cli_table_number(&table, app->row_hit_rate, 3);
    }
    return cli_table_print(&table, stdout, CLI_TEXT);
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

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int run_once(const struct cli_args *args, const struct request *request, bool as_json,
                    struct ct_diags *diags) {
    struct outcome o = {.host_requests_per_s = NAN};
    double begin = seconds_now();
    int status = dram_bank_run(&request->params, &o.result, diags);
    if (status != CT_OK)
        return status;
    if (cli_has(args, "timing"))
        o.host_requests_per_s = (double)o.result.requests / (seconds_now() - begin);
    double peak = dram_preset_bytes_per_s(&request->preset);
    o.bandwidth_gb_s = o.result.utilisation * peak / 1e9;
    o.requests_per_s = o.result.utilisation * peak / (double)request->preset.request_bytes;
    if (!as_json)
        return print_text(request, &o);
    print_json(request, &o);
    return CT_OK;
}

int cmd_dram(int argc, char **argv) {
    static const char *const formats[] = {"text", "json", NULL};
    struct cli_args args;
    struct ct_diags diags = {0};
    struct request request;
    int status = cli_parse(&args, &command_dram, argc, argv);
    if (status != CLI_GO_ON)
        return status;
    bool fit = args.operand_count > 0;
    if (fit && strcmp(args.operands[0], "fit") != 0) {
        static const char *const words[] = {"fit"};
        ct_unknown(&diags, "word", args.operands[0], words, CT_COUNT_OF(words));
        return cli_finish(&args, &diags, CT_USAGE);
    }
    int format = cli_choice(&args, "format", formats, 0, &diags);
    check_use(&args, fit, &diags);
    if (read_request(&args, &request, &diags) != CT_OK || diags.errors)
        return cli_finish(&args, &diags, CT_USAGE);
    if (fit)
        status = cmd_dram_fit(&request.params, cli_value(&args, "output"), args.quiet, &diags);
    else
        status = run_once(&args, &request, format == 1, &diags);
    return cli_finish(&args, &diags, status);
}
