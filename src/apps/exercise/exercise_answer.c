/* An answer as somebody writes it. */
#include "apps/exercise/exercise.h"
#include "base/ct_quantity.h"
#include "format/csv_reader.h"

#include <string.h>

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " ");
}

/* "39" or "1/3"; what follows it, or NULL. */
static const char *scan_fraction(const char *text, double *number) {
    double below;
    const char *rest = csv_scan_number(text, number);
    const char *divided =
        rest && *skip_blanks(rest) == '/' ? skip_blanks(skip_blanks(rest) + 1) : NULL;
    if (!divided)
        return rest;
    rest = csv_scan_number(divided, &below);
    *number /= below;
    return rest && isfinite(*number) ? rest : NULL;
}

int exercise_read_answer(const struct exercise_problem *p, const char *text, double *number,
                         struct ct_diags *diags) {
    const char *unit = scan_fraction(skip_blanks(text), number);
    if (!unit) {
        ct_error(diags, "answer", "'%s' is not a number, such as 39, 1/3 or 39ms", text);
        return CT_USAGE;
    }
    unit = skip_blanks(unit);
    if (*unit && !ct_quantity_convert(number, unit, p->unit)) {
        ct_error(diags, "answer", "'%s' is a number of '%s', and the problem asks for %s%s%s", text,
                 unit, *p->unit ? "'" : "one", p->unit, *p->unit ? "'" : " without a unit");
        return CT_USAGE;
    }
    return CT_OK;
}
