/* Which jobs made the tail, what it has in common, and which query began each queue. */
#include "base/ct_sort.h"
#include "base/ct_target.h"
#include "base/ct_text.h"
#include "explain/explain_internal.h"
#include "format/doc_writer.h"
#include "results/report_bounds.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TAIL_PERCENT = 1 };

struct maker {
    struct prose prose;
    const struct result_run *run;
    const struct result_job *
        *slowest; /* of the application: jobs that arrived in the window, slowest first */
    size_t count;
};

/* A job's latency: so far, where it has not ended. */
static ct_time_ps latency_of(const struct result_job *job) {
    return result_job_until(job) - job->arrival_ps;
}

static bool has_ended(const struct result_job *job) {
    return job->end_ps >= 0;
}

/* ---- The slowest jobs ---- */

static int compare_slowness(const void *a, const void *b) {
    const struct result_job *x = *(const struct result_job *const *)a,
                            *y = *(const struct result_job *const *)b;
    return ct_then(ct_order(latency_of(y), latency_of(x)),
                   ct_then(ct_order(x->instance, y->instance), ct_order(x->number, y->number)));
}

/* As the report counts: jobs that arrived after the warm-up and before the end. */
static bool is_counted(const struct result_run *run, const struct result_job *job) {
    double arrival_s = ct_time_s(job->arrival_ps);
    return arrival_s >= run->report.warmup_s && arrival_s < run->report.duration_s &&
           result_job_until(job) >= 0;
}

size_t explain_slowest(const struct result_run *run, size_t app,
                       const struct result_job **slowest) {
    size_t count = 0;
    for (size_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].app == app && is_counted(run, &run->jobs[i]))
            slowest[count++] = &run->jobs[i];
    ct_sort(slowest, count, sizeof(const struct result_job *), compare_slowness);
    return count;
}

/* How many jobs of an application of which no job counts came before the measured time and have not
 * ended: whom a policy starves from the start on. */
static size_t never_ended(const struct result_run *run, size_t app,
                          const struct result_job **jobs) {
    size_t count = 0;
    for (size_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].app == app && !has_ended(&run->jobs[i]))
            jobs[count++] = &run->jobs[i];
    return count;
}

/* ---- Queues of the service's own ---- */

static bool waits_still(const struct result_job *job) {
    return !has_ended(job) && explain_start(job) == result_job_until(job);
}

/* The last job of the instance before this one that runs when the run ends. */
static const struct result_job *runs_still(const struct result_run *run,
                                           const struct result_job *job) {
    for (const struct result_job *other = job; other-- > run->jobs;) {
        if (other->app != job->app || other->instance != job->instance)
            break;
        if (!has_ended(other) && other->blame_ps && !waits_still(other))
            return other;
    }
    return NULL;
}

/* The query whose end let this one begin, of its instance, the last to end before that; or that it
 * waits for still. */
static const struct result_job *waited_for(const struct result_run *run,
                                           const struct result_job *job) {
    ct_time_ps start = explain_start(job);
    const struct result_job *last = waits_still(job) ? runs_still(run, job) : NULL;
    if (last || start == job->arrival_ps)
        return last;
    for (const struct result_job *other = job; other-- > run->jobs;) {
        if (other->app != job->app || other->instance != job->instance)
            break;
        if (other->end_ps > job->arrival_ps && other->end_ps <= start &&
            (!last || other->end_ps > last->end_ps))
            last = other;
        if (last && last->end_ps == start)
            break;
    }
    return last;
}

struct queue {
    const struct result_job *before; /* ended last before the job could begin; NULL: none */
    const struct result_job *head;   /* began the queue */
    const struct result_job *worst;  /* lost the most to others on the way */
    uint64_t length;                 /* queries from the head to `before` */
};

static struct queue queue_of(const struct result_run *run, const struct result_job *job) {
    struct queue queue = {.before = waited_for(run, job)};
    for (const struct result_job *at = queue.before; at; at = waited_for(run, at)) {
        queue.head = at;
        queue.length++;
        if (!queue.worst || explain_lost(at) >= explain_lost(queue.worst))
            queue.worst = at;
    }
    return queue;
}

