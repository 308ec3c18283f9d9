/*
 * The order of a CUDA graph's nodes on several streams, branches that ran beside a stream among
 * them, and the time that the device took between nodes. Which node waits for which no recording
 * says: one that began after nodes of other streams had ended counts as waiting for them.
 *
 * Nodes and lanes are numbered within the launch in hand.
 */
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"

#include <string.h>

struct node {
    struct import_task *task;
    uint32_t lane, before, after; /* nodes of its lane, + 1 */
};

/* A stream of the launch. */
struct lane {
    uint32_t stream;
    uint32_t first, last, ended; /* nodes, + 1; ended: the last one before the node in hand began */
};

struct launch {
    struct import_group *group;
    CT_VEC(struct node) nodes; /* by their starts */
    CT_VEC(struct lane) lanes;
    CT_VEC(uint32_t) behind; /* a row for each node: its last node, + 1, of each lane */
};

static uint32_t *row_of(const struct launch *l, uint32_t node) {
    return l->behind.items + node * l->lanes.count;
}

static bool add_node(struct launch *l, struct import_task *task) {
    uint32_t number = (uint32_t)l->nodes.count + 1, at = 0;
    while (at < l->lanes.count && l->lanes.items[at].stream != task->stream)
        at++;
    if (at == l->lanes.count && !ct_vec_push(&l->lanes, (struct lane){.stream = task->stream}))
        return false;
    struct lane *lane = &l->lanes.items[at];
    if (!ct_vec_push(&l->nodes, (struct node){task, at, lane->last, 0}))
        return false;
    *(lane->last ? &l->nodes.items[lane->last - 1].after : &lane->first) = number;
    lane->last = number;
    return true;
}

static ct_time_ps end_of(const struct launch *l, uint32_t node) {
    return import_task_end(l->nodes.items[node - 1].task);
}

/* Lets the lanes come to a moment. The end of what ended last; -1: nothing has. */
static ct_time_ps advance(struct launch *l, ct_time_ps moment) {
    ct_time_ps latest = -1;
    for (size_t i = 0; i < l->lanes.count; i++) {
        struct lane *lane = &l->lanes.items[i];
        uint32_t next = lane->ended ? l->nodes.items[lane->ended - 1].after : lane->first;
        for (; next && end_of(l, next) <= moment; next = l->nodes.items[next - 1].after)
            lane->ended = next;
        if (lane->ended && end_of(l, lane->ended) > latest)
            latest = end_of(l, lane->ended);
    }
    return latest;
}

/* The lane whose last ended node ended latest of those that a row is not behind yet; the count:
 * none. */
static uint32_t nearest(const struct launch *l, const uint32_t *row) {
    uint32_t best = (uint32_t)l->lanes.count;
    for (uint32_t i = 0; i < l->lanes.count; i++) {
        uint32_t ended = l->lanes.items[i].ended;
        if (ended > row[i] &&
            (best == l->lanes.count || end_of(l, ended) > end_of(l, l->lanes.items[best].ended)))
            best = i;
    }
    return best;
}

/* What is behind the nearest need not be waited for again. */
static bool settle_node(struct launch *l, uint32_t number) {
    const struct node *node = &l->nodes.items[number];
    struct import_task *task = node->task;
    uint32_t *row = row_of(l, number);
    size_t lanes = l->lanes.count;
    ct_time_ps latest = advance(l, task->start_ps);
    memset(row, 0, lanes * sizeof *row);
    if (node->before)
        memcpy(row, row_of(l, node->before - 1), lanes * sizeof *row);
    row[node->lane] = node->before;
    task->first_wait = (uint32_t)l->group->graph_waits.count;
    for (uint32_t i; (i = nearest(l, row)) < lanes; task->wait_count++) {
        uint32_t on = l->lanes.items[i].ended;
        const uint32_t *known = row_of(l, on - 1);
        for (size_t k = 0; k < lanes; k++)
            row[k] = known[k] > row[k] ? known[k] : row[k];
        row[i] = on;
        if (!ct_vec_push(&l->group->graph_waits, l->nodes.items[on - 1].task->order))
            return false;
    }
    /* Branches beside a stream may have overlapped: one of them has no gap before it. */
    bool overlaps = node->before && end_of(l, node->before) > task->start_ps;
    if (latest >= 0 && task->lag_ps >= 0 && !overlaps)
        task->lag_ps = task->start_ps - latest;
    return true;
}

static bool settle_launch(struct launch *l, struct import_task **tasks, size_t count) {
    l->nodes.count = l->lanes.count = l->behind.count = 0;
    for (size_t i = 0; i < count; i++)
        if (!add_node(l, tasks[i]))
            return false;
    if (!ct_vec_reserve(&l->behind, count * l->lanes.count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!settle_node(l, i))
            return false;
    return true;
}

static int compare_by_launch(const void *a, const void *b) {
    const struct import_task *x = *(struct import_task *const *)a;
    const struct import_task *y = *(struct import_task *const *)b;
    int order = ct_order(x->launch_begin_ps, y->launch_begin_ps);
    order = order ? order : ct_order(x->launch_thread, y->launch_thread);
    order = order ? order : ct_order(x->launch_end_ps, y->launch_end_ps);
    return order ? order : import_compare_starts(a, b);
}

bool import_graphs_settle(struct import_group *group) {
    struct launch launch = {.group = group};
    struct import_task **tasks = group->tasks.items;
    bool done = true;
    ct_vec_sort(&group->tasks, compare_by_launch);
    for (size_t i = 0, end; i < group->tasks.count && done; i = end) {
        for (end = i + 1; end < group->tasks.count && import_same_graph(tasks[i], tasks[end]);)
            end++;
        /* Two calls may look like one where the clock is too coarse to tell them apart. */
        if (end > i + 1 && tasks[i]->launch_end_ps > tasks[i]->launch_begin_ps)
            done = settle_launch(&launch, tasks + i, end - i);
    }
    ct_vec_free(&launch.nodes);
    ct_vec_free(&launch.lanes);
    ct_vec_free(&launch.behind);
    return done;
}
