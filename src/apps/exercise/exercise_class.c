/* The roster of a class, its key, and marks for its answers. */
#include "apps/exercise/exercise_class.h"
#include "apps/exercise/exercise_build.h"

#include "format/csv_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 3 };

/* A CSV file with columns by name, and what is made of its rows: a key, a class with the seeds of a
 * key, or what students answered by rows of a key (NULL: nothing). */
struct reader {
    struct csv_reader *csv;
    size_t columns[COLUMNS];
    bool any, no_memory;
    struct exercise_key *into;
    struct exercise_class *class;
    const struct exercise_key *key;
    const char **texts;
    struct ct_arena arena; /* of these */
    struct ct_diags *diags;
};

static const char *cell(const struct reader *rows, size_t column) {
    return csv_get(rows->csv, rows->columns[column]);
}

/* `read` gets each row. Without one of the first `needed` columns the error is `complaint`. enum
 * ct_status. */
static int read_rows(struct reader *rows, const char *path, const char *const names[COLUMNS],
                     size_t needed, const char *complaint, bool (*read)(void *context),
                     struct ct_diags *diags) {
    bool lacks = false;
    rows->csv = csv_open(path, diags);
    if (!rows->csv)
        return CT_DATA;
    rows->any = csv_next(rows->csv) == CSV_ROW;
    for (size_t i = 0; i < COLUMNS; i++) {
        rows->columns[i] = names[i] ? csv_find(rows->csv, names[i]) : CSV_NONE;
        lacks |= i < needed && rows->columns[i] == CSV_NONE;
    }
    if (rows->any && lacks)
        csv_error(rows->csv, "%s", complaint);
    else if (rows->any)
        csv_read_rest(rows->csv, read, rows);
    csv_close(rows->csv);
    return rows->no_memory ? ct_out_of_memory(diags) : diags->errors ? CT_DATA : CT_OK;
}

/* ---- The key ---- */

static size_t exercise_named(const char *name) {
    size_t i = 0;
    while (i < exercise_count && strcmp(exercises[i].name, name) != 0)
        i++;
    return i;
}

static bool read_posed(void *context) {
    struct reader *r = context;
    const char *name = cell(r, 1), *seed = cell(r, 2);
    struct exercise_posed posed = {.exercise = exercise_named(name)};
    if (posed.exercise == exercise_count)
        return csv_error(r->csv, "there is no exercise '%s'", name);
    if (!csv_parse_count(seed, INT64_MAX, &posed.seed))
        return csv_error(r->csv, "'%s' is no seed", seed);
    posed.student = ct_arena_strdup(&r->into->arena, cell(r, 0));
    bool kept = posed.student && ct_vec_push(&r->into->rows, posed);
    r->no_memory |= !kept;
    return kept;
}

int exercise_key_read(struct exercise_key *key, const char *path, struct ct_diags *diags) {
    static const char *const columns[COLUMNS] = {"student", "exercise", "seed"};
    *key = (struct exercise_key){0};
    struct reader reader = {.into = key};
    int status =
        read_rows(&reader, path, columns, 3,
                  "a key has the columns 'student', 'exercise' and 'seed'", read_posed, diags);
    return status == CT_OK && key->rows.count == 0
               ? ct_data_error(diags, path, "there is no problem in it")
               : status;
}

void exercise_key_free(struct exercise_key *key) {
    ct_vec_free(&key->rows);
    ct_arena_free(&key->arena);
}

/* ---- The roster ---- */

enum { MOST_ID_BYTES = 60 };

/* Nobody guesses it, and a JSON reader keeps it: 53 bits. */
static int draw_seed(uint64_t *seed, struct ct_diags *diags) {
    static const char source[] = "/dev/urandom";
    FILE *file = fopen(source, "rb");
    if (!file)
        return ct_file_error(diags, source, "open it", errno);
    bool drawn = fread(seed, sizeof *seed, 1, file) == 1;
    fclose(file);
    *seed >>= 11;
    return drawn ? CT_OK : ct_file_error(diags, source, "read it", EIO);
}

static int find_seed(const struct exercise_key *key, const char *id, uint64_t *seed,
                     struct ct_diags *diags) {
    for (size_t i = 0; i < key->rows.count; i++)
        if (strcmp(key->rows.items[i].student, id) == 0) {
            *seed = key->rows.items[i].seed;
            return CT_OK;
        }
    return draw_seed(seed, diags);
}

