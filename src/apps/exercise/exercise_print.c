/* An exercise as text, Markdown and JSON. */
#include "apps/exercise/exercise_print.h"

#include "cli/cli.h"
#include "format/doc_writer.h"
#include "format/json_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 80 };

/* ---- The picture in letters: bars over an axis, 80 columns wide ---- */

enum { LANE = 16, WIDTH = 62, LINE = 80 - LANE + 1, SHORT_UNIT = 10 };

/* A step of 1, 2 or 5 times a power of ten, of which about six fit. */
static double tick_step(double length) {
    double step = pow(10, floor(log10(length / 6)));
    if (length / step > 30)
        return 5 * step;
    return length / step > 12 ? 2 * step : step;
}

static int column_of(double value, double length) {
    return (int)nearbyint(value / length * (WIDTH - 1));
}

/* Letters over blanks; what does not fit is left out. */
static void put(char *line, int column, const char *text) {
    for (int i = 0; text[i] && column + i < LINE - 1; i++)
        line[column + i] = text[i];
}

static void print_line(FILE *out, char *line) {
    int length = LINE - 1;
    while (length > 0 && line[length - 1] == ' ')
        length--;
    fprintf(out, "%.*s\n", length, line);
}

/* A short unit stands behind the numbers, a long one below them. */
static void print_axis(FILE *out, double length, const char *unit) {
    char marks[LINE], names[LINE], text[40];
    int unit_length = (int)strlen(unit), free = 0;
    bool below = unit_length > SHORT_UNIT;
    int room = below ? WIDTH : WIDTH - unit_length - 1;
    memset(marks, ' ', sizeof marks);
    memset(names, ' ', sizeof names);
    memset(marks, '-', WIDTH);
    double step = tick_step(length);
    for (int i = 0; i * step <= length * (1 + 1e-9); i++) {
        int column = column_of(i * step, length);
        marks[column] = '+';
        snprintf(text, sizeof text, "%g", i * step);
        if (column >= free && column + (int)strlen(text) <= room) {
            put(names, column, text);
            free = column + (int)strlen(text) + 1;
        }
    }
    put(names, below ? LINE : WIDTH - unit_length, unit);
    fprintf(out, "%*s", LANE, "");
    print_line(out, marks);
    fprintf(out, "%*s", LANE, "");
    print_line(out, names);
    if (below)
        fprintf(out, "%*s\n", LANE + WIDTH, unit);
}

/* A bar from its first to its last column, its label inside where there is room. Waiting is dotted.
 */
static void put_span(char *line, const struct exercise_bar *bar, double length) {
    int from = column_of(bar->from, length), to = column_of(bar->to, length);
    bool waits = strcmp(bar->label, "waits") == 0;
    for (int i = from; i <= to; i++)
        line[i] = i == from || i == to ? '|' : waits ? '.' : '=';
    if ((int)strlen(bar->label) < to - from)
        put(line, from + 1, bar->label);
}

/* The bars of a lane from `first` on that follow each other, one line; `done` gets those drawn. */
static void print_lane(FILE *out, const struct exercise_problem *p, size_t first, double length,
                       bool *done) {
    char line[LINE];
    double end = -INFINITY;
    memset(line, ' ', sizeof line);
    for (size_t i = first; i < p->bars.count; i++) {
        const struct exercise_bar *bar = &p->bars.items[i];
        if (done[i] || strcmp(bar->lane, p->bars.items[first].lane) != 0 || bar->from < end - 1e-9)
            continue;
        put_span(line, bar, length);
        end = bar->to;
        done[i] = true;
    }
    fprintf(out, "%-*.*s", LANE, LANE - 1, p->bars.items[first].lane);
    print_line(out, line);
}

static void print_bar(FILE *out, const struct exercise_bar *bar, double length) {
    char line[LINE], text[40];
    int to = column_of(bar->to, length);
    memset(line, ' ', sizeof line);
    memset(line, '=', (size_t)to);
    snprintf(text, sizeof text, " %.4g", bar->to);
    put(line, to, text);
    fprintf(out, "%-*.*s", LANE, LANE - 1, bar->lane);
    print_line(out, line);
}

