#include "cmd/import_kinds.h"

#include "format/output_file.h"
#include "workload/stamps_reader.h"

#include <stdio.h>

/* What was read; columns beside the stamps that are not there are NULL. */
struct requests {
    const ct_time_ps *stamps;
    const char *columns[STAMPS_NUMBERS];
    const int64_t *numbers[STAMPS_NUMBERS];
    size_t count;
    ct_time_ps span;
};

static void write_requests(FILE *out, const struct requests *requests) {
    fputs("seconds", out);
    for (size_t i = 0; i < STAMPS_NUMBERS; i++)
        if (requests->columns[i])
            fprintf(out, ",%s", requests->columns[i]);
    fputc('\n', out);
    for (size_t r = 0; r < requests->count; r++) {
        long long us = (long long)((requests->stamps[r] + CT_PS_PER_US / 2) / CT_PS_PER_US);
        fprintf(out, "%lld.%06lld", us / 1000000, us % 1000000);
        for (size_t i = 0; i < STAMPS_NUMBERS; i++)
            if (requests->columns[i])
                fprintf(out, ",%lld", (long long)requests->numbers[i][r]);
        fputc('\n', out);
    }
}

static void say(const struct requests *requests) {
    printf("%zu arrivals in %.1f s, %.3f per second", requests->count, ct_time_s(requests->span),
           requests->span > 0 ? (double)(requests->count - 1) / ct_time_s(requests->span) : 0);
    for (size_t i = 0; i < STAMPS_NUMBERS; i++)
        if (requests->columns[i])
            printf(", with %s", requests->columns[i]);
    putchar('\n');
}

int import_arrivals(const struct cli_args *args, struct ct_diags *diags) {
    const char *column = cli_value(args, "column"), *output = cli_value(args, "output"),
               *file = args->operands[1];
    struct ct_arena arena = {0};
    struct requests r = {0};
    struct output_file written = {0};
    if (!output || args->operand_count != 2)
        return ct_usage_error(
            diags, "",
            "'import arrivals' needs one FILE, '-o OUT.csv', and of a CSV file '--column NAME'");
    int status = column ? stamps_read(file, column, &arena, &r.stamps, &r.count, &r.span, diags)
                        : stamps_read_server(file, &arena, &r.stamps, r.columns, r.numbers,
                                             &r.count, &r.span, diags);
    if (status == CT_OK && !output_file_open(&written, output, diags))
        status = CT_DATA;
    if (status == CT_OK)
        write_requests(written.file, &r);
    status = output_file_close(&written, status, diags);
    if (status == CT_OK && !args->quiet)
        say(&r);
    ct_arena_free(&arena);
    return status;
}
