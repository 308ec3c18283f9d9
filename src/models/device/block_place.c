/* What lies on which SM: room, placement, release. Threads, block slots, registers and shared
 * memory all must fit. */
#include "models/device/block.h"

#include <string.h>

/* ---- Room ---- */

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static int32_t parts(int32_t all, int64_t each) {
    return each > 0 ? all / (int32_t)each : INT32_MAX;
}

static int32_t fit_on(const struct block_sm *sm, const struct kernel_profile *profile) {
    int32_t fit = least(sm->slots, (int32_t)profile->blocks_per_sm);
    if (fit == 0 || sm->resident == 0)
        return fit;
    if (profile->smem_division > sm->smem_division && sm->smem_division > 0)
        return 0;
    fit = least(fit, parts(sm->threads, profile->need.threads));
    fit = least(fit, parts(sm->registers, profile->need.registers));
    return least(fit, parts(sm->smem_bytes, profile->need.smem_bytes));
}

static bool may_use(const struct device *device, const struct device_task *task,
                    const struct block_class *class) {
    return device->config.sharing != CT_SHARING_PARTITION ||
           (class->owner == (int32_t)task->client && class->next_owner == class->owner);
}

/* ---- Own limits: a cap or a share is a number of SMs that may hold blocks at once ---- */

static uint32_t sms_of(const struct block_map *map, ct_share share) {
    return (uint32_t)device_share_sms(DEVICE_BLOCK, (double)map->sms, share);
}

/* The SMs that a client's cap stands for: of its slice, where it has one, or of all; in whole TPCs
 * where they are known. */
static uint32_t cap_sms(const struct device *device, uint32_t client) {
    const struct block_map *map = device->partition.map;
    ct_share cap = device->clients[client].cap;
    if (cap < CT_SHARE_FULL && device->config.sharing == CT_SHARING_PARTITION)
        return (uint32_t)device_share_sms(DEVICE_BLOCK, (double)device->partition.wanted[client],
                                          cap);
    if (device->gpu->gpc_tpcs == 0 || cap == CT_SHARE_FULL)
        return sms_of(map, cap);
    uint32_t tpcs = (uint32_t)((uint64_t)map->sms / DEVICE_TPC_SMS * cap / CT_SHARE_FULL);
    return DEVICE_TPC_SMS * (tpcs > 1 ? tpcs : 1);
}

static void set_user(struct block_class *class, const struct device_task *task) {
    class->user = USER_OTHER;
    for (uint32_t i = 0; i < class->resident_count; i++) {
        const struct device_task *resident = class->residents[i].cohort->task;
        if (device_in_one_process(resident, task))
            class->user = USER_TASK;
        else if (resident->client == task->client && class->user == USER_OTHER)
            class->user = USER_CLIENT;
    }
}

/* One of the SMs that a client may still begin on in this one's GPC, if there is one. */
static bool take_allowance(struct block_map *map, uint32_t sm, uint32_t gpc_sms) {
    uint32_t *allowance = &map->allowances[sm / gpc_sms];
    bool allowed = *allowance > 0;
    *allowance -= allowed;
    return allowed;
}

static void choose_none(struct block_map *map) {
    memset(map->chosen, 0, map->words * sizeof *map->chosen);
}

/* Chooses the `count` eligible SMs with the lowest numbers, beside those that are chosen; where
 * `gpc_sms` is not 0 no more of a GPC than is allowed. Returns how many it did not find. */
static uint32_t choose_lowest(struct block_map *map, const struct block_view *view, uint32_t count,
                              uint32_t gpc_sms) {
    for (uint32_t i = 0; i < map->words && count > 0; i++) {
        uint64_t all = 0;
        for (const struct block_class *c = view->classes; c; c = c->next)
            all |= c->eligible ? c->sms[i] : 0;
        for (; all && count > 0; all &= all - 1) {
            if (gpc_sms > 0 &&
                !take_allowance(map, i * 64 + (uint32_t)__builtin_ctzll(all), gpc_sms))
                continue;
            map->chosen[i] |= all & (~all + 1);
            count--;
        }
    }
    return count;
}

/* The SMs of one class that are chosen, in a class of their own. NULL: none. */
static struct block_class *chosen_of(struct device *device, struct block_class *class) {
    const struct block_map *map = device->partition.map;
    struct block_class *part = block_class_split(device, class, map->chosen);
    for (uint32_t i = 0; !part && i < map->words; i++)
        if (class->sms[i] & map->chosen[i])
            return class;
    return part;
}

/* Among the SMs that `user` does not use yet, those with room for `level` blocks at most take
 * blocks only where they are eligible and chosen. */
