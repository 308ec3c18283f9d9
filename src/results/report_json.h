/* Reports and differences as members of somebody else's JSON document. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "format/json_writer.h"
#include "results/report.h"

/* The point of a sweep that a report belongs to. */
struct report_point {
    uint64_t number; /* from 1 */
    const struct report_setting *values;
    size_t value_count;
};

/* `point` NULL: of no sweep. With one, a report has "point" (its number) and "values" (an object,
 * numbers where the value is one), a difference has "point". */
void report_json_report(struct json_writer *json, const struct report *report,
                        const struct report_point *point);
void report_json_difference(struct json_writer *json, const struct report_difference *difference,
                            const struct report_point *point);

#endif
