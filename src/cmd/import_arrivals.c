#include "cmd/import_kinds.h"

#include "format/output_file.h"
#include "workload/stamps_reader.h"

#include <stdio.h>

static void write_requests(FILE *out, const struct stamps *requests) {
    fputs("seconds", out);
    for (size_t i = 0; i < STAMPS_NUMBERS; i++)
        if (requests->columns[i])
            fprintf(out, ",%s", requests->columns[i]);
    fputc('\n', out);
    for (size_t r = 0; r < requests->count; r++) {
        long long us = (long long)((requests->times[r] + CT_PS_PER_US / 2) / CT_PS_PER_US);
        fprintf(out, "%lld.%06lld", us / 1000000, us % 1000000);
        for (size_t i = 0; i < STAMPS_NUMBERS; i++)
            if (requests->columns[i])
                fprintf(out, ",%lld", (long long)requests->numbers[i][r]);
        fputc('\n', out);
    }
}

static void say(const struct stamps *requests) {
    printf("%zu arrivals in %.1f s, %.3f per second", requests->count, ct_time_s(requests->span_ps),
           requests->span_ps > 0 ? (double)(requests->count - 1) / ct_time_s(requests->span_ps)
                                 : 0);
    for (size_t i = 0; i < STAMPS_NUMBERS; i++)
        if (requests->columns[i])
            printf(", with %s", requests->columns[i]);
    putchar('\n');
}

int import_arrivals(const struct cli_args *args, struct ct_diags *diags) {
    const char *column = cli_value(args, "column"), *output = cli_value(args, "output"),
               *file = args->operands[1];
    struct ct_arena arena = {0};
    struct stamps r = {0};
    struct output_file written = {0};
    if (!output || args->operand_count != 2)
        return ct_usage_error(
            diags, "",
            "'import arrivals' needs one FILE, '-o OUT.csv', and of a CSV file '--column NAME'");
    int status = column ? stamps_read(file, column, &r, &arena, diags)
                        : stamps_read_server(file, &r, &arena, diags);
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
