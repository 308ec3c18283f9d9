#include "apps/paper/paper_case.h"

#include "base/ct_assert.h"
#include "des/des_stream.h"
#include "policies/hsm_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WARP = 32 };
static const double ACCESS_BYTES = 128; /* HSM Eq. 2 */

/* ---- Mixes ---- */

static double combinations(uint32_t n, uint32_t k) {
    double count = 1;
    for (uint32_t i = 0; i < k; i++)
        count = count * (n - i) / (i + 1);
    return count;
}

static void first_subset(uint32_t *apps) {
    for (uint32_t i = 0; i < PAPER_MIX_MOST; i++)
        apps[i] = i;
}

/* The next k-subset in lexical order; false after the last. */
static bool next_subset(uint32_t *apps, uint32_t k, uint32_t n) {
    uint32_t i = k;
    while (i > 0 && apps[i - 1] == n - k + i - 1)
        i--;
    if (i == 0)
        return false;
    apps[i - 1]++;
    for (; i < k; i++)
        apps[i] = apps[i - 1] + 1;
    return true;
}

static void draw_subset(uint32_t *apps, uint32_t k, uint32_t n, struct des_stream *draws) {
    for (uint32_t i = 0; i < k;) {
        apps[i] = (uint32_t)des_stream_below(draws, n);
        bool taken = false;
        for (uint32_t j = 0; j < i; j++)
            taken |= apps[j] == apps[i];
        i += !taken;
    }
}

/* The paper's class where the mix has two kinds, else by lot (HSM section 6.3). */
static void put_high_first(const struct paper_suite *suite, struct paper_mix *mix,
                           struct des_stream *draws) {
    uint32_t high = (uint32_t)des_stream_below(draws, mix->count);
    for (uint32_t i = 0; suite->high_kind && i < mix->count; i++)
        if (strcmp(suite->apps[mix->apps[i]].kind, suite->high_kind) == 0 &&
            strcmp(suite->apps[mix->apps[high]].kind, suite->high_kind) != 0)
            high = i;
    uint32_t app = mix->apps[high];
    mix->apps[high] = mix->apps[0];
    mix->apps[0] = app;
}

static void set_kinds(const struct paper_suite *suite, struct paper_mix *mix) {
    for (uint32_t i = 0; i < mix->count; i++) {
        char kind = suite->apps[mix->apps[i]].kind[0];
        uint32_t at = i;
        for (; at > 0 && mix->kinds[at - 1] > kind; at--)
            mix->kinds[at] = mix->kinds[at - 1];
        mix->kinds[at] = kind;
    }
}

static bool is_service(const struct paper_suite *suite, uint32_t app) {
    return strcmp(suite->apps[app].kind, suite->service_kind) == 0;
}

static bool are_few(const struct paper_suite *suite, double count, struct ct_diags *diags) {
    if (count > PAPER_MIXES_MOST)
        ct_error(diags, suite->name, "%.0f mixes are more than %d", count, PAPER_MIXES_MOST);
    return count <= PAPER_MIXES_MOST;
}

/* Each service, first, with each subset of the other applications. */
static int service_mixes(const struct paper_suite *suite, struct ct_arena *arena,
                         struct paper_mix **mixes, size_t *count, struct ct_diags *diags) {
    uint32_t n = 0, k = suite->mix_size - 1;
    uint32_t *others = ct_arena_array(arena, suite->app_count, sizeof *others);
    for (uint32_t a = 0; others && a < suite->app_count; a++)
        if (!is_service(suite, a))
            others[n++] = a;
    double all = n < k ? 0 : combinations(n, k);
    if (others && !are_few(suite, all * (suite->app_count - n), diags))
        return CT_USAGE;
    size_t subsets = (size_t)all, used = 0;
    *count = subsets * (suite->app_count - n);
    *mixes = ct_arena_array(arena, *count, sizeof **mixes);
    if (!others || !*mixes)
        return ct_out_of_memory(diags);
    for (uint32_t a = 0; a < suite->app_count; a++) {
        uint32_t chosen[PAPER_MIX_MOST];
        first_subset(chosen);
        for (size_t s = 0; is_service(suite, a) && s < subsets; s++) {
            struct paper_mix *mix = &(*mixes)[used++];
            *mix = (struct paper_mix){.apps = {a}, .count = suite->mix_size};
            for (uint32_t i = 0; i < k; i++)
                mix->apps[i + 1] = others[chosen[i]];
            set_kinds(suite, mix);
            (void)next_subset(chosen, k, n);
        }
    }
    return CT_OK;
}

