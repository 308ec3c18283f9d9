/* What an advice prints. */
#include "study/advise.h"

#include "base/ct_target.h"
#include "format/doc_writer.h"
#include "format/json_writer.h"
#include "models/device/gpu_slices.h"
#include "study/plan.h"
#include "study/prices.h"

#include <math.h>
#include <stdio.h>

#define ADVISE_SCHEMA "cotenant.advice/1"

/* ---- Words ---- */

static enum plan_verdict verdict_of(const struct advise_candidate *candidate) {
    if (candidate->judged || candidate->point.verdict == PLAN_MISSES)
        return candidate->point.verdict;
    return ct_is_kept(candidate->point.p99_over_qos, 1) ? PLAN_OPEN : PLAN_MISSES;
}

static const char *verdict_name(const struct advise_candidate *candidate) {
    return candidate->point.no_fit ? "no fit" : plan_verdict_name(verdict_of(candidate));
}

/* What an application gets: "50 %", "40 SMs", "3g.40gb". */
static const char *given_text(const struct advise_candidate *candidate, const struct setup *setup,
                              uint32_t app, struct ct_arena *arena) {
    struct gpu_slice slices[GPU_SLICES_MOST];
    struct ct_diags unheard = {0};
    long long given = candidate->given[app];
    switch (candidate->way) {
    case ADVISE_MPS_CAPS:
        return ct_arena_format(arena, "%lld %%", given);
    case ADVISE_MPS_STATIC:
        return ct_arena_format(arena, "%lld SMs", given * (long long)advise_chunk_sms(&setup->gpu));
    default:
        gpu_slices(setup->gpu.mig, setup->gpu.sms, "gpu", slices, &unheard);
        ct_diags_free(&unheard);
        return ct_arena_strdup(arena, slices[given].name);
    }
}

/* "vit 3g.40gb", "qwen with vit", "qwen with vit 50 %". */
static const char *shared_text(const struct advise_candidate *candidate, const struct setup *setup,
                               uint32_t app, struct ct_arena *arena) {
    bool guest = candidate->with[app] != (int64_t)app;
    const char *place =
        guest ? ct_arena_format(arena, "with %s", setup->apps[candidate->with[app]].spec->name)
              : given_text(candidate, setup, app, arena);
    if (!place || candidate->caps[app] == 100)
        return place;
    return ct_arena_format(arena, "%s %lld %%", place, (long long)candidate->caps[app]);
}

/* "vit 50 %, qwen 100 %; slices of 8 ms"; "" for a way with nothing to set. */
static const char *setting_text(const struct advise_candidate *candidate, const struct setup *setup,
                                struct ct_arena *arena) {
    const char *text = "";
    for (uint32_t a = 0; candidate->given && a < setup->app_count && text; a++) {
        const char *given =
            (candidate->with ? shared_text : given_text)(candidate, setup, a, arena);
        text = given ? ct_arena_format(arena, "%s%s%s %s", text, a ? ", " : "",
                                       setup->apps[a].spec->name, given)
                     : NULL;
    }
    if (text && candidate->change)
        text = ct_arena_format(arena, "%s%s%s", text, *text ? "; " : "", candidate->change->text);
    return text ? text : "";
}

/* " --set gpu.time_slice_us=8000", what a run takes besides the policy. */
static const char *sets_text(const struct advise_candidate *candidate, struct ct_arena *arena) {
    const char *text = "";
    for (size_t i = 0; candidate->change && candidate->change->sets[i] && text; i++)
        text = ct_arena_format(arena, "%s --set '%s'", text, candidate->change->sets[i]);
    return text ? text : "";
}

static double price_of(const struct advise_offer *offer, const struct advise_candidate *candidate) {
    return price_per_million(advise_price_per_h(offer),
                             candidate->point.requests_per_s * offer->gpus);
}

static const char *gpu_name(const struct advise_offer *offer) {
    return offer->scenario->setup.gpu.name;
}

/* Whether there is batch work that settings are compared by. */
static bool has_batch(const struct advise_offer *offer) {
    bool has = false;
    for (uint32_t a = 0; a < offer->scenario->setup.app_count; a++)
        has = has || offer->scenario->setup.apps[a].spec->role == CT_BATCH;
    return has;
}

/* ---- Text and Markdown ---- */

