#include "policies/laius_allocate.h"

#include <string.h>

/* About ten milliseconds; ten unlike tasks that share ten quotas need some hundreds of steps. */
#define STEPS_MOST 1000000

/* ---- preparation ---- */

/* A quota is useless if a smaller one is worth as much and asks no more of memory. */
static bool is_useless(const struct laius_knapsack *k, const struct laius_item *item,
                       int32_t quota) {
    for (int32_t less = 0; less < quota; less++)
        if (item->value[less] >= item->value[quota] - k->same_value &&
            item->bandwidth[less] <= item->bandwidth[quota] + k->same_bandwidth)
            return true;
    return false;
}

static bool same_item(const struct laius_item *a, const struct laius_item *b, int32_t capacity) {
    for (int32_t quota = 0; quota <= capacity && a != b; quota++)
        if (a->value[quota] != b->value[quota] || a->bandwidth[quota] != b->bandwidth[quota])
            return false;
    return true;
}

static int32_t twin_of(const struct laius_knapsack *k, int32_t i) {
    for (int32_t before = i - 1; before >= 0; before--)
        if (same_item(k->items[before], k->items[i], k->capacity))
            return before;
    return -1;
}

/* Eq. 5 with quotas from 0: what the items from i on are worth at most with j quotas. */
static void fill_table(struct laius_knapsack *k) {
    memset(k->most[k->count], 0, sizeof k->most[k->count]);
    for (int32_t i = k->count - 1; i >= 0; i--)
        for (int32_t j = 0; j <= k->capacity; j++) {
            int64_t most = 0;
            for (int32_t m = 0; m <= j; m++) {
                int64_t value = k->items[i]->value[m] + k->most[i + 1][j - m];
                most = value > most ? value : most;
            }
            k->most[i][j] = most;
        }
}

/* ---- search ---- */

/* Whether something better than the best so far may begin with `now`. */
static bool may_win(const struct laius_knapsack *k, int64_t bound, int64_t bandwidth) {
    if (!k->found)
        return true;
    return bound > k->best.value + k->same_value ||
           (bound >= k->best.value - k->same_value &&
            bandwidth < k->best.bandwidth - k->same_bandwidth);
}

static void search(struct laius_knapsack *k, int32_t i, int32_t left);

/* Gives item i this quota and goes on. Swapping the quotas of twins changes nothing: the older one
 * never gets less. */
static void try_quota(struct laius_knapsack *k, int32_t i, int32_t left, int32_t quota) {
    const struct laius_item *item = k->items[i];
    if (k->twin[i] >= 0 && quota > k->now.quota[k->twin[i]])
        return;
    int64_t value = k->now.value + item->value[quota];
    int64_t bandwidth = k->now.bandwidth + item->bandwidth[quota];
    if (!may_win(k, value + k->most[i + 1][left - quota], bandwidth) || is_useless(k, item, quota))
        return;
    if (bandwidth > k->limit) {
        k->rejected++;
        return;
    }
    struct laius_allocation before = k->now;
    k->now.quota[i] = quota;
    k->now.value = value;
    k->now.bandwidth = bandwidth;
    search(k, i + 1, left - quota);
    k->now = before;
}

static void search(struct laius_knapsack *k, int32_t i, int32_t left) {
    if (++k->steps > STEPS_MOST)
        return;
    if (i == k->count) {
        k->best = k->now;
        k->found = true;
        return;
    }
    for (int32_t quota = left; quota >= 0; quota--)
        try_quota(k, i, left, quota);
}

static void search_within(struct laius_knapsack *k, int64_t limit) {
    k->limit = limit;
    k->found = false;
    k->steps = 0;
    k->now = k->best = (struct laius_allocation){0};
    search(k, 0, k->capacity);
    k->cut_short |= k->steps > STEPS_MOST;
}

void laius_allocate(struct laius_knapsack *k) {
    for (int32_t i = 0; i < k->count; i++)
        k->twin[i] = twin_of(k, i);
    fill_table(k);
    k->same_value = k->most[0][k->capacity] / LAIUS_EQUAL_PARTS;
    k->rejected = 0;
    k->cut_short = false;
    search_within(k, INT64_MAX);
    k->first = k->best;
    if (k->first.bandwidth > k->bandwidth_limit)
        search_within(k, k->bandwidth_limit);
}
