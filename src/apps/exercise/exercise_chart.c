/* The picture of an exercise in letters: bars over an axis, 80 columns wide. */
#include "apps/exercise/exercise_print.h"

#include <string.h>

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

static void print_value(FILE *out, const struct exercise_bar *bar, double length) {
    char line[LINE], text[40];
    int to = column_of(bar->to, length);
    memset(line, ' ', sizeof line);
    memset(line, '=', (size_t)to);
    snprintf(text, sizeof text, " %.4g", bar->to);
    put(line, to, text);
    fprintf(out, "%-*.*s", LANE, LANE - 1, bar->lane);
    print_line(out, line);
}

int exercise_print_chart(FILE *out, const struct exercise_problem *p) {
    double length = 0;
    for (size_t i = 0; i < p->bars.count; i++)
        length = fmax(length, p->bars.items[i].to);
    length *= p->timeline ? 1 : 1.15; /* room for the numbers behind the bars */
    bool *done = calloc(p->bars.count + 1, sizeof *done);
    if (!done)
        return CT_DATA;
    for (size_t i = 0; i < p->bars.count && length > 0; i++) {
        if (!p->timeline)
            print_value(out, &p->bars.items[i], length);
        else if (!done[i])
            print_lane(out, p, i, length, done);
    }
    free(done);
    if (length > 0)
        print_axis(out, length, p->axis);
    return CT_OK;
}
