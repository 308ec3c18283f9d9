/*
 * Exercises about GPU sharing. Their texts are in course.json. Each draws its numbers by seed, and
 * has its answer from the simulator, or from the functions of the models, on exactly that problem:
 * no answer is written down anywhere. What a finite run only comes near to is answered by the
 * closed form, where there is one, and the run has to agree.
 */
#ifndef EXERCISE_H
#define EXERCISE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "base/ct_vec.h"
#include "des/des_stream.h"

/* A number of the problem. It is shown with six significant digits, and has no more. */
struct exercise_given {
    const char *key;  /* unique within the problem */
    const char *text; /* what it is */
    const char *unit; /* "" of a count */
    double value;
};

/* One step of the worked answer; the equation with its paper, "" where it needs none. */
struct exercise_step {
    const char *equation, *text;
};

/* A wrong answer that invites itself, and what is wrong with it; unique within the problem. */
struct exercise_mistake {
    double value;
    const char *text;
};

/* One bar of the picture: an interval of a time line, or (from 0) a value. */
struct exercise_bar {
    const char *lane, *label;
    double from, to;
};

struct exercise_problem;
typedef void exercise_maker(struct exercise_problem *problem);

struct exercise {
    const char *name;  /* "leftover" */
    const char *title; /* "Leftover MPS: who blocks the head of the line" */
    const char *topic;
    int stars;           /* difficulty, 1 to 3 */
    const char *teaches; /* one sentence for the teacher */
    const char *needs;   /* names of exercises that come before, "" for none */
    const char *story, *question, *unit, *hint; /* of the problem; "": the maker says it */
    const struct exercise_given *given;         /* without values: the first of the problem's */
    size_t given_count;
    exercise_maker *make;
};

struct exercise_problem {
    const struct exercise *exercise;
    uint64_t seed;
    const char *story, *question, *hint;
    CT_VEC(struct exercise_given) givens;
    CT_VEC(struct exercise_step) steps;
    CT_VEC(struct exercise_mistake) mistakes;
    CT_VEC(struct exercise_bar) bars;
    bool timeline;    /* bars are intervals of time */
    const char *axis; /* "ms", "GB/s" */
    double answer;
    const char *unit;     /* of the answer; "" of a count */
    double tolerance;     /* of the answer, as a part of it; 0: it is a whole number */
    const char *workload; /* to run it as a file; NULL: it is no run of a workload */

    /* The maker's own. */
    struct ct_scenario *scenario; /* the run that gives the answer; NULL: there is none */
    struct ct_results *results;
    struct ct_arena arena;
    struct des_stream draws;
    struct ct_diags *diags;
    int status;  /* enum ct_status */
    bool failed; /* memory ran out */
    bool unfit;  /* these numbers make no good problem: others are drawn */
};

/* The exercises of course.json (cmake/ExerciseCourse.cmake) in their order, numbered from 1. */
extern const struct exercise exercises[];
extern const size_t exercise_count;

/* Draws and solves one. enum ct_status; the same exercise and seed give the same problem. Free it
 * in every case. */
int exercise_make(const struct exercise *exercise, uint64_t seed, struct exercise_problem *problem,
                  struct ct_diags *diags);
void exercise_free(struct exercise_problem *problem);

/*
 * An answer as somebody writes it: a number or a fraction ("39", "1/3"), with or without the unit
 * of the problem, times also in s, ms, us and ns ("0.039 s"). `number` gets it in the problem's
 * unit. CT_OK, or CT_USAGE after an error.
 */
int exercise_read_answer(const struct exercise_problem *problem, const char *text, double *number,
                         struct ct_diags *diags);

/* By so much two ways to work out the same value may differ. */
double exercise_rounding(double value);

/* How far from a value of a problem a number may be and still be taken for it. */
double exercise_slack(const struct exercise_problem *problem, double value);

/* How far from a mistake of a problem a number may be and still be taken for it: no farther than
 * half of the way to the next one. */
double exercise_mistake_slack(const struct exercise_problem *problem,
                              const struct exercise_mistake *mistake);

/* Whether a number is the answer, within its tolerance. */
bool exercise_is_right(const struct exercise_problem *problem, double number);

/* Whether a number without a unit, as it was typed, would be right in another unit of the same
 * kind than the problem's. */
bool exercise_lacks_unit(const struct exercise_problem *problem, const char *typed);

/* The mistake that leads to this number, the nearest; NULL: none that is known. */
const struct exercise_mistake *exercise_mistake_of(const struct exercise_problem *problem,
                                                   double number);

#endif
