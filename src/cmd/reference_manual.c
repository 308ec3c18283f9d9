/* The man page, from the command table; and how templates are filled. */
#include "cli/cli.h"
#include "cmd/reference.h"

#include <string.h>

void reference_each(FILE *out, void (*print_of)(FILE *out, const struct cli_command *command)) {
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        print_of(out, *c);
}

static void print_part(FILE *out, const struct reference_part *part) {
    if (part->print)
        part->print(out);
    else
        reference_each(out, part->print_of);
}

void reference_fill(FILE *out, const struct reference_template *template,
                    const struct reference_part *parts) {
    const char *line = (const char *)template->bytes, *end = line + template->size;
    while (line < end) {
        const char *last = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((last ? last + 1 : end) - line);
        if (*line != '@')
            fwrite(line, 1, length, out);
        for (const struct reference_part *part = parts; *line == '@' && part->name; part++)
            if (strlen(part->name) + 2 == length && memcmp(part->name, line + 1, length - 2) == 0)
                print_part(out, part);
        line += length;
    }
}

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

static void print_options(FILE *out) {
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        man_option(out, o);
}

void reference_manual(FILE *out) {
    static const struct reference_part parts[] = {
        {"commands", .print_of = man_command}, {"options", .print = print_options}, {0}};
    reference_fill(out, &reference_template_man, parts);
}
