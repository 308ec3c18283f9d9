#include "models/device/kernel_profile.h"

#include "models/device/dram.h"

/* docs/model-reference.md, "What a recording becomes". */
static const double COMPUTE_FLOOR = 0.3;
static const double MEMORY_BOUND_FROM = 0.8; /* of the attainable bandwidth */

/* The larger of two fractions of which either may be unknown. */
static double known_max(double a, double b) {
    return isnan(a) ? b : isnan(b) ? a : fmax(a, b);
}

/* Bytes per second of a stream of row hits. */
static double attainable(const struct gpu *gpu) {
    struct dram dram = dram_line(gpu);
    return dram_effective_bytes_per_s(&dram, 1.0);
}

/* What a kernel by its shapes moves beyond what the memory can give comes out of the caches. */
static double recorded_demand(const struct gpu *recorded, const struct trace_kernel *kernel) {
    const struct trace_metrics *m = &kernel->metrics;
    if (!isnan(m->dram_bytes_per_s))
        return kernel->demand_provenance == CT_SHAPES
                   ? fmin(m->dram_bytes_per_s, attainable(recorded))
                   : m->dram_bytes_per_s;
    return isnan(m->dram_fraction) ? NAN : m->dram_fraction * recorded->dram_gb_s * 1e9;
}

double kernel_unit_peak(const struct gpu *gpu, enum kernel_unit unit) {
    switch (unit) {
    case KERNEL_FP32: /* a multiply-add is two */
        return 2e6 * gpu->fp32_per_clock * (double)gpu->sms * gpu->clock_mhz;
    case KERNEL_FP64:
        return 2e6 * gpu->fp64_per_clock * (double)gpu->sms * gpu->clock_mhz;
    case KERNEL_TENSOR_FP16:
        return gpu->tensor_fp16_tflops * 1e12;
    case KERNEL_TENSOR_TF32:
        return gpu->tensor_tf32_tflops * 1e12;
    default:
        return 0;
    }
}

static bool is_matrix_unit(enum kernel_unit unit) {
    return unit == KERNEL_TENSOR_FP16 || unit == KERNEL_TENSOR_TF32;
}

/* Whether a GPU has such matrix units: those of FP16 came with Volta, the others with Ampere. */
static bool has_units(const struct gpu *gpu, enum kernel_unit unit) {
    return gpu->compute_capability >= (unit == KERNEL_TENSOR_FP16 ? 70 : 80);
}

/* Operations of an SM per cycle; 0: unknown. What has no matrix units does their work on those of
 * single precision. */
static double per_cycle(const struct gpu *gpu, enum kernel_unit unit) {
    double peak = kernel_unit_peak(gpu, unit);
    if (is_matrix_unit(unit) && peak <= 0 && !has_units(gpu, unit))
        peak = kernel_unit_peak(gpu, KERNEL_FP32);
    return peak / (1e6 * (double)gpu->sms * gpu->clock_mhz);
}

/* More than the peak is another algorithm than its shapes tell of. */
static double units_by_shapes(const struct gpu *recorded, const struct trace_kernel *kernel) {
    double peak = kernel_unit_peak(recorded, trace_kernel_unit(kernel));
    bool product = kernel_class_is_product(trace_kernel_class(kernel));
    return product && kernel->flops_per_s > 0 && kernel->flops_per_s <= peak
               ? kernel->flops_per_s / peak
               : NAN;
}

double kernel_units(const struct gpu *recorded, const struct trace_kernel *kernel, double of_class,
                    enum ct_provenance *source) {
    const struct trace_metrics *m = &kernel->metrics;
    double units = known_max(m->issue_slot_fraction, m->unit_fraction);
    *source = kernel->demand_provenance == CT_DERIVED ? CT_DERIVED : CT_MEASURED;
    if (!isnan(units))
        return fmin(1, units);
    units = units_by_shapes(recorded, kernel);
    *source = !isnan(units) ? CT_SHAPES : isnan(of_class) ? CT_UNKNOWN : CT_CLASS;
    return isnan(units) ? of_class : units;
}

/* Profilers count the units of the SMs that a kernel is on; a user, and a class, all. So far only
 * where SMs are shared by age (decision 0045): elsewhere few blocks count as using as much of the
 * whole GPU. */
static double part_of_sms(const struct gpu *gpu, const struct gpu *recorded,
                          const struct trace_kernel *kernel, const struct kernel_beside *beside,
                          enum ct_provenance source) {
    bool counted = source == CT_MEASURED && beside->profiled && gpu->sm_sharing == GPU_SM_HOPPER;
    double blocks = (double)trace_kernel_blocks(kernel);
    return counted ? fmin(1, blocks / (double)recorded->sms) : 1;
}

/* The part of its time for which the memory alone would do. What the memory bounds takes its time
 * for it; of what is unknown nothing is taken, as where kernels share it. */