static int print_chart(FILE *out, const struct exercise_problem *p) {
    double length = 0;
    for (size_t i = 0; i < p->bars.count; i++)
        length = fmax(length, p->bars.items[i].to);
    length *= p->timeline ? 1 : 1.15; /* room for the numbers behind the bars */
    bool *done = calloc(p->bars.count + 1, sizeof *done);
    if (!done)
        return CT_DATA;
    for (size_t i = 0; i < p->bars.count && length > 0; i++) {
        if (!p->timeline)
            print_bar(out, &p->bars.items[i], length);
        else if (!done[i])
            print_lane(out, p, i, length, done);
    }
    free(done);
    if (length > 0)
        print_axis(out, length, p->axis);
    return CT_OK;
}

/* ---- Text and Markdown ---- */

static const char *const stars[] = {"", "*", "**", "***"};

/* The number of an exercise in the list, from 1. */
static size_t number_of(const struct exercise_problem *p) {
    return (size_t)(p->exercise - exercises) + 1;
}

/* A value with its unit; a count ends without a blank. */
static void print_quantity(FILE *out, double value, const char *unit) {
    fprintf(out, "%.6g%s%s", value, *unit ? " " : "", unit);
}

static void print_paragraph(FILE *out, const char *text) {
    doc_print_wrapped(out, text, 0, WIDE);
    fputs("\n\n", out);
}

/* "12 ms", and of what was written otherwise "12us (0.012 ms)". */
static void print_answer(char *text, size_t size, const struct exercise_problem *p,
                         const struct exercise_view *view) {
    bool as_typed = strtod(view->typed, NULL) == view->answer;
    snprintf(text, size, "%s%s%.6g%s%s%s", as_typed ? "" : view->typed, as_typed ? "" : " (",
             view->answer, *p->unit ? " " : "", p->unit, as_typed ? "" : ")");
}

/* "12 ms is right", or what is wrong with it. */
static void print_verdict(FILE *out, const struct exercise_problem *p,
                          const struct exercise_view *view) {
    char answer[100], text[400];
    const struct exercise_mistake *mistake = exercise_mistake_of(p, view->answer);
    print_answer(answer, sizeof answer, p, view);
    if (exercise_is_right(p, view->answer))
        snprintf(text, sizeof text, "%s is right.", answer);
    else if (mistake)
        snprintf(text, sizeof text, "%s is wrong: %s.", answer, mistake->text);
    else if (exercise_lacks_unit(p, view->typed))
        snprintf(text, sizeof text, "%s is wrong: of which unit? Without one it is of %s.",
                 view->typed, p->unit);
    else
        snprintf(text, sizeof text, "%s is wrong: too %s.", answer,
                 view->answer < p->answer ? "small" : "large");
    print_paragraph(out, text);
}

static void print_givens(FILE *out, const struct exercise_problem *p) {
    int widest = 0;
    for (size_t i = 0; i < p->givens.count; i++) {
        int length = (int)strlen(p->givens.items[i].text);
        widest = length > widest ? length : widest;
    }
    for (size_t i = 0; i < p->givens.count; i++) {
        const struct exercise_given *given = &p->givens.items[i];
        fprintf(out, "  %-*s  ", widest, given->text);
        print_quantity(out, given->value, given->unit);
        fputc('\n', out);
    }
    fputc('\n', out);
}

static int print_steps(FILE *out, const struct exercise_problem *p) {
    char text[4300];
    for (size_t i = 0; i < p->steps.count; i++) {
        const struct exercise_step *step = &p->steps.items[i];
        snprintf(text, sizeof text, "%s%s%s%s", step->text, *step->equation ? " [" : "",
                 step->equation, *step->equation ? "]" : "");
        fprintf(out, "%3zu. ", i + 1);
        doc_print_wrapped(out, text, 5, WIDE);
        fputc('\n', out);
    }
    fputs("\nAnswer: ", out);
    print_quantity(out, p->answer, p->unit);
    if (p->tolerance > 0)
        fprintf(out, " (within %g %%)", 100 * p->tolerance);
    fputs("\n\n", out);
    return print_chart(out, p);
}

