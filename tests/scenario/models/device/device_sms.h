/* What lies on one SM, for tests that look into a device. */
#ifndef DEVICE_SMS_H
#define DEVICE_SMS_H

#include "models/device/block.h"

/* What is free and resident on an SM, of the active client under time slices; NULL: a fluid device
 * places no blocks. */
static inline const struct block_sm *device_sm(const struct device *device, uint32_t sm) {
    bool sliced = device->config.sharing == CT_SHARING_TIMESLICE && device->slices.active > 0;
    const struct block_map *map = device->partition.map;
    const struct block_class *class =
        map ? map->views[sliced ? device->slices.active : 0].classes : NULL;
    while (class && block_next(map, class, sm) != sm)
        class = class->next;
    return class ? &class->sm : NULL;
}

/* SMs that a client owns. */
static inline int64_t device_owned_sms(const struct device *device, uint32_t client) {
    const struct block_map *map = device->partition.map;
    int64_t count = 0;
    for (uint32_t i = 0; map && i < map->sms; i++)
        count += map->owner[i] == (int32_t)client;
    return map ? count : device->clients[client].partition;
}

#endif
