#include "run/arrivals.h"

#include <math.h>
#include <stdio.h>

static const double TAU = 6.283185307179586;

/* Arrivals per second of a stream before it is split. */
static double whole_rate(const struct workload_arrivals *spec) {
    switch (spec->process) {
    case WORKLOAD_CLOSED:
    case WORKLOAD_ONCE:
    case WORKLOAD_STAGE:
        return NAN;
    case WORKLOAD_MMPP:
        return (spec->rate_per_s * spec->quiet_s + spec->burst_rate_per_s * spec->burst_s) /
               (spec->quiet_s + spec->burst_s);
    case WORKLOAD_TRACE:
        return spec->rate_per_s > 0 ? spec->rate_per_s : arrivals_recorded_rate(spec);
    default:
        return spec->rate_per_s;
    }
}

/* Among how many servers it is split. */
static double split_of(const struct workload_arrivals *spec) {
    return spec->split > 1 ? (double)spec->split : 1;
}

/* How long the present state lasts, from now on: it has no memory. */
static double mmpp_state_s(struct arrivals *a) {
    return (a->burst ? a->spec->burst_s : a->spec->quiet_s) * des_stream_exponential(&a->stream);
}

void arrivals_init(struct arrivals *a, const struct workload_arrivals *spec, uint64_t seed,
                   uint64_t replication, const char *name) {
    *a = (struct arrivals){.spec = spec, .rate_per_s = spec->rate_per_s, .servers = split_of(spec)};
    des_stream_init(&a->stream, seed, replication, "arrivals", name);
    des_stream_init(&a->choice, seed, replication, "split", name);
    if (spec->process == WORKLOAD_TRACE && spec->stamp_count && !spec->replayed) {
        a->rate_per_s = whole_rate(spec);
        a->next_stamp = (size_t)des_stream_below(&a->stream, spec->stamp_count);
        a->offset_ps = spec->stamps[a->next_stamp];
    }
    if (spec->process == WORKLOAD_MMPP) {
        a->burst = des_stream_uniform(&a->stream) * (spec->burst_s + spec->quiet_s) < spec->burst_s;
        a->state_left_s = mmpp_state_s(a);
    }
}

double arrivals_recorded_rate(const struct workload_arrivals *spec) {
    return ((double)spec->stamp_count - 1) / ct_time_s(spec->span_ps);
}

double arrivals_mean_rate(const struct workload_arrivals *spec) {
    return whole_rate(spec) / split_of(spec);
}

const char *arrivals_fixed_because(const struct workload_arrivals *spec) {
    switch (spec->process) {
    case WORKLOAD_CLOSED:
        return "its clients wait for answers (closed)";
    case WORKLOAD_ONCE:
        return "its jobs come once";
    case WORKLOAD_STAGE:
        return "its requests come from other applications (stage)";
    default:
        return spec->replayed ? "its recording is replayed as it is ('replay')" : NULL;
    }
}

bool arrivals_are_open(const struct workload_arrivals *spec) {
    return spec->process != WORKLOAD_CLOSED && spec->process != WORKLOAD_ONCE;
}

/* Draws become times at whole nanoseconds: the last bits of log and exp differ between processors.
 */
static ct_time_ps whole_ns(double seconds) {
    double ns = nearbyint(seconds * 1e9);
    return ns < 9.2e15 ? (ct_time_ps)ns * CT_PS_PER_NS : CT_TIME_NEVER;
}

/*
 * A stream that is split at random among n servers: each arrival comes here with a chance of 1 in
 * n, whatever the others do. Of a Poisson process, also of one whose rate changes, that leaves one
 * at an n-th of the rate (Kingman, Poisson Processes, 1993, section 5.1). Of other streams each
 * arrival here is the next but so many, a geometric number of gaps, which is one exponential draw.
 */
static uint64_t gaps_until_here(struct arrivals *a) {
    if (a->servers == 1)
        return 1;
    return 1 + (uint64_t)(des_stream_exponential(&a->choice) / -log1p(-1 / a->servers));
}

