/* The items of a paper that are about the memory alone, on the bank-level model. */
#ifndef PAPER_MEMORY_H
#define PAPER_MEMORY_H

#include "ct_diag.h"
#include "paper_file.h"

/* The value of a row whose measure is no run's, with HSM's memory and controller. `interrupted`
 * (may be NULL) is asked, with NULL, before every run of the model. enum ct_status. */
int paper_memory(const struct paper_row *row, uint64_t seed, bool (*interrupted)(void *context),
                 double *value, struct ct_diags *diags);

#endif