/* Settings of the first offer that were tried, and the ways that they are of. */
static void count_tried(const struct advise_result *result, size_t *settings, size_t *ways) {
    *settings = *ways = 0;
    const struct advise_offer *offer = result->offers.count ? &result->offers.items[0] : NULL;
    for (size_t i = 0; offer && i < offer->candidates.count; i++)
        *settings += offer->candidates.items[i].round > 0;
    for (int way = 0; offer && way < ADVISE_WAYS; way++)
        *ways += offer->best_of[way] != NULL;
}

static void print_rules(struct doc *doc, const struct advise *advise,
                        const struct advise_result *result) {
    size_t settings, ways;
    bool batch = has_batch(advise_shown(result));
    count_tried(result, &settings, &ways);
    doc_text(
        doc,
        "Asked: that the p99 of every service with a target is at most the target, at a "
        "confidence of %g %%%s%s, then for the lower p99, to one per cent%s. %zu settings of %zu "
        "ways were tried on the same "
        "arrivals%s. Up to %d of each way are judged, until one holds. What says 'holds' had as "
        "many replications as a verdict needs, %u at least.",
        100 * advise->confidence, batch ? ", then for the most batch work" : "",
        batch && advise->gpu_count > 1 ? ", at the least price, to one per cent"
        : batch                        ? ", to one per cent"
        : advise->gpu_count > 1        ? ", at the least price"
                                       : "",
        batch ? ", too" : "", settings, ways,
        advise->every ? "" : ", in rounds from which the better quarter of each way goes on",
        ADVISE_JUDGED_MOST, advise->replications);
}

/* A way that would be better than the sure answer, and is not decided; NULL: there is none. */
static const char *undecided_text(struct doc *doc, const struct advise_result *result) {
    const struct advise_offer *offer = advise_shown(result);
    const struct advise_candidate *most = offer->best;
    for (int way = 0; way < ADVISE_WAYS && result->best; way++) {
        const struct advise_candidate *c = offer->best_of[way];
        if (c && !c->point.no_fit && verdict_of(c) == PLAN_OPEN &&
            ct_is_kept(c->point.p99_over_qos, 1) &&
            advise_step_of(c->point.batch_work) > advise_step_of(most->point.batch_work))
            most = c;
    }
    if (most == offer->best)
        return NULL;
    return doc_words(doc,
                     "%s would do %s of batch work, not %s, and whether it keeps the targets is "
                     "open: a larger 'duration_s' may tell",
                     advise_way_name(most->way), doc_number(doc, most->point.batch_work),
                     doc_number(doc, offer->best->point.batch_work));
}

/* Whether it keeps the targets as the answer does, and chance hides which p99 is the lower one. */
static bool is_within_chance(const struct advise_offer *offer, const struct advise_candidate *c) {
    const struct plan_point *p = &c->point, *best = &offer->best->point;
    return c != offer->best && verdict_of(c) == PLAN_HOLDS && !p->no_fit &&
           advise_step_of(p->batch_work) == advise_step_of(best->batch_work) &&
           p->p99_low <= best->p99_high && best->p99_low <= p->p99_high;
}

/* What does as well as the sure answer within chance; NULL: nothing. Ways are in the order in which
 * they are easier to run. */
static const char *within_chance_text(struct doc *doc, const struct advise_result *result) {
    const struct advise_offer *offer = advise_shown(result);
    const char *list = "";
    const struct advise_candidate *simplest = NULL;
    for (int way = 0; way < ADVISE_WAYS && result->best; way++) {
        const struct advise_candidate *c = offer->best_of[way];
        if (c && is_within_chance(offer, c))
            list = doc_words(doc, "%s%s%s", list, *list ? "; " : "", advise_way_name(way));
        if (c && !simplest && (c == offer->best || is_within_chance(offer, c)))
            simplest = c;
    }
    if (!*list)
        return NULL;
    return doc_words(
        doc, "Within chance of %s%s: %s. The simplest of all these is %s (--policy %s%s)",
        advise_way_name(offer->best->way), has_batch(offer) ? ", with as much batch work" : "",
        list, advise_way_name(simplest->way), simplest->policy, sets_text(simplest, &doc->arena));
}

