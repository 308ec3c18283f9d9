/* A problem as a question of Moodle, in its GIFT format: numerical, with the slack of the answer,
 * and a remark for each mistake that invites itself. */
#include "apps/exercise/exercise_print.h"

#include <string.h>

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
    fprintf(out, "**%s%s%s {#\n=", *p->unit ? " (in " : "", p->unit, *p->unit ? ")" : "");
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