static double mmpp_gap(struct arrivals *a) {
    double gap = 0;
    for (;;) {
        double rate = (a->burst ? a->spec->burst_rate_per_s : a->spec->rate_per_s) / a->servers;
        double next = rate > 0 ? des_stream_exponential(&a->stream) / rate : INFINITY;
        if (next < a->state_left_s) {
            a->state_left_s -= next;
            return gap + next;
        }
        gap += a->state_left_s;
        a->burst = !a->burst;
        a->state_left_s = mmpp_state_s(a);
    }
}

/* Thinning of a Poisson process at the highest rate. */
static double diurnal_gap(struct arrivals *a) {
    double mean = a->rate_per_s / a->servers;
    double highest = mean * (1 + a->spec->amplitude), gap = 0;
    for (;;) {
        gap += des_stream_exponential(&a->stream) / highest;
        double phase = (ct_time_s(a->last_ps) + gap) / a->spec->period_s;
        double rate = mean * (1 + a->spec->amplitude * sin(TAU * (phase - floor(phase))));
        if (des_stream_uniform(&a->stream) * highest < rate)
            return gap;
    }
}

static double uniform_gaps(struct arrivals *a, uint64_t count) {
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += des_stream_uniform(&a->stream);
    return 2 * sum / a->rate_per_s;
}

/*
 * So many gaps in a row are one draw: their shapes add up. The run begins somewhere within a gap,
 * which is met in proportion to its length, as a gamma one of a shape that is 1 more is drawn (Cox,
 * Renewal Theory, 1962, chapter 5): a whole gap would be (cv^2 - 1) / 2 arrivals too many.
 */
static double gamma_gaps(struct arrivals *a, uint64_t count) {
    double shape = 1 / (a->spec->cv * a->spec->cv), left = 0;
    if (!a->begun) {
        left = des_stream_uniform(&a->stream) * des_stream_gamma(&a->stream, shape + 1);
        count--;
    }
    a->begun = true;
    double whole = count > 0 ? des_stream_gamma(&a->stream, (double)count * shape) : 0;
    return (left + whole) / shape / a->rate_per_s;
}

static double gap_s(struct arrivals *a) {
    switch (a->spec->process) {
    case WORKLOAD_POISSON:
        return des_stream_exponential(&a->stream) / (a->rate_per_s / a->servers);
    case WORKLOAD_UNIFORM:
        return uniform_gaps(a, gaps_until_here(a));
    case WORKLOAD_GAMMA:
        return gamma_gaps(a, gaps_until_here(a));
    case WORKLOAD_MMPP:
        return mmpp_gap(a);
    case WORKLOAD_DIURNAL:
        return diurnal_gap(a);
    default:
        return (double)gaps_until_here(a) / a->rate_per_s;
    }
}

/* Recorded stamps from a drawn offset on, lap after lap, stretched to the asked rate. A lap is as
 * many mean gaps as there are stamps: the span, and one gap before the first comes again. */
static ct_time_ps stretched(const struct arrivals *a, size_t stamp, uint64_t laps) {
    const struct workload_arrivals *spec = a->spec;
    double rate = arrivals_recorded_rate(spec);
    double before_s = (double)laps * ((double)spec->stamp_count / rate);
    double at_s = before_s + ct_time_s(spec->stamps[stamp] - a->offset_ps);
    return whole_ns(at_s * rate / a->rate_per_s);
}

/* The next stamp that comes here. Positions rise without end, a recording's length in each lap. */
static ct_time_ps next_stamp(struct arrivals *a) {
    const struct workload_arrivals *spec = a->spec;
    uint64_t position = a->next_stamp + gaps_until_here(a) - 1;
    a->stamp = spec->stamp_count ? (size_t)(position % spec->stamp_count) : 0;
    a->next_stamp = position + 1;
    if (position >= spec->stamp_count && (spec->replayed || !spec->stamp_count))
        return CT_TIME_NEVER;
    return spec->replayed ? spec->stamps[position]
                          : stretched(a, a->stamp, position / spec->stamp_count);
}