/* "the p99 of 'vit' is 1.6 of its target", or that too many jobs are late. */
static const char *missed_text(struct doc *doc, const struct plan_point *p) {
    const char *of = plan_target_text(doc, p->service, p->target);
    if (p->verdict == PLAN_MISSES && p->reason == PLAN_BY_LATE_JOBS &&
        !ct_is_beyond(p->p99_over_qos, 1))
        return plan_late_text(doc, of);
    return doc_words(doc, "the p99 of '%s' is %s of its target", of,
                     doc_number(doc, p->p99_over_qos));
}

/* Why what comes nearest misses: what its slowest jobs lose alone, else what sharing costs them.
 * NULL: it may not. */
static const char *cause_text(struct doc *doc, const struct advise_result *result) {
    const struct plan_cause *cause = &result->cause;
    if (!cause->service)
        return NULL;
    if (cause->alone_p99_ms > cause->target_ms)
        return doc_words(doc,
                         "With it '%s' misses its target of %s ms even without the others: its "
                         "p99 alone is %s ms; %s",
                         cause->service, doc_number(doc, cause->target_ms),
                         doc_number(doc, cause->alone_p99_ms), plan_lost_text(doc, cause));
    const char *missed = missed_text(doc, &advise_shown(result)->best->point);
    if (!(cause->sharing_ms > 0))
        return doc_words(doc, "With it %s; %s", missed, plan_lost_text(doc, cause));
    return doc_words(doc,
                     "With it %s; sharing costs its slowest jobs %s ms each, lost mainly %s (%s "
                     "ms)%s%s",
                     missed, doc_number(doc, cause->sharing_ms), ct_blame_words[cause->cost].lost,
                     doc_number(doc, cause->cost_ms), cause->cost_by ? ", chiefly due to " : "",
                     cause->cost_by ? cause->cost_by : "");
}

static void print_best(struct doc *doc, const struct advise_result *result) {
    const struct advise_offer *offer = advise_shown(result);
    const struct advise_candidate *best = offer->best;
    const char *setting = setting_text(best, &offer->scenario->setup, &doc->arena);
    if (!result->best)
        doc_text(doc, "Nothing that was tried keeps the targets for sure. What comes nearest:");
    doc_text(doc, "%u x %s, %s%s%s (--policy %s%s)", offer->gpus, gpu_name(offer),
             advise_way_name(best->way), *setting ? ": " : "", setting, best->policy,
             sets_text(best, &doc->arena));
    const char *cause = cause_text(doc, result), *as_well = within_chance_text(doc, result);
    if (cause)
        doc_text(doc, "%s.", cause);
    if (as_well)
        doc_text(doc, "%s.", as_well);
    const char *undecided = undecided_text(doc, result);
    if (undecided)
        doc_text(doc, "%s.", undecided);
}

/* How the answer moves with the memory demand that nobody knows. */
static void print_bands(struct doc *doc, const struct advise_offer *offer) {
    struct table table = table_start("way | none:* | drawn:* | kept");
    for (int way = 0; way < ADVISE_WAYS; way++) {
        const struct advise_candidate *c = offer->best_of[way];
        if (c && c->drawn > 0)
            table_row(&table, advise_way_name(c->way), c->undrawn,
                      table_interval(&table, c->drawn_low, c->drawn_high),
                      table_words(&table, "in %u of %u", c->drawn_keeps, c->drawn));
    }
    if (offer->draws == 0 || !offer->best) {
        table_free(&table);
        return;
    }
    doc_text(doc,
             "The same settings with unknown memory demand drawn %u times from what kernels of the "
             "same class were measured to ask for, the same draws for all: %s stays the best of "
             "these in %u of %u. One replication each, which shows how far the p99/target moves "
             "from where that demand is none, but not on which side of the target it is:",
             offer->draws, advise_way_name(offer->best->way), offer->draws_best, offer->draws);
    doc_table(doc, &table);
}

/* What chance leaves of batch work, where that is more than the per cent to which it counts. */
static void print_chance(struct doc *doc, const struct advise_offer *offer) {
    size_t before = doc->items;
    for (int way = 0; way < ADVISE_WAYS; way++) {
        const struct advise_candidate *c = offer->best_of[way];
        if (c && c->point.batch_high - c->point.batch_work > 0.01 * c->point.batch_work)
            doc_item(doc, "%s: chance leaves the batch work between %s and %s",
                     advise_way_name(way), doc_number(doc, c->point.batch_low),
                     doc_number(doc, c->point.batch_high));
    }
    if (doc->items > before)
        doc_gap(doc);
}

