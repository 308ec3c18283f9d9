/*
 * Exercises for a class: sheets whose numbers are each student's own, the solutions apart,
 * questions for Moodle, and marks. A student's seed is drawn once, stands in the key, which the
 * teacher keeps, and on no sheet: who has the program has not the solutions, too.
 */
#ifndef EXERCISE_CLASS_H
#define EXERCISE_CLASS_H

#include "apps/exercise/exercise.h"
#include "format/table.h"

/* A row of a key: a problem that a student was given. */
struct exercise_posed {
    const char *student; /* as in file names: letters, digits, "._-" */
    size_t exercise;     /* index into `exercises` */
    uint64_t seed;
};

struct exercise_key {
    CT_VEC(struct exercise_posed) rows;
    struct ct_arena arena;
};

/* Reads a key, CSV with the columns `student`, `exercise` (its name) and `seed`. enum ct_status.
 * Free it in every case. */
int exercise_key_read(struct exercise_key *key, const char *path, struct ct_diags *diags);
void exercise_key_free(struct exercise_key *key);

struct exercise_student {
    const char *id;
    const char *name; /* the id where the roster has none */
    uint64_t seed;
};

struct exercise_class {
    CT_VEC(struct exercise_student) students;
    const size_t *chosen; /* indices into `exercises`; the caller says them */
    size_t chosen_count;
    struct ct_arena arena;
};

/*
 * Reads the roster at `path`, CSV with a column `student` and possibly `name`. Students of the key
 * keep their seeds; the others' come from /dev/urandom. enum ct_status. Zero-initialise the class,
 * and free it in every case.
 */
int exercise_class_read(struct exercise_class *class, const char *path,
                        const struct exercise_key *key, struct ct_diags *diags);
void exercise_class_free(struct exercise_class *class);

/* The key among what exercise_class_write writes. */
#define EXERCISE_KEY_FILE "teacher/key.csv"

/*
 * Writes into a folder, made when missing: students/ID.md, a sheet of the chosen exercises for each
 * student; teacher/ID.md, the same with worked answers; the key, with answers;
 * teacher/blank-answers.csv, a row for each problem, to be filled in and marked; and
 * teacher/questions.gift, all of them as questions for Moodle. enum ct_status.
 */
int exercise_class_write(const struct exercise_class *class, const char *folder,
                         struct ct_diags *diags);

/*
 * Marks for the answers at `path`, CSV with the columns `student`, `exercise` and `answer`: a row
 * for each row of the key. Of several answers the last one counts. enum ct_status; the table is the
 * caller's in every case.
 */
int exercise_class_mark(const struct exercise_key *key, const char *path, struct table *table,
                        struct ct_diags *diags);

#endif
