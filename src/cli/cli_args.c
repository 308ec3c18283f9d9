#include "base/ct_quantity.h"
#include "base/ct_text.h"
#include "cli/cli.h"
#include "experiment/thread_team.h"
#include "format/json_place.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPTIONS = 40 };

const struct cli_option cli_common_options[] = {
    {"quiet", 'q', NULL, "no progress, no notices"},
    {"color", 0, "auto|always|never", "colours: on terminals (auto), or not"},
    {"help", 'h', NULL, "this text"},
    {0},
};

/* The options of a command and the common ones behind them. */
static size_t option_list(const struct cli_command *command, const struct cli_option *list[]) {
    size_t count = 0;
    for (const struct cli_option *o = command->options; o && o->name; o++)
        list[count++] = o;
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        list[count++] = o;
    return count;
}

/* getopt's two descriptions of the same options. Long options are returned as 256 + index. */
static void describe(const struct cli_option *const list[], size_t count, struct option longs[],
                     char *shorts) {
    *shorts++ = ':'; /* a missing value is told apart from an unknown option */
    for (size_t i = 0; i < count; i++) {
        longs[i] = (struct option){list[i]->name, list[i]->value ? required_argument : no_argument,
                                   NULL, 256 + (int)i};
        if (!list[i]->letter)
            continue;
        *shorts++ = list[i]->letter;
        if (list[i]->value)
            *shorts++ = ':';
    }
    longs[count] = (struct option){0};
    *shorts = '\0';
}

static size_t index_of(const struct cli_option *const list[], size_t count, int code) {
    if (code >= 256)
        return (size_t)code - 256;
    for (size_t i = 0; i < count; i++)
        if (list[i]->letter == code)
            return i;
    return count;
}

static int usage_error(struct cli_args *args, struct ct_diags *diags) {
    cli_print_diags(diags, false);
    fprintf(stderr, "Try 'cotenant %s --help'.\n", args->command->name);
    ct_diags_free(diags);
    cli_args_free(args);
    return CT_USAGE;
}

static void unknown_option(const struct cli_option *const list[], size_t count, const char *word,
                           struct ct_diags *diags) {
    char name[64];
    const char *names[MOST_OPTIONS];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + strspn(word, "-"), "="),
             word + strspn(word, "-"));
    for (size_t i = 0; i < count; i++)
        names[i] = list[i]->name;
    const char *closest = strlen(name) > 1 ? ct_text_closest(name, names, count) : NULL;
    ct_error(diags, "", "unknown option '%s%s'%s%s%s", strlen(name) > 1 ? "--" : "-", name,
             closest ? ", did you mean '--" : "", closest ? closest : "", closest ? "'?" : "");
}

/*
 * What the user wants goes into the environment, where cli_colour looks: NO_COLOR and
 * CLICOLOR_FORCE are the names that other programs know, too.
 */
static void choose_colour(const struct cli_args *args, struct ct_diags *diags) {
    static const char *const choices[] = {"auto", "always", "never", NULL};
    int choice = cli_choice(args, "color", choices, 0, diags);
    if (choice == 0)
        return;
    bool done = choice == 1 ? unsetenv("NO_COLOR") == 0 && setenv("CLICOLOR_FORCE", "1", 1) == 0
                            : setenv("NO_COLOR", "1", 1) == 0;
    if (!done)
        ct_out_of_memory(diags);
}

static bool check_operands(const struct cli_args *args, struct ct_diags *diags) {
    const struct cli_command *command = args->command;
    if (args->operand_count < command->least_operands)
        ct_error(diags, "", "'%s' needs %s", command->name, command->operands);
    else if (command->most_operands >= 0 && args->operand_count > command->most_operands)
        ct_error(diags, "", "'%s' is one argument too many for '%s'",
                 args->operands[command->most_operands], command->name);
    return diags->errors == 0;
}

