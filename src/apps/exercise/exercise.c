#include "apps/exercise/exercise.h"

#include "api/cotenant.h"
#include "base/ct_quantity.h"
#include "format/csv_reader.h"

#include <stdio.h>
#include <string.h>

/* Attempts to draw numbers that make a good problem. */
enum { ATTEMPTS = 1000 };

/* Wrong answers must be told from the right one. */
#define LEAST_APART 0.02

static bool is_fit(const struct exercise_problem *p) {
    if (p->unfit || !isfinite(p->answer) || p->answer <= 0)
        return false;
    for (size_t i = 0; i < p->mistakes.count; i++) {
        double wrong = p->mistakes.items[i].value;
        double apart = LEAST_APART * fmax(fabs(wrong), fabs(p->answer));
        if (!isfinite(wrong) || fabs(wrong - p->answer) <= apart || exercise_is_right(p, wrong))
            return false;
    }
    return true;
}

void exercise_free(struct exercise_problem *p) {
    ct_vec_free(&p->givens);
    ct_vec_free(&p->steps);
    ct_vec_free(&p->mistakes);
    ct_vec_free(&p->bars);
    ct_results_free(p->results);
    ct_scenario_free(p->scenario);
    ct_arena_free(&p->arena);
    *p = (struct exercise_problem){0};
}

/* The question with the unit of its answer, where it does not name it: "When does C end, in ms?" */
static const char *question_of(struct exercise_problem *p) {
    const char *end = strchr(p->question, '?');
    if (!*p->unit || !end || strstr(p->question, p->unit))
        return p->question;
    const char *text = ct_arena_format(&p->arena, "%.*s, in %s%s", (int)(end - p->question),
                                       p->question, p->unit, end);
    p->failed |= !text;
    return text;
}

int exercise_make(const struct exercise *exercise, uint64_t seed, struct exercise_problem *p,
                  struct ct_diags *diags) {
    *p = (struct exercise_problem){0};
    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        exercise_free(p);
        p->exercise = exercise;
        p->seed = seed;
        p->story = exercise->story;
        p->question = exercise->question;
        p->unit = exercise->unit;
        p->hint = exercise->hint;
        des_stream_init(&p->draws, seed, attempt, "exercise", exercise->name);
        p->diags = diags;
        exercise->make(p);
        p->question = question_of(p);
        if (p->status == CT_OK && p->failed)
            p->status = ct_out_of_memory(diags);
        if (p->status != CT_OK || is_fit(p))
            return p->status;
    }
    return ct_data_error(diags, "exercise", "no good numbers for '%s' and seed %llu",
                         exercise->name, (unsigned long long)seed);
}

double exercise_rounding(double value) {
    return 1e-9 * fmax(1, fabs(value));
}

double exercise_slack(const struct exercise_problem *p, double value) {
    return p->tolerance > 0 ? p->tolerance * fabs(value) : exercise_rounding(value);
}

bool exercise_is_right(const struct exercise_problem *p, double number) {
    return fabs(number - p->answer) <= exercise_slack(p, p->answer);
}

double exercise_mistake_slack(const struct exercise_problem *p,
                              const struct exercise_mistake *mistake) {
    double slack = exercise_slack(p, mistake->value);
    for (size_t i = 0; i < p->mistakes.count; i++)
        if (&p->mistakes.items[i] != mistake)
            slack = fmin(slack, fabs(p->mistakes.items[i].value - mistake->value) / 2);
    return slack;
}

const struct exercise_mistake *exercise_mistake_of(const struct exercise_problem *p,
                                                   double number) {
    for (size_t i = 0; i < p->mistakes.count; i++) {
        const struct exercise_mistake *mistake = &p->mistakes.items[i];
        if (fabs(number - mistake->value) <= exercise_mistake_slack(p, mistake))
            return mistake;
    }
    return NULL;
}

/* ---- An answer as somebody writes it ---- */

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " ");
}

/* "39" or "1/3"; what follows it, "/s" of "39/s", or NULL. */
static const char *scan_fraction(const char *text, double *number) {
    double below;
    const char *rest = csv_scan_number(text, number);
    const char *divided =
        rest && *skip_blanks(rest) == '/' ? skip_blanks(skip_blanks(rest) + 1) : NULL;
    if (!divided)
        return rest;
    const char *behind = csv_scan_number(divided, &below);
    if (!behind)
        return rest;
    *number /= below;
    return isfinite(*number) ? behind : NULL;
}

/* Makes a number of the unit of the problem's answer, of which rates are "per s". */
static bool convert(double *number, const char *from, const char *to) {
    static const char per[] = "per ";
    char units[2][16];
    const char *names[] = {from, to};
    for (size_t i = 0; i < CT_COUNT_OF(names); i++) {
        bool rate = strncmp(names[i], per, sizeof per - 1) == 0;
        snprintf(units[i], sizeof units[i], "%s%s", rate ? "/" : "",
                 names[i] + (rate ? sizeof per - 1 : 0));
    }
    return strcmp(from, to) == 0 || ct_quantity_convert(number, units[0], units[1]);
}

int exercise_read_answer(const struct exercise_problem *p, const char *text, double *number,
                         struct ct_diags *diags) {
    const char *unit = scan_fraction(skip_blanks(text), number);
    if (!unit)
        return ct_usage_error(diags, "answer", "'%s' is not a number, such as 39, 1/3 or 39ms",
                              text);
    unit = skip_blanks(unit);
    if (*unit && !convert(number, unit, p->unit))
        return ct_usage_error(
            diags, "answer", "'%s' is a number of '%s', and the problem asks for %s%s%s", text,
            unit, *p->unit ? "'" : "one", p->unit, *p->unit ? "'" : " without a unit");
    return CT_OK;
}

bool exercise_lacks_unit(const struct exercise_problem *p, const char *typed) {
    static const char *const others[] = {"s", "ms", "us", "ns", "/min", "/h", ""};
    double number;
    const char *rest = scan_fraction(skip_blanks(typed), &number);
    if (!*p->unit || !rest || *skip_blanks(rest))
        return false;
    for (size_t i = 0; i < CT_COUNT_OF(others); i++) {
        double other = number;
        if (convert(&other, others[i], p->unit) && exercise_is_right(p, other))
            return true;
    }
    return false;
}