ct_time_ps arrivals_next(struct arrivals *a) {
    if (a->spec->process == WORKLOAD_STAGE)
        return CT_TIME_NEVER;
    if (a->spec->process == WORKLOAD_TRACE)
        return next_stamp(a);
    ct_time_ps gap = whole_ns(gap_s(a));
    if (gap == CT_TIME_NEVER || a->last_ps > CT_TIME_NEVER - gap)
        return CT_TIME_NEVER;
    return a->last_ps += gap;
}

/* What a recording may leave empty of the measured time before that is said (chosen). */
static const double EMPTY_PART = 0.01;

bool arrivals_describe_end(const struct workload *workload, const struct workload_app *app,
                           char text[ARRIVALS_END_TEXT]) {
    const struct workload_arrivals *spec = &app->arrivals;
    if (!spec->replayed || spec->stamp_count < 2)
        return false;
    double end_s = ct_time_s(spec->stamps[spec->stamp_count - 1]);
    double next_s = end_s + 1 / arrivals_recorded_rate(spec);
    double measured_s = workload->duration_s - workload->warmup_s;
    if (workload->duration_s - next_s <= EMPTY_PART * measured_s)
        return false;
    snprintf(text, ARRIVALS_END_TEXT,
             "the recording of its arrivals ends at %.4g s of %.4g: nothing comes after that, and "
             "rates and busy parts are means of the whole run",
             end_s, workload->duration_s);
    return true;
}

void arrivals_notice_ends(const struct workload *workload, struct ct_diags *diags) {
    char text[ARRIVALS_END_TEXT];
    for (size_t a = 0; a < workload->apps.count; a++)
        if (arrivals_describe_end(workload, &workload->apps.items[a], text))
            ct_notice(diags, workload->path, "'%s': %s", workload->apps.items[a].name, text);
}

void arrivals_notice_starts(const struct workload *workload, struct ct_diags *diags) {
    char where[600];
    for (size_t i = 0; i < workload->apps.count; i++) {
        const struct workload_app *app = &workload->apps.items[i];
        const struct workload_draw *delay = &app->arrivals.delay_ms;
        snprintf(where, sizeof where, "%s: apps[%zu]", workload->path, i);
        if (!arrivals_are_open(&app->arrivals) && delay->kind == WORKLOAD_FIXED &&
            delay->mean >= 1e3 * workload->duration_s)
            ct_notice(diags, where,
                      "'%s' begins after %g s, and the run is over after %g s: the others are "
                      "without it",
                      app->name, delay->mean / 1e3, workload->duration_s);
    }
}

ct_time_ps arrivals_wait(struct arrivals *a, const struct workload_draw *wait_ms) {
    return whole_ns(arrivals_draw(wait_ms, &a->stream) / 1e3);
}

ct_time_ps arrivals_phase(struct arrivals *a, double length_ps) {
    return whole_ns(des_stream_uniform(&a->stream) * length_ps / (double)CT_PS_PER_S);
}

/* Two exponential phases with balanced means: p1 / mu1 = p2 / mu2. */
static double hyperexponential(double mean, double cv, struct des_stream *stream) {
    double square = cv * cv;
    double first = 0.5 * (1 + sqrt((square - 1) / (square + 1)));
    double p = des_stream_uniform(stream) < first ? first : 1 - first;
    return des_stream_exponential(stream) * mean / (2 * p);
}

double arrivals_draw(const struct workload_draw *draw, struct des_stream *stream) {
    switch (draw->kind) {
    case WORKLOAD_EXPONENTIAL:
        return draw->mean * des_stream_exponential(stream);
    case WORKLOAD_HYPEREXPONENTIAL:
        return hyperexponential(draw->mean, draw->cv, stream);
    case WORKLOAD_LOGNORMAL: {
        double variance = log(1 + draw->cv * draw->cv);
        return draw->mean * exp(sqrt(variance) * des_stream_normal(stream) - variance / 2);
    }
    default:
        return draw->mean;
    }
}