static void keep_chosen(struct device *device, struct block_view *view, enum block_user user,
                        int32_t level) {
    struct block_map *map = device->partition.map;
    for (struct block_class *c = view->classes, *next; c; c = next) {
        struct block_class *chosen = c->eligible ? chosen_of(device, c) : NULL;
        next = chosen && chosen != c ? chosen->next : c->next;
        if (c->user >= user || c->fit > level || c == chosen)
            continue;
        map->limited = map->limited || c->fit > 0;
        c->fit = 0;
    }
}

/* Among the SMs that `user` does not use yet, lets blocks begin on only `more`: those with the most
 * room, the lowest numbers first. */
static void limit_room(struct device *device, struct block_view *view, enum block_user user,
                       uint32_t more, int32_t most) {
    struct block_map *map = device->partition.map;
    int32_t level = most;
    memset(map->alike, 0, (size_t)(most + 1) * sizeof *map->alike);
    for (const struct block_class *c = view->classes; c; c = c->next)
        if (c->user < user)
            map->alike[c->fit] += c->size;
    while (level > 0 && map->alike[level] <= more)
        more -= map->alike[level--];
    if (level == 0)
        return;
    for (struct block_class *c = view->classes; c; c = c->next)
        c->eligible = c->user < user && c->fit == level;
    choose_none(map);
    choose_lowest(map, view, more, 0);
    keep_chosen(device, view, user, level);
}

/* ---- GPCs: a client that is held to a part of the SMs has no more than that part of each ---- */

/* SMs of each GPC on which the client may begin. */
static void set_allowances(const struct device *device, const struct block_view *view,
                           ct_share cap) {
    struct block_map *map = device->partition.map;
    uint32_t size = device_gpc_sms(device);
    for (uint32_t first = 0; first < map->sms; first += size)
        map->allowances[first / size] =
            device_gpc_part(map->sms - first < size ? map->sms - first : size, cap);
    for (const struct block_class *c = view->classes; c; c = c->next)
        for (uint32_t sm = c->user == USER_OTHER ? map->sms : block_next(map, c, 0); sm < map->sms;
             sm = block_next(map, c, sm + 1))
            take_allowance(map, sm, size);
}

/* Leaves a client room on so many SMs more, GPC by GPC, those with the most room first. */
static void limit_by_gpc(struct device *device, struct block_view *view, ct_share cap,
                         uint32_t more, int32_t most) {
    struct block_map *map = device->partition.map;
    set_allowances(device, view, cap);
    choose_none(map);
    for (int32_t level = most; level > 0 && more > 0; level--) {
        for (struct block_class *c = view->classes; c; c = c->next)
            c->eligible = c->user < USER_CLIENT && c->fit == level;
        more = choose_lowest(map, view, more, device_gpc_sms(device));
    }
    for (struct block_class *c = view->classes; c; c = c->next)
        c->eligible = c->user < USER_CLIENT && c->fit > 0;
    keep_chosen(device, view, USER_CLIENT, most);
}

static void apply_limits(struct device *device, struct block_view *view,
                         const struct device_task *task) {
    struct block_map *map = device->partition.map;
    uint32_t held = 0, held_by_client = 0, own = sms_of(map, task->share),
             client = cap_sms(device, task->client);
    int32_t most = (int32_t)task->profile->blocks_per_sm;
    if (own >= map->sms && client >= map->sms)
        return;
    for (struct block_class *c = view->classes; c; c = c->next) {
        set_user(c, task);
        held += c->user == USER_TASK ? c->size : 0;
        held_by_client += c->user != USER_OTHER ? c->size : 0;
    }
    map->over_limit = held > own || held_by_client > client;
    for (struct block_class *c = view->classes; map->over_limit && c; c = c->next) {
        map->limited = map->limited || c->fit > 0;
        c->fit = 0;
    }
    if (map->over_limit)
        return;
    if (device_held_to_gpcs(device, task->client))
        limit_by_gpc(device, view, device->clients[task->client].cap, client - held_by_client,
                     most);
    else
        limit_room(device, view, USER_CLIENT, client - held_by_client, most);
    limit_room(device, view, USER_TASK, own - held, most);
}

double block_fit(struct device *device, const struct device_task *task) {
    struct block_map *map = device->partition.map;
    struct block_view *view = block_view_of(device, task);
    uint64_t sum = 0;
    if (map->fit_task == task)
        return map->fit_sum;
    map->limited = map->over_limit = false;
    for (struct block_class *c = view->classes; c; c = c->next)
        c->fit = may_use(device, task, c) ? fit_on(&c->sm, task->profile) : 0;
    apply_limits(device, view, task);
    for (const struct block_class *c = view->classes; c; c = c->next)
        sum += (uint64_t)c->fit * c->size;
    map->fit_task = task;
    map->fit_sum = (double)sum;
    return map->fit_sum;
}

