/* What the tables of a cluster are printed from. */
#ifndef CLUSTER_REPORT_H
#define CLUSTER_REPORT_H

#include "study/cluster_job.h"

struct cluster_report {
    const struct cluster *cluster;
    const char *balancer;
    uint64_t seed;
    uint32_t reps;
    const struct cluster_scenario *scenarios;
    size_t count;
    const char *settings; /* which change nothing, as a sentence; NULL: nothing to say */
    bool place_only;      /* no GPU was simulated */
    bool bold;            /* the titles of tables, by escape sequences */
};

#endif
