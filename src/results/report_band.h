/* What reports say of draws of the unknown memory demand, in words and tables; nothing where there
 * were none. */
#ifndef REPORT_BAND_H
#define REPORT_BAND_H

#include "format/doc_writer.h"
#include "results/report.h"

/* Where a measure of compare_stats.h lies over the draws, of the system or of an application
 * (`app`); NAN where no range of it was made. */
struct report_range report_band_of(const struct report *report, const char *measure,
                                   const char *app);

void report_band_write(struct doc *doc, const struct report *report);
void report_band_write_comparison(struct doc *doc, const struct report_comparison *comparison);

#endif
