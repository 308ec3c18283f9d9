#include "experiment/bands.h"

#include "base/ct_assert.h"
#include "base/ct_sort.h"
#include "des/des_stream.h"
#include "experiment/thread_team.h"
#include "workload/setup.h"

#include <stdlib.h>
#include <string.h>

/* ---- A look ---- */

/* The names of the random streams from which each kind of demand is drawn. */
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

/* ---- Bands ---- */

/* The corners of what a class may ask for: the ends of its bands, which hold 90 %, of memory and
 * units. The two work against each other, so that both at the same end may come to nothing. */
static const double corners[][DEMAND_KINDS] = {
    {0.05, 0.05}, {0.05, 0.95}, {0.95, 0.05}, {0.95, 0.95}};
enum { CORNERS = CT_COUNT_OF(corners) };

/* One look, and what it came to. Its warnings are those of the experiment itself, and not told
 * twice. */
struct look {
    struct ct_arena arena;
    struct experiment_result result;
    struct ct_diags diags;
    int status;
};

/* What the looks come to: draws, then each class in its corners. */
struct bands {
    const struct bands_about *about;
    struct ct_arena arena;
    struct demand_file file;
    uint32_t draws, class_count;
    enum kernel_class classes[KERNEL_CLASSES];
    enum kernel_class stake_class; /* with most at stake */
    double stake_time;
    struct look *looks;
    double *values; /* room for one of each draw */
    struct thread_queue queue;
    uint32_t finished; /* under its lock */
};

static uint32_t count_looks(const struct bands *b) {
    return b->draws + (uint32_t)CORNERS * b->class_count;
}

static struct demand_look look_of(const struct bands *b, uint32_t number) {
    if (number < b->draws)
        return (struct demand_look){.draws = b->draws, .draw = number};
    uint32_t of_classes = number - b->draws;
    const double *corner = corners[of_classes % CORNERS];
    return (struct demand_look){.class = b->classes[of_classes / CORNERS],
                                .levels = {corner[DEMAND_OF_MEMORY], corner[DEMAND_OF_UNITS]}};
}

/* ---- Which looks ---- */

/* The classes with most at stake. */
static void choose_classes(struct bands *b, const struct demand_unknown *unknown, uint32_t most) {
    struct ct_ranked ranked[KERNEL_CLASSES];
    for (size_t class = 0; class < KERNEL_CLASSES; class ++)
        ranked[class] = (struct ct_ranked){-unknown->stake[class], class};
    ct_sort_ranked(ranked, KERNEL_CLASSES);
    b->stake_class = (enum kernel_class)ranked[0].index;
    b->stake_time = unknown->time[b->stake_class];
    for (uint32_t i = 0; i < KERNEL_CLASSES && i < most && ranked[i].value < 0; i++)
        b->classes[b->class_count++] = (enum kernel_class)ranked[i].index;
}

