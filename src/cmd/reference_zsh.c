/* The completion for zsh, from the command table and the lists of names. */
#include "cli/cli.h"
#include "cmd/reference.h"

#include <string.h>

/* A text within single quotes, with a backslash before what _arguments and _describe take for signs
 * of their own. */
static void print_escaped(FILE *out, const char *text) {
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, "%s%c", strchr("[]:\\", *text) ? "\\" : "", *text);
}

/* What may follow an option, or stand as an operand, as an action of _arguments; `many`: a list
 * with commas. */
static void print_action(FILE *out, const char *text, const char *list, bool many) {
    const char *ending = reference_ending_of(text);
    if (list)
        fprintf(out, many ? "_sequence _cotenant_%s" : "_cotenant_%s", list);
    else if (reference_is_choice(text)) {
        fputc('(', out);
        reference_print_choices(out, text);
        fputc(')', out);
    } else if (ending)
        fputs(*ending == '/' ? "_files -/" : "_files", out);
}

static void zsh_option(FILE *out, const struct cli_option *o) {
    char letter[3] = {'-', o->letter, '\0'};
    const char *const spellings[] = {o->name, o->letter ? letter : NULL};
    for (size_t i = 0; i < CT_COUNT_OF(spellings) && spellings[i]; i++) {
        fprintf(out, " \\\n            '*%s%s%s[", i ? "" : "--", spellings[i],
                !o->value ? ""
                : i       ? "+"
                          : "=");
        print_escaped(out, o->help);
        fputc(']', out);
        if (o->value) {
            fputc(':', out);
            print_escaped(out, o->value);
            fputc(':', out);
            print_action(out, o->value, reference_names_of(o), strcmp(o->value, "A,B,...") == 0);
        }
        fputc('\'', out);
    }
}

static void zsh_command(FILE *out, const struct cli_command *command) {
    bool exercise = strcmp(command->name, "exercise") == 0;
    fprintf(out, "    %s)\n        _arguments", command->name);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        zsh_option(out, o);
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        zsh_option(out, o);
    if (reference_is_choice(command->operands)) {
        fputs(" \\\n            '1:what:", out);
        print_action(out, command->operands, NULL, false);
        fputc('\'', out);
    }
    if (exercise || reference_ending_of(command->operands))
        fprintf(out, " \\\n            '*:operand:%s'",
                exercise ? "_cotenant_exercises" : "_files");
    fputs(" ;;\n", out);
}

static void print_lists(FILE *out) {
    for (const struct reference_part *list = reference_lists; list->name; list++) {
        fprintf(out, "_cotenant_%s() { compadd \"$@\" -- ", list->name);
        list->print(out);
        fputs("; }\n", out);
    }
}

static void print_summaries(FILE *out) {
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        fprintf(out, "        '%s:", (*c)->name);
        print_escaped(out, (*c)->summary);
        fputs("'\n", out);
    }
}

static void print_commands(FILE *out) {
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        zsh_command(out, *c);
}

void reference_zsh(FILE *out) {
    static const struct reference_part parts[] = {
        {"lists", print_lists}, {"summaries", print_summaries}, {"commands", print_commands}, {0}};
    reference_fill(out, &reference_template_zsh, parts);
}