/* ---- Sentences about where time went ---- */

static void numbers_of(const ct_time_ps *by_cause, double *numbers) {
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        numbers[cause] = (double)by_cause[cause];
}

/* What others cost this job while it ran: "device_queue" ... without its own share. */
static int worst_loss(const double *parts) {
    int worst = CT_BLAME_OWN_QUEUE;
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        if (cause != CT_BLAME_SOLO_WORK && cause != CT_BLAME_HOST && parts[cause] > parts[worst])
            worst = cause;
    return worst;
}

/* "; alone a query takes 7.6 ms on average"; empty where that is not known. */
static const char *alone_words(struct prose *prose, const struct report_app *app) {
    if (!(app->solo_ms > 0))
        return "";
    return prose_words(prose, "; alone a %s takes %s on average", explain_app_noun(app),
                       prose_ms(prose, app->solo_ms * (double)CT_PS_PER_MS));
}

/* ", most of it to timesformer"; empty: to nobody. */
static const char *culprit_words(struct prose *prose, const struct result_job *job) {
    size_t worst = 0;
    if (!job->delayed_by_ps)
        return "";
    for (size_t i = 1; i < prose->run->report.app_count; i++)
        if (job->delayed_by_ps[i] > job->delayed_by_ps[worst])
            worst = i;
    return prose_words(prose, ", most of it to %s", prose->run->report.apps[worst].name);
}

/* How a query of the queue fared, and to what it lost the most. */
static const char *fate_words(struct prose *prose, const struct result_job *job) {
    double parts[CT_BLAME_COUNT];
    ct_time_ps ran = result_job_until(job) - explain_start(job), lost = explain_lost(job);
    numbers_of(job->blame_ps, parts);
    parts[CT_BLAME_OWN_QUEUE] = 0;
    if (lost * 20 < ran)
        return prose_words(prose, "ran for %s and was hardly disturbed",
                           prose_ms(prose, (double)ran));
    return prose_words(prose, "ran for %s and lost %s of them%s, mainly %s",
                       prose_ms(prose, (double)ran), prose_ms(prose, (double)lost),
                       culprit_words(prose, job), ct_blame_words[worst_loss(parts)].lost);
}

static void say_queue(struct prose *prose, const struct result_job *job,
                      const struct queue *queue) {
    ct_time_ps waited = job->blame_ps[CT_BLAME_OWN_QUEUE];
    const char *noun = explain_noun(prose->run, job);
    if (waited == 0)
        return;
    if (!queue->before || !queue->head || !queue->worst) {
        prose_say(prose, "It waited %s for earlier %s that the store does not have.",
                  prose_ms(prose, (double)waited), prose_plural(prose, noun));
        return;
    }
    if (!has_ended(queue->before))
        prose_say(prose, "It had not begun when the run ended: it waited for %s, which ran still.",
                  prose_job(prose, queue->before));
    if (queue->length == 1 && has_ended(queue->before))
        prose_say(prose, "It waited %s until %s ended. %s %s.", prose_ms(prose, (double)waited),
                  prose_job(prose, queue->before), prose_job(prose, queue->before),
                  fate_words(prose, queue->before));
    else
        prose_say(prose,
                  "It waited %s in a queue of %s, the last one %s. The queue began with %s, which "
                  "arrived %s earlier and did not wait: it %s.",
                  prose_ms(prose, (double)waited), prose_count(prose, queue->length, noun),
                  prose_job(prose, queue->before), prose_job(prose, queue->head),
                  prose_ms(prose, (double)(job->arrival_ps - queue->head->arrival_ps)),
                  fate_words(prose, queue->head));
    if (queue->worst != queue->head && explain_lost(queue->worst) > 0)
        prose_say(prose, "Of that queue %s lost the most: it %s.", prose_job(prose, queue->worst),
                  fate_words(prose, queue->worst));
    if (explain_lost(queue->worst) * 20 >=
        result_job_until(queue->worst) - explain_start(queue->worst))
        prose_say(prose, "'--job %s' says what happened to it.", prose_job(prose, queue->worst));
}