static void print_offer(struct doc *doc, const struct advise_offer *offer) {
    bool priced = !isnan(offer->gpu->price_per_h), batch = has_batch(offer);
    char columns[200];
    snprintf(columns, sizeof columns,
             "way | verdict | p99/target:* | [bounds]:* | batch:* | %s | reps:0",
             priced ? "$/million:*" : "=usd_per_million:*");
    struct table table = table_start(columns);
    for (int way = 0; way < ADVISE_WAYS; way++) {
        const struct advise_candidate *c = offer->best_of[way];
        if (!c)
            continue;
        const struct plan_point *p = &c->point;
        table_row(&table, advise_way_name(c->way), verdict_name(c), p->p99_over_qos,
                  table_interval(&table, p->p99_low, p->p99_high), batch ? p->batch_work : NAN,
                  price_of(offer, c), p->replications);
    }
    double price =
        price_per_million(offer->gpu->price_per_h * offer->apart.gpus, offer->apart.requests_per_s);
    table_row(&table, table_words(&table, "a GPU each (%u)", offer->apart.gpus),
              ct_is_beyond(offer->apart.p99_over_qos, 1) ? "misses" : "open",
              offer->apart.p99_over_qos, table_interval(&table, NAN, NAN),
              batch ? offer->apart.batch_work : NAN, price, 1);
    doc_heading(doc, 2, "The best of each way: %u x %s", offer->gpus, gpu_name(offer));
    doc_table(doc, &table);
    print_chance(doc, offer);
    print_bands(doc, offer);
}

/* Prints by what a candidate misses, or is not sure. No p99 tells of jobs that were dropped. */
static void print_miss(struct doc *doc, const char *name, const struct advise_candidate *c) {
    const struct plan_point *p = &c->point;
    const char *ratio = doc_number(doc, p->p99_over_qos),
               *of = plan_target_text(doc, p->service, p->target);
    const char *p99 = doc_words(doc, "%s: the p99 of '%s' is %s of its target", name, of, ratio);
    if (p->verdict == PLAN_MISSES && p->reason == PLAN_BY_LATE_JOBS)
        doc_item(doc, "%s: %s", name, plan_late_text(doc, of));
    else if (verdict_of(c) == PLAN_MISSES)
        doc_item(doc, "%s", p99);
    else if (p->reason == PLAN_DROPS_NOISY)
        doc_item(doc,
                 "%s: of the requests of '%s' %s %% are dropped, and chance leaves it open "
                 "whether more than 1 %% are",
                 name, of, doc_number(doc, 100 * p->dropped.value));
    else if (p->reason == PLAN_TOO_NOISY)
        doc_item(doc, "%s, and chance leaves it between %s and %s", p99,
                 doc_number(doc, p->p99_low), doc_number(doc, p->p99_high));
    else
        doc_item(doc, "%s, which %llu jobs do not make sure (%llu would)", p99,
                 (unsigned long long)p->jobs, (unsigned long long)p->needed);
}

/* Why it is not the best one. */
static void print_loss(struct doc *doc, const struct advise_offer *offer,
                       const struct advise_candidate *c) {
    const struct plan_point *p = &c->point, *best = &offer->best->point;
    const char *setting = setting_text(c, &offer->scenario->setup, &doc->arena);
    const char *name =
        ct_arena_format(&doc->arena, *setting ? "%s (%s)" : "%s", advise_way_name(c->way), setting);
    if (p->no_fit)
        doc_item(doc, "%s: cannot run it: %s", name, p->no_fit);
    else if (verdict_of(c) != PLAN_HOLDS)
        print_miss(doc, name, c);
    else if (advise_step_of(p->batch_work) < advise_step_of(best->batch_work))
        doc_item(doc, "%s: keeps the targets and does %s of batch work, not %s", name,
                 doc_number(doc, p->batch_work), doc_number(doc, best->batch_work));
    else if (advise_step_of(p->p99_over_qos) == advise_step_of(best->p99_over_qos))
        doc_item(doc, "%s: does as well", name);
    else if (is_within_chance(offer, c))
        doc_item(doc, "%s: does as well within chance: a p99 of %s of the target beside %s", name,
                 doc_number(doc, p->p99_over_qos), doc_number(doc, best->p99_over_qos));
    else
        doc_item(doc, "%s: keeps the targets with a p99 of %s of the target, not %s", name,
                 doc_number(doc, p->p99_over_qos), doc_number(doc, best->p99_over_qos));
}

