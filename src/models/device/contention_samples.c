#include "models/device/contention_samples.h"

#include "base/ct_sort.h"

/* A column of struct contention_solo, and how it changes with the quota. */
struct column_kind {
    size_t offset;
    bool rate; /* utilisation: scales with jobs per second; launches per job do not */
};

static double *cell(struct contention_solo *solo, const struct column_kind *kind) {
    return (double *)(void *)((char *)solo + kind->offset);
}

/* The row of the same application, nearest in quota, whose cell was measured. */
static struct contention_solo *find_reference(struct contention_solo *solos, const bool *measured,
                                              size_t count, size_t at) {
    struct contention_solo *best = NULL;
    double best_distance = 0;
    for (size_t i = 0; i < count; i++) {
        if (!measured[i] || solos[i].app != solos[at].app)
            continue;
        double distance = fabs(solos[i].quota_pct - solos[at].quota_pct);
        if (!best || distance < best_distance ||
            (distance == best_distance && solos[i].quota_pct > best->quota_pct)) {
            best = &solos[i];
            best_distance = distance;
        }
    }
    return best;
}

/* The cells that no measurement of the application explains: all 0 if the column is not used. */
static void fill_rest(struct contention_solo *solos, size_t count, const struct column_kind *kind,
                      double *scratch, struct contention_column *column) {
    for (size_t i = 0; i < count; i++)
        if (!isnan(*cell(&solos[i], kind)))
            scratch[column->known++] = *cell(&solos[i], kind);
    column->used = column->known && 2 * column->known >= count;
    double typical = column->used ? ct_sort_median(scratch, column->known) : 0;
    for (size_t i = 0; i < count; i++) {
        if (column->used && !isnan(*cell(&solos[i], kind)))
            continue;
        *cell(&solos[i], kind) = typical;
        column->guessed += column->used;
    }
}

static int fill_column(struct contention_solo *solos, size_t count, const struct column_kind *kind,
                       struct contention_column *column, struct ct_diags *diags) {
    bool *measured = calloc(count + 1, sizeof *measured);
    double *scratch = calloc(count + 1, sizeof *scratch);
    *column = (struct contention_column){0};
    if (!measured || !scratch) {
        free(measured);
        free(scratch);
        return ct_out_of_memory(diags);
    }
    for (size_t i = 0; i < count; i++)
        measured[i] = !isnan(*cell(&solos[i], kind));
    for (size_t i = 0; i < count; i++) {
        struct contention_solo *ref =
            measured[i] ? NULL : find_reference(solos, measured, count, i);
        if (ref)
            *cell(&solos[i], kind) =
                *cell(ref, kind) * (kind->rate ? ref->latency_ms / solos[i].latency_ms : 1.0);
    }
    fill_rest(solos, count, kind, scratch, column);
    free(measured);
    free(scratch);
    return CT_OK;
}

static struct contention_sample make_sample(const struct contention_solo *solos,
                                            const struct contention_meeting *meeting) {
    const struct contention_solo *own = &solos[meeting->victim], *other = &solos[meeting->other];
    return (struct contention_sample){.app = own->app,
                                      .other_app = other->app,
                                      .row = meeting->row,
                                      .solo_ms = own->latency_ms,
                                      .shared_ms = meeting->latency_ms,
                                      .pressure = other->dram + other->l2,
                                      .own = own->dram + own->l2,
                                      .dram = own->dram + other->dram,
                                      .launches = own->launches};
}

int contention_samples_make(struct contention_solo *solos, size_t solo_count,
                            const struct contention_meeting *meetings, size_t meeting_count,
                            struct contention_samples *samples, struct contention_columns *columns,
                            struct ct_diags *diags) {
    static const struct column_kind kinds[] = {{offsetof(struct contention_solo, dram), true},
                                               {offsetof(struct contention_solo, l2), true},
                                               {offsetof(struct contention_solo, launches), false}};
    struct contention_column *const filled[] = {&columns->dram, &columns->l2, &columns->launches};
    int status = CT_OK;
    for (size_t i = 0; i < CT_COUNT_OF(kinds) && status == CT_OK; i++)
        status = fill_column(solos, solo_count, &kinds[i], filled[i], diags);
    if (status == CT_OK && !ct_vec_reserve(samples, meeting_count + 1))
        status = ct_out_of_memory(diags);
    for (size_t i = 0; i < meeting_count && status == CT_OK; i++)
        samples->items[samples->count++] = make_sample(solos, &meetings[i]);
    return status;
}
