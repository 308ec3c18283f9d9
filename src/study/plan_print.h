/* The forms of a capacity plan. */
#ifndef PLAN_PRINT_H
#define PLAN_PRINT_H

#include "format/table.h"
#include "study/plan.h"

/* What is asked, in words: "largest arrival rate of 'vit'". */
void plan_question(const struct plan *plan, char *text, size_t size);

/* Of whom a point or a cause is: the service and, where it is not its latency, which of its times,
 * "chat ttft_ms". */
void plan_target_text(const char *service, enum result_time target, char *text, size_t size);

/* Prints it, with the sentence of settings.h (may be NULL). CT_OK, or CT_DATA when the stream
 * failed or memory ran out. */
int plan_print(const struct plan *plan, const struct plan_result *result, const char *settings,
               enum table_format format, FILE *out);

#endif
