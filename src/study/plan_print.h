/* The forms of a capacity plan. */
#ifndef PLAN_PRINT_H
#define PLAN_PRINT_H

#include "format/doc_writer.h"
#include "study/plan.h"

/* What is asked, in words: "largest arrival rate of 'vit'". */
void plan_question(const struct plan *plan, char *text, size_t size);

/* Warns of an answer that is only guessed, and says, as gravely as `none`, that there is none: no
 * load keeps the targets, not even by what is seen and not sure. CT_DATA in that case, else CT_OK.
 */
int plan_tell_answer(const struct plan *plan, const struct plan_result *result,
                     enum ct_severity none, struct ct_diags *diags);

/* Whose target decides a point or a cause: the service and, where it is not its latency, which of
 * its times, "chat ttft_ms". */
const char *plan_target_text(struct doc *doc, const char *service, enum result_time target);

const char *plan_verdict_name(enum plan_verdict verdict); /* "holds" */

/* Why it misses where its p99 does not say so. */
const char *plan_late_text(struct doc *doc, const char *of);

/* What an answer leans on, as items of a list, and as a member of an object. */
void plan_print_envelope(struct doc *doc, const struct plan_result *result);
void plan_json_envelope(struct json_writer *json, const struct plan_result *result);

/* Prints it, with the sentence of settings.h (may be NULL). CT_OK, or CT_DATA when the stream
 * failed or memory ran out. */
int plan_print(const struct plan *plan, const struct plan_result *result, const char *settings,
               enum table_format format, FILE *out);

#endif
