/* What a suite takes from its services alone: how often they are asked, and their target. */
#ifndef PAPER_SERVICE_H
#define PAPER_SERVICE_H

#include "apps/paper/paper_plan.h"

/*
 * By application of the plan's suite, which has a load or a target, in the arena: the rate that
 * keeps the GPU busy for that part of its time, and the target, the suite's multiple of the 99th
 * percentile that this rate has without any other application; without a multiple it keeps its own
 * target. In a suite without a load it keeps its arrivals, and the target is over the latency of
 * one query alone. enum ct_status.
 */
int paper_services(const struct paper_plan *plan, struct ct_arena *arena,
                   struct paper_service **services, struct ct_diags *diags);

#endif
