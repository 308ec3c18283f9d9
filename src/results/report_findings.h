/* What runs of one workload under several policies come to, in sentences: who keeps every target,
 * and who has the highest throughput. */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "format/doc_writer.h"
#include "results/report.h"

/* As items of a list. `names` [count]: what the sentences call each of them. */
void report_findings_write(struct doc *doc, const struct report *const *reports,
                           const char *const *names, size_t count);

/* STP where nobody slows anybody: one for each instance. */
int64_t report_most_stp(const struct report *report);

#endif
