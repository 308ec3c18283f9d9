/* An exercise as text, Markdown or JSON, its picture in text, and its picture by gnuplot. */
#ifndef EXERCISE_PRINT_H
#define EXERCISE_PRINT_H

#include "apps/exercise/exercise.h"

#include <stdio.h>

/* What of a problem is shown. */
struct exercise_view {
    bool hint, solution;
    bool answered; /* the reader has an answer: */
    double answer;
    const char *typed; /* what the reader wrote for it */
};

/* enum ct_status: CT_DATA when memory ran out, here and below. */
int exercise_print_text(FILE *out, const struct exercise_problem *problem,
                        const struct exercise_view *view);
int exercise_print_markdown(FILE *out, const struct exercise_problem *problem,
                            const struct exercise_view *view);
int exercise_print_json(FILE *out, const struct exercise_problem *problem,
                        const struct exercise_view *view);

/* One question for Moodle, named after the exercise and the student, in a category of the exercise.
 */
void exercise_print_gift(FILE *out, const struct exercise_problem *problem, const char *student);

/* Draws the picture into a folder, which is made when missing, as exercise-NAME.svg. enum
 * ct_status.
 */
int exercise_plot(const struct exercise_problem *problem, const char *folder,
                  struct ct_diags *diags);

#endif