/* Behind the last one of its kind. */
static void keep(struct cli_args *args, const struct cli_option *option, const char *value) {
    size_t at = args->given_count;
    while (at > 0 && args->given[at - 1] != option)
        at--;
    at = at > 0 ? at : args->given_count;
    for (size_t i = args->given_count++; i > at; i--) {
        args->given[i] = args->given[i - 1];
        args->values[i] = args->values[i - 1];
    }
    args->given[at] = option;
    args->values[at] = value;
}

int cli_parse(struct cli_args *args, const struct cli_command *command, int argc, char **argv) {
    const struct cli_option *list[MOST_OPTIONS];
    struct option longs[MOST_OPTIONS + 1];
    char shorts[2 * MOST_OPTIONS + 2];
    struct ct_diags diags = {0};
    size_t count = option_list(command, list);
    describe(list, count, longs, shorts);
    *args = (struct cli_args){.command = command};
    args->given = calloc((size_t)argc + 1, sizeof *args->given);
    args->values = calloc((size_t)argc + 1, sizeof *args->values);
    if (!args->given || !args->values) {
        ct_out_of_memory(&diags);
        usage_error(args, &diags);
        return CT_DATA;
    }
    optind = 0; /* glibc: start afresh */
    opterr = 0;
    for (int code; (code = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        const char *word = argv[optind - 1];
        size_t i = index_of(list, count, code);
        if (code == ':')
            ct_error(&diags, "", "option '%s' needs a value", word);
        else if (code == '?' && optopt >= 256)
            ct_error(&diags, "", "option '--%s' takes no value", list[optopt - 256]->name);
        else if (i == count)
            unknown_option(list, count, optopt ? (char[]){'-', (char)optopt, 0} : word, &diags);
        else
            keep(args, list[i], optarg);
    }
    args->operands = argv + optind;
    args->operand_count = argc - optind;
    args->quiet = cli_has(args, "quiet");
    choose_colour(args, &diags);
    if (cli_has(args, "help") && !diags.errors) {
        cli_print_help(stdout, command);
        ct_diags_free(&diags);
        cli_args_free(args);
        return CT_OK;
    }
    if (diags.errors || !check_operands(args, &diags))
        return usage_error(args, &diags);
    return CLI_GO_ON;
}

void cli_args_free(struct cli_args *args) {
    free(args->given);
    free(args->values);
    free(args->input.text);
    ct_intern_free(&args->input.read.paths);
    *args = (struct cli_args){0};
}

const char *const *cli_values(const struct cli_args *args, const char *name, size_t *count) {
    size_t first = 0, end;
    while (first < args->given_count && strcmp(args->given[first]->name, name) != 0)
        first++;
    for (end = first; end < args->given_count && args->given[end] == args->given[first]; end++)
        continue;
    *count = end - first;
    return args->values + first;
}

bool cli_has(const struct cli_args *args, const char *name) {
    size_t count;
    cli_values(args, name, &count);
    return count > 0;
}

const char *cli_value(const struct cli_args *args, const char *name) {
    size_t count;
    const char *const *values = cli_values(args, name, &count);
    return count > 0 ? values[count - 1] : NULL;
}

const char *cli_assignment(const char *text, const char **value, struct ct_arena *arena,
                           struct ct_diags *diags) {
    const char *equals = strchr(text, '=');
    if (!equals)
        return ct_null_error(diags, "--set", "'%s' is no assignment: KEY=VALUE", text);
    const char *key = ct_arena_strndup(arena, text, (size_t)(equals - text));
    if (!key)
        ct_out_of_memory(diags);
    *value = equals + 1;
    return key;
}

static const struct cli_option *find_option(const struct cli_args *args, const char *name) {
    const struct cli_option *o = args->command->options;
    while (strcmp(o->name, name) != 0)
        o++;
    return o;
}

/* The unit of a number, by what --help calls it. */
static const char *unit_of(const struct cli_args *args, const char *name) {
    static const char *const units[][2] = {{"SECONDS", "s"}, {"MB", "MB"}, {"PCT", "%"}};
    for (size_t i = 0; i < CT_COUNT_OF(units); i++)
        if (strcmp(find_option(args, name)->value, units[i][0]) == 0)
            return units[i][1];
    return "";
}

int64_t cli_int(const struct cli_args *args, const char *name, int64_t least, int64_t most,
                int64_t standard, struct ct_diags *diags) {
    const char *text = cli_value(args, name);
    int64_t number;
    if (!text)
        return standard;
    const char *unit = unit_of(args, name);
    if (ct_quantity_read_whole(text, unit, &number) && number >= least && number <= most)
        return number;
    ct_error(diags, "", "'%s' of '--%s' is not a whole number from %lld to %lld%s%s", text, name,
             (long long)least, (long long)most, *unit ? " " : "", unit);
    return standard;
}

uint32_t cli_threads(const struct cli_args *args, struct ct_diags *diags) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN); /* -1: not known */
    int64_t standard = processors < 1 ? 1 : processors;
    standard = standard > THREAD_TEAM_MOST ? THREAD_TEAM_MOST : standard;
    return (uint32_t)cli_int(args, "jobs", 1, THREAD_TEAM_MOST, standard, diags);
}