static double memory_part(const struct gpu *recorded, double demand) {
    double most = attainable(recorded);
    return isnan(demand) ? 0 : demand >= MEMORY_BOUND_FROM * most ? 1 : demand / most;
}

/* A kernel of which nobody knows that the memory bounds it slows with its SMs. */
static void set_compute(struct kernel_profile *p, const struct gpu *gpu, const struct gpu *recorded,
                        const struct trace_kernel *kernel, const struct kernel_beside *beside,
                        double demand) {
    enum ct_provenance source;
    double units = kernel_units(recorded, kernel, beside->units_of_class, &source);
    units *= part_of_sms(gpu, recorded, kernel, beside, source);
    p->compute_fraction = !isnan(beside->compute_fraction)     ? beside->compute_fraction
                          : memory_part(recorded, demand) >= 1 ? fmax(units, COMPUTE_FLOOR)
                                                               : 1;
    p->unit_fraction = isnan(units) ? 0 : units;
    p->units_provenance = (uint8_t)source;
}

/* What alone draws more than the line gives at the assumed hit rate must hit more often. */
static double least_row_hits(const struct gpu *gpu, double demand) {
    struct dram dram = dram_line(gpu);
    return demand > 0 ? dram_row_hit_rate(&dram, demand / dram.peak_bytes_per_s) : 0;
}

static void set_memory(struct kernel_profile *p, const struct gpu *gpu, const struct gpu *recorded,
                       const struct trace_kernel *kernel, double demand) {
    const struct trace_metrics *m = &kernel->metrics;
    p->dram_bytes_per_s = isnan(demand) ? 0 : demand / p->duration_scale;
    p->l2_fraction = isnan(m->l2_fraction) ? 0 : m->l2_fraction;
    p->off_memory = demand == 0 && p->l2_fraction == 0;
    double least = fmax(least_row_hits(recorded, demand), least_row_hits(gpu, p->dram_bytes_per_s));
    p->row_hit_rate = isnan(m->row_hit_rate) ? fmax(gpu->row_hit_rate, least) : m->row_hit_rate;
    p->demand_provenance = isnan(demand) ? CT_UNKNOWN : kernel->demand_provenance;
}

static bool is_told(uint8_t provenance) {
    return provenance == CT_MEASURED || provenance == CT_GIVEN;
}

/* What neither the busiest unit of the SMs that it is on nor the memory explains of its time. A
 * remainder: known where both were measured, or given. */
static void set_latency(struct kernel_profile *p, const struct gpu *gpu) {
    struct dram dram = dram_line(gpu);
    double on_sms = fmin(1, p->blocks / (double)gpu->sms);
    p->memory_fraction = p->dram_bytes_per_s / dram_effective_bytes_per_s(&dram, p->row_hit_rate);
    bool known = is_told(p->units_provenance) && is_told(p->demand_provenance);
    if (known && p->dram_bytes_per_s > 0)
        p->latency_fraction = fmax(0, 1 - fmax(p->unit_fraction / on_sms, p->memory_fraction));
}

/* A unit that a kernel keeps this busy is what bounds it: nvprof's "High" begins here. */
static const double UNIT_BOUND_FROM = 0.7;

/* Products on units for matrices, and what combines the values of its threads. */
static bool is_dependent(const struct trace_kernel *kernel) {
    enum kernel_class class = trace_kernel_class(kernel);
    return class == KERNEL_NORMALISATION || class == KERNEL_SOFTMAX || class == KERNEL_REDUCTION ||
           (kernel_class_is_product(class) && trace_kernel_unit(kernel) != KERNEL_FP32);
}

/* The units that bound what a kernel computes: as its maker says, else those that were measured
 * busy. */
static enum kernel_unit bounding_unit(const struct trace_kernel *kernel, enum kernel_unit made) {
    const struct trace_metrics *m = &kernel->metrics;
    bool fp64 = isnan(m->fp32_fraction) || m->fp64_fraction >= m->fp32_fraction;
    double use = fp64 ? m->fp64_fraction : m->fp32_fraction;
    if (made != KERNEL_UNIT_UNKNOWN)
        return made;
    return !(use >= UNIT_BOUND_FROM) ? KERNEL_UNIT_UNKNOWN : fp64 ? KERNEL_FP64 : KERNEL_FP32;
}

/* The units that its operations are done on, bound by them or not: of a product as its name says.
 */
static enum kernel_unit working_unit(const struct trace_kernel *kernel, enum kernel_unit bounding) {
    bool product = kernel_class_is_product(trace_kernel_class(kernel));
    return bounding == KERNEL_UNIT_UNKNOWN && product ? trace_kernel_unit(kernel) : bounding;
}

/* The part of its time, on the SMs that it is on, in which it keeps them busy; where nobody
 * measured it, all. */
