/* Marks for the answers of a class. */
#include "apps/exercise/exercise_class.h"

#include "format/csv_reader.h"

#include <string.h>

/* What students answered, by rows of the key; NULL: nothing. */
struct answers {
    struct csv_reader *csv;
    const struct exercise_key *key;
    const char **texts;
    struct ct_arena arena;
    size_t student, exercise, answer; /* columns */
    bool no_memory;
};

/* By its name, or by the number that stands on the sheets. */
static bool is_called(const struct exercise_posed *posed, const char *text) {
    uint64_t number;
    return strcmp(exercises[posed->exercise].name, text) == 0 ||
           (csv_parse_count(text, INT64_MAX, &number) && number == posed->exercise + 1);
}

static bool read_answer(void *context) {
    struct answers *a = context;
    const char *student = csv_get(a->csv, a->student), *name = csv_get(a->csv, a->exercise);
    for (size_t i = 0; i < a->key->rows.count; i++) {
        const struct exercise_posed *posed = &a->key->rows.items[i];
        if (strcmp(posed->student, student) != 0 || !is_called(posed, name))
            continue;
        a->texts[i] = ct_arena_strdup(&a->arena, csv_get(a->csv, a->answer));
        a->no_memory |= !a->texts[i];
        return a->texts[i] != NULL;
    }
    csv_error(a->csv, "the key has no exercise '%s' of a student '%s'", name, student);
    return false;
}

static int read_answers(struct answers *a, const char *path, struct ct_diags *diags) {
    a->texts = ct_arena_array(&a->arena, a->key->rows.count, sizeof *a->texts);
    if (!a->texts)
        return ct_out_of_memory(diags);
    a->csv = csv_open(path, diags);
    if (!a->csv)
        return CT_DATA;
    bool read = csv_next(a->csv) == CSV_ROW;
    a->student = csv_find(a->csv, "student");
    a->exercise = csv_find(a->csv, "exercise");
    a->answer = csv_find(a->csv, "answer");
    if (read && (a->student == CSV_NONE || a->exercise == CSV_NONE || a->answer == CSV_NONE))
        csv_error(a->csv, "answers have the columns 'student', 'exercise' and 'answer'");
    else if (read)
        csv_read_rest(a->csv, read_answer, a);
    csv_close(a->csv);
    if (!read && !diags->errors)
        ct_error(diags, path, "there are no answers in it");
    return a->no_memory ? ct_out_of_memory(diags) : diags->errors ? CT_DATA : CT_OK;
}

/* What is wrong with an answer; NULL: it is right. */
static const char *fault_of(const struct exercise_problem *p, const char *text) {
    struct ct_diags ignored = {0};
    double number = 0;
    if (!text || !*text)
        return "no answer";
    int status = exercise_read_answer(p, text, &number, &ignored);
    ct_diags_free(&ignored);
    if (status != CT_OK)
        return "not a number in the unit of the problem";
    if (exercise_is_right(p, number))
        return NULL;
    const struct exercise_mistake *mistake = exercise_mistake_of(p, number);
    return mistake ? mistake->text : number < p->answer ? "too small" : "too large";
}

static int mark(const struct exercise_posed *posed, const char *text, struct table *table,
                struct ct_diags *diags) {
    struct exercise_problem problem;
    int status = exercise_make(&exercises[posed->exercise], posed->seed, &problem, diags);
    if (status == CT_OK) {
        const char *fault = fault_of(&problem, text);
        table_row(table, posed->student, problem.exercise->name, text ? text : "", fault ? 0 : 1,
                  fault ? fault : "");
    }
    exercise_free(&problem);
    return status;
}

int exercise_class_mark(const struct exercise_key *key, const char *path, struct table *table,
                        struct ct_diags *diags) {
    struct answers answers = {.key = key};
    *table = table_start("student | exercise | answer | mark:0 | why");
    int status = read_answers(&answers, path, diags);
    for (size_t i = 0; i < key->rows.count && status == CT_OK; i++)
        status = mark(&key->rows.items[i], answers.texts[i], table, diags);
    ct_arena_free(&answers.arena);
    return status;
}
