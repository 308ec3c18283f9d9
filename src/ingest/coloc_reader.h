/*
 * Measured co-locations as CSV, columns by name:
 *   SOLO.csv
 * app,quota_pct,latency_ms[,sm_util_pct,l2_util_pct,dram_util_pct,throughput_per_s,launches]
 *   PAIRS.csv  app_a,quota_a_pct,app_b,quota_b_pct,latency_a_ms,latency_b_ms
 * Cells of the bracketed columns, of quotas (100: no partition) and one of the two latencies of a
 * pair may be empty ("", "-", "nan", "NA", "null"), and that of a solo latency where the throughput
 * is known; other columns are passed over with a notice. A name carries the batch size:
 * "resnet50_b8".
 */
#ifndef COLOC_READER_H
#define COLOC_READER_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "base/ct_hash.h"
#include "base/ct_vec.h"

/* An application alone at a quota; the mean of several measurements of the same. NAN: unknown. */
struct coloc_solo {
    uint32_t app; /* index of apps */
    uint32_t measurements;
    double quota_pct, latency_ms;
    double l2, dram;                               /* fractions of peak */
    double launches;                               /* per job */
    uint32_t l2_known, dram_known, launches_known; /* measurements that say so */
};

/* Two applications together. */
struct coloc_pair {
    uint32_t solos[2];    /* what each was alone, at its quota: indices of solos */
    double latency_ms[2]; /* NAN where it was not measured; one of them is known */
};

/* Zero-initialise; free with coloc_free. */
struct coloc_set {
    struct ct_arena arena;
    CT_VEC(const char *) apps; /* names, in the order of SOLO.csv */
    CT_VEC(struct coloc_solo) solos;
    CT_VEC(struct coloc_pair) pairs;
    const char *solo_path, *pairs_path;   /* borrowed */
    struct ct_hash solo_hash, pairs_hash; /* of the files' bytes */
    /* What was not as the form says, for notices. */
    size_t quotas_assumed, percents_clamped, latencies_derived;
};

/*
 * Reads both files. CT_OK; CT_DATA after errors at their lines: a missing column, a number that is
 * none, quotas outside 1 to 100, latencies that are not above 0, a pair whose application was not
 * measured alone at its quota, no rows.
 */
int coloc_read(const char *solo_path, const char *pairs_path, struct coloc_set *set,
               struct ct_diags *diags);
void coloc_free(struct coloc_set *set);

/*
 * families[app] for every app of the set: equal for names that differ only in a batch size at their
 * end, "_b8", "-bs8" or "_batch8" (any of "_-:.@ " before it).
 */
void coloc_families(const struct coloc_set *set, uint32_t *families);

#endif