/* ---- What was not tried ---- */

/* The largest number of GPUs of a type that was tried; 0: none was. */
static uint32_t most_tried(const struct advise_result *result, uint32_t gpu, bool *sure) {
    uint32_t most = 0;
    *sure = false;
    for (size_t i = 0; i < result->offers.count; i++)
        if (result->offers.items[i].scenario == &result->scenarios[gpu]) {
            most = result->offers.items[i].gpus;
            *sure = advise_is_sure(&result->offers.items[i]);
        }
    return most;
}

/* What an interruption left out of a type of GPU, "a100" or "2 to 4 x a100"; NULL: nothing. */
static const char *cut_text(struct doc *doc, const struct advise *advise,
                            const struct advise_result *result, uint32_t gpu) {
    bool sure;
    uint32_t tried = most_tried(result, gpu, &sure);
    const char *name = result->scenarios[gpu].setup.gpu.name;
    if (!result->interrupted || !result->opened[gpu] || sure || tried == advise->most_gpus)
        return NULL;
    if (tried == 0)
        return name;
    if (tried + 1 == advise->most_gpus)
        return doc_words(doc, "%u x %s", tried + 1, name);
    return doc_words(doc, "%u to %u x %s", tried + 1, advise->most_gpus, name);
}

static const char *joined(struct doc *doc, const char *list, const char *between,
                          const char *text) {
    return doc_words(doc, "%s%s%s", list, *list ? between : "", text);
}

static void print_cut(struct doc *doc, const struct advise *advise,
                      const struct advise_result *result) {
    const char *cut = "";
    for (uint32_t g = 0; g < result->scenario_count; g++) {
        const char *text = cut_text(doc, advise, result, g);
        cut = text ? joined(doc, cut, ", ", text) : cut;
    }
    if (*cut)
        doc_item(doc, "%s: interrupted before it was tried", cut);
    for (uint32_t g = 0; g < result->scenario_count; g++)
        if (result->left_out[g])
            doc_item(doc, "%s: left out: %s", advise->gpus[g].name, result->left_out[g]);
}

/* What was not tried of the offer that is shown. */
static void print_not_tried(struct doc *doc, const struct advise_offer *offer) {
    const char *ways = "";
    size_t settings = 0;
    for (int way = 0; way < ADVISE_WAYS; way++)
        if (!offer->best_of[way])
            ways = joined(doc, ways, "; ", advise_way_name(way));
    for (size_t i = 0; i < offer->candidates.count; i++)
        settings += offer->candidates.items[i].round == 0;
    if (*ways)
        doc_item(doc, "not tried, as %s has not got it or these applications cannot use it: %s",
                 gpu_name(offer), ways);
    if (settings)
        doc_item(doc,
                 "not tried: %zu setting%s with other slices or limits, whose plain setting was "
                 "left out after the first round (--every tries all)",
                 settings, settings == 1 ? "" : "s");
}

static void print_losses(struct doc *doc, const struct advise *advise,
                         const struct advise_result *result) {
    const struct advise_offer *offer = advise_shown(result);
    doc_heading(doc, 2, "Why not the others");
    if (offer->second)
        doc_text(doc, "Second is %s.", advise_way_name(offer->second->way));
    for (int way = 0; way < ADVISE_WAYS; way++)
        if (offer->best_of[way] && offer->best_of[way] != offer->best)
            print_loss(doc, offer, offer->best_of[way]);
    for (int way = 0; way < ADVISE_WAYS; way++)
        if (offer->cut[way])
            doc_item(doc,
                     "%s: none of the %d that were judged holds; others may, and were not judged",
                     advise_way_name(way), ADVISE_JUDGED_MOST);
    print_not_tried(doc, offer);
    print_cut(doc, advise, result);
    doc_gap(doc);
}

