/* Who may use the SMs: time slices (device_slices.c) and partitions (fluid.c, block_move.c). */
#ifndef SHARING_STATE_H
#define SHARING_STATE_H

#include "des/des_engine.h"

struct time_slices {
    int64_t active;      /* client whose slice it is; -1: none yet */
    bool switching;      /* to the active one, whose slice has not begun */
    ct_time_ps since_ps; /* when the slice began; undefined: it has not */
    des_event event;
};

struct partition_state {
    int64_t *wanted;       /* SMs of each client after the repartition */
    bool slices_shared;    /* some clients have a slice in common */
    bool moving;           /* some have SMs that others are to have */
    struct block_map *map; /* block: what lies on which SM; NULL: fluid */
};

#endif
