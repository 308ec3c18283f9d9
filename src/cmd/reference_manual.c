/* The man page, from the command table. */
#include "cli/cli.h"
#include "cmd/reference.h"

/* Text of a man page: a hyphen that is typed, and no line that starts with a request. */
static void roff(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
    }
}

static void man_option(FILE *out, const struct cli_option *option) {
    fputs(".TP\n", out);
    if (option->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    roff(out, option->name);
    fputs("\\fR", out);
    if (option->value) {
        fputs(" \\fI", out);
        roff(out, option->value);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    roff(out, option->help);
    fputc('\n', out);
}

static void man_command(FILE *out, const struct cli_command *command) {
    fputs(".SS cotenant ", out);
    roff(out, command->name);
    if (*command->operands)
        fputc(' ', out);
    roff(out, command->operands);
    fputc('\n', out);
    roff(out, command->summary);
    fputs(".\n", out);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        man_option(out, o);
}

static void print_commands(FILE *out) {
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        man_command(out, *c);
}

static void print_options(FILE *out) {
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        man_option(out, o);
}

void reference_manual(FILE *out) {
    static const struct reference_part parts[] = {
        {"commands", print_commands}, {"options", print_options}, {0}};
    reference_fill(out, &reference_template_man, parts);
}
