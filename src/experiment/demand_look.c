#include "experiment/demand_look.h"

#include "des/des_stream.h"

#include <string.h>

/* Of the random streams. */
static const char *const kind_names[DEMAND_KINDS] = {"memory demand", "use of units"};

/* Where item `item` of 0 .. count - 1 stands after a random permutation: it alone is followed on
 * its way through the exchanges of Fisher and Yates. */
static uint32_t permuted(struct des_stream *stream, uint32_t item, uint32_t count) {
    for (uint32_t last = count - 1; last > 0; last--) {
        uint32_t other = (uint32_t)des_stream_below(stream, last + 1u);
        if (item == last)
            item = other;
        else if (item == other)
            item = last;
    }
    return item;
}

double demand_look_level(const struct demand_look *look, uint64_t seed, enum demand_kind kind,
                         const char *recording, enum kernel_class class) {
    struct des_stream stream;
    if (look->draws == 0)
        return class == look->class ? look->levels[kind] : 0.5;
    des_stream_init(&stream, seed, (uint64_t) class, kind_names[kind], recording);
    return (permuted(&stream, look->draw, look->draws) + 0.5) / look->draws;
}

static struct demand_draw draw_of(const struct demand_look *look, const struct demand_file *file,
                                  uint64_t seed, const char *recording) {
    struct demand_draw draw = {.file = file};
    for (int i = 0; i < KERNEL_CLASSES; i++) {
        enum kernel_class class = (enum kernel_class)i;
        draw.levels[i] = demand_look_level(look, seed, DEMAND_OF_MEMORY, recording, class);
        draw.units[i] = demand_look_level(look, seed, DEMAND_OF_UNITS, recording, class);
    }
    return draw;
}

bool demand_look_workload(const struct demand_look *look, const struct workload *workload,
                          const struct demand_file *file, uint64_t seed, struct ct_arena *arena,
                          struct workload *looked) {
    size_t count = workload->apps.count;
    struct workload_app *apps = ct_arena_array(arena, count, sizeof *apps);
    struct demand_draw *draws = ct_arena_array(arena, count, sizeof *draws);
    if (!apps || !draws)
        return false;
    memcpy(apps, workload->apps.items, count * sizeof *apps);
    for (size_t a = 0; a < count; a++) {
        if (!apps[a].trace)
            continue;
        draws[a] = draw_of(look, file, seed, apps[a].trace->name);
        apps[a].draw = &draws[a];
    }
    *looked = *workload;
    looked->apps.items = apps;
    return true;
}
