/* Sheets and keys of a class. */
#include "apps/exercise/exercise_class.h"
#include "apps/exercise/exercise_print.h"
#include "cli/cli.h"
#include "format/csv_text.h"
#include "format/output_file.h"

enum { MOST_PATH = 4096 };

/* What is written of all students together. */
struct teacher {
    struct output_file key, blank, questions;
    char key_path[MOST_PATH], blank_path[MOST_PATH], questions_path[MOST_PATH];
};

static bool name_file(char path[MOST_PATH], const char *folder, const char *name,
                      struct ct_diags *diags) {
    if (snprintf(path, MOST_PATH, "%s/%s", folder, name) < MOST_PATH)
        return true;
    return ct_false_error(diags, folder, "the name is too long");
}

static int print_problem(const struct exercise_student *student, size_t index, FILE *sheet,
                         FILE *solution, const struct teacher *teacher, struct ct_diags *diags) {
    const struct exercise_view asked = {0}, solved = {.solution = true};
    struct exercise_problem problem;
    int status = exercise_make(&exercises[index], student->seed, &problem, diags);
    if (status == CT_OK) {
        fputc('\n', sheet);
        fputc('\n', solution);
        status = exercise_print_markdown(sheet, &problem, &asked);
        if (status == CT_OK)
            status = exercise_print_markdown(solution, &problem, &solved);
        csv_write_cells(teacher->key.file, student->id, problem.exercise->name, problem.seed,
                        problem.answer, problem.unit, problem.tolerance);
        fputc('\n', teacher->key.file);
        csv_write_cells(teacher->blank.file, student->id, problem.exercise->name, "", problem.unit);
        fputc('\n', teacher->blank.file);
        exercise_print_gift(teacher->questions.file, &problem, student->id);
    }
    exercise_free(&problem);
    return status;
}

static int print_sheets(const struct exercise_class *class, const struct exercise_student *student,
                        FILE *sheet, FILE *solution, const struct teacher *teacher,
                        struct ct_diags *diags) {
    int status = CT_OK;
    fprintf(sheet, "# Exercises for %s\n", student->name);
    fprintf(solution, "# Solutions for %s\n", student->name);
    for (size_t i = 0; i < class->chosen_count && status == CT_OK; i++)
        status = print_problem(student, class->chosen[i], sheet, solution, teacher, diags);
    return status;
}

static int write_student(const struct exercise_class *class, const struct exercise_student *student,
                         const char *folder, const struct teacher *teacher,
                         struct ct_diags *diags) {
    char name[MOST_PATH], sheet_path[MOST_PATH], solution_path[MOST_PATH];
    struct output_file sheet = {0}, solution = {0};
    int status = CT_DATA;
    snprintf(name, sizeof name, "students/%s.md", student->id);
    bool named = name_file(sheet_path, folder, name, diags);
    snprintf(name, sizeof name, "teacher/%s.md", student->id);
    named = named && name_file(solution_path, folder, name, diags);
    if (named && output_file_open(&sheet, sheet_path, diags) &&
        output_file_open(&solution, solution_path, diags))
        status = print_sheets(class, student, sheet.file, solution.file, teacher, diags);
    status = output_file_close(&sheet, status, diags);
    return output_file_close(&solution, status, diags);
}

static int make_folders(const char *folder, struct ct_diags *diags) {
    static const char *const parts[] = {"students", "teacher"};
    char path[MOST_PATH];
    int status = cli_make_folder(folder, diags);
    for (size_t i = 0; i < CT_COUNT_OF(parts) && status == CT_OK; i++)
        status = name_file(path, folder, parts[i], diags) ? cli_make_folder(path, diags) : CT_DATA;
    return status;
}

static int open_teacher(struct teacher *teacher, const char *folder, struct ct_diags *diags) {
    *teacher = (struct teacher){0};
    if (!name_file(teacher->key_path, folder, EXERCISE_KEY_FILE, diags) ||
        !name_file(teacher->blank_path, folder, "teacher/blank-answers.csv", diags) ||
        !name_file(teacher->questions_path, folder, "teacher/questions.gift", diags) ||
        !output_file_open(&teacher->key, teacher->key_path, diags) ||
        !output_file_open(&teacher->blank, teacher->blank_path, diags) ||
        !output_file_open(&teacher->questions, teacher->questions_path, diags))
        return CT_DATA;
    fputs("student,exercise,seed,answer,unit,tolerance\n", teacher->key.file);
    fputs("student,exercise,answer,expected_unit\n", teacher->blank.file);
    return CT_OK;
}

int exercise_class_write(const struct exercise_class *class, const char *folder,
                         struct ct_diags *diags) {
    struct teacher teacher = {0};
    int status = make_folders(folder, diags);
    if (status == CT_OK)
        status = open_teacher(&teacher, folder, diags);
    for (size_t i = 0; i < class->students.count && status == CT_OK; i++)
        status = write_student(class, &class->students.items[i], folder, &teacher, diags);
    status = output_file_close(&teacher.key, status, diags);
    status = output_file_close(&teacher.blank, status, diags);
    return output_file_close(&teacher.questions, status, diags);
}