static size_t count_open(const struct result_job *const *jobs, size_t count) {
    size_t open = 0;
    for (size_t i = 0; i < count; i++)
        open += !has_ended(jobs[i]);
    return open;
}

static void say_latency(struct prose *prose, const struct result_job *job) {
    const struct report_app *app = &prose->run->report.apps[job->app];
    const char *took = has_ended(job) ? "It took" : "It had not ended after";
    double latency = (double)latency_of(job),
           target = explain_target_ms(app) * (double)CT_PS_PER_MS;
    double parts[CT_BLAME_COUNT];
    numbers_of(job->blame_ps, parts);
    if (target > 0)
        prose_say(prose, "%s %s, %.0f %% of its target of %s%s.", took, prose_ms(prose, latency),
                  latency / target * 100, prose_ms(prose, target), alone_words(prose, app));
    else
        prose_say(prose, "%s %s%s.", took, prose_ms(prose, latency), alone_words(prose, app));
    prose_say(prose, "Where the time went: %s.", prose_parts(prose, parts, latency));
}

/* Means over jobs. */
struct costs {
    double causes[CT_BLAME_COUNT], *by, whole, alone, carried;
};

static void add_job(const struct result_job *job, size_t apps, double part, struct costs *costs) {
    ct_time_ps queued_alone = job->alone_ps - job->solo_ps;
    costs->alone += (double)job->alone_ps * part;
    costs->whole += (double)(job->end_ps - job->arrival_ps - job->alone_ps) * part;
    costs->carried += (double)(job->blame_ps[CT_BLAME_OWN_QUEUE] - queued_alone) * part;
    for (size_t cause = 0; cause < CT_BLAME_COUNT; cause++)
        costs->causes[cause] += (double)job->costs_ps[cause] * part;
    for (size_t by = 0; by <= apps; by++)
        costs->by[by] += (double)job->costs_ps[CT_BLAME_COUNT + by] * part;
}

static void say_costs(struct prose *prose, const struct costs *costs, bool several,
                      const char *noun) {
    const char *them = several ? "them" : "it", *they = several ? "they" : "it",
               *average = several ? " on average" : "", *alone = prose_ms(prose, costs->alone);
    if (!(costs->whole > 0)) {
        prose_say(prose,
                  "Sharing cost %s nothing: alone, with the same arrivals, %s would have taken "
                  "%s%s.",
                  them, they, alone, average);
        return;
    }
    prose_say(prose,
              "Sharing cost %s %s%s; alone, with the same arrivals, %s would have taken %s. "
              "It was: %s; due to %s.",
              them, prose_ms(prose, costs->whole), average, they, alone,
              prose_parts(prose, costs->causes, costs->whole),
              prose_culprits(prose, costs->by, true));
    if (costs->carried > costs->whole / 100)
        prose_say(prose, "%s of it came through earlier %s, which were late for these reasons.",
                  prose_ms(prose, costs->carried), noun);
}

/* What sharing cost these jobs, on average, by cause and by whom. False, with nothing said, where
 * it is not known of all. */
static bool say_sharing(struct prose *prose, const struct result_job *const *jobs, size_t count) {
    const size_t apps = prose->run->report.app_count;
    struct costs costs = {.by = ct_arena_array(prose->arena, apps + 1, sizeof(double))};
    size_t open = count_open(jobs, count);
    if (open)
        prose_say(prose, "What sharing cost %s is known only of jobs that have ended.",
                  count > 1 ? "them" : "it");
    prose->failed |= !costs.by;
    for (size_t i = 0; i < count; i++) {
        if (!costs.by || open || !jobs[i]->costs_ps)
            return false;
        add_job(jobs[i], apps, 1 / (double)count, &costs);
    }
    if (count)
        say_costs(prose, &costs, count > 1, prose_plural(prose, explain_noun(prose->run, jobs[0])));
    return count > 0;
}