int paper_mixes(const struct paper_suite *suite, uint64_t seed, struct ct_arena *arena,
                struct paper_mix **mixes, size_t *count, struct ct_diags *diags) {
    uint32_t n = suite->app_count, k = suite->mix_size, apps[PAPER_MIX_MOST];
    first_subset(apps);
    if (suite->service_kind)
        return service_mixes(suite, arena, mixes, count, diags);
    uint32_t orders = suite->gap > 0 ? k : 1; /* each application arrives first once */
    if (!suite->mix_count && !are_few(suite, combinations(n, k) * orders, diags))
        return CT_USAGE;
    struct des_stream draws;
    des_stream_init(&draws, seed, 0, "mixes", suite->name);
    *count = suite->mix_count ? suite->mix_count : (size_t)combinations(n, k) * orders;
    struct paper_mix *list = ct_arena_array(arena, *count, sizeof *list);
    *mixes = list;
    if (!list)
        return ct_out_of_memory(diags);
    ct_assert(k > 0);
    for (size_t m = 0; m < *count; m++) {
        if (suite->mix_count)
            draw_subset(apps, k, n, &draws);
        list[m] = (struct paper_mix){.count = k};
        for (uint32_t i = 0; i < k; i++)
            list[m].apps[i] = apps[(i + m % orders) % k];
        set_kinds(suite, &list[m]);
        if (suite->high_target > 0)
            put_high_first(suite, &list[m], &draws);
        if (!suite->mix_count && (m + 1) % orders == 0)
            (void)next_subset(apps, k, n);
    }
    return CT_OK;
}

void paper_mix_name(const struct paper_suite *suite, const struct paper_mix *mix,
                    char name[PAPER_MIX_NAME]) {
    size_t used = 0;
    name[0] = '\0';
    for (uint32_t i = 0; i < mix->count && used < PAPER_MIX_NAME; i++)
        used += (size_t)snprintf(name + used, PAPER_MIX_NAME - used, "%s%s", i ? "+" : "",
                                 suite->apps[mix->apps[i]].name);
}

bool paper_row_has_mix(const struct paper_row *row, const struct paper_suite *suite,
                       const struct paper_mix *mix) {
    char name[PAPER_MIX_NAME];
    if (row->kinds && strcmp(row->kinds, mix->kinds) != 0)
        return false;
    paper_mix_name(suite, mix, name);
    return !row->apps || strcmp(row->apps, name) == 0;
}

bool paper_row_names(const struct paper_row *row, const char *policy) {
    return strcmp(row->policy, policy) == 0 || (row->against && strcmp(row->against, policy) == 0);
}

double paper_row_shown(const struct paper_row *row, double value) {
    return strcmp(row->unit, "%") == 0 ? 100 * value : value;
}

double paper_level(const struct paper_suite *suite, uint32_t number) {
    return suite->level_count ? suite->levels[number] : 0;
}

bool paper_row_has_level(const struct paper_row *row, double level) {
    return level == 0 || (level >= row->level_least && level <= row->level_most);
}

/* ---- The roofline ---- */

