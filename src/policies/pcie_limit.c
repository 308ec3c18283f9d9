#include "policies/pcie_limit.h"

void pcie_limit_init(struct pcie_limit *limit, const struct ct_device_info *device) {
    double ratio = device->pcie_bytes_per_s / device->pcie_pageable_bytes_per_s;
    *limit = (struct pcie_limit){.most = ratio >= 2.0 && ratio < 1e6 ? (int64_t)ratio - 1 : 1};
}

bool pcie_limit_full(const struct pcie_limit *limit, int32_t direction) {
    return limit->under_way[direction] >= limit->most;
}