static void explain_one(struct maker *maker, const struct result_job *job,
                        struct explain_job *explained) {
    struct prose *prose = &maker->prose;
    struct queue queue = queue_of(maker->run, job);
    *explained = (struct explain_job){
        .job = job, .name = prose_job(prose, job), .latency_ps = latency_of(job)};
    if (queue.head)
        explained->began_name = prose_job(prose, queue.head);
    say_latency(prose, job);
    say_sharing(prose, &job, 1);
    say_queue(prose, job, &queue);
    explain_decisions(prose, job);
    explained->lines = prose_lines(prose);
}

/* ---- The tail as a whole ---- */

/* "; 2 of them missed the target of 30 ms". Nothing where so many others were dropped that no
 * target is kept. */
static const char *late_words(struct maker *maker, const struct explain_app *app) {
    double target = explain_target_ms(app->app) * (double)CT_PS_PER_MS;
    struct prose *prose = &maker->prose;
    size_t late = 0, open = 0; /* open: may still miss it */
    for (size_t i = 0; i < app->tail; i++) {
        bool is_late = ct_is_beyond((double)latency_of(maker->slowest[i]), target);
        late += is_late;
        open += !is_late && !has_ended(maker->slowest[i]);
    }
    const char *words = prose_ms(prose, target);
    if (!(target > 0) || report_drops_too_many(app->app->server.lost_fraction, 1))
        return "";
    if (open && !late)
        return prose_words(prose, ", within the target of %s so far", words);
    if (app->tail == 1)
        return prose_words(prose, "; it %s the target of %s", late ? "missed" : "met", words);
    return prose_words(prose, "; %s of them missed the target of %s",
                       !late               ? "none"
                       : late == app->tail ? "all"
                                           : prose_number(prose, (double)late),
                       words);
}

static void say_tail_size(struct maker *maker, const struct explain_app *app) {
    struct prose *prose = &maker->prose;
    const char *noun = explain_app_noun(app->app);
    const char *late = late_words(maker, app);
    size_t open = count_open(maker->slowest, app->tail);
    double mean = 0;
    for (size_t i = 0; i < app->tail; i++)
        mean += (double)latency_of(maker->slowest[i]) / (double)app->tail;
    if (app->tail == 1)
        prose_say(prose, "Its slowest 1 %% is one %s of %zu, which %s %s%s%s.", noun, app->jobs,
                  open ? "had not ended after" : "took", prose_ms(prose, mean), late,
                  alone_words(prose, app->app));
    else
        prose_say(prose,
                  "Its slowest 1 %% are %s of %zu, which took %s%s on average and %s at "
                  "least%s%s.",
                  prose_count(prose, app->tail, noun), app->jobs, open ? "more than " : "",
                  prose_ms(prose, mean),
                  prose_ms(prose, (double)latency_of(maker->slowest[app->tail - 1])), late,
                  alone_words(prose, app->app));
    if (open && app->tail > 1)
        prose_say(prose,
                  "%s of them had not ended when the run did: of these it is the time until then.",
                  open == app->tail ? "All" : prose_number(prose, (double)open));
}

static void say_tail_parts(struct maker *maker, const struct explain_app *app) {
    double parts[CT_BLAME_COUNT] = {0}, whole = 0;
    for (size_t i = 0; i < app->tail; i++) {
        const struct result_job *job = maker->slowest[i];
        for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
            parts[cause] += (double)job->blame_ps[cause] / (double)app->tail;
        whole += (double)latency_of(job) / (double)app->tail;
    }
    prose_say(&maker->prose, "Where the time went%s: %s.", app->tail > 1 ? ", on average" : "",
              prose_parts(&maker->prose, parts, whole));
}

