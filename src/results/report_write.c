/* Which writer a form of a report is written by. */
#include "results/report.h"

const char *const report_format_names[REPORT_FORMAT_COUNT + 1] = {"text", "json", "csv", "markdown",
                                                                  NULL};

int report_write(enum report_format format, const struct report *reports, size_t count, FILE *out) {
    if (format == REPORT_JSON)
        return report_write_json(reports, count, out);
    if (format == REPORT_CSV)
        return report_write_csv(reports, count, out);
    return report_write_document(reports, count, format == REPORT_MARKDOWN, out);
}

int report_write_comparison(enum report_format format, const struct report_comparison *comparison,
                            FILE *out) {
    if (format == REPORT_JSON)
        return report_write_comparison_json(comparison, out);
    if (format == REPORT_CSV)
        return report_write_comparison_csv(comparison, out);
    return report_write_comparison_document(comparison, format == REPORT_MARKDOWN, out);
}
