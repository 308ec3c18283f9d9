#include "import_arrivals.h"

#include "stamps_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void write_stamps(FILE *out, const ct_time_ps *stamps, size_t count) {
    fputs("seconds\n", out);
    for (size_t i = 0; i < count; i++) {
        long long us = (long long)((stamps[i] + CT_PS_PER_US / 2) / CT_PS_PER_US);
        fprintf(out, "%lld.%06lld\n", us / 1000000, us % 1000000);
    }
}

static int write_file(const char *path, const ct_time_ps *stamps, size_t count, struct ct_diags *diags) {
    FILE *out = fopen(path, "w");
    if (!out) {
        ct_error(diags, path, "cannot write: %s", strerror(errno));
        return CT_DATA;
    }
    write_stamps(out, stamps, count);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        ct_error(diags, path, "cannot write: %s", strerror(errno));
        return CT_DATA;
    }
    return CT_OK;
}

int import_arrivals(const struct cli_args *args, struct ct_diags *diags) {
    const char *column = cli_value(args, "column"), *output = cli_value(args, "output"), *file = args->operands[1];
    struct ct_arena arena = {0};
    const ct_time_ps *stamps;
    ct_time_ps span;
    size_t count;
    if (!column || !output || args->operand_count != 2) {
        ct_error(diags, "", "'import arrivals' needs one FILE, '--column NAME' and '-o OUT.csv'");
        return CT_USAGE;
    }
    int status = stamps_read(file, column, &arena, &stamps, &count, &span, diags);
    if (status == CT_OK)
        status = write_file(output, stamps, count, diags);
    if (status == CT_OK && !args->quiet)
        printf("%zu arrivals in %.1f s, %.3f per second\n", count, ct_time_s(span),
               span > 0 ? (double)(count - 1) / ct_time_s(span) : 0);
    ct_arena_free(&arena);
    return status;
}
