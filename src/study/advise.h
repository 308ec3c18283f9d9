/*
 * Advice: which way of sharing a GPU keeps every service's target and leaves the most to batch
 * work, on how many GPUs, at what price. Candidates are all settings of all ways that the GPU has;
 * they are tried on the same arrivals in rounds that grow longer, of which the better part of each
 * way goes on (successive halving: Jamieson and Talwalkar, AISTATS'16). The best of each way gets a
 * verdict as a point of a plan does, and where it does not hold the next one of the way.
 */
#ifndef ADVISE_H
#define ADVISE_H

#include "format/table.h"
#include "study/advise_types.h"

/* Most settings of a way that are judged, one after the other, until one holds (chosen). */
enum { ADVISE_JUDGED_MOST = 4 };

struct advise {
    const struct scenario_request *request; /* the workload; its policies are not looked at */
    const struct advise_gpu *gpus;
    uint32_t gpu_count;
    uint32_t most_gpus; /* of one type that are tried, 1 at least */
    bool every;         /* no candidate is left out early: what halving is checked against */
    int64_t draws;      /* of unknown memory demand (experiment/bands.h); BANDS_OWN; 0: none */
    double confidence;
    uint32_t replications, most_replications, threads;
    const struct run_cache *cache; /* as in struct experiment */
    struct ct_listener listener;   /* is told of parts, 0 to 1 */
};

struct advise_result {
    struct ct_arena arena;
    struct scenario *scenarios; /* by type of GPU */
    bool *opened;               /* those that can run the workload */
    const char **left_out;      /* why not, of several; NULL: it can */
    uint32_t scenario_count;
    struct advise_changes *changes;     /* by type of GPU */
    CT_VEC(struct advise_offer) offers; /* by type of GPU, then by number */
    const struct advise_offer
        *best; /* the cheapest that surely keeps the targets; NULL: none does */
    const struct advise_offer *guess; /* the one that comes nearest; NULL: nothing was tried */
    struct plan_cause cause;     /* why the guess misses; its service is NULL where it does not, or
                                    something is sure */
    struct plan_result envelope; /* its caveats alone: what the advice leans on */
    bool interrupted;            /* some of what was asked was not tried */
    uint64_t runs;
    const char *broken; /* check of a run that does not hold; NULL: all hold */
};

/* Searches everything. enum ct_status; CT_INTERRUPTED with the offers that are complete. Free with
 * advise_result_free in every case. */
int advise_run(const struct advise *advise, struct advise_result *result, struct ct_diags *diags);
void advise_result_free(struct advise_result *result);

/* Batch work rounded to one per cent, as the number of a step: less is chance, and says nothing
 * about a batch application that is not always busy, whose work a setting may only delay. */
double advise_step_of(double work);

/* Whether its best keeps the targets for sure. */
bool advise_is_sure(const struct advise_offer *offer);

/* The best offer, else the guess. */
const struct advise_offer *advise_shown(const struct advise_result *result);

/* The price of an hour on all its GPUs; NAN: unknown. */
double advise_price_per_h(const struct advise_offer *offer);

/* ---- advise_print.c ---- */

/* Text and Markdown answer: the best, the best of each way, why the others lost, what switches it
 * on, what was assumed. CSV has all candidates, JSON both. CT_OK or CT_DATA. */
int advise_print(const struct advise *advise, const struct advise_result *result,
                 enum table_format format, FILE *out);

/* The JSON alone; `in_page`: as it may stand in a page. CT_OK or CT_DATA. */
int advise_print_json(const struct advise *advise, const struct advise_result *result, bool in_page,
                      FILE *out);

#endif