static void say_tail_culprits(struct maker *maker, const struct explain_app *app) {
    struct prose *prose = &maker->prose;
    size_t apps = maker->run->report.app_count;
    double *delays = ct_arena_array(prose->arena, apps + 1, sizeof *delays);
    prose->failed |= !delays;
    if (prose->failed)
        return;
    for (size_t i = 0; i < app->tail; i++)
        for (size_t by = 0; maker->slowest[i]->delayed_by_ps && by < apps; by++)
            delays[by] += (double)maker->slowest[i]->delayed_by_ps[by] / (double)app->tail;
    const char *culprits = prose_culprits(prose, delays, false);
    if (*culprits)
        prose_say(prose, "Delayed while running by%s: %s.", app->tail > 1 ? ", on average" : "",
                  culprits);
}

/* "9 of 10 ..." by the cause that took the most of each, or that sharing cost it the most by. */
static void say_cause_pattern(struct maker *maker, const struct explain_app *app, bool costs) {
    double counts[CT_BLAME_COUNT] = {0}, parts[CT_BLAME_COUNT];
    size_t order[CT_BLAME_COUNT], first[CT_BLAME_COUNT], count;
    for (size_t i = 0; i < app->tail; i++) {
        numbers_of(costs ? maker->slowest[i]->costs_ps : maker->slowest[i]->blame_ps, parts);
        if (report_rank(parts, CT_BLAME_COUNT, order))
            counts[order[0]]++;
    }
    count = report_rank(counts, CT_BLAME_COUNT, first);
    for (size_t i = 0; i < count && app->tail > 1; i++)
        prose_say(&maker->prose,
                  costs ? "%.0f of %zu lost the most %s."
                        : "%.0f of %zu spent the largest part of the time %s.",
                  counts[first[i]], app->tail,
                  costs ? ct_blame_words[first[i]].lost : ct_blame_words[first[i]].spent);
    if (count && app->tail == 1 && !costs)
        prose_say(&maker->prose, "It spent the largest part of the time %s.",
                  ct_blame_words[first[0]].spent);
}

/* The query that began the most queues of the tail. */
static void say_heads(struct maker *maker, const struct explain_app *app) {
    const struct result_job *best = NULL;
    size_t most = 0, queued = 0;
    const struct result_job **heads =
        ct_arena_array(maker->prose.arena, app->tail + 1, sizeof *heads);
    maker->prose.failed |= !heads;
    for (size_t i = 0; heads && i < app->tail; i++) {
        const struct result_job *head = queue_of(maker->run, maker->slowest[i]).head;
        if (head)
            heads[queued++] = head;
    }
    for (size_t i = 0; i < queued; i++) {
        size_t same = 0;
        for (size_t j = 0; j < queued; j++)
            same += heads[j] == heads[i];
        if (same > most) {
            most = same;
            best = heads[i];
        }
    }
    if (best && app->tail > 1)
        prose_say(&maker->prose,
                  "Queues of its own: %zu of %zu waited in one, and %zu of these in "
                  "the one that began with %s, which %s.",
                  queued, app->tail, most, prose_job(&maker->prose, best),
                  fate_words(&maker->prose, best));
}

/* ---- Requests ---- */

/* What `run` says of each target. */
static void say_verdicts(struct prose *prose, const struct report_app *app) {
    struct report_target targets[REPORT_TARGETS];
    struct doc words = doc_keep();
    size_t count = report_targets(app, targets);
    for (size_t i = 0; i < count; i++)
        prose_say(prose, "%s.", report_target_verdict(&words, app, &targets[i]));
    prose->failed |= doc_drop(&words) != CT_OK;
}

static void say_request_parts(struct prose *prose, const struct report_app *app) {
    double parts[CT_BLAME_COUNT], whole = 0;
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
        double ms = app->blame_ms_p99[cause];
        parts[cause] = isnan(ms) ? 0 : ms * (double)CT_PS_PER_MS;
        whole += parts[cause];
    }
    if (whole > 0)
        prose_say(prose, "Where the time of the slowest 1 %% of them went, on average: %s.",
                  prose_parts(prose, parts, whole));
}

