/* Colours in a report, for what must not be overlooked: verdicts, missed targets, overload. */
#ifndef CLI_PAINT_H
#define CLI_PAINT_H

#include "results/report.h"

#include <stdio.h>

/* report_write, or report_write_comparison if the reports are compared, to standard output, in
 * colour where a text goes to a terminal that takes it. enum ct_status. */
int cli_paint_reports(enum report_format format, const struct report_comparison *reports,
                      bool compared);

#endif