static void print_mistakes(FILE *out, const struct exercise_problem *p) {
    for (size_t i = 0; i < p->mistakes.count; i++) {
        char text[300];
        const struct exercise_mistake *mistake = &p->mistakes.items[i];
        snprintf(text, sizeof text, "%.6g: %s", mistake->value, mistake->text);
        fputs(i ? "  " : "\nWrong, and why:\n  ", out);
        doc_print_wrapped(out, text, 4, WIDE);
        fputc('\n', out);
    }
}

int exercise_print_text(FILE *out, const struct exercise_problem *p,
                        const struct exercise_view *view) {
    const struct exercise *exercise = p->exercise;
    bool bold = cli_colour(out);
    fprintf(out, "%sExercise %zu: %s%s\n", bold ? "\033[1m" : "", number_of(p), exercise->title,
            bold ? "\033[0m" : "");
    fprintf(out, "%s, difficulty %s, seed %" PRIu64 "\n\n", exercise->topic, stars[exercise->stars],
            p->seed);
    print_paragraph(out, p->story);
    print_givens(out, p);
    print_paragraph(out, p->question);
    if (view->hint) {
        fputs("Hint: ", out);
        doc_print_wrapped(out, p->hint, 6, WIDE);
        fputs("\n\n", out);
    }
    if (view->answered)
        print_verdict(out, p, view);
    int status = CT_OK;
    if (view->solution) {
        status = print_steps(out, p);
        print_mistakes(out, p);
    } else if (!view->answered) {
        fprintf(out, "--hint helps, --answer X checks a number, -c shows the solution.\n");
    }
    return status;
}

int exercise_print_markdown(FILE *out, const struct exercise_problem *p,
                            const struct exercise_view *view) {
    fprintf(out, "## %zu. %s (%s)\n\n%s\n\n| given | value |\n|---|---:|\n", number_of(p),
            p->exercise->title, stars[p->exercise->stars], p->story);
    for (size_t i = 0; i < p->givens.count; i++) {
        fprintf(out, "| %s | ", p->givens.items[i].text);
        print_quantity(out, p->givens.items[i].value, p->givens.items[i].unit);
        fputs(" |\n", out);
    }
    fprintf(out, "\n**%s**\n", p->question);
    if (view->hint)
        fprintf(out, "\nHint: %s\n", p->hint);
    if (view->answered) {
        fputc('\n', out);
        print_verdict(out, p, view);
    }
    if (!view->solution)
        return CT_OK;
    fputs("\nSolution:\n\n", out);
    for (size_t i = 0; i < p->steps.count; i++)
        fprintf(out, "%zu. %s%s%s%s\n", i + 1, p->steps.items[i].text,
                *p->steps.items[i].equation ? " [" : "", p->steps.items[i].equation,
                *p->steps.items[i].equation ? "]" : "");
    fputs("\nAnswer: **", out);
    print_quantity(out, p->answer, p->unit);
    fputs("**\n\n```text\n", out);
    int status = print_chart(out, p);
    fputs("```\n", out);
    return status;
}

/* ---- JSON ---- */

static void json_givens(struct json_writer *json, const struct exercise_problem *p) {
    json_writer_begin_array(json, "given");
    for (size_t i = 0; i < p->givens.count; i++) {
        const struct exercise_given *given = &p->givens.items[i];
        json_writer_object(json, NULL, "key", given->key, "text", given->text, "value",
                           given->value, "unit", given->unit);
    }
    json_writer_end_array(json);
}

static void json_picture(struct json_writer *json, const struct exercise_problem *p) {
    json_writer_begin_object(json, "picture");
    json_writer_members(json, "kind", p->timeline ? "timeline" : "values", "axis", p->axis);
    json_writer_begin_array(json, "bars");
    for (size_t i = 0; i < p->bars.count; i++) {
        const struct exercise_bar *bar = &p->bars.items[i];
        json_writer_object(json, NULL, "lane", bar->lane, "label", bar->label, "from", bar->from,
                           "to", bar->to);
    }
    json_writer_end_array(json);
    json_writer_end_object(json);
}

