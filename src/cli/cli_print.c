#include "abi/ct_policy.h"
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cli/cli_isolate.h"
#include "format/doc_writer.h"
#include "format/output_file.h"
#include "run/policy_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_colour(FILE *out) {
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    const char *force = getenv("CLICOLOR_FORCE");
    if (force && *force && strcmp(force, "0") != 0 && !(none && *none))
        return true;
    return isatty(fileno(out)) && !(none && *none) && !(terminal && strcmp(terminal, "dumb") == 0);
}

void cli_print_diags(const struct ct_diags *diags, bool quiet) {
    static const char *const names[] = {"notice", "warning", "error"};
    static const char *const colours[] = {"\033[36m", "\033[33m", "\033[31m"};
    bool colour = cli_colour(stderr);
    for (size_t i = 0; i < diags->count; i++) {
        const struct ct_diag *d = &diags->items[i];
        if (quiet && d->severity == CT_NOTICE)
            continue;
        fprintf(stderr, "%s: %s%s%s: %s\n", *d->where ? d->where : "cotenant",
                colour ? colours[d->severity] : "", names[d->severity], colour ? "\033[0m" : "",
                d->text);
    }
    if (diags->lost)
        fprintf(stderr, "cotenant: error: out of memory while messages were recorded\n");
}

int cli_finish(struct cli_args *args, struct ct_diags *diags, int status) {
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (status == CT_DATA && written && !diags->errors)
        ct_out_of_memory(diags); /* whatever else fails says why where it fails */
    if (!written)
        ct_error(diags, "", "cannot write to standard output");
    cli_print_diags(diags, args->quiet);
    if (status == CT_OK && !written)
        status = CT_DATA;
    else if (status == CT_OK && diags->errors)
        status = CT_USAGE;
    if (status == CT_USAGE && (diags->no_memory || diags->lost))
        status = CT_DATA; /* what was given may be right */
    ct_diags_free(diags);
    cli_isolate_finished();
    if (args->watch)
        atomic_store(&args->watch->finished, true);
    cli_args_free(args);
    return status;
}

enum table_format cli_format(const struct cli_args *args, struct ct_diags *diags) {
    static const char *const formats[] = {"text", "json", "csv", "markdown", NULL};
    return (enum table_format)cli_choice(args, "format", formats, TABLE_TEXT, diags);
}

void cli_policy_features(const struct ct_policy *policy, char *text, size_t size) {
    static const char *const names[] = {"targets",      "predicts",   "reorders",
                                        "binds shares", "partitions", "preempts",
                                        "PCIe",         "bandwidth",  "new hardware"};
    const char *has[CT_COUNT_OF(names)];
    size_t count = 0;
    for (size_t bit = 0; bit < CT_COUNT_OF(names); bit++)
        if (policy->features >> bit & 1)
            has[count++] = names[bit];
    ct_text_join(text, size, has, count);
}

int cli_table_print(struct table *table, enum table_format format) {
    table->bold = cli_colour(stdout);
    return table_print(table, stdout, format);
}

static void print_option(FILE *out, const struct cli_option *option) {
    char left[80];
    int length =
        snprintf(left, sizeof left, "%s%c%s --%s%s%s", option->letter ? "-" : "",
                 option->letter ? option->letter : ' ', option->letter ? "," : "  ", option->name,
                 option->value ? " " : "", option->value ? option->value : "");
    if (length < 26)
        fprintf(out, "  %-26s", left);
    else
        fprintf(out, "  %s\n%28s", left, "");
    doc_print_wrapped(out, option->help, 28, 80);
    fputc('\n', out);
}

void cli_print_help(FILE *out, const struct cli_command *command) {
    fprintf(out, "cotenant %s%s%s [options]\n\n", command->name, *command->operands ? " " : "",
            command->operands);
    doc_print_wrapped(out, command->summary, 0, 80);
    fprintf(out, "\n\nOptions:\n");
    for (const struct cli_option *o = command->options; o && o->name; o++)
        print_option(out, o);
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        print_option(out, o);
}

int cli_probe_output(const char *path, struct ct_diags *diags) {
    return !path || output_file_probe(path, diags) ? CT_OK : CT_DATA;
}

int cli_make_folder(const char *path, struct ct_diags *diags) {
    struct stat status;
    if (!path)
        return CT_OK;
    if (mkdir(path, 0777) == 0) {
        cli_made_folder(path);
        return CT_OK;
    }
    int reason = errno;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return CT_OK;
    if (reason != EEXIST)
        return ct_file_error(diags, path, "make the folder", reason);
    return ct_data_error(diags, path, "cannot make the folder: there is a file of this name");
}