struct paper_roof paper_roof_of(const struct paper_roofline *roofline, const struct gpu *gpu,
                                double issue_width, double row_hits) {
    struct dram dram = dram_line(gpu);
    double ipc = fmin(roofline->ipc, issue_width), bytes, cycles, compute_s, memory_s, longest;
    bytes = roofline->instructions * roofline->mpki / 1000 * ACCESS_BYTES;
    cycles = roofline->instructions / WARP; /* of one SM that issues a warp in each */
    memory_s = bytes / dram_effective_bytes_per_s(&dram, row_hits);
    double sm_hz = (double)gpu->sms * gpu->clock_mhz * 1e6;
    if (roofline->fills_memory)
        ipc = fmin(issue_width, fmax(ipc, cycles / sm_hz / memory_s));
    compute_s = cycles / (ipc * sm_hz);
    longest = fmax(compute_s, memory_s);
    double compute = fmax(0.001, compute_s / longest);
    return (struct paper_roof){.duration_ms = longest / roofline->kernels * 1e3,
                               .compute_fraction = compute,
                               .dram_fraction = bytes / longest / dram.peak_bytes_per_s,
                               .unit_fraction = compute * ipc / issue_width};
}

static double paper_row_hits(const struct paper_case *one, const struct paper_app *app) {
    struct des_stream draws;
    if (!isnan(app->roofline.row_hits))
        return app->roofline.row_hits;
    des_stream_init(&draws, one->seed, one->draw, "row hits", app->name);
    return des_stream_uniform(&draws) * one->suite->hits_most;
}

static double paper_range_value(const struct paper_case *one, const struct paper_app *app,
                                const struct paper_range *range) {
    struct des_stream draws;
    des_stream_init(&draws, one->seed, one->draw, range->key, app->name);
    double u = des_stream_uniform(&draws);
    if (range->logarithmic)
        return range->low * exp(u * log(range->high / range->low));
    return range->low + u * (range->high - range->low);
}

/* ---- Assignments ---- */

struct list {
    const char **items;
    size_t count;
    struct ct_arena *arena;
};

