/* What lies before the queue: requests that have been made and found it full, in order of time. */
#include "models/device/dram_bank_internal.h"

#include <stdlib.h>

bool dram_front_open(struct dram_channel *channel, const int64_t *entries) {
    const struct dram_bank_params *params = channel->params;
    for (size_t a = 0; params->sources && a < params->app_count; a++) {
        const struct dram_bank_source *source = &params->sources[a];
        struct dram_front *front = &channel->fronts[a];
        if (source->outstanding == 0)
            continue;
        front->ready = calloc((size_t)source->outstanding, sizeof *front->ready);
        if (!front->ready)
            return false;
        front->pause =
            (int64_t)((double)source->outstanding * (double)channel->data_cycles / source->offered +
                      0.5);
        front->count = source->outstanding - entries[a];
        for (int64_t i = 0; i < front->count; i++) /* not all at once */
            front->ready[i] = front->pause * (i + 1) / source->outstanding;
        channel->fronted = true;
    }
    return true;
}

void dram_front_close(struct dram_channel *channel) {
    for (size_t a = 0; a < DRAM_APPS_MOST; a++)
        free(channel->fronts[a].ready);
}

static void come_back(struct dram_channel *channel, size_t app) {
    struct dram_front *front = &channel->fronts[app];
    int64_t size = channel->params->sources[app].outstanding;
    front->ready[(front->first + front->count) % size] = channel->now + front->pause;
    front->count++;
}

/* The application whose request has been ready for longest; DRAM_APPS_MOST: none has made one. */
static size_t first_of(const struct dram_channel *channel) {
    size_t best = DRAM_APPS_MOST;
    for (size_t a = 0; a < channel->params->app_count; a++) {
        const struct dram_front *front = &channel->fronts[a];
        if (front->count > 0 &&
            (best == DRAM_APPS_MOST ||
             front->ready[front->first] < channel->fronts[best].ready[channel->fronts[best].first]))
            best = a;
    }
    return best;
}

int64_t dram_front_next(const struct dram_channel *channel) {
    size_t app = channel->fronted && channel->free_entries > 0 ? first_of(channel) : DRAM_APPS_MOST;
    return app == DRAM_APPS_MOST ? CT_TIME_NEVER
                                 : channel->fronts[app].ready[channel->fronts[app].first];
}

int dram_front_enter(struct dram_channel *channel) {
    if (dram_front_next(channel) > channel->now)
        return DRAM_NOBODY;
    size_t app = first_of(channel);
    struct dram_front *front = &channel->fronts[app];
    front->first = (front->first + 1) % channel->params->sources[app].outstanding;
    front->count--;
    channel->free_entries--;
    return dram_queue_add(channel, app);
}

int dram_front_replace(struct dram_channel *channel, size_t app) {
    if (!channel->fronted)
        return dram_queue_add(channel, app);
    channel->free_entries++;
    come_back(channel, app);
    return dram_front_enter(channel);
}