static double use_of(const struct trace_metrics *m, enum kernel_unit unit) {
    double use = unit == KERNEL_FP64   ? m->fp64_fraction
                 : unit == KERNEL_FP32 ? m->fp32_fraction
                                       : NAN;
    use = isnan(use) ? m->unit_fraction : use;
    return use > 0 ? use : 1;
}

/* Cycles of an SM for what takes one on the recorded GPU. Where units are known to bound the
 * kernel, their results per cycle count, and what else must be issued; else it runs with the SM. */
static double cycles_of(const struct gpu *gpu, const struct gpu *recorded,
                        const struct trace_metrics *m, enum kernel_unit unit) {
    double old = per_cycle(recorded, unit), new = per_cycle(gpu, unit);
    if (old <= 0 || new <= 0)
        return 1;
    double use = use_of(m, unit), issued = fmax(m->issue_slot_fraction, 0); /* of NAN: 0 */
    return fmax(use * (old / new), issued) / fmax(use, issued);
}

/* Latency bounds a kernel that keeps neither units nor memory this busy: below 60 % of peak
 * "typically indicates latency issues" (NVIDIA Visual Profiler, kernel performance limiters). */
static const double LATENCY_BOUND_BELOW = 0.6;

/* Time, in any unit, of what takes an SM the same cycles, all SMs together: no more of them work
 * than there are blocks. */
static double compute_time(const struct gpu *gpu, double blocks) {
    return 1 / (fmin((double)gpu->sms, blocks) * gpu->clock_mhz);
}

static uint32_t smem_of(const struct trace_kernel *kernel) {
    return kernel->static_smem_bytes + kernel->dynamic_smem_bytes;
}

/* 0: not one fits, for `limit` (or NULL). */
static int blocks_per_sm(const struct gpu *gpu, const struct trace_kernel *kernel,
                         enum occupancy_limit *limit) {
    return occupancy_blocks_per_sm(gpu, trace_kernel_threads(kernel), kernel->registers_per_thread,
                                   smem_of(kernel), limit);
}

/* A block for each SM, with a warp for each of its four parts: kernels that stay on the GPU and
 * fetch their work themselves are launched so. */
enum { PERSISTENT_THREADS = 4 * 32 };

bool kernel_fills_gpu(const struct gpu *gpu, const struct trace_kernel *kernel) {
    uint64_t blocks = trace_kernel_blocks(kernel), sms = (uint64_t)gpu->sms;
    int per_sm = blocks_per_sm(gpu, kernel, NULL);
    bool persistent = blocks == sms && trace_kernel_threads(kernel) >= PERSISTENT_THREADS;
    return per_sm > 0 && (persistent || blocks >= (uint64_t)per_sm * sms);
}

/* Time, in any unit, of the waves of a kernel whose blocks take the same cycles wherever they run.
 * What ran on a GPU on which none fits, by its preset, had one a SM. */
static double latency_time(const struct gpu *gpu, const struct trace_kernel *kernel,
                           double blocks) {
    double slots = (double)gpu->sms * fmax(1, blocks_per_sm(gpu, kernel, NULL));
    return kernel_waves(blocks, slots) / gpu->clock_mhz;
}

/* Metrics tell both, neither bounds it, and nobody says what does. */
static bool waits_for_latency(const struct kernel_profile *p, const struct gpu *recorded,
                              double demand) {
    return p->units_provenance == CT_MEASURED && !isnan(demand) && p->compute_fraction == 1 &&
           fmax(p->unit_fraction, memory_part(recorded, demand)) < LATENCY_BOUND_BELOW;
}

/* Measured use is of the SMs that a kernel is on (but see part_of_sms), else of all. */
static double blocks_of_use(const struct gpu *gpu, const struct kernel_profile *p) {
    bool of_its_sms = p->units_provenance == CT_MEASURED && gpu->sm_sharing != GPU_SM_HOPPER;
    return of_its_sms ? p->blocks : INFINITY;
}

/*
 * From the recorded GPU to another one. Compute scales by the SMs that work x clock and by cycles,
 * memory by bandwidth; the slower decides (roofline), and no unit gives more than it can. Of a
 * kernel that waits for latency the waves scale by the clock, and the rooflines are what is left
 * below. What remains of its time for SMs and units follows.
 */
