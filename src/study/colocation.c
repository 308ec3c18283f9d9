#include "study/colocation.h"

#include "models/device/dram.h"
#include "run/progress.h"

enum { KERNELS_MOST = 4 };

/* A made-up kernel that is launched again whenever it ends. */
struct party {
    struct kernel_profile profile;
    double work_ps;      /* of a launch, alone */
    double alone_per_ps; /* instructions, alone */
    struct ct_counters alone;
    int64_t sms;
    struct device_task tasks[2]; /* in turn */
    uint32_t launches;
    struct ct_counters counters[2]; /* at the begin and the end of the epoch */
};

struct colocation {
    const struct gpu *gpu;
    enum device_fidelity fidelity;
    struct des_stream draws;
    struct party parties[KERNELS_MOST];
    uint32_t count;
    ct_time_ps epoch_ps;
    /* The run under way. */
    struct device *device;
    bool again; /* launches follow each other; else each kernel runs once */
};

/* ---- Draws. Ranges are wide rather than typical; all are assumed. ---- */

static double between(struct des_stream *draws, double least, double most) {
    return least + (most - least) * des_stream_uniform(draws);
}

/* A draw from least to least * 2^octaves, each octave as likely as the others. */
static double by_octave(struct des_stream *draws, double least, uint32_t octaves) {
    uint64_t octave = des_stream_below(draws, octaves);
    return ldexp(least, (int)octave) * between(draws, 1, 2);
}

/* What a kernel asks of SMs and memory: every second one draws nearly what its row hits allow. */
static void draw_metrics(struct colocation *c, struct trace_metrics *metrics) {
    struct dram dram = dram_line(c->gpu);
    struct des_stream *draws = &c->draws;
    bool memory_bound = des_stream_below(draws, 2) == 0;
    double part = des_stream_uniform(draws);
    *metrics = (struct trace_metrics){.dram_bytes_per_s = NAN,
                                      .dram_fraction = NAN,
                                      .dram_read_share = NAN,
                                      .l2_fraction = NAN,
                                      .unit_fraction = NAN,
                                      .sm_activity = NAN,
                                      .achieved_occupancy = NAN};
    metrics->row_hit_rate = des_stream_uniform(draws);
    metrics->dram_bytes_per_s = dram_effective_bytes_per_s(&dram, metrics->row_hit_rate) *
                                (memory_bound ? 0.8 + 0.2 * part : 0.8 * part * part);
    metrics->issue_slot_fraction =
        memory_bound ? between(draws, 0.02, 0.6) : between(draws, 0.2, 1);
}

/* Instructions of a launch: issue slots that are used, by warps of which some lanes are idle. */
static void draw_instructions(struct colocation *c, struct party *party, double issue_slots) {
    double lanes = (double)c->gpu->sms * 128 * c->gpu->clock_mhz * 1e6;
    double efficiency = between(&c->draws, 0.25, 1);
    party->profile.instructions =
        issue_slots * efficiency * lanes * party->work_ps / (double)CT_PS_PER_S;
}

