#include "cli/cli_coloc.h"

#include "models/device/contention_fit.h"

const char cli_coloc_advice[] =
    "16 random co-locations are nearly as good as hundreds, 32 are comfortable; more of them tell "
    "applications apart. The parameters hold for the GPU on which they were measured and for no "
    "other.";

/* One meeting per measured latency; the two of a pair follow each other. */
static size_t list_meetings(const struct coloc_set *set, struct contention_meeting *meetings) {
    size_t count = 0;
    for (size_t i = 0; i < set->pairs.count; i++) {
        const struct coloc_pair *p = &set->pairs.items[i];
        for (int side = 0; side < 2; side++)
            if (!isnan(p->latency_ms[side]))
                meetings[count++] = (struct contention_meeting){.victim = p->solos[side],
                                                                .other = p->solos[!side],
                                                                .row = (uint32_t)i,
                                                                .latency_ms = p->latency_ms[side]};
    }
    return count;
}

static void list_solos(const struct coloc_set *set, struct contention_solo *solos) {
    for (size_t i = 0; i < set->solos.count; i++) {
        const struct coloc_solo *s = &set->solos.items[i];
        solos[i] = (struct contention_solo){.app = s->app,
                                            .quota_pct = s->quota_pct,
                                            .latency_ms = s->latency_ms,
                                            .dram = s->dram,
                                            .l2 = s->l2,
                                            .launches = s->launches};
    }
}

/* What is not known, and what is made of it. */
static void notice_column(const struct contention_column *column, const char *name,
                          const char *effect, const struct coloc_set *set, struct ct_diags *diags) {
    if (!column->used)
        ct_notice(diags, set->solo_path, "'%s' is %s: %s", name,
                  column->known ? "known of fewer than half of the rows and left out" : "not there",
                  effect);
    else if (column->guessed)
        ct_notice(diags, set->solo_path,
                  "'%s' is unknown in %zu of %zu rows: the median of the others is assumed", name,
                  column->guessed, column->guessed + column->known);
}

static void notice_columns(const struct cli_coloc *coloc, struct ct_diags *diags) {
    const struct contention_columns *c = &coloc->columns;
    const struct coloc_set *set = &coloc->set;
    if (!c->dram.used && !c->l2.used) {
        ct_notice(diags, set->solo_path,
                  "neither 'dram_util_pct' nor 'l2_util_pct' is known of half of the rows: a "
                  "slowdown cannot depend on them");
    } else {
        notice_column(&c->dram, "dram_util_pct", "the pressure is L2 utilisation alone", set,
                      diags);
        notice_column(&c->l2, "l2_util_pct", "the pressure is DRAM utilisation alone", set, diags);
    }
    notice_column(&c->launches, "launches", "a delay per launch cannot be told", set, diags);
}

static int make_samples(struct cli_coloc *coloc, struct ct_arena *arena, struct ct_diags *diags) {
    const struct coloc_set *set = &coloc->set;
    struct contention_solo *solos = ct_arena_array(arena, set->solos.count + 1, sizeof *solos);
    struct contention_meeting *meetings =
        ct_arena_array(arena, 2 * set->pairs.count + 1, sizeof *meetings);
    if (!solos || !meetings)
        return ct_out_of_memory(diags);
    list_solos(set, solos);
    size_t count = list_meetings(set, meetings);
    return contention_samples_make(solos, set->solos.count, meetings, count, &coloc->samples,
                                   &coloc->columns, diags);
}

int cli_coloc_open(struct cli_coloc *coloc, const char *solo_path, const char *pairs_path,
                   struct ct_diags *diags) {
    int status = coloc_read(solo_path, pairs_path, &coloc->set, diags);
    struct ct_arena arena = {0};
    if (status == CT_OK)
        status = make_samples(coloc, &arena, diags);
    ct_arena_free(&arena);
    if (status == CT_OK)
        notice_columns(coloc, diags);
    return status;
}

void cli_coloc_warn_few(const struct cli_coloc *coloc, struct ct_diags *diags) {
    if (coloc->set.pairs.count < CONTENTION_ROWS_ENOUGH)
        ct_warning(diags, coloc->set.pairs_path,
                   "%zu co-locations are few: measure %d at least, %d to be comfortable",
                   coloc->set.pairs.count, CONTENTION_ROWS_ENOUGH, CONTENTION_ROWS_COMFORTABLE);
}

void cli_coloc_close(struct cli_coloc *coloc) {
    ct_vec_free(&coloc->samples);
    coloc_free(&coloc->set);
}