static uint32_t less_of(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

uint32_t bands_draws(int64_t asked, const struct demand_unknown *unknown) {
    if (asked == BANDS_OWN)
        return unknown->memory >= CT_COVERAGE_MUCH ? BANDS_DRAWS : 0;
    return unknown->all > 0 ? (uint32_t)asked : 0;
}

static void choose_looks(struct bands *b, const struct demand_unknown *unknown) {
    uint32_t most = BANDS_COST * b->about->result->finished;
    bool own = b->about->draws == BANDS_OWN;
    b->draws = bands_draws(b->about->draws, unknown);
    if (b->draws == 0)
        return;
    if (own)
        b->draws = less_of(b->draws, most);
    choose_classes(b, unknown,
                   own ? less_of(BANDS_CLASSES, (most - b->draws) / CORNERS) : b->draws);
}

/* ---- The looks ---- */

/* The first replication of it, without what no range is of. */
static int run_on(const struct bands *b, const struct setup *setup,
                  struct experiment_policy *policies, struct experiment_result *result,
                  struct ct_diags *diags) {
    struct experiment experiment = *b->about->experiment;
    ct_assert(policies);
    for (uint32_t p = 0; p < experiment.policy_count; p++) {
        policies[p] = experiment.policies[p];
        policies[p].without |= EXPERIMENT_FREE;
    }
    uint32_t looks = count_looks(b), threads = experiment.threads;
    experiment.threads = threads > looks ? threads / looks : 1; /* others look meanwhile */
    experiment.setup = setup;
    experiment.banks = NULL;
    experiment.policies = policies;
    experiment.baseline = NULL;
    experiment.replications = 1;
    experiment.precision = 0;
    experiment.record = 0;
    experiment.blame = experiment.blame_services = false;
    experiment.dump_at_ps = CT_TIME_NEVER;
    experiment.listener.progress = NULL;
    return experiment_run(&experiment, result, diags);
}

static void run_look(struct bands *b, uint32_t number) {
    const struct experiment *e = b->about->experiment;
    struct look *look = &b->looks[number];
    struct demand_look at = look_of(b, number);
    struct workload workload;
    struct setup setup = {0};
    struct experiment_policy *policies =
        ct_arena_array(&look->arena, e->policy_count, sizeof *policies);
    bool made = policies && demand_look_workload(&at, e->setup->workload, &b->file, e->seed,
                                                 &look->arena, &workload);
    look->status =
        made ? setup_make(&workload, &setup, &look->diags) : ct_out_of_memory(&look->diags);
    if (look->status == CT_OK)
        look->status = run_on(b, &setup, policies, &look->result, &look->diags);
    setup_free(&setup);
}

static void finish_look(struct bands *b, uint32_t number) {
    pthread_mutex_lock(&b->queue.lock);
    b->finished++;
    b->queue.stop |= b->looks[number].status != CT_OK;
    ct_tell_progress(&b->about->listener, b->finished, count_looks(b));
    pthread_mutex_unlock(&b->queue.lock);
}

static void *work(void *context) {
    struct bands *b = context;
    uint64_t number;
    while (thread_queue_take(&b->queue, &number)) {
        run_look(b, (uint32_t)number);
        finish_look(b, (uint32_t)number);
    }
    return NULL;
}

/* The first that failed speaks for all, whatever the number of threads. */
static int sum_up(const struct bands *b, struct ct_diags *diags) {
    for (uint32_t i = 0; i < count_looks(b); i++) {
        const struct look *look = &b->looks[i];
        if (look->status != CT_OK && look->status != CT_INTERRUPTED)
            ct_diags_add(diags, &look->diags);
        if (look->status != CT_OK)
            return look->status;
    }
    return b->finished == b->queue.count ? CT_OK : CT_INTERRUPTED;
}

static int run_looks(struct bands *b, struct ct_diags *diags) {
    const struct experiment *e = b->about->experiment;
    uint32_t count = count_looks(b);
    b->looks = calloc(count, sizeof *b->looks);
    b->values = calloc(b->draws, sizeof *b->values);
    if (!b->looks || !b->values)
        return ct_out_of_memory(diags);
    for (uint32_t i = 0; i < count; i++)
        b->looks[i].diags.files = diags->files;
    thread_queue_open(&b->queue, &e->listener);
    b->queue.count = count;
    thread_team_work(e->threads < count ? e->threads : count, work, b);
    int status = sum_up(b, diags);
    thread_queue_close(&b->queue);
    return status;
}

/* ---- The ranges ---- */

/* The range of what the draws came to, as far as it is known. */
static struct report_range range_of(double *values, uint32_t count) {
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[known++] = values[i];
    if (known == 0)
        return (struct report_range){NAN, NAN, NAN};
    uint32_t cut = known / 20;
    ct_sort_doubles(values, known);
    return (struct report_range){values[cut], values[known - 1 - cut], NAN};
}

static const struct report *report_at(const struct bands *b, uint32_t look, uint32_t policy) {
    return &b->looks[look].result.pooled[policy];
}

/* A number of a report: at this place of its system, or of one of its applications. */
struct number {
    bool of_app;
    size_t app, offset;
};
#define OF_SYSTEM(member) ((struct number){false, 0, offsetof(struct report_system, member)})
#define OF_APP(app, member) ((struct number){true, app, offsetof(struct report_app, member)})

static double number_in(const struct report *report, struct number number) {
    const void *record = number.of_app ? (const void *)&report->apps[number.app] : &report->system;
    return *(const double *)(const void *)((const char *)record + number.offset);
}

static struct report_range range_over_draws(struct bands *b, uint32_t policy,
                                            struct number number) {
    for (uint32_t i = 0; i < b->draws; i++)
        b->values[i] = number_in(report_at(b, i, policy), number);
    struct report_range range = range_of(b->values, b->draws); /* beside it: as it was run */
    const struct experiment_result *result = b->about->result;
    range.none = number_in(&result->replications[(size_t)policy * result->finished], number);
    return range;
}

static struct report_app_band app_band(struct bands *b, uint32_t policy, size_t app) {
    struct report_app_band band = {
        .p99_ms = range_over_draws(b, policy, OF_APP(app, latency_ms.p99)),
        .normalised_progress = range_over_draws(b, policy, OF_APP(app, normalised_progress)),
        .qos_met = NAN};
    uint32_t met = 0;
    for (uint32_t i = 0; i < b->draws; i++)
        met += report_at(b, i, policy)->apps[app].qos_met == REPORT_YES;
    if (!isnan(report_at(b, 0, policy)->apps[app].qos_ms))
        band.qos_met = (double)met / b->draws;
    return band;
}

static double best_part(const struct bands *b, uint32_t policy) {
    uint32_t policies = b->about->experiment->policy_count, best = 0;
    for (uint32_t i = 0; i < b->draws; i++)
        best += report_is_best(b->looks[i].result.pooled, policies, policy);
    return policies > 1 ? (double)best / b->draws : NAN;
}

/* The class that moves STP most between its corners; none, and what STP is, where none moves it. */
static void set_class(const struct bands *b, uint32_t policy, struct report_band *band) {
    double widest = -1;
    band->class = NULL;
    band->class_stp = (struct report_range){NAN, NAN, NAN};
    for (uint32_t c = 0; c < b->class_count; c++) {
        double stp[CORNERS];
        for (uint32_t i = 0; i < CORNERS; i++)
            stp[i] = report_at(b, b->draws + CORNERS * c + i, policy)->system.stp;
        struct report_range range = range_of(stp, CORNERS);
        double moved = range.high - range.low;
        if (!(moved > widest))
            continue;
        widest = moved;
        band->class = moved > 0 ? kernel_class_names[b->classes[c]] : NULL;
        band->class_stp = range;
    }
}

static struct report_band system_band(struct bands *b, uint32_t policy) {
    struct report_band band = {.draws = b->draws,
                               .stp = range_over_draws(b, policy, OF_SYSTEM(stp)),
                               .antt = range_over_draws(b, policy, OF_SYSTEM(antt)),
                               .batch_throughput_normalised = range_over_draws(
                                   b, policy, OF_SYSTEM(batch_throughput_normalised)),
                               .best = best_part(b, policy),
                               .stake_class = kernel_class_names[b->stake_class],
                               .stake_time = b->stake_time};
    set_class(b, policy, &band);
    return band;
}

/* Adds the bands to a report. Its applications are written anew: others may point to them. */
static bool add_to(struct bands *b, uint32_t policy, struct report *report,
                   struct ct_arena *arena) {
    struct report_app *apps = ct_arena_array(arena, report->app_count, sizeof *apps);
    if (!apps)
        return false;
    for (size_t a = 0; a < report->app_count; a++) {
        apps[a] = report->apps[a];
        apps[a].band = app_band(b, policy, a);
    }
    report->apps = apps;
    report->system.band = system_band(b, policy);
    return true;
}

static int fill_reports(struct bands *b, struct ct_diags *diags) {
    struct experiment_result *result = b->about->result;
    bool done = true;
    for (uint32_t p = 0; p < b->about->experiment->policy_count && done; p++) {
        done = add_to(b, p, &result->pooled[p], &result->arena);
        if (result->finished == 1) /* its own pool, in a store */
            done = done && add_to(b, p, &result->runs[p].report, &result->arena);
    }
    return done ? CT_OK : ct_out_of_memory(diags);
}

/* What must hold in every run must hold in these. */
static void check_looks(const struct bands *b, struct ct_diags *diags) {
    for (uint32_t i = 0; i < count_looks(b); i++)
        for (uint32_t p = 0; p < b->about->experiment->policy_count; p++) {
            const char *broken = report_broken_check(&report_at(b, i, p)->checks);
            if (broken)
                ct_warning(diags, b->about->experiment->setup->workload->path,
                           "with memory demand drawn, under %s: %s does not hold",
                           report_at(b, i, p)->policy, broken);
        }
}

static void free_bands(struct bands *b) {
    for (uint32_t i = 0; b->looks && i < count_looks(b); i++) {
        experiment_result_free(&b->looks[i].result);
        ct_diags_free(&b->looks[i].diags);
        ct_arena_free(&b->looks[i].arena);
    }
    free(b->looks);
    free(b->values);
    ct_arena_free(&b->arena);
}

int bands_add(const struct bands_about *about, struct ct_diags *diags) {
    struct bands b = {.about = about};
    struct demand_unknown unknown;
    if (about->draws == 0 || !demand_is_unknown(about->experiment->setup))
        return CT_OK;
    int status = demand_file_shipped(&b.file, &b.arena, diags);
    if (status == CT_OK) {
        unknown = demand_unknown_of(about->experiment->setup, &b.file);
        choose_looks(&b, &unknown);
    }
    if (status == CT_OK && b.draws > 0) {
        status = run_looks(&b, diags);
        if (status == CT_OK)
            status = fill_reports(&b, diags);
        if (status == CT_OK)
            check_looks(&b, diags);
    }
    free_bands(&b);
    return status;
}
