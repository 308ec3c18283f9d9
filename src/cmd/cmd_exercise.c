/* Exercises for people who learn how a GPU is shared. */
#include "apps/exercise/exercise_class.h"
#include "apps/exercise/exercise_print.h"
#include "base/ct_assert.h"
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
    {"output", 'o', "FILE|FOLDER",
     "write the problem as a workload file, to run it yourself; or, with --class, the folder"},
    {"plot", 0, "FOLDER", "draw the picture of the worked answer with gnuplot"},
    {"class", 0, "ROSTER.csv",
     "write a sheet for each student, with numbers of their own, of these exercises (all)"},
    {"marks", 0, "ANSWERS.csv", "mark the answers of a class"},
    {"key", 0, "KEY.csv", "the key of its sheets, teacher/key.csv (needed with --marks)"},
    {0},
};

static const char *const stars[] = {"", "*", "**", "***"};

static int list_exercises(enum table_format format) {
    bool page = format == TABLE_MARKDOWN;
    struct table table = page ? table_start("n:0 | name | level | what it teaches | after")
                              : table_start("n=number:0 | name | topic | level | title");
    for (size_t i = 0; i < exercise_count; i++) {
        const struct exercise *e = &exercises[i];
        if (page)
            table_row(&table, i + 1, e->name, stars[e->stars], e->teaches, e->needs);
        else
            table_row(&table, i + 1, e->name, e->topic, stars[e->stars], e->title);
    }
    return cli_table_print(&table, format);
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
    const char *names[64];
    ct_assert(exercise_count <= CT_COUNT_OF(names));
    for (size_t i = 0; i < exercise_count; i++)
        names[i] = exercises[i].name;
    return cli_index("exercise", text, names, exercise_count, diags);
}

static int write_workload(const struct exercise_problem *problem, const char *path,
                          struct ct_diags *diags) {
    struct output_file output = {0};
    if (!problem->workload)
        return ct_usage_error(diags, "--output", "'%s' asks for no run of a workload",
                              problem->exercise->name);
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
    const char *folder = cli_value(args, "plot"), *path = cli_value(args, "output");
    int status = exercise_make(&exercises[index], seed, &problem, diags);
    if (status == CT_OK && view->answered)
        status = exercise_read_answer(&problem, cli_value(args, "answer"), &view->answer, diags);
    if (status == CT_OK && path)
        status = write_workload(&problem, path, diags);
    if (status == CT_OK)
        status = printers[format](stdout, &problem, view);
    if (status == CT_OK && folder) {
        status = exercise_plot(&problem, folder, diags);
        if (status == CT_OK && !args->quiet && format == TABLE_TEXT)
            printf("\n%s/exercise-%s.svg\n", folder, problem.exercise->name);
    }
    if (status == CT_OK && view->answered && !exercise_is_right(&problem, view->answer))
        status = CT_WRONG;
    exercise_free(&problem);
    return status;
}

/* ---- A class ---- */

/* The key that lies in the folder from an earlier time, else an empty one. It is written anew, and
 * so not noted as read. */
static int read_known_key(const char *folder, struct exercise_key *key, struct ct_diags *diags) {
    char path[4096];
    *key = (struct exercise_key){0};
    snprintf(path, sizeof path, "%s/" EXERCISE_KEY_FILE, folder);
    FILE *file = fopen(path, "rb");
    if (!file)
        return errno == ENOENT ? CT_OK : ct_file_error(diags, path, "open it", errno);
    fclose(file);
    struct ct_diags own = {0};
    int status = exercise_key_read(key, path, &own);
    ct_diags_add(diags, &own);
    ct_diags_free(&own);
    return status;
}

static int choose(struct exercise_class *class, const struct cli_args *args,
                  struct ct_diags *diags) {
    size_t count = args->operand_count ? (size_t)args->operand_count : exercise_count;
    size_t *chosen = ct_arena_array(&class->arena, count, sizeof *chosen);
    if (!chosen)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < count; i++) {
        chosen[i] = args->operand_count ? find_exercise(args->operands[i], diags) : i;
        if (chosen[i] == exercise_count)
            return CT_USAGE;
    }
    class->chosen = chosen;
    class->chosen_count = count;
    return CT_OK;
}

