/*
 * Random mixes of services with targets and batch applications, for properties of policies: fixed
 * seeds, a generator of its own, made-up kernels from a part of a wave to many.
 */
#ifndef POLICY_MIX_H
#define POLICY_MIX_H

#include "run_case.h"
#include "unit/base/dice.h"

#include <inttypes.h>

enum { MIX_APPS = 5 };

struct mix_kind {
    bool no_ties;       /* no two events fall on the same picosecond by construction */
    bool no_copies;     /* neither of services nor of batch applications */
    bool batch_without; /* no copies of batch applications */
    bool block;         /* fidelity */
    bool waits;         /* services launch their tasks one by one */
    bool alike;         /* one service, one instance each, SMs that any number of them divides */
    bool pair;          /* two applications; with `alike` */
    const char *more;   /* of the workload, e.g. "\"decision_cost\": \"none\"", or NULL */
};

struct mix {
    char head[512], apps[MIX_APPS][1024];
    uint32_t count;
    char json[8192];
};

static inline void mix_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void mix_add(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    assert_true(written >= 0 && used + (size_t)written < size);
}

#define MIX_ADD(text, ...) mix_add(text, sizeof(text), __VA_ARGS__)

static inline void mix_add_kernels(char *app, size_t size, uint64_t *dice,
                                   const struct mix_kind *kind, bool service) {
    static const int blocks[] = {20, 272, 400, 2720, 20000}, bytes[] = {0, 40000, 2000000};
    static const char *const draws[] = {"exponential\"", "lognormal\", \"cv\": 0.5",
                                        "deterministic\""};
    double mean = service ? 0.05 + 0.1 * (double)dice_roll(dice, 10)
                          : 0.1 + 0.5 * (double)dice_roll(dice, 12);
    bool copies = !kind->no_copies && (service || !kind->batch_without);
    mix_add(app, size, "\"synthetic\": {\"kernels\": %d, \"blocks\": %d, \"threads\": 256, ",
            (int)dice_roll(dice, 6) + 1, blocks[dice_roll(dice, 5)]);
    mix_add(app, size, "\"dram_fraction\": %g, \"unit_fraction\": %g, ",
            0.1 * (double)dice_roll(dice, 10), 0.1 * (double)dice_roll(dice, 11));
    mix_add(app, size, "\"bytes_in\": %d, \"bytes_out\": %d, ",
            copies ? bytes[dice_roll(dice, 3)] : 0, copies ? bytes[dice_roll(dice, 3)] : 0);
    mix_add(app, size, "\"duration_ms\": {\"dist\": \"%s, \"mean\": %g}}",
            draws[dice_roll(dice, kind->no_ties ? 2 : 3)], mean);
}

static inline void mix_add_app(struct mix *mix, uint64_t *dice, const struct mix_kind *kind,
                               bool service) {
    char *app = mix->apps[mix->count];
    size_t size = sizeof mix->apps[0];
    mix_add(app, size, "{\"name\": \"%c\", \"role\": \"%s\", \"instances\": %d, ",
            (int)('a' + mix->count), service ? "service" : "batch",
            service || kind->alike ? 1 : (int)dice_roll(dice, 3) + 1);
    if (service)
        mix_add(app, size, "\"qos_ms\": %d, \"workers\": %d, ", 3 + (int)dice_roll(dice, 30),
                (int)dice_roll(dice, 2) + 1);
    if (service && kind->waits)
        mix_add(app, size, "\"launches\": \"one-by-one\", ");
    if (dice_roll(dice, 2))
        mix_add(app, size, "\"copy_memory\": \"pinned\", ");
    mix_add_kernels(app, size, dice, kind, service);
    if (service || kind->no_ties)
        mix_add(app, size, ", \"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": %d}}",
                20 + 20 * (int)dice_roll(dice, 10));
    else
        mix_add(app, size, ", \"arrivals\": {\"process\": \"closed\", \"clients\": %d}}",
                (int)dice_roll(dice, 2) + 1);
    mix->count++;
}

/* The applications in their order, or the other way round. */
static inline void mix_join(struct mix *mix, bool reversed) {
    mix->json[0] = 0;
    MIX_ADD(mix->json, "%s, \"apps\": [", mix->head);
    for (uint32_t i = 0; i < mix->count; i++)
        MIX_ADD(mix->json, "%s\n%s", i ? "," : "", mix->apps[reversed ? mix->count - 1 - i : i]);
    MIX_ADD(mix->json, "]}\n");
}

/* One to three services, one or two batch applications with up to three instances. */
static inline void mix_make(struct mix *mix, uint64_t seed, const struct mix_kind *kind) {
    uint64_t dice = seed, services = dice_roll(&dice, 3) + 1, batch = dice_roll(&dice, 2) + 1;
    const char *gpu = kind->alike ? "{\"base\": \"rtx2080ti\", \"sms\": 60}" : "\"rtx2080ti\"";
    if (kind->alike) {
        batch = kind->pair ? 1 : batch + services - 1;
        services = 1;
    }
    *mix = (struct mix){0};
    MIX_ADD(mix->head,
            "{\"schema\": \"cotenant.workload/1\", \"gpu\": %s, "
            "\"duration_s\": 0.2, \"warmup_s\": 0, \"policy\": \"mps\"",
            gpu);
    if (kind->block)
        MIX_ADD(mix->head, ", \"fidelity\": \"block\"");
    if (kind->more)
        MIX_ADD(mix->head, ", %s", kind->more);
    for (uint64_t i = 0; i < services + batch; i++)
        mix_add_app(mix, &dice, kind, i < services);
    mix_join(mix, false);
}

#endif