/* ---- Placement ---- */

/*
 * Block by block onto the SM with the most room for more of them, the lowest number first: in the
 * end no SM has room for more than `level` blocks, and some of those that have are the last ones to
 * have got one. Turns the room of each SM into the blocks that it gets.
 */
static void share_out(struct device *device, struct block_view *view, uint64_t blocks,
                      int32_t most) {
    struct block_map *map = device->partition.map;
    uint64_t above = 0, got = 0;
    int32_t level = most;
    memset(map->alike, 0, (size_t)(most + 1) * sizeof *map->alike);
    for (const struct block_class *c = view->classes; c; c = c->next)
        map->alike[c->fit] += c->size;
    while (level > 0 && got + above + map->alike[level] <= blocks) {
        above += map->alike[level--];
        got += above;
    }
    uint32_t rest = (uint32_t)(blocks - got); /* SMs with room for `level` that get one of these */
    for (struct block_class *c = view->classes; c; c = c->next)
        c->eligible = rest > 0 && c->fit >= level;
    if (rest > 0) {
        choose_none(map);
        choose_lowest(map, view, rest, 0);
    }
    for (struct block_class *c = view->classes, *next; c; c = next) {
        struct block_class *more = c->eligible ? chosen_of(device, c) : NULL;
        next = more && more != c ? more->next : c->next;
        c->fit = c->fit > level ? c->fit - level : 0;
        if (more)
            more->fit = c->fit + 1;
    }
}

/* The first block divides the SM into L1 and shared memory, until it is empty again. */
static void divide(const struct device *device, struct block_sm *sm,
                   const struct kernel_profile *profile) {
    if (!device_goes_by_age(device) || sm->resident > 0 || profile->smem_division == 0)
        return;
    sm->smem_division = sm->smem_bytes = (int32_t)profile->smem_division;
}

static void take_room(struct block_sm *sm, const struct kernel_profile *profile, int32_t blocks) {
    sm->threads -= blocks * (int32_t)profile->need.threads;
    sm->slots -= blocks;
    sm->registers -= blocks * (int32_t)profile->need.registers;
    sm->smem_bytes -= blocks * (int32_t)profile->need.smem_bytes;
    sm->resident += blocks;
    sm->held += (double)blocks / profile->blocks_per_sm;
}

static void set_resident(struct device *device, struct device_task *task, double resident) {
    device_hold_slots(device, task, resident);
    task->sms = resident / task->profile->blocks_per_sm;
    device_replan(device, task);
    device->partition.map->fit_task = NULL;
    device->partition.map->changed = true;
    block_view_of(device, task)->changed = true;
}

/* Notes for a watcher that a kernel's blocks come to the SMs of a class, or leave them. */
static void note_presence(const struct device *device, const struct device_task *task,
                          const struct block_class *class) {
    const struct block_map *map = device->partition.map;
    uint32_t sms = map->sms, size = device_sm_group_size(sms);
    for (uint32_t sm = task->presence ? block_next(map, class, 0) : sms; sm < sms;
         sm = block_next(map, class, sm + 1)) {
        struct device_presence *group = &task->presence[sm / size];
        group->ended_ps = des_engine_now(device->engine);
        if (group->began_ps < 0)
            group->began_ps = group->ended_ps;
    }
}

void block_tell(const struct device *device, const struct device_task *task,
                const struct block_class *class, struct device_block_move move) {
    const struct device_listener *listener = &device->listener;
    if (!listener->blocks_moved)
        return;
    move.task = task;
    move.client = task->client;
    move.sms = device->partition.map->sms;
    move.set = class->sms;
    listener->blocks_moved(listener->context, &move);
}

static struct device_block_move move_now(const struct device *device,
                                         enum device_block_change change, int32_t blocks) {
    return (struct device_block_move){
        .change = change, .time_ps = des_engine_now(device->engine), .blocks = blocks};
}

static struct block_cohort *begin_cohort(struct device *device, struct device_task *task,
                                         const struct block_cohort *like) {
    struct block_cohort *cohort = block_cohort_new(device);
    *cohort = (struct block_cohort){.task = task,
                                    .worth = like->worth,
                                    .left_ps = like->left_ps,
                                    .contended = 1,
                                    .since_ps = des_engine_now(device->engine),
                                    .first_ps = -1,
                                    .until_ps = -1,
                                    .phase = like->phase};
    block_cohort_append(&task->at.cohorts, cohort);
    return cohort;
}

