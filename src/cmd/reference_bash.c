/* The completion for bash, from the command table and the lists of names. */
#include "cli/cli.h"
#include "cmd/reference.h"

#include <string.h>

/* "policies" are also shared objects, and an operand may name files of two kinds. */
static void print_files(FILE *out, const char *text) {
    const char *ending = reference_ending_of(text);
    if (!ending)
        return;
    fprintf(out, " files='%s%s'", *ending && *ending != '/' ? "." : *ending ? "" : "*", ending);
    if (strcmp(ending, "db") == 0 && strstr(text, ".json"))
        fputs(" other=.json", out);
}

static void print_option_names(FILE *out, const struct cli_option *options) {
    for (const struct cli_option *o = options; o && o->name; o++)
        fprintf(out, " --%s", o->name);
}

static void bash_value(FILE *out, const struct cli_option *o) {
    fprintf(out, "        --%s", o->name);
    if (o->letter)
        fprintf(out, "|-%c", o->letter);
    fputs(") value=yes", out);
    if (reference_names_of(o))
        fprintf(out, " words=$%s", reference_names_of(o));
    else if (reference_is_choice(o->value)) {
        fputs(" words='", out);
        reference_print_choices(out, o->value);
        fputc('\'', out);
    }
    if (strcmp(o->value, "A,B,...") == 0)
        fputs(" many=yes", out);
    if (strcmp(o->name, "policy") == 0)
        fputs(" files=.so", out);
    else if (!reference_is_choice(o->value))
        print_files(out, o->value);
    fputs(" ;;\n", out);
}

static void bash_command(FILE *out, const struct cli_command *command) {
    bool exercise = strcmp(command->name, "exercise") == 0;
    fprintf(out, "    %s)\n        case $previous in\n", command->name);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        if (o->value)
            bash_value(out, o);
    fputs("        *)", out);
    if (reference_is_choice(command->operands)) {
        fputs(" first='", out);
        reference_print_choices(out, command->operands);
        fputs("'", out);
    } else if (exercise)
        fputs(" first=$exercises", out);
    print_files(out, command->operands);
    fputs(" words='", out);
    print_option_names(out, command->options);
    print_option_names(out, cli_common_options);
    fputs("' ;;\n        esac ;;\n", out);
}

static void print_lists(FILE *out) {
    for (const struct reference_part *list = reference_lists; list->name; list++) {
        fprintf(out, "    local %s='", list->name);
        list->print(out);
        fputs("'\n", out);
    }
}

static void print_words(FILE *out) {
    fputs("        words='", out);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        fprintf(out, "%s ", (*c)->name);
    fputs("--help --version'\n", out);
}

static void print_commands(FILE *out) {
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        bash_command(out, *c);
}

void reference_bash(FILE *out) {
    static const struct reference_part parts[] = {
        {"lists", print_lists}, {"words", print_words}, {"commands", print_commands}, {0}};
    reference_fill(out, &reference_template_bash, parts);
}
