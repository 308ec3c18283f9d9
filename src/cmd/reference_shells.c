/* The completions for bash, zsh and fish, from the command table and lists of names. */
#include "apps/exercise/exercise.h"
#include "cmd/reference.h"
#include "models/device/dram_timing.h"
#include "policies/policies.h"
#include "workload/cluster_file.h"
#include "workload/workload.h"

#include <string.h>

/* ---- What can be typed: choices, names and files ---- */

/* Words between "|" of a value or of the first operand, such as "text|json", become choices. */
static bool is_choice(const char *text) {
    size_t length = strcspn(text, " ");
    return memchr(text, '|', length) && strcspn(text, "./[") >= length;
}

/* A space between them; of "nvtx:NAME" what is typed as it stands. */
static void print_choices(FILE *out, const char *text) {
    const char *before = "";
    while (*text && *text != ' ') {
        size_t word = strcspn(text, "| "), fixed = strspn(text, "abcdefghijklmnopqrstuvwxyz-:");
        if (fixed > 0)
            fprintf(out, "%s%.*s", before, (int)(fixed < word ? fixed : word), text);
        before = " ";
        text += word + (text[word] == '|');
    }
}

/* The list that holds what the value of an option is called; NULL: no list. */
static const char *names_of(const struct cli_option *option) {
    static const char *const known[][2] = {
        {"policies", "policies"}, {"policy", "policies"},      {"baseline", "policies"},
        {"gpu", "gpus"},          {"placement", "placements"}, {"preset", "memories"},
        {"find", "aims"}};
    for (size_t i = 0; i < CT_COUNT_OF(known); i++)
        if (strcmp(known[i][0], option->name) == 0)
            return known[i][1];
    return NULL;
}

/* What files end in that this value or operand names: "db", "json" ...; "/" of folders, "" of any
 * file; NULL: of none. */
static const char *ending_of(const char *text) {
    static const char *const endings[] = {"db", "json", "csv", "html"};
    for (size_t i = 0; i < CT_COUNT_OF(endings); i++) {
        char dotted[8];
        snprintf(dotted, sizeof dotted, ".%s", endings[i]);
        if (strstr(text, dotted))
            return endings[i];
    }
    if (strcmp(text, "FOLDER") == 0 || strcmp(text, "DIR") == 0)
        return "/";
    return strstr(text, "FILE") ? "" : NULL;
}

static void print_presets(FILE *out) {
    struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    if (share_list(&arena, "gpus", ".json", &names, &count) == CT_OK)
        for (size_t i = 0; i < count; i++)
            fprintf(out, "%s%s", i ? " " : "", names[i]);
    ct_arena_free(&arena);
}

static void print_policies(FILE *out) {
    size_t count;
    const struct ct_policy *const *policies = policies_all(&count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? " " : "", policies[i]->name);
}

static void print_memories(FILE *out) {
    for (size_t i = 0; dram_presets[i].name; i++)
        fprintf(out, "%s%s", i ? " " : "", dram_presets[i].name);
}

