/* What reports say of draws of the unknown memory demand, in words and tables; nothing where there
 * were none. */
#ifndef REPORT_BAND_H
#define REPORT_BAND_H

#include "format/doc_writer.h"
#include "results/report.h"

void report_band_write(struct doc *doc, const struct report *report);
void report_band_write_comparison(struct doc *doc, const struct report_comparison *comparison);

#endif
