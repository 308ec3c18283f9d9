/*
 * Where a kernel goes that has waited for room, where sm_sharing is `hopper`: blocks end one after
 * the other, and what each leaves is taken at once. One block that leaves room for eight gets
 * eight, and the SMs behind it none. On an H100 132 blocks of 32 threads behind a kernel on all SMs
 * came to lie on 5 to 23 SMs (docs/measured.md).
 */
#include "models/device/block.h"

#include <string.h>

/* Room that one block leaves which ends now; where none did, all that there is. */
static int32_t room_at_once(const struct block_class *class, ct_time_ps now) {
    int32_t ended = block_freed_now(class, now);
    return ended > 0 ? (class->fit + ended - 1) / ended : class->fit;
}

/* Lists the SMs that have room, by number: rounds go over them again and again. Returns how many.
 */
static uint32_t find_rooms(const struct device *device, const struct block_view *view) {
    const struct block_map *map = device->partition.map;
    uint32_t count = 0;
    for (const struct block_class *c = view->classes; c; c = c->next) {
        int32_t at_once = c->fit > 0 ? room_at_once(c, des_engine_now(device->engine)) : 0;
        for (uint32_t sm = block_next(map, c, 0); sm < map->sms; sm = block_next(map, c, sm + 1))
            map->rooms[sm] = (struct block_room){sm, c->fit, at_once};
    }
    for (uint32_t sm = 0; sm < map->sms; sm++)
        if (map->rooms[sm].left > 0)
            map->rooms[count++] = map->rooms[sm];
    return count;
}

/* One more block ends on each SM, the lowest number first. Returns how many blocks are left. */
static uint64_t fill_round(struct block_room *rooms, uint32_t count, uint64_t blocks,
                           int32_t *gets) {
    for (struct block_room *room = rooms; room < rooms + count && blocks > 0; room++) {
        int32_t more = room->left < room->at_once ? room->left : room->at_once;
        if ((uint64_t)more > blocks)
            more = (int32_t)blocks;
        gets[room->sm] += more;
        room->left -= more;
        blocks -= (uint64_t)more;
    }
    return blocks;
}

/* SMs of a class that get other numbers go into classes of their own. */
static void set_fit(struct device *device, struct block_view *view, const int32_t *gets) {
    struct block_map *map = device->partition.map;
    for (struct block_class *c = view->classes; c; c = c->next) {
        int32_t first = -1;
        memset(map->chosen, 0, map->words * sizeof *map->chosen);
        for (uint32_t sm = block_next(map, c, 0); sm < map->sms; sm = block_next(map, c, sm + 1)) {
            first = first < 0 ? gets[sm] : first;
            if (gets[sm] != first)
                block_set_add(map->chosen, sm);
        }
        block_class_split(device, c, map->chosen); /* they follow */
        c->fit = first;
    }
}

bool block_room_appears(const struct device *device, const struct block_view *view) {
    for (const struct block_class *c = view->classes; c; c = c->next)
        if (block_freed_now(c, des_engine_now(device->engine)) > 0)
            return true;
    return false;
}

void block_fill_up(struct device *device, struct block_view *view, uint64_t blocks) {
    int32_t *gets = device->partition.map->resident;
    memset(gets, 0, device->partition.map->sms * sizeof *gets);
    uint32_t rooms = find_rooms(device, view);
    while (blocks > 0)
        blocks = fill_round(device->partition.map->rooms, rooms, blocks, gets);
    set_fit(device, view, gets);
}
