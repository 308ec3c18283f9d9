/* SMs in the same state, as sets of their numbers: split where a change touches some of them,
 * merged again when they have become alike. */
#include "models/device/block.h"

#include "base/ct_assert.h"

#include <string.h>

enum { WORD = 64 };

struct block_view *block_view_of(const struct device *device, const struct device_task *task) {
    bool sliced = device->config.sharing == CT_SHARING_TIMESLICE;
    return device->partition.map->views + (sliced ? task->client : 0);
}

void block_set_add(uint64_t *set, uint32_t sm) {
    set[sm / WORD] |= UINT64_C(1) << sm % WORD;
}

int32_t block_freed_now(const struct block_class *class, ct_time_ps now) {
    return class->sm.freed_ps == now ? class->sm.freed : 0;
}

void block_class_touch(struct block_class *class) {
    class->changed = true;
    class->use_known = false;
}

uint32_t block_next(const struct block_map *map, const struct block_class *class, uint32_t sm) {
    uint32_t word = sm / WORD;
    uint64_t rest = word < map->words ? class->sms[word] & UINT64_MAX << sm % WORD : 0;
    while (rest == 0 && ++word < map->words)
        rest = class->sms[word];
    return rest == 0 ? map->sms : word * WORD + (uint32_t)__builtin_ctzll(rest);
}

/* ---- Memory: what is given back is used again ---- */

struct block_cohort *block_cohort_new(struct device *device) {
    struct block_map *map = device->partition.map;
    struct block_cohort *cohort = map->unused_cohorts;
    if (cohort)
        map->unused_cohorts = cohort->next;
    else
        cohort = ct_arena_alloc(map->arena, sizeof *cohort);
    ct_assert(cohort);
    return cohort;
}

void block_cohort_free(struct device *device, struct block_cohort *cohort) {
    cohort->next = device->partition.map->unused_cohorts;
    device->partition.map->unused_cohorts = cohort;
}

void block_cohort_append(struct block_cohort **list, struct block_cohort *cohort) {
    while (*list)
        list = &(*list)->next;
    cohort->next = NULL;
    *list = cohort;
}

static struct block_class *class_new(const struct device *device) {
    struct block_map *map = device->partition.map;
    struct block_class *class = map->unused_classes;
    if (class) {
        map->unused_classes = class->next;
        return class;
    }
    class = ct_arena_alloc(map->arena, sizeof *class + map->words * sizeof class->sms[0]);
    if (!class)
        return NULL;
    class->residents =
        ct_arena_array(map->arena, (size_t)device->gpu->blocks_per_sm, sizeof *class->residents);
    return class->residents ? class : NULL;
}

bool block_class_start(struct device *device) {
    struct block_map *map = device->partition.map;
    size_t views = device->config.sharing == CT_SHARING_TIMESLICE ? device->config.clients : 1;
    map->words = (map->sms + WORD - 1) / WORD;
    map->views = ct_arena_array(map->arena, views, sizeof *map->views);
    map->chosen = ct_arena_array(map->arena, map->words, sizeof *map->chosen);
    map->allowances = ct_arena_array(map->arena, map->sms, sizeof *map->allowances);
    if (!map->views || !map->chosen || !map->allowances)
        return false;
    for (size_t i = 0; i < views; i++) {
        struct block_class *class = class_new(device);
        if (!class)
            return false;
        class->sm = map->empty;
        class->owner = class->next_owner = -1;
        class->size = map->sms;
        for (uint32_t sm = 0; sm < map->sms; sm++)
            block_set_add(class->sms, sm);
        map->views[i].classes = class;
    }
    return true;
}

/* ---- Split and merge ---- */

struct block_class *block_class_split(struct device *device, struct block_class *class,
                                      const uint64_t *set) {
    uint32_t words = device->partition.map->words, inside = 0;
    for (uint32_t i = 0; i < words; i++)
        inside += (uint32_t)__builtin_popcountll(class->sms[i] & set[i]);
    if (inside == 0 || inside == class->size)
        return NULL;
    struct block_class *other = class_new(device);
    ct_assert(other);
    struct block_resident *residents = other->residents;
    *other = *class;
    other->residents = residents;
    memcpy(residents, class->residents, class->resident_count * sizeof *residents);
    for (uint32_t i = 0; i < words; i++) {
        other->sms[i] = class->sms[i] & set[i];
        class->sms[i] &= ~set[i];
    }
    other->size = inside;
    class->size -= inside;
    class->changed = other->changed = true; /* alike, for now */
    class->next = other;
    return other;
}

struct block_resident *block_resident_of(const struct block_class *class,
                                         const struct block_cohort *cohort) {
    for (uint32_t i = 0; i < class->resident_count; i++)
        if (class->residents[i].cohort == cohort)
            return &class->residents[i];
    return NULL;
}

static bool alike(const struct block_class *a, const struct block_class *b, ct_time_ps now) {
    if (a->sm.threads != b->sm.threads || a->sm.smem_division != b->sm.smem_division ||
        block_freed_now(a, now) != block_freed_now(b, now) ||
        a->resident_count != b->resident_count || a->owner != b->owner ||
        a->next_owner != b->next_owner)
        return false;
    for (uint32_t i = 0; i < a->resident_count; i++) {
        const struct block_resident *other = &b->residents[i];
        if (other->cohort != a->residents[i].cohort)
            other = block_resident_of(b, a->residents[i].cohort);
        if (!other || other->per_sm != a->residents[i].per_sm)
            return false;
    }
    return true;
}

/* The SMs of the class behind this link join the others, which are alike. */
static void absorb(struct block_map *map, struct block_class *class, struct block_class **link) {
    struct block_class *other = *link;
    for (uint32_t i = 0; i < map->words; i++)
        class->sms[i] |= other->sms[i];
    class->size += other->size;
    *link = other->next;
    other->next = map->unused_classes;
    map->unused_classes = other;
}

/* The first before `end` that is like it; NULL: none. */
static struct block_class *find_alike(struct block_class *first, const struct block_class *end,
                                      ct_time_ps now) {
    while (first != end && !alike(first, end, now))
        first = first->next;
    return first != end ? first : NULL;
}

/* Two that have not changed since were unlike then, and are. The first of those that are alike
 * stays. */
void block_class_merge(struct device *device, struct block_view *view) {
    struct block_map *map = device->partition.map;
    ct_time_ps now = des_engine_now(device->engine);
    if (!view->changed)
        return;
    view->changed = false;
    for (struct block_class **link = &view->classes, *class; (class = *link) != NULL;) {
        struct block_class *before = class->changed ? find_alike(view->classes, class, now) : NULL;
        if (before) {
            absorb(map, before, link);
            continue;
        }
        for (struct block_class **other = &class->next; class->changed && *other;)
            if (alike(class, *other, now))
                absorb(map, class, other);
            else
                other = &(*other)->next;
        class->changed = false;
        link = &class->next;
    }
    map->fit_task = NULL;
}
