/* The items of a paper that are about the memory alone, on the bank-level model. */
#ifndef PAPER_MEMORY_H
#define PAPER_MEMORY_H

#include "apps/paper/paper_file.h"
#include "base/ct_diag.h"

/* How much the constants of Eq. 3 vary with the training pair, of one row's memory: the rows of
 * both constants share the runs. */
struct paper_training {
    const struct paper_row *row; /* NULL: none was trained */
    double mean[2];              /* c1, c2 */
    double variance[2];
};

/* The value of a row whose measure is no run's, with HSM's memory and controller; `training` is
 * taken from the row before where the memory is the same, and else filled. `interrupted`
 * (may be NULL) is asked, with NULL, before every run of the model. enum ct_status. */
int paper_memory(const struct paper_row *row, uint64_t seed, struct paper_training *training,
                 bool (*interrupted)(void *context), double *value, struct ct_diags *diags);

#endif
