/* Between the two files of the command `dram`. */
#ifndef CMD_DRAM_H
#define CMD_DRAM_H

#include "models/device/dram_bank.h"

/* Fits the channel and writes the file (docs/models-dram.md); says in short what was found unless
 * quiet. The file exists only after CT_OK. */
int cmd_dram_fit(const struct dram_bank_params *params, const char *path, bool quiet,
                 struct ct_diags *diags);

#endif
