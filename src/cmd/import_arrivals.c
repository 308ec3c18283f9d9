#include "cmd/import_arrivals.h"

#include "cli/cli_output.h"
#include "format/output_file.h"
#include "workload/stamps_reader.h"

#include <stdio.h>

static void write_stamps(FILE *out, const ct_time_ps *stamps, size_t count) {
    fputs("seconds\n", out);
    for (size_t i = 0; i < count; i++) {
        long long us = (long long)((stamps[i] + CT_PS_PER_US / 2) / CT_PS_PER_US);
        fprintf(out, "%lld.%06lld\n", us / 1000000, us % 1000000);
    }
}

static int write_file(const char *path, const ct_time_ps *stamps, size_t count,
                      struct ct_diags *diags) {
    struct output_file output;
    if (!output_file_open(&output, path, diags))
        return CT_DATA;
    write_stamps(output.file, stamps, count);
    return output_file_close(&output, CT_OK, diags);
}

int import_arrivals(const struct cli_args *args, struct ct_diags *diags) {
    const char *column = cli_value(args, "column"), *output = cli_value(args, "output"),
               *file = args->operands[1];
    struct ct_arena arena = {0};
    const ct_time_ps *stamps;
    ct_time_ps span;
    size_t count;
    if (!output || args->operand_count != 2) {
        ct_error(diags, "",
                 "'import arrivals' needs one FILE, '-o OUT.csv', and of a CSV file '--column "
                 "NAME'");
        return CT_USAGE;
    }
    if (cli_same_file(output, file)) {
        ct_error(diags, "--output", "'%s' is the file that is read", file);
        return CT_USAGE;
    }
    int status = column ? stamps_read(file, column, &arena, &stamps, &count, &span, diags)
                        : stamps_read_server(file, &arena, &stamps, &count, &span, diags);
    if (status == CT_OK)
        status = write_file(output, stamps, count, diags);
    if (status == CT_OK && !args->quiet)
        printf("%zu arrivals in %.1f s, %.3f per second\n", count, ct_time_s(span),
               span > 0 ? (double)(count - 1) / ct_time_s(span) : 0);
    ct_arena_free(&arena);
    return status;
}
