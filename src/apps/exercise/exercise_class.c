/* The roster of a class, and its key. */
#include "apps/exercise/exercise_class.h"

#include "format/csv_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- The key ---- */

struct key_reader {
    struct csv_reader *csv;
    struct exercise_key *key;
    size_t student, exercise, seed; /* columns */
    bool no_memory;
};

static size_t exercise_named(const char *name) {
    size_t i = 0;
    while (i < exercise_count && strcmp(exercises[i].name, name) != 0)
        i++;
    return i;
}

static bool read_posed(void *context) {
    struct key_reader *reader = context;
    const char *name = csv_get(reader->csv, reader->exercise);
    struct exercise_posed posed = {.exercise = exercise_named(name)};
    if (posed.exercise == exercise_count) {
        csv_error(reader->csv, "there is no exercise '%s'", name);
        return false;
    }
    if (!csv_parse_count(csv_get(reader->csv, reader->seed), INT64_MAX, &posed.seed)) {
        csv_error(reader->csv, "'%s' is no seed", csv_get(reader->csv, reader->seed));
        return false;
    }
    posed.student = ct_arena_strdup(&reader->key->arena, csv_get(reader->csv, reader->student));
    bool kept = posed.student && ct_vec_push(&reader->key->rows, posed);
    reader->no_memory |= !kept;
    return kept;
}

int exercise_key_read(struct exercise_key *key, const char *path, struct ct_diags *diags) {
    *key = (struct exercise_key){0};
    struct key_reader reader = {.csv = csv_open(path, diags), .key = key};
    if (!reader.csv)
        return CT_DATA;
    bool read = csv_next(reader.csv) == CSV_ROW;
    reader.student = csv_find(reader.csv, "student");
    reader.exercise = csv_find(reader.csv, "exercise");
    reader.seed = csv_find(reader.csv, "seed");
    if (read &&
        (reader.student == CSV_NONE || reader.exercise == CSV_NONE || reader.seed == CSV_NONE))
        csv_error(reader.csv, "a key has the columns 'student', 'exercise' and 'seed'");
    read = read && !diags->errors && csv_read_rest(reader.csv, read_posed, &reader);
    csv_close(reader.csv);
    if (reader.no_memory)
        return ct_out_of_memory(diags);
    if (key->rows.count == 0 && !diags->errors)
        ct_error(diags, path, "there is no problem in it");
    return diags->errors ? CT_DATA : CT_OK;
}

void exercise_key_free(struct exercise_key *key) {
    ct_vec_free(&key->rows);
    ct_arena_free(&key->arena);
}

/* ---- The roster ---- */

enum { MOST_ID_BYTES = 60 };

struct roster {
    struct csv_reader *csv;
    struct exercise_class *class;
    const struct exercise_key *key;
    size_t id, name; /* columns */
    int status;      /* CT_OK, or why reading ended though the file has no mistake */
    struct ct_diags *diags;
};

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

/* It becomes the name of a file. */
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
    struct roster *roster = context;
    struct exercise_class *class = roster->class;
    const char *id = csv_get(roster->csv, roster->id), *name = csv_get(roster->csv, roster->name);
    if (!is_id(id)) {
        csv_error(roster->csv,
                  "'%s' names no student: letters, digits, '.', '_' and '-', at most %d", id,
                  MOST_ID_BYTES);
        return false;
    }
    if (is_known(class, id)) {
        csv_error(roster->csv, "the student '%s' is there twice", id);
        return false;
    }
    struct exercise_student student = {.id = ct_arena_strdup(&class->arena, id),
                                       .name = ct_arena_strdup(&class->arena, *name ? name : id)};
    roster->status = find_seed(roster->key, id, &student.seed, roster->diags);
    if (roster->status == CT_OK &&
        !(student.id && student.name && ct_vec_push(&class->students, student)))
        roster->status = ct_out_of_memory(roster->diags);
    return roster->status == CT_OK;
}

int exercise_class_read(struct exercise_class *class, const char *path,
                        const struct exercise_key *key, struct ct_diags *diags) {
    *class = (struct exercise_class){0};
    struct roster roster = {
        .csv = csv_open(path, diags), .class = class, .key = key, .diags = diags};
    if (!roster.csv)
        return CT_DATA;
    bool read = csv_next(roster.csv) == CSV_ROW;
    roster.id = csv_find(roster.csv, "student");
    roster.name = csv_find(roster.csv, "name");
    if (read && roster.id == CSV_NONE)
        csv_error(roster.csv, "a roster has a column 'student'");
    else if (read)
        csv_read_rest(roster.csv, read_student, &roster);
    csv_close(roster.csv);
    if (class->students.count == 0 && !diags->errors)
        ct_error(diags, path, "there is no student in it");
    return roster.status != CT_OK ? roster.status : diags->errors ? CT_DATA : CT_OK;
}

void exercise_class_free(struct exercise_class *class) {
    ct_vec_free(&class->students);
    ct_arena_free(&class->arena);
}