double cli_double(const struct cli_args *args, const char *name, double least, double most,
                  double standard, struct ct_diags *diags) {
    const char *text = cli_value(args, name);
    char from[40], to[40];
    double number;
    if (!text)
        return standard;
    const char *unit = unit_of(args, name);
    if (ct_quantity_read(text, unit, &number) && number >= least && number <= most)
        return number;
    ct_text_double(from, sizeof from, least);
    ct_text_double(to, sizeof to, most);
    ct_error(diags, "", "'%s' of '--%s' is not a number from %s to %s%s%s", text, name, from, to,
             *unit ? " " : "", unit);
    return standard;
}

const char *cli_output(const struct cli_args *args, struct ct_diags *diags) {
    const char *path = cli_value(args, "output");
    if (!path)
        ct_error(diags, "", "'%s' needs '-o %s'", args->command->name,
                 find_option(args, "output")->value);
    return path;
}

size_t cli_index(const char *noun, const char *word, const char *const *names, size_t count,
                 struct ct_diags *diags) {
    size_t index = ct_text_index(word, names, count);
    if (index == count)
        ct_unknown(diags, noun, word, names, count);
    return index;
}

int cli_choice(const struct cli_args *args, const char *name, const char *const *names,
               int standard, struct ct_diags *diags) {
    const char *text = cli_value(args, name);
    size_t count = 0;
    if (!text)
        return standard;
    while (names[count])
        count++;
    char noun[64];
    snprintf(noun, sizeof noun, "value of '--%s':", name);
    size_t index = cli_index(noun, text, names, count, diags);
    return index < count ? (int)index : standard;
}

/* ---- The standard input ---- */

static bool is_input(const char *word) {
    return word && strcmp(word, "-") == 0;
}

/* A standard input that cannot be read is not served: whoever opens it then says why. */
static const void *content(void *context, const char *path, size_t *size) {
    struct cli_input *input = context;
    struct ct_diags unheard = {0};
    if (!is_input(path))
        return NULL;
    if (!input->text)
        input->text = json_place_text_read(path, &input->size, &unheard);
    ct_diags_free(&unheard);
    *size = input->text ? input->size : 0;
    return input->text;
}

const struct ct_files *cli_input_files(struct cli_args *args) {
    bool named = false;
    for (int i = 0; i < args->operand_count; i++)
        named |= is_input(args->operands[i]);
    for (size_t i = 0; i < args->given_count; i++)
        named |= is_input(args->values[i]);
    args->input.files = (struct ct_files){&args->input, named ? content : NULL, &args->input.read};
    return &args->input.files;
}
