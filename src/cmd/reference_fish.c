/* The completion for fish, from the command table and the lists of names. */
#include "cli/cli.h"
#include "cmd/reference.h"

#include <string.h>

/* A text between single quotes, in which fish takes \ and ' for signs of its own. */
static void print_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, "%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
    fputc('\'', out);
}

/* A policy may be a shared object. */
static bool takes_files(const char *text, const char *list) {
    return reference_ending_of(text) || (list && strcmp(list, "policies") == 0);
}

/* What may follow an option, or stand as an operand; `many`: a list with commas. */
static void print_answers(FILE *out, const char *text, const char *list, bool many) {
    if (list)
        fprintf(out, many ? " -a '(__fish_append , $__cotenant_%s)'" : " -a '$__cotenant_%s'",
                list);
    else if (reference_is_choice(text)) {
        fputs(" -a '", out);
        reference_print_choices(out, text);
        fputc('\'', out);
    }
    if (takes_files(text, list))
        fputs(" -F", out);
}

static void fish_option(FILE *out, const char *when, const struct cli_option *o) {
    fprintf(out, "complete -c cotenant%s -l %s", when, o->name);
    if (o->letter)
        fprintf(out, " -s %c", o->letter);
    if (o->value) {
        fputs(takes_files(o->value, reference_names_of(o)) ? " -r" : " -x", out);
        print_answers(out, o->value, reference_names_of(o), strcmp(o->value, "A,B,...") == 0);
    }
    fputs(" -d ", out);
    print_quoted(out, o->help);
    fputc('\n', out);
}

static void fish_command(FILE *out, const struct cli_command *command) {
    char when[80];
    bool exercise = strcmp(command->name, "exercise") == 0;
    snprintf(when, sizeof when, " -n '__fish_seen_subcommand_from %s'", command->name);
    if (exercise || reference_is_choice(command->operands) ||
        reference_ending_of(command->operands)) {
        fprintf(out, "complete -c cotenant%s", when);
        print_answers(out, command->operands, exercise ? "exercises" : NULL, false);
        fputc('\n', out);
    }
    for (const struct cli_option *o = command->options; o && o->name; o++)
        fish_option(out, when, o);
}

void reference_fish(FILE *out) {
    fputs("# Completion of cotenant for fish, printed by 'cotenant list commands --format fish'.\n",
          out);
    for (const struct reference_part *list = reference_lists; list->name; list++) {
        fprintf(out, "set -g __cotenant_%s ", list->name);
        list->print(out);
        fputc('\n', out);
    }
    fputs("complete -c cotenant -f\n", out);
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        fprintf(out, "complete -c cotenant -n __fish_use_subcommand -a %s -d ", (*c)->name);
        print_quoted(out, (*c)->summary);
        fputc('\n', out);
    }
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        fish_option(out, "", o);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        fish_command(out, *c);
}