static int draw_party(struct colocation *c, struct party *party, struct ct_diags *diags) {
    struct des_stream *draws = &c->draws;
    double slots_most = (double)c->gpu->sms;
    struct trace_kernel kernel = {.name = "drawn", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    kernel.grid[0] = (uint32_t)by_octave(draws, fmax(1, slots_most / 2), 10);
    kernel.block[0] = 32u << (1 + des_stream_below(draws, 4));
    kernel.registers_per_thread = 16 + 8 * (uint32_t)des_stream_below(draws, 7);
    draw_metrics(c, &kernel.metrics);
    const struct kernel_beside nothing = {
        .units_of_class = NAN, .compute_fraction = NAN, .profiled = true};
    int status =
        kernel_profile_make(c->gpu, c->gpu, &kernel, &nothing, kernel.name, &party->profile, diags);
    double slots = floor(party->profile.blocks_per_sm * (double)c->gpu->sms);
    double block_ps = by_octave(draws, 5.0 * (double)CT_PS_PER_US, 6);
    party->work_ps = floor(kernel_waves(party->profile.blocks, slots) * block_ps);
    draw_instructions(c, party, kernel.metrics.issue_slot_fraction);
    return status;
}

/* Whole SMs for each, at least one, every partition as likely as the others. */
static void draw_partition(struct colocation *c) {
    int64_t cuts[KERNELS_MOST + 1] = {0};
    for (uint32_t i = 1; i < c->count; i++) {
        bool taken = true;
        while (taken) {
            cuts[i] = 1 + (int64_t)des_stream_below(&c->draws, (uint64_t)c->gpu->sms - 1);
            taken = false;
            for (uint32_t j = 1; j < i; j++)
                taken |= cuts[j] == cuts[i];
        }
        for (uint32_t j = i; j > 1 && cuts[j] < cuts[j - 1]; j--) {
            int64_t cut = cuts[j];
            cuts[j] = cuts[j - 1];
            cuts[j - 1] = cut;
        }
    }
    cuts[c->count] = c->gpu->sms;
    for (uint32_t i = 0; i < c->count; i++)
        c->parties[i].sms = cuts[i + 1] - cuts[i];
}

/* ---- Runs ---- */

static void launch(struct colocation *c, uint32_t client) {
    struct party *party = &c->parties[client];
    struct device_task *task = &party->tasks[party->launches++ % 2];
    *task = (struct device_task){.profile = &party->profile,
                                 .client = client,
                                 .stream = client,
                                 .kind = TRACE_KERNEL,
                                 .share = CT_SHARE_FULL,
                                 .blocks = party->profile.blocks,
                                 .work_ps = party->work_ps};
    device_submit(c->device, task);
}

static void on_started(void *context, struct device_task *task) {
    (void)context;
    (void)task;
}

static void on_ended(void *context, struct device_task *task) {
    struct colocation *c = context;
    if (c->again)
        launch(c, task->client);
}

static void on_repartitioned(void *context) {
    (void)context;
}

/* An empty device with this partition. NULL: memory ran out. */
static struct device *open_device(struct colocation *c, struct des_engine *engine,
                                  const int64_t *sms, struct ct_arena *arena) {
    struct device_listener listener = {
        .context = c, .started = on_started, .ended = on_ended, .repartitioned = on_repartitioned};
    struct device_config config = {.gpu = c->gpu,
                                   .fidelity = c->fidelity,
                                   .sharing = CT_SHARING_PARTITION,
                                   .clients = c->count,
                                   .streams = c->count,
                                   .hw_queues = KERNELS_MOST};
    c->device = engine ? device_new(engine, &config, &listener, arena) : NULL;
    if (c->device)
        device_repartition(c->device, sms, CT_MOVE_DRAIN);
    return c->device;
}

static struct ct_counters counters_between(const struct ct_counters *base,
                                           const struct ct_counters *now) {
    return (struct ct_counters){.busy_ps = now->busy_ps - base->busy_ps,
                                .sm_ps = now->sm_ps - base->sm_ps,
                                .instructions = now->instructions - base->instructions,
                                .memory_accesses = now->memory_accesses - base->memory_accesses,
                                .row_hits = now->row_hits - base->row_hits};
}

/* One launch alone on the whole GPU. */
static bool run_alone(struct colocation *c, uint32_t client) {
    struct party *party = &c->parties[client];
    int64_t sms[KERNELS_MOST] = {0};
    struct ct_arena arena = {0};
    struct des_engine *engine = des_engine_new();
    sms[client] = c->gpu->sms;
    c->again = false;
    bool good = open_device(c, engine, sms, &arena) != NULL;
    if (good) {
        launch(c, client);
        des_engine_run(engine, CT_TIME_NEVER);
        const struct device_task *task = &party->tasks[(party->launches - 1) % 2];
        party->alone = device_client_counters(c->device, client).told;
        party->alone_per_ps =
            party->profile.instructions / (double)(task->ended_ps - task->started_ps);
    }
    des_engine_free(engine);
    ct_arena_free(&arena);
    return good;
}

/* What HSM's model takes: its own counters and the sums of all others. */
static struct hsm_measure measure_of(const struct colocation *c, uint32_t client) {
    const struct party *party = &c->parties[client];
    struct hsm_measure measure = {.sms = party->sms, .blocks = party->profile.blocks};
    for (uint32_t i = 0; i < c->count; i++) {
        struct ct_counters one =
            counters_between(&c->parties[i].counters[0], &c->parties[i].counters[1]);
        if (i == client) {
            measure.counters = one;
            continue;
        }
        measure.others.instructions += one.instructions;
        measure.others.memory_accesses += one.memory_accesses;
        measure.others.row_hits += one.row_hits;
    }
    return measure;
}

static bool add_samples(const struct colocation *c, struct colocation_samples *samples) {
    for (uint32_t i = 0; i < c->count; i++) {
        const struct party *party = &c->parties[i];
        struct hsm_measure measure = measure_of(c, i);
        struct themis_events events =
            progress_events(c->gpu, &measure.counters, &measure.others, party->sms);
        struct themis_sample sample = {.sm_share = events.sms / events.device_sms,
                                       .progress = measure.counters.instructions /
                                                   (double)c->epoch_ps / party->alone_per_ps};
        bool known = themis_inputs(&events, sample.inputs);
        if (!ct_vec_push(&samples->alone, party->alone) ||
            (known && !(ct_vec_push(samples, sample) && ct_vec_push(&samples->measures, measure))))
            return false;
    }
    return true;
}

/* Counters at the begin (0) and the end (1) of the epoch. */
static void on_count(void *context, uint64_t end) {
    struct colocation *c = context;
    for (uint32_t i = 0; i < c->count; i++)
        c->parties[i].counters[end] = device_client_counters(c->device, i).told;
}

static bool run_together(struct colocation *c, struct colocation_samples *samples) {
    int64_t sms[KERNELS_MOST] = {0};
    struct ct_arena arena = {0};
    struct des_engine *engine = des_engine_new();
    /* The first epoch is passed over, and kernels need not begin with the second. */
    ct_time_ps begin = ct_time_round((double)c->epoch_ps * between(&c->draws, 1, 2));
    for (uint32_t i = 0; i < c->count; i++)
        sms[i] = c->parties[i].sms;
    c->again = true;
    bool good = open_device(c, engine, sms, &arena) != NULL;
    good = good && des_event_schedule(engine, begin, DES_RANK_TIMER, on_count, c, 0);
    good = good && des_event_schedule(engine, begin + c->epoch_ps, DES_RANK_TIMER, on_count, c, 1);
    for (uint32_t i = 0; good && i < c->count; i++)
        launch(c, i);
    if (good)
        des_engine_run(engine, begin + c->epoch_ps);
    good = good && add_samples(c, samples);
    des_engine_free(engine);
    ct_arena_free(&arena);
    return good;
}

/* Two of seven times in ten, else three or, once in ten times, four. */
static uint32_t draw_count(struct colocation *c) {
    static const uint32_t counts[] = {2, 2, 2, 2, 2, 2, 2, 3, 3, 4};
    uint32_t count = counts[des_stream_below(&c->draws, CT_COUNT_OF(counts))];
    return count < c->gpu->sms ? count : (uint32_t)c->gpu->sms;
}

int colocation_sample(const struct gpu *gpu, enum device_fidelity fidelity, uint64_t seed,
                      uint64_t number, struct colocation_samples *samples, struct ct_diags *diags) {
    struct colocation c = {.gpu = gpu, .fidelity = fidelity};
    int status = CT_OK;
    bool good = true;
    des_stream_init(&c.draws, seed, number, "co-location", gpu->name);
    c.epoch_ps = ct_time_of_s(COLOCATION_EPOCH_CYCLES / (gpu->clock_mhz * 1e6));
    c.count = draw_count(&c);
    for (uint32_t i = 0; i < c.count && status == CT_OK; i++)
        status = draw_party(&c, &c.parties[i], diags);
    if (status != CT_OK)
        return status;
    draw_partition(&c);
    for (uint32_t i = 0; i < c.count && good; i++)
        good = run_alone(&c, i);
    good = good && run_together(&c, samples);
    return good ? CT_OK : ct_out_of_memory(diags);
}

void colocation_samples_free(struct colocation_samples *samples) {
    ct_vec_free(samples);
    ct_vec_free(&samples->measures);
    ct_vec_free(&samples->alone);
}
