#include "base/ct_quantity.h"

#include "base/ct_text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What measures the same stands together: `factor` is exact, in the least of them. */
static const struct unit {
    const char *name;
    int measure;
    double factor;
} units[] = {
    {"ns", 1, 1},        {"us", 1, 1e3},      {"ms", 1, 1e6},     {"s", 1, 1e9},
    {"min", 1, 6e10},    {"h", 1, 3.6e12},    {"B", 2, 1},        {"kB", 2, 1e3},
    {"MB", 2, 1e6},      {"GB", 2, 1e9},      {"TB", 2, 1e12},    {"KiB", 2, 1024},
    {"MiB", 2, 1 << 20}, {"GiB", 2, 1 << 30}, {"TiB", 2, 0x1p40}, {"MB/s", 3, 1},
    {"GB/s", 3, 1e3},    {"TB/s", 3, 1e6},    {"MHz", 4, 1},      {"GHz", 4, 1e3},
    {"1/h", 5, 1},       {"1/min", 5, 60},    {"1/s", 5, 3600},   {"/h", 5, 1},
    {"/min", 5, 60},     {"/s", 5, 3600},     {"Hz", 5, 3600},    {"kHz", 5, 3.6e6},
    {"%", 6, 1},         {"", 6, 100},
};

static const struct unit *unit_named(const char *name) {
    for (size_t i = 0; i < CT_COUNT_OF(units); i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

/* What stands behind the number; NULL: there is none. */
static const char *rest_of(const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    return end == text ? NULL : end + strspn(end, " ");
}

bool ct_quantity_convert(double *number, const char *from, const char *to) {
    if (strcmp(from, to) == 0)
        return true;
    const struct unit *own = unit_named(from), *asked = unit_named(to);
    if (!own || !asked || own->measure != asked->measure)
        return false;
    *number = *number * own->factor / asked->factor;
    return true;
}

bool ct_quantity_read(const char *text, const char *unit, double *number) {
    const char *rest = rest_of(text, number);
    return rest && (!*rest || ct_quantity_convert(number, rest, unit));
}

bool ct_quantity_read_whole(const char *text, const char *unit, int64_t *number) {
    static const double most = 0x1p53; /* beyond it a double skips whole numbers */
    double converted;
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    if (end != text && !*end)
        return errno == 0;
    if (!*unit || !ct_quantity_has_unit(text) || !ct_quantity_read(text, unit, &converted) ||
        !(fabs(converted) <= most) || trunc(converted) != converted)
        return false;
    *number = (int64_t)converted;
    return true;
}

bool ct_quantity_has_unit(const char *text) {
    double number;
    const char *rest = rest_of(text, &number);
    return rest && *rest && (isdigit((unsigned char)*text) || strchr("+-.", *text));
}

void ct_quantity_names(const char *unit, char *text, size_t size) {
    const struct unit *own = unit_named(unit);
    *text = '\0';
    for (size_t i = 0; i < CT_COUNT_OF(units) && own; i++)
        if (units[i].measure == own->measure && *units[i].name)
            ct_text_add(text, size, "|", "%s", units[i].name);
}
