/* What an advice prints. */
#ifndef ADVISE_PRINT_H
#define ADVISE_PRINT_H

#include "format/table.h"
#include "study/advise.h"

/* Text and Markdown answer: the best, the best of each way, why the others lost, what switches it
 * on, what was assumed. CSV has all candidates, JSON both. CT_OK or CT_DATA. */
int advise_print(const struct advise *advise, const struct advise_result *result,
                 enum table_format format, FILE *out);

/* The JSON alone; `in_page`: as it may stand in a page. CT_OK or CT_DATA. */
int advise_print_json(const struct advise *advise, const struct advise_result *result, bool in_page,
                      FILE *out);

#endif