static void assign(struct list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void assign(struct list *list, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = ct_arena_vformat(list->arena, format, arguments);
    va_end(arguments);
    if (!text)
        list->count = PAPER_ASSIGNMENTS_MOST + 1;
    else if (list->count < PAPER_ASSIGNMENTS_MOST)
        list->items[list->count++] = text;
}

static void assign_roof(struct list *list, const struct paper_case *one,
                        const struct paper_app *app) {
    double row_hits = paper_row_hits(one, app);
    struct paper_roof roof =
        paper_roof_of(&app->roofline, one->gpu, one->suite->issue_width, row_hits);
    assign(list, "apps.%s.synthetic.duration_ms=%.17g", app->name, roof.duration_ms);
    assign(list, "apps.%s.synthetic.compute_fraction=%.17g", app->name, roof.compute_fraction);
    assign(list, "apps.%s.synthetic.dram_fraction=%.17g", app->name, roof.dram_fraction);
    assign(list, "apps.%s.synthetic.unit_fraction=%.17g", app->name, roof.unit_fraction);
    assign(list, "apps.%s.synthetic.row_hit_rate=%.17g", app->name, row_hits);
    assign(list, "apps.%s.synthetic.instructions=%.17g", app->name,
           app->roofline.instructions / app->roofline.kernels);
}

static const struct paper_variant *variant_of(const struct paper_suite *suite, uint64_t draw) {
    return suite->variant_count ? &suite->variants[draw % suite->variant_count] : NULL;
}

uint32_t paper_queries(const struct paper_suite *suite, uint64_t draw) {
    const struct paper_variant *variant = variant_of(suite, draw);
    return variant ? variant->queries : suite->queries;
}

double paper_duration_s(const struct paper_case *one) {
    const struct paper_service *service = one->service;
    double gap_s = service->rate_per_s > 0 ? 1 / service->rate_per_s : service->qos_ms / 1e3;
    return paper_queries(one->suite, one->draw) * gap_s;
}

/* C-QoS: the first comes at once, the others after an exponential gap; each is executed again when
 * it has ended (section VII-A). */
static void assign_arrivals(struct list *list, const struct paper_case *one) {
    const struct paper_app *apps = one->suite->apps;
    const struct paper_mix *mix = one->mix;
    double shortest = INFINITY;
    for (uint32_t i = 0; i < mix->count; i++)
        shortest = fmin(shortest, apps[mix->apps[i]].solo_ms);
    for (uint32_t i = 0; i < mix->count; i++)
        assign(list, "apps.%s.arrivals={\"process\":\"closed\",\"start\":\"at-once\"}",
               apps[mix->apps[i]].name);
    for (uint32_t i = 1; i < mix->count; i++)
        assign(list, "apps.%s.arrivals.delay_ms={\"dist\":\"exponential\",\"mean\":%.17g}",
               apps[mix->apps[i]].name, one->suite->gap * shortest);
}

static bool is_in_mix(const struct paper_mix *mix, uint32_t app) {
    for (uint32_t i = 0; i < mix->count; i++)
        if (mix->apps[i] == app)
            return true;
    return false;
}

/*
 * HSM's line for a mix: of the applications outside of it that fill the memory of this GPU alone
 * (section 2.3.2: "a memory-bound kernel will saturate DRAM bandwidth in private mode"), at the row
 * hits of this draw. Where they make no line the GPU's own stands.
 */
static void assign_line(struct list *list, const struct paper_case *one) {
    const struct paper_suite *suite = one->suite;
    double *row_hits = ct_arena_array(list->arena, suite->app_count, sizeof *row_hits);
    double *use = ct_arena_array(list->arena, suite->app_count, sizeof *use);
    struct hsm_line line;
    uint32_t count = 0;
    if (!row_hits || !use)
        list->count = PAPER_ASSIGNMENTS_MOST + 1;
    for (uint32_t a = 0; row_hits && use && a < suite->app_count; a++) {
        const struct paper_app *app = &suite->apps[a];
        if (is_in_mix(one->mix, a) || isnan(app->roofline.ipc))
            continue;
        row_hits[count] = paper_row_hits(one, app);
        struct paper_roof roof =
            paper_roof_of(&app->roofline, one->gpu, suite->issue_width, row_hits[count]);
        use[count] = roof.dram_fraction;
        count += app->roofline.fills_memory || roof.compute_fraction < 1;
    }
    if (!hsm_line_fit(row_hits, use, count, &line))
        return;
    assign(list, "gpu.hsm_c1=%.17g", line.slope);
    assign(list, "gpu.hsm_c2=%.17g", line.base);
}

size_t paper_assignments(const struct paper_case *one, const char *assignments[],
                         struct ct_arena *arena) {
    struct list list = {assignments, 0, arena};
    const struct paper_suite *suite = one->suite;
    for (uint32_t i = 0; i < one->mix->count; i++) {
        const struct paper_app *app = &suite->apps[one->mix->apps[i]];
        if (!isnan(app->roofline.ipc))
            assign_roof(&list, one, app);
        for (uint32_t k = 0; k < app->range_count; k++)
            assign(&list, "apps.%s.%s=%.6g", app->name, app->ranges[k].key,
                   paper_range_value(one, app, &app->ranges[k]));
        if (one->level > 0)
            assign(&list, "apps.%s.np_target=%.17g", app->name, one->level);
        else if (suite->high_target > 0 && i == 0)
            assign(&list, "apps.%s.np_target=%.17g", app->name, suite->high_target);
    }
    if (one->service) {
        const char *name = suite->apps[one->mix->apps[0]].name;
        if (one->service->rate_per_s > 0)
            assign(&list, "apps.%s.arrivals={\"process\":\"poisson\",\"rate_per_s\":%.17g}", name,
                   one->service->rate_per_s);
        if (one->service->qos_ms > 0)
            assign(&list, "apps.%s.qos_ms=%.17g", name, one->service->qos_ms);
        assign(&list, "duration_s=%.17g", paper_duration_s(one));
    }
    assign_line(&list, one);
    if (suite->gap > 0)
        assign_arrivals(&list, one);
    const struct paper_variant *variant = variant_of(suite, one->draw);
    for (uint32_t i = 0; variant && i < variant->count; i++)
        assign(&list, "%s", variant->assignments[i]);
    return list.count;
}