/* Whether a student's id can be the name of a file. */
static bool is_id(const char *id) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strlen(id);
    return length > 0 && length <= MOST_ID_BYTES && strspn(id, allowed) == length && *id != '.';
}

static bool is_known(const struct exercise_class *class, const char *id) {
    for (size_t i = 0; i < class->students.count; i++)
        if (strcmp(class->students.items[i].id, id) == 0)
            return true;
    return false;
}

static bool read_student(void *context) {
    struct reader *r = context;
    struct exercise_class *class = r->class;
    const char *id = cell(r, 0), *name = cell(r, 1);
    if (!is_id(id))
        return csv_error(r->csv,
                         "'%s' names no student: letters, digits, '.', '_' and '-', at most %d", id,
                         MOST_ID_BYTES);
    if (is_known(class, id))
        return csv_error(r->csv, "the student '%s' is there twice", id);
    struct exercise_student student = {.id = ct_arena_strdup(&class->arena, id),
                                       .name = ct_arena_strdup(&class->arena, *name ? name : id)};
    if (find_seed(r->key, id, &student.seed, r->diags) != CT_OK)
        return false;
    bool kept = student.id && student.name && ct_vec_push(&class->students, student);
    r->no_memory |= !kept;
    return kept;
}

int exercise_class_read(struct exercise_class *class, const char *path,
                        const struct exercise_key *key, struct ct_diags *diags) {
    static const char *const columns[COLUMNS] = {"student", "name"};
    struct reader reader = {.class = class, .key = key, .diags = diags};
    int status = read_rows(&reader, path, columns, 1, "a roster has a column 'student'",
                           read_student, diags);
    return status == CT_OK && class->students.count == 0
               ? ct_data_error(diags, path, "there is no student in it")
               : status;
}

void exercise_class_free(struct exercise_class *class) {
    ct_vec_free(&class->students);
    ct_arena_free(&class->arena);
}

/* ---- Marks ---- */

/* Whether a text is the name of an exercise, or the number that stands on the sheets. */
static bool is_called(const struct exercise_posed *posed, const char *text) {
    uint64_t number;
    return strcmp(exercises[posed->exercise].name, text) == 0 ||
           (csv_parse_count(text, INT64_MAX, &number) && number == posed->exercise + 1);
}

static bool read_answer(void *context) {
    struct reader *a = context;
    const char *student = cell(a, 0), *name = cell(a, 1);
    for (size_t i = 0; i < a->key->rows.count; i++) {
        const struct exercise_posed *posed = &a->key->rows.items[i];
        if (strcmp(posed->student, student) != 0 || !is_called(posed, name))
            continue;
        a->texts[i] = ct_arena_strdup(&a->arena, cell(a, 2));
        a->no_memory |= !a->texts[i];
        return a->texts[i] != NULL;
    }
    return csv_error(a->csv, "the key has no exercise '%s' of a student '%s'", name, student);
}

static int read_answers(struct reader *a, const char *path, struct ct_diags *diags) {
    static const char *const columns[COLUMNS] = {"student", "exercise", "answer"};
    a->texts = ct_arena_array(&a->arena, a->key->rows.count, sizeof *a->texts);
    if (!a->texts)
        return ct_out_of_memory(diags);
    int status = read_rows(a, path, columns, 3,
                           "answers have the columns 'student', 'exercise' and 'answer'",
                           read_answer, diags);
    return status == CT_OK && !a->any ? ct_data_error(diags, path, "there are no answers in it")
                                      : status;
}

/* What is wrong with an answer; NULL: it is right. */
static const char *fault_of(struct exercise_problem *p, const char *text) {
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
    if (!mistake && exercise_lacks_unit(p, text))
        return exercise_text(p, "of which unit? expected %s", p->unit);
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
    struct reader answers = {.key = key};
    *table = table_start("student | exercise | answer | mark:0 | why");
    int status = read_answers(&answers, path, diags);
    for (size_t i = 0; i < key->rows.count && status == CT_OK; i++)
        status = mark(&key->rows.items[i], answers.texts[i], table, diags);
    ct_arena_free(&answers.arena);
    return status;
}