/* "; 65 % of them were dropped". */
static const char *part_words(struct prose *prose, double fraction, const char *what) {
    return prose_words(prose, "; %s %% of %s", prose_number(prose, 100 * fraction), what);
}

/* What became of the requests of an application with a server, in whose place its jobs are told
 * about: batches, or steps, of no target of the requests'. */
static void say_requests(struct prose *prose, const struct report_app *app) {
    double dropped = app->server.dropped_fraction;
    const char *late = dropped > 0 ? "those that can be judged were late, dropped ones among them"
                                   : "those that can be judged were late";
    prose_say(prose, "%s came%s%s.", prose_count(prose, (uint64_t)app->jobs, "request"),
              dropped > 0 ? part_words(prose, dropped, "them were dropped") : "",
              isnan(app->late_fraction) ? "" : part_words(prose, app->late_fraction, late));
}

static void say_what_follows(struct prose *prose, const struct report_app *app) {
    if (report_generates(app)) {
        say_request_parts(prose, app);
        prose_say(prose, "What follows is of its steps, each for all the requests that are in it: "
                         "no target of a request is theirs.");
    } else if (report_has_server(app)) {
        prose_say(prose, "What follows is of its batches, with the times of the oldest request of "
                         "each; what was dropped is in none.");
    }
}

/* ---- An application ---- */

static void explain_application(struct maker *maker, const struct explain_choice *choice,
                                size_t index, struct explain_app *app) {
    struct prose *prose = &maker->prose;
    maker->count = explain_slowest(maker->run, index, maker->slowest);
    *app = (struct explain_app){.app = &maker->run->report.apps[index],
                                .jobs = maker->count,
                                .tail = (maker->count * TAIL_PERCENT + 99) / 100};
    if (!maker->count)
        maker->count = never_ended(maker->run, index, maker->slowest);
    size_t wanted = choice->worst < maker->count ? choice->worst : maker->count;
    struct explain_job *slowest = ct_arena_array(prose->arena, wanted + 1, sizeof *slowest);
    prose->failed |= !slowest;
    if (prose->failed)
        return;
    if (report_has_server(app->app))
        say_requests(prose, app->app);
    say_verdicts(prose, app->app);
    say_what_follows(prose, app->app);
    if (app->tail) {
        say_tail_size(maker, app);
        say_tail_parts(maker, app);
        bool costs = say_sharing(prose, maker->slowest, app->tail);
        if (!costs)
            say_tail_culprits(maker, app);
        say_cause_pattern(maker, app, costs);
        say_heads(maker, app);
    } else
        prose_say(prose, "None of its jobs arrived in the measured time and ended.");
    app->lines = prose_lines(prose);
    for (size_t i = 0; i < wanted && !prose->failed; i++)
        explain_one(maker, maker->slowest[i], &slowest[i]);
    app->slowest = slowest;
    app->slowest_count = wanted;
}

static void explain_single(struct maker *maker, const struct result_job *job,
                           struct explain_app *app) {
    struct explain_job *one = ct_arena_array(maker->prose.arena, 1, sizeof *one);
    *app = (struct explain_app){.app = &maker->run->report.apps[job->app], .slowest = one};
    maker->prose.failed |= !one;
    if (!one)
        return;
    explain_one(maker, job, one);
    app->slowest_count = 1;
}

/* ---- All of it ---- */