static void print_placements(FILE *out) {
    for (size_t i = 0; cluster_placements[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", cluster_placements[i]);
}

static void print_exercises(FILE *out) {
    for (size_t i = 0; i < exercise_count; i++)
        fprintf(out, "%s%s", i ? " " : "", exercises[i].name);
}

static void print_aims(FILE *out) {
    fputs("max-rate: gpus batch-instances: gpu:", out);
}

static const struct reference_part lists[] = {{"policies", .print = print_policies},
                                              {"gpus", .print = print_presets},
                                              {"memories", .print = print_memories},
                                              {"placements", .print = print_placements},
                                              {"exercises", .print = print_exercises},
                                              {"aims", .print = print_aims},
                                              {0}};

static void print_lists(FILE *out, const char *before, const char *between, const char *after) {
    for (const struct reference_part *list = lists; list->name; list++) {
        fprintf(out, "%s%s%s", before, list->name, between);
        list->print(out);
        fputs(after, out);
    }
}

static bool takes_exercises(const struct cli_command *command) {
    return strcmp(command->name, "exercise") == 0;
}

static bool is_list(const struct cli_option *option) {
    return strcmp(option->value, "A,B,...") == 0;
}

/* ---- bash ---- */

/* "policies" are also shared objects, and an operand may name files of two kinds. */
static void print_files(FILE *out, const char *text) {
    const char *ending = ending_of(text);
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
    if (names_of(o))
        fprintf(out, " words=$%s", names_of(o));
    else if (is_choice(o->value)) {
        fputs(" words='", out);
        print_choices(out, o->value);
        fputc('\'', out);
    }
    if (is_list(o))
        fputs(" many=yes", out);
    if (strcmp(o->name, "policy") == 0)
        fputs(" files=.so", out);
    else if (!is_choice(o->value))
        print_files(out, o->value);
    fputs(" ;;\n", out);
}

static void bash_command(FILE *out, const struct cli_command *command) {
    fprintf(out, "    %s)\n        case $previous in\n", command->name);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        if (o->value)
            bash_value(out, o);
    fputs("        *)", out);
    if (is_choice(command->operands)) {
        fputs(" first='", out);
        print_choices(out, command->operands);
        fputs("'", out);
    } else if (takes_exercises(command))
        fputs(" first=$exercises", out);
    print_files(out, command->operands);
    fputs(" words='", out);
    print_option_names(out, command->options);
    print_option_names(out, cli_common_options);
    fputs("' ;;\n        esac ;;\n", out);
}

static void bash_lists(FILE *out) {
    print_lists(out, "    local ", "='", "'\n");
}

static void bash_words(FILE *out) {
    fputs("        words='", out);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        fprintf(out, "%s ", (*c)->name);
    fputs("--help --version'\n", out);
}

void reference_bash(FILE *out) {
    static const struct reference_part parts[] = {{"lists", .print = bash_lists},
                                                  {"words", .print = bash_words},
                                                  {"commands", .print_of = bash_command},
                                                  {0}};
    reference_fill(out, &reference_template_bash, parts);
}

/* ---- zsh ---- */

/* A text within single quotes, with a backslash before what _arguments and _describe take for signs
 * of their own. */
static void zsh_text(FILE *out, const char *text) {
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, "%s%c", strchr("[]:\\", *text) ? "\\" : "", *text);
}

/* What may follow an option, or stand as an operand, as an action of _arguments; `many`: a list
 * with commas. */
static void zsh_action(FILE *out, const char *text, const char *list, bool many) {
    const char *ending = ending_of(text);
    if (list)
        fprintf(out, many ? "_sequence _cotenant_%s" : "_cotenant_%s", list);
    else if (is_choice(text)) {
        fputc('(', out);
        print_choices(out, text);
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
        zsh_text(out, o->help);
        fputc(']', out);
        if (o->value) {
            fputc(':', out);
            zsh_text(out, o->value);
            fputc(':', out);
            zsh_action(out, o->value, names_of(o), is_list(o));
        }
        fputc('\'', out);
    }
}

static void zsh_command(FILE *out, const struct cli_command *command) {
    fprintf(out, "    %s)\n        _arguments", command->name);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        zsh_option(out, o);
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        zsh_option(out, o);
    if (is_choice(command->operands)) {
        fputs(" \\\n            '1:what:", out);
        zsh_action(out, command->operands, NULL, false);
        fputc('\'', out);
    }
    if (takes_exercises(command) || ending_of(command->operands))
        fprintf(out, " \\\n            '*:operand:%s'",
                takes_exercises(command) ? "_cotenant_exercises" : "_files");
    fputs(" ;;\n", out);
}

static void zsh_lists(FILE *out) {
    print_lists(out, "_cotenant_", "() { compadd \"$@\" -- ", "; }\n");
}

static void zsh_summary(FILE *out, const struct cli_command *command) {
    fprintf(out, "        '%s:", command->name);
    zsh_text(out, command->summary);
    fputs("'\n", out);
}

void reference_zsh(FILE *out) {
    static const struct reference_part parts[] = {{"lists", .print = zsh_lists},
                                                  {"summaries", .print_of = zsh_summary},
                                                  {"commands", .print_of = zsh_command},
                                                  {0}};
    reference_fill(out, &reference_template_zsh, parts);
}

/* ---- fish ---- */

/* A text between single quotes, in which fish takes \ and ' for signs of its own. */
static void fish_text(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, "%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
    fputc('\'', out);
}

/* A policy may be a shared object. */
static bool takes_files(const char *text, const char *list) {
    return ending_of(text) || (list && strcmp(list, "policies") == 0);
}

/* What may follow an option, or stand as an operand; `many`: a list with commas. */
static void fish_answers(FILE *out, const char *text, const char *list, bool many) {
    if (list)
        fprintf(out, many ? " -a '(__fish_append , $__cotenant_%s)'" : " -a '$__cotenant_%s'",
                list);
    else if (is_choice(text)) {
        fputs(" -a '", out);
        print_choices(out, text);
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
        fputs(takes_files(o->value, names_of(o)) ? " -r" : " -x", out);
        fish_answers(out, o->value, names_of(o), is_list(o));
    }
    fputs(" -d ", out);
    fish_text(out, o->help);
    fputc('\n', out);
}

static void fish_command(FILE *out, const struct cli_command *command) {
    char when[80];
    snprintf(when, sizeof when, " -n '__fish_seen_subcommand_from %s'", command->name);
    if (takes_exercises(command) || is_choice(command->operands) || ending_of(command->operands)) {
        fprintf(out, "complete -c cotenant%s", when);
        fish_answers(out, command->operands, takes_exercises(command) ? "exercises" : NULL, false);
        fputc('\n', out);
    }
    for (const struct cli_option *o = command->options; o && o->name; o++)
        fish_option(out, when, o);
}

static void fish_summary(FILE *out, const struct cli_command *command) {
    fprintf(out, "complete -c cotenant -n __fish_use_subcommand -a %s -d ", command->name);
    fish_text(out, command->summary);
    fputc('\n', out);
}

void reference_fish(FILE *out) {
    fputs("# Completion of cotenant for fish, printed by 'cotenant list commands --format fish'.\n",
          out);
    print_lists(out, "set -g __cotenant_", " ", "\n");
    fputs("complete -c cotenant -f\n", out);
    reference_each(out, fish_summary);
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        fish_option(out, "", o);
    reference_each(out, fish_command);
}