/* At most so many of the blocks that each SM gets join the cohort. */
static void join_cohort(struct device *device, struct block_cohort *cohort, struct block_class *c,
                        int32_t most) {
    struct device_task *task = cohort->task;
    int32_t blocks = least(c->fit, most);
    if (blocks == 0)
        return;
    c->residents[c->resident_count++] = (struct block_resident){cohort, blocks, 1};
    c->fit -= blocks;
    block_class_touch(c);
    divide(device, &c->sm, task->profile);
    take_room(&c->sm, task->profile, blocks);
    note_presence(device, task, c);
    block_tell(device, task, c, move_now(device, DEVICE_BLOCKS_BEGIN, blocks));
    cohort->blocks += (double)blocks * c->size;
}

/* Whether a task has waited for room that appears now. Who waited for a time slice finds room that
 * was there before. */
static bool has_waited(const struct device *device, const struct device_task *task,
                       const struct block_view *view) {
    return device_waited_for_room(device, task) && block_room_appears(device, view);
}

/* Turns room into the blocks that each SM gets. Returns how many of an SM go on alike: those that
 * lie closer than they did alone end one after the other. */
static int32_t choose_sms(struct device *device, const struct device_task *task,
                          struct block_view *view, double blocks) {
    if (block_fit(device, task) <= blocks || !has_waited(device, task, view)) {
        share_out(device, view, (uint64_t)blocks, (int32_t)task->profile->blocks_per_sm);
        return INT32_MAX;
    }
    block_fill_up(device, view, (uint64_t)blocks);
    return task->profile->unit_fraction > 0 ? (int32_t)block_most_alone(device, task) : INT32_MAX;
}

void block_place(struct device *device, struct device_task *task, const struct block_cohort *like,
                 double blocks) {
    struct block_view *view = block_view_of(device, task);
    int32_t alike = choose_sms(device, task, view, blocks);
    for (double placed = 0; placed < blocks;) {
        struct block_cohort *cohort = begin_cohort(device, task, like);
        for (struct block_class *c = view->classes; c; c = c->next)
            join_cohort(device, cohort, c, alike);
        placed += cohort->blocks;
    }
    set_resident(device, task, task->resident + blocks);
}

static void remove_resident(struct block_class *class, struct block_resident *resident) {
    struct block_resident *end = class->residents + class->resident_count--;
    memmove(resident, resident + 1, (size_t)(end - resident - 1) * sizeof *resident);
    block_class_touch(class);
}

/* Counts what ends now for those who have waited. */
static void note_freed(const struct device *device, struct block_sm *sm, int32_t blocks) {
    ct_time_ps now = des_engine_now(device->engine);
    if (!device_goes_by_age(device))
        return;
    sm->freed = blocks + (sm->freed_ps == now ? sm->freed : 0);
    sm->freed_ps = now;
}

/* No rounding is carried on. */
static void empty_sm(const struct block_map *map, struct block_sm *sm) {
    sm->held = 0;
    sm->smem_bytes = map->empty.smem_bytes;
    sm->smem_division = 0;
}

void block_release(struct device *device, struct device_task *task,
                   const struct block_cohort *cohort) {
    for (struct block_class *c = block_view_of(device, task)->classes; c; c = c->next) {
        struct block_resident *resident = block_resident_of(c, cohort);
        if (!resident)
            continue;
        take_room(&c->sm, task->profile, -resident->per_sm);
        note_freed(device, &c->sm, resident->per_sm);
        note_presence(device, task, c);
        block_tell(device, task, c, move_now(device, DEVICE_BLOCKS_END, resident->per_sm));
        if (c->sm.resident == 0)
            empty_sm(device->partition.map, &c->sm);
        remove_resident(c, resident);
    }
    set_resident(device, task, task->resident - cohort->blocks);
    device_released(device, task->client);
}

void block_merge(struct device *device, struct block_cohort *cohort, struct block_cohort *other) {
    struct block_view *view = block_view_of(device, cohort->task);
    for (struct block_class *c = view->classes; c; c = c->next) {
        struct block_resident *from = block_resident_of(c, other), *to;
        if (!from)
            continue;
        if ((to = block_resident_of(c, cohort)) != NULL) {
            to->per_sm += from->per_sm;
            remove_resident(c, from);
        } else
            from->cohort = cohort;
        block_class_touch(c);
    }
    cohort->blocks += other->blocks;
    block_cohort_free(device, other);
    view->changed = true;
}
