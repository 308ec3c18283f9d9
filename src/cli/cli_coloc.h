/* Measured co-locations, read and made ready for the contention model: for `calibrate` and
 * `validate`. */
#ifndef CLI_COLOC_H
#define CLI_COLOC_H

#include "ingest/coloc_reader.h"
#include "models/device/contention_samples.h"

/* Zero-initialise; close with cli_coloc_close. */
struct cli_coloc {
    struct coloc_set set;
    struct contention_samples samples;
    struct contention_columns columns;
};

/* Reads both files and notes what the columns lack. enum ct_status. */
int cli_coloc_open(struct cli_coloc *coloc, const char *solo_path, const char *pairs_path,
                   struct ct_diags *diags);
void cli_coloc_close(struct cli_coloc *coloc);

/* Warns when so few co-locations were measured that more would help. */
void cli_coloc_warn_few(const struct cli_coloc *coloc, struct ct_diags *diags);

/* How many co-locations are enough, for every reader of a fit. */
extern const char cli_coloc_advice[];

#endif