static void print_switch(struct doc *doc, const struct advise_offer *offer) {
    struct advise_lines lines = {.arena = &doc->arena};
    advise_switch(offer->best, &offer->scenario->setup, &lines);
    doc->failed = doc->failed || lines.no_memory;
    doc_heading(doc, 2, "To switch it on");
    if (doc->markdown)
        fputs("```sh\n", doc->out);
    for (size_t i = 0; i < lines.count; i++)
        fprintf(doc->out, "%s%s\n", doc->markdown ? "" : "  ", lines.items[i]);
    fputs(doc->markdown ? "```\n\n" : "\n", doc->out);
    ct_vec_free(&lines);
}

/* What decides who shares well, and is in few recordings. */
static void print_demand(struct doc *doc, const struct advise_offer *offer) {
    double unknown = offer->scenario->setup.inputs.share[CT_INPUT_DEMAND][CT_UNKNOWN];
    if (unknown > 0)
        doc_text(
            doc,
            "What kernels ask of the memory is unknown for %.0f %% of the time on the GPU, and "
            "counts as nothing: neighbours may cost more than is shown here, and a part of the "
            "SMs less. `cotenant trace "
            "demand` shows what such kernels were measured to ask for, and the key 'kernels' "
            "says it for these.",
            100 * unknown);
}

static void print_envelope(struct doc *doc, const struct advise_result *result) {
    doc_heading(doc, 2, "What this leans on");
    plan_print_envelope(doc, &result->envelope);
    if (has_batch(advise_shown(result)))
        doc_item(doc, "batch work: seconds of batch jobs alone on the GPU that are finished in a "
                      "second, on each GPU");
    doc_item(doc, "a GPU each: from runs of each application alone, its p99 from one");
    doc_gap(doc);
    if (result->broken)
        doc_item(doc, "BROKEN in a run: %s", result->broken);
    else
        doc_item(doc, "conservation ok, Little's law ok, utilisation law ok in all %llu runs",
                 (unsigned long long)result->runs);
}

static int print_doc(const struct advise *advise, const struct advise_result *result, bool markdown,
                     FILE *out) {
    struct doc doc = doc_start(out, markdown);
    const struct advise_offer *shown = advise_shown(result);
    doc_heading(&doc, 1, "Advice: %s", shown->scenario->workload.name);
    print_best(&doc, result);
    print_demand(&doc, shown);
    print_rules(&doc, advise, result);
    for (size_t i = 0; i < result->offers.count; i++)
        print_offer(&doc, &result->offers.items[i]);
    print_losses(&doc, advise, result);
    print_switch(&doc, shown);
    print_envelope(&doc, result);
    return doc_finish(&doc);
}

/* ---- For programs ---- */

static struct table all_candidates(const struct advise_result *result) {
    struct table table = table_start(
        "=gpu | =gpus:0 | =way | =policy | =setting | =verdict | =round:0 | =replications:0 | "
        "=service | =p99_over_qos:* | =p99_over_qos_low:* | =p99_over_qos_high:* | "
        "=batch_work:* | "
        "=requests_per_s:* | =usd_per_h:* | =usd_per_million:* | =no_fit | =set | =draws:0 | "
        "=draws_kept:0 | =undrawn_p99:* | =drawn_p99_low:* | =drawn_p99_high:* | =target | "
        "=batch_work_low:* | "
        "=batch_work_high:*");
    for (size_t i = 0; i < result->offers.count; i++) {
        const struct advise_offer *offer = &result->offers.items[i];
        for (size_t n = 0; n < offer->candidates.count; n++) {
            const struct advise_candidate *c = &offer->candidates.items[n];
            const struct plan_point *p = &c->point;
            if (c->round == 0) /* what it refines was left out */
                continue;
            table_row(&table, gpu_name(offer), offer->gpus, advise_way_name(c->way), c->policy,
                      setting_text(c, &offer->scenario->setup, &table.arena), verdict_name(c),
                      c->round, p->replications, p->service, p->p99_over_qos, p->p99_low,
                      p->p99_high, p->batch_work, p->requests_per_s, advise_price_per_h(offer),
                      price_of(offer, c), p->no_fit, sets_text(c, &table.arena), c->drawn,
                      c->drawn_keeps, c->drawn ? c->undrawn : NAN, c->drawn ? c->drawn_low : NAN,
                      c->drawn ? c->drawn_high : NAN, plan_target_key(p->target), p->batch_low,
                      p->batch_high);
        }
    }
    return table;
}