static bool find_app(const struct maker *maker, const char *name, size_t *index,
                     struct ct_diags *diags) {
    char hint[CT_HINT_BYTES];
    const struct result_run *run = maker->run;
    size_t count = run->report.app_count;
    const char **names = ct_arena_array(maker->prose.arena, count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = run->report.apps[i].name;
    count = names ? count : 0;
    *index = ct_text_index(name, names, count);
    if (*index == count)
        ct_error(diags, "", "run %" PRId64 " has no application '%s'%s", run->number, name,
                 ct_text_hint_or_all(hint, name, names, count));
    return *index < count;
}

static const struct result_job *
find_job(const struct maker *maker, const struct explain_choice *choice, struct ct_diags *diags) {
    const struct result_run *run = maker->run;
    size_t app;
    uint64_t count = 0, last = 0;
    if (!find_app(maker, choice->app, &app, diags))
        return NULL;
    const struct result_job *job =
        explain_job_find(run, (uint32_t)app, choice->instance, choice->number);
    for (size_t i = 0; !job && i < run->job_count; i++)
        if (run->jobs[i].app == app && run->jobs[i].instance == choice->instance &&
            has_ended(&run->jobs[i])) {
            count++;
            last = run->jobs[i].number;
        }
    if (!job && count)
        ct_error(diags, "--job", "'%s' has no job %" PRIu64 " that ended: its last one is %" PRIu64,
                 choice->app, choice->number, last);
    else if (!job)
        ct_error(diags, "--job", "'%s' has no instance %" PRIu32 " whose jobs ended", choice->app,
                 choice->instance);
    return job;
}

static bool all_blamed(const struct result_run *run) {
    size_t i = 0;
    while (i < run->job_count && (run->jobs[i].blame_ps || result_job_until(&run->jobs[i]) < 0))
        i++;
    return i == run->job_count;
}

/* What is needed of the store. */
static int check_run(const struct result_run *run, struct ct_diags *diags) {
    if (!run->job_count)
        ct_error(diags, "", "run %" PRId64 " was stored without jobs that ended", run->number);
    else if (!all_blamed(run))
        ct_error(diags, "",
                 "run %" PRId64 " was stored without the blame of its jobs: '--no-blame' leaves it "
                 "out",
                 run->number);
    if (!diags->errors && !run->decision_count && run->report.system.decisions > 0)
        ct_notice(diags, "",
                  "run %" PRId64 " was stored without its %" PRId64 " decisions ('run -o' stores "
                  "them, 'compare' does not): the blame says what happened, not why",
                  run->number, run->report.system.decisions);
    return diags->errors ? CT_DATA : CT_OK;
}

bool explain_tells(const struct report *report, size_t app) {
    bool services = false;
    for (size_t i = 0; i < report->app_count; i++)
        services |= report->apps[i].role == REPORT_SERVICE;
    return !services || report->apps[app].role == REPORT_SERVICE;
}

static int make_apps(struct maker *maker, const struct explain_choice *choice,
                     struct explanation *explanation, struct ct_diags *diags) {
    const struct report *report = &maker->run->report;
    struct explain_app *apps =
        ct_arena_array(&explanation->arena, report->app_count + 1, sizeof *apps);
    size_t only = 0;
    if (!apps)
        return ct_out_of_memory(diags);
    explanation->apps = apps;
    if (choice->one) {
        const struct result_job *job = find_job(maker, choice, diags);
        if (!job)
            return CT_USAGE;
        explain_single(maker, job, &apps[explanation->app_count++]);
        return CT_OK;
    }
    if (choice->app && !find_app(maker, choice->app, &only, diags))
        return CT_USAGE;
    for (size_t i = 0; i < report->app_count; i++)
        if (choice->app ? i == only : explain_tells(report, i))
            explain_application(maker, choice, i, &apps[explanation->app_count++]);
    return CT_OK;
}

int explain_make(const struct result_run *run, const struct explain_choice *choice,
                 struct explanation *explanation, struct ct_diags *diags) {
    *explanation = (struct explanation){.run = run};
    struct maker maker = {.run = run, .prose = {.run = run, .arena = &explanation->arena}};
    int status = check_run(run, diags);
    if (status != CT_OK)
        return status;
    maker.slowest =
        ct_arena_array(&explanation->arena, run->job_count, sizeof(const struct result_job *));
    status =
        maker.slowest ? make_apps(&maker, choice, explanation, diags) : ct_out_of_memory(diags);
    if (status == CT_OK && maker.prose.failed)
        status = ct_out_of_memory(diags);
    ct_vec_free(&maker.prose.lines);
    return status;
}

void explanation_free(struct explanation *explanation) {
    ct_arena_free(&explanation->arena);
    *explanation = (struct explanation){0};
}
