/* What an advice tries besides ways of sharing: lengths of time slices, limits of batches. */
#ifndef ADVISE_CHANGES_H
#define ADVISE_CHANGES_H

#include "study/advise_types.h"

struct advise_changes {
    CT_VEC(struct advise_change *);
};

/* Adds the changes that the workload has room for, each with its workload opened, on this GPU
 * (NULL: the workload's own). They lie in the arena; their scenarios are to be closed. enum
 * ct_status. */
int advise_changes_make(const struct scenario_request *request, const struct scenario *scenario,
                        struct advise_changes *changes, struct ct_arena *arena,
                        struct ct_diags *diags);
void advise_changes_free(struct advise_changes *changes);

#endif