static void json_best(struct json_writer *json, const struct advise_offer *offer, bool sure) {
    struct ct_arena arena = {0};
    struct advise_lines lines = {.arena = &arena};
    const struct advise_candidate *best = offer->best;
    json_writer_begin_object(json, "best");
    json_writer_members(json, "sure", sure, "gpu", gpu_name(offer), "gpus", offer->gpus, "way",
                        advise_way_name(best->way), "policy", best->policy, "set",
                        sets_text(best, &arena), "draws", offer->draws, "draws_best",
                        offer->draws_best, "setting",
                        setting_text(best, &offer->scenario->setup, &arena), "p99_over_qos",
                        best->point.p99_over_qos, "batch_work", best->point.batch_work, "usd_per_h",
                        advise_price_per_h(offer), "usd_per_million", price_of(offer, best));
    advise_switch(best, &offer->scenario->setup, &lines);
    json_writer_strings(json, "switch_on", lines.items, lines.count);
    json_writer_end_object(json);
    ct_vec_free(&lines);
    ct_arena_free(&arena);
}

/* What the text says below its tables. */
static bool json_notes(struct json_writer *json, const struct advise *advise,
                       const struct advise_result *result) {
    const struct advise_offer *shown = advise_shown(result);
    struct doc doc = doc_keep();
    const char *cause = cause_text(&doc, result), *as_well = within_chance_text(&doc, result);
    const char *undecided = undecided_text(&doc, result);
    if (cause)
        doc_item(&doc, "%s", cause);
    if (as_well)
        doc_item(&doc, "%s", as_well);
    if (undecided)
        doc_item(&doc, "%s", undecided);
    print_chance(&doc, shown);
    print_losses(&doc, advise, result);
    json_writer_strings(json, "notes", doc.lines.items, doc.lines.count);
    json_writer_bool(json, "interrupted", result->interrupted);
    json_writer_begin_array(json, "not_tried");
    for (uint32_t g = 0; g < result->scenario_count; g++) {
        const char *cut = cut_text(&doc, advise, result, g);
        if (cut)
            json_writer_string(json, NULL, cut);
    }
    json_writer_end_array(json);
    return doc_drop(&doc) == CT_OK;
}

int advise_print_json(const struct advise *advise, const struct advise_result *result, bool in_page,
                      FILE *out) {
    struct json_writer json = json_writer_start(out, in_page ? 0 : 2);
    json.in_page = in_page;
    const struct advise_offer *shown = advise_shown(result);
    const struct scenario *scenario = shown->scenario;
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "schema", ADVISE_SCHEMA, "version", advise->request->version,
                        "workload", scenario->workload.name, "confidence", advise->confidence,
                        "seed", scenario->experiment.seed, "demand_unknown",
                        scenario->setup.inputs.share[CT_INPUT_DEMAND][CT_UNKNOWN]);
    json_best(&json, shown, result->best != NULL);
    struct table table = all_candidates(result);
    table_write_json(&table, &json, "candidates");
    bool failed = table.failed;
    table_free(&table);
    json_writer_begin_array(&json, "apart");
    for (size_t i = 0; i < result->offers.count; i++) {
        const struct advise_apart *apart = &result->offers.items[i].apart;
        json_writer_object(&json, NULL, "gpu", gpu_name(&result->offers.items[i]), "gpus",
                           apart->gpus, "service", apart->service, "p99_over_qos",
                           apart->p99_over_qos, "batch_work", apart->batch_work);
    }
    json_writer_end_array(&json);
    failed |= !json_notes(&json, advise, result);
    plan_json_envelope(&json, &result->envelope);
    json_writer_object(&json, "checks", "runs", result->runs, "broken", result->broken);
    json_writer_end_object(&json);
    fputc('\n', out);
    return ferror(out) || failed ? CT_DATA : CT_OK;
}

int advise_print(const struct advise *advise, const struct advise_result *result,
                 enum table_format format, FILE *out) {
    if (format == TABLE_JSON)
        return advise_print_json(advise, result, false, out);
    if (format == TABLE_CSV) {
        struct table table = all_candidates(result);
        return table_print(&table, out, TABLE_CSV);
    }
    return print_doc(advise, result, format == TABLE_MARKDOWN, out);
}