static void set_scale(struct kernel_profile *p, const struct gpu *gpu, const struct gpu *recorded,
                      const struct trace_kernel *kernel, enum kernel_unit made, double demand) {
    enum kernel_unit bounding = bounding_unit(kernel, made), unit = working_unit(kernel, bounding);
    double cycles = cycles_of(gpu, recorded, &kernel->metrics, bounding);
    double unit_cycles = cycles_of(gpu, recorded, &kernel->metrics, unit);
    double of_use = blocks_of_use(gpu, p);
    double compute = compute_time(gpu, p->blocks) / compute_time(recorded, p->blocks) * cycles;
    double units = p->unit_fraction *
                   (compute_time(gpu, of_use) / compute_time(recorded, of_use) * unit_cycles);
    double part = memory_part(recorded, demand);
    double memory = part * (recorded->dram_gb_s / gpu->dram_gb_s);
    double on_sms = p->compute_fraction * compute;
    if (waits_for_latency(p, recorded, demand))
        on_sms =
            fmax(latency_time(gpu, kernel, p->blocks) / latency_time(recorded, kernel, p->blocks),
                 p->unit_fraction * compute);
    p->duration_scale = fmax(units, fmax(on_sms, memory) / fmax(p->compute_fraction, part));
    p->unit_fraction = fmin(1, units / p->duration_scale);
    p->compute_fraction =
        fmin(1, fmax(on_sms / p->duration_scale, fmin(p->compute_fraction, COMPUTE_FLOOR)));
    p->scaled_by_unit = per_cycle(recorded, unit) > 0 && per_cycle(gpu, unit) > 0 &&
                        (unit == bounding || units >= p->duration_scale);
}

/*
 * Registers belong to a part of an SM, so fewer blocks may fit than their sum says; a block then
 * counts as if it took the SM's registers over the blocks that do fit, and what fits is again
 * decided by sums.
 */
static struct occupancy_need need_of(const struct gpu *gpu, const struct trace_kernel *kernel) {
    uint32_t threads = trace_kernel_threads(kernel), registers = kernel->registers_per_thread;
    uint32_t smem = smem_of(kernel);
    struct occupancy_need need = occupancy_block_need(gpu, threads, registers, smem);
    int64_t fit = occupancy_limits(gpu, threads, registers, smem).blocks[OCCUPANCY_REGISTERS];
    if (need.registers > 0 && gpu->registers_per_sm / need.registers > fit)
        need.registers = gpu->registers_per_sm / fit;
    return need;
}

static int set_occupancy(struct kernel_profile *p, const struct gpu *gpu,
                         const struct trace_kernel *kernel, const char *where,
                         struct ct_diags *diags) {
    enum occupancy_limit limit;
    int blocks = blocks_per_sm(gpu, kernel, &limit);
    if (blocks < 1) {
        ct_error(diags, where, "kernel '%s' fits on no SM of '%s': not enough %s", kernel->name,
                 gpu->name, occupancy_limit_name(limit));
        return CT_DATA;
    }
    p->blocks_per_sm = blocks;
    p->need = need_of(gpu, kernel);
    p->smem_division = occupancy_smem_division(gpu, &p->need, blocks);
    return CT_OK;
}

int kernel_profile_make(const struct gpu *gpu, const struct gpu *recorded,
                        const struct trace_kernel *kernel, const struct kernel_beside *beside,
                        const char *where, struct kernel_profile *profile, struct ct_diags *diags) {
    struct kernel_profile p = {.blocks = (double)trace_kernel_blocks(kernel),
                               .instructions = kernel->metrics.instructions,
                               .dependent = is_dependent(kernel),
                               .duration_scale = 1,
                               .curve = kernel->curve,
                               .curve_count = kernel->curve_count,
                               .geometry_provenance = kernel->geometry_provenance};
    int status = set_occupancy(&p, gpu, kernel, where, diags);
    if (status != CT_OK)
        return status;
    double demand = recorded_demand(recorded, kernel);
    set_compute(&p, gpu, recorded, kernel, beside, demand);
    if (gpu != recorded)
        set_scale(&p, gpu, recorded, kernel, beside->unit, demand);
    set_memory(&p, gpu, recorded, kernel, demand);
    set_latency(&p, gpu);
    *profile = p;
    return CT_OK;
}

static double curve_factor(const struct kernel_profile *p, double share) {
    const struct trace_curve_point *curve = p->curve;
    if (share <= curve[0].share)
        return curve[0].factor * curve[0].share /
               share; /* below the curve: all the speed lost is lost in proportion */
    for (uint32_t i = 1; i < p->curve_count; i++) {
        if (share <= curve[i].share) {
            double part = (share - curve[i - 1].share) / (curve[i].share - curve[i - 1].share);
            return curve[i - 1].factor + part * (curve[i].factor - curve[i - 1].factor);
        }
    }
    return 1;
}

double kernel_curve_speed(const struct kernel_profile *profile, double part) {
    return fmin(1, 1 / curve_factor(profile, part * CT_SHARE_FULL));
}

double kernel_slowed_speed(const struct kernel_profile *profile, double blocks, double resident,
                           double slots) {
    if (profile->curve)
        return kernel_curve_speed(profile, resident / slots);
    return kernel_waves(blocks, slots) / kernel_waves(blocks, resident);
}
