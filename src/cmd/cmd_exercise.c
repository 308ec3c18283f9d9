/* Exercises for people who learn how a GPU is shared. */
#include "apps/exercise/exercise_print.h"
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cmd/commands.h"
#include "format/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"seed", 0, "N", "draw the numbers of the problem by this seed (1)"},
    {"hint", 0, NULL, "show the hint, too"},
    {"solution", 'c', NULL, "show the worked answer: steps with numbers, and a picture"},
    {"answer", 0, "X",
     "check an answer of yours, such as 39, 1/3 or 39ms: exit code 1 if it is wrong"},
    {"format", 'f', "text|json|csv|markdown",
     "form of the output (text); csv is for the list of exercises"},
    {"output", 'o', "FILE", "write the problem as a workload file, to run it yourself"},
    {"plot", 0, "FOLDER", "draw the picture of the worked answer with gnuplot"},
    {0},
};

static const char *const stars[] = {"", "*", "**", "***"};

static int list_exercises(enum table_format format) {
    bool page = format == TABLE_MARKDOWN;
    struct table table = page ? table_start("n:0 | name | level | what it teaches | after")
                              : table_start("n=number:0 | name | topic | level | title");
    for (size_t i = 0; i < exercise_count; i++) {
        const struct exercise *e = exercises[i];
        if (page)
            table_row(&table, i + 1, e->name, stars[e->stars], e->teaches, e->needs);
        else
            table_row(&table, i + 1, e->name, e->topic, stars[e->stars], e->title);
    }
    return cli_table_print(&table, stdout, format);
}

/* By number or by name; `exercise_count` and an error when there is none. */
static size_t find_exercise(const char *text, struct ct_diags *diags) {
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (end > text && !*end) {
        if (errno == 0 && *text != '-' && number >= 1 && number <= exercise_count)
            return number - 1;
        ct_error(diags, "", "there is no exercise %s; there are 1 to %zu", text, exercise_count);
        return exercise_count;
    }
    const char **names = calloc(exercise_count, sizeof *names);
    size_t found = exercise_count;
    for (size_t i = 0; names && i < exercise_count; i++)
        names[i] = exercises[i]->name;
    if (names)
        found = cli_index("exercise", text, names, exercise_count, diags);
    else
        ct_out_of_memory(diags);
    free(names);
    return found;
}

static int write_workload(const struct exercise_problem *problem, const char *path,
                          struct ct_diags *diags) {
    struct output_file output = {0};
    if (!problem->workload) {
        ct_error(diags, "--output", "'%s' asks for no run of a workload", problem->exercise->name);
        return CT_USAGE;
    }
    if (!output_file_open(&output, path, diags))
        return CT_DATA;
    fputs(problem->workload, output.file);
    return output_file_close(&output, CT_OK, diags);
}

static int show(const struct cli_args *args, size_t index, uint64_t seed,
                struct exercise_view *view, enum table_format format, struct ct_diags *diags) {
    static int (*const printers[])(FILE *, const struct exercise_problem *,
                                   const struct exercise_view *) = {
        [TABLE_TEXT] = exercise_print_text,
        [TABLE_JSON] = exercise_print_json,
        [TABLE_MARKDOWN] = exercise_print_markdown};
    struct exercise_problem problem;
    char name[200];
    const char *folder = cli_value(args, "plot"), *path = cli_value(args, "output");
    int status = exercise_make(exercises[index], seed, &problem, diags);
    if (status == CT_OK && view->answered)
        status = exercise_read_answer(&problem, cli_value(args, "answer"), &view->answer, diags);
    if (status == CT_OK && path)
        status = write_workload(&problem, path, diags);
    if (status == CT_OK)
        status = printers[format](stdout, &problem, view);
    if (status == CT_OK && folder) {
        status = exercise_plot(&problem, folder, name, sizeof name, diags);
        if (status == CT_OK && !args->quiet && format == TABLE_TEXT)
            printf("\n%s/%s.svg\n", folder, name);
    }
    if (status == CT_OK && view->answered && !exercise_is_right(&problem, view->answer))
        status = CT_WRONG;
    exercise_free(&problem);
    return status;
}

/* What goes with the list, and what with one exercise. */
static bool check_form(const struct cli_args *args, int format, struct ct_diags *diags) {
    static const char *const single[] = {"seed", "hint", "solution", "answer", "output", "plot"};
    bool one = args->operand_count == 1;
    for (size_t i = 0; i < CT_COUNT_OF(single); i++)
        if (!one && cli_has(args, single[i]))
            ct_error(diags, "", "'--%s' goes with an exercise, such as 'exercise 1'", single[i]);
    if (one && format == TABLE_CSV)
        ct_error(diags, "", "'csv' is a form of the list; an exercise has text, json and markdown");
    return diags->errors == 0;
}

static int cmd_exercise(struct cli_args *args, struct ct_diags *diags) {
    int64_t seed = 1;
    struct exercise_view view = {.hint = cli_has(args, "hint"),
                                 .solution = cli_has(args, "solution"),
                                 .answered = cli_has(args, "answer")};
    int format = cli_choice(args, "format", cli_formats, TABLE_TEXT, diags);
    cli_int(args, "seed", 0, INT64_MAX, &seed, diags);
    if (diags->errors || !check_form(args, format, diags))
        return CT_USAGE;
    if (args->operand_count == 0)
        return list_exercises((enum table_format)format);
    size_t index = find_exercise(args->operands[0], diags);
    view.number = index + 1;
    return index < exercise_count
               ? show(args, index, (uint64_t)seed, &view, (enum table_format)format, diags)
               : CT_USAGE;
}

CLI_COMMAND(exercise, "[N|NAME]", 0, 1,
            "pose an exercise about GPU sharing with numbers drawn by seed, solved by the "
            "simulator; list them");