static void json_solution(struct json_writer *json, const struct exercise_problem *p) {
    json_writer_begin_object(json, "solution");
    json_writer_members(json, "answer", p->answer, "tolerance", p->tolerance);
    json_writer_begin_array(json, "steps");
    for (size_t i = 0; i < p->steps.count; i++) {
        const struct exercise_step *step = &p->steps.items[i];
        json_writer_object(json, NULL, "text", step->text, "equation",
                           *step->equation ? step->equation : NULL);
    }
    json_writer_end_array(json);
    json_writer_begin_array(json, "mistakes");
    for (size_t i = 0; i < p->mistakes.count; i++)
        json_writer_object(json, NULL, "value", p->mistakes.items[i].value, "text",
                           p->mistakes.items[i].text);
    json_writer_end_array(json);
    json_picture(json, p);
    json_writer_end_object(json);
}

static void json_verdict(struct json_writer *json, const struct exercise_problem *p,
                         const struct exercise_view *view) {
    const struct exercise_mistake *mistake = exercise_mistake_of(p, view->answer);
    bool right = exercise_is_right(p, view->answer);
    const char *why = mistake                               ? mistake->text
                      : exercise_lacks_unit(p, view->typed) ? "of which unit?"
                                                            : NULL;
    json_writer_object(json, "checked", "answer", view->answer, "right", right, "why",
                       right ? NULL : why);
}

int exercise_print_json(FILE *out, const struct exercise_problem *p,
                        const struct exercise_view *view) {
    struct json_writer json = json_writer_start(out, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "schema", "cotenant.exercise/1", "number", number_of(p), "name",
                        p->exercise->name, "title", p->exercise->title, "topic", p->exercise->topic,
                        "stars", p->exercise->stars, "seed", p->seed, "text", p->story);
    json_givens(&json, p);
    json_writer_members(&json, "question", p->question, "unit", p->unit);
    if (view->hint)
        json_writer_string(&json, "hint", p->hint);
    if (view->answered)
        json_verdict(&json, p, view);
    if (view->solution)
        json_solution(&json, p);
    json_writer_end_object(&json);
    fputc('\n', out);
    return CT_OK;
}

/* ---- GIFT: numerical, with the slack of the answer, and a remark for each mistake ---- */

/* Text with what GIFT gives a meaning escaped. */
static void print_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        if (strchr("~=#{}:\\", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* A number and what is as good as it. */
static void print_value(FILE *out, double value, double slack) {
    fprintf(out, "%.10g:%.10g", value, slack);
}

void exercise_print_gift(FILE *out, const struct exercise_problem *p, const char *student) {
    fprintf(out, "$CATEGORY: $course$/cotenant/%s\n\n::%s %s::[markdown]", p->exercise->name,
            p->exercise->name, student);
    print_escaped(out, p->story);
    fputs("\\n\\n", out);
    for (size_t i = 0; i < p->givens.count; i++) {
        const struct exercise_given *given = &p->givens.items[i];
        fputs("- ", out);
        print_escaped(out, given->text);
        fprintf(out, "\\: %.6g%s%s\\n", given->value, *given->unit ? " " : "", given->unit);
    }
    fputs("\\n**", out);
    print_escaped(out, p->question);
    fputs("** {#\n=", out);
    print_value(out, p->answer, exercise_slack(p, p->answer));
    fputc('\n', out);
    for (size_t i = 0; i < p->mistakes.count; i++) {
        const struct exercise_mistake *mistake = &p->mistakes.items[i];
        fputs("=%0%", out);
        print_value(out, mistake->value, exercise_mistake_slack(p, mistake));
        fputc('#', out);
        print_escaped(out, mistake->text);
        fputc('\n', out);
    }
    fputs("####", out);
    print_escaped(out, p->hint);
    fputs("\n}\n\n", out);
}