static int sheets(const struct cli_args *args, struct ct_diags *diags) {
    const char *folder = cli_value(args, "output");
    struct exercise_key known = {0};
    struct exercise_class class = {0};
    int status = choose(&class, args, diags);
    if (status == CT_OK)
        status = read_known_key(folder, &known, diags);
    if (status == CT_OK)
        status = exercise_class_read(&class, cli_value(args, "class"), &known, diags);
    if (status == CT_OK)
        status = exercise_class_write(&class, folder, diags);
    if (status == CT_OK && !args->quiet)
        printf("%zu sheet%s of %zu exercise%s in %s/students; %s/teacher is for you alone\n",
               class.students.count, class.students.count == 1 ? "" : "s", class.chosen_count,
               class.chosen_count == 1 ? "" : "s", folder, folder);
    exercise_class_free(&class);
    exercise_key_free(&known);
    return status;
}

static int marks(const struct cli_args *args, enum table_format format, struct ct_diags *diags) {
    struct exercise_key key;
    struct table table = {0};
    int status = exercise_key_read(&key, cli_value(args, "key"), diags);
    if (status == CT_OK)
        status = exercise_class_mark(&key, cli_value(args, "marks"), &table, diags);
    if (status == CT_OK)
        status = cli_table_print(&table, format);
    else
        table_free(&table);
    exercise_key_free(&key);
    return status;
}

/* ---- The command ---- */

enum { LIST = 1, ONE = 2, CLASS = 4, MARKS = 8 };

static unsigned form_of(const struct cli_args *args) {
    if (cli_has(args, "class"))
        return CLASS;
    if (cli_has(args, "marks"))
        return MARKS;
    return args->operand_count ? ONE : LIST;
}

static void check_options(const struct cli_args *args, unsigned form, struct ct_diags *diags) {
    static const struct {
        const char *name;
        unsigned forms;
        const char *with;
    } own[] = {
        {"seed", ONE, "an exercise, such as 'exercise 1'"},
        {"hint", ONE, "an exercise, such as 'exercise 1'"},
        {"solution", ONE, "an exercise, such as 'exercise 1'"},
        {"answer", ONE, "an exercise, such as 'exercise 1'"},
        {"plot", ONE, "an exercise, such as 'exercise 1'"},
        {"output", ONE | CLASS, "an exercise, such as 'exercise 1', or with '--class'"},
        {"class", CLASS, "sheets, and '--marks' with what came back"},
        {"marks", MARKS, "what came back, and '--class' with sheets"},
        {"key", MARKS, "'--marks'"},
        {"format", LIST | ONE | MARKS, "a list, an exercise or '--marks'"},
    };
    for (size_t i = 0; i < CT_COUNT_OF(own); i++)
        if (!(own[i].forms & form) && cli_has(args, own[i].name))
            ct_error(diags, "", "'--%s' goes with %s", own[i].name, own[i].with);
}

/* Whether what was given goes together. */
static void check_form(const struct cli_args *args, unsigned form, enum table_format format,
                       struct ct_diags *diags) {
    check_options(args, form, diags);
    if (form == ONE && args->operand_count > 1)
        ct_error(diags, "", "several exercises go with '--class ROSTER.csv'");
    if (form == ONE && format == TABLE_CSV)
        ct_error(diags, "", "'csv' is a form of the list; an exercise has text, json and markdown");
    if (form == CLASS && !cli_has(args, "output"))
        ct_error(diags, "", "'--class' needs '-o FOLDER'");
    if (form == MARKS && !cli_has(args, "key"))
        ct_error(diags, "", "'--marks' needs '--key FOLDER/" EXERCISE_KEY_FILE "'");
    if (form == MARKS && args->operand_count)
        ct_error(diags, "", "'--marks' takes its exercises from the key");
}

static int pose(const struct cli_args *args, enum table_format format, struct ct_diags *diags) {
    size_t index = find_exercise(args->operands[0], diags);
    struct exercise_view view = {.hint = cli_has(args, "hint"),
                                 .solution = cli_has(args, "solution"),
                                 .answered = cli_has(args, "answer"),
                                 .typed = cli_value(args, "answer")};
    if (index == exercise_count)
        return CT_USAGE;
    int64_t seed = cli_int(args, "seed", 0, INT64_MAX, 1, diags);
    return diags->errors ? CT_USAGE : show(args, index, (uint64_t)seed, &view, format, diags);
}

static int cmd_exercise(struct cli_args *args, struct ct_diags *diags) {
    unsigned form = form_of(args);
    enum table_format format = cli_format(args, diags);
    if (!diags->errors)
        check_form(args, form, format, diags);
    if (diags->errors)
        return CT_USAGE;
    if (form == CLASS)
        return sheets(args, diags);
    if (form == MARKS)
        return marks(args, format, diags);
    return form == ONE ? pose(args, format, diags) : list_exercises(format);
}

CLI_COMMAND(exercise, "[N|NAME]...", 0, -1,
            "pose an exercise about GPU sharing with numbers drawn by seed, solved by the "
            "simulator; list them; make sheets for a class, and mark them");
